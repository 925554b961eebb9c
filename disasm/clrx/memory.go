package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// flag appends a modifier that is set.
func flag(dst []byte, x *inst, p isa.Place, name string) []byte {
	if x.bits(p) != 0 {
		return append(dst, name...)
	}
	return dst
}

// fields returns the bits of places.
func fields(list ...isa.Place) (m uint64) {
	for _, p := range list {
		m |= field(p)
	}
	return m
}

// shownDS returns the bits that the text of DS shows.
func shownDS(_ *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := fields(at.offset, at.gds)
	if r.Dst != 0 {
		m |= field(at.vdst)
	}
	if r.Flags.Has(clrxsyntax.HasAddr) {
		m |= field(at.addr)
	}
	if r.Src[0] != 0 {
		m |= field(at.data0)
	}
	if r.Src[1] != 0 {
		m |= field(at.data1)
	}
	return m
}

// ds appends the operands of DS.
func (p *Printer) ds(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	ok, first := true, true
	reg := func(f isa.Place, n uint8) {
		if n == 0 {
			return
		}
		if !first {
			dst = comma(dst)
		}
		first = false
		var okReg bool
		dst, okReg = p.vector(dst, x.bits(f), uint32(n))
		ok = ok && okReg
	}
	reg(at.vdst, r.Dst)
	if r.Flags.Has(clrxsyntax.HasAddr) {
		reg(at.addr, 1)
	}
	reg(at.data0, r.Src[0])
	reg(at.data1, r.Src[1])
	off := x.bits(at.offset)
	if r.Flags.Has(clrxsyntax.TwoOffsets) {
		if off&255 != 0 {
			dst = p.number(append(dst, " offset0:"...), off&255)
		}
		if off>>8 != 0 {
			dst = p.number(append(dst, " offset1:"...), off>>8)
		}
	} else if off != 0 {
		dst = p.number(append(dst, " offset:"...), off)
	}
	if r.Flags.Has(clrxsyntax.GDSOnly) && x.bits(at.gds) == 0 {
		ok = false
	}
	return flag(dst, x, at.gds, " gds"), ok
}

// shownBuffer returns the bits that the text of MUBUF and MTBUF shows.
func shownBuffer(_ *Printer, r *clrxsyntax.Row, at *places) uint64 {
	if r.Flags.Has(clrxsyntax.NoOperands) {
		return 0
	}
	m := fields(at.offset, at.offen, at.idxen, at.glc, at.addr64, at.slc, at.tfe, at.srsrc, at.soffset, at.format)
	if r.Form == isa.MUBUF {
		m |= field(at.lds)
	}
	if !r.Flags.Has(clrxsyntax.NoData) {
		m |= fields(at.vaddr, at.vdata)
	}
	return m
}

// buffer appends the operands of MUBUF and MTBUF.
func (p *Printer) buffer(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	if r.Flags.Has(clrxsyntax.NoOperands) {
		return dst, true
	}
	ok := true
	offen, idxen, addr64 := x.bits(at.offen), x.bits(at.idxen), x.bits(at.addr64)
	if !r.Flags.Has(clrxsyntax.NoData) {
		n := uint32(r.Dst) + x.bits(at.tfe)
		dst, ok = p.vector(dst, x.bits(at.vdata), n)
		n = 1
		if offen&idxen|addr64 != 0 {
			n = 2
		}
		var okAddr bool
		dst, okAddr = p.vector(comma(dst), x.bits(at.vaddr), n)
		dst = comma(dst)
		if (offen|idxen)&addr64 != 0 {
			ok = false
		}
		ok = ok && okAddr
	} else if x.bits(at.tfe)|offen|idxen|addr64 != 0 {
		ok = false
	}
	dst, okRsrc := p.sreg(dst, x.bits(at.srsrc)<<2, 4)
	soffset := x.bits(at.soffset)
	dst, okOff := p.sreg(comma(dst), soffset, 1)
	ok = ok && okRsrc && okOff && soffset < clrxsyntax.SrcLDS
	dst = flag(dst, x, at.offen, " offen")
	dst = flag(dst, x, at.idxen, " idxen")
	if off := x.bits(at.offset); off != 0 {
		dst = p.number(append(dst, " offset:"...), off)
	}
	dst = flag(dst, x, at.glc, " glc")
	dst = flag(dst, x, at.slc, " slc")
	dst = flag(dst, x, at.addr64, " addr64")
	dst = flag(dst, x, at.tfe, " tfe")
	if r.Form == isa.MUBUF {
		return flag(dst, x, at.lds, " lds"), ok
	}
	format := p.formats[x.bits(at.format)]
	return append(dst, format...), ok && format != "?"
}

