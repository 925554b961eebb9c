package pattern

import (
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxNames is the maximum number of names in a rule.
const maxNames = 8

// Set is a list of rules that are matched together, grouped by root operation.
type Set struct {
	byOp   [ir.NumOps]group // except calls
	byIntr map[ir.Intrinsic]*group
}

// group holds the rules for one operation. The operand shapes are parsed when
// the operation is first encountered, the rest of a rule when the shapes match:
// a small module encounters few of the rules.
type group struct {
	rules    [][]Rule
	commutes bool // the operation is binary and commutative
	once     sync.Once
	list     []entry
}

// entry is one rule of a group.
type entry struct {
	rule *Rule
	want [2]uint8 // shapes of the first two operands
	once sync.Once
	c    *Compiled
}

func (g *group) entries() []entry {
	g.once.Do(func() {
		n := 0
		for _, list := range g.rules {
			n += len(list)
		}
		g.list = make([]entry, 0, n)
		for _, list := range g.rules {
			for i := range list {
				g.list = append(g.list, entry{rule: &list[i], want: list[i].wants()})
			}
		}
	})
	return g.list
}

func (e *entry) compiled() *Compiled {
	e.once.Do(func() { e.c = compile(e.rule) })
	return e.c
}

// Compile returns a set of rules. Rules are tried in order.
func Compile(lists ...[]Rules) *Set {
	s := &Set{byIntr: map[ir.Intrinsic]*group{}}
	for _, list := range lists {
		for _, r := range list {
			g := s.group(r.Op, r.Intr)
			g.rules, g.commutes = append(g.rules, r.List), commutes(r.Op, r.Intr)
		}
	}
	return s
}

// group returns the group for an operation or an intrinsic and allocates it if
// necessary.
func (s *Set) group(op ir.Op, intr ir.Intrinsic) *group {
	if intr == ir.NoIntrinsic {
		return &s.byOp[op]
	}
	if s.byIntr[intr] == nil {
		s.byIntr[intr] = new(group)
	}
	return s.byIntr[intr]
}

// All returns all rules, ordered within each operation. It panics for a rule
// listed under the wrong operation.
func (s *Set) All() (all []*Compiled) {
	add := func(g *group, op ir.Op, intr ir.Intrinsic) {
		for i := range g.entries() {
			c := g.list[i].compiled()
			if root := &c.Nodes[c.From]; root.Op != op || root.Intr != intr {
				panic("pattern: " + c.Rule.From + " is listed under another operation")
			}
			all = append(all, c)
		}
	}
	for op := range s.byOp {
		add(&s.byOp[op], ir.Op(op), ir.NoIntrinsic)
	}
	for _, intr := range slices.Sorted(maps.Keys(s.byIntr)) {
		add(s.byIntr[intr], ir.OpCall, intr)
	}
	return all
}

// of returns the rules for the operation of an instruction, or nil.
func (s *Set) of(q *Query) *group {
	g := &s.byOp[q.Op]
	if q.Op == ir.OpCall {
		g = s.byIntr[q.Intr]
	}
	if g == nil || len(g.rules) == 0 {
		return nil
	}
	return g
}

// Query is the instruction to match. The instruction may be hypothetical.
type Query struct {
	F     *ir.Function
	V     ir.Value // None if the instruction does not exist
	Op    ir.Op
	Sub   uint8
	Flags ir.Flags
	Type  ir.Type
	Intr  ir.Intrinsic // OpCall
	Ops   []ir.Value   // arguments of a call
	// Fold returns the constant result of an operation on constants, or None.
	Fold func(f *ir.Function, op ir.Op, sub uint8, intr ir.Intrinsic, t ir.Type, ops []ir.Value) ir.Value

	values [maxNames]ir.Value
	pred   ir.Pred
	rule   *Compiled
	stack  [16]ir.Value // operands under construction
	top    int
}

// Of initializes a query for an instruction. room is storage for its operands.
func (q *Query) Of(f *ir.Function, v ir.Value, room []ir.Value) {
	in := f.Instr(v)
	q.F, q.V, q.Op, q.Sub, q.Flags, q.Type, q.Intr = f, v, in.Op, in.Sub, in.Flags, in.Type, ir.NoIntrinsic
	ops := f.Operands(v)
	if in.Op == ir.OpCall {
		q.Intr = f.CalledIntrinsic(v)
		ops = f.Args(v)
	}
	q.Ops = room[:0]
	for _, o := range ops {
		q.Ops = append(q.Ops, o.Value)
	}
}

// Next returns the first matching rule numbered i or higher, and the number to
// continue with. The rule is nil if none matches.
func (s *Set) Next(q *Query, i int) (*Compiled, int) {
	g := s.of(q)
	if g == nil {
		return nil, i
	}
	list, have := g.entries(), q.shapes()
	exchanged := g.commutes && len(q.Ops) == 2
	for ; i < len(list); i++ {
		e := &list[i]
		if fits(e.want[0], have[0]) && fits(e.want[1], have[1]) || exchanged && fits(e.want[0], have[1]) && fits(e.want[1], have[0]) {
			if c := e.compiled(); q.matches(c) {
				return c, i + 1
			}
		}
	}
	return nil, i
}

// A shape classifies an operand: a constant, or an operation. Rules whose
// operands have other shapes are skipped.
const (
	anyShape   = 0
	constShape = uint8(ir.NumOps) // any constant
	zeroShape  = constShape + 1   // zero
	otherShape = constShape + 2   // another constant
)

func fits(want, have uint8) bool {
	return want == anyShape || want == have || want == constShape && have > constShape
}

// shapes returns the shapes of the first two operands.
func (q *Query) shapes() (have [2]uint8) {
	m := q.F.Module()
	for i, o := range q.Ops[:min(2, len(q.Ops))] {
		switch {
		case !o.IsConst():
			have[i] = uint8(q.F.Op(o))
		case m.IsZero(o):
			have[i] = zeroShape
		default:
			have[i] = otherShape
		}
	}
	return have
}

// shape returns the shape of the constants that an atom matches.
func (n *Node) shape() uint8 {
	switch {
	case n.Kind == Var:
		return anyShape
	case n.Kind == Const, n.Kind == SignMax: // the largest i1 is 0
		return constShape
	case n.Kind == Int && n.Lit == 0, n.Kind == Float && math.Float64bits(n.Num) == 0:
		return zeroShape
	}
	return otherShape
}

// Value returns the value bound to a name of the matched rule.
func (q *Query) Value(i int) ir.Value { return q.values[i] }

// Pred returns the predicate P of the matched rule.
func (q *Query) Pred() ir.Pred { return q.pred }

// matches reports whether a rule matches and its conditions hold.
func (q *Query) matches(c *Compiled) bool {
	q.rule = c
	n := &c.Nodes[c.From]
	if n.Op == ir.OpCall && n.Intr != q.Intr || q.Flags&n.Flags != n.Flags || len(n.Kids) != len(q.Ops) {
		return false
	}
	q.values, q.pred = [maxNames]ir.Value{}, 0
	if n.Name >= 0 {
		q.values[n.Name] = q.V
	}
	var ops [3]ir.Value
	if len(q.Ops) > len(ops) {
		return false
	}
	copy(ops[:], q.Ops)
	return q.orders(n, ir.Pred(q.Sub), ops, nil)
}

// pending is a part of a rule that remains to be matched, and a link to the
// next part.
type pending struct {
	node  int16
	value ir.Value
	next  *pending
}

// matchPending matches the pending parts and then checks the conditions.
func (q *Query) matchPending(p *pending) bool {
	if p == nil {
		return q.holds()
	}
	n, v := &q.rule.Nodes[p.node], p.value
	m := q.F.Module()
	switch {
	case n.Kind == Op:
		return q.inner(n, v, p.next)
	case n.Kind == Const && !(v.IsConst() && isPlain(m, v)):
		return false
	case n.Kind == Var || n.Kind == Const:
		return q.bound(n.Name, v, p.next)
	}
	return v.IsConst() && v == q.literal(n, m.TypeOfConst(v)) && q.matchPending(p.next)
}

// bound binds a name to a value, or compares the value with an earlier binding,
// and continues.
func (q *Query) bound(name int8, v ir.Value, p *pending) bool {
	if old := q.values[name]; old != ir.None {
		return old == v && q.matchPending(p)
	}
	q.values[name] = v
	if q.matchPending(p) {
		return true
	}
	q.values[name] = ir.None
	return false
}

// orders matches the operands of an operation in one order, then in the other.
func (q *Query) orders(n *Node, pred ir.Pred, ops [3]ir.Value, p *pending) bool {
	q.F.Module().Guard().Check()
	if q.order(n, pred, ops, p) {
		return true
	}
	if len(n.Kids) != 2 || !commutes(n.Op, n.Intr) {
		return false
	}
	if n.Op == ir.OpICmp || n.Op == ir.OpFCmp {
		pred = pred.Swapped()
	}
	ops[0], ops[1] = ops[1], ops[0]
	return q.order(n, pred, ops, p)
}

func (q *Query) order(n *Node, pred ir.Pred, ops [3]ir.Value, p *pending) bool {
	saved := q.pred
	if n.Op == ir.OpICmp || n.Op == ir.OpFCmp {
		switch {
		case n.Pred != AnyPred && n.Pred != pred, n.Pred == AnyPred && saved != 0 && saved != pred:
			return false
		case n.Pred == AnyPred:
			q.pred = pred
		}
	}
	var parts [len(ops)]pending // the first operand is matched first
	for i := len(n.Kids) - 1; i >= 0; i-- {
		parts[i] = pending{n.Kids[i], ops[i], p}
		p = &parts[i]
	}
	if q.matchPending(p) {
		return true
	}
	q.pred = saved
	return false
}

// commutes reports whether the operands of an operation may be exchanged. For a
// comparison, this changes the predicate.
func commutes(op ir.Op, intr ir.Intrinsic) bool {
	switch op {
	case ir.OpICmp, ir.OpFCmp:
		return true
	case ir.OpCall:
		switch intr {
		case ir.IntrSmax, ir.IntrSmin, ir.IntrUmax, ir.IntrUmin, ir.IntrUaddSat, ir.IntrSaddSat, ir.IntrMinnum, ir.IntrMaxnum,
			ir.IntrMinimum, ir.IntrMaximum, ir.IntrMinimumnum, ir.IntrMaximumnum:
			return true
		}
		return false
	}
	return op.Commutes()
}

// inner matches a nested operation.
func (q *Query) inner(n *Node, v ir.Value, p *pending) bool {
	f := q.F
	if !v.IsLocal() || f.Op(v) != n.Op {
		return false
	}
	in := f.Instr(v)
	if in.Flags&n.Flags != n.Flags || n.OneUse && !f.HasOneUse(v) {
		return false
	}
	list := f.Operands(v)
	if n.Op == ir.OpCall {
		if f.CalledIntrinsic(v) != n.Intr {
			return false
		}
		list = f.Args(v)
	}
	if len(list) != len(n.Kids) {
		return false
	}
	var ops [3]ir.Value
	for i := range list {
		ops[i] = list[i].Value
	}
	if n.Name < 0 {
		return q.orders(n, ir.Pred(in.Sub), ops, p)
	}
	old := q.values[n.Name]
	if old != ir.None && old != v {
		return false
	}
	q.values[n.Name] = v
	if q.orders(n, ir.Pred(in.Sub), ops, p) {
		return true
	}
	q.values[n.Name] = old
	return false
}

// isPlain reports whether a constant is a number, or a vector of numbers.
func isPlain(m *ir.Module, v ir.Value) bool {
	switch c := m.Const(v); c.Kind {
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide, ir.ConstData:
		return true
	case ir.ConstZero:
		return m.IsIntOrIntVector(c.Type) || m.IsFloatOrFloatVector(c.Type)
	case ir.ConstAggregate:
		for _, e := range m.ConstOperands(v) {
			if k := m.ConstKindOf(e); k != ir.ConstInt && k != ir.ConstFloat && k != ir.ConstWide {
				return false
			}
		}
		return m.IsVector(c.Type)
	}
	return false
}

// literal returns a number as a constant of a type, or None if the type has no
// such number.
func (q *Query) literal(n *Node, t ir.Type) ir.Value {
	m := q.F.Module()
	s := m.Scalar(t)
	v := ir.None
	switch n.Kind {
	case Poison:
		return m.Poison(t)
	case Undef:
		return m.Undef(t)
	case Float:
		v = floatLiteral(m, s, n.Num)
	case Int:
		if m.IsInt(s) {
			v = m.NewSigned(s, n.Lit)
		} else if n.Lit == 0 {
			return m.Zero(t)
		}
	case SignMin, SignMax:
		bits := m.IntBits(s)
		if bits == 0 || bits > 64 {
			return ir.None
		}
		x := uint64(1) << (bits - 1)
		if n.Kind == SignMax {
			x--
		}
		v = m.NewInt(s, x)
	}
	if v != ir.None && s != t {
		return m.Splat(t, v)
	}
	return v
}

// floatLiteral returns 0, ±1, a power of two or infinity as a constant of a
// type.
func floatLiteral(m *ir.Module, t ir.Type, x float64) ir.Value {
	var mant, size, bias int
	switch t {
	case ir.Float, ir.Double:
		return m.NewFloat(t, x)
	case ir.Half:
		size, mant, bias = 16, 10, 15
	case ir.BFloat:
		size, mant, bias = 16, 7, 127
	default:
		return ir.None
	}
	b := math.Float64bits(x)
	sign := b >> 63 << (size - 1)
	frac, exp := math.Frexp(math.Abs(x))
	switch {
	case x == 0:
		return m.NewFloatBits(t, sign)
	case math.IsInf(x, 0):
		return m.NewFloatBits(t, sign|(1<<(size-1-mant)-1)<<mant)
	case frac != 0.5:
		panic("BUG: a floating-point number in a rule is not a power of two")
	}
	return m.NewFloatBits(t, sign|uint64(exp-1+bias)<<mant)
}
