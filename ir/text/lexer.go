package text

import (
	"bytes"
	"fmt"

	"github.com/gfx-toolchain/gfx/diag"
)

// token is a kind of token.
type token uint8

const (
	tEOF token = iota
	tEqual
	tComma
	tStar
	tLParen
	tRParen
	tLSquare
	tRSquare
	tLBrace
	tRBrace
	tLess
	tGreater
	tBar
	tColon
	tExclaim
	tDots
	tHash
	tWord      // keyword: lexer.kw
	tIntType   // iN: lexer.num is N
	tLabel     // name: (lexer.name)
	tLocal     // %name
	tLocalID   // %7: lexer.num
	tGlobal    // @name
	tGlobalID  // @7
	tComdat    // $name
	tMDName    // !name
	tAttrGroup // #7
	tSummary   // ^7
	tString    // "…"
	tCString   // c"…"
	tInt       // decimal, u0x…, s0x…
	tFloat     // decimal
	tHexFloat  // 0x…, 0xH… and so on
)

// lexer splits a text into tokens without copying: a token is a range of the
// text. Names and strings with escapes are unescaped on demand.
type lexer struct {
	src []byte
	pos int // offset after the token

	tok        token
	kw         keyword
	escaped    bool // name or string with escapes
	start, end int  // range of the token; for a name or string, without the quotes
	from       int  // start of the token, including its sigil
	prevEnd    int  // end of the previous token
	num        uint64
	file       *diag.Source
}

// A syntaxError is an error at a range of the text. The parser panics with it;
// the code that parses a top-level entity recovers it.
type syntaxError struct {
	off, end int
	message  string
}

// failAt ends the current top-level entity with an error at a range.
func failAt(off, end int, format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	panic(&syntaxError{off, end, format})
}

// Classes of bytes.
const (
	cSpace  = 1 << iota
	cLabel  // allowed in labels and names: [-a-zA-Z$._0-9]
	cKey    // allowed in keywords: [a-zA-Z_0-9]
	cDigit  // [0-9]
	cLetter // begins a word: [a-zA-Z_]
	cHex
)

// class maps characters to their classes.
var class = [256]uint8{
	0: cSpace, ' ': cSpace, '\t': cSpace, '\n': cSpace, '\r': cSpace,
	'0': decimal, '1': decimal, '2': decimal, '3': decimal, '4': decimal, '5': decimal, '6': decimal, '7': decimal, '8': decimal, '9': decimal,
	'A': hexLetter, 'B': hexLetter, 'C': hexLetter, 'D': hexLetter, 'E': hexLetter, 'F': hexLetter, 'a': hexLetter, 'b': hexLetter, 'c': hexLetter, 'd': hexLetter, 'e': hexLetter, 'f': hexLetter,
	'G': letter, 'H': letter, 'I': letter, 'J': letter, 'K': letter, 'L': letter, 'M': letter, 'N': letter, 'O': letter, 'P': letter, 'Q': letter, 'R': letter, 'S': letter,
	'T': letter, 'U': letter, 'V': letter, 'W': letter, 'X': letter, 'Y': letter, 'Z': letter,
	'g': letter, 'h': letter, 'i': letter, 'j': letter, 'k': letter, 'l': letter, 'm': letter, 'n': letter, 'o': letter, 'p': letter, 'q': letter, 'r': letter, 's': letter,
	't': letter, 'u': letter, 'v': letter, 'w': letter, 'x': letter, 'y': letter, 'z': letter,
	'_': letter, '-': cLabel, '$': cLabel, '.': cLabel,
}

// Classes of digits and letters.
const (
	decimal   = cLabel | cKey | cDigit | cHex
	letter    = cLabel | cKey | cLetter
	hexLetter = letter | cHex
)

// Classes of the first byte of a token. Single-byte punctuation has its token
// number, other bytes have one of these values.
const (
	leadOther = 0
	leadSpace = 0x80 + iota
	leadWord
	leadLocal // %
)

