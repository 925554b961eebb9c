package sem

import "math/bits"

// Small is a format of floats with 4, 6 or 8 bits.
type Small uint8

// The formats of the Open Compute Project's MX specification. Only the 8-bit
// ones have NaNs, and only SmallBF8 has infinities. A format without a sign
// drops it.
const (
	SmallFP4  Small = iota // E2M1
	SmallFP6               // E2M3
	SmallBF6               // E3M2
	SmallFP8               // E4M3
	SmallBF8               // E5M2
	SmallE5M3              // without a sign, for scales (gfx1250)
)

// ocpFormats lists the layouts. max is the largest finite magnitude, over the
// magnitude of infinity and of results beyond max, and nan the NaN.
var ocpFormats = [...]struct {
	name           string
	bits, sign     int // size, and the bit of the sign
	mant, bias     int
	max, over, nan uint8
}{
	SmallFP4:  {"fp4", 4, 3, 1, 1, 7, 7, 7},
	SmallFP6:  {"fp6", 6, 5, 3, 1, 31, 31, 31},
	SmallBF6:  {"bf6", 6, 5, 2, 3, 31, 31, 31},
	SmallFP8:  {"fp8", 8, 7, 3, 7, 0x7e, 0x7f, 0x7f},
	SmallBF8:  {"bf8", 8, 7, 2, 15, 0x7b, 0x7c, 0x7f},
	SmallE5M3: {"", 8, 8, 3, 15, 0xfe, 0xff, 0xff},
}

// Bits returns the size of an element.
func (t Small) Bits() int { return ocpFormats[t].bits }

// The scales of blocks of elements are powers of two: an exponent with the bias
// of f32, and a NaN.
const (
	e8m0One = 127
	e8m0NaN = 255
)

// widen returns v·2^(scale-127) in a format, rounded to the nearest number.
// Denormals are kept.
func (t Small) widen(c *Ctx, f *format, v uint8, scale uint8) uint64 {
	s := &ocpFormats[t]
	neg, mag := v>>s.sign&1 != 0, v&uint8(1<<s.sign-1)
	switch {
	case scale == e8m0NaN, mag > s.max && mag != s.over, mag == s.nan && s.nan != s.max:
		return f.signed(neg, f.inf|f.quiet)
	case mag > s.max:
		return f.signed(neg, f.inf)
	}
	sig, exp := uint64(mag&(1<<s.mant-1)), int(mag>>s.mant)
	if exp == 0 {
		exp = 1
	} else {
		sig |= 1 << s.mant
	}
	return c.round(f, rules{}, neg, 0, sig, exp-s.bias-s.mant+int(scale)-e8m0One)
}

// narrow returns the encoding of v/2^(scale-127), where v has a format. The
// formats without NaN replace it by the largest number, with the sign.
func (t Small) narrow(c *Ctx, f *format, v uint64, scale uint8, rnd smallRounding) uint8 {
	s := &ocpFormats[t]
	sign := uint8(boolBit(f.isNeg(v)) << s.sign)
	switch {
	case f.isNaN(v) || scale == e8m0NaN:
		return sign | s.nan
	case f.isInf(v):
		return sign | s.over
	case f.isZero(v):
		return sign
	}
	sig, exp := f.unpack(v)
	up := f.mant + 1 - bits.Len64(sig) // normalizes a denormal
	sig <<= up
	exp += f.mant - up - (int(scale) - e8m0One) // the magnitude is from 2^exp to 2^(exp+1)
	top := max(exp, 1-s.bias)                   // the exponent of the result
	over := top > 1<<(s.sign-s.mant)-s.bias
	var mag uint64
	if !over {
		mag = rnd.shift(sig, top-exp, f.mant-s.mant) + uint64(top+s.bias-1)<<s.mant
		over = mag > uint64(s.max)
	}
	switch {
	case over && c.Ovfl:
		return sign | s.max
	case over:
		return sign | s.over
	}
	return sign | uint8(mag)
}

// smallRounding is the rounding of a result: to the nearest number, the even one
// on ties, or stochastic. Stochastic rounding adds the highest bits of the seed
// below the last bit that is kept. A number below the normal ones is shifted, and
// loses its low bits, before the seed is added. Source: AMD's emulation of the
// conversions in HIP's headers (amd_hip_ocp_host.hpp).
type smallRounding struct {
	stochastic bool
	seed       uint32
}

// shift shifts a significand right and rounds it: by drop bits, and by denormal
// bits if the result is below the normal numbers.
func (r smallRounding) shift(sig uint64, denormal, drop int) uint64 {
	if !r.stochastic {
		return RoundNearestEven.shift(sig, denormal+drop)
	}
	return (sig>>min(denormal, 63) + uint64(r.seed>>(32-drop))) >> drop
}

// nextSeed returns the seed of the next element: a step of a linear feedback
// shift register. Source: CDNA 4 ISA, V_PRNG_B32.
func nextSeed(seed uint32) uint32 { return seed<<1 ^ seed>>31*197 }
