package analysis

import "github.com/gfx-toolchain/gfx/ir"

// LiveSets finds which of some variables are live at the begin and end of the nodes of
// a graph: those whose present value may still be used. It serves IR, machine
// code and anything else that has uses and definitions:
//
//	l.Begin(g, n)
//	for each node, for each instruction in order {
//		l.Use(node, x) // for each operand
//		l.Def(node, x) // for each result
//	}
//	l.UseAtEnd(pred, x) // for each incoming value of a phi
//	l.Solve()
//
// It solves the equations of live variables (A. Aho, M. Lam, R. Sethi, J. Ullman,
// "Compilers", section 9.2.5) node by node against the order of execution, and again those whose
// successors changed.
type LiveSets struct {
	g     *Graph
	n     int
	words int

	in, out, def []uint64 // by node: words words
	work         []uint32
	queued       []bool
}

// Begin begins with a graph and variables 0 to n-1.
func (l *LiveSets) Begin(g *Graph, n int) {
	l.g, l.n, l.words = g, n, (n+63)/64
	size := (g.n + 1) * l.words
	l.in, l.out, l.def = zeroed(l.in, size), zeroed(l.out, size), zeroed(l.def, size)
}

func (l *LiveSets) set(of []uint64, node uint32) BitSet {
	return BitSet(of[int(node)*l.words : (int(node)+1)*l.words])
}

// Use notes that a node uses a variable, as it is after the definitions noted so far.
func (l *LiveSets) Use(node, x uint32) {
	at, bit := int(node)*l.words+int(x/64), uint64(1)<<(x%64)
	if l.def[at]&bit == 0 {
		l.in[at] |= bit
	}
}

// Def notes that a node defines a variable.
func (l *LiveSets) Def(node, x uint32) { l.def[int(node)*l.words+int(x/64)] |= 1 << (x % 64) }

// UseAtEnd notes that a variable is used behind a node's instructions, on an edge to a successor. That makes it live at
// the node's end, not at the successor's begin.
func (l *LiveSets) UseAtEnd(node, x uint32) { l.out[int(node)*l.words+int(x/64)] |= 1 << (x % 64) }

// Solve computes LiveIn and LiveOut from what was noted.
func (l *LiveSets) Solve() {
	g := l.g
	l.queued = zeroed(l.queued, g.n+1)
	l.work = l.work[:0]
	// a stack: what is pushed last comes first, which is the end of the function
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

// update computes the sets of a node from those of its successors and reports whether the set at its begin changed. A node
// that was never updated counts as changed only when something is live at its begin.
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

// LiveIn gives the variables that are live at the begin of a node. It must not be changed.
func (l *LiveSets) LiveIn(node uint32) BitSet { return l.set(l.in, node) }

// LiveOut gives the variables that are live at the end of a node. It must not be changed.
func (l *LiveSets) LiveOut(node uint32) BitSet { return l.set(l.out, node) }

// Liveness tells which values of a function are live at the begin and end of its blocks. Only values that are used
// in another block than their own (or by a phi) can be: they alone have numbers in the sets.
//
// An incoming value of a phi is used at the end of the incoming block, and a phi is defined at the begin of its block. So
// neither is live there at the begin of the phi's block because of it.
type Liveness struct {
	LiveSets
	f      *ir.Function
	number []uint32   // by value: number in the sets plus one
	values []ir.Value // by number
}

// NewLiveness computes what is live in a function; g must be its graph.
func NewLiveness(f *ir.Function, g *Graph) *Liveness {
	l := &Liveness{}
	l.Reset(f, g)
	return l
}

// Reset makes it what NewLiveness gives.
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

// find gives a value a number when it is used outside of its block. Arguments belong to the entry.
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

// note tells where a value is defined and used. Uses in its own block come behind the definition.
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

// Number gives the number of a value in the sets; ok is false for values that are live nowhere but inside of their block.
func (l *Liveness) Number(v ir.Value) (i uint32, ok bool) {
	if !v.IsLocal() || l.number[v] == 0 {
		return 0, false
	}
	return l.number[v] - 1, true
}

// Value gives the value of a number in the sets.
func (l *Liveness) Value(i uint32) ir.Value { return l.values[i] }

// IsLiveIn reports whether a value is live at the begin of a block.
func (l *Liveness) IsLiveIn(v ir.Value, b ir.Block) bool {
	i, ok := l.Number(v)
	return ok && l.LiveIn(uint32(b)).Has(i)
}

// IsLiveOut reports whether a value is live at the end of a block.
func (l *Liveness) IsLiveOut(v ir.Value, b ir.Block) bool {
	i, ok := l.Number(v)
	return ok && l.LiveOut(uint32(b)).Has(i)
}
