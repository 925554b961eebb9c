package sem

import "math"

// floatRows lists additions and multiplications. In names with k, the constant
// is the source at the same position as in the assembler's text.
func floatRows() []Row {
	return []Row{
		{Name: "v_add_f32 v_pk_add_f32", Sig: sig(F32, F32, F32), Fn: addF32},
		{Name: "v_sub_f32", Sig: sig(F32, F32, F32), Fn: subF32},
		{Name: "v_subrev_f32", Sig: sig(F32, F32, F32), Fn: subrevF32},
		{Name: "v_mul_f32 v_pk_mul_f32", Sig: sig(F32, F32, F32), Fn: mulF32},
		{Name: "v_fma_f32 v_fmac_f32 v_fmaak_f32 v_fmamk_f32 v_pk_fma_f32", Sig: sig(F32, F32, F32, F32), Fn: fmaF32},
		{Name: "v_mad_f32 v_mac_f32 v_madak_f32 v_madmk_f32", Sig: sig(F32, F32, F32, F32), Fn: madF32},
		{Name: "v_mul_dx9_zero_f32", Sig: sig(F32, F32, F32), Fn: mulLegacyF32},
		{Name: "v_mad_legacy_f32 v_mac_legacy_f32", Sig: sig(F32, F32, F32, F32), Fn: madLegacyF32},
		{Name: "v_fma_dx9_zero_f32 v_fmac_dx9_zero_f32", Sig: sig(F32, F32, F32, F32), Fn: fmaLegacyF32},
		{Name: "v_mullit_f32", Sig: sig(F32, F32, F32, F32), Fn: mullitF32},

		{Name: "v_add_f64", Sig: sig(F64, F64, F64), Fn: addF64},
		{Name: "v_mul_f64", Sig: sig(F64, F64, F64), Fn: mulF64},
		{Name: "v_fma_f64 v_fmac_f64 v_fmaak_f64 v_fmamk_f64", Sig: sig(F64, F64, F64, F64), Fn: fmaF64},

		{Name: "v_add_f16 v_pk_add_f16", Sig: sig(F16, F16, F16), Fn: addF16},
		{Name: "v_sub_f16", Sig: sig(F16, F16, F16), Fn: subF16},
		{Name: "v_subrev_f16", Sig: sig(F16, F16, F16), Fn: subrevF16},
		{Name: "v_mul_f16 v_pk_mul_f16", Sig: sig(F16, F16, F16), Fn: mulF16},
		{Name: "v_fma_f16 v_fma_legacy_f16 v_fmac_f16 v_fmaak_f16 v_fmamk_f16 v_pk_fma_f16 v_pk_fmac_f16", Sig: sig(F16, F16, F16, F16), Fn: fmaF16},
		{Name: "v_mad_f16 v_mad_legacy_f16 v_mac_f16 v_madak_f16 v_madmk_f16", Sig: sig(F16, F16, F16, F16), Fn: madF16},

		// f16 sources of the mixed operations are widened by MixF16.
		{Name: "v_fma_mix_f32", Sig: sig(F32, F32, F32, F32), Fn: fmaF32},
		{Name: "v_fma_mixlo_f16 v_fma_mixhi_f16", Sig: sig(F16, F32, F32, F32), Fn: fmaMixF16},
		{Name: "v_mad_mix_f32", Sig: sig(F32, F32, F32, F32), Fn: madF32},
		{Name: "v_mad_mixlo_f16 v_mad_mixhi_f16", Sig: sig(F16, F32, F32, F32), Fn: madMixF16},
	}
}

const (
	sign32 = 1 << 31
	inf32  = 0x7f800000
	min32  = 0x00800000 // the smallest normal magnitude
	inf64  = 0x7ff << 52
	min64  = 1 << 52
)

// quickMode reports whether the host's arithmetic may be used: rounding is to
// nearest even, and exceptions need not be recorded.
func (c *Ctx) quickMode(t Type) bool { return c.Mode.Round(t) == RoundNearestEven && !c.Track }

// zeroOrNormal32 reports whether a source is not denormal.
func zeroOrNormal32(v uint64) bool { return uint32(v)&^sign32-1 >= min32-1 }

func zeroOrNormal64(v uint64) bool { return v&^(1<<63)-1 >= min64-1 }

// keep32 reports whether r, the host's result, equals the hardware's: it is not
// a NaN, and neither r nor a source is subject to flushing. The smallest normal
// number is excluded because it may result from rounding a tiny number.
func (c *Ctx) keep32(a, b uint64, r uint32) bool {
	mag := r &^ sign32
	if c.Mode>>4&3 == 3 {
		return mag <= inf32
	}
	return mag <= inf32 && (mag > min32 || mag == 0) && zeroOrNormal32(a) && zeroOrNormal32(b)
}

// keep64 is keep32 for f64.
func (c *Ctx) keep64(a, b, r uint64) bool {
	mag := r &^ (1 << 63)
	if c.Mode>>6&3 == 3 {
		return mag <= inf64
	}
	return mag <= inf64 && (mag > min64 || mag == 0) && zeroOrNormal64(a) && zeroOrNormal64(b)
}

func f32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

