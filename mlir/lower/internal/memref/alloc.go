package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// A layout has the values that describe memory without gaps.
type layout struct {
	sizes, strides []*mlir.Value
	elements       *mlir.Value // the product of the sizes
}

// newLayout computes the layout of a memref from the sizes that its type does not know.
func newLayout(l *tollvm.Lowering, t *mlir.Type, dynamic []*mlir.Value) layout {
	n := len(t.Shape)
	y := layout{sizes: make([]*mlir.Value, n), strides: make([]*mlir.Value, n)}
	for i, size := range t.Shape {
		if size != mlir.Dynamic {
			y.sizes[i] = l.IndexInt(size)
			continue
		}
		y.sizes[i] = dynamic[0]
		dynamic = dynamic[1:]
	}
	known := int64(1)
	y.elements = l.IndexInt(1)
	for i := n - 1; i >= 0; i-- {
		y.strides[i] = y.elements
		sizeIsStride := known == 1
		switch size := t.Shape[i]; {
		case size == mlir.Dynamic || known == mlir.Dynamic:
			known = mlir.Dynamic
		default:
			known *= size
		}
		switch {
		case sizeIsStride:
			y.elements = y.sizes[i]
		case known == mlir.Dynamic:
			y.elements = l.Binary("llvm.mul", y.elements, y.sizes[i])
		default:
			y.elements = l.IndexInt(known)
		}
	}
	return y
}

// descriptor returns a memref of a layout at a pointer.
func (y *layout) descriptor(l *tollvm.Lowering, t *mlir.Type, allocated, aligned *mlir.Value) *mlir.Value {
	m := l.NewMemRef(t)
	m.SetPointers(allocated, aligned)
	m.SetOffset(l.IndexInt(0))
	for i, v := range y.sizes {
		m.SetSize(i, v)
	}
	for i, v := range y.strides {
		m.SetStride(i, v)
	}
	return m.Value
}

// newMemory returns the layout of the memory that an operation allocates, and the type of pointers
// to it. The memref has no layout of its own and the operation no symbols.
func newMemory(l *tollvm.Lowering, o *mlir.Op) (y layout, ptr *mlir.Type, err error) {
	t := o.Result(0).Type
	if t.Layout != nil || o.CountNamed("symbolOperands") > 0 {
		return y, nil, rewrite.ErrNoMatch
	}
	space, _ := l.Space(t)
	return newLayout(l, t, l.Operands(o)), llvm.PointerType(l.Context, space), nil
}

func alloca(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	y, ptr, err := newMemory(l, o)
	if err != nil {
		return err
	}
	t := o.Result(0).Type
	attrs := []mlir.NamedAttr{tollvm.Named("elem_type", l.Context.TypeAttr(l.Convert(t.Elem)))}
	if a := o.Attr("alignment"); a != nil {
		attrs = append(attrs, tollvm.Named("alignment", a))
	}
	p := l.Emit("llvm.alloca", ptr, tollvm.Values(y.elements), attrs...)
	l.Replace(o, y.descriptor(l, t, p, p))
	return nil
}
