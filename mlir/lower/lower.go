// Package lower lists the passes over MLIR, and the pipeline from the dialects in
// which kernels are written to the LLVM dialect.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module; structs
// may gain fields.
package lower

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/clean"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/control"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/gpu"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/memref"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/vector"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// indexBitwidth is an option of the conversions to the LLVM dialect.
var indexBitwidth = rewrite.Option{Name: "index-bitwidth", Default: "0", Help: "width of index in bits, 0 for 64"}

// bareCalls is an option of the conversions of functions.
var bareCalls = rewrite.Option{Name: "use-bare-ptr-memref-call-conv", Default: "false",
	Help: "memref arguments are plain pointers; their shapes must be static"}

// force32 is an option of passes that compare lanes' numbers with bounds.
var force32 = rewrite.Option{Name: "force-32bit-vector-indices", Default: "true", Help: "indices of vectors' lanes fit in 32 bits"}

// reassociate is an option of the conversion of reductions.
var reassociate = rewrite.Option{Name: "reassociate-fp-reductions", Default: "false", Help: "sums of floats in any order"}

// fullUnroll, targetRank and lowerTensors are options of the expansion of transfers.
var (
	fullUnroll   = rewrite.Option{Name: "full-unroll", Default: "false", Help: "no effect: rows are never transferred by a loop"}
	targetRank   = rewrite.Option{Name: "target-rank", Default: "1", Help: "dimensions that remain in one transfer"}
	lowerTensors = rewrite.Option{Name: "lower-tensors", Default: "false", Help: "transfers of tensors, which do not exist"}
)

// alignedAlloc and genericFunctions are options of the conversion of memrefs.
var (
	alignedAlloc = rewrite.Option{Name: "use-aligned-alloc", Default: "false",
		Help: "allocate by aligned_alloc"}
	genericFunctions = rewrite.Option{Name: "use-generic-functions", Default: "false",
		Help: "allocate and free by functions of generic names"}
)

// passes are all passes, sorted by name.
var passes = [...]rewrite.Pass{
	{Name: "amdgpu-emulate-atomics", Summary: "replace atomic operations that a chipset lacks by loops", Run: emulateAtomics,
		Options: []rewrite.Option{chipsetOption}},
	{Name: "amdgpu-fold-memrefs-ops", Summary: "replace views in loads into LDS by their memrefs", Run: foldViews},
	{Name: "amdgpu-maskedload-to-load", Summary: "replace masked loads and stores by plain ones where that is possible", Run: unmaskLoads},
	{Name: "amdgpu-resolve-strided-metadata", Summary: "resolve sizes and strides of fat raw buffers", Run: resolveMetadata},
	{Name: "arith-expand", Summary: "expand operations of arith that LLVM does not have", Run: expandArith,
		Options: expandOptions},
	{Name: "canonicalize", Summary: "fold operations and remove those without use", Run: canonicalize},
	{Name: "convert-amdgpu-to-rocdl", Summary: "convert dialect amdgpu to dialect rocdl", Run: convertAMDGPU,
		Options: []rewrite.Option{chipsetOption}},
	{Name: "convert-arith-to-amdgpu", Summary: "convert casts to and from small floats to dialect amdgpu", Run: convertFloats,
		Options: []rewrite.Option{chipsetOption,
			{Name: "saturate-fp8-truncf", Default: "false", Help: "numbers that are too large for 8-bit floats become the largest one"},
			{Name: "allow-packed-f16-round-to-zero", Default: "false", Help: "round to f16 towards zero"}}},
	{Name: "convert-arith-to-llvm", Summary: "convert dialect arith to the LLVM dialect", Run: convertArith,
		Options: []rewrite.Option{indexBitwidth}},
	{Name: "convert-cf-to-llvm", Summary: "convert dialect cf to the LLVM dialect", Run: convertCF,
		Options: []rewrite.Option{indexBitwidth}},
	{Name: "convert-func-to-llvm", Summary: "convert dialect func to the LLVM dialect", Run: convertFunc,
		Options: []rewrite.Option{indexBitwidth, bareCalls}},
	{Name: "convert-gpu-to-rocdl", Anchor: "gpu.module", Summary: "convert dialect gpu to the dialects llvm and rocdl", Run: convertGPU,
		Options: gpuOptions},
	{Name: "convert-index-to-llvm", Summary: "convert dialect index to the LLVM dialect", Run: convertIndex,
		Options: []rewrite.Option{indexBitwidth}},
	{Name: "convert-math-to-llvm", Summary: "convert dialect math to intrinsic functions of LLVM", Run: convertMath},
	{Name: "convert-math-to-rocdl", Summary: "convert dialect math to calls of ROCm's device library", Run: convertMathCalls,
		Options: []rewrite.Option{chipsetOption}},
	{Name: "convert-scf-to-cf", Summary: "convert structured control flow to branches", Run: convertSCF},
	{Name: "convert-ub-to-llvm", Summary: "convert dialect ub to the LLVM dialect", Run: convertUB,
		Options: []rewrite.Option{indexBitwidth}},
	{Name: "convert-vector-to-llvm", Summary: "convert dialect vector to the LLVM dialect", Run: convertVector,
		Options: []rewrite.Option{force32, reassociate}},
	{Name: "convert-vector-to-scf", Summary: "convert transfers of vectors of several dimensions to transfers of rows",
		Run: expandTransfers, Options: []rewrite.Option{fullUnroll, targetRank, lowerTensors}},
	{Name: "cse", Summary: "replace operations by equal ones that dominate them", Run: eliminateCommon},
	{Name: "expand-strided-metadata", Summary: "replace views of memrefs by arithmetic and memref.reinterpret_cast", Run: expandMetadata},
	{Name: "finalize-memref-to-llvm", Summary: "convert dialect memref to the LLVM dialect", Run: convertMemRef,
		Options: []rewrite.Option{indexBitwidth, alignedAlloc, genericFunctions}},
	{Name: "fold-memref-alias-ops", Summary: "replace accesses to subviews by accesses to their sources", Run: foldAliases},
	{Name: "gpu-kernel-outlining", Summary: "move bodies of gpu.launch to kernels in gpu.modules", Run: outlineKernels},
	{Name: "gpu-launch-sink-index-computations", Summary: "copy constants and sizes into bodies of gpu.launch", Run: sinkConstants},
	{Name: "lower-affine", Summary: "convert dialect affine to arith, memref and scf", Run: lowerAffine},
	{Name: "lower-vector-mask", Summary: "replace vector.mask around operations that take a mask", Run: lowerMasks},
	{Name: "memref-expand", Summary: "replace operations of dialect memref that LLVM has no operations for", Run: expandMemRef},
	{Name: "reconcile-unrealized-casts", Summary: "remove conversions of types that cancel out", Run: reconcile},
}

