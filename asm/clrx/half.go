package clrx

import (
	"math"
	"math/big"
)

func float32bits(f float64) uint32 { return math.Float32bits(float32(f)) }
func float64bits(f float64) uint64 { return math.Float64bits(f) }

// halfBits returns the half-precision bits of a number, which f approximates,
// rounded to the nearest even number. over is set if it is out of range.
func halfBits(text string, f float64) (v uint64, over bool) {
	// The nearest double can lie exactly between two halves although the number
	// does not. Bits that do not fit in 53 then decide.
	sticky := 0
	if exact, _, err := big.ParseFloat(text, 0, 256, big.ToNearestEven); err == nil {
		sticky = exact.Cmp(big.NewFloat(f))
	}
	if f == 0 {
		return 0, false
	}
	frac, exp := math.Frexp(f) // f = frac * 2^exp, 0.5 <= frac < 1
	shift := 11                // bits of the significand
	if exp < -13 {             // below the smallest normal number, 2^-14
		shift -= -13 - exp
	}
	scaled := math.Ldexp(frac, shift)
	whole := math.Floor(scaled)
	rest := scaled - whole
	n := uint64(whole)
	if shift < 0 {
		n, rest = 0, 0.25
	}
	if rest > 0.5 || rest == 0.5 && (sticky > 0 || sticky == 0 && n&1 == 1) {
		n++
	}
	if exp >= -13 {
		n += uint64(exp+13) << 10
	}
	return n, n >= 0x7c00
}
