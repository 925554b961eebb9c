package analysis

import "github.com/gfx-toolchain/gfx/ir"

// CallGraph holds the calls between the functions of a module and the
// functions' other uses. Functions are numbered from 0.
type CallGraph struct {
	m          *ir.Module
	Funcs      []*ir.Function
	ids        []int32 // by Index of the function as a constant: its number plus one
	Uses       []int32 // number of instruction operands that refer to it
	Referenced []bool  // it has a use other than an instruction operand: a constant or an alias
	Start      []int32 // index in Calls of each function's first call, plus an end entry
	Calls      []int32 // called functions with a body

	seen []bool // visited constants, by Index

	// state of Tarjan's algorithm
	index, low []int32
	onStack    []bool
	stack      []int32
	frames     []sccFrame
	Order      []int32 // functions, callees first; an SCC is contiguous
	scc        []int32 // by function: number of its SCC
}

type sccFrame struct{ node, edge int32 }

// Reset collects the functions of a module.
func (g *CallGraph) Reset(m *ir.Module) {
	g.m = m
	g.Funcs = g.Funcs[:0]
	g.ids = zeroed(g.ids, m.NumConsts())
	g.seen = zeroed(g.seen, m.NumConsts())
	for _, gl := range m.Globals() {
		if gl != nil && gl.Func != nil {
			g.Funcs = append(g.Funcs, gl.Func)
			g.ids[gl.Value().Index()] = int32(len(g.Funcs))
		}
	}
	g.Uses, g.Referenced = zeroed(g.Uses, len(g.Funcs)), zeroed(g.Referenced, len(g.Funcs))
	g.Start, g.Calls = zeroed(g.Start, len(g.Funcs)+1), g.Calls[:0]
	for _, gl := range m.Globals() {
		if gl != nil && gl.Init != ir.None {
			g.constant(gl.Init)
		}
	}
	for i, f := range g.Funcs {
		g.Start[i] = int32(len(g.Calls))
		g.scan(f)
	}
	g.Start[len(g.Funcs)] = int32(len(g.Calls))
}

// ID returns the number of a function, or -1 for other values and functions
// created later.
func (g *CallGraph) ID(v ir.Value) int32 {
	if i := v.Index(); v.IsConst() && int(i) < len(g.ids) {
		return g.ids[i] - 1
	}
	return -1
}

func (g *CallGraph) scan(f *ir.Function) {
	for _, v := range [...]ir.Value{f.Personality, f.Prefix, f.Prologue} {
		if v != ir.None {
			g.constant(v)
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			g.Count(f, v, 1)
			if f.Op(v).IsCall() {
				if to := g.ID(f.Callee(v)); to >= 0 && !g.Funcs[to].IsDeclaration() {
					g.Calls = append(g.Calls, to)
				}
			}
		}
	}
}

// Count adds n to the use counts of the functions that an instruction refers
// to.
func (g *CallGraph) Count(f *ir.Function, v ir.Value, n int32) {
	for _, o := range f.Operands(v) {
		if !o.Value.IsConst() {
			continue
		}
		if id := g.ID(o.Value); id >= 0 {
			g.Uses[id] += n
		} else {
			g.constant(o.Value)
		}
	}
}

// constant records the functions that a constant refers to.
func (g *CallGraph) constant(v ir.Value) {
	if id := g.ID(v); id >= 0 {
		g.Referenced[id] = true
		return
	}
	if i := v.Index(); int(i) < len(g.seen) {
		if g.seen[i] {
			return
		}
		g.seen[i] = true
	}
	for _, o := range g.m.ConstOperands(v) {
		g.constant(o)
	}
}

// IsUnused reports whether a function is unused and invisible to other modules.
func (g *CallGraph) IsUnused(id int32) bool { return g.Uses[id] == 0 && !g.Referenced[id] }

// SortSCCs fills order and scc with the strongly connected components, callees
// before callers (Tarjan's algorithm without recursion).
func (g *CallGraph) SortSCCs() {
	n := len(g.Funcs)
	g.index, g.low, g.scc = zeroed(g.index, n), zeroed(g.low, n), zeroed(g.scc, n)
	g.onStack = zeroed(g.onStack, n)
	g.stack, g.Order = g.stack[:0], g.Order[:0]
	next, comps := int32(1), int32(0)
	for root := range int32(n) {
		if g.index[root] != 0 {
			continue
		}
		g.frames = append(g.frames[:0], sccFrame{root, g.Start[root]})
		g.enter(root, &next)
		for len(g.frames) > 0 {
			fr := &g.frames[len(g.frames)-1]
			v := fr.node
			if fr.edge < g.Start[v+1] {
				to := g.Calls[fr.edge]
				fr.edge++
				if g.index[to] == 0 {
					g.frames = append(g.frames, sccFrame{to, g.Start[to]})
					g.enter(to, &next)
				} else if g.onStack[to] {
					g.low[v] = min(g.low[v], g.index[to])
				}
				continue
			}
			g.frames = g.frames[:len(g.frames)-1]
			if len(g.frames) > 0 {
				p := g.frames[len(g.frames)-1].node
				g.low[p] = min(g.low[p], g.low[v])
			}
			if g.low[v] == g.index[v] {
				g.close(v, comps)
				comps++
			}
		}
	}
}

func (g *CallGraph) enter(v int32, next *int32) {
	g.index[v], g.low[v] = *next, *next
	*next++
	g.stack = append(g.stack, v)
	g.onStack[v] = true
}

// close pops the component of v from the stack.
func (g *CallGraph) close(v, comp int32) {
	at := len(g.stack) - 1
	for g.stack[at] != v {
		at--
	}
	for _, w := range g.stack[at:] {
		g.onStack[w] = false
		g.scc[w] = comp
	}
	g.Order = append(g.Order, g.stack[at:]...)
	g.stack = g.stack[:at]
}
