// Package diag holds positions in text, and errors that point at them.
//
// A Source is one text (a file, standard input, a macro's expansion). A
// Diagnostic has a byte range in a Source; line and column are computed only
// when it is printed, so that readers only carry offsets. A List collects
// diagnostics in the order of their detection and is itself an error.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Print writes the format of clang's diagnostics.
package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Source is a text that diagnostics point into.
type Source struct {
	Name string // file name as the user wrote it, "<stdin>", "<instantiation>"
	Text []byte // contents; must not change as long as diagnostics refer to it

	// From and FromOff are the location that included this text: the line with
	// the .include or the macro call. From is nil for a text of the user's own.
	From    *Source
	FromOff int // byte offset in From
	// Why names the relation to From in a note: "while in macro instantiation",
	// "included from here".
	Why string
}

// Position returns the line and column (both from 1, columns in bytes) of an
// offset. Offsets outside the text are clamped to it.
func (s *Source) Position(off int) (line, col int) {
	off = min(max(off, 0), len(s.Text))
	before := s.Text[:off]
	return bytes.Count(before, []byte{'\n'}) + 1, off - bytes.LastIndexByte(before, '\n')
}

// Line returns the text of the line at an offset, without its line end.
func (s *Source) Line(off int) string {
	off = min(max(off, 0), len(s.Text))
	start := bytes.LastIndexByte(s.Text[:off], '\n') + 1
	end := bytes.IndexByte(s.Text[off:], '\n')
	if end < 0 {
		end = len(s.Text)
	} else {
		end += off
	}
	return strings.TrimSuffix(string(s.Text[start:end]), "\r")
}

// Severity is the severity of a diagnostic.
type Severity uint8

// Severities of diagnostics, the most severe first.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is one finding about a text.
type Diagnostic struct {
	Source   *Source  // nil if the finding has no location
	Off, End int      // byte range; End may equal Off
	Severity Severity // Error unless set
	Message  string   // the violated rule, in lower case, without location
}

// Error returns the diagnostic on one line, as "file:line:col: error: message".
func (d Diagnostic) Error() string {
	if d.Source == nil {
		return d.Severity.String() + ": " + d.Message
	}
	line, col := d.Source.Position(d.Off)
	return fmt.Sprintf("%s:%d:%d: %s: %s", d.Source.Name, line, col, d.Severity, d.Message)
}

// List holds the diagnostics of one run, in the order of their detection.
type List []Diagnostic

// Errorf appends an error that points at text[off:end].
func (l *List) Errorf(src *Source, off, end int, format string, args ...any) {
	*l = append(*l, Diagnostic{src, off, end, Error, fmt.Sprintf(format, args...)})
}

// Warnf appends a warning that points at text[off:end].
func (l *List) Warnf(src *Source, off, end int, format string, args ...any) {
	*l = append(*l, Diagnostic{src, off, end, Warning, fmt.Sprintf(format, args...)})
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	for i := range l {
		if l[i].Severity == Error {
			return true
		}
	}
	return false
}

// Err returns the list as an error, or nil if it has no error.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return l
}

// Error returns all diagnostics, one per line.
func (l List) Error() string {
	var b strings.Builder
	for i, d := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Error())
	}
	return b.String()
}

// colors holds the escape sequences of coloured output, by severity.
var colors = [...]string{Error: "\x1b[1;31m", Warning: "\x1b[1;35m", Note: "\x1b[1;36m"}

// Print writes every diagnostic as "file:line:col: error: message" with the
// source line and a caret under the location, and the chain of inclusions and
// macro calls as notes. It colours the output if color is set.
func (l List) Print(w io.Writer, color bool) {
	for _, d := range l {
		d.print(w, color)
		if d.Source == nil {
			continue
		}
		for s := d.Source; s.From != nil; s = s.From {
			note := Diagnostic{s.From, s.FromOff, s.FromOff, Note, s.Why}
			note.print(w, color)
		}
	}
}

func (d Diagnostic) print(w io.Writer, color bool) {
	sev, reset := d.Severity.String()+": ", ""
	if color {
		sev, reset = colors[d.Severity]+sev+"\x1b[0;1m", "\x1b[0m"
	}
	if d.Source == nil {
		fmt.Fprintf(w, "%s%s%s\n", sev, d.Message, reset)
		return
	}
	line, col := d.Source.Position(d.Off)
	fmt.Fprintf(w, "%s:%d:%d: %s%s%s\n", d.Source.Name, line, col, sev, d.Message, reset)
	text, caret := excerpt(d.Source.Line(d.Off), col, d.End-d.Off)
	fmt.Fprintf(w, "%s\n%s\n", text, caret)
}

// excerptWidth is the maximum excerpt of a line, in bytes.
const excerptWidth = 160

// excerpt returns a printable window of a line and a caret line for column col
// (from 1), n bytes wide. Control characters and invalid UTF-8 are shown as
// '?', so that a binary file cannot corrupt a terminal.
func excerpt(line string, col, n int) (text, caret string) {
	start := 0
	if col > excerptWidth {
		start = col - excerptWidth/2
	}
	end := min(len(line), start+excerptWidth)
	var t, c strings.Builder
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(line[i:end])
		switch {
		case r == '\t':
			t.WriteByte('\t')
		case r == utf8.RuneError || r < ' ' || r == 0x7f:
			t.WriteByte('?')
		default:
			t.WriteString(line[i : i+size])
		}
		switch {
		case i+1 == col:
			c.WriteByte('^')
		case i+1 > col && i+1 < col+n:
			c.WriteByte('~')
		case i+1 < col && r == '\t':
			c.WriteByte('\t')
		case i+1 < col:
			c.WriteByte(' ')
		}
		i += size
	}
	if col > end {
		c.WriteByte('^')
	}
	return t.String(), c.String()
}
