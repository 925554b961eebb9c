package clrx

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// isaState is the state of a parser that instructions need.
type isaState struct {
	arch    clrxsyntax.Arch
	table   *clrxsyntax.Table
	sgprs   int
	ttmp    int // first trap temporary
	ttmps   int // number of trap temporaries
	special map[string]clrxsyntax.Special
	base    [isa.VOP3INTERP + 1]uint64
	at      int       // column of the instruction
	literal literal   // of the instruction
	late    []lateUse // of the instruction
}

// literal is the dword after an instruction.
type literal struct {
	has   bool
	value uint32
	late  *lateExpression
}

// lateUse is a late value in a field of the instruction that is being read.
type lateUse struct {
	expr  *lateExpression
	field lateField
}

// lateField is a field of an instruction that can be given late.
type lateField uint8

// Fields of late values.
const (
	lateLiteral lateField = iota
	lateBranch
	lateImm16
	lateSmrdOffset
	lateSmemOffset20
	lateSmemOffset21
	lateOffset16
	lateOffset0
	lateOffset1
	lateOffset12
	lateFlat12
	lateFlat13
	lateIndexMode
	lateProbe
	lateMandatory
)

// lateFields describes the fields: the first byte and bit in the instruction,
// and the width. A value that does not fit is cut, with a warning.
var lateFields = [...]struct {
	byte   int
	shift  uint8
	width  uint8
	signed bool // the width includes a sign
}{
	lateLiteral:      {0, 0, 32, false},
	lateImm16:        {0, 0, 16, false},
	lateSmrdOffset:   {0, 0, 8, false},
	lateSmemOffset20: {4, 0, 20, false},
	lateSmemOffset21: {4, 0, 21, false},
	lateOffset16:     {0, 0, 16, false},
	lateOffset0:      {0, 0, 8, false},
	lateOffset1:      {1, 0, 8, false},
	lateOffset12:     {0, 0, 12, false},
	lateFlat12:       {0, 0, 12, false},
	lateFlat13:       {0, 0, 13, true},
	lateIndexMode:    {1, 0, 8, false},
	lateProbe:        {0, 6, 7, false},
	lateMandatory:    {0, 0, 32, false},
}

// instruction assembles the instruction whose mnemonic is src[start:end], where
// the cursor is.
func (p *parser) instruction(start, end int) {
	s := &p.isa
	if s.table == nil || p.device != nil && s.arch != archOf(p.device) {
		s.load(archOf(p.device))
	}
	var r *clrxsyntax.Row
	if name := p.lower(p.src[start:end]); name != nil {
		r = s.table.Named(name)
	}
	if r == nil {
		p.errorIn(start, end, "unknown instruction '%s'", p.src[start:end])
		return
	}
	s.at, s.literal, s.late = start, literal{}, s.late[:0]
	p.skipSpace()
	p.form(r)
}

// archOf returns the architecture of a device, GCN 1.0 without one.
func archOf(d *catalyst.Device) clrxsyntax.Arch {
	if d == nil {
		return clrxsyntax.GCN10
	}
	a, _ := clrxsyntax.ArchOf(d.Arch)
	return a
}

// load prepares the state for an architecture.
func (s *isaState) load(a clrxsyntax.Arch) {
	s.arch, s.table, s.sgprs = a, clrxsyntax.TableOf(a), a.NumSGPRs()
	s.ttmp, s.ttmps = a.TTMPs()
	s.special = map[string]clrxsyntax.Special{}
	add := func(x *clrxsyntax.Special) { s.special[x.Name] = *x }
	a.Specials(add)
	a.Sources(add)
	for f := range s.base {
		_, value, _ := isa.Form(f).Match(a.Set())
		s.base[f] = uint64(value)
	}
}

// form assembles the operands of an instruction.
func (p *parser) form(r *clrxsyntax.Row) {
	switch r.Form {
	case isa.SOP1, isa.SOP2, isa.SOPC:
		p.scalarInst(r)
	case isa.SOPK:
		p.sopkInst(r)
	case isa.SOPP:
		p.soppInst(r)
	case isa.SMRD, isa.SMEM:
		p.scalarMemory(r)
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3, isa.VOP3P:
		p.vectorInst(r)
	case isa.VINTRP, isa.VOP3INTERP:
		p.interpInst(r)
	case isa.DS:
		p.dsInst(r)
	case isa.MUBUF, isa.MTBUF:
		p.bufferInst(r)
	case isa.MIMG:
		p.imageInst(r)
	case isa.FLAT:
		p.flatInst(r)
	case isa.EXP:
		p.exportInst(r)
	}
}

// encoded is an instruction that is being assembled.
type encoded struct {
	w     uint64
	place *clrxsyntax.Places
}

// encode returns an instruction of a form with an opcode.
func (p *parser) encode(f isa.Form, code uint16) encoded {
	e := encoded{p.isa.base[f], &p.isa.table.Place[f]}
	e.setField(isa.FieldOp, int(code))
	return e
}

// setField adds a field, which must be 0.
func (e *encoded) setField(f isa.Field, v int) {
	x := e.place[f]
	e.w |= uint64(v) & (1<<x.Width - 1) << x.Shift
}

