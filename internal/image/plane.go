package image

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Rows holds the components of the texels of a wave's lanes, or the dwords of the
// elements in memory.
type Rows [4][64]uint32

// clear sets the rows of lanes to 0.
func (r *Rows) clear(lanes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		r[0][l], r[1][l], r[2][l], r[3][l] = 0, 0, 0, 0
	}
}

// Plane reads and filters the texels of a linear two-dimensional image with one
// level, whose elements are in one piece of memory, for all lanes of a wave. The
// results are the same as a Texture's, in less time.
type Plane struct {
	Words []uint32 // the rows, shared with the simulated program
	Step  int32    // bytes of an element
	SIMD  bool     // the host has AVX2 and FMA

	view          *View // that the fields are for; nil before the first one
	width, height uint32
	pitch         int32  // bytes from row to row
	size          uint64 // bytes of the rows
	texels        *Format
	selects       uint32
	coding        planeCoding
	fields        [4]planeField
	count         int // of fields
	raw           Raw
	scale         [2]float64 // of coordinates; see inside
	inner         [2]int32   // 1/256 of texels between the middles of the first and the last texel; 0 for point filters
	sampler       Sampler
	border        *Texel
	linear        bool
	turned        Rows // rows before DST_SEL
}

// planeField is the place of a component in an element.
type planeField struct {
	word, shift, width uint8
}

// planeCoding classifies formats by how a plane converts them.
type planeCoding uint8

const (
	anyElements planeCoding = iota
	dwords                  // components of 32 bits, as they are in registers
	integers                // integers of less than 32 bits
	octets                  // numbers of 8 bits in the range from 0 to 1
	numbers                 // other numbers of less than 32 bits
)

// codingOf classifies a format.
func codingOf(f *Format) planeCoding {
	n := f.Widths[0]
	switch {
	case f.Coding != Plain || f.Clamp || f.Data == "X24_8_32":
		return anyElements
	case n == 32 && (f.Bytes == 4 || f.Widths[1] == 32) && (f.Num.Integer() || f.Num == Float):
		return dwords
	case n == 32:
		return anyElements
	case f.Num.Integer():
		return integers
	case f.Num == Unorm && n == 8 && f.Bytes <= 4 && f.Widths[1]&^8|f.Widths[2]&^8|f.Widths[3]&^8 == 0:
		return octets
	}
	return numbers
}

// bindFields finds the places of the components.
func (p *Plane) bindFields() {
	at := uint8(0)
	p.count = 0
	for i, n := range p.texels.Widths {
		if n == 0 {
			break
		}
		p.fields[i] = planeField{at / 32, at & 31, n}
		p.count++
		at += n
	}
}

// BindPlane prepares a plane for the texture's image, unless it was prepared for
// the same image and sampler last. It returns false if a plane cannot read the
// image.
func (t *Texture) BindPlane(p *Plane) bool {
	v := t.View
	if t.failed {
		return false
	}
	if (p.view != v || p.sampler != t.Sampler) && !t.preparePlane(p) {
		p.view = nil
		return false
	}
	p.border = &t.Border
	p.Words = t.Mem.Words(v.Base+v.levels[0].offset, p.size)
	return p.Words != nil
}

// preparePlane sets the fields of a plane that depend on the image and the
// sampler. It returns false if a plane cannot read the image.
func (t *Texture) preparePlane(p *Plane) bool {
	v := t.View
	if v.Texels == nil || v.Kind != Kind2D || v.layout != nil || v.last != 0 {
		return false
	}
	f, l := v.Texels, &v.levels[0]
	row := uint64(l.size[0]) * uint64(f.Bytes)
	if !f.Texel() || f.Bytes == 0 || l.pitch%uint64(min(f.Bytes, 4)) != 0 || l.pitch < row || l.offset%4 != 0 {
		return false
	}
	p.size = (uint64(l.size[1]-1)*l.pitch + row + 3) &^ 3
	if p.size > math.MaxInt32 {
		return false
	}
	p.view, p.Step, p.width, p.height, p.pitch = v, int32(f.Bytes), uint32(l.size[0]), uint32(l.size[1]), int32(l.pitch)
	p.texels, p.selects, p.sampler = f, v.Select, t.Sampler
	p.linear = t.Sampler.Min.linear() && !f.Num.Integer()
	p.coding = codingOf(f)
	p.bindFields()
	for d, n := range [...]uint32{p.width, p.height} {
		p.scale[d], p.inner[d] = fixedOne, 0
		if !t.Sampler.Unnormalized {
			p.scale[d] *= float64(n)
		}
		if p.linear {
			p.inner[d] = int32(n-1) * fixedOne
		}
	}
	return true
}

// SamplesPlane reports whether the sampler's filter depends on nothing but the
// coordinates and blends texels.
func (s *Sampler) SamplesPlane() bool {
	return s.Reduce == ReduceBlend && s.Min == s.Mag && s.Min <= FilterBilinear
}

