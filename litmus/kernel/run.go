package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/target"
)

// MaxExecutions is the maximum number of executions of a run.
const MaxExecutions = 1 << 30

// Options are the settings of Run.
type Options struct {
	// Processor is the processor to compile for and to run on, such as "gfx942".
	Processor string
	// Features are features of the processor in the form of LLVM's -mattr.
	Features string
	// Executions is the minimum number of executions of the test, 1 to MaxExecutions. Run
	// fills whole waves.
	Executions int
	// Object is a linked code object, built from the module that Module returns; nil to
	// compile the module.
	Object []byte
	// Device are settings of the simulated device.
	Device gfx.DeviceOptions
}

// Result holds the outcomes of a run.
type Result struct {
	Outcomes   []Outcome // sorted by their values
	Executions int       // number of executions, at least the requested one
}

// Outcome is a final state and its number of occurrences.
type Outcome struct {
	Values []int32 // in the order of litmus.Test.Outcome
	Count  int     // number of executions
	// Schedule is the first schedule of a search that has the outcome; nil without a search.
	Schedule device.Schedule
}

// A shape is how a dispatch places its instances in memory.
type shape struct {
	stride uint32 // dwords between the instances' elements of a variable
	warm   uint32 // not 0 to load all variables before the test
}

// shapes are used in turn: instances that share cache lines, or have lines of their
// own, with and without variables in the caches.
// With the race check, only the first ones are used: the loads that fill the caches race with the test's stores.
var shapes = [...]shape{{1, 0}, {64, 0}, {1, 1}, {64, 1}, {4, 1}, {16, 0}}

// firstWarm is the number of the first shape with variables in the caches.
const firstWarm = 2

// maxInstances is the maximum number of instances of a dispatch.
const maxInstances = 4096

