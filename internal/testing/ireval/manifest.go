package ireval

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/ir"
)

// Outcome is the result of running a manifest.
type Outcome struct {
	Contents [][]byte  // final contents of the buffers
	Shadows  [][]uint8 // marks of their bytes, see Machine.Shadow
	Steps    uint64    // number of executed instructions
}

// RunManifest runs the dispatches of a manifest with the kernels of a module.
func RunManifest(m *ir.Module, man *manifest.Manifest, open manifest.Open, o Options) (*Outcome, error) {
	mc, err := New(m, o)
	if err != nil {
		return nil, err
	}
	addrs := make([]uint64, len(man.Buffers))
	for i := range man.Buffers {
		b := &man.Buffers[i]
		if addrs[i], err = mc.Alloc(b.Size(), 4096); err != nil {
			return nil, err
		}
		if err := b.Fill.Data(b, mc.Bytes(addrs[i], b.Size()), open); err != nil {
			return nil, err
		}
	}
	for i := range man.Dispatches {
		d := &man.Dispatches[i]
		run := Dispatch{Kernel: d.Kernel, Dims: d.Dims, Grid: d.Grid, Group: d.Group, Offset: d.Offset}
		for _, a := range d.Args {
			run.Args = append(run.Args, argOf(&a, addrs))
		}
		if err := mc.Dispatch(&run); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", d.Kernel, err)
		}
	}
	out := &Outcome{Steps: mc.Steps()}
	for i := range man.Buffers {
		out.Contents = append(out.Contents, mc.Bytes(addrs[i], man.Buffers[i].Size()))
		out.Shadows = append(out.Shadows, mc.Shadow(addrs[i], man.Buffers[i].Size()))
	}
	return out, nil
}

func argOf(a *manifest.Arg, addrs []uint64) KernelArg {
	switch a.Kind {
	case manifest.ArgBuffer:
		var b [8]byte
		for i := range b {
			b[i] = byte(addrs[a.Buffer] >> (8 * i))
		}
		return KernelArg{Data: b[:]}
	case manifest.ArgLocal:
		return KernelArg{Local: uint64(a.Local)}
	}
	return KernelArg{Data: a.Data}
}
