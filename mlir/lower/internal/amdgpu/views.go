package amdgpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// opsNamed returns the operations of a name within top.
func opsNamed(top *mlir.Op, name string) (list []*mlir.Op) {
	top.Walk(func(o *mlir.Op) bool {
		if o.Name == name {
			list = append(list, o)
		}
		return true
	})
	return list
}

// FoldViews replaces views of memrefs that amdgpu.gather_to_lds reads or writes by the
// memrefs of which they are views, with other indices. Of a view of a view the last one is replaced.
func FoldViews(c *mlir.Context, top *mlir.Op) {
	for _, o := range opsNamed(top, "amdgpu.gather_to_lds") {
		e := emitter{c.Before(o).From(o)}
		src, srcIndices, a := e.unview(one(o, "src"), o.Named("srcIndices"))
		dst, dstIndices, b := e.unview(one(o, "dst"), o.Named("dstIndices"))
		if !a && !b {
			continue
		}
		o.SetOperands(slices.Concat(tollvm.Values(src), srcIndices, tollvm.Values(dst), dstIndices)...)
		o.SetAttr("operandSegmentSizes", c.DenseI32Array(1, int64(len(srcIndices)), 1, int64(len(dstIndices))))
	}
}

// unview returns the memref of which v is a view, and the indices of the same element
// in it. ok is false if v is no view.
func (e emitter) unview(v *mlir.Value, indices []*mlir.Value) (base *mlir.Value, to []*mlir.Value, ok bool) {
	if v.Op == nil {
		return v, indices, false
	}
	switch o := v.Op; o.Name {
	case "memref.subview":
		dropped := tollvm.DroppedDims(o)
		if dropped == nil || countFalse(dropped) != len(indices) {
			return v, indices, false
		}
		return o.Operand(0), e.inSource(o, dropped, indices), true
	case "memref.expand_shape":
		return o.Operand(0), e.linearized(o, indices), true
	case "memref.collapse_shape":
		return o.Operand(0), e.delinearized(o, indices), true
	}
	return v, indices, false
}

// inSource returns the indices in the memref of which a subview is a part.
func (e emitter) inSource(o *mlir.Op, dropped []bool, indices []*mlir.Value) []*mlir.Value {
	offsets, strides := mixedOf(o, "static_offsets", "offsets"), mixedOf(o, "static_strides", "strides")
	list := make([]*mlir.Value, len(offsets.static))
	for i := range list {
		var s symbolList
		expr := mlir.Const(0)
		if !dropped[i] {
			expr = s.of(indices[0]).Mul(s.element(strides, i))
			indices = indices[1:]
		}
		expr = expr.Add(s.element(offsets, i))
		list[i] = e.apply(expr, s.values...)
	}
	return list
}

func countFalse(list []bool) (n int) {
	for _, v := range list {
		if !v {
			n++
		}
	}
	return n
}

// linearized returns the indices in a memref whose dimensions are split by
// memref.expand_shape.
func (e emitter) linearized(o *mlir.Op, indices []*mlir.Value) (list []*mlir.Value) {
	c := e.Context
	shape := mixedOf(o, "static_output_shape", "output_shape")
	for _, group := range groupsOf(o) {
		if len(group) == 1 {
			list = append(list, indices[group[0]])
			continue
		}
		var operands, sizes []*mlir.Value
		var static []int64
		for _, d := range group {
			operands = append(operands, indices[d])
			static = append(static, shape.static[d])
			if v := shape.value(int(d)); v != nil {
				sizes = append(sizes, v)
			}
		}
		n := e.Create(mlir.OpState{Name: "affine.linearize_index", Types: []*mlir.Type{c.Index()}, Operands: append(operands, sizes...),
			Attrs: []mlir.NamedAttr{{Name: "static_basis", Attr: c.DenseI64Array(static...)},
				{Name: "operandSegmentSizes", Attr: c.DenseI32Array(int64(len(operands)), int64(len(sizes)))}}})
		list = append(list, n.Result(0))
	}
	return list
}

// groupsOf returns the groups of dimensions that an operation joins or splits.
func groupsOf(o *mlir.Op) (groups [][]int64) {
	for _, g := range o.Attr("reassociation").List {
		groups = append(groups, g.Int64s())
	}
	return groups
}

