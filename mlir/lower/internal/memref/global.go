package memref

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// globalType returns the LLVM type of a global memref's memory, an array for each
// dimension, or nil.
func globalType(l *tollvm.Lowering, t *mlir.Type) *mlir.Type {
	if l.Convert(t) == nil || t.Layout != nil || !t.HasStaticShape() {
		return nil
	}
	to := l.Convert(t.Elem)
	for _, n := range slices.Backward(t.Shape) {
		to = llvm.ArrayType(l.Context, n, to)
	}
	return to
}

func global(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Attr("type").Type
	to := globalType(l, t)
	if to == nil {
		return rewrite.ErrNoMatch
	}
	linkage := "external"
	if a := o.Attr("sym_visibility"); a != nil && a.Text == "private" {
		linkage = "private"
	}
	space, _ := l.Space(t)
	attrs := []mlir.NamedAttr{tollvm.Named("addr_space", l.Context.I32Attr(space))}
	for _, name := range [...]string{"alignment", "constant"} {
		if a := o.Attr(name); a != nil {
			attrs = append(attrs, tollvm.Named(name, a))
		}
	}
	body := &mlir.Region{}
	switch a := o.Attr("initial_value"); {
	case a == nil:
	case a.Kind == mlir.UnitAttr:
		inner := l.Context.AtEnd(body.AddBlock()).From(o)
		llvm.NewReturn(inner, llvm.NewMlirUndef(inner, to))
	default:
		attrs = append(attrs, tollvm.Named("value", initialValue(l, t, a)))
	}
	llvm.NewMlirGlobal(l.Builder, to, o.Attr("sym_name").Text, linkage, body, attrs...)
	o.Erase()
	return nil
}

// initialValue returns the value of a global: its element if it has no dimensions.
func initialValue(l *tollvm.Lowering, t *mlir.Type, a *mlir.Attr) *mlir.Attr {
	if len(t.Shape) > 0 || a.Kind != mlir.DenseElementsAttr {
		return a
	}
	if t.Elem.Kind == mlir.FloatKind {
		var raw [16]byte
		copy(raw[:], a.Raw)
		low, high := binary.LittleEndian.Uint64(raw[:]), binary.LittleEndian.Uint64(raw[8:])
		return l.Context.FloatBits(t.Elem, [2]uint64{low, high})
	}
	if t.Elem.BitWidth() > 64 {
		return a
	}
	return l.Context.IntAttr(t.Elem, a.Element(0))
}

// getGlobal describes the memory of a global, whose allocated pointer is a number that
// cannot be freed.
func getGlobal(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Result(0).Type
	array := globalType(l, t)
	if array == nil {
		return rewrite.ErrNoMatch
	}
	y, ptr, err := newMemory(l, o)
	if err != nil {
		return err
	}
	p := llvm.NewMlirAddressof(l.Builder, ptr, o.Attr("name").Text)
	p = l.GEP(p, array, tollvm.MayWrap, make([]int64, len(t.Shape)+1))
	unfreeable := l.Emit("llvm.inttoptr", ptr, tollvm.Values(l.IndexInt(0xdeadbeef)))
	l.Replace(o, y.descriptor(l, t, unfreeable, p))
	return nil
}
