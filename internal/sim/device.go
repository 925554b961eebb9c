package sim

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Device is a simulated GPU. Each call of Run executes one dispatch. Concurrent
// calls are allowed.
type Device struct {
	Target *target.Target
	Memory *device.Memory
	set    isa.Set
	opts   device.Options
	agents int // of weak memory

	programKeys [2]any // values of type programKey, by wave size

	traceMu sync.Mutex

	seed  atomic.Uint64 // of the next dispatches with weak memory
	runs  atomic.Uint64 // dispatches since the seed was set
	weaks sync.Pool     // of *weakSched

	viewCache viewCache
}

// New returns a device that simulates t and accesses memory m. It returns an
// error if the processor is not simulated.
func New(t *target.Target, m *device.Memory, o device.Options) (*Device, error) {
	set, ok := isa.SetOf(t.Processor)
	if !ok || !Supports(set) {
		return nil, fmt.Errorf("sim: processor %s is not simulated: expected a processor with the instructions of %s", t.Processor.Name, simulatedSets())
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	agents, err := o.AgentCount()
	if err != nil {
		return nil, err
	}
	lanes.Detect()
	d := &Device{Target: t, Memory: m, set: set, opts: o, agents: agents}
	for i := range d.programKeys {
		d.programKeys[i] = programKey{set, 32 << i, o.Checks != 0, o.Memory == device.MemoryWeak, agents > 1}
	}
	d.SetSeed(o.Seed)
	return d, nil
}

// SetSeed sets the seed for the dispatches that follow. With weak memory, it and
// the number of the dispatch since the call determine the order of events.
func (d *Device) SetSeed(seed uint64) {
	d.seed.Store(seed)
	d.runs.Store(0)
}

// simulatedSets returns the names of the simulated instruction sets, for messages.
func simulatedSets() string {
	var names []string
	for s := range isa.Set(isa.NumSets) {
		if Supports(s) {
			names = append(names, s.String())
		}
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Run executes a dispatch to completion. It returns a *Fault if the kernel
// fails, ErrOutOfMemory if its scratch memory cannot be allocated, or the
// context's error. If several work-groups fault, Run reports the first in
// dispatch order, unless that group runs for more than 64 slices of 20,000
// instructions per wave after another group's fault. Run returns within 100 ms
// of the end of the context.
func (d *Device) Run(ctx context.Context, p *device.Dispatch) (*device.Stats, error) {
	return d.runDispatch(ctx, p)
}
