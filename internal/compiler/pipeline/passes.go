package pipeline

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Kind is the kind of code that a pass transforms.
type Kind uint8

const (
	Module    Kind = iota // a module of LLVM IR
	Function              // a function of LLVM IR
	Selection             // from a function of LLVM IR to machine IR
	Machine               // a function of machine IR
)

// Pass is a run of a pass. A pass may run several times.
type Pass struct {
	Name  string // on LLVM IR with parameters, in the syntax of opt.ParsePipeline
	Kind  Kind
	Level int                           // lowest optimization level that enables it
	Sets  isa.SetMask                   // sets that need it, 0 for all
	Stage mir.Stage                     // of machine IR after it
	Run   func(p *codegen.Passes) error // of a machine pass
}

// Selector is the name of instruction selection.
const Selector = "isel"

// Passes lists all passes in execution order. [Orders] lists the constraints.
var Passes = [...]Pass{
	// The module's functions: those that remain, and inlining.
	{Name: "amdgpu-remove-incompatible-functions", Kind: Module},
	{Name: "amdgpu-lower-ctor-dtor", Kind: Module},
	{Name: "lower-callbr", Kind: Function},
	{Name: "always-inline", Kind: Module},
	{Name: "sroa", Kind: Function, Level: 1},
	{Name: "early-cse", Kind: Function, Level: 1},
	{Name: "simplifycfg", Kind: Function, Level: 1},
	{Name: "instcombine", Kind: Function, Level: 1},
	{Name: "inline", Kind: Module, Level: 1},
	{Name: "globaldce", Kind: Module, Level: 1},
	{Name: "sroa", Kind: Function, Level: 1},
	{Name: "early-cse<memssa>", Kind: Function, Level: 1},
	{Name: "simplifycfg", Kind: Function, Level: 1},
	{Name: "instcombine", Kind: Function, Level: 1},
	{Name: "loop-simplify", Kind: Function, Level: 2},
	{Name: "lcssa", Kind: Function, Level: 2},
	{Name: "licm", Kind: Function, Level: 2},
	{Name: "instcombine", Kind: Function, Level: 2},
	{Name: "early-cse<memssa>", Kind: Function, Level: 2},
	{Name: "dse", Kind: Function, Level: 2},
	{Name: "simplifycfg<sink-common-insts;hoist-common-insts>", Kind: Function, Level: 2},
	{Name: "adce", Kind: Function, Level: 2},

	// A canonical form: pointers with their address spaces, memory as values.
	{Name: "lower-invoke", Kind: Function},
	{Name: "expand-variadics", Kind: Module},
	{Name: "expand-vp", Kind: Function},
	{Name: "indirectbr-expand", Kind: Module},
	{Name: "amdgpu-lower-module-lds", Kind: Module},
	{Name: "amdgpu-lower-kernel-arguments", Kind: Function},
	{Name: "infer-address-spaces", Kind: Function},
	{Name: "sroa", Kind: Function, Level: 1},
	{Name: "lower-mem-intrinsics", Kind: Function},
	{Name: "amdgpu-promote-alloca", Kind: Function, Level: 1},
	{Name: "sroa", Kind: Function, Level: 1},
	{Name: "instcombine", Kind: Function, Level: 1},
	{Name: "early-cse<memssa>", Kind: Function, Level: 1},
	{Name: "simplifycfg", Kind: Function, Level: 1},

	// Forms that selection accepts.
	{Name: "lower-dynamic-stack", Kind: Function},
	{Name: "atomic-expand", Kind: Function},
	{Name: "lower-switch", Kind: Function},
	{Name: "scalarize-masked-mem-intrin", Kind: Function},
	{Name: "amdgpu-whole-quad", Kind: Function},
	{Name: "amdgpu-unify-divergent-exit-nodes", Kind: Function},
	{Name: "fuse-fma", Kind: Function, Level: 1},
	{Name: "flatten-signatures", Kind: Module},
	{Name: "split-aggregates", Kind: Function},
	{Name: "scalarizer", Kind: Function},
	{Name: "amdgpu-lower-buffer-fat-pointers", Kind: Function},
	{Name: "expand-fp", Kind: Function},
	{Name: "expand-intrinsics", Kind: Function},
	{Name: "expand-large-div-rem", Kind: Function},
	{Name: "expand-large-ints", Kind: Module},
	{Name: "instcombine", Kind: Function, Level: 1},
	{Name: "early-cse", Kind: Function, Level: 1},
	{Name: "separate-const-offset-from-gep", Kind: Function, Level: 1},
	{Name: "early-cse", Kind: Function, Level: 1},
	{Name: "scalarizer", Kind: Function},
	{Name: "expand-fp", Kind: Function},
	{Name: "expand-div-rem", Kind: Function},
	{Name: "expand-intrinsics", Kind: Function},
	{Name: "legalize-ints", Kind: Function},
	{Name: "split-memory", Kind: Function},
	{Name: "narrow-ints", Kind: Function, Level: 1},
	{Name: "instsimplify", Kind: Function, Level: 1},
	{Name: "early-cse", Kind: Function, Level: 1},
	{Name: "dce", Kind: Function, Level: 1},
	{Name: "amdgpu-annotate-uniform", Kind: Function, Level: 1},
	{Name: "load-store-vectorizer", Kind: Function, Level: 1},
	{Name: "instsimplify", Kind: Function, Level: 1},
	{Name: "early-cse", Kind: Function, Level: 1},
	{Name: "dce", Kind: Function, Level: 1},
	{Name: "loop-simplify", Kind: Function, Level: 2},
	{Name: "lcssa", Kind: Function, Level: 2},
	{Name: "licm", Kind: Function, Level: 2},

	// The final control flow.
	{Name: "dce", Kind: Function},
	{Name: "amdgpu-wave-ops", Kind: Function},
	{Name: "amdgpu-waterfall", Kind: Function},
	{Name: "fix-irreducible", Kind: Function},
	{Name: "loop-simplify", Kind: Function},
	{Name: "lcssa", Kind: Function},
	{Name: "amdgpu-whole-wave", Kind: Function},
	{Name: "strip-dead-prototypes", Kind: Module},

	// Machine IR.
	{Name: Selector, Kind: Selection, Stage: mir.StageSelected},
	{Name: "peephole", Kind: Machine, Run: (*codegen.Passes).Peephole, Level: 1, Stage: mir.StageSelected},
	{Name: "control-flow", Kind: Machine, Run: (*codegen.Passes).ControlFlow, Stage: mir.StageLinearized},
	{Name: "schedule", Kind: Machine, Run: (*codegen.Passes).Schedule, Level: 1, Stage: mir.StageLinearized},
	{Name: "split-parts", Kind: Machine, Run: (*codegen.Passes).SplitParts, Level: 1, Stage: mir.StageLinearized},
	{Name: firstAllocation, Kind: Machine, Run: (*codegen.Passes).Spill, Stage: mir.StageLinearized},
	{Name: lastRetry, Kind: Machine, Run: (*codegen.Passes).Regalloc, Stage: mir.StageAllocated},
	{Name: "lower-copies", Kind: Machine, Run: (*codegen.Passes).LowerCopies, Stage: mir.StageAllocated},
	{Name: "frame", Kind: Machine, Run: (*codegen.Passes).Frame, Stage: mir.StageAllocated},
	{Name: "jumps", Kind: Machine, Run: (*codegen.Passes).Jumps, Level: 1, Stage: mir.StageAllocated},
	{Name: "shorten", Kind: Machine, Run: (*codegen.Passes).Shorten, Level: 1, Stage: mir.StageAllocated},
	{Name: "traps", Kind: Machine, Run: (*codegen.Passes).Traps, Stage: mir.StageAllocated},
	{Name: "memory-model", Kind: Machine, Run: (*codegen.Passes).MemoryModel, Stage: mir.StageAllocated},
	{Name: "waits", Kind: Machine, Run: (*codegen.Passes).Waits, Stage: mir.StageAllocated},
	{Name: "indexing", Kind: Machine, Run: (*codegen.Passes).Indexing, Stage: mir.StageFinal},
	{Name: "dual", Kind: Machine, Run: (*codegen.Passes).Dual, Sets: isa.PropVopd, Level: 1, Stage: mir.StageFinal},
	{Name: "hazards", Kind: Machine, Run: (*codegen.Passes).Hazards, Stage: mir.StageFinal},
	{Name: "banks", Kind: Machine, Run: (*codegen.Passes).Banks, Sets: isa.PropVgprs1024, Stage: mir.StageFinal},
	{Name: "clauses", Kind: Machine, Run: (*codegen.Passes).Clauses, Sets: isa.PropClause, Level: 1, Stage: mir.StageFinal},
	{Name: "delays", Kind: Machine, Run: (*codegen.Passes).Delays, Sets: isa.PropDelayAlu, Level: 1, Stage: mir.StageFinal},
	{Name: "layout", Kind: Machine, Run: (*codegen.Passes).Layout, Stage: mir.StageFinal},
}

