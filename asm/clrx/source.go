package clrx

import (
	"sort"

	"github.com/gfx-toolchain/gfx/diag"
)

// A place is a position in a text.
type place struct {
	src *diag.Source
	off int
}

// feedKind is the kind of a feed.
type feedKind uint8

const (
	feedFile   feedKind = iota // the text of a file
	feedMacro                  // the body of a macro, once
	feedRepeat                 // the body of a repetition
	feedKinds
)

// lexState is the state in which a line of a file ends, and the next begins.
type lexState uint8

const (
	inCode         lexState = iota
	inString                // between double quotes
	inChar                  // between single quotes
	inLineComment           // after #
	inBlockComment          // after /*
)

// A feed delivers statements: the lines of a file or of a recorded body. Feeds
// form a stack.
type feed struct {
	kind feedKind

	// Of a file.
	source *diag.Source
	pos    int
	state  lexState

	// Of a body.
	body  *body
	next  int // index of the next line
	round uint64
	loop  loop     // the condition of a further round, nil for a macro
	args  [][]byte // the values of the body's parameters
	count uint64   // the value of \@ in a macro
	alt   bool     // alternate macro mode
	// locals holds the unique names of the local statement.
	locals map[string]string

	from place  // statement that opened the feed
	why  string // relation to from in a note
	// original and clone are the last source of the body's lines and its copy
	// with the chain of this feed.
	original, clone *diag.Source
}

// segment maps a range of a statement to its text. Columns from at on lie at
// off and following; if fixed is set, all of them lie at off.
type segment struct {
	at, off int32
	fixed   bool
}

// locate returns the place of a column of the current statement.
func (p *parser) locate(pos int) place {
	f := p.top
	if f.kind == feedFile {
		return place{f.source, p.offset(pos)}
	}
	return place{f.instance(p.lineSource), p.offset(pos)}
}

// offset returns the offset in the source of a column of the current statement.
func (p *parser) offset(pos int) int {
	if pos >= p.end {
		pos += p.tail
	}
	if len(p.segments) == 0 {
		return pos
	}
	after := sort.Search(len(p.segments), func(i int) bool { return int(p.segments[i].at) > pos })
	s := &p.segments[max(after-1, 0)]
	if s.fixed {
		return int(s.off)
	}
	return int(s.off) + pos - int(s.at)
}

// instance returns a copy of a source of the body whose chain names the
// statement that opened the feed.
func (f *feed) instance(src *diag.Source) *diag.Source {
	if f.original != src {
		f.original = src
		f.clone = &diag.Source{Name: src.Name, Text: src.Text, From: f.from.src, FromOff: f.from.off, Why: f.why}
	}
	return f.clone
}

// push opens f, which delivers the next statements. at is the position of the
// statement that opens it. It reports an error and ends the assembly if
// too many feeds of its kind are open.
func (p *parser) push(f *feed, at int) {
	if p.depth[f.kind] >= maxDepth[f.kind] {
		p.errorAt(at, "%s nested more than %d deep", depthNames[f.kind], maxDepth[f.kind])
		p.ended = true
		return
	}
	if p.top != nil {
		f.from = p.locate(at)
	}
	p.depth[f.kind]++
	p.feeds = append(p.feeds, f)
	p.top = f
}

// nextStatement reads the next statement and reports whether there is one.
func (p *parser) nextStatement() bool {
	if p.reread {
		p.reread = false
		p.pos = p.start
		return p.haveStatement
	}
	p.haveStatement = p.readStatement()
	return p.haveStatement
}

func (p *parser) readStatement() bool {
	for len(p.feeds) > 0 {
		f := p.top
		if f.kind == feedFile && p.readFile(f) || f.kind != feedFile && p.readBody(f) {
			return true
		}
		if len(p.feeds) == 1 {
			return false
		}
		p.depth[f.kind]--
		p.feeds[len(p.feeds)-1] = nil
		p.feeds = p.feeds[:len(p.feeds)-1]
		p.top = p.feeds[len(p.feeds)-1]
	}
	return false
}

// special marks the bytes that end a statement or need a closer look.
var special = [256]bool{'\n': true, ';': true, '#': true, '"': true, '\'': true, '\\': true, '*': true}

