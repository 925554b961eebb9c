package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/ir"
)

// hasCvt reports whether a scalar type is float or double, which v_cvt_i32 and
// its variants support.
func hasCvt(t ir.Type) bool { return t == ir.Float || t == ir.Double }

// wantToInt is the condition for fptosi and fptoui.
func wantToInt(x *fpExpander, v ir.Value, t ir.Type) bool {
	from, to := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0))), x.M.Scalar(t)
	return (from == ir.BFloat || isExpandable(from)) && x.M.IntBits(to) <= 64 && !(hasCvt(from) && to == ir.I32)
}

// fpToInt expands fptosi and fptoui. A value that does not fit the result is
// poison, so a wider conversion is valid.
func fpToInt(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, t := f.Operand(v, 0), f.TypeOf(v)
	signed := f.Op(v) == ir.OpFPToSI
	work := ir.I32
	if x.M.IntBits(t) > 32 && f.TypeOf(a) != ir.Half { // no half exceeds 65504
		work = ir.I64
	}
	a = x.atLeastFloat(a)
	var r ir.Value
	if work == ir.I64 {
		r = x.toInt64(a, signed, x.toInt32)
	} else {
		r = x.toInt32(a, signed)
	}
	return x.resizeInt(r, t, signed)
}

// atLeastFloat extends half or bfloat to float.
func (x *fpExpander) atLeastFloat(a ir.Value) ir.Value {
	if t := x.f.TypeOf(a); t == ir.Half || t == ir.BFloat {
		return x.extend(a)
	}
	return a
}

func (x *fpExpander) toInt32(a ir.Value, signed bool) ir.Value {
	if signed {
		return x.Cast(ir.OpFPToSI, a, ir.I32, 0)
	}
	return x.Cast(ir.OpFPToUI, a, ir.I32, 0)
}

// toInt32Sat converts out-of-range values to the nearest integer and NaN to 0.
func (x *fpExpander) toInt32Sat(a ir.Value, signed bool) ir.Value {
	id := ir.IntrFptouiSat
	if signed {
		id = ir.IntrFptosiSat
	}
	return x.Call(x.M.DeclareIntrinsic(id, ir.I32, x.f.TypeOf(a)), a)
}

// resizeInt extends or truncates an integer.
func (x *fpExpander) resizeInt(v ir.Value, t ir.Type, signed bool) ir.Value {
	from, to := x.M.IntBits(x.f.TypeOf(v)), x.M.IntBits(t)
	switch {
	case from > to:
		return x.FoldCast(ir.OpTrunc, v, t)
	case signed:
		return x.FoldCast(ir.OpSExt, v, t)
	}
	return x.FoldCast(ir.OpZExt, v, t)
}

// pair combines two halves to an i64.
func (x *fpExpander) pair(low, high ir.Value) ir.Value {
	v := x.InsertElement(x.M.Poison(x.M.VectorType(ir.I32, 2)), low, x.i32(0))
	return x.FoldCast(ir.OpBitCast, x.InsertElement(v, high, x.i32(1)), ir.I64)
}

// halves returns the halves of an i64.
func (x *fpExpander) halves(v ir.Value) (low, high ir.Value) {
	p := x.FoldCast(ir.OpBitCast, v, x.M.VectorType(ir.I32, 2))
	return x.element(p, x.i32(0)), x.element(p, x.i32(1))
}

// toInt64 converts a float or double. The upper half of the result is the
// quotient by 2^32; the lower half is the remainder, which fma computes
// exactly. A negative float has too few bits for a remainder relative to the
// next lower multiple, so its absolute value is converted.
func (x *fpExpander) toInt64(a ir.Value, signed bool, convert func(a ir.Value, signed bool) ir.Value) ir.Value {
	t := x.f.TypeOf(a)
	whole := x.intr(ir.IntrTrunc, a)
	byValue := signed && t == ir.Float
	var sign ir.Value
	if byValue {
		sign = x.Shift(ir.OpAShr, x.FoldCast(ir.OpBitCast, a, ir.I32), 31)
		whole = x.fabs(whole)
	}
	upper := x.intr(ir.IntrFloor, x.fmul(whole, x.num(t, 0x1p-32)))
	lower := x.fma(upper, x.num(t, -0x1p+32), whole)
	r := x.pair(convert(lower, false), convert(upper, signed && !byValue))
	if byValue {
		sign = x.pair(sign, sign)
		r = x.FoldBinary(ir.OpSub, x.FoldBinary(ir.OpXor, r, sign), sign)
	}
	return r
}

