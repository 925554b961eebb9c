// Package math has MLIR's dialect math: mathematical functions.
// See https://mlir.llvm.org/docs/Dialects/MathOps/. The rows follow the
// definitions of LLVM 19 and 22.
package math

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect math.
var Dialect = mlir.Dialect{Name: "math", Rows: &rows, Uses: []*mlir.Dialect{&arith.Dialect}}
