package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// value is a value of the program under way.
type value struct {
	text    string // name or constant
	t       typ
	uniform bool // the same for all lanes
}

func (v value) String() string { return v.t.String() + " " + v.text }

// writer writes the body of a function. The values that it has so far are never poison, no
// signaling NaN, and their bits are the same on every machine but for NaNs.
type writer struct {
	r      *rand.Rand
	b      *strings.Builder
	n      *int
	vals   []value
	block  string // label of the block under way
	depth  int    // of control flow
	budget *int   // operations left
	usual  []typ  // types that are used mostly
	env    *env
}

// env is what the operations of a function may use beside values.
type env struct {
	in      string // pointer to the input, "" for none
	slot    string // pointer to the item's own bytes of the output
	lds     string // pointer to the item's own bytes of LDS that it may write
	others  string // pointer to the LDS of the group that it may read
	counter string // pointer to the group's counters in LDS
	total   string // pointer to the grid's counters
	phase   int
	private []private
	helpers []helper
}

// private is an array in scratch memory.
type private struct {
	name string
	elem elem
	n    int // a power of two
}

// helper is a function that may be called.
type helper struct {
	name string
	args []typ
	ret  typ
}

func newWriter(r *rand.Rand, b *strings.Builder, budget *int, e *env) *writer {
	w := &writer{r: r, b: b, n: new(int), block: "entry", budget: budget, env: e}
	for range 6 {
		w.usual = append(w.usual, randomType(r))
	}
	return w
}

// randomType gives a type, mostly one of a few.
func (w *writer) randomType() typ {
	if w.r.IntN(3) > 0 {
		return w.usual[w.r.IntN(len(w.usual))]
	}
	return randomType(w.r)
}

// memoryType gives a type that memory holds.
func (w *writer) memoryType() typ {
	for {
		if t := w.randomType(); t.inMemory() && t.bits() <= 128 {
			return t
		}
	}
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(w.b, "  "+format+"\n", args...)
}

// fresh gives a new name.
func (w *writer) fresh() string {
	*w.n++
	return fmt.Sprintf("%%v%d", *w.n)
}

// temp writes an instruction and gives its result, which later operations do not take by
// chance.
func (w *writer) temp(t typ, format string, args ...any) value {
	v := value{text: w.fresh(), t: t}
	w.line("%s = "+format, append([]any{v.text}, args...)...)
	return v
}

// def writes an instruction whose result is for all to use.
func (w *writer) def(t typ, uniform bool, format string, args ...any) value {
	v := w.temp(t, format, args...)
	v.uniform = uniform
	w.vals = append(w.vals, v)
	return v
}

// pick gives a value of a type: a constant, one that there is, or one made of another type's.
func (w *writer) pick(t typ) value { return w.choose(t, false) }

// choose does so; when uniform is asked for, the value is.
func (w *writer) choose(t typ, uniform bool) value {
	if w.r.IntN(8) == 0 {
		return value{constant(w.r, t), t, true}
	}
	var same, any []value
	for _, v := range w.vals {
		if uniform && !v.uniform {
			continue
		}
		any = append(any, v)
		if v.t == t {
			same = append(same, v)
		}
	}
	switch {
	case len(same) > 0 && (len(same) > 2 || w.r.IntN(3) > 0):
		if w.r.IntN(2) == 0 { // a new one
			return same[len(same)-1-w.r.IntN(min(3, len(same)))]
		}
		return same[w.r.IntN(len(same))]
	case len(any) > 0:
		v := w.convert(any[w.r.IntN(len(any))], t)
		w.vals = append(w.vals, v)
		return v
	}
	return value{constant(w.r, t), t, true}
}

// like gives a value of a type that is uniform when v is, with some luck.
func (w *writer) like(v value, t typ) value { return w.choose(t, v.uniform && w.r.IntN(4) > 0) }

// canonical gives a float without NaNs, whose bits may be looked at.
func (w *writer) canonical(v value) value {
	if !v.t.float() {
		return v
	}
	c := w.temp(v.t.with(i1), "fcmp uno %s, zeroinitializer", v)
	r := w.temp(v.t, "select %s, %s %s, %s", c, v.t, splat(v.t, usualNaN[v.t.elem]), v)
	r.uniform = v.uniform
	return r
}

// convert makes a value of another type.
func (w *writer) convert(v value, t typ) value {
	r := w.convertNumbers(w.reshape(v, t.n), t)
	r.uniform = v.uniform
	return r
}

// reshape gives a vector of n of a value's numbers, or a number for 0.
func (w *writer) reshape(v value, n int) value {
	switch {
	case v.t.n == n:
		return v
	case n == 0:
		return w.temp(v.t.scalar(), "extractelement %s, i32 %d", v, w.r.IntN(v.t.n))
	case v.t.n == 0:
		t := typ{v.t.elem, n}
		one := w.temp(t, "insertelement %s poison, %s, i32 0", t, v)
		return w.temp(t, "shufflevector %s, %s poison, <%d x i32> zeroinitializer", one, t, n)
	}
	return w.shuffle(v, v, n)
}

