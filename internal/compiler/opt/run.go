package opt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Error is an error that ended a run.
type Error struct {
	Pass     string
	Function *ir.Function // nil for a module pass
	Err      error
	Bug      bool   // error in the pass: it panicked, or produced invalid code
	Stack    []byte // stack of the panic, or nil
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	where := ""
	if e.Function != nil {
		where = " on function '" + e.Function.Name() + "'"
	}
	bug := ""
	if e.Bug {
		bug = "BUG in "
	}
	return fmt.Sprintf("%spass '%s'%s: %v", bug, e.Pass, where, e.Err)
}

// Run runs the pipeline on a module. The error is an *Error or an error from
// writing to ctx.Output; the module's state is then undefined.
func (p Pipeline) Run(ctx *Context, m *ir.Module) error { return ctx.runSteps(p.steps, m) }

// RunFunction runs a pipeline of function passes on one function.
func (p Pipeline) RunFunction(ctx *Context, f *ir.Function) error {
	steps := flatten(nil, p.steps)
	for i := range steps {
		if steps[i].pass.Function == nil {
			return &Error{Pass: steps[i].pass.Name, Function: f, Err: fmt.Errorf("is a pass of modules")}
		}
	}
	err := ctx.runOn(steps, f)
	return cmpError(err, ctx.flush())
}

// cmpError returns the first error that is not nil.
func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// flatten appends the passes of steps without groups.
func flatten(to, steps []step) []step {
	for i := range steps {
		if steps[i].group != nil {
			to = flatten(to, steps[i].body)
		} else {
			to = append(to, steps[i])
		}
	}
	return to
}

func (ctx *Context) runSteps(steps []step, m *ir.Module) error {
	for i := 0; i < len(steps); {
		s := &steps[i]
		var err error
		m.Measure()
		switch {
		case s.group != nil && s.group.modules:
			err = ctx.runSteps(s.body, m)
			i++
		case s.pass != nil && s.pass.Module != nil:
			err = ctx.runModule(s, m)
			i++
		default:
			n := i
			for n < len(steps) && forFunctions(&steps[n]) {
				n++
			}
			err = ctx.runFunctions(flatten(nil, steps[i:n]), m)
			i = n
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forFunctions reports whether a step is a function pass or a group of function
// passes.
func forFunctions(s *step) bool {
	return s.pass != nil && s.pass.Function != nil || s.group != nil && !s.group.modules
}

func (ctx *Context) runModule(s *step, m *ir.Module) (err error) {
	ctx.pass, ctx.params = s.pass, s.params
	defer func() { err = cmpError(err, ctx.flush()) }()
	changed, err := ctx.guard(nil, func() bool { return s.pass.Module(ctx, m) })
	if err != nil {
		return err
	}
	if changed && ctx.VerifyEach != nil {
		if err := ctx.VerifyEach(m); err != nil {
			return &Error{Pass: s.pass.Name, Err: err, Bug: true}
		}
	}
	if ctx.printsAfter(s.pass) {
		ctx.output = fmt.Appendf(ctx.output, "; *** IR Dump After %s on [module] ***\n%s", s.pass.Name, text.Print(m))
	}
	return nil
}

// guard runs a pass and converts a panic to an error. A panic with an
// *Unsupported is not a bug of the pass.
func (ctx *Context) guard(f *ir.Function, run func() bool) (changed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			// the state of its slices is undefined
			ctx.scratch = nil
			failure := &Error{Pass: ctx.pass.Name, Function: f, Err: e}
			var refused *Unsupported
			var grown *ir.GrowthError
			switch {
			case errors.As(e, &refused) && f == nil:
				failure.Function = refused.Function
			case errors.As(e, &grown) && f == nil:
				failure.Function = grown.Function
			case refused == nil && isBug(e):
				failure.Bug, failure.Stack = true, debug.Stack()
			}
			err = failure
		}
	}()
	return run(), nil
}

// isBug distinguishes a bug of a pass from code that exceeds a limit and from a
// cancelled run.
func isBug(err error) bool {
	_, limit := err.(interface{ LimitError() string })
	_, stopped := err.(ir.Interrupted)
	return !limit && !stopped
}

func (ctx *Context) printsAfter(p *Pass) bool {
	return ctx.Output != nil && (slices.Contains(ctx.PrintAfter, p.Name) || slices.Contains(ctx.PrintAfter, "all"))
}

// flush delivers the buffered remarks and writes the buffered output.
func (ctx *Context) flush() error {
	for _, r := range ctx.remarks {
		ctx.Remark(r)
	}
	ctx.remarks = ctx.remarks[:0]
	if len(ctx.output) == 0 {
		return nil
	}
	_, err := ctx.Output.Write(ctx.output)
	ctx.output = ctx.output[:0]
	return err
}

// runOn runs passes on one function.
func (ctx *Context) runOn(steps []step, f *ir.Function) error {
	m := f.Module()
	optNone := !ctx.IgnoreOptNone && m.HasAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), ir.AttrOptNone)
	for i := range steps {
		s := &steps[i]
		if optNone && !s.pass.Required {
			continue
		}
		ctx.pass, ctx.params = s.pass, s.params
		changed, err := ctx.guard(f, func() bool {
			m.Guard().Check()
			return s.pass.Function(ctx, f)
		})
		if err == nil && changed {
			err = ctx.verify(f)
		}
		if err != nil {
			return err
		}
		if ctx.printsAfter(s.pass) {
			ctx.output = fmt.Appendf(ctx.output, "; *** IR Dump After %s on %s ***\n%s", s.pass.Name, f.Name(), text.PrintFunction(f))
		}
	}
	return nil
}

