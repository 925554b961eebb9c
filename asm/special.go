package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// Operands with special syntax.

// specialFunc reads an operand with special syntax. For an ordinary operand, it
// returns done = false without moving the cursor.
type specialFunc func(d *dialect) (done, ok bool)

// specialReaders lists the readers of operands with special syntax.
var specialReaders = [asmmatch.NumSyntaxes]specialFunc{
	asmmatch.SyntaxAttr: readAttr, asmmatch.SyntaxBranch: readBranch, asmmatch.SyntaxDelay: readDelay, asmmatch.SyntaxDepCtr: readDepCtr,
	asmmatch.SyntaxEndpgm: readEndpgm, asmmatch.SyntaxExpTarget: readExpTarget, asmmatch.SyntaxGprIdx: readGprIdx, asmmatch.SyntaxHwreg: readHwreg,
	asmmatch.SyntaxMsg: readSendMsg, asmmatch.SyntaxSlot: readSlot, asmmatch.SyntaxWaitcnt: readWaitcnt,
}

// addSpecial adds the operand of a value that was read from start on.
func (d *dialect) addSpecial(v int64, start int) (done, ok bool) {
	o := d.addOperand(asmmatch.KindSpecial, start)
	if o == nil {
		return true, false
	}
	o.Val, o.End = v, int32(d.p.Pos)
	return true, true
}

// atCall reports whether a name and a parenthesis are at the cursor, and
// returns the name. It does not move the cursor.
func (d *dialect) atCall() (name []byte, is bool) {
	p := d.p
	pos := p.Pos
	start, end := p.Ident()
	is = start != end && p.Peek() == '('
	p.Pos = pos
	return p.Src[start:end], is
}

// call reads name( and returns the position of the name.
func (d *dialect) call(what string) (start, end int, ok bool) {
	p := d.p
	start, end = p.Ident()
	if start == end {
		p.Errorf(start, start+1, "expected %s", what)
		return start, end, false
	}
	return start, end, d.close('(', "expected a left parenthesis")
}

// number16 reads a plain number as the operand. It must fit in 16 bits, signed
// or unsigned.
func (d *dialect) number16(what string) (done, ok bool) {
	p := d.p
	start := p.Pos
	v, ok := d.abs(what)
	if !ok {
		return true, false
	}
	if v < -1<<15 || v >= 1<<16 {
		p.Errorf(start, p.Pos, "invalid immediate: only 16-bit values are legal")
		return true, false
	}
	return d.addSpecial(v&0xffff, start)
}

// readBranch reads the target of a branch: a label, or a number of dwords.
func readBranch(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if d.atRegister() {
		return false, true
	}
	v, ok := p.Expr()
	if !ok {
		return true, false
	}
	o := d.addOperand(asmmatch.KindSpecial, start)
	if o == nil {
		return true, false
	}
	o.End = int32(p.Pos)
	if v.IsConst() {
		o.Val = v.Const
		if v.Const < -1<<15 || v.Const >= 1<<16 {
			p.Errorf(start, p.Pos, "expected a 16-bit signed jump offset")
			return true, false
		}
		return true, true
	}
	if !plainSymbol(p.Src[start:p.Pos]) {
		p.Errorf(start, p.Pos, "expected an absolute expression or a label")
		return true, false
	}
	o.Kind, d.stmt.exprs[d.stmt.NumOps-1] = asmmatch.KindExpr, v
	return true, true
}

// plainSymbol reports whether the text of an expression is one symbol, with or
// without parentheses or quotes, and not a sum.
func plainSymbol(text []byte) bool {
	quoted := false
	for i, c := range text {
		if c == '"' && (i == 0 || text[i-1] != '\\') {
			quoted = !quoted
		}
		switch {
		case quoted:
		case c-'0' <= 9, c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '.', c == '$', c == '@', c == '?', c == '"':
		case c == '(', c == ')', c == ' ', c == '\t':
		default:
			return false
		}
	}
	return true
}

// readWaitcnt reads vmcnt(0) & lgkmcnt(0) …, or a number.
func readWaitcnt(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if _, is := d.atCall(); !is {
		return d.number16("")
	}
	v := isa.WaitcntDefault(d.set)
	for !p.AtEnd() {
		at, end, ok := d.call("a counter name")
		if !ok {
			return true, false
		}
		p.SkipSpace()
		from := p.Pos
		n, ok := d.small()
		if !ok {
			return true, false
		}
		name := p.Src[at:end]
		c, sat, st := isa.WaitcntByName(name)
		if st != isa.Found {
			p.Errorf(at, end, "invalid counter name %s", printable(name))
			return true, false
		}
		v, st = isa.EncodeWaitcnt(d.set, v, c, n, sat)
		if st != isa.Found {
			p.Errorf(from, p.Pos, "too large value for %s: expected a number from 0 to %d", name, isa.WaitcntMax(d.set, c))
			return true, false
		}
		if !d.nextPart() {
			return true, false
		}
	}
	return d.addSpecial(int64(v), start)
}

