package catalyst

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// Problem is the reason why a binary cannot be written.
type Problem uint8

// Reasons of a WriteError.
const (
	NoDevice         Problem = iota // there are no such binaries for the device
	IncompleteKernel                // a kernel has no configuration and lacks metadata or header
	IDOutOfRange                    // the id of an argument is not possible
	IDTaken                         // two arguments have the same id
	TooManyArguments                // there is no id left for an argument
	ValueOutOfRange                 // a value of a configuration is not possible
	TooLarge                        // a size does not fit into the file's fields
)

// WriteError is an error that is found when a binary is written.
type WriteError struct {
	Problem Problem
	Kernel  string // name of the kernel, "" for the whole file
	Index   int    // index of the kernel, or -1
	Arg     int    // index of the argument, or -1
	Text    string // the violated rule
}

// Error returns the place and the rule on one line.
func (e *WriteError) Error() string {
	switch {
	case e.Index < 0:
		return e.Text
	case e.Arg < 0:
		return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Text)
	}
	return fmt.Sprintf("kernel %s, argument %d: %s", e.Kernel, e.Arg, e.Text)
}

// formatErrorf returns an error at an offset of a file.
func formatErrorf(off uint64, format string, args ...any) error {
	return &codeobject.FormatError{Offset: off, Problem: fmt.Sprintf(format, args...)}
}
