package disasm

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/isa"
)

// operandIn returns the operand in a field, or nil.
func (p *printer) operandIn(f isa.Field) *isa.OperandInfo {
	for i := range p.ops {
		if p.ops[i].Field == f {
			return &p.ops[i]
		}
	}
	return nil
}

// operandOf appends the operand of a field if there is one.
func (p *printer) operandOf(dst []byte, f isa.Field) []byte {
	if o := p.operandIn(f); o != nil {
		dst = p.operand(dst, o)
	}
	return dst
}

// rest appends the operands that are modifiers.
func (p *printer) rest(dst []byte) []byte {
	for i := range p.ops {
		start := len(dst)
		dst, _ = p.modifier(dst, &p.ops[i])
		p.markModifier(dst, start, &p.ops[i])
	}
	return dst
}

// vaddrN is an operand for a vector address, vaddrOdd for one that may begin at
// any register.
var (
	vaddrN   = isa.OperandInfo{Field: isa.FieldVaddr, Class: isa.ClassVN}
	vaddrOdd = isa.OperandInfo{Field: isa.FieldVaddr, Class: isa.ClassVNOdd}
)

// vgprs appends a VGPR tuple by its number.
func (p *printer) vgprs(dst []byte, n uint32, dwords int) []byte {
	dst = p.sep(dst)
	start := len(dst)
	dst = p.value(dst, &vaddrN, isa.Value{Kind: isa.VGPRValue, Num: uint16(n), Dwords: uint8(dwords)})
	p.markVGPRs(dst, start, &vaddrN, dwords)
	return dst
}

// flat appends the operands of FLAT, GLOBAL and SCRATCH instructions: result,
// vector address, data, scalar address, offset.
func (p *printer) flat(dst []byte) []byte {
	a := p.in.FlatAddress()
	if o := p.operandIn(isa.FieldVdst); o != nil {
		dst = p.operand(dst, o)
	}
	switch {
	case a.VDwords > 0:
		dst = p.vgprs(dst, p.in.Field(isa.FieldVaddr), a.VDwords)
	case a.VOff:
		dst = append(p.sep(dst), "off"...)
	}
	dst = p.operandOf(dst, isa.FieldVdata)
	switch {
	case a.SDwords > 0:
		dst = p.saddr(p.sep(dst), a.SDwords)
	case a.SOff:
		dst = append(p.sep(dst), "off"...)
	}
	start := len(dst)
	if off := p.in.FlatOffset(); off != 0 && a.Any {
		dst = append(dst, " offset:"...)
		dst = strconv.AppendInt(dst, int64(off), 10)
	}
	if a.Any {
		p.markAddressOffset(dst, start, p.traits.Any(isa.TraitGlobal|isa.TraitScratch) || p.in.Set.Has(isa.PropOffset24))
	}
	if !a.Any && p.traits.Any(isa.TraitTensor) && p.in.CPol() != 0 {
		dst = append(dst, ' ') // as LLVM prints an instruction without operands
	}
	dst = p.rest(dst)
	if p.traits.Any(isa.TraitLds) && p.in.HasField(isa.FieldLds) && p.in.Field(isa.FieldLds) != 0 && p.operandIn(isa.FieldVdst) == nil {
		dst = append(dst, " lds"...)
	}
	return dst
}

// Operands for the scalar address of FLAT instructions.
var (
	saddr32  = isa.OperandInfo{Field: isa.FieldSaddr, Class: isa.ClassS1Xexechi}
	saddrAny = isa.OperandInfo{Field: isa.FieldSaddr, Class: isa.ClassS2}
	saddr64  = isa.OperandInfo{Field: isa.FieldSaddr, Class: isa.ClassS2XexecXnull}
)

// saddr appends the scalar address, with LLVM's comment for exec.
func (p *printer) saddr(dst []byte, dwords int) []byte {
	o := &saddr64
	switch t := p.traits; {
	case dwords == 1:
		o = &saddr32
	case t.Any(isa.TraitLds) || p.operandIn(isa.FieldSaddr) != nil || t.Any(isa.TraitRet|isa.TraitNoret) && !t.Any(isa.TraitGlobal),
		p.operandIn(isa.FieldVdst) == nil && p.operandIn(isa.FieldVdata) == nil:
		o = &saddrAny
	}
	start := len(dst)
	dst = p.value(dst, o, isa.Value{Kind: isa.ScalarReg, Dwords: uint8(dwords), Num: uint16(p.in.Field(isa.FieldSaddr))})
	if p.rec != nil {
		p.note(start, len(dst), pieceKey{
			field: o.Field, class: o.Class, state: uint16(dwords), form: p.in.Enc.Form(), traits: p.traits,
			plain: plain{kind: plainSource, sgpr: uint8(dwords)},
		}, p.in.Place(o.Field))
	}
	return dst
}

