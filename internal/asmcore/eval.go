package asmcore

import "math"

// relocValue is the value of an expression in the form add − sub + c.
type relocValue struct {
	add, sub *Symbol
	spec     Spec
	c        int64
}

func (v relocValue) absolute() bool { return v.add == nil && v.sub == nil }

// knowledge is the information about locations that an evaluation may use.
type knowledge uint8

const (
	knowValues knowledge = iota // constants only
	knowPlaces                  // fixed distances within a section
	knowLayout                  // addresses
)

// evaluator evaluates expressions like MCExpr::evaluateAsRelocatable.
type evaluator struct {
	p     *Parser
	know  knowledge
	inSet bool // also expand variables that are locations in a section
	// problem is the reason why an evaluation failed, if it is more specific
	// than a wrong kind of expression; at is its offset in the text.
	problem string
	at      uint32
	callAt  uint32 // offset of a failed call of the dialect's function
}

// evalSteps bounds the operations of all evaluations of a source together.
// Variables defined by variables can double the work with every line.
const evalSteps = 1 << 27

// maxChain bounds the depth of an expression across variables.
const maxChain = 1 << 17

// constant returns the value of an expression that is a number.
func (e *evaluator) constant(v Value) (int64, bool) {
	if v.Node == 0 {
		return v.Const, true
	}
	r, ok := e.eval(v.Node)
	return r.c, ok && r.absolute() && r.spec == 0
}

// absolute evaluates an expression from constants and known distances.
func (p *Parser) absolute(v Value) (int64, bool) {
	e := evaluator{p: p, know: knowPlaces}
	return e.constant(v)
}

// Absolute returns the value of an expression that is already known: a number,
// or a fixed distance.
func (p *Parser) Absolute(v Value) (int64, bool) { return p.absolute(v) }

// value evaluates a value.
func (e *evaluator) value(v Value) (relocValue, bool) {
	if v.Node == 0 {
		return relocValue{c: v.Const}, true
	}
	return e.eval(v.Node)
}

func (e *evaluator) fail(n *node, problem string) (relocValue, bool) {
	if e.problem == "" {
		e.problem, e.at = problem, n.pos
	}
	return relocValue{}, false
}

func (e *evaluator) eval(i Node) (relocValue, bool) {
	n := &e.p.nodes[i]
	switch n.op {
	case opConst:
		return relocValue{c: n.val}, true
	case opSym:
		return e.symbol(n)
	}
	e.p.steps++
	e.p.evalDepth++
	var v relocValue
	ok := false
	switch {
	case e.p.steps > evalSteps || e.p.evalDepth > maxChain:
		v, ok = e.fail(n, "expression is too complex")
	case n.op <= opLNot:
		v, ok = e.unary(n)
	case n.op == opCall:
		v, ok = e.call(n)
	default:
		v, ok = e.binary(n)
	}
	e.p.evalDepth--
	return v, ok
}

// symbol evaluates a reference to a symbol.
func (e *evaluator) symbol(n *node) (relocValue, bool) {
	s := e.p.all[n.a]
	if s.kind == symVariable && (n.aux == 0 || e.know == knowLayout) &&
		(e.inSet || !e.p.inSection(s)) {
		if s.visiting {
			return e.fail(n, "cyclic dependency detected for symbol '"+s.Name+"'")
		}
		s.visiting = true
		e.p.steps++
		v, ok := e.value(s.value)
		s.visiting = false
		if !ok && e.problem != "" {
			return v, false
		}
		if ok && n.aux == 0 {
			return v, true
		}
		if ok && !v.absolute() {
			if v.spec != 0 || v.add == nil || v.sub != nil || v.c != 0 {
				return e.fail(n, "")
			}
			v.spec = Spec(n.aux)
			return v, true
		}
	}
	return relocValue{add: s, spec: Spec(n.aux)}, true
}

func (e *evaluator) unary(n *node) (relocValue, bool) {
	v, ok := e.eval(n.a)
	if !ok {
		return v, false
	}
	switch {
	case v.absolute():
		v.c = applyUnary(n.op, v.c)
	case n.op == opMinus && (v.add == nil || v.sub != nil):
		v.add, v.sub, v.c = v.sub, v.add, -v.c
	case n.op != opPlus:
		return e.fail(n, "")
	}
	return v, true
}

