package opt

import "github.com/gfx-toolchain/gfx/ir"

// callGraph holds the calls between the functions of a module and the
// functions' other uses. Functions are numbered from 0.
type callGraph struct {
	m     *ir.Module
	funcs []*ir.Function
	ids   []int32 // by Index of the function as a constant: its number plus one
	uses  []int32 // number of instruction operands that refer to it
	other []bool  // it has a use other than an instruction operand: a constant or an alias
	start []int32 // index in edges of each function's first call, plus an end entry
	edges []int32 // called functions with a body

	seen []bool // visited constants, by Index

	// state of Tarjan's algorithm
	index, low []int32
	onStack    []bool
	stack      []int32
	frames     []sccFrame
	order      []int32 // functions, callees first; an SCC is contiguous
	scc        []int32 // by function: number of its SCC
}

type sccFrame struct{ node, edge int32 }

// build collects the functions of a module.
func (g *callGraph) build(m *ir.Module) {
	g.m = m
	g.funcs = g.funcs[:0]
	g.ids = sized(g.ids, m.NumConsts())
	g.seen = sized(g.seen, m.NumConsts())
	for _, gl := range m.Globals() {
		if gl != nil && gl.Func != nil {
			g.funcs = append(g.funcs, gl.Func)
			g.ids[gl.Value().Index()] = int32(len(g.funcs))
		}
	}
	g.uses, g.other = sized(g.uses, len(g.funcs)), sized(g.other, len(g.funcs))
	g.start, g.edges = sized(g.start, len(g.funcs)+1), g.edges[:0]
	for _, gl := range m.Globals() {
		if gl != nil && gl.Init != ir.None {
			g.constant(gl.Init)
		}
	}
	for i, f := range g.funcs {
		g.start[i] = int32(len(g.edges))
		g.scan(f)
	}
	g.start[len(g.funcs)] = int32(len(g.edges))
}

// id returns the number of a function, or -1 for other values and functions
// created later.
func (g *callGraph) id(v ir.Value) int32 {
	if i := v.Index(); v.IsConst() && int(i) < len(g.ids) {
		return g.ids[i] - 1
	}
	return -1
}

func (g *callGraph) scan(f *ir.Function) {
	for _, v := range [...]ir.Value{f.Personality, f.Prefix, f.Prologue} {
		if v != ir.None {
			g.constant(v)
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			g.count(f, v, 1)
			if f.Op(v).IsCall() {
				if to := g.id(f.Callee(v)); to >= 0 && !g.funcs[to].IsDeclaration() {
					g.edges = append(g.edges, to)
				}
			}
		}
	}
}

// count adds n to the use counts of the functions that an instruction refers
// to.
func (g *callGraph) count(f *ir.Function, v ir.Value, n int32) {
	for _, o := range f.Operands(v) {
		if !o.Value.IsConst() {
			continue
		}
		if id := g.id(o.Value); id >= 0 {
			g.uses[id] += n
		} else {
			g.constant(o.Value)
		}
	}
}

// constant records the functions that a constant refers to.
func (g *callGraph) constant(v ir.Value) {
	if id := g.id(v); id >= 0 {
		g.other[id] = true
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

// isUnused reports whether a function is unused and invisible to other modules.
func (g *callGraph) isUnused(id int32) bool { return g.uses[id] == 0 && !g.other[id] }

// sortSCCs fills order and scc with the strongly connected components, callees
// before callers (Tarjan's algorithm without recursion).
func (g *callGraph) sortSCCs() {
	n := len(g.funcs)
	g.index, g.low, g.scc = sized(g.index, n), sized(g.low, n), sized(g.scc, n)
	g.onStack = sized(g.onStack, n)
	g.stack, g.order = g.stack[:0], g.order[:0]
	next, comps := int32(1), int32(0)
	for root := range int32(n) {
		if g.index[root] != 0 {
			continue
		}
		g.frames = append(g.frames[:0], sccFrame{root, g.start[root]})
		g.enter(root, &next)
		for len(g.frames) > 0 {
			fr := &g.frames[len(g.frames)-1]
			v := fr.node
			if fr.edge < g.start[v+1] {
				to := g.edges[fr.edge]
				fr.edge++
				if g.index[to] == 0 {
					g.frames = append(g.frames, sccFrame{to, g.start[to]})
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

func (g *callGraph) enter(v int32, next *int32) {
	g.index[v], g.low[v] = *next, *next
	*next++
	g.stack = append(g.stack, v)
	g.onStack[v] = true
}

// close pops the component of v from the stack.
func (g *callGraph) close(v, comp int32) {
	at := len(g.stack) - 1
	for g.stack[at] != v {
		at--
	}
	for _, w := range g.stack[at:] {
		g.onStack[w] = false
		g.scc[w] = comp
	}
	g.order = append(g.order, g.stack[at:]...)
	g.stack = g.stack[:at]
}
