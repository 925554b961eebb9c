package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// allocaScope inlines memref.alloca_scope between the intrinsics that save and restore the
// stack.
func allocaScope(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	stack := llvm.NewIntrStacksave(l.Builder, llvm.PointerType(l.Context, 0))
	first, body := o.Block, o.Body(0)
	end := first.SplitBefore(o)
	scopeReturn := body.Last()
	first.TakeBlocks(o.Regions[0])
	after := body.AddAfter()
	l.MoveToEnd(first)
	llvm.NewBr(l.Builder, nil, body)
	l.MoveBefore(scopeReturn)
	llvm.NewIntrStackrestore(l.Builder, stack)
	llvm.NewBr(l.Builder, l.Operands(scopeReturn), after)
	scopeReturn.Erase()
	l.MoveToEnd(after)
	llvm.NewBr(l.Builder, nil, end)
	values := make([]*mlir.Value, len(o.Results))
	for i, r := range o.Results {
		values[i] = after.AddArg(l.Convert(r.Type))
	}
	l.MoveBefore(o)
	l.Replace(o, values...)
	return nil
}

// assume creates an assumption of edition 22 with an operand bundle.
func assume(l *tollvm.Lowering, tag string, values ...*mlir.Value) {
	always := l.Constant(l.Context.Integer(1), l.Context.Bool(true))
	llvm.NewIntrAssume(l.Builder, always, [][]*mlir.Value{values}, tollvm.Named("op_bundle_tags", l.Context.Array(l.Context.String(tag))))
}

// distinctObjects converts memref.distinct_objects: each two memrefs have separate storage.
func distinctObjects(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	var pointers []*mlir.Value
	for i := range o.Operands {
		pointers = append(pointers, l.MemRefOperand(o, i).Buffer())
	}
	for i, p := range pointers {
		for _, q := range pointers[i+1:] {
			assume(l, "separate_storage", p, q)
		}
	}
	l.Replace(o, l.Operands(o)...)
	return nil
}
