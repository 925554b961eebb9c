package sem

import "github.com/gfx-toolchain/gfx/isa"

// fp8Rows lists conversions from and to 8-bit floats. Conversions that write
// one byte or half of their destination have its old value as their last
// source, and op_sel selects the byte or half.
func fp8Rows() []Row {
	return []Row{
		{Name: "v_cvt_f32_fp8", Sig: sig(F32, B32), Fn: cvtF32From8(FP8), ClampFormat: true},
		{Name: "v_cvt_f32_bf8", Sig: sig(F32, B32), Fn: cvtF32From8(BF8)},
		{Name: "v_cvt_pk_f32_fp8", Sig: sig(B64, B32), Fn: cvtPkF32From8(FP8)},
		{Name: "v_cvt_pk_f32_bf8", Sig: sig(B64, B32), Fn: cvtPkF32From8(BF8)},
		{Name: "v_cvt_pk_fp8_f32", Sig: sig(B32, F32, F32, B32), Fn: cvtPk8(FP8), ClampFormat: true},
		{Name: "v_cvt_pk_bf8_f32", Sig: sig(B32, F32, F32, B32), Fn: cvtPk8(BF8)},
		{Name: "v_cvt_sr_fp8_f32", Sig: sig(B32, F32, B32, B32), Fn: cvtSr8(FP8), ClampFormat: true},
		{Name: "v_cvt_sr_bf8_f32", Sig: sig(B32, F32, B32, B32), Fn: cvtSr8(BF8)},
	}
}

// Float8 is a format of 8-bit floats.
type Float8 uint8

// FP8 has 4 exponent and 3 fraction bits, BF8 has 5 and 2. The plain formats
// are defined by the Open Compute Project: FP8 is finite, and its largest
// encoding is a NaN; BF8 has infinities. The FNUZ ones (gfx942) have exponents
// larger by one, no infinity, no negative zero, and one NaN, 0x80.
//
// Sources: "OCP 8-bit Floating Point Specification"; CDNA 3 ISA, "FP8 and BF8".
const (
	FP8 Float8 = iota
	BF8
	FP8FNUZ
	BF8FNUZ
)

// float8Formats lists the layouts; max is the largest finite magnitude.
var float8Formats = [...]struct {
	mant, bias int
	max        uint8
	nan, over  uint8 // over: the magnitude of results beyond max
	fnuz       bool
}{
	FP8:     {mant: 3, bias: 7, max: 0x7e, nan: 0x7f, over: 0x7f},
	BF8:     {mant: 2, bias: 15, max: 0x7b, nan: 0x7f, over: 0x7c},
	FP8FNUZ: {mant: 3, bias: 8, max: 0x7f, nan: 0x80, over: 0x80, fnuz: true},
	BF8FNUZ: {mant: 2, bias: 16, max: 0x7f, nan: 0x80, over: 0x80, fnuz: true},
}

// float8Of returns the format that the instructions of c.Set use for t.
func (c *Ctx) float8Of(t Float8) Float8 {
	if c.Set.Has(isa.PropFp8Fnuz) {
		return t + FP8FNUZ
	}
	return t
}

// F32 returns the value of an encoding as the bits of an f32.
func (t Float8) F32(v uint8) uint64 {
	f := &float8Formats[t]
	neg, mag := v&0x80 != 0, v&0x7f
	switch {
	case f.fnuz && v == f.nan:
		return single.nan()
	case !f.fnuz && mag == f.over && t == BF8:
		return single.signed(neg, single.inf)
	case !f.fnuz && mag > f.max:
		return single.signed(neg, single.inf|single.quiet)
	}
	sig, exp := uint64(mag&(1<<f.mant-1)), int(mag>>f.mant)
	if exp == 0 {
		exp = 1
	} else {
		sig |= 1 << f.mant
	}
	var c Ctx
	return c.round(&single, rules{}, neg, 0, sig, exp-f.bias-f.mant)
}