// readFile reads a statement of a file. A statement without joined lines and
// block comments is used in place.
func (p *parser) readFile(f *feed) bool {
	text, i := f.source.Text, f.pos
	if f.state != inCode {
		return p.joinFile(f)
	}
	for {
		for i < len(text) && !special[text[i]] {
			i++
		}
		if i == len(text) {
			break
		}
		switch text[i] {
		case '\n', ';':
			p.setStatement(text, f.pos, i, 0)
			f.pos = i + 1
			return true
		case '#':
			eol := i
			for eol < len(text) && text[eol] != '\n' {
				eol++
			}
			if text[eol-1] == '\\' {
				return p.joinFile(f)
			}
			p.setStatement(text, f.pos, i, eol-i)
			f.pos = min(eol+1, len(text))
			return true
		case '"', '\'':
			i = closingQuote(text, i)
			if i < 0 {
				return p.joinFile(f)
			}
		case '\\':
			if i+1 < len(text) && text[i+1] == '\n' {
				return p.joinFile(f)
			}
		case '*':
			if i > f.pos && text[i-1] == '/' {
				return p.joinFile(f)
			}
		}
		i++
	}
	if f.pos == len(text) {
		return false
	}
	p.setStatement(text, f.pos, i, 0)
	f.pos = i
	return true
}

// closingQuote returns the index of the quote that closes the one at i, or -1
// if the line ends before.
func closingQuote(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case quote:
			return i
		case '\\':
			i++
			if i < len(text) && text[i] == '\n' {
				return -1
			}
		case '\n':
			return -1
		}
	}
	return -1
}

// setStatement sets the current statement to a range of a file's text. tail is
// the length of the comment after it.
func (p *parser) setStatement(text []byte, start, end, tail int) {
	if len(p.src) == 0 || &p.src[0] != &text[0] {
		p.src = text
	}
	p.start, p.pos, p.end, p.tail = start, start, end, tail
	p.segments = p.segments[:0]
}

// joinFile reads a statement of a file with joined lines or comments inside
// into a buffer.
func (p *parser) joinFile(f *feed) bool {
	text, i := f.source.Text, f.pos
	start := i
	buf, ended := p.joined[:0], false
	p.segments = append(p.segments[:0], segment{0, int32(i), false})
	star := false // the previous byte of a block comment is a star
	for !ended && i < len(text) {
		c := text[i]
		i++
		if c == '\\' && i < len(text) && text[i] == '\n' && !evenBackslashes(f.state, text[start:i]) {
			i++
			p.segments = append(p.segments, segment{int32(len(buf)), int32(i), false})
			star = false
			continue
		}
		if c == '\n' {
			ended = true
			break
		}
		switch f.state {
		case inCode:
			switch {
			case c == ';':
				ended = true
				continue
			case c == '#':
				f.state, c = inLineComment, ' '
			case c == '*' && len(buf) > 0 && buf[len(buf)-1] == '/':
				buf[len(buf)-1] = ' '
				f.state, c, star = inBlockComment, ' ', false
			case c == '"':
				f.state = inString
			case c == '\'':
				f.state = inChar
			}
		case inString, inChar:
			if c == quoteOf[f.state] && !escaped(text[start:i-1]) {
				f.state = inCode
			}
		case inLineComment:
			c = ' '
		case inBlockComment:
			if star && c == '/' {
				f.state = inCode
			}
			star, c = c == '*', ' '
		}
		buf = append(buf, c)
	}
	f.pos, p.joined = i, buf
	p.src, p.start, p.pos, p.end, p.tail = buf, 0, 0, len(buf), 0
	switch f.state {
	case inLineComment:
		f.state = inCode
	case inBlockComment:
		if !ended || i == len(text) {
			p.diagnose(diag.Warning, place{f.source, i}, 0, "block comment is not closed")
		}
	case inString, inChar:
		if ended {
			p.diagnose(diag.Warning, place{f.source, i - 1}, 0, "string is not closed before the end of the line")
		}
	}
	return ended || i > start
}

// quoteOf holds the quote that ends a string or character literal.
var quoteOf = [...]byte{inString: '"', inChar: '\'', inBlockComment: 0}

// escaped reports whether text ends with an odd number of backslashes.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// evenBackslashes reports whether text, within a string, ends with an even
// number of backslashes, the last of which therefore does not join lines.
func evenBackslashes(s lexState, text []byte) bool {
	return (s == inString || s == inChar) && !escaped(text)
}
