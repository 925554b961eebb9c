// Package kernelrun executes manifests: it loads a code object, fills buffers,
// runs the dispatches in order, and compares the buffers with the expected
// contents.
package kernelrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// Options configures a run.
type Options struct {
	// Target is the GPU to run on; nil means the target of the code.
	Target *target.Target
	// Simulator configures the simulated GPU.
	Simulator device.Options
	// TracePC is the first and the last address to trace, as in the ELF file;
	// nil means all addresses.
	TracePC *[2]uint64
	// Repeat is the number of times to run all dispatches, each time with newly
	// filled buffers and the next seed; 0 means once. A repetition whose results
	// differ from the expected ones is the last one. With Simulator.Search, the dispatches run once for
	// each schedule instead.
	Repeat int
	// Starting is called before each dispatch; it may be nil.
	Starting func(run, dispatch int)
	// Finished is called after each dispatch that has succeeded; it may be nil.
	Finished func(run, dispatch int)
}

// Dispatch is a completed dispatch.
type Dispatch struct {
	manifest.Dispatch // with the actual work-group size
	Stats             device.Stats
	Printf            []byte // what a kernel of a Catalyst binary wrote to the UAV of printf
}

// Result is the result of a run.
type Result struct {
	Seed       uint64                // seed of the last repetition
	Schedule   device.Schedule       // schedule of the last repetition, of a search
	Target     target.ID             // target ID of the GPU
	Dispatches []Dispatch            // dispatches of the last repetition that ended without a fault
	Times      []time.Duration       // time of each repetition, over all dispatches
	Compared   []manifest.Comparison // comparisons of the first repetition that differs, or of the last one
	Skipped    []manifest.Expect     // expectations for another wave size
	Contents   [][]byte              // final contents of the buffers
}

// Differs reports whether an expectation failed.
func (r *Result) Differs() bool {
	for i := range r.Compared {
		if r.Compared[i].Differ > 0 {
			return true
		}
	}
	return false
}

// machine is the runtime interface that a run requires: a GPU with memory and a
// loaded code object.
type machine interface {
	target() target.ID
	// alloc allocates memory. data is shared with kernels.
	alloc(name string, size uint64) (addr uint64, data []byte, err error)
	// newImage creates the image of a buffer.
	newImage(b *manifest.Buffer) (*hsa.Image, error)
	// newSampler creates a sampler and returns its address.
	newSampler(s *manifest.Sampler) (addr uint64, err error)
	// dispatch runs a kernel to completion. It fills in unspecified fields of d, and
	// returns what the kernel wrote for printf.
	dispatch(ctx context.Context, d *manifest.Dispatch, addrs *addresses) (*device.Stats, []byte, error)
	// setSeed sets the seed of the dispatches that follow.
	setSeed(seed uint64)
	close()
}