// fpToIntSat expands llvm.fptosi.sat and llvm.fptoui.sat.
func fpToIntSat(x *fpExpander, v ir.Value) ir.Value {
	f, m := x.f, x.M
	a, t := x.atLeastFloat(f.Operand(v, 0)), f.TypeOf(v)
	signed := f.CalledIntrinsic(v) == ir.IntrFptosiSat
	n := m.IntBits(t)
	low, high := satLimits(n, signed)
	if n <= 32 {
		return x.resizeInt(x.clamp(x.toInt32Sat(a, signed), low, high, signed), t, signed)
	}
	at := f.TypeOf(a)
	r := x.toInt64(a, signed, x.toInt32Sat)
	// 2^(n-1) or 2^n is a float, and no float lies between it and the limit
	// below
	top := n
	if signed {
		top--
	}
	limit := x.num(at, float64(uint64(1)<<(top-1))*2)
	r = x.Select(x.Compare(ir.FCmpOGE, a, limit), m.NewInt(ir.I64, high), r)
	if signed {
		r = x.Select(x.Compare(ir.FCmpOLT, a, x.num(at, -float64(uint64(1)<<top))), m.NewInt(ir.I64, low), r)
	} else {
		r = x.Select(x.Compare(ir.FCmpOLE, a, m.Zero(at)), m.NewInt(ir.I64, 0), r)
	}
	r = x.Select(x.Compare(ir.FCmpUNO, a, a), m.NewInt(ir.I64, 0), r)
	return x.resizeInt(r, t, signed)
}

// satLimits returns the smallest and largest integer of n bits as 64-bit
// values.
func satLimits(n int, signed bool) (low, high uint64) {
	if signed {
		high = 1<<(n-1) - 1
		return ^high, high
	}
	return 0, 1<<(n-1)*2 - 1
}

// clamp limits an i32 to the range of a narrower integer.
func (x *fpExpander) clamp(r ir.Value, low, high uint64, signed bool) ir.Value {
	least, greatest := x.M.NewInt(ir.I32, low), x.M.NewInt(ir.I32, high)
	switch {
	case !signed && high < 1<<32-1:
		return x.intr(ir.IntrUmin, r, greatest)
	case signed && high < 1<<31-1:
		return x.intr(ir.IntrSmin, x.intr(ir.IntrSmax, r, least), greatest)
	}
	return r
}

func wantToIntSat(x *fpExpander, v ir.Value, t ir.Type) bool { return wantToInt(x, v, t) }

// wantFromInt is the condition for sitofp and uitofp.
func wantFromInt(x *fpExpander, v ir.Value, t ir.Type) bool {
	from, to := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0))), x.M.Scalar(t)
	if from == ir.I1 && isExpandable(to) {
		return x.isSmall(to)
	}
	return (to == ir.BFloat || isExpandable(to)) && x.M.IntBits(from) <= 64 && !(hasCvt(to) && from == ir.I32)
}

// fpFromInt expands sitofp and uitofp.
func fpFromInt(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, t := f.Operand(v, 0), f.TypeOf(v)
	signed := f.Op(v) == ir.OpSIToFP
	n, isSigned := x.neededInt(a, signed)
	work := ir.I32
	if n > 32 {
		work = ir.I64
	}
	a = x.resizeInt(a, work, signed)
	switch {
	case t == ir.Double && n > 32:
		return x.doubleOf64(a, isSigned)
	case t == ir.BFloat && n > 24:
		return x.bfloatOfInt(a, isSigned)
	}
	// integers with more bits than a float are too large for half, so there is
	// no double rounding
	to := t
	if !hasCvt(t) {
		to = ir.Float
	}
	r := ir.None
	if n > 32 {
		r = x.floatOfInt(a, isSigned)
	} else {
		r = x.convert32(a, to, isSigned)
	}
	return x.shorten(r, t)
}

// neededInt returns the number of significant bits of an integer, and whether
// they are signed.
func (x *fpExpander) neededInt(a ir.Value, signed bool) (n int, isSigned bool) {
	width := x.M.IntBits(x.f.TypeOf(a))
	if width <= 24 {
		return width, signed
	}
	zero, _ := known.Bits(x.f, a, known.MaxDepth)
	positive := bits.Len64(^zero &^ (^uint64(0) << (width - 1) << 1))
	if !signed {
		return positive, false
	}
	return min(positive+1, width-known.SignBits(x.f, a)+1), true
}

