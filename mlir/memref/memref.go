// Package memref has MLIR's dialect memref: allocation, views and accesses of buffers.
// See https://mlir.llvm.org/docs/Dialects/MemRef/. The rows follow the
// definitions of LLVM 19 and 22.
package memref

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect memref.
var Dialect = mlir.Dialect{Name: "memref", Rows: &rows, Ops: ops, Directives: directives, Uses: []*mlir.Dialect{&arith.Dialect}}

var ops = []mlir.OpHooks{
	{Name: "alloc", ResultName: resultName},
	{Name: "alloca", ResultName: resultName},
	{Name: "alloca_scope", Parse: parseScope, Print: printScope},
	{Name: "assume_alignment", ResultName: resultName},
	{Name: "cast", ResultName: resultName},
	{Name: "collapse_shape", ResultName: resultName},
	{Name: "dim", ResultName: resultName},
	{Name: "distinct_objects", Infer: sameTypes},
	{Name: "dma_start", Parse: parseDMA, Print: printDMA},
	{Name: "expand_shape", ResultName: resultName},
	{Name: "extract_aligned_pointer_as_index", ResultName: resultName},
	{Name: "extract_strided_metadata", ResultName: metadataName},
	{Name: "generic_atomic_rmw", Parse: parseAtomic, Print: printAtomic},
	{Name: "load", Verify: verifyLoad},
	{Name: "memory_space_cast", ResultName: resultName},
	{Name: "prefetch", Parse: parsePrefetch, Print: printPrefetch},
	{Name: "reinterpret_cast", ResultName: resultName},
	{Name: "reshape", ResultName: resultName},
	{Name: "store", Verify: verifyStore},
	{Name: "subview", ResultName: resultName},
	{Name: "transpose", Parse: parseTranspose, Print: printTranspose, ResultName: resultName},
	{Name: "view", ResultName: resultName},
}

var directives = []mlir.Directive{{Name: "GlobalMemrefOpTypeAndInitialValue", Parse: parseGlobal, Print: printGlobal}}
