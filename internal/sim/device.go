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

// Device is a simulated GPU. Each call of Run executes one dispatch. Concurrent
// calls are allowed.
type Device struct {
	Target *target.Target
	Memory *Memory
	set    isa.Set
	opts   Options

	traceMu sync.Mutex
}

// Options configures a Device.
type Options struct {
	// Workers is the number of work-groups to run concurrently. 0 means the
	// number of host processors.
	Workers int
	// Timeout limits the duration of a dispatch, which then ends with a fault.
	// 0 means no limit.
	Timeout time.Duration
	// Trace receives one line for each executed instruction that TraceFilter
	// accepts (all if TraceFilter is nil), in one call of Write. Calls of Write
	// are serialized; calls of TraceFilter are concurrent.
	Trace       io.Writer
	TraceFilter func(group [3]uint32, wave int, pc uint64) bool
	// Checks selects the checks to run alongside the kernel.
	Checks Checks
	// Finding is called for each finding at the end of a dispatch, at most 100
	// times, in code order. If it is nil, a finding ends the dispatch with a
	// fault.
	Finding func(*Finding)
	// Progress is called periodically with the number of completed work-groups.
	Progress func(done, total uint64)
}

// New returns a device that simulates t and accesses memory m. It returns an
// error if the processor is not simulated.
func New(t *target.Target, m *Memory, o Options) (*Device, error) {
	set, ok := isa.SetOf(t.Processor)
	if !ok || !simulated(set) {
		return nil, fmt.Errorf("sim: processor %s is not simulated: expected gfx801 to gfx942 or gfx1010 to gfx1103", t.Processor.Name)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	findSIMD()
	return &Device{Target: t, Memory: m, set: set, opts: o}, nil
}

// simulated reports whether the simulator implements an instruction set.
func simulated(s isa.Set) bool {
	return s >= isa.GFX803 && s < isa.GFX1150 && s != isa.GFX950 && s != isa.GFX9Generic && s != isa.GFX9_4Generic
}

// Dispatch describes a kernel dispatch: the fields that the packet processor
// reads from an AQL packet and its queue. Source: HSA Platform System
// Architecture, "Kernel dispatch packet"; AMDGPU user guide, "Kernel Dispatch".
type Dispatch struct {
	GroupSize [3]uint16 // work-items per work-group in each dimension
	GridSize  [3]uint32 // work-items of the grid in each dimension; the last group of a dimension may be partial

	KernelObject uint64 // address of the kernel descriptor or amd_kernel_code_t
	Kernarg      uint64 // address of the kernarg segment
	PrivateSize  uint32 // bytes of scratch memory per work-item
	LDSSize      uint32 // bytes of LDS per work-group, static and dynamic
	Packet       uint64 // address of the packet
	Queue        uint64 // address of the amd_queue_t
	ID           uint64 // dispatch ID
	Name         string // kernel name for reports; may be empty
}

// Stats holds the statistics of a dispatch.
type Stats struct {
	Groups, Waves uint64
	Instructions  uint64            // number executed by all waves
	Classes       map[string]uint64 // number by class: "valu", "salu", "smem", "vmem", "lds", "branch", "matrix", "other"
	Duration      time.Duration
	SGPRs, VGPRs  int // allocation per wave, from the kernel descriptor
	AGPRs         int
	LDS, Scratch  uint32 // bytes per work-group and per work-item
	WaveSize      int
}

// Run executes a dispatch to completion. It returns a *Fault if the kernel
// fails, ErrOutOfMemory if its scratch memory cannot be allocated, or the
// context's error. If several work-groups fault, Run reports the first in
// dispatch order, unless that group runs for more than 64 slices of 20,000
// instructions per wave after another group's fault. Run returns within 100 ms
// of the end of the context.
func (d *Device) Run(ctx context.Context, p *Dispatch) (*Stats, error) {
	return d.run(ctx, p)
}

// FaultKind classifies a fault.
type FaultKind uint8

const (
	FaultMemory      FaultKind = iota // access to an unmapped address
	FaultAlignment                    // misaligned access that the hardware does not support
	FaultIllegal                      // illegal instruction
	FaultUnsupported                  // instruction that is not simulated
	FaultTrap                         // s_trap 2, as generated for llvm.trap
	FaultException                    // enabled floating-point or integer exception
	FaultTimeout                      // timeout of the watchdog
	FaultDispatch                     // invalid packet or kernel descriptor
	FaultCheck                        // finding of a check
	FaultStack                        // scratch overflow
	FaultBug                          // internal error of the simulator
)

// Fault describes why a dispatch ended prematurely.
type Fault struct {
	Kind    FaultKind
	Message string // description with the relevant values
	Kernel  string // kernel name, if known
	PC      uint64
	Where   string // symbol+offset, if known
	Text    string // the instruction
	Group   [3]uint32
	Wave    int
	Lane    int // -1 if the fault does not concern one lane
	Addr    uint64
}
