package compile

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/codegen"
	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/isel"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/opt"
	"github.com/gfx-toolchain/gfx/target"
)

// session is the compilation of one module.
type session struct {
	ctx     context.Context
	m       *ir.Module
	o       *Options
	t       *target.Target
	machine *mir.Machine
	kernels map[*ir.Function]*kernel
	printf  []string
	needs   *abi.Module
	fns     []*function
	printer *printer
}

// function is a function with a body.
type function struct {
	f      *ir.Function
	name   string
	kernel *kernel // nil for other functions
	entry  *abi.Entry
	code   []byte
	fixups []codegen.Fixup
	res    codegen.Resources // its own
	err    error
}

// printer writes what passes print, whole functions at a time.
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

// run makes machine code of all functions.
func (s *session) run() error {
	set, ok := isa.SetOf(s.t.Processor)
	if !ok {
		return fmt.Errorf("processor %s: code for it is not supported", s.t.Processor)
	}
	s.machine = mir.MachineOf(set, s.t.WaveSize())
	if s.m.ModuleAsm != "" {
		return fmt.Errorf("module-level inline assembly is not supported")
	}
	s.readKernels()
	if err := s.prepare(); err != nil {
		return err
	}
	s.nameGlobals()
	s.needs = abi.Analyze(s.m, s.t)
	for _, g := range s.m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() || g.Linkage == ir.AvailableExternally {
			continue
		}
		s.fns = append(s.fns, &function{f: g.Func, name: symbolName(g), kernel: s.kernels[g.Func], entry: s.needs.Entry(g.Func)})
	}
	s.compileAll()
	return s.errors()
}

// nameGlobals names what has no name, as symbols need one.
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

// unnamed begins the names of globals without a name, as LLVM has it.
const unnamed = "__unnamed_"

// readKernels reads what the module says of its kernels, before passes change them.
func (s *session) readKernels() {
	s.kernels = map[*ir.Function]*kernel{}
	s.printf = printfFormats(s.m)
	var needs *abi.Module
	if s.t.COV < 4 {
		needs = abi.Analyze(s.m, s.t)
	}
	for _, g := range s.m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() && g.Func.CC.IsKernel() {
			s.kernels[g.Func] = newKernel(s.m, g.Func, s.t, needs)
		}
	}
}

// prepare runs the passes on IR that selection needs.
func (s *session) prepare() error {
	pipeline, err := opt.ParsePipeline(opt.CodegenPipeline(s.o.Level))
	if err != nil {
		panic("BUG: compile: " + err.Error())
	}
	ctx := &opt.Context{Target: s.t, Workers: s.o.Workers, PrintAfter: s.o.PrintAfter, Output: s.printer}
	if s.o.Verify {
		ctx.VerifyEach = func(m *ir.Module) error { return firstViolation(m, verify.Module(m)) }
		ctx.VerifyFunction = func(f *ir.Function) error { return firstViolation(f.Module(), verify.Function(f)) }
	}
	return pipeline.Run(ctx, s.m)
}

func firstViolation(m *ir.Module, list []verify.Violation) error {
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("BUG: %s", list[0].Describe(m))
}

// compileAll takes all functions through selection and the passes on machine IR, several at a time.
func (s *session) compileAll() {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(s.o.Workers, len(s.fns)) {
		group.Go(func() {
			w := s.newWorker()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(s.fns) || s.ctx.Err() != nil {
					return
				}
				w.compile(s.fns[n])
			}
		})
	}
	group.Wait()
}

// worker compiles one function after the other in the same memory.
type worker struct {
	s        *session
	sel      selector
	out      *mir.Func
	pipeline codegen.Pipeline
}

func (s *session) newWorker() *worker {
	w := &worker{s: s, sel: newSelector(), out: mir.NewFunc("", s.machine)}
	w.pipeline.Options = codegen.Options{Level: s.o.Level, Verify: s.o.Verify, PrintAfter: s.o.PrintAfter, StopAfter: s.o.StopAfter, Output: s.printer}
	return w
}

