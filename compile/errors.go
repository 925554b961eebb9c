package compile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Error is what went wrong with one function.
type Error struct {
	Function string
	Err      error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errors are those of all functions, in the order of the module.
type Errors []*Error

func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the errors one by one.
func (l Errors) Unwrap() []error {
	list := make([]error, len(l))
	for i, e := range l {
		list[i] = e
	}
	return list
}

// PanicError is a broken invariant of the compiler.
type PanicError struct {
	Function string
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("function @%s: the compiler failed: %v", e.Function, e.Value)
}

// errors gives what went wrong with the functions.
func (s *session) errors() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	var list Errors
	for _, fn := range s.fns {
		if fn.err != nil {
			list = append(list, &Error{fn.f.Name(), fn.err})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// located is an error that names an instruction of the IR.
type located interface {
	Place() ir.Value
}

// locate finds the places of errors in the text of the inputs.
func locate(list Errors, inputs []Input) error {
	var out diag.List
	for _, e := range list {
		var panicked *PanicError
		if errors.As(e, &panicked) {
			return list
		}
		d := diag.Diagnostic{Message: e.Error()}
		for i := range inputs {
			if d.Source != nil || bitcode.IsBitcode(inputs[i].Data) {
				continue
			}
			m, places, _ := text.ParsePlaces(inputs[i].Name, inputs[i].Data)
			if m == nil {
				continue
			}
			d.Source, d.Off, d.End = placeOf(m, places, e)
		}
		out = append(out, d)
	}
	return &placedErrors{list: out, errs: list}
}

// placedErrors is the list with places, which unwraps to the errors themselves.
type placedErrors struct {
	list diag.List
	errs Errors
}

func (l *placedErrors) Error() string   { return l.list.Error() }
func (l *placedErrors) Unwrap() []error { return []error{l.list, l.errs} }

// placeOf finds the place of an error: the instruction when the text has it still, else the function.
func placeOf(m *ir.Module, places *text.Places, e *Error) (*diag.Source, int, int) {
	f := m.Function(e.Function)
	if f == nil {
		return nil, 0, 0
	}
	var l located
	if errors.As(e.Err, &l) {
		if v := l.Place(); v.IsLocal() && int(v.Index()) < f.NumValues() {
			if off, ok := places.Value(f, v); ok {
				return places.Source, off, off
			}
		}
	}
	if off, ok := places.Global(f.Global); ok {
		return places.Source, off, off
	}
	return nil, 0, 0
}
