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
	transposed := func(bits int) preparer {
		return func(d *Device, o *op) bool { return prepareTransposed(d, o, bits) }
	}
	async := func(a isa.Access, bytes uint8) preparer {
		return func(d *Device, o *op) bool { return prepareAsync(d, o, a, bytes) }
	}
	cluster := func(bytes uint8) preparer {
		return func(d *Device, o *op) bool { return prepareCluster(d, o, bytes) }
	}
	return map[string]preparer{
		"global_load_async_to_lds_b8":      async(isa.AccessLoad, 1),
		"global_load_async_to_lds_b32":     async(isa.AccessLoad, 4),
		"global_load_async_to_lds_b64":     async(isa.AccessLoad, 8),
		"global_load_async_to_lds_b128":    async(isa.AccessLoad, 16),
		"cluster_load_async_to_lds_b8":     async(isa.AccessLoad, 1),
		"cluster_load_async_to_lds_b32":    async(isa.AccessLoad, 4),
		"cluster_load_async_to_lds_b64":    async(isa.AccessLoad, 8),
		"cluster_load_async_to_lds_b128":   async(isa.AccessLoad, 16),
		"global_store_async_from_lds_b8":   async(isa.AccessStore, 1),
		"global_store_async_from_lds_b32":  async(isa.AccessStore, 4),
		"global_store_async_from_lds_b64":  async(isa.AccessStore, 8),
		"global_store_async_from_lds_b128": async(isa.AccessStore, 16),
		"cluster_load_b32":                 cluster(4),
		"cluster_load_b64":                 cluster(8),
		"cluster_load_b128":                cluster(16),
		"global_load_block":                block(isa.SpaceGlobal, isa.AccessLoad),
		"global_store_block":               block(isa.SpaceGlobal, isa.AccessStore),
		"scratch_load_block":               block(isa.SpaceScratch, isa.AccessLoad),
		"scratch_store_block":              block(isa.SpaceScratch, isa.AccessStore),
		"global_load_tr_b64":               transposed(8),
		"global_load_tr_b128":              transposed(16),
		"global_load_tr4_b64":              transposed(4),
		"global_load_tr6_b96":              transposed(6),
		"global_load_tr8_b64":              transposed(8),
		"global_load_tr16_b128":            transposed(16),
		"global_prefetch_b8":               runs(classOther, nothing),
		"flat_prefetch_b8":                 runs(classOther, nothing),
	}
}}

// GLOBAL and SCRATCH instructions of gfx12 that transfer a variable number of
// registers. Source: RDNA 4 ISA, GLOBAL_LOAD_BLOCK.

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
