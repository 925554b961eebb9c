package opt

import "github.com/gfx-toolchain/gfx/ir"

// Pass is a pass: a row of Passes. Exactly one of Module and Function is set;
// they report whether they changed anything.
type Pass struct {
	Name     string
	Doc      string // one line
	Params   []Param
	Required bool // also runs on functions with optnone
	Declares bool // may add declarations (of intrinsics) to the module, so it never runs concurrently
	Module   func(ctx *Context, m *ir.Module) bool
	Function func(ctx *Context, f *ir.Function) bool
}

// Param is a parameter of a pass, which follows its name in angle brackets. A
// switch is set by its name and cleared by its name with the prefix "no-"; any
// other parameter is written name=number.
type Param struct {
	Name    string
	Default int // 0 or 1 for a switch
	Number  bool
}

// Passes lists all passes in alphabetical order, one line each. The names are
// LLVM's.
var Passes = []Pass{
	{Name: "adce", Doc: "remove instructions and branches without effect", Function: adce},
	{Name: "always-inline", Doc: "inline functions with the attribute alwaysinline", Required: true, Module: alwaysInline},
	{Name: "amdgpu-annotate-uniform", Doc: "mark loads of kernels that scalar loads can implement", Function: annotateUniform},
	{Name: "amdgpu-lower-ctor-dtor", Doc: "create kernels that run global constructors and destructors", Required: true, Module: lowerStructors},
	{Name: "amdgpu-lower-kernel-arguments", Doc: "lower kernel arguments to loads from the kernarg segment", Required: true, Declares: true, Function: lowerKernelArguments},
	{Name: "amdgpu-lower-module-lds", Doc: "assign fixed addresses to variables in LDS", Required: true, Module: lowerModuleLDS},
	{Name: "amdgpu-promote-alloca", Doc: "promote small arrays in private memory to values", Function: promotePrivate},
	{Name: "amdgpu-remove-incompatible-functions", Doc: "remove functions that require features that the processor lacks", Required: true, Module: removeIncompatible},
	{Name: "amdgpu-unify-divergent-exit-nodes", Doc: "make functions end in a single ret that every block reaches", Required: true, Function: unifyExits},
	{Name: "amdgpu-waterfall", Doc: "wrap calls with divergent callees or buffer resources in loops", Required: true, Declares: true, Function: waterfallCalls},
	{Name: "amdgpu-wave-ops", Doc: "lower wave reductions and shuffles to loops over the lanes", Required: true, Declares: true, Function: expandWaveOps},
	{Name: "amdgpu-whole-wave", Doc: "move whole-wave computations directly before their use", Required: true, Function: gatherWholeWave},
	{Name: "atomic-expand", Doc: "expand atomic operations that the processor does not support", Required: true, Declares: true, Function: expandAtomic},
	{Name: "dce", Doc: "remove instructions whose results are unused", Function: dce},
	{Name: "dse", Doc: "remove stores that are never read", Function: dse},
	{Name: "early-cse", Doc: "remove redundant computations and loads", Params: []Param{{Name: "memssa"}}, Function: earlyCSE},
	{Name: "expand-div-rem", Doc: "lower integer divisions of at most 64 bits to multiplications and reciprocals", Required: true, Declares: true, Function: expandDivRem},
	{Name: "expand-fp", Doc: "expand floating-point divisions, roots, conversions and functions that the processor does not support", Required: true, Declares: true, Function: expandFP},
	{Name: "expand-intrinsics", Doc: "lower intrinsics without a machine instruction to plain operations", Required: true, Declares: true, Function: expandIntrinsics},
	{Name: "expand-large-div-rem", Doc: "lower integer divisions of more than 64 bits to loops", Required: true, Declares: true, Function: expandLargeDivRem},
	{Name: "expand-large-ints", Doc: "lower operations on integers wider than 64 bits to operations on i64", Required: true, Module: expandLargeInts},
	{Name: "expand-variadics", Doc: "reject functions with a variable number of arguments", Required: true, Function: expandVariadics},
	{Name: "fix-irreducible", Doc: "convert irreducible cycles to loops", Required: true, Function: fixIrreducible},
	{Name: "fuse-fma", Doc: "fuse sums of products where flags permit it", Declares: true, Function: fuseFMA},
	{Name: "flatten-signatures", Doc: "convert parameters and results of functions to whole registers", Required: true, Module: flattenSignatures},
	{Name: "globaldce", Doc: "remove unused globals", Module: globalDCE},
	{Name: "indirectbr-expand", Doc: "convert indirect branches to switches", Required: true, Module: expandIndirectBr},
	{Name: "infer-address-spaces", Doc: "infer the address spaces of flat pointers", Declares: true, Function: inferAddressSpaces},
	{Name: "inline", Doc: "inline functions that are small, used once or must be inlined", Params: []Param{{Name: "only-mandatory"}}, Module: inline},
	{Name: "instcombine", Doc: "combine instructions and convert them to canonical forms", Declares: true, Function: instCombine},
	{Name: "instsimplify", Doc: "replace instructions by existing values", Function: instSimplify},
	{Name: "internalize", Doc: "internalize all globals except kernels, llvm.used and used variables", Module: internalize},
	{Name: "lcssa", Doc: "insert phis for values that are used outside their loop", Function: lcssa},
	{Name: "legalize-ints", Doc: "convert operations on other integers of at most 64 bits to i32 and i64", Required: true, Function: legalizeInts},
	{Name: "licm", Doc: "hoist loop-invariant instructions", Function: licm},
	{Name: "load-store-vectorizer", Doc: "merge loads and stores of adjacent addresses", Function: vectorizeMemory},
	{Name: "loop-simplify", Doc: "add preheaders, single latches and dedicated exits to loops", Function: loopSimplify},
	{Name: "lower-dynamic-stack", Doc: "lower allocas of variable size to arithmetic", Required: true, Declares: true, Function: lowerDynamicStack},
	{Name: "lower-invoke", Doc: "convert invokes to calls", Required: true, Function: lowerInvoke},
	{Name: "lower-mem-intrinsics", Doc: "lower memcpy, memmove and memset to loads, stores and loops", Required: true, Function: lowerMemIntrinsics},
	{Name: "lower-switch", Doc: "lower switches to trees of comparisons", Required: true, Function: lowerSwitch},
	{Name: "mem2reg", Doc: "promote memory that is only loaded and stored as a whole", Function: mem2reg},
	{Name: "narrow-ints", Doc: "narrow i64 operations to i32 where the values fit", Function: narrowInts},
	{Name: "scalarize-masked-mem-intrin", Doc: "expand masked loads and stores to accesses of elements", Required: true, Function: scalarizeMasked},
	{Name: "scalarizer", Doc: "split operations on vectors into operations on elements", Required: true, Declares: true, Function: scalarizer},
	{Name: "separate-const-offset-from-gep", Doc: "split getelementptrs, with the constant parts last", Function: separateGEPs},
	{Name: "simplifycfg", Doc: "simplify the control flow", Params: simplifycfgParams, Function: simplifycfg},
	{Name: "split-aggregates", Doc: "split operations on structs and arrays into operations on elements", Required: true, Function: splitAggregates},
	{Name: "split-memory", Doc: "split loads and stores into legal accesses", Required: true, Function: splitMemory},
	{Name: "sroa", Doc: "split memory of aggregates and promote the parts", Params: sroaParams, Function: sroa},
	{Name: "strip-dead-prototypes", Doc: "remove unused declarations", Module: stripDeadPrototypes},
}

// FindPass returns the pass with a name in a list, or nil.
func FindPass(passes []Pass, name string) *Pass {
	for i := range passes {
		if passes[i].Name == name {
			return &passes[i]
		}
	}
	return nil
}

// defaults returns the default values of the parameters.
func (p *Pass) defaults() []int {
	if len(p.Params) == 0 {
		return nil
	}
	values := make([]int, len(p.Params))
	for i := range p.Params {
		values[i] = p.Params[i].Default
	}
	return values
}