// nextPart reads the end of a counter: ) and then & or , or nothing.
func (d *dialect) nextPart() bool {
	p := d.p
	if !d.close(')', "expected a closing parenthesis") {
		return false
	}
	if (p.Accept('&') || p.Accept(',')) && p.AtEnd() {
		p.Errorf(p.Pos, p.Pos+1, "expected a counter name")
		return false
	}
	return true
}

// readDepCtr reads depctr_va_vdst(0) & …, or a number.
func readDepCtr(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if _, is := d.atCall(); !is {
		return d.number16("")
	}
	v, used := isa.DepCtrDefault(d.set), uint32(0)
	for !p.AtEnd() {
		at, end, ok := d.call("a counter name")
		if !ok {
			return true, false
		}
		n, ok := d.small()
		if !ok {
			return true, false
		}
		name := p.Src[at:end]
		var st isa.Status
		v, st = isa.EncodeDepCtr(d.set, v, name, n, &used)
		switch st {
		case isa.Unknown:
			p.Errorf(at, end, "invalid counter name %s", printable(name))
		case isa.NotSupported:
			p.Errorf(at, end, "%s is not supported on %s", name, d.target.Processor.Name)
		case isa.Duplicate:
			p.Errorf(at, end, "duplicate counter name %s", name)
		case isa.BadValue:
			p.Errorf(at, p.Pos, "invalid value for %s", name)
		}
		if st != isa.Found || !d.nextPart() {
			return true, false
		}
	}
	return d.addSpecial(int64(v), start)
}

// readDelay reads instid0(VALU_DEP_1) | …, or a number.
func readDelay(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if _, is := d.atCall(); !is {
		return d.number16("")
	}
	v := uint32(0)
	for {
		at, end, ok := d.call("a field name")
		if !ok {
			return true, false
		}
		vat, vend := p.Ident()
		if vat == vend {
			p.Errorf(vat, vat+1, "expected a value name")
			return true, false
		}
		if !d.close(')', "expected a right parenthesis") {
			return true, false
		}
		f, st := isa.DelayFieldByName(p.Src[at:end])
		if st != isa.Found {
			p.Errorf(at, end, "invalid field name %s", printable(p.Src[at:end]))
			return true, false
		}
		n, st := isa.DelayValueByName(f, p.Src[vat:vend])
		if st != isa.Found {
			p.Errorf(vat, vend, "invalid value name %s", printable(p.Src[vat:vend]))
			return true, false
		}
		v |= n
		if !p.Accept('|') {
			return d.addSpecial(int64(v), start)
		}
	}
}

// readHwreg reads hwreg(name, offset, size), {id: …, offset: …, size: …} or a
// number.
func readHwreg(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	var f hwregFields
	for i := range f {
		f[i].val = int64(isa.HwregField(i).Default())
	}
	switch name, is := d.atCall(); {
	case p.Src[start] == '{':
		ok = d.hwregStruct(&f)
	case is && string(name) == "hwreg":
		ok = d.hwregMacro(&f)
	default:
		v, ok := d.abs("a hwreg macro, structured immediate")
		if !ok {
			return true, false
		}
		if v < 0 || v >= 1<<16 {
			p.Errorf(start, p.Pos, "invalid immediate: only 16-bit values are legal")
			return true, false
		}
		return d.addSpecial(v, start)
	}
	if !ok {
		return true, false
	}
	for i := range f {
		if problem := isa.CheckHwregField(isa.HwregField(i), f[i].val); problem != "" {
			p.Errorf(f[i].pos, f[i].pos+1, "invalid %s: %s", isa.HwregField(i), problem)
			return true, false
		}
	}
	v := isa.EncodeHwreg(uint32(f[0].val), uint32(f[1].val), uint32(f[2].val))
	return d.addSpecial(int64(v), start)
}

// hwregFields holds the parts of a hwreg operand.
type hwregFields [3]struct {
	val  int64
	pos  int
	seen bool
}

func (d *dialect) hwregMacro(f *hwregFields) bool {
	p := d.p
	p.Ident()
	p.Accept('(')
	start, end := p.Ident()
	f[0].pos = start
	if id, st := isa.HwregByName(d.set, p.Src[start:end]); st == isa.Found {
		f[0].val = int64(id)
	} else if st == isa.NotSupported {
		p.Errorf(start, end, "invalid hardware register: %s is not supported on %s", p.Src[start:end], d.target.Processor.Name)
		return false
	} else {
		p.Pos = start
		v, ok := d.abs("a register name")
		if !ok {
			return false
		}
		f[0].val = v
	}
	if p.Accept(')') {
		return true
	}
	if !d.close(',', "expected a comma or a closing parenthesis") {
		return false
	}
	for i := 1; i <= 2; i++ {
		p.SkipSpace()
		f[i].pos = p.Pos
		v, ok := d.small()
		if !ok {
			return false
		}
		f[i].val = v
		if i == 1 && !d.close(',', "expected a comma") {
			return false
		}
	}
	return d.close(')', "expected a closing parenthesis")
}

