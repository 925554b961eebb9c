package clrx

import (
	"math"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

func decimal(n int) string { return strconv.Itoa(n) }

// sourceRules are the rules for a source operand.
type sourceRules struct {
	regs   regKinds
	dwords int
	align  alignment
	float  clrxsyntax.Float
	only   bool // inline constants only, no literals
	mods   bool // takes neg, abs and sext
	forced bool // a constant is a literal: of madmk and madak
	depth  int  // nesting of modifiers so far
}

// operand is a source operand.
type operand struct {
	num            int // of 9 bits
	reg            bool
	r              regs
	lit            bool
	neg, abs, sext bool
}

// readSource reads a source: registers or a constant.
func (p *parser) readSource(rules *sourceRules) (o operand, ok bool) {
	at := p.skipTo()
	r, found, ok := p.registers(rules.regs)
	switch {
	case !ok:
		return o, false
	case found:
		return p.registerSource(at, r, rules)
	}
	return p.constantSource(at, rules)
}

// registerSource checks registers as a source.
func (p *parser) registerSource(at int, r regs, rules *sourceRules) (o operand, ok bool) {
	o = operand{num: r.first, reg: true, r: r}
	if r.first >= clrxsyntax.SrcInt && !r.isVector() || r.first == clrxsyntax.SrcM0 && rules.dwords == 2 {
		return o, true // of any size
	}
	if !p.checkCount(at, r, rules.dwords, rules.dwords) || !p.checkAlign(at, r, rules.align) {
		return o, false
	}
	return o, true
}

// constantSource reads a constant: an inline one, or a literal.
func (p *parser) constantSource(at int, rules *sourceRules) (o operand, ok bool) {
	if p.byteAt(p.pos) == '@' { // an expression that may look like a register
		p.pos++
		p.skipSpace()
		return p.exprSource(at, rules, false)
	}
	if n := p.keyword("lit"); n > 0 {
		save := p.pos
		p.pos += n
		if p.accept('(') {
			return p.literalSource(at, rules)
		}
		p.pos = save
	}
	if p.looksFloat() {
		return p.floatSource(at, rules, false)
	}
	return p.exprSource(at, rules, false)
}

// keyword returns the length of a word at the cursor, 0 if it is another one.
func (p *parser) keyword(word string) int {
	if p.end-p.pos < len(word) || p.pos+len(word) < p.end && isNameByte(p.src[p.pos+len(word)]) {
		return 0
	}
	for i := range len(word) {
		if p.src[p.pos+i]|0x20 != word[i] {
			return 0
		}
	}
	return len(word)
}

// literalSource reads the value of lit(…).
func (p *parser) literalSource(at int, rules *sourceRules) (o operand, ok bool) {
	p.skipSpace()
	if p.looksFloat() {
		o, ok = p.floatSource(at, rules, true)
	} else {
		if p.byteAt(p.pos) == '@' {
			p.pos++
		}
		o, ok = p.exprSource(at, rules, true)
	}
	if ok && !p.accept(')') {
		p.errorAt(p.pos, "expected ')' at the end of lit(…)")
		return o, false
	}
	return o, ok
}

// looksFloat reports whether a floating-point number is at the cursor.
func (p *parser) looksFloat() bool {
	i := p.pos
	if c := p.byteAt(i); c == '-' || c == '+' {
		i++
	}
	if !isDigit(p.byteAt(i)) {
		return p.byteAt(i) == '.' && isDigit(p.byteAt(i+1))
	}
	hex := p.byteAt(i) == '0' && p.byteAt(i+1)|0x20 == 'x'
	if hex {
		i += 2
	}
	for {
		c := p.byteAt(i)
		switch {
		case isDigit(c) || hex && hexDigit(c) < 16:
			i++
			continue
		case c == '.':
			return true
		case hex && c|0x20 == 'p':
			return true
		case !hex && c|0x20 == 'e':
			c = p.byteAt(i + 1)
			return isDigit(c) || (c == '-' || c == '+') && isDigit(p.byteAt(i+2))
		}
		return false
	}
}

// floatSizes are the sizes of formats of floating-point numbers, in bits.
var floatSizes = [...]int{clrxsyntax.Single: 32, clrxsyntax.Half: 16, clrxsyntax.Double: 64}

// floatSource reads a floating-point number, whose suffix can name its format.
// The rules of .buggyfplit know no double precision, and no inline constants of
// half precision.
func (p *parser) floatSource(at int, rules *sourceRules, literal bool) (o operand, ok bool) {
	format := rules.float
	start := p.pos
	if f, ok := p.suffix(); ok {
		format = f
	} else if p.buggyFP && format == clrxsyntax.Double {
		format = clrxsyntax.Single
	}
	bits, problem := p.float(floatSizes[format])
	if problem != "" {
		p.errorAt(max(p.pos, start), "%s", problem)
		return o, false
	}
	switch p.byteAt(p.pos) | 0x20 {
	case 'h', 's', 'l':
		p.pos++
	}
	if !literal && !rules.forced && !(p.buggyFP && format == clrxsyntax.Half) {
		if n, ok := p.inlineFloat(bits, format); ok {
			return operand{num: n}, true
		}
	}
	if format == clrxsyntax.Double {
		bits >>= 32
	}
	return p.setLiteral(at, uint32(bits), nil, rules)
}

// suffix returns the format that the suffix of a number names.
func (p *parser) suffix() (f clrxsyntax.Float, ok bool) {
	i := p.pos
	hex := false
	for i < p.end && (isAlnum(p.src[i]) || p.src[i] == '.' || (p.src[i] == '-' || p.src[i] == '+') && (i == p.pos || p.src[i-1]|0x20 == 'e' && !hex || p.src[i-1]|0x20 == 'p')) {
		hex = hex || p.src[i]|0x20 == 'x'
		i++
	}
	switch p.byteAt(i-1) | 0x20 {
	case 'h':
		return clrxsyntax.Half, true
	case 's':
		return clrxsyntax.Single, true
	case 'l':
		return clrxsyntax.Double, true
	}
	return 0, false
}

// inlineFloat returns the operand number of an inline floating-point number.
func (p *parser) inlineFloat(bits uint64, f clrxsyntax.Float) (num int, ok bool) {
	if bits == 0 {
		return clrxsyntax.SrcInt, true
	}
	set := p.isa.arch.Set()
	var n uint16
	switch f {
	case clrxsyntax.Half:
		n, ok = isa.InlineF16Enc(set, uint16(bits))
	case clrxsyntax.Double:
		n, ok = isa.InlineF64Enc(set, bits)
		if !ok && p.isa.arch >= clrxsyntax.GCN12 { // 1/(2π) with the digits of single precision
			n, ok = isa.InlineF32Enc(set, math.Float32bits(float32(math.Float64frombits(bits))))
			ok = ok && int(n) == clrxsyntax.SrcFloatEnd-1
		}
	default:
		n, ok = isa.InlineF32Enc(set, uint32(bits))
	}
	return int(n), ok
}

// exprSource reads the expression of a constant.
func (p *parser) exprSource(at int, rules *sourceRules, literal bool) (o operand, ok bool) {
	start := p.skipTo()
	v, ok := p.expression()
	switch {
	case !ok:
		return o, false
	case v.empty:
		p.errorAt(start, "expected an operand")
		return o, false
	case v.late != nil:
		return p.setLiteral(at, 0, v.late, rules)
	case v.sect != absolute:
		p.errorIn(start, p.pos, "expected a number, not a place in the code")
		return o, false
	}
	if n := int64(v.num); !literal && !rules.forced && n >= -16 && n <= 64 {
		if n < 0 {
			return operand{num: clrxsyntax.SrcIntMax - int(n)}, true
		}
		return operand{num: clrxsyntax.SrcInt + int(n)}, true
	}
	p.warnRange(32, v.num, start)
	return p.setLiteral(at, uint32(v.num), nil, rules)
}

// setLiteral uses the literal of the instruction.
func (p *parser) setLiteral(at int, v uint32, late *lateExpression, rules *sourceRules) (o operand, ok bool) {
	l := &p.isa.literal
	o = operand{num: clrxsyntax.SrcLiteral, lit: true}
	switch {
	case rules.only:
		p.errorIn(at, max(p.pos, at+1), "a literal is not possible here")
		return o, false
	case l.has && (l.late != nil || late != nil || l.value != v):
		p.errorIn(at, max(p.pos, at+1), "more than one literal")
		return o, false
	}
	*l = literal{true, v, late}
	return o, true
}
