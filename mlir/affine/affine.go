// Package affine has MLIR's dialect affine: loops, conditions and memory accesses by affine maps.
// See https://mlir.llvm.org/docs/Dialects/Affine/. The rows follow the
// definitions of LLVM 19 and 22.
package affine

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect affine.
var Dialect = mlir.Dialect{Name: "affine", Rows: &rows, Ops: ops, Uses: []*mlir.Dialect{&arith.Dialect}}

var ops = []mlir.OpHooks{
	{Name: "apply", Parse: parseApply, Print: printApplied, Verify: verifyApply},
	{Name: "delinearize_index", Verify: verifyDelinearize},
	{Name: "for", Parse: parseFor, Print: printFor, VerifyRegions: verifyForBounds},
	{Name: "if", Parse: parseIf, Print: printIf, Verify: verifyIf, VerifyRegions: verifyIfEdges},
	{Name: "linearize_index", Verify: verifyLinearize},
	{Name: "load", Parse: parseLoad, Print: printLoad, Verify: verifyLoad},
	{Name: "max", Parse: parseMinMax, Print: printApplied, Verify: verifyMinMax},
	{Name: "min", Parse: parseMinMax, Print: printApplied, Verify: verifyMinMax},
	{Name: "parallel", Parse: parseParallel, Print: printParallel, Verify: verifyParallel},
	{Name: "prefetch", Parse: parsePrefetch, Print: printPrefetch, Verify: verifyPrefetch},
	{Name: "store", Parse: parseStore, Print: printStore, Verify: verifyStore},
	{Name: "vector_load", Parse: parseVectorLoad, Print: printVectorLoad, Verify: verifyVectorLoad},
	{Name: "vector_store", Parse: parseVectorStore, Print: printVectorStore, Verify: verifyVectorStore},
	{Name: "yield", Verify: verifyYield},
}
