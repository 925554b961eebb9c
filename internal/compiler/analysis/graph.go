package analysis

import "github.com/gfx-toolchain/gfx/ir"

// Graph is a control flow graph with nodes 1 to N; 0 is no node. Multiple edges
// between two nodes, as from a switch with one block for two cases, are
// preserved. A Graph does not follow changes of its source: Reset and ResetCFG
// rebuild it in the same memory.
type Graph struct {
	n     int
	entry uint32
	order []uint32 // nodes in textual order, without erased blocks

	succAt, predAt []uint32 // of node n: succ[succAt[n]:succAt[n+1]]
	succ, pred     []uint32

	rpo   []uint32
	index []int32 // position in rpo, -1 for unreachable nodes

	stack []dfsFrame
}

// dfsFrame is a node of a depth-first search and the next edge to follow.
type dfsFrame struct{ node, next uint32 }

// NewGraph returns a graph of n nodes. The function succs appends the
// successors of a node to a slice.
func NewGraph(n int, entry uint32, succs func(node uint32, to []uint32) []uint32) *Graph {
	g := &Graph{}
	g.Reset(n, entry, succs)
	return g
}

// CFG returns the control flow graph of a function's body; node numbers are
// block numbers. The graph of a declaration has no nodes and no entry.
func CFG(f *ir.Function) *Graph {
	g := &Graph{}
	g.ResetCFG(f)
	return g
}

// Reset rebuilds g from its arguments, as NewGraph does.
func (g *Graph) Reset(n int, entry uint32, succs func(node uint32, to []uint32) []uint32) {
	g.begin(n, entry)
	for i := 1; i <= n; i++ {
		g.order = append(g.order, uint32(i))
		g.succ = succs(uint32(i), g.succ)
		g.succAt[i+1] = uint32(len(g.succ))
	}
	g.finish()
}

// ResetCFG rebuilds g as the control flow graph of f.
func (g *Graph) ResetCFG(f *ir.Function) {
	n := max(f.NumBlocks()-1, 0)
	g.begin(n, uint32(f.Entry()))
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		g.order = append(g.order, uint32(b))
	}
	for i := 1; i <= n; i++ {
		for _, o := range f.Successors(ir.Block(i)) {
			if o.Value.IsBlock() {
				g.succ = append(g.succ, uint32(o.Value.Block()))
			}
		}
		g.succAt[i+1] = uint32(len(g.succ))
	}
	g.finish()
}

func (g *Graph) begin(n int, entry uint32) {
	g.n, g.entry = n, entry
	g.succAt = resize(g.succAt, n+2)
	g.predAt = resize(g.predAt, n+2)
	g.index = resize(g.index, n+1)
	const edges = 2 // per node: few have more
	g.order, g.succ, g.rpo, g.stack = emptied(g.order, n), emptied(g.succ, edges*n), emptied(g.rpo, n), emptied(g.stack, 0)
}

// finish computes the predecessors and the node order from the successors.
func (g *Graph) finish() {
	clear(g.predAt)
	for _, s := range g.succ {
		g.predAt[s]++
	}
	at := uint32(0)
	for i, n := range g.predAt {
		at += n
		g.predAt[i] = at // end of i's range; filling backwards turns it into the start
	}
	g.pred = resize(g.pred, len(g.succ))
	for i := g.n; i > 0; i-- {
		succ := g.Succs(uint32(i))
		for j := len(succ) - 1; j >= 0; j-- {
			p := &g.predAt[succ[j]]
			*p--
			g.pred[*p] = uint32(i)
		}
	}
	g.number()
}

// number computes the reverse post order of the reachable nodes.
func (g *Graph) number() {
	for i := range g.index {
		g.index[i] = -1
	}
	if g.entry == 0 {
		return
	}
	stack := append(g.stack, dfsFrame{g.entry, g.succAt[g.entry]})
	g.index[g.entry] = 0
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == g.succAt[top.node+1] {
			g.rpo = append(g.rpo, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		s := g.succ[top.next]
		top.next++
		if g.index[s] < 0 {
			g.index[s] = 0
			stack = append(stack, dfsFrame{s, g.succAt[s]})
		}
	}
	g.stack = stack
	for i, j := 0, len(g.rpo)-1; i < j; i, j = i+1, j-1 {
		g.rpo[i], g.rpo[j] = g.rpo[j], g.rpo[i]
	}
	for i, n := range g.rpo {
		g.index[n] = int32(i)
	}
}

// N returns the largest node number.
func (g *Graph) N() int { return g.n }

// Entry returns the entry node, or 0 if the graph has none.
func (g *Graph) Entry() uint32 { return g.entry }

// Succs returns the successors of a node in order. The caller must not modify
// the slice.
func (g *Graph) Succs(n uint32) []uint32 { return g.succ[g.succAt[n]:g.succAt[n+1]] }

// Preds returns the predecessors of a node, including unreachable ones, in
// ascending order. The caller must not modify the slice.
func (g *Graph) Preds(n uint32) []uint32 { return g.pred[g.predAt[n]:g.predAt[n+1]] }

// Order returns all nodes in textual order. The caller must not modify the
// slice.
func (g *Graph) Order() []uint32 { return g.order }

// RPO returns the reachable nodes in reverse post order of a depth-first search
// that follows edges in order. A node precedes its successors, except across
// back edges. The caller must not modify the slice.
func (g *Graph) RPO() []uint32 { return g.rpo }

// RPOIndex returns the position of a node in RPO, or -1 for an unreachable
// node.
func (g *Graph) RPOIndex(n uint32) int32 { return g.index[n] }

// Reachable reports whether a node is reachable from the entry.
func (g *Graph) Reachable(n uint32) bool { return g.index[n] >= 0 }

// resize returns a slice of length n with undefined contents, in the memory of
// s if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// emptied returns an empty slice with capacity for about n elements, in the
// memory of s if it has any.
func emptied[T any](s []T, n int) []T {
	if s == nil {
		return make([]T, 0, max(n, 64))
	}
	return s[:0]
}

// zeroed returns a slice of n zeros, in the memory of s if it is large enough.
func zeroed[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}
