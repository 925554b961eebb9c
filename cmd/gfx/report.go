package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gfx-toolchain/gfx/diag"
)

// The exit statuses of the command (docs/architecture.md, Command line).
const (
	statusDone    = 0
	statusInput   = 1 // invalid input
	statusUsage   = 2 // invalid command line
	statusFound   = 3 // findings of a check, or a kernel fault
	statusDiffers = 4 // a result differs from the expected one
)

// errShown is an error in the command line that has already been printed.
var errShown = errors.New("help shown")

// A usageError is an error in the command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usageErrorf(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// An inputError is any other failure of a command: an invalid or unreadable
// input, or an output that cannot be written.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// A findingError reports that a check has findings.
type findingError struct{ err error }

func (e *findingError) Error() string { return e.err.Error() }

// A differsError reports that a result differs from the expected one.
type differsError struct{ err error }

func (e *differsError) Error() string { return e.err.Error() }

// An interruptError reports that the user interrupted the command.
type interruptError struct{ err error }

func (e *interruptError) Error() string { return e.err.Error() }

// run1 returns cobra's RunE for a command's body. The body gets the first
// argument, or "" without arguments. Its errors other than usageErrors count as
// input errors.
func run1(body func(cmd *cobra.Command, arg string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		arg := ""
		if len(args) > 0 {
			arg = args[0]
		}
		err := body(cmd, arg)
		var usage *usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &inputError{err}
	}
}

// report prints the error of a command and returns the exit status. Cobra's own
// errors are errors in the command line.
func report(cmd *cobra.Command, err error) int {
	var input *inputError
	var found *findingError
	var differs *differsError
	var interrupt *interruptError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &found):
		printError(cmd, found.err)
		return statusFound
	case errors.As(err, &differs):
		printError(cmd, differs.err)
		return statusDiffers
	case errors.As(err, &interrupt):
		printError(cmd, interrupt.err)
		return statusInterrupted
	case errors.As(err, &input):
		printError(cmd, input.err)
		return statusInput
	case err != errShown:
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\nTry '%[1]s --help'.\n", cmd.CommandPath(), err)
	}
	return statusUsage
}

// printError prints the diagnostics of an error, or the error as a single one.
func printError(cmd *cobra.Command, err error) {
	var list diag.List
	var one diag.Diagnostic
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = diag.List{one}
	default:
		list = diag.List{{Message: err.Error()}}
	}
	printDiagnostics(cmd, list)
}

// printDiagnostics prints errors and warnings on standard error, coloured on a
// terminal unless NO_COLOR is set.
func printDiagnostics(cmd *cobra.Command, list diag.List) {
	w := cmd.ErrOrStderr()
	list.Print(w, wantsColor(w))
}

func wantsColor(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w) && enableColor(w)
}

// isTerminal reports whether w writes to a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
