package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// FLAT, GLOBAL and SCRATCH instructions. Source: AMD's ISA documents, "Flat
// memory instructions".

// prepareFlat prepares a FLAT, GLOBAL or SCRATCH instruction.
func prepareFlat(d *Device, o *op) bool {
	in := &o.in
	if f := flatSpecials.Get()[in.Enc.Name()]; f != nil {
		return f(d, o)
	}
	if in.Enc.Kinds().Any(isa.KindCache) {
		o.class, o.run = classVMEM, runCacheOp
		return true
	}
	n := in.Enc.Op().Memory()
	if n.Space == isa.NoSpace || n.Format {
		return false
	}
	m := d.newMemInfo(&n, in)
	o.mem, o.class = m, m.class()
	if n.Access == isa.AccessAtomic && !m.bindAtomic(in) || !o.bindMemData() {
		return false
	}
	m.bindFlatAddress(in)
	m.slow, o.run = globalLanes, runGlobal
	switch {
	case n.Space == isa.SpaceScratch:
		m.segment, o.class = segScratch, classVMEM
		o.run = runScratch
	case n.Space == isa.SpaceFlat:
		m.segment = segFlat
		m.slow = flatLanes
		o.chooseGlobal()
	case n.AddTID:
		m.slow = addtidLanes
	case m.lds:
		m.slow = globalToLDS
	default:
		o.chooseGlobal()
	}
	return true
}

// newMemInfo returns the properties of an instruction with the access n.
func (d *Device) newMemInfo(n *isa.Memory, in *isa.Inst) *memInfo {
	m := &memInfo{bytes: n.Bytes, signed: n.Signed, store: n.Access == isa.AccessStore, vaddr: -1, saddr: -1}
	m.lds = in.Enc.Traits().Any(isa.TraitLds)
	switch {
	case n.Hi:
		m.d16 = 2
	case n.D16:
		m.d16 = 1
	}
	m.weak = d.opts.Memory == device.MemoryWeak
	m.bindAccess()
	m.clear16 = d.Target != nil && d.Target.Has(target.FeatureSRAMECC)
	return m
}

// bindMemData binds the registers of the data and of an atomic's result.
func (o *op) bindMemData() bool {
	m := o.mem
	if m.lds {
		return true
	}
	in := &o.in
	result := reguse.FindOperand(in, isa.FieldVdst)
	data := reguse.FindOperand(in, isa.FieldVdata)
	if result == nil {
		result = data // buffer instruction
	}
	if data == nil {
		data = result
	}
	if data == nil {
		return false
	}
	v, ok := o.read(data, 0)
	if !ok {
		return false
	}
	r, ok := o.read(result, 0)
	m.data, m.dst = v.off, r.off
	return ok
}

func (m *memInfo) bindFlatAddress(in *isa.Inst) {
	a := in.FlatAddress()
	if a.VDwords > 0 {
		m.vaddr, m.vdwords = int32(in.AddressVGPR())*int32(in.Wave), uint8(a.VDwords)
	}
	if a.SDwords > 0 {
		m.saddr = int32(in.Field(isa.FieldSaddr)) &^ int32(a.SDwords-1)
	}
	if in.Set.Has(isa.PropFlatOffset) {
		m.offset = in.FlatOffset()
	}
	m.signed32 = in.Set.Has(isa.PropOffsetSigned)
	if in.CPol()&isa.CPolScale != 0 {
		m.scale = m.bytes
	}
}

// runGlobal executes an instruction on the slow path.
func runGlobal(w *wave, o *op) {
	if exec := w.exec(); exec != 0 {
		o.mem.slow(w, o.mem, exec)
	}
}

// globalLanes executes a GLOBAL instruction.
func globalLanes(w *wave, m *memInfo, lanes uint64) {
	w.globalAddresses(m, lanes)
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	m.access(w, m, lanes, w.lanesAt(m.data))
}

// addressBase returns the sum of the scalar parts of an address: the offset, a
// pair of SGPRs, and the base and scalar offset of a buffer resource (addr64).
func (w *wave) addressBase(m *memInfo) uint64 {
	base := uint64(int64(m.offset))
	switch {
	case m.saddr >= 0:
		base += w.pair(m.saddr)
	case m.buf != nil:
		base += w.pair(m.buf.rsrc)&(1<<48-1) + uint64(uint32(w.scalar(&m.buf.soff)))
	}
	return base
}

// globalAddresses computes each lane's address from a pair of VGPRs, or from a
// pair of SGPRs and a 32-bit VGPR.
func (w *wave) globalAddresses(m *memInfo, exec uint64) {
	base := w.addressBase(m)
	a := &w.mem.addr
	if m.vaddr < 0 {
		for l := range a {
			a[l] = base
		}
		return
	}
	lo := w.register(m.vaddr, 0)
	list := w.laneList(exec)
	if m.vdwords == 1 {
		if m.signed32 {
			w.scaledAddresses(m, base, lo, list)
			return
		}
		for _, l := range list {
			a[l&63] = base + uint64(lo[l&63])
		}
		return
	}
	hi := w.register(m.vaddr, 1)
	for _, l := range list {
		a[l&63] = base + (uint64(lo[l&63]) | uint64(hi[l&63])<<32)
	}
}

// scaledAddresses adds signed offsets, which may be in units of the access's
// size, to a base. Source: LLVM, hasSignedGVSOffset and hasScaleOffset.
func (w *wave) scaledAddresses(m *memInfo, base uint64, off *[64]uint32, list []uint8) {
	scale := uint64(max(m.scale, 1))
	for _, l := range list {
		w.mem.addr[l&63] = base + uint64(int64(int32(off[l&63])))*scale
	}
}

// addtidLanes executes an instruction that addresses each lane's dword in an
// array at a pair of SGPRs.
func addtidLanes(w *wave, m *memInfo, lanes uint64) {
	base := uint64(int64(m.offset))
	if m.saddr >= 0 {
		base += w.pair(m.saddr)
	}
	for l := range w.mem.addr {
		w.mem.addr[l] = base + uint64(l)*4
	}
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	m.access(w, m, lanes, w.lanesAt(m.data))
}

// globalToLDS executes a load to LDS.
func globalToLDS(w *wave, m *memInfo, lanes uint64) {
	w.globalAddresses(m, lanes)
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	m.access(w, m, lanes, w.mem.stage[:])
	w.stageToLDS(m, lanes, lanes)
}

// flatLanes executes a FLAT instruction. The upper half of each address selects
// LDS, scratch or global memory.
func flatLanes(w *wave, m *memInfo, lanes uint64) {
	w.globalAddresses(m, lanes)
	if w.dev.set.Has(isa.PropScratchGlobal) {
		w.localizeScratch(lanes)
	}
	var lds, private uint64
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		a := w.mem.addr[l]
		switch a >> 32 {
		case device.GroupAperture >> 32:
			lds |= 1 << l
		case device.PrivateAperture >> 32:
			private |= 1 << l
		default:
			continue
		}
		w.mem.off[l] = uint32(a)
	}
	if w.chk != nil {
		w.chk.lanes(w, m, lanes)
	}
	if global := lanes &^ (lds | private); global != 0 {
		m.access(w, m, global, w.lanesAt(m.data))
	}
	switch {
	case lds == 0:
	case m.atomic != nil:
		w.ldsAtomics(m, lds, w.lanesAt(m.data))
	default:
		w.ldsMove(m, lds, w.lanesAt(m.data))
	}
	if private != 0 && w.fault == nil {
		w.scratchLanes(m, private, w.flatBase())
	}
}
