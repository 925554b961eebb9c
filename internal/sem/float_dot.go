package sem

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// floatDotRows lists dot products of two pairs of halves, or of four pairs of
// bytes, added to source 2.
func floatDotRows() []Row {
	return []Row{
		{Name: "v_dot2_f32_f16 v_dot2acc_f32_f16", Sig: sig(F32, B32, B32, F32), Fn: dot2F32(F16)},
		{Name: "v_dot2_f32_bf16 v_dot2c_f32_bf16", Sig: sig(F32, B32, B32, F32), Fn: dot2F32(BF16)},
		{Name: "v_dot4_f32_fp8_fp8", Sig: sig(F32, B32, B32, F32), Fn: dot4F32(FP8, FP8)},
		{Name: "v_dot4_f32_fp8_bf8", Sig: sig(F32, B32, B32, F32), Fn: dot4F32(FP8, BF8)},
		{Name: "v_dot4_f32_bf8_fp8", Sig: sig(F32, B32, B32, F32), Fn: dot4F32(BF8, FP8)},
		{Name: "v_dot4_f32_bf8_bf8", Sig: sig(F32, B32, B32, F32), Fn: dot4F32(BF8, BF8)},
		{Name: "v_dot2_f16_f16", Sig: sig(F16, B32, B32, F16), Fn: dot2Half(F16)},
		{Name: "v_dot2_bf16_bf16", Sig: sig(BF16, B32, B32, BF16), Fn: dot2Half(BF16)},
	}
}

// dot2F32 returns the dot product of a type with an f32 result.
func dot2F32(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		if c.Set.Gen() == isa.Gen11 {
			d := dot2{in: f, acc: s2}
			return d.f32(s0, s1)
		}
		return c.dot2Steps(f, s0, s1, s2)
	}
}

// dot2Half returns the dot product with a result of the sources' type; GFX11
// only. The sum of bf16 is rounded to f32 and then truncated.
func dot2Half(t Type) Func {
	f := formatOf[t]
	return func(_ *Ctx, s0, s1, s2 uint64) uint64 {
		acc := convertWide(f, s2)
		if t == BF16 {
			d := dot2{in: f, acc: acc}
			if v := d.f32(s0, s1); v != dotNaN {
				return v >> 16
			}
			return 0xfffd
		}
		d := dot2{in: f, acc: acc, floor: true}
		return d.f16(s0, s1)
	}
}

// convertWide returns a half as an f32. NaNs are not quieted.
func convertWide(f *format, v uint64) uint64 {
	var c Ctx
	return c.convert(f, &single, rules{}, v)
}

// dot2Steps adds the products to the sum one after the other. Products are
// exact; sums are rounded to nearest even, and f32 denormals are flushed.
// Source: CDNA 3 ISA, V_DOT2_F32_F16; LLVM's notes on fdot2.
func (c *Ctx) dot2Steps(f *format, s0, s1, sum uint64) uint64 {
	r := rules{flushIn: true, flushOut: true, quiet: true}
	for shift := 0; shift < 32; shift += 16 {
		a, b := convertWide(f, s0>>shift&0xffff), convertWide(f, s1>>shift&0xffff)
		sum = c.fma(&single, r, a, b, sum)
	}
	return sum
}

// dot4F32 returns the dot product of four pairs of 8-bit floats (gfx12), summed
// like dot2Steps. Source: RDNA 4 ISA, V_DOT4_F32_FP8_BF8.
func dot4F32(a, b Float8) Func {
	return func(c *Ctx, s0, s1, sum uint64) uint64 {
		r := rules{flushIn: true, flushOut: true, quiet: true}
		for shift := 0; shift < 32; shift += 8 {
			sum = c.fma(&single, r, a.F32(uint8(s0>>shift)), b.F32(uint8(s1>>shift)), sum)
		}
		return sum
	}
}

// dotNaN is the f32 result of GFX11 if a factor is a NaN.
const dotNaN = 0xffc00a3d

// dot2 is the dot product unit of GFX11, as measured. The two products and the
// addend are aligned to a grid, truncated, and added as integers. A term whose
// sign differs from the addend's enters as the complement of its magnitude. The
// mode has no effect; denormals of f32 and bf16 are 0.
type dot2 struct {
	in    *format
	acc   uint64 // an f32
	floor bool   // the addend's exponent is at least the smallest normal one of f16
	terms [3]dotTerm
	grid  int
}

// dotTerm is a number ±sig·2^exp. low is the exponent derived from the exponent
// fields of the factors alone.
type dotTerm struct {
	sig      uint64
	exp, low int
	neg      bool
}

