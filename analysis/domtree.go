package analysis

// DomTree is the dominator tree or post-dominator tree of a graph. It belongs
// to the state of the graph in which it was made; Reset makes it anew in the same
// memory.
//
// Of a dominator tree the root is the entry; unreachable nodes are not in it. Of
// a post-dominator tree the root is 0, which stands for a virtual exit behind
// all exits and endless regions; every node is in it, those too that the entry
// does not reach.
type DomTree struct {
	g    *Graph
	post bool

	idom, depth []uint32 // by node
	in, out     []uint32 // by node: numbers at entering and leaving it in a walk of the tree
	childAt     []uint32
	child       []uint32
	pre         []uint32
	roots       []uint32 // of a post-dominator tree: below the virtual root

	s semiNCA

	order instrOrder
}

// NewDomTree makes the dominator tree of a graph.
func NewDomTree(g *Graph) *DomTree {
	t := &DomTree{}
	t.Reset(g)
	return t
}

// NewPostDomTree makes the post-dominator tree of a graph. The virtual root is
// reached from all nodes without successors, and from one node of every region
// that never reaches such a node: the one farthest in a depth-first search, as in
// LLVM (GenericDomTreeConstruction.h, FindRoots).
func NewPostDomTree(g *Graph) *DomTree {
	t := &DomTree{}
	t.ResetPost(g)
	return t
}

// Reset makes the tree what NewDomTree gives.
func (t *DomTree) Reset(g *Graph) {
	t.g, t.post = g, false
	t.roots = t.roots[:0]
	s := &t.s
	s.begin(g.n)
	if g.entry != 0 {
		t.roots = append(t.roots, g.entry)
		s.search(g, g.entry, 0, false)
	}
	s.solve(g, false)
	t.finish()
}

// ResetPost makes the tree what NewPostDomTree gives.
func (t *DomTree) ResetPost(g *Graph) {
	t.g, t.post = g, true
	s := &t.s
	s.begin(g.n)
	t.findRoots()
	s.begin(g.n)
	s.vertex, s.parent = append(s.vertex, 0), append(s.parent, 0) // 1 is the virtual root
	for _, r := range t.roots {
		s.search(g, r, 1, true) // no other root reaches r, so it has no number yet
	}
	s.solve(g, true)
	t.finish()
}

// findRoots finds the nodes below the virtual root.
func (t *DomTree) findRoots() {
	g, s := t.g, &t.s
	t.roots = t.roots[:0]
	for _, n := range g.order {
		if len(g.Succs(n)) == 0 {
			t.roots = append(t.roots, n)
			s.search(g, n, 0, true)
		}
	}
	trivial := len(t.roots)
	if len(s.vertex)-1 == len(g.order) {
		return
	}
	s.rank = resize(s.rank, g.n+1)
	for i, n := range g.order {
		s.rank[n] = uint32(i)
	}
	for _, n := range g.order {
		if s.num[n] != 0 {
			continue
		}
		before := len(s.vertex)
		s.searchRanked(g, n)
		far := s.vertex[len(s.vertex)-1]
		t.roots = append(t.roots, far)
		s.forget(before)
		s.search(g, far, 0, true)
	}
	t.dropRedundant(trivial)
}

// dropRedundant removes roots from which another root can be reached.
func (t *DomTree) dropRedundant(trivial int) {
	s := &t.s
	for i := trivial; i < len(t.roots); i++ {
		s.forget(1)
		s.search(t.g, t.roots[i], 0, false)
		for _, n := range t.roots {
			if n != t.roots[i] && s.num[n] != 0 {
				last := len(t.roots) - 1
				t.roots[i] = t.roots[last]
				t.roots = t.roots[:last]
				i--
				break
			}
		}
	}
}

// finish makes everything from the immediate dominators of numbered nodes.
func (t *DomTree) finish() {
	n, s := t.g.n, &t.s
	t.idom, t.depth = zeroed(t.idom, n+1), zeroed(t.depth, n+1)
	t.childAt = zeroed(t.childAt, n+2)
	const first = 2 // 1 is the root
	for i := first; i < len(s.vertex); i++ {
		v := s.vertex[i]
		t.idom[v] = s.vertex[s.idom[i]]
		t.childAt[t.idom[v]]++
	}
	at := uint32(0)
	for i, k := range t.childAt {
		at += k
		t.childAt[i] = at
	}
	t.child = resize(t.child, int(at))
	for i := len(s.vertex) - 1; i >= first; i-- {
		v := s.vertex[i]
		p := &t.childAt[t.idom[v]]
		*p--
		t.child[*p] = v
	}
	t.walk()
}

