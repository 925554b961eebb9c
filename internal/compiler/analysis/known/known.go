// Package known provides the facts of package analysis about single values in
// the form that pattern rules use: bit masks and plain answers.
package known

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// MaxDepth is the maximum length of an instruction chain that the functions
// examine.
const MaxDepth = 6

// Bits returns the bits of an integer of at most 64 bits that are known to be
// zero and one. For a vector, it returns the bits known in all elements. Bits
// beyond the width are known to be zero. Nothing is known about wider integers
// and other types. Bits examines chains of at most depth instructions; depth
// must not exceed MaxDepth.
func Bits(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	width := width(f, v)
	if width == 0 {
		return 0, 0
	}
	b := analysis.KnownBitsWithin(f, v, depth)
	return b.Zero | ^(^uint64(0) >> (64 - width)), b.One
}

// width returns the width of integers or elements of at most 64 bits, or 0 for
// other values.
func width(f *ir.Function, v ir.Value) int {
	m := f.Module()
	if w := m.ScalarBits(f.TypeOf(v)); w <= 64 && m.IsIntOrIntVector(f.TypeOf(v)) {
		return w
	}
	return 0
}

// SignBits returns the number of high bits of an integer of at most 64 bits
// that are equal, at least 1.
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

// NonZero reports whether all elements of an integer are known to be nonzero.
func NonZero(f *ir.Function, v ir.Value) bool { return width(f, v) > 0 && analysis.NonZero(f, v) }
