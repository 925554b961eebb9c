package clrx

// colon reads the colon before the value of a modifier.
func (p *parser) colon() bool {
	if p.accept(':') {
		return true
	}
	p.errorAt(p.pos, "expected ':' and the value of the modifier")
	return false
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
