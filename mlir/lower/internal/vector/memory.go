package vector

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var memoryRules = []rule{
	{"load", load},
	{"store", store},
}

// alignment returns the alignment in bytes of accesses to a memref's elements, of
// which LLVM knows no more than the element's.
func (l lowering) alignment(o *mlir.Op, memref *mlir.Type) int64 {
	if a := o.Attr("alignment"); a != nil {
		return a.Int
	}
	return typeAlignment(l.Convert(memref.Elem))
}

// typeAlignment returns the alignment in bytes that LLVM prefers for a type,
// without a data layout.
func typeAlignment(t *mlir.Type) int64 {
	bits := 64 // of structures and pointers
	switch t.Kind {
	case mlir.IntegerKind:
		bits = min(t.Width, 64)
	case mlir.FloatKind:
		bits = t.Float.Bits
	case mlir.VectorKind:
		bits = t.Elem.BitWidth() * int(t.NumElements())
	}
	n := int64(1)
	for n*8 < int64(bits) {
		n *= 2
	}
	return n
}

// element returns the pointer to a memref's element at the operands from first on.
func (l lowering) element(o *mlir.Op, memref, first int) *mlir.Value {
	m := l.MemRefOperand(o, memref)
	indices := make([]*mlir.Value, len(m.Type.Shape))
	for i := range indices {
		indices[i] = l.Operand(o, first+i)
	}
	return m.WrappingElement(indices)
}

// accessAttrs returns the attributes of a load or store.
func (l lowering) accessAttrs(o *mlir.Op, memref *mlir.Type) []mlir.NamedAttr {
	attrs := []mlir.NamedAttr{tollvm.Named("alignment", l.Context.I64Attr(l.alignment(o, memref)))}
	if a := o.Attr("nontemporal"); a != nil && a.Int != 0 {
		attrs = append(attrs, tollvm.Named("nontemporal", l.Context.Unit()))
	}
	return attrs
}

// load converts a load of a vector of one dimension.
func load(l lowering, o *mlir.Op) error {
	t := o.Result(0).Type
	if len(t.Shape) > 1 {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 0, 1)
	l.Replace(o, l.Emit("llvm.load", l.Convert(t), tollvm.Values(p), l.accessAttrs(o, o.Operand(0).Type)...))
	return nil
}

// store converts a store of a vector of one dimension.
func store(l lowering, o *mlir.Op) error {
	if len(o.Operand(0).Type.Shape) > 1 {
		return rewrite.ErrNoMatch
	}
	p := l.element(o, 1, 2)
	l.EmitVoid("llvm.store", tollvm.Values(l.Operand(o, 0), p), l.accessAttrs(o, o.Operand(1).Type)...)
	o.Erase()
	return nil
}
