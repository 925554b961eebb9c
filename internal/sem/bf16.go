package sem

// bf16Rows lists operations on bfloat16 (gfx1250), with the rounding and denormal
// mode of f16 and f64. Source: LLVM, VOP1Instructions.td and
// VOP3PInstructions.td.
func bf16Rows() []Row {
	return []Row{
		{Name: "v_pk_add_bf16", Sig: sig(BF16, BF16, BF16), Fn: func(c *Ctx, s0, s1, _ uint64) uint64 { return c.add(&bfloat, c.rules(BF16), s0, s1) }},
		{Name: "v_pk_mul_bf16", Sig: sig(BF16, BF16, BF16), Fn: func(c *Ctx, s0, s1, _ uint64) uint64 { return c.mul(&bfloat, c.rules(BF16), s0, s1) }},
		{Name: "v_pk_fma_bf16", Sig: sig(BF16, BF16, BF16, BF16), Fn: func(c *Ctx, s0, s1, s2 uint64) uint64 { return c.fma(&bfloat, c.rules(BF16), s0, s1, s2) }},
		{Name: "v_pk_min_num_bf16", Sig: sig(BF16, BF16, BF16), Fn: number(BF16, false)},
		{Name: "v_pk_max_num_bf16", Sig: sig(BF16, BF16, BF16), Fn: number(BF16, true)},

		// bf16 sources of the mixed operations are widened by MixBF16.
		{Name: "v_fma_mix_f32_bf16", Sig: sig(F32, F32, F32, F32), Fn: fmaF32},
		{Name: "v_fma_mixlo_bf16 v_fma_mixhi_bf16", Sig: sig(BF16, F32, F32, F32), Fn: fmaMixBF16},

		{Name: "v_rcp_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, rcp)},
		{Name: "v_rsq_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, rsq)},
		{Name: "v_sqrt_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, sqrt)},
		{Name: "v_exp_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, exp2)},
		{Name: "v_log_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, log2)},
		{Name: "v_sin_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, sine)},
		{Name: "v_cos_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, cosine)},
		{Name: "v_tanh_bf16", Sig: sig(BF16, BF16), Fn: trans(BF16, tanh)},
		{Name: "v_tanh_f16", Sig: sig(F16, F16), Fn: trans(F16, tanh)},
		{Name: "v_tanh_f32", Sig: sig(F32, F32), Fn: trans(F32, tanh)},

		{Name: "v_cvt_sr_pk_bf16_f32", Sig: sig(B32, F32, F32, B32), Fn: stochasticPair(BF16)},
		{Name: "v_cvt_sr_pk_f16_f32", Sig: sig(B32, F32, F32, B32), Fn: stochasticPair(F16)},
	}
}

// MixBF16 widens a bf16 source of v_fma_mix to f32, which their rows expect. A
// NaN is not quieted.
func MixBF16(c *Ctx, v uint64) uint64 {
	return c.convert(&bfloat, &single, rules{flushIn: c.Mode.FlushIn(BF16)}, v)
}

func fmaMixBF16(c *Ctx, s0, s1, s2 uint64) uint64 {
	return c.fuse(&single, &bfloat, c.convertRules(F32, BF16), s0, s1, s2, 0)
}

// stochasticPair returns the conversion of two f32 to a 16-bit type. The third
// source is the seed of the first element, from which the seed of the second
// one follows as for v_cvt_scalef32_sr_pk.
func stochasticPair(t Type) Func {
	return func(c *Ctx, s0, s1, seed uint64) uint64 {
		lo := c.stochastic(t, s0, uint32(seed))
		hi := c.stochastic(t, s1, nextSeed(uint32(seed)))
		return lo | hi<<16
	}
}

// dropStochastic shifts a significand right by n bits, after adding the highest
// bits of a seed below the last bit that is kept.
func dropStochastic(sig uint64, n int, seed uint32) uint64 {
	switch {
	case n <= 0:
		return sig << -n
	case n > 32: // the seed has no more bits
		sig, n = sig>>min(n-32, 63), 32
	}
	return (sig + uint64(seed)>>(32-n)) >> n
}

// stochastic returns one of the two values next to an f32 in a type with fewer
// bits: the highest bits of the seed are added below the last bit that is kept.
func (c *Ctx) stochastic(t Type, v uint64, seed uint32) uint64 {
	f, r := formatOf[t], c.convertRules(F32, t)
	v = c.source(&single, r, v)
	neg := single.isNeg(v)
	switch {
	case single.isNaN(v):
		return convertNaN(&single, f, r, v)
	case single.isInf(v):
		return f.signed(neg, f.inf)
	case single.isZero(v):
		return f.zero(neg)
	}
	sig, exp := single.unpack(v)
	top := max(exp+len128(0, sig)-1, 1-f.bias)
	if top > f.bias {
		return c.overflow(f, rules{}, neg)
	}
	mag := dropStochastic(sig, top-exp-f.mant, seed) + uint64(top+f.bias-1)<<f.mant
	switch {
	case mag >= f.inf:
		return c.overflow(f, rules{}, neg)
	case mag < 1<<f.mant && r.flushOut:
		return f.zero(neg)
	}
	return f.signed(neg, mag)
}
