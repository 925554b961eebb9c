package gfx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
)

// Executable is a code object in the memory of a device.
type Executable struct {
	device *Device
	exec   *hsa.Executable
}

// Kernels returns the names of the kernels.
func (e *Executable) Kernels() []string {
	var names []string
	for _, s := range e.exec.Symbols(nil) {
		if s.Kernel != nil {
			names = append(names, s.Kernel.Name())
		}
	}
	return names
}

// Kernel returns the kernel of a name; "" for the only one. The error is an
// *UnknownKernelError.
func (e *Executable) Kernel(name string) (*Kernel, error) {
	names := e.Kernels()
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	k, err := e.exec.Kernel(name)
	if err != nil {
		return nil, &UnknownKernelError{name, names}
	}
	return &Kernel{e, k}, nil
}

// Close removes the code from the device's memory, after the kernel that the device
// runs. A second call has no effect.
func (e *Executable) Close() {
	// Without a deadline there is always a turn.
	_ = e.device.acquire(context.Background())
	defer e.device.release()
	// The only error is that the executable was destroyed before.
	_ = e.exec.Destroy()
}

// Kernel is a kernel of an executable.
type Kernel struct {
	executable *Executable
	kernel     *hsa.Kernel
}

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.kernel.Name() }

// Grid is the size of a run.
type Grid struct {
	// Size is the number of work-items in each dimension, 1 to 2³²−1 in the first; 0
	// in a dimension that is not used. The last work-group of a dimension may be
	// partial.
	Size [3]uint32
	// Group is the number of work-items of a work-group in each dimension, at most
	// 1024 altogether. The zero value is the size that the kernel requires, or else 64
	// in the first dimension.
	Group [3]uint16
	// Offset is OpenCL's global offset in work-items.
	Offset [3]uint64
	// Cluster is the number of work-groups per cluster in each dimension. The grid
	// must be a multiple of it. The zero value is the size that the kernel requires,
	// or else one. Clusters of more work-groups exist since gfx1250.
	Cluster [3]uint8
	// DynamicLDS is the LDS of a work-group in bytes, beside the LDS of the kernel and
	// of its arguments of type LDS.
	DynamicLDS uint32
}

// LDS is the value of an argument that points to dynamic LDS (a __local pointer of
// OpenCL): the size in bytes.
type LDS uint32

// Kernarg is a whole kernarg segment, as the only value for a kernel whose metadata do
// not describe its arguments.
type Kernarg []byte

// Stats describes a run.
type Stats struct {
	WorkGroups   uint64            // of the grid
	Waves        uint64            // of all work-groups
	Instructions uint64            // executed by waves
	Classes      map[string]uint64 // the same by class: "valu", "salu", "smem", "vmem", "lds", "branch", "matrix", "other"
	Duration     time.Duration     // on the host
	SGPRs        int               // allocated for a wave
	VGPRs        int               // allocated for a wave, without AGPRs
	AGPRs        int               // allocated for a wave
	LDS          uint32            // bytes of a work-group
	Scratch      uint32            // bytes of a work-item
	WaveSize     int               // work-items of a wave: 32 or 64
}

// Run runs the kernel with a value for each argument and waits for its end. The value
// of an argument is
//
//   - for a pointer: a *Buffer of the kernel's device, an address as uint64, or nil;
//   - for a pointer to dynamic LDS: an LDS;
//   - otherwise: a number, array or struct that encoding/binary can encode and that
//     has the argument's size, an int that fits it, or the argument's bytes.
//
// The result is nil unless the kernel has run to its end. The error is
//
//   - a *CheckError if the checks of the device have findings; the result is valid as well;
//   - a *Fault if the GPU ended the kernel;
//   - an *hsa.Error if arguments or grid do not fit the kernel;
//   - ErrOutOfMemory, ErrClosed, or the context's error. When the context ends, the
//     kernel is stopped within 100 ms, and buffers keep its stores.
//
// The device can run other kernels after any error except ErrClosed.
func (k *Kernel) Run(ctx context.Context, g Grid, values ...any) (*Stats, error) {
	d := k.executable.device
	args := make([]any, len(values))
	for i, v := range values {
		var err error
		if args[i], err = d.argument(v); err != nil {
			return nil, fmt.Errorf("kernel %s, argument %d: %w", k.Name(), i, err)
		}
	}
	if err := d.acquire(ctx); err != nil {
		return nil, err
	}
	defer d.release()
	if err := d.renewQueue(); err != nil {
		return nil, d.error(err)
	}
	d.findings = nil
	stats, err := d.queue.Dispatch(ctx, k.kernel, k.grid(g), args...)
	err = d.error(err)
	for _, f := range d.findings {
		f.Kernel = k.Name()
	}
	if len(d.findings) > 0 {
		err = withFindings(err, &CheckError{k.Name(), d.findings})
	}
	return newStats(stats), err
}

// withFindings adds findings to the error of a run, nil for none.
func withFindings(err error, found *CheckError) error {
	if err == nil {
		return found
	}
	return errors.Join(err, found)
}

// grid returns the runtime's grid.
func (k *Kernel) grid(g Grid) hsa.Grid {
	info := k.kernel.Info()
	out := hsa.Grid{Size: g.Size, Group: g.Group, Offset: g.Offset, Cluster: g.Cluster, DynamicLDS: g.DynamicLDS, Private: kernelrun.ScratchSize(&info)}
	if g.Group == [3]uint16{} {
		out.Group = kernelrun.GroupSize(&info, g.Size[0])
	}
	return out
}

// argument returns a value for an argument as the runtime takes it.
func (d *Device) argument(v any) (any, error) {
	switch v := v.(type) {
	case interface {
		argument() (*hsa.Buffer, *Device)
	}:
		b, owner := v.argument()
		switch {
		case b == nil:
			return nil, nil
		case owner != d:
			return nil, errors.New("the buffer is on another device")
		}
		return b, nil
	case LDS:
		return hsa.LDS(v), nil
	case Kernarg:
		return hsa.Kernarg(v), nil
	}
	return v, nil
}

func newStats(s *device.Stats) *Stats {
	if s == nil {
		return nil
	}
	return &Stats{
		WorkGroups: s.Groups, Waves: s.Waves, Instructions: s.Instructions, Classes: s.Classes, Duration: s.Duration,
		SGPRs: s.SGPRs, VGPRs: s.VGPRs, AGPRs: s.AGPRs, LDS: s.LDS, Scratch: s.Scratch, WaveSize: s.WaveSize,
	}
}
