package asmcore

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"

	"github.com/gfx-toolchain/gfx/diag"
)

// dirValue handles .byte, .short, .long, .quad and similar directives: values
// of arg bytes each.
func dirValue(p *Parser, d *directive, start int) { p.values(int(d.arg)) }

// dirValueAddress handles .dc.a: values of the width of an address.
func dirValueAddress(p *Parser, d *directive, start int) { p.values(p.addressSize()) }

func (p *Parser) values(size int) {
	if p.AtEnd() {
		return
	}
	for {
		p.SkipSpace()
		at := p.Pos
		v, ok := p.Expr()
		if !ok || !p.value(v, size, at, p.Pos) || p.AtEnd() || !p.needComma() {
			return
		}
	}
}

// value emits a value of 1, 2, 4 or 8 bytes that was read at Src[at:end].
func (p *Parser) value(v Value, size, at, end int) bool {
	if v.IsConst() && !fitsEither(v.Const, size) {
		p.Errorf(at, end, "out of range literal value: %d does not fit in %d bits", v.Const, 8*size)
		return false
	}
	p.valueFixup(v, size, at)
	if p.list.on {
		p.listValue(v, size)
	}
	return true
}

// valueFixup emits a number, or zeros and a fixup.
func (p *Parser) valueFixup(v Value, size, at int) {
	if p.lines.pending {
		p.addLine()
	}
	off := len(p.cur.data)
	if !v.IsConst() {
		p.addFixup(off, dataKind(size), v, at)
	}
	c := uint64(v.Const)
	switch size {
	case 1:
		p.Emit8(uint8(c))
	case 2:
		p.Emit16(uint16(c))
	case 4:
		p.Emit32(uint32(c))
	case 8:
		p.Emit64(c)
	}
}

// dataKind returns the fixup kind of plain data.
func dataKind(size int) FixupKind {
	switch size {
	case 1:
		return FixupData1
	case 2:
		return FixupData2
	case 4:
		return FixupData4
	}
	return FixupData8
}

// fitsEither reports whether a value fits in size bytes, signed or unsigned.
func fitsEither(v int64, size int) bool {
	if size >= 8 {
		return true
	}
	n := 8 * size
	return v >= -1<<(n-1) && v < 1<<n
}

// dirOcta handles .octa: 128-bit integers.
func dirOcta(p *Parser, d *directive, start int) {
	p.many(func() bool {
		n := p.Number()
		switch {
		case n.Kind != Integer && n.Kind != BigInteger:
			if !p.stmtFailed {
				p.Errorf(n.Start, n.Start+1, "unknown token in expression: expected an integer, found %s", p.found())
			}
			return false
		case n.Overflow:
			p.Errorf(n.Start, n.End, "out of range literal value: more than 128 bits")
			return false
		}
		p.value(Value{Const: int64(n.Lo)}, 8, n.Start, n.End)
		p.value(Value{Const: int64(n.Hi)}, 8, n.Start, n.End)
		return true
	})
}

// dirReal handles .float and .double: values of arg bytes each.
func dirReal(p *Parser, d *directive, start int) {
	p.many(func() bool {
		v, ok := p.real(int(d.arg))
		if ok {
			p.value(Value{Const: v}, int(d.arg), p.Pos, p.Pos)
		}
		return ok
	})
}

// real reads a floating-point number with an optional sign and returns its
// bits.
func (p *Parser) real(size int) (int64, bool) {
	negative := false
	switch p.Peek() {
	case '-':
		negative = true
		p.Pos++
	case '+':
		p.Pos++
	}
	p.SkipSpace()
	at := p.Pos
	v, ok := p.unsignedReal(size)
	if !ok {
		if !p.stmtFailed {
			p.Errorf(at, at+1, "unexpected token in directive: expected a number, found %s", p.found())
		}
		return 0, false
	}
	if negative {
		v ^= 1 << (8*size - 1)
	}
	return int64(v), true
}

func (p *Parser) unsignedReal(size int) (bits uint64, ok bool) {
	at := p.Pos
	if start, end := p.Ident(); start < end && !(p.Src[start] == '.' && isDigit(p.Src[start+1])) {
		switch string(bytes.ToLower(p.Src[start:end])) {
		case "inf", "infinity":
			return realBits(math.Inf(1), size), true
		case "nan":
			// all bits of the fraction, as in LLVM
			if size == 4 {
				return 0x7fffffff, true
			}
			return 0x7fffffffffffffff, true
		}
		p.Errorf(start, end, "invalid floating point literal '%s'", printable(p.Src[start:end]))
		return 0, false
	}
	p.Pos = at
	n := p.Number()
	switch n.Kind {
	case NotNumber:
		return 0, false
	case Integer, BigInteger:
		return p.realOfInteger(n, size)
	}
	f, err := p.RealValue(n, 8*size)
	if err != nil && f == 0 {
		p.Errorf(n.Start, n.End, "invalid floating point literal")
		return 0, false
	}
	return realBits(f, size), true
}