// kernelsFinal is the last pass that removes or creates kernels.
const kernelsFinal = "amdgpu-lower-ctor-dtor"

// Passes of machine IR with a role in the driver.
const (
	firstAllocation = "spill"    // restart point if register allocation fails
	lastRetry       = "regalloc" // the last pass that may restart the pipeline
)

// Base returns the name of the pass without parameters.
func (p *Pass) Base() string {
	name, _, _ := strings.Cut(p.Name, "<")
	return name
}

// indexOf returns the index of the first run of a pass, or -1.
func indexOf(name string) int {
	return slices.IndexFunc(Passes[:], func(p Pass) bool { return p.Base() == name })
}

// Names returns the names of all passes in the order of their first runs.
func Names() []string { return names(0) }

// MachineNames returns the names of selection and of the passes on machine IR in
// execution order.
func MachineNames() []string { return names(indexOf(Selector)) }

func names(first int) (list []string) {
	for i := range Passes[first:] {
		if name := Passes[first+i].Base(); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// StageAfter returns the stage of machine IR after selection or a pass on
// machine IR.
func StageAfter(name string) mir.Stage { return Passes[indexOf(name)].Stage }

// irPasses returns the passes on LLVM IR of an optimization level, from one
// index up to another, in the syntax of opt.ParsePipeline.
func irPasses(level, from, to int) string {
	var list []string
	for i := range Passes[from:to] {
		if p := &Passes[from+i]; level >= p.Level {
			list = append(list, p.Name)
		}
	}
	return strings.Join(list, ",")
}