// shuffle takes n numbers of two vectors of a type.
func (w *writer) shuffle(a, b value, n int) value {
	mask := make([]string, n)
	for i := range mask {
		mask[i] = fmt.Sprintf("i32 %d", w.r.IntN(2*a.t.n))
	}
	return w.temp(typ{a.t.elem, n}, "shufflevector %s, %s, <%d x i32> <%s>", a, b, n, strings.Join(mask, ", "))
}

// convertNumbers makes other numbers of a value's, as many.
func (w *writer) convertNumbers(v value, t typ) value {
	a, b := v.t.elem, t.elem
	switch {
	case a == b:
		return v
	case b == i1 && a.float():
		return w.temp(t, "fcmp olt %s, %s", v, splat(v.t, "1.0"))
	case b == i1:
		return w.temp(t, "icmp sgt %s, %s", v, splat(v.t, "3"))
	case !a.float() && !b.float():
		return w.resize(v, t)
	case a.float() && b.float():
		return w.refloat(v, t)
	case a.float() && a.bits() == b.bits() && w.r.IntN(2) == 0:
		return w.temp(t, "bitcast %s to %s", w.canonical(v), t)
	case a.float():
		if b == i24 || b == i48 || b == i128 {
			return w.resize(w.convertNumbers(v, t.with(i32)), t)
		}
		op := [...]string{"fptosi", "fptoui"}[w.r.IntN(2)]
		return w.temp(t, "call %s @llvm.%s.sat.%s.%s(%s)", t, op, t.mangled(), v.t.mangled(), v)
	case a.bits() == b.bits() && w.r.IntN(2) == 0:
		return w.canonical(w.temp(t, "bitcast %s to %s", v, t))
	}
	return w.intToFloat(v, t)
}

// resize makes an integer of another size.
func (w *writer) resize(v value, t typ) value {
	if v.t.elem.bits() > t.elem.bits() {
		return w.temp(t, "trunc %s to %s", v, t)
	}
	return w.temp(t, "%s %s to %s", [...]string{"zext", "sext"}[w.r.IntN(2)], v, t)
}

// refloat makes a float of another size.
func (w *writer) refloat(v value, t typ) value {
	if v.t.elem < t.elem {
		return w.temp(t, "fpext %s to %s", v, t)
	}
	return w.temp(t, "fptrunc %s to %s", v, t)
}

// intToFloat converts integers to floats. Those that do not fit a half exactly in the widest
// format between have no defined way to be rounded.
func (w *writer) intToFloat(v value, t typ) value {
	switch e := v.t.elem; {
	case e == i1 || e == i24 || e == i48 || e == i128:
		v = w.resize(v, v.t.with(i32))
	}
	if t.elem == f16 && v.t.elem.bits() > 16 {
		v = w.resize(v, v.t.with(i16))
	}
	return w.temp(t, "%s %s to %s", [...]string{"sitofp", "uitofp"}[w.r.IntN(2)], v, t)
}

// label starts a new block.
func (w *writer) label(name string) {
	fmt.Fprintf(w.b, "%s:\n", name)
	w.block = name
}

// newLabel gives a name for a block.
func (w *writer) newLabel() string { return strings.TrimPrefix(w.fresh(), "%") + "b" }

// statements writes n statements while the budget lasts.
func (w *writer) statements(n int) {
	for ; n > 0 && *w.budget > 0; n-- {
		*w.budget--
		w.statement()
	}
}

func (w *writer) statement() {
	table := statements()
	if w.depth >= 3 {
		table = table[controlStatements:]
	}
	total := 0
	for _, s := range table {
		total += s.weight
	}
	k := w.r.IntN(total)
	for _, s := range table {
		if k -= s.weight; k < 0 {
			s.write(w)
			return
		}
	}
}

// A kind is a kind of statements, with its weight.
type kind struct {
	weight int
	write  func(w *writer)
}

// statements gives the kinds of statements; control flow comes first.
func statements() []kind {
	return []kind{
		{3, (*writer).branch}, {3, (*writer).loop}, {2, (*writer).switching},
		{16, (*writer).integer}, {12, (*writer).integerCall}, {8, (*writer).idiom},
		{12, (*writer).float}, {10, (*writer).floatCall},
		{6, (*writer).compare}, {6, (*writer).choice}, {5, (*writer).conversion},
		{8, (*writer).vector}, {5, (*writer).reduce},
		{8, (*writer).load}, {4, (*writer).store}, {5, (*writer).privateAccess},
		{5, (*writer).ldsAccess}, {4, (*writer).atomic}, {3, (*writer).counters}, {3, (*writer).call},
	}
}

const controlStatements = 3
