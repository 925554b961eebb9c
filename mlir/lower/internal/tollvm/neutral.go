package tollvm

import (
	"math"

	"github.com/gfx-toolchain/gfx/mlir"
)

// Neutral returns the attribute of the value of a type, or of a vector of such values, that changes no result of a
// kind of combination: "add", "minsi", "maximumf" and so on, as reductions of the dialects gpu and vector name them. It
// is nil if there is none.
func Neutral(c *mlir.Context, kind string, t *mlir.Type) *mlir.Attr {
	elem := t.ElementOrSelf()
	if elem.Kind == mlir.FloatKind {
		v, ok := neutralFloat(kind)
		if !ok {
			return nil
		}
		return FloatAttr(c, t, v)
	}
	v, ok := neutralInteger(kind, elem)
	switch {
	case !ok:
		return nil
	case t.Kind != mlir.VectorKind:
		return c.IntAttr(elem, v)
	}
	return c.DenseElements(t, c.DenseInts(elem, []int64{v}).Raw, true)
}

// neutralInteger returns the integer that changes no result. The smallest and the largest index are unknown.
func neutralInteger(kind string, elem *mlir.Type) (v int64, ok bool) {
	isInteger := elem.Kind == mlir.IntegerKind && elem.Width > 0 && elem.Width <= 64
	switch kind {
	case "add", "or", "xor", "maxui":
		return 0, isInteger || elem.Kind == mlir.IndexKind
	case "mul":
		return 1, isInteger || elem.Kind == mlir.IndexKind
	case "and", "minui":
		return -1, isInteger || elem.Kind == mlir.IndexKind
	case "maxsi":
		return math.MinInt64 >> (64 - min(elem.Width, 64)), isInteger
	case "minsi":
		return math.MaxInt64 >> (64 - min(elem.Width, 64)), isInteger
	}
	return 0, false
}

// neutralFloat returns the number that changes no result.
func neutralFloat(kind string) (v float64, ok bool) {
	switch kind {
	case "add":
		return math.Copysign(0, -1), true
	case "mul":
		return 1, true
	case "maximumf":
		return math.Inf(-1), true
	case "minimumf":
		return math.Inf(1), true
	case "maxnumf", "minnumf":
		return math.NaN(), true
	}
	return 0, false
}
