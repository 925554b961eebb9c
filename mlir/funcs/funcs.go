// Package funcs has MLIR's dialect func: functions and calls.
// See https://mlir.llvm.org/docs/Dialects/Func/. The rows follow the
// definitions of LLVM 19 and 22.
package funcs

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect func.
var Dialect = mlir.Dialect{Name: "func", Rows: &rows, Ops: ops}

var ops = []mlir.OpHooks{
	{Name: "call", Verify: verifyCall},
	{Name: "constant", ResultName: constantName, Verify: verifyConstant},
	{Name: "func", Parse: parseFunc, Print: printFunc, Verify: verifyFunc},
	{Name: "return", Verify: verifyReturn},
}

// constantName is what MLIR calls a function's address.
func constantName(*mlir.Op, int) string { return "f" }
