package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// An unranked memref has a rank and a pointer to memory with the descriptor of a
// memref of that rank: two pointers, the offset, the sizes and the strides.
type unranked struct {
	l     *tollvm.Lowering
	t     *mlir.Type
	value *mlir.Value
}

func newUnranked(l *tollvm.Lowering, t *mlir.Type, v *mlir.Value) unranked { return unranked{l, t, v} }

func (u unranked) rank() *mlir.Value { return u.l.Extract(u.value, u.l.Index(), 0) }

// descriptor returns the pointer to the memref's descriptor.
func (u unranked) descriptor() *mlir.Value {
	return u.l.Extract(u.value, u.l.PlainPointer(), 1)
}

// pointerType returns the type of the pointers in the descriptor.
func (u unranked) pointerType() *mlir.Type {
	space, _ := u.l.Space(u.t)
	return llvm.PointerType(u.l.Context, space)
}

// pointers reads both pointers from the descriptor.
func (u unranked) pointers() pointers { return pointersAt(u.l, u.descriptor(), u.pointerType()) }

// pointersAt reads two pointers of a type.
func pointersAt(l *tollvm.Lowering, at *mlir.Value, t *mlir.Type) pointers {
	allocated := l.Emit("llvm.load", t, tollvm.Values(at))
	next := l.GEP(at, t, tollvm.MayWrap, []int64{1})
	return pointers{allocated, l.Emit("llvm.load", t, tollvm.Values(next))}
}

// makeUnranked returns an unranked memref.
func makeUnranked(l *tollvm.Lowering, t *mlir.Type, rank, descriptor *mlir.Value) unranked {
	v := l.Insert(l.Poison(l.Convert(t)), rank, 0)
	return newUnranked(l, t, l.Insert(v, descriptor, 1))
}

// rankedToUnranked puts a descriptor on the stack.
func rankedToUnranked(l *tollvm.Lowering, v *mlir.Value, from, to *mlir.Type) *mlir.Value {
	p := llvm.NewAlloca(l.Builder, l.PlainPointer(), l.IndexInt(1), v.Type)
	l.EmitVoid("llvm.store", tollvm.Values(v, p))
	return makeUnranked(l, to, l.IndexInt(int64(len(from.Shape))), p).value
}

// pointerBytes returns the room that each of the pointers of a descriptor takes: 8
// bytes, as in MLIR, but for the buffers of AMD GPUs, whose pointers are wider.
func (u unranked) pointerBytes() int64 {
	if space, _ := u.l.Space(u.t); space >= 7 && space <= 9 {
		return 32
	}
	return 8
}

// bytes returns the number of bytes of the descriptor: two pointers, the offset, and a
// size and a stride for each dimension.
func (u unranked) bytes() *mlir.Value {
	l := u.l
	one, two := l.IndexInt(1), l.IndexInt(2)
	index := l.IndexInt(int64(l.IndexBits+7) / 8)
	pair := l.Binary("llvm.mul", two, l.IndexInt(u.pointerBytes()))
	numbers := l.Binary("llvm.add", l.Binary("llvm.mul", two, u.rank()), one)
	return l.Binary("llvm.add", pair, l.Binary("llvm.mul", numbers, index))
}

// unrankedSpaceCast copies the descriptor to the stack, with pointers in another address
// space.
func unrankedSpaceCast(l *tollvm.Lowering, o *mlir.Op) error {
	old := newUnranked(l, o.Operand(0).Type, l.Operand(o, 0))
	t := o.Result(0).Type
	rank, from := old.rank(), old.descriptor()
	u := newUnranked(l, t, l.Insert(l.Poison(l.Convert(t)), rank, 0))
	size := u.bytes()
	to := llvm.NewAlloca(l.Builder, l.PlainPointer(), size, l.Context.Integer(8))
	u.value = l.Insert(u.value, to, 1)
	p := pointersAt(l, from, old.pointerType())
	ptr := u.pointerType()
	l.EmitVoid("llvm.store", tollvm.Values(spacePointer(l, p.allocated, ptr), to))
	aligned := spacePointer(l, p.aligned, ptr)
	l.EmitVoid("llvm.store", tollvm.Values(aligned, l.GEP(to, ptr, tollvm.MayWrap, []int64{1})))
	numbers := l.GEP(from, old.pointerType(), tollvm.MayWrap, []int64{2})
	newNumbers := l.GEP(to, ptr, tollvm.MayWrap, []int64{2})
	rest := l.Binary("llvm.sub", size, l.IndexInt(2*u.pointerBytes()))
	llvm.NewIntrMemcpy(l.Builder, newNumbers, numbers, rest, false)
	l.Replace(o, u.value)
	return nil
}

// size returns the size of a dimension, which is in the descriptor after the offset.
func (u unranked) size(dim *mlir.Value) *mlir.Value {
	l := u.l
	ptr := u.pointerType()
	at := l.GEP(u.descriptor(), llvm.StructType(l.Context, ptr, ptr, l.Index()), tollvm.MayWrap, []int64{0, 2})
	at = l.GEPBy(at, l.Index(), tollvm.MayWrap, l.Binary("llvm.add", l.IndexInt(1), dim))
	return l.Emit("llvm.load", l.Index(), tollvm.Values(at))
}
