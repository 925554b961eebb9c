package sem

// floatRoundRows lists roundings to whole numbers, and the operations that
// decompose numbers.
func floatRoundRows() []Row {
	return []Row{
		{Name: "v_trunc_f16", Sig: sig(F16, F16), Fn: whole(F16, RoundTowardZero)},
		{Name: "v_trunc_f32", Sig: sig(F32, F32), Fn: whole(F32, RoundTowardZero)},
		{Name: "v_trunc_f64", Sig: sig(F64, F64), Fn: whole(F64, RoundTowardZero)},
		{Name: "v_ceil_f16", Sig: sig(F16, F16), Fn: whole(F16, RoundPlusInfinity)},
		{Name: "v_ceil_f32", Sig: sig(F32, F32), Fn: whole(F32, RoundPlusInfinity)},
		{Name: "v_ceil_f64", Sig: sig(F64, F64), Fn: whole(F64, RoundPlusInfinity)},
		{Name: "v_floor_f16", Sig: sig(F16, F16), Fn: whole(F16, RoundMinusInfinity)},
		{Name: "v_floor_f32", Sig: sig(F32, F32), Fn: whole(F32, RoundMinusInfinity)},
		{Name: "v_floor_f64", Sig: sig(F64, F64), Fn: whole(F64, RoundMinusInfinity)},
		{Name: "v_rndne_f16", Sig: sig(F16, F16), Fn: whole(F16, RoundNearestEven)},
		{Name: "v_rndne_f32", Sig: sig(F32, F32), Fn: whole(F32, RoundNearestEven)},
		{Name: "v_rndne_f64", Sig: sig(F64, F64), Fn: whole(F64, RoundNearestEven)},

		{Name: "v_fract_f16", Sig: sig(F16, F16), Fn: fract(F16)},
		{Name: "v_fract_f32", Sig: sig(F32, F32), Fn: fract(F32)},
		{Name: "v_fract_f64", Sig: sig(F64, F64), Fn: fract(F64)},

		{Name: "v_frexp_mant_f16", Sig: sig(F16, F16), Fn: frexpMant(F16)},
		{Name: "v_frexp_mant_f32", Sig: sig(F32, F32), Fn: frexpMant(F32)},
		{Name: "v_frexp_mant_f64", Sig: sig(F64, F64), Fn: frexpMant(F64)},
		{Name: "v_frexp_exp_i16_f16", Sig: sig(I16, F16), Fn: frexpExp(F16)},
		{Name: "v_frexp_exp_i32_f32", Sig: sig(I32, F32), Fn: frexpExp(F32)},
		{Name: "v_frexp_exp_i32_f64", Sig: sig(I32, F64), Fn: frexpExp(F64)},

		{Name: "v_ldexp_f16", Sig: sig(F16, F16, I16), Fn: func(c *Ctx, s0, s1, _ uint64) uint64 { return c.ldexp(&half, s0, int(int16(s1))) }},
		{Name: "v_ldexp_f32", Sig: sig(F32, F32, I32), Fn: func(c *Ctx, s0, s1, _ uint64) uint64 { return c.ldexp(&single, s0, int(int32(s1))) }},
		{Name: "v_ldexp_f64", Sig: sig(F64, F64, I32), Fn: func(c *Ctx, s0, s1, _ uint64) uint64 { return c.ldexp(&double, s0, int(int32(s1))) }},
	}
}

// whole returns rounding to whole numbers in one direction. A zero keeps its
// sign.
func whole(t Type, rnd Round) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		r := c.rules(t)
		v := c.source(f, r, s0)
		if f.isNaN(v) {
			return r.quieted(f, v)
		}
		return f.whole(v, rnd)
	}
}

// whole rounds a value that is not a NaN to a whole number.
func (f *format) whole(v uint64, rnd Round) uint64 {
	n := f.mant + f.bias - f.exponent(v) // fraction bits below the point
	if n <= 0 {
		return v
	}
	neg := f.isNeg(v)
	if n > f.mant { // below 1: the exponent's lowest bits are not part of the significand
		sig, _ := f.unpack(v)
		kept, _ := rnd.dropBits(neg, 0, sig, n)
		if kept == 0 {
			return f.zero(neg)
		}
		return f.signed(neg, f.one())
	}
	kept, _ := rnd.dropBits(neg, 0, f.mag(v), n) // a carry increments the exponent
	return f.signed(neg, kept<<n)
}

// fract returns x - floor(x). The result is less than 1 in every rounding mode,
// at most the largest number below 1. It is +0 for whole numbers and a NaN for
// infinities.
func fract(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		r := c.rules(t)
		v := c.source(f, r, s0)
		switch {
		case f.isNaN(v):
			return r.quieted(f, v)
		case f.isInf(v):
			return c.invalid(f)
		}
		floor := f.whole(v, RoundMinusInfinity)
		if floor == v || f.isZero(v) {
			return 0
		}
		r.flushIn = false
		return min(c.add(f, r, v, floor^f.sign), f.one()-1)
	}
}

// frexpMant returns the significand in ±[0.5, 1.0). Zeros, infinities and NaNs
// are returned unchanged.
func frexpMant(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		r := c.rules(t)
		v := c.source(f, r, s0)
		switch {
		case f.isNaN(v):
			return r.quieted(f, v)
		case f.isInf(v), f.isZero(v):
			return v
		}
		sig, _ := f.unpack(v)
		sig <<= f.mant + 1 - len128(0, sig)
		return f.signed(f.isNeg(v), f.one()-2<<f.mant+sig)
	}
}

// frexpExp returns the exponent that belongs to frexpMant; 0 for zeros,
// infinities and NaNs.
func frexpExp(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		v := c.source(f, c.rules(t), s0)
		if f.mag(v) >= f.inf || f.isZero(v) {
			return 0
		}
		sig, exp := f.unpack(v)
		return uint64(exp + len128(0, sig))
	}
}

// ldexp returns v·2^n, rounded once. A NaN is quieted in all modes.
func (c *Ctx) ldexp(f *format, v uint64, n int) uint64 {
	r := c.rules(f.typ)
	v = c.source(f, r, v)
	switch {
	case f.isNaN(v):
		return v | f.quiet
	case f.isInf(v):
		return v
	}
	sig, exp := f.unpack(v)
	return c.round(f, r, f.isNeg(v), 0, sig, exp+max(-5000, min(n, 5000)))
}
