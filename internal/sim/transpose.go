package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// Loads from LDS that transpose matrices (gfx950). The elements that a row of 16
// lanes reads, in the order of the lanes, are a matrix with rows of 16 elements.
// Lane i of the row receives column i. Source: CDNA 4 ISA, "MFMA transpose load
// from LDS".

// transposeRow is the number of lanes that load a matrix together.
const transposeRow = 16

// prepareTranspose returns a function that prepares a load of the given number
// of bytes per lane, with elements of the given number of bits.
func prepareTranspose(elementBits, bytes int) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.kind, x.bytes, x.dwords = dsRead, uint8(bytes), uint8(bytes/4)
		x.align(o.in.Set)
		x.run = func(w *wave, o *op) { w.readTransposed(o, elementBits) }
		return o.in.Enc.Form() == isa.DS
	}
}

// readTransposed executes a load. Inactive lanes contribute zeros.
func (w *wave) readTransposed(o *op, elementBits int) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr := w.register(o.src[0].off, 0)
	var data, out [3 * 64]uint32 // by lane and register
	n := int(x.dwords)
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		if a := addr[l] + x.off[0]; a < top {
			for i := range n {
				data[l*n+i] = *dword(p, a+uint32(4*i))
			}
		}
	}
	perLane := int(x.bytes) * 8 / elementBits
	for l := range w.lanes {
		first := l &^ (transposeRow - 1)
		column := l & (transposeRow - 1)
		for row := range perLane {
			from := first*n*32 + (row*transposeRow+column)*elementBits
			copyBits(out[l*n:], row*elementBits, data[:], from, elementBits)
		}
	}
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		for i := range n {
			w.register(o.dst.off, i)[l] = out[l*n+i]
		}
	}
}

// copyBits copies n bits, at most 16, between sequences of dwords. The bits of
// the destination are 0.
func copyBits(dst []uint32, to int, src []uint32, from, n int) {
	v := uint64(src[from/32])
	if from%32+n > 32 {
		v |= uint64(src[from/32+1]) << 32
	}
	v = v >> (from % 32) & (1<<n - 1) << (to % 32)
	dst[to/32] |= uint32(v)
	if v>>32 != 0 {
		dst[to/32+1] |= uint32(v >> 32)
	}
}