// delinearized returns the indices in a memref whose dimensions are joined by
// memref.collapse_shape.
func (e emitter) delinearized(o *mlir.Op, indices []*mlir.Value) (list []*mlir.Value) {
	c := e.Context
	src := o.Operand(0)
	var meta *mlir.Op
	groups := groupsOf(o)
	if len(groups) == 0 { // of rank 0, all sizes are 1
		for range src.Type.Shape {
			list = append(list, e.index(0))
		}
		return list
	}
	for i, group := range groups {
		if len(group) == 1 {
			list = append(list, indices[i])
			continue
		}
		operands := tollvm.Values(indices[i])
		var static []int64
		types := make([]*mlir.Type, len(group))
		for j, d := range group {
			types[j] = c.Index()
			n := src.Type.Shape[d]
			static = append(static, n)
			if n == mlir.Dynamic {
				if meta == nil {
					meta = e.metadata(src)
				}
				operands = append(operands, meta.Result(2+int(d)))
			}
		}
		split := e.Create(mlir.OpState{Name: "affine.delinearize_index", Types: types, Operands: operands,
			Attrs: []mlir.NamedAttr{{Name: "static_basis", Attr: c.DenseI64Array(static...)}}})
		list = append(list, split.Results...)
	}
	return list
}

// metadata creates memref.extract_strided_metadata: base, offset, sizes and strides.
func (e emitter) metadata(v *mlir.Value) *mlir.Op {
	c := e.Context
	types := []*mlir.Type{c.MemRefType(nil, v.Type.Elem, nil, v.Type.Space), c.Index()}
	for range 2 * len(v.Type.Shape) {
		types = append(types, c.Index())
	}
	return e.Create(mlir.OpState{Name: "memref.extract_strided_metadata", Types: types, Operands: tollvm.Values(v)})
}

// ResolveMetadata replaces the metadata of fat raw buffers by the metadata of the memrefs that
// they were cast from.
func ResolveMetadata(c *mlir.Context, top *mlir.Op) {
	for _, o := range opsNamed(top, "memref.extract_strided_metadata") {
		cast := o.Operand(0).Op
		if cast == nil || cast.Name != "amdgpu.fat_raw_buffer_cast" {
			continue
		}
		e := emitter{c.Before(o).From(cast)}
		e.resolve(o, cast)
		if !cast.Result(0).HasUses() {
			cast.Erase()
		}
	}
}

func (e emitter) resolve(o, cast *mlir.Op) {
	src := cast.Operand(0)
	strides, offset, _ := mlir.StridesAndOffset(src.Type)
	meta := e.metadata(src)
	known := append([]int64{mlir.Dynamic, offset}, src.Type.Shape...)
	known = append(known, strides...)
	if cast.Attr("resetOffset") != nil {
		known[1] = 0
	}
	for i, r := range o.Results {
		switch {
		case !r.HasUses():
		case i == 0:
			r.ReplaceUses(e.base(cast.Result(0), r.Type))
		case known[i] != mlir.Dynamic:
			r.ReplaceUses(e.index(known[i]))
		default:
			r.ReplaceUses(meta.Result(i))
		}
	}
	o.Erase()
	for _, r := range meta.Results {
		if r.HasUses() {
			return
		}
	}
	meta.Erase()
}

// base returns the memref of rank 0 at the start of v.
func (e emitter) base(v *mlir.Value, t *mlir.Type) *mlir.Value {
	if v.Type == t {
		return v
	}
	c := e.Context
	return e.Create(mlir.OpState{Name: "memref.reinterpret_cast", Types: []*mlir.Type{t}, Operands: tollvm.Values(v), Attrs: []mlir.NamedAttr{
		{Name: "static_offsets", Attr: c.DenseI64Array(0)}, {Name: "static_sizes", Attr: c.DenseI64Array()},
		{Name: "static_strides", Attr: c.DenseI64Array()}, {Name: "operandSegmentSizes", Attr: c.DenseI32Array(1, 0, 0, 0)}}}).Result(0)
}
