package opt

import "github.com/gfx-toolchain/gfx/ir"

// Pass is one pass: a row of Passes. It has one of Module and Function, which report whether they changed anything.
type Pass struct {
	Name     string
	Doc      string // one line
	Params   []Param
	Required bool // it runs on functions with optnone too
	Declares bool // it may add declarations to the module (of intrinsics), so it never runs on several functions at once
	Module   func(ctx *Context, m *ir.Module) bool
	Function func(ctx *Context, f *ir.Function) bool
}

// Param is a parameter of a pass, which stands in angle brackets behind its name. A switch is set by its name and cleared by its
// name behind "no-"; any other one is written name=number.
type Param struct {
	Name    string
	Default int // of a switch 0 or 1
	Number  bool
}

// Passes are all passes, in alphabetical order. Names are LLVM's. One line each.
var Passes = []Pass{
	{Name: "adce", Doc: "remove instructions and branches that lead to no effect", Function: adce},
	{Name: "always-inline", Doc: "inline functions with the attribute alwaysinline", Required: true, Module: alwaysInline},
	{Name: "amdgpu-annotate-uniform", Doc: "mark loads of kernels that scalar loads can do", Function: annotateUniform},
	{Name: "amdgpu-lower-ctor-dtor", Doc: "make kernels of functions that run before and after the program", Required: true, Module: lowerStructors},
	{Name: "amdgpu-lower-kernel-arguments", Doc: "make loads from the kernarg segment of the arguments of kernels", Required: true, Declares: true, Function: lowerKernelArguments},
	{Name: "amdgpu-lower-module-lds", Doc: "give variables in LDS fixed addresses", Required: true, Module: lowerModuleLDS},
	{Name: "amdgpu-promote-alloca", Doc: "make values of small arrays in private memory", Function: promotePrivate},
	{Name: "amdgpu-remove-incompatible-functions", Doc: "remove functions that ask for features that the processor does not have", Required: true, Module: removeIncompatible},
	{Name: "amdgpu-unify-divergent-exit-nodes", Doc: "make functions end in one ret that every block leads to", Required: true, Function: unifyExits},
	{Name: "amdgpu-waterfall", Doc: "make loops of calls whose functions or buffer resources differ between lanes", Required: true, Declares: true, Function: waterfallCalls},
	{Name: "amdgpu-wave-ops", Doc: "make loops over lanes of reductions and shuffles of waves", Required: true, Declares: true, Function: expandWaveOps},
	{Name: "amdgpu-whole-wave", Doc: "put what is computed with all lanes on before what takes the result", Required: true, Function: gatherWholeWave},
	{Name: "atomic-expand", Doc: "expand atomic operations that the processor does not have", Required: true, Declares: true, Function: expandAtomic},
	{Name: "dce", Doc: "remove instructions whose results are not used", Function: dce},
	{Name: "dse", Doc: "remove stores that nothing reads", Function: dse},
	{Name: "early-cse", Doc: "remove computations and loads that were made before", Params: []Param{{Name: "memssa"}}, Function: earlyCSE},
	{Name: "expand-div-rem", Doc: "make multiplications and reciprocals of integer divisions of at most 64 bits", Required: true, Declares: true, Function: expandDivRem},
	{Name: "expand-fp", Doc: "make what the processor has of divisions, roots, conversions and functions of floating-point numbers", Required: true, Declares: true, Function: expandFP},
	{Name: "expand-intrinsics", Doc: "make plain operations of intrinsics that no instruction does", Required: true, Declares: true, Function: expandIntrinsics},
	{Name: "expand-large-div-rem", Doc: "make loops of integer divisions of more than 64 bits", Required: true, Declares: true, Function: expandLargeDivRem},
	{Name: "expand-large-ints", Doc: "make operations on i64 of those on wider integers", Required: true, Module: expandLargeInts},
	{Name: "expand-variadics", Doc: "refuse functions with a variable number of arguments", Required: true, Function: expandVariadics},
	{Name: "fix-irreducible", Doc: "make loops of cycles with several entries", Required: true, Function: fixIrreducible},
	{Name: "fuse-fma", Doc: "make fused operations of sums of products where flags allow it", Declares: true, Function: fuseFMA},
	{Name: "flatten-signatures", Doc: "make parameters and results of functions that take whole registers", Required: true, Module: flattenSignatures},
	{Name: "globaldce", Doc: "remove globals that nothing needs", Module: globalDCE},
	{Name: "indirectbr-expand", Doc: "make switches of indirect branches", Required: true, Module: expandIndirectBr},
	{Name: "infer-address-spaces", Doc: "find the address spaces of flat pointers", Declares: true, Function: inferAddressSpaces},
	{Name: "inline", Doc: "inline functions that are small, used once or must be inlined", Params: []Param{{Name: "only-mandatory"}}, Module: inline},
	{Name: "instcombine", Doc: "bring instructions into canonical forms", Declares: true, Function: instCombine},
	{Name: "instsimplify", Doc: "replace instructions by values that are there already", Function: instSimplify},
	{Name: "internalize", Doc: "make internal what only this module needs: all but kernels, llvm.used and variables in use", Module: internalize},
	{Name: "lcssa", Doc: "give values that leave loops phis behind them", Function: lcssa},
	{Name: "legalize-ints", Doc: "make operations on i32 and i64 of those on other integers of at most 64 bits", Required: true, Function: legalizeInts},
	{Name: "licm", Doc: "move what does not change in a loop before it", Function: licm},
	{Name: "load-store-vectorizer", Doc: "make one load or store of several to neighbouring addresses", Function: vectorizeMemory},
	{Name: "loop-simplify", Doc: "give loops preheaders, single latches and exits of their own", Function: loopSimplify},
	{Name: "lower-dynamic-stack", Doc: "make arithmetic of allocas of variable size", Required: true, Declares: true, Function: lowerDynamicStack},
	{Name: "lower-invoke", Doc: "make calls of invokes, since nothing unwinds", Required: true, Function: lowerInvoke},
	{Name: "lower-mem-intrinsics", Doc: "turn memcpy, memmove and memset into loads, stores and loops", Required: true, Function: lowerMemIntrinsics},
	{Name: "lower-switch", Doc: "turn switches into trees of comparisons", Required: true, Function: lowerSwitch},
	{Name: "mem2reg", Doc: "make values of memory that is only loaded and stored as a whole", Function: mem2reg},
	{Name: "narrow-ints", Doc: "make operations on i32 of those on i64 whose numbers fit", Function: narrowInts},
	{Name: "scalarize-masked-mem-intrin", Doc: "make branches and accesses of elements of masked loads and stores", Required: true, Function: scalarizeMasked},
	{Name: "scalarizer", Doc: "make operations on elements of those on vectors", Required: true, Declares: true, Function: scalarizer},
	{Name: "separate-const-offset-from-gep", Doc: "split getelementptrs, with the constant parts last", Function: separateGEPs},
	{Name: "simplifycfg", Doc: "simplify the control flow", Params: simplifycfgParams, Function: simplifycfg},
	{Name: "split-aggregates", Doc: "make operations on elements of those on structs and arrays", Required: true, Function: splitAggregates},
	{Name: "split-memory", Doc: "make loads and stores of sizes, alignments and types that the processor has", Required: true, Function: splitMemory},
	{Name: "sroa", Doc: "split memory of aggregates and make values of the parts", Params: sroaParams, Function: sroa},
	{Name: "strip-dead-prototypes", Doc: "remove declarations that nothing uses", Module: stripDeadPrototypes},
}

// FindPass gives the pass of a name, nil when there is none.
func FindPass(name string) *Pass {
	for i := range Passes {
		if Passes[i].Name == name {
			return &Passes[i]
		}
	}
	return nil
}

// defaults gives the values of the parameters when none are written.
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
