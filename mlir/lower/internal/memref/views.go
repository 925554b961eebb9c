package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

func isUnranked(t *mlir.Type) bool { return t.Kind == mlir.UnrankedMemRefKind }

func alignedPointer(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	var p *mlir.Value
	if t := o.Operand(0).Type; isUnranked(t) {
		p = newUnranked(l, t, l.Operand(o, 0)).pointers().aligned
	} else {
		p = l.MemRefOperand(o, 0).Aligned()
	}
	l.Replace(o, l.Emit("llvm.ptrtoint", l.Index(), tollvm.Values(p)))
	return nil
}

// pointers has both pointers of a descriptor.
type pointers struct{ allocated, aligned *mlir.Value }

// basePointers returns the pointers of an operation's first operand, a memref.
func basePointers(l *tollvm.Lowering, o *mlir.Op) pointers {
	if t := o.Operand(0).Type; isUnranked(t) {
		return newUnranked(l, t, l.Operand(o, 0)).pointers()
	}
	m := l.MemRefOperand(o, 0)
	return pointers{m.Allocated(), m.Aligned()}
}

// metadata takes a descriptor apart. What the type knows is constant.
func metadata(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	m := l.MemRefOperand(o, 0)
	base := l.NewMemRef(o.Result(0).Type)
	base.SetPointers(m.Allocated(), m.Aligned())
	base.SetOffset(l.IndexInt(0))
	values := []*mlir.Value{base.Value, m.Offset()}
	rank := len(m.Type.Shape)
	for i := range rank {
		values = append(values, m.Size(i))
	}
	for i := range rank {
		values = append(values, m.Stride(i))
	}
	l.Replace(o, values...)
	return nil
}

// mixed returns the values of a list of integers, some of which are known: static has
// Dynamic for those that are not.
func mixed(l *tollvm.Lowering, o *mlir.Op, dynamic, static string) []*mlir.Value {
	values := o.Named(dynamic)
	list := make([]*mlir.Value, 0, len(values))
	for _, n := range o.Attr(static).Int64s() {
		if n != mlir.Dynamic {
			list = append(list, l.IndexInt(n))
			continue
		}
		list = append(list, l.Value(values[0]))
		values = values[1:]
	}
	return list
}

func reinterpret(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	m := l.NewMemRef(o.Result(0).Type)
	from := basePointers(l, o)
	m.SetPointers(from.allocated, from.aligned)
	m.SetOffset(mixed(l, o, "offsets", "static_offsets")[0])
	sizes := mixed(l, o, "sizes", "static_sizes")
	for i, stride := range mixed(l, o, "strides", "static_strides") {
		m.SetSize(i, sizes[i])
		m.SetStride(i, stride)
	}
	l.Replace(o, m.Value)
	return nil
}

// cast keeps the descriptor, in which sizes that become known have their places, unless the rank is
// known on one side alone.
func cast(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	v := l.Operand(o, 0)
	switch {
	case isUnranked(from) && isUnranked(to):
		return rewrite.ErrNoMatch
	case isUnranked(to):
		v = rankedToUnranked(l, v, from, to)
	case isUnranked(from):
		u := newUnranked(l, from, v)
		v = l.Emit("llvm.load", l.Convert(to), tollvm.Values(u.descriptor()))
	case v.Type != l.Convert(to):
		return rewrite.ErrNoMatch
	}
	l.Replace(o, v)
	return nil
}

func spaceCast(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	if isUnranked(from) {
		return unrankedSpaceCast(l, o)
	}
	old := l.MemRef(from, l.Operand(o, 0))
	m := l.NewMemRef(to)
	m.SetPointers(spacePointer(l, old.Allocated(), m.PointerType()), spacePointer(l, old.Aligned(), m.PointerType()))
	m.SetOffset(old.Offset())
	for i := range to.Shape {
		m.SetSize(i, old.Size(i))
		m.SetStride(i, old.Stride(i))
	}
	l.Replace(o, m.Value)
	return nil
}

// spacePointer returns a pointer in the address space of a type.
func spacePointer(l *tollvm.Lowering, p *mlir.Value, t *mlir.Type) *mlir.Value {
	if p.Type == t {
		return p
	}
	return l.Emit("llvm.addrspacecast", t, tollvm.Values(p))
}

// viewBytes converts memref.view: the offset in bytes moves the aligned pointer.
func viewBytes(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	from, t := l.MemRefOperand(o, 0), o.Result(0).Type
	if t.Layout != nil {
		return rewrite.ErrNoMatch
	}
	var sizes []*mlir.Value
	for _, v := range o.Named("sizes") {
		sizes = append(sizes, l.Value(v))
	}
	y := newLayout(l, t, sizes)
	aligned := l.GEPBy(from.Aligned(), from.ElemType(), tollvm.MayWrap, l.Operand(o, 1))
	l.Replace(o, y.descriptor(l, t, from.Allocated(), aligned))
	return nil
}

// transpose permutes sizes and strides.
func transpose(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	from := l.MemRefOperand(o, 0)
	m := l.NewMemRef(o.Result(0).Type)
	m.SetPointers(from.Allocated(), from.Aligned())
	m.SetOffset(from.Offset())
	for i, x := range o.Attr("permutation").Map.Results {
		m.SetSize(i, from.Size(int(x.Value)))
		m.SetStride(i, from.Stride(int(x.Value)))
	}
	l.Replace(o, m.Value)
	return nil
}