// Passes returns all passes, sorted by name.
func Passes() []rewrite.Pass { return passes[:] }

// Lookup returns the pass of a name, or nil.
func Lookup(name string) *rewrite.Pass {
	for i := range passes {
		if passes[i].Name == name {
			return &passes[i]
		}
	}
	return nil
}

// options returns the options that conversions to the LLVM dialect have in common.
func options(r *rewrite.Run) tollvm.Options {
	return tollvm.Options{IndexBits: r.Int("index-bitwidth")}
}

func convertArith(r *rewrite.Run) error {
	return tollvm.New(r.Context, options(r), arith.ToLLVM()).ConvertAll(r.Op)
}

func convertIndex(r *rewrite.Run) error {
	l := tollvm.New(r.Context, options(r), arith.IndexToLLVM())
	l.Illegal = rewrite.InDialect("index")
	return l.ConvertAll(r.Op)
}

func convertMath(r *rewrite.Run) error {
	return tollvm.New(r.Context, tollvm.Options{}, arith.MathToLLVM(r.Context)).ConvertAll(r.Op)
}

func convertMathCalls(r *rewrite.Run) error {
	chip, err := chipset(r)
	if err != nil {
		return err
	}
	return tollvm.New(r.Context, tollvm.Options{Chipset: chip}, arith.MathToROCDL(r.Context)).ConvertAll(r.Op)
}

func convertCF(r *rewrite.Run) error {
	return tollvm.New(r.Context, options(r), control.CF()).ConvertAll(r.Op)
}

// convertFunc converts functions. Index constants and control flow between blocks are
// converted, too, as far as the types of arguments need it.
func convertFunc(r *rewrite.Run) error {
	o := options(r)
	o.BarePointers = r.Bool("use-bare-ptr-memref-call-conv")
	l := tollvm.New(r.Context, o, control.CF(), control.Func())
	return l.ConvertAll(r.Op)
}

func expandMetadata(r *rewrite.Run) error { return memref.ExpandMetadata(r.Context, r.Op) }

func foldAliases(r *rewrite.Run) error {
	memref.FoldAliases(r.Context, r.Op)
	return nil
}

func expandMemRef(r *rewrite.Run) error {
	memref.Expand(r.Context, r.Op)
	return nil
}

func convertMemRef(r *rewrite.Run) error {
	h := memref.NewHeap(r.Bool("use-aligned-alloc"), r.Bool("use-generic-functions"))
	return tollvm.New(r.Context, options(r), memref.ToLLVM(), h.ToLLVM()).ConvertAll(r.Op)
}

func outlineKernels(r *rewrite.Run) error { return gpu.Outline(r.Context, r.Op, false) }

func sinkConstants(r *rewrite.Run) error {
	gpu.SinkConstants(r.Context, r.Op)
	return nil
}

func convertSCF(r *rewrite.Run) error { return control.SCFToCF(r.Context, r.Op) }

func lowerAffine(r *rewrite.Run) error { return control.LowerAffine(r.Context, r.Op) }

func convertVector(r *rewrite.Run) error {
	vector.LowerMasks(r.Context, r.Op, vector.MaskCombinations)
	rows := vector.ToLLVMWith(vector.Options{
		Narrow:      r.Bool(force32.Name),
		Reassociate: r.Bool(reassociate.Name),
	})
	return tollvm.New(r.Context, tollvm.Options{}, rows).ConvertAll(r.Op)
}

func expandTransfers(r *rewrite.Run) error {
	if r.Bool(lowerTensors.Name) {
		return mlir.PlainErrorf("convert-vector-to-scf: lower-tensors is not supported")
	}
	return vector.ToSCF(r.Context, r.Op, r.Int(targetRank.Name))
}

func lowerMasks(r *rewrite.Run) error {
	vector.LowerMasks(r.Context, r.Op, vector.MaskAccesses)
	return nil
}

func canonicalize(r *rewrite.Run) error {
	clean.Canonicalize(r.Context, r.Op)
	return nil
}

func eliminateCommon(r *rewrite.Run) error {
	clean.CSE(r.Op)
	return nil
}

func reconcile(r *rewrite.Run) error {
	rewrite.ReconcileCasts(r.Op)
	return nil
}
