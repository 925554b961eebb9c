package asm

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// encodeModifiers writes the modifiers that were read.
func (d *dialect) encodeModifiers(c *cand, ops []operand) {
	m := &d.stmt.mods
	if m.seen == 0 {
		return
	}
	for i := range c.fields {
		f := &c.fields[i]
		if !m.seen.has(f.id) {
			continue
		}
		if special[f.id] && c.form == isa.VOP3PX && (f.id == mOpSel || f.id == mOpSelHi) {
			d.enc.overwrite(f.at, uint32(m.val[f.id]))
			continue
		}
		if special[f.id] && (f.at.width == 0 || f.id != mFI) {
			d.encodeSpecialModifier(c, ops, f)
			continue
		}
		d.enc.overwrite(f.at, uint32(m.val[f.id]))
	}
}

// special marks the modifiers that are not simply copied to a field.
var special = [numMods]bool{
	mCPol: true, mOpSel: true, mOpSelHi: true, mNegLo: true, mNegHi: true, mFI: true, mBitOp3: true,
	mIndexKey: true, mByteSel: true,
	mMatrixAFmt: true, mMatrixBFmt: true, mMatrixAReuse: true, mMatrixBReuse: true,
	mMatrixAScale: true, mMatrixBScale: true, mMatrixAScaleFmt: true, mMatrixBScaleFmt: true, mScaleSel: true,
}

func (d *dialect) encodeSpecialModifier(c *cand, ops []operand, f *modField) {
	v := uint32(d.stmt.mods.val[f.id])
	switch f.id {
	case mOpSel:
		d.encodeOpSel(c, ops, v)
		return
	case mOpSelHi:
		v = v&uint32(c.srcMods) | uint32(c.implicitHi)
	case mNegLo, mNegHi:
		d.encodeNeg(c, f.id, v)
		return
	}
	in := d.inst(c.enc)
	switch f.id {
	case mCPol:
		in.SetCPol(d.stmt.mods.cpol)
	case mOpSelHi:
		in.SetOpSelHi(v)
	case mFI:
		in.SetFetchInactive(v != 0)
	case mBitOp3:
		in.SetBitOp3(v)
	case mByteSel:
		in.SetByteSel(v)
	case mScaleSel:
		in.SetScaleSel(v)
	case mIndexKey:
		in.SetNativeField(isa.FieldOpSel, v)
	default:
		in.SetMatrix(f.field, v)
	}
	copy(d.enc.words[:], in.Words[:])
}

// encodeOpSel writes op_sel: a bit for each source that has one, followed by
// one for the result. It does not change register halves named .l and .h.
func (d *dialect) encodeOpSel(c *cand, ops []operand, v uint32) {
	e := &d.enc
	if c.opSel.width == 0 {
		return
	}
	for i := range c.specs {
		s := &c.specs[i]
		if s.src >= 0 && s.sel && ops[i].half == 0 {
			e.overwrite(c.opSel.bitOf(uint8(s.src)), v>>s.src&1)
		}
	}
	for i := range c.opSel.width {
		if c.plainSel>>i&1 != 0 {
			e.overwrite(c.opSel.bitOf(i), v>>i&1)
		}
	}
	if c.dstSel >= 0 && ops[0].half == 0 {
		e.overwrite(c.opSel.bitOf(3), v>>c.dstSel&1)
	}
}

// encodeNeg writes neg_lo or neg_hi in addition to neg and abs of sources.
func (d *dialect) encodeNeg(c *cand, id modID, v uint32) {
	p, hi := c.negLo, isa.FieldNeg2
	if id == mNegHi {
		p, hi = c.negHi, isa.FieldNegHi2
	}
	if c.form == isa.VOP3PX { // of source 2 only
		in := d.inst(c.enc)
		in.SetField(hi, v>>2&1)
		copy(d.enc.words[:], in.Words[:])
		return
	}
	for i := range p.width {
		if c.srcMods>>i&1 != 0 && v>>i&1 != 0 {
			d.enc.overwrite(p.bitOf(i), 1)
		}
	}
}
