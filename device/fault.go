package device

import (
	"fmt"
	"strings"
)

// FaultKind classifies a fault.
type FaultKind uint8

const (
	FaultMemory      FaultKind = iota // access to an unmapped address
	FaultAlignment                    // misaligned access that the hardware does not support
	FaultIllegal                      // illegal instruction
	FaultUnsupported                  // instruction that the device does not implement
	FaultTrap                         // s_trap 2, as generated for llvm.trap
	FaultException                    // enabled floating-point or integer exception
	FaultTimeout                      // timeout of the watchdog
	FaultDispatch                     // invalid packet or kernel descriptor
	FaultCheck                        // finding of a check
	FaultStack                        // scratch overflow
	FaultBug                          // internal error of the device
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

// Fault is the error that describes why a dispatch ended prematurely.
type Fault struct {
	Kind    FaultKind // class of the fault
	Message string    // description with the relevant values
	Kernel  string    // kernel name; "" if unknown
	PC      uint64    // address of the instruction; 0 if the fault does not concern one
	Where   string    // symbol+offset of the instruction; "" if unknown
	Text    string    // assembler text of the instruction; "" if unknown
	Group   [3]uint32 // work-group, by its index in each dimension
	Wave    int       // wave, by its index in the work-group
	Lane    int       // lane of the wave; -1 if the fault does not concern one lane
	Addr    uint64    // memory address; 0 if the fault does not concern one
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