func addF32(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickMode(F32) {
		if r := math.Float32bits(f32(s0) + f32(s1)); c.keep32(s0, s1, r) {
			return uint64(r)
		}
	}
	return c.add(&single, c.rules(F32), s0, s1)
}

func subF32(c *Ctx, s0, s1, _ uint64) uint64 { return addF32(c, s0, s1^sign32, 0) }

func subrevF32(c *Ctx, s0, s1, _ uint64) uint64 { return addF32(c, s1, s0^sign32, 0) }

func mulF32(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickMode(F32) {
		if r := math.Float32bits(f32(s0) * f32(s1)); c.keep32(s0, s1, r) {
			return uint64(r)
		}
	}
	return c.mul(&single, c.rules(F32), s0, s1)
}

func fmaF32(c *Ctx, s0, s1, s2 uint64) uint64 {
	if c.quickMode(F32) {
		// The product is exact. The rounding of the sum matters only if the
		// result is halfway between two f32 numbers, or has fewer bits than
		// f32.
		sum := float64(f32(s0))*float64(f32(s1)) + float64(f32(s2))
		r := math.Float32bits(float32(sum))
		if math.Float64bits(sum)&(1<<29-1) != 1<<28 && (r&^sign32 > min32 || sum == 0) &&
			c.keep32(s0, s1, r) && (c.Mode>>4&3 == 3 || zeroOrNormal32(s2)) {
			return uint64(r)
		}
	}
	return c.fma(&single, c.rules(F32), s0, s1, s2)
}

// madRules returns the rules of v_mad and v_mac, which do not support
// denormals.
func (c *Ctx) madRules(t Type) rules {
	r := c.rules(t)
	r.flushIn, r.flushOut = true, true
	return r
}

// flushed32 reports whether the host's result equals the result of an operation
// that flushes denormals in all modes.
func flushed32(r float32) bool {
	mag := math.Float32bits(r) &^ sign32
	return mag <= inf32 && (mag > min32 || mag == 0)
}

func madF32(c *Ctx, s0, s1, s2 uint64) uint64 {
	if c.quickMode(F32) && zeroOrNormal32(s0) && zeroOrNormal32(s1) && zeroOrNormal32(s2) {
		product := float32(f32(s0) * f32(s1))
		if r := product + f32(s2); flushed32(product) && flushed32(r) {
			return uint64(math.Float32bits(r))
		}
	}
	return c.mad(&single, c.madRules(F32), s0, s1, s2)
}

// legacyZero reports whether a factor is 0 or treated as 0. The legacy (DX9)
// operations then return a product of +0, whatever the other factor is.
func legacyZero(f *format, r rules, a, b uint64) bool {
	zero := func(v uint64) bool { return f.isZero(v) || r.flushIn && f.isDenormal(v) }
	return zero(a) || zero(b)
}

func mulLegacyF32(c *Ctx, s0, s1, _ uint64) uint64 {
	if legacyZero(&single, c.rules(F32), s0, s1) {
		return 0
	}
	return mulF32(c, s0, s1, 0)
}

func madLegacyF32(c *Ctx, s0, s1, s2 uint64) uint64 {
	r := c.madRules(F32)
	if legacyZero(&single, r, s0, s1) {
		return c.add(&single, r, 0, s2)
	}
	return c.mad(&single, r, s0, s1, s2)
}

func fmaLegacyF32(c *Ctx, s0, s1, s2 uint64) uint64 {
	r := c.madRules(F32)
	if legacyZero(&single, r, s0, s1) {
		return c.add(&single, r, 0, s2)
	}
	return c.fma(&single, r, s0, s1, s2)
}

// mullitF32 multiplies for lighting. The negative number of largest magnitude
// represents everything that has no logarithm. Source: RDNA 3 ISA,
// V_MULLIT_F32.
func mullitF32(c *Ctx, s0, s1, s2 uint64) uint64 {
	lowest := single.sign | single.maxFinite()
	s2 = c.source(&single, c.rules(F32), s2)
	if s1 == lowest || s1 == lowest+1 || single.isNaN(s1) || single.isNaN(s2) || single.isNeg(s2) || single.isZero(s2) {
		return lowest
	}
	return mulF32(c, s0, s1, 0)
}

func addF64(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickMode(F64) {
		if r := math.Float64bits(math.Float64frombits(s0) + math.Float64frombits(s1)); c.keep64(s0, s1, r) {
			return r
		}
	}
	return c.add(&double, c.rules(F64), s0, s1)
}

func mulF64(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickMode(F64) {
		if r := math.Float64bits(math.Float64frombits(s0) * math.Float64frombits(s1)); c.keep64(s0, s1, r) {
			return r
		}
	}
	return c.mul(&double, c.rules(F64), s0, s1)
}

func fmaF64(c *Ctx, s0, s1, s2 uint64) uint64 {
	if c.quickMode(F64) {
		r := math.Float64bits(math.FMA(math.Float64frombits(s0), math.Float64frombits(s1), math.Float64frombits(s2)))
		if c.keep64(s0, s1, r) && (c.Mode>>6&3 == 3 || zeroOrNormal64(s2)) {
			return r
		}
	}
	return c.fma(&double, c.rules(F64), s0, s1, s2)
}
