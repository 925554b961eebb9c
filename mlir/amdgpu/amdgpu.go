// Package amdgpu has MLIR's dialect amdgpu: operations of AMD GPUs that higher dialects and the LLVM dialect lack, with types as in memref and vector.
// See https://mlir.llvm.org/docs/Dialects/AMDGPU/. The rows follow the
// definitions of LLVM 19 and 22.
package amdgpu

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect amdgpu.
var Dialect = mlir.Dialect{Name: "amdgpu", Rows: &rows, Ops: ops, ParseType: parseType, Directives: directives}

var directives = []mlir.Directive{{Name: "MNKDimensionList", Parse: parseDims, Print: printDims}}

var ops = []mlir.OpHooks{
	{Name: "dpp", Verify: verifyDPP},
	{Name: "fat_raw_buffer_cast", Verify: verifyFatBuffer, Infer: inferFatBuffer},
	{Name: "gather_to_lds", Verify: verifyGather},
	{Name: "make_dma_base", Verify: verifyDMABase},
	{Name: "make_gather_dma_base", Verify: verifyDMABase},
	{Name: "mfma", Verify: verifyMFMA},
	{Name: "packed_stoch_round_fp8", Verify: sameExisting},
	{Name: "packed_trunc_2xfp8", Verify: sameExisting},
	{Name: "permlane_swap", Verify: verifyPermlaneSwap},
	{Name: "raw_buffer_atomic_cmpswap", Verify: verifyBuffer},
	{Name: "raw_buffer_atomic_fadd", Verify: verifyBuffer},
	{Name: "raw_buffer_atomic_fmax", Verify: verifyBuffer},
	{Name: "raw_buffer_atomic_smax", Verify: verifyBuffer},
	{Name: "raw_buffer_atomic_umin", Verify: verifyBuffer},
	{Name: "raw_buffer_load", Verify: verifyBuffer},
	{Name: "raw_buffer_store", Verify: verifyBuffer},
	{Name: "scaled_ext_packed_matrix", Verify: verifyScaledMatrix},
	{Name: "scaled_mfma", Verify: verifyScaledMFMA},
	{Name: "scaled_wmma", Verify: verifyScaledWMMA},
	{Name: "sparse_mfma", Verify: verifySparseMFMA},
	{Name: "transpose_load", Verify: verifyTransposeLoad},
	{Name: "wmma", Verify: verifyWMMA},
}
