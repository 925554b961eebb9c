package opt

import "github.com/gfx-toolchain/gfx/ir"

// Pass is a pass: a row of a table like Passes. Exactly one of Module and Function is set;
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

// Passes lists the passes of this package in alphabetical order, one line each.
// Passes that exist in LLVM have LLVM's names.
var Passes = []Pass{
	{Name: "adce", Doc: "remove instructions and branches without effect", Function: adce},
	{Name: "always-inline", Doc: "inline functions with the attribute alwaysinline", Required: true, Module: alwaysInline},
	{Name: "amdgpu-promote-alloca", Doc: "promote small arrays in private memory to values", Function: promotePrivate},
	{Name: "dce", Doc: "remove instructions whose results are unused", Function: dce},
	{Name: "dse", Doc: "remove stores that are never read", Function: dse},
	{Name: "early-cse", Doc: "remove redundant computations and loads", Params: []Param{{Name: "memssa"}}, Function: earlyCSE},
	{Name: "globaldce", Doc: "remove unused globals", Module: globalDCE},
	{Name: "infer-address-spaces", Doc: "infer the address spaces of flat pointers", Declares: true, Function: inferAddressSpaces},
	{Name: "inline", Doc: "inline functions that are small, used once or must be inlined", Params: []Param{{Name: "only-mandatory"}}, Module: inline},
	{Name: "instcombine", Doc: "combine instructions and convert them to canonical forms", Declares: true, Function: instCombine},
	{Name: "instsimplify", Doc: "replace instructions by existing values", Function: instSimplify},
	{Name: "internalize", Doc: "internalize all globals except kernels, llvm.used and used variables", Module: internalize},
	{Name: "lcssa", Doc: "insert phis for values that are used outside their loop", Function: lcssa},
	{Name: "licm", Doc: "hoist loop-invariant instructions", Function: licm},
	{Name: "loop-simplify", Doc: "add preheaders, single latches and dedicated exits to loops", Function: loopSimplify},
	{Name: "mem2reg", Doc: "promote memory that is only loaded and stored as a whole", Function: mem2reg},
	{Name: "narrow-ints", Doc: "narrow i64 operations to i32 where the values fit", Function: narrowInts},
	{Name: "separate-const-offset-from-gep", Doc: "split getelementptrs, with the constant parts last", Function: separateGEPs},
	{Name: "simplifycfg", Doc: "simplify the control flow", Params: simplifycfgParams, Function: simplifycfg},
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
