package clrx

// colon reads the colon before the value of a modifier.
func (p *parser) colon() bool {
	if p.accept(':') {
		return true
	}
	p.errorAt(p.pos, "expected ':' and the value of the modifier")
	return false
}

// modifiers reads the modifiers of an instruction, up to the end of the
// statement. read reads the value of the modifier with a name that begins at a
// column, if it knows the name. modifiers returns false after an error.
func (p *parser) modifiers(read func(at int, name []byte) (ok, known bool)) bool {
	good := true
	for !p.atEnd() {
		at := p.pos
		name := p.lower(p.name())
		if len(name) == 0 {
			p.skipGarbage(at)
			good = false
			continue
		}
		ok, known := read(at, name)
		if !known {
			p.unknownModifier(at)
		}
		good = good && ok && known
	}
	return good
}

// skipGarbage reports text that is no modifier, and skips it.
func (p *parser) skipGarbage(at int) {
	for p.pos < p.end && !isSpace(p.src[p.pos]) {
		p.pos++
	}
	p.errorIn(at, p.pos, "expected a modifier")
}

// flagValue reads the value of a modifier that is on or off: without one, it is
// on.
func (p *parser) flagValue(on *bool) bool {
	if p.peek() != ':' {
		*on = true
		return true
	}
	p.pos++
	v, ok := p.required()
	*on = v != 0
	return ok
}

// unknownModifier reports the modifier whose name begins at a column. The cursor
// is after the name.
func (p *parser) unknownModifier(at int) {
	if p.pos == at {
		p.pos++
		p.errorAt(at, "expected a modifier")
		return
	}
	p.errorIn(at, p.pos, "unknown modifier '%s'", p.src[at:p.pos])
}

// smallValue reads the value of a modifier of bits bits, which must be known.
// Larger values are cut, with a warning.
func (p *parser) smallValue(bits uint) (v int, ok bool) {
	at := p.skipTo()
	n, ok := p.required()
	if ok {
		p.warnUnsigned(bits, n, at)
	}
	return int(n & (1<<bits - 1)), ok
}

// bitList reads a list of n bits in brackets, or a number with them.
func (p *parser) bitList(n int) (v int, ok bool) {
	if p.peek() != '[' {
		return p.smallValue(uint(n))
	}
	p.pos++
	for i := range n {
		if i > 0 && !p.comma() {
			return 0, false
		}
		x, ok := p.smallValue(1)
		if !ok {
			return 0, false
		}
		v |= x << i
	}
	if !p.accept(']') {
		p.errorAt(p.pos, "expected ']' at the end of the list")
		return 0, false
	}
	return v, true
}
