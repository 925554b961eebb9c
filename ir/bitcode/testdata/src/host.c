#include <stdarg.h>
#include <stddef.h>
struct s { int a; char b[13]; double d; struct s *next; };
union u { int i; float f; long double ld; };
static int tab[4] = {1,2,3,4};
extern int ext(struct s x, ...);
__thread int tls = 3;
_Complex double cd(_Complex double a){ return a*a; }
int sum(int n, ...) { va_list ap; va_start(ap,n); int s=0; for(int i=0;i<n;i++) s+=va_arg(ap,int); va_end(ap); return s; }
int goto_table(int k){ static void *t[]={&&a,&&b,&&c}; goto *t[k]; a: return 1; b: return 2; c: return 3; }
long double ld(long double x){ return x*1.1L; }
__int128 i128(__int128 a, __int128 b){ return a*b+((__int128)1<<100); }
int vla(int n){ int a[n]; for(int i=0;i<n;i++)a[i]=i; return a[n/2]; }
int sw(int x){ switch(x){case 1:return 5;case 2:return 9;case 100:return 3;case 1000: return 33; default:return tab[x&3];} }
float fv(float *p,int n){ float s=0; for(int i=0;i<n;i++) s+=p[i]*p[i]; return s; }
void asmf(int *p){ __asm__ volatile("addl $1, %0":"+m"(*p)::"memory"); }
int byval(struct s x){ return x.a+ext(x,1,2.0); }
_Atomic int at; int atom(void){ return __c11_atomic_fetch_add(&at,1,5) + __atomic_compare_exchange_n((int*)&at,&tab[0],1,1,5,0); }
__attribute__((weak)) int weakf(void){return 1;}
__attribute__((alias("weakf"))) int al(void);
__attribute__((constructor)) static void ctor(void){ tab[0]=7; }
size_t str(const char*s){ return __builtin_strlen(s)+__builtin_object_size(s,0); }
int main(int c,char**v){ return sum(3,1,2,3)+goto_table(c%3)+sw(c)+vla(c)+byval((struct s){1}); }
