package isa

// MovesRay reports whether a ray-tracing instruction tests instances, whose
// transformation it applies to the ray in its address registers.
func (e Enc) MovesRay() bool {
	r := imageShapes.Get()[e].ray
	return r != nil && r.data > rayBVH.data
}
