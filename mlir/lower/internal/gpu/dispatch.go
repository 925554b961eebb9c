package gpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// Offsets in the kernel dispatch packet, in bytes (HSA Platform System Architecture
// Specification, kernel dispatch packet).
const (
	packetGroupSize = 4  // workgroup_size_x, 16 bits for each dimension
	packetGridSize  = 12 // grid_size_x, 32 bits for each dimension
)

// constantSpace is LLVM's number of the constant address space.
const constantSpace = 4

// Dispatch converts gpu.block_dim and gpu.grid_dim without ROCm's device library: they
// are constants that the function's attributes specify, or read from the dispatch packet.
func Dispatch() []tollvm.Row {
	return []tollvm.Row{
		{Op: "gpu.block_dim", Run: blockSize},
		{Op: "gpu.grid_dim", Run: gridSize},
	}
}

func blockSize(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	dim := int(o.Attr("dimension").Int)
	if n, ok := knownSize(o, "known_block_size", dim); ok {
		l.Replace(o, l.IndexInt(n))
		return nil
	}
	l.Replace(o, toIndex(l, groupSize(l, packet(l), dim)))
	return nil
}

// gridSize computes the number of work-groups from the number of work-items.
func gridSize(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	dim := int(o.Attr("dimension").Int)
	if n, ok := knownSize(o, "known_grid_size", dim); ok {
		l.Replace(o, l.IndexInt(n))
		return nil
	}
	p := packet(l)
	items := load(l, p, packetGridSize+4*dim, 32)
	size := groupSize(l, p, dim)
	one := l.I32(1)
	last := l.Binary("llvm.udiv", l.Binary("llvm.sub", items, one), size)
	l.Replace(o, toIndex(l, l.Binary("llvm.add", last, one)))
	return nil
}

// packet returns the address of the dispatch packet.
func packet(l *tollvm.Lowering) *mlir.Value {
	attrs := []mlir.NamedAttr{tollvm.Named("intrin", l.Context.String("llvm.amdgcn.dispatch.ptr"))}
	if l.Context.Edition != mlir.Edition19 {
		attrs = append(attrs, tollvm.Named("operandSegmentSizes", l.Context.DenseI32Array(0, 0)),
			tollvm.Named("op_bundle_sizes", l.Context.DenseI32Array()))
	}
	return l.Emit("llvm.call_intrinsic", llvm.PointerType(l.Context, constantSpace), nil, attrs...)
}

func groupSize(l *tollvm.Lowering, packet *mlir.Value, dim int) *mlir.Value {
	return l.Emit("llvm.zext", l.Context.Integer(32), tollvm.Values(load(l, packet, packetGroupSize+2*dim, 16)))
}

// load reads an integer of the packet, which does not change while the kernel runs.
func load(l *tollvm.Lowering, packet *mlir.Value, offset, bits int) *mlir.Value {
	at := l.GEP(packet, l.Context.Integer(8), tollvm.Inbounds, []int64{int64(offset)})
	return l.Emit("llvm.load", l.Context.Integer(bits), tollvm.Values(at),
		tollvm.Named("invariant", l.Context.Unit()), tollvm.Named("alignment", l.Context.I64Attr(int64(bits/8))))
}
