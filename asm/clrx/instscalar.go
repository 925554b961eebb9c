package clrx

import (
	"bytes"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// scalarRules returns the rules for a scalar source of n dwords.
func scalarRules(n uint8) sourceRules {
	return sourceRules{regs: anyScalar | anySource, dwords: int(n)}
}

// scalarInst assembles SOP1, SOP2 and SOPC.
func (p *parser) scalarInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	good, first := true, true
	if r.Dst != 0 {
		d, ok := p.scalarReg(int(r.Dst), aligned)
		e.setField(isa.FieldSdst, d.first)
		p.noteResult(d)
		good, first = ok, false
	}
	for i, f := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1} {
		if r.Src[i] == 0 {
			break
		}
		if !first && !p.comma() {
			return
		}
		first = false
		if i == 1 && r.Flags.Has(clrxsyntax.IndexMode) {
			v, ok := p.fieldValue(lateIndexMode, "the index mode")
			e.setField(f, v)
			good = good && ok
			continue
		}
		rules := scalarRules(r.Src[i])
		o, ok := p.readSource(&rules)
		e.setField(f, o.num)
		good = good && ok
	}
	if p.finish() && good {
		p.emitInst(&e, 1)
	}
}

// sopkInst assembles SOPK.
func (p *parser) sopkInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	good := true
	imm := func() {
		var v int
		ok := true
		switch r.Imm {
		case clrxsyntax.ImmHwreg, clrxsyntax.ImmHwregSrc, clrxsyntax.ImmHwreg32:
			v, ok = p.hwreg()
		case clrxsyntax.ImmBranch:
			v, ok = p.branchTarget()
		default:
			v, ok = p.fieldValue(lateImm16, "a number")
		}
		e.setField(isa.FieldSimm16, v)
		good = good && ok
	}
	reg := func() {
		d, ok := p.scalarReg(int(r.Dst), aligned)
		e.setField(isa.FieldSdst, d.first)
		if r.Imm != clrxsyntax.ImmHwregSrc {
			p.noteResult(d)
		}
		good = good && ok
	}
	before, after := reg, imm
	switch r.Imm {
	case clrxsyntax.ImmHwregSrc:
		before, after = imm, reg
	case clrxsyntax.ImmHwreg32:
		before, after = imm, func() { good = p.wordLiteral() && good }
	}
	before()
	if !good && r.Imm != clrxsyntax.ImmHwreg && p.atEnd() || !p.comma() {
		return
	}
	after()
	if p.finish() && good {
		p.emitInst(&e, 1)
	}
}

// wordLiteral reads the mandatory literal of an instruction.
func (p *parser) wordLiteral() bool {
	at := p.skipTo()
	_, ok := p.constantSource(at, &sourceRules{forced: true, dwords: 1})
	return ok
}

// soppInst assembles SOPP.
func (p *parser) soppInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	v, ok := 0, true
	switch r.Imm {
	case clrxsyntax.ImmNone:
	case clrxsyntax.ImmBranch:
		v, ok = p.branchTarget()
	case clrxsyntax.ImmWait:
		v, ok = p.waitCounts()
	case clrxsyntax.ImmMessage:
		v, ok = p.sendMessage()
	default:
		v, ok = p.fieldValue(lateImm16, "a number")
	}
	e.setField(isa.FieldSimm16, v)
	if p.finish() && ok {
		p.emitInst(&e, 1)
	}
}

// branchTarget reads a branch target: a place in the code.
func (p *parser) branchTarget() (imm int, ok bool) {
	at := p.skipTo()
	v, ok := p.expression()
	switch {
	case !ok:
		return 0, false
	case v.empty:
		p.errorAt(at, "expected a branch target")
		return 0, false
	case v.late != nil:
		p.deferField(lateBranch, v.late)
		return 0, true
	case p.cur.kind == codeSection && int(v.sect) != p.section, p.cur.kind != codeSection && v.sect != absolute:
		p.errorIn(at, p.pos, "branch target is not in the code of the branch")
		return 0, false
	}
	d, problem := branchDistance(v.num, uint64(len(p.cur.data)))
	if problem != "" {
		p.errorAt(p.pos, "%s", problem)
		return 0, false
	}
	return int(d), true
}

