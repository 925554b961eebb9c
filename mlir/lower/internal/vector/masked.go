package vector

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var maskedRules = []rule{
	{"compressstore", compressStore},
	{"expandload", expandLoad},
	{"gather", gather},
	{"maskedload", maskedLoad},
	{"maskedstore", maskedStore},
	{"print", printed},
	{"scatter", scatter},
	{"transfer_read", transferRead},
	{"transfer_write", transferWrite},
	{"type_cast", typeCast},
}

// align is the attribute of masked accesses to a memref's elements.
func (l lowering) align(o *mlir.Op, memref *mlir.Type) mlir.NamedAttr {
	return tollvm.Named("alignment", l.Context.I32Attr(l.alignment(o, memref)))
}

// isUnit reports whether the last dimension of a memref is contiguous.
func isUnit(memref *mlir.Type) bool {
	strides, _, _ := mlir.StridesAndOffset(memref)
	return len(strides) > 0 && strides[len(strides)-1] == 1
}

// loadMasked creates a load of the lanes in a mask; the other lanes are taken from other.
func (l lowering) loadMasked(p, mask, other *mlir.Value, align mlir.NamedAttr) *mlir.Value {
	return l.Emit("llvm.intr.masked.load", other.Type, tollvm.Values(p, mask, other), align)
}

func maskedLoad(l lowering, o *mlir.Op) error {
	memref := o.Operand(0).Type
	n := len(memref.Shape)
	if len(o.Result(0).Type.Shape) != 1 || !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 0, 1)
	l.Replace(o, l.loadMasked(p, l.Operand(o, n+1), l.Operand(o, n+2), l.align(o, memref)))
	return nil
}

func maskedStore(l lowering, o *mlir.Op) error {
	memref := o.Operand(0).Type
	n := len(memref.Shape)
	if len(o.Operand(n+2).Type.Shape) != 1 || !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 0, 1)
	l.EmitVoid("llvm.intr.masked.store", tollvm.Values(l.Operand(o, n+2), p, l.Operand(o, n+1)), l.align(o, memref))
	o.Erase()
	return nil
}

func expandLoad(l lowering, o *mlir.Op) error {
	memref, t := o.Operand(0).Type, o.Result(0).Type
	n := len(memref.Shape)
	if len(t.Shape) != 1 || !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 0, 1)
	l.Replace(o, l.Emit("llvm.intr.masked.expandload", l.Convert(t), tollvm.Values(p, l.Operand(o, n+1), l.Operand(o, n+2))))
	return nil
}

func compressStore(l lowering, o *mlir.Op) error {
	memref := o.Operand(0).Type
	n := len(memref.Shape)
	if len(o.Operand(n+2).Type.Shape) != 1 || !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 0, 1)
	l.EmitVoid("llvm.intr.masked.compressstore", tollvm.Values(l.Operand(o, n+2), p, l.Operand(o, n+1)))
	o.Erase()
	return nil
}

// pointers returns the pointers to the elements of a memref whose distances from p are in
// an LLVM vector.
func (l lowering) pointers(p *mlir.Value, memref *mlir.Type, distances *mlir.Value) *mlir.Value {
	list := l.GEPBy(p, l.Convert(memref.Elem), tollvm.MayWrap, distances)
	list.Type = l.vectorOfPointers(p.Type, distances.Type.Shape[0])
	return list
}

// vectorOfPointers returns the type of n pointers, which builtin vectors of edition 19 cannot have.
func (l lowering) vectorOfPointers(p *mlir.Type, n int64) *mlir.Type {
	if l.Context.Edition == mlir.Edition19 {
		return l.Context.DialectType("llvm", "vec",
			mlir.Param{Kind: mlir.IntParam, Int: n}, mlir.Param{Kind: mlir.TypeParam, Type: p})
	}
	return l.Context.Vector(p, n)
}

// gather converts vector.gather row by row.
func gather(l lowering, o *mlir.Op) error {
	memref, t := o.Operand(0).Type, o.Result(0).Type
	n := len(memref.Shape)
	if !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p, at, mask, other := l.element(o, 0, 1), l.Operand(o, n+1), l.Operand(o, n+2), l.Operand(o, n+3)
	align, row := l.align(o, memref), l.rowType(t)
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		list := l.pointers(p, memref, l.part(at, o.Operand(n+1).Type, pos...))
		return l.Emit("llvm.intr.masked.gather", row,
			tollvm.Values(list, l.part(mask, o.Operand(n+2).Type, pos...), l.part(other, t, pos...)), align)
	}))
	return nil
}

// scatter converts vector.scatter row by row: of lanes with one address, the last one counts.
func scatter(l lowering, o *mlir.Op) error {
	memref := o.Operand(0).Type
	n := len(memref.Shape)
	if !isUnit(memref) {
		return rewrite.ErrNoMatch
	}
	p, at, mask, v := l.element(o, 0, 1), l.Operand(o, n+1), l.Operand(o, n+2), l.Operand(o, n+3)
	t, align := o.Operand(n+3).Type, l.align(o, memref)
	positions(rows(t), func(pos []int64) {
		list := l.pointers(p, memref, l.part(at, o.Operand(n+1).Type, pos...))
		l.EmitVoid("llvm.intr.masked.scatter",
			tollvm.Values(l.part(v, t, pos...), list, l.part(mask, o.Operand(n+2).Type, pos...)), align)
	})
	o.Erase()
	return nil
}

