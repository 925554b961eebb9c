package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
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

func prefetch(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	p := l.MemRefOperand(o, 0).WrappingElement(indices(l, o, 1))
	number := func(name string) int64 { return o.Attr(name).Int & 1 } // true is -1
	llvm.NewIntrPrefetch(l.Builder, p, number("isWrite"), o.Attr("localityHint").Int, number("isDataCache"))
	o.Erase()
	return nil
}

// assumeAlignment converts memref.assume_alignment, which has a result in edition 22.
func assumeAlignment(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	m := l.MemRefOperand(o, 0)
	p := m.Buffer()
	n := o.Attr("alignment").Int
	if l.Context.Edition == mlir.Edition19 {
		zero, mask := l.IndexInt(0), l.IndexInt(n-1)
		low := l.Binary("llvm.and", l.Emit("llvm.ptrtoint", l.Index(), tollvm.Values(p)), mask)
		llvm.NewIntrAssume(l.Builder, llvm.NewIcmp(l.Builder, low, zero, "eq"), nil)
		o.Erase()
		return nil
	}
	yes := l.Constant(l.Context.Integer(1), l.Context.Bool(true))
	tags := tollvm.Named("op_bundle_tags", l.Context.Array(l.Context.String("align")))
	llvm.NewIntrAssume(l.Builder, yes, [][]*mlir.Value{{p, l.IndexInt(n)}}, tags)
	l.Replace(o, m.Value)
	return nil
}
