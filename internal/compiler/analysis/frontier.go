package analysis

import "slices"

// Frontiers computes dominance frontiers, the nodes where the dominance of a
// node ends. The iterated frontier of a variable's definitions is the set of
// blocks that need phis.
type Frontiers struct {
	t *DomTree

	// frontiers of all nodes, computed on first use
	made  bool
	at    []uint32
	nodes []uint32
	last  []uint32 // by node: node that last added it to its frontier

	// for Iterated
	stamp      uint32
	found      []uint32 // by node: stamp when it was found
	queued     []uint32 // by node: stamp when it was added to a bucket
	walked     []uint32 // by node: stamp when its subtree was walked
	bucket     []uint32 // by depth: first node, 0 for none
	bucketNext []uint32 // by node
	work       []uint32
}

// NewFrontiers returns the frontiers of a dominator or post-dominator tree.
func NewFrontiers(t *DomTree) *Frontiers {
	fr := &Frontiers{}
	fr.Reset(t)
	return fr
}

// Reset prepares fr for t, as NewFrontiers does, and reuses its memory.
func (fr *Frontiers) Reset(t *DomTree) {
	n := t.g.n + 1
	fr.t, fr.made, fr.stamp = t, false, 0
	fr.queued, fr.walked, fr.bucketNext = zeroed(fr.queued, n), zeroed(fr.walked, n), resize(fr.bucketNext, n)
	fr.bucket, fr.found = zeroed(fr.bucket, n), zeroed(fr.found, n)
}

// forward returns the successors of n in the direction of the tree.
func (t *DomTree) forward(n uint32) []uint32 {
	if t.post {
		return t.g.Preds(n)
	}
	return t.g.Succs(n)
}

func (t *DomTree) backward(n uint32) []uint32 {
	if t.post {
		return t.g.Succs(n)
	}
	return t.g.Preds(n)
}

// Of returns the dominance frontier of a node: the nodes that it does not
// strictly dominate but that have a predecessor which it dominates. The
// frontier of a node outside the tree is empty. The caller must not modify the
// slice.
//
// Of uses the algorithm of K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast
// Dominance Algorithm", 2001.
func (fr *Frontiers) Of(n uint32) []uint32 {
	if !fr.made {
		fr.make()
	}
	return fr.nodes[fr.at[n]:fr.at[n+1]]
}

func (fr *Frontiers) make() {
	fr.made = true
	n := fr.t.g.n
	fr.at = zeroed(fr.at, n+2)
	fr.runners(func(runner, _ uint32) { fr.at[runner]++ })
	at := uint32(0)
	for i, k := range fr.at {
		at += k
		fr.at[i] = at
	}
	fr.nodes = resize(fr.nodes, int(at))
	fr.runners(func(runner, join uint32) {
		fr.at[runner]--
		fr.nodes[fr.at[runner]] = join
	})
}

// runners calls add once for each node and each member of its frontier. Members
// are in descending order, so that filling a list from its end leaves it
// ascending.
func (fr *Frontiers) runners(add func(runner, join uint32)) {
	t := fr.t
	fr.last = zeroed(fr.last, t.g.n+1)
	for join := uint32(t.g.n); join > 0; join-- {
		if !t.Contains(join) {
			continue
		}
		for _, p := range t.backward(join) {
			if !t.Contains(p) {
				continue
			}
			for r := p; r != t.idom[join] && r != 0 && fr.last[r] != join; r = t.idom[r] {
				fr.last[r] = join
				add(r, join)
			}
		}
	}
}

// Iterated appends the iterated dominance frontier of defs to a slice: the
// nodes that need phis for a variable defined in defs. The order is reverse
// post order, or ascending order for a post-dominator tree. If live is not nil,
// only nodes for which it returns true are appended; in other nodes the
// variable is not read.
//
// Iterated uses the algorithm of V. Sreedhar and G. Gao, "A Linear Time
// Algorithm for Placing Phi-Nodes", 1995.
func (fr *Frontiers) Iterated(defs []uint32, live func(n uint32) bool, to []uint32) []uint32 {
	t := fr.t
	fr.stamp++
	first := len(to)
	deepest := -1
	for _, n := range defs {
		if t.Contains(n) && fr.queued[n] != fr.stamp {
			deepest = max(deepest, int(t.depth[n]))
			fr.queued[n] = fr.stamp
			fr.putNode(n)
		}
	}
	for d := deepest; d >= 0; d-- {
		for fr.bucket[d] != 0 {
			root := fr.bucket[d]
			fr.bucket[d] = fr.bucketNext[root]
			to = fr.walk(root, live, to)
		}
	}
	found := to[first:]
	if t.post {
		slices.Sort(found)
	} else {
		slices.SortFunc(found, func(a, b uint32) int { return int(t.g.index[a]) - int(t.g.index[b]) })
	}
	return to
}

func (fr *Frontiers) putNode(n uint32) {
	d := fr.t.depth[n]
	fr.bucketNext[n] = fr.bucket[d]
	fr.bucket[d] = n
}

// walk finds the targets of edges from the subtree of root to a node that is
// not deeper than root.
func (fr *Frontiers) walk(root uint32, live func(n uint32) bool, to []uint32) []uint32 {
	t := fr.t
	work := append(fr.work[:0], root)
	fr.walked[root] = fr.stamp
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range t.forward(n) {
			if t.depth[s] > t.depth[root] || fr.found[s] == fr.stamp {
				continue
			}
			fr.found[s] = fr.stamp
			if live != nil && !live(s) {
				continue
			}
			to = append(to, s)
			if fr.queued[s] != fr.stamp {
				fr.queued[s] = fr.stamp
				fr.putNode(s)
			}
		}
		for _, c := range t.Children(n) {
			if fr.walked[c] != fr.stamp {
				fr.walked[c] = fr.stamp
				work = append(work, c)
			}
		}
	}
	fr.work = work
	return to
}
