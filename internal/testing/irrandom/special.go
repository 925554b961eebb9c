package irrandom

import (
	"math/rand/v2"

	"github.com/gfx-toolchain/gfx/ir"
)

// floatFormat describes a floating-point type by the widths of its stored
// significand and its exponent.
type floatFormat struct{ fraction, exponent int }

var floatFormats = map[ir.Type]floatFormat{
	ir.Half: {10, 5}, ir.BFloat: {7, 8}, ir.Float: {23, 8}, ir.Double: {52, 11},
}

// bits returns the number with the given biased exponent and fraction.
func (f floatFormat) bits(exponent, fraction uint64) uint64 { return exponent<<f.fraction | fraction }

// one returns the number 1.
func (f floatFormat) one() uint64 { return f.bits(1<<(f.exponent-1)-1, 0) }

// special returns boundary values: zero, the smallest and largest subnormal and
// normal numbers, one and its neighbours, infinity and a quiet NaN.
func (f floatFormat) special() []uint64 {
	all, max := uint64(1)<<f.fraction-1, uint64(1)<<f.exponent-1
	return []uint64{
		0, 1, f.bits(0, all), f.bits(1, 0), f.bits(1, 1), f.one(), f.one() - 1, f.one() + 1,
		f.bits(max-1, all), f.bits(max, 0), f.bits(max, 1<<(f.fraction-1)), f.bits(max/2+uint64(f.fraction), 0),
	}
}

// specialFloat returns the bits of a floating-point number. Half of the results
// are special values.
func specialFloat(t ir.Type, r *rand.Rand) uint64 {
	f := floatFormats[t]
	if list := f.special(); r.IntN(2) == 0 {
		return list[r.IntN(len(list))] | uint64(r.IntN(2))<<(f.fraction+f.exponent)
	}
	e := uint64(1)<<(f.exponent-1) - 1 + uint64(r.IntN(16)) - 8
	return f.bits(e, r.Uint64()&(1<<f.fraction-1)) | uint64(r.IntN(2))<<(f.fraction+f.exponent)
}