// Run runs a manifest's dispatches on a code object, which must be a linked ELF
// file, or on a Catalyst binary. name identifies the code in messages. open opens the files that the
// manifest names.
//
// The error is a *device.Fault if a kernel fails, or the context's error. The
// result then describes the work completed before. Any other error means that
// the code, the manifest or a file is invalid, or that they do not match.
// Results that differ from the expected ones are not an error.
func Run(ctx context.Context, name string, code []byte, m *manifest.Manifest, open manifest.Open, o Options) (*Result, error) {
	t, err := TargetOf(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if o.Target != nil {
		t = o.Target
	}
	start := newMachine
	if catalyst.IsBinary(code) {
		start = newCatalystMachine
	}
	mach, err := start(name, code, t, o)
	if err != nil {
		return nil, err
	}
	defer mach.close()
	r := runner{machine: mach, m: m, open: open, opts: o}
	return r.run(ctx)
}

// TargetOf returns the target of a code object or a Catalyst binary.
func TargetOf(code []byte) (*target.Target, error) {
	if catalyst.IsBinary(code) {
		return catalystTarget(code)
	}
	obj, err := codeobject.Read(code)
	if err != nil {
		return nil, err
	}
	h, err := obj.Target()
	if err != nil {
		return nil, err
	}
	if h.Processor == nil {
		return nil, errors.New("the ELF header does not specify a processor")
	}
	return h.ID.Target("")
}

// addresses holds the values of arguments that are pointers.
type addresses struct {
	buffers  []uint64 // of the buffers, or of the image objects
	samplers []uint64
}

// of returns the value of an argument.
func (a *addresses) of(arg *manifest.Arg) uint64 {
	if arg.Kind == manifest.ArgSampler {
		return a.samplers[arg.Buffer]
	}
	return a.buffers[arg.Buffer]
}

// runner holds the state of a run.
type runner struct {
	machine machine
	m       *manifest.Manifest
	open    manifest.Open
	opts    Options
	addrs   addresses
	data    [][]byte
	images  []*hsa.Image // by buffer; nil for other buffers
	wants   [][]byte     // by expectation; nil if not read
	result  Result
}

func (r *runner) run(ctx context.Context) (*Result, error) {
	r.result.Target = r.machine.target()
	if err := r.allocate(); err != nil {
		return nil, err
	}
	r.wants = make([][]byte, len(r.m.Expect))
	repeat := r.repeatSeeds
	if r.opts.Simulator.Search != nil {
		repeat = r.searchSchedules
	}
	if err := repeat(ctx); err != nil {
		return &r.result, err
	}
	r.result.Contents = r.data
	return &r.result, nil
}

// repeatSeeds runs the dispatches with one seed after another.
func (r *runner) repeatSeeds(ctx context.Context) error {
	for n := range max(r.opts.Repeat, 1) {
		r.result.Seed = r.opts.Simulator.Seed + uint64(n)
		r.machine.setSeed(r.result.Seed)
		if err := r.once(ctx, n); err != nil || r.result.Differs() {
			return err
		}
	}
	return nil
}

// searchSchedules runs the dispatches with one schedule of the search after another.
func (r *runner) searchSchedules(ctx context.Context) error {
	search := r.opts.Simulator.Search
	for n := 0; search.Advance(); n++ {
		r.result.Schedule = search.Schedule()
		err := r.once(ctx, n)
		switch {
		case search.Err() != nil:
			return search.Err()
		case err != nil:
			return fmt.Errorf("schedule %v: %w", r.result.Schedule, err)
		case r.result.Differs():
			return nil
		}
		r.result.Times = r.result.Times[:1]
	}
	return search.Err()
}

// allocate creates the buffers, images and samplers.
func (r *runner) allocate() error {
	for i := range r.m.Buffers {
		b := &r.m.Buffers[i]
		var addr uint64
		var data []byte
		var img *hsa.Image
		var err error
		if b.Image == nil {
			addr, data, err = r.machine.alloc(b.Name, b.Size())
		} else if img, err = r.machine.newImage(b); err == nil {
			addr, data = img.Addr(), make([]byte, b.Size())
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", b.Kind(), b.Name, err)
		}
		r.addrs.buffers, r.data, r.images = append(r.addrs.buffers, addr), append(r.data, data), append(r.images, img)
	}
	for i := range r.m.Samplers {
		addr, err := r.machine.newSampler(&r.m.Samplers[i])
		if err != nil {
			return fmt.Errorf("sampler %s: %w", r.m.Samplers[i].Name, err)
		}
		r.addrs.samplers = append(r.addrs.samplers, addr)
	}
	return nil
}

// once fills the buffers, runs all dispatches and compares the results.
func (r *runner) once(ctx context.Context, n int) error {
	for i := range r.m.Buffers {
		b := &r.m.Buffers[i]
		if n > 0 {
			clear(r.data[i])
		}
		if err := b.Fill.Data(b, r.data[i], r.open); err != nil {
			return err
		}
		if img := r.images[i]; img != nil {
			if err := img.ImportTexels(r.data[i], 0, 0, hsa.ImageRegion{}); err != nil {
				return err
			}
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
		stats, printf, err := r.machine.dispatch(ctx, &d.Dispatch, &r.addrs)
		if err != nil {
			return r.explain(i, d.Kernel, err)
		}
		if r.opts.Finished != nil {
			r.opts.Finished(n, i)
		}
		d.Stats, d.Printf = *stats, printf
		total += stats.Duration
		r.result.Dispatches = append(r.result.Dispatches, d)
	}
	for i, img := range r.images {
		if img != nil {
			if err := img.ExportTexels(r.data[i], 0, 0, hsa.ImageRegion{}); err != nil {
				return err
			}
		}
	}
	r.result.Times = append(r.result.Times, total)
	r.compare()
	return nil
}

// explain adds the number of the dispatch to an error.
func (r *runner) explain(i int, kernel string, err error) error {
	var fault *device.Fault
	if errors.As(err, &fault) && fault.Kernel == "" {
		fault.Kernel = kernel
	}
	if len(r.m.Dispatches) > 1 {
		return fmt.Errorf("dispatch %d: %w", i+1, err)
	}
	return err
}

// golden reads the expected contents before the first dispatch, so that a
// missing file is reported immediately.
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
