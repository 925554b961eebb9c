package clrx

import (
	"bytes"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
)

const (
	errorSeverity   = diag.Error
	warningSeverity = diag.Warning

	// maxBaseDepth limits how deep .eqv symbols can refer to each other.
	maxBaseDepth = 1000
)

// symbolFlags is a set of facts about a symbol.
type symbolFlags uint8

const (
	hasValue    symbolFlags = 1 << iota
	isOnce                  // cannot be defined again
	isBase                  // .eqv: expr applies with the values of each use
	isRegister              // num holds registers: first, and end << 32
	isExpanding             // while an expression with it is expanded
)

// symbol is a symbol.
type symbol struct {
	name    string
	num     uint64
	sect    int32
	flags   symbolFlags
	bind    codeobject.SymBind
	size    uint64
	expr    *lateExpression // the definition, while it has no value
	waiters []waiter        // operands that wait for the value
}

func (s *symbol) has(f symbolFlags) bool { return s.flags&f != 0 }

// defined reports whether the symbol has been defined, even if its value is not
// known.
func (s *symbol) defined() bool { return s.has(hasValue) || s.expr != nil }

// waiter is an operand of a late expression.
type waiter struct {
	expr *lateExpression
	node int
}

// lateExpression is an expression that waits for symbols.
type lateExpression struct {
	nodes   []node
	pending int // operands without a value
	at      place
	seq     int // order in the source
	target  target
}

// target is the use of a late expression.
type target struct {
	sym    *symbol // its value, or
	sect   int     // bytes of a section
	offset int
	kind   targetKind
}

// targetKind is the form of a late value in a section. Instructions have kinds
// of their own.
type targetKind uint8

// Kinds of late values.
const (
	toSymbol targetKind = iota
	toByte
	toShort
	toInt
	toQuad
	toNothing // checked only
	toInstruction
)

// newLate copies the expression in p.nodes, which begins at the column at.
func (p *parser) newLate(x parsed, at int) *lateExpression {
	p.late++
	e := &lateExpression{nodes: slices.Clone(p.nodes), pending: x.pending, at: p.locate(at), seq: p.late}
	if x.endless {
		e.pending += maxNodes + 1 // never known
	}
	return e
}

// wait registers the operands of a late expression with their symbols.
func (p *parser) wait(e *lateExpression) {
	for i := range e.nodes {
		if n := &e.nodes[i]; n.op == opSymbol {
			n.sym.waiters = append(n.sym.waiters, waiter{e, i})
		}
	}
}

// emitLate uses the value of a late expression, once it is known, for the bytes
// at an offset of the current section.
func (p *parser) emitLate(kind targetKind, e *lateExpression, offset int) {
	e.target = target{sect: p.section, offset: offset, kind: kind}
	p.wait(e)
}

// valueOf returns the value of a symbol that has one. Places in sections whose
// addresses are known are numbers.
func (p *parser) valueOf(s *symbol) (num uint64, sect int32) {
	if s == p.dot {
		return p.counter(), p.placeSection(p.section)
	}
	return s.num, p.placeSection(int(s.sect))
}

// placeSection returns the section that counts for expressions: code has no
// address yet, all others begin at 0.
func (p *parser) placeSection(sect int) int32 {
	if sect == absolute || p.sections[sect].kind != codeSection {
		return absolute
	}
	return int32(sect)
}

// setSymbol sets the value of a symbol and passes it to all late expressions that
// wait for it.
func (p *parser) setSymbol(s *symbol, num uint64, sect int) {
	p.detach(s)
	s.num, s.sect, s.expr = num, int32(sect), nil
	s.flags = s.flags&isOnce | hasValue
	if len(s.waiters) == 0 {
		return
	}
	p.queue = append(p.queue[:0], s)
	for len(p.queue) > 0 {
		s := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.inform(s)
	}
}

// inform passes the value of a symbol to the expressions that wait for it.
// Symbols that get their values by this are added to p.queue.
func (p *parser) inform(s *symbol) {
	waiters := s.waiters
	s.waiters = nil
	num, sect := p.valueOf(s)
	for _, w := range waiters {
		n := &w.expr.nodes[w.node]
		n.op, n.num, n.sect, n.sym = opNumber, num, sect, nil
		w.expr.pending--
		if w.expr.pending == 0 {
			p.deliver(w.expr)
		}
	}
}

