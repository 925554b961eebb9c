// Package ub has MLIR's dialect ub: undefined behavior: poison and unreachable code.
// See https://mlir.llvm.org/docs/Dialects/UBOps/. The rows follow the
// definitions of LLVM 19 and 22.
package ub

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect ub.
var Dialect = mlir.Dialect{Name: "ub", Rows: &rows, ParseAttr: parseAttr}

// parseAttr reads the only attribute of the dialect, which ub.poison has.
func parseAttr(p *mlir.Parser, mnemonic string, pos int32) (*mlir.Attr, error) {
	if mnemonic != "poison" {
		return nil, p.PlainErrorf(pos, "unknown attribute `%s` in dialect `ub`", mnemonic)
	}
	return p.Context.DialectAttr("ub", "poison"), nil
}
