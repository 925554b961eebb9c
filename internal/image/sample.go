package image

import "math"

// Point is what an instruction samples in one lane.
type Point struct {
	At     [3]float32 // coordinates; in a face of a cube map from 1 to 2
	Layer  float32    // layer of an array, or face plus 8 times the layer of a cube map
	LOD    int32      // level of detail in 1/256, from Texture.LOD
	Offset [3]int32   // in texels
	Ref    float32    // value for comparisons
	// Steps and Major describe an anisotropic footprint: the number of points,
	// and the distance between the first and the last one. Steps is 1 otherwise.
	Steps int32
	Major [3]float32
}

// Sample returns the filtered texels at a point, after DST_SEL. With compare,
// each texel is replaced by the result of the sampler's comparison with the
// point's value.
func (t *Texture) Sample(p *Point, compare bool) Texel {
	if t.Texels == nil {
		return Texel{}
	}
	s := &t.Sampler
	f := s.Min
	if p.LOD <= 0 {
		f = s.Mag
	}
	if t.Texels.Num.Integer() {
		f = FilterPoint
	}
	lo, hi, frac := t.levelsAt(p.LOD)
	b := blender{compare: compare, reduce: s.Reduce, fn: s.Compare, ref: p.Ref, first: true}
	if compare && !t.Texels.Num.Integer() && t.Texels.Num != Float {
		b.ref = min(max(b.ref, 0), 1)
	}
	b.weight = float64(fixedOne-frac) / float64(p.Steps)
	t.blendLevel(&b, &t.levels[lo], p, f)
	if frac != 0 {
		b.weight = float64(frac) / float64(p.Steps)
		t.blendLevel(&b, &t.levels[hi], p, f)
	}
	c := b.result(t.Texels)
	return t.Texels.Select(&c, t.Select)
}

// levelsAt returns the levels for a level of detail, and the weight of the second
// one in 1/256.
func (t *Texture) levelsAt(lod int32) (lo, hi, frac int32) {
	switch t.Sampler.Mip {
	case MipPoint:
		lo = min(max((lod+fixedHalf)>>fixedBits, 0), t.last)
	case MipLinear:
		if lod > 0 {
			lo, frac = lod>>fixedBits, lod&(fixedOne-1)
		}
		if lo >= t.last {
			lo, frac = t.last, 0
		}
	}
	return lo, min(lo+1, t.last), frac
}

// blendLevel adds the texels of a level to a result.
func (t *Texture) blendLevel(b *blender, l *level, p *Point, f Filter) {
	at := p.At
	for i := range p.Steps {
		if p.Steps > 1 {
			k := (float32(i) + 0.5) / float32(p.Steps)
			for j := range at {
				at[j] = p.At[j] + p.Major[j]*(k-0.5)
			}
		}
		if t.Kind == KindCube {
			t.blendCube(b, l, p, &at, f.linear())
		} else {
			t.blendPoint(b, l, p, &at, f.linear())
		}
	}
}

// blendPoint adds the footprint of one point.
func (t *Texture) blendPoint(b *blender, l *level, p *Point, at *[3]float32, linear bool) {
	s := &t.Sampler
	x, y, z := single, single, single
	s.footprint(&x, at[0], l.size[0], s.Clamp[0], linear, p.Offset[0])
	switch t.Kind.Dims() {
	case 3:
		deep := linear
		if s.Z != MipNone {
			deep = s.Z == MipLinear
		}
		s.footprint(&z, at[2], l.size[2], s.Clamp[2], deep, p.Offset[2])
		fallthrough
	case 2:
		s.footprint(&y, at[1], l.size[1], s.Clamp[1], linear, p.Offset[1])
	}
	if t.Kind.Layered() {
		z.at[0] = t.layer(p.Layer)
	}
	for k := range z.n {
		for j := range y.n {
			w := z.weight[k] * y.weight[j]
			for i := range x.n {
				b.add(t.texel(l, x.at[i], y.at[j], z.at[k]), x.weight[i]*w)
			}
		}
	}
}

// layer returns the layer for a coordinate, which is rounded to the nearest one.
func (t *Texture) layer(c float32) int32 {
	n := math.RoundToEven(float64(c))
	top := float64(t.Layers() - 1)
	if !(n > 0) { // or NaN
		n = 0
	}
	return int32(t.FirstLayer) + int32(min(n, top))
}

