package asmcore

// dotStatement reads a statement whose first word begins with a dot, or any
// named statement in text that a conditional skips.
func (p *Parser) dotStatement(start, end int) {
	name := p.Src[start:end]
	d := p.directive(name)
	if d != nil && d.cond {
		d.run(p, d, start)
		p.endDirective(d)
		return
	}
	if p.ignore {
		p.skipIgnored()
		return
	}
	p.SkipSpace()
	switch c := p.Src[p.Pos]; {
	case c == ':':
		p.label(start, end)
		return
	case c == '=' && p.Src[p.Pos+1] != '=':
		p.assignment(start, end)
		return
	}
	if len(p.macroDefs) > 0 && p.callMacro(start, end) {
		return
	}
	if end-start == 1 {
		p.instruction(start, end)
		return
	}
	p.instBase, p.instFix = len(p.cur.data), len(p.cur.fixups)
	p.Pos = end
	if p.dialect.Directive(p, name, start) {
		p.endLoose()
		p.endStatement()
		return
	}
	if d == nil {
		p.Errorf(start, end, "unknown directive '%s'", printable(name))
		p.endStatement()
		return
	}
	d.run(p, d, start)
	p.endDirective(d)
}

// endDirective ends the statement of a directive that has not done so itself.
func (p *Parser) endDirective(d *directive) {
	if d.loose {
		p.endLoose()
	}
	if !d.whole || p.stmtFailed {
		p.endStatement()
	}
}

// endLoose ends a directive whose line end LLVM treats, and lists, as an empty
// line.
func (p *Parser) endLoose() {
	if p.list.on && !p.stmtFailed && p.AtEnd() {
		p.listBlank()
	}
}

// skipIgnored moves past a statement that a conditional skips.
func (p *Parser) skipIgnored() {
	p.SkipStatement()
	p.nextStatement()
}

// oddStatement reads a statement that does not begin with an identifier.
func (p *Parser) oddStatement(c byte) {
	start := p.Pos
	switch {
	case c == '#' && p.syntax.HashComment:
		p.hashLine()
		return
	case p.ignore:
		p.skipIgnored()
		return
	case p.class[c]&classDigit != 0:
		p.numericStatement()
		return
	case c == '"' || c == '$' || c == '@':
		if p.quotedStatement() {
			return
		}
	}
	if !p.stmtFailed {
		p.Errorf(start, start+1, "unexpected token at start of statement: expected a label, directive or instruction")
	}
	p.endStatement()
}

// numericStatement reads the label N:.
func (p *Parser) numericStatement() {
	start := p.Pos
	n := p.Number()
	if n.Kind == Integer && int64(n.Lo) >= 0 && p.Accept(':') {
		p.defineNumeric(int64(n.Lo))
		p.afterLabel()
		return
	}
	if !p.stmtFailed {
		p.Errorf(start, n.End, "unexpected token at start of statement: expected ':' after the number of a label")
	}
	p.endStatement()
}

// quotedStatement reads a label or assignment whose name is quoted or begins
// with '$' or '@'.
func (p *Parser) quotedStatement() bool {
	start := p.Pos
	name := p.Name()
	if len(name) == 0 {
		return false
	}
	end := p.Pos
	switch c := p.Peek(); {
	case c == ':':
		p.labelNamed(name, start, end)
	case c == '=' && p.Src[p.Pos+1] != '=':
		p.assign(name, start, end)
	default:
		p.Errorf(start, end, "invalid instruction: expected a mnemonic")
		p.endStatement()
	}
	return true
}

// label defines the label Src[start:end], with the cursor at its colon.
func (p *Parser) label(start, end int) {
	if end-start == 1 && p.Src[start] == '.' {
		p.Errorf(start, end, "invalid use of pseudo-symbol '.' as a label")
		p.endStatement()
		return
	}
	p.labelNamed(p.Src[start:end], start, end)
}

func (p *Parser) labelNamed(name []byte, start, end int) {
	p.Pos++
	if !p.discarded(name) {
		p.DefineLabel(p.symbol(name), start, end)
	}
	p.afterLabel()
}

// afterLabel ends a label. Another statement may follow on the same line.
func (p *Parser) afterLabel() {
	if p.AtEnd() {
		p.nextStatement()
	}
}

// assignment reads name = expression, with the cursor at the '='.
func (p *Parser) assignment(start, end int) {
	p.assign(p.Src[start:end], start, end)
}

func (p *Parser) assign(name []byte, start, end int) {
	p.Pos++
	p.assignValue(name, start, end, assignEqual)
	p.endStatement()
}

// hashLine skips a line that begins with '#': a comment, or the preprocessor's
// # 12 "file", which names the source of the following lines.
func (p *Parser) hashLine() {
	p.skipLineComment()
	p.nextStatement()
}

// NextStatement moves the cursor from the end of a statement to the beginning
// of the next one in the same text, for directives that enclose a list of
// statements. It returns false at the end of the text.
func (p *Parser) NextStatement() bool {
	p.nextStatement()
	p.bodyWord()
	if p.Pos < len(p.Src) {
		return true
	}
	p.Pos = len(p.Src) - 1
	return false
}

// Block reads the raw lines after a directive up to one that begins with the
// word end, for directives with a text in another language. It moves the cursor from
// the end of the directive's statement past the word. ok is false if no such
// line exists.
func (p *Parser) Block(end string) (start, stop int, ok bool) {
	if !p.eol() {
		return 0, 0, false
	}
	p.nextStatement()
	start = p.Pos
	for p.Pos < len(p.Src) {
		stop = p.Pos
		for p.class[p.Src[p.Pos]]&classSpace != 0 {
			p.Pos++
		}
		word := p.Pos
		for p.class[p.Src[p.Pos]]&classIdent != 0 {
			p.Pos++
		}
		if string(p.Src[word:p.Pos]) == end {
			return start, stop, true
		}
		p.skipLineComment() // to the line end
		p.nextStatement()
	}
	p.Pos = len(p.Src) - 1
	p.Errorf(start, start, "expected a line with %s", end)
	return start, start, false
}
