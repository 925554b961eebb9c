package link

import (
	"fmt"
	"strings"
)

// Errors lists all errors of a link in a fixed order. Each error names its file
// and, where known, the section, offset, symbol and relocation.
type Errors []error

// Error returns all errors, one per line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the individual errors.
func (e Errors) Unwrap() []error { return e }

// FormatError describes a malformed input file and the offset of the fault.
type FormatError struct {
	File    string // name of the input; "archive(member)" for a member
	Offset  uint64 // in the file or archive member
	Problem string // the violated rule
}

// Error returns the file, the offset and the problem on one line.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: at offset %#x: %s", e.File, e.Offset, e.Problem)
}

// maxErrors is the maximum length of the list. A final entry counts the
// remaining errors.
const maxErrors = 1000

// errorList collects errors.
type errorList struct {
	list Errors
	more int
}

func (l *errorList) addError(err error) {
	if len(l.list) >= maxErrors {
		l.more++
		return
	}
	l.list = append(l.list, err)
}

func (l *errorList) errorf(format string, args ...any) { l.addError(fmt.Errorf(format, args...)) }

func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	if l.more > 0 {
		l.list, l.more = append(l.list, fmt.Errorf("and %d more errors", l.more)), 0
	}
	return l.list
}
