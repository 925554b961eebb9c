package simplify

import (
	"math"
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// foldCast folds a scalar conversion other than bitcast; t is the type of the
// result.
func (q *folder) foldCast(t ir.Type, x ir.Value) ir.Value {
	m := q.m
	switch {
	case isPoison(m, x):
		return m.Poison(t)
	case isUndef(m, x):
		return q.undefCast(t)
	}
	switch q.op {
	case ir.OpTrunc, ir.OpZExt, ir.OpSExt:
		return q.foldIntCast(t, x)
	case ir.OpFPTrunc, ir.OpFPExt:
		return q.foldFloatCast(t, x)
	case ir.OpFPToUI, ir.OpFPToSI:
		return foldToInt(m, t, x, q.op == ir.OpFPToSI, false)
	case ir.OpUIToFP, ir.OpSIToFP:
		return q.foldToFloat(t, x)
	case ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr, ir.OpAddrSpaceCast:
		return q.foldPtrCast(t, x)
	}
	return ir.None
}

// undefCast folds a conversion of undef: to 0 if the conversion cannot produce
// every result.
func (q *folder) undefCast(t ir.Type) ir.Value {
	switch q.op {
	case ir.OpZExt, ir.OpSExt, ir.OpUIToFP, ir.OpSIToFP:
		return q.m.Zero(t)
	}
	return q.m.Undef(t)
}

func (q *folder) foldIntCast(t ir.Type, x ir.Value) ir.Value {
	m := q.m
	if !m.IsIntConst(x) {
		if q.op == ir.OpTrunc && q.flags == 0 && m.ConstKindOf(x) == ir.ConstExpr {
			return m.Cast(q.op, x, t)
		}
		return ir.None
	}
	if q.flags != 0 {
		width := m.IntBits(t)
		switch {
		case q.op == ir.OpZExt && signBit(m, x),
			q.op == ir.OpTrunc && q.flags&ir.NUW != 0 && !fitsBig(m.BigValue(x), width, false),
			q.op == ir.OpTrunc && q.flags&ir.NSW != 0 && !fitsBig(m.BigSigned(x), width, true):
			return m.Poison(t)
		}
	}
	if n, ok := m.IntValue(x); ok && m.IntBits(t) <= 64 {
		if q.op == ir.OpSExt {
			n = uint64(signExtend(n, uint(m.IntBits(m.TypeOfConst(x)))))
		}
		return m.NewInt(t, n)
	}
	return m.Cast(q.op, x, t)
}

// foldFloatCast folds fptrunc and fpext.
func (q *folder) foldFloatCast(t ir.Type, x ir.Value) ir.Value {
	m := q.m
	ft := m.TypeOfConst(x)
	from, to := formatOf(ft), formatOf(t)
	b, ok := m.FloatBits(x)
	if from == nil || to == nil || !ok {
		return ir.None
	}
	_, in := denormals(q.f, ft)
	out, _ := denormals(q.f, t)
	if in != ieee && from.isDenormal(b) {
		return ir.None // LLVM leaves these to the target
	}
	r := convertFloat(from, to, b)
	if out != ieee && to.isDenormal(r) {
		return ir.None
	}
	return q.checked(to, t, r, q.sameClass(from, to, b))
}

// sameClass returns a value of the result's type that is a NaN or infinite if
// the operand is, for checked.
func (q *folder) sameClass(from, to *format, b uint64) uint64 {
	switch {
	case from.isNaN(b):
		return to.nan()
	case from.isInf(b):
		return to.inf()
	}
	return 0
}

func convertFloat(from, to *format, b uint64) uint64 {
	if from.isNaN(b) {
		return convertNaN(from, to, b)
	}
	return to.round(from.value(b))
}

// foldToInt converts a floating-point number to an integer, rounding toward
// zero. An out-of-range number results in poison. With sat, it results in the
// nearest integer, and a NaN results in 0.
func foldToInt(m *ir.Module, t ir.Type, x ir.Value, signed, sat bool) ir.Value {
	f := formatOf(m.TypeOfConst(x))
	b, ok := m.FloatBits(x)
	if f == nil || !ok {
		return ir.None
	}
	width := m.IntBits(t)
	if f.isNaN(b) {
		if sat {
			return m.Zero(t)
		}
		return m.Poison(t)
	}
	v := math.Trunc(f.value(b))
	lo, hi := intRange(width, signed)
	switch below, above := v < lo, v >= hi; {
	case !below && !above:
	case !sat:
		return m.Poison(t)
	case below && !signed:
		return m.Zero(t)
	default:
		return m.NewBig(t, limit(width, signed, below))
	}
	if width <= 64 && math.Abs(v) < 1<<63 {
		return m.NewSigned(t, int64(v))
	}
	n, _ := big.NewFloat(v).Int(nil)
	return m.NewBig(t, n)
}

// intRange returns the smallest integer of a width and the number after the
// largest. Infinity represents bounds that float64 cannot.
func intRange(width int, signed bool) (lo, hi float64) {
	if signed {
		hi = math.Ldexp(1, width-1)
		return -hi, hi
	}
	return 0, math.Ldexp(1, width)
}

// limit returns the smallest or largest integer of a width.
func limit(width int, signed, smallest bool) *big.Int {
	one := big.NewInt(1)
	switch {
	case signed && smallest:
		return new(big.Int).Neg(new(big.Int).Lsh(one, uint(width-1)))
	case smallest:
		return new(big.Int)
	case signed:
		width--
	}
	n := new(big.Int).Lsh(one, uint(width))
	return n.Sub(n, one)
}

// foldToFloat folds uitofp and sitofp.
func (q *folder) foldToFloat(t ir.Type, x ir.Value) ir.Value {
	m, f := q.m, formatOf(t)
	if f == nil || !m.IsIntConst(x) {
		return ir.None
	}
	if q.op == ir.OpUIToFP {
		if q.flags&ir.NNeg != 0 && signBit(m, x) {
			return m.Poison(t)
		}
		return m.NewFloatBits(t, f.roundBig(m.BigValue(x)))
	}
	return m.NewFloatBits(t, f.roundBig(m.BigSigned(x)))
}

// bitCast folds a bitcast between types of the same size.
func (q *folder) bitCast(x ir.Value, t ir.Type) ir.Value {
	m := q.m
	from := m.TypeOfConst(x)
	switch {
	case from == t:
		return x
	case isPoison(m, x):
		return m.Poison(t)
	case isUndef(m, x):
		return m.Undef(t)
	case m.IsZero(x):
		return m.Zero(t)
	case m.IsPtrOrPtrVector(from), m.PrimitiveBits(t) > maxElements*64:
		return ir.None
	}
	return q.recast(x, from, t)
}

// recast folds a bitcast of scalars and vectors with known bits. As in LLVM,
// undef or poison elements count as 0 when several elements are combined into a
// larger one.
func (q *folder) recast(x ir.Value, from, t ir.Type) ir.Value {
	m := q.m
	var img image
	if !img.init(m, m.PrimitiveBits(from)) || !img.addBits(x) {
		return ir.None
	}
	if m.Kind(t) != ir.KindVector {
		return img.bitsAt(t, 0)
	}
	info := m.TypeInfo(t)
	n := uint64(m.ScalarBits(t))
	if n > uint64(m.ScalarBits(from)) {
		clear(img.undef)
		clear(img.poison)
	}
	var room [16]ir.Value
	elems := room[:0]
	for i := range info.N {
		e := img.bitsAt(info.Elem, i*n)
		if e == ir.None {
			return ir.None
		}
		elems = append(elems, e)
	}
	return m.NewAggregate(t, elems)
}
