package memref

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	ops "github.com/gfx-toolchain/gfx/mlir/memref"
)

// A view describes a memref: a buffer of rank 0, and the offset, sizes and strides with which it is
// addressed.
type view struct {
	base           *mlir.Value
	offset         number
	sizes, strides []number
}

// An expansion replaces the operations that create views.
type expansion struct {
	*mlir.Builder
	made []*mlir.Op // views that may have no uses in the end
}

// A viewRule returns the view that an operation creates from the view of its operand, or nil if it
// cannot be described.
type viewRule func(x *expansion, o *mlir.Op, from *view) *view

// viewRules are the operations that ExpandMetadata replaces.
var viewRules = [...]struct {
	name string
	view viewRule
}{
	{"memref.collapse_shape", collapsed},
	{"memref.expand_shape", expanded},
	{"memref.subview", subview},
}

func viewRuleOf(name string) viewRule {
	for _, r := range viewRules {
		if r.name == name {
			return r.view
		}
	}
	return nil
}

// ExpandMetadata replaces subviews, collapsed and expanded shapes within o by memref.reinterpret_cast, whose
// offsets, sizes and strides are computed from the offsets, sizes and strides of the source.
func ExpandMetadata(c *mlir.Context, o *mlir.Op) error {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if viewRuleOf(p.Name) != nil || p.Name == metadataName || p.Name == alignedName {
			list = append(list, p)
		}
		return true
	})
	x := &expansion{Builder: c.AtEnd(nil)}
	for _, p := range list {
		x.MoveBefore(p)
		x.From(p)
		x.replace(p)
	}
	for _, p := range slices.Backward(append(list, x.made...)) {
		eraseUnused(p)
	}
	return nil
}

const (
	metadataName = "memref.extract_strided_metadata"
	alignedName  = "memref.extract_aligned_pointer_as_index"
)

// replace replaces one operation.
func (x *expansion) replace(o *mlir.Op) {
	switch o.Name {
	case metadataName:
		x.metadata(o)
		return
	case alignedName:
		if from := viewSource(o.Operand(0)); from != nil {
			o.Operands[0].Set(from)
		}
		return
	}
	from := x.viewOf(o.Operand(0))
	if from == nil {
		return
	}
	if v := viewRuleOf(o.Name)(x, o, from); v != nil {
		o.Replace(x.reinterpret(v, o.Result(0).Type))
	}
}

// reinterpret creates the memref of a view.
func (x *expansion) reinterpret(v *view, t *mlir.Type) *mlir.Value {
	v.refine(t)
	offsets, staticOffsets := split([]number{v.offset})
	sizes, staticSizes := split(v.sizes)
	strides, staticStrides := split(v.strides)
	m := ops.NewReinterpretCast(x.Builder, t, v.base, offsets, sizes, strides, staticOffsets, staticSizes, staticStrides)
	x.made = append(x.made, m.Op)
	return m
}

// metadata replaces the results that are known.
func (x *expansion) metadata(o *mlir.Op) {
	from := x.knownView(o.Operand(0))
	if from == nil {
		from = typeView(o)
	}
	rank := len(from.sizes)
	if from.base != o.Result(0) {
		o.Result(0).ReplaceUses(from.base)
	}
	x.replaceNumber(o.Result(1), from.offset)
	for i := range rank {
		x.replaceNumber(o.Result(2+i), from.sizes[i])
		x.replaceNumber(o.Result(2+rank+i), from.strides[i])
	}
}

func (x *expansion) replaceNumber(r *mlir.Value, n number) {
	if n.value != r && r.HasUses() {
		r.ReplaceUses(n.indexValue(x.Builder))
	}
}

// refine replaces numbers by those that the type of the memref knows.
func (v *view) refine(t *mlir.Type) *view {
	strides, offset, _ := mlir.StridesAndOffset(t)
	known := func(n *number, k int64) {
		if k != mlir.Dynamic {
			*n = constant(k)
		}
	}
	known(&v.offset, offset)
	for i, n := range t.Shape {
		known(&v.sizes[i], n)
		known(&v.strides[i], strides[i])
	}
	return v
}

