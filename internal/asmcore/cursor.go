package asmcore

import "bytes"

// charClass is a set of lexical roles of a byte.
type charClass uint8

const (
	classSpace      charClass = 1 << iota // blank within a statement
	classIdentStart                       // may begin an identifier
	classIdent                            // may appear in an identifier
	classDigit
	classEnd   // may end a statement: newline, comment, separator
	classSlash // '/': a comment, or division
)

// classes builds the byte table of a dialect.
func classes(s Syntax) (t [256]charClass) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = classIdentStart | classIdent
		t[c-'a'+'A'] = t[c]
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit | classIdent
	}
	t['_'] = classIdentStart | classIdent
	t['.'] = classIdentStart | classIdent
	for _, c := range []byte(s.IdentStart) {
		t[c] |= classIdentStart
	}
	for _, c := range []byte(s.IdentMore) {
		t[c] |= classIdent
	}
	t[0], t[' '], t['\t'] = classSpace, classSpace, classSpace
	t['\n'], t['\r'] = classEnd, classEnd
	t['/'] = classSlash
	for _, c := range []byte{s.Comment, s.Separator} {
		if c != 0 {
			t[c] |= classEnd
		}
	}
	return t
}

// SkipSpace moves the cursor over blanks and /* */ comments.
func (p *Parser) SkipSpace() {
	src, i := p.Src, p.Pos
	for i < len(src) && p.class[src[i]]&classSpace != 0 {
		i++
	}
	p.Pos = i
	if i < len(src) && src[i] == '/' && src[i+1] == '*' {
		p.skipBlockComments()
	}
}

func (p *Parser) skipBlockComments() {
	for p.Src[p.Pos] == '/' && p.Src[p.Pos+1] == '*' {
		n := bytes.Index(p.Src[p.Pos+2:], []byte("*/"))
		if n < 0 {
			if !p.quiet() {
				p.Errorf(p.Pos, p.Pos+2, "unterminated comment")
			}
			p.Pos = len(p.Src) - 1
			return
		}
		p.Pos += 2 + n + 2
		for p.class[p.Src[p.Pos]]&classSpace != 0 {
			p.Pos++
		}
	}
}

// AtEnd skips blanks and reports whether the statement ends there.
func (p *Parser) AtEnd() bool {
	p.SkipSpace()
	c := p.Src[p.Pos]
	switch k := p.class[c]; {
	case k&classEnd != 0:
		return true
	case k&classSlash != 0:
		return p.Src[p.Pos+1] == '/'
	}
	return false
}

// Peek skips blanks and returns the byte at the cursor. At the end of the
// statement it is a newline or the beginning of a comment or separator.
func (p *Parser) Peek() byte {
	p.SkipSpace()
	return p.Src[p.Pos]
}

// Accept skips blanks, and c if it follows. It reports whether it skipped c.
func (p *Parser) Accept(c byte) bool {
	p.SkipSpace()
	if p.Src[p.Pos] != c {
		return false
	}
	p.Pos++
	return true
}

// Expect is like Accept but reports an error if c does not follow.
func (p *Parser) Expect(c byte) bool {
	if p.Accept(c) {
		return true
	}
	p.Errorf(p.Pos, p.Pos+1, "expected '%c', found %s", c, p.found())
	return false
}

// found describes the text at the cursor, for messages.
func (p *Parser) found() string {
	if p.AtEnd() {
		return "the end of the statement"
	}
	end := p.Pos + 1
	for p.class[p.Src[p.Pos]]&classIdent != 0 && end-p.Pos < 40 && p.class[p.Src[end]]&classIdent != 0 {
		end++
	}
	return "'" + printable(p.Src[p.Pos:end]) + "'"
}

// printable returns text with control characters replaced, cut at 40 bytes.
func printable(b []byte) string {
	b = bytes.Clone(b[:min(len(b), 40)])
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = '?'
		}
	}
	return string(b)
}

// Ident skips blanks and reads an identifier. If there is none, it returns an
// empty range and leaves the cursor there.
func (p *Parser) Ident() (start, end int) {
	p.SkipSpace()
	i := p.Pos
	if p.class[p.Src[i]]&classIdentStart == 0 {
		return i, i
	}
	start = i
	for i++; p.class[p.Src[i]]&classIdent != 0; i++ {
	}
	p.Pos = i
	return start, i
}

// SkipStatement moves the cursor to the end of the statement: a newline,
// separator or line comment. Strings and comments are skipped as a whole.
func (p *Parser) SkipStatement() {
	for !p.atEndQuiet() {
		switch p.Src[p.Pos] {
		case '"':
			p.skipString()
		case '\'':
			p.skipCharLiteral()
		default:
			p.Pos++
		}
	}
}

// atEndQuiet is AtEnd for text whose errors no longer matter.
func (p *Parser) atEndQuiet() bool {
	p.muted++
	end := p.AtEnd()
	p.muted--
	return end
}

// quiet reports whether lexical errors are suppressed, as in skipped text.
func (p *Parser) quiet() bool { return p.muted > 0 }

// skipString moves the cursor from a quote past the string, or to the end of
// the text.
func (p *Parser) skipString() {
	last := len(p.Src) - 1
	for p.Pos++; p.Pos < last && p.Src[p.Pos] != '"'; p.Pos++ {
		if p.Src[p.Pos] == '\\' {
			p.Pos++
		}
	}
	if p.Pos < last {
		p.Pos++
	}
	p.Pos = min(p.Pos, last)
}

// skipCharLiteral moves the cursor past 'c' or '\c', or past the quote if it
// does not begin a character literal.
func (p *Parser) skipCharLiteral() {
	n := 2
	if p.Src[p.Pos+1] == '\\' {
		n = 3
	}
	if p.Pos+n < len(p.Src) && p.Src[p.Pos+n] == '\'' {
		p.Pos += n
	}
	p.Pos++
}

// nextStatement moves the cursor from the end of a statement to the beginning
// of the next one.
func (p *Parser) nextStatement() {
	c := p.Src[p.Pos]
	switch {
	case c == '\n' || c == p.syntax.Separator:
		p.Pos++
		return
	case c != '\r':
		p.skipLineComment()
	}
	if p.Src[p.Pos] == '\r' && p.Src[p.Pos+1] == '\n' {
		p.Pos++
	}
	p.Pos++
}

// skipLineComment moves the cursor to the line end.
func (p *Parser) skipLineComment() {
	n := bytes.IndexByte(p.Src[p.Pos:], '\n')
	if cr := bytes.IndexByte(p.Src[p.Pos:p.Pos+n], '\r'); cr >= 0 {
		n = cr
	}
	p.Pos += n
}

// StatementText skips blanks and returns the range of the rest of the
// statement. It moves the cursor to the end of the statement.
func (p *Parser) StatementText() (start, end int) {
	p.SkipSpace()
	start = p.Pos
	p.SkipStatement()
	return start, p.Pos
}

// Mark is a saved state of the cursor.
type Mark struct {
	pos, nodes, diags int
	failed            bool
}

// Mark returns the current state.
func (p *Parser) Mark() Mark {
	return Mark{p.Pos, len(p.nodes), len(p.diags), p.stmtFailed}
}

// Reset restores a state of the same statement. It discards all expressions
// created and errors reported since then.
func (p *Parser) Reset(m Mark) {
	p.Pos, p.nodes, p.diags, p.stmtFailed = m.pos, p.nodes[:m.nodes], p.diags[:m.diags], m.failed
}
