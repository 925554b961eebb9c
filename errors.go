package gfx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// Errors that errors.Is matches. The errors that functions return have messages of
// their own.
var (
	// ErrFormat matches the error for bytes that are not an AMDGPU object or code
	// object, or a damaged one.
	ErrFormat = errors.New("not an AMDGPU object")
	// ErrClosed matches the error for the use of a device or an executable after
	// Close.
	ErrClosed = errors.New("use after close")
	// ErrOutOfMemory matches the error for an allocation beyond the memory of a
	// device.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrInternal matches the error for a defect of the toolchain, which no input
	// should be able to cause. Please report it.
	ErrInternal = errors.New("internal error")
)

// taggedError is an error that also matches one of the variables above.
type taggedError struct{ tag, err error }

func (e *taggedError) Error() string   { return e.err.Error() }
func (e *taggedError) Unwrap() []error { return []error{e.tag, e.err} }

// Severity is the importance of a Diagnostic.
type Severity uint8

const (
	SeverityError   Severity = iota // there is no result
	SeverityWarning                 // the result may differ from the intention
	SeverityNote                    // adds to the diagnostic before it
)

// String returns "error", "warning" or "note".
func (s Severity) String() string { return diag.Severity(min(s, SeverityNote)).String() }

// Diagnostic is a mistake in an input, or a warning about it.
type Diagnostic struct {
	Source   string   // Source.Name; "" if the place is not known
	Line     int      // from 1; 0 if the place is not known
	Column   int      // in bytes, from 1; 0 if the place is not known
	Severity Severity // error, warning or note
	Message  string   // the rule that is broken, without the place
	Excerpt  string   // the source line, and a caret below the place on a second line; "" if the place is not known

	err error
}

// Error returns the diagnostic on one line, as "file:line:column: error: message".
func (d *Diagnostic) Error() string {
	text := d.Severity.String() + ": " + d.Message
	if d.Line == 0 {
		return text
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.Source, d.Line, d.Column, text)
}

// Unwrap returns the cause, such as an *fs.PathError; nil if there is none.
func (d *Diagnostic) Unwrap() error { return d.err }

// Diagnostics is an error with all mistakes that were found, in the order in which
// they were found. Notes follow the diagnostic that they belong to.
type Diagnostics []*Diagnostic

// Error returns all diagnostics, one per line.
func (l Diagnostics) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the diagnostics one by one, so that errors.As finds the first
// *Diagnostic.
func (l Diagnostics) Unwrap() []error {
	list := make([]error, len(l))
	for i, d := range l {
		list[i] = d
	}
	return list
}

// newDiagnostics converts a list, with the inclusions and macro calls that lead to
// each place as notes.
func newDiagnostics(list diag.List) Diagnostics {
	var out Diagnostics
	for _, d := range list {
		out = append(out, newDiagnostic(d))
		if d.Source == nil {
			continue
		}
		for s := d.Source; s.From != nil; s = s.From {
			out = append(out, newDiagnostic(diag.Diagnostic{Source: s.From, Off: s.FromOff, End: s.FromOff, Severity: diag.Note, Message: s.Why}))
		}
	}
	return out
}

func newDiagnostic(d diag.Diagnostic) *Diagnostic {
	out := &Diagnostic{Severity: Severity(d.Severity), Message: d.Message}
	if d.Source == nil {
		return out
	}
	out.Source = d.Source.Name
	out.Line, out.Column = d.Source.Position(d.Off)
	var text strings.Builder
	alone := *d.Source
	alone.From = nil
	d.Source = &alone
	diag.List{d}.Print(&text, false)
	_, out.Excerpt, _ = strings.Cut(text.String(), "\n")
	return out
}

// warn passes warnings on.
func warn(f func(*Diagnostic), list diag.List) {
	if f == nil {
		return
	}
	for _, d := range newDiagnostics(list) {
		f(d)
	}
}

// TargetError reports a target that is unknown, that is missing where one is
// needed, or for which the operation is not possible.
type TargetError struct {
	Target  string // as it was given; "" if none was
	Message string // the reason

	err error
}

// Error returns the target and the reason.
func (e *TargetError) Error() string {
	if e.Target == "" {
		return "target: " + e.Message
	}
	return fmt.Sprintf("target %q: %s", e.Target, e.Message)
}

// Unwrap returns the cause; nil if there is none.
func (e *TargetError) Unwrap() error { return e.err }

// UnknownKernelError reports a kernel that a code object does not have, or, with an
// empty name, that the code object does not have exactly one kernel.
type UnknownKernelError struct {
	Name    string   // as it was given
	Kernels []string // names of the kernels of the code object
}

// Error returns the name and the names that exist.
func (e *UnknownKernelError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("the code object has %d kernels, name one of them: %s", len(e.Kernels), strings.Join(e.Kernels, ", "))
	}
	return fmt.Sprintf("unknown kernel %q; the code object has: %s", e.Name, strings.Join(e.Kernels, ", "))
}

// publicError converts an error of the packages below to one of this package.
// name is the target that was given.
func publicError(err error, name string) error {
	var list diag.List
	var unlinked link.Errors
	var wrong *target.Error
	var format *codeobject.FormatError
	switch {
	case err == nil:
		return nil
	case compile.IsBug(err):
		return &taggedError{ErrInternal, err}
	case errors.As(err, &list):
		return newDiagnostics(list)
	case errors.As(err, &unlinked):
		return linkDiagnostics(unlinked)
	case errors.As(err, &wrong):
		return &TargetError{name, wrong.Message, err}
	case errors.Is(err, compile.ErrNoProcessor):
		return &TargetError{name, err.Error(), err}
	case errors.As(err, &format), errors.Is(err, hsa.StatusErrorInvalidCodeObject):
		return &taggedError{ErrFormat, err}
	}
	return err
}

// linkDiagnostics converts the errors of the linker, which have no lines.
func linkDiagnostics(errs link.Errors) Diagnostics {
	var out Diagnostics
	for _, err := range errs {
		out = append(out, &Diagnostic{Message: err.Error(), err: err})
	}
	return out
}
