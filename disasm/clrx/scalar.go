package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
)

// sreg appends a scalar operand of n dwords with a number below 256. It returns
// false for one that has no name.
func (p *Printer) sreg(dst []byte, num, n uint32) ([]byte, bool) {
	switch n {
	case 1:
		c := &p.scalars[num]
		return putCell(dst, c), c.n != 0
	case 2:
		c := &p.pairs[num]
		return putCell(dst, c), c.n != 0
	}
	if num < uint32(p.arch.NumSGPRs()) {
		dst = p.tuple(dst, "s", num, n)
		return dst, num+n <= uint32(p.arch.NumSGPRs()) && num&3 == 0
	}
	first, count := p.arch.TTMPs()
	if i := num - uint32(first); num >= uint32(first) && i < uint32(count) {
		dst = p.tuple(dst, "ttmp", i, n)
		return dst, i+n <= uint32(count)
	}
	c := &p.pairs[num] // constants, which have any size
	return putCell(dst, c), c.n != 0 && num >= clrxsyntax.SrcInt
}

// source appends a scalar source of n dwords, which may be the literal in the
// dword after the native words.
func (p *Printer) source(dst []byte, x *inst, num, n uint32) ([]byte, bool) {
	if num == clrxsyntax.SrcLiteral {
		x.more = true
		return p.literal(dst, x.next), x.has
	}
	return p.sreg(dst, num, n)
}

// literal appends a literal: a small number needs lit() not to become an
// inline constant.
func (p *Printer) literal(dst []byte, v uint32) []byte {
	i := int32(v)
	if i < -16 || i > 64 {
		return appendHex(dst, uint64(v))
	}
	dst = append(dst, "lit("...)
	if i < 0 {
		dst = append(dst, '-')
		i = -i
	}
	dst = p.number(dst, uint32(i))
	return append(dst, ')')
}

// shownScalar returns the bits that the text of a scalar instruction shows.
func shownScalar(_ *Printer, r *clrxsyntax.Row, at *places) (m uint64) {
	if r.Dst != 0 && r.Imm != clrxsyntax.ImmHwreg32 {
		m |= field(at.sdst)
	}
	if r.Src[0] != 0 {
		m |= field(at.src0)
	}
	if r.Src[1] != 0 {
		m |= field(at.src1)
	}
	if r.Imm != clrxsyntax.ImmNone {
		m |= field(at.simm16)
	}
	return m
}

// scalar appends the operands of SOP1, SOP2 and SOPC.
func (p *Printer) scalar(dst []byte, x *inst) ([]byte, bool) {
	r := x.row
	ok, first := true, true
	if r.Dst != 0 {
		dst, ok = p.sreg(dst, x.bits(x.at.sdst), uint32(r.Dst))
		first = false
	}
	if r.Src[0] != 0 {
		if !first {
			dst = comma(dst)
		}
		var ok0 bool
		dst, ok0 = p.source(dst, x, x.bits(x.at.src0), uint32(r.Src[0]))
		ok = ok && ok0
	}
	if r.Src[1] == 0 {
		return dst, ok
	}
	dst = comma(dst)
	num := x.bits(x.at.src1)
	if r.Flags.Has(clrxsyntax.IndexMode) {
		return appendHex(dst, uint64(num)), ok
	}
	dst, ok1 := p.source(dst, x, num, uint32(r.Src[1]))
	return dst, ok && ok1
}

// sopk appends the operands of SOPK.
func (p *Printer) sopk(dst []byte, x *inst) ([]byte, bool) {
	imm := x.bits(x.at.simm16)
	switch x.row.Imm {
	case clrxsyntax.ImmHwreg32:
		dst = p.hwreg(dst, imm)
		x.more = true
		return appendHex(comma(dst), uint64(x.next)), x.has
	case clrxsyntax.ImmHwregSrc:
		dst = comma(p.hwreg(dst, imm))
		return p.sreg(dst, x.bits(x.at.sdst), uint32(x.row.Dst))
	}
	dst, ok := p.sreg(dst, x.bits(x.at.sdst), uint32(x.row.Dst))
	dst = comma(dst)
	switch x.row.Imm {
	case clrxsyntax.ImmHwreg:
		dst = p.hwreg(dst, imm)
	case clrxsyntax.ImmBranch:
		dst = p.target(dst, x, imm)
	default:
		dst = appendHex(dst, uint64(imm))
	}
	return dst, ok
}

// sopp appends the operand of SOPP.
func (p *Printer) sopp(dst []byte, x *inst) ([]byte, bool) {
	imm := x.bits(x.at.simm16)
	switch x.row.Imm {
	case clrxsyntax.ImmNone:
		return dst, true
	case clrxsyntax.ImmBranch:
		return p.target(dst, x, imm), true
	case clrxsyntax.ImmWait:
		return p.wait(dst, imm)
	case clrxsyntax.ImmMessage:
		return p.message(dst, imm)
	}
	return appendHex(dst, uint64(imm)), true
}

// target appends a branch target.
func (p *Printer) target(dst []byte, x *inst, imm uint32) []byte {
	d := int(int16(imm))*4 + 4
	if x.label != nil {
		return x.label(dst, d)
	}
	return appendDistance(dst, d)
}

// hwreg appends hwreg(mode, 0, 8).
func (p *Printer) hwreg(dst []byte, imm uint32) []byte {
	dst = append(dst, "hwreg("...)
	dst = p.choice(dst, clrxsyntax.Hwregs, imm&63)
	dst = comma(dst)
	dst = p.number(dst, imm>>6&31)
	dst = comma(dst)
	dst = p.number(dst, imm>>11+1)
	return append(dst, ')')
}

