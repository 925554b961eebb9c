package opt

import "github.com/gfx-toolchain/gfx/analysis"

// frontier finds iterated dominance frontiers: where the definitions of a variable meet. It walks the dominator tree
// from the deepest definition up (V. Sreedhar and G. Gao, "A Linear Time Algorithm for Placing φ-Nodes", 1995).
type frontier struct {
	g   *analysis.Graph
	dom *analysis.DomTree

	round   uint32
	seen    []uint32 // by block: round in which it was looked at as a place of a phi
	walked  []uint32 // by block: round in which its subtree was walked
	buckets [][]uint32
	work    []uint32
	blocks  []uint32 // the result
}

// reset prepares for a function.
func (x *frontier) reset(c *cfg) {
	x.g, x.dom = &c.graph, &c.dom
	n := x.g.N() + 1
	x.seen, x.walked, x.round = sized(x.seen, n), sized(x.walked, n), 0
	deepest := uint32(0)
	for _, b := range x.dom.PreOrder() {
		deepest = max(deepest, x.dom.Depth(b))
	}
	for len(x.buckets) <= int(deepest) {
		x.buckets = append(x.buckets, nil)
	}
}

// of gives the blocks of the iterated dominance frontier of defs in which liveIn is true, in no order. The slice is good until
// the next call.
func (x *frontier) of(defs []uint32, isDef, liveIn func(b uint32) bool) []uint32 {
	x.round++
	x.blocks = x.blocks[:0]
	deepest := -1
	for _, b := range defs {
		if !x.dom.Contains(b) {
			continue
		}
		d := int(x.dom.Depth(b))
		x.buckets[d] = append(x.buckets[d], b)
		deepest = max(deepest, d)
	}
	for d := deepest; d >= 0; {
		k := len(x.buckets[d])
		if k == 0 {
			d--
			continue
		}
		root := x.buckets[d][k-1]
		x.buckets[d] = x.buckets[d][:k-1]
		x.walk(root, uint32(d), isDef, liveIn)
	}
	return x.blocks
}

// walk looks at the edges that leave the subtree of a definition for blocks that are not deeper than it.
func (x *frontier) walk(root, depth uint32, isDef, liveIn func(b uint32) bool) {
	if x.walked[root] == x.round {
		return
	}
	x.walked[root] = x.round
	x.work = append(x.work[:0], root)
	for len(x.work) > 0 {
		b := x.work[len(x.work)-1]
		x.work = x.work[:len(x.work)-1]
		for _, s := range x.g.Succs(b) {
			at := x.dom.Depth(s)
			if at > depth || x.seen[s] == x.round {
				continue
			}
			x.seen[s] = x.round
			if !liveIn(s) {
				continue
			}
			x.blocks = append(x.blocks, s)
			if !isDef(s) {
				x.buckets[at] = append(x.buckets[at], s)
			}
		}
		for _, c := range x.dom.Children(b) {
			if x.walked[c] != x.round {
				x.walked[c] = x.round
				x.work = append(x.work, c)
			}
		}
	}
}
