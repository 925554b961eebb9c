package lanes

import "unsafe"

// simdGather loads a dword for each lane of exec. Lane l's dword is at host +
// (hi<<32|lo) - base. It returns the lanes that it did not load: those whose
// offset exceeds limit (less than 1<<31) or is not a multiple of 4.
//
//go:noescape
func simdGather(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)

// simdScatter stores a dword for each lane of exec, addressed like simdGather.
// If two lanes have the same address, the higher lane wins.
//
//go:noescape
func simdScatter(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)

// Gather and Scatter load and store a dword for each lane.
var Gather, Scatter MoveFunc = simdGather, simdScatter
