package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// encodeModifiers writes the modifiers that were read.
func (m *Matcher) encodeModifiers(c *candidate, ops []Operand) {
	mods := &m.stmt.Mods
	if mods.Seen == 0 {
		return
	}
	for i := range c.fields {
		f := &c.fields[i]
		if !mods.Seen.Has(f.id) {
			continue
		}
		if special[f.id] && c.form == isa.VOP3PX && (f.id == ModOpSel || f.id == ModOpSelHi) {
			m.enc.overwriteBits(f.at, uint32(mods.Val[f.id]))
			continue
		}
		if special[f.id] && (f.at.width == 0 || f.id != ModFI) {
			m.encodeSpecialModifier(c, ops, f)
			continue
		}
		m.enc.overwriteBits(f.at, uint32(mods.Val[f.id]))
	}
}

// special marks the modifiers that are not simply copied to a field.
var special = [NumModifiers]bool{
	ModCPol: true, ModOpSel: true, ModOpSelHi: true, ModNegLo: true, ModNegHi: true, ModFI: true, ModBitOp3: true,
	ModIndexKey: true, ModByteSel: true,
	ModMatrixAFmt: true, ModMatrixBFmt: true, ModMatrixAReuse: true, ModMatrixBReuse: true,
	ModMatrixAScale: true, ModMatrixBScale: true, ModMatrixAScaleFmt: true, ModMatrixBScaleFmt: true, ModScaleSel: true,
}

func (m *Matcher) encodeSpecialModifier(c *candidate, ops []Operand, f *modField) {
	v := uint32(m.stmt.Mods.Val[f.id])
	switch f.id {
	case ModOpSel:
		m.encodeOpSel(c, ops, v)
		return
	case ModOpSelHi:
		v = v&uint32(c.srcMods) | uint32(c.implicitHi)
	case ModNegLo, ModNegHi:
		m.encodeNeg(c, f.id, v)
		return
	}
	in := m.Inst()
	switch f.id {
	case ModCPol:
		in.SetCPol(m.stmt.Mods.CPol)
	case ModOpSelHi:
		in.SetOpSelHi(v)
	case ModFI:
		in.SetFetchInactive(v != 0)
	case ModBitOp3:
		in.SetBitOp3(v)
	case ModByteSel:
		in.SetByteSel(v)
	case ModScaleSel:
		in.SetScaleSel(v)
	case ModIndexKey:
		in.SetNativeField(isa.FieldOpSel, v)
	default:
		in.SetMatrix(f.field, v)
	}
	copy(m.enc.Words[:], in.Words[:])
}

// encodeOpSel writes op_sel: a bit for each source that has one, followed by
// one for the result. It does not change register halves named .l and .h.
func (m *Matcher) encodeOpSel(c *candidate, ops []Operand, v uint32) {
	e := &m.enc
	if c.opSel.width == 0 {
		return
	}
	for i := range c.specs {
		s := &c.specs[i]
		if s.src >= 0 && s.sel && ops[i].Half == 0 {
			e.overwriteBits(c.opSel.bitOf(uint8(s.src)), v>>s.src&1)
		}
	}
	for i := range c.opSel.width {
		if c.plainSel>>i&1 != 0 {
			e.overwriteBits(c.opSel.bitOf(i), v>>i&1)
		}
	}
	if c.dstSel >= 0 && ops[0].Half == 0 {
		e.overwriteBits(c.opSel.bitOf(3), v>>c.dstSel&1)
	}
}

// encodeNeg writes neg_lo or neg_hi in addition to neg and abs of sources.
func (m *Matcher) encodeNeg(c *candidate, id Modifier, v uint32) {
	p, hi := c.negLo, isa.FieldNeg2
	if id == ModNegHi {
		p, hi = c.negHi, isa.FieldNegHi2
	}
	if c.form == isa.VOP3PX { // of source 2 only
		in := m.Inst()
		in.SetField(hi, v>>2&1)
		copy(m.enc.Words[:], in.Words[:])
		return
	}
	for i := range p.width {
		if c.srcMods>>i&1 != 0 && v>>i&1 != 0 {
			m.enc.overwriteBits(p.bitOf(i), 1)
		}
	}
}
