package mlir

import "slices"

// A predicate is the condition of a rule PredOpTrait. values are the types of
// the values that the rule mentions.
type predicate struct {
	name  string
	holds func(o *Op, values []*Type) bool
}

var predicates = [...]predicate{
	{"same-element-type", func(_ *Op, values []*Type) bool { return allSame(values, (*Type).ElementOrSelf) }},
	{"same-tensor-dims", sameTensorDims},
	{"even-last-size", func(_ *Op, values []*Type) bool {
		shape := values[0].Shape
		return len(shape) == 0 || shape[len(shape)-1]%2 == 0
	}},
	{"print-string-alone", printStringAlone},
	{"position-multiple-of-result", func(o *Op, _ []*Type) bool { return isPositionMultiple(o, o.Results[0].Type) }},
	{"position-multiple-of-source", func(o *Op, _ []*Type) bool { return isPositionMultiple(o, o.Operand(0).Type) }},
	{"vectors-within-2^17-bits", vectorsWithinLimit},
	{"no-scalable-from-fixed", func(o *Op, _ []*Type) bool { return !o.Results[0].Type.IsScalable() || o.Operand(0).Type.IsScalable() }},
	{"no-scalable-into-fixed", func(o *Op, _ []*Type) bool { return !o.Operand(1).Type.IsScalable() || o.Operand(0).Type.IsScalable() }},
	{"twice-elements", func(o *Op, values []*Type) bool {
		from, to := values[0], o.Results[0].Type
		return from.Kind == VectorKind && to.Kind == VectorKind && to.NumElements() == 2*from.NumElements() && from.Elem == to.Elem
	}},
}

func predicateNamed(name string) *predicate {
	for i := range predicates {
		if predicates[i].name == name {
			return &predicates[i]
		}
	}
	return nil
}

// allSame reports whether a property is the same for all types.
func allSame[T comparable](list []*Type, property func(*Type) T) bool {
	for _, t := range list[min(1, len(list)):] {
		if property(t) != property(list[0]) {
			return false
		}
	}
	return true
}

// sameTensorDims compares the sizes of the first operand and the first result, if
// either is a tensor.
func sameTensorDims(o *Op, _ []*Type) bool {
	dims := func(t *Type) []int64 {
		if t.Kind == TensorKind {
			return t.Shape
		}
		return nil
	}
	from, to := o.Operand(0).Type, o.Results[0].Type
	isTensor := func(t *Type) bool { return t.Kind == TensorKind || t.Kind == UnrankedTensorKind }
	return isTensor(from) != isTensor(to) || slices.Equal(dims(from), dims(to)) // others have another shape
}

// printStringAlone is the rule of vector.print: with a string there is neither a
// vector nor other punctuation than a new line.
func printStringAlone(o *Op, _ []*Type) bool {
	p := o.Attr("punctuation")
	return o.Attr("stringLiteral") == nil || len(o.Operands) == 0 && (p == nil || p.Text == "newline")
}

// isPositionMultiple reports whether the attribute pos is a multiple of a
// vector's length.
func isPositionMultiple(o *Op, t *Type) bool {
	pos := o.Attr("pos")
	n := t.NumElements()
	return pos != nil && n > 0 && pos.Int%n == 0
}

// maxVectorBits is the size in bits of the largest vector of LLVM's intrinsics
// vector.insert and vector.extract.
const maxVectorBits = 1 << 17

func vectorsWithinLimit(o *Op, _ []*Type) bool {
	small := func(t *Type) bool {
		return t.Kind != VectorKind || t.NumElements() <= maxVectorBits && t.NumElements()*int64(t.Elem.BitWidth()) <= maxVectorBits
	}
	return small(o.Operand(0).Type) && small(o.Results[0].Type)
}
