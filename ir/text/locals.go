package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// function is the state of the parser in a function body.
type function struct {
	f *ir.Function

	block  ir.Block
	at     int // start of the instruction
	names  nameTable
	ids    []ir.Value // numbered values and blocks, by number
	sparse map[uint64]ir.Value
	nextID uint64
	fwd    []forward // uses before the definition

	// reserved is the existing value of the current instruction if the value
	// was used before its definition, otherwise None.
	reserved ir.Value
	records  []ir.Value // debug records before the next instruction
	scratch  ir.Scratch // memory in which the body is built
}

// forward is the first use of a value before its definition.
type forward struct {
	v        ir.Value
	off, end int
}

// nameTable maps names to local values. It is reused for each function: entries
// of earlier functions have a different gen.
type nameTable struct {
	slots []nameSlot
	gen   uint32
	n     int
}

type nameSlot struct {
	name []byte
	hash uint32
	gen  uint32
	v    ir.Value
}

func (t *nameTable) reset() {
	t.gen++
	t.n = 0
	if t.slots == nil {
		t.slots = make([]nameSlot, 64)
	}
}

func hashName(name []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range name {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// findOrCreate returns the entry of a name, and creates it if necessary.
func (t *nameTable) findOrCreate(name []byte) *nameSlot {
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	h := hashName(name)
	for i := h; ; i++ {
		s := &t.slots[i&uint32(len(t.slots)-1)]
		if s.gen != t.gen {
			*s = nameSlot{name: name, hash: h, gen: t.gen}
			t.n++
			return s
		}
		if s.hash == h && string(s.name) == string(name) {
			return s
		}
	}
}

func (t *nameTable) grow() {
	old := t.slots
	t.slots = make([]nameSlot, 2*len(old))
	for _, s := range old {
		if s.gen != t.gen {
			continue
		}
		for i := s.hash; ; i++ {
			if to := &t.slots[i&uint32(len(t.slots)-1)]; to.gen != t.gen {
				*to = s
				break
			}
		}
	}
}

// grow reserves space for a body with an expected number of instructions.
func (fn *function) grow(instrs int) {
	fn.scratch.Grow(instrs)
	if cap(fn.ids) < instrs {
		fn.ids = make([]ir.Value, 0, instrs)
		fn.fwd = make([]forward, 0, instrs/4)
	}
}

// begin starts a function body.
func (fn *function) begin(f *ir.Function) {
	fn.f, fn.block = f, 0
	fn.names.reset()
	fn.ids = fn.ids[:0]
	fn.sparse = nil
	fn.nextID = 0
	fn.fwd = fn.fwd[:0]
	fn.reserved = ir.None
	fn.records = fn.records[:0]
}

// leave ends a function body, even after an error.
func (fn *function) leave() {
	if fn.f != nil {
		fn.f.Return(&fn.scratch)
		fn.f = nil
	}
}

// maxIDGap is the largest distance from the preceding numbers at which a number
// is stored in a slice.
const maxIDGap = 1 << 12

// idValue returns the value with number n, or None if it has not been used yet.
func (fn *function) idValue(n uint64) ir.Value {
	if n < uint64(len(fn.ids)) && fn.ids[n] != ir.None {
		return fn.ids[n]
	}
	return fn.sparse[n]
}

// setID records the value of a number.
func (fn *function) setID(n uint64, v ir.Value) {
	if n > uint64(len(fn.ids))+maxIDGap {
		if fn.sparse == nil {
			fn.sparse = map[uint64]ir.Value{}
		}
		fn.sparse[n] = v
		return
	}
	for uint64(len(fn.ids)) <= n {
		fn.ids = append(fn.ids, ir.None)
	}
	fn.ids[n] = v
}

// isForward reports whether a local value or block has been used but not
// defined.
func (fn *function) isForward(v ir.Value) bool {
	if v.IsBlock() {
		return !fn.f.IsBlockAlive(v.Block())
	}
	return fn.f.Op(v) == ir.OpNone
}

// local parses %name or %7 as a value of type t. This may be its first use.
func (p *parser) local(t ir.Type) ir.Value {
	if p.fn.f == nil {
		p.fail("invalid use of function-local name")
	}
	var v ir.Value
	if p.tok == tLocal {
		s := p.fn.names.findOrCreate(p.name())
		if s.v == ir.None {
			s.v = p.forward(t)
		}
		v = s.v
	} else {
		v = p.fn.idValue(p.num)
		if v == ir.None {
			v = p.forward(t)
			p.fn.setID(p.num, v)
		}
	}
	if have := p.fn.f.TypeOf(v); have != t {
		p.localMismatch(t, have)
	}
	p.scanToken()
	return v
}

func (p *parser) localMismatch(want, have ir.Type) {
	name := p.src[p.from:p.pos]
	if want == ir.Label {
		p.fail("'%s' is not a basic block", name)
	}
	p.fail("'%s' defined with type '%s' but expected '%s'", name, p.typeString(have), p.typeString(want))
}

// forward creates the value of a use before the definition.
func (p *parser) forward(t ir.Type) ir.Value {
	var v ir.Value
	switch {
	case t == ir.Label:
		v = p.fn.f.DetachedBlock().Value()
	case !p.m.IsFirstClass(t):
		p.fail("invalid use of a non-first-class type")
	default:
		v = p.fn.f.Reserve(t)
	}
	p.fn.fwd = append(p.fn.fwd, forward{v, p.from, p.end})
	return v
}

// blockRef parses %name or %7 as a block.
func (p *parser) blockRef() ir.Block {
	if p.tok != tLocal && p.tok != tLocalID {
		p.fail("expected a basic block")
	}
	return p.local(ir.Label).Block()
}

// labelRef parses label %name.
func (p *parser) labelRef() ir.Value {
	off := p.from
	if t := p.typ("expected type"); t != ir.Label {
		failAt(off, p.prevEnd, "expected a basic block")
	}
	return p.blockRef().Value()
}

// result is the name that an instruction assigns to its value.
type result struct {
	tok      token // tEOF if absent
	name     []byte
	num      uint64
	off, end int
}

// takeResult parses %name = or %7 = before an instruction and looks up an
// existing value of the name.
func (p *parser) takeResult() (r result) {
	p.fn.reserved = ir.None
	if p.tok != tLocal && p.tok != tLocalID {
		return result{tok: tEOF, off: p.from, end: p.end}
	}
	r = result{tok: p.tok, num: p.num, off: p.from, end: p.end}
	if p.tok == tLocal {
		r.name = p.name()
	}
	const equals = " ="
	if at := p.pos; at+len(equals) <= len(p.src) && string(p.src[at:at+len(equals)]) == equals { // the common case
		p.skipTo(at + len(equals))
	} else if p.scanToken(); r.tok == tLocal {
		p.expect(tEqual, "expected '=' after instruction name")
	} else {
		p.expect(tEqual, "expected '=' after instruction id")
	}
	v := ir.None
	if r.tok == tLocal {
		v = p.fn.names.findOrCreate(r.name).v
	} else if r.num >= p.fn.nextID {
		v = p.fn.idValue(r.num)
	}
	if v != ir.None {
		if v.IsBlock() || !p.fn.isForward(v) {
			if r.tok == tLocal {
				failAt(r.off, r.end, "multiple definition of local value named '%s'", r.name)
			}
			failAt(r.off, r.end, "instruction forward referenced with type 'label'")
		}
		p.fn.reserved = v
	}
	return r
}

// named sets the name in front of an instruction and returns the instruction's
// final value number.
func (p *parser) named(v ir.Value, r result) ir.Value {
	fn := &p.fn
	t := fn.f.TypeOf(v)
	if t == ir.Void {
		if r.tok != tEOF {
			failAt(r.off, r.end, "instructions returning void cannot have a name")
		}
		return v
	}
	switch r.tok {
	case tLocal:
		if w := fn.names.findOrCreate(r.name).v; w != ir.None && w != v { // the instruction uses itself as operand
			p.adopt(w, v, r)
			v = w
		}
		fn.names.findOrCreate(r.name).v = v
		fn.f.SetName(v, r.name)
		return v
	case tLocalID:
		p.checkID(r.off, r.end, "instruction", r.num)
	case tEOF:
		r.num = fn.nextID
	}
	if w := fn.idValue(r.num); w != ir.None && w != v {
		p.adopt(w, v, r)
		v = w
	}
	fn.nextID = r.num + 1
	p.fn.setID(r.num, v)
	return v
}

// adopt moves instruction v to the value w that earlier uses created.
func (p *parser) adopt(w, v ir.Value, r result) {
	fn := &p.fn
	if have, want := fn.f.TypeOf(v), fn.f.TypeOf(w); have != want {
		failAt(r.off, r.end, "instruction forward referenced with type '%s'", p.typeString(want))
	}
	fn.f.MoveTo(v, w)
}

// checkID reports a number that is less than the next expected number.
func (p *parser) checkID(off, end int, what string, n uint64) {
	if n < p.fn.nextID {
		failAt(off, end, "%s expected to be numbered '%%%d' or greater", what, p.fn.nextID)
	}
}

// checkForward reports values that are used but not defined.
func (p *parser) checkForward() {
	for _, w := range p.fn.fwd {
		if p.fn.isForward(w.v) {
			p.list.Errorf(p.file, w.off, w.end, "use of undefined value '%s'", p.refText(w.off))
		}
	}
}

// refText returns the reference at an offset, including its sigil and quotes.
func (p *parser) refText(off int) []byte {
	saved := p.lexer
	defer func() { p.lexer = saved }()
	p.pos = off
	p.scanToken()
	return p.src[off:p.pos]
}