// Run executes a test many times and counts its outcomes. With o.Device.Search, it executes the test with
// weak memory once for each schedule of the search, with one instance, and o.Executions has no effect. With
// weak memory each agent of the test has caches of its own. The error is one of gfx.Compile, gfx.Device and
// gfx.Kernel, or that a test with variables in LDS is to run with tgsplit.
func Run(ctx context.Context, t *litmus.Test, o Options) (*Result, error) {
	if o.Device.Search != nil {
		return searchOutcomes(ctx, t, o)
	}
	if o.Executions < 1 || o.Executions > MaxExecutions {
		return nil, fmt.Errorf("%d executions: expected 1 to %d", o.Executions, MaxExecutions)
	}
	r, err := newRunner(ctx, t, o)
	if err != nil {
		return nil, err
	}
	defer r.device.Close()
	list := shapes[:]
	if o.Device.Checks&gfx.CheckRace != 0 {
		list = shapes[:firstWarm]
	}
	for i := 0; r.executions < o.Executions; i++ {
		if err := r.dispatch(ctx, o.Executions, list[i%len(list)]); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// A runner dispatches a test.
type runner struct {
	test       *litmus.Test
	layout     *layout
	device     *gfx.Device
	kernel     *gfx.Kernel
	terms      []litmus.Term
	perWave    int // instances of a wave
	groupSize  int // work-items of a work-group
	counts     map[string]*Outcome
	schedule   device.Schedule // of a search
	executions int
}

func newRunner(ctx context.Context, t *litmus.Test, o Options) (*runner, error) {
	l := newLayout(t)
	machine, err := target.New("", o.Processor, o.Features)
	if err != nil {
		return nil, err
	}
	if machine.Has(target.FeatureTgSplit) && l.elements[local] > 0 {
		return nil, fmt.Errorf("test %s uses LDS, which does not exist with tgsplit: the waves of a work-group run on several compute units", t.Name)
	}
	if o.Object == nil {
		if o.Object, err = Compile(ctx, t, o.Processor, o.Features); err != nil {
			return nil, err
		}
	}
	r := &runner{test: t, layout: l, terms: t.Outcome(), counts: map[string]*Outcome{}}
	lanes := machine.WaveSize()
	r.perWave, r.groupSize = lanes/l.lanes, lanes*l.waves
	o.Device.Agents = l.agents
	if r.device, err = gfx.NewDevice(o.Processor, o.Device); err != nil {
		return nil, err
	}
	e, err := r.device.Load(o.Object)
	if err == nil {
		r.kernel, err = e.Kernel("litmus")
	}
	if err != nil {
		r.device.Close()
		return nil, err
	}
	return r, nil
}

// Compile returns the code object of a test. The error is one of
// gfx.Compile.
func Compile(ctx context.Context, t *litmus.Test, processor, features string) ([]byte, error) {
	return gfx.Compile(ctx, gfx.Source{Name: t.Name + ".ll", Data: []byte(Module(t))}, gfx.CompileOptions{Target: processor, Features: features})
}

// dispatch executes some of the remaining instances.
func (r *runner) dispatch(ctx context.Context, executions int, s shape) error {
	instances := min(executions-r.executions, maxInstances, max(executions/len(shapes), 1))
	sets := (instances + r.perWave - 1) / r.perWave
	instances = sets * r.perWave
	b, err := r.allocate(instances, s)
	if err != nil {
		return err
	}
	defer b.free()
	return r.execute(ctx, b, sets, s)
}

// buffers are the kernel's buffers for a number of instances, by memory; the results are in place of the
// local memory.
type buffers [numMemories]*gfx.Buffer[int32]

func (b *buffers) free() {
	for _, x := range b {
		if x != nil {
			x.Free()
		}
	}
}

// allocate returns buffers.
func (r *runner) allocate(instances int, s shape) (*buffers, error) {
	b := &buffers{}
	var err error
	if b[coarse], err = gfx.NewBuffer(r.device, r.initial(coarse, instances, s)); err == nil {
		b[fine], err = gfx.NewFineBuffer(r.device, r.initial(fine, instances, s))
	}
	if err == nil {
		b[local], err = gfx.NewBuffer(r.device, make([]int32, instances*(r.layout.results+r.layout.elements[local]+1)))
	}
	if err != nil {
		b.free()
		return nil, err
	}
	return b, nil
}

// execute executes sets of instances, each of which fills the waves of one work-group for each group of the
// test, and counts their outcomes.
func (r *runner) execute(ctx context.Context, b *buffers, sets int, s shape) error {
	instances := sets * r.perWave
	pitch := uint32(instances) * s.stride
	grid := gfx.Grid{Size: [3]uint32{uint32(sets * r.layout.groups * r.groupSize)}, Group: [3]uint16{uint16(r.groupSize)}}
	_, err := r.kernel.Run(ctx, grid, b[coarse], b[fine], b[local], uint32(instances), pitch, s.stride, s.warm, uint64(0))
	var found *gfx.CheckError
	if err != nil && !errors.As(err, &found) {
		return err
	}
	for i := range instances {
		r.count([...][]int32{coarse: b[coarse].Data(), fine: b[fine].Data(), local: b[local].Data()}, instances, i, s)
	}
	r.executions += instances
	return err
}

// initial returns the initial contents of a global memory.
func (r *runner) initial(m memory, instances int, s shape) []int32 {
	pitch := instances * int(s.stride)
	data := make([]int32, max(1, r.layout.elements[m]*pitch))
	for i := range r.test.Variables {
		v := &r.test.Variables[i]
		if r.layout.memory[i] != m {
			continue
		}
		for j, value := range v.Init {
			row := data[(r.layout.element[i]+j)*pitch:][:pitch]
			for k := 0; k < pitch; k += int(s.stride) {
				row[k] = value
			}
		}
	}
	return data
}

// count adds the outcome of an instance. The results are in place of the local memory.
func (r *runner) count(data [numMemories][]int32, instances, instance int, s shape) {
	values := make([]int32, len(r.terms))
	for i, x := range r.terms {
		if x.Thread >= 0 {
			values[i] = data[local][(r.layout.register[x.Thread]+x.Register)*instances+instance]
			continue
		}
		switch m := r.layout.memory[x.Variable]; m {
		case local:
			values[i] = data[m][(r.layout.results+r.layout.element[x.Variable]+x.Element)*instances+instance]
		default:
			values[i] = data[m][((r.layout.element[x.Variable]+x.Element)*instances+instance)*int(s.stride)]
		}
	}
	key := fmt.Sprint(values)
	o := r.counts[key]
	if o == nil {
		o = &Outcome{Values: values, Schedule: r.schedule}
		r.counts[key] = o
	}
	o.Count++
}

// result returns the outcomes in order.
func (r *runner) result() *Result {
	list := make([]Outcome, 0, len(r.counts))
	for _, o := range r.counts {
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b Outcome) int { return slices.Compare(a.Values, b.Values) })
	return &Result{Outcomes: list, Executions: r.executions}
}
