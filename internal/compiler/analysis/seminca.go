package analysis

import "slices"

// semiNCA computes immediate dominators by the Semi-NCA algorithm (L.
// Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems",
// 2005, section 2.4). Nodes are numbered from 1 in depth-first order; all
// slices but num and rank are indexed by these numbers.
type semiNCA struct {
	num    []uint32 // by node, 0 if not reached
	vertex []uint32 // node
	parent []uint32 // in the search tree
	anc    []uint32 // nearest known ancestor, shortened by eval
	label  []uint32
	semi   []uint32
	idom   []uint32
	path   []uint32
	rank   []uint32 // by node: position in the text
	stack  []dfsEdge
}

// dfsEdge is a node to visit and the number of the node that led to it.
type dfsEdge struct{ node, from uint32 }

// begin resets s for a graph of n nodes.
func (s *semiNCA) begin(n int) {
	s.num = zeroed(s.num, n+1)
	s.vertex, s.parent = append(emptied(s.vertex, n+1), 0), append(emptied(s.parent, n+1), 0)
	s.stack = emptied(s.stack, 0)
}

// forget removes the numbers from first on.
func (s *semiNCA) forget(first int) {
	for _, v := range s.vertex[first:] {
		s.num[v] = 0
	}
	s.vertex, s.parent = s.vertex[:first], s.parent[:first]
}

// visitNode numbers a node and reports whether it was unnumbered.
func (s *semiNCA) visitNode(e dfsEdge) bool {
	if s.num[e.node] != 0 {
		return false
	}
	s.num[e.node] = uint32(len(s.vertex))
	s.vertex = append(s.vertex, e.node)
	s.parent = append(s.parent, e.from)
	return true
}

// search numbers the nodes that are reachable from root, along edges or against
// them.
func (s *semiNCA) search(g *Graph, root, from uint32, against bool) {
	stack := append(s.stack[:0], dfsEdge{root, from})
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !s.visitNode(e) {
			continue
		}
		next := g.Succs(e.node)
		if against {
			next = g.Preds(e.node)
		}
		for i := len(next) - 1; i >= 0; i-- {
			if s.num[next[i]] == 0 {
				stack = append(stack, dfsEdge{next[i], s.num[e.node]})
			}
		}
	}
	s.stack = stack
}

// searchRanked is search along edges, with textually later successors first.
func (s *semiNCA) searchRanked(g *Graph, root uint32) {
	stack := append(s.stack[:0], dfsEdge{root, 0})
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !s.visitNode(e) {
			continue
		}
		first := len(stack)
		for _, n := range g.Succs(e.node) {
			stack = append(stack, dfsEdge{n, s.num[e.node]})
		}
		slices.SortFunc(stack[first:], func(a, b dfsEdge) int { return int(s.rank[a.node]) - int(s.rank[b.node]) })
	}
	s.stack = stack
}

// solve computes idom for all numbers from 2 on.
func (s *semiNCA) solve(g *Graph, post bool) {
	n := len(s.vertex)
	s.anc, s.idom = append(s.anc[:0], s.parent...), append(s.idom[:0], s.parent...)
	s.label, s.semi = resize(s.label, n), resize(s.semi, n)
	for i := range n {
		s.label[i], s.semi[i] = uint32(i), uint32(i)
	}
	for i := n - 1; i >= 2; i-- {
		semi := s.parent[i]
		preds := g.Preds
		if post {
			preds = g.Succs
		}
		for _, p := range preds(s.vertex[i]) {
			if num := s.num[p]; num != 0 {
				semi = min(semi, s.semi[s.eval(num, uint32(i)+1)])
			}
		}
		s.semi[i] = semi
	}
	for i := 2; i < n; i++ {
		d := s.idom[i]
		for d > s.semi[i] {
			d = s.idom[d]
		}
		s.idom[i] = d
	}
}

// eval returns the node with the smallest semidominator on the path from v to
// the tree's root, among nodes numbered linked or higher, and compresses the
// path.
func (s *semiNCA) eval(v, linked uint32) uint32 {
	if s.anc[v] < linked {
		return s.label[v]
	}
	path := s.path[:0]
	for ; s.anc[v] >= linked; v = s.anc[v] {
		path = append(path, v)
	}
	best := s.label[v]
	up := s.anc[v]
	for i := len(path) - 1; i >= 0; i-- {
		v = path[i]
		s.anc[v] = up
		if s.semi[best] < s.semi[s.label[v]] {
			s.label[v] = best
		} else {
			best = s.label[v]
		}
	}
	s.path = path
	return best
}