// counters are the counters of a wait, with the places of their values: the low
// bits and, on GCN 1.4, further ones.
var counters = [...]struct {
	name        string
	shift, bits uint8
	more        uint8 // shift of the further bits on GCN 1.4
}{
	{"vmcnt", 0, 4, 14},
	{"lgkmcnt", 8, 4, 0},
	{"expcnt", 4, 3, 0},
}

// waitCounts reads vmcnt(1) & lgkmcnt(2). Absent counters are at their maximum.
func (p *parser) waitCounts() (imm int, ok bool) {
	imm = 0xf7f
	if p.isa.arch == clrxsyntax.GCN14 {
		imm = 0xcf7f
	}
	for {
		if !p.waitCount(&imm) {
			return 0, false
		}
		if p.atEnd() {
			return imm, true
		}
		p.accept('&')
	}
}

// waitCount reads the value of one counter into imm.
func (p *parser) waitCount(imm *int) bool {
	at := p.skipTo()
	name := p.lower(p.name())
	if len(name) == 0 {
		p.errorAt(at, "expected vmcnt, expcnt or lgkmcnt")
		p.errorAt(p.pos, "expected '(' after the counter")
		p.pos = p.end
		return false
	}
	for i := range counters {
		c := &counters[i]
		if c.name != string(name) {
			continue
		}
		if !p.accept('(') {
			break
		}
		value := p.skipTo()
		v, ok := p.required()
		if !ok {
			if value == p.end {
				p.errorAt(p.pos, "expected ')' after the value of the counter")
			}
			p.pos = p.end
			return false
		}
		if !p.accept(')') {
			p.errorAt(p.pos, "expected ')' after the value of the counter")
			p.pos = p.end
			return false
		}
		p.setCount(imm, i, v, value)
		return true
	}
	p.errorIn(at, max(p.pos, at+1), "expected vmcnt(…), expcnt(…) or lgkmcnt(…)")
	p.pos = p.end
	return false
}

// setCount sets the value of counter i.
func (p *parser) setCount(imm *int, i int, v uint64, at int) {
	c := &counters[i]
	bits := uint(c.bits)
	more := c.more != 0 && p.isa.arch == clrxsyntax.GCN14
	if more {
		bits += 2
	}
	p.warnUnsigned(bits, v, at)
	low := 1<<c.bits - 1
	*imm = *imm&^(low<<c.shift) | int(v)&low<<c.shift
	if more {
		*imm = *imm&0x3fff | int(v>>c.bits)&3<<c.more
	}
}

// choice reads the name of a value, or @ and its number below 1 << bits.
func (p *parser) choice(list clrxsyntax.Choices, prefix, what string, bits uint) (v int, ok bool) {
	at := p.skipTo()
	if p.accept('@') {
		at = p.skipTo()
		n, ok := p.required()
		if ok {
			p.warnUnsigned(bits, n, at)
		}
		return int(n & (1<<bits - 1)), ok
	}
	for p.pos < p.end && (isNameByte(p.src[p.pos]) || p.src[p.pos] == '-' && p.pos > at) {
		p.pos++
	}
	name := bytes.TrimPrefix(p.lower(p.src[at:p.pos]), []byte(prefix))
	if v, ok = list.Value(p.isa.arch, name); ok {
		return v, true
	}
	p.errorIn(at, max(p.pos, at+1), "expected %s, found '%s'", what, p.src[at:p.pos])
	return 0, false
}

// call reads the name of a function and its parenthesis.
func (p *parser) call(name string) bool {
	at := p.skipTo()
	if n := p.keyword(name); n > 0 {
		p.pos += n
		if p.accept('(') {
			return true
		}
		p.errorAt(p.pos, "expected '(' after %s", name)
		p.pos = p.end
		return false
	}
	p.errorAt(at, "expected %s(…)", name)
	p.pos = p.end
	return false
}

