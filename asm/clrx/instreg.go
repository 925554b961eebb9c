package clrx

import "github.com/gfx-toolchain/gfx/internal/clrxsyntax"

// regs is a range of registers: scalar operands have numbers below 256, VGPRs
// from 256 on.
type regs struct{ first, end int }

// count returns the number of registers.
func (r regs) count() int { return r.end - r.first }

// isVector reports whether the registers are VGPRs.
func (r regs) isVector() bool { return r.first >= clrxsyntax.SrcVGPR }

// regKinds is a set of kinds of registers.
type regKinds uint8

// Kinds of registers.
const (
	anyScalar regKinds = 1 << iota // SGPRs and registers with names
	anyVector
	anySource // values that only sources have, such as scc
)

// registerRange reads the value of a register symbol: registers, such as v1,
// s[2:3] or vcc, or an inline constant. It reports an error if there is none.
func (p *parser) registerRange() (first, end int, ok bool) {
	p.isaReady().literal = literal{}
	rules := sourceRules{regs: anyScalar | anyVector | anySource, only: true}
	r, found, ok := p.registers(rules.regs)
	if found || !ok {
		return r.first, r.end, ok
	}
	o, ok := p.constantSource(p.skipTo(), &rules)
	return o.num, o.num + 1, ok
}

// registers reads registers of some kinds. found is false, and the cursor where
// it was, if there are none. ok is false after an error.
func (p *parser) registers(kinds regKinds) (r regs, found, ok bool) {
	p.skipSpace()
	start := p.pos
	c := p.byteAt(start) | 0x20
	next := p.byteAt(start + 1)
	switch {
	case c == 'v' && (isDigit(next) || next == '['):
		if r, found, ok = p.numbered(start, start+1, 256, clrxsyntax.SrcVGPR, 256); !found || !ok {
			return r, found, ok
		}
	case c == 's' && (isDigit(next) || next == '['):
		if r, found, ok = p.numbered(start, start+1, p.isaReady().sgprs, 0, 256); !found || !ok {
			return r, found, ok
		}
	default:
		if r, found, ok = p.namedRegister(start); !found || !ok {
			return r, found, ok
		}
	}
	if !kinds.has(r) {
		p.pos = start
		return r, false, true
	}
	return r, true, true
}

// has reports whether a set has the kind of registers.
func (k regKinds) has(r regs) bool {
	switch {
	case r.isVector():
		return k&anyVector != 0
	case r.first < clrxsyntax.SrcInt:
		return k&anyScalar != 0
	}
	return k&anySource != 0
}

// isaReady returns the state of instructions for the device.
func (p *parser) isaReady() *isaState {
	if s := &p.isa; s.table == nil || s.arch != archOf(p.device) {
		s.load(archOf(p.device))
	}
	return &p.isa
}

// numbered reads the number or range after the letters of a register file that
// has num registers, of which the first has the number base. Single numbers are
// below limit.
func (p *parser) numbered(start, at, num, base, limit int) (r regs, found, ok bool) {
	if p.src[at] == '[' {
		p.pos = at + 1
		first, end, ok := p.bracketed(start)
		if !ok {
			return r, true, false
		}
		return p.inFile(start, first, end, num, base)
	}
	v, i := 0, at
	for i < p.end && isDigit(p.src[i]) {
		if v = v*10 + int(p.src[i]-'0'); v >= limit {
			p.errorAt(i, "register number is too large")
			p.pos = i
			return r, true, false
		}
		i++
	}
	if i < p.end && isNameByte(p.src[i]) {
		p.pos = start
		return r, false, true // a symbol
	}
	p.pos = i
	return p.inFile(start, v, v+1, num, base)
}

// inFile returns the registers of a file with num registers.
func (p *parser) inFile(start, first, end, num, base int) (r regs, found, ok bool) {
	if end > num {
		p.errorIn(start, p.pos, "register is out of range: the last one is %d", num-1)
		return r, true, false
	}
	return regs{base + first, base + end}, true, true
}

// maxRegister is an upper bound of numbers in brackets.
const maxRegister = 1 << 16

// bracketed reads a range after its bracket: 4, or 4:7. start is the column of
// the register.
func (p *parser) bracketed(start int) (first, end int, ok bool) {
	a, ok := p.required()
	if !ok {
		return 0, 0, false
	}
	b := a
	if p.accept(':') {
		if b, ok = p.required(); !ok {
			return 0, 0, false
		}
	}
	switch {
	case !p.accept(']'):
		p.errorIn(start, max(p.pos, start+1), "expected ']' at the end of the register range")
		return 0, 0, false
	case a >= maxRegister || b >= maxRegister:
		p.errorIn(start, p.pos, "register is out of range")
		return 0, 0, false
	case b < a:
		p.errorIn(start, p.pos, "the last register of the range is before the first one")
		return 0, 0, false
	}
	return int(a), int(b) + 1, true
}

