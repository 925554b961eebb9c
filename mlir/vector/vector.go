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
	{Name: "bitcast", Verify: verifyBitcast},
	{Name: "broadcast", Verify: verifyBroadcast},
	{Name: "compressstore", Verify: verifyPacked},
	{Name: "constant_mask", Verify: verifyConstantMask},
	{Name: "contract", Parse: parseContract, Print: printContract, Verify: verifyContract},
	{Name: "create_mask", Verify: verifyCreateMask},
	{Name: "expandload", Verify: verifyPacked},
	{Name: "extract", Verify: verifyExtract},
	{Name: "extract_strided_slice", Verify: verifyExtractSlice},
	{Name: "extractelement", Verify: verifyElement},
	{Name: "gather", Verify: verifyIndexed},
	{Name: "insert", Verify: verifyInsert},
	{Name: "insert_strided_slice", Verify: verifyInsertSlice},
	{Name: "insertelement", Verify: verifyElement},
	{Name: "load", Verify: verifyLoad},
	{Name: "mask", Parse: parseMask, Print: printMask, Verify: verifyMask},
	{Name: "maskedload", Verify: verifyMasked},
	{Name: "maskedstore", Verify: verifyMasked},
	{Name: "multi_reduction", Verify: verifyMultiReduction},
	{Name: "outerproduct", Parse: parseOuterProduct, Print: printOuterProduct, Verify: verifyOuterProduct},
	{Name: "reduction", Verify: verifyReduction},
	{Name: "scan", Verify: verifyScan},
	{Name: "scatter", Verify: verifyIndexed},
	{Name: "shape_cast", Verify: verifyShapeCast},
	{Name: "shuffle", Infer: shuffleType, Verify: verifyShuffle},
	{Name: "store", Verify: verifyStore},
	{Name: "transfer_read", Parse: parseRead, Print: printRead, Verify: verifyRead},
	{Name: "transfer_write", Parse: parseWrite, Print: printWrite, Verify: verifyWrite},
	{Name: "transpose", Verify: verifyTranspose},
	{Name: "type_cast", Verify: verifyTypeCast},
	{Name: "vscale", ResultName: vscaleName},
	{Name: "warp_execute_on_lane_0", Parse: parseWarp, Print: printWarp},
}
