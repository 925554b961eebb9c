package amdgpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// gather converts a load of global memory into LDS.
func gather(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	c := l.Chipset
	if c.Major < 9 || c.Major > 10 {
		return mlir.OpErrorf("pre-gfx9 and post-gfx10 not supported")
	}
	bytes := int64(bitsOf(o.Attr("transferType").Type) / 8)
	if !slices.Contains([]int64{1, 2, 4, 12, 16}, bytes) {
		return mlir.OpErrorf("chipset unsupported element size")
	}
	if bytes > 4 && c != gfx950 {
		return mlir.OpErrorf("Gather to LDS instructions with 12-byte and 16-byte load widths are only supported on gfx950")
	}
	l.EmitVoid("rocdl.load.to.lds", tollvm.Values(
		element(l, one(o, "src"), o.Named("srcIndices")), element(l, one(o, "dst"), o.Named("dstIndices"))),
		number(l, "size", bytes), number(l, "offset", 0), number(l, "aux", 0))
	o.Erase()
	return nil
}

// transposedLoads are the operations that load transposed elements of LDS, by the width
// of the elements in bits.
var transposedLoads = [...]string{
	4: "rocdl.ds.read.tr4.b64", 6: "rocdl.ds.read.tr6.b96", 8: "rocdl.ds.read.tr8.b64", 16: "rocdl.ds.read.tr16.b64",
}

// transposeLoad converts a load of LDS that transposes.
func transposeLoad(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if l.Chipset != gfx950 {
		return mlir.OpErrorf("Non-gfx950 chipset not supported")
	}
	src, t := one(o, "src"), o.Result(0).Type
	if n := src.Type.Elem.BitWidth(); n < 8 {
		return mlir.OpErrorf("Expect source memref to have at least 8 bits element size, got %d", n)
	}
	width := t.Elem.BitWidth()
	if width >= len(transposedLoads) || transposedLoads[width] == "" {
		return mlir.OpErrorf("Unsupported element size for transpose load")
	}
	to := l.Convert(t)
	loaded := to
	if width < 16 {
		loaded = l.Context.Vector(l.Context.Integer(32), int64(bitsOf(t)/32))
	}
	l.Replace(o, bitcast(l, l.Emit(transposedLoads[width], loaded, tollvm.Values(element(l, src, o.Named("srcIndices")))), to))
	return nil
}