// walk numbers the tree's nodes in and out, and puts them in pre-order.
func (t *DomTree) walk() {
	n := t.g.n
	t.in, t.out = resize(t.in, n+1), zeroed(t.out, n+1)
	for i := range t.in {
		t.in[i] = ^uint32(0) // with out 0: every node dominates one that is not in the tree
	}
	t.pre = emptied(t.pre, n)
	root := uint32(0)
	if !t.post {
		if root = t.g.entry; root == 0 {
			return
		}
	}
	// a node is on the stack twice: to enter and, with next 1, to leave it
	stack := append(t.s.stack[:0], dfsEdge{root, 0})
	clock := uint32(0)
	for len(stack) > 0 {
		e := &stack[len(stack)-1]
		v := e.node
		clock++
		if e.from == 1 {
			t.out[v] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		e.from = 1
		t.in[v] = clock
		if v != root {
			t.depth[v] = t.depth[t.idom[v]] + 1
		}
		if v != 0 {
			t.pre = append(t.pre, v)
		}
		children := t.Children(v)
		for i := len(children) - 1; i >= 0; i-- {
			stack = append(stack, dfsEdge{children[i], 0})
		}
	}
	t.s.stack = stack
}

// Graph gives the graph that the tree was made of.
func (t *DomTree) Graph() *Graph { return t.g }

// Post reports whether it is a post-dominator tree.
func (t *DomTree) Post() bool { return t.post }

// Contains reports whether a node is in the tree.
func (t *DomTree) Contains(n uint32) bool { return t.out[n] != 0 }

// Roots gives the entry, or the nodes that the virtual root of a post-dominator tree is reached from. It must not be changed.
func (t *DomTree) Roots() []uint32 { return t.roots }

// IDom gives the immediate dominator of a node: 0 for the entry and unreachable nodes; in a post-dominator tree 0 is the
// virtual root.
func (t *DomTree) IDom(n uint32) uint32 { return t.idom[n] }

// Dominates reports whether each path from the root to b goes through a. A node dominates itself, and every node
// dominates one that is not in the tree.
func (t *DomTree) Dominates(a, b uint32) bool { return t.in[a] <= t.in[b] && t.out[b] <= t.out[a] }

// StrictlyDominates is Dominates for different nodes, false for equal ones.
func (t *DomTree) StrictlyDominates(a, b uint32) bool { return a != b && t.Dominates(a, b) }

// Children gives the nodes that a node dominates immediately. It must not be changed.
func (t *DomTree) Children(n uint32) []uint32 { return t.child[t.childAt[n]:t.childAt[n+1]] }

// Depth gives the number of nodes above a node. The root has 0.
func (t *DomTree) Depth(n uint32) uint32 { return t.depth[n] }

// PreOrder gives the nodes of the tree, each behind its immediate dominator. The virtual root is not in it. It must not be changed.
func (t *DomTree) PreOrder() []uint32 { return t.pre }

// Common gives the nearest node that dominates both. Of a node that is not in the tree and another one it is the other one.
func (t *DomTree) Common(a, b uint32) uint32 {
	if !t.Contains(a) {
		return b
	}
	if !t.Contains(b) {
		return a
	}
	for a != b {
		if t.depth[a] < t.depth[b] {
			a, b = b, a
		}
		a = t.idom[a]
	}
	return a
}

// DominatesEdge reports whether each path from the root to n goes over the edge from a node to another one, which must
// be an edge of the graph of a dominator tree. Of a double edge neither dominates anything.
func (t *DomTree) DominatesEdge(from, to, n uint32) bool {
	if to == t.g.entry || !t.Dominates(to, n) {
		return false
	}
	edges := 0
	for _, p := range t.g.Preds(to) {
		if p == from {
			edges++
		} else if !t.Dominates(to, p) {
			return false
		}
	}
	return edges == 1
}
