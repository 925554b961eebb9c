package opt

import "strings"

// codegenPart is a row of the pipeline for code generation: passes, and the least level of optimization that has them.
type codegenPart struct {
	level  int
	passes string
}

// codegenParts is what comes before selection, in its order. What a pass needs of those before it:
//
//   - Passes that make functions visible (inlining) come first, then those that bring what they are given to a common
//     form (pointers with their address spaces, memory as values).
//   - split-aggregates and scalarizer come before the expansions, which are of scalars; the division of wide integers before these integers go;
//     expand-fp and what else makes integer operations before legalize-ints. Behind legalize-ints no instcombine may run: it would make
//     other widths again. (early-cse, instsimplify, dce and licm only give what is there.)
//   - split-memory comes behind all that makes loads and stores.
//   - amdgpu-unify-divergent-exit-nodes makes phis of what is returned, so values are split behind it; no simplifycfg may run behind it,
//     which would fold the exits of endless loops. The last ones finish the control flow; nothing may change it behind them. Nothing
//     may stand behind amdgpu-whole-wave that moves instructions or puts others between.
var codegenParts = []codegenPart{
	{0, "amdgpu-remove-incompatible-functions,amdgpu-lower-ctor-dtor,always-inline"},
	{1, "function(sroa,early-cse,simplifycfg,instcombine)"},
	{1, "inline,globaldce"},
	{1, "function(sroa,early-cse<memssa>,simplifycfg,instcombine)"},
	{2, "function(loop-simplify,lcssa,licm,instcombine,early-cse<memssa>,dse,simplifycfg<sink-common-insts;hoist-common-insts>,adce)"},

	{0, "function(expand-variadics,lower-invoke),indirectbr-expand"},
	{0, "amdgpu-lower-module-lds"},
	{0, "function(amdgpu-lower-kernel-arguments,infer-address-spaces)"},
	{1, "function(sroa)"},
	{0, "function(lower-mem-intrinsics)"},
	{1, "function(amdgpu-promote-alloca,sroa,instcombine,early-cse<memssa>,simplifycfg)"},
	{0, "function(lower-dynamic-stack,atomic-expand,lower-switch,scalarize-masked-mem-intrin,amdgpu-unify-divergent-exit-nodes)"},
	{1, "function(fuse-fma)"},
	{0, "flatten-signatures"},
	{0, "function(split-aggregates,scalarizer,expand-fp,expand-intrinsics,expand-large-div-rem)"},
	{0, "expand-large-ints"},
	{1, "function(instcombine,early-cse,separate-const-offset-from-gep,early-cse)"},
	{0, "function(scalarizer,expand-fp,expand-div-rem,expand-intrinsics,legalize-ints)"},
	{0, "function(split-memory)"},
	{1, "function(narrow-ints,instsimplify,early-cse,dce,amdgpu-annotate-uniform,load-store-vectorizer,instsimplify,early-cse,dce)"},
	{2, "function(loop-simplify,lcssa,licm)"},

	{0, "function(dce,amdgpu-wave-ops,amdgpu-waterfall,fix-irreducible,loop-simplify,lcssa,amdgpu-whole-wave)"},
	{0, "strip-dead-prototypes"},
}

// CodegenPipeline gives the passes that come before selection for a level of optimization, 0 to 2 (higher ones are 2), as
// ParsePipeline reads them.
func CodegenPipeline(level int) string {
	var list []string
	for _, p := range codegenParts {
		if level >= p.level {
			list = append(list, p.passes)
		}
	}
	return strings.Join(list, ",")
}
