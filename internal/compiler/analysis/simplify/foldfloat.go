package simplify

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// denormalMode specifies how a function treats subnormal numbers of a type.
type denormalMode uint8

const (
	ieee denormalMode = iota
	preserveSign
	positiveZero
	dynamic
)

var denormalModes = [...]string{ieee: "ieee", preserveSign: "preserve-sign", positiveZero: "positive-zero", dynamic: "dynamic"}

// denormals returns the modes for the results and operands of a type (LangRef,
// "denormal-fp-math").
func denormals(f *ir.Function, t ir.Type) (out, in denormalMode) {
	if f == nil {
		return ieee, ieee
	}
	m := f.Module()
	set := m.AttrsAt(f.Attributes, ir.AttrFunction)
	if t == ir.Float {
		if text, ok := m.StringAttr(set, "denormal-fp-math-f32"); ok {
			return parseDenormals(text)
		}
	}
	text, _ := m.StringAttr(set, "denormal-fp-math")
	return parseDenormals(text)
}

// parseDenormals parses "output,input". A single word applies to both, and
// empty text is ieee.
func parseDenormals(text string) (out, in denormalMode) {
	first, second := text, text
	for i := range len(text) {
		if text[i] == ',' {
			first, second = text[:i], text[i+1:]
			break
		}
	}
	return denormalWord(first), denormalWord(second)
}

func denormalWord(word string) denormalMode {
	for i, name := range denormalModes {
		if word == name {
			return denormalMode(i)
		}
	}
	return ieee
}

// flush returns a value after flushing in a mode. The result is false if the
// mode is unknown.
func (mode denormalMode) flush(f *format, v uint64) (uint64, bool) {
	if mode == ieee || !f.isDenormal(v) {
		return v, true
	}
	switch mode {
	case preserveSign:
		return v & f.sign(), true
	case positiveZero:
		return 0, true
	}
	return v, false
}

// foldFNeg folds fneg of a scalar.
func (q *folder) foldFNeg(t ir.Type, x ir.Value) ir.Value {
	if isUndef(q.m, x) {
		return x
	}
	if b, ok := q.m.FloatBits(x); ok {
		return q.m.NewFloatBits(t, b^formats[t].sign())
	}
	return ir.None
}

// foldFloat folds a binary floating-point operation on scalars.
func (q *folder) foldFloat(t ir.Type, x, y ir.Value) ir.Value {
	m, f := q.m, formatOf(t)
	if isPoison(m, x) || isPoison(m, y) {
		return m.Poison(t)
	}
	if f == nil {
		return ir.None
	}
	out, in := denormals(q.f, t)
	if v := q.identity(x, y); v != ir.None && q.flags&ir.NoNaNs == 0 && out == ieee && in == ieee {
		return v
	}
	if isUndef(m, x) || isUndef(m, y) {
		return q.undefFloat(t, x, y)
	}
	a, okA := m.FloatBits(x)
	b, okB := m.FloatBits(y)
	if !okA || !okB {
		return ir.None
	}
	a, okA = in.flush(f, a)
	b, okB = in.flush(f, b)
	if !okA || !okB {
		return ir.None
	}
	r := f.binary(q.op, a, b)
	if v := q.identity(m.NewFloatBits(t, a), m.NewFloatBits(t, b)); v != ir.None && q.flags&ir.NoNaNs == 0 {
		r, _ = m.FloatBits(v) // signaling NaNs are also passed through unchanged
	}
	r, ok := out.flush(f, r)
	if !ok {
		return ir.None
	}
	return q.checked(f, t, r, a, b)
}

// isFloatBits reports whether v is the number with the bits that bits returns
// for its format.
func isFloatBits(m *ir.Module, v ir.Value, bits func(f *format) uint64) bool {
	b, ok := m.FloatBits(v)
	return ok && b == bits(&formats[m.TypeOfConst(v)])
}

func isNegZero(m *ir.Module, v ir.Value) bool { return isFloatBits(m, v, (*format).sign) }
func isPosZero(m *ir.Module, v ir.Value) bool {
	return isFloatBits(m, v, func(*format) uint64 { return 0 })
}
func isFloatOne(m *ir.Module, v ir.Value) bool { return isFloatBits(m, v, (*format).one) }

// checked returns a result as a constant, or poison if it violates nnan or
// ninf.
func (q *folder) checked(f *format, t ir.Type, r uint64, args ...uint64) ir.Value {
	if q.flags&(ir.NoNaNs|ir.NoInfs) != 0 {
		bad := q.promised(f, r)
		for _, a := range args {
			bad = bad || q.promised(f, a)
		}
		if bad {
			return q.m.Poison(t)
		}
	}
	return q.m.NewFloatBits(t, r)
}

