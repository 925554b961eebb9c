package opt

import "github.com/gfx-toolchain/gfx/ir"

// isExpandable reports whether a scalar type is one whose quotients, roots and so on are expanded here.
func isExpandable(t ir.Type) bool { return t == ir.Half || t == ir.Float || t == ir.Double }

// wantFP is for operations on half, float and double.
func wantFP(x *fpExpander, _ ir.Value, t ir.Type) bool { return isExpandable(x.m.Scalar(t)) }

// Accuracies in ULP from which on quotients need no corrections.
const (
	ulpReciprocal = 1   // v_rcp_f32 alone
	ulpDivFast    = 2.5 // a product with a reciprocal
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

// exactReciprocal gives the reciprocal of a constant power of two that is normal, None of other values: a product with it is rounded as
// the quotient.
func (x *fpExpander) exactReciprocal(b ir.Value) ir.Value {
	t := x.f.TypeOf(b)
	word, ok := x.m.FloatBits(b)
	if !ok {
		return ir.None
	}
	width := x.m.ScalarBits(t)
	mant := map[ir.Type]int{ir.Half: 10, ir.Float: 23, ir.Double: 52}[t]
	sign := uint64(1) << (width - 1)
	exp, twice := word&^sign>>mant, (sign>>mant)-2 // the bias two times
	if word&(1<<mant-1) != 0 || exp == 0 || exp >= twice {
		return ir.None
	}
	return x.m.NewFloatBits(t, word&sign|(twice-exp)<<mant)
}

// divideFloatFast uses what !fpmath and flags allow for a quotient of floats, None when that is nothing.
func (x *fpExpander) divideFloatFast(v, a, b ir.Value) ir.Value {
	flags, ulp := x.flags(v), x.accuracy(v)
	rcp := x.rcp
	if x.f32 != denormFlush && flags&ir.ApproxFunc == 0 {
		rcp = x.rcpScaled
	}
	one := x.isNum(a, 1) || x.isNum(a, -1)
	switch {
	case flags&ir.ApproxFunc != 0, ulp >= ulpReciprocal && (one || flags&ir.AllowReciprocal != 0):
		return x.timesRcp(a, b, rcp)
	case ulp < ulpDivFast:
		return ir.None
	case x.f32 == denormFlush:
		return x.divFast(a, b)
	}
	return x.divFrexp(a, b)
}

// timesRcp multiplies with a reciprocal.
func (x *fpExpander) timesRcp(a, b ir.Value, rcp func(ir.Value) ir.Value) ir.Value {
	switch {
	case x.isNum(a, 1):
		return rcp(b)
	case x.isNum(a, -1):
		return rcp(x.FNeg(b))
	}
	return x.fmul(a, rcp(b))
}

// rcpScaled is a reciprocal that is right for denormals and gives them.
func (x *fpExpander) rcpScaled(b ir.Value) ir.Value {
	mant, exp := x.frexpAny(b)
	return x.ldexp(x.rcp(mant), x.binary(ir.OpSub, x.i32(0), exp))
}

// divFast multiplies with a reciprocal that is kept away from denormals, which are taken for 0.
func (x *fpExpander) divFast(a, b ir.Value) ir.Value {
	large := x.Compare(ir.FCmpOGT, x.fabs(b), x.num(ir.Float, 0x1p+96))
	scale := x.Select(large, x.num(ir.Float, 0x1p-32), x.num(ir.Float, 1))
	return x.fmul(scale, x.fmul(a, x.rcp(x.fmul(b, scale))))
}

// divFrexp divides the significands and takes the exponents by themselves.
func (x *fpExpander) divFrexp(a, b ir.Value) ir.Value {
	mb, eb := x.frexpAny(b)
	r := x.rcp(mb)
	ma, ea := x.frexpAny(a)
	return x.ldexp(x.fmul(ma, r), x.binary(ir.OpSub, ea, eb))
}

// divideExact gives the quotient that IEEE 754 wants.
func (x *fpExpander) divideExact(a, b ir.Value) ir.Value {
	t := x.f.TypeOf(a)
	if x.denorm(t) == denormFlush {
		return x.divideFlushed(a, b, t)
	}
	return x.divideScaled(a, b, t)
}

// nearRcp gives a reciprocal that is about as good as the type is: v_rcp_f32 is off by one ULP, v_rcp_f64 by 2^29.
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

// divideScaled divides with operands that v_div_scale keeps away from overflow and denormals. The last step of the division scales back
// and rounds once.
func (x *fpExpander) divideScaled(a, b ir.Value, t ir.Type) ir.Value {
	scale := x.m.DeclareIntrinsic(ir.IntrAMDGCNDivScale, t)
	den := x.Call(scale, a, b, x.m.NewBool(false))
	num := x.Call(scale, a, b, x.m.NewBool(true))
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
	q = x.Call(x.m.DeclareIntrinsic(ir.IntrAMDGCNDivFmas, t), e, r, q, back)
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// scaledBack finds what the condition of v_div_scale_f64 should have been, which gfx6 does not give: exactly one operand was scaled.
func (x *fpExpander) scaledBack(a, b, n, d ir.Value) ir.Value {
	high := func(v ir.Value) ir.Value {
		return x.cast(ir.OpTrunc, x.shift(ir.OpLShr, x.cast(ir.OpBitCast, v, ir.I64), 32), ir.I32)
	}
	den := x.Compare(ir.ICmpEQ, high(b), high(d))
	num := x.Compare(ir.ICmpEQ, high(a), high(n))
	return x.binary(ir.OpXor, num, den)
}

// divideFlushed divides significands, so that no step has a denormal, which would be lost: where denormals are flushed the quotient is either
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
	q = x.ldexp(q, x.binary(ir.OpSub, ea, eb))
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// divideByDouble divides floats as doubles, which have none of float's denormals: a double has more than twice the bits, so rounding
// twice does no harm (S. Figueroa, "When is double rounding innocuous?", 1995).
func (x *fpExpander) divideByDouble(a, b ir.Value) ir.Value {
	da, db := x.cast(ir.OpFPExt, a, ir.Double), x.cast(ir.OpFPExt, b, ir.Double)
	q := x.cast(ir.OpFPTrunc, x.divideDoubleFast(da, db), ir.Float)
	return x.intr(ir.IntrAMDGCNDivFixup, q, b, a)
}

// divideDoubleFast divides doubles without regard to overflow and denormals.
func (x *fpExpander) divideDoubleFast(a, b ir.Value) ir.Value {
	neg, r := x.nearRcp(b, ir.Double)
	q := x.fmul(a, r)
	e := x.fma(neg, q, a)
	return x.fma(e, r, q)
}

// divideHalf divides as float, where no half is denormal. One correction gives the nearest float: a quotient of two numbers of 11 bits is never as
// near to the middle between two floats as it is off. Rounding twice does no harm, as floats have more than twice the bits.
func (x *fpExpander) divideHalf(a, b ir.Value) ir.Value {
	fa, fb := x.cast(ir.OpFPExt, a, ir.Float), x.cast(ir.OpFPExt, b, ir.Float)
	r := x.rcp(fb)
	q := x.fmul(fa, r)
	e := x.fma(x.FNeg(fb), q, fa)
	q = x.fma(e, r, q)
	if !x.half {
		return x.cast(ir.OpFPTrunc, x.intr(ir.IntrAMDGCNDivFixup, q, fb, fa), ir.Half)
	}
	return x.intr(ir.IntrAMDGCNDivFixup, x.cast(ir.OpFPTrunc, q, ir.Half), b, a)
}

// fpSquareRoot expands llvm.sqrt.
func fpSquareRoot(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	switch x.f.TypeOf(v) {
	case ir.Half:
		if x.half && x.flags(v)&ir.ApproxFunc != 0 {
			return x.intr(ir.IntrAMDGCNSqrt, a)
		}
		// v_sqrt_f32 is right for all numbers that are halves
		r := x.intr(ir.IntrAMDGCNSqrt, x.cast(ir.OpFPExt, a, ir.Float))
		return x.cast(ir.OpFPTrunc, r, ir.Half)
	case ir.Double:
		return x.rootDouble(a)
	}
	if x.rsqUsers(v); !x.f.HasUses(v) {
		return x.m.Poison(ir.Float)
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

// rootScaled is v_sqrt_f32 for denormals too.
func (x *fpExpander) rootScaled(a ir.Value) ir.Value {
	tiny := x.Compare(ir.FCmpOLT, a, x.num(ir.Float, 0x1p-126))
	r := x.intr(ir.IntrAMDGCNSqrt, x.ldexp(a, x.Select(tiny, x.i32(32), x.i32(0))))
	return x.ldexp(r, x.Select(tiny, x.i32(-16), x.i32(0)))
}

// rootFloat gives the nearest float to a root. No residual of what is 2^-53 or more is denormal, so that they may be flushed.
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

// rootNeighbours takes the root that v_sqrt_f32 gives, which is off by one at most, or a neighbour: the signs of what the products of the
// root with its neighbours leave say which one is nearest.
func (x *fpExpander) rootNeighbours(a ir.Value) ir.Value {
	zero := x.num(ir.Float, 0)
	r := x.intr(ir.IntrAMDGCNSqrt, a)
	bits := x.cast(ir.OpBitCast, r, ir.I32)
	below := x.cast(ir.OpBitCast, x.binary(ir.OpAdd, bits, x.i32(-1)), ir.Float)
	above := x.cast(ir.OpBitCast, x.binary(ir.OpAdd, bits, x.i32(1)), ir.Float)
	down := x.Compare(ir.FCmpOLE, x.fma(x.FNeg(below), r, a), zero)
	up := x.Compare(ir.FCmpOGT, x.fma(x.FNeg(above), r, a), zero)
	return x.Select(up, above, x.Select(down, below, r))
}

// rootDouble gives the nearest double to a root: v_rsq_f64, one step for the root and half its reciprocal, two for the root.
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
