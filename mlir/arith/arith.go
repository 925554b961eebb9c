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
	{Name: "bitcast", Verify: verifyBitcast},
	{Name: "constant", Infer: constantType, Verify: verifyConstant, ResultName: constantName},
	{Name: "extf", Verify: verifyWiden},
	{Name: "extsi", Verify: verifyWiden},
	{Name: "extui", Verify: verifyWiden},
	{Name: "index_cast", Verify: verifyIndexCast},
	{Name: "index_castui", Verify: verifyIndexCast},
	{Name: "scaling_extf", Verify: verifyWiden},
	{Name: "scaling_truncf", Verify: verifyNarrow},
	{Name: "select", Parse: parseSelect, Print: printSelect},
	{Name: "truncf", Verify: verifyNarrow},
	{Name: "trunci", Verify: verifyNarrow},
}
