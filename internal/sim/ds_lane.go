package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// Instructions that use the LDS crossbar to move register values between lanes.
// Inactive source lanes read as 0.

// prepareSwizzle computes the lane permutation of ds_swizzle_b32. Source: AMD's
// ISA documents, DS_SWIZZLE_B32.
func prepareSwizzle(o *op, x *dsInfo) bool {
	x.from = new([64]uint8)
	later := o.in.Set.Has(isa.PropSwizzleRotate)
	for l := range x.from {
		x.from[l] = uint8(l&32 | swizzleLane(x.off[0], l&31, later))
	}
	x.run, x.gds = runSwizzle, false
	return true
}

// swizzleLane returns the source lane, of 32, of a lane. later enables the FFT
// and rotate modes of later instruction sets.
func swizzleLane(offset uint32, lane int, later bool) int {
	field := func(at uint32) int { return int(offset >> at & 31) }
	mask := field(0)
	switch {
	case offset < 0x8000: // and_mask, or_mask, xor_mask
		return lane&mask | field(5) ^ field(10)
	case later && offset >= 0xe000: // FFT: the lane number bit-reversed, except for the bits of the mask
		reversed := int(bits.Reverse32(uint32(lane)) >> 27)
		return reversed>>bits.OnesCount32(uint32(mask)) | lane&mask
	case later && offset >= 0xc000:
		by := field(5)
		if offset>>10&1 != 0 {
			by = -by
		}
		return lane&mask | (lane+by)&31&^mask
	}
	return lane&^3 | int(offset>>(lane&3*2)&3)
}

func runSwizzle(w *wave, o *op) {
	exec := w.exec()
	src := *w.register(o.src[0].off, 0)
	d := w.register(o.dst.off, 0)
	from := o.ds.from
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		v := uint32(0)
		if f := from[l] & 63; exec>>f&1 != 0 {
			v = src[f]
		}
		d[l] = v
	}
}

// cluster returns the number of lanes within which permutes operate: 32 on gfx10
// and gfx11.
func (w *wave) cluster() uint32 {
	if w.dev.set.Has(isa.PropPermute32) {
		return 32
	}
	return uint32(w.lanes)
}

// runPermute sends each lane's data to the lane selected by its address. If
// several lanes select the same lane, the last one wins.
func runPermute(w *wave, o *op) {
	exec := w.exec()
	within := w.cluster() - 1
	addr, src := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	var out [64]uint32
	off := o.ds.off[0]
	for m := exec; m != 0; m &= m - 1 {
		l := uint32(bits.TrailingZeros64(m) & 63)
		out[l&^within|(addr[l]+off)>>2&within] = src[l]
	}
	w.writeLanes(o, &out, exec)
}

// runBpermute copies to each lane the data of the lane selected by its address.
func runBpermute(w *wave, o *op) { w.bpermute(o, w.exec()) }

// runBpermuteAll is runBpermute with data of inactive lanes.
func runBpermuteAll(w *wave, o *op) { w.bpermute(o, w.all) }

// bpermute is runBpermute with the lanes that provide data.
func (w *wave) bpermute(o *op, from uint64) {
	exec := w.exec()
	within := w.cluster() - 1
	addr, src := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	var out [64]uint32
	off := o.ds.off[0]
	for m := exec; m != 0; m &= m - 1 {
		l := uint32(bits.TrailingZeros64(m) & 63)
		f := l&^within | (addr[l]+off)>>2&within
		if from>>f&1 != 0 {
			out[l] = src[f&63]
		}
	}
	w.writeLanes(o, &out, exec)
}

// writeLanes writes out to the destination in the given lanes.
func (w *wave) writeLanes(o *op, out *[64]uint32, lanes uint64) {
	d := w.register(o.dst.off, 0)
	if lanes == w.all {
		copy(d[:w.lanes], out[:])
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		d[l] = out[l]
	}
}
