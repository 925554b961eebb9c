package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// FLAT, GLOBAL and SCRATCH instructions. Source: AMD's ISA documents, "Flat
// memory instructions".

// prepareFlat makes a FLAT, GLOBAL or SCRATCH instruction.
func prepareFlat(d *Device, o *op) bool {
	o.class = classVMEM
	in := &o.in
	n, ok := parseMemName(in.Enc.Name())
	if !ok || n.verb == "atomic" || n.lds || n.addtid || in.Enc.Traits().Any(isa.TraitLds) {
		return false
	}
	m := &memInfo{bytes: n.bytes, signed: n.signed, store: n.verb == "store", vaddr: -1, saddr: -1}
	o.mem = m
	m.setD16(&n)
	f := isa.FieldVdst
	if m.store {
		f = isa.FieldVdata
	}
	p := findOperand(in, f)
	if p == nil {
		return false
	}
	data, ok := o.read(p, 0)
	if !ok {
		return false
	}
	m.data = data.off
	m.bindFlatAddress(in)
	switch n.space {
	case "flat":
		m.segment = segFlat
	case "scratch":
		m.segment = segScratch
		return false
	}
	o.run = runFlat
	m.access = loadLanes
	if m.store {
		m.access = storeLanes
	}
	return true
}

// setD16 says which half of a register an access reads or writes.
func (m *memInfo) setD16(n *memName) {
	switch {
	case n.hi:
		m.d16 = 2
	case n.d16:
		m.d16 = 1
	}
}

func (m *memInfo) bindFlatAddress(in *isa.Inst) {
	a := in.FlatAddress()
	if a.VDwords > 0 {
		m.vaddr, m.vdwords = int32(in.Field(isa.FieldVaddr))*int32(in.Wave), uint8(a.VDwords)
	}
	if a.SDwords > 0 {
		m.saddr = int32(in.Field(isa.FieldSaddr)) &^ int32(a.SDwords-1)
	}
	m.offset = in.FlatOffset()
	if in.Set.Gen() == isa.Gen8 {
		m.offset = 0
	}
}

func runFlat(w *wave, o *op) {
	exec := w.exec()
	if exec == 0 {
		return
	}
	m := o.mem
	w.globalAddresses(m, exec)
	m.access(w, m, exec)
}

// globalAddresses computes the address of each lane: of a pair of VGPRs, or a
// pair of SGPRs and a VGPR of 32 bits.
func (w *wave) globalAddresses(m *memInfo, exec uint64) {
	base := uint64(int64(m.offset))
	if m.saddr >= 0 {
		base += w.pair(m.saddr)
	}
	a := &w.mem.addr
	lo := w.register(m.vaddr, 0)
	if m.vdwords == 1 {
		for ; exec != 0; exec &= exec - 1 {
			l := bits.TrailingZeros64(exec) & 63
			a[l] = base + uint64(lo[l])
		}
		return
	}
	hi := w.register(m.vaddr, 1)
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		a[l] = base + (uint64(lo[l]) | uint64(hi[l])<<32)
	}
}
