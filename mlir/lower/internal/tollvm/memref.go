package tollvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
)

// The members of a memref's descriptor.
const (
	allocatedMember = iota
	alignedMember
	offsetMember
	sizesMember
	stridesMember
)

// A MemRef is a memref's descriptor in the LLVM dialect, with the memref's type. Sizes and
// strides that the type knows are constants.
type MemRef struct {
	Type  *mlir.Type  // the memref
	Value *mlir.Value // the descriptor

	l       *Lowering
	strides []int64
	offset  int64
}

// MemRef returns the descriptor of a memref that has been converted already.
func (l *Lowering) MemRef(t *mlir.Type, v *mlir.Value) *MemRef {
	strides, offset, _ := mlir.StridesAndOffset(t)
	return &MemRef{Type: t, Value: v, l: l, strides: strides, offset: offset}
}

// MemRefOperand returns the descriptor of a memref that is an operand.
func (l *Lowering) MemRefOperand(o *mlir.Op, i int) *MemRef {
	return l.MemRef(o.Operand(i).Type, l.Operand(o, i))
}

// NewMemRef returns a descriptor without members; it is nil if the type has no
// descriptor.
func (l *Lowering) NewMemRef(t *mlir.Type) *MemRef {
	to := l.Convert(t)
	if to == nil {
		return nil
	}
	return l.MemRef(t, l.Poison(to))
}

// PointerType returns the type of a memref's pointers.
func (m *MemRef) PointerType() *mlir.Type {
	space, _ := m.l.Space(m.Type)
	return llvm.PointerType(m.l.Context, space)
}

// ElemType returns the LLVM type of the elements.
func (m *MemRef) ElemType() *mlir.Type { return m.l.Convert(m.Type.Elem) }

// Allocated returns the pointer that frees the memory.
func (m *MemRef) Allocated() *mlir.Value {
	return m.l.Extract(m.Value, m.PointerType(), allocatedMember)
}

// Aligned returns the pointer to which the offset is added.
func (m *MemRef) Aligned() *mlir.Value {
	return m.l.Extract(m.Value, m.PointerType(), alignedMember)
}

// Offset returns the offset in elements.
func (m *MemRef) Offset() *mlir.Value {
	if m.offset != mlir.Dynamic {
		return m.l.IndexInt(m.offset)
	}
	return m.StoredOffset()
}

// Size returns the size of a dimension.
func (m *MemRef) Size(i int) *mlir.Value {
	if n := m.Type.Shape[i]; n != mlir.Dynamic {
		return m.l.IndexInt(n)
	}
	return m.StoredSize(i)
}

// Stride returns the stride of a dimension in elements.
func (m *MemRef) Stride(i int) *mlir.Value {
	if n := m.strides[i]; n != mlir.Dynamic {
		return m.l.IndexInt(n)
	}
	return m.StoredStride(i)
}

// StoredOffset returns the offset in the descriptor, also where the type knows it.
func (m *MemRef) StoredOffset() *mlir.Value {
	return m.l.Extract(m.Value, m.l.Index(), offsetMember)
}

// StoredSize returns the size of a dimension in the descriptor.
func (m *MemRef) StoredSize(i int) *mlir.Value {
	return m.l.Extract(m.Value, m.l.Index(), sizesMember, int64(i))
}

// StoredStride returns the stride of a dimension in the descriptor.
func (m *MemRef) StoredStride(i int) *mlir.Value {
	return m.l.Extract(m.Value, m.l.Index(), stridesMember, int64(i))
}

// Buffer returns the pointer to the first element: the aligned pointer plus the
// offset.
func (m *MemRef) Buffer() *mlir.Value {
	p := m.Aligned()
	if m.offset == 0 {
		return p
	}
	return m.l.GEPBy(p, m.ElemType(), MayWrap, m.Offset())
}

// nowrap is the attribute of index arithmetic in edition 22 that does not overflow, nsw and nuw.
func (l *Lowering) nowrap() mlir.NamedAttr {
	return Named("overflowFlags", l.Context.I32Attr(3))
}

// LinearIndex returns the number of elements between the first element and the
// one at the indices.
func (m *MemRef) LinearIndex(indices []*mlir.Value) *mlir.Value {
	if m.l.Context.Edition == mlir.Edition19 {
		return m.linearIndex(indices)
	}
	return m.linearIndex(indices, m.l.nowrap())
}

func (m *MemRef) linearIndex(indices []*mlir.Value, flags ...mlir.NamedAttr) *mlir.Value {
	var sum *mlir.Value
	for i, x := range indices {
		if m.strides[i] != 1 {
			x = m.l.Binary("llvm.mul", x, m.Stride(i), flags...)
		}
		if sum != nil {
			x = m.l.Binary("llvm.add", sum, x, flags...)
		}
		sum = x
	}
	if sum == nil {
		return m.l.IndexInt(0)
	}
	return sum
}

// Element returns the pointer to the element at indices, which have been converted.
func (m *MemRef) Element(indices []*mlir.Value) *mlir.Value {
	p := m.Buffer()
	if len(indices) == 0 {
		return p
	}
	return m.l.GEPBy(p, m.ElemType(), InboundsNUW, m.LinearIndex(indices))
}

// WrappingElement is Element without a promise that the computation does not overflow,
// which MLIR does not make for atomic operations, prefetches, vectors and amdgpu.
func (m *MemRef) WrappingElement(indices []*mlir.Value) *mlir.Value {
	p := m.Buffer()
	if len(indices) == 0 {
		return p
	}
	return m.l.GEPBy(p, m.ElemType(), MayWrap, m.linearIndex(indices))
}

// SetPointers sets both pointers.
func (m *MemRef) SetPointers(allocated, aligned *mlir.Value) {
	m.Value = m.l.Insert(m.Value, allocated, allocatedMember)
	m.Value = m.l.Insert(m.Value, aligned, alignedMember)
}

// SetOffset sets the offset.
func (m *MemRef) SetOffset(v *mlir.Value) { m.Value = m.l.Insert(m.Value, v, offsetMember) }

// SetSize sets the size of a dimension.
func (m *MemRef) SetSize(i int, v *mlir.Value) {
	m.Value = m.l.Insert(m.Value, v, sizesMember, int64(i))
}

// SetStride sets the stride of a dimension.
func (m *MemRef) SetStride(i int, v *mlir.Value) {
	m.Value = m.l.Insert(m.Value, v, stridesMember, int64(i))
}

// StaticMemRef returns a descriptor of memory at a pointer, for a type that knows
// its offset, sizes and strides. It is nil if the type does not.
func (l *Lowering) StaticMemRef(t *mlir.Type, ptr *mlir.Value) *MemRef {
	m := l.NewMemRef(t)
	if m == nil || !t.HasStaticShape() || m.offset == mlir.Dynamic {
		return nil
	}
	m.SetPointers(ptr, ptr)
	m.SetOffset(l.IndexInt(m.offset))
	for i := range t.Shape {
		if m.strides[i] == mlir.Dynamic {
			return nil
		}
		m.SetSize(i, m.Size(i))
		m.SetStride(i, m.Stride(i))
	}
	return m
}

// CopyDims sets all sizes and strides to another descriptor's. Both have the same
// rank, at least 1.
func (m *MemRef) CopyDims(from *MemRef) {
	dims := llvm.ArrayType(m.l.Context, int64(len(m.Type.Shape)), m.l.Index())
	for _, member := range [...]int64{sizesMember, stridesMember} {
		m.Value = m.l.Insert(m.Value, m.l.Extract(from.Value, dims, member), member)
	}
}