// closeCall reads the parenthesis at the end of a call.
func (p *parser) closeCall(name string) bool {
	if p.accept(')') {
		return true
	}
	p.errorAt(p.pos, "expected ')' at the end of %s(…)", name)
	p.pos = p.end
	return false
}

// hwreg reads hwreg(mode, 0, 8): a register, the first bit and the number of
// bits.
func (p *parser) hwreg() (imm int, ok bool) {
	if !p.call("hwreg") {
		return 0, false
	}
	reg, good := p.choice(clrxsyntax.Hwregs, clrxsyntax.HwregPrefix, "a hardware register", 6)
	if !p.comma() {
		p.pos = p.end
		return 0, false
	}
	at := p.skipTo()
	first, ok := p.required()
	good = good && ok
	if ok {
		p.warnUnsigned(5, first, at)
	}
	if !p.comma() {
		p.pos = p.end
		return 0, false
	}
	at = p.skipTo()
	size, ok := p.required()
	if ok && (size == 0 || size > 32) {
		p.warnUnsigned(5, size-1, at)
	}
	if !p.closeCall("hwreg") || !good || !ok {
		p.pos = p.end
		return 0, false
	}
	return reg | int(first&31)<<6 | int((size-1)&31)<<11, true
}

// sendMessage reads sendmsg(gs, emit, 1).
func (p *parser) sendMessage() (imm int, ok bool) {
	if !p.call("sendmsg") {
		return 0, false
	}
	imm, good := p.choice(clrxsyntax.Messages, clrxsyntax.MsgPrefix, "a message", 4)
	if good && (imm == clrxsyntax.MsgGS || imm == clrxsyntax.MsgGSDone) {
		if !p.comma() {
			p.pos = p.end
			return 0, false
		}
		op, stream, ok := p.messageOp()
		if !ok {
			p.pos = p.end
			return 0, false
		}
		imm |= op<<4 | stream<<8
	}
	if !good {
		p.pos = p.end
		return 0, false
	}
	return imm, p.closeCall("sendmsg")
}

// messageOp reads the operation of a message, and the stream of one that is not
// nop.
func (p *parser) messageOp() (op, stream int, ok bool) {
	op, ok = p.choice(clrxsyntax.GSOps, clrxsyntax.GSOpPrefix, "an operation of the message", 2)
	if !ok || op == 0 {
		return op, 0, ok
	}
	if !p.comma() {
		return 0, 0, false
	}
	at := p.skipTo()
	v, ok := p.required()
	if ok {
		p.warnUnsigned(2, v, at)
	}
	return op, int(v & 3), ok
}

// scalarMemory assembles SMRD and SMEM.
func (p *parser) scalarMemory(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	dwords := 1
	if r.Form == isa.SMEM {
		dwords = 2
	}
	good := true
	var data regs
	switch {
	case r.Flags.Has(clrxsyntax.NoOperands):
		if p.finish() {
			p.emitInst(&e, dwords)
		}
		return
	case r.Flags.Has(clrxsyntax.Probe):
		v, ok := p.fieldValue(lateProbe, "a number")
		e.setField(isa.FieldSdst, v)
		good = ok
	case r.Dst != 0:
		data, good = p.scalarReg(int(r.Dst), aligned)
		e.setField(isa.FieldSdst, data.first)
	}
	if r.Addr != 0 {
		if r.Dst != 0 && !p.comma() {
			return
		}
		b, ok := p.scalarReg(int(r.Addr), aligned)
		e.setField(isa.FieldSbase, b.first>>1)
		good = good && ok
		if !p.comma() {
			return
		}
		ok = p.scalarOffset(r, &e)
		good = good && ok
	}
	if r.Form == isa.SMEM && r.Addr != 0 {
		ok := p.scalarModifiers(&e)
		good = good && ok
	}
	if p.finish() && good {
		if glc := e.place[isa.FieldGlc]; writesData(r, e.w>>glc.Shift&1 != 0) {
			p.noteResult(data)
		}
		p.emitInst(&e, dwords)
	}
}

