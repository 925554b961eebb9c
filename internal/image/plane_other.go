//go:build !amd64

package image

// blendLanes filters no lanes and returns exec.
func (p *Plane) blendLanes(u, v *[64]float32, exec uint64, n int, rows *Rows) (left uint64) {
	return exec
}

// locate is not called without SIMD.
func (p *Plane) locate(x, y *[64]uint32, at *[64]int32, n int) (in uint64) { return 0 }

// unpackLanes returns false: there is no SIMD.
func (p *Plane) unpackLanes(from, to []uint32, f *planeField) bool { return false }

// packLanes returns false: there is no SIMD.
func (p *Plane) packLanes(from, to []uint32, f *planeField) bool { return false }
