package bvh

import (
	"math/rand/v2"
	"testing"
)

// testMemory is a memory by address.
type testMemory map[uint32]uint32

func (m testMemory) LoadDword(a uint32) uint32 { return m[a] }
func (m testMemory) StoreDword(a, v uint32)    { m[a] = v }

// slotModel is a stack whose entry i is in slot i modulo the size.
type slotModel struct {
	depth int
	slots map[int]struct {
		depth int
		node  uint32
	}
}

func (s *slotModel) push(node uint32, size int) {
	s.slots[s.depth%size] = struct {
		depth int
		node  uint32
	}{s.depth, node}
	s.depth++
}

func (s *slotModel) pop(size int) uint32 {
	if s.depth == 0 {
		return TerminalNode
	}
	s.depth--
	e, ok := s.slots[s.depth%size]
	delete(s.slots, s.depth%size)
	if !ok || e.depth != s.depth {
		return InvalidNode
	}
	return e.node
}

// TestSimpleStack compares random traversals with the model. After the loss of an
// entry the program corrects the number of entries, as traversals do.
func TestSimpleStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for range 300 {
		size := 8 << rng.IntN(4)
		base := rng.Uint32N(1 << 14)
		mem := testMemory{}
		model := slotModel{slots: map[int]struct {
			depth int
			node  uint32
		}{}}
		addr := base << 18
		for range 300 {
			children := make([]uint32, 4)
			for i := range children {
				if children[i] = rng.Uint32N(1 << 20); rng.IntN(3) == 0 {
					children[i] = InvalidNode
				}
			}
			last := InvalidNode
			switch rng.IntN(4) {
			case 0:
				last = children[rng.IntN(4)]
			case 1:
				last = TerminalNode
			}
			node, next := SimpleStack(mem, addr, last, children, uint32(size))
			// The model: children that follow the last visited one in their order
			// remain, the nearest is next.
			first := 0
			if last != InvalidNode {
				first = 4
				for i := 3; i >= 0; i-- {
					if children[i] == last {
						first = i + 1
						break
					}
				}
			}
			want := InvalidNode
			for i := 3; i >= first; i-- {
				switch {
				case children[i] == InvalidNode:
				case i == 0:
					want = children[0]
				default:
					model.push(children[i], size)
				}
			}
			if want == InvalidNode {
				want = model.pop(size)
			}
			if node != want || next != base<<18|uint32(model.depth) {
				t.Fatalf("size %d, children %#x, last %#x: node %#x, address %#x; want %#x, %d entries", size, children, last, node, next, want, model.depth)
			}
			if addr = next; node == InvalidNode && rng.IntN(2) == 0 {
				addr++
				model.depth++
			}
		}
		for a := range mem {
			if a < base*4 || a >= base*4+uint32(size)*128 || (a-base*4)%128 != 0 {
				t.Fatalf("address %#x of the stack at %#x", a, base*4)
			}
		}
	}
}

// ringModel is a stack of two hierarchies of limited size.
type ringModel struct {
	outer, inner         []uint32
	two, lost, left      bool
	size                 int
	ranges, completePair bool
}

func (m *ringModel) push(node uint32) {
	if len(m.inner) == m.size {
		m.two = false
	}
	if len(m.outer)+len(m.inner) == m.size {
		m.lost = true
		if len(m.outer) > 0 {
			m.outer = m.outer[1:]
		} else {
			m.inner = m.inner[1:]
		}
	}
	m.inner = append(m.inner, node)
}

func (m *ringModel) pop() uint32 {
	m.left = false
	if len(m.inner)+len(m.outer) == 0 {
		m.two = false
		if m.lost {
			return InvalidNode
		}
		return TerminalNode
	}
	if len(m.inner) == 0 && m.two {
		m.left, m.two = true, false
	}
	from := &m.inner
	if len(m.inner) == 0 {
		from = &m.outer
	}
	node := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	if node&7 == 6 {
		if m.two {
			m.outer, m.lost = nil, true
		}
		m.outer, m.inner, m.two = append(m.outer, m.inner...), nil, true
	}
	return node
}

