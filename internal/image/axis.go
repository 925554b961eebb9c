package image

import "math"

// fixedBits is the number of fractional bits of coordinates in texels, of levels
// of detail, and of weights. Source: AMD's ISA documents for the levels of
// detail, Direct3D's functional specification for the others.
const (
	fixedBits = 8
	fixedOne  = 1 << fixedBits
	fixedHalf = fixedOne / 2
)

// axis holds the texels of a footprint in one direction.
type axis struct {
	at     [2]int32 // positions; -1 is outside, in the border
	weight [2]int32 // in 1/256; the sum is 256
	n      int
}

// farthest is the greatest distance of a coordinate from the origin in 1/256 of
// a texel.
const farthest = 1 << 28

// fixed converts a coordinate to 1/256 of a texel. Coordinates outside the image
// of a periodic mode are reduced to the first period, so that they keep their
// precision. NaN is 0.
func fixed(u float32, size int32, c ClampMode, normalized, truncate bool) int32 {
	x := float64(u)
	if normalized {
		switch c {
		case ClampWrap:
			x -= math.Floor(x)
		case ClampMirror:
			x -= 2 * math.Floor(x/2)
		}
		x *= float64(size)
	} else if n := float64(size); c <= ClampMirror && math.Abs(x) >= n {
		n *= float64(c + 1) // the period
		x -= n * math.Floor(x/n)
	}
	x *= fixedOne
	if !truncate {
		x += 0.5
	}
	switch {
	case x != x:
		return 0
	case x >= farthest:
		return farthest
	case x <= -farthest:
		return -farthest
	}
	return int32(math.Floor(x))
}

// clampTexel returns the position of a texel after the clamp mode, or -1 in the
// border.
func clampTexel(i, size int32, c ClampMode) int32 {
	if uint32(i) < uint32(size) {
		return i
	}
	switch c {
	case ClampWrap:
		if i %= size; i < 0 {
			i += size
		}
		return i
	case ClampMirror:
		if i %= 2 * size; i < 0 {
			i += 2 * size
		}
		if i >= size {
			i = 2*size - 1 - i
		}
		return i
	case ClampLastTexel:
		return min(max(i, 0), size-1)
	case ClampMirrorOnceLastTexel:
		return min(mirrorOnce(i), size-1)
	case ClampMirrorOnceHalfBorder, ClampMirrorOnceBorder:
		if i = mirrorOnce(i); i < size {
			return i
		}
	}
	return -1
}

func mirrorOnce(i int32) int32 {
	if i < 0 {
		return -1 - i
	}
	return i
}

// halfBorder limits a coordinate to the image, so that a linear filter blends at
// most half of the border.
func halfBorder(f, size int32, c ClampMode) int32 {
	switch c {
	case ClampHalfBorder:
		return min(max(f, 0), size*fixedOne)
	case ClampMirrorOnceHalfBorder:
		return min(max(f, -size*fixedOne), size*fixedOne)
	}
	return f
}

// pointMode is the clamp mode of a point filter: half of a border is none.
var pointMode = [8]ClampMode{ClampWrap, ClampMirror, ClampLastTexel, ClampMirrorOnceLastTexel, ClampLastTexel, ClampMirrorOnceLastTexel, ClampBorder, ClampMirrorOnceBorder}

// footprint computes the texels of a coordinate in one direction.
func (s *Sampler) footprint(a *axis, u float32, size int32, c ClampMode, linear bool, offset int32) {
	if !linear {
		c = pointMode[c]
		f := fixed(u, size, c, !s.Unnormalized, s.TruncCoord)
		a.at[0], a.weight[0], a.n = clampTexel(f>>fixedBits+offset, size, c), fixedOne, 1
		return
	}
	f := halfBorder(fixed(u, size, c, !s.Unnormalized, false), size, c) - fixedHalf
	i, frac := f>>fixedBits+offset, f&(fixedOne-1)
	a.at[0], a.weight[0], a.n = clampTexel(i, size, c), fixedOne-frac, 1
	if frac != 0 {
		a.at[1], a.weight[1], a.n = clampTexel(i+1, size, c), frac, 2
	}
}

// single is the only texel of a direction that the image lacks.
var single = axis{weight: [2]int32{fixedOne}, n: 1}
