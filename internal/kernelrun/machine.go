package kernelrun

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// gpu implements machine with the runtime: a system with one simulated GPU.
type gpu struct {
	sys   *hsa.System
	agent *hsa.Agent
	exec  *hsa.Executable
	queue *hsa.Queue
}

// newMachine returns the machine for a run.
func newMachine(name string, code []byte, t *target.Target, o Options) (machine, error) {
	delta := new(int64) // difference between addresses in memory and in the file
	if pcs, filter := o.TracePC, o.Simulator.TraceFilter; pcs != nil {
		o.Simulator.TraceFilter = func(group [3]uint32, wave int, pc uint64) bool {
			at := pc - uint64(*delta)
			return at >= pcs[0] && at <= pcs[1] && (filter == nil || filter(group, wave, pc))
		}
	}
	g := &gpu{sys: hsa.NewSystem(hsa.Options{MemoryLimit: memoryLimit, Simulator: o.Simulator})}
	if err := g.load(name, code, t); err != nil {
		g.close()
		return nil, plain(err)
	}
	for _, obj := range g.exec.LoadedCodeObjects() {
		*delta = obj.Delta
	}
	return g, nil
}

// memoryLimit is the memory size of the system in bytes, for a manifest's
// buffers and the code.
const memoryLimit = manifest.MaxBytes + 4<<30

func (g *gpu) load(name string, code []byte, t *target.Target) (err error) {
	if g.agent, err = g.sys.NewGPU(t); err != nil {
		return err
	}
	if g.exec, err = g.agent.Load(code, name); err != nil {
		return err
	}
	g.queue, err = g.agent.NewQueue(hsa.QueueOptions{})
	return err
}

// plain returns a runtime error without its status code, which is irrelevant to
// authors of manifests. Faults are returned unchanged.
func plain(err error) error {
	var fault *device.Fault
	var status *hsa.Error
	switch {
	case errors.As(err, &fault):
		return fault
	case !errors.As(err, &status):
		return err
	case status.Err == nil:
		return errors.New(status.Message)
	case status.Message == "":
		return status.Err
	}
	return fmt.Errorf("%s: %w", status.Message, status.Err)
}

func (g *gpu) target() target.ID { return g.agent.Target().ID }

func (g *gpu) close() { g.sys.Shutdown() }

func (g *gpu) alloc(name string, size uint64) (addr uint64, data []byte, err error) {
	b, err := g.agent.Pools()[0].AllocateNamed(size, "buffer "+name)
	if err != nil {
		return 0, nil, plain(err)
	}
	return b.Addr(), b.Bytes(), nil
}

// word maps a word of a manifest to a value of the runtime.
type word[T any] struct {
	name  string
	value T
}

func lookUp[T any](list []word[T], name string) (v T) {
	for i := range list {
		if list[i].name == name {
			return list[i].value
		}
	}
	return v
}

var (
	imageGeometries = []word[hsa.ImageGeometry]{{"1d", hsa.Image1D}, {"1d_buffer", hsa.Image1DBuffer}, {"1d_array", hsa.Image1DArray},
		{"2d", hsa.Image2D}, {"2d_array", hsa.Image2DArray}, {"3d", hsa.Image3D}}
	imageOrders = []word[hsa.ImageChannelOrder]{{"r", hsa.OrderR}, {"a", hsa.OrderA}, {"rg", hsa.OrderRG}, {"rgba", hsa.OrderRGBA},
		{"bgra", hsa.OrderBGRA}, {"argb", hsa.OrderARGB}, {"depth", hsa.OrderDepth}}
	imageChannels = []word[hsa.ImageChannelType]{{"unorm8", hsa.ChannelUnorm8}, {"unorm16", hsa.ChannelUnorm16}, {"snorm8", hsa.ChannelSnorm8},
		{"snorm16", hsa.ChannelSnorm16}, {"i8", hsa.ChannelInt8}, {"i16", hsa.ChannelInt16}, {"i32", hsa.ChannelInt32}, {"u8", hsa.ChannelUint8},
		{"u16", hsa.ChannelUint16}, {"u32", hsa.ChannelUint32}, {"half", hsa.ChannelHalf}, {"float", hsa.ChannelFloat}, {"srgb8", hsa.ChannelUnorm8}}
	imageAccesses = []word[hsa.ImageAccess]{{"read_only", hsa.AccessRO}, {"write_only", hsa.AccessWO}, {"read_write", hsa.AccessRW}}
	encodedOrders = []word[hsa.ImageChannelOrder]{{"rgba", hsa.OrderSRGBA}, {"bgra", hsa.OrderSBGRA}}
	addressings   = []word[hsa.SamplerAddressing]{{"none", hsa.AddressUndefined}, {"clamp", hsa.AddressClampToBorder},
		{"clamp_to_edge", hsa.AddressClampToEdge}, {"repeat", hsa.AddressRepeat}, {"mirrored", hsa.AddressMirrored}}
)

