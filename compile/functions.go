package compile

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// compiled is a module with the machine code of its functions.
type compiled struct {
	*prepared
	fns        []*function // in module order
	byFunction map[*ir.Function]*function
}

// program returns the facts about a kernel or a shader. It is nil for functions
// that are called.
func (fn *function) program() *kernel {
	if fn.kernel == nil && fn.f.CC.IsEntry() {
		return fn.shader
	}
	return fn.kernel
}

// function is a function with a body.
type function struct {
	f      *ir.Function
	name   string
	kernel *kernel // of a kernel with a descriptor
	shader *kernel // on other systems, of shaders, kernels and graphics functions
	entry  *abi.Entry
	job    *codegen.Job // with Options.StartAfter: the job that continues
	text   []byte       // after Options.StopAfter: the machine IR
	code   []byte
	fixups []codegen.Fixup
	marks  []codeobject.AtomicMark
	begin  string            // label of the code, "" for none
	res    codegen.Resources // excluding callees
	err    error

	callees  map[string]*function // by name: the callees that are compiled before
	callers  []*function          // the callers that are compiled after
	waits    atomic.Int32         // number of callees that are not compiled yet
	clobbers *codegen.RegSet      // registers that a call of it clobbers, nil if unknown
}

// compileFunctions runs selection and the passes on machine IR for all
// functions.
func compileFunctions(p *prepared) (*compiled, error) {
	c := &compiled{prepared: p, byFunction: map[*ir.Function]*function{}}
	for _, g := range p.m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() || g.Linkage == ir.AvailableExternally {
			continue
		}
		fn := &function{f: g.Func, name: symbolName(g), kernel: p.kernels[g], entry: p.needs.Entry(g.Func)}
		if !abi.HasDescriptors(p.t) && (fn.f.CC.IsGraphics() || fn.f.CC.IsKernel()) {
			fn.shader = newShader(p.m, fn.f, p.t)
			fn.shader.implicit = p.bare[g]
		}
		if fn.kernel != nil {
			fn.entry = fn.kernel.wanted.applyTo(fn.f, fn.entry, fn.kernel.implicit)
		}
		c.fns, c.byFunction[fn.f] = append(c.fns, fn), fn
	}
	if p.start != nil {
		if err := c.readJobs(); err != nil {
			return nil, err
		}
	}
	c.runWorkers()
	c.checkMemory()
	return c, c.errors()
}

// errors returns the errors of the functions.
func (c *compiled) errors() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	var list Errors
	for _, fn := range c.fns {
		if fn.err != nil {
			list = append(list, newError(fn))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// worker compiles functions one after the other in the same memory.
type worker struct {
	c        *compiled
	operands *verify.OperandChecker
	out      *mir.Func
	runner   pipeline.Runner
}

func (c *compiled) newWorker() *worker {
	w := &worker{c: c, operands: verify.NewOperandChecker(c.m), out: mir.NewFunc("", c.machine)}
	w.out.Guard = c.m.Guard()
	w.runner.Select, w.runner.Passes = newSelector(), &codegen.Passes{Cells: codegen.MemoryCellsOf(c.ctx)}
	w.runner.Options = pipeline.Options{Level: c.o.Level, Verify: c.o.Verify, PrintAfter: c.o.PrintAfter, StartAfter: c.o.StartAfter, StopAfter: c.o.StopAfter, Output: c.printer}
	return w
}

func (w *worker) compileFunction(fn *function) {
	defer func() {
		if r := recover(); r != nil {
			fn.err = recovered(fn.f.Name(), r)
			*w = *w.c.newWorker() // its memory may be in any state
		}
	}()
	c := w.c
	job := fn.job
	var from *pipeline.Source
	if job == nil {
		if wrong, ok := w.operands.Function(fn.f); !ok {
			fn.err = &BrokenError{Function: fn.name, Err: errors.New(wrong.Describe(c.m))}
			return
		}
		job = &codegen.Job{Target: c.t, Kernel: fn.entry.StartsProgram(), Entry: fn.entry, Limits: codegen.Limits(abi.Limits(c.m, fn.f, c.t))}
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
		fn.code, fn.fixups, fn.marks = slices.Clone(r.Code.Bytes), slices.Clone(r.Code.Fixups), slices.Clone(r.Code.Marks)
	}
}

// source returns a function as the source of selection.
func (w *worker) source(fn *function) *pipeline.Source {
	c := w.c
	w.out.Reset(fn.name, c.machine)
	env := isel.Env{Target: c.t, ABI: c.needs, Entry: fn.entry, Optimized: c.o.Level > 0}
	if k := fn.program(); k != nil {
		env.ImplicitArgs = int64(k.implicit)
	}
	return &pipeline.Source{F: fn.f, Env: env, To: w.out}
}
