package image

import "unsafe"

// planeBlend holds the parameters of the functions in plane_amd64.s.
type planeBlend struct {
	scale [2]float64
	last  [2]uint32 // the greatest distances inside
	words unsafe.Pointer
	pitch int64 // bytes
}

// blendOctets filters the texels of four components of 8 bits for the lanes of
// exec whose footprints are in the image; see Plane.inside. It returns the other
// lanes of exec. The rows of lanes that it does not filter have any values.
//
//go:noescape
func blendOctets(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)

// blendFloats is blendOctets for texels of four floats.
//
//go:noescape
func blendFloats(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)

// planeBounds holds the parameters of locateLanes: the last coordinates, and the
// bytes from texel to texel and from row to row.
type planeBounds struct{ x, y, step, pitch uint32 }

// locateLanes sets at to the offsets of texels in bytes and returns the lanes
// whose texels are in the image. The other lanes' offsets have any values.
//
//go:noescape
func locateLanes(p *planeBounds, x, y *uint32, at *int32, n int) (in uint64)

// locate is Locate for all lanes.
func (p *Plane) locate(x, y *[64]uint32, at *[64]int32, n int) (in uint64) {
	b := planeBounds{p.width - 1, p.height - 1, uint32(p.Step), uint32(p.pitch)}
	return locateLanes(&b, &x[0], &y[0], &at[0], n)
}

// blendLanes filters lanes whose footprints are in the image, if the format is a
// common one, and returns the lanes of exec that it did not filter.
func (p *Plane) blendLanes(u, v *[64]float32, exec uint64, n int, rows *Rows) (left uint64) {
	b := planeBlend{p.scale, [2]uint32{uint32(p.inner[0]) - 1, uint32(p.inner[1]) - 1}, unsafe.Pointer(&p.Words[0]), int64(p.pitch)}
	switch {
	case p.coding == octets && p.Step == 4:
		return blendOctets(&b, &u[0], &v[0], rows, exec, n)
	case p.coding == dwords && p.Step == 16:
		return blendFloats(&b, &u[0], &v[0], rows, exec, n)
	}
	return exec
}

// unsignedLanes computes d = s << left >> right for n lanes.
//
//go:noescape
func unsignedLanes(d, s *uint32, left, right uint64, n int)

// signedLanes is unsignedLanes with an arithmetic right shift.
//
//go:noescape
func signedLanes(d, s *uint32, left, right uint64, n int)

// quotientLanes is unsignedLanes for a component of 8 bits, which it converts to
// a float in the range from 0 to 1.
//
//go:noescape
func quotientLanes(d, s *uint32, left, right uint64, n int)

// placeLanes adds a component to elements: d |= s << right >> left for n lanes.
//
//go:noescape
func placeLanes(d, s *uint32, left, right uint64, n int)

// byteLanes is placeLanes for floats, which it converts to 8 bits.
//
//go:noescape
func byteLanes(d, s *uint32, left, right uint64, n int)

// unpackLanes sets to to a component of the elements in from. It returns false if
// it does not know the format.
func (p *Plane) unpackLanes(from, to []uint32, f *planeField) bool {
	convert := unsignedLanes
	switch {
	case p.coding == octets:
		convert = quotientLanes
	case p.coding != integers:
		return false
	case p.texels.Num == Sint:
		convert = signedLanes
	}
	convert(&to[0], &from[0], uint64(32-f.shift-f.width), uint64(32-f.width), len(to))
	return true
}

// packLanes adds a component in from to the elements in to. It returns false if
// it does not know the format.
func (p *Plane) packLanes(from, to []uint32, f *planeField) bool {
	convert := placeLanes
	switch p.coding {
	case octets:
		convert = byteLanes
	case integers:
	default:
		return false
	}
	convert(&to[0], &from[0], uint64(32-f.shift-f.width), uint64(32-f.width), len(to))
	return true
}
