package mlir

// StridesAndOffset returns the strides and the offset of a memref in elements; ok
// is false if its layout is not a strided one.
func StridesAndOffset(t *Type) (strides []int64, offset int64, ok bool) {
	switch l := t.Layout; {
	case l == nil:
		return IdentityStrides(t.Shape), 0, true
	case l.Kind == StridedLayoutAttr:
		return l.Ints, l.Int, true
	case l.Kind == AffineMapAttr:
		return l.Map.Strides()
	}
	return nil, 0, false
}

// IdentityStrides returns the strides of a memref without gaps, in elements.
// They are Dynamic left of a dynamic size.
func IdentityStrides(shape []int64) []int64 {
	strides := make([]int64, len(shape))
	n := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		if n == Dynamic || shape[i] == Dynamic {
			n = Dynamic
			continue
		}
		n *= shape[i]
	}
	return strides
}
