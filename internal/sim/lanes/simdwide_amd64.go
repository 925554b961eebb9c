package lanes

import "unsafe"

// simdLoad128 and the similar functions transfer 16 or 8 bytes for each of n
// lanes, where n is a multiple of 4. Lane l's bytes are at host + (hi<<32|lo) -
// base. They return the number of lanes completed: all, or those before the
// first group of four with an offset above limit.
//
//go:noescape
func simdLoad128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdStore128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdLoad64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdStore64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

// WideMoves is indexed by direction (0 load, 1 store) and size in units of 8
// bytes.
var WideMoves = [2][3]WideFunc{{nil, simdLoad64, simdLoad128}, {nil, simdStore64, simdStore128}}
