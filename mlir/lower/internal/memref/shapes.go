package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

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
