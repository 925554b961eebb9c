package compile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/isa"
)

// prepared is a module after the passes on LLVM IR: all that selection needs.
type prepared struct {
	*source
	machine *mir.Machine
	kernels map[*ir.Global]*kernel
	printf  []string              // formats of printf
	bare    map[*ir.Global]uint64 // of kernels without descriptors: offsets of the implicit arguments, in bytes
	needs   *abi.Module           // what the functions need from their callers and the hardware
}

// prepareModule checks the module and runs the passes on LLVM IR, which precede
// selection. Machine IR has had them.
func prepareModule(s *source) (*prepared, error) {
	set, ok := isa.SetOf(s.t.Processor)
	if !ok {
		return nil, fmt.Errorf("processor %s is not supported", s.t.Processor)
	}
	p := &prepared{source: s, machine: mir.MachineOf(set, s.t.WaveSize())}
	if err := s.checkVariables(); err != nil {
		return nil, err
	}
	if err := s.checkAttributes(); err != nil {
		return nil, err
	}
	if err := s.checkPrograms(); err != nil {
		return nil, err
	}
	if err := checkSizes(s.m); err != nil {
		return nil, err
	}
	if s.start != nil {
		p.readKernels()
	} else if err := p.runPasses(); err != nil {
		return nil, err
	}
	p.nameGlobals()
	p.needs = abi.Analyze(s.m, s.t)
	return p, nil
}

// checkPrograms returns errors for shaders on systems whose drivers start kernels
// only.
func (s *source) checkPrograms() error {
	var list Errors
	for _, g := range s.m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() || !g.Func.CC.IsShader() || !abi.HasDescriptors(s.t) {
			continue
		}
		list = append(list, &Error{Function: g.Name(), Err: fmt.Errorf("function @%s: the calling convention %v is not supported for %v", g.Name(), g.Func.CC, s.t.Triple.OS)})
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// checkVariables returns errors for variables that fit no processor.
func (s *source) checkVariables() error {
	var list Errors
	for _, g := range s.m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar {
			continue
		}
		switch {
		case g.TLS != ir.NotThreadLocal:
			list = append(list, &Error{Function: g.Name(), Err: fmt.Errorf("variable @%s: thread-local variables are not supported: work-items have no memory of their own that outlives a kernel", g.Name())})
		case g.AddrSpace == addrspace.Region || g.AddrSpace == addrspace.Private:
			list = append(list, &Error{Function: g.Name(), Err: fmt.Errorf("variable @%s: variables in address space %d (%s) are not supported", g.Name(), g.AddrSpace, map[uint32]string{addrspace.Region: "GDS", addrspace.Private: "private memory"}[g.AddrSpace])})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// nameGlobals names unnamed globals, since symbols need a name.
func (s *source) nameGlobals() {
	n := 0
	for _, g := range s.m.Globals() {
		if g == nil || g.Name() != "" {
			continue
		}
		for n++; s.m.Global(unnamed+strconv.Itoa(n)) != nil; n++ {
		}
		s.m.Rename(g, unnamed+strconv.Itoa(n))
	}
}

// unnamed begins the names of unnamed globals, as in LLVM.
const unnamed = "__unnamed_"

// readKernels reads the facts about the module's kernels before passes change
// them. Passes replace the functions of globals, and the types of their
// parameters.
func (p *prepared) readKernels() {
	p.kernels, p.bare = map[*ir.Global]*kernel{}, map[*ir.Global]uint64{}
	p.printf = printfFormats(p.m)
	var needs *abi.Module
	if p.t.COV < 4 {
		needs = abi.Analyze(p.m, p.t)
	}
	for _, g := range p.m.Globals() {
		switch {
		case g == nil || g.Func == nil || g.IsDeclaration() || !g.Func.CC.IsKernel():
		case abi.HasDescriptors(p.t):
			p.kernels[g] = newKernel(p.m, g.Func, p.t, needs)
		default:
			p.bare[g] = prepare.KernelArgsOf(g.Func, p.t.Triple.OS).Implicit
		}
	}
}

// runPasses runs the passes on LLVM IR.
func (p *prepared) runPasses() error {
	ctx := &opt.Context{Target: p.t, Workers: p.o.Workers, PrintAfter: p.o.PrintAfter, Output: p.printer}
	switch p.verify {
	case verifyIR:
		ctx.VerifyEach = func(m *ir.Module) error { return firstViolation(m, verify.Module(m)) }
		ctx.VerifyFunction = func(f *ir.Function) error { return firstViolation(f.Module(), verify.Function(f)) }
	case verifyOperands:
		ctx.VerifyEach, ctx.VerifyFunction = checkModule, checkFunction
	}
	err := pipeline.Prepare(ctx, p.m, p.o.Level, p.readKernels)
	var failed *opt.Error
	if errors.As(err, &failed) && failed.Function != nil && failed.Stack == nil {
		return Errors{{Function: failed.Function.Name(), Err: err, value: ir.None}}
	}
	return err
}

func firstViolation(m *ir.Module, list []verify.Violation) error {
	if len(list) == 0 {
		return nil
	}
	return errors.New(list[0].Describe(m))
}