// shownImage returns the bits that the text of MIMG shows.
func shownImage(_ *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := fields(at.dmask, at.unorm, at.glc, at.da, at.r128, at.a16, at.tfe, at.lwe, at.slc, at.vaddr, at.vdata, at.srsrc, at.d16)
	if r.Flags.Has(clrxsyntax.Sampler) {
		m |= field(at.ssamp)
	}
	return m
}

// image appends the operands of MIMG. Addresses are written with four registers
// at least.
func (p *Printer) image(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	dmask := x.bits(at.dmask)
	n := uint32(4)
	if !r.Flags.Has(clrxsyntax.Gather4) {
		n = dmask&1 + dmask>>1&1 + dmask>>2&1 + dmask>>3
	}
	if p.arch == clrxsyntax.GCN14 && x.bits(at.d16) != 0 {
		n = (n + 1) / 2
	}
	ok := dmask != 0
	dst, okData := p.vector(dst, x.bits(at.vdata), n+x.bits(at.tfe))
	addr, fewest := x.bits(at.vaddr), uint32(r.Addr)
	regs := max(fewest, 4)
	if addr+regs > 256 { // as many as there are
		regs = max(min(256-addr, regs), fewest)
	}
	dst, okAddr := p.vector(comma(dst), addr, regs)
	rsrc := uint32(8)
	if x.bits(at.r128) != 0 {
		rsrc = 4
	}
	dst, okRsrc := p.sreg(comma(dst), x.bits(at.srsrc)<<2, rsrc)
	ok = ok && okData && okAddr && okRsrc
	if r.Flags.Has(clrxsyntax.Sampler) {
		var okSamp bool
		dst, okSamp = p.sreg(comma(dst), x.bits(at.ssamp)<<2, 4)
		ok = ok && okSamp
	}
	if dmask != 1 {
		dst = p.number(append(dst, " dmask:"...), dmask)
	}
	unorm := x.bits(at.unorm) != 0
	if !unorm && r.Flags.Has(clrxsyntax.Store|clrxsyntax.Atomic) {
		ok = false
	}
	dst = flag(dst, x, at.unorm, " unorm")
	dst = flag(dst, x, at.glc, " glc")
	dst = flag(dst, x, at.slc, " slc")
	dst = flag(dst, x, at.r128, " r128")
	dst = flag(dst, x, at.a16, " a16")
	dst = flag(dst, x, at.tfe, " tfe")
	dst = flag(dst, x, at.lwe, " lwe")
	dst = flag(dst, x, at.da, " da")
	return flag(dst, x, at.d16, " d16"), ok
}

// shownExport returns the bits that the text of EXP shows.
func shownExport(_ *Printer, _ *clrxsyntax.Row, at *places) uint64 {
	return fields(at.en, at.tgt, at.compr, at.done, at.vm, at.src0, at.src1, at.src2, at.src3)
}