// Gather returns one component of the four texels of the footprint of a linear
// filter, counterclockwise from the lower left one, or, with row, of four texels
// of a row. The component is counted after DST_SEL.
func (t *Texture) Gather(p *Point, component int, compare, row bool) (c Texel) {
	if t.Texels == nil {
		return c
	}
	s := &t.Sampler
	lo, _, _ := t.levelsAt(p.LOD)
	l := &t.levels[lo]
	b := blender{compare: compare, fn: s.Compare, ref: p.Ref}
	sel := t.Select >> (selBits * component) & 7
	pick := func(v Texel) uint32 {
		if compare {
			b.compareAll(&v)
		}
		return t.Texels.Choose(&v, sel)
	}
	if row {
		for i := range c {
			x, y, z := t.gatherTexel(l, p, int32(i), 0)
			c[i] = pick(t.texel(l, x, y, z))
		}
		return c
	}
	for i, at := range [4][2]int32{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		if t.Kind == KindCube {
			c[i] = pick(t.gatherCube(l, p, at[0], at[1]))
			continue
		}
		x, y, z := t.gatherTexel(l, p, at[0], at[1])
		c[i] = pick(t.texel(l, x, y, z))
	}
	return c
}

// gatherTexel returns the position of a texel relative to the upper left one of
// a footprint.
func (t *Texture) gatherTexel(l *level, p *Point, dx, dy int32) (x, y, z int32) {
	s := &t.Sampler
	x = clampTexel(t.corner(p.At[0], l.size[0], 0)+p.Offset[0]+dx, l.size[0], s.Clamp[0])
	if t.Kind.Dims() > 1 {
		y = clampTexel(t.corner(p.At[1], l.size[1], 1)+p.Offset[1]+dy, l.size[1], s.Clamp[1])
	}
	if t.Kind.Layered() {
		z = t.layer(p.Layer)
	}
	return x, y, z
}

// corner returns the first texel of a linear filter's footprint in direction d.
func (t *Texture) corner(u float32, size int32, d int) int32 {
	s := &t.Sampler
	f := fixed(u, size, s.Clamp[d], !s.Unnormalized, false)
	return (halfBorder(f, size, s.Clamp[d]) - fixedHalf) >> fixedBits
}

// blender accumulates the texels of a footprint.
type blender struct {
	sum     [4]float64
	only    Texel   // the texel, if there is one
	weight  float64 // of the level and the point
	n       int
	compare bool
	reduce  Reduction
	fn      uint8
	ref     float32
	first   bool
}

// add adds a texel with a weight in 1/65536 of a plane's footprint, times 256 in
// a volume.
func (b *blender) add(c Texel, weight int32) {
	if b.compare {
		b.compareAll(&c)
	}
	b.n++
	if b.n == 1 {
		b.only = c
	}
	switch b.reduce {
	case ReduceMin:
		b.extreme(&c, func(x, y float64) bool { return x < y })
	case ReduceMax:
		b.extreme(&c, func(x, y float64) bool { return x > y })
	default:
		w := float64(weight) * b.weight
		for i := range b.sum {
			b.sum[i] += w * float64(math.Float32frombits(c[i]))
		}
	}
}

// extreme replaces components by others that precede them.
func (b *blender) extreme(c *Texel, before func(x, y float64) bool) {
	for i := range b.sum {
		if v := float64(math.Float32frombits(c[i])); b.first || before(v, b.sum[i]) {
			b.sum[i] = v
		}
	}
	b.first = false
}

// full is the sum of the weights of a footprint: of three directions and of the
// levels.
const full = fixedOne * fixedOne * fixedOne * fixedOne

// result returns the blended texel. A footprint of one texel is that texel, bit
// by bit.
func (b *blender) result(f *Format) (c Texel) {
	if b.n == 1 || f.Num.Integer() {
		return b.only
	}
	scale := 1.0
	if b.reduce == ReduceBlend {
		scale = 1.0 / full
	}
	for i := range c {
		c[i] = math.Float32bits(float32(b.sum[i] * scale))
	}
	return c
}

// compareAll replaces each component by 1.0 where the comparison holds, and by 0
// elsewhere.
func (b *blender) compareAll(c *Texel) {
	for i := range c {
		v := uint32(0)
		if compareFloats(b.fn, b.ref, math.Float32frombits(c[i])) {
			v = one
		}
		c[i] = v
	}
}

// compareFloats compares x with y by a function's number: its bits are less,
// equal and greater. NaN is not equal to anything.
func compareFloats(fn uint8, x, y float32) bool {
	return fn&1 != 0 && x < y || fn&2 != 0 && x == y || fn&4 != 0 && x > y || fn == 7 || fn == 5 && x != y
}