func (ctx *Context) verify(f *ir.Function) error {
	var err error
	switch {
	case ctx.VerifyFunction != nil:
		err = ctx.VerifyFunction(f)
	case ctx.VerifyEach != nil:
		err = ctx.VerifyEach(f.Module())
	}
	if err != nil {
		return &Error{Pass: ctx.pass.Name, Function: f, Err: err, Bug: true}
	}
	return nil
}

// runFunctions runs passes on all functions that have a body.
func (ctx *Context) runFunctions(steps []step, m *ir.Module) error {
	var list []*ir.Function
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && g.Func.Entry() != 0 {
			list = append(list, g.Func)
		}
	}
	if ctx.parallel(steps, len(list)) {
		return ctx.runParallel(steps, list)
	}
	for _, f := range list {
		err := ctx.runOn(steps, f)
		if err = cmpError(err, ctx.flush()); err != nil {
			return err
		}
	}
	return nil
}

// parallel reports whether functions may be processed concurrently: not if a
// hook accesses the whole module.
func (ctx *Context) parallel(steps []step, functions int) bool {
	if ctx.Workers < 2 || functions < 2 || ctx.VerifyEach != nil && ctx.VerifyFunction == nil {
		return false
	}
	return !slices.ContainsFunc(steps, func(s step) bool { return s.pass.Declares })
}

// outcome is the buffered output of a function's passes.
type outcome struct {
	err     error
	remarks []Remark
	output  []byte
}

func (ctx *Context) runParallel(steps []step, list []*ir.Function) error {
	results := make([]outcome, len(list))
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(ctx.Workers, len(list)) {
		wg.Go(func() {
			own := *ctx
			own.scratch, own.remarks, own.output = nil, nil, nil
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				r := &results[i]
				r.err = own.runOn(steps, list[i])
				if r.err != nil {
					failed.Store(true)
				}
				r.remarks, own.remarks = own.remarks, nil
				r.output, own.output = own.output, nil
			}
		})
	}
	wg.Wait()
	for i := range results {
		ctx.remarks, ctx.output = append(ctx.remarks, results[i].remarks...), append(ctx.output, results[i].output...)
		if err := cmpError(results[i].err, ctx.flush()); err != nil {
			return err
		}
	}
	return nil
}