func (g *gpu) newImage(b *manifest.Buffer) (*hsa.Image, error) {
	i := b.Image
	d := hsa.ImageDescriptor{Geometry: lookUp(imageGeometries, i.Dim), Width: i.Width, Height: i.Height, Depth: i.Depth, ArraySize: i.Layers,
		Type: lookUp(imageChannels, i.Channel), Order: lookUp(imageOrders, i.Order), RowPitch: i.RowPitch, Access: lookUp(imageAccesses, i.Access), Tiled: i.Tiled}
	if i.Channel == "srgb8" {
		if d.Order = lookUp(encodedOrders, i.Order); d.Order == 0 {
			return nil, fmt.Errorf("components of type srgb8 need the order rgba or bgra, not %s", i.Order)
		}
	}
	img, err := g.agent.NewImage(d, "image "+b.Name)
	if err != nil {
		return nil, plain(err)
	}
	return img, nil
}

func (g *gpu) newSampler(s *manifest.Sampler) (addr uint64, err error) {
	obj, err := g.makeSampler(s)
	if err != nil {
		return 0, err
	}
	return obj.Addr(), nil
}

func (g *gpu) makeSampler(s *manifest.Sampler) (*hsa.Sampler, error) {
	obj, err := g.agent.NewSampler(hsa.SamplerDescriptor{Unnormalized: !s.Normalized, Linear: s.Linear, Addressing: lookUp(addressings, s.Address)}, "sampler "+s.Name)
	if err != nil {
		return nil, plain(err)
	}
	return obj, nil
}

func (g *gpu) setSeed(seed uint64) { seedAgent(g.agent, seed) }

// seedAgent sets the seed of an agent's next dispatches.
func seedAgent(a *hsa.Agent, seed uint64) {
	if s, ok := a.Device().(device.Seeder); ok {
		s.SetSeed(seed)
	}
}

func (g *gpu) dispatch(ctx context.Context, d *manifest.Dispatch, addrs *addresses) (*device.Stats, []byte, error) {
	k, err := g.kernel(d.Kernel)
	if err != nil {
		return nil, nil, plain(err)
	}
	info := k.Info()
	d.Kernel = k.Name()
	if d.Group == [3]uint16{} {
		d.Group = GroupSize(&info, d.Grid[0])
	}
	grid := hsa.Grid{Group: d.Group, Offset: d.Offset, Cluster: d.Cluster, Private: ScratchSize(&info)}
	copy(grid.Size[:], d.Grid[:d.Dims])
	args, err := kernelArgs(k, &info, d, addrs, &grid)
	if err != nil {
		return nil, nil, plain(err)
	}
	run, err := g.queue.Enqueue(ctx, k, grid, args)
	if err != nil {
		return nil, nil, plain(err)
	}
	stats, err := run.Wait(ctx)
	if err != nil {
		return nil, nil, plain(err)
	}
	return stats, nil, nil
}

// kernel returns the named kernel. If the name is empty, it returns the only
// kernel.
func (g *gpu) kernel(name string) (*hsa.Kernel, error) {
	if name != "" {
		return g.exec.Kernel(name)
	}
	var only *hsa.Kernel
	var names []string
	for _, s := range g.exec.Symbols(nil) {
		if s.Kernel != nil {
			only, names = s.Kernel, append(names, s.Kernel.Name())
		}
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("the code has %d kernels %q: name one of them", len(names), names)
	}
	return only, nil
}

// usualGroup is the default number of work-items per work-group.
const usualGroup = 64

// GroupSize returns the default work-group size of a dispatch: the size that the
// kernel requires, or else up to 64 work-items in the first dimension, whose
// grid has size work-items.
func GroupSize(info *hsa.KernelInfo, size uint32) [3]uint16 {
	most := uint64(usualGroup)
	if info.MaxFlatWorkgroupSize > 0 {
		most = min(most, info.MaxFlatWorkgroupSize)
	}
	group := [3]uint16{uint16(min(most, uint64(size))), 1, 1}
	if info.ReqdWorkgroupSize[0] == 0 {
		return group
	}
	for i, n := range info.ReqdWorkgroupSize {
		group[i] = uint16(min(max(n, 1), math.MaxUint16))
	}
	return group
}