// noExponent is less than every exponent.
const noExponent = -1024

// top returns the exponent of the leading bit.
func (t dotTerm) top() int {
	if t.sig == 0 {
		return noExponent
	}
	return t.exp + bits.Len64(t.sig) - 1
}

// f32 returns the result as an f32.
func (d *dot2) f32(s0, s1 uint64) uint64 {
	if v, ok := d.special(s0, s1); ok {
		return v
	}
	neg, mag := d.sum(s0, s1)
	if mag == 0 {
		return 0
	}
	// Tininess is detected before the exponent range is applied.
	var c Ctx
	v := c.round(&single, rules{flushOut: true}, neg, 0, mag, d.grid)
	if single.isZero(v) {
		return 0
	}
	return v
}

// f16 returns the result as an f16.
func (d *dot2) f16(s0, s1 uint64) uint64 {
	if v, ok := d.special(s0, s1); ok {
		if v == dotNaN {
			return 0xfe3d
		}
		return v>>16&sign16 | inf16 | v>>13&0x3ff
	}
	neg, mag := d.sum(s0, s1)
	if mag == 0 {
		return 0
	}
	var c Ctx
	v := c.round(&half, rules{}, neg, 0, mag, d.grid)
	if half.isZero(v) {
		return 0
	}
	return v
}

// special returns the result if an operand is infinite or a NaN.
func (d *dot2) special(s0, s1 uint64) (v uint64, ok bool) {
	f := d.in
	var plus, minus, invalid bool
	for shift := 0; shift < 32; shift += 16 {
		a, b := s0>>shift&0xffff, s1>>shift&0xffff
		if f.isNaN(a) || f.isNaN(b) {
			return dotNaN, true
		}
		if !f.isInf(a) && !f.isInf(b) {
			continue
		}
		invalid = invalid || d.significand(a) == 0 || d.significand(b) == 0
		if f.isNeg(a ^ b) {
			minus = true
		} else {
			plus = true
		}
	}
	// A NaN in the second pair takes precedence over an invalid product in the
	// first.
	switch {
	case invalid || plus && minus:
		return single.nan(), true
	case single.isNaN(d.acc):
		return d.acc | single.quiet, true
	case single.isInf(d.acc):
		minus = minus || single.isNeg(d.acc)
		plus = plus || !single.isNeg(d.acc)
	}
	switch {
	case plus && minus:
		return single.nan(), true
	case plus || minus:
		return single.signed(minus, single.inf), true
	}
	return 0, false
}

// significand returns the significand of a factor. It is 0 for denormals of
// bf16, and nonzero for infinities.
func (d *dot2) significand(v uint64) uint64 {
	if d.in == &bfloat && d.in.exponent(v) == 0 {
		return 0
	}
	sig, _ := d.in.unpack(v)
	return sig
}

// product returns the term of two factors.
func (d *dot2) product(a, b uint64) dotTerm {
	_, ae := d.in.unpack(a)
	_, be := d.in.unpack(b)
	t := dotTerm{sig: d.significand(a) * d.significand(b), exp: ae + be, neg: d.in.isNeg(a ^ b), low: noExponent}
	if t.sig != 0 {
		t.low = t.exp + 2*d.in.mant - 24
	}
	return t
}

// sum adds the terms. The result is ±mag·2^grid.
func (d *dot2) sum(s0, s1 uint64) (neg bool, mag uint64) {
	addend := dotTerm{low: noExponent, neg: single.isNeg(d.acc)}
	if single.exponent(d.acc) != 0 {
		addend.sig, addend.exp = single.unpack(d.acc)
	}
	d.terms = [...]dotTerm{addend, d.product(s0&0xffff, s1&0xffff), d.product(s0>>16, s1>>16)}
	d.grid = noExponent
	zero := true
	for i, t := range d.terms {
		top := t.top()
		if i == 0 && d.floor {
			top = max(top, 1-half.bias)
		}
		d.grid = max(d.grid, t.low, top-26)
		zero = zero && t.sig == 0
	}
	if zero {
		return false, 0
	}
	var total int64
	for _, t := range d.terms {
		m := int64(RoundTowardZero.shift(t.sig, d.grid-t.exp))
		if t.neg != addend.neg {
			m = -m - 1
		}
		total += m
	}
	if total < 0 {
		return !addend.neg, uint64(-total)
	}
	return addend.neg, uint64(total)
}

// shift returns sig·2^-n rounded.
func (r Round) shift(sig uint64, n int) uint64 {
	kept, _ := r.dropBits(false, 0, sig, n)
	return kept
}
