package sim

import (
	"math/bits"
	"unsafe"
)

// The common image instructions on the common images: linear two-dimensional
// ones with one level, whose elements are whole dwords. image.Plane accesses
// their memory directly; checks need the other functions.

// unbindPlane lets go of the image's memory.
func (st *imageState) unbindPlane() { st.plane.Words = nil }

// bindPlane prepares the plane of the instruction's image. It returns false if
// the instruction needs more.
func (st *imageState) bindPlane(x *imageOp) bool {
	if x.shape.Raw || x.shape.Mip || x.shape.Compare || x.shape.Offset {
		return false
	}
	dims, layer, sample := x.shapeOf(st.tex.View)
	return dims == 2 && !layer && !sample && st.tex.BindPlane(&st.plane)
}

func (st *imageState) loadPlane(x *imageOp, exec uint64) {
	cx, cy := &st.coord[0], &st.coord[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		st.plane.Load(cx[l], cy[l], &st.texel)
		st.putTexel(x, l, &st.texel)
	}
	st.unbindPlane()
}

func (st *imageState) samplePlane(x *imageOp, exec uint64) {
	u, v := &st.point[0], &st.point[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		st.plane.Sample(u[l], v[l], &st.texel)
		st.putTexel(x, l, &st.texel)
	}
	st.unbindPlane()
}

func (st *imageState) storePlane(x *imageOp, exec uint64) {
	p := &st.plane
	cx, cy := &st.coord[0], &st.coord[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		at := p.Index(cx[l], cy[l])
		if at < 0 {
			continue
		}
		st.takeTexel(x, l)
		raw := p.Pack(&st.texel)
		for i := range p.Step {
			store32(unsafe.Pointer(&p.Words[at+int(i)]), raw[i&3])
		}
	}
	st.unbindPlane()
}