// ScratchSize returns the scratch memory of a work-item in bytes: the kernel's
// requirement, plus dynamicStack if the size of its call stack is unknown.
func ScratchSize(info *hsa.KernelInfo) uint32 {
	if info.DynamicCallstack {
		return info.PrivateSegmentSize + dynamicStack
	}
	return info.PrivateSegmentSize
}

// kernelArgs returns the kernel's arguments.
func kernelArgs(k *hsa.Kernel, info *hsa.KernelInfo, d *manifest.Dispatch, addrs *addresses, grid *hsa.Grid) (*hsa.KernelArgs, error) {
	if !info.HasMetadata || len(info.Args) == 0 && len(d.Args) > 0 {
		raw, err := packArgs(info, d, addrs, grid)
		if err != nil {
			return nil, err
		}
		return k.NewArgs(raw)
	}
	if err := checkArgs(info, d); err != nil {
		return nil, err
	}
	values := make([]any, len(d.Args))
	for i := range d.Args {
		switch a := &d.Args[i]; a.Kind {
		case manifest.ArgBuffer, manifest.ArgImage, manifest.ArgSampler:
			values[i] = addrs.of(a)
		case manifest.ArgLocal:
			values[i] = hsa.LDS(a.Local)
		default:
			values[i] = a.Data
		}
	}
	return k.NewArgs(values...)
}

// dynamicStack is the scratch memory in bytes that a work-item gets for a stack
// of unknown size, in addition to the kernel's requirement. ROCm's runtimes
// have a limit that programs can set.
const dynamicStack = 16 << 10

// sharedPointer is the kind of arguments that point to dynamic LDS.
const sharedPointer = "dynamic_shared_pointer"

// checkArgs compares arguments with the kernel's metadata. The runtime checks
// their number.
func checkArgs(info *hsa.KernelInfo, d *manifest.Dispatch) error {
	var explicit []*hsa.KernelArg
	for i := range info.Args {
		if !info.Args[i].Hidden() {
			explicit = append(explicit, &info.Args[i])
		}
	}
	if len(explicit) != len(d.Args) {
		return nil
	}
	for i, arg := range explicit {
		given := &d.Args[i]
		what := fmt.Sprintf("kernel %s, argument %d", info.Name, i)
		if arg.Name != "" {
			what += " (" + arg.Name + ")"
		}
		size := uint64(len(given.Data))
		switch given.Kind {
		case manifest.ArgBuffer, manifest.ArgImage, manifest.ArgSampler:
			size = 8
		}
		switch {
		case given.Kind == manifest.ArgLocal && arg.Kind != sharedPointer:
			return fmt.Errorf("%s: got dynamic LDS, the kernel expects a %s", what, arg.Kind)
		case given.Kind != manifest.ArgLocal && arg.Kind == sharedPointer:
			return fmt.Errorf("%s: got %v, the kernel expects dynamic LDS", what, given.Kind)
		case given.Kind != manifest.ArgLocal && size != arg.Size:
			return fmt.Errorf("%s: got %d bytes, the kernel expects %d", what, size, arg.Size)
		}
	}
	return nil
}

// ldsAlign is the alignment of dynamic LDS if the metadata does not specify
// one.
const ldsAlign = 16

// packArgs lays out the arguments of a kernel without argument metadata in
// sequence, each at a multiple of its size or alignment.
func packArgs(info *hsa.KernelInfo, d *manifest.Dispatch, addrs *addresses, grid *hsa.Grid) (hsa.Kernarg, error) {
	var b hsa.Kernarg
	lds := uint64(info.GroupSegmentSize)
	add := func(data []byte, align int) {
		for len(b)%align != 0 {
			b = append(b, 0)
		}
		b = append(b, data...)
	}
	for i := range d.Args {
		switch a := &d.Args[i]; a.Kind {
		case manifest.ArgBuffer, manifest.ArgImage, manifest.ArgSampler:
			add(le64(addrs.of(a)), 8)
		case manifest.ArgLocal:
			lds = (lds + ldsAlign - 1) &^ (ldsAlign - 1)
			add(le64(lds)[:4], 4)
			lds += uint64(a.Local)
		default:
			add(a.Data, a.Align)
		}
	}
	if len(b) > int(info.KernargSegmentSize) {
		return nil, fmt.Errorf("the arguments have %d bytes, the kernel expects %d", len(b), info.KernargSegmentSize)
	}
	grid.DynamicLDS = uint32(min(lds-uint64(info.GroupSegmentSize), math.MaxUint32))
	return append(b, make([]byte, int(info.KernargSegmentSize)-len(b))...), nil
}

func le64(v uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b
}
