package image

import (
	"math"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Plane reads and filters the texels of a linear two-dimensional image with one
// level whose elements are whole dwords in one piece of memory. The results are
// the same as a Texture's, in less time.
type Plane struct {
	Words []uint32 // the rows, shared with the simulated program
	Step  int32    // dwords of an element

	width, height uint32
	pitch         int32 // dwords from row to row
	texels        *Format
	selects       uint32
	coding        planeCoding
	values        *[256]float64 // of components, for octetsUnorm
	raw           Raw
	scale, limit  [2]float64 // of coordinates inside; see inside
	sampler       *Sampler
	border        *Texel
	linear        bool
}

// planeCoding classifies formats by how a plane converts them.
type planeCoding uint8

const (
	anyElements planeCoding = iota
	dwords                  // components of 32 bits, as they are in registers
	octets                  // four unsigned integers of 8 bits
	octetsUnorm             // four numbers of 8 bits in the range from 0 to 1
)

// codingOf classifies a format.
func codingOf(f *Format) planeCoding {
	switch four := f.Widths == [4]uint8{8, 8, 8, 8}; {
	case four && f.Num == Unorm:
		return octetsUnorm
	case four && f.Num == Uint:
		return octets
	case f.Widths[0] == 32 && (f.Bytes == 4 || f.Widths[1] == 32) && !f.Clamp && (f.Num.Integer() || f.Num == Float):
		return dwords
	}
	return anyElements
}

// wideUnorm8 holds the values of unorm8 in double precision.
var wideUnorm8 = lazy.Value[*[256]float64]{Make: func() *[256]float64 {
	t := new([256]float64)
	for i, v := range unorm8.Get() {
		t[i] = float64(math.Float32frombits(v))
	}
	return t
}}

// BindPlane prepares a plane for the texture's image. It returns false if a plane
// cannot read the image.
func (t *Texture) BindPlane(p *Plane) bool {
	v := t.View
	if v.Texels == nil || v.Kind != Kind2D || v.layout != nil || v.last != 0 || t.failed {
		return false
	}
	f, l := v.Texels, &v.levels[0]
	row := uint64(l.size[0]) * uint64(f.Bytes)
	if !f.Texel() || f.Bytes == 0 || f.Bytes%4 != 0 || l.pitch%4 != 0 || l.pitch < row {
		return false
	}
	words := t.Mem.Words(v.Base+l.offset, uint64(l.size[1]-1)*l.pitch+row)
	if words == nil {
		return false
	}
	*p = Plane{Words: words, Step: int32(f.Bytes / 4), width: uint32(l.size[0]), height: uint32(l.size[1]), pitch: int32(l.pitch / 4),
		texels: f, selects: v.Select, sampler: &t.Sampler, border: &t.Border}
	p.linear = t.Sampler.Min.linear() && !f.Num.Integer()
	if p.coding = codingOf(f); p.coding == octetsUnorm {
		p.values = wideUnorm8.Get()
	}
	for d, n := range [...]uint32{p.width, p.height} {
		p.scale[d] = fixedOne
		if !t.Sampler.Unnormalized {
			p.scale[d] *= float64(n)
		}
		if p.linear && n > 1 {
			p.limit[d] = float64(n)*fixedOne - fixedHalf - 0.5
		}
	}
	return true
}

// SamplesPlane reports whether the sampler's filter depends on nothing but the
// coordinates and blends texels.
func (s *Sampler) SamplesPlane() bool {
	return s.Reduce == ReduceBlend && s.Min == s.Mag && s.Min <= FilterBilinear
}

// Direct reports whether the first n components of a texel are its first n dwords
// in memory.
func (p *Plane) Direct(n int) bool {
	low := uint32(1)<<(selBits*n) - 1
	return p.coding == dwords && n <= int(p.Step) && (p.selects^IdentitySelect)&low == 0
}

// Index returns the position of a texel in Words, or -1 outside the image.
func (p *Plane) Index(x, y uint32) int {
	if x >= p.width || y >= p.height {
		return -1
	}
	return int(int32(y)*p.pitch + int32(x)*p.Step)
}

// element sets c to the components at a position in Words.
func (p *Plane) element(at int, c *Texel) {
	w := p.Words[at:]
	switch p.coding {
	case octets:
		v := atomic.LoadUint32(&w[0])
		*c = Texel{v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24}
		return
	case octetsUnorm:
		t, v := unorm8.Get(), atomic.LoadUint32(&w[0])
		*c = Texel{t[v&255], t[v>>8&255], t[v>>16&255], t[v>>24]}
		return
	}
	p.raw = Raw{}
	for i := range w[:p.Step] {
		p.raw[i&3] = atomic.LoadUint32(&w[i])
	}
	if p.coding == dwords {
		*c = Texel(p.raw)
		return
	}
	*c = p.texels.read(p.texels, &p.raw)
}

// Load sets c to the texel at a position, after DST_SEL. Outside the image, its
// components are 0.
func (p *Plane) Load(x, y uint32, c *Texel) {
	if at := p.Index(x, y); at >= 0 {
		p.element(at, c)
	} else {
		*c = Texel{}
	}
	if p.selects != IdentitySelect {
		*c = p.texels.Select(c, p.selects)
	}
}

// Pack returns the element for components in the order of the registers, before
// the inverse of DST_SEL.
func (p *Plane) Pack(c *Texel) Raw {
	m := *c
	if p.selects != IdentitySelect {
		m = p.texels.Unselect(c, p.selects)
	}
	switch p.coding {
	case dwords:
		return Raw(m)
	case octets:
		return Raw{m[0]&255 | m[1]&255<<8 | m[2]&255<<16 | m[3]<<24}
	case octetsUnorm:
		return Raw{packUnorm8(m[0]) | packUnorm8(m[1])<<8 | packUnorm8(m[2])<<16 | packUnorm8(m[3])<<24}
	}
	return p.texels.Pack(&m)
}

// packUnorm8 converts a float to 8 bits. NaN is 0.
func packUnorm8(v uint32) uint32 {
	x := float64(math.Float32frombits(v))
	switch {
	case !(x > 0):
		return 0
	case x > 1:
		return 255
	}
	return uint32(math.RoundToEven(x * 255))
}

// Sample sets c to the filtered texels at a point, after DST_SEL.
func (p *Plane) Sample(u, v float32, c *Texel) {
	fx, fy := p.inside(u, 0), p.inside(v, 1)
	if p.values != nil && fx >= 0 && fy >= 0 {
		p.blendBytes(fx, fy, c)
	} else {
		p.sampleEdge(u, v, c)
	}
	if p.selects != IdentitySelect {
		*c = p.texels.Select(c, p.selects)
	}
}

// inside returns a coordinate's distance from the middle of the first texel in
// 1/256 of a texel, if a linear filter blends two texels of the image, which no
// clamp mode changes. Otherwise it returns a negative number.
func (p *Plane) inside(u float32, d int) int32 {
	x := float64(u) * p.scale[d]
	if !(x >= fixedHalf && x < p.limit[d]) {
		return -1
	}
	return int32(x+0.5) - fixedHalf
}

// blendBytes sets c to the weighted sum of four texels of a format with four
// components of 8 bits.
func (p *Plane) blendBytes(fx, fy int32, c *Texel) {
	t := p.values
	at := int(fy>>fixedBits*p.pitch + fx>>fixedBits)
	upper := p.Words[at:][:2]
	lower := p.Words[at+int(p.pitch):][:2]
	x1, y1 := fx&(fixedOne-1), fy&(fixedOne-1)
	x0, y0 := fixedOne-x1, fixedOne-y1
	texels := [4]uint32{atomic.LoadUint32(&upper[0]), atomic.LoadUint32(&upper[1]), atomic.LoadUint32(&lower[0]), atomic.LoadUint32(&lower[1])}
	weights := [4]float64{float64(x0 * y0), float64(x1 * y0), float64(x0 * y1), float64(x1 * y1)}
	var r, g, b, a float64
	for i, v := range texels {
		w := weights[i]
		r += w * t[v&255]
		g += w * t[v>>8&255]
		b += w * t[v>>16&255]
		a += w * t[v>>24]
	}
	scaleSums(r, g, b, a, c)
}

// planeScale is the reciprocal of the sum of the weights of a footprint.
const planeScale = 1.0 / (fixedOne * fixedOne)

// scaleSums sets c to the weighted sums of a footprint, divided by the sum of the
// weights.
func scaleSums(r, g, b, a float64, c *Texel) {
	c[0], c[1] = math.Float32bits(float32(r*planeScale)), math.Float32bits(float32(g*planeScale))
	c[2], c[3] = math.Float32bits(float32(b*planeScale)), math.Float32bits(float32(a*planeScale))
}

// sampleEdge is Sample for all formats and coordinates, without DST_SEL.
func (p *Plane) sampleEdge(u, v float32, c *Texel) {
	var x, y axis
	s := p.sampler
	s.footprint(&x, u, int32(p.width), s.Clamp[0], p.linear, 0)
	s.footprint(&y, v, int32(p.height), s.Clamp[1], p.linear, 0)
	if x.n == 1 && y.n == 1 {
		p.texel(x.at[0], y.at[0], c)
	} else {
		p.blend(&x, &y, c)
	}
}

// texel sets c to the texel at a position in the image, or to the border colour
// at a negative one.
func (p *Plane) texel(x, y int32, c *Texel) {
	if x|y < 0 {
		*c = *p.border
		return
	}
	p.element(int(y*p.pitch+x*p.Step), c)
}

// blend sets c to the weighted sum of a footprint.
func (p *Plane) blend(x, y *axis, c *Texel) {
	var r, g, b, a float64
	for j := range y.n {
		for i := range x.n {
			p.texel(x.at[i&1], y.at[j&1], c)
			w := float64(x.weight[i&1] * y.weight[j&1])
			r += w * float64(math.Float32frombits(c[0]))
			g += w * float64(math.Float32frombits(c[1]))
			b += w * float64(math.Float32frombits(c[2]))
			a += w * float64(math.Float32frombits(c[3]))
		}
	}
	scaleSums(r, g, b, a, c)
}