// A transfer is vector.transfer_read or vector.transfer_write.
type transfer struct {
	o        *mlir.Op
	vector   *mlir.Type
	base     int // operand: the memref; the indices follow
	mask     int // operand, 0 without
	pad      int // operand of a read
	inBounds []int64
	order    *mlir.AffineMap // from the memref's dimensions to the vector's
}

func transferOf(o *mlir.Op) transfer {
	t := transfer{o: o, order: o.Attr("permutation_map").Map}
	if a := o.Attr("in_bounds"); a != nil {
		t.inBounds = a.Int64s()
	}
	read := o.Name == "vector.transfer_read"
	if read {
		t.vector = o.Result(0).Type
	} else {
		t.vector, t.base = o.Operand(0).Type, 1
	}
	next := t.base + 1 + len(o.Operand(t.base).Type.Shape)
	if read {
		t.pad = next
		next++
	}
	if next < len(o.Operands) {
		t.mask = next
	}
	return t
}

func (t *transfer) memref() *mlir.Type { return t.o.Operand(t.base).Type }

// isInBounds reports whether a dimension of the vector is within the memref.
func (t *transfer) isInBounds(dim int) bool {
	return t.order.Results[dim].Kind == mlir.ConstantExpr || dim < len(t.inBounds) && t.inBounds[dim] != 0
}

// isLastDims reports whether the vector's dimensions are the memref's last ones, in order,
// the last one contiguous.
func (t *transfer) isLastDims() bool {
	more := t.order.Dims - len(t.order.Results)
	for i, e := range t.order.Results {
		if !e.Equal(mlir.Dim(more + i)) {
			return false
		}
	}
	return len(t.order.Results) == 0 || isUnit(t.memref())
}

// isRow reports whether LLVM has an operation for the transfer: its vector is one row of
// the memref.
func (t *transfer) isRow() bool {
	return len(t.vector.Shape) <= 1 && t.vector.Elem == t.memref().Elem && t.isLastDims()
}

// bounds returns the mask of a transfer of a row: the lanes within the memref, and in
// the transfer's own mask. It is nil for all lanes.
func (l lowering) bounds(t *transfer) *mlir.Value {
	var mask *mlir.Value
	if t.mask > 0 {
		mask = l.Operand(t.o, t.mask)
	}
	if len(t.vector.Shape) == 0 || t.isInBounds(0) {
		return mask
	}
	m := l.MemRefOperand(t.o, t.base)
	last := len(m.Type.Shape) - 1
	room := l.Binary("llvm.sub", m.Size(last), l.Operand(t.o, t.base+1+last))
	within := l.first(t.vector.Shape[0], room)
	if mask != nil {
		within = l.Binary("llvm.and", within, mask)
	}
	return within
}

func transferRead(l lowering, o *mlir.Op) error {
	t := transferOf(o)
	if t.isSplat() {
		p := l.element(o, 0, 1)
		x := l.Emit("llvm.load", l.Convert(t.memref().Elem), tollvm.Values(p), l.accessAttrs(o, t.memref())...)
		l.Replace(o, l.splat(x, l.Convert(t.vector)))
		return nil
	}
	if !t.isRow() {
		return rewrite.ErrNoMatch
	}
	mask, row := l.bounds(&t), l.Convert(t.vector)
	if mask != nil {
		other := l.splat(l.Operand(o, t.pad), row)
		l.Replace(o, l.loadMasked(l.element(o, 0, 1), mask, other, l.align(o, t.memref())))
		return nil
	}
	p := l.element(o, 0, 1)
	l.Replace(o, l.Emit("llvm.load", row, tollvm.Values(p), l.accessAttrs(o, t.memref())...))
	return nil
}

// isSplat reports whether all elements of a vector of one dimension are one of the memref.
func (t *transfer) isSplat() bool {
	return len(t.vector.Shape) == 1 && t.mask == 0 && t.order.Results[0].IsConst(0) && t.vector.Elem == t.memref().Elem
}

func transferWrite(l lowering, o *mlir.Op) error {
	t := transferOf(o)
	if !t.isRow() {
		return rewrite.ErrNoMatch
	}
	if mask := l.bounds(&t); mask != nil {
		p := l.element(o, 1, 2)
		l.EmitVoid("llvm.intr.masked.store", tollvm.Values(l.Operand(o, 0), p, mask), l.align(o, t.memref()))
	} else {
		p := l.element(o, 1, 2)
		l.EmitVoid("llvm.store", tollvm.Values(l.Operand(o, 0), p), l.accessAttrs(o, t.memref())...)
	}
	o.Erase()
	return nil
}

// typeCast converts vector.type_cast: the same memory with elements that are vectors.
func typeCast(l lowering, o *mlir.Op) error {
	from := l.MemRefOperand(o, 0)
	to := l.NewMemRef(o.Result(0).Type)
	to.SetPointers(from.Allocated(), from.Aligned())
	to.SetOffset(l.IndexInt(0))
	for i := range to.Type.Shape {
		to.SetSize(i, to.Size(i))
		to.SetStride(i, to.Stride(i))
	}
	l.Replace(o, to.Value)
	return nil
}

// printed refuses vector.print, which mlir-opt turns into calls of a library for the host.
func printed(lowering, *mlir.Op) error { return mlir.OpErrorf("is not supported") }
