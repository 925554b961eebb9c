// Package known gives what package analysis knows of single values in the form
// that rules on patterns use: masks of bits, and answers without more.
package known

import (
	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// MaxDepth is how many instructions the functions here look through, one behind the other.
const MaxDepth = 6

// Bits gives the bits of an integer of at most 64 bits that are known to be zero and one; for a vector of them those that are
// the same in all elements. Bits beyond the width are known to be zero. Nothing is known of wider ones and of other types.
// At most depth instructions are looked through: MaxDepth or less.
func Bits(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	width := width(f, v)
	if width == 0 {
		return 0, 0
	}
	b := analysis.KnownBitsWithin(f, v, depth)
	return b.Zero | ^(^uint64(0) >> (64 - width)), b.One
}

// width gives the width of integers or elements of at most 64 bits, 0 for other values.
func width(f *ir.Function, v ir.Value) int {
	m := f.Module()
	if w := m.ScalarBits(f.TypeOf(v)); w <= 64 && m.IsIntOrIntVector(f.TypeOf(v)) {
		return w
	}
	return 0
}

// SignBits gives how many of the highest bits of an integer of at most 64 bits are equal (at least 1).
func SignBits(f *ir.Function, v ir.Value) int {
	if width(f, v) == 0 {
		return 1
	}
	return analysis.SignBits(f, v)
}

// NonNegative reports whether the sign bit of an integer is known to be 0.
func NonNegative(f *ir.Function, v ir.Value) bool {
	return width(f, v) > 0 && analysis.KnownBits(f, v).NonNegative()
}

// NonZero reports whether an integer is known not to be 0 in any element.
func NonZero(f *ir.Function, v ir.Value) bool { return width(f, v) > 0 && analysis.NonZero(f, v) }
