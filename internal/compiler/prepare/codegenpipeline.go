package prepare

import "strings"

// codegenPart is a row of the code generation pipeline: passes, and the lowest
// optimization level that runs them.
type codegenPart struct {
	level  int
	passes string
}

// codegenParts lists the passes before instruction selection in execution
// order. The constraints are:
//
//   - Passes that make functions visible (inlining) precede all others, followed by passes
//     that convert the input to a canonical form (pointers with their address spaces, memory
//     as values).
//   - split-aggregates and scalarizer precede the expansions, which handle scalars only. The
//     division of wide integers precedes legalize-ints, which removes these integers.
//     expand-fp and other passes that create integer operations also precede legalize-ints. No
//     instcombine may run after legalize-ints, because it would introduce other widths again;
//     early-cse, instsimplify, dce and licm use only existing values.
//   - split-memory follows all passes that create loads and stores.
//   - amdgpu-unify-divergent-exit-nodes creates phis for return values, so values are split
//     after it. No simplifycfg may follow it, because it would fold the exits of endless
//     loops. The last passes finish the control flow, and no pass may change it afterwards. No
//     pass that moves or inserts instructions may follow amdgpu-whole-wave.
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

// CodegenPipeline returns the passes before instruction selection for an
// optimization level from 0 to 2, in the syntax of ParsePipeline. Higher levels
// are treated as 2.
func CodegenPipeline(level int) string {
	var list []string
	for _, p := range codegenParts {
		if level >= p.level {
			list = append(list, p.passes)
		}
	}
	return strings.Join(list, ",")
}
