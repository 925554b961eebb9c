package asmcore

import (
	"math/bits"
	"strconv"
)

// NumberKind is the kind of a number in the text.
type NumberKind uint8

const (
	NotNumber  NumberKind = iota
	Integer               // up to 64 bits
	BigInteger            // more than 64 bits
	Real                  // decimal or hexadecimal floating point
)

// A Number is a number in the text.
type Number struct {
	Kind       NumberKind
	Overflow   bool   // a BigInteger of more than 128 bits
	Hi, Lo     uint64 // value of an Integer or BigInteger
	Start, End int    // its range in Src
}

// Int skips blanks and reads an integer that fits in 64 bits, in any base, with
// an optional U, L or LL suffix, or a character literal. Without a number, it
// returns ok = false and leaves the cursor there. It also reports an error if
// the number is invalid.
func (p *Parser) Int() (v int64, ok bool) {
	n := p.Number()
	switch n.Kind {
	case Integer:
		return int64(n.Lo), true
	case BigInteger:
		p.Errorf(n.Start, n.End, "literal value out of range for directive: more than 64 bits")
	case Real:
		p.Pos = n.Start
	}
	return 0, false
}

// Number skips blanks and reads a number, without a sign.
func (p *Parser) Number() Number {
	p.SkipSpace()
	src, start := p.Src, p.Pos
	c := src[start]
	if c == '\'' {
		return p.charLiteral()
	}
	if c == '.' && isDigit(src[start+1]) {
		return p.realNumber(start + 1)
	}
	if !isDigit(c) {
		return Number{Start: start, End: start}
	}
	if c != '0' || src[start+1] == '.' {
		return p.decimal()
	}
	switch src[start+1] {
	case 'x', 'X':
		return p.hexadecimal()
	case 'b', 'B':
		return p.binaryNumber()
	}
	end := start
	for isDigit(src[end]) {
		end++
	}
	return p.integer(start, start, end, 8, "octal")
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// digitValue returns the value of a digit of any base up to 16, 255 for none.
func digitValue(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

func (p *Parser) decimal() Number {
	src, start := p.Src, p.Pos
	end := start
	var v uint64
	for isDigit(src[end]) {
		v = v*10 + uint64(src[end]-'0')
		end++
	}
	switch src[end] {
	case '.', 'e', 'E':
		return p.realNumber(end)
	}
	if end-start > 19 {
		return p.integer(start, start, end, 10, "decimal")
	}
	end = skipIntSuffix(src, end)
	p.Pos = end
	return Number{Kind: Integer, Lo: v, Start: start, End: end}
}

func (p *Parser) hexadecimal() Number {
	src, start := p.Src, p.Pos
	end := start + 2
	for digitValue(src[end]) < 16 {
		end++
	}
	switch {
	case src[end] == '.' || src[end]|0x20 == 'p':
		return p.hexReal(end)
	case end == start+2:
		p.Errorf(start, end, "invalid hexadecimal number: expected a digit after '0x'")
		return Number{Start: start, End: start}
	}
	return p.integer(start, start+2, end, 16, "hexadecimal")
}

// binaryNumber reads 0b101. A 0b that is not followed by a digit is a reference
// to the local label 0, of which binaryNumber reads the 0.
func (p *Parser) binaryNumber() Number {
	src, start := p.Src, p.Pos
	if !isDigit(src[start+2]) {
		p.Pos = start + 1
		return Number{Kind: Integer, Start: start, End: start + 1}
	}
	end := start + 2
	for src[end] == '0' || src[end] == '1' {
		end++
	}
	if end == start+2 {
		p.Errorf(start, end, "invalid binary number: expected 0 or 1 after '0b'")
		return Number{Start: start, End: start}
	}
	return p.integer(start, start+2, end, 2, "binary")
}

// integer reads the digits Src[digits:end] of a number that begins at start.
func (p *Parser) integer(start, digits, end int, base uint64, name string) Number {
	n := Number{Kind: Integer, Start: start}
	for _, c := range p.Src[digits:end] {
		d := digitValue(c)
		if uint64(d) >= base {
			p.Errorf(start, end, "invalid %s number", name)
			return Number{Start: start, End: start}
		}
		n.mulAdd(base, uint64(d))
	}
	if n.Hi != 0 || n.Overflow {
		n.Kind = BigInteger
	}
	n.End = skipIntSuffix(p.Src, end)
	p.Pos = n.End
	return n
}

// mulAdd sets n to n*base + d in 128 bits.
func (n *Number) mulAdd(base, d uint64) {
	over, hi := bits.Mul64(n.Hi, base)
	carry, lo := bits.Mul64(n.Lo, base)
	lo, c := bits.Add64(lo, d, 0)
	hi, c2 := bits.Add64(hi, carry, c)
	n.Overflow = n.Overflow || over != 0 || c2 != 0
	n.Hi, n.Lo = hi, lo
}

// skipIntSuffix skips U, L, LL, UL and ULL in any case.
func skipIntSuffix(src []byte, i int) int {
	if src[i]|0x20 == 'u' {
		i++
	}
	for n := 0; n < 2 && src[i]|0x20 == 'l'; n++ {
		i++
	}
	return i
}

// realNumber reads a decimal floating-point number whose integer digits end at
// i, before a '.', an exponent or a fractional digit.
func (p *Parser) realNumber(i int) Number {
	src, start := p.Src, p.Pos
	if src[i] == '.' {
		i++
	}
	for isDigit(src[i]) {
		i++
	}
	if src[i] == '-' || src[i] == '+' {
		p.Errorf(i, i+1, "invalid sign in float literal")
		return Number{Start: start, End: start}
	}
	if src[i]|0x20 == 'e' {
		i++
		if src[i] == '-' || src[i] == '+' {
			i++
		}
		for isDigit(src[i]) {
			i++
		}
	}
	p.Pos = i
	return Number{Kind: Real, Start: start, End: i}
}

// hexReal reads a hexadecimal floating-point number whose integer digits end at
// i, before a '.' or 'p'.
func (p *Parser) hexReal(i int) Number {
	src, start := p.Src, p.Pos
	digits := i - start - 2
	if src[i] == '.' {
		i++
		for ; digitValue(src[i]) < 16; i++ {
			digits++
		}
	}
	const bad = "invalid hexadecimal floating-point constant: expected "
	if digits == 0 {
		p.Errorf(start, i, bad+"at least one significand digit")
		return Number{Start: start, End: start}
	}
	if src[i]|0x20 != 'p' {
		p.Errorf(start, i, bad+"exponent part 'p'")
		return Number{Start: start, End: start}
	}
	i++
	if src[i] == '-' || src[i] == '+' {
		i++
	}
	first := i
	for isDigit(src[i]) {
		i++
	}
	if i == first {
		p.Errorf(start, i, bad+"at least one exponent digit")
		return Number{Start: start, End: start}
	}
	p.Pos = i
	return Number{Kind: Real, Start: start, End: i}
}

// RealValue returns the value of a Real, rounded to nearest even at the given
// precision (32 or 64 bits).
func (p *Parser) RealValue(n Number, bitSize int) (float64, error) {
	s := string(p.Src[n.Start:n.End])
	// LLVM accepts an exponent mark without digits as exponent 0.
	if c := s[len(s)-1]; !isDigit(c) && c != '.' && digitValue(c) != 14 {
		s = s[:len(s)-1]
	}
	if c := s[len(s)-1]; c|0x20 == 'e' && (len(s) < 2 || s[1]|0x20 != 'x') {
		s = s[:len(s)-1]
	}
	return strconv.ParseFloat(s, bitSize)
}

// charLiteral reads 'c' or an escape such as '\n'.
func (p *Parser) charLiteral() Number {
	src, start := p.Src, p.Pos
	none := Number{Start: start, End: start}
	i := start + 1
	escaped := src[i] == '\\'
	if escaped {
		i++
	}
	if i+1 >= len(src) {
		p.Errorf(start, start+1, "unterminated single quote")
		return none
	}
	c := src[i]
	if src[i+1] != '\'' {
		p.Errorf(start, i+1, "single quote way too long: expected one character between quotes")
		return none
	}
	if escaped {
		switch c {
		case 't':
			c = '\t'
		case 'n':
			c = '\n'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'r':
			c = '\r'
		}
	}
	p.Pos = i + 2
	return Number{Kind: Integer, Lo: uint64(int64(int8(c))), Start: start, End: p.Pos}
}
