package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// element returns the pointer to the element that an operation accesses: its operands
// are the memref, the at-th, and then the indices.
func element(l *tollvm.Lowering, o *mlir.Op, at int) *mlir.Value {
	return l.MemRefOperand(o, at).Element(indices(l, o, at+1))
}

// accessAttrs returns the attributes of a load or store in the LLVM dialect.
func accessAttrs(l *tollvm.Lowering, o *mlir.Op) (attrs []mlir.NamedAttr) {
	if a := o.Attr("alignment"); a != nil {
		attrs = append(attrs, tollvm.Named("alignment", a))
	}
	if a := o.Attr("nontemporal"); a != nil && a.Int != 0 {
		attrs = append(attrs, tollvm.Named("nontemporal", l.Context.Unit()))
	}
	return attrs
}

func load(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	p := element(l, o, 0)
	l.Replace(o, l.Emit("llvm.load", l.Convert(o.Result(0).Type), tollvm.Values(p), accessAttrs(l, o)...))
	return nil
}

func store(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	p := element(l, o, 1)
	l.EmitVoid("llvm.store", tollvm.Values(l.Operand(o, 0), p), accessAttrs(l, o)...)
	o.Erase()
	return nil
}