// deliver uses the value of a late expression that is known now.
func (p *parser) deliver(e *lateExpression) {
	num, sect, ok := p.evaluate(e.nodes, e.at)
	if !ok {
		return
	}
	t := &e.target
	switch {
	case t.kind >= toInstruction:
		p.resolveInstruction(e, num, sect)
	case t.kind == toSymbol:
		if t.sym.expr == e {
			t.sym.num, t.sym.sect, t.sym.expr = num, sect, nil
			t.sym.flags |= hasValue
			p.queue = append(p.queue, t.sym)
		}
	case t.kind == toNothing:
		if int(sect) != t.sect {
			p.diagnose(errorSeverity, e.at, 1, "jump to another section")
		}
	case sect != absolute:
		p.diagnose(errorSeverity, e.at, 1, "expected a number, not a place in the code")
	default:
		size := 1 << (t.kind - toByte)
		if bits := uint(8 * size); bits < 64 && (int64(num) >= 1<<bits || int64(num) < -1<<(bits-1)) {
			p.warnTruncated(bits, num, e.at)
		}
		data := p.sections[t.sect].data[t.offset:]
		for i := range size {
			data[i] = byte(num >> (8 * i))
		}
	}
}

// detach separates the pending definition of a symbol from the symbol, which
// gets a new one. Expressions that wait for the old value keep waiting for it.
func (p *parser) detach(s *symbol) {
	if s.expr == nil || s.has(isBase) || len(s.waiters) == 0 {
		return
	}
	old := &symbol{name: s.name, expr: s.expr, waiters: s.waiters}
	s.expr.target.sym = old
	s.waiters, s.expr = nil, nil
	for _, w := range old.waiters {
		w.expr.nodes[w.node].sym = old
	}
}

// definition is the way in which a symbol is defined.
type definition uint8

const (
	reassign definition = iota // can be defined again
	once                       // .equiv
	lateOnce                   // .eqv
)

// assign defines a symbol with the expression at the cursor, up to the end of
// the statement. nameAt is the column of the name.
func (p *parser) assign(name []byte, nameAt int, how definition) {
	p.skipSpace()
	if bytes.HasSuffix(name, []byte("::.")) {
		p.errorIn(nameAt, nameAt+len(name), "symbol '.' exists only in the global scope")
		return
	}
	isDot := string(name) == "."
	if p.byteAt(p.pos) == '%' {
		p.assignRegister(name, nameAt, how, isDot)
		return
	}
	at := p.pos
	mode := parseMode(0)
	if how == lateOnce && !isDot {
		mode = parseLate
	}
	if p.atEnd() {
		p.errorAt(p.pos, "expected an expression")
		return
	}
	x, ok := p.parse(mode)
	if !ok || !p.finish() {
		return
	}
	var num uint64
	sect := int32(absolute)
	if x.pending == 0 && !x.endless {
		if num, sect, ok = p.evaluate(p.nodes, p.locate(at)); !ok {
			return
		}
	}
	if isDot {
		if x.pending > 0 || x.endless {
			p.errorAt(nameAt, "symbol '.' needs a value that is known")
			return
		}
		p.moveTo(nameAt, num, int(sect), 0)
		return
	}
	s := p.define(name, nameAt, how != reassign)
	if s == nil {
		return
	}
	if x.pending == 0 && !x.endless {
		p.setSymbol(s, num, int(sect))
	} else {
		p.setLate(s, p.newLate(x, at), how == lateOnce)
	}
	s.flags &^= isOnce
	if how != reassign {
		s.flags |= isOnce
	}
}

// define returns the symbol that a definition creates or changes, or nil after
// an error if it cannot be defined again.
func (p *parser) define(name []byte, nameAt int, once bool) *symbol {
	s, home, simple := p.findSymbol(name, true)
	if s == nil {
		return home.addSymbol(simple)
	}
	if s.defined() && (once || s.has(isOnce)) {
		p.errorIn(nameAt, nameAt+len(name), "symbol '%s' is already defined", name)
		return nil
	}
	return s
}

// setLate defines a symbol with an expression that has no value yet.
func (p *parser) setLate(s *symbol, e *lateExpression, base bool) {
	p.detach(s)
	e.target = target{sym: s, kind: toSymbol}
	s.expr = e
	s.flags &^= hasValue | isRegister | isBase
	if !base {
		p.wait(e)
		return
	}
	s.flags |= isBase
	if len(s.waiters) > 0 {
		p.bindWaiters(s)
	}
}

