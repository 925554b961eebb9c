package target

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/diag"
)

// Error describes an invalid triple, target ID, processor name or feature list.
type Error struct {
	What     string // kind of text: "triple", "target ID", "mcpu", "mattr", "ISA name"
	Text     string // the whole text
	Off, End int    // the invalid part of Text, in bytes
	Message  string // the mistake and the expected text
}

// Error returns the error as one line, "<triple>:1:5: error: message".
func (e *Error) Error() string { return e.Diagnostic().Error() }

// Diagnostic returns the error as a diagnostic that can be printed with its
// text and a caret.
func (e *Error) Diagnostic() diag.Diagnostic {
	src := &diag.Source{Name: "<" + e.What + ">", Text: []byte(e.Text)}
	return diag.Diagnostic{Source: src, Off: e.Off, End: e.End, Message: e.Message}
}

// reader holds a text being parsed, for error messages.
type reader struct{ what, text string }

func (r reader) errorf(off, end int, format string, args ...any) error {
	return &Error{r.what, r.text, off, end, fmt.Sprintf(format, args...)}
}
