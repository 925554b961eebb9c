package clrx

import (
	"bytes"
	"strconv"

	"github.com/gfx-toolchain/gfx/diag"
)

// A body is the recorded text of a macro or repetition: statements without
// comments, in one buffer.
type body struct {
	text   []byte
	lines  []bodyLine
	params []string // names that are replaced after a backslash
	macro  bool     // \@ is replaced as well
}

// bodyLine is a statement of a body.
type bodyLine struct {
	start, end int
	src        *diag.Source
	segments   []segment
	plain      bool // without a backslash
}

// record appends the current statement to a body.
func (p *parser) record(b *body) {
	text := p.src[p.start:p.end]
	at := p.locate(p.start)
	line := bodyLine{start: len(b.text), src: at.src, plain: bytes.IndexByte(text, '\\') < 0}
	shift := int32(len(b.text) - p.start)
	if len(p.segments) == 0 {
		line.segments = []segment{{int32(len(b.text)), int32(at.off), false}}
	} else {
		line.segments = make([]segment, len(p.segments))
		for i, s := range p.segments {
			line.segments[i] = segment{s.at + shift, s.off, s.fixed}
		}
	}
	b.text = append(b.text, text...)
	line.end = len(b.text)
	b.lines = append(b.lines, line)
	p.spend(len(text), p.start)
}

// readBody reads the next statement of a body, with its parameters replaced.
func (p *parser) readBody(f *feed) bool {
	if f.next == len(f.body.lines) {
		if f.loop == nil || !f.loop.again(p, f) || len(f.body.lines) == 0 {
			return false
		}
		f.next = 0
	}
	line := &f.body.lines[f.next]
	f.next++
	p.lineSource = line.src
	p.tail = 0
	if line.plain && !f.alt || f.body.params == nil && !f.body.macro {
		p.src, p.start, p.pos, p.end = f.body.text, line.start, line.start, line.end
		p.segments = append(p.segments[:0], line.segments...)
	} else {
		p.expand(f, line)
	}
	return p.spend(p.end-p.start, p.start)
}

// expand replaces the parameters of a line.
func (p *parser) expand(f *feed, line *bodyLine) {
	text := f.body.text[line.start:line.end]
	p.expanded, p.segments = p.expanded[:0], p.segments[:0]
	x := expansion{p: p, f: f, line: line, text: text}
	stop := len(text)
	if f.alt {
		stop = x.locals()
	}
	for x.i < stop {
		switch c := text[x.i]; {
		case c == '\\':
			x.backslash()
		case f.alt && isNameStart(c):
			x.bareName()
		default:
			x.copyTo(x.i + 1)
		}
	}
	p.src, p.start, p.pos, p.end = p.expanded, 0, 0, len(p.expanded)
	if len(p.segments) == 0 {
		p.segments = append(p.segments, segment{0, x.sourceOffset(0), false})
	}
}

// expansion is the state of the replacement of a line's parameters.
type expansion struct {
	p    *parser
	f    *feed
	line *bodyLine
	text []byte
	i    int // next byte of text
	seg  int // segment of the line that holds the byte
}

// sourceOffset returns the offset in the source of the byte i of the line. Calls
// are in ascending order of i.
func (x *expansion) sourceOffset(i int) int32 {
	at := int32(x.line.start + i)
	segments := x.line.segments
	for x.seg+1 < len(segments) && segments[x.seg+1].at <= at {
		x.seg++
	}
	s := &segments[x.seg]
	if s.fixed {
		return s.off
	}
	return s.off + at - s.at
}

// copyTo copies the line's text up to the byte end.
func (x *expansion) copyTo(end int) {
	p := x.p
	for ; x.i < end; x.i++ {
		off := x.sourceOffset(x.i)
		n := len(p.segments)
		if n == 0 || p.segments[n-1].fixed || off != p.segments[n-1].off+int32(len(p.expanded))-p.segments[n-1].at {
			p.segments = append(p.segments, segment{int32(len(p.expanded)), off, false})
		}
		p.expanded = append(p.expanded, x.text[x.i])
	}
}

