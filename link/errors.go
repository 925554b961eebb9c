package link

import (
	"fmt"
	"strings"
)

// Errors is everything that was found wrong in a link, in a fixed order. Each
// names its file and, where there is one, section, offset, symbol and relocation.
type Errors []error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the errors one by one.
func (e Errors) Unwrap() []error { return e }

// FormatError says what is wrong with an input file, and where.
type FormatError struct {
	File    string
	Offset  uint64 // in the file or the archive's member
	Problem string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: at offset %#x: %s", e.File, e.Offset, e.Problem)
}

// maxErrors bounds the list; a last entry says that there are more.
const maxErrors = 1000

// errorList collects errors.
type errorList struct {
	list Errors
	more int
}

func (l *errorList) add(err error) {
	if len(l.list) >= maxErrors {
		l.more++
		return
	}
	l.list = append(l.list, err)
}

func (l *errorList) errorf(format string, args ...any) { l.add(fmt.Errorf(format, args...)) }

func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	if l.more > 0 {
		l.list, l.more = append(l.list, fmt.Errorf("and %d more errors", l.more)), 0
	}
	return l.list
}
