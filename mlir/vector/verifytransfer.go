package vector

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// transferOf returns the types and the map of a transfer, and the type of its mask or nil.
func transferOf(o *mlir.Op) (t transfer, mask *mlir.Type) {
	base := "base"
	if o.NamedType(base) == nil {
		base = "source"
	}
	t.shaped = o.NamedType(base)
	if t.vector = o.NamedType("vector"); t.vector == nil {
		t.vector = o.NamedType("valueToStore")
	}
	t.perm = o.Attr("permutation_map").Map
	return t, o.NamedType("mask")
}

// verify checks the rules that reads and writes share.
func (t *transfer) verify(c *mlir.Context, o *mlir.Op, mask *mlir.Type) error {
	if o.Attr("masked") != nil {
		return mlir.OpErrorf("masked attribute has been removed. Use in_bounds instead.")
	}
	if t.shaped.Kind != mlir.MemRefKind && t.shaped.Kind != mlir.TensorKind {
		return errors.New("requires source to be a memref or ranked tensor type")
	}
	if err := t.verifyElements(mask); err != nil {
		return err
	}
	bounds := len(o.Attr("in_bounds").List)
	switch {
	case t.perm.Symbols != 0:
		return errors.New("requires permutation_map without symbols")
	case t.perm.Dims != len(t.shaped.Shape):
		return errors.New("requires a permutation_map with input dims of the same rank as the source type")
	case mask != nil && mask != maskType(c, t.vector, t.perm):
		return fmt.Errorf("inferred mask type ('%s') and mask operand type ('%s') don't match", maskType(c, t.vector, t.perm), mask)
	case len(t.perm.Results) != bounds:
		return fmt.Errorf("expects the in_bounds attr of same rank as permutation_map results: %s vs inBounds of size: %d",
			o.Attr("permutation_map"), bounds)
	case c.Edition == mlir.Edition19 && t.repeatsOutside(o.Attr("in_bounds").Int64s()):
		return errors.New("requires broadcast dimensions to be in-bounds")
	}
	return nil
}

// repeatsOutside reports whether a dimension along which elements are repeated is not in bounds.
func (t *transfer) repeatsOutside(inBounds []int64) bool {
	for i, e := range t.perm.Results {
		if e.Kind == mlir.ConstantExpr && inBounds[i] == 0 {
			return true
		}
	}
	return false
}

// verifyElements compares the elements of the vector with the elements in memory.
func (t *transfer) verifyElements(mask *mlir.Type) error {
	elem := t.shaped.Elem
	row := bitsOf(t.vector.Elem) * last(t.vector.Shape)
	rank := len(t.vector.Shape)
	if elem.Kind != mlir.VectorKind {
		if n := bitsOf(elem); n == 0 || row%n != 0 {
			return errors.New("requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of the source element type")
		}
	} else {
		if n := bitsOf(elem.Elem) * last(elem.Shape); n == 0 || row%n != 0 {
			return errors.New("requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of the minor 1-D vector of the source")
		}
		if rank -= len(elem.Shape); rank < 0 {
			return mlir.OpErrorf("requires source vector element and vector result ranks to match.")
		}
	}
	if len(t.perm.Results) != rank {
		return errors.New("requires a permutation_map with result dims of the same rank as the vector type")
	}
	if elem.Kind == mlir.VectorKind && mask != nil {
		return errors.New("does not support masks with vector element type")
	}
	return nil
}

// verifyPermutation checks that the results of the map are different dimensions or zero.
func verifyPermutation(m *mlir.AffineMap) error {
	seen := make([]bool, m.Dims)
	for _, e := range m.Results {
		switch {
		case e.IsConst(0):
		case e.Kind != mlir.DimExpr:
			return errors.New("requires a projected permutation_map (at most one dim or the zero constant can appear in each result)")
		case seen[e.Value]:
			return errors.New("requires a permutation_map that is a permutation (found one dim used more than once)")
		default:
			seen[e.Value] = true
		}
	}
	return nil
}

func verifyRead(c *mlir.Context, o *mlir.Op) error {
	t, mask := transferOf(o)
	err := verifyIndices(o, "indices", t.shaped)
	if err == nil {
		err = t.verify(c, o, mask)
	}
	if err != nil {
		return err
	}
	padding := o.NamedType("padding")
	switch elem := t.shaped.Elem; {
	case elem.Kind == mlir.VectorKind:
		if elem != padding {
			return mlir.OpErrorf("requires source element type and padding type to match.")
		}
	case !isElement(padding):
		return errors.New("requires valid padding vector elemental type")
	case padding != elem:
		return errors.New("requires formal padding and source of the same elemental type")
	}
	return verifyPermutation(t.perm)
}

// isElement reports whether vectors can have elements of a type.
func isElement(t *mlir.Type) bool {
	return t.Kind == mlir.FloatKind || t.IsIntOrIndex() || t.IsDialect("llvm", "ptr")
}

// outputs returns the number of results of a write: a tensor is a new one afterwards.
func outputs(t *mlir.Type) int {
	if t.Kind == mlir.TensorKind {
		return 1
	}
	return 0
}

func verifyWrite(c *mlir.Context, o *mlir.Op) error {
	t, mask := transferOf(o)
	if err := verifyIndices(o, "indices", t.shaped); err != nil {
		return err
	}
	for _, e := range t.perm.Results {
		if e.IsConst(0) {
			return errors.New("should not have broadcast dimensions")
		}
	}
	if err := t.verify(c, o, mask); err != nil {
		return err
	}
	if err := verifyPermutation(t.perm); err != nil {
		return err
	}
	if n := outputs(t.shaped); len(o.Results) != n {
		return fmt.Errorf("expected the number of tensor results (%d) to be equal to the number of output tensors (%d)", len(o.Results), n)
	}
	if len(o.Results) > 0 && o.Result(0).Type != t.shaped {
		return fmt.Errorf("expected type of operand #1 ('%s') to match type of corresponding result ('%s')", t.shaped, o.Result(0).Type)
	}
	return nil
}
