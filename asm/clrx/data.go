package clrx

import "math"

// integers implements .byte and the other lists of integers of size bytes.
func (p *parser) integers(stmt, size int) {
	if !p.needWritable(stmt) || p.atEnd() {
		return
	}
	bits := uint(8 * size)
	for again := true; again; again = p.more() {
		p.skipSpace()
		at := p.pos
		v, ok := p.expression()
		switch {
		case !ok:
		case v.empty:
			p.warnAt(p.pos, "empty item is 0")
			p.emitInt(0, size)
		case v.late != nil:
			p.emitLate(lateKind(size), v.late, len(p.cur.data))
			p.emitInt(0, size)
		case v.sect != absolute:
			p.errorIn(at, p.pos, "expected a number, not a place in the code")
		default:
			p.warnRange(bits, v.num, at)
			p.emitInt(v.num, size)
		}
	}
}

// lateKind returns the kind of late values of size bytes.
func lateKind(size int) targetKind {
	switch size {
	case 1:
		return toByte
	case 2:
		return toShort
	case 4:
		return toInt
	}
	return toQuad
}

// floats implements .half, .float and .double.
func (p *parser) floats(stmt, size int) {
	if !p.needWritable(stmt) || p.atEnd() {
		return
	}
	for again := true; again; again = p.more() {
		at := p.pos
		var v uint64
		if p.pos == p.end || p.src[p.pos] == ',' {
			p.warnAt(at, "empty item is 0")
		} else {
			var problem string
			if v, problem = p.float(8 * size); problem != "" {
				p.errorIn(at, p.pos, "%s", problem)
			}
		}
		p.emitInt(v, size)
	}
}

// octas implements .octa: integers of 128 bits.
func (p *parser) octas(stmt int) {
	if !p.needWritable(stmt) || p.atEnd() {
		return
	}
	p.wide = true
	defer func() { p.wide = false }()
	for again := true; again; again = p.more() {
		at := p.pos
		var n number
		if p.pos == p.end || p.src[p.pos] == ',' {
			p.warnAt(at, "empty item is 0")
		} else {
			c := p.src[p.pos]
			if c == '-' || c == '+' {
				p.pos++
			}
			var problem string
			if n, problem = p.integer(); problem != "" {
				p.errorIn(at, p.pos, "%s", problem)
			}
			if c == '-' {
				n.hi = ^n.hi
				if n.lo == 0 {
					n.hi++
				}
				n.lo = -n.lo
			}
		}
		p.emitInt(n.lo, 8)
		p.emitInt(n.hi, 8)
	}
}

// strings implements .ascii and .string: characters of size bytes, with a zero
// after each string or without.
func (p *parser) strings(stmt, size int, zero bool) {
	if !p.needWritable(stmt) || p.atEnd() {
		return
	}
	for again := true; again; again = p.more() {
		if p.byteAt(p.pos) == ',' {
			continue
		}
		text, ok := p.stringLiteral()
		if !ok {
			continue
		}
		if size == 1 {
			p.emitBytes(text)
		} else {
			for _, c := range text {
				p.emitInt(uint64(c), size)
			}
		}
		if zero {
			p.emitInt(0, size)
		}
	}
}

// arg is an optional argument of an operation.
type arg struct {
	v     uint64
	at    int  // its column
	comma bool // the comma before it is there
	given bool
	ok    bool
}

// nextArg reads an optional argument after a comma. fatal is set if the
// statement cannot be read further.
func (p *parser) nextArg(v uint64) (a arg, fatal bool) {
	found, ok := p.optionalComma()
	if !ok {
		return a, true
	}
	a = arg{v: v, at: p.pos, ok: true}
	if !found {
		return a, false
	}
	p.skipSpace()
	a.comma, a.at = true, p.pos
	n, given, ok := p.constant(false)
	a.given, a.ok = given, ok
	if given {
		a.v = n
	}
	return a, false
}

// fill implements .fill, and with wide .fillq, whose values have 64 bits.
func (p *parser) fill(stmt int, wide bool) {
	if !p.needWritable(stmt) {
		return
	}
	p.skipSpace()
	at := p.pos
	n, ok := p.required()
	if ok && int64(n) < 0 {
		p.warnAt(at, "negative count is 0")
	}
	size, fatal := p.nextArg(1)
	if fatal {
		return
	}
	if size.ok && int64(size.v) < 0 {
		p.warnAt(size.at, "negative size is 0")
	}
	v := arg{ok: true, at: size.at}
	if size.comma {
		if v, fatal = p.nextArg(0); fatal {
			return
		}
	}
	bits := uint(min(8, max(int64(size.v), 0)) * 8)
	if !wide {
		bits = min(bits, 32)
	}
	if bits > 0 && v.ok {
		p.warnRange(bits, v.v, v.at)
	}
	if !ok || !size.ok || !v.ok || !p.finish() || int64(n) <= 0 || int64(size.v) <= 0 {
		return
	}
	if size.v > math.MaxInt64/n {
		p.errorAt(stmt, "the product of count and size is too large")
		return
	}
	if !wide {
		v.v &= math.MaxUint32
	}
	out := p.reserve(n*size.v, 0)
	width := int(min(size.v, 8))
	for i := 0; i < len(out); i += int(size.v) {
		for k := range width {
			out[i+k] = byte(v.v >> (8 * k))
		}
	}
}

