// Package scf has MLIR's dialect scf: structured control flow: loops and conditions with regions.
// See https://mlir.llvm.org/docs/Dialects/SCFDialect/. The rows follow the
// definitions of LLVM 19 and 22.
package scf

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect scf.
var Dialect = mlir.Dialect{Name: "scf", Rows: &rows, Ops: ops, Directives: directives}

var ops = []mlir.OpHooks{
	{Name: "execute_region", Parse: parseExecuteRegion, Print: printExecuteRegion, VerifyRegions: verifyYields},
	{Name: "for", Parse: parseFor, Print: printFor, Verify: verifyFor, VerifyRegions: verifyForBody},
	{Name: "forall", Parse: parseForall, Print: printForall, Verify: verifyForall},
	{Name: "forall.in_parallel", Parse: parseInParallel, Print: printInParallel},
	{Name: "if", Parse: parseIf, Print: printIf, Verify: verifyIf, VerifyRegions: verifyYields},
	{Name: "index_switch", Verify: verifySwitch},
	{Name: "parallel", Parse: parseParallel, Print: printParallel, Verify: verifyParallel},
	{Name: "reduce", Verify: verifyReduce, VerifyRegions: verifyReductions},
	{Name: "reduce.return", Verify: verifyReduceReturn},
	{Name: "while", Parse: parseWhile, Print: printWhile, VerifyRegions: verifyWhileBody},
}

var directives = []mlir.Directive{{Name: "SwitchCases", Parse: parseCases, Print: printCases}}
