// Package memref converts dialect memref: to the LLVM dialect, and operations on views to
// arithmetic on their offsets, sizes and strides.
package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// ToLLVM converts the operations of dialect memref. Those for which ExpandMetadata has other
// operations remain: subviews and changes of shape.
func ToLLVM() []tollvm.Row {
	rows := []tollvm.Row{
		{Op: "memref.alloca", Run: alloca},
		{Op: "memref.alloca_scope", Run: allocaScope},
		{Op: "memref.assume_alignment", Run: assumeAlignment},
		{Op: "memref.atomic_rmw", Run: atomic},
		{Op: "memref.cast", Run: cast},
		{Op: "memref.copy", Run: copyMemory},
		{Op: "memref.dim", Run: dim},
		{Op: "memref.distinct_objects", Run: distinctObjects},
		{Op: "memref.extract_aligned_pointer_as_index", Run: alignedPointer},
		{Op: "memref.extract_strided_metadata", Run: metadata},
		{Op: "memref.generic_atomic_rmw", Run: genericLoop},
		{Op: "memref.get_global", Run: getGlobal},
		{Op: "memref.global", Run: global},
		{Op: "memref.load", Run: load},
		{Op: "memref.memory_space_cast", Run: spaceCast},
		{Op: "memref.prefetch", Run: prefetch},
		{Op: "memref.rank", Run: rank},
		{Op: "memref.reinterpret_cast", Run: reinterpret},
		{Op: "memref.reshape", Run: reshape},
		{Op: "memref.store", Run: store},
		{Op: "memref.transpose", Run: transpose},
		{Op: "memref.view", Run: viewBytes},
	}
	for i := range rows {
		rows[i].Run = ifConvertible(rows[i].Run)
	}
	return append(rows, NewHeap(false, false).ToLLVM()...)
}

type rule = func(l *tollvm.Lowering, o *mlir.Op, to string) error

// ifConvertible returns a rule that applies run to operations all of whose types
// have LLVM types.
func ifConvertible(run rule) rule {
	return func(l *tollvm.Lowering, o *mlir.Op, to string) error {
		if !l.Convertible(o) {
			return rewrite.ErrNoMatch
		}
		return run(l, o, to)
	}
}

// indices returns converted operands from the first-th on.
func indices(l *tollvm.Lowering, o *mlir.Op, first int) []*mlir.Value {
	list := make([]*mlir.Value, len(o.Operands)-first)
	for i := range list {
		list[i] = l.Operand(o, first+i)
	}
	return list
}