// skip implements .skip and .space.
func (p *parser) skip(stmt int) {
	if !p.needAddressable(stmt) {
		return
	}
	p.skipSpace()
	at := p.pos
	n, given, ok := p.constant(false)
	if !given && ok {
		n = 1
	}
	if ok && int64(n) < 0 {
		p.warnAt(at, "negative size is 0")
	}
	v, fatal := p.nextArg(0)
	if fatal {
		return
	}
	if v.given {
		p.warnRange(8, v.v, v.at)
	}
	if !ok || !v.ok || !p.finish() || int64(n) < 0 {
		return
	}
	p.ignoredFill(v)
	p.reserve(n, byte(v.v))
}

// ignoredFill warns if the absolute section gets a value.
func (p *parser) ignoredFill(v arg) {
	if p.cur == nil && v.v != 0 {
		p.warnAt(v.at, "the absolute section ignores the value of filling")
	}
}

// alignment reads the arguments of an alignment with values of size bytes: the
// value, and the most bytes to skip. ok is false after an error.
func (p *parser) alignment(size int, power bool) (align uint64, v arg, ok bool) {
	p.skipSpace()
	at := p.pos
	align, ok = p.required()
	switch {
	case !ok:
	case power && align > 63:
		p.errorIn(at, p.pos, "expected an exponent from 0 to 63")
		ok = false
	case power:
		align = 1 << align
	case align&(align-1) != 0 || align == 0 && size == 1:
		p.errorIn(at, p.pos, "alignment is not a power of two")
		ok = false
	}
	v, fatal := p.nextArg(0)
	if fatal {
		return 0, v, false
	}
	if v.given {
		p.warnRange(uint(8*size), v.v, v.at)
	}
	limit := arg{ok: true}
	if v.comma {
		if limit, fatal = p.nextArg(0); fatal {
			return 0, v, false
		}
	}
	if !ok || !v.ok || !limit.ok || !p.finish() {
		return 0, v, false
	}
	if align == 0 || limit.v != 0 && -p.counter()&(align-1) > limit.v {
		align = 1
	}
	return align, v, true
}

// align implements .align and .p2align, whose argument is the exponent.
func (p *parser) align(stmt int, power bool) {
	if !p.needAddressable(stmt) {
		return
	}
	to, v, ok := p.alignment(1, power)
	if !ok {
		return
	}
	p.ignoredFill(v)
	n := -p.counter() & (to - 1)
	if v.comma || p.cur == nil || p.cur.kind != codeSection {
		p.reserve(n, byte(v.v))
		return
	}
	fillCode(p.reserve(n, 0))
}

// alignWords implements .balignw and .balignl.
func (p *parser) alignWords(stmt, size int) {
	if !p.needAddressable(stmt) {
		return
	}
	to, v, ok := p.alignment(size, false)
	if !ok {
		return
	}
	if p.counter()%uint64(size) != 0 {
		p.errorAt(stmt, "the output counter is not a multiple of %d", size)
		return
	}
	p.ignoredFill(v)
	out := p.reserve(-p.counter()&(to-1), 0)
	if !v.comma {
		if p.cur != nil && p.cur.kind == codeSection {
			fillCode(out)
		}
		return
	}
	for i := range out {
		out[i] = byte(v.v >> (8 * (i % size)))
	}
}

// fillCode fills a gap in code with s_nop 0, and an incomplete word before it
// with zeros.
func fillCode(out []byte) {
	for i := len(out) % 4; i < len(out); i += 4 {
		copy(out[i:], "\x00\x00\x80\xbf")
	}
}

// org implements .org.
func (p *parser) org(int) {
	p.prepare()
	p.skipSpace()
	at := p.pos
	to, given, sect, ok := p.position()
	if ok && !given {
		p.errorAt(at, "expected an expression")
		ok = false
	}
	found, fine := p.optionalComma()
	if !fine {
		return
	}
	var fill uint64
	if found {
		p.skipSpace()
		fillAt := p.pos
		var good bool
		fill, good = p.required()
		ok = ok && good
		p.warnRange(8, fill, fillAt)
	}
	if ok && p.finish() {
		p.moveTo(at, to, int(sect), byte(fill))
	}
}