// replace writes a value in place of the text up to the byte end.
func (x *expansion) replace(value []byte, end int) {
	p := x.p
	p.segments = append(p.segments, segment{int32(len(p.expanded)), x.sourceOffset(x.i), true})
	p.expanded = append(p.expanded, value...)
	x.i = end
}

// backslash replaces \name, \@ and \(). Another backslash is text.
func (x *expansion) backslash() {
	rest := x.text[x.i+1:]
	if len(rest) > 1 && rest[0] == '(' && rest[1] == ')' {
		x.replace(nil, x.i+3)
		return
	}
	if len(rest) > 0 && rest[0] == '@' && x.f.body.macro {
		x.replace(strconv.AppendUint(nil, x.f.count, 10), x.i+2)
		return
	}
	n := nameLen(rest)
	if value, ok := x.f.value(rest[:n]); ok {
		x.replace(value, x.i+1+n)
		return
	}
	x.copyTo(x.i + 1)
}

// bareName replaces a name without a backslash, in the alternate macro mode.
func (x *expansion) bareName() {
	n := nameLen(x.text[x.i:])
	if value, ok := x.f.value(x.text[x.i : x.i+n]); ok {
		x.replace(value, x.i+n)
		return
	}
	x.copyTo(x.i + n)
}

// locals reads a local statement. It returns the end of the text to copy: the
// start of the statement, or the end of the line if it is another one.
func (x *expansion) locals() int {
	i := skipLabels(x.text)
	rest := x.text[i:]
	if len(rest) <= 6 || !bytes.EqualFold(rest[:5], []byte("local")) || rest[5] != ' ' {
		return len(x.text)
	}
	var names []int
	for k := 5; ; {
		for k < len(rest) && (isSpace(rest[k]) || rest[k] == ',' && len(names) > 0) {
			k++
		}
		if k == len(rest) {
			break
		}
		n := nameLen(rest[k:])
		if n == 0 {
			return len(x.text)
		}
		names = append(names, k, k+n)
		k += n
	}
	for k := 0; k < len(names); k += 2 {
		x.addLocal(string(rest[names[k]:names[k+1]]), i+names[k])
	}
	x.seg = 0
	return i
}

// addLocal replaces a name of a local statement by a unique one from now on.
func (x *expansion) addLocal(name string, at int) {
	if _, ok := x.f.value([]byte(name)); ok {
		where := place{x.f.instance(x.line.src), int(x.sourceOffset(at))}
		x.p.diagnose(diag.Error, where, len(name), "name '%s' is already a parameter or local name of this macro", name)
		return
	}
	if x.f.locals == nil {
		x.f.locals = map[string]string{}
	}
	x.f.locals[name] = ".LL" + strconv.FormatUint(x.p.localCount, 10)
	x.p.localCount++
}

// value returns the text that replaces a name.
func (f *feed) value(name []byte) ([]byte, bool) {
	if len(name) == 0 {
		return nil, false
	}
	for i, param := range f.body.params {
		if string(name) == param {
			return f.args[i], true
		}
	}
	if local, ok := f.locals[string(name)]; ok {
		return []byte(local), true
	}
	return nil, false
}

// skipLabels returns the start of the statement after the labels of a line.
// Names may contain parameters.
func skipLabels(text []byte) int {
	i := 0
	for {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		start := i
		for i < len(text) && (isNameByte(text[i]) || text[i] == '\\') {
			if text[i] == '\\' {
				i = skipSeparator(text, i)
				continue
			}
			i++
		}
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		if i == len(text) || text[i] != ':' {
			return start
		}
		i++
	}
}

// skipSeparator returns the index after a backslash and the @ or () after it.
func skipSeparator(text []byte, i int) int {
	i++
	switch {
	case i < len(text) && text[i] == '@':
		return i + 1
	case i+1 < len(text) && text[i] == '(' && text[i+1] == ')':
		return i + 2
	case i < len(text) && text[i] == '(':
		return i + 1
	}
	return i
}
