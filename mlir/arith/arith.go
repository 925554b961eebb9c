// Package arith has MLIR's dialect arith: integer and floating point arithmetic.
// See https://mlir.llvm.org/docs/Dialects/ArithOps/. The rows follow the
// definitions of LLVM 19 and 22.
package arith

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect arith.
var Dialect = mlir.Dialect{Name: "arith", Rows: &rows, Ops: ops}

var ops = []mlir.OpHooks{
	{Name: "constant", Infer: constantType, ResultName: constantName},
	{Name: "select", Parse: parseSelect, Print: printSelect},
}