var lead = [256]uint8{
	0: leadSpace, ' ': leadSpace, '\t': leadSpace, '\n': leadSpace, '\r': leadSpace,
	'A': leadWord, 'B': leadWord, 'C': leadWord, 'D': leadWord, 'E': leadWord, 'F': leadWord, 'G': leadWord, 'H': leadWord, 'I': leadWord, 'J': leadWord, 'K': leadWord, 'L': leadWord, 'M': leadWord,
	'N': leadWord, 'O': leadWord, 'P': leadWord, 'Q': leadWord, 'R': leadWord, 'S': leadWord, 'T': leadWord, 'U': leadWord, 'V': leadWord, 'W': leadWord, 'X': leadWord, 'Y': leadWord, 'Z': leadWord,
	'a': leadWord, 'b': leadWord, 'c': leadWord, 'd': leadWord, 'e': leadWord, 'f': leadWord, 'g': leadWord, 'h': leadWord, 'i': leadWord, 'j': leadWord, 'k': leadWord, 'l': leadWord, 'm': leadWord,
	'n': leadWord, 'o': leadWord, 'p': leadWord, 'q': leadWord, 'r': leadWord, 's': leadWord, 't': leadWord, 'u': leadWord, 'v': leadWord, 'w': leadWord, 'x': leadWord, 'y': leadWord, 'z': leadWord,
	'_': leadWord, '%': leadLocal,
	'=': uint8(tEqual), ',': uint8(tComma), '*': uint8(tStar), '(': uint8(tLParen), ')': uint8(tRParen), '[': uint8(tLSquare), ']': uint8(tRSquare),
	'{': uint8(tLBrace), '}': uint8(tRBrace), '<': uint8(tLess), '>': uint8(tGreater), '|': uint8(tBar), ':': uint8(tColon),
}

// scanToken scans the next token.
func (l *lexer) scanToken() {
	src, i := l.src, l.pos
	l.prevEnd = l.end
	for ; uint(i) < uint(len(src)); i++ {
		c := src[i]
		switch k := lead[c]; {
		case k == leadSpace:
			continue
		case k != leadOther && k < leadSpace:
			l.tok, l.from, l.start, l.end, l.pos = token(k), i, i, i+1, i+1
		case k == leadWord:
			l.from, l.start = i, i
			l.word(i)
		case k == leadLocal:
			l.from, l.start = i, i
			l.variable(i, tLocal, tLocalID)
		case c == ';':
			for i++; i < len(src) && src[i] != '\n'; i++ {
			}
			continue
		default:
			l.from, l.start = i, i
			l.special(c, i)
		}
		return
	}
	i = len(src)
	l.tok, l.from, l.start, l.end, l.pos = tEOF, i, i, i, i
}

// numberAfter returns the short decimal number that directly follows the
// current token and the given text, and the range of its digits. end is 0 if no
// such number follows; the caller then parses token by token.
func (l *lexer) numberAfter(text string) (n uint64, at, end int) {
	const most = 9 // digits
	src := l.src
	at = l.pos + len(text)
	if at >= len(src) || string(src[l.pos:at]) != text {
		return 0, 0, 0
	}
	i := at
	for ; i < len(src) && i < at+most && class[src[i]]&cDigit != 0; i++ {
		n = n*10 + uint64(src[i]-'0')
	}
	if i == at || i < len(src) && (class[src[i]]&cLabel != 0 || src[i] == ':') {
		return 0, 0, 0 // no number, or another kind of token
	}
	return n, at, i
}

// skipTo moves the lexer to end, the end of a token.
func (l *lexer) skipTo(end int) {
	l.end, l.pos = end, end
	l.scanToken()
}

// special scans a token that does not begin with a letter, punctuation or %.
func (l *lexer) special(c byte, i int) {
	switch {
	case c == '@':
		l.variable(i, tGlobal, tGlobalID)
	case c == '!':
		l.exclaim(i)
	case class[c]&cDigit != 0 || c == '-' || c == '+':
		l.number(i)
	case c == '"':
		l.quoted(i+1, tString)
		if l.pos < len(l.src) && l.src[l.pos] == ':' {
			l.tok = tLabel
			l.pos++
			l.checkName()
		}
	case c == '#':
		l.attrGroup(i)
	case c == '.' || c == '$':
		l.dot(c, i)
	case c == '^' && i+1 < len(l.src) && class[l.src[i+1]]&cDigit != 0:
		l.id(i, i+1, tSummary)
	default:
		l.pos = i + 1
		failAt(i, i+1, "invalid character %q", c)
	}
}

