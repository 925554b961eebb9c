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
	if n := bits.Len32(x.dmask); x.dmask == 1<<n-1 && !x.d16 && !x.tfe && st.plane.Direct(n) {
		st.loadDirect(x, exec, n)
		return
	}
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		st.plane.Load(cx[l], cy[l], &st.texel)
		st.putTexel(x, l, &st.texel)
	}
}

func (st *imageState) samplePlane(x *imageOp, exec uint64) {
	u, v := &st.point[0], &st.point[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		st.plane.Sample(u[l], v[l], &st.texel)
		st.putTexel(x, l, &st.texel)
	}
}

// loadDirect loads n components that are dwords in memory.
func (st *imageState) loadDirect(x *imageOp, exec uint64, n int) {
	p, d, lanes := &st.plane, st.w.v[x.data:], st.w.lanes
	cx, cy := &st.coord[0], &st.coord[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		at := p.Index(cx[l], cy[l])
		for i := range n {
			v := uint32(0)
			if at >= 0 {
				v = load32(unsafe.Pointer(&p.Words[at+i]))
			}
			d[i*lanes+l] = v
		}
	}
}

// storeDirect stores n components that are dwords in memory.
func (st *imageState) storeDirect(x *imageOp, exec uint64, n int) {
	p, d, lanes := &st.plane, st.w.v[x.data:], st.w.lanes
	cx, cy := &st.coord[0], &st.coord[1]
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		at := p.Index(cx[l], cy[l])
		if at < 0 {
			continue
		}
		for i := range n {
			store32(unsafe.Pointer(&p.Words[at+i]), d[i*lanes+l])
		}
	}
}

func (st *imageState) storePlane(x *imageOp, exec uint64) {
	p := &st.plane
	if n := int(p.Step); !x.d16 && x.dmask&(1<<n-1) == 1<<n-1 && p.Direct(n) {
		st.storeDirect(x, exec, n)
		return
	}
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
}
