package simplify

import (
	"math"
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// format is the layout of a floating-point type.
type format struct {
	size, mant uint // bits of the type and of its fraction
	bias       int
}

// formats holds the layouts of the types that can be folded.
var formats = [...]format{ir.Half: {16, 10, 15}, ir.BFloat: {16, 7, 127}, ir.Float: {32, 23, 127}, ir.Double: {64, 52, 1023}}

// formatOf returns the layout of a scalar type, or nil if the type cannot be
// folded.
func formatOf(t ir.Type) *format {
	if t < ir.Half || t > ir.Double {
		return nil
	}
	return &formats[t]
}

func (f *format) sign() uint64         { return 1 << (f.size - 1) }
func (f *format) inf() uint64          { return (1<<(f.size-1-f.mant) - 1) << f.mant }
func (f *format) quiet() uint64        { return 1 << (f.mant - 1) }
func (f *format) one() uint64          { return uint64(f.bias) << f.mant }
func (f *format) nan() uint64          { return f.inf() | f.quiet() }
func (f *format) mag(v uint64) uint64  { return v &^ f.sign() }
func (f *format) isNaN(v uint64) bool  { return f.mag(v) > f.inf() }
func (f *format) isSNaN(v uint64) bool { return f.isNaN(v) && v&f.quiet() == 0 }
func (f *format) isInf(v uint64) bool  { return f.mag(v) == f.inf() }
func (f *format) isZero(v uint64) bool { return f.mag(v) == 0 }
func (f *format) isNeg(v uint64) bool  { return v&f.sign() != 0 }

// isDenormal reports whether a value is subnormal; zero is not.
func (f *format) isDenormal(v uint64) bool { return f.mag(v)-1 < 1<<f.mant-1 }

// value converts a value other than a NaN to float64, which represents all
// formats exactly.
func (f *format) value(v uint64) float64 {
	if f.size == 64 {
		return math.Float64frombits(v)
	}
	if f.size == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	mag := f.mag(v)
	exp, frac := int(mag>>f.mant), mag&(1<<f.mant-1)
	var x float64
	switch {
	case mag >= f.inf():
		x = math.Inf(1)
	case exp == 0:
		x = math.Ldexp(float64(frac), 1-f.bias-int(f.mant))
	default:
		x = math.Ldexp(float64(frac|1<<f.mant), exp-f.bias-int(f.mant))
	}
	if f.isNeg(v) {
		return -x
	}
	return x
}

// round rounds a number to nearest, ties to even. A NaN becomes the default
// NaN.
func (f *format) round(x float64) uint64 {
	switch {
	case x != x:
		return f.nan()
	case f.size == 64:
		return math.Float64bits(x)
	case f.size == 32:
		return uint64(math.Float32bits(float32(x)))
	}
	b := math.Float64bits(x)
	return f.roundBits(b>>63 != 0, b&(1<<63-1))
}

// roundBits is round for the bits of a float64's magnitude.
func (f *format) roundBits(neg bool, mag uint64) uint64 {
	sign := uint64(0)
	if neg {
		sign = f.sign()
	}
	exp := int(mag>>52) - 1023
	if exp == 1024 || exp > f.bias {
		return sign | f.inf()
	}
	sig := mag&(1<<52-1) | 1<<52
	drop := 52 - f.mant // discarded bits
	biased := exp + f.bias
	if biased <= 0 {
		drop += uint(1 - biased)
		biased = 1
	}
	if mag>>52 == 0 || drop > 54 {
		return sign
	}
	kept := sig >> drop
	half := uint64(1) << (drop - 1)
	if rest := sig & (1<<drop - 1); rest > half || rest == half && kept&1 != 0 {
		kept++
	}
	return sign | min(uint64(biased-1)<<f.mant+kept, f.inf())
}

// convertNaN converts a NaN to another type. The result is quiet and keeps the
// upper payload bits.
func convertNaN(from, to *format, v uint64) uint64 {
	payload := (v | from.quiet()) & (1<<from.mant - 1)
	if to.mant >= from.mant {
		payload <<= to.mant - from.mant
	} else {
		payload >>= from.mant - to.mant
	}
	if from.isNeg(v) {
		return to.sign() | to.inf() | payload
	}
	return to.inf() | payload
}

// roundBig rounds an integer to nearest, ties to even.
func (f *format) roundBig(n *big.Int) uint64 {
	if n.IsInt64() && n.BitLen() <= 53 {
		return f.round(float64(n.Int64()))
	}
	x := new(big.Float).SetInt(n)
	if f.size == 64 {
		r, _ := x.Float64()
		return math.Float64bits(r)
	}
	// Rounding to odd in float64 and then to the type is equivalent to rounding
	// once.
	r, _ := new(big.Float).SetMode(big.ToZero).SetPrec(53).Set(x).Float64()
	if !math.IsInf(r, 0) && x.Cmp(big.NewFloat(r)) != 0 {
		r = math.Float64frombits(math.Float64bits(r) | 1)
	}
	return f.round(r)
}

// sumToOdd returns a+b in float64, rounded to odd. Rounding the result to a
// type with at most 51 bits equals rounding the exact sum.
func sumToOdd(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || s != s {
		return s
	}
	t := s - a
	err := (a - (s - t)) + (b - t)
	bits := math.Float64bits(s)
	if err == 0 || bits&1 != 0 {
		return s
	}
	if (err > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
