package analysis

import "github.com/gfx-toolchain/gfx/ir"

// Graph is a control flow graph: its nodes are 1 to N, 0 is no node. Edges that
// occur several times (a switch with one block for two cases) are kept so. A
// Graph does not follow changes of what it was made from: Reset or ResetCFG
// make it anew in the same memory.
type Graph struct {
	n     int
	entry uint32
	order []uint32 // nodes in the order of the text; erased blocks are not in it

	succAt, predAt []uint32 // of node n: succ[succAt[n]:succAt[n+1]]
	succ, pred     []uint32

	rpo   []uint32
	index []int32 // in rpo, -1 for unreachable nodes

	stack []dfsFrame
}

// dfsFrame is a node of a depth-first search and the next edge to follow.
type dfsFrame struct{ node, next uint32 }

// NewGraph makes the graph of n nodes. The function succs appends the successors
// of a node to a slice.
func NewGraph(n int, entry uint32, succs func(node uint32, to []uint32) []uint32) *Graph {
	g := &Graph{}
	g.Reset(n, entry, succs)
	return g
}

// CFG makes the graph of a function's body. Node numbers are those of blocks.
// A declaration gives a graph without entry and nodes.
func CFG(f *ir.Function) *Graph {
	g := &Graph{}
	g.ResetCFG(f)
	return g
}

// Reset makes the graph what NewGraph gives.
func (g *Graph) Reset(n int, entry uint32, succs func(node uint32, to []uint32) []uint32) {
	g.begin(n, entry)
	for i := 1; i <= n; i++ {
		g.order = append(g.order, uint32(i))
		g.succ = succs(uint32(i), g.succ)
		g.succAt[i+1] = uint32(len(g.succ))
	}
	g.finish()
}

// ResetCFG makes the graph what CFG gives.
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
	const edges = 2 // of a node: few have more
	g.order, g.succ, g.rpo, g.stack = emptied(g.order, n), emptied(g.succ, edges*n), emptied(g.rpo, n), emptied(g.stack, 0)
}

// finish makes predecessors and the order from the successors.
func (g *Graph) finish() {
	clear(g.predAt)
	for _, s := range g.succ {
		g.predAt[s]++
	}
	at := uint32(0)
	for i, n := range g.predAt {
		at += n
		g.predAt[i] = at // the end of i's; filling from the back makes it the begin
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

// number puts the reachable nodes in reverse post order.
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

// N gives the largest number of a node.
func (g *Graph) N() int { return g.n }

// Entry gives the entry node, 0 when there is none.
func (g *Graph) Entry() uint32 { return g.entry }

// Succs gives the successors of a node, in their order. It must not be changed.
func (g *Graph) Succs(n uint32) []uint32 { return g.succ[g.succAt[n]:g.succAt[n+1]] }

// Preds gives the predecessors of a node, unreachable ones too, in ascending order. It must not be changed.
func (g *Graph) Preds(n uint32) []uint32 { return g.pred[g.predAt[n]:g.predAt[n+1]] }

// Order gives all nodes in the order of the text. It must not be changed.
func (g *Graph) Order() []uint32 { return g.order }

// RPO gives the reachable nodes in reverse post order of a depth-first search that follows edges in their order: a node
// stands before its successors, but for back edges. It must not be changed.
func (g *Graph) RPO() []uint32 { return g.rpo }

// RPOIndex gives where a node stands in RPO, -1 for an unreachable one.
func (g *Graph) RPOIndex(n uint32) int32 { return g.index[n] }

// Reachable reports whether the entry reaches a node.
func (g *Graph) Reachable(n uint32) bool { return g.index[n] >= 0 }

// resize gives a slice of length n with undefined content, in the same memory if there is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// emptied gives an empty slice for about n elements, in the same memory if there is some.
func emptied[T any](s []T, n int) []T {
	if s == nil {
		return make([]T, 0, max(n, 64))
	}
	return s[:0]
}

// zeroed gives a slice of length n of zeroes, in the same memory if there is enough.
func zeroed[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}
