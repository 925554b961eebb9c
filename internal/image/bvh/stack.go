package bvh

// Traversal stacks in LDS. Each lane has a ring of dwords 32 dwords apart, so
// that the rings of 32 lanes are interleaved. The instructions take the children
// of a node from the last to the first: the first child that they keep is the
// next node, those after it are on the stack.

// Memory is the LDS. Loads outside of it return 0, stores have no effect.
type Memory interface {
	LoadDword(addr uint32) uint32
	StoreDword(addr, v uint32)
}

// Pointers with a special meaning.
const (
	TerminalNode = InvalidNode - 1 // the stack is empty
	noNode       = InvalidNode >> 3
	rowShift     = 7 // log2 of the distance of a ring's entries in bytes
)

// SimpleStack pushes up to four children and pops a node (gfx11). The address
// holds the ring's first dword from bit 18 on and the number of entries. After
// the ring has overflowed it returns InvalidNode for the lost entries. last is
// the node from which the traversal returns: children up to it are done. If it
// is no child, nothing is pushed. size is a power of 2.
func SimpleStack(m Memory, addr, last uint32, children []uint32, size uint32) (node, next uint32) {
	const most = 1<<18 - 1
	index, base := addr&most, addr>>18<<2
	at := func(i uint32) uint32 { return base + i&(size-1)<<rowShift }
	keep := last == InvalidNode
	for _, c := range children {
		keep = keep || c == last
	}
	node = InvalidNode
	for i := len(children) - 1; i >= 0; i-- {
		c := children[i]
		keep = keep && (last == InvalidNode || c != last)
		switch {
		case !keep || c == InvalidNode:
		case i == 0:
			node = c
		default:
			m.StoreDword(at(index), c)
			index = min(index+1, most)
		}
	}
	switch {
	case node != InvalidNode:
	case index == 0:
		node = TerminalNode
	default:
		index--
		node = m.LoadDword(at(index))
		m.StoreDword(at(index), InvalidNode)
	}
	return node, addr&^most | index
}

// StackRules describes an instruction with a ring (gfx12).
type StackRules struct {
	Size   uint32 // entries
	Ranges bool   // pointers to triangles are ranges of pairs
	Pairs  bool   // a second node completes a pair of triangles
}

// ring is an unpacked stack address.
type ring struct {
	mem                       Memory
	rules                     *StackRules
	base, at                  uint32
	outer, valid              uint32 // entries above the outer hierarchy's, all entries
	left, overflow, twoLevels bool   // the last pop left a hierarchy; entries were lost; the outer hierarchy has entries
}

func openRing(m Memory, addr uint32, u *StackRules) ring {
	return ring{mem: m, rules: u, left: addr>>31 != 0, overflow: addr>>30&1 != 0, twoLevels: addr>>29&1 != 0,
		base: addr >> 15 & (1<<14 - 1) << 2, at: addr >> 10 & 31, outer: addr >> 5 & 31, valid: addr & 31}
}

// address packs a stack address.
func (s *ring) address() uint32 {
	v := s.base>>2<<15 | s.at&31<<10 | s.outer&31<<5 | s.valid&31
	for i, b := range [...]bool{s.twoLevels, s.overflow, s.left} {
		if b {
			v |= 1 << (29 + i)
		}
	}
	return v
}

func (s *ring) place(at uint32) uint32 { return s.base + at<<rowShift }

// below returns the position before the next free one.
func (s *ring) below() uint32 {
	if s.at == 0 {
		return s.rules.Size - 1
	}
	return s.at - 1
}

func (s *ring) push(node uint32) {
	n := s.rules.Size
	s.overflow = s.overflow || s.valid == n
	s.mem.StoreDword(s.place(s.at), node)
	if s.at++; s.at == n {
		s.at = 0
	}
	if s.outer == n {
		s.twoLevels = false
	}
	s.outer, s.valid = min(s.outer+1, n), min(s.valid+1, n)
}

