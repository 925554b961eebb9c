package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// droppedDims returns the dimensions of a subview's source that its result does not have. It is nil if the
// result has none of the shapes that are possible.
func droppedDims(o *mlir.Op) []bool {
	from, to := o.Operand(0).Type, o.Result(0).Type
	dropped := make([]bool, len(from.Shape))
	excess := len(from.Shape) - len(to.Shape)
	if excess == 0 {
		return dropped
	}
	units := 0
	for i, n := range o.Attr("static_sizes").Int64s() {
		if n == 1 {
			dropped[i] = true
			units++
		}
	}
	if units == excess || keepByStride(o, dropped) == excess {
		return dropped
	}
	return nil
}

// keepByStride removes dimensions of size 1 from dropped whose strides the result has, and returns
// the number of those that remain.
func keepByStride(o *mlir.Op, dropped []bool) (left int) {
	steps := o.Attr("static_strides").Int64s()
	strides, _, _ := mlir.StridesAndOffset(o.Operand(0).Type)
	before, after := map[int64]int{}, map[int64]int{}
	all := make([]int64, len(strides))
	for i, s := range strides {
		all[i] = mlir.Dynamic
		if s != mlir.Dynamic && steps[i] != mlir.Dynamic {
			all[i] = s * steps[i]
		}
		before[all[i]]++
	}
	to, _, _ := mlir.StridesAndOffset(o.Result(0).Type)
	for _, s := range to {
		after[s]++
	}
	for i, s := range all {
		switch {
		case !dropped[i]:
		case before[s] > after[s]:
			before[s]--
			left++
		default:
			dropped[i] = false
		}
	}
	return left
}

// groups returns the dimensions that belong together in a change of shape.
func groups(o *mlir.Op) [][]int64 {
	var list [][]int64
	for _, g := range o.Attr("reassociation").List {
		dims := make([]int64, len(g.List))
		for i, a := range g.List {
			dims[i] = a.Int
		}
		list = append(list, dims)
	}
	return list
}

// collapsed multiplies the sizes of each group of dimensions. The stride is the last one, of
// a dimension whose size is not 1.
func collapsed(x *expansion, o *mlir.Op, from *view) *view {
	t := o.Result(0).Type
	v := &view{base: from.base, offset: from.offset}
	for i, group := range groups(o) {
		var sizes []number
		stride := from.strides[group[len(group)-1]]
		for _, d := range group {
			sizes = append(sizes, from.sizes[d])
			if o.Operand(0).Type.Shape[d] != 1 {
				stride = from.strides[d]
			}
		}
		size := constant(t.Shape[i])
		if t.Shape[i] == mlir.Dynamic {
			size = product(x.Builder, sizes...)
		}
		v.sizes = append(v.sizes, size)
		v.strides = append(v.strides, stride)
	}
	return v
}

// expanded divides the dimensions into groups. A size that is not known is the rest of its group
// if it is the only one.
func expanded(x *expansion, o *mlir.Op, from *view) *view {
	t := o.Result(0).Type
	rank := len(t.Shape)
	v := &view{base: from.base, offset: from.offset, sizes: make([]number, rank), strides: make([]number, rank)}
	asked := mixedNumbers(o.Named("output_shape"), o.Attr("static_output_shape").Int64s())
	for d, n := range t.Shape {
		v.sizes[d] = asked[d]
		if n != mlir.Dynamic {
			v.sizes[d] = constant(n)
		}
	}
	for i, group := range groups(o) {
		x.onlyUnknown(v, t, group, from.sizes[i])
		factors := []number{from.strides[i]}
		for k := len(group) - 1; k >= 0; k-- {
			v.strides[group[k]] = product(x.Builder, factors...)
			factors = append(factors, v.sizes[group[k]])
		}
	}
	return v
}

// onlyUnknown computes the size of a group's dimension that alone is not known, from the size of the
// whole group.
func (x *expansion) onlyUnknown(v *view, t *mlir.Type, group []int64, whole number) {
	known, unknown := int64(1), int64(-1)
	for _, d := range group {
		switch {
		case t.Shape[d] != mlir.Dynamic:
			known *= t.Shape[d]
		case unknown >= 0:
			return
		default:
			unknown = d
		}
	}
	if unknown < 0 || known == 0 {
		return
	}
	f := &formula{}
	v.sizes[unknown] = f.number(x.Builder, f.expr(whole).FloorDiv(mlir.Const(known)))
}
