package bvh

import "math"

// Compressed nodes of pairs of triangles. A header of 52 bits contains the sizes of
// the parts: prefixes of the coordinates, vertices, indices of geometries
// backwards and of primitives forwards from a midpoint, and from the end on a
// descriptor of each pair.

const (
	headerBits  = 52
	pairBits    = 29
	packedBytes = 128
	procVertex  = 15 // vertex numbers of a procedural primitive
)

// packed is a compressed node.
type packed struct{ d []byte }

func (p packed) field(at, n int) int { return int(bitsAt(p.d, at, n)) }

// index decodes the index of a triangle. Later indices have the high bits of the
// first one, the anchor, if they are shorter. step is the distance of the
// indices, negative for those that precede the midpoint.
func (p packed) index(anchorBits, bits, triangle int, backwards bool) uint32 {
	mid := p.field(42, 10)
	at := mid
	if backwards {
		at -= anchorBits
	}
	anchor := bitsAt(p.d, at, anchorBits)
	if triangle == 0 {
		return anchor
	}
	if at = mid + anchorBits + (triangle-1)*bits; backwards {
		at = mid - anchorBits - triangle*bits
	}
	v := bitsAt(p.d, at, bits)
	if bits < anchorBits {
		v |= anchor &^ (1<<bits - 1)
	}
	return v
}

func (p packed) geometryIndex(triangle int) uint32 {
	return p.index(2*p.field(20, 4), 2*p.field(24, 4), triangle, true)
}

func (p packed) primitiveIndex(triangle int) uint32 {
	return p.index(p.field(32, 5), p.field(37, 5), triangle, false)
}

// vertex decodes a vertex. Its coordinates share a prefix and trailing zeros
// with all others.
func (p packed) vertex(n int) (v Vec) {
	zeros := p.field(15, 5)
	var size, prefix [3]int
	at, stride := headerBits, 0
	for k := range 3 {
		size[k] = p.field(5*k, 5) + 1
		prefix[k] = max(32-zeros-size[k], 0)
		at, stride = at+prefix[k], stride+size[k]
	}
	from := headerBits
	at += n * stride
	for k := range 3 {
		high := uint32(uint64(bitsAt(p.d, from, prefix[k])) << (32 - prefix[k]))
		v[k] = math.Float32frombits(high | bitsAt(p.d, at, size[k])<<zeros)
		from, at = from+prefix[k], at+size[k]
	}
	return v
}

// pair is the descriptor of a pair of triangles.
type pair uint32

func (p pair) corner(triangle, i int) int { return int(p >> (17 - 14*triangle + 4*i) & 15) }
func (p pair) opaque(triangle int) bool   { return p>>(16-14*triangle)&1 != 0 }
func (p pair) bothSides(triangle int) bool {
	return p>>(15-14*triangle)&1 != 0
}

func (p pair) second() bool { return p>>3&(1<<12-1) != 0 }

func (p packed) pairAt(n int) pair { return pair(bitsAt(p.d, 8*packedBytes-pairBits*(n+1), pairBits)) }

// Navigation bits: what follows a pair.
const (
	nextPair   = 0
	nextNode   = 1
	endOfRange = 3
)

// navigation returns the navigation bits of a pair.
func (p packed) navigation(n int, d pair) uint32 {
	switch {
	case d&1 != 0:
		return endOfRange
	case n == p.field(28, 3):
		return nextNode
	}
	return nextPair
}

// pairOf returns the number of a pair by the type of a pointer.
func pairOf(typ uint8) int { return int(typ&3 | typ&8>>1) }

// Known reports whether the contents of a node are of a known format: the
// vertices of compressed nodes must be 32-bit floats.
func (n *Node) Known(d *Data) bool { return n.Kind != Primitives || d[3]>>7 == 0 }

// primitiveNode tests a ray against a pair of triangles.
func (r *Resource) primitiveNode(n *Node, y *Ray, d []byte) (out [10]uint32) {
	p := packed{d[:packedBytes]}
	number := pairOf(n.typ)
	desc := p.pairAt(number)
	for i := range 2 {
		to := out[4*i : 4*i+4]
		if i == 1 && !desc.second() {
			one := math.Float32bits(1)
			to[0], to[1], to[2] = math.Float32bits(infinity()), one, one
		} else {
			r.packedTriangle(n, y, p, desc, i, 2*number+i, to)
		}
		out[8+i] = p.geometryIndex(2*number+i)<<2 | p.navigation(number, desc)
	}
	return out
}

// packedTriangle tests a ray against one triangle of a pair.
func (r *Resource) packedTriangle(n *Node, y *Ray, p packed, desc pair, i, triangle int, to []uint32) {
	x := primitive{opaque: desc.opaque(i), doubleSided: desc.bothSides(i),
		procedural: desc.corner(i, 0) == procVertex && desc.corner(i, 1) == procVertex}
	if !x.procedural {
		a, b, c := p.vertex(desc.corner(i, 0)), p.vertex(desc.corner(i, 1)), p.vertex(desc.corner(i, 2))
		x.meeting = y.meet(&a, &b, &c)
	}
	x.cull(n.flags)
	to[0] = math.Float32bits(float32(x.t / x.denominator))
	to[1], to[2] = x.signs(math.Float32bits(float32(x.weights[1]/x.denominator)), math.Float32bits(float32(x.weights[2]/x.denominator)), n.flags)
	to[3] = p.primitiveIndex(triangle) << 1
	if x.denominator < 0 {
		to[3] |= 1
	}
}