// typeView returns the view that memref.extract_strided_metadata takes apart, with what its type
// knows.
func typeView(o *mlir.Op) *view {
	rank := len(o.Operand(0).Type.Shape)
	v := &view{base: o.Result(0), offset: valueNumber(o.Result(1))}
	for i := range rank {
		v.sizes = append(v.sizes, valueNumber(o.Result(2+i)))
		v.strides = append(v.strides, valueNumber(o.Result(2+rank+i)))
	}
	return v.refine(o.Operand(0).Type)
}

// viewOf returns the view of a memref. It is nil if the layout is not strided.
func (x *expansion) viewOf(m *mlir.Value) *view {
	switch v := x.knownView(m); {
	case v != nil:
		return v
	case !isStrided(m.Type):
		return nil
	}
	return typeView(x.extract(m))
}

func isStrided(t *mlir.Type) bool {
	if t.Kind != mlir.MemRefKind {
		return false
	}
	_, _, ok := mlir.StridesAndOffset(t)
	return ok
}

// extract creates memref.extract_strided_metadata.
func (x *expansion) extract(m *mlir.Value) *mlir.Op {
	index := make([]*mlir.Type, len(m.Type.Shape))
	for i := range index {
		index[i] = x.Context.Index()
	}
	base := x.Context.MemRefType(nil, m.Type.Elem, nil, m.Type.Space)
	o := ops.NewExtractStridedMetadata(x.Builder, base, index, index, m)
	x.made = append(x.made, o)
	return o
}

// knownView returns the view of a memref that another operation describes, or nil.
func (x *expansion) knownView(m *mlir.Value) *view {
	o := m.Op
	if o == nil || !isStrided(m.Type) {
		return nil
	}
	var v *view
	switch o.Name {
	case metadataName: // the base buffer itself
		return &view{base: m}
	case "memref.cast":
		v = x.viewOf(o.Operand(0))
	case "memref.reinterpret_cast":
		v = x.viewOf(o.Operand(0))
		if v != nil {
			v.offset = mixedNumbers(o.Named("offsets"), o.Attr("static_offsets").Int64s())[0]
			v.sizes, v.strides = operandNumbers(o)
		}
	}
	if v != nil {
		v.refine(m.Type)
	}
	return v
}

// operandNumbers returns the sizes and strides that an operation has as operands.
func operandNumbers(o *mlir.Op) (sizes, strides []number) {
	return mixedNumbers(o.Named("sizes"), o.Attr("static_sizes").Int64s()),
		mixedNumbers(o.Named("strides"), o.Attr("static_strides").Int64s())
}

// viewSource returns the memref of which m is a view with the same aligned pointer, or nil.
func viewSource(m *mlir.Value) *mlir.Value {
	if m.Op == nil || !isStrided(m.Type) {
		return nil
	}
	if viewRuleOf(m.Op.Name) == nil && m.Op.Name != "memref.reinterpret_cast" {
		return nil
	}
	if from := viewSource(m.Op.Operand(0)); from != nil {
		return from
	}
	return m.Op.Operand(0)
}

// eraseUnused erases an operation that creates a view or takes one apart, if it has no uses.
func eraseUnused(o *mlir.Op) {
	if o.Block == nil {
		return
	}
	for _, r := range o.Results {
		if r.HasUses() {
			return
		}
	}
	o.Erase()
}

// subview adds offsets, in the strides of the source, and leaves dimensions out that the result
// does not have.
func subview(x *expansion, o *mlir.Op, from *view) *view {
	offsets := mixedNumbers(o.Named("offsets"), o.Attr("static_offsets").Int64s())
	sizes, steps := operandNumbers(o)
	dropped := tollvm.DroppedDims(o)
	if dropped == nil {
		return nil
	}
	v := &view{base: from.base}
	f := &formula{}
	sum := f.expr(from.offset)
	for i, n := range offsets {
		sum = sum.Add(f.expr(n).Mul(f.expr(from.strides[i])))
		if !dropped[i] {
			v.sizes = append(v.sizes, sizes[i])
			v.strides = append(v.strides, product(x.Builder, steps[i], from.strides[i]))
		}
	}
	v.offset = f.number(x.Builder, sum)
	return v
}
