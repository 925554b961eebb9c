package image

import "math"

// cubeFaces lists, for each face of a cube map, the directions of its major
// axis, of x and of y, as an axis and a sign. Source: Vulkan, "Cube map face
// selection".
var cubeFaces = [6][3]struct{ axis, sign int32 }{
	{{0, 1}, {2, -1}, {1, -1}},
	{{0, -1}, {2, 1}, {1, -1}},
	{{1, 1}, {0, 1}, {2, 1}},
	{{1, -1}, {0, 1}, {2, -1}},
	{{2, 1}, {0, 1}, {1, -1}},
	{{2, -1}, {0, -1}, {1, -1}},
}

// faceOf returns the face for a direction with a major axis.
func faceOf(axis, sign int32) int32 { return 2*axis + (1-sign)/2 }

// cubeLayer splits a coordinate into the face and the first layer of its cube.
func (t *Texture) cubeLayer(c float32) (face, first int32) {
	n := math.RoundToEven(float64(c))
	if !(n > 0) {
		n = 0
	}
	k := int32(min(n, 1<<20))
	cubes := max(t.Layers()/6, 1)
	return min(k&7, 5), int32(t.FirstLayer) + min(k>>3, cubes-1)*6
}

// blendCube adds the footprint of a point on a face.
func (t *Texture) blendCube(b *blender, l *level, p *Point, at *[3]float32, linear bool) {
	face, first := t.cubeLayer(p.Layer)
	s := t.faceSampler()
	var a [2]axis
	for i := range a {
		s.footprint(&a[i], at[i]-1, l.size[i], s.Clamp[i], linear, 0)
		if linear {
			first := cubeCorner(at[i]-1, l.size[i])
			a[i].at = [2]int32{first, first + 1}
		}
	}
	for j := range a[1].n {
		for i := range a[0].n {
			b.add(t.cubeTexel(l, face, first, a[0].at[i], a[1].at[j]), a[0].weight[i]*a[1].weight[j]*fixedOne)
		}
	}
}

// faceSampler returns the sampler for coordinates within a face, which are
// normalized and do not leave the face.
func (t *Texture) faceSampler() Sampler {
	return Sampler{Clamp: [3]ClampMode{ClampLastTexel, ClampLastTexel}, TruncCoord: t.Sampler.TruncCoord}
}

// cubeCorner returns the first texel of a linear footprint within a face.
func cubeCorner(u float32, size int32) int32 {
	return (fixed(u, size, ClampBorder, true, false) - fixedHalf) >> fixedBits
}

// gatherCube returns a texel relative to the upper left one of a footprint.
func (t *Texture) gatherCube(l *level, p *Point, dx, dy int32) Texel {
	face, first := t.cubeLayer(p.Layer)
	return t.cubeTexel(l, face, first, cubeCorner(p.At[0]-1, l.size[0])+dx, cubeCorner(p.At[1]-1, l.size[1])+dy)
}

// cubeTexel reads a texel of a face, or of a neighbouring face if the position is
// outside by one texel. Outside in both directions, it is the mean of the three
// texels at the corner.
func (t *Texture) cubeTexel(l *level, face, first, x, y int32) Texel {
	n := l.size[0]
	x, y = min(max(x, -1), n), min(max(y, -1), n)
	outX, outY := uint32(x) >= uint32(n), uint32(y) >= uint32(n)
	inX, inY := min(max(x, 0), n-1), min(max(y, 0), n-1)
	if t.Sampler.NoCubeWrap || !outX && !outY {
		return t.texel(l, inX, inY, first+face)
	}
	if !outX || !outY {
		return t.neighbour(l, face, first, x, y)
	}
	a, b, c := t.texel(l, inX, inY, first+face), t.neighbour(l, face, first, x, inY), t.neighbour(l, face, first, inX, y)
	if t.Texels.Num.Integer() {
		return a
	}
	for i := range a {
		sum := float64(math.Float32frombits(a[i])) + float64(math.Float32frombits(b[i])) + float64(math.Float32frombits(c[i]))
		a[i] = math.Float32bits(float32(sum / 3))
	}
	return a
}

// neighbour reads the texel across the edge of a face. A texel is a point on the
// surface of a cube whose edges are 2n long; across the edge, the coordinates
// along the two major axes swap roles.
func (t *Texture) neighbour(l *level, face, first, x, y int32) Texel {
	n := l.size[0]
	f := &cubeFaces[face]
	var v [3]int32
	v[f[0].axis] = f[0].sign * n
	v[f[1].axis] = f[1].sign * (2*x + 1 - n)
	v[f[2].axis] = f[2].sign * (2*y + 1 - n)
	cross := f[1].axis
	if uint32(y) >= uint32(n) {
		cross = f[2].axis
	}
	sign := int32(1)
	if v[cross] < 0 {
		sign = -1
	}
	v[cross] = sign * n
	v[f[0].axis] = f[0].sign * (n - 1)
	to := faceOf(cross, sign)
	g := &cubeFaces[to]
	return t.texel(l, (g[1].sign*v[g[1].axis]+n-1)/2, (g[2].sign*v[g[2].axis]+n-1)/2, first+to)
}
