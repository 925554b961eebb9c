struct A { virtual int f(int); virtual ~A(); int x; };
struct B : virtual A { int f(int) override; int y; };
int B::f(int k){ try { if(k) throw k; } catch(int e){ return e; } catch(...) { throw; } return y; }
template<class T> T mx(T a,T b){ return a<b?b:a; }
int g(int a){ static A *p=new B; return mx(a,p->f(a)) + mx(1.0,(double)a); }
thread_local B tb;
namespace n { inline int v = g(3); }
int use(){ return n::v + tb.y; }
A::~A(){} int A::f(int a){return a;}