// buffer appends the operands of MUBUF and MTBUF instructions.
func (p *printer) buffer(dst []byte) []byte {
	if p.operandIn(isa.FieldAddr) == nil {
		return p.operands(dst)
	}
	in := p.in
	if o := p.operandIn(isa.FieldVdata); o != nil {
		dst = p.sep(dst)
		v := in.Operand(o)
		if in.Field(isa.FieldTfe) != 0 {
			v.Dwords++
		}
		start := len(dst)
		dst = p.value(dst, o, v)
		p.markSource(dst, start, o, isa.SourceMods{})
	}
	if p.traits.Any(isa.TraitLdsonly) && p.operandIn(isa.FieldVdata) == nil && p.traits.Any(isa.TraitStore) {
		return p.storeLds(dst)
	}
	offen, idxen, addr64 := in.Field(isa.FieldOffen), in.Field(isa.FieldIdxen), in.Field(isa.FieldAddr64)
	n := int(offen + idxen + 2*addr64)
	if n == 0 {
		dst = append(p.sep(dst), "off"...)
	} else {
		o := &vaddrN
		if in.Enc.Form() == isa.MTBUF {
			o = &vaddrOdd
		}
		dst = p.sep(dst)
		start := len(dst)
		dst = p.value(dst, o, isa.Value{Kind: isa.VGPRValue, Num: uint16(in.Field(isa.FieldVaddr)), Dwords: uint8(n)})
		p.markVGPRs(dst, start, o, n)
	}
	dst = p.resource(dst)
	dst = p.sep(dst)
	dst = p.soffset(dst)
	if o := p.operandIn(isa.FieldFormat); o != nil {
		start := len(dst)
		dst = isa.AppendBufFormat(dst, in.Set, in.Field(o.Field))
		p.markField(dst, start, o.Field)
	}
	for _, m := range [...]struct {
		on   uint32
		text string
	}{{idxen, " idxen"}, {offen, " offen"}, {addr64, " addr64"}} {
		if m.on != 0 {
			dst = append(dst, m.text...)
		}
	}
	start := len(dst)
	if off := in.BufferOffset(); off != 0 {
		dst = append(dst, " offset:"...)
		dst = strconv.AppendInt(dst, int64(off), 10)
	}
	p.markBufferOffset(dst, start)
	dst = p.rest(dst)
	if in.Field(isa.FieldTfe) != 0 {
		dst = append(dst, " tfe"...)
	}
	if in.Field(isa.FieldLds) != 0 && !p.traits.Any(isa.TraitLdsonly) {
		dst = append(dst, " lds"...)
	}
	return dst
}

// storeLds appends the operands of buffer_store_lds_dword, whose text has no
// vector address.
func (p *printer) storeLds(dst []byte) []byte {
	dst = p.resource(dst)
	dst = p.soffset(p.sep(dst))
	if off := p.in.BufferOffset(); off != 0 {
		dst = strconv.AppendInt(append(dst, " offset:"...), int64(off), 10)
	}
	return p.rest(append(dst, " lds"...))
}

// Operands for a buffer's resource, by the name of the field.
var (
	rsrc  = isa.OperandInfo{Field: isa.FieldRsrc, Class: isa.ClassS4}
	srsrc = isa.OperandInfo{Field: isa.FieldSrsrc, Class: isa.ClassS4}
)

// resource appends a buffer's resource.
func (p *printer) resource(dst []byte) []byte {
	dst = p.sep(dst)
	start := len(dst)
	dst, _ = isa.AppendSReg(dst, p.in.Set, p.in.BufferResource(), 4)
	o := &srsrc
	if p.in.HasField(isa.FieldRsrc) {
		o = &rsrc
	}
	p.markSource(dst, start, o, isa.SourceMods{})
	return dst
}

// soffset appends a scalar offset: a register or an inline constant.
func (p *printer) soffset(dst []byte) []byte {
	o := isa.OperandInfo{Field: isa.FieldSoffset, Class: isa.ClassS1, Type: isa.I32}
	start := len(dst)
	dst = p.value(dst, &o, p.in.Operand(&o))
	if p.rec != nil && p.in.LiteralSize() == 0 {
		p.note(start, len(dst), pieceKey{class: o.Class, typ: o.Type, state: stateSoffset, plain: plain{kind: plainSource, sgpr: 1, ints: true}}, p.in.Place(o.Field))
	}
	return dst
}

// export appends the operands of an export: target and four sources.
func (p *printer) export(dst []byte) []byte {
	in := p.in
	dst = append(dst, ' ')
	start := len(dst)
	dst = isa.AppendExpTarget(dst, in.Set, in.Field(isa.FieldTgt))
	p.markField(dst, start, isa.FieldTgt)
	en, compr := in.Field(isa.FieldEn), in.Field(isa.FieldCompr)
	srcs := [4]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3}
	sep := " "
	for i := range srcs {
		dst = append(dst, sep...)
		sep = ", "
		f := srcs[i]
		if compr != 0 {
			f = srcs[i/2]
		}
		if en>>i&1 == 0 {
			dst = append(dst, "off"...)
			continue
		}
		start := len(dst)
		dst = append(dst, 'v')
		dst = appendSmall(dst, uint(in.Field(f)))
		p.markVGPRs(dst, start, &isa.OperandInfo{Field: f, Class: isa.ClassV1}, 1)
	}
	for _, m := range [...]struct {
		f    isa.Field
		text string
	}{{isa.FieldDone, " done"}, {isa.FieldCompr, " compr"}, {isa.FieldVm, " vm"}, {isa.FieldRowEn, " row_en"}} {
		start := len(dst)
		if in.Field(m.f) != 0 {
			dst = append(dst, m.text...)
		}
		if m.f == isa.FieldDone || m.f == isa.FieldVm {
			p.markField(dst, start, m.f)
		}
	}
	return dst
}
