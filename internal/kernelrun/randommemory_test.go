package kernelrun

import (
	"context"

	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
)

// randomMemory holds the memory of random kernels on a machine.
type randomMemory struct {
	addrs []uint64
	data  [][]byte
}

// newRandomMemory allocates the buffers of random kernels.
func newRandomMemory(mach machine) (*randomMemory, error) {
	r := &randomMemory{}
	for i := range irrandom.Buffers {
		b := &irrandom.Buffers[i]
		addr, data, err := mach.alloc(b.Name, uint64(b.Size))
		if err != nil {
			return nil, err
		}
		r.addrs, r.data = append(r.addrs, addr), append(r.data, data)
	}
	return r, nil
}

// run fills the buffers and runs a kernel of a random module.
func (r *randomMemory) run(mach machine, w *irrandom.Result) error {
	for i, data := range r.data {
		irrandom.Buffers[i].Fill(data)
	}
	d := &manifest.Dispatch{Kernel: w.Name, Dims: 1, Grid: [3]uint32{irrandom.Lanes, 1, 1}, Group: [3]uint16{irrandom.Lanes, 1, 1}}
	var addrs []uint64
	for _, a := range w.Args {
		arg := manifest.Arg{Kind: manifest.ArgBytes, Data: a.Data}
		switch {
		case a.Buffer >= 0:
			arg = manifest.Arg{Kind: manifest.ArgBuffer, Buffer: len(addrs)}
			addrs = append(addrs, r.addrs[a.Buffer]+a.Offset)
		case a.Local > 0:
			arg = manifest.Arg{Kind: manifest.ArgLocal, Local: uint32(a.Local)}
		}
		d.Args = append(d.Args, arg)
	}
	_, _, err := mach.dispatch(context.Background(), d, &addresses{buffers: addrs})
	return err
}
