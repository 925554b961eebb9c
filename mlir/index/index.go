// Package index has MLIR's dialect index: arithmetic on index values.
// See https://mlir.llvm.org/docs/Dialects/IndexOps/. The rows follow the
// definitions of LLVM 19 and 22.
package index

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect index.
var Dialect = mlir.Dialect{Name: "index", Rows: &rows, Ops: ops}

var ops = []mlir.OpHooks{
	{Name: "bool.constant", ResultName: boolName},
	{Name: "casts", Verify: verifyCast},
	{Name: "castu", Verify: verifyCast},
	{Name: "constant", ResultName: constantName},
}