// realOfInteger returns the bits of a number that is written as an integer. Its
// text is read as a floating-point number: 010 is ten, and 0x10 is sixteen.
func (p *Parser) realOfInteger(n Number, size int) (uint64, bool) {
	text := p.Src[n.Start:n.End]
	hex := len(text) > 1 && text[1]|0x20 == 'x'
	for i, c := range text {
		if !isDigit(c) && !(hex && i == 1) && !(hex && digitValue(c) < 16) {
			p.Errorf(n.Start, n.End, "invalid floating point literal")
			return 0, false
		}
	}
	if hex {
		p.Errorf(n.Start, n.End, "invalid floating point literal: a hexadecimal number needs an exponent 'p'")
		return 0, false
	}
	f, err := p.RealValue(n, 8*size)
	if err != nil && f == 0 {
		p.Errorf(n.Start, n.End, "invalid floating point literal")
		return 0, false
	}
	return realBits(f, size), true
}

func realBits(f float64, size int) uint64 {
	if size == 4 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// dirAscii handles .ascii, and .asciz and .string, which append a zero byte.
func dirAscii(p *Parser, d *directive, start int) {
	p.many(func() bool {
		for {
			text, ok := p.String()
			if !ok {
				if !p.stmtFailed {
					p.Errorf(p.Pos, p.Pos+1, "expected string, found %s", p.found())
				}
				return false
			}
			p.bytes(text)
			if d.arg != 0 || p.Peek() != '"' {
				break
			}
		}
		if d.arg != 0 {
			p.bytes([]byte{0})
		}
		return true
	})
}

// dirBase64 handles .base64: bytes in base 64 with padding.
func dirBase64(p *Parser, d *directive, start int) {
	p.many(func() bool {
		p.SkipSpace()
		at := p.Pos
		text, ok := p.needText()
		if !ok {
			return false
		}
		if len(text) == 0 {
			p.Errorf(at, p.Pos, "expected nonempty string")
			return false
		}
		out, err := base64.StdEncoding.AppendDecode(nil, text)
		if err != nil {
			p.Errorf(at, p.Pos, "failed to base64 decode string data: %v", err)
			return false
		}
		p.bytes(out)
		return true
	})
}

// bytes emits and lists the bytes of a directive.
func (p *Parser) bytes(b []byte) {
	if p.lines.pending && len(b) > 0 {
		p.addLine()
	}
	p.Emit(b)
	if p.list.on {
		p.listBytes(b)
	}
}

// dirRepeatValue handles .dcb: count values of arg bytes.
func dirRepeatValue(p *Parser, d *directive, start int) {
	count, ok := p.repeatCount(d)
	if !ok {
		return
	}
	p.SkipSpace()
	at := p.Pos
	v, ok := p.Expr()
	if !ok || !p.eol() {
		return
	}
	p.repeatValue(count, v, int(d.arg), at)
}

// repeatValue emits a value count times. A value that is not known yet needs a
// fixup each time.
func (p *Parser) repeatValue(count int64, v Value, size, at int) {
	if count == 0 || !p.value(v, size, at, p.Pos) {
		return
	}
	count--
	switch {
	case !v.IsConst() && (count > p.opts.Limits.Expansion/fixupCost || !p.grow(int(count)*fixupCost)):
		if !p.stmtFailed {
			p.Errorf(at, at+1, "repetition produces more than %d bytes", p.opts.Limits.Expansion)
		}
	case !v.IsConst():
		for ; count > 0; count-- {
			p.valueFixup(v, size, at)
		}
	default:
		p.fillPattern(Value{Const: count}, int64(size), v.Const, at)
	}
	if p.list.on && !p.stmtFailed {
		p.listTimes(count, at, func() { p.listValue(v, size) })
	}
}

// fixupCost is the cost of a repetition's fixup, counted towards
// Limits.Expansion.
const fixupCost = 64

// dirRepeatReal handles .dcb.s and .dcb.d.
func dirRepeatReal(p *Parser, d *directive, start int) {
	count, ok := p.repeatCount(d)
	if !ok {
		return
	}
	v, ok := p.real(int(d.arg))
	if !ok || !p.eol() {
		return
	}
	p.repeatValue(count, Value{Const: v}, int(d.arg), p.Pos)
}

// repeatCount reads the count of .dcb and the comma after it.
func (p *Parser) repeatCount(d *directive) (int64, bool) {
	count, ok := p.storageCount(d)
	return count, ok && p.needComma()
}

// storageCount reads the count of .dcb and .ds.
func (p *Parser) storageCount(d *directive) (int64, bool) {
	p.SkipSpace()
	at := p.Pos
	count, ok := p.AbsExpr()
	switch {
	case !ok:
		return 0, false
	case count < 0:
		p.Warnf(at, p.Pos, "'%s' directive with negative repeat count has no effect", d.name)
		p.SkipStatement()
		return 0, false
	}
	return count, true
}

// dirStorage handles .ds: count times arg zero bytes.
func dirStorage(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	count, ok := p.storageCount(d)
	if !ok || !p.eol() || count == 0 {
		return
	}
	p.fill(Value{Const: count}, d.arg, 0, at)
	if p.list.on {
		p.listTimes(count, start, func() { p.listZero(Value{Const: d.arg}, 0) })
	}
}

// listTimes calls list count times, as long as there is room.
func (p *Parser) listTimes(count int64, at int, list func()) {
	for ; count > 0 && p.listRoom(at); count-- {
		list()
	}
}

// listRoom checks that the listing does not exceed the output limit.
func (p *Parser) listRoom(at int) bool {
	if int64(len(p.list.out)) <= p.opts.Limits.Output {
		return true
	}
	p.Errorf(at, at+1, "listing is larger than %d bytes", p.opts.Limits.Output)
	p.stop = true
	return false
}

// roomFor checks that count times size bytes do not exceed the output limit.
func (p *Parser) roomFor(count, size int64, at int) bool {
	limit := p.opts.Limits.Output
	if count <= 0 || size <= 0 || p.cur.section.nobits() || count <= (limit-p.output)/size {
		if count > 0 && size > 0 && !p.cur.section.nobits() {
			p.output += count * size
		}
		return true
	}
	p.Errorf(at, at+1, "output is larger than %d bytes", limit)
	return false
}

// dirZero handles .zero count[, byte].
func dirZero(p *Parser, d *directive, start int) { p.space() }

// dirSpace handles .space and .skip.
func dirSpace(p *Parser, d *directive, start int) { p.space() }

func (p *Parser) space() {
	p.SkipSpace()
	at := p.Pos
	count, ok := p.Expr()
	if !ok {
		return
	}
	var c int64
	if p.Accept(',') {
		if c, ok = p.AbsExpr(); !ok {
			return
		}
	}
	if !p.eol() {
		return
	}
	p.fill(count, 1, c, at)
	if p.list.on {
		p.listZero(count, c)
	}
}

// dirFill handles .fill count[, size[, value]].
func dirFill(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	count, ok := p.Expr()
	size, value := int64(1), int64(0)
	sizeAt, valueAt := p.Pos, p.Pos
	if ok && p.Accept(',') {
		p.SkipSpace()
		sizeAt = p.Pos
		size, ok = p.AbsExpr()
		if ok && p.Accept(',') {
			p.SkipSpace()
			valueAt = p.Pos
			value, ok = p.AbsExpr()
		}
	}
	if !ok || !p.eol() {
		return
	}
	switch {
	case size < 0:
		p.Warnf(sizeAt, sizeAt+1, "'.fill' directive with negative size has no effect")
		return
	case size > 8:
		p.Warnf(sizeAt, sizeAt+1, "'.fill' directive with size greater than 8 has been truncated to 8")
		size = 8
	}
	if value != int64(uint32(value)) && size > 4 {
		p.Warnf(valueAt, valueAt+1, "'.fill' directive pattern has been truncated to 32-bits")
	}
	p.fillDirective(count, size, value, at)
}

// fillDirective emits a .fill. It evaluates the count now if possible.
func (p *Parser) fillDirective(count Value, size, value int64, at int) {
	if p.list.on {
		p.listFill(count, size, value)
	}
	if c, ok := p.absolute(count); ok {
		if c < 0 {
			p.Warnf(at, at+1, "'.fill' directive with negative repeat count has no effect")
			return
		}
		count = Value{Const: c}
		if p.lines.pending && c > 0 && size > 0 {
			p.addLine()
		}
	}
	// only the low 32 bits of the value are used
	p.fillPattern(count, size, int64(uint32(value)), at)
}

// fill emits count times the size low bytes of value, all of them equal.
func (p *Parser) fill(count Value, size, value int64, at int) {
	p.fillPattern(count, size, value, at)
}

// smallFill is the maximum size in bytes of a fill that is stored as bytes.
const smallFill = 4096

func (p *Parser) fillPattern(count Value, size, value int64, at int) {
	if size == 0 {
		return
	}
	if count.IsConst() {
		if count.Const < 0 {
			p.lateError(at, "invalid number of bytes")
			return
		}
		if !p.roomFor(count.Const, size, at) {
			return
		}
		if count.Const*size <= smallFill && !p.cur.section.nobits() {
			p.cur.data = appendPattern(p.cur.data, count.Const, size, value)
			return
		}
	}
	p.cur.frags = append(p.cur.frags, frag{kind: fragFill, at: len(p.cur.data), v: count, a: value, b: size, pos: p.at(at)})
}

// appendPattern appends count times the size low bytes of value.
func appendPattern(dst []byte, count, size, value int64) []byte {
	if count <= 0 || size <= 0 {
		return dst
	}
	from, end := len(dst), len(dst)+int(count*size)
	for i := range size {
		dst = append(dst, byte(uint64(value)>>(8*i)))
	}
	for len(dst) < end { // doubles the part written so far
		dst = append(dst, dst[from:min(len(dst), from+end-len(dst))]...)
	}
	return dst
}

// lateError reports an error that LLVM reports during layout, after reading
// everything. It does not keep the layout from reporting further errors.
func (p *Parser) lateError(at int, format string, args ...any) {
	if len(p.late) >= p.opts.Limits.Errors {
		return
	}
	p.late = append(p.late, diag.Diagnostic{Source: p.source, Off: at, End: at, Message: fmt.Sprintf(format, args...)})
}

// dirOrg handles .org offset[, byte].
func dirOrg(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	v, ok := p.Expr()
	var c int64
	if ok && p.Accept(',') {
		c, ok = p.AbsExpr()
	}
	if ok && p.eol() {
		p.org(v, c, at)
	}
}

// org advances to an offset of the section.
func (p *Parser) org(v Value, fill int64, at int) {
	p.cur.frags = append(p.cur.frags, frag{kind: fragOrg, at: len(p.cur.data), v: v, a: fill, pos: p.at(at)})
	if p.list.on {
		p.listOrg(v, fill)
	}
}

// alignBytes in a directive's arg means that the operand is in bytes, not a
// power of 2. The rest of arg is the width of the fill value.
const alignBytes = 0x100

// dirAlign handles .align, .balign, .p2align and similar directives: n[,
// [value][, most]].
func dirAlign(p *Parser, d *directive, start int) {
	width := int(d.arg &^ alignBytes)
	pow2 := d.arg&alignBytes == 0
	p.SkipSpace()
	at := p.Pos
	if pow2 && width == 1 && p.AtEnd() {
		p.Warnf(at, at, "p2align directive with no operand(s) is ignored")
		return
	}
	n, ok := p.AbsExpr()
	if !ok {
		return
	}
	var value, most int64
	hasValue := false
	mostAt := -1
	if p.Accept(',') {
		if p.Peek() != ',' {
			hasValue = true
			if value, ok = p.AbsExpr(); !ok {
				return
			}
		}
		if p.Accept(',') {
			p.SkipSpace()
			mostAt = p.Pos
			if most, ok = p.AbsExpr(); !ok {
				return
			}
		}
	}
	if !p.eol() {
		return
	}
	n = p.alignment(n, pow2, at)
	if mostAt >= 0 {
		most = p.mostBytes(most, n, mostAt)
	}
	p.emitAlign(n, value, width, most, hasValue, at)
}

// alignment checks an alignment and returns it in bytes.
func (p *Parser) alignment(n int64, pow2 bool, at int) int64 {
	if pow2 {
		if n >= 32 || n < 0 {
			p.Errorf(at, at+1, "invalid alignment value: %d, expected 0 to 31", n)
			n = 0
		}
		return 1 << n
	}
	switch {
	case n == 0:
		return 1
	case n < 0 || n&(n-1) != 0:
		p.Errorf(at, at+1, "alignment must be a power of 2, found %d", n)
		return 1
	case n >= 1<<32:
		p.Errorf(at, at+1, "alignment must be smaller than 2**32, found %d", n)
		return 1
	}
	return n
}

// mostBytes checks the maximum number of bytes that an alignment may insert.
func (p *Parser) mostBytes(most, n int64, at int) int64 {
	switch {
	case most < 1:
		p.Errorf(at, at+1, "alignment directive can never be satisfied in this many bytes, ignoring maximum bytes expression")
		return 0
	case most >= n:
		p.Warnf(at, at+1, "maximum bytes expression exceeds alignment and has no effect")
		return 0
	}
	return most
}

// emitAlign aligns the current location: code with padding instructions, data
// with a value.
func (p *Parser) emitAlign(n, value int64, width int, most int64, hasValue bool, at int) {
	sec := p.cur.section
	f := frag{kind: fragAlign, width: uint8(width), at: len(p.cur.data), v: Value{Const: value}, a: n, b: most, pos: p.at(at)}
	if sec.Code() && width == 1 && !hasValue {
		f.kind = fragCode
	}
	sec.Align = max(sec.Align, n)
	p.cur.frags = append(p.cur.frags, f)
	if p.list.on {
		p.listAlign(&f, hasValue)
	}
}

// EmitAlign aligns the current location to n bytes, a power of two: code
// sections with padding instructions, others with zeros.
func (p *Parser) EmitAlign(n int64) { p.emitAlign(n, 0, 1, 0, false, p.Pos) }

// dirLEB128 handles .uleb128 and .sleb128; arg is the fragment kind.
func dirLEB128(p *Parser, d *directive, start int) {
	p.many(func() bool {
		p.SkipSpace()
		at := p.Pos
		v, ok := p.Expr()
		if !ok {
			return false
		}
		p.leb128(v, fragKind(d.arg), at)
		return true
	})
}

func (p *Parser) leb128(v Value, kind fragKind, at int) {
	// A listing shows differences as written.
	if c, ok := p.absolute(v); ok && (v.IsConst() || !p.list.on) {
		from := len(p.cur.data)
		p.cur.data = appendLEB(p.cur.data, kind, c)
		if p.list.on {
			p.listBytes(p.cur.data[from:])
		}
		return
	}
	p.cur.frags = append(p.cur.frags, frag{kind: kind, at: len(p.cur.data), size: 1, v: v, pos: p.at(at)})
	if p.list.on {
		p.listLEB(v, kind)
	}
}

// appendLEB appends a LEB128 number.
func appendLEB(dst []byte, kind fragKind, c int64) []byte {
	if kind == fragULEB {
		u := uint64(c)
		for ; u >= 0x80; u >>= 7 {
			dst = append(dst, byte(u)|0x80)
		}
		return append(dst, byte(u))
	}
	for {
		b := byte(c) & 0x7f
		c >>= 7
		if c == 0 && b&0x40 == 0 || c == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

// dirIncbin handles .incbin "file"[, skip[, count]].
func dirIncbin(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	name, ok := p.fileName(d.name)
	if !ok {
		return
	}
	skip, count := int64(0), int64(-1)
	skipAt := p.Pos
	if p.Accept(',') {
		if p.Peek() != ',' {
			skipAt = p.Pos
			if skip, ok = p.AbsExpr(); !ok {
				return
			}
		}
		if p.Accept(',') {
			p.SkipSpace()
			countAt := p.Pos
			if count, ok = p.AbsExpr(); !ok {
				return
			}
			if count < 0 {
				p.Warnf(countAt, p.Pos, "negative count has no effect")
				count = 0
			}
		}
	}
	if !p.eol() {
		return
	}
	if skip < 0 {
		p.Errorf(skipAt, skipAt+1, "skip is negative")
		return
	}
	text, err := p.open(name)
	if err != nil {
		p.Errorf(at, at+len(name)+2, "could not find incbin file '%s': %v", printable([]byte(name)), err)
		return
	}
	text = text[min(skip, int64(len(text))):]
	if count >= 0 {
		text = text[:min(count, int64(len(text)))]
	}
	if p.roomFor(int64(len(text)), 1, at) {
		p.bytes(text)
	}
}

// fileName reads a quoted file name.
func (p *Parser) fileName(directive string) (string, bool) {
	name, ok := p.String()
	if !ok && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "expected string in '%s' directive, found %s", directive, p.found())
	}
	return string(name), ok
}

// dirInclude handles .include "file".
func dirInclude(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	name, ok := p.fileName(d.name)
	if !ok || !p.eol() {
		return
	}
	if len(p.frames)-p.depth >= p.opts.Limits.IncludeDepth {
		p.Errorf(at, p.Pos, "files cannot be included more than %d levels deep", p.opts.Limits.IncludeDepth)
		return
	}
	text, err := p.open(name)
	if err != nil {
		p.Errorf(at, p.Pos, "could not find include file '%s': %v", printable([]byte(name)), err)
		return
	}
	if !p.grow(len(text)) {
		return
	}
	p.endLoose()
	p.enter(&diag.Source{Name: name, Text: text, Why: "included from here"}, start, false)
}