func (e *evaluator) binary(n *node) (relocValue, bool) {
	o, at := n.op, n
	a, ok := e.eval(n.a)
	if !ok {
		return a, false
	}
	b, ok := e.eval(n.b)
	if !ok {
		return b, false
	}
	if a.absolute() && b.absolute() {
		c, problem := applyOp(o, a.c, b.c)
		if problem != "" {
			return e.fail(at, problem)
		}
		return relocValue{c: c}, true
	}
	switch o {
	case opSub:
		b.add, b.sub, b.c = b.sub, b.add, -b.c
	case opAdd:
	default:
		return e.fail(at, "")
	}
	return e.sum(at, a, b)
}

// sum adds two values, and folds the differences of symbols with a known
// distance.
func (e *evaluator) sum(n *node, a, b relocValue) (relocValue, bool) {
	c := a.c + b.c
	switch {
	case b.absolute():
		a.c = c
		return a, true
	case a.absolute():
		b.c = c
		return b, true
	case a.sub != nil && a.spec != 0, b.sub != nil && b.spec != 0:
		return e.fail(n, "")
	}
	if e.know != knowValues && a.spec == 0 && b.spec == 0 {
		if d, ok := e.distance(a.add, b.sub); ok {
			c += d
			a.add, b.sub = nil, nil
		}
		if d, ok := e.distance(b.add, a.sub); ok {
			c += d
			b.add, a.sub = nil, nil
		}
	}
	if a.add != nil && b.add != nil || a.sub != nil && b.sub != nil {
		return e.fail(n, "")
	}
	if a.add == nil {
		a.add = b.add
	}
	if a.sub == nil {
		a.sub = b.sub
	}
	if a.spec == 0 {
		a.spec = b.spec
	}
	a.c = c
	return a, true
}

// distance returns a − b if it is known.
func (e *evaluator) distance(a, b *Symbol) (int64, bool) {
	if a == nil || b == nil {
		return 0, false
	}
	pa, oka := e.p.spotOf(a)
	pb, okb := e.p.spotOf(b)
	if !oka || !okb || pa.stream.section != pb.stream.section {
		return 0, false
	}
	if e.know == knowLayout {
		return pa.address() - pb.address(), true
	}
	if pa.stream != pb.stream {
		return 0, false
	}
	d := pa.off - pb.off
	lo, hi, sign := pb.frag, pa.frag, int64(1)
	if lo > hi {
		lo, hi, sign = hi, lo, -1
	}
	for _, f := range pa.stream.frags[lo:hi] {
		size, ok := f.fixedSize()
		if !ok {
			return 0, false
		}
		d += sign * size
	}
	return d, true
}

// fixedSize returns the size of a fragment if it does not depend on the layout.
func (f *frag) fixedSize() (int64, bool) {
	if f.kind != fragFill || !f.v.IsConst() || f.v.Const < 0 {
		return 0, false
	}
	return f.v.Const * f.b, true
}

// spot is a location in a stream.
type spot struct {
	stream *stream
	frag   int
	off    int64
}

// address returns the offset in the section. It is valid after a layout.
func (s spot) address() int64 { return s.stream.base + s.stream.before(s.frag) + s.off }

// before returns the size of the first n fragments.
func (s *stream) before(n int) int64 {
	switch {
	case n == 0:
		return 0
	case n < len(s.frags):
		return s.frags[n].before
	}
	last := &s.frags[n-1]
	return last.before + last.size
}

// spotOf returns the location of a label, or of a variable that is a label plus
// a number.
func (p *Parser) spotOf(s *Symbol) (spot, bool) {
	switch s.kind {
	case symLabel:
		return spot{s.stream, s.frag, s.off}, true
	case symVariable:
		if s.value.IsConst() || s.visiting {
			return spot{}, false
		}
		e := evaluator{p: p, know: knowPlaces, inSet: true}
		if p.laidOut {
			e.know = knowLayout
		}
		s.visiting = true
		v, ok := e.value(s.value)
		s.visiting = false
		if !ok || v.add == nil || v.sub != nil || v.spec != 0 || v.add.kind != symLabel {
			return spot{}, false
		}
		return spot{v.add.stream, v.add.frag, v.add.off + v.c}, true
	}
	return spot{}, false
}

// associated is the association of a symbol or expression: none, a plain
// number, or a section.
type associated struct {
	section *Section
	number  bool
}