// Locate sets at to the offsets of texels in bytes for the lanes of exec, of n
// lanes. It returns the lanes whose texels are in the image.
func (p *Plane) Locate(x, y *[64]uint32, exec uint64, n int, at *[64]int32) (in uint64) {
	if p.SIMD {
		return exec & p.locate(x, y, at, n)
	}
	in = exec
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		if x[l] >= p.width || y[l] >= p.height {
			in &^= 1 << l
			continue
		}
		at[l] = int32(y[l])*p.pitch + int32(x[l])*p.Step
	}
	return in
}

// Direct reports whether the components that a mask selects are all dwords of an
// element in memory, in the same order.
func (p *Plane) Direct(mask uint32) bool {
	return p.coding == dwords && p.selects == IdentitySelect && mask == 1<<p.count-1
}

// Unpack sets rows to the components of n lanes, after DST_SEL. raw holds the
// elements of the lanes in, the other lanes of exec are outside the image, where
// the components are 0.
func (p *Plane) Unpack(raw, rows *Rows, exec, in uint64, n int) {
	to := p.before(rows)
	p.unpack(raw, to, in, n)
	if out := exec &^ in; out != 0 {
		to.clear(out)
	}
	p.choose(rows, n)
}

// before returns the rows for components before DST_SEL: rows itself if DST_SEL
// changes nothing.
func (p *Plane) before(rows *Rows) *Rows {
	if p.selects == IdentitySelect {
		return rows
	}
	return &p.turned
}

// choose applies DST_SEL to the rows that before returned.
func (p *Plane) choose(rows *Rows, n int) {
	if p.selects == IdentitySelect {
		return
	}
	for i := range rows {
		sel := p.selects >> (selBits * i) & 7
		if sel >= SelX {
			copy(rows[i][:n], p.turned[(sel-SelX)&3][:n])
			continue
		}
		v := p.texels.Choose(&Texel{}, sel)
		for l := range rows[i][:n] {
			rows[i][l] = v
		}
	}
}

// unpack sets rows to the components that the format has, and the others to 0.
func (p *Plane) unpack(raw, rows *Rows, in uint64, n int) {
	if p.coding == anyElements {
		p.unpackEach(raw, rows, in)
		return
	}
	for i := range rows {
		if to := rows[i][:n]; i < p.count {
			p.unpackField(raw[p.fields[i].word&3][:n], to, i)
		} else {
			clear(to)
		}
	}
}

func (p *Plane) unpackEach(raw, rows *Rows, in uint64) {
	for ; in != 0; in &= in - 1 {
		l := bits.TrailingZeros64(in) & 63
		p.raw = Raw{raw[0][l], raw[1][l], raw[2][l], raw[3][l]}
		c := p.texels.read(p.texels, &p.raw)
		rows[0][l], rows[1][l], rows[2][l], rows[3][l] = c[0], c[1], c[2], c[3]
	}
}

// unpackField sets to to component i of elements whose dwords with it are in
// from, which has the same length.
func (p *Plane) unpackField(from, to []uint32, i int) {
	f := &p.fields[i]
	shift, m := f.shift&31, mask(f.width)
	switch {
	case p.coding == dwords:
		copy(to, from)
	case p.SIMD && p.unpackLanes(from, to, f):
	case p.coding == octets:
		t := unorm8.Get()
		for l := range to {
			to[l] = t[from[l&63]>>shift&255]
		}
	case p.coding == integers && p.texels.Num == Sint:
		for l := range to {
			to[l] = uint32(int32(from[l&63]<<((32-shift-f.width)&31)) >> ((32 - f.width) & 31))
		}
	case p.coding == integers:
		for l := range to {
			to[l] = from[l&63] >> shift & m
		}
	default:
		for l := range to {
			to[l] = p.texels.decode(from[l&63]>>shift&m, f.width, i)
		}
	}
}

// Pack sets raw to the elements for components of n lanes in the order of the
// registers, before the inverse of DST_SEL, for the lanes of exec.
func (p *Plane) Pack(rows, raw *Rows, exec uint64, n int) {
	m := rows
	if p.selects != IdentitySelect {
		m = &p.turned
		*m = Rows{}
		for k := 3; k >= 0; k-- {
			if v := p.selects >> (selBits * k) & 7; v >= SelX {
				m[(v-SelX)&3] = rows[k]
			}
		}
	}
	if p.coding == anyElements {
		p.packEach(m, raw, exec)
		return
	}
	if p.coding != dwords {
		for i := range (p.Step + 3) / 4 {
			clear(raw[i&3][:n])
		}
	}
	for i := range p.count {
		p.packField(m[i&3][:n], raw[p.fields[i].word&3][:n], i)
	}
}

func (p *Plane) packEach(rows, raw *Rows, exec uint64) {
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		r := p.texels.Pack(&Texel{rows[0][l], rows[1][l], rows[2][l], rows[3][l]})
		raw[0][l], raw[1][l], raw[2][l], raw[3][l] = r[0], r[1], r[2], r[3]
	}
}

