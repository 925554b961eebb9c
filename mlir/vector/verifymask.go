package vector

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// verifyMask checks the region of vector.mask: at most one operation that can be masked, and the
// terminator, which yields its results.
func verifyMask(c *mlir.Context, o *mlir.Op) error {
	b := o.Regions[0].Entry()
	op := b.First()
	if op == nil {
		return errors.New("expects a terminator within the mask region")
	}
	yield := op.Next()
	if yield == nil {
		op, yield = nil, op
	}
	switch {
	case yield.Next() != nil:
		return errors.New("expects only one operation to mask")
	case yield.Name != "vector.yield":
		return errors.New("expects a terminator within the mask region")
	case len(yield.Operands) != len(o.Results):
		return errors.New("expects number of results to match mask region yielded values")
	case op == nil:
		return nil
	}
	want, ok := maskFor(c, op)
	if !ok && c.Edition == mlir.Edition19 {
		return nil
	}
	if !ok {
		return errors.New("expects a MaskableOpInterface within the mask region")
	}
	if len(op.Results) != len(o.Results) {
		return errors.New("expects number of results to match maskable operation number of results")
	}
	for i, r := range op.Results {
		if yield.Operand(i) != r && c.Edition != mlir.Edition19 {
			return errors.New("expects all the results from the MaskableOpInterface to match all the values returned by the terminator")
		}
		if r.Type != o.Result(i).Type {
			return errors.New("expects result type to match maskable operation result type")
		}
	}
	switch {
	case want != nil && o.Operand(0).Type != want:
		return fmt.Errorf("expects a '%s' mask for the maskable operation", want)
	case len(o.Operands) > 1 && op.Name != "vector.transfer_read":
		return errors.New("doesn't expect a passthru argument for this maskable operation")
	case len(o.Operands) > 1 && o.Operand(1).Type != op.Result(0).Type:
		return errors.New("expects passthru type to match result type")
	}
	return nil
}

// maskFor returns the type of the mask of an operation that can be masked, or nil if the operation
// itself is wrong; ok is false for other operations.
func maskFor(c *mlir.Context, o *mlir.Op) (mask *mlir.Type, ok bool) {
	bits := func(t *mlir.Type) *mlir.Type {
		if t == nil || t.Kind != mlir.VectorKind {
			return nil
		}
		return c.VectorType(t.Shape, t.Scalable, c.Integer(1))
	}
	switch o.Name {
	case "vector.transfer_read", "vector.transfer_write":
		if a := o.Attr("permutation_map"); a == nil || a.Kind != mlir.AffineMapAttr {
			return nil, true
		}
		t, _ := transferOf(o)
		if t.vector == nil || t.vector.Kind != mlir.VectorKind || len(t.perm.Results) > len(t.vector.Shape) {
			return nil, true
		}
		return maskType(c, t.vector, t.perm), true
	case "vector.gather", "vector.outerproduct":
		return bits(resultOf(o)), true
	case "vector.reduction", "vector.multi_reduction":
		return bits(operandOf(o)), true
	case "vector.contract":
		return contractMask(c, o), true
	}
	return nil, false
}

// resultOf returns the type of the first result of an operation that may be wrong, or nil.
func resultOf(o *mlir.Op) *mlir.Type {
	if len(o.Results) == 0 {
		return nil
	}
	return o.Result(0).Type
}

// operandOf returns the type of the first operand of an operation that may be wrong, or nil.
func operandOf(o *mlir.Op) *mlir.Type {
	if len(o.Operands) == 0 {
		return nil
	}
	return o.Operand(0).Type
}

// contractMask returns the mask of a contraction: a lane for each position of the loops.
func contractMask(c *mlir.Context, o *mlir.Op) *mlir.Type {
	kinds, maps := o.Attr("iterator_types"), o.Attr("indexing_maps")
	if kinds == nil || maps == nil || len(maps.List) < 2 || len(o.Operands) < 2 {
		return nil
	}
	loops := len(kinds.List)
	shape, scalable := make([]int64, loops), make([]bool, loops)
	for i, a := range maps.List[:2] {
		t := o.Operand(i).Type
		if a.Kind != mlir.AffineMapAttr || t.Kind != mlir.VectorKind || len(a.Map.Results) != len(t.Shape) {
			return nil
		}
		for k, e := range a.Map.Results {
			if e.Kind != mlir.DimExpr || int(e.Value) >= loops {
				return nil
			}
			shape[e.Value], scalable[e.Value] = t.Shape[k], isScalableAt(t, k)
		}
	}
	return c.VectorType(shape, orNil(scalable), c.Integer(1))
}
