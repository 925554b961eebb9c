package analysis

// DomTree is the dominator tree or post-dominator tree of a graph. It describes
// the graph at the time of construction; Reset rebuilds it in the same memory.
//
// The root of a dominator tree is the entry; unreachable nodes are not in the
// tree. The root of a post-dominator tree is 0, a virtual exit that follows all
// exits and endless regions. Every node is in a post-dominator tree, including
// nodes that the entry does not reach.
type DomTree struct {
	g    *Graph
	post bool

	idom, depth []uint32 // by node
	in, out     []uint32 // by node: entry and exit numbers of a tree walk
	childAt     []uint32
	child       []uint32
	pre         []uint32
	roots       []uint32 // post-dominator tree: children of the virtual root

	s semiNCA

	order instrOrder
}

// NewDomTree returns the dominator tree of a graph.
func NewDomTree(g *Graph) *DomTree {
	t := &DomTree{}
	t.Reset(g)
	return t
}

// NewPostDomTree returns the post-dominator tree of a graph. The virtual root
// has an edge to every node without successors, and to one node of every region
// that never reaches such a node. That node is the farthest one in a
// depth-first search, as in LLVM (GenericDomTreeConstruction.h, FindRoots).
func NewPostDomTree(g *Graph) *DomTree {
	t := &DomTree{}
	t.ResetPost(g)
	return t
}

// Reset rebuilds t as the dominator tree of g.
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

// ResetPost rebuilds t as the post-dominator tree of g.
func (t *DomTree) ResetPost(g *Graph) {
	t.g, t.post = g, true
	s := &t.s
	s.begin(g.n)
	t.findRoots()
	s.begin(g.n)
	s.vertex, s.parent = append(s.vertex, 0), append(s.parent, 0) // 1 is the virtual root
	for _, r := range t.roots {
		s.search(g, r, 1, true) // no other root reaches r, so r has no number yet
	}
	s.solve(g, true)
	t.finish()
}

// findRoots finds the children of the virtual root.
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

// dropRedundant removes roots that can reach another root.
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

// finish builds the tree from the immediate dominators of the numbered nodes.
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

// walk assigns the entry and exit numbers and lists the nodes in pre-order.
func (t *DomTree) walk() {
	n := t.g.n
	t.in, t.out = resize(t.in, n+1), zeroed(t.out, n+1)
	for i := range t.in {
		t.in[i] = ^uint32(0) // with out 0: every node dominates a node outside the tree
	}
	t.pre = emptied(t.pre, n)
	root := uint32(0)
	if !t.post {
		if root = t.g.entry; root == 0 {
			return
		}
	}
	// A node is on the stack twice: to enter it and, with next 1, to leave it.
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

// Graph returns the graph of the tree.
func (t *DomTree) Graph() *Graph { return t.g }

// Post reports whether t is a post-dominator tree.
func (t *DomTree) Post() bool { return t.post }

// Contains reports whether a node is in the tree.
func (t *DomTree) Contains(n uint32) bool { return t.out[n] != 0 }

// Roots returns the entry, or the children of the virtual root of a
// post-dominator tree. The caller must not modify the slice.
func (t *DomTree) Roots() []uint32 { return t.roots }

// IDom returns the immediate dominator of a node, or 0 for the entry and
// unreachable nodes. In a post-dominator tree 0 is the virtual root.
func (t *DomTree) IDom(n uint32) uint32 { return t.idom[n] }

// Dominates reports whether every path from the root to b includes a. A node
// dominates itself, and every node dominates a node outside the tree.
func (t *DomTree) Dominates(a, b uint32) bool { return t.in[a] <= t.in[b] && t.out[b] <= t.out[a] }

// StrictlyDominates reports whether a dominates b and differs from it.
func (t *DomTree) StrictlyDominates(a, b uint32) bool { return a != b && t.Dominates(a, b) }

// Children returns the nodes that a node immediately dominates. The caller must
// not modify the slice.
func (t *DomTree) Children(n uint32) []uint32 { return t.child[t.childAt[n]:t.childAt[n+1]] }

// Depth returns the number of ancestors of a node, 0 for the root.
func (t *DomTree) Depth(n uint32) uint32 { return t.depth[n] }

// PreOrder returns the nodes of the tree; each follows its immediate dominator.
// The virtual root is not included. The caller must not modify the slice.
func (t *DomTree) PreOrder() []uint32 { return t.pre }

// Common returns the nearest common dominator of two nodes. If one node is not
// in the tree, Common returns the other.
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

// DominatesEdge reports whether every path from the root to n includes the edge
// from -> to, which must be an edge of the graph of a dominator tree. An edge
// with a duplicate dominates nothing.
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