// iselName is the name of selection among the passes that can be printed after.
const iselName = "isel"

func (w *worker) compile(fn *function) {
	defer func() {
		if r := recover(); r != nil {
			fn.err = &PanicError{Function: fn.name, Value: r, Stack: debug.Stack()}
			*w = *w.s.newWorker() // its memory may be in any state
		}
	}()
	s := w.s
	w.out.Reset(fn.name, s.machine)
	env := isel.Env{Target: s.t, ABI: s.needs, Entry: fn.entry}
	if fn.kernel != nil {
		env.ImplicitArgs = int64(opt.KernelArgsOf(fn.f, s.t.Triple.OS).Implicit)
	}
	if fn.err = w.sel(fn.f, env, w.out); fn.err != nil {
		return
	}
	if fn.err = w.selected(); fn.err != nil || s.o.StopAfter == iselName {
		return
	}
	job := &codegen.Job{F: w.out, Target: s.t, Kernel: fn.kernel != nil, Entry: fn.entry, Limits: s.limits(fn)}
	r, err := w.pipeline.Run(job)
	if err != nil {
		fn.err = err
		return
	}
	fn.res, fn.entry = r.Resources, r.Entry
	if r.Code != nil {
		fn.code, fn.fixups = slices.Clone(r.Code.Bytes), slices.Clone(r.Code.Fixups)
	}
}

// selected prints and checks what selection made.
func (w *worker) selected() error {
	o := w.s.o
	if o.StopAfter == iselName || slices.Contains(o.PrintAfter, iselName) || slices.Contains(o.PrintAfter, "all") {
		text := fmt.Appendf(nil, "; %s after %s\n", w.out.Name, iselName)
		if _, err := w.s.printer.Write(w.out.AppendText(text)); err != nil {
			return err
		}
	}
	if !o.Verify {
		return nil
	}
	if errs := w.out.Verify(mir.StageSelected); len(errs) > 0 {
		return fmt.Errorf("BUG: codegen: after %s: %w", iselName, errs[0])
	}
	return nil
}

// limits gives how many registers a function may use: as many as let a work-group of the largest size run on one compute unit, and
// what attributes say.
func (s *session) limits(fn *function) (l codegen.Limits) {
	a := attributes{s.m, s.m.AttrsAt(fn.f.Attributes, ir.AttrFunction)}
	most := uint64(defaultMaxGroup)
	if _, n, ok := a.pair("amdgpu-flat-work-group-size"); ok {
		most = n
	}
	hw := s.t.Limits()
	waves := (int(most) + hw.WaveSize - 1) / hw.WaveSize
	perEU := max((waves+hw.EUsPerCU-1)/max(hw.EUsPerCU, 1), 1)
	if least, _, ok := a.pair("amdgpu-waves-per-eu"); ok {
		perEU = max(perEU, min(int(least), hw.WavesPerEU))
	}
	l.VGPRs = registersFor(hw.VGPRs, perEU, hw.VGPRGranule)
	l.SGPRs = registersFor(hw.SGPRs, perEU, hw.SGPRGranule)
	if l.SGPRs > 0 {
		l.SGPRs -= s.t.SpecialSGPRs(true, true, s.t.XNACK.OnOrAny())
	}
	if n := int(a.number("amdgpu-num-vgpr", 0)); n > 0 {
		l.VGPRs = min(l.VGPRs, n)
	}
	if n := int(a.number("amdgpu-num-sgpr", 0)); n > 0 {
		l.SGPRs = min(max(l.SGPRs, n), n)
	}
	return l
}

// registersFor gives how many of an execution unit's registers each of so many waves can have, 0 when they are no limit.
func registersFor(total, waves, granule int) int {
	if total == 0 || granule == 0 {
		return 0
	}
	return max(total/waves/granule*granule, granule)
}
