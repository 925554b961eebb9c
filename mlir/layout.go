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

// HasIdentityLayout reports whether the map of a memref's layout is the identity: there is none, or
// one dimension has stride 1.
func HasIdentityLayout(t *Type) bool {
	l := t.Layout
	return l == nil || l.Kind == StridedLayoutAttr && l.Int == 0 && len(l.Ints) == 1 && l.Ints[0] == 1
}

// LayoutSymbols returns the number of values in a memref's layout that are only known when the
// program runs.
func LayoutSymbols(t *Type) (n int) {
	switch l := t.Layout; {
	case l == nil:
	case l.Kind == AffineMapAttr:
		n = l.Map.Symbols
	case l.Kind == StridedLayoutAttr:
		if l.Int == Dynamic {
			n++
		}
		for _, v := range l.Ints {
			if v == Dynamic {
				n++
			}
		}
	}
	return n
}
