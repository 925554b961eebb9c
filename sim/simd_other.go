//go:build !amd64

package sim

const hasSIMD = false

func simdTable() map[string]*simdRow { return nil }

func spread(d *uint32, v uint32, n int) { spreadAny(d, v, n) }

func bitsOf(d, s *uint32, shift uint8, and, xor uint32, n int) { bitsOfAny(d, s, shift, and, xor, n) }

func simdMoves(w *wave, d, out *uint32, exec uint64) {}

// There are no quick accesses.
var gather, scatter moverFunc