// setBool adds a bit.
func (e *encoded) setBool(f isa.Field, on bool) {
	if on {
		e.setField(f, 1)
	}
}

// maxInstSize is the size of the longest instruction in bytes: two dwords and a
// literal. minCode is the size for which room is made first.
const (
	maxInstSize = 12
	minCode     = 4096
)

// emitInst appends an instruction of one or two dwords, and its literal. It
// connects late values with their fields.
func (p *parser) emitInst(e *encoded, dwords int) {
	s := &p.isa
	at, n := len(p.cur.data), 4*dwords
	whole := n
	if s.literal.has {
		whole += 4
	}
	if !p.room(uint64(whole)) {
		return
	}
	data := p.cur.data
	if cap(data)-at < maxInstSize {
		data = slices.Grow(data, max(at, minCode)) // doubles it, which append does not
	}
	data = data[:at+maxInstSize]
	binary.LittleEndian.PutUint64(data[at:], e.w)
	binary.LittleEndian.PutUint32(data[at+n:], s.literal.value)
	p.cur.data = data[:at+whole]
	for _, u := range s.late {
		p.emitLate(toInstruction+targetKind(u.field), u.expr, at)
	}
	if x := s.literal.late; x != nil {
		p.emitLate(toInstruction+targetKind(lateLiteral), x, at+4*dwords)
	}
}

// deferField uses a late value for a field of the instruction that is being
// read.
func (p *parser) deferField(f lateField, e *lateExpression) {
	p.isa.late = append(p.isa.late, lateUse{e, f})
}

// resolveInstruction writes a late value into its field.
func (p *parser) resolveInstruction(e *lateExpression, num uint64, sect int32) {
	t := &e.target
	f := lateField(t.kind - toInstruction)
	if f == lateBranch {
		p.resolveBranch(e, num, sect)
		return
	}
	if sect != absolute {
		p.diagnose(errorSeverity, e.at, 1, "expected a number, not a place in the code")
		return
	}
	x := &lateFields[f]
	if f == lateLiteral || f == lateMandatory {
		p.warnLate(32, num, e.at, false)
	} else {
		p.warnLate(uint(x.width), num, e.at, x.signed)
	}
	data := p.sections[t.sect].data[t.offset+x.byte:]
	v := num & (1<<x.width - 1) << x.shift
	for i := 0; i*8 < int(x.width)+int(x.shift); i++ {
		data[i] |= byte(v >> (8 * i))
	}
}

// warnLate warns of a late value that does not fit in bits bits.
func (p *parser) warnLate(bits uint, v uint64, at place, signed bool) {
	if !fits(bits, v, signed) {
		p.warnTruncated(bits, v, at)
	}
}

// fits reports whether a value fits in bits bits: as a signed or an unsigned
// number, with signed only as a signed one.
func fits(bits uint, v uint64, signed bool) bool {
	high := int64(1) << bits
	if signed {
		high >>= 1
	}
	return int64(v) < high && int64(v) >= -1<<(bits-1)
}

// fieldValue reads the value of a field of bits bits, which can be late. Values
// that do not fit are cut, with a warning. Without an expression, it reports an
// error.
func (p *parser) fieldValue(f lateField, what string) (v int, ok bool) {
	at := p.skipTo()
	x, ok := p.expression()
	switch {
	case !ok:
		return 0, false
	case x.empty:
		p.errorAt(at, "expected %s", what)
		return 0, false
	case x.late != nil:
		p.deferField(f, x.late)
		return 0, true
	case x.sect != absolute:
		p.errorIn(at, p.pos, "expected a number, not a place in the code")
		return 0, false
	}
	d := &lateFields[f]
	if !fits(uint(d.width), x.num, d.signed) {
		p.warnTruncated(uint(d.width), x.num, p.locate(at))
	}
	return int(x.num & (1<<d.width - 1)), true
}

// skipTo skips blanks and returns the column after them.
func (p *parser) skipTo() int {
	p.skipSpace()
	return p.pos
}

// resolveBranch writes a late branch target.
func (p *parser) resolveBranch(e *lateExpression, num uint64, sect int32) {
	t := &e.target
	if int(sect) != t.sect {
		p.diagnose(errorSeverity, e.at, 1, "branch target is not in the code of the branch")
		return
	}
	imm, problem := branchDistance(num, uint64(t.offset))
	if problem != "" {
		p.diagnose(errorSeverity, e.at, 1, "%s", problem)
		return
	}
	data := p.sections[t.sect].data[t.offset:]
	data[0], data[1] = byte(imm), byte(imm>>8)
}

// branchDistance returns the field of a branch at an offset to a target, and a
// description of the problem, if there is one.
func branchDistance(target, at uint64) (imm uint16, problem string) {
	d := int64(target - at - 4)
	switch {
	case d&3 != 0:
		return 0, "branch target is not a multiple of 4 bytes away"
	case d < -0x20000 || d >= 0x20000:
		return 0, "branch target is too far away"
	}
	return uint16(d >> 2), ""
}
