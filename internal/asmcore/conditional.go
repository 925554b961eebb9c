package asmcore

import "bytes"

// condKind is the most recent directive of a conditional block.
type condKind uint8

const (
	condNone condKind = iota
	condIf
	condElseIf
	condElse
)

// condState is the state of the innermost conditional block.
type condState struct {
	kind   condKind
	met    bool // a branch of this block is or was taken
	ignore bool // statements are skipped
}

// conditionals is the state of .if … .endif of a Parser.
type conditionals struct {
	condState
	condStack []condState
}

// pushCond begins a block. If the block is within skipped text, it skips the
// statement and returns false.
func (p *Parser) pushCond() bool {
	p.condStack = append(p.condStack, p.condState)
	p.kind = condIf
	if p.ignore {
		p.SkipStatement()
		return false
	}
	return true
}

func (p *Parser) setCond(met bool) { p.met, p.ignore = met, !met }

// dirIf handles .if, .ifne, .ifeq, .ifge, .ifgt, .ifle, .iflt.
func dirIf(p *Parser, d *directive, start int) {
	if !p.pushCond() {
		return
	}
	v, ok := p.AbsExpr()
	if !ok || !p.eol() {
		return
	}
	switch d.name {
	case ".ifeq":
		p.setCond(v == 0)
	case ".ifge":
		p.setCond(v >= 0)
	case ".ifgt":
		p.setCond(v > 0)
	case ".ifle":
		p.setCond(v <= 0)
	case ".iflt":
		p.setCond(v < 0)
	default:
		p.setCond(v != 0)
	}
}

// eol checks that the statement ends here.
func (p *Parser) eol() bool {
	if p.AtEnd() {
		return true
	}
	p.Errorf(p.Pos, p.Pos+1, "expected newline, found %s", p.found())
	return false
}

// dirIfBlank handles .ifb and .ifnb.
func dirIfBlank(p *Parser, d *directive, start int) {
	if p.pushCond() {
		s, e := p.StatementText()
		p.setCond((s == e) == (d.name == ".ifb"))
	}
}

// dirIfSame handles .ifc and .ifnc.
func dirIfSame(p *Parser, d *directive, start int) {
	if !p.pushCond() {
		return
	}
	p.SkipSpace()
	s := p.Pos
	for !p.atEndQuiet() && p.Src[p.Pos] != ',' {
		p.skipToken()
	}
	first := bytes.TrimSpace(p.Src[s:p.Pos])
	if !p.Accept(',') {
		p.Errorf(p.Pos, p.Pos+1, "expected comma, found %s", p.found())
		return
	}
	s, e := p.StatementText()
	same := bytes.Equal(first, bytes.TrimSpace(p.Src[s:e]))
	p.setCond(same == (d.name == ".ifc"))
}

// skipToken moves the cursor over a string, character literal or one byte.
func (p *Parser) skipToken() {
	switch p.Src[p.Pos] {
	case '"':
		p.skipString()
	case '\'':
		p.skipCharLiteral()
	default:
		p.Pos++
	}
}

// dirIfStrings handles .ifeqs and .ifnes.
func dirIfStrings(p *Parser, d *directive, start int) {
	if !p.pushCond() {
		return
	}
	a, ok := p.needString(d.name)
	if !ok {
		return
	}
	if !p.Accept(',') {
		p.Errorf(p.Pos, p.Pos+1, "expected comma after first string for '%s' directive", d.name)
		return
	}
	b, ok := p.needString(d.name)
	if ok && p.eol() {
		p.setCond(bytes.Equal(a, b) == (d.name == ".ifeqs"))
	}
}

// needString reads a string and returns the raw text between its quotes.
func (p *Parser) needString(name string) ([]byte, bool) {
	s, e, ok := p.RawString()
	if !ok && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "expected string parameter for '%s' directive", name)
	}
	return p.Src[s:e], ok
}

// dirIfDef handles .ifdef, .ifndef and .ifnotdef.
func dirIfDef(p *Parser, d *directive, start int) {
	if !p.pushCond() {
		return
	}
	name := p.needName()
	if name == nil || !p.eol() {
		return
	}
	s := p.Lookup(name)
	p.setCond((s != nil && s.IsDefined()) == (d.name == ".ifdef"))
}

// needName reads a symbol's name.
func (p *Parser) needName() []byte {
	name := p.Name()
	if name == nil && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "expected identifier, found %s", p.found())
	}
	return name
}

// skipsRest reports whether the branch that begins now is skipped regardless of
// its condition, because the block is in skipped text or an earlier branch was
// taken.
func (p *Parser) skipsRest() bool {
	n := len(p.condStack)
	return n > 0 && p.condStack[n-1].ignore || p.met
}

func dirElseIf(p *Parser, d *directive, start int) {
	if p.kind != condIf && p.kind != condElseIf {
		p.Errorf(start, p.Pos, "encountered a .elseif that doesn't follow an .if or an .elseif")
		return
	}
	p.kind = condElseIf
	if p.skipsRest() {
		p.ignore = true
		p.SkipStatement()
		return
	}
	if v, ok := p.AbsExpr(); ok && p.eol() {
		p.setCond(v != 0)
	}
}

func dirElse(p *Parser, d *directive, start int) {
	end := p.Pos
	if !p.eol() {
		return
	}
	if p.kind != condIf && p.kind != condElseIf {
		p.Errorf(start, end, "encountered a .else that doesn't follow an .if or an .elseif")
		return
	}
	p.kind = condElse
	p.ignore = p.skipsRest()
}

func dirEndIf(p *Parser, d *directive, start int) {
	end := p.Pos
	if !p.eol() {
		return
	}
	n := len(p.condStack)
	if n == 0 || p.kind == condNone {
		p.Errorf(start, end, "encountered a .endif that doesn't follow an .if or .else")
		return
	}
	p.condState = p.condStack[n-1]
	p.condStack = p.condStack[:n-1]
}
