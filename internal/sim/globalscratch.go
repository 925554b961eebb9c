package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
)

// Scratch memory with flat addresses (gfx1250): src_flat_scratch_base plus an
// offset, with the lane in bits 52 to 56. The upper six bits distinguish them
// from other addresses. Source: LLVM, the casts from private to flat pointers
// of subtargets with globally addressable scratch memory.
const (
	scratchWindow     uint64 = 1 << windowShift
	windowShift              = 58
	windowLaneShift          = 52
	windowNumberShift        = 32 // number of the wave's allocation
)

// scratchNumber returns a number of the wave's scratch memory that no other
// wave of the dispatch has.
func (w *wave) scratchNumber() uint64 {
	if w.scratch.size == 0 {
		return 0
	}
	return w.scratch.offset / uint64(w.scratch.size) / uint64(w.lanes) & (1<<(windowLaneShift-windowNumberShift) - 1)
}

// flatScratchSource returns the value of src_flat_scratch_base.
func (w *wave) flatScratchSource() uint64 {
	return scratchWindow | w.scratchNumber()<<windowNumberShift
}

// localizeScratch replaces the flat addresses of a lane's own scratch memory by
// addresses in the private aperture. The scratch memory of another work-item
// is a fault.
func (w *wave) localizeScratch(lanes uint64) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		a := w.mem.addr[l]
		if a>>windowShift != scratchWindow>>windowShift {
			continue
		}
		if own := w.flatScratchSource() | uint64(l)<<windowLaneShift; own>>windowNumberShift != a>>windowNumberShift {
			w.failAt(device.FaultUnsupported, fmt.Sprintf("flat address %#x is in another work-item's scratch memory, which is not simulated", a), l, a)
			return
		}
		w.mem.addr[l] = device.PrivateAperture | a&(1<<windowNumberShift-1)
	}
}