// dot scans a token that begins with a dot or dollar sign.
func (l *lexer) dot(c byte, i int) {
	end := l.labelEnd(i)
	switch {
	case end < len(l.src) && l.src[end] == ':':
		l.tok, l.end, l.pos, l.escaped = tLabel, end, end+1, false
	case c == '.' && i+2 < len(l.src) && l.src[i+1] == '.' && l.src[i+2] == '.':
		l.tok, l.end, l.pos = tDots, i+3, i+3
	case c == '$' && i+1 < len(l.src) && l.src[i+1] == '"':
		l.quoted(i+2, tComdat)
		l.checkName()
	case c == '$' && end > i+1:
		l.tok, l.start, l.end, l.pos, l.escaped = tComdat, i+1, end, end, false
	default:
		l.pos = i + 1
		failAt(i, i+1, "invalid character %q", c)
	}
}

// labelEnd returns the end of the label characters that start at i.
func (l *lexer) labelEnd(i int) int {
	src := l.src
	for uint(i) < uint(len(src)) && class[src[i]]&cLabel != 0 {
		i++
	}
	return i
}

// word scans a keyword, an integer type, a label or c"…".
func (l *lexer) word(i int) {
	src := l.src
	end := i + 1
	for uint(end) < uint(len(src)) && class[src[end]]&cKey != 0 {
		end++
	}
	if end < len(src) && (src[end] == ':' || class[src[end]]&cLabel != 0) {
		if le := l.labelEnd(end); le < len(src) && src[le] == ':' {
			l.tok, l.end, l.pos, l.escaped = tLabel, le, le+1, false
			return
		}
	}
	l.end, l.pos = end, end
	switch c := src[i]; {
	case c == 'i' && end > i+1 && class[src[i+1]]&cDigit != 0: // letters that follow are the next token: i1addrspace
		l.id(i, i+1, tIntType)
	case c == 'c' && end == i+1 && end < len(src) && src[end] == '"':
		l.quoted(end+1, tCString)
	case (c == 'u' || c == 's') && end > i+3 && src[i+1] == '0' && src[i+2] == 'x':
		l.tok = tInt
	default:
		l.tok = tWord
		l.kw = lookup(src[i:end])
	}
}

// id scans decimal digits at offset at as the number of a token that begins at
// from.
func (l *lexer) id(from, at int, kind token) {
	src, n, i := l.src, uint64(0), at
	for ; uint(i) < uint(len(src)) && class[src[i]]&cDigit != 0; i++ {
		if n = n*10 + uint64(src[i]-'0'); n > 1<<32-1 {
			for i < len(l.src) && class[l.src[i]]&cDigit != 0 {
				i++
			}
			l.pos = i
			failAt(from, i, "invalid value number (too large)")
		}
	}
	l.tok, l.num, l.start, l.end, l.pos = kind, n, at, i, i
}

// variable scans %name, %7, %"name" and the same forms with @.
func (l *lexer) variable(i int, name, number token) {
	j := i + 1
	if j >= len(l.src) {
		l.pos = j
		failAt(i, j, "expected a name after '%c'", l.src[i])
	}
	switch c := l.src[j]; {
	case class[c]&cDigit != 0:
		l.id(i, j, number)
	case c == '"':
		l.quoted(j+1, name)
		if l.end == l.start {
			failAt(i, l.pos, "expected a name in the quotes")
		}
		l.checkName()
	default:
		end := l.labelEnd(j)
		l.pos = max(end, j)
		if end == j {
			failAt(i, j, "expected a name after '%c'", l.src[i])
		}
		l.tok, l.start, l.end, l.escaped = name, j, end, false
	}
}

// checkName rejects a quoted name that contains NUL, escaped or not.
func (l *lexer) checkName() {
	if bytes.IndexByte(l.name(), 0) >= 0 {
		failAt(l.from, l.pos, "NUL character is not allowed in names")
	}
}

