package prepare

import "github.com/gfx-toolchain/gfx/ir"

// isExpandable reports whether quotients, roots and similar operations on a
// scalar type are expanded here.
func isExpandable(t ir.Type) bool { return t == ir.Half || t == ir.Float || t == ir.Double }

// wantFP is the condition for operations on half, float and double.
func wantFP(x *fpExpander, _ ir.Value, t ir.Type) bool { return isExpandable(x.M.Scalar(t)) }

// Accuracies in ULP at which quotients need no correction.
const (
	ulpReciprocal = 1   // v_rcp_f32 only
	ulpDivFast    = 2.5 // product with a reciprocal
)

// fpDivide expands fdiv.
func fpDivide(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	if r := x.exactReciprocal(b); r != ir.None {
		return x.fmul(a, r)
	}
	switch f.TypeOf(v) {
	case ir.Half:
		if x.half && x.flags(v)&(ir.AllowReciprocal|ir.ApproxFunc) != 0 {
			return x.timesRcp(a, b, x.rcp)
		}
		return x.divideHalf(a, b)
	case ir.Double:
		if x.flags(v)&ir.ApproxFunc != 0 {
			return x.divideDoubleFast(a, b)
		}
		return x.divideExact(a, b)
	}
	if q := x.divideFloatFast(v, a, b); q != ir.None {
		return q
	}
	if x.f32 == denormUnknown {
		return x.divideByDouble(a, b)
	}
	return x.divideExact(a, b)
}

// exactReciprocal returns the reciprocal of a constant power of two if it is
// normal, otherwise None. The product with it is rounded like the quotient.
func (x *fpExpander) exactReciprocal(b ir.Value) ir.Value {
	t := x.f.TypeOf(b)
	word, ok := x.M.FloatBits(b)
	if !ok {
		return ir.None
	}
	width := x.M.ScalarBits(t)
	mant := map[ir.Type]int{ir.Half: 10, ir.Float: 23, ir.Double: 52}[t]
	sign := uint64(1) << (width - 1)
	exp, twice := word&^sign>>mant, (sign>>mant)-2 // twice the bias
	if word&(1<<mant-1) != 0 || exp == 0 || exp >= twice {
		return ir.None
	}
	return x.M.NewFloatBits(t, word&sign|(twice-exp)<<mant)
}

// divideFloatFast divides floats with the precision that !fpmath and the flags
// permit, or returns None if they permit no fast division.
func (x *fpExpander) divideFloatFast(v, a, b ir.Value) ir.Value {
	flags, ulp := x.flags(v), x.accuracy(v)
	rcp, moderate := x.rcp, x.isConverted(b)
	if x.f32 != denormFlush && flags&ir.ApproxFunc == 0 && !moderate {
		rcp = x.rcpScaled
	}
	one := x.isNum(a, 1) || x.isNum(a, -1)
	switch {
	case moderate && ulp >= ulpDivFast:
		return x.timesRcp(a, b, rcp)
	case flags&ir.ApproxFunc != 0, ulp >= ulpReciprocal && (one || flags&ir.AllowReciprocal != 0):
		return x.timesRcp(a, b, rcp)
	case ulp < ulpDivFast:
		return ir.None
	case x.f32 == denormFlush:
		return x.divFast(a, b)
	}
	return x.divFrexp(a, b)
}

// isConverted reports whether a float is a converted integer: 0, or a number
// with a magnitude from 1 to 2^64, whose reciprocal is not denormal. The product
// with the reciprocal is then as precise as the one of the significands.
func (x *fpExpander) isConverted(b ir.Value) bool {
	if !b.IsLocal() {
		return false
	}
	switch x.f.Op(b) {
	case ir.OpFNeg:
		return x.isConverted(x.f.Operand(b, 0))
	case ir.OpSIToFP, ir.OpUIToFP:
		return x.M.IntBits(x.f.TypeOf(x.f.Operand(b, 0))) <= 64
	}
	return false
}

// timesRcp multiplies by a reciprocal.
func (x *fpExpander) timesRcp(a, b ir.Value, rcp func(ir.Value) ir.Value) ir.Value {
	switch {
	case x.isNum(a, 1):
		return rcp(b)
	case x.isNum(a, -1):
		return rcp(x.FNeg(b))
	}
	return x.fmul(a, rcp(b))
}

// rcpScaled returns a reciprocal that supports denormal operands and results.
func (x *fpExpander) rcpScaled(b ir.Value) ir.Value {
	mant, exp := x.frexpAny(b)
	return x.ldexp(x.rcp(mant), x.FoldBinary(ir.OpSub, x.i32(0), exp))
}

// divFast multiplies by a reciprocal. Scaling avoids denormal reciprocals;
// denormal operands count as 0.
func (x *fpExpander) divFast(a, b ir.Value) ir.Value {
	large := x.Compare(ir.FCmpOGT, x.fabs(b), x.num(ir.Float, 0x1p+96))
	scale := x.Select(large, x.num(ir.Float, 0x1p-32), x.num(ir.Float, 1))
	return x.fmul(scale, x.fmul(a, x.rcp(x.fmul(b, scale))))
}