// choice appends the name of a value, or @ and the value.
func (p *Printer) choice(dst []byte, c clrxsyntax.Choices, v uint32) []byte {
	if s := c.Name(p.arch, int(v)); s != "" {
		return append(dst, s...)
	}
	return p.number(append(dst, '@'), v)
}

// message appends sendmsg(gs, emit, 1). It returns false for a message with
// other bits, which the syntax cannot express.
func (p *Printer) message(dst []byte, imm uint32) ([]byte, bool) {
	msg, op, stream := imm&15, imm>>4&3, imm>>8&3
	dst = append(dst, "sendmsg("...)
	dst = p.choice(dst, clrxsyntax.Messages, msg)
	ok := imm&^0x33f == 0
	switch {
	case msg != clrxsyntax.MsgGS && msg != clrxsyntax.MsgGSDone:
		ok = imm&^15 == 0
	case op == 0:
		dst = append(dst, ", nop"...)
		ok = ok && stream == 0
	default:
		dst = p.choice(comma(dst), clrxsyntax.GSOps, op)
		dst = p.number(comma(dst), stream)
	}
	return append(dst, ')'), ok
}

// wait appends vmcnt(1) & lgkmcnt(2). Counters at their maximum are left out
// unless all are.
func (p *Printer) wait(dst []byte, imm uint32) ([]byte, bool) {
	vm, exp, lgkm := imm&15, imm>>4&7, imm>>8&15
	most := uint32(15)
	if p.arch == clrxsyntax.GCN14 {
		vm, most = vm|imm>>14<<4, 63
	}
	all := vm == most && exp == 7 && lgkm == 15
	sep := ""
	count := func(name string, v, max uint32) {
		if v == max && !all {
			return
		}
		dst = append(dst, sep...)
		dst = append(dst, name...)
		dst = append(p.number(dst, v), ')')
		sep = " & "
	}
	count("vmcnt(", vm, most)
	count("expcnt(", exp, 7)
	count("lgkmcnt(", lgkm, 15)
	return dst, imm&^usedCounters(p.arch) == 0
}

// usedCounters returns the bits of the operand of s_waitcnt that are counters.
func usedCounters(a clrxsyntax.Arch) uint32 {
	if a == clrxsyntax.GCN14 {
		return 0xcf7f
	}
	return 0xf7f
}

// shownScalarMemory returns the bits that the text of SMRD and SMEM shows.
func shownScalarMemory(p *Printer, r *clrxsyntax.Row, at *places) (m uint64) {
	if r.Flags.Has(clrxsyntax.NoOperands) {
		return 0
	}
	if r.Dst != 0 {
		m |= field(at.sdst)
	}
	if r.Addr != 0 {
		m |= field(at.sbase) | field(at.imm) | field(at.offset)
		if p.arch >= clrxsyntax.GCN12 {
			m |= field(at.glc)
		}
		if p.arch == clrxsyntax.GCN14 {
			m |= field(at.nv) | field(at.soffsetEn) | field(at.soffset)
		}
	}
	return m
}

// base appends the address in SGPRs of a scalar memory instruction after its
// result.
func (p *Printer) base(dst []byte, x *inst) (_ []byte, ok, done bool) {
	r := x.row
	ok = true
	switch {
	case r.Flags.Has(clrxsyntax.NoOperands):
		return dst, true, true
	case r.Flags.Has(clrxsyntax.Probe):
		dst = appendHex(dst, uint64(x.bits(x.at.sdst)))
	case r.Dst != 0:
		dst, ok = p.sreg(dst, x.bits(x.at.sdst), uint32(r.Dst))
	}
	if r.Addr == 0 {
		return dst, ok, true
	}
	if r.Dst != 0 {
		dst = comma(dst)
	}
	dst, okBase := p.sreg(dst, x.bits(x.at.sbase)<<1, uint32(r.Addr))
	return comma(dst), ok && okBase, false
}

// smrd appends the operands of SMRD.
func (p *Printer) smrd(dst []byte, x *inst) ([]byte, bool) {
	dst, ok, done := p.base(dst, x)
	if done {
		return dst, ok
	}
	off := x.bits(x.at.offset)
	if x.bits(x.at.imm) != 0 {
		return appendHex(dst, uint64(off)), ok
	}
	if off == clrxsyntax.SrcLiteral && p.arch == clrxsyntax.GCN11 {
		x.more = true
		// a smaller number is the short offset
		return appendHex(dst, uint64(x.next)), ok && x.has && x.next > 0xff
	}
	dst, okOff := p.sreg(dst, off, 1)
	return dst, ok && okOff && off < clrxsyntax.SrcInt
}

// smem appends the operands of SMEM.
func (p *Printer) smem(dst []byte, x *inst) ([]byte, bool) {
	dst, ok, done := p.base(dst, x)
	if done {
		return dst, ok
	}
	at := x.at
	off, soff := x.bits(at.offset), x.bits(at.soffset)
	imm, both := x.bits(at.imm) != 0, x.bits(at.soffsetEn) != 0
	switch {
	case both:
		var okOff bool
		dst, okOff = p.sreg(dst, soff, 1)
		ok = ok && okOff && imm && soff < clrxsyntax.SrcInt
	case imm:
		dst = appendHex(dst, uint64(off))
		ok = ok && soff == 0
	default:
		var okOff bool
		dst, okOff = p.sreg(dst, off&127, 1)
		ok = ok && okOff && soff == 0 && off < 128
		if p.arch == clrxsyntax.GCN12 && x.row.Flags.Has(clrxsyntax.Store|clrxsyntax.Atomic) {
			ok = ok && off == clrxsyntax.SrcM0
		}
	}
	dst = flag(dst, x, at.glc, " glc")
	dst = flag(dst, x, at.nv, " nv")
	if both {
		dst = appendHex(append(dst, " offset:"...), uint64(off))
	}
	return dst, ok
}
