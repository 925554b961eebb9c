package analysis

import "math/bits"

// syncDependence finds the joins of disjoint paths from a branch, and the exits
// that lanes take at different times if the branch is divergent.
//
// Each successor of the branch gets its own label, which spreads along edges. A
// node that two labels reach is a join and becomes a label itself. Nodes are
// visited in an order in which a cycle follows all nodes before it. The header
// of a reducible cycle has edges to the cycle's exits: joins after the cycle do
// not depend on the lanes' trip counts.
type syncDependence struct {
	t *DomTree
	c *Loops

	order     []uint32 // modified post-order
	index     []uint32 // by node
	reducible []bool   // by node: header of a reducible cycle
	done      []bool   // by node
	stack     []uint32
	exits     []uint32

	label []uint32 // by node, 0 for none
	used  []uint32 // nodes with a label
	fresh []uint64 // bit set by index: nodes with new labels
	count int
	top   int // no word of fresh above top is set

	joins, cycleExits []uint32
	joined, exited    []bool // by node: already in joins or cycleExits

	// asLLVM omits exits that LLVM 22 overlooks: the branch is in the header of
	// a cycle, some lanes iterate again, and others continue to an exit through
	// further blocks. Tests that compare with LLVM set it.
	asLLVM bool
}

func (s *syncDependence) reset(t *DomTree, c *Loops) {
	s.t, s.c = t, c
	n := t.g.n + 1
	s.order, s.index = s.order[:0], resize(s.index, n)
	s.reducible, s.done = zeroed(s.reducible, n), zeroed(s.done, n)
	s.label, s.joined, s.exited = zeroed(s.label, n), zeroed(s.joined, n), zeroed(s.exited, n)
	s.fresh = zeroed(s.fresh, n/64+1)
	s.used, s.joins, s.cycleExits = s.used[:0], s.joins[:0], s.cycleExits[:0]
	s.stack = append(s.stack[:0], t.g.entry)
	s.postOrder(0, 0)
}

func (s *syncDependence) finish(n uint32) {
	s.done[n] = true
	s.index[n] = uint32(len(s.order))
	s.order = append(s.order, n)
}

