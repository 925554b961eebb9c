package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// function is the state of the function whose body is being read.
type function struct {
	f *ir.Function

	block  ir.Block
	at     int // where the instruction begins
	names  nameTable
	ids    []ir.Value // numbered values and blocks by number
	sparse map[uint64]ir.Value
	nextID uint64
	fwd    []forward // used before they are defined

	// reserved is the value that the instruction that is being read has already, None when it has none.
	reserved ir.Value
	records  []ir.Value // that stand before the next instruction
	scratch  ir.Scratch // in which the body is made
}

// forward is the first use of a value before its definition.
type forward struct {
	v        ir.Value
	off, end int
}

// nameTable finds local values by name. It is used for one function after the other: entries of others have another gen.
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

// find gives the entry of a name, made when there is none.
func (t *nameTable) find(name []byte) *nameSlot {
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

// grow makes room for a body of about so many instructions.
func (fn *function) grow(instrs int) {
	fn.scratch.Grow(instrs)
	if cap(fn.ids) < instrs {
		fn.ids = make([]ir.Value, 0, instrs)
		fn.fwd = make([]forward, 0, instrs/4)
	}
}

// begin starts the reading of a body.
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

// leave ends the reading of a body, also when there was an error in it.
func (fn *function) leave() {
	if fn.f != nil {
		fn.f.Return(&fn.scratch)
		fn.f = nil
	}
}

// maxIDGap is how far a number may be ahead of those before it to be kept in a slice.
const maxIDGap = 1 << 12

// idValue gives the value of a number, None when it has none yet.
func (fn *function) idValue(n uint64) ir.Value {
	if n < uint64(len(fn.ids)) && fn.ids[n] != ir.None {
		return fn.ids[n]
	}
	return fn.sparse[n]
}

// setID notes the value of a number.
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

// isForward reports whether a local value or block has been used and not defined yet.
func (fn *function) isForward(v ir.Value) bool {
	if v.IsBlock() {
		return !fn.f.IsBlockAlive(v.Block())
	}
	return fn.f.Op(v) == ir.OpNone
}

// local takes %name or %7 as a value of a type, which it may be the first to use.
func (p *parser) local(t ir.Type) ir.Value {
	if p.fn.f == nil {
		p.fail("invalid use of function-local name")
	}
	var v ir.Value
	if p.tok == tLocal {
		s := p.fn.names.find(p.name())
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
	p.next()
	return v
}

func (p *parser) localMismatch(want, have ir.Type) {
	name := p.src[p.from:p.pos]
	if want == ir.Label {
		p.fail("'%s' is not a basic block", name)
	}
	p.fail("'%s' defined with type '%s' but expected '%s'", name, p.typeString(have), p.typeString(want))
}

// forward makes the value for a first use.
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

// blockRef takes %name or %7 as a block.
func (p *parser) blockRef() ir.Block {
	if p.tok != tLocal && p.tok != tLocalID {
		p.fail("expected a basic block")
	}
	return p.local(ir.Label).Block()
}

// labelRef takes label %name.
func (p *parser) labelRef() ir.Value {
	off := p.from
	if t := p.typ("expected type"); t != ir.Label {
		failAt(off, p.prevEnd, "expected a basic block")
	}
	return p.blockRef().Value()
}

// result is the name that an instruction gives its value.
type result struct {
	tok      token // tEOF for none
	name     []byte
	num      uint64
	off, end int
}

// takeResult takes %name = or %7 = before an instruction and finds the value that it has already.
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
	if at := p.pos; at+len(equals) <= len(p.src) && string(p.src[at:at+len(equals)]) == equals { // nearly always
		p.skipTo(at + len(equals))
	} else if p.next(); r.tok == tLocal {
		p.expect(tEqual, "expected '=' after instruction name")
	} else {
		p.expect(tEqual, "expected '=' after instruction id")
	}
	v := ir.None
	if r.tok == tLocal {
		v = p.fn.names.find(r.name).v
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

// named gives an instruction the name that stands before it, and gives the number that it has then.
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
		if w := fn.names.find(r.name).v; w != ir.None && w != v { // an operand of itself
			p.adopt(w, v, r)
			v = w
		}
		fn.names.find(r.name).v = v
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

// adopt lets an instruction without a name be the value of its number, when that was used before.
func (p *parser) adopt(w, v ir.Value, r result) {
	fn := &p.fn
	if have, want := fn.f.TypeOf(v), fn.f.TypeOf(w); have != want {
		failAt(r.off, r.end, "instruction forward referenced with type '%s'", p.typeString(want))
	}
	fn.f.MoveTo(v, w)
}

// checkID checks that a number is not below the next one.
func (p *parser) checkID(off, end int, what string, n uint64) {
	if n < p.fn.nextID {
		failAt(off, end, "%s expected to be numbered '%%%d' or greater", what, p.fn.nextID)
	}
}

// checkForward reports what was used and never defined.
func (p *parser) checkForward() {
	for _, w := range p.fn.fwd {
		if p.fn.isForward(w.v) {
			p.list.Errorf(p.file, w.off, w.end, "use of undefined value '%s'", p.refText(w.off))
		}
	}
}

// refText gives the name at an offset with its sigil and quotes.
func (p *parser) refText(off int) []byte {
	saved := p.lexer
	defer func() { p.lexer = saved }()
	p.pos = off
	p.next()
	return p.src[off:p.pos]
}
