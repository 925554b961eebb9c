package catalystrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
)

// Kernel is a kernel of a Catalyst binary that is loaded on an agent. Its
// dispatches must follow each other.
type Kernel struct {
	agent      *hsa.Agent
	kernel     *hsa.Kernel
	bin        *catalyst.Binary
	index      int // of the kernel in bin
	info       *catalyst.Info
	globalData *hsa.Buffer    // nil without global data
	samplers   []*hsa.Sampler // of the program
	printf     []byte
}

// Load loads the kernel with an index. The agent must have the processor of
// the binary's device.
func Load(a *hsa.Agent, b *catalyst.Binary, index int) (*Kernel, error) {
	name := b.Kernels[index].Name
	info := b.KernelInfo(index)
	if len(info.Problems) > 0 {
		return nil, fmt.Errorf("kernel %s: %w", name, errors.Join(info.Problems...))
	}
	err := checkSupport(info)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	k := &Kernel{agent: a, bin: b, index: index, info: info}
	for _, value := range info.Samplers {
		s, err := newSampler(a, catalyst.SamplerMode(value))
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		k.samplers = append(k.samplers, s)
	}
	data, err := codeObject(b, index, info)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	e, err := a.Load(data, name)
	if err != nil {
		return nil, err
	}
	if k.kernel, err = e.Kernel(symbolName(name)); err != nil {
		return nil, err
	}
	if len(b.GlobalData) > 0 {
		if k.globalData, err = a.Allocate(uint64(len(b.GlobalData))); err != nil {
			return nil, err
		}
		copy(k.globalData.Bytes(), b.GlobalData)
	}
	return k, nil
}

// Info returns the description of the kernel for the runtime, without its
// arguments.
func (k *Kernel) Info() hsa.KernelInfo { return k.kernel.Info() }

// Printf returns what the last dispatch wrote to the UAV of printf, without
// trailing zeroes, or nil.
func (k *Kernel) Printf() []byte { return k.printf }

// PrintfSize is the size in bytes of the UAV of printf.
const PrintfSize = 1 << 20

// maxID is the greatest id of a UAV, image or counter.
const maxID = 1023

// maxGDS is the size in bytes of the global data share.
const maxGDS = 64 << 10

// checkSupport returns an error that names what the kernel needs and does not
// exist here.
func checkSupport(info *catalyst.Info) error {
	if n := userSGPRs(info); n > catalystabi.MaxUserSGPRs {
		return fmt.Errorf("%d registers of user data, the maximum is %d", n, catalystabi.MaxUserSGPRs)
	}
	if size := counterSize(info) + uint64(info.Region); size > maxGDS {
		return fmt.Errorf("counters and %d bytes of region memory exceed %d bytes", info.Region, maxGDS)
	}
	for _, o := range []catalyst.Option{info.ConstBufferID, info.PrintfID} {
		if o.State == catalyst.Given && o.Value > maxID {
			return fmt.Errorf("UAV %d, the greatest is %d", o.Value, maxID)
		}
	}
	for i := range info.Args {
		if a := &info.Args[i]; a.ID.State == catalyst.Given && a.ID.Value > maxID {
			return fmt.Errorf("argument %s: id %d, the greatest is %d", a.Name, a.ID.Value, maxID)
		}
	}
	for _, u := range info.UserData {
		if u.First > catalystabi.MaxUserSGPRs || u.Count > catalystabi.MaxUserSGPRs-u.First {
			return fmt.Errorf("user data %s in %d registers from s%d on, the last possible one is s%d", u.Class, u.Count, u.First, catalystabi.MaxUserSGPRs-1)
		}
		if _, err := classOf(u.Class); err != nil {
			return err
		}
	}
	return nil
}

// Dispatch runs the kernel on a queue and waits for its end. A value of args is
//
//   - for a pointer to global or constant memory: a *hsa.Buffer;
//   - for a pointer to local memory: an hsa.LDS, its size in bytes;
//   - for an image or a sampler: an *hsa.Image or *hsa.Sampler;
//   - for a counter: a *hsa.Buffer, whose first four bytes are the counter;
//   - else: a number, array or struct of encoding/binary's fixed-size types with
//     the argument's size.
func (k *Kernel) Dispatch(ctx context.Context, q *hsa.Queue, g hsa.Grid, args ...any) (*device.Stats, error) {
	c := newCall(k, g)
	defer c.free()
	kernarg, err := c.prepare(args)
	if err != nil {
		return nil, err
	}
	stats, err := q.Dispatch(ctx, k.kernel, c.grid, hsa.Kernarg(kernarg))
	c.finish()
	var fault *device.Fault
	if errors.As(err, &fault) {
		fault.Kernel = k.bin.Kernels[k.index].Name
	}
	return stats, err
}

// prepare writes the memory of the dispatch and returns its kernarg segment.
func (c *call) prepare(args []any) ([]byte, error) {
	if err := c.setArgs(args); err != nil {
		return nil, err
	}
	for _, step := range []func() error{c.setSizes, c.setGlobalData, c.setPrintf, c.setGDS, c.setScratch} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.userData()
}

