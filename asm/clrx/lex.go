package clrx

import (
	"math/bits"
	"strconv"
	"strings"
)

func isSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }
func isDigit(c byte) bool { return c-'0' <= 9 }

// isNameStart reports whether a name can begin with c.
func isNameStart(c byte) bool {
	return c|0x20-'a' <= 'z'-'a' || c == '_' || c == '.' || c == '$'
}

// isNameByte reports whether c can be part of a name.
func isNameByte(c byte) bool { return isNameStart(c) || isDigit(c) }

// isAlnum reports whether c is a letter or digit.
func isAlnum(c byte) bool { return c|0x20-'a' <= 'z'-'a' || isDigit(c) }

// nameLen returns the length of the name at the start of text, 0 for none.
func nameLen(text []byte) int {
	if len(text) == 0 || !isNameStart(text[0]) {
		return 0
	}
	n := 1
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return n
}

// skipSpace skips blanks.
func (p *parser) skipSpace() {
	for p.pos < p.end && isSpace(p.src[p.pos]) {
		p.pos++
	}
}

// atEnd skips blanks and reports whether the statement ends there.
func (p *parser) atEnd() bool {
	p.skipSpace()
	return p.pos == p.end
}

// peek skips blanks and returns the next byte, 0 at the end of the statement.
func (p *parser) peek() byte {
	if p.atEnd() {
		return 0
	}
	return p.src[p.pos]
}

