package sem

import "math/bits"

// format is the layout of a floating-point type.
type format struct {
	typ   Type
	mant  int // fraction bits
	bias  int
	sign  uint64
	inf   uint64 // positive infinity
	quiet uint64 // the bit that makes a NaN quiet
}

// The formats of the float types.
var (
	half     = format{typ: F16, mant: 10, bias: 1<<4 - 1, sign: 1 << 15, inf: (1<<5 - 1) << 10, quiet: 1 << 9}
	bfloat   = format{typ: BF16, mant: 7, bias: 1<<7 - 1, sign: 1 << 15, inf: (1<<8 - 1) << 7, quiet: 1 << 6}
	single   = format{typ: F32, mant: 23, bias: 1<<7 - 1, sign: 1 << 31, inf: (1<<8 - 1) << 23, quiet: 1 << 22}
	double   = format{typ: F64, mant: 52, bias: 1<<10 - 1, sign: 1 << 63, inf: (1<<11 - 1) << 52, quiet: 1 << 51}
	formatOf = [...]*format{F16: &half, BF16: &bfloat, F32: &single, F64: &double}
)

// mag returns a value's bits without the sign.
func (f *format) mag(v uint64) uint64 { return v & (f.sign - 1) }

func (f *format) isNaN(v uint64) bool       { return f.mag(v) > f.inf }
func (f *format) isSignaling(v uint64) bool { return f.mag(v) > f.inf && v&f.quiet == 0 }
func (f *format) isInf(v uint64) bool       { return f.mag(v) == f.inf }
func (f *format) isZero(v uint64) bool      { return f.mag(v) == 0 }
func (f *format) isNeg(v uint64) bool       { return v&f.sign != 0 }

// isDenormal reports whether a value is subnormal; zero is not.
func (f *format) isDenormal(v uint64) bool { return f.mag(v)-1 < 1<<f.mant-1 }

// exponent returns the biased exponent field.
func (f *format) exponent(v uint64) int { return int(f.mag(v) >> f.mant) }

// one returns 1.0.
func (f *format) one() uint64 { return uint64(f.bias) << f.mant }

// nan returns the NaN that an invalid operation returns: quiet and negative, as
// in the examples of V_SQRT_F32 and V_DIV_FIXUP_F32 in AMD's ISA documents.
func (f *format) nan() uint64 { return f.sign | f.inf | f.quiet }

// maxFinite returns the largest finite magnitude.
func (f *format) maxFinite() uint64 { return f.inf - 1 }

// zero returns a zero with a sign.
func (f *format) zero(neg bool) uint64 { return f.signed(neg, 0) }

// signed returns a magnitude with a sign.
func (f *format) signed(neg bool, mag uint64) uint64 {
	if neg {
		return f.sign | mag
	}
	return mag
}

// unpack returns the significand and exponent of a finite value: |v| is
// sig·2^exp, and sig is below 2^(mant+1).
func (f *format) unpack(v uint64) (sig uint64, exp int) {
	e := f.exponent(v)
	sig = v & (1<<f.mant - 1)
	if e == 0 {
		return sig, 1 - f.bias - f.mant
	}
	return sig | 1<<f.mant, e - f.bias - f.mant
}

// rules holds the effects of the MODE register on one operation.
type rules struct {
	rnd      Round
	flushIn  bool // denormal sources become zeros
	flushOut bool // denormal results become zeros
	quiet    bool // NaNs become quiet
}

// rules returns the rules for operations of one type.
func (c *Ctx) rules(t Type) rules {
	m := c.Mode
	return rules{m.Round(t), m.FlushIn(t), m.FlushOut(t), m.IEEE()}
}

// source flushes a denormal source if the rules request it, and records the
// exceptions of the source by itself.
func (c *Ctx) source(f *format, r rules, v uint64) uint64 {
	if f.isDenormal(v) {
		c.raise(InputDenormal)
		if r.flushIn {
			return v & f.sign
		}
	} else if f.isSignaling(v) {
		c.raise(Invalid)
	}
	return v
}

// quieted returns a NaN as an operation propagates it.
func (r rules) quieted(f *format, nan uint64) uint64 {
	if r.quiet {
		return nan | f.quiet
	}
	return nan
}

// invalid records an invalid operation and returns its result.
func (c *Ctx) invalid(f *format) uint64 {
	c.raise(Invalid)
	return f.nan()
}

