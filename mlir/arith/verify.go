package arith

import (
	"errors"

	"github.com/gfx-toolchain/gfx/mlir"
)

// verifyWiden checks that a cast increases the width of numbers of a kind.
func verifyWiden(_ *mlir.Context, o *mlir.Op) error {
	return mlir.VerifyCast(o, width(o.Result(0)) > width(o.Operand(0)))
}

// verifyNarrow checks that a cast decreases the width of numbers of a kind.
func verifyNarrow(_ *mlir.Context, o *mlir.Op) error {
	return mlir.VerifyCast(o, width(o.Result(0)) < width(o.Operand(0)))
}

// width returns the width of a number, or of the elements of a vector or tensor, in bits.
func width(v *mlir.Value) int { return v.Type.ElementOrSelf().BitWidth() }

func verifyBitcast(_ *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	isMemRef := func(t *mlir.Type) bool { return t.Kind == mlir.MemRefKind || t.Kind == mlir.UnrankedMemRefKind }
	w := width(o.Operand(0))
	return mlir.VerifyCast(o, w != 0 && w == width(o.Result(0)) && isMemRef(from) == isMemRef(to))
}

func verifyIndexCast(_ *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type.ElementOrSelf(), o.Result(0).Type.ElementOrSelf()
	return mlir.VerifyCast(o, (from.Kind == mlir.IndexKind) != (to.Kind == mlir.IndexKind))
}

func verifyConstant(_ *mlir.Context, o *mlir.Op) error {
	t, a := o.Result(0).Type, o.Attr("value")
	switch {
	case t.Kind == mlir.IntegerKind && t.Sign != mlir.Signless:
		return errors.New("integer return type must be signless")
	case a.Kind != mlir.IntegerAttr && a.Kind != mlir.FloatAttr && a.Kind != mlir.DenseElementsAttr &&
		a.Kind != mlir.DenseResourceAttr && a.Kind != mlir.SparseElementsAttr && a.Kind != mlir.DenseArrayAttr:
		return errors.New("value must be an integer, float, or elements attribute")
	case t.IsScalable() && !a.Splat:
		return errors.New("intializing scalable vectors with elements attribute is not supported unless it's a vector splat")
	}
	return nil
}
