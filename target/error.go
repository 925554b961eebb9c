package target

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/diag"
)

// Error is a mistake in a triple, target ID, processor name or feature list.
type Error struct {
	What     string // what was read: "triple", "target ID", "mcpu", "mattr", "ISA name"
	Text     string // the whole text
	Off, End int    // the part of Text that is wrong, in bytes
	Message  string // what is wrong, what was expected
}

// Error gives the error on one line, as "<triple>:1:5: error: message".
func (e *Error) Error() string { return e.Diagnostic().Error() }

// Diagnostic gives the error as a diagnostic that can be printed with its text
// and a caret.
func (e *Error) Diagnostic() diag.Diagnostic {
	src := &diag.Source{Name: "<" + e.What + ">", Text: []byte(e.Text)}
	return diag.Diagnostic{Source: src, Off: e.Off, End: e.End, Message: e.Message}
}

// reader holds a text that is being read, for its errors.
type reader struct{ what, text string }

func (r reader) errorf(off, end int, format string, args ...any) error {
	return &Error{r.what, r.text, off, end, fmt.Sprintf(format, args...)}
}
