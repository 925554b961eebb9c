package asmcore

import "strings"

// cfiOp is a kind of call frame instruction.
type cfiOp uint8

const (
	cfiAdjustCFAOffset cfiOp = iota
	cfiDefCFA
	cfiDefCFAOffset
	cfiDefCFARegister
	cfiDefAspaceCFA
	cfiEscape
	cfiOffset
	cfiRegister
	cfiRelOffset
	cfiRememberState
	cfiRestore
	cfiRestoreState
	cfiSameValue
	cfiUndefined
	cfiValOffset
	cfiWindowSave
)

// cfiInst is a call frame instruction with its location.
type cfiInst struct {
	op     cfiOp
	at     spot
	reg, b int64 // register; second register, offset …
	c      int64 // address space
	escape []byte
}

// frameInfo holds the contents of .cfi_startproc … .cfi_endproc.
type frameInfo struct {
	start, end     spot
	insts          []cfiInst
	simple         bool
	signal         bool
	ra             int64
	personality    *Symbol
	personalityEnc int64
	lsda           *Symbol
	lsdaEnc        int64
}

// frameTable is the state of the .cfi_ directives.
type frameTable struct {
	list     []*frameInfo
	open     *frameInfo
	openAt   place
	sections bool // .cfi_sections was used
	eh       bool
	debug    bool
}

// RegisterNumberer is implemented by dialects that accept register names in
// .cfi_ directives.
type RegisterNumberer interface {
	// DwarfRegister reads a register's name and returns its DWARF number. It
	// reports errors itself and returns ok = false after one.
	DwarfRegister(p *Parser) (number int64, ok bool)
}

// here returns the current location.
func (p *Parser) here() spot {
	return spot{p.cur, len(p.cur.frags), int64(len(p.cur.data))}
}

// frame returns the open frame. If none is open, it reports an error and
// returns nil.
func (p *Parser) frame(start int) *frameInfo {
	if p.cfi.open == nil {
		p.Errorf(start, p.Pos, "this directive must appear between .cfi_startproc and .cfi_endproc directives")
	}
	return p.cfi.open
}

// addCFI adds an instruction to the open frame.
func (p *Parser) addCFI(start int, d *directive, i cfiInst) {
	f := p.frame(start)
	if f == nil {
		return
	}
	i.at = p.here()
	f.insts = append(f.insts, i)
}

// listCFI prints a directive with numeric operands.
func (p *Parser) listCFI(d *directive, operands ...int64) {
	if !p.list.on {
		return
	}
	p.list.str("\t")
	p.list.str(d.name)
	for i, v := range operands {
		p.list.str([...]string{" ", ", "}[min(i, 1)])
		p.list.num(v)
	}
	p.list.str("\n")
}

// cfiOperands reads one operand for each letter of form: 'r' for a register,
// 'e' for an expression.
func (p *Parser) cfiOperands(form string) (v [3]int64, ok bool) {
	for i, c := range form {
		if i > 0 && !p.needComma() {
			return v, false
		}
		if c == 'r' {
			v[i], ok = p.cfiReg()
		} else {
			v[i], ok = p.AbsExpr()
		}
		if !ok {
			return v, false
		}
	}
	return v, p.eol()
}

// cfiReg reads a register: a number, or a name known to the dialect.
func (p *Parser) cfiReg() (int64, bool) {
	if p.class[p.Peek()]&classDigit == 0 {
		if d, ok := p.dialect.(RegisterNumberer); ok {
			return d.DwarfRegister(p)
		}
		p.Errorf(p.Pos, p.Pos+1, "expected the DWARF number of a register, found %s", p.found())
		return 0, false
	}
	at := p.Pos
	v, ok := p.AbsExpr()
	if ok && (v < 0 || v > 1<<31) {
		p.Errorf(at, p.Pos, "register number %d is out of range", v)
		return 0, false
	}
	return v, ok
}

// cfiForm reads the operands of a form and adds the directive's instruction.
func cfiForm(p *Parser, d *directive, start int, form string) {
	v, ok := p.cfiOperands(form)
	if !ok {
		return
	}
	p.addCFI(start, d, cfiInst{op: cfiOp(d.arg), reg: v[0], b: v[1], c: v[2]})
	p.listCFI(d, v[:len(form)]...)
}

func dirCFIOffset(p *Parser, d *directive, start int)    { cfiForm(p, d, start, "e") }
func dirCFIReg(p *Parser, d *directive, start int)       { cfiForm(p, d, start, "r") }
func dirCFIRegOffset(p *Parser, d *directive, start int) { cfiForm(p, d, start, "re") }
func dirCFITwoRegs(p *Parser, d *directive, start int)   { cfiForm(p, d, start, "rr") }
func dirCFIAspace(p *Parser, d *directive, start int)    { cfiForm(p, d, start, "ree") }
func dirCFIPlain(p *Parser, d *directive, start int)     { cfiForm(p, d, start, "") }