func (x *fpExpander) convert32(a ir.Value, t ir.Type, signed bool) ir.Value {
	if signed {
		return x.Cast(ir.OpSIToFP, a, t, 0)
	}
	return x.Cast(ir.OpUIToFP, a, t, 0)
}

// doubleOf64 converts both halves exactly and adds them.
func (x *fpExpander) doubleOf64(a ir.Value, signed bool) ir.Value {
	low, high := x.halves(a)
	h := x.ldexp(x.convert32(high, ir.Double, signed), x.i32(32))
	return x.fadd(h, x.convert32(low, ir.Double, false))
}

// floatOfInt converts an i64 to float with one rounding.
func (x *fpExpander) floatOfInt(a ir.Value, signed bool) ir.Value {
	top, exp := x.topBits(a, signed)
	return x.ldexp(x.convert32(top, ir.Float, signed), exp)
}

// topBits returns the 32 most significant bits of an i64 and the exponent of
// their scale. The lowest bit is sticky: it includes all bits below. A number
// of at most 32 bits is unchanged.
func (x *fpExpander) topBits(a ir.Value, signed bool) (top, exp ir.Value) {
	low, high := x.halves(a)
	n := x.spareBits(high, signed)
	if signed {
		// a high half of sign bits can be shifted out if the low half starts
		// with the sign bit
		same := x.Shift(ir.OpAShr, x.FoldBinary(ir.OpXor, low, high), 31)
		n = x.intr(ir.IntrUmin, n, x.FoldBinary(ir.OpAdd, same, x.i32(32)))
	}
	low, high = x.halves(x.FoldBinary(ir.OpShl, a, x.FoldCast(ir.OpZExt, n, ir.I64)))
	return x.FoldBinary(ir.OpOr, high, x.intr(ir.IntrUmin, low, x.i32(1))), x.FoldBinary(ir.OpSub, x.i32(32), n)
}

// spareBits returns the number of bits by which an i32 can be shifted left
// without loss, at least 31 if all bits can be shifted out.
func (x *fpExpander) spareBits(a ir.Value, signed bool) ir.Value {
	if signed {
		return x.FoldBinary(ir.OpAdd, x.intr(ir.IntrAMDGCNSffbh, a), x.i32(-1))
	}
	return x.Call(x.M.DeclareIntrinsic(ir.IntrCtlz, ir.I32), a, x.M.NewBool(false))
}

// bfloatOfInt converts an i32 or i64 with one rounding. It keeps 16 significant
// bits, of which the lowest is sticky, so that the float is exact except for
// the sticky bit.
func (x *fpExpander) bfloatOfInt(a ir.Value, signed bool) ir.Value {
	exp := x.i32(0)
	if x.f.TypeOf(a) == ir.I64 {
		a, exp = x.topBits(a, signed)
	}
	n := x.intr(ir.IntrUmin, x.spareBits(a, signed), x.i32(31))
	a = x.FoldBinary(ir.OpShl, a, n)
	rest := x.intr(ir.IntrUmin, x.FoldBinary(ir.OpAnd, a, x.i32(1<<16-1)), x.i32(1))
	a = x.FoldBinary(ir.OpOr, x.FoldBinary(ir.OpAnd, a, x.i32(-1<<16)), x.Shift(ir.OpShl, rest, 16))
	r := x.ldexp(x.convert32(a, ir.Float, signed), x.FoldBinary(ir.OpSub, exp, n))
	return x.shorten(r, ir.BFloat)
}

// wantTrunc is the condition for fptrunc: float to half and double to float are
// supported.
func wantTrunc(x *fpExpander, v ir.Value, t ir.Type) bool {
	from, to := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0))), x.M.Scalar(t)
	if !hasCvt(from) {
		return false
	}
	return to == ir.BFloat && !(x.cvtBF16 && from == ir.Float) || to == ir.Half && from == ir.Double
}