// packField adds component i in from to the dwords in to.
func (p *Plane) packField(from, to []uint32, i int) {
	f := &p.fields[i]
	shift, m := f.shift&31, mask(f.width)
	switch {
	case p.coding == dwords:
		copy(to, from)
	case p.SIMD && p.packLanes(from, to, f):
	case p.coding == octets:
		for l := range to {
			to[l] |= packUnorm8(from[l&63]) << shift
		}
	case p.coding == integers:
		for l := range to {
			to[l] |= from[l&63] & m << shift
		}
	default:
		for l := range to {
			to[l] |= p.texels.encode(from[l&63], f.width, i) & m << shift
		}
	}
}

// packUnorm8 converts a float to 8 bits, rounded to nearest even. NaN is 0.
func packUnorm8(v uint32) uint32 {
	x := float64(math.Float32frombits(v))
	switch {
	case !(x > 0):
		return 0
	case x > 1:
		return 255
	}
	const unit = 1 << 52 // the last bit of a sum with it is worth 1
	return uint32(math.Float64bits(x*255+unit)) & 255
}

// element sets c to the components at an offset in bytes.
func (p *Plane) element(at int32, c *Texel) {
	w := p.Words[at>>2:]
	v := atomic.LoadUint32(&w[0]) >> (at & 3 * 8)
	if p.coding == octets && p.Step == 4 {
		t := unorm8.Get()
		*c = Texel{t[v&255], t[v>>8&255], t[v>>16&255], t[v>>24]}
		return
	}
	if p.Step < 4 {
		v &= 1<<(p.Step&3*8) - 1
	}
	p.raw = Raw{v}
	for i := 1; i < int(p.Step)/4; i++ {
		p.raw[i&3] = atomic.LoadUint32(&w[i])
	}
	*c = p.texels.read(p.texels, &p.raw)
}

// Sample sets rows to the filtered texels at the points of the lanes of exec,
// after DST_SEL.
func (p *Plane) Sample(u, v *[64]float32, exec uint64, n int, rows *Rows) {
	to := p.before(rows)
	left := exec
	if p.SIMD && p.inner[0] > 0 && p.inner[1] > 0 {
		left = p.blendLanes(u, v, exec, n, to)
	}
	var c Texel
	for ; left != 0; left &= left - 1 {
		l := bits.TrailingZeros64(left) & 63
		p.sample(u[l], v[l], &c)
		to[0][l], to[1][l], to[2][l], to[3][l] = c[0], c[1], c[2], c[3]
	}
	p.choose(rows, n)
}

// sample sets c to the filtered texels at a point, before DST_SEL.
func (p *Plane) sample(u, v float32, c *Texel) {
	fx, fy := p.inside(u, 0), p.inside(v, 1)
	if p.coding == octets && p.Step == 4 && fx >= 0 && fy >= 0 {
		p.blendBytes(fx, fy, c)
	} else {
		p.sampleEdge(u, v, c)
	}
}

// inside returns a coordinate's distance from the middle of the first texel in
// 1/256 of a texel, if a linear filter blends two texels of the image, which no
// clamp mode changes. Otherwise it returns a negative number.
func (p *Plane) inside(u float32, d int) int32 {
	x := float64(u)*p.scale[d] + 0.5
	if !(x >= fixedHalf && x < float64(p.inner[d]+fixedHalf)) {
		return -1
	}
	return int32(x) - fixedHalf
}

// blendBytes sets c to the weighted sum of four texels of a format with four
// components of 8 bits.
func (p *Plane) blendBytes(fx, fy int32, c *Texel) {
	at := int(fy>>fixedBits*(p.pitch/4) + fx>>fixedBits)
	upper := p.Words[at:][:2]
	lower := p.Words[at+int(p.pitch/4):][:2]
	x1, y1 := uint32(fx&(fixedOne-1)), uint32(fy&(fixedOne-1))
	x0, y0 := fixedOne-x1, fixedOne-y1
	texels := [4]uint32{atomic.LoadUint32(&upper[0]), atomic.LoadUint32(&upper[1]), atomic.LoadUint32(&lower[0]), atomic.LoadUint32(&lower[1])}
	weights := [4]uint32{x0 * y0, x1 * y0, x0 * y1, x1 * y1}
	for k := range c {
		var sum, high uint32
		for i, v := range texels {
			o := v >> (8 * k) & 255
			sum += weights[i] * o
			high += weights[i] * (1 << bits.Len32(o) >> 1) // the highest bit of o
		}
		c[k] = math.Float32bits(scaleOctets(sum, high))
	}
}

// scaleOctets returns the weighted sum of the values of components of 8 bits,
// from the weighted sums of the components and of their highest bits. The value
// of a component is its quotient by 255, rounded to 24 bits. In base 256, all
// digits of the quotient are equal to the component, so the digits after the 24
// bits begin with its highest bit: the quotient is rounded up, and 2^31 times it
// is 0x808080 times the component plus its highest bit. The sum of the weights is
// 2^16.
func scaleOctets(sum, high uint32) float32 {
	return float32(float64(uint64(sum)*0x808080+uint64(high)) / (1 << 47))
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
	s := &p.sampler
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
	p.element(y*p.pitch+x*p.Step, c)
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
