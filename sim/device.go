package sim

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Device is a simulated GPU. It runs one dispatch per call of Run; several calls
// may run at the same time.
type Device struct {
	Target *target.Target
	Memory *Memory
	set    isa.Set
	opts   Options

	traceMu sync.Mutex
}

// Options are settings of a device.
type Options struct {
	// Workers is how many work-groups run at the same time; 0 is the number of processors of the host.
	Workers int
	// Timeout ends a dispatch that runs longer, with a fault; 0 is no limit.
	Timeout time.Duration
	// Trace receives a line for every instruction that TraceFilter takes (all when it is nil),
	// each by one call of Write, of which there is one at a time. TraceFilter is called from
	// several goroutines at once.
	Trace       io.Writer
	TraceFilter func(group [3]uint32, wave int, pc uint64) bool
	// Checks are the checks that run beside the kernel.
	Checks Checks
	// Finding is called for what checks have found, at the end of a dispatch: in the order of the
	// instructions, 100 of them at most. Without it a finding ends the dispatch as a fault.
	Finding func(*Finding)
	// Progress is called now and then with the number of work-groups that are done.
	Progress func(done, total uint64)
}

// New makes a device of a target that runs on a memory. The error names a processor
// that is not simulated.
func New(t *target.Target, m *Memory, o Options) (*Device, error) {
	set, ok := isa.SetOf(t.Processor)
	if !ok || !simulated(set) {
		return nil, fmt.Errorf("sim: processor %s is not simulated; gfx801 to gfx942 and gfx1010 to gfx1103 are", t.Processor.Name)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	findSIMD()
	return &Device{Target: t, Memory: m, set: set, opts: o}, nil
}

// simulated reports whether the instructions of a set have semantics here.
func simulated(s isa.Set) bool {
	return s >= isa.GFX803 && s < isa.GFX1150 && s != isa.GFX950 && s != isa.GFX9Generic && s != isa.GFX9_4Generic
}

// Dispatch is a kernel dispatch: what the packet processor takes from an AQL packet and
// its queue. Source: HSA Platform System Architecture, "Kernel dispatch packet";
// AMDGPU user guide, "Kernel Dispatch".
type Dispatch struct {
	GroupSize [3]uint16 // work-items of a work-group in each dimension
	GridSize  [3]uint32 // work-items of the grid; the last group of a dimension may be partial

	KernelObject uint64 // address of the kernel descriptor or amd_kernel_code_t
	Kernarg      uint64 // address of the kernarg segment
	PrivateSize  uint32 // bytes of scratch of a work-item
	LDSSize      uint32 // bytes of LDS of a work-group: static and dynamic
	Packet       uint64 // address of the packet
	Queue        uint64 // address of the amd_queue_t
	ID           uint64 // dispatch ID
	Name         string // of the kernel, for reports; may be empty
}

// Stats is what a dispatch did.
type Stats struct {
	Groups, Waves uint64
	Instructions  uint64            // executed by waves
	Classes       map[string]uint64 // the same by class: "valu", "salu", "smem", "vmem", "lds", "branch", "matrix", "other"
	Duration      time.Duration
	SGPRs, VGPRs  int // allocated for a wave, from the descriptor
	AGPRs         int
	LDS, Scratch  uint32 // bytes of a work-group, of a work-item
	WaveSize      int
}

// Run runs a dispatch to its end. The error is a *Fault when the kernel went
// wrong, ErrOutOfMemory when there is no room for its scratch memory, or the context's
// error. Of several work-groups that fault, the first in dispatch order is reported, unless it
// runs for more than 64 slices of 20,000 instructions a wave after the fault of another. When the context
// ends, Run returns within 100 ms.
func (d *Device) Run(ctx context.Context, p *Dispatch) (*Stats, error) {
	return d.run(ctx, p)
}

// FaultKind says what went wrong.
type FaultKind uint8

const (
	FaultMemory      FaultKind = iota // access to an address that is not mapped
	FaultAlignment                    // misaligned access where the hardware does not allow it
	FaultIllegal                      // illegal instruction
	FaultUnsupported                  // an instruction that is not simulated
	FaultTrap                         // s_trap 2: llvm.trap
	FaultException                    // a floating-point or integer exception that is enabled to trap
	FaultTimeout                      // the watchdog
	FaultDispatch                     // the packet or the kernel descriptor is wrong
	FaultCheck                        // a check found something
	FaultStack                        // scratch overrun
	FaultBug                          // the simulator itself went wrong
)

// Fault is why a dispatch ended before its time.
type Fault struct {
	Kind    FaultKind
	Message string // what, with the values that count
	Kernel  string // name of the kernel, if known
	PC      uint64
	Where   string // symbol+offset, if known
	Text    string // the instruction
	Group   [3]uint32
	Wave    int
	Lane    int // -1: not of one lane
	Addr    uint64
}