// scalarOffset reads the offset of a scalar memory instruction: a register or a
// number.
func (p *parser) scalarOffset(r *clrxsyntax.Row, e *encoded) bool {
	at := p.skipTo()
	o, found, ok := p.registers(anyScalar)
	switch {
	case !ok:
		return false
	case found:
		if !p.checkCount(at, o, 1, 1) {
			return false
		}
		if p.isa.arch == clrxsyntax.GCN12 && o.first != clrxsyntax.SrcM0 && r.Flags.Has(clrxsyntax.Store|clrxsyntax.Atomic) {
			p.errorIn(at, p.pos, "the offset of a store is m0 or a number")
			return false
		}
		e.setField(isa.FieldOffset, o.first)
		return true
	case p.isa.arch == clrxsyntax.GCN11:
		return p.wideOffset(at, e)
	}
	field := lateSmrdOffset
	switch p.isa.arch {
	case clrxsyntax.GCN12:
		field = lateSmemOffset20
	case clrxsyntax.GCN14:
		field = lateSmemOffset21
	}
	e.setField(isa.FieldImm, 1)
	v, ok := p.fieldValue(field, "an offset")
	e.setField(isa.FieldOffset, v)
	return ok
}

// wideOffset reads the offset of GCN 1.1: a number that does not fit in 8 bits is
// a literal. One that is not known yet must fit.
func (p *parser) wideOffset(at int, e *encoded) bool {
	if n := p.keyword("lit"); n > 0 {
		save := p.pos
		p.pos += n
		if p.accept('(') {
			_, ok := p.literalSource(at, &sourceRules{})
			e.setField(isa.FieldOffset, clrxsyntax.SrcLiteral)
			return ok
		}
		p.pos = save
	}
	p.accept('@')
	start := p.skipTo()
	v, ok := p.expression()
	switch {
	case !ok:
		return false
	case v.empty:
		p.errorAt(start, "expected an offset")
		return false
	case v.sect != absolute:
		p.errorIn(start, p.pos, "expected a number, not a place in the code")
		return false
	case v.late != nil:
		e.setField(isa.FieldImm, 1)
		p.deferField(lateSmrdOffset, v.late)
		return true
	case v.num <= 0xff:
		e.setField(isa.FieldImm, 1)
		e.setField(isa.FieldOffset, int(v.num))
		return true
	}
	p.warnRange(32, v.num, start)
	e.setField(isa.FieldOffset, clrxsyntax.SrcLiteral)
	_, ok = p.setLiteral(at, uint32(v.num), nil, &sourceRules{})
	return ok
}

// scalarModifiers reads glc, nv and offset.
func (p *parser) scalarModifiers(e *encoded) bool {
	good := true
	glc, nv := false, false
	for !p.atEnd() {
		at := p.pos
		ok := false
		switch name := string(p.lower(p.name())); {
		case name == "glc":
			ok = p.flagValue(&glc)
		case name == "nv" && p.isa.arch == clrxsyntax.GCN14:
			ok = p.flagValue(&nv)
		case name == "offset" && p.isa.arch == clrxsyntax.GCN14:
			ok = p.secondOffset(at, e)
		default:
			p.unknownModifier(at)
		}
		good = good && ok
	}
	e.setBool(isa.FieldGlc, glc)
	e.setBool(isa.FieldNv, nv)
	return good
}

// secondOffset reads the number that is added to the register of a scalar
// memory instruction, which moves to its own field.
func (p *parser) secondOffset(at int, e *encoded) bool {
	imm := e.place[isa.FieldImm]
	if e.w>>imm.Shift&1 != 0 {
		p.errorIn(at, p.pos, "the instruction has an offset already")
		return false
	}
	if !p.colon() {
		return false
	}
	v, ok := p.fieldValue(lateSmemOffset21, "an offset")
	off := e.place[isa.FieldOffset]
	reg := int(e.w >> off.Shift & 127)
	e.w &^= (1<<off.Width - 1) << off.Shift
	e.setField(isa.FieldSoffset, reg)
	e.setField(isa.FieldSoffsetEn, 1)
	e.setField(isa.FieldImm, 1)
	e.setField(isa.FieldOffset, v)
	return ok
}