func dirCFISections(p *Parser, d *directive, start int) {
	eh, debug := false, false
	for !p.AtEnd() {
		at := p.Pos
		switch string(p.Name()) {
		case "":
			p.Errorf(at, at+1, "expected .eh_frame or .debug_frame, found %s", p.found())
			return
		case ".eh_frame":
			eh = true
		case ".debug_frame":
			debug = true
		}
		if !p.AtEnd() && !p.needComma() {
			return
		}
	}
	p.cfi.sections, p.cfi.eh, p.cfi.debug = true, eh, debug
	if p.list.on {
		var names []string
		if eh {
			names = append(names, ".eh_frame")
		}
		if debug {
			names = append(names, ".debug_frame")
		}
		p.list.line("\t.cfi_sections " + strings.Join(names, ", "))
	}
}

func dirCFIStartProc(p *Parser, d *directive, start int) {
	simple := false
	if !p.AtEnd() {
		at := p.Pos
		if string(p.Name()) != "simple" {
			p.Errorf(at, at+1, "unexpected token: expected 'simple' or the end of the statement")
			return
		}
		simple = true
		if !p.eol() {
			return
		}
	}
	if p.cfi.open != nil {
		p.Errorf(start, p.Pos, "starting new .cfi frame before finishing the previous one")
		return
	}
	p.cfi.open = &frameInfo{start: p.here(), simple: simple, ra: p.machine.Debug().ReturnColumn}
	p.cfi.openAt = p.at(start)
	if p.list.on {
		p.list.str("\t.cfi_startproc")
		if simple {
			p.list.str(" simple")
		}
		p.list.str("\n")
	}
}

func dirCFIEndProc(p *Parser, d *directive, start int) {
	end := p.Pos
	if !p.eol() {
		return
	}
	f := p.cfi.open
	if f == nil {
		p.Errorf(start, end, "this directive must appear between .cfi_startproc and .cfi_endproc directives")
		return
	}
	f.end = p.here()
	if f.end.stream.section != f.start.stream.section {
		p.Errorf(start, end, ".cfi_endproc is in section '%s', its .cfi_startproc in '%s'", f.end.stream.section.Name, f.start.stream.section.Name)
	}
	p.cfi.list = append(p.cfi.list, f)
	p.cfi.open = nil
	p.listCFI(d)
}

func dirCFIEscape(p *Parser, d *directive, start int) {
	var bytes []byte
	for {
		v, ok := p.AbsExpr()
		if !ok {
			return
		}
		bytes = append(bytes, byte(v))
		if !p.Accept(',') {
			break
		}
	}
	if !p.eol() {
		return
	}
	p.addCFI(start, d, cfiInst{op: cfiEscape, escape: bytes})
	if p.list.on && !p.stmtFailed {
		p.list.str("\t.cfi_escape ")
		for i, b := range bytes {
			if i > 0 {
				p.list.str(", ")
			}
			p.list.str("0x")
			p.list.out = append(p.list.out, hexDigits[b>>4], hexDigits[b&15])
		}
		p.list.str("\n")
	}
}

// dirCFISymbol handles .cfi_personality and, with arg 1, .cfi_lsda: encoding,
// symbol.
func dirCFISymbol(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	enc, ok := p.AbsExpr()
	if !ok {
		return
	}
	if enc == ehOmit {
		p.eol()
		return
	}
	if !validEncoding(enc) {
		p.Errorf(at, p.Pos, "unsupported encoding %#x", enc)
		return
	}
	if !p.needComma() {
		return
	}
	name := p.needName()
	if name == nil || !p.eol() {
		return
	}
	s := p.symbol(name)
	f := p.frame(start)
	if f == nil {
		return
	}
	if d.arg == 0 {
		f.personality, f.personalityEnc = s, enc
	} else {
		f.lsda, f.lsdaEnc = s, enc
	}
	if p.list.on {
		p.list.str("\t")
		p.list.str(d.name)
		p.list.str(" ")
		p.list.num(enc)
		p.list.str(", ")
		p.listName(s)
		p.list.str("\n")
	}
}

func dirCFIReturnColumn(p *Parser, d *directive, start int) {
	v, ok := p.cfiOperands("r")
	if !ok {
		return
	}
	if f := p.frame(start); f != nil {
		f.ra = v[0]
		p.listCFI(d, v[0])
	}
}

func dirCFISignalFrame(p *Parser, d *directive, start int) {
	end := p.Pos
	if !p.eol() {
		return
	}
	if f := p.cfi.open; f != nil {
		f.signal = true
		p.listCFI(d)
		return
	}
	p.Errorf(start, end, "this directive must appear between .cfi_startproc and .cfi_endproc directives")
}

// pointer encodings of .eh_frame
const (
	ehAbsPtr = 0x00
	ehPCRel  = 0x10
	ehSData4 = 0x0b
	ehOmit   = 0xff
)

// validEncoding reports whether a pointer encoding is supported.
func validEncoding(enc int64) bool {
	return enc&^0xff == 0 && encodingSize(enc, 8) > 0 && (enc&0x70 == ehAbsPtr || enc&0x70 == ehPCRel)
}

// encodingSize returns the size in bytes of a pointer encoding, 0 for an
// invalid one.
func encodingSize(enc int64, address int) int {
	switch enc & 0xf {
	case 0, 8:
		return address
	case 2, 10:
		return 2
	case 3, 11:
		return 4
	case 4, 12:
		return 8
	}
	return 0
}
