//go:build !amd64

package lanes

import "github.com/gfx-toolchain/gfx/internal/lazy"

// HasSIMD reports whether SIMD implementations exist.
const HasSIMD = false

// Detect has no effect: there are no SIMD implementations.
func Detect() {}

var implTable = lazy.Value[map[string]*Impl]{Make: func() map[string]*Impl { return nil }}

// Spread writes v to n lanes.
func Spread(d *uint32, v uint32, n int) { spreadAny(d, v, n) }

// Bits computes d = s >> shift & and ^ xor for n lanes.
func Bits(d, s *uint32, shift uint8, and, xor uint32, n int) { bitsOfAny(d, s, shift, and, xor, n) }

// Merge computes d = d & keep | s << shift &^ keep for the lanes of exec.
func Merge(d, s *uint32, exec uint64, shift uint8, keep uint32, n int) {
	mergeAny(d, s, exec, shift, keep, n)
}

// Field computes d = s << left >> right for n lanes, with an arithmetic right
// shift if signed is set.
func Field(d, s *uint32, left, right uint8, signed bool, n int) {
	fieldAny(d, s, left, right, signed, n)
}

// Pairs computes d = (s >> lo & 0xffff | s >> hi << 16) ^ sign for n lanes.
func Pairs(d, s *uint32, lo, hi uint8, sign uint32, n int) { pairsAny(d, s, lo, hi, sign, n) }

// Take copies lane from[l] of s to each lane l of d, or 0 if l is not in valid.
// d and s must not overlap.
func Take(d, s *uint32, from *[64]uint32, valid uint64, n int) {
	takeLanesAny(d, s, from, valid, n)
}

// OMod modifies no lanes and returns exec.
func OMod(d *uint32, omod uint8, exec uint64, n int) (left uint64) { return exec }

// Clamp clamps no lanes and returns exec.
func Clamp(d *uint32, exec uint64, zeroNaN bool, n int) (left uint64) { return exec }

// WidenHalves converts no lanes and returns exec.
func WidenHalves(p *uint32, exec uint64, n int) (left uint64) { return exec }

// CountBelow returns false: it is not implemented.
func CountBelow(d, src, add *uint32, exec uint64, high bool, n int) bool { return false }

// MovePairs is not called without SIMD implementations.
func MovePairs(d, s *uint32, exec uint64, n int) {}

// Gather and Scatter are nil: SIMD memory accesses are not implemented.
var Gather, Scatter MoveFunc
