//go:build !amd64

package sim

import "github.com/gfx-toolchain/gfx/internal/lazy"

const hasSIMD = false

func findSIMD() {}

var simdTable = lazy.Value[map[string]*simdRow]{Make: func() map[string]*simdRow { return nil }}

func spread(d *uint32, v uint32, n int) { spreadAny(d, v, n) }

func bitsOf(d, s *uint32, shift uint8, and, xor uint32, n int) { bitsOfAny(d, s, shift, and, xor, n) }

func merge(d, s *uint32, exec uint64, shift uint8, keep uint32, n int) {
	mergeAny(d, s, exec, shift, keep, n)
}

func field(d, s *uint32, left, right uint8, signed bool, n int) {
	fieldAny(d, s, left, right, signed, n)
}

func pairs(d, s *uint32, lo, hi uint8, sign uint32, n int) { pairsAny(d, s, lo, hi, sign, n) }

func takeLanes(d, s *uint32, from *[64]uint32, valid uint64, n int) {
	takeLanesAny(d, s, from, valid, n)
}

func (w *wave) quickOMod(d *uint32, omod uint8, exec uint64) (left uint64) { return exec }

func (w *wave) quickClamp(d *uint32, exec uint64) (left uint64) { return exec }

func (w *wave) widenHalves(p *uint32, exec uint64) (left uint64) { return exec }

func simdCount(d, src, add *uint32, exec uint64, high bool, n int) bool { return false }

func simdMoves(w *wave, d, out *uint32, exec uint64) {}

// SIMD memory accesses are not implemented.
var gather, scatter moverFunc
