package gfx

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
)

// Checks is a set of checks that run beside a kernel. docs/checks.md describes what
// each of them finds.
type Checks uint8

const (
	CheckWait    = Checks(device.CheckWait)    // a result that is used without the s_waitcnt that it needs
	CheckHazard  = Checks(device.CheckHazard)  // instructions that follow each other too closely
	CheckRace    = Checks(device.CheckRace)    // data races between work-items
	CheckMemory  = Checks(device.CheckMemory)  // accesses beyond a buffer, LDS or scratch memory
	CheckInit    = Checks(device.CheckInit)    // values that were never written
	CheckBarrier = Checks(device.CheckBarrier) // barriers that not all waves of a work-group reach
	CheckAll     = Checks(device.CheckAll)     // all of them
)

// String returns the names of the checks, such as "wait,race"; "" for none.
func (c Checks) String() string {
	if c &= CheckAll; c == 0 {
		return ""
	}
	return device.Checks(c).String()
}

// Finding is a mistake in a kernel that a check has found. Repetitions at the same
// place for the same reason are counted.
type Finding struct {
	Check     Checks    // one check
	Message   string    // the rule that is broken, and how
	Kernel    string    // name of the kernel
	Location  Location  // the instruction
	Source    string    // "file:line" of the instruction; "" without debug information
	WorkGroup [3]uint32 // the work-group, by its index in each dimension
	Wave      int       // the wave, by its index in the work-group
	Lane      int       // the lane; -1 if the finding is not about one lane
	Address   uint64    // the memory address; 0 if the finding is not about one
	Other     string    // the other access, for a race; "" if there is none
	Count     uint64    // how often it happened
}

// Location is the place of an instruction.
type Location struct {
	PC          uint64 // address in the memory of the device
	Symbol      string // "kernel+0x38"; "" if it is not known
	Instruction string // assembler text; "" if it is not known
}

// String returns the location as "kernel+0x38: s_endpgm".
func (l Location) String() string {
	s := l.Symbol
	if s == "" {
		s = fmt.Sprintf("%#x", l.PC)
	}
	if l.Instruction != "" {
		s += ": " + l.Instruction
	}
	return s
}

// Error returns the check, the message and the location on one line.
func (f *Finding) Error() string {
	return fmt.Sprintf("%s: %s; at %s, %s", f.Check, f.Message, f.Location, waveText(f.WorkGroup, f.Wave, f.Lane))
}

// CheckError is an error with the findings of a run, 100 at most, in the order of the
// instructions.
type CheckError struct {
	Kernel   string     // name of the kernel
	Findings []*Finding // at least one
}

// Error returns the findings, one per line.
func (e *CheckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %d findings", e.Kernel, len(e.Findings))
	for _, f := range e.Findings {
		b.WriteString("\n" + f.Error())
	}
	return b.String()
}

// Unwrap returns the findings one by one, so that errors.As finds the first *Finding.
func (e *CheckError) Unwrap() []error {
	list := make([]error, len(e.Findings))
	for i, f := range e.Findings {
		list[i] = f
	}
	return list
}

func newFinding(f *device.Finding) *Finding {
	return &Finding{
		Check: Checks(f.Check), Message: f.Message, Location: Location{f.PC, f.Where, f.Text}, Source: f.Source,
		WorkGroup: f.Group, Wave: f.Wave, Lane: f.Lane, Address: f.Addr, Other: f.Other, Count: f.Count,
	}
}

// waveText names a wave, and a lane of it unless that is -1.
func waveText(group [3]uint32, wave, lane int) string {
	s := fmt.Sprintf("work-group %d,%d,%d wave %d", group[0], group[1], group[2], wave)
	if lane >= 0 {
		s += fmt.Sprintf(" lane %d", lane)
	}
	return s
}

// FaultKind is the reason for a Fault. It is an error that errors.Is matches:
//
//	errors.Is(err, gfx.FaultMemory)
type FaultKind uint8

const (
	FaultMemory      FaultKind = iota // access to an address without memory
	FaultAlignment                    // misaligned access where the hardware does not allow it
	FaultIllegal                      // illegal instruction
	FaultUnsupported                  // an instruction that is not simulated
	FaultTrap                         // s_trap 2: llvm.trap
	FaultException                    // a floating-point or integer exception that is enabled to trap
	FaultDispatch                     // invalid kernel descriptor or grid
	FaultStack                        // scratch memory overrun
	FaultInternal                     // a defect of the simulator
)

// faultKinds are the simulator's own kinds.
var faultKinds = [...]device.FaultKind{
	FaultMemory: device.FaultMemory, FaultAlignment: device.FaultAlignment, FaultIllegal: device.FaultIllegal,
	FaultUnsupported: device.FaultUnsupported, FaultTrap: device.FaultTrap, FaultException: device.FaultException,
	FaultDispatch: device.FaultDispatch, FaultStack: device.FaultStack, FaultInternal: device.FaultBug,
}

// String returns the kind in words, such as "memory access fault".
func (k FaultKind) String() string { return faultKinds[min(k, FaultInternal)].String() }

// Error returns the kind in words.
func (k FaultKind) Error() string { return k.String() }

// Fault is the reason why the GPU ended a kernel.
type Fault struct {
	Kind      FaultKind // the reason; errors.Is matches it
	Message   string    // details; may be empty
	Kernel    string    // name of the kernel
	Location  Location  // the instruction; PC is 0 if it is not known
	WorkGroup [3]uint32 // the work-group, by its index in each dimension
	Wave      int       // the wave, by its index in the work-group
	Lane      int       // the lane; -1 if the fault is not about one lane
	Address   uint64    // the memory address; 0 if the fault is not about one

	err error // the simulator's
}

// Error returns the fault on one line.
func (f *Fault) Error() string { return f.err.Error() }

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

// Is reports whether a fault of the simulator itself is asked for by ErrInternal.
func (f *Fault) Is(target error) bool { return target == ErrInternal && f.Kind == FaultInternal }

func newFault(f *device.Fault) *Fault {
	out := &Fault{
		Kind: FaultInternal, Message: f.Message, Kernel: f.Kernel, Location: Location{f.PC, f.Where, f.Text},
		WorkGroup: f.Group, Wave: f.Wave, Lane: f.Lane, Address: f.Addr, err: f,
	}
	for k, kind := range faultKinds {
		if kind == f.Kind {
			out.Kind = FaultKind(k)
		}
	}
	return out
}