// inSection reports whether a symbol is a location in a section.
func (p *Parser) inSection(s *Symbol) bool { return p.associatedSymbol(s).section != nil }

func (p *Parser) associatedSymbol(s *Symbol) associated {
	switch s.kind {
	case symLabel:
		return associated{section: s.stream.section}
	case symVariable:
		if s.visiting {
			return associated{}
		}
		s.visiting = true
		a := p.associatedValue(s.value)
		s.visiting = false
		return a
	}
	return associated{}
}

// associatedValue determines the association of an expression from its form,
// without evaluating it, like MCExpr::findAssociatedFragment.
func (p *Parser) associatedValue(v Value) associated {
	if v.Node == 0 {
		return associated{number: true}
	}
	p.steps++
	p.evalDepth++
	defer func() { p.evalDepth-- }()
	if p.steps > evalSteps || p.evalDepth > maxChain {
		return associated{}
	}
	switch n := p.nodes[v.Node]; {
	case n.op == opConst:
		return associated{number: true}
	case n.op == opSym:
		return p.associatedSymbol(p.all[n.a])
	case n.op <= opLNot:
		return p.associatedValue(Value{Node: n.a})
	case n.op == opCall:
		return p.associatedArg(n.a)
	case n.op < opCall:
		a, b := p.associatedValue(Value{Node: n.a}), p.associatedValue(Value{Node: n.b})
		switch {
		case a.number:
			return b
		case b.number:
			return a
		case n.op == opSub:
			return associated{number: true}
		case a.section != nil:
			return a
		}
		return b
	}
	return associated{}
}

// associatedArg returns the association of a call: the first one of its
// arguments that is not empty.
func (p *Parser) associatedArg(i Node) associated {
	for i != 0 {
		arg := p.nodes[i]
		if a := p.associatedValue(Value{Node: arg.a}); a != (associated{}) {
			return a
		}
		i = arg.b
	}
	return associated{}
}

// call evaluates a function of the dialect.
func (e *evaluator) call(n *node) (relocValue, bool) {
	var buf [8]int64
	args := buf[:0]
	fn, at := n.aux, n
	for i := n.a; i != 0; {
		arg := e.p.nodes[i]
		v, ok := e.eval(arg.a)
		if !ok || !v.absolute() || v.spec != 0 {
			return e.fail(at, "")
		}
		args = append(args, v.c)
		i = arg.b
	}
	c, problem := e.p.dialect.Call(fn, args)
	if problem != "" {
		e.callAt = n.pos
		return e.fail(at, problem)
	}
	return relocValue{c: c}, true
}

func applyUnary(o op, a int64) int64 {
	switch o {
	case opMinus:
		return -a
	case opNot:
		return ^a
	case opLNot:
		return truth(a == 0, 1)
	}
	return a
}

// truth returns yes for true and 0 for false.
func truth(b bool, yes int64) int64 {
	if b {
		return yes
	}
	return 0
}

// applyOp returns a o b. True is −1 for comparisons, and 1 for && and ||. A
// shift uses the low six bits of its count.
func applyOp(o op, a, b int64) (c int64, problem string) {
	switch o {
	case opAdd:
		return a + b, ""
	case opSub:
		return a - b, ""
	case opMul:
		return a * b, ""
	case opDiv, opMod:
		return divide(o, a, b)
	case opShl:
		return a << (uint64(b) & 63), ""
	case opShr:
		return int64(uint64(a) >> (uint64(b) & 63)), ""
	case opAnd:
		return a & b, ""
	case opOr:
		return a | b, ""
	case opXor:
		return a ^ b, ""
	case opOrNot:
		return a | ^b, ""
	case opLAnd:
		return truth(a != 0 && b != 0, 1), ""
	case opLOr:
		return truth(a != 0 || b != 0, 1), ""
	}
	return truth(compare(o, a, b), -1), ""
}

func divide(o op, a, b int64) (int64, string) {
	if b == 0 {
		return 0, "division by zero"
	}
	if o == opMod {
		return a % b, ""
	}
	return a / b, ""
}

func compare(o op, a, b int64) bool {
	switch o {
	case opEQ:
		return a == b
	case opNE:
		return a != b
	case opLT:
		return a < b
	case opLE:
		return a <= b
	case opGT:
		return a > b
	case opGE:
		return a >= b
	}
	panic("BUG: no comparison")
}

func floatBits(f float64) int64 { return int64(math.Float64bits(f)) }