// divFrexp divides the significands and handles the exponents separately.
func (x *fpExpander) divFrexp(a, b ir.Value) ir.Value {
	mb, eb := x.frexpAny(b)
	r := x.rcp(mb)
	ma, ea := x.frexpAny(a)
	return x.ldexp(x.fmul(ma, r), x.FoldBinary(ir.OpSub, ea, eb))
}

// divideExact returns the correctly rounded quotient of IEEE 754.
func (x *fpExpander) divideExact(a, b ir.Value) ir.Value {
	t := x.f.TypeOf(a)
	if x.denorm(t) == denormFlush {
		return x.divideFlushed(a, b, t)
	}
	return x.divideScaled(a, b, t)
}

// nearRcp returns a reciprocal with approximately the precision of its type:
// v_rcp_f32 is off by one ULP, v_rcp_f64 by 2^29.
func (x *fpExpander) nearRcp(b ir.Value, t ir.Type) (neg, r ir.Value) {
	neg, r = x.FNeg(b), x.rcp(b)
	steps := 1
	if t == ir.Double {
		steps = 2
	}
	for range steps {
		e := x.fma(neg, r, x.num(t, 1))
		r = x.fma(e, r, r)
	}
	return neg, r
}

// divideScaled divides operands that v_div_scale scales to avoid overflow and
// denormals. The last step reverses the scaling and rounds once.
func (x *fpExpander) divideScaled(a, b ir.Value, t ir.Type) ir.Value {
	scale := x.M.DeclareIntrinsic(ir.IntrAMDGCNDivScale, t)
	den := x.Call(scale, a, b, x.M.NewBool(false))
	num := x.Call(scale, a, b, x.M.NewBool(true))
	d, n := x.ExtractValue(den, 0), x.ExtractValue(num, 0)
	neg, r := x.nearRcp(d, t)
	q := x.fmul(n, r)
	e := x.fma(neg, q, n)
	if t == ir.Float {
		q = x.fma(e, r, q)
		e = x.fma(neg, q, n)
	}
	back := x.ExtractValue(num, 1)
	if x.gfx6 && t == ir.Double {
		back = x.scaledBack(a, b, n, d)
	}
	q = x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNDivFmas, t), e, r, q, back)
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// scaledBack computes the condition result of v_div_scale_f64, which gfx6
// returns incorrectly: exactly one operand was scaled.
func (x *fpExpander) scaledBack(a, b, n, d ir.Value) ir.Value {
	high := func(v ir.Value) ir.Value {
		return x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, x.FoldCast(ir.OpBitCast, v, ir.I64), 32), ir.I32)
	}
	den := x.Compare(ir.ICmpEQ, high(b), high(d))
	num := x.Compare(ir.ICmpEQ, high(a), high(n))
	return x.FoldBinary(ir.OpXor, num, den)
}