// bindWaiters passes the present value of an .eqv symbol to the expressions that
// waited for the symbol before it became one.
func (p *parser) bindWaiters(s *symbol) {
	p.nodes = p.nodes[:0]
	var out parsed
	waiters := s.waiters
	s.waiters = nil
	if !p.expandBase(s, &out, p.start) {
		return
	}
	old := &symbol{name: s.name, waiters: waiters}
	for _, w := range waiters {
		w.expr.nodes[w.node].sym = old
	}
	e := p.newLate(out, p.start)
	if out.pending > 0 || out.endless {
		p.setLate(old, e, false)
		return
	}
	if num, sect, ok := p.evaluate(p.nodes, e.at); ok {
		p.setSymbol(old, num, int(sect))
	}
}

// assignRegister defines a register symbol: name = %v[0:3].
func (p *parser) assignRegister(name []byte, nameAt int, how definition, isDot bool) {
	if isDot {
		p.errorAt(nameAt, "symbol '.' needs a value that is known")
		return
	}
	p.prepare()
	p.pos++
	first, end, ok := p.registerRange()
	if !ok || !p.finish() {
		return
	}
	s := p.define(name, nameAt, how != reassign)
	if s == nil {
		return
	}
	p.detach(s)
	if len(s.waiters) > 0 {
		for _, w := range s.waiters {
			p.diagnose(errorSeverity, w.expr.at, 1, "register symbol '%s' in an expression", name)
		}
		s.waiters = nil
		p.errorIn(nameAt, nameAt+len(name), "register symbol '%s' was used in expressions", name)
		return
	}
	s.expr, s.sect, s.num = nil, absolute, uint64(first)|uint64(end)<<32
	s.flags = hasValue | isRegister
	if how != reassign {
		s.flags |= isOnce
	}
}

// registerSymbol returns the registers of a register symbol: the first one, and
// the one after the last. ok is false if there is no such symbol.
func (p *parser) registerSymbol(name []byte) (first, end int, ok bool) {
	s, _, _ := p.findSymbol(name, false)
	if s == nil || !s.has(isRegister) {
		return 0, 0, false
	}
	return int(uint32(s.num)), int(s.num >> 32), true
}

// label defines a label at the current place. It returns false if the rest of
// the statement is to be ignored.
func (p *parser) label(name []byte, at int) bool {
	if !p.addressable() {
		p.errorIn(at, at+len(name), "label '%s' in a section without addresses", name)
		return false
	}
	if isDigit(name[0]) {
		buf := append(append(p.scratch[:0], name...), 'f')
		p.scratch = buf
		next := p.global.ownSymbol(buf)
		p.setSymbol(next, p.counter(), p.section)
		next.flags &^= hasValue
		buf[len(buf)-1] = 'b'
		previous := p.global.ownSymbol(buf)
		previous.num, previous.sect, previous.flags = next.num, next.sect, hasValue
		return true
	}
	if string(name) == "." {
		p.errorAt(at, "symbol '.' cannot be a label")
		return false
	}
	s, home, simple := p.findSymbol(name, true)
	switch {
	case s == nil:
		s = home.addSymbol(simple)
	case s.has(isOnce) && s.defined():
		p.errorIn(at, at+len(name), "symbol '%s' is already defined", name)
		return false
	}
	p.setSymbol(s, p.counter(), p.section)
	s.flags |= isOnce
	return true
}

// closeSymbols reports the symbols that have no value at the end.
func (p *parser) closeSymbols() { p.reportUndefined(p.global) }

// reportUndefined reports all uses of undefined symbols of a scope and the
// scopes in it, in the order of the source.
func (p *parser) reportUndefined(root *scope) {
	type use struct {
		s *symbol
		w waiter
	}
	var uses []use
	todo := []*scope{root}
	for len(todo) > 0 {
		sc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range sc.symbols {
			for _, w := range s.waiters {
				uses = append(uses, use{s, w})
			}
		}
		for _, sub := range sc.scopes {
			todo = append(todo, sub)
		}
	}
	slices.SortFunc(uses, func(a, b use) int {
		if a.w.expr.seq != b.w.expr.seq {
			return a.w.expr.seq - b.w.expr.seq
		}
		return a.w.node - b.w.node
	})
	for _, u := range uses {
		at := u.w.expr.nodes[u.w.node].at
		name := u.s.name
		if isDigit(name[0]) {
			p.diagnose(errorSeverity, at, len(name), "no label '%s:' after this reference", name[:len(name)-1])
			continue
		}
		p.diagnose(errorSeverity, at, 1, "undefined symbol '%s'", name)
	}
}
