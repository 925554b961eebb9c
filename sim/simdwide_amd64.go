package sim

import "unsafe"

// simdLoad128 and its like move 16 or 8 bytes for each of n lanes, a multiple of 4: lane l's are at
// host + (hi<<32|lo) - base. They give the number of lanes that are done: all, or those
// before four of which one's offset is above limit.
//
//go:noescape
func simdLoad128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdStore128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdLoad64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

//go:noescape
func simdStore64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

// wideMovers are by whether the memory is written and the bytes divided by 8.
var wideMovers = [2][3]wideFunc{{nil, simdLoad64, simdLoad128}, {nil, simdStore64, simdStore128}}
