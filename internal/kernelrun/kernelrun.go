// Package kernelrun runs what a manifest describes: it loads a code object,
// fills buffers, runs the dispatches one after the other, and compares the buffers
// with what is expected of them.
package kernelrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/sim"
	"github.com/gfx-toolchain/gfx/target"
)

// Options are settings of a run.
type Options struct {
	// Target is the GPU to run on; nil is that which the code is for.
	Target *target.Target
	// Simulator has the settings of the simulated GPU.
	Simulator sim.Options
	// TracePC are the first and the last address to trace, as in the ELF file; nil: all.
	TracePC *[2]uint64
	// Repeat is how often all dispatches are run, each time with freshly filled buffers;
	// 0 is once.
	Repeat int
	// Starting is called before each dispatch, if not nil.
	Starting func(run, dispatch int)
}

// Dispatch is a dispatch that was run.
type Dispatch struct {
	manifest.Dispatch // with the work-group size that was used
	Stats             sim.Stats
}

// Result is what came of a run.
type Result struct {
	Target     target.ID             // of the GPU
	Dispatches []Dispatch            // those of the last repetition that ended without fault
	Times      []time.Duration       // of all dispatches of a repetition, one for each
	Compared   []manifest.Comparison // of the first repetition that differs, or the last one
	Skipped    []manifest.Expect     // for another wave size
	Contents   [][]byte              // of the buffers at the end
}

// Differs reports whether an expectation does not hold.
func (r *Result) Differs() bool {
	for i := range r.Compared {
		if r.Compared[i].Differ > 0 {
			return true
		}
	}
	return false
}

// machine is what a run needs of the runtime: a GPU with memory and a loaded code
// object.
type machine interface {
	target() target.ID
	// alloc gives memory; its bytes are those that kernels see.
	alloc(name string, size uint64) (addr uint64, data []byte, err error)
	// dispatch runs a kernel to its end. Arguments that are buffers have the
	// addresses of addrs. It settles what d leaves open.
	dispatch(ctx context.Context, d *manifest.Dispatch, addrs []uint64) (*sim.Stats, error)
	close()
}

// Run runs a manifest's dispatches on a code object (an ELF file that is linked). name
// names the code in messages, open opens the files that the manifest names.
//
// The error is a *sim.Fault when a kernel went wrong, and the context's when that
// ended; there is a result with what was done before, too. Otherwise the code, the
// manifest or a file is wrong, or they do not go together. That results differ
// from the expected ones is no error.
func Run(ctx context.Context, name string, code []byte, m *manifest.Manifest, open manifest.Open, o Options) (*Result, error) {
	t, err := TargetOf(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if o.Target != nil {
		t = o.Target
	}
	mach, err := newMachine(name, code, t, o)
	if err != nil {
		return nil, err
	}
	defer mach.close()
	r := runner{machine: mach, m: m, open: open, opts: o}
	return r.run(ctx)
}

// TargetOf gives the target that a code object is for.
func TargetOf(code []byte) (*target.Target, error) {
	obj, err := codeobject.Read(code)
	if err != nil {
		return nil, err
	}
	h, err := obj.Target()
	if err != nil {
		return nil, err
	}
	if h.Processor == nil {
		return nil, errors.New("the ELF header names no processor")
	}
	return h.ID.Target("")
}

// runner is a run under way.
type runner struct {
	machine machine
	m       *manifest.Manifest
	open    manifest.Open
	opts    Options
	addrs   []uint64
	data    [][]byte
	wants   [][]byte // by expectation; nil: not read
	result  Result
}

func (r *runner) run(ctx context.Context) (*Result, error) {
	r.result.Target = r.machine.target()
	for i := range r.m.Buffers {
		b := &r.m.Buffers[i]
		addr, data, err := r.machine.alloc(b.Name, b.Size())
		if err != nil {
			return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
		}
		r.addrs, r.data = append(r.addrs, addr), append(r.data, data)
	}
	r.wants = make([][]byte, len(r.m.Expect))
	for n := range max(r.opts.Repeat, 1) {
		if err := r.once(ctx, n); err != nil {
			return &r.result, err
		}
		if r.result.Differs() {
			break
		}
	}
	r.result.Contents = r.data
	return &r.result, nil
}

// once fills the buffers, runs all dispatches and compares.
func (r *runner) once(ctx context.Context, n int) error {
	for i := range r.m.Buffers {
		b := &r.m.Buffers[i]
		if n > 0 {
			clear(r.data[i])
		}
		if err := b.Fill.Data(b, r.data[i], r.open); err != nil {
			return err
		}
	}
	if err := r.golden(); err != nil {
		return err
	}
	r.result.Dispatches = r.result.Dispatches[:0]
	total := time.Duration(0)
	for i := range r.m.Dispatches {
		d := Dispatch{Dispatch: r.m.Dispatches[i]}
		if r.opts.Starting != nil {
			r.opts.Starting(n, i)
		}
		stats, err := r.machine.dispatch(ctx, &d.Dispatch, r.addrs)
		if err != nil {
			return r.explain(i, d.Kernel, err)
		}
		d.Stats = *stats
		total += stats.Duration
		r.result.Dispatches = append(r.result.Dispatches, d)
	}
	r.result.Times = append(r.result.Times, total)
	r.compare()
	return nil
}

// explain adds to an error which dispatch it is about.
func (r *runner) explain(i int, kernel string, err error) error {
	var fault *sim.Fault
	if errors.As(err, &fault) && fault.Kernel == "" {
		fault.Kernel = kernel
	}
	if len(r.m.Dispatches) > 1 {
		return fmt.Errorf("dispatch %d: %w", i+1, err)
	}
	return err
}

// golden reads the expected contents before anything runs, so that a missing file is
// told at once.
func (r *runner) golden() error {
	for i := range r.m.Expect {
		if r.wants[i] != nil {
			continue
		}
		want, err := r.m.Golden(&r.m.Expect[i], r.open)
		if err != nil {
			return err
		}
		r.wants[i] = want
	}
	return nil
}

func (r *runner) compare() {
	waveSize := r.result.Dispatches[len(r.result.Dispatches)-1].Stats.WaveSize
	r.result.Compared, r.result.Skipped = nil, nil
	for i := range r.m.Expect {
		e := &r.m.Expect[i]
		if e.Wave != 0 && e.Wave != waveSize {
			r.result.Skipped = append(r.result.Skipped, *e)
			continue
		}
		c := e.Compare.Check(&r.m.Buffers[e.Buffer], r.data[e.Buffer], r.wants[i])
		c.Golden = e.Golden
		r.result.Compared = append(r.result.Compared, *c)
	}
}