func (d *dialect) hwregStruct(f *hwregFields) bool {
	p := d.p
	p.Pos++
	for first := true; !p.Accept('}'); first = false {
		if !first && !d.close(',', "comma or closing brace expected") {
			return false
		}
		start, end := p.Ident()
		if start == end {
			p.Errorf(start, start+1, "field name expected")
			return false
		}
		if !d.close(':', "colon expected") {
			return false
		}
		i, st := isa.HwregFieldByName(p.Src[start:end])
		if st != isa.Found {
			p.Errorf(start, end, "unknown field")
			return false
		}
		if f[i].seen {
			p.Errorf(start, end, "duplicate field")
			return false
		}
		p.SkipSpace()
		f[i].pos = p.Pos
		v, ok := d.abs("")
		if !ok {
			return false
		}
		f[i].val, f[i].seen = v, true
	}
	return true
}

// readSendMsg reads sendmsg(message, operation, stream) or a number.
func readSendMsg(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if name, is := d.atCall(); !is || string(name) != "sendmsg" {
		v, ok := d.abs("a sendmsg macro")
		if !ok {
			return true, false
		}
		if v < 0 || v >= 1<<16 {
			p.Errorf(start, p.Pos, "invalid immediate: only 16-bit values are legal")
			return true, false
		}
		return d.addSpecial(v, start)
	}
	p.Ident()
	p.Accept('(')
	m, ok := d.message()
	if !ok || !d.checkMessage(&m) {
		return true, false
	}
	return d.addSpecial(int64(isa.EncodeMsg(uint32(m.id), uint32(m.op), uint32(m.stream))), start)
}

// message holds the parts of a sendmsg operand.
type message struct {
	id, op, stream          int64
	idPos, opPos, streamPos int
	named, hasOp, hasStream bool
}

func (d *dialect) message() (m message, ok bool) {
	p := d.p
	m.idPos, _ = p.Ident()
	id, st := isa.MsgByName(d.set, p.Src[m.idPos:p.Pos])
	switch st {
	case isa.Found:
		m.id, m.named = int64(id), true
	case isa.NotSupported:
		p.Errorf(m.idPos, p.Pos, "specified message id is not supported on %s", d.target.Processor.Name)
		return m, false
	default:
		p.Pos = m.idPos
		if m.id, ok = d.abs("a message name"); !ok {
			return m, false
		}
	}
	if p.Accept(',') {
		m.hasOp = true
		m.opPos, _ = p.Ident()
		op, st := isa.MsgOpByName(d.set, m.id, p.Src[m.opPos:p.Pos])
		m.op = int64(op)
		if st != isa.Found {
			p.Pos = m.opPos
			if m.op, ok = d.abs("an operation name"); !ok {
				return m, false
			}
		}
		if p.Accept(',') {
			p.SkipSpace()
			m.hasStream, m.streamPos = true, p.Pos
			if m.stream, ok = d.abs(""); !ok {
				return m, false
			}
		}
	}
	return m, d.close(')', "expected a closing parenthesis")
}

// checkMessage checks a message. A numeric message only needs to fit the
// fields.
func (d *dialect) checkMessage(m *message) bool {
	p := d.p
	bad := func(pos int, problem string) bool {
		p.Errorf(pos, pos+1, "%s", problem)
		return false
	}
	needs := isa.MsgRequiresOp(d.set, m.id)
	switch {
	case !m.named && !isa.ValidMsgID(d.set, m.id):
		return bad(m.idPos, "invalid message id")
	case m.named && m.hasOp && !needs:
		return bad(m.opPos, "message does not support operations")
	case m.named && !m.hasOp && needs:
		return bad(m.idPos, "missing message operation")
	case !isa.ValidMsgOp(d.set, m.id, m.op, m.named):
		return bad(m.opPos, "invalid operation id")
	case m.named && m.hasStream && !isa.MsgSupportsStream(d.set, m.id, m.op):
		return bad(m.streamPos, "message operation does not support streams")
	case !isa.ValidMsgStream(d.set, m.id, m.op, m.stream, m.named):
		return bad(m.streamPos, "invalid message stream id")
	}
	return true
}

