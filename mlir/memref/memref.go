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
	{Name: "alloc", ResultName: resultName, Verify: verifyAlloc},
	{Name: "alloca", ResultName: resultName, Verify: verifyAlloca},
	{Name: "alloca_scope", Parse: parseScope, Print: printScope},
	{Name: "assume_alignment", ResultName: resultName, Verify: verifyAlignment},
	{Name: "atomic_rmw", Verify: verifyAtomic},
	{Name: "atomic_yield", Verify: verifyAtomicYield},
	{Name: "cast", ResultName: resultName, VerifyTypes: verifyCast},
	{Name: "collapse_shape", ResultName: resultName, Verify: verifyCollapse},
	{Name: "dim", ResultName: resultName},
	{Name: "distinct_objects", Infer: sameTypes, Verify: verifyDistinct},
	{Name: "dma_start", Parse: parseDMA, Print: printDMA, Verify: verifyDMAStart},
	{Name: "dma_wait", Verify: verifyDMAWait},
	{Name: "expand_shape", ResultName: resultName, Verify: verifyExpand},
	{Name: "extract_aligned_pointer_as_index", ResultName: resultName},
	{Name: "extract_strided_metadata", ResultName: metadataName, Verify: verifyMetadata},
	{Name: "generic_atomic_rmw", Parse: parseAtomic, Print: printAtomic, VerifyRegions: verifyAtomicBody},
	{Name: "get_global", Verify: verifyGetGlobal},
	{Name: "global", Verify: verifyGlobal},
	{Name: "load", Verify: verifyLoad},
	{Name: "memory_space_cast", ResultName: resultName, VerifyTypes: verifySpaceCast},
	{Name: "prefetch", Parse: parsePrefetch, Print: printPrefetch, Verify: verifyPrefetch},
	{Name: "realloc", Verify: verifyRealloc},
	{Name: "reinterpret_cast", ResultName: resultName, Verify: verifyReinterpret},
	{Name: "reshape", ResultName: resultName, Verify: verifyReshape},
	{Name: "store", Verify: verifyStore},
	{Name: "subview", ResultName: resultName, Verify: verifySubview},
	{Name: "transpose", Parse: parseTranspose, Print: printTranspose, ResultName: resultName, Verify: verifyTransposed},
	{Name: "view", ResultName: resultName, Verify: verifyView},
}

var directives = []mlir.Directive{{Name: "GlobalMemrefOpTypeAndInitialValue", Parse: parseGlobal, Print: printGlobal}}