// exclaim scans !name or a single exclamation mark.
func (l *lexer) exclaim(i int) {
	j := i + 1
	if j < len(l.src) && (class[l.src[j]]&(cLabel|cDigit) == cLabel || l.src[j] == '\\') {
		end := j
		l.escaped = false
		for end < len(l.src) && (class[l.src[end]]&cLabel != 0 || l.src[end] == '\\') {
			l.escaped = l.escaped || l.src[end] == '\\'
			end++
		}
		l.tok, l.start, l.end, l.pos = tMDName, j, end, end
		return
	}
	l.tok, l.end, l.pos = tExclaim, j, j
}

// attrGroup scans #7 or a single hash.
func (l *lexer) attrGroup(i int) {
	if i+1 < len(l.src) && class[l.src[i+1]]&cDigit != 0 {
		l.id(i, i+1, tAttrGroup)
		return
	}
	l.tok, l.end, l.pos = tHash, i+1, i+1
}

// quoted scans a string whose text begins at i.
func (l *lexer) quoted(i int, kind token) {
	l.tok, l.start, l.escaped = kind, i, false
	for ; i < len(l.src); i++ {
		switch l.src[i] {
		case '"':
			l.end, l.pos = i, i+1
			return
		case '\\':
			l.escaped = true
		}
	}
	l.pos = i
	failAt(l.from, min(l.from+1, i), "end of file in string constant")
}

// number scans an integer or floating-point literal, or a label that begins
// with a digit.
func (l *lexer) number(i int) {
	src := l.src
	j := i
	if src[j] == '-' || src[j] == '+' {
		j++
	}
	digits := j
	for j < len(src) && class[src[j]]&cDigit != 0 {
		j++
	}
	if le := l.labelEnd(j); le < len(src) && src[le] == ':' && src[i] != '+' {
		l.tok, l.end, l.pos, l.escaped = tLabel, le, le+1, false
		return
	}
	if j == digits {
		l.pos = j
		failAt(i, j, "expected a number after '%c'", src[i])
	}
	if j == digits+1 && src[digits] == '0' && j < len(src) && src[j] == 'x' && digits == i {
		l.hexFloat(i)
		return
	}
	if j >= len(src) || src[j] != '.' {
		l.tok, l.end, l.pos = tInt, j, j
		return
	}
	for j++; j < len(src) && class[src[j]]&cDigit != 0; j++ {
	}
	if j < len(src) && src[j]|0x20 == 'e' {
		k := j + 1
		if k < len(src) && (src[k] == '-' || src[k] == '+') {
			k++
		}
		if k < len(src) && class[src[k]]&cDigit != 0 {
			for j = k; j < len(src) && class[src[j]]&cDigit != 0; j++ {
			}
		}
	}
	l.tok, l.end, l.pos = tFloat, j, j
}

// hexFloat scans 0x1f, 0xH3c00 and similar literals.
func (l *lexer) hexFloat(i int) {
	j := i + 2
	if j < len(l.src) {
		switch l.src[j] {
		case 'K', 'L', 'M', 'H', 'R':
			j++
		}
	}
	digits := j
	for j < len(l.src) && class[l.src[j]]&cHex != 0 {
		j++
	}
	l.tok, l.end, l.pos = tHexFloat, j, j
	if j == digits {
		failAt(i, j, "expected hexadecimal digits")
	}
}

// text returns the source of the token, without quotes and sigil.
func (l *lexer) text() []byte { return l.src[l.start:l.end] }

// name returns the unescaped name or string of the token. The result shares the
// text's memory if possible.
func (l *lexer) name() []byte {
	if !l.escaped {
		return l.src[l.start:l.end]
	}
	return unescape(l.src[l.start:l.end])
}

// unescape replaces \\ by \ and \xx by the byte with the hexadecimal digits xx.
// Other backslashes are unchanged.
func unescape(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch {
			case s[i+1] == '\\':
				i++
			case i+2 < len(s) && class[s[i+1]]&class[s[i+2]]&cHex != 0:
				out = append(out, hexDigit(s[i+1])<<4|hexDigit(s[i+2]))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&0xf + 9
}
