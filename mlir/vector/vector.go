// Package vector has MLIR's dialect vector: operations on vectors of any rank.
// See https://mlir.llvm.org/docs/Dialects/Vector/. The rows follow the
// definitions of LLVM 19 and 22.
package vector

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect vector.
var Dialect = mlir.Dialect{Name: "vector", Rows: &rows, Ops: ops, Uses: []*mlir.Dialect{&arith.Dialect}}

var ops = []mlir.OpHooks{
	{Name: "contract", Parse: parseContract, Print: printContract},
	{Name: "extract", Verify: verifyExtract},
	{Name: "mask", Parse: parseMask, Print: printMask},
	{Name: "outerproduct", Parse: parseOuterProduct, Print: printOuterProduct},
	{Name: "shuffle", Infer: shuffleType},
	{Name: "transfer_read", Parse: parseRead, Print: printRead},
	{Name: "transfer_write", Parse: parseWrite, Print: printWrite},
	{Name: "vscale", ResultName: vscaleName},
	{Name: "warp_execute_on_lane_0", Parse: parseWarp, Print: printWarp},
}