const instanceType = 6

func lower(n uint32) uint32 { return max(n, 1) - 1 }

func (s *ring) pop() uint32 {
	s.left = s.outer == 0 && s.twoLevels
	if s.left {
		s.twoLevels = false
	}
	if s.valid == 0 {
		s.left, s.twoLevels = false, false
		if s.overflow {
			return InvalidNode
		}
		return TerminalNode
	}
	s.outer, s.valid, s.at = lower(s.outer), lower(s.valid), s.below()
	node := s.mem.LoadDword(s.place(s.at))
	if node&7 == instanceType {
		if s.twoLevels { // no entries of a third level
			s.valid, s.overflow = s.outer, true
		}
		s.twoLevels, s.outer = true, 0
	}
	return node
}

// popSecond pops a node that is no instance of the same hierarchy.
func (s *ring) popSecond() uint32 {
	if s.outer == 0 && s.twoLevels || s.valid == 0 {
		return InvalidNode
	}
	at := s.below()
	node := s.mem.LoadDword(s.place(at))
	if node&7 == instanceType {
		return InvalidNode
	}
	s.outer, s.valid, s.at = lower(s.outer), lower(s.valid), at
	return node
}

// advance returns the pointer to the pair of triangles after a pair, in
// the same node of memory or in the next one.
func advance(node uint32, nextNode bool) uint32 {
	switch {
	case nextNode:
		return node&^15 + 16
	case node&15 == 3: // the types of pairs are 0 to 3 and 8 to 11
		return node&^15 | 8
	}
	return node + 1
}

// pushAll pushes children from the last to the first. last is the node from
// which the traversal returns; without one, its low bits specify how a range of
// triangles continues. Children without an address may exclude others.
func (s *ring) pushAll(last uint32, children []uint32) {
	leaf := func(c uint32) bool { return s.rules.Ranges && c&7 <= 3 }
	back := last>>3 != noNode
	done := func(c uint32) bool { return c == last || leaf(c) }
	keep := !back
	for _, c := range children {
		keep = keep || done(c)
	}
	update := false
	if s.rules.Ranges {
		update = !back && last&4 == 0
		keep = (keep || leaf(last)) && !(update && last&2 != 0)
	}
	var skip [2]bool // children 0 to 3, 4 to 7
	first := len(children) - 1
	for i := first; i >= 0; i-- {
		c := children[i]
		skipped := &skip[i/4]
		if c>>3 == noNode && keep && !*skipped {
			skip[0] = skip[0] || c&2 == 0
			skip[1] = skip[1] || i >= 4 && c&4 == 0
		}
		if update && i < first {
			skip = [2]bool{true, true}
		}
		if back && done(c) {
			keep = false
		}
		if !keep || c>>3 == noNode || *skipped {
			continue
		}
		if update && i == first {
			c = advance(c, last&1 != 0)
		}
		s.push(c)
	}
}

// RingStack pushes children and pops a node (gfx12).
func RingStack(m Memory, addr, last uint32, children []uint32, u *StackRules) (node, next uint32) {
	s := openRing(m, addr, u)
	s.pushAll(last, children)
	node = s.pop()
	return node, s.address()
}

// RingStack2 pushes children and pops two nodes (gfx12). A pointer to the second
// triangle of a pair returns the pair.
func RingStack2(m Memory, addr, last uint32, children []uint32, u *StackRules) (nodes [2]uint32, next uint32) {
	s := openRing(m, addr, u)
	s.pushAll(last, children)
	top := s.pop()
	switch {
	case u.Pairs && top&7 == 1:
		nodes = [2]uint32{top &^ 7, top}
	default:
		if nodes = [2]uint32{s.popSecond(), top}; nodes[0] == InvalidNode {
			nodes = [2]uint32{top, InvalidNode}
		}
	}
	return nodes, s.address()
}
