package sem

// cvtIntRows lists conversions from floats to integers. Numbers out of range
// become the nearest representable integer, NaNs become 0 unless the row
// differs.
func cvtIntRows() []Row {
	return []Row{
		{Name: "v_cvt_i32_f32", Sig: sig(I32, F32), Fn: cvtI32F32},
		{Name: "v_cvt_u32_f32", Sig: sig(U32, F32), Fn: cvtU32F32},
		{Name: "v_cvt_i32_f64", Sig: sig(I32, F64), Fn: toInt(F64, truncI32)},
		{Name: "v_cvt_u32_f64", Sig: sig(U32, F64), Fn: toInt(F64, truncU32)},
		{Name: "v_cvt_i16_f16", Sig: sig(I16, F16), Fn: toInt(F16, truncI16)},
		{Name: "v_cvt_u16_f16", Sig: sig(U16, F16), Fn: toInt(F16, truncU16)},
		{Name: "v_cvt_floor_i32_f32", Sig: sig(I32, F32), Fn: toInt(F32, floorI32)},
		{Name: "v_cvt_nearest_i32_f32", Sig: sig(I32, F32), Fn: toInt(F32, nearestI32)},
		{Name: "v_cvt_pk_i16_f32", Sig: sig(B32, F32, F32), Fn: pack(F32, truncI16)},
		{Name: "v_cvt_pk_u16_f32", Sig: sig(B32, F32, F32), Fn: pack(F32, truncU16)},

		{Name: "v_cvt_norm_i16_f16", Sig: sig(I16, F16), Fn: toInt(F16, norm)},
		{Name: "v_cvt_norm_u16_f16", Sig: sig(U16, F16), Fn: toInt(F16, unorm)},
		{Name: "v_cvt_pk_norm_i16_f16", Sig: sig(B32, F16, F16), Fn: pack(F16, norm)},
		{Name: "v_cvt_pk_norm_u16_f16", Sig: sig(B32, F16, F16), Fn: pack(F16, unorm)},
		{Name: "v_cvt_pk_norm_i16_f32", Sig: sig(B32, F32, F32), Fn: pack(F32, norm)},
		{Name: "v_cvt_pk_norm_u16_f32", Sig: sig(B32, F32, F32), Fn: pack(F32, unorm)},

		// Source 1 selects the byte, the other bytes are from the last source.
		{Name: "v_cvt_pk_u8_f32 v_cvt_pkaccum_u8_f32", Sig: sig(B32, F32, B32, B32), Fn: cvtPkU8},
	}
}

// intRule defines a conversion from float to integer: multiply by scale if
// nonzero, round, and clamp to lo…hi.
type intRule struct {
	rnd    Round
	halfUp bool // round to the nearest, halves upwards
	scale  uint64
	lo, hi int64
	sat    bool // a NaN becomes the limit of its sign
}

var (
	truncI32   = intRule{rnd: RoundTowardZero, lo: -1 << 31, hi: 1<<31 - 1}
	truncU32   = intRule{rnd: RoundTowardZero, hi: 1<<32 - 1}
	truncI16   = intRule{rnd: RoundTowardZero, lo: -1 << 15, hi: 1<<15 - 1}
	truncU16   = intRule{rnd: RoundTowardZero, hi: 1<<16 - 1}
	floorI32   = intRule{rnd: RoundMinusInfinity, lo: -1 << 31, hi: 1<<31 - 1, sat: true}
	nearestI32 = intRule{halfUp: true, lo: -1 << 31, hi: 1<<31 - 1, sat: true}
	norm       = intRule{scale: 1<<15 - 1, lo: -(1<<15 - 1), hi: 1<<15 - 1}
	unorm      = intRule{scale: 1<<16 - 1, hi: 1<<16 - 1}
)

// toInt returns the conversion of a float type.
func toInt(t Type, to intRule) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		return uint64(c.toInteger(f, to, c.source(f, c.rules(t), s0)))
	}
}

// pack returns the conversion of two sources to the halves of a dword.
func pack(t Type, to intRule) Func {
	one := toInt(t, to)
	return func(c *Ctx, s0, s1, _ uint64) uint64 {
		return one(c, s0, 0, 0)&0xffff | one(c, s1, 0, 0)&0xffff<<16
	}
}

// toInteger converts a value.
func (c *Ctx) toInteger(f *format, to intRule, v uint64) int64 {
	neg := f.isNeg(v)
	limit := to.hi
	if neg {
		limit = to.lo
	}
	switch {
	case f.isNaN(v):
		c.raise(Invalid)
		if to.sat {
			return limit
		}
		return 0
	case f.exponent(v) >= f.bias+32: // no integer here has more than 32 bits
		c.raise(Invalid)
		return limit
	}
	sig, exp := f.unpack(v)
	if to.scale != 0 {
		sig *= to.scale // f16 and f32 only: at most 40 bits
	}
	kept, inexact := to.dropBits(neg, sig, -exp)
	n := int64(kept)
	if neg {
		n = -n
	}
	if n < to.lo || n > to.hi {
		c.raise(Invalid)
		return limit
	}
	if inexact {
		c.raise(Inexact)
	}
	return n
}

// dropBits returns sig·2^-n rounded.
func (to *intRule) dropBits(neg bool, sig uint64, n int) (kept uint64, inexact bool) {
	if !to.halfUp || n <= 0 {
		return to.rnd.dropBits(neg, 0, sig, n)
	}
	twice, sticky := RoundTowardZero.dropBits(neg, 0, sig, n-1)
	kept = twice >> 1
	if half := twice&1 != 0; half && (sticky || !neg) {
		kept++
	}
	return kept, sticky || twice&1 != 0
}

// cvtI32F32 and cvtU32F32 use the host's conversion for numbers in range.
func cvtI32F32(c *Ctx, s0, _, _ uint64) uint64 {
	if mag := s0 &^ sign32; !c.Track && mag < 0x4f000000 { // below 2^31
		return uint64(uint32(int32(f32(s0))))
	}
	return uint64(c.toInteger(&single, truncI32, c.source(&single, c.rules(F32), s0)))
}

func cvtU32F32(c *Ctx, s0, _, _ uint64) uint64 {
	if !c.Track && s0 < 0x4f000000 {
		return uint64(int32(f32(s0)))
	}
	return uint64(c.toInteger(&single, truncU32, c.source(&single, c.rules(F32), s0)))
}

// cvtPkU8 rounds according to the mode.
func cvtPkU8(c *Ctx, s0, s1, s2 uint64) uint64 {
	r := c.rules(F32)
	v := c.toInteger(&single, intRule{rnd: r.rnd, hi: 255}, c.source(&single, r, s0))
	shift := s1 & 3 * 8
	return s2&^(0xff<<shift) | uint64(v)<<shift
}