// FromF32 returns the nearest encoding of an f32, the even one on ties. With
// ovfl, a finite number that is too large becomes the largest one.
func (t Float8) FromF32(v uint64, ovfl bool) uint8 {
	return t.encode(v, ovfl, func(neg bool, sig uint64, n int) uint64 {
		kept, _ := RoundNearestEven.dropBits(neg, 0, sig, n)
		return kept
	})
}

// FromF32Stochastic returns one of the two encodings next to an f32: the
// highest bits of seed are added below the last bit that is kept.
func (t Float8) FromF32Stochastic(v uint64, seed uint32, ovfl bool) uint8 {
	return t.encode(v, ovfl, func(_ bool, sig uint64, n int) uint64 { return dropStochastic(sig, n, seed) })
}

// encode returns an f32's encoding; ovfl is as for FromF32. drop shifts a
// significand right and rounds it.
func (t Float8) encode(v uint64, ovfl bool, drop func(neg bool, sig uint64, n int) uint64) uint8 {
	f := &float8Formats[t]
	var sign uint8
	if single.isNeg(v) {
		sign = 0x80
	}
	if single.isNaN(v) {
		return sign | f.nan
	}
	sig, exp := single.unpack(v)
	top := max(exp+23, 1-f.bias) // the exponent of the result, at least the denormals'
	n := top - exp - f.mant
	over := single.isInf(v) || top > 127-f.bias
	var mag uint64
	if !over {
		mag = drop(sign != 0, sig, n) + uint64(top+f.bias-1)<<f.mant
		over = mag > uint64(f.max)
	}
	switch {
	case over && ovfl && !single.isInf(v):
		return sign | f.max
	case over:
		return sign | f.over
	case mag == 0 && f.fnuz:
		return 0
	}
	return sign | uint8(mag)
}

// clampIsE5M3 reports whether the clamp bit selects the format E5M3.
func (c *Ctx) clampIsE5M3() bool { return c.Clamp && c.Set.Has(isa.PropFp8E5m3) }

// float8 returns the encoding of an f32: in the format of the set, or in E5M3.
func (c *Ctx) float8(t Float8, v uint64, rnd smallRounding) uint8 {
	switch {
	case t == FP8 && c.clampIsE5M3():
		return SmallE5M3.narrow(c, &single, v, e8m0One, rnd)
	case rnd.stochastic:
		return c.float8Of(t).FromF32Stochastic(v, rnd.seed, c.Ovfl)
	}
	return c.float8Of(t).FromF32(v, c.Ovfl)
}

// cvtF32From8 converts the byte that op_sel selects (gfx12).
func cvtF32From8(t Float8) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		v := c.sourceByte(s0)
		if t == FP8 && c.clampIsE5M3() {
			return SmallE5M3.widen(c, &single, v, e8m0One)
		}
		return c.float8Of(t).F32(v)
	}
}

// cvtPkF32From8 converts the two bytes of the half that op_sel[0] selects
// (gfx12).
func cvtPkF32From8(t Float8) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		t := c.float8Of(t)
		s0 >>= c.OpSel & 1 * 16
		return t.F32(uint8(s0)) | t.F32(uint8(s0>>8))<<32
	}
}

// cvtPk8 writes the half of the destination that op_sel[3] selects.
func cvtPk8(t Float8) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		v := uint64(c.float8(t, s0, smallRounding{})) | uint64(c.float8(t, s1, smallRounding{}))<<8
		shift := c.OpSel >> 3 & 1 * 16
		return s2&^(0xffff<<shift) | v<<shift
	}
}

// cvtSr8 writes the byte of the destination that op_sel[3:2] selects.
func cvtSr8(t Float8) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		v := uint64(c.float8(t, s0, smallRounding{true, uint32(s1)}))
		shift := c.OpSel >> 2 & 3 * 8
		return s2&^(0xff<<shift) | v<<shift
	}
}
