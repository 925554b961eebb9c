package prepare

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Passes lists the passes of this package in alphabetical order, one line each.
// Passes that exist in LLVM have LLVM's names.
var Passes = []opt.Pass{
	{Name: "amdgpu-annotate-uniform", Doc: "mark loads of kernels that scalar loads can implement", Function: annotateUniform},
	{Name: "amdgpu-lower-buffer-fat-pointers", Doc: "split pointers to buffers into resources and offsets", Required: true, Declares: true, Function: lowerFatPointers},
	{Name: "amdgpu-lower-ctor-dtor", Doc: "create kernels that run global constructors and destructors", Required: true, Module: lowerStructors},
	{Name: "amdgpu-lower-kernel-arguments", Doc: "lower kernel arguments to loads from the kernarg segment", Required: true, Declares: true, Function: lowerKernelArguments},
	{Name: "amdgpu-lower-module-lds", Doc: "assign fixed addresses to variables in LDS", Required: true, Module: lowerModuleLDS},
	{Name: "amdgpu-remove-incompatible-functions", Doc: "remove functions that require features that the processor lacks", Required: true, Module: removeIncompatible},
	{Name: "amdgpu-unify-divergent-exit-nodes", Doc: "make functions end in a single ret that every block reaches", Required: true, Function: unifyExits},
	{Name: "amdgpu-waterfall", Doc: "wrap calls with divergent callees or buffer resources in loops", Required: true, Declares: true, Function: waterfallCalls},
	{Name: "amdgpu-wave-ops", Doc: "lower wave reductions and shuffles to loops over the lanes", Required: true, Declares: true, Function: expandWaveOps},
	{Name: "amdgpu-whole-quad", Doc: "lower whole quad mode to branches on the live lanes", Required: true, Declares: true, Function: lowerWholeQuad},
	{Name: "amdgpu-whole-wave", Doc: "move whole-wave computations directly before their use", Required: true, Declares: true, Function: gatherWholeWave},
	{Name: "atomic-expand", Doc: "expand atomic operations that the processor does not support", Required: true, Declares: true, Function: expandAtomic},
	{Name: "expand-div-rem", Doc: "lower integer divisions of at most 64 bits to multiplications and reciprocals", Required: true, Declares: true, Function: expandDivRem},
	{Name: "expand-fp", Doc: "expand floating-point divisions, roots, conversions and functions that the processor does not support", Required: true, Declares: true, Function: expandFP},
	{Name: "expand-intrinsics", Doc: "lower intrinsics without a machine instruction to plain operations", Required: true, Declares: true, Function: expandIntrinsics},
	{Name: "expand-large-div-rem", Doc: "lower integer divisions of more than 64 bits to loops", Required: true, Declares: true, Function: expandLargeDivRem},
	{Name: "expand-large-ints", Doc: "lower operations on integers wider than 64 bits to operations on i64", Required: true, Module: expandLargeInts},
	{Name: "expand-variadics", Doc: "pass variable arguments in memory", Required: true, Module: expandVariadics},
	{Name: "expand-vp", Doc: "expand vector-predicated intrinsics to operations on whole vectors", Required: true, Declares: true, Function: expandVP},
	{Name: "fix-irreducible", Doc: "convert irreducible cycles to loops", Required: true, Function: fixIrreducible},
	{Name: "flatten-signatures", Doc: "convert parameters and results of functions to whole registers", Required: true, Module: flattenSignatures},
	{Name: "fuse-fma", Doc: "fuse sums of products where flags permit it", Declares: true, Function: fuseFMA},
	{Name: "indirectbr-expand", Doc: "convert indirect branches to switches", Required: true, Module: expandIndirectBr},
	{Name: "legalize-ints", Doc: "convert operations on other integers of at most 64 bits to i32 and i64", Required: true, Function: legalizeInts},
	{Name: "load-store-vectorizer", Doc: "merge loads and stores of adjacent addresses", Function: vectorizeMemory},
	{Name: "lower-callbr", Doc: "replace assembly that jumps to blocks by assembly and switches", Required: true, Function: lowerCallBr},
	{Name: "lower-dynamic-stack", Doc: "lower allocas of variable size to arithmetic", Required: true, Declares: true, Function: lowerDynamicStack},
	{Name: "lower-invoke", Doc: "convert invokes to calls", Required: true, Function: lowerInvoke},
	{Name: "lower-mem-intrinsics", Doc: "lower memcpy, memmove and memset to loads, stores and loops", Required: true, Function: lowerMemIntrinsics},
	{Name: "lower-switch", Doc: "lower switches to trees of comparisons", Required: true, Function: lowerSwitch},
	{Name: "scalarize-masked-mem-intrin", Doc: "expand masked loads and stores to accesses of elements", Required: true, Function: scalarizeMasked},
	{Name: "scalarizer", Doc: "split operations on vectors into operations on elements", Required: true, Declares: true, Function: scalarizer},
	{Name: "split-aggregates", Doc: "split operations on structs and arrays into operations on elements", Required: true, Function: splitAggregates},
	{Name: "split-memory", Doc: "split loads and stores into legal accesses", Required: true, Function: splitMemory},
}

// AllPasses returns the passes of packages opt and prepare in alphabetical
// order. The caller must not modify the slice.
func AllPasses() []opt.Pass { return allPasses.Get() }

var allPasses = lazy.Value[[]opt.Pass]{Make: func() []opt.Pass {
	all := slices.Concat(opt.Passes, Passes)
	slices.SortFunc(all, func(a, b opt.Pass) int { return strings.Compare(a.Name, b.Name) })
	return all
}}
