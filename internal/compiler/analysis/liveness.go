package analysis

import "github.com/gfx-toolchain/gfx/ir"

// LiveSets computes the variables that are live at the start and end of each
// node of a graph. A variable is live where its current value may still be
// used. LiveSets works on IR, machine code and any other code with uses and
// definitions:
//
//	l.Begin(g, n)
//	for each node, for each instruction in order {
//		l.Use(node, x) // for each operand
//		l.Def(node, x) // for each result
//	}
//	l.UseAtEnd(pred, x) // for each incoming value of a phi
//	l.Solve()
//
// Solve evaluates the equations of live variables (A. Aho, M. Lam, R. Sethi, J.
// Ullman, "Compilers", section 9.2.5) node by node against the order of
// execution. It repeats nodes whose successors changed.
type LiveSets struct {
	g     *Graph
	n     int
	words int

	in, out, def []uint64 // by node, words elements each
	work         []uint32
	queued       []bool
}

// Begin starts an analysis of g with variables 0 to n-1.
func (l *LiveSets) Begin(g *Graph, n int) {
	l.g, l.n, l.words = g, n, (n+63)/64
	size := (g.n + 1) * l.words
	l.in, l.out, l.def = zeroed(l.in, size), zeroed(l.out, size), zeroed(l.def, size)
}

func (l *LiveSets) set(of []uint64, node uint32) BitSet {
	return BitSet(of[int(node)*l.words : (int(node)+1)*l.words])
}

// Use records that a node uses a variable, after the definitions recorded so
// far.
func (l *LiveSets) Use(node, x uint32) {
	at, bit := int(node)*l.words+int(x/64), uint64(1)<<(x%64)
	if l.def[at]&bit == 0 {
		l.in[at] |= bit
	}
}

// Def records that a node defines a variable.
func (l *LiveSets) Def(node, x uint32) { l.def[int(node)*l.words+int(x/64)] |= 1 << (x % 64) }

// UseAtEnd records that a variable is used after a node's instructions, on an
// edge to a successor. The use makes the variable live at the node's end, but
// not at the successor's start.
func (l *LiveSets) UseAtEnd(node, x uint32) { l.out[int(node)*l.words+int(x/64)] |= 1 << (x % 64) }

// Solve computes LiveIn and LiveOut from the recorded uses and definitions.
func (l *LiveSets) Solve() {
	g := l.g
	l.queued = zeroed(l.queued, g.n+1)
	l.work = l.work[:0]
	// The work list is a stack: the node pushed last, at the end of the
	// function, is first.
	for _, n := range g.order {
		if !g.Reachable(n) {
			l.push(n)
		}
	}
	for _, n := range g.rpo {
		l.push(n)
	}
	for len(l.work) > 0 {
		n := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.queued[n] = false
		if l.update(n) {
			for _, p := range g.Preds(n) {
				l.push(p)
			}
		}
	}
}

func (l *LiveSets) push(n uint32) {
	if !l.queued[n] {
		l.queued[n] = true
		l.work = append(l.work, n)
	}
}

// update recomputes the sets of a node from its successors' sets and reports
// whether its live-in set changed. A node's first update counts as a change
// only if the node has live-ins.
func (l *LiveSets) update(n uint32) bool {
	out, in, def := l.set(l.out, n), l.set(l.in, n), l.set(l.def, n)
	for _, s := range l.g.Succs(n) {
		out.Union(l.set(l.in, s))
	}
	changed := false
	for i, w := range out {
		if add := w &^ def[i] &^ in[i]; add != 0 {
			in[i] |= add
			changed = true
		}
	}
	return changed
}

// LiveIn returns the variables that are live at the start of a node. The caller
// must not modify the set.
func (l *LiveSets) LiveIn(node uint32) BitSet { return l.set(l.in, node) }

// LiveOut returns the variables that are live at the end of a node. The caller
// must not modify the set.
func (l *LiveSets) LiveOut(node uint32) BitSet { return l.set(l.out, node) }

// Liveness holds the values that are live at the start and end of each block of
// a function. The sets number only values that are used by a phi or outside
// their own block; other values are never live there.
//
// A phi uses its incoming value at the end of the incoming block and is defined
// at the start of its own block. Neither the phi nor its incoming values are
// live at that start because of the phi.
type Liveness struct {
	LiveSets
	f      *ir.Function
	number []uint32   // by value: number in the sets plus one
	values []ir.Value // by number
}

// NewLiveness computes the liveness of f; g must be f's graph.
func NewLiveness(f *ir.Function, g *Graph) *Liveness {
	l := &Liveness{}
	l.Reset(f, g)
	return l
}

// Reset recomputes l for f, as NewLiveness does, and reuses its memory.
func (l *Liveness) Reset(f *ir.Function, g *Graph) {
	l.f = f
	l.number = zeroed(l.number, f.NumValues())
	l.values = l.values[:0]
	for i := range f.NumArgs() {
		l.find(f.Arg(i))
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			l.find(v)
		}
	}
	l.Begin(g, len(l.values))
	for i, v := range l.values {
		l.note(uint32(i), v)
	}
	l.Solve()
}

// find assigns a number to a value that is used outside its block. Arguments
// belong to the entry block.
func (l *Liveness) find(v ir.Value) {
	f := l.f
	home := l.home(v)
	for e := f.FirstUse(v); e != 0; e = f.NextUse(e) {
		if user := f.User(e); f.Op(user) == ir.OpPhi || f.Parent(user) != home {
			l.values = append(l.values, v)
			l.number[v] = uint32(len(l.values))
			return
		}
	}
}

func (l *Liveness) home(v ir.Value) ir.Block {
	if l.f.Op(v) == ir.OpArg {
		return l.f.Entry()
	}
	return l.f.Parent(v)
}

// note records the definition and the uses of a value. A use in the defining
// block follows the definition.
func (l *Liveness) note(i uint32, v ir.Value) {
	f := l.f
	home := l.home(v)
	l.Def(uint32(home), i)
	for e := f.FirstUse(v); e != 0; e = f.NextUse(e) {
		user := f.User(e)
		if f.Op(user) == ir.OpPhi {
			_, from := f.Incoming(user, f.UseIndex(e)/2)
			l.UseAtEnd(uint32(from), i)
		} else if at := f.Parent(user); at != home {
			l.Use(uint32(at), i)
		}
	}
}

// Number returns the number of a value in the sets. ok is false for values that
// are live only inside their block.
func (l *Liveness) Number(v ir.Value) (i uint32, ok bool) {
	if !v.IsLocal() || l.number[v] == 0 {
		return 0, false
	}
	return l.number[v] - 1, true
}

// Value returns the value with number i in the sets.
func (l *Liveness) Value(i uint32) ir.Value { return l.values[i] }

// IsLiveIn reports whether a value is live at the start of a block.
func (l *Liveness) IsLiveIn(v ir.Value, b ir.Block) bool {
	i, ok := l.Number(v)
	return ok && l.LiveIn(uint32(b)).Has(i)
}

// IsLiveOut reports whether a value is live at the end of a block.
func (l *Liveness) IsLiveOut(v ir.Value, b ir.Block) bool {
	i, ok := l.Number(v)
	return ok && l.LiveOut(uint32(b)).Has(i)
}
