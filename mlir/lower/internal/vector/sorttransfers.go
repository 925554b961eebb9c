package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	vectors "github.com/gfx-toolchain/gfx/mlir/vector"
)

// sortTransfers replaces masked transfers within o whose vectors have the memref's dimensions in another order, or
// repeat elements along a dimension, by ones in the memref's order, whose masks have the vector's dimensions.
func sortTransfers(c *mlir.Context, o *mlir.Op) {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == "vector.transfer_read" || p.Name == "vector.transfer_write" {
			list = append(list, p)
		}
		return true
	})
	for _, p := range list {
		if t := transferOf(p); t.mask > 0 && !t.vector.IsScalable() && !isAscending(t.order) {
			sortTransfer(c.Before(p).From(p), &t)
		}
	}
}

// isAscending reports whether the results of a map are dimensions in ascending order.
func isAscending(m *mlir.AffineMap) bool {
	last := int64(-1)
	for _, e := range m.Results {
		if e.Kind != mlir.DimExpr || e.Value <= last {
			return false
		}
		last = e.Value
	}
	return true
}

func sortTransfer(b *mlir.Builder, t *transfer) {
	var repeated, order []int // dimensions of the vector
	for i, e := range t.order.Results {
		if e.Kind == mlir.DimExpr {
			order = append(order, i)
		} else {
			repeated = append(repeated, i)
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortFunc(order, func(i, k int) int { return int(t.order.Results[i].Value - t.order.Results[k].Value) })
	sorted := &mlir.AffineMap{Dims: t.order.Dims, Symbols: t.order.Symbols}
	var bounds []*mlir.Attr
	var shape []int64
	for _, i := range order {
		sorted.Results = append(sorted.Results, t.order.Results[i])
		bounds = append(bounds, b.Context.Bool(t.isInBounds(i)))
		shape = append(shape, t.vector.Shape[i])
	}
	row := b.Context.Vector(t.vector.Elem, shape...)
	state := mlir.OpState{Name: t.o.Name, Operands: operandsOf(t.o), Attrs: slices.Clone(t.o.Attrs)}
	if len(t.o.Results) == 0 {
		state.Operands[0] = transposed(b, state.Operands[0], order)
	} else {
		state.Types = []*mlir.Type{row}
	}
	state.SetAttr("permutation_map", b.Context.MapAttr(sorted))
	state.SetAttr("in_bounds", b.Context.Array(bounds...))
	made := b.Create(state)
	if len(t.o.Results) == 0 {
		t.o.Erase()
		return
	}
	v := made.Result(0)
	order = append(slices.Clone(repeated), order...)
	if len(repeated) > 0 {
		shape = shape[:0]
		for _, i := range order {
			shape = append(shape, t.vector.Shape[i])
		}
		v = vectors.NewBroadcast(b, b.Context.Vector(t.vector.Elem, shape...), v)
	}
	back := make([]int, len(order))
	for at, i := range order {
		back[i] = at
	}
	t.o.Replace(transposed(b, v, back))
}

// transposed returns a vector whose dimension i is the dimension order[i] of v.
func transposed(b *mlir.Builder, v *mlir.Value, order []int) *mlir.Value {
	permutation, shape := make([]int64, len(order)), make([]int64, len(order))
	for i, p := range order {
		permutation[i], shape[i] = int64(p), v.Type.Shape[p]
	}
	return vectors.NewTranspose(b, b.Context.Vector(v.Type.Elem, shape...), v, permutation)
}
