package compile

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Error is an error in one function or variable.
type Error struct {
	Function string // its name
	Err      error  // cause

	value ir.Value // the affected instruction, or None if it is unknown
	op    ir.Op
}

// Error returns the text of the cause, which names the function.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors holds the errors of all functions, in module order.
type Errors []*Error

// Error returns all errors, one per line.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one.
func (l Errors) Unwrap() []error {
	list := make([]error, len(l))
	for i, e := range l {
		list[i] = e
	}
	return list
}

// PanicError is a broken invariant of the compiler.
type PanicError struct {
	Function string // "" if no function is affected
	Value    any    // value of the panic
	Stack    []byte // stack of the goroutine, as text
}

// Error returns the function and the value of the panic, for a report to the
// authors of gfx.
func (e *PanicError) Error() string {
	where := "the compiler"
	if e.Function != "" {
		where += ", function @" + e.Function
	}
	return fmt.Sprintf("BUG in %s: %v", where, e.Value)
}

// recovered converts a panic in a function, or elsewhere for "", to an error.
// Exceeded limits are not bugs.
func recovered(function string, r any) error {
	if limit, ok := r.(interface{ LimitError() string }); ok {
		if function == "" {
			return errors.New(limit.LimitError())
		}
		return fmt.Errorf("function @%s: %s", function, limit.LimitError())
	}
	return &PanicError{Function: function, Value: r, Stack: debug.Stack()}
}

// catch converts a panic of a compilation to an error. It must be deferred.
func catch(ctx context.Context, err *error) {
	r := recover()
	if r == nil {
		return
	}
	if _, stopped := r.(ir.Interrupted); stopped && ctx.Err() != nil {
		*err = ctx.Err()
		return
	}
	*err = recovered("", r)
}

// newError returns the error of a function.
func newError(fn *function) *Error {
	e := &Error{Function: fn.f.Name(), Err: fn.err, value: ir.None}
	var missing *isel.Unsupported
	if errors.As(fn.err, &missing) && missing.Value.IsLocal() && !missing.Value.IsBlock() {
		e.value, e.op = missing.Value, fn.f.Op(missing.Value)
		if line := sourceLine(fn.f.Module(), missing.Loc); line != "" {
			e.Err = fmt.Errorf("%w (%s)", fn.err, line)
		}
		if e.op == ir.OpCall && mathFunctionOf(fn.f.CalledIntrinsic(e.value), fn.f.Module().Scalar(fn.f.TypeOf(e.value))) != nil {
			e.Err = fmt.Errorf("%w\nnote: ROCm's device libraries, which --device-lib-path=folder links, contain the function", e.Err)
		}
	}
	return e
}

// sourceLine returns file and line of a debug location.
func sourceLine(m *ir.Module, loc ir.Metadata) string {
	if loc == 0 {
		return ""
	}
	file := m.MDField(m.MDField(loc, "scope"), "file")
	name, _ := m.MDString(m.MDField(file, "filename"))
	return fmt.Sprintf("%s:%d:%d", name, m.MDFieldInt(loc, "line"), m.MDFieldInt(loc, "column"))
}

// locate finds the locations of errors in the text of the inputs, unless the
// guard stops it.
func locate(list Errors, inputs []Input, o *Options, guard *ir.Guard) error {
	for _, e := range list {
		var panicked *PanicError
		if errors.As(e, &panicked) {
			return list
		}
	}
	modules, places := make([]*ir.Module, len(inputs)), make([]text.Places, len(inputs))
	for i, in := range inputs {
		if !in.MLIR && !bitcode.IsBitcode(in.Data) {
			modules[i], _ = text.Read(in.Name, in.Data, text.Options{Guard: guard, Places: &places[i]})
		}
	}
	var out diag.List
	for _, e := range list {
		d := diag.Diagnostic{Message: e.Error()}
		for i, m := range modules {
			if m != nil && d.Source == nil {
				d.Source, d.Off, d.End = placeOf(m, &places[i], e)
			}
			if inputs[i].MLIR && d.Source == nil {
				d.Source, d.Off, d.End = placeInMLIR(&inputs[i], o, e.Function)
			}
		}
		out = append(out, d)
	}
	return &placedErrors{list: out, errs: list}
}

// placedErrors is the list with locations, which unwraps to the errors
// themselves.
type placedErrors struct {
	list diag.List
	errs Errors
}

func (l *placedErrors) Error() string   { return l.list.Error() }
func (l *placedErrors) Unwrap() []error { return []error{l.list, l.errs} }

// placeOf returns the location of an error: the instruction if the text still
// has it, else the function.
func placeOf(m *ir.Module, places *text.Places, e *Error) (*diag.Source, int, int) {
	g := m.Global(e.Function)
	if g == nil {
		return nil, 0, 0
	}
	f := g.Func
	if v := e.value; f != nil && v != ir.None && int(v.Index()) < f.NumValues() && f.Op(v) == e.op {
		if off, ok := places.Value(f, v); ok {
			return places.Source, off, off
		}
	}
	if off, ok := places.Global(g); ok {
		return places.Source, off, off
	}
	return nil, 0, 0
}
