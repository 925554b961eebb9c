package sim

import "unsafe"

// simdGather loads a dword for each lane of exec from host memory: lane l's is at
// host + (hi<<32|lo) - base. Lanes whose offset is above limit (below 1<<31) or no multiple of 4 are left.
//
//go:noescape
func simdGather(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)

// simdScatter stores a dword of each lane of exec, as simdGather loads it; of two lanes with
// one address the higher is stored last.
//
//go:noescape
func simdScatter(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)

var gather, scatter moverFunc = simdGather, simdScatter
