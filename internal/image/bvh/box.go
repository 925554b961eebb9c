package bvh

import "math"

// Vec is a point or a direction.
type Vec [3]float32

// Ray is a ray. Inverse holds the reciprocals of the direction's components.
type Ray struct {
	Extent                     float32
	Origin, Direction, Inverse Vec
}

// box is a child of a box node.
type box struct {
	child    uint32
	flags    uint8 // childFlags
	mask     uint8 // of instances
	min, max Vec
}

// Flags of a child.
const (
	onlyOpaque uint8 = 1 << iota
	onlyNonOpaque
	onlyTriangles
	onlyProcedural
)

// readBoxes decodes four boxes of single precision.
func readBoxes(d []byte, to []box) {
	flags := dword(d, 112)
	for i := range to[:4] {
		b := &to[i]
		*b = box{child: dword(d, 4*i), flags: uint8(flags >> (8 * i))}
		for k := range 3 {
			b.min[k] = math.Float32frombits(dword(d, 16+24*i+4*k))
			b.max[k] = math.Float32frombits(dword(d, 28+24*i+4*k))
		}
	}
}

// readHalfBoxes decodes four boxes of half precision.
func readHalfBoxes(d []byte, to []box) {
	for i := range to[:4] {
		b := &to[i]
		*b = box{child: dword(d, 4*i)}
		for k := range 6 {
			v := HalfValue(uint16(dword(d, 16+12*i+k/2*4) >> (k % 2 * 16)))
			if k < 3 {
				b.min[k] = v
			} else {
				b.max[k-3] = v
			}
		}
	}
}

// HalfValue returns the value of a 16-bit float.
func HalfValue(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&0x3ff)
	switch exp {
	case 0:
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// culled reports whether the flags of a pointer exclude the contents of a box.
func (b *box) culled(flags uint64) bool {
	force := flags & (forceOpaque | forceNonOpaque)
	opaque := (b.flags&onlyOpaque != 0 || force&forceOpaque != 0) && force&forceNonOpaque == 0
	other := (b.flags&onlyNonOpaque != 0 || force&forceNonOpaque != 0) && force&forceOpaque == 0
	return opaque && flags&cullOpaque != 0 || other && flags&cullNonOpaque != 0 ||
		b.flags&onlyTriangles != 0 && flags&skipTriangles != 0 ||
		b.flags&onlyProcedural != 0 && flags&skipProcedural != 0
}

func isNaN(f float32) bool { return f != f }

// larger and smaller ignore a NaN beside a number.
func larger(a, b float32) float32 {
	if isNaN(a) || b > a {
		return b
	}
	return a
}

func smaller(a, b float32) float32 {
	if isNaN(a) || b < a {
		return b
	}
	return a
}

// infinity returns a positive infinity.
func infinity() float32 { return float32(math.Inf(1)) }

// span is the part of a ray within a box.
type span struct{ in, out, first, last float32 } // clipped to the ray, and not clipped

// cross returns the part of a ray within a box. An axis along which the ray is
// neither inside nor outside (0 times infinity) does not restrict it.
func (y *Ray) cross(b *box) (s span) {
	nan := float32(math.NaN())
	s.first, s.last = nan, nan
	for k := range 3 {
		lo := float32(b.min[k]-y.Origin[k]) * y.Inverse[k]
		hi := float32(b.max[k]-y.Origin[k]) * y.Inverse[k]
		if !(y.Inverse[k] >= 0) {
			lo, hi = hi, lo
		}
		s.first, s.last = larger(s.first, lo), smaller(s.last, hi)
	}
	s.in, s.out = larger(s.first, 0), smaller(s.last, y.Extent)
	if isNaN(s.first) || isNaN(s.last) {
		s.in, s.out = infinity(), -infinity()
	}
	if isNaN(s.first) {
		s.first = 0
	}
	if isNaN(s.last) {
		s.last = infinity()
	}
	return s
}

// sortKey returns the key of a span.
func (h Heuristic) sortKey(s span) float32 {
	switch h {
	case Largest:
		return s.in - s.out
	case MidPoint:
		return s.first + s.last
	}
	return s.in
}

// boxRules describes a test of boxes.
type boxRules struct {
	leaf    uint8 // the largest type of pointers to triangles
	pairs   bool  // pointers of type 1 precede other triangles
	ordered bool  // leaves precede boxes
	reuse   bool  // a child equal to its predecessor counts once
}

// entry is a child with its position in the order.
type entry struct {
	child uint32
	rank  uint8
	key   float32
}

// rankOf returns the part of a child's sorting key that precedes the distance.
func (u *boxRules) rankOf(child uint32) (rank uint8) {
	if child == InvalidNode {
		rank = 4
	}
	if !u.ordered {
		return rank
	}
	if uint8(child&7) > u.leaf {
		rank |= 2
	}
	if u.pairs && child&7 != 1 {
		rank |= 1
	}
	return rank
}

// hit tests a ray against boxes. The children that it enters are in e.
func (r *Resource) hit(y *Ray, boxes []box, u *boxRules, e []entry) {
	grow := 1 + float32(r.Grow)*(1.0/(1<<24))
	for i := range boxes {
		b := &boxes[i]
		s := y.cross(b)
		e[i] = entry{child: InvalidNode, key: r.Sort.sortKey(s)}
		if s.in <= s.out*grow {
			e[i].child = b.child
		}
	}
	if u.reuse {
		for i, last := 1, e[0].child; i < len(boxes); i++ {
			if e[i].child == last {
				e[i].child = InvalidNode
			} else {
				last = e[i].child
			}
		}
	}
	for i := range e[:len(boxes)] {
		e[i].rank = u.rankOf(e[i].child)
	}
}

// Sorting networks: pairs of positions to compare. The first five comparisons
// sort four entries.
var (
	network4 = [...][2]uint8{{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}}
	network8 = [...][2]uint8{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}}
)

// exchange orders two entries.
func exchange(a, b *entry) {
	if b.rank < a.rank || b.rank == a.rank && b.key < a.key {
		*a, *b = *b, *a
	}
}

// sortEntries sorts groups of four entries, and all eight with wide.
func (r *Resource) sortEntries(e []entry, wide bool) {
	if r.Sort == Unsorted {
		return
	}
	for at := 0; at < len(e); at += 4 {
		for _, p := range network4 {
			exchange(&e[at+int(p[0])], &e[at+int(p[1])])
		}
	}
	if wide && len(e) == 8 {
		for _, p := range network8 {
			exchange(&e[p[0]], &e[p[1]])
		}
	}
}