// export appends the operands of EXP.
func (p *Printer) export(dst []byte, x *inst) ([]byte, bool) {
	at := x.at
	target := p.targets[x.bits(at.tgt)]
	dst = append(dst, target...)
	en, compr := x.bits(at.en), x.bits(at.compr) != 0
	src := [...]isa.Place{at.src0, at.src1, at.src2, at.src3}
	ok := target != ""
	for i := range src {
		k := i
		if compr {
			k = i / 2
		}
		v := x.bits(src[k])
		dst = comma(dst)
		if en>>i&1 != 0 {
			dst, _ = p.vector(dst, v, 1)
			continue
		}
		dst = append(dst, "off"...)
		if !compr && v != 0 {
			ok = false
		}
	}
	if compr {
		for i := range 2 {
			ok = ok && x.bits(src[i+2]) == 0 && (en>>(2*i)&3 != 0 || x.bits(src[i]) == 0)
		}
	}
	dst = flag(dst, x, at.done, " done")
	dst = flag(dst, x, at.compr, " compr")
	return flag(dst, x, at.vm, " vm"), ok
}

// shownFlat returns the bits that the text of FLAT shows.
func shownFlat(p *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := fields(at.glc, at.slc, at.vaddr, at.tfe)
	if p.arch == clrxsyntax.GCN12 {
		m |= 1 << 55
	}
	if r.Dst != 0 {
		m |= field(at.vdst)
	}
	if r.Src[0] != 0 {
		m |= field(at.vdata)
	}
	if p.arch == clrxsyntax.GCN14 {
		m |= field(at.offset) | field(at.lds) | 1<<55
		if r.Segment() != 0 {
			m |= field(at.saddr)
		} else {
			m &^= 1 << 12
		}
	}
	return m
}

// flatBit is the place of tfe on GCN 1.1 and 1.2, and of nv on GCN 1.4.
var flatBit = isa.Place{Shift: 55, Width: 1}

// flat appends the operands of FLAT.
func (p *Printer) flat(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	bit := x.bits(flatBit)
	tfe := uint32(0)
	if p.arch < clrxsyntax.GCN14 {
		tfe = bit
	}
	ok := true
	reg := func(f isa.Place, n uint32) {
		var okReg bool
		dst, okReg = p.vector(dst, x.bits(f), n)
		ok = ok && okReg
	}
	if r.Dst != 0 {
		reg(at.vdst, uint32(r.Dst)+tfe)
		dst = comma(dst)
	}
	saddr := x.bits(at.saddr)
	switch off := saddr == 127; {
	case r.Segment() == 1 && !off:
		dst = append(dst, "off"...)
		ok = ok && x.bits(at.vaddr) == 0
	case r.Segment() == 1 || r.Segment() == 2 && !off:
		reg(at.vaddr, 1)
	default:
		reg(at.vaddr, 2)
	}
	if r.Src[0] != 0 {
		dst = comma(dst)
		reg(at.vdata, uint32(r.Src[0]))
	}
	if r.Segment() != 0 {
		dst = comma(dst)
		if saddr == 127 {
			dst = append(dst, "off"...)
		} else {
			var okAddr bool
			dst, okAddr = p.sreg(dst, saddr, uint32(r.Segment()))
			ok = ok && okAddr
		}
	}
	if p.arch == clrxsyntax.GCN14 {
		dst = flag(p.flatOffset(dst, x), x, at.lds, " lds")
		ok = ok && (x.bits(at.lds) == 0 || r.Segment() != 0)
	}
	dst = flag(dst, x, at.glc, " glc")
	dst = flag(dst, x, at.slc, " slc")
	if bit != 0 {
		if p.arch == clrxsyntax.GCN14 {
			dst = append(dst, " nv"...)
		} else {
			dst = append(dst, " tfe"...)
		}
	}
	return dst, ok
}

// flatOffset appends inst_offset:16: 12 bits without a sign in the flat segment,
// 13 bits with a sign in the others.
func (p *Printer) flatOffset(dst []byte, x *inst) []byte {
	off := x.bits(x.at.offset)
	if off == 0 {
		return dst
	}
	dst = append(dst, " inst_offset:"...)
	if x.row.Segment() != 0 && off&0x1000 != 0 {
		dst = append(dst, '-')
		off = 0x2000 - off
	}
	return p.number(dst, off)
}