// postOrder orders the nodes on the stack above base and their successors in a
// cycle (0: in the function). An inner cycle is ordered after all nodes that
// follow it.
func (s *syncDependence) postOrder(cycle uint32, base int) {
	for len(s.stack) > base {
		n := s.stack[len(s.stack)-1]
		if s.done[n] {
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		height := len(s.stack)
		inner := s.c.Of(n)
		if inner == cycle || !s.c.ContainsLoop(cycle, inner) {
			s.push(cycle, s.t.g.Succs(n))
			if len(s.stack) == height {
				s.stack = s.stack[:height-1]
				s.finish(n)
			}
			continue
		}
		for s.c.Parent(inner) != cycle {
			inner = s.c.Parent(inner)
		}
		s.exits = s.c.Exits(inner, s.exits[:0])
		s.push(cycle, s.exits)
		if len(s.stack) == height {
			s.stack = s.stack[:height-1]
			s.cycleOrder(inner)
		}
	}
}

// push pushes the nodes of a cycle that are not done.
func (s *syncDependence) push(cycle uint32, nodes []uint32) {
	for _, n := range nodes {
		if (cycle == 0 || s.c.Contains(cycle, n)) && !s.done[n] {
			s.stack = append(s.stack, n)
		}
	}
}

// cycleOrder orders a cycle, header first.
func (s *syncDependence) cycleOrder(cycle uint32) {
	header := s.c.Header(cycle)
	s.reducible[header] = s.c.Reducible(cycle)
	s.finish(header)
	base := len(s.stack)
	s.push(cycle, s.t.g.Succs(header))
	s.postOrder(cycle, base)
}

// findJoins finds the joins and cycleExits of the branch at the end of a node.
func (s *syncDependence) findJoins(branch uint32) {
	s.clear()
	c := s.c.Of(branch)
	for _, n := range s.t.g.Succs(branch) {
		if c != 0 && !s.c.Contains(c, n) {
			s.addExit(n)
		}
		s.visitNode(n, n)
	}
	irreducible := s.irreducibleAround(c)
	for s.count > 0 {
		i := s.last()
		n := s.order[i]
		if s.count == 1 && (irreducible == 0 || !s.c.Contains(irreducible, n)) {
			break
		}
		s.fresh[i/64] &^= 1 << (i % 64)
		s.count--
		if n != branch || s.reducible[n] && !s.asLLVM {
			s.spread(branch, n)
		}
	}
	s.irreducibleExits(c)
}

// clear discards the last run's results.
func (s *syncDependence) clear() {
	for _, n := range s.used {
		s.label[n] = 0
	}
	for _, n := range s.joins {
		s.joined[n] = false
	}
	for _, n := range s.cycleExits {
		s.exited[n] = false
	}
	s.used, s.joins, s.cycleExits = s.used[:0], s.joins[:0], s.cycleExits[:0]
	if s.count > 0 {
		clear(s.fresh)
	}
	s.count, s.top = 0, 0
}

// irreducibleAround returns the outermost cycle of the unbroken chain of
// irreducible cycles that starts at c and leads outwards.
func (s *syncDependence) irreducibleAround(c uint32) uint32 {
	if c == 0 || s.c.Reducible(c) {
		return 0
	}
	for p := s.c.Parent(c); p != 0 && !s.c.Reducible(p); p = s.c.Parent(p) {
		c = p
	}
	return c
}

// last returns the index of the fresh node that is first in execution order.
func (s *syncDependence) last() int {
	for s.fresh[s.top] == 0 {
		s.top--
	}
	return s.top*64 + 63 - bits.LeadingZeros64(s.fresh[s.top])
}

// spread propagates the label of a node to its successors.
func (s *syncDependence) spread(branch, n uint32) {
	label := s.label[n]
	if !s.reducible[n] {
		for _, to := range s.t.g.Succs(n) {
			s.visitNode(to, label)
		}
		return
	}
	c := s.c.Of(n)
	inside := s.c.Contains(c, branch)
	s.exits = s.c.Exits(c, s.exits[:0])
	for _, exit := range s.exits {
		switch {
		case !inside:
			s.visitNode(exit, label)
		case s.relabel(exit, label):
			s.addExit(exit)
		}
	}
}

func (s *syncDependence) visitNode(n, label uint32) {
	if s.relabel(n, label) && !s.joined[n] {
		s.joined[n] = true
		s.joins = append(s.joins, n)
	}
}

func (s *syncDependence) addExit(n uint32) {
	if !s.exited[n] {
		s.exited[n] = true
		s.cycleExits = append(s.cycleExits, n)
	}
}

// relabel propagates a label to a node and reports whether it meets a different
// one.
func (s *syncDependence) relabel(n, label uint32) bool {
	old := s.label[n]
	if old == label {
		return false
	}
	if old != n {
		i := int(s.index[n])
		if s.fresh[i/64]>>(i%64)&1 == 0 {
			s.fresh[i/64] |= 1 << (i % 64)
			s.count++
			s.top = max(s.top, i/64)
		}
	}
	if old == 0 {
		s.used = append(s.used, n)
		s.label[n] = label
		return false
	}
	s.label[n] = n
	return true
}

// irreducibleExits adds the exits of irreducible cycles around the branch whose
// label differs from the header's.
func (s *syncDependence) irreducibleExits(c uint32) {
	for ; c != 0; c = s.c.Parent(c) {
		if s.c.Reducible(c) {
			continue
		}
		header := s.label[s.c.Header(c)]
		s.exits = s.c.Exits(c, s.exits[:0])
		for _, exit := range s.exits {
			if s.label[exit] != header {
				s.addExit(exit)
			}
		}
	}
}
