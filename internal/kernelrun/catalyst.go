package kernelrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/catalystrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// catalystMachine is the machine for a Catalyst binary. It loads a kernel when
// it is dispatched first.
type catalystMachine struct {
	gpu
	bin     *catalyst.Binary
	kernels map[int]*catalystrun.Kernel
	objects map[uint64]any // buffers, images and samplers by the value of their arguments
}

// newCatalystMachine returns the machine for a run of a Catalyst binary.
func newCatalystMachine(name string, code []byte, t *target.Target, o Options) (machine, error) {
	bin, err := catalyst.Read(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if o.TracePC != nil {
		return nil, fmt.Errorf("%s: instructions of a Catalyst binary cannot be traced by their addresses", name)
	}
	m := &catalystMachine{
		gpu: gpu{sys: hsa.NewSystem(hsa.Options{MemoryLimit: memoryLimit, Simulator: o.Simulator})},
		bin: bin, kernels: map[int]*catalystrun.Kernel{}, objects: map[uint64]any{},
	}
	if m.agent, err = m.sys.NewGPU(t); err == nil {
		m.queue, err = m.agent.NewQueue(hsa.QueueOptions{})
	}
	if err != nil {
		m.close()
		return nil, plain(err)
	}
	return m, nil
}

// catalystTarget returns the target of a Catalyst binary.
func catalystTarget(code []byte) (*target.Target, error) {
	bin, err := catalyst.Read(code)
	if err != nil {
		return nil, err
	}
	return target.New("", bin.Device.Processor, "")
}

func (m *catalystMachine) alloc(name string, size uint64) (addr uint64, data []byte, err error) {
	b, err := m.agent.Pools()[0].AllocateNamed(size, "buffer "+name)
	if err != nil {
		return 0, nil, plain(err)
	}
	m.objects[b.Addr()] = b
	return b.Addr(), b.Bytes(), nil
}

func (m *catalystMachine) newImage(b *manifest.Buffer) (*hsa.Image, error) {
	img, err := m.gpu.newImage(b)
	if err == nil {
		m.objects[img.Addr()] = img
	}
	return img, err
}

func (m *catalystMachine) newSampler(s *manifest.Sampler) (addr uint64, err error) {
	obj, err := m.gpu.makeSampler(s)
	if err != nil {
		return 0, err
	}
	m.objects[obj.Addr()] = obj
	return obj.Addr(), nil
}

// find returns the index of the named kernel, or of the only one if the name is
// empty.
func (m *catalystMachine) find(name string) (int, error) {
	var names []string
	for i := range m.bin.Kernels {
		if m.bin.Kernels[i].Name == name || name == "" && len(m.bin.Kernels) == 1 {
			return i, nil
		}
		names = append(names, m.bin.Kernels[i].Name)
	}
	if name == "" {
		return 0, fmt.Errorf("the code has %d kernels %q: name one of them", len(names), names)
	}
	return 0, fmt.Errorf("there is no kernel %s; the code has %q", name, names)
}

func (m *catalystMachine) setSeed(seed uint64) { seedAgent(m.agent, seed) }

func (m *catalystMachine) dispatch(ctx context.Context, d *manifest.Dispatch, addrs *addresses) (*device.Stats, []byte, error) {
	index, err := m.find(d.Kernel)
	if err != nil {
		return nil, nil, err
	}
	d.Kernel = m.bin.Kernels[index].Name
	k := m.kernels[index]
	if k == nil {
		if k, err = catalystrun.Load(m.agent, m.bin, index); err != nil {
			return nil, nil, plain(err)
		}
		m.kernels[index] = k
	}
	info := k.Info()
	if d.Group == [3]uint16{} {
		d.Group = GroupSize(&info, d.Grid[0])
	}
	grid := hsa.Grid{Group: d.Group, Offset: d.Offset, Cluster: d.Cluster}
	copy(grid.Size[:], d.Grid[:d.Dims])
	values := make([]any, len(d.Args))
	for i := range d.Args {
		switch a := &d.Args[i]; a.Kind {
		case manifest.ArgBuffer, manifest.ArgImage, manifest.ArgSampler:
			values[i] = m.objects[addrs.of(a)]
		case manifest.ArgLocal:
			values[i] = hsa.LDS(a.Local)
		default:
			values[i] = a.Data
		}
	}
	stats, err := k.Dispatch(ctx, m.queue, grid, values...)
	if err == nil {
		return stats, k.Printf(), nil
	}
	var fault *device.Fault
	if err = plain(err); !errors.As(err, &fault) && ctx.Err() == nil {
		err = fmt.Errorf("kernel %s: %w", d.Kernel, err)
	}
	return nil, nil, err
}
