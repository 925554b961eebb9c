package sim

import (
	"fmt"
	"strings"
)

// String names the kind, such as "memory access fault".
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
}

// Error says what happened and where, in one line.
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
