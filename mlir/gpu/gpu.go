// Package gpu has MLIR's dialect gpu: kernels, their launch and the position of a work item.
// See https://mlir.llvm.org/docs/Dialects/GPU/. The rows follow the
// definitions of LLVM 19 and 22.
package gpu

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect gpu.
var Dialect = mlir.Dialect{Name: "gpu", Rows: &rows, Ops: ops, Directives: directives, Forms: forms,
	ParseType: parseType, ParseAttr: parseAttr, WriteAttr: writeAttr}

var ops = []mlir.OpHooks{
	{Name: "all_reduce", VerifyRegions: verifyAllReduce},
	{Name: "alloc", Verify: verifyAlloc},
	{Name: "block_dim", ResultName: dimensionName},
	{Name: "block_id", ResultName: dimensionName},
	{Name: "cluster_block_id", ResultName: dimensionName},
	{Name: "cluster_dim", ResultName: dimensionName},
	{Name: "cluster_dim_blocks", ResultName: dimensionName},
	{Name: "cluster_id", ResultName: dimensionName},
	{Name: "dynamic_shared_memory", Verify: verifyDynamicMemory},
	{Name: "func", Parse: parseFunc, Print: printFunc, Verify: verifyFunc},
	{Name: "global_id", ResultName: dimensionName},
	{Name: "grid_dim", ResultName: dimensionName},
	{Name: "launch", Parse: parseLaunch, Print: printLaunch, Verify: verifyLaunch, VerifyRegions: verifyLaunchBody},
	{Name: "launch_func", Verify: verifyLaunchFunc},
	{Name: "memcpy", Verify: verifyMemcpy},
	{Name: "module", Parse: parseModule, Print: printModule},
	{Name: "return", Verify: verifyReturn},
	{Name: "rotate", Verify: verifyRotate},
	{Name: "subgroup_broadcast", Verify: verifyBroadcast},
	{Name: "subgroup_reduce", Verify: verifySubgroupReduce},
	{Name: "thread_id", ResultName: dimensionName},
}

var directives = []mlir.Directive{
	{Name: "AllReduceOperation", Parse: parseReduction, Print: printReduction},
	{Name: "AsyncDependencies", Parse: parseAsync, Print: printAsync},
	{Name: "LaunchDimType", Parse: parseDimType, Print: printDimType},
	{Name: "LaunchFuncOperands", Parse: parseKernelArgs, Print: printKernelArgs},
	{Name: "OffloadingHandler", Parse: parseHandler, Print: printHandler},
}

// dimensionName names a position by the operation and the dimension:
// thread_id_x.
func dimensionName(o *mlir.Op, _ int) string {
	a := o.Attr("dimension")
	if a == nil {
		return ""
	}
	return o.Name[len("gpu."):] + "_" + a.Text
}
