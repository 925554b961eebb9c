package image

import "math"

// Gradients holds the derivatives of the coordinates in both directions of the
// screen.
type Gradients struct{ X, Y [3]float32 }

// LODQuery is the result of Texture.LOD.
type LODQuery struct {
	LOD   int32 // for Point.LOD, in 1/256 of a level
	Raw   float64
	Steps int32
	Major [3]float32
}

// Gradient computes the level of detail for derivatives, without bias and
// limits, and, if the sampler is anisotropic, the points of the footprint. The
// level of detail is relative to the first level of the view.
//
// Source: Vulkan, "Scale factor operation, level-of-detail operation"; the
// anisotropic footprint is the one of EXT_texture_filter_anisotropic.
func (t *Texture) Gradient(g *Gradients) (q LODQuery) {
	q.Steps = 1
	if t.Texels == nil {
		return q
	}
	px, py := t.length(&g.X), t.length(&g.Y)
	far, near := max(px, py), min(px, py)
	s := &t.Sampler
	if most := 1 << s.MaxAniso; s.MaxAniso > 0 && (s.Min >= FilterAnisoPoint || s.Mag >= FilterAnisoPoint) && far > 0 {
		n := float64(most)
		if near > 0 {
			n = min(math.Ceil(far/near), n)
		}
		q.Steps, q.Major = int32(n), g.X
		if py > px {
			q.Major = g.Y
		}
		far /= n
	}
	q.Raw = math.Log2(far)
	return q
}

// length returns the length of a derivative in texels of the view's first level.
func (t *Texture) length(d *[3]float32) float64 {
	sum := 0.0
	for i := range t.Kind.Dims() {
		x := float64(d[i])
		if !t.Sampler.Unnormalized {
			x *= float64(t.levels[0].size[i])
		}
		sum += x * x
	}
	return math.Sqrt(sum)
}

// Limit adds the biases to a level of detail and limits it: to the sampler's
// levels, to the least one of the resource, and to clamp. It returns the result
// in 1/256 of a level, and the level of detail before the limits.
func (t *Texture) Limit(lod float64, bias, clamp float32) (limited int32, raw float64) {
	s := &t.Sampler
	raw = lod + float64(bias) + float64(s.Bias)/fixedOne
	least := s.MinLOD
	if t.View != nil {
		least = max(least, int32(t.MinLOD)-int32(t.FirstLevel)*fixedOne)
	}
	if clamp > 0 {
		least = max(least, int32(min(float64(clamp)*fixedOne, 1<<20)))
	}
	v := least
	if x := raw * fixedOne; x >= 1<<20 {
		v = 1 << 20
	} else if x > -1<<20 {
		v = int32(math.Floor(x + 0.5))
	}
	return max(min(v, s.MaxLOD), least), raw
}

// Query returns the result of image_get_lod: the level that a sample would
// access, and the level of detail before the limits.
func (t *Texture) Query(limited int32, raw float64) (c Texel) {
	lo, _, frac := t.levelsAt(limited)
	c[0] = math.Float32bits(float32(lo) + float32(frac)/fixedOne)
	c[1] = math.Float32bits(float32(raw))
	return c
}
