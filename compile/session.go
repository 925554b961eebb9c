package compile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// session is the compilation of one module.
type session struct {
	ctx     context.Context
	m       *ir.Module
	o       *Options
	t       *target.Target
	machine *mir.Machine
	kernels map[*ir.Global]*kernel
	printf  []string
	needs   *abi.Module
	fns     []*function
	printer *printer

	byFunction map[*ir.Function]*function
	start      *machineFile // with Options.StartAfter: the input
	checkEach  bool         // check operands after every pass
	input      int64        // bytes of the input
}

// function is a function with a body.
type function struct {
	f      *ir.Function
	name   string
	kernel *kernel // nil for other functions
	entry  *abi.Entry
	job    *codegen.Job // with Options.StartAfter: the job that continues
	text   []byte       // after Options.StopAfter: the machine IR
	code   []byte
	fixups []codegen.Fixup
	res    codegen.Resources // excluding callees
	err    error

	callees  map[string]*function // by name: the callees that are compiled before
	callers  []*function          // the callers that are compiled after
	waits    atomic.Int32         // number of callees that are not compiled yet
	clobbers *codegen.RegSet      // registers that a call of it clobbers, nil if unknown
}

// printer writes the output of passes, whole functions at a time.
type printer struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return len(b), nil
	}
	return p.w.Write(b)
}

// run compiles all functions to machine code.
func (s *session) run() error {
	if err := s.prepare(); err != nil {
		return err
	}
	s.nameGlobals()
	s.needs = abi.Analyze(s.m, s.t)
	for _, g := range s.m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() || g.Linkage == ir.AvailableExternally {
			continue
		}
		s.fns = append(s.fns, &function{f: g.Func, name: symbolName(g), kernel: s.kernels[g], entry: s.needs.Entry(g.Func)})
	}
	if s.start != nil {
		if err := s.readJobs(); err != nil {
			return err
		}
	}
	s.compileAll()
	s.checkMemory()
	return s.errors()
}

// prepare runs the passes on LLVM IR, which precede selection.
func (s *session) prepare() error {
	set, ok := isa.SetOf(s.t.Processor)
	if !ok {
		return fmt.Errorf("processor %s is not supported", s.t.Processor)
	}
	s.machine = mir.MachineOf(set, s.t.WaveSize())
	if err := s.checkVariables(); err != nil {
		return err
	}
	if err := s.checkAttributes(); err != nil {
		return err
	}
	if err := checkSizes(s.m); err != nil {
		return err
	}
	if s.start != nil {
		s.readKernels()
		return nil
	}
	return s.passes()
}

// checkVariables returns errors for variables that fit no processor.
func (s *session) checkVariables() error {
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
func (s *session) nameGlobals() {
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
func (s *session) readKernels() {
	s.kernels = map[*ir.Global]*kernel{}
	s.printf = printfFormats(s.m)
	var needs *abi.Module
	if s.t.COV < 4 {
		needs = abi.Analyze(s.m, s.t)
	}
	for _, g := range s.m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() && g.Func.CC.IsKernel() {
			s.kernels[g] = newKernel(s.m, g.Func, s.t, needs)
		}
	}
}

// passes runs the passes on LLVM IR.
func (s *session) passes() error {
	ctx := &opt.Context{Target: s.t, Workers: s.o.Workers, PrintAfter: s.o.PrintAfter, Output: s.printer}
	switch {
	case s.o.Verify:
		ctx.VerifyEach = func(m *ir.Module) error { return firstViolation(m, verify.Module(m)) }
		ctx.VerifyFunction = func(f *ir.Function) error { return firstViolation(f.Module(), verify.Function(f)) }
	case s.checkEach:
		ctx.VerifyEach, ctx.VerifyFunction = checkModule, checkFunction
	}
	err := pipeline.Prepare(ctx, s.m, s.o.Level, s.readKernels)
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

// worker compiles functions one after the other in the same memory.
type worker struct {
	s        *session
	operands *verify.OperandChecker
	out      *mir.Func
	runner   pipeline.Runner
}

func (s *session) newWorker() *worker {
	w := &worker{s: s, operands: verify.NewOperandChecker(s.m), out: mir.NewFunc("", s.machine)}
	w.out.Guard = s.m.Guard()
	w.runner.Select, w.runner.Passes = newSelector(), new(codegen.Passes)
	w.runner.Options = pipeline.Options{Level: s.o.Level, Verify: s.o.Verify, PrintAfter: s.o.PrintAfter, StartAfter: s.o.StartAfter, StopAfter: s.o.StopAfter, Output: s.printer}
	return w
}

func (w *worker) compile(fn *function) {
	defer func() {
		if r := recover(); r != nil {
			fn.err = recovered(fn.f.Name(), r)
			*w = *w.s.newWorker() // its memory may be in any state
		}
	}()
	s := w.s
	job := fn.job
	var from *pipeline.Source
	if job == nil {
		if wrong, ok := w.operands.Function(fn.f); !ok {
			fn.err = &BrokenError{Function: fn.name, Err: errors.New(wrong.Describe(s.m))}
			return
		}
		job = &codegen.Job{Target: s.t, Kernel: fn.kernel != nil, Entry: fn.entry, Limits: codegen.Limits(abi.Limits(s.m, fn.f, s.t))}
		from = w.source(fn)
	}
	job.Clobbers, job.Called = fn.clobbersOf, len(fn.callers) > 0
	r, err := w.runner.Run(job, from)
	if err != nil {
		fn.err = err
		return
	}
	fn.res, fn.entry, fn.clobbers, fn.text = r.Resources, r.Entry, r.Clobbers, r.Text
	if r.Code != nil {
		fn.code, fn.fixups = slices.Clone(r.Code.Bytes), slices.Clone(r.Code.Fixups)
	}
}

// source returns a function as the source of selection.
func (w *worker) source(fn *function) *pipeline.Source {
	s := w.s
	w.out.Reset(fn.name, s.machine)
	env := isel.Env{Target: s.t, ABI: s.needs, Entry: fn.entry}
	if fn.kernel != nil {
		env.ImplicitArgs = int64(fn.kernel.implicit)
	}
	return &pipeline.Source{F: fn.f, Env: env, To: w.out}
}
