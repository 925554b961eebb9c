package sim

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/isa"
)

// runImageSample executes image_sample and image_gather4 in all forms, and
// image_get_lod.
func runImageSample(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	if !st.bindSampler(x) {
		return
	}
	st.floatCoords(x)
	if x.shape.Kind == isa.ImageSample && st.tex.Sampler.SamplesPlane() && st.bindPlane(x) {
		st.samplePlane(x, exec)
		st.unbindPlane()
		return
	}
	for ; exec != 0; exec &= exec - 1 {
		st.sampleLane(x, bits.TrailingZeros64(exec)&63)
		if w.fault != nil {
			return
		}
	}
}

// bindSampler decodes the sampler. It returns false after a fault.
func (st *imageState) bindSampler(x *imageOp) bool {
	w, t := st.w, &st.tex
	if words := (*[4]uint32)(w.s[x.samp:]); !st.sampled || *words != st.samplerWords {
		st.sampler, st.samplerWords, st.sampled = image.DecodeSampler(w.dev.set, words), *words, true
	}
	t.Sampler = st.sampler
	t.Sampler.Unnormalized = t.Sampler.Unnormalized || x.unorm
	if t.Sampler.Border == image.BorderMemory && t.Sampler.UsesBorder() {
		return st.loadBorder()
	}
	t.Border = t.BorderColor(t.Sampler.Border)
	return true
}

// loadBorder reads the border colour that the sampler refers to by number. It
// returns false after a fault.
func (st *imageState) loadBorder() bool {
	const bytes = 16 // of a colour
	w := st.w
	table := w.dev.opts.BorderColors
	if table == 0 {
		w.pc = w.at
		w.fail(device.FaultUnsupported, "the sampler's border colour is in a table in memory, and the device has no table (device.Options.BorderColors)")
		return false
	}
	addr := table + uint64(st.tex.Sampler.BorderIndex)*bytes
	r := w.region(addr, bytes)
	if r == nil {
		w.badAccess("load of a border colour", -1, addr, bytes)
		return false
	}
	for i := range st.tex.Border {
		st.tex.Border[i] = load32(hostAt(r, addr+uint64(4*i)))
	}
	return true
}

// floatCoords reads the parts of the address: offset, bias, comparison value,
// derivatives, coordinates, level of detail.
func (st *imageState) floatCoords(x *imageOp) {
	w := st.w
	n := 0
	for i, has := range [...]bool{x.shape.Offset, x.shape.Bias, x.shape.Compare} {
		if has {
			copy(st.extra[i][:w.lanes], w.v[x.addr[n]:])
			n++
		}
	}
	grads := x.gradients(st.tex.View)
	p := x.parts(grads)
	if x.shape.Gradients {
		st.readGradients(x, p.grads, grads)
	}
	dims, layer, _ := x.shapeOf(st.tex.View)
	if !layer {
		st.point[3] = [64]float32{}
	}
	to := [...]int{0, 1, 2, 3, 4}
	count := dims
	if layer {
		to[count] = 3
		count++
	}
	if x.shape.Lod || x.shape.Clamp {
		to[count] = 4
		count++
	}
	for i, k := range to[:count] {
		if !x.a16 {
			copy((*[64]uint32)(unsafe.Pointer(&st.point[k]))[:w.lanes], w.v[x.addr[(p.coords+i)&15]:])
			continue
		}
		for l := range w.lanes {
			st.point[k][l&63] = x.readFloat(w, true, p.coords, i, l)
		}
	}
}

// readFloat reads value i, of 16 or 32 bits, of the values that begin at a dword.
func (x *imageOp) readFloat(w *wave, narrow bool, first, i, l int) float32 {
	v := w.v[x.addr[(first+i)&15]:][l]
	if narrow {
		v = image.UnpackHalf(x.readHalf(w, first, i, l))
	}
	return math.Float32frombits(v)
}

// readGradients reads the derivatives: of all coordinates in x direction, then in
// y direction. With 16 bits, each direction begins in a dword of its own.
func (st *imageState) readGradients(x *imageOp, first, n int) {
	w := st.w
	per := n / 2
	for i := range n {
		at, k := first, i
		if x.g16 && i >= per {
			at, k = first+(per+1)/2, i-per
		}
		for l := range w.lanes {
			st.grad[i/per*3+i%per][l&63] = x.readFloat(w, x.g16, at, k, l)
		}
	}
}

// sampleLane samples in one lane.
func (st *imageState) sampleLane(x *imageOp, l int) {
	st.lane = l
	t, p, s := &st.tex, &st.pt, x.shape
	*p = image.Point{At: [3]float32{st.point[0][l], st.point[1][l], st.point[2][l]}, Layer: st.point[3][l], Steps: 1}
	if s.Offset {
		for i := range p.Offset {
			p.Offset[i] = int32(st.extra[0][l]<<(26-8*i)) >> 26
		}
	}
	if s.Compare {
		p.Ref = math.Float32frombits(st.extra[2][l])
	}
	raw := st.level(x, l)
	switch s.Kind {
	case isa.ImageLOD:
		st.texel = t.Query(p.LOD, raw)
	case isa.ImageGather:
		st.gather(x, l)
		return
	default:
		st.texel = t.Sample(p, s.Compare)
	}
	if st.w.fault == nil {
		st.putTexel(x, l, &st.texel)
	}
}

// gather gathers in one lane. DMASK selects the component.
func (st *imageState) gather(x *imageOp, l int) {
	c := st.tex.Gather(&st.pt, bits.TrailingZeros32(x.dmask), x.shape.Compare, x.shape.Row)
	if st.w.fault != nil {
		return
	}
	for i, v := range c {
		st.putOne(x, st.w.v[x.data:], l, i, v)
	}
	st.status(x, l)
}

// level sets the level of detail of a lane's point, and returns it before the
// limits.
func (st *imageState) level(x *imageOp, l int) (raw float64) {
	t, p, s := &st.tex, &st.pt, x.shape
	lod, bias, clamp := 0.0, float32(0), float32(0)
	switch {
	case s.LevelZero:
	case s.Lod:
		lod = float64(st.point[4][l])
	default:
		q := t.Gradient(st.gradient(x, l))
		lod, p.Steps, p.Major = q.Raw, q.Steps, q.Major
	}
	if s.Bias {
		bias = math.Float32frombits(st.extra[1][l])
		if x.a16 {
			bias = math.Float32frombits(image.UnpackHalf(st.extra[1][l] & 0xffff))
		}
	}
	if s.Clamp {
		clamp = st.point[4][l]
	}
	p.LOD, raw = t.Limit(lod, bias, clamp)
	return raw
}

// gradient returns the derivatives of a lane: from the address, or the
// differences in the lane's quad.
func (st *imageState) gradient(x *imageOp, l int) *image.Gradients {
	g := &st.slope
	if x.shape.Gradients {
		for i := range 3 {
			g.X[i], g.Y[i] = st.grad[i][l], st.grad[3+i][l]
		}
		return g
	}
	quad := l &^ 3
	for i := range 3 {
		c := &st.point[i]
		g.X[i], g.Y[i] = c[quad+1]-c[quad], c[quad+2]-c[quad]
	}
	return g
}