// up reports whether a magnitude is rounded away from zero: odd is the last
// bit kept, guard the first one dropped, sticky whether any other is set.
func (r Round) up(neg, odd, guard, sticky bool) bool {
	switch r {
	case RoundNearestEven:
		return guard && (sticky || odd)
	case RoundPlusInfinity:
		return !neg && (guard || sticky)
	case RoundMinusInfinity:
		return neg && (guard || sticky)
	}
	return false
}

// dropBits shifts a 128-bit number right by n bits and rounds it. The result
// must fit in 64 bits. inexact reports whether bits were lost.
func (r Round) dropBits(neg bool, hi, lo uint64, n int) (kept uint64, inexact bool) {
	if n <= 0 {
		return lo << -n, false
	}
	if hi|lo == 0 {
		return 0, false
	}
	if n > 128 {
		hi, lo, n = 0, 1, 2 // only a sticky bit remains, which is less than a half
	}
	_, guard := shr128(hi, lo, n-1)
	guard &= 1
	_, kept = shr128(hi, lo, n)
	sticky := lowBits(hi, lo, n-1)
	if r.up(neg, kept&1 != 0, guard != 0, sticky) {
		kept++
	}
	return kept, guard != 0 || sticky
}

// shr128 shifts right by 0 to 128 bits.
func shr128(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	return hi >> n, lo>>n | hi<<(64-n)
}

// shl128 shifts left by 0 to 127 bits.
func shl128(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		return lo << (n - 64), 0
	}
	return hi<<n | lo>>(64-n), lo << n
}

// lowBits reports whether one of the n lowest bits is set.
func lowBits(hi, lo uint64, n int) bool {
	if n <= 64 {
		return lo<<(64-n) != 0 && n > 0
	}
	return lo != 0 || hi<<(128-n) != 0
}

// shrJam shifts right and ORs the lost bits into the lowest one.
func shrJam(hi, lo uint64, n int) (uint64, uint64) {
	if n == 0 {
		return hi, lo
	}
	if n > 127 {
		if hi|lo != 0 {
			return 0, 1
		}
		return 0, 0
	}
	h, l := shr128(hi, lo, n)
	if lowBits(hi, lo, n) {
		l |= 1
	}
	return h, l
}

// len128 returns the number of bits of a 128-bit number.
func len128(hi, lo uint64) int {
	if hi != 0 {
		return 64 + bits.Len64(hi)
	}
	return bits.Len64(lo)
}

// round returns the number ±(hi:lo)·2^exp in a format. The lowest bit may be a
// sticky bit if the number has more than mant+3 bits.
//
// A number is tiny if it is below the smallest normal one after rounding to the
// format's precision with an unbounded exponent. Tiny results are flushed.
func (c *Ctx) round(f *format, r rules, neg bool, hi, lo uint64, exp int) uint64 {
	n := len128(hi, lo)
	if n == 0 {
		return f.zero(neg)
	}
	top := exp + n - 1 // the exponent of the leading bit
	if top < 1-f.bias {
		return c.roundTiny(f, r, neg, hi, lo, exp, top)
	}
	if top > f.bias {
		return c.overflow(f, r, neg)
	}
	kept, inexact := r.rnd.dropBits(neg, hi, lo, n-1-f.mant)
	v := uint64(top+f.bias-1)<<f.mant + kept // the leading bit adds one to the exponent
	if v >= f.inf {
		return c.overflow(f, r, neg)
	}
	if inexact {
		c.raise(Inexact)
	}
	return f.signed(neg, v)
}

// roundTiny rounds a number below the normal ones.
func (c *Ctx) roundTiny(f *format, r rules, neg bool, hi, lo uint64, exp, top int) uint64 {
	tiny := true
	if top == -f.bias {
		kept, _ := r.rnd.dropBits(neg, hi, lo, len128(hi, lo)-1-f.mant)
		tiny = kept>>(f.mant+1) == 0
	}
	if tiny && r.flushOut {
		c.raise(Underflow | Inexact)
		return f.zero(neg)
	}
	kept, inexact := r.rnd.dropBits(neg, hi, lo, 1-f.bias-f.mant-exp)
	if inexact {
		c.raise(Inexact)
		if tiny {
			c.raise(Underflow)
		}
	}
	return f.signed(neg, kept)
}

// overflow returns the result of a number too large for a format.
func (c *Ctx) overflow(f *format, r rules, neg bool) uint64 {
	c.raise(Overflow | Inexact)
	if r.rnd.up(neg, true, true, true) && !(c.Ovfl && f == &half) {
		return f.signed(neg, f.inf)
	}
	return f.signed(neg, f.maxFinite())
}
