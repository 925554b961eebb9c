package sem

import "math"

// cvtFloatRows lists conversions between float types, and from integers.
func cvtFloatRows() []Row {
	return []Row{
		{Name: "v_cvt_f16_f32", Sig: sig(F16, F32), Fn: cvtF16F32},
		{Name: "v_cvt_f32_f16", Sig: sig(F32, F16), Fn: cvtF32F16},
		{Name: "s_cvt_hi_f32_f16", Sig: sig(F32, B32), Fn: func(c *Ctx, s0, _, _ uint64) uint64 { return cvtF32F16(c, s0>>16, 0, 0) }},
		{Name: "v_cvt_f32_f64", Sig: sig(F32, F64), Fn: cvtF32F64},
		{Name: "v_cvt_f64_f32", Sig: sig(F64, F32), Fn: cvtF64F32},
		{Name: "v_cvt_pk_rtz_f16_f32", Sig: sig(B32, F32, F32), Fn: cvtPkrtz},

		{Name: "v_cvt_f16_u16", Sig: sig(F16, U16), Fn: func(c *Ctx, s0, _, _ uint64) uint64 { return c.fromInt(&half, false, s0) }},
		{Name: "v_cvt_f16_i16", Sig: sig(F16, I16), Fn: func(c *Ctx, s0, _, _ uint64) uint64 { return c.fromSigned(&half, int64(int16(s0))) }},
		{Name: "v_cvt_f32_u32", Sig: sig(F32, U32), Fn: func(c *Ctx, s0, _, _ uint64) uint64 { return c.fromInt(&single, false, s0) }},
		{Name: "v_cvt_f32_i32", Sig: sig(F32, I32), Fn: func(c *Ctx, s0, _, _ uint64) uint64 { return c.fromSigned(&single, int64(int32(s0))) }},
		{Name: "v_cvt_f64_u32", Sig: sig(F64, U32), Fn: func(_ *Ctx, s0, _, _ uint64) uint64 { return math.Float64bits(float64(uint32(s0))) }},
		{Name: "v_cvt_f64_i32", Sig: sig(F64, I32), Fn: func(_ *Ctx, s0, _, _ uint64) uint64 { return math.Float64bits(float64(int32(s0))) }},
		{Name: "v_cvt_f32_ubyte0", Sig: sig(F32, B32), Fn: ubyte(0)},
		{Name: "v_cvt_f32_ubyte1", Sig: sig(F32, B32), Fn: ubyte(8)},
		{Name: "v_cvt_f32_ubyte2", Sig: sig(F32, B32), Fn: ubyte(16)},
		{Name: "v_cvt_f32_ubyte3", Sig: sig(F32, B32), Fn: ubyte(24)},
		{Name: "v_cvt_off_f32_i4", Sig: sig(F32, B32), Fn: cvtOffI4},
	}
}

// convertRules returns the rules of a conversion between two float types.
// Sources follow the mode of their type, the result follows the mode of its
// own.
func (c *Ctx) convertRules(in, out Type) rules {
	r := c.rules(out)
	r.flushIn = c.Mode.FlushIn(in)
	return r
}

func cvtF16F32(c *Ctx, s0, _, _ uint64) uint64 {
	if mag := s0 &^ sign32; c.Mode>>2&3 == 0 && !c.Track && !c.Ovfl && mag < inf32 && (mag > 0x38800000 || mag == 0) {
		return toHalf(float64(f32(s0))) // a normal result
	}
	return c.convert(&single, &half, c.convertRules(F32, F16), s0)
}

func cvtF32F16(c *Ctx, s0, _, _ uint64) uint64 {
	if mag := s0 &^ sign16; mag < inf16 && (mag >= 1<<10 || mag == 0) {
		return uint64(math.Float32bits(f16(s0)))
	}
	return c.convert(&half, &single, c.convertRules(F16, F32), s0)
}

func cvtF32F64(c *Ctx, s0, _, _ uint64) uint64 {
	if c.quickMode(F32) {
		if v := math.Float32bits(float32(math.Float64frombits(s0))); v&^sign32 <= inf32 && v&^sign32 > min32 {
			return uint64(v)
		}
	}
	return c.convert(&double, &single, c.convertRules(F64, F32), s0)
}

func cvtF64F32(c *Ctx, s0, _, _ uint64) uint64 {
	if s0&^sign32 <= inf32 && zeroOrNormal32(s0) {
		return math.Float64bits(float64(f32(s0)))
	}
	return c.convert(&single, &double, c.convertRules(F32, F64), s0)
}

// cvtPkrtz rounds toward zero in all modes.
func cvtPkrtz(c *Ctx, s0, s1, _ uint64) uint64 {
	r := c.convertRules(F32, F16)
	r.rnd = RoundTowardZero
	return c.convert(&single, &half, r, s0) | c.convert(&single, &half, r, s1)<<16
}

// fromInt returns an integer in a format.
func (c *Ctx) fromInt(f *format, neg bool, mag uint64) uint64 {
	return c.round(f, c.rules(f.typ), neg, 0, mag, 0)
}

func (c *Ctx) fromSigned(f *format, v int64) uint64 {
	if v < 0 {
		return c.fromInt(f, true, uint64(-v))
	}
	return c.fromInt(f, false, uint64(v))
}

// ubyte returns the conversion of the byte at a bit offset.
func ubyte(shift int) Func {
	return func(_ *Ctx, s0, _, _ uint64) uint64 {
		return uint64(math.Float32bits(float32(uint8(s0 >> shift))))
	}
}

// cvtOffI4 returns a signed 4-bit number in sixteenths, for offsets of texels.
func cvtOffI4(_ *Ctx, s0, _, _ uint64) uint64 {
	return uint64(math.Float32bits(float32(int8(s0<<4)) / 256))
}
