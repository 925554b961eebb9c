package clrx

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// shown returns the bits of a form that the text of an instruction shows.
type shown func(p *Printer, r *clrxsyntax.Row, at *places) uint64

// kind is how an instruction's operands are printed.
type kind uint8

const (
	kindScalar kind = iota
	kindSOPK
	kindSOPP
	kindSMRD
	kindSMEM
	kindShort
	kindLong
	kindLongInterp
	kindPacked
	kindInterp
	kindDS
	kindFlat
	kindBuffer
	kindImage
	kindExport
)

// forms lists how the forms are printed, and the bits that their texts show.
var forms = [...]struct {
	kind  kind
	shown shown
}{
	isa.SOP2:       {kindScalar, shownScalar},
	isa.SOP1:       {kindScalar, shownScalar},
	isa.SOPC:       {kindScalar, shownScalar},
	isa.SOPK:       {kindSOPK, shownScalar},
	isa.SOPP:       {kindSOPP, shownScalar},
	isa.SMRD:       {kindSMRD, shownScalarMemory},
	isa.SMEM:       {kindSMEM, shownScalarMemory},
	isa.VOP2:       {kindShort, shownShort},
	isa.VOP1:       {kindShort, shownShort},
	isa.VOPC:       {kindShort, shownShort},
	isa.VOP3:       {kindLong, shownLong},
	isa.VOP3INTERP: {kindLongInterp, shownLongInterp},
	isa.VOP3P:      {kindPacked, shownPacked},
	isa.VINTRP:     {kindInterp, shownInterp},
	isa.DS:         {kindDS, shownDS},
	isa.FLAT:       {kindFlat, shownFlat},
	isa.MUBUF:      {kindBuffer, shownBuffer},
	isa.MTBUF:      {kindBuffer, shownBuffer},
	isa.MIMG:       {kindImage, shownImage},
	isa.EXP:        {kindExport, shownExport},
}

// operands appends the operands of an instruction. It returns false for one
// that the syntax cannot express.
func (p *Printer) operands(dst []byte, x *inst) ([]byte, bool) {
	switch x.kind {
	case kindScalar:
		return p.scalar(dst, x)
	case kindSOPK:
		return p.sopk(dst, x)
	case kindSOPP:
		return p.sopp(dst, x)
	case kindSMRD:
		return p.smrd(dst, x)
	case kindSMEM:
		return p.smem(dst, x)
	case kindShort:
		return p.short(dst, x)
	case kindLong:
		return p.long(dst, x)
	case kindLongInterp:
		return p.longInterp(dst, x)
	case kindPacked:
		return p.packed(dst, x)
	case kindInterp:
		return p.interp(dst, x)
	case kindDS:
		return p.ds(dst, x)
	case kindFlat:
		return p.flat(dst, x)
	case kindBuffer:
		return p.buffer(dst, x)
	case kindImage:
		return p.image(dst, x)
	}
	return p.export(dst, x)
}

// addForm adds the entries of a form, and leads to them from the top bits of
// the first dword unless a form that more bits identify has them.
func (p *Printer) addForm(f isa.Form, set *patternSet) {
	mask, value, dwords := f.Match(p.arch.Set())
	if dwords == 0 || p.place[f][isa.FieldOp].Width == 0 && f != isa.EXP {
		return
	}
	op := p.place[f][isa.FieldOp]
	d := decode{op: op, dwords: dwords}
	width := op.Width
	if f == isa.FLAT && p.arch >= clrxsyntax.GCN12 {
		d.seg = p.place[f][isa.FieldSeg]
		width += d.seg.Width
	}
	d.entries, d.patterns = make([]entry, 1<<width), make([]*pattern, 1<<width)
	opcode := uint64(mask)&(1<<9-1)<<23 | field(op) | field(d.seg) // bits by which an entry is found
	for code := range d.entries {
		if r := p.row(f, uint32(code), op.Width); r != nil {
			d.entries[code] = p.entry(f, r, uint64(value), dwords)
			d.patterns[code] = set.of(&d.entries[code], opcode, dwords)
		}
	}
	for top := range p.tops {
		if w := uint32(top) << 23; w&mask == value && p.less(uint32(top), mask) {
			p.tops[top] = uint8(len(p.decodes))
			p.likely[top] = [2]uint8{uint8(4 * dwords), 8}
		}
	}
	p.decodes = append(p.decodes, d)
}

// less reports whether a form with a mask is more specific than the one that
// the top bits lead to.
func (p *Printer) less(top, mask uint32) bool {
	d := &p.decodes[p.tops[top]]
	if d.entries == nil {
		return true
	}
	for i := range d.entries {
		if r := d.entries[i].row; r != nil {
			other, _, _ := r.Form.Match(p.arch.Set())
			return bits.OnesCount32(mask) > bits.OnesCount32(other)
		}
	}
	return true
}

// row returns the instruction with an opcode.
func (p *Printer) row(f isa.Form, code uint32, width uint8) *clrxsyntax.Row {
	if f == isa.FLAT {
		return p.table.Segment(code>>width, code&(1<<width-1))
	}
	return p.table.Coded(f, code)
}

// entry returns the entry of an instruction in a form.
func (p *Printer) entry(f isa.Form, r *clrxsyntax.Row, base uint64, dwords int) entry {
	long := f == isa.VOP3
	if long && (r.Form == isa.VOP3INTERP || r.Form == isa.VINTRP) {
		f = isa.VOP3INTERP
	}
	at := p.at[f]
	if at == nil {
		at = newPlaces(&p.place[f])
		p.at[f] = at
	}
	how := forms[f]
	e := entry{row: r, kind: how.kind, at: at, length: uint8(len(r.Name))}
	if copy(e.name[:], p.padded(r.Name)); hasOperands(r) {
		e.length = uint8(len(p.padded(r.Name)))
	}
	all := ^uint64(0) >> (64 - 32*dwords)
	e.mask = all &^ how.shown(p, r, at)
	code := uint64(r.Code)
	if long && r.Code3 != clrxsyntax.NoCode {
		code = uint64(r.Code3)
	}
	op := p.place[f][isa.FieldOp]
	e.val = (base | code<<op.Shift) & e.mask
	if f == isa.FLAT && at.seg.Width != 0 {
		e.val |= uint64(r.Segment()) << at.seg.Shift & e.mask
	}
	return e
}

// hasOperands reports whether an instruction has operands.
func hasOperands(r *clrxsyntax.Row) bool {
	switch r.Form {
	case isa.SOPP:
		return r.Imm != clrxsyntax.ImmNone
	case isa.EXP:
		return true
	case isa.VOP1:
		return r.Dst != 0
	}
	return !r.Flags.Has(clrxsyntax.NoOperands)
}