// promised reports whether the flags exclude a value.
func (q *folder) promised(f *format, v uint64) bool {
	return q.flags&ir.NoNaNs != 0 && f.isNaN(v) || q.flags&ir.NoInfs != 0 && f.isInf(v)
}

// undefFloat folds an operation with an undef operand, which may be any NaN.
func (q *folder) undefFloat(t ir.Type, x, y ir.Value) ir.Value {
	m := q.m
	if q.flags&ir.NoNaNs != 0 {
		return m.Poison(t)
	}
	if isUndef(m, x) && isUndef(m, y) {
		return m.Undef(t)
	}
	if q.op == ir.OpFSub && isNegZero(m, x) {
		return m.Undef(t) // negation
	}
	return m.NewFloatBits(t, formats[t].nan())
}

// binary computes an operation on bits, rounded to nearest. NaN results are
// quiet; the first operand's NaN takes precedence.
func (f *format) binary(op ir.Op, a, b uint64) uint64 {
	if f.isNaN(a) {
		return a | f.quiet()
	}
	if f.isNaN(b) {
		return b | f.quiet()
	}
	x, y := f.value(a), f.value(b)
	switch op {
	case ir.OpFAdd:
		return f.round(x + y)
	case ir.OpFSub:
		return f.round(x - y)
	case ir.OpFMul:
		return f.round(x * y)
	case ir.OpFDiv:
		return f.round(x / y)
	}
	return f.round(math.Mod(x, y))
}

// foldFCmp folds a comparison of scalar floating-point numbers.
func (q *folder) foldFCmp(t ir.Type, x, y ir.Value) ir.Value {
	m, pred := q.m, ir.Pred(q.sub)
	switch {
	case pred == ir.FCmpFalse || pred == ir.FCmpTrue:
		return m.NewBool(pred == ir.FCmpTrue)
	case isPoison(m, x) || isPoison(m, y):
		return m.Poison(t)
	}
	if isUndef(m, x) || isUndef(m, y) {
		return m.NewBool(isUnordered(pred)) // undef may be a NaN
	}
	a, okA := m.FloatBits(x)
	b, okB := m.FloatBits(y)
	if !okA || !okB {
		return ir.None
	}
	ft := m.TypeOfConst(x)
	f := &formats[ft]
	_, in := denormals(q.f, ft)
	a, okA = in.flush(f, a)
	b, okB = in.flush(f, b)
	switch {
	case !okA || !okB:
		return ir.None
	case q.promised(f, a) || q.promised(f, b):
		return m.Poison(t)
	}
	return m.NewBool(f.compare(pred, a, b))
}

// isUnordered reports whether a predicate holds for a NaN, which is LLVM's U
// bit.
func isUnordered(p ir.Pred) bool { return p&8 != 0 }

// compare reports whether a predicate holds. Its bits select outcomes: 1 equal,
// 2 greater, 4 less, 8 unordered.
func (f *format) compare(p ir.Pred, a, b uint64) bool {
	if f.isNaN(a) || f.isNaN(b) {
		return p&8 != 0
	}
	switch x, y := f.value(a), f.value(b); {
	case x == y:
		return p&1 != 0
	case x > y:
		return p&2 != 0
	}
	return p&4 != 0
}

// fma returns a·b+c rounded once.
func (f *format) fma(a, b, c uint64) uint64 {
	for _, v := range [...]uint64{a, b, c} {
		if f.isNaN(v) {
			return v | f.quiet()
		}
	}
	x, y, z := f.value(a), f.value(b), f.value(c)
	if f.size == 64 {
		return f.round(math.FMA(x, y, z))
	}
	return f.round(sumToOdd(x*y, z))
}

// everyFloat reports whether fn holds for all elements of a floating-point
// constant.
func everyFloat(m *ir.Module, v ir.Value, fn func(f *format, b uint64) bool) bool {
	t := m.TypeOfConst(v)
	if !m.IsVector(t) {
		b, ok := m.FloatBits(v)
		return ok && fn(&formats[t], b)
	}
	for i := range min(m.NumElements(t), maxElements) {
		e := m.Element(v, i)
		if e == ir.None || !everyFloat(m, e, fn) {
			return false
		}
	}
	return m.NumElements(t) <= maxElements
}

// IsNormal reports whether all elements of a constant are normal floating-point
// numbers.
func IsNormal(m *ir.Module, v ir.Value) bool {
	return everyFloat(m, v, func(f *format, b uint64) bool { return f.mag(b) < f.inf() && f.mag(b) >= 1<<f.mant })
}

// IsPowerOfTwo reports whether all elements of a floating-point constant are
// powers of two or minus one.
func IsPowerOfTwo(m *ir.Module, v ir.Value) bool {
	return everyFloat(m, v, func(f *format, b uint64) bool { return b&(1<<f.mant-1) == 0 && !f.isZero(b) })
}
