package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// Loads that transpose matrices for v_wmma, from global memory (gfx12) and from
// LDS (gfx12.5). The layout is known for wave32 only. Source: RDNA 4 ISA, "WMMA
// matrix load operations with transpose".

// transposed describes a load: the sizes of an element in bits and of a lane's
// data in bytes, and the lane from which lane l receives its element j. If a lane
// has n elements, it receives element l%n of the others.
type transposed struct {
	bits, bytes int
	from        func(l, j int) int
}

// transposedLoads maps the sizes of elements to loads. Each group of eight lanes
// transposes eight rows of 16-bit elements. Shorter rows alternate between groups
// of four or eight lanes, so that a lane receives a part of a column. Sources:
// measurements of others on gfx1201 and gfx1250 (16 and 8 bits), and AMD's
// emulator of gfx1250 with its tests (4 and 6 bits).
var transposedLoads = [...]*transposed{
	4:  {4, 8, func(l, j int) int { return j>>3*16 + l>>4*8 + j&7 }},
	6:  {6, 12, func(l, j int) int { return j>>2*8 + l>>4*4 + j&3 }},
	8:  {8, 8, func(l, j int) int { return l>>4*16 + j>>2*8 + l>>3&1*4 + j&3 }},
	16: {16, 16, func(l, j int) int { return l&^7 + j }},
}

// elements returns the number of elements of a lane.
func (t *transposed) elements() int { return t.bytes * 8 / t.bits }

// transposingLanes returns the lanes that execute a load.
func (w *wave) transposingLanes() uint64 {
	if w.dev.set.Has(isa.PropTransposeAll) {
		return w.all
	}
	return w.exec()
}

// prepareTransposed prepares a load from global memory.
func prepareTransposed(d *Device, o *op, elementBits int) bool {
	t := transposedLoads[elementBits]
	n := isa.Memory{Space: isa.SpaceGlobal, Access: isa.AccessLoad, Bytes: uint8(t.bytes)}
	m := d.newMemInfo(&n, &o.in)
	o.mem, o.class = m, m.class()
	if o.in.Wave != 32 || !o.bindMemData() {
		return false
	}
	m.bindFlatAddress(&o.in)
	m.transposed = t
	o.run = runTransposed
	return true
}

// runTransposed executes a load from global memory. Inactive lanes of gfx12
// provide zeros: the hardware requires that all lanes are active.
func runTransposed(w *wave, o *op) {
	m, lanes := o.mem, w.transposingLanes()
	if lanes == 0 {
		return
	}
	w.globalAddresses(m, lanes)
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	stage := &w.mem.stage
	clear(stage[:])
	m.access(w, m, lanes, stage[:])
	if w.fault == nil {
		m.transposed.exchange(w.lanesAt(m.data), stage[:], lanes, w.lanes)
	}
}

// prepareTransposedDS returns a function that prepares a load from LDS.
func prepareTransposedDS(elementBits int) func(o *op, x *dsInfo) bool {
	t := transposedLoads[elementBits]
	return func(o *op, x *dsInfo) bool {
		x.kind, x.bytes, x.dwords = dsRead, uint8(t.bytes), uint8(t.bytes/4)
		x.align(o.in.Set)
		x.run = func(w *wave, o *op) { w.transposeLDS(o, t) }
		return o.in.Wave == 32
	}
}

// transposeLDS executes a load from LDS.
func (w *wave) transposeLDS(o *op, t *transposed) {
	x, lanes, stage := o.ds, w.transposingLanes(), &w.mem.stage
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr := w.register(o.src[0].off, 0)
	clear(stage[:])
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		if a := addr[l] + x.off[0]; a < top {
			for i := range int(x.dwords) {
				stage[i*w.lanes+l] = *dword(p, a+uint32(4*i))
			}
		}
	}
	t.exchange(w.lanesAt(o.dst.off), stage[:], lanes, w.lanes)
}

// exchange writes the elements that the lanes receive to registers at d. The
// loaded data of register r of lane l is at r*n+l.
func (t *transposed) exchange(d, stage []uint32, lanes uint64, n int) {
	mask := uint32(1)<<t.bits - 1
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		bit := l % t.elements() * t.bits // of the element that it receives from each lane
		var out [4]uint32
		for j := range t.elements() {
			v := stage[bit>>5*n+t.from(l, j)] >> (bit & 31)
			if rest := 32 - bit&31; rest < t.bits {
				v |= stage[(bit>>5+1)*n+t.from(l, j)] << rest
			}
			at := j * t.bits
			out[at>>5] |= v & mask << (at & 31)
			if rest := 32 - at&31; rest < t.bits {
				out[at>>5+1] |= v & mask >> rest
			}
		}
		for r := range t.bytes / 4 {
			d[r*n+l] = out[r]
		}
	}
}
