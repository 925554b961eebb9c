package pipeline

import (
	"fmt"
	"io"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// Options holds the settings of a Runner.
type Options struct {
	Level      int       // optimization level from 0 on; levels above 2 are equivalent to 2
	Verify     bool      // verify machine IR after each pass, and check register allocation
	PrintAfter []string  // passes after which the function is printed to Output; "all" selects all
	StartAfter string    // pass on machine IR after which jobs continue; "" to begin with selection
	StopAfter  string    // pass on machine IR after which the runner returns the function's text
	Output     io.Writer // may be used by several goroutines; each write holds one function
}

// Source is the function of LLVM IR from which selection creates a job's
// function.
type Source struct {
	F   *ir.Function
	Env isel.Env
	To  *mir.Func // receives the result; it has the name and the machine of the function
}

// Runner runs selection and the passes on machine IR on functions, reusing its
// memory. It is for one goroutine.
type Runner struct {
	Options Options
	// Select selects machine IR for a function.
	Select func(f *ir.Function, env isel.Env, to *mir.Func) error
	// Passes holds the passes on machine IR and their memory.
	Passes *codegen.Passes

	job  *codegen.Job
	from *Source
	text []byte // after Options.StopAfter: the function
}

// Result is the result of a Runner, valid until the next run.
type Result struct {
	codegen.Result
	Text []byte // after Options.StopAfter the function, otherwise nil; remains valid
}

// Run runs the passes for a job. from is the source of its function; it is not
// used if the job continues after a pass. Run returns an error for unsupported
// constructs and, if Options.Verify is set, for functions that violate the
// rules of a stage.
//
// With Options.StopAfter, Result.Text is the function after that pass, in the
// attempt in which register allocation succeeds. Later errors are ignored.
func (r *Runner) Run(job *codegen.Job, from *Source) (Result, error) {
	r.job, r.from, r.text = job, from, nil
	r.Passes.Verify = r.Options.Verify
	first := indexOf(Selector)
	if r.Options.StartAfter != "" {
		first = indexOf(r.Options.StartAfter) + 1
		r.Passes.Begin(job)
	}
	complete, err := r.runFrom(first)
	if r.text != nil && (err != nil || !complete) {
		return Result{Text: r.text}, nil
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{Result: r.Passes.Result(), Text: r.text}
	if r.text != nil {
		result.Code = nil
	}
	return result, nil
}

// runFrom runs the passes from an index on, some of them repeatedly if register
// allocation requires it, and reports whether all passes ran.
func (r *Runner) runFrom(first int) (complete bool, err error) {
	restarts := [...]int{codegen.RestartSpill: indexOf(firstAllocation), codegen.RestartFirst: max(first, indexOf(Selector)+1)}
	for n := first; n < len(Passes); n++ {
		p := &Passes[n]
		if r.enabled(p) {
			err := r.pass(p)
			if err != nil && p.Kind == Machine {
				if restart := r.Passes.Retry(err); restart != codegen.NoRestart {
					n = restarts[restart] - 1
					continue
				}
				err = r.Passes.Final(err)
			}
			if err == nil {
				err = r.after(p)
			}
			if err != nil {
				return false, err
			}
		}
		if p.Name == r.Options.StopAfter {
			r.text = r.Passes.AppendText(nil, p.Name)
		}
		if r.text != nil && !r.job.Called && (p.Kind == Selection || n >= indexOf(lastRetry)) {
			return false, nil
		}
	}
	return true, nil
}

// enabled reports whether a pass runs for the processor and the optimization
// level.
func (r *Runner) enabled(p *Pass) bool {
	return r.Options.Level >= p.Level && (p.Kind == Selection || p.Sets == 0 || r.Passes.Func().M.Set.Has(p.Sets))
}

// pass runs one pass.
func (r *Runner) pass(p *Pass) error {
	if p.Kind == Selection {
		if err := r.Select(r.from.F, r.from.Env, r.from.To); err != nil {
			return err
		}
		r.job.F = r.from.To
		r.Passes.Begin(r.job)
		return nil
	}
	r.Passes.Func().Guard.Check()
	return p.Run(r.Passes)
}

// after prints and verifies the function after a pass.
func (r *Runner) after(p *Pass) error {
	o := &r.Options
	if r.text == nil && o.Output != nil && (slices.Contains(o.PrintAfter, p.Name) || slices.Contains(o.PrintAfter, "all")) {
		if _, err := o.Output.Write(r.Passes.AppendText(nil, p.Name)); err != nil {
			return err
		}
	}
	if !o.Verify {
		return nil
	}
	if errs := r.Passes.Func().Verify(p.Stage); len(errs) > 0 {
		return fmt.Errorf("BUG: codegen: after %s: %w", p.Name, errs[0])
	}
	return nil
}
