package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// reshapeToAny converts memref.reshape to a memref without a rank. Its descriptor is on
// the stack; a loop from the last dimension to the first stores sizes and strides.
func reshapeToAny(l *tollvm.Lowering, o *mlir.Op) error {
	from, shape := l.MemRefOperand(o, 0), l.MemRefOperand(o, 1)
	rank, one := shape.Size(0), l.IndexInt(1)
	t := o.Result(0).Type
	u := newUnranked(l, t, l.Insert(l.Poison(l.Convert(t)), rank, 0))
	at := llvm.NewAlloca(l.Builder, l.PlainPointer(), u.bytes(), l.Context.Integer(8))
	ptr, index := from.PointerType(), l.Index()
	llvm.NewStore(l.Builder, from.Allocated(), at)
	llvm.NewStore(l.Builder, from.Aligned(), l.GEP(at, ptr, tollvm.MayWrap, []int64{1}))
	members := llvm.StructType(l.Context, ptr, ptr, index, index)
	llvm.NewStore(l.Builder, from.Offset(), l.GEP(at, members, tollvm.MayWrap, []int64{0, 2}))
	sizes := l.GEP(at, members, tollvm.MayWrap, []int64{0, 3})
	strides := l.GEPBy(sizes, index, tollvm.MayWrap, rank)
	numbers := shape.Buffer()

	first := o.Block
	end := first.SplitBefore(o)
	head := first.AddAfter()
	body := head.AddAfter()
	i, stride := head.AddArg(index), head.AddArg(index)
	l.MoveToEnd(first)
	llvm.NewBr(l.Builder, tollvm.Values(l.Binary("llvm.sub", rank, one), one), head)
	l.MoveToEnd(head)
	inside := llvm.NewIcmp(l.Builder, i, l.IndexInt(0), "sge")
	llvm.NewCondBr(l.Builder, inside, nil, nil, body, end)
	l.MoveToEnd(body)
	size := llvm.NewLoad(l.Builder, shape.ElemType(), l.GEPBy(numbers, shape.ElemType(), tollvm.MayWrap, i))
	size = toIndex(l, size)
	llvm.NewStore(l.Builder, size, l.GEPBy(sizes, index, tollvm.MayWrap, i))
	llvm.NewStore(l.Builder, stride, l.GEPBy(strides, index, tollvm.MayWrap, i))
	next := l.Binary("llvm.mul", stride, size)
	llvm.NewBr(l.Builder, tollvm.Values(l.Binary("llvm.sub", i, one), next), head)
	l.MoveBefore(o)
	l.Replace(o, l.Insert(u.value, at, 1))
	return nil
}
