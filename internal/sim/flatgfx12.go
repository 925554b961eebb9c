package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// flatSpecials lists the instructions that do not access one element per lane.
var flatSpecials = lazy.Value[map[string]preparer]{Make: func() map[string]preparer {
	block := func(s isa.Space, a isa.Access) preparer {
		return func(d *Device, o *op) bool { return prepareBlock(d, o, s, a) }
	}
	transposed := func(bytes uint8) preparer {
		return func(d *Device, o *op) bool { return prepareTransposed(d, o, bytes) }
	}
	return map[string]preparer{
		"global_load_block":     block(isa.SpaceGlobal, isa.AccessLoad),
		"global_store_block":    block(isa.SpaceGlobal, isa.AccessStore),
		"scratch_load_block":    block(isa.SpaceScratch, isa.AccessLoad),
		"scratch_store_block":   block(isa.SpaceScratch, isa.AccessStore),
		"global_load_tr_b128":   transposed(16),
		"global_load_tr16_b128": transposed(16),
		"global_load_tr8_b64":   transposed(8),
		"global_prefetch_b8":    runs(classOther, nothing),
		"flat_prefetch_b8":      runs(classOther, nothing),
		"global_load_tr_b64":    transposed(8),
	}
}}

// GLOBAL and SCRATCH instructions of gfx12 that transfer a variable number of
// registers, or move data between lanes. Source: RDNA 4 ISA,
// GLOBAL_LOAD_BLOCK, "WMMA matrix load operations with transpose".

// blockRegs is the number of registers that a block transfer names.
const blockRegs = 32

// prepareBlock prepares a load or store of the registers of a block that M0
// selects, one bit each.
func prepareBlock(d *Device, o *op, space isa.Space, access isa.Access) bool {
	n := isa.Memory{Space: space, Access: access, Bytes: 4}
	m := d.newMemInfo(&n, &o.in)
	o.mem, o.class = m, m.class()
	if !o.bindMemData() {
		return false
	}
	m.bindFlatAddress(&o.in)
	m.parts = new([blockRegs]memInfo)
	for i := range m.parts {
		m.parts[i] = *m
		m.parts[i].data += int32(i) * int32(o.in.Wave)
	}
	o.run, m.slow = runGlobal, globalBlock
	if space == isa.SpaceScratch {
		m.segment, o.class = segScratch, classVMEM
		for i := range m.parts {
			m.parts[i].segment = segScratch
		}
		o.run = runScratchBlock
	}
	return true
}

// globalBlock executes a block transfer in global memory.
func globalBlock(w *wave, m *memInfo, lanes uint64) {
	w.globalAddresses(m, lanes)
	base := w.mem.addr
	for rest := w.m0(); rest != 0 && w.fault == nil; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (blockRegs - 1)
		for l := range w.mem.addr {
			w.mem.addr[l] = base[l] + uint64(i)*4
		}
		part := &m.parts[i]
		if w.chk != nil {
			w.chk.lanes(w, part, lanes)
		}
		part.access(w, part, lanes, w.lanesAt(part.data))
	}
}

// runScratchBlock executes a block transfer in scratch memory.
func runScratchBlock(w *wave, o *op) {
	exec := w.exec()
	if exec == 0 {
		return
	}
	m := o.mem
	w.scratchOffsets(m)
	base := w.mem.off
	for rest := w.m0(); rest != 0 && w.fault == nil; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (blockRegs - 1)
		for l := range w.mem.off {
			w.mem.off[l] = base[l] + uint32(i)*4
		}
		w.scratchLanes(&m.parts[i], exec, w.flatBase())
	}
}

// transposed describes a load that transposes a matrix: how many elements a
// lane loads and receives, their size, and the lane from which lane l receives
// element j. Each lane receives the element l%8 of the others.
type transposed struct {
	bits int
	from func(l, j int) int
}

// transposedElements is the number of elements of a lane.
const transposedElements = 8

// transposedLoads maps the sizes in bytes of the transposing loads of wave32 to
// their descriptions. Each group of eight lanes transposes eight rows of 16-bit
// elements. Rows of bytes alternate between groups of four lanes, so that a lane
// receives a column of eight rows. Sources: measurements of others on gfx1201.
var transposedLoads = [...]*transposed{
	16: {16, func(l, j int) int { return l&^7 + j }},
	8:  {8, func(l, j int) int { return l>>4*16 + j>>2*8 + l>>3&1*4 + j&3 }},
}

// prepareTransposed prepares global_load_tr. The layout is known for wave32
// only.
func prepareTransposed(d *Device, o *op, bytes uint8) bool {
	n := isa.Memory{Space: isa.SpaceGlobal, Access: isa.AccessLoad, Bytes: bytes}
	m := d.newMemInfo(&n, &o.in)
	o.mem, o.class = m, m.class()
	if o.in.Wave != 32 || !o.bindMemData() {
		return false
	}
	m.bindFlatAddress(&o.in)
	m.transposed = transposedLoads[bytes]
	o.run, m.slow = runGlobal, transposedLanes
	return true
}

// transposedLanes executes global_load_tr. Inactive lanes provide zeros: the
// hardware requires that all lanes are active.
func transposedLanes(w *wave, m *memInfo, lanes uint64) {
	w.globalAddresses(m, lanes)
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	stage := &w.mem.stage
	clear(stage[:])
	m.access(w, m, lanes, stage[:])
	if w.fault != nil {
		return
	}
	t, n := m.transposed, w.lanes
	per := 32 / t.bits // elements per register
	mask := uint32(1)<<t.bits - 1
	d := w.lanesAt(m.data)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		k := l & 7 // the element that it receives from each lane
		for r := range transposedElements / per {
			v := uint32(0)
			for e := range per {
				from := t.from(l, r*per+e)
				v |= stage[k/per*n+from] >> (k % per * t.bits) & mask << (e * t.bits)
			}
			d[r*n+l] = v
		}
	}
}
