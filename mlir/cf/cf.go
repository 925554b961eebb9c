// Package cf has MLIR's dialect cf: branches between blocks.
// See https://mlir.llvm.org/docs/Dialects/ControlFlowDialect/. The rows follow the
// definitions of LLVM 19 and 22.
package cf

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect cf.
var Dialect = mlir.Dialect{Name: "cf", Rows: &rows, Directives: directives}

var directives = []mlir.Directive{{Name: "SwitchOpCases", Parse: parseCases, Print: printCases}}