// finish copies results that are not in buffers.
func (c *call) finish() {
	for id, b := range c.counters {
		copy(b.Bytes()[:counterBytes], c.grid.GDS[counterBytes*id:])
	}
	c.k.printf = nil
	if c.printf != nil {
		c.k.printf = append([]byte(nil), bytes.TrimRight(c.printf.Bytes(), "\x00")...)
	}
}

// call holds the memory of one dispatch.
type call struct {
	k         *Kernel
	grid      hsa.Grid
	uavs      table // by id
	resources table // readable images by id
	consts    table // constant buffers by id
	samplers  [][]uint32
	counters  map[uint32]*hsa.Buffer // by id
	internal  *hsa.Buffer            // internal global table
	printf    *hsa.Buffer            // UAV of printf, or nil
	owned     []*hsa.Buffer          // to be freed
}

func newCall(k *Kernel, g hsa.Grid) *call {
	return &call{k: k, grid: g, uavs: table{}, resources: table{}, consts: table{}, counters: map[uint32]*hsa.Buffer{}}
}

func (c *call) free() {
	for _, b := range c.owned {
		b.Free()
	}
}

// newBuffer returns memory with contents.
func (c *call) newBuffer(data []byte) (*hsa.Buffer, error) {
	b, err := c.k.agent.Allocate(uint64(max(len(data), 16)))
	if err != nil {
		return nil, err
	}
	c.owned = append(c.owned, b)
	copy(b.Bytes(), data)
	return b, nil
}

// sizes returns the contents of constant buffer 0.
func (c *call) sizes() []byte {
	var words [catalystabi.Dwords]uint32
	g := &c.grid
	words[catalystabi.Dimensions], words[catalystabi.OffsetProduct] = uint32(g.Dimensions()), 1
	late := int(catalystabi.LateOffset(c.k.bin.Wide))
	for i := range 3 {
		size, group := max(g.Size[i], 1), max(uint32(g.Group[i]), 1)
		words[catalystabi.GlobalSize+i], words[catalystabi.LocalSize+i], words[catalystabi.Groups+i] = size, group, (size+group-1)/group
		words[catalystabi.Offset+i], words[late+i] = uint32(g.Offset[i]), uint32(g.Offset[i])
		if i < g.Dimensions() {
			words[catalystabi.OffsetProduct] *= uint32(g.Offset[i])
		}
	}
	for i, f := range catalystabi.MathNumbers {
		words[catalystabi.Math+i] = math.Float32bits(f)
	}
	if c.k.info.UsePrintf {
		words[catalystabi.PrintfSize(c.k.bin.Wide)] = PrintfSize
	}
	return appendWords(nil, words[:])
}

// setSizes sets constant buffer 0.
func (c *call) setSizes() error {
	b, err := c.newBuffer(c.sizes())
	if err == nil {
		c.consts[0] = descriptor(b)
	}
	return err
}

// setGlobalData makes the global data a UAV or constant buffer 2.
func (c *call) setGlobalData() error {
	g := c.k.globalData
	if g == nil {
		return nil
	}
	if id := c.k.info.ConstBufferID; id.State == catalyst.Given {
		c.uavs[id.Value] = descriptor(g)
	} else {
		c.consts[2] = descriptor(g)
	}
	return nil
}

// setPrintf allocates the UAV of printf.
func (c *call) setPrintf() (err error) {
	info := c.k.info
	if !info.UsePrintf {
		return nil
	}
	id := uint32(defaultPrintfID)
	if info.PrintfID.State == catalyst.Given {
		id = info.PrintfID.Value
	}
	if c.printf, err = c.newBuffer(make([]byte, PrintfSize)); err == nil {
		c.uavs[id] = descriptor(c.printf)
	}
	return err
}

// defaultPrintfID is the UAV of printf if the metadata do not name it.
const defaultPrintfID = 9

// setGDS sets the initial contents of the global data share.
func (c *call) setGDS() error {
	if len(c.counters) == 0 && c.k.info.Region == 0 {
		return nil
	}
	c.grid.GDS = make([]byte, counterSize(c.k.info)+uint64(c.k.info.Region))
	for id, b := range c.counters {
		copy(c.grid.GDS[counterBytes*id:], b.Bytes()[:counterBytes])
	}
	return nil
}

// counterBytes is the size of a counter in bytes.
const counterBytes = 4

// counterSize returns the bytes of a kernel's counters in GDS.
func counterSize(info *catalyst.Info) (size uint64) {
	for i := range info.Args {
		if a := &info.Args[i]; !a.Pointer && a.Type.Kind == catalyst.Counter32 {
			size = max(size, counterBytes*(uint64(a.ID.Value)+1))
		}
	}
	return size
}

// Entries of the internal global table.
const (
	internalEntry = 16 // bytes
	scratchEntry  = 1
)

// scratchResource returns the address of the descriptor of the scratch memory.
func (c *call) scratchResource() uint64 { return c.internal.Addr() + scratchEntry*internalEntry }

// setScratch makes the internal global table, to which the device writes the
// descriptor of the scratch memory.
func (c *call) setScratch() (err error) {
	if c.internal, err = c.newBuffer(make([]byte, (scratchEntry+1)*internalEntry)); err != nil {
		return err
	}
	if c.k.info.ScratchBuffer > 0 {
		c.grid.ScratchResource = c.scratchResource()
	}
	return nil
}