// accept skips blanks and then c, and reports whether it is there.
func (p *parser) accept(c byte) bool {
	if p.atEnd() || p.src[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

// byteAt returns the byte at a position, 0 after the end of the statement.
func (p *parser) byteAt(pos int) byte {
	if pos >= p.end {
		return 0
	}
	return p.src[pos]
}

// name reads a name without scopes. It returns nil and stays if there is none.
func (p *parser) name() []byte {
	start := p.pos
	p.pos += nameLen(p.src[p.pos:p.end])
	return p.src[start:p.pos]
}

// scopedName reads a name with scopes, such as a::b or ::a. It returns nil and
// stays if there is none.
func (p *parser) scopedName() []byte {
	start, last := p.pos, p.pos
	i := p.pos
	for i < p.end {
		if p.src[i] == ':' && p.byteAt(i+1) == ':' {
			i += 2
		} else if i != start {
			break
		}
		n := nameLen(p.src[i:p.end])
		if n == 0 {
			break
		}
		i += n
		last = i
	}
	if last == start {
		return nil
	}
	p.pos = last
	return p.src[start:last]
}

// localReference reads a reference to a numeric label, such as 1b or 12f. It
// returns nil and stays if there is none.
func (p *parser) localReference() []byte {
	i := p.pos
	for i < p.end && isDigit(p.src[i]) {
		i++
	}
	if i == p.pos || p.byteAt(i) != 'b' && p.byteAt(i) != 'f' || isAlnum(p.byteAt(i+1)) {
		return nil
	}
	start := p.pos
	p.pos = i + 1
	return p.src[start:p.pos]
}

// word reads an argument that is a word of letters, digits, dots and
// underscores, such as the name of a device. what names it in messages. It
// returns nil, after an error if the word is required, when there is none.
func (p *parser) word(what string, required bool) (word []byte, ok bool) {
	p.skipSpace()
	start := p.pos
	c := p.byteAt(start)
	if !isNameStart(c) || c == '$' {
		if !required {
			return nil, true
		}
		if p.pos == p.end {
			p.errorAt(p.pos, "expected %s", what)
			return nil, false
		}
		for p.pos < p.end && !isSpace(p.src[p.pos]) && p.src[p.pos] != ',' {
			p.pos++
		}
		p.errorIn(start, p.pos, "expected %s, found '%s'", what, p.src[start:max(p.pos, min(start+1, p.end))])
		return nil, false
	}
	for p.pos < p.end && isNameByte(p.src[p.pos]) && p.src[p.pos] != '$' {
		p.pos++
	}
	return p.src[start:p.pos], true
}

// finish reports an error if the statement has not been read to its end, and
// returns whether it has.
func (p *parser) finish() bool {
	if p.atEnd() {
		return true
	}
	p.errorIn(p.pos, p.end, "unexpected text at the end of the statement")
	return false
}

// optionalComma skips a comma if there is one. Other text is an error (ok is
// false).
func (p *parser) optionalComma() (found, ok bool) {
	if p.atEnd() {
		return false, true
	}
	if p.src[p.pos] != ',' {
		p.errorAt(p.pos, "expected ',' before the argument")
		return false, false
	}
	p.pos++
	return true, true
}

// comma skips a comma, whose absence is an error.
func (p *parser) comma() bool {
	if p.accept(',') {
		return true
	}
	p.errorAt(p.pos, "expected ',' before the argument")
	return false
}

// more skips the comma before the next item of a list. At the end of the list,
// it checks that the statement ends and returns false.
func (p *parser) more() bool {
	if p.accept(',') {
		p.skipSpace()
		return true
	}
	if p.pos < p.end {
		p.errorAt(p.pos, "expected ',' before the next item")
		p.pos++
		p.finish()
	}
	return false
}

// lower copies text into the buffer for short words, in lower case. The result
// is valid until the next call. Longer text returns nil.
func (p *parser) lower(text []byte) []byte {
	if len(text) > len(p.short) {
		return nil
	}
	out := p.short[:len(text)]
	for i, c := range text {
		if c-'A' <= 'Z'-'A' {
			c |= 0x20
		}
		out[i] = c
	}
	return out
}

// stringLiteral reads a string in double quotes and decodes its escapes. The
// result is valid until the next call. ok is false after an error.
func (p *parser) stringLiteral() (text []byte, ok bool) {
	p.skipSpace()
	start := p.pos
	if p.byteAt(start) != '"' {
		for p.pos < p.end && !isSpace(p.src[p.pos]) && p.src[p.pos] != ',' {
			p.pos++
		}
		p.errorAt(start, "expected a string")
		return nil, false
	}
	p.pos++
	out := p.scratch[:0]
	for p.pos < p.end && p.src[p.pos] != '"' {
		c := p.src[p.pos]
		p.pos++
		if c == '\\' {
			at := p.pos - 1
			var problem string
			if c, problem = p.escape(); problem != "" {
				if p.pos == p.end {
					at = start
				}
				p.errorIn(at, p.pos, "%s", problem)
				return nil, false
			}
		}
		out = append(out, c)
	}
	p.scratch = out
	if p.pos == p.end {
		p.errorIn(start, p.end, "string is not closed")
		return nil, false
	}
	p.pos++
	return out, true
}

// escapes maps the letters of escape sequences to their bytes.
const (
	escapeLetters = "abrnfvt"
	escapeBytes   = "\a\b\r\n\f\v\t"
)

// escape decodes the escape sequence after a backslash: a letter, up to three
// octal digits, or x and hexadecimal digits, of which the last two count. Other
// characters represent themselves.
func (p *parser) escape() (c byte, problem string) {
	if p.pos == p.end {
		return 0, "escape sequence is not complete"
	}
	c = p.src[p.pos]
	switch {
	case c == 'x':
		p.pos++
		start := p.pos
		v := 0
		for p.pos < p.end && hexDigit(p.src[p.pos]) < 16 {
			v = v<<4 | int(hexDigit(p.src[p.pos]))
			p.pos++
		}
		if p.pos == start {
			return 0, "expected a hexadecimal digit after '\\x'"
		}
		return byte(v), ""
	case c-'0' <= 7:
		v := 0
		for n := 0; n < 3 && p.byteAt(p.pos)-'0' <= 7; n++ {
			v = v<<3 | int(p.src[p.pos]-'0')
			p.pos++
		}
		if v > 255 {
			return 0, "octal escape sequence exceeds 255"
		}
		return byte(v), ""
	}
	p.pos++
	if i := strings.IndexByte(escapeLetters, c); i >= 0 {
		c = escapeBytes[i]
	}
	return c, ""
}

// hexDigit returns the value of a hexadecimal digit, 255 for other bytes.
func hexDigit(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case c|0x20-'a' <= 5:
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// literal reads a character literal or an integer of up to 64 bits.
func (p *parser) literal() (v uint64, ok bool) {
	if p.byteAt(p.pos) == '\'' {
		return p.charLiteral()
	}
	n, problem := p.integer()
	if problem == "" && n.hi != 0 {
		problem = "number exceeds 64 bits"
	}
	if problem != "" {
		p.errorIn(n.start, max(p.pos, n.start), "%s", problem)
		return 0, false
	}
	return n.lo, true
}

func (p *parser) charLiteral() (uint64, bool) {
	start := p.pos
	fail := func(problem string) (uint64, bool) {
		p.errorIn(start, p.pos, "%s", problem)
		return 0, false
	}
	p.pos++
	if p.pos == p.end {
		return fail("character literal is not closed")
	}
	c := p.src[p.pos]
	if c == '\'' {
		return fail("character literal is empty")
	}
	p.pos++
	v := uint64(int64(int8(c)))
	if c == '\\' {
		var problem string
		if c, problem = p.escape(); problem != "" {
			return fail(problem)
		}
		v = uint64(c)
	}
	if p.byteAt(p.pos) != '\'' {
		return fail("expected ''' at the end of the character literal")
	}
	p.pos++
	return v, true
}

// number is an integer of up to 128 bits.
type number struct {
	hi, lo uint64
	start  int
}

// integer reads a decimal, octal, hexadecimal or binary integer. A number of
// more than 128 bits ends before the digit that does not fit.
func (p *parser) integer() (n number, problem string) {
	n.start = p.pos
	base, digits := uint64(10), p.pos
	if p.byteAt(p.pos) == '0' {
		base = 8
		switch p.byteAt(p.pos+1) | 0x20 {
		case 'x':
			base, digits = 16, p.pos+2
		case 'b':
			base, digits = 2, p.pos+2
		}
	}
	limit := p.wide
	i := digits
	for ; i < p.end; i++ {
		d := uint64(hexDigit(p.src[i]))
		if d >= base {
			break
		}
		next := n
		over, hi := bits.Mul64(n.hi, base)
		carry, lo := bits.Mul64(n.lo, base)
		lo, c := bits.Add64(lo, d, 0)
		hi, c2 := bits.Add64(hi, carry, c)
		next.hi, next.lo = hi, lo
		if over|c2 != 0 || !limit && hi != 0 {
			p.pos = i
			return n, "number is too large"
		}
		n = next
	}
	p.pos = i
	if i == digits {
		return n, "expected a number"
	}
	return n, ""
}

// float reads a floating-point number of 16, 32 or 64 bits: decimal or
// hexadecimal, with a sign, or a name of infinity or not a number.
func (p *parser) float(size int) (uint64, string) {
	start := p.pos
	i := p.pos
	if c := p.byteAt(i); c == '-' || c == '+' {
		i++
	}
	negative := p.byteAt(start) == '-'
	if kind, n := floatWord(p.src[i:p.end]); n > 0 {
		p.pos = i + n
		return specialFloat(kind, negative, size), ""
	}
	first := i
	hex := p.byteAt(i) == '0' && p.byteAt(i+1)|0x20 == 'x'
	exponent := byte('e')
	if hex {
		i += 2
		exponent = 'p'
	}
	digits := 0
	for dot := false; i < p.end; i++ {
		c := p.src[i]
		if c == '.' && !dot {
			dot = true
			continue
		}
		if !isDigit(c) && !(hex && hexDigit(c) < 16) {
			break
		}
		digits++
	}
	if digits == 0 {
		return 0, "expected a floating-point number"
	}
	if p.byteAt(i)|0x20 == exponent {
		k := i + 1
		if c := p.byteAt(k); c == '-' || c == '+' {
			k++
		}
		if !isDigit(p.byteAt(k)) {
			p.pos = k
			return 0, "expected a digit in the exponent"
		}
		for k < p.end && isDigit(p.src[k]) {
			k++
		}
		i = k
	} else if hex {
		return p.convertFloat(start, first, i, size, "p0", negative)
	}
	return p.convertFloat(start, first, i, size, "", negative)
}

// floatWord returns which of the words nan, inf and infinity text begins with,
// and its length.
func floatWord(text []byte) (kind byte, n int) {
	for _, w := range [...]string{"nan", "infinity", "inf"} {
		if len(text) >= len(w) && strings.EqualFold(string(text[:len(w)]), w) &&
			(len(text) == len(w) || !isAlnum(text[len(w)])) {
			return w[0], len(w)
		}
	}
	return 0, 0
}

// floatLayout holds the number of fraction bits by size.
func fractionBits(size int) int {
	switch size {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// specialFloat returns the bits of a NaN ('n') or infinity ('i').
func specialFloat(kind byte, negative bool, size int) uint64 {
	f := fractionBits(size)
	v := (uint64(1)<<(size-1) - 1) &^ (uint64(1)<<f - 1)
	if kind == 'n' {
		v |= 1 << (f - 1)
	}
	if negative {
		v |= 1 << (size - 1)
	}
	return v
}

// convertFloat returns the bits of the number in src[start:end], rounded to the
// nearest even number.
func (p *parser) convertFloat(start, digits, end, size int, suffix string, negative bool) (uint64, string) {
	p.pos = end
	text := string(p.src[digits:end]) + suffix
	v, over := roundFloat(text, size)
	if over {
		return 0, "floating-point number is out of range"
	}
	if negative {
		v |= 1 << (size - 1)
	}
	return v, ""
}

// roundFloat returns the bits of an unsigned number in Go's syntax.
func roundFloat(text string, size int) (v uint64, over bool) {
	if size == 32 {
		f, err := strconv.ParseFloat(text, 32)
		return uint64(float32bits(f)), err != nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if size == 64 || err != nil {
		return float64bits(f), err != nil
	}
	return halfBits(text, f)
}
