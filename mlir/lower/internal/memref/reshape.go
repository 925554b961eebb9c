package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	ops "github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// expandReshape replaces memref.reshape by memref.reinterpret_cast if the rank of
// the result is known. Sizes that are not are read from the operand.
func expandReshape(b *mlir.Builder, o *mlir.Op) {
	t := o.Result(0).Type
	if t.Kind != mlir.MemRefKind {
		return
	}
	rank := len(t.Shape)
	sizes, strides := make([]number, rank), make([]number, rank)
	stride := constant(1)
	for i := rank - 1; i >= 0; i-- {
		sizes[i] = constant(t.Shape[i])
		if t.Shape[i] == mlir.Dynamic {
			sizes[i] = number{value: readSize(b, o.Operand(1), i)}
		}
		strides[i] = stride
		stride = times(b, stride, sizes[i])
	}
	dynamicSizes, staticSizes := split(sizes)
	dynamicStrides, staticStrides := split(strides)
	o.Replace(ops.NewReinterpretCast(b, t, o.Operand(0), nil, dynamicSizes, dynamicStrides, []int64{0}, staticSizes, staticStrides))
}

// readSize loads an element of a shape as an index.
func readSize(b *mlir.Builder, shape *mlir.Value, i int) *mlir.Value {
	v := ops.NewLoad(b, shape, []*mlir.Value{constant(int64(i)).indexValue(b)})
	if v.Type.Kind != mlir.IndexKind {
		v = arith.NewIndexCast(b, b.Context.Index(), v)
	}
	return v
}

// times multiplies numbers by arith.muli.
func times(b *mlir.Builder, x, y number) number {
	switch {
	case x.value == nil && y.value == nil:
		return constant(x.known * y.known)
	case x.value == nil && x.known == 1:
		return y
	}
	return number{value: arith.NewMuli(b, x.indexValue(b), y.indexValue(b))}
}

// reshape converts memref.reshape.
func reshape(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Result(0).Type
	switch {
	case isUnranked(t) && isUnranked(o.Operand(0).Type):
		return rewrite.ErrNoMatch
	case isUnranked(t):
		return reshapeToAny(l, o)
	}
	shape := l.MemRefOperand(o, 1)
	m := l.NewMemRef(t)
	base := basePointers(l, o)
	m.SetPointers(base.allocated, base.aligned)
	m.SetOffset(l.IndexInt(0))
	stride := l.IndexInt(1)
	for i := len(t.Shape) - 1; i >= 0; i-- {
		var size *mlir.Value
		if n := t.Shape[i]; n != mlir.Dynamic {
			size = l.IndexInt(n)
		} else {
			size = l.Emit("llvm.load", shape.ElemType(), tollvm.Values(shape.Element(tollvm.Values(l.IndexInt(int64(i))))))
			size = toIndex(l, size)
		}
		m.SetSize(i, size)
		m.SetStride(i, stride)
		if i > 0 {
			stride = l.Binary("llvm.mul", stride, size)
		}
	}
	l.Replace(o, m.Value)
	return nil
}

// toIndex changes the width of a signed integer to the width of index.
func toIndex(l *tollvm.Lowering, v *mlir.Value) *mlir.Value {
	switch w := v.Type.BitWidth(); {
	case w < l.IndexBits:
		return l.Emit("llvm.sext", l.Index(), tollvm.Values(v))
	case w > l.IndexBits:
		return l.Emit("llvm.trunc", l.Index(), tollvm.Values(v))
	}
	return v
}
