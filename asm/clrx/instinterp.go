package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// interpInst assembles VINTRP, and interpolations in VOP3.
func (p *parser) interpInst(r *clrxsyntax.Row) {
	x := vector{r: r}
	var good, ok bool
	x.dst, good = p.vectorReg(1)
	if !p.comma() {
		return
	}
	x.n = 1
	if r.Flags.Has(clrxsyntax.ParamSlot) {
		x.src[0].num, ok = p.paramSlot()
	} else {
		x.src[0], ok = p.interpSource(r, anyVector)
	}
	good = good && ok
	if !p.comma() {
		return
	}
	attr, channel, ok := p.attribute()
	if !ok {
		return
	}
	if r.Flags.Has(clrxsyntax.Interp2) {
		if !p.comma() {
			return
		}
		x.src[1], ok = p.interpSource(r, anyVector|anyScalar|anySource)
		x.n++
		good = good && ok
	}
	if p.isa.arch < clrxsyntax.GCN12 {
		ok = p.finish()
	} else {
		ok = p.vectorModifiers(&x)
	}
	if !ok || !good {
		return
	}
	p.sourceModifiers(&x)
	p.noteResult(x.dst)
	p.encodeInterp(&x, attr, channel)
}

// interpSource reads a source of an interpolation.
func (p *parser) interpSource(r *clrxsyntax.Row, kinds regKinds) (o operand, ok bool) {
	rules := sourceRules{regs: kinds, dwords: 1, only: true, mods: r.Code3 != clrxsyntax.NoCode || r.Form == isa.VOP3INTERP}
	if kinds == anyVector {
		rules.forced = true // no constants
	}
	return p.modifiedSource(&rules)
}

// paramSlot reads p10, p20 or p0.
func (p *parser) paramSlot() (v int, ok bool) {
	at := p.skipTo()
	name := string(p.lower(p.name()))
	for i, s := range clrxsyntax.Params {
		if s == name {
			return i, true
		}
	}
	p.errorIn(at, max(p.pos, at+1), "expected p10, p20 or p0")
	return 0, false
}

// attribute reads attr3.y.
func (p *parser) attribute() (attr, channel int, ok bool) {
	at := p.skipTo()
	if p.end-p.pos < 4 || string(p.lower(p.src[p.pos:p.pos+4])) != "attr" {
		p.errorAt(at, "expected an attribute")
		return 0, 0, false
	}
	p.pos += 4
	start := p.pos
	for isDigit(p.byteAt(p.pos)) && attr < 64 {
		attr = attr*10 + int(p.src[p.pos]-'0')
		p.pos++
	}
	switch {
	case p.pos == start:
		p.errorAt(p.pos, "expected the number of the attribute")
		return 0, 0, false
	case attr > 63:
		p.errorIn(at, p.pos, "attribute is out of range: the last one is 63")
		return 0, 0, false
	case p.byteAt(p.pos) != '.':
		p.errorAt(p.pos, "expected '.' after the attribute")
		return 0, 0, false
	}
	p.pos++
	for i := range 4 {
		if p.byteAt(p.pos)|0x20 == "xyzw"[i] && !isNameByte(p.byteAt(p.pos+1)) {
			p.pos++
			return attr, i, true
		}
	}
	p.errorAt(p.pos, "expected x, y, z or w")
	return 0, 0, false
}

// encodeInterp emits an interpolation.
func (p *parser) encodeInterp(x *vector, attr, channel int) {
	r, m := x.r, &x.mods
	long := r.Form == isa.VOP3INTERP || m.vop3 || m.clamp || m.omod != 0 || m.high || m.hasList[listOpSel] || x.src[0].neg || x.src[0].abs
	form, code := isa.VINTRP, r.Code
	if long {
		form = isa.VOP3INTERP
		if r.Form == isa.VINTRP {
			code = r.Code3
		}
	}
	if code == clrxsyntax.NoCode {
		p.errorAt(p.isa.at, "the instruction has no long form")
		return
	}
	e := p.encode(form, code)
	e.setField(isa.FieldVdst, x.dst.first)
	e.setField(isa.FieldAttr, attr)
	e.setField(isa.FieldAttrchan, channel)
	e.setField(isa.FieldSrc0, x.src[0].num)
	if !long {
		p.emitInst(&e, 1)
		return
	}
	e.setField(isa.FieldSrc1, x.src[1].num)
	neg, abs := 0, 0
	for i := range 2 {
		if x.src[i].neg {
			neg |= 1 << i
		}
		if x.src[i].abs {
			abs |= 1 << i
		}
	}
	e.setField(isa.FieldNeg, neg)
	e.setField(isa.FieldAbs, abs)
	e.setField(isa.FieldOmod, m.omod)
	e.setField(isa.FieldOpSel, m.lists[listOpSel])
	e.setBool(isa.FieldClamp, m.clamp)
	e.setBool(isa.FieldHigh, m.high)
	p.emitInst(&e, 2)
}