// namedRegister reads a register with a name of its own, a trap temporary, or a
// register symbol.
func (p *parser) namedRegister(start int) (r regs, found, ok bool) {
	name := p.scopedName()
	p.pos = start
	if len(name) == 0 {
		return r, false, true
	}
	s := p.isaReady()
	if low := p.lower(name); low != nil {
		if x, ok := s.special[string(low)]; ok {
			p.pos = start + len(name)
			return regs{x.Num, x.Num + max(x.Dwords, 1)}, true, true
		}
		if len(low) >= 4 && string(low[:4]) == "ttmp" {
			if c := p.byteAt(start + 4); isDigit(c) || c == '[' && len(low) == 4 {
				return p.numbered(start, start+4, s.ttmps, s.ttmp, 256)
			}
		}
	}
	first, end, is := p.registerSymbol(name)
	if !is {
		return r, false, true
	}
	p.pos = start + len(name)
	if p.byteAt(p.pos) != '[' {
		return regs{first, end}, true, true
	}
	p.pos++
	a, b, ok := p.bracketed(start)
	if !ok {
		return r, true, false
	}
	if first+b > end {
		p.errorIn(start, p.pos, "range is outside of register symbol '%s'", name)
		return r, true, false
	}
	return regs{first + a, first + b}, true, true
}

// checkCount reports an error unless a range has n registers. Operands that are
// written as one register are marked after it.
func (p *parser) checkCount(at int, r regs, fewest, most int) bool {
	n := r.count()
	if n >= fewest && n <= most {
		return true
	}
	if n == 1 && !r.isVector() {
		at = p.pos
	}
	if fewest == most {
		p.errorIn(at, max(p.pos, at+1), "expected %s, found %d", registerCount(fewest), n)
	} else {
		p.errorIn(at, max(p.pos, at+1), "expected %d to %d registers, found %d", fewest, most, n)
	}
	return false
}

// registerCount returns the text of a number of registers.
func registerCount(n int) string {
	if n == 1 {
		return "1 register"
	}
	return decimal(n) + " registers"
}

// alignment is a rule for the first SGPR of a range.
type alignment uint8

// Rules.
const (
	aligned   alignment = iota // 2 registers from an even one, more from a multiple of 4
	unitedBy4                  // 2 registers within a group of 4
)

// checkAlign reports an error if SGPRs begin at a wrong one.
func (p *parser) checkAlign(at int, r regs, how alignment) bool {
	if r.first >= p.isa.sgprs {
		return true
	}
	n := r.count()
	bad := n == 2 && r.first&1 != 0 || n > 2 && r.first&3 != 0
	if how == unitedBy4 && n == 2 {
		bad = r.first&3 == 3
	}
	if bad {
		p.errorIn(at, p.pos, "a range of %d SGPRs cannot begin at s%d", n, r.first)
	}
	return !bad
}

// noteResult records registers that an instruction writes: only these count as
// registers that a kernel uses.
func (p *parser) noteResult(r regs) {
	switch {
	case r.isVector():
		p.noteVGPR(r.end - clrxsyntax.SrcVGPR)
	case r.first < p.isa.sgprs:
		p.noteSGPR(r.end)
	}
}

// vectorReg reads n VGPRs.
func (p *parser) vectorReg(n int) (r regs, ok bool) { return p.vectorRegs(n, n) }

// vectorRegs reads a number of VGPRs.
func (p *parser) vectorRegs(fewest, most int) (r regs, ok bool) {
	at := p.skipTo()
	r, found, ok := p.registers(anyVector)
	switch {
	case !ok:
		return r, false
	case !found:
		p.wrongOperand(at, "a vector register")
		return r, false
	}
	return r, p.checkCount(at, r, fewest, most)
}

// wrongOperand reports an operand of a wrong kind and skips it.
func (p *parser) wrongOperand(at int, want string) {
	for p.pos < p.end && p.src[p.pos] != ',' && !isSpace(p.src[p.pos]) {
		if p.src[p.pos] == '[' {
			for p.pos < p.end && p.src[p.pos] != ']' {
				p.pos++
			}
			continue
		}
		p.pos++
	}
	p.errorIn(at, max(p.pos, at+1), "expected %s", want)
}

// scalarReg reads n scalar registers.
func (p *parser) scalarReg(n int, how alignment) (r regs, ok bool) {
	at := p.skipTo()
	r, found, ok := p.registers(anyScalar)
	switch {
	case !ok:
		return r, false
	case !found:
		p.wrongOperand(at, "a scalar register")
		return r, false
	}
	if r.first == clrxsyntax.SrcM0 && n == 2 && r.count() == 1 {
		return r, true // accepted for pairs, too
	}
	return r, p.checkCount(at, r, n, n) && p.checkAlign(at, r, how)
}