// divideFlushed divides significands, so that no step produces a denormal,
// which would be flushed. If denormals are flushed, the quotient is either
// normal, and ldexp does not round it, or 0.
func (x *fpExpander) divideFlushed(a, b ir.Value, t ir.Type) ir.Value {
	mb, eb := x.frexp(b)
	ma, ea := x.frexp(a)
	neg, r := x.nearRcp(mb, t)
	q := x.fmul(ma, r)
	for range 2 {
		e := x.fma(neg, q, ma)
		q = x.fma(e, r, q)
	}
	q = x.ldexp(q, x.FoldBinary(ir.OpSub, ea, eb))
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// divideByDouble divides floats as doubles, where float denormals are normal. A
// double has more than twice the bits of a float, so the double rounding is
// harmless (S. Figueroa, "When is double rounding innocuous?", 1995).
func (x *fpExpander) divideByDouble(a, b ir.Value) ir.Value {
	da, db := x.FoldCast(ir.OpFPExt, a, ir.Double), x.FoldCast(ir.OpFPExt, b, ir.Double)
	q := x.FoldCast(ir.OpFPTrunc, x.divideDoubleFast(da, db), ir.Float)
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// divideDoubleFast divides doubles and ignores overflow and denormals.
func (x *fpExpander) divideDoubleFast(a, b ir.Value) ir.Value {
	neg, r := x.nearRcp(b, ir.Double)
	q := x.fmul(a, r)
	e := x.fma(neg, q, a)
	return x.fma(e, r, q)
}

// divideHalf divides as float, where halves are never denormal. One correction
// results in the nearest float, because the distance of a quotient of 11-bit
// numbers from the midpoint of two floats exceeds the error. The double
// rounding is harmless, because floats have more than twice the bits.
func (x *fpExpander) divideHalf(a, b ir.Value) ir.Value {
	fa, fb := x.FoldCast(ir.OpFPExt, a, ir.Float), x.FoldCast(ir.OpFPExt, b, ir.Float)
	r := x.rcp(fb)
	q := x.fmul(fa, r)
	e := x.fma(x.FNeg(fb), q, fa)
	q = x.fma(e, r, q)
	if !x.half {
		return x.FoldCast(ir.OpFPTrunc, x.intr(ir.IntrAMDGCNDivFixup, q, fb, fa), ir.Half)
	}
	return x.intr(ir.IntrAMDGCNDivFixup, x.FoldCast(ir.OpFPTrunc, q, ir.Half), b, a)
}

// fpSquareRoot expands llvm.sqrt.
func fpSquareRoot(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	switch x.f.TypeOf(v) {
	case ir.Half:
		if x.half && x.flags(v)&ir.ApproxFunc != 0 {
			return x.intr(ir.IntrAMDGCNSqrt, a)
		}
		// v_sqrt_f32 is correct for all halves
		r := x.intr(ir.IntrAMDGCNSqrt, x.FoldCast(ir.OpFPExt, a, ir.Float))
		return x.FoldCast(ir.OpFPTrunc, r, ir.Half)
	case ir.Double:
		return x.rootDouble(a)
	}
	if x.rsqUsers(v); !x.f.HasUses(v) {
		return x.M.Poison(ir.Float)
	}
	ulp := x.accuracy(v)
	switch {
	case x.flags(v)&ir.ApproxFunc != 0, ulp >= 1 && x.f32 == denormFlush:
		return x.intr(ir.IntrAMDGCNSqrt, a)
	case ulp >= 2:
		return x.rootScaled(a)
	}
	return x.rootFloat(a)
}

// rootScaled is v_sqrt_f32 extended to denormals.
func (x *fpExpander) rootScaled(a ir.Value) ir.Value {
	tiny := x.Compare(ir.FCmpOLT, a, x.num(ir.Float, 0x1p-126))
	r := x.intr(ir.IntrAMDGCNSqrt, x.ldexp(a, x.Select(tiny, x.i32(32), x.i32(0))))
	return x.ldexp(r, x.Select(tiny, x.i32(-16), x.i32(0)))
}

// rootFloat returns the float nearest to a root. The residuals of operands of
// at least 2^-53 are never denormal, so flushing is harmless.
func (x *fpExpander) rootFloat(a ir.Value) ir.Value {
	num := func(n float64) ir.Value { return x.num(ir.Float, n) }
	tiny := x.Compare(ir.FCmpOLT, a, num(0x1p-48))
	a = x.Select(tiny, x.fmul(a, num(0x1p+96)), a)
	var r ir.Value
	if x.f32 == denormFlush {
		r = x.rootNewton(a)
	} else {
		r = x.rootNeighbours(a)
	}
	r = x.Select(tiny, x.fmul(r, num(0x1p-48)), r)
	return x.Select(x.isClass(a, classZero|classPosInf), a, r)
}

// rootNewton refines v_rsq_f32 (P. Markstein, "IA-64 and Elementary Functions", 2000).
func (x *fpExpander) rootNewton(a ir.Value) ir.Value {
	half := x.num(ir.Float, 0.5)
	y := x.intr(ir.IntrAMDGCNRsq, a)
	r, h := x.fmul(a, y), x.fmul(y, half)
	e := x.fma(x.FNeg(h), r, half)
	h, r = x.fma(h, e, h), x.fma(r, e, r)
	return x.fma(x.fma(x.FNeg(r), r, a), h, r)
}

// rootNeighbours returns the result of v_sqrt_f32, which is off by at most one
// ULP, or a neighbour. The signs of the residuals of the products with the
// neighbours determine the nearest one.
func (x *fpExpander) rootNeighbours(a ir.Value) ir.Value {
	zero := x.num(ir.Float, 0)
	r := x.intr(ir.IntrAMDGCNSqrt, a)
	bits := x.FoldCast(ir.OpBitCast, r, ir.I32)
	below := x.FoldCast(ir.OpBitCast, x.FoldBinary(ir.OpAdd, bits, x.i32(-1)), ir.Float)
	above := x.FoldCast(ir.OpBitCast, x.FoldBinary(ir.OpAdd, bits, x.i32(1)), ir.Float)
	down := x.Compare(ir.FCmpOLE, x.fma(x.FNeg(below), r, a), zero)
	up := x.Compare(ir.FCmpOGT, x.fma(x.FNeg(above), r, a), zero)
	return x.Select(up, above, x.Select(down, below, r))
}

// rootDouble returns the double nearest to a root: v_rsq_f64, one step for the
// root and half its reciprocal, two for the root.
func (x *fpExpander) rootDouble(a ir.Value) ir.Value {
	num := func(n float64) ir.Value { return x.num(ir.Double, n) }
	tiny := x.Compare(ir.FCmpOLT, a, num(0x1p-767))
	a = x.ldexp(a, x.Select(tiny, x.i32(256), x.i32(0)))
	y := x.intr(ir.IntrAMDGCNRsq, a)
	h, r := x.fmul(y, num(0.5)), x.fmul(a, y)
	e := x.fma(x.FNeg(h), r, num(0.5))
	h, r = x.fma(h, e, h), x.fma(r, e, r)
	for range 2 {
		r = x.fma(x.fma(x.FNeg(r), r, a), h, r)
	}
	r = x.ldexp(r, x.Select(tiny, x.i32(-128), x.i32(0)))
	return x.Select(x.isClass(a, classZero|classPosInf), a, r)
}