// readGprIdx reads gpr_idx(SRC0, DST) or a number.
func readGprIdx(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	if name, is := d.atCall(); !is || string(name) != "gpr_idx" {
		v, ok := d.abs("")
		if !ok {
			return true, false
		}
		if v < 0 || v > 15 {
			p.Errorf(start, p.Pos, "invalid immediate: only 4-bit values are legal")
			return true, false
		}
		return d.addSpecial(v, start)
	}
	p.Ident()
	p.Accept('(')
	v := uint32(0)
	for !p.Accept(')') {
		if v != 0 && !d.close(',', "expected a comma or a closing parenthesis") {
			return true, false
		}
		at, end := p.Ident()
		bit, st := isa.GprIdxByName(p.Src[at:end])
		switch {
		case st != isa.Found && v == 0:
			p.Errorf(at, max(end, at+1), "expected a VGPR index mode or a closing parenthesis")
			return true, false
		case st != isa.Found:
			p.Errorf(at, max(end, at+1), "expected a VGPR index mode")
			return true, false
		case v&bit != 0:
			p.Errorf(at, end, "duplicate VGPR index mode")
			return true, false
		}
		v |= bit
	}
	return d.addSpecial(int64(v), start)
}

// readEndpgm reads the optional number of s_endpgm.
func readEndpgm(d *dialect) (done, ok bool) {
	p := d.p
	start := p.Pos
	v, ok := d.abs("")
	if !ok {
		return true, false
	}
	if v < 0 || v >= 1<<16 {
		p.Errorf(start, p.Pos, "expected a 16-bit value")
		return true, false
	}
	return d.addSpecial(v, start)
}

// readSlot reads p10, p20 or p0.
func readSlot(d *dialect) (done, ok bool) {
	p := d.p
	start, end := p.Ident()
	if start == end {
		return false, true
	}
	v, st := isa.InterpSlotByName(p.Src[start:end])
	if st != isa.Found {
		p.Errorf(start, end, "invalid interpolation slot: expected p0, p10 or p20")
		return true, false
	}
	return d.addSpecial(int64(v), start)
}

// readAttr reads attr12.x. The value is the attribute, with the channel from
// bit 8 on.
func readAttr(d *dialect) (done, ok bool) {
	p := d.p
	start, end := p.Ident()
	if start == end {
		return false, true
	}
	attr, channel, problem := isa.InterpAttrByName(p.Src[start:end])
	if problem != "" {
		p.Errorf(start, end, "%s", problem)
		return true, false
	}
	return d.addSpecial(int64(attr|channel<<8), start)
}

// readExpTarget reads mrt0, pos1, null ….
func readExpTarget(d *dialect) (done, ok bool) {
	p := d.p
	start, end := p.Ident()
	if start == end {
		return false, true
	}
	v, st := isa.ExpTargetByName(d.set, p.Src[start:end])
	switch st {
	case isa.Unknown:
		p.Errorf(start, end, "invalid exp target")
		return true, false
	case isa.NotSupported:
		p.Errorf(start, end, "exp target is not supported on %s", d.target.Processor.Name)
		return true, false
	}
	return d.addSpecial(int64(v), start)
}

// Functions in expressions. Those after callOr have no name in a source: they
// compute the fields of kernel descriptors (hsakernel.go).
const (
	callMax uint16 = iota
	callOr
	callBits
	callVGPRs
	callSGPRs
	callAccum
)

var callNames = [...]string{
	callMax: "max", callOr: "or",
	callBits: "bits", callVGPRs: "vgprblocks", callSGPRs: "sgprblocks", callAccum: "accumblocks",
}

// evalCall evaluates a function of callNames, or returns an error message.
func (d *dialect) evalCall(fn uint16, args []int64) (int64, string) {
	if fn > callOr {
		return d.evalKernel(fn, args)
	}
	v := args[0]
	for _, a := range args[1:] {
		if fn == callMax {
			v = max(v, a)
		} else {
			v |= a
		}
	}
	return v, ""
}

// readCall reads the arguments of a function. The cursor is at the parenthesis.
func readCall(p *asmcore.Parser, fn uint16) (asmcore.Value, bool) {
	p.Accept('(')
	if p.Peek() == ')' {
		p.Errorf(p.Pos, p.Pos+1, "empty %s expression", callNames[fn])
		return asmcore.Value{}, false
	}
	var args []asmcore.Value
	for {
		v, ok := p.Expr()
		if !ok {
			return v, false
		}
		args = append(args, v)
		if p.Accept(')') {
			return p.NewCall(fn, args...), true
		}
		if !p.Accept(',') {
			p.Errorf(p.Pos, p.Pos+1, "unexpected token in %s expression", callNames[fn])
			return v, false
		}
		if p.Peek() == ')' {
			p.Errorf(p.Pos, p.Pos+1, "mismatch of commas in %s expression", callNames[fn])
			return v, false
		}
	}
}
