package bvh

import "math"

// vec64 is a vector of double precision.
type vec64 [3]float64

// from returns the vector from b to a.
func (a *Vec) from(b *Vec) (v vec64) {
	for k := range v {
		v[k] = float64(a[k]) - float64(b[k])
	}
	return v
}

// times returns the cross product. Exchanged operands negate it exactly, for
// which the products must be rounded separately.
func (a *vec64) times(b *vec64) vec64 {
	return vec64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// along returns the scalar product.
func (a *vec64) along(b *vec64) float64 {
	return float64(float64(a[0]*b[0])+float64(a[1]*b[1])) + float64(a[2]*b[2])
}

// meeting is the result of a test of a triangle. The distance and the weights of
// the vertices are quotients whose denominator is the sum of the weights.
type meeting struct {
	hit         bool
	t           float64
	weights     [3]float64
	denominator float64
}

// miss returns the result of a ray that does not meet the triangle.
func miss() meeting { return meeting{t: math.Inf(1), denominator: 1} }

// meet tests a ray against a triangle. The ray meets points of edges and does
// not meet a triangle in its own plane.
func (y *Ray) meet(v0, v1, v2 *Vec) meeting {
	a, b, c := v0.from(&y.Origin), v1.from(&y.Origin), v2.from(&y.Origin)
	d := vec64{float64(y.Direction[0]), float64(y.Direction[1]), float64(y.Direction[2])}
	cb, ac, ba := c.times(&b), a.times(&c), b.times(&a)
	m := meeting{hit: true, t: a.along(&cb), weights: [3]float64{d.along(&cb), d.along(&ac), d.along(&ba)}}
	w := &m.weights
	m.denominator = float64(w[0]+w[1]) + w[2]
	positive := w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && m.denominator > 0 && m.t >= 0
	negative := w[0] <= 0 && w[1] <= 0 && w[2] <= 0 && m.denominator < 0 && m.t <= 0
	if !positive && !negative || math.IsInf(m.denominator, 0) {
		return miss()
	}
	m.scale()
	return m
}

// scale divides by a power of 2 if the values are no normal numbers of single
// precision.
func (m *meeting) scale() {
	const limit = 1 << 60
	size := math.Abs(m.denominator)
	if size < limit && size > 1.0/limit && math.Abs(m.t) < limit {
		return
	}
	_, exp := math.Frexp(m.denominator)
	m.t = math.Ldexp(m.t, -exp)
	m.denominator = math.Ldexp(m.denominator, -exp)
	for i, w := range m.weights {
		m.weights[i] = math.Ldexp(w, -exp)
	}
}

// corners holds the vertices of the triangles of a node.
var corners = [4][3]uint8{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}}

// Bits of a triangle in a node's number. The first four select the vertices of
// the barycentrics.
const (
	doubleSided = 1 << (iota + 4)
	flipped
	procedural
	opaque
)

// readVec decodes a vector.
func readVec(d []byte, at int) (v Vec) {
	for k := range v {
		v[k] = math.Float32frombits(dword(d, at+4*k))
	}
	return v
}

// triangleNode tests a ray against a triangle of a node.
func (r *Resource) triangleNode(n *Node, y *Ray, d []byte) [4]uint32 {
	id := dword(d, 60)
	bits := id >> (8 * n.typ)
	signs := r.wide && r.PointerFlags
	p := primitive{opaque: bits&opaque != 0, doubleSided: bits&doubleSided != 0, flipped: bits&flipped != 0,
		procedural: bits&procedural != 0 && signs}
	if !p.procedural {
		c := &corners[n.typ&3]
		v := [3]Vec{readVec(d, 12*int(c[0])), readVec(d, 12*int(c[1])), readVec(d, 12*int(c[2]))}
		p.meeting = y.meet(&v[0], &v[1], &v[2])
	}
	if r.PointerFlags {
		p.cull(n.flags)
	}
	out := [4]uint32{math.Float32bits(float32(p.t)), math.Float32bits(float32(p.denominator))}
	if !r.Barycentrics {
		out[2] = id
		if p.hit {
			out[3] = 1
		}
		return out
	}
	for k := range 2 {
		w := float32(0)
		if i := bits >> (2 * k) & 3; i < 3 {
			w = float32(p.weights[i])
		}
		out[2+k] = math.Float32bits(w)
	}
	if signs {
		out[2], out[3] = p.signs(out[2], out[3], n.flags)
	}
	return out
}

// primitive is a triangle or a procedural primitive with the properties that
// pointer flags select.
type primitive struct {
	meeting
	opaque, doubleSided, flipped, procedural bool
}

// cull applies the flags of a pointer.
func (p *primitive) cull(flags uint64) {
	culled := flags&skipProcedural != 0
	if !p.procedural {
		front := p.denominator >= 0
		if (flags&flipFaces != 0) != p.flipped {
			front = !front
			p.t, p.denominator = -p.t, -p.denominator
		}
		face := cullBack
		if front {
			face = cullFront
		}
		culled = flags&skipTriangles != 0 || flags&face != 0 && flags&disableCull == 0 && !p.doubleSided
	}
	kind := cullNonOpaque
	if p.isOpaque(flags) {
		kind = cullOpaque
	}
	switch {
	case culled || flags&kind != 0 || !p.hit && !p.procedural:
		p.meeting = miss()
	case p.procedural:
		p.meeting = meeting{hit: true, denominator: 1}
	}
}

// isOpaque reports whether a primitive is opaque under the flags of a pointer.
func (p *primitive) isOpaque(flags uint64) bool {
	return flags&forceOpaque != 0 || flags&forceNonOpaque == 0 && p.opaque
}

// signs replaces the signs of barycentrics: the first is negative for procedural
// primitives, the second for those that are not opaque.
func (p *primitive) signs(i, j uint32, flags uint64) (uint32, uint32) {
	const sign = 1 << 31
	i, j = i&^sign, j&^sign
	if p.procedural {
		one := math.Float32bits(1)
		i, j = one|sign, one
	}
	if !p.isOpaque(flags) {
		j |= sign
	}
	return i, j
}