// fpTrunc expands fptrunc.
func fpTrunc(x *fpExpander, v ir.Value) ir.Value {
	a, t := x.f.Operand(v, 0), x.f.TypeOf(v)
	if x.f.TypeOf(a) == ir.Double {
		if x.flags(v)&ir.ApproxFunc != 0 {
			a = x.FoldCast(ir.OpFPTrunc, a, ir.Float)
		} else {
			a = x.roundToOdd(a)
		}
	}
	return x.shorten(a, t)
}

// shorten rounds a float to half or bfloat.
func (x *fpExpander) shorten(a ir.Value, t ir.Type) ir.Value {
	switch {
	case t == ir.BFloat && !x.cvtBF16:
		return x.roundToBFloat(a)
	case t == ir.Half || t == ir.BFloat:
		return x.FoldCast(ir.OpFPTrunc, a, t)
	}
	return a
}

// roundToOdd converts a double to float, toward zero, with the last bit set if
// the result is inexact. A second rounding to at least two bits fewer is then
// equivalent to a single rounding (S. Boldo and G. Melquiond, "When double
// rounding is odd", 2005).
func (x *fpExpander) roundToOdd(a ir.Value) ir.Value {
	r := x.FoldCast(ir.OpFPTrunc, a, ir.Float)
	back := x.FoldCast(ir.OpFPExt, r, ir.Double)
	above := x.Compare(ir.FCmpOGT, x.fabs(back), x.fabs(a))
	other := x.Compare(ir.FCmpONE, back, a)
	b := x.FoldCast(ir.OpBitCast, r, ir.I32)
	b = x.FoldBinary(ir.OpSub, b, x.FoldCast(ir.OpZExt, above, ir.I32))
	b = x.FoldBinary(ir.OpOr, b, x.FoldCast(ir.OpZExt, other, ir.I32))
	return x.FoldCast(ir.OpBitCast, b, ir.Float)
}

// roundToBFloat rounds a float to the nearest bfloat, its upper half, with
// integer operations.
func (x *fpExpander) roundToBFloat(a ir.Value) ir.Value {
	b := x.FoldCast(ir.OpBitCast, a, ir.I32)
	odd := x.FoldBinary(ir.OpAnd, x.Shift(ir.OpLShr, b, 16), x.i32(1))
	r := x.FoldBinary(ir.OpAdd, x.FoldBinary(ir.OpAdd, b, odd), x.i32(0x7fff))
	quiet := x.FoldBinary(ir.OpOr, b, x.i32(1<<22)) // the payload may be in the lower half only
	r = x.Select(x.Compare(ir.FCmpUNO, a, a), quiet, r)
	r = x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, r, 16), ir.I16)
	return x.FoldCast(ir.OpBitCast, r, ir.BFloat)
}

// wantExt is the condition for fpext: half to float and float to double are
// supported.
func wantExt(x *fpExpander, v ir.Value, t ir.Type) bool {
	from, to := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0))), x.M.Scalar(t)
	return hasCvt(to) && (from == ir.BFloat || from == ir.Half && to == ir.Double)
}

// fpExt expands fpext.
func fpExt(x *fpExpander, v ir.Value) ir.Value {
	return x.FoldCast(ir.OpFPExt, x.extend(x.f.Operand(v, 0)), x.f.TypeOf(v))
}

// extend converts a half or bfloat to float.
func (x *fpExpander) extend(a ir.Value) ir.Value {
	if x.f.TypeOf(a) == ir.Half {
		return x.FoldCast(ir.OpFPExt, a, ir.Float)
	}
	b := x.FoldCast(ir.OpZExt, x.FoldCast(ir.OpBitCast, a, ir.I16), ir.I32)
	return x.FoldCast(ir.OpBitCast, x.Shift(ir.OpShl, b, 16), ir.Float)
}

// wantRoundToInt is the condition for llvm.lrint and its variants.
func wantRoundToInt(x *fpExpander, v ir.Value, t ir.Type) bool {
	s := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0)))
	return (s == ir.BFloat || isExpandable(s)) && x.M.IntBits(x.M.Scalar(t)) <= 64
}

// fpRoundToInt expands llvm.lrint, llvm.lround and their variants.
func fpRoundToInt(x *fpExpander, v ir.Value) ir.Value {
	id := ir.IntrRint
	if of := x.f.CalledIntrinsic(v); of == ir.IntrLround || of == ir.IntrLlround {
		id = ir.IntrRound
	}
	return x.Cast(ir.OpFPToSI, x.intr(id, x.f.Operand(v, 0)), x.f.TypeOf(v), 0)
}
