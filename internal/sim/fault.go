package sim

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// String returns the name of the fault kind, such as "memory access fault".
func (k FaultKind) String() string { return faultNames[k] }

var faultNames = [...]string{
	FaultMemory:      "memory access fault",
	FaultAlignment:   "misaligned access",
	FaultIllegal:     "illegal instruction",
	FaultUnsupported: "unsupported instruction",
	FaultTrap:        "trap",
	FaultException:   "arithmetic exception",
	FaultTimeout:     "timeout",
	FaultDispatch:    "invalid dispatch",
	FaultCheck:       "check failed",
	FaultStack:       "scratch overrun",
	FaultBug:         "BUG",
}

// Error describes the fault and its location in one line.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Kind.String())
	if f.Message != "" {
		b.WriteString(": " + f.Message)
	}
	if f.Kernel != "" {
		b.WriteString("; kernel " + f.Kernel)
	}
	if f.PC != 0 {
		fmt.Fprintf(&b, ", pc %#x", f.PC)
		if f.Where != "" {
			fmt.Fprintf(&b, " (%s)", f.Where)
		}
		if f.Text != "" {
			fmt.Fprintf(&b, ": %s", f.Text)
		}
		fmt.Fprintf(&b, "; group %d,%d,%d wave %d", f.Group[0], f.Group[1], f.Group[2], f.Wave)
		if f.Lane >= 0 {
			fmt.Fprintf(&b, " lane %d", f.Lane)
		}
	}
	return b.String()
}

// bugFault returns a fault for a recovered panic. An internal error of the
// simulator ends the dispatch, not the process.
func bugFault(r any) *Fault {
	return &Fault{Kind: FaultBug, Message: fmt.Sprintf("%v at %s", r, panicPlace()), Lane: -1}
}

// panicPlace returns the function and line that panicked. It must be called
// from a deferred function.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for panicking := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
		case !more:
			return "an unknown place"
		}
	}
}