// second pops another node of the same hierarchy that is no instance.
func (m *ringModel) second() uint32 {
	from := &m.inner
	if len(m.inner) == 0 {
		if from = &m.outer; m.two || len(m.outer) == 0 {
			return InvalidNode
		}
	}
	node := (*from)[len(*from)-1]
	if node&7 == 6 {
		return InvalidNode
	}
	*from = (*from)[:len(*from)-1]
	return node
}

// kept returns the children that remain, in the order in which they are pushed.
func (m *ringModel) kept(last uint32, children []uint32) (out []uint32) {
	special := last>>3 == InvalidNode>>3
	if special && m.ranges && last&4 == 0 { // the next pair of a range in the last child
		c := children[len(children)-1]
		if last&2 != 0 || c>>3 == InvalidNode>>3 {
			return nil
		}
		switch {
		case last&1 != 0:
			c = c&^15 + 16
		case c&15 == 3:
			c += 5
		default:
			c++
		}
		return []uint32{c}
	}
	isDone := func(c uint32) bool { return c == last || m.ranges && c&7 < 4 }
	first := 0
	if !special {
		if first = len(children); m.ranges && last&7 < 4 {
			first = 0
		}
		for i := len(children) - 1; i >= 0; i-- {
			if isDone(children[i]) {
				first = i + 1
				break
			}
		}
	}
	var skip [2]bool
	for i := len(children) - 1; i >= first; i-- {
		c := children[i]
		if c>>3 != InvalidNode>>3 {
			if !skip[i/4] {
				out = append(out, c)
			}
			continue
		}
		if !skip[i/4] {
			if c&2 == 0 {
				skip[0] = true
			}
			if c&4 == 0 && i >= 4 {
				skip[1] = true
			}
		}
	}
	return out
}

// TestRingStack compares random traversals with the model.
func TestRingStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	seen := map[uint32]int{}
	for i := range 600 {
		m := ringModel{size: 2 + rng.IntN(30), ranges: i&1 != 0, completePair: i&2 != 0}
		u := StackRules{Size: uint32(m.size), Ranges: m.ranges, Pairs: m.completePair}
		n, two := 4+i&4, i&8 != 0
		base := rng.Uint32N(1 << 14)
		mem := testMemory{}
		addr := base << 15
		for range 200 {
			children := make([]uint32, n)
			for k := range children {
				children[k] = rng.Uint32N(1 << 20)
				switch rng.IntN(6) {
				case 0, 1:
					children[k] = InvalidNode
				case 2:
					if rng.IntN(4) == 0 {
						children[k] = InvalidNode - []uint32{1, 2, 4, 6}[rng.IntN(4)]
					}
				}
			}
			last := InvalidNode
			switch rng.IntN(5) {
			case 0:
				last = children[rng.IntN(n)]
			case 1:
				last = rng.Uint32N(1 << 20)
			case 2:
				last = 0xfffffff8 | rng.Uint32N(4)
			}
			for _, c := range m.kept(last, children) {
				m.push(c)
			}
			var got, want [2]uint32
			want[0] = m.pop()
			var next uint32
			if two {
				top := want[0]
				switch second := InvalidNode; {
				case m.completePair && top&7 == 1:
					want = [2]uint32{top - 1, top}
				default:
					if second = m.second(); second == InvalidNode {
						want = [2]uint32{top, InvalidNode}
					} else {
						want = [2]uint32{second, top}
					}
				}
				got, next = RingStack2(mem, addr, last, children, &u)
			} else {
				got[0], next = RingStack(mem, addr, last, children, &u)
			}
			seen[want[0]]++
			if got != want {
				t.Fatalf("%+v, children %#x, last %#x: %#x, want %#x", u, children, last, got, want)
			}
			if next>>15&(1<<14-1) != base || next&31 != uint32(len(m.inner)+len(m.outer)) || next>>31 != 0 != m.left || next>>30&1 != 0 != m.lost || next>>29&1 != 0 != m.two {
				t.Fatalf("%+v: address %#x, model %+v", u, next, m)
			}
			addr = next
			if rng.IntN(20) == 0 && len(m.inner)+len(m.outer) == 0 {
				addr, m = base<<15, ringModel{size: m.size, ranges: m.ranges, completePair: m.completePair}
			}
		}
	}
	if seen[InvalidNode] == 0 || seen[TerminalNode] == 0 {
		t.Errorf("%d times invalid, %d times terminal", seen[InvalidNode], seen[TerminalNode])
	}
}
