package catalystrun

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
)

// Kernel is a kernel of a Catalyst binary that is loaded on an agent.
type Kernel struct {
	agent      *hsa.Agent
	kernel     *hsa.Kernel
	bin        *catalyst.Binary
	info       *catalyst.Info
	globalData *hsa.Buffer // nil without global data
}

// Load loads the kernel with an index. The agent must have the processor of
// the binary's device.
func Load(a *hsa.Agent, b *catalyst.Binary, index int) (*Kernel, error) {
	name := b.Kernels[index].Name
	info := b.KernelInfo(index)
	if len(info.Problems) > 0 {
		return nil, fmt.Errorf("kernel %s: %w", name, errors.Join(info.Problems...))
	}
	if err := checkSupport(info); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	data, err := codeObject(b, index, info)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	e, err := a.Load(data, name)
	if err != nil {
		return nil, err
	}
	k := &Kernel{agent: a, bin: b, info: info}
	if k.kernel, err = e.Kernel(kernelSymbol); err != nil {
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

// checkSupport returns an error that names what the kernel needs and does not
// exist here.
func checkSupport(info *catalyst.Info) error {
	switch {
	case info.ScratchBuffer != 0 || info.RSrc2&1 != 0:
		return errors.New("scratch memory is not supported")
	case info.UsePrintf:
		return errors.New("printf is not supported")
	case len(info.Samplers) > 0:
		return errors.New("samplers are not supported")
	case int(info.RSrc2>>rsrc2UserSGPRs&31) > maxUserSGPRs:
		return fmt.Errorf("%d registers of user data, the maximum is %d", info.RSrc2>>rsrc2UserSGPRs&31, maxUserSGPRs)
	}
	for _, a := range info.Args {
		if k := a.Type.Kind; !a.Pointer && (k.IsImage() || k == catalyst.Sampler || k == catalyst.Counter32) {
			return fmt.Errorf("argument %s: type %s is not supported", a.Name, a.Type)
		}
	}
	for _, u := range info.UserData {
		if u.First+u.Count > maxUserSGPRs || u.Count > maxUserSGPRs {
			return fmt.Errorf("user data %s in register %d and %d following ones", u.Class, u.First, u.Count)
		}
	}
	return nil
}

// Dispatch runs the kernel on a queue and waits for its end. A value of args is
//
//   - for a pointer to global or constant memory: a *hsa.Buffer;
//   - for a pointer to local memory: an hsa.LDS, its size in bytes;
//   - else: a number, array or struct of encoding/binary's fixed-size types with
//     the argument's size.
func (k *Kernel) Dispatch(ctx context.Context, q *hsa.Queue, g hsa.Grid, args ...any) (*device.Stats, error) {
	c := &call{k: k, grid: g, uavs: map[uint32]*hsa.Buffer{}, consts: map[uint32]*hsa.Buffer{}}
	defer c.free()
	if err := c.setArgs(args); err != nil {
		return nil, err
	}
	kernarg, err := c.userData()
	if err != nil {
		return nil, err
	}
	return q.Dispatch(ctx, k.kernel, c.grid, hsa.Kernarg(kernarg))
}

// call holds the memory of one dispatch.
type call struct {
	k      *Kernel
	grid   hsa.Grid
	uavs   map[uint32]*hsa.Buffer // by id
	consts map[uint32]*hsa.Buffer // constant buffers by id
	owned  []*hsa.Buffer          // to be freed
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

// setArgs writes the arguments into constant buffer 1.
func (c *call) setArgs(args []any) error {
	info := c.k.info
	if len(args) != len(info.Args) {
		return fmt.Errorf("%d arguments, the kernel has %d", len(args), len(info.Args))
	}
	data := make([]byte, info.ArgSize)
	local := info.LocalSize
	for i, v := range args {
		a := &info.Args[i]
		value, err := c.argValue(a, v, &local)
		if err != nil {
			return fmt.Errorf("argument %s: %w", a.Name, err)
		}
		copy(data[info.Offsets[i]:], value)
	}
	c.grid.DynamicLDS += local - info.LocalSize
	b, err := c.newBuffer(data)
	c.consts[1] = b
	return err
}

// oldConstants is the first version of the driver whose constant pointers are
// UAVs.
const oldConstants = 134805

// argValue returns the bytes of an argument. local is the size of the local
// memory so far, in bytes.
func (c *call) argValue(a *catalyst.Arg, v any, local *uint32) ([]byte, error) {
	if !a.Pointer {
		b, err := binary.Append(nil, binary.LittleEndian, v)
		if err == nil && uint32(len(b)) != a.ArgSize(c.k.bin.Wide) {
			err = fmt.Errorf("a value of %d bytes, the argument has %d", len(b), a.ArgSize(c.k.bin.Wide))
		}
		return b, err
	}
	place := make([]byte, 8)
	if a.Space == catalyst.Local {
		size, ok := v.(hsa.LDS)
		if !ok {
			return nil, fmt.Errorf("a %T, the argument is a pointer to local memory", v)
		}
		const align = 16
		at := (*local + align - 1) &^ (align - 1)
		binary.LittleEndian.PutUint32(place, at)
		*local = at + uint32(size)
		return place[:a.ArgSize(c.k.bin.Wide)], nil
	}
	b, ok := v.(*hsa.Buffer)
	if !ok {
		return nil, fmt.Errorf("a %T, the argument is a pointer", v)
	}
	if a.Space == catalyst.Constant && c.k.bin.Driver.Version < oldConstants {
		c.consts[a.ID.Value] = b
	} else {
		c.uavs[a.ID.Value] = b
	}
	return place[:a.ArgSize(c.k.bin.Wide)], nil // the start of its buffer
}

// sizes returns the contents of constant buffer 0.
func (c *call) sizes() []byte {
	var words [40]uint32
	g := &c.grid
	words[3] = uint32(g.Dimensions())
	offset := 36
	if c.k.bin.Wide {
		offset = 37
	}
	for i := range 3 {
		size, group := max(g.Size[i], 1), max(uint32(g.Group[i]), 1)
		words[i], words[4+i], words[8+i] = size, group, (size+group-1)/group
		words[24+i], words[offset+i] = uint32(g.Offset[i]), uint32(g.Offset[i])
	}
	return appendWords(nil, words[:])
}

func appendWords(b []byte, words []uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// descriptor returns the descriptor of a buffer without structure: elements of
// 32 bits, unsigned integers, all components selected.
func descriptor(b *hsa.Buffer) [4]uint32 {
	const word3 = 4 | 5<<3 | 6<<6 | 7<<9 | 4<<12 | 4<<15
	return [4]uint32{uint32(b.Addr()), uint32(b.Addr()>>32) & 0xffff, uint32(min(b.Size(), 1<<32-1)), word3}
}

// table returns memory with the descriptors of buffers by id; each entry has a
// number of dwords.
func (c *call) table(buffers map[uint32]*hsa.Buffer, dwords int) (*hsa.Buffer, error) {
	last := uint32(0)
	for id := range buffers {
		last = max(last, id)
	}
	words := make([]uint32, dwords*int(last+1))
	for id, b := range buffers {
		d := descriptor(b)
		copy(words[dwords*int(id):], d[:])
	}
	return c.newBuffer(appendWords(nil, words))
}

// userData returns the user data of the kernel as a kernarg segment.
func (c *call) userData() ([]byte, error) {
	var words [maxUserSGPRs]uint32
	var err error
	if c.consts[0], err = c.newBuffer(c.sizes()); err != nil {
		return nil, err
	}
	info := c.k.info
	if g := c.k.globalData; g != nil {
		if id := info.ConstBufferID; id.State == catalyst.Given {
			c.uavs[id.Value] = g
		} else {
			c.consts[2] = g
		}
	}
	for _, u := range info.UserData {
		value, err := c.userValue(u)
		if err != nil {
			return nil, err
		}
		if int(u.Count) != len(value) {
			return nil, fmt.Errorf("user data %s has %d registers instead of %d", u.Class, u.Count, len(value))
		}
		copy(words[u.First:], value)
	}
	return appendWords(nil, words[:]), nil
}

// userValue returns the registers of one of the user data.
func (c *call) userValue(u catalyst.UserData) ([]uint32, error) {
	buffers, dwords := c.consts, 4
	switch u.Class {
	case catalyst.ImmConstBuffer:
		b := c.consts[u.Slot]
		if b == nil {
			return nil, fmt.Errorf("user data %s: there is no constant buffer %d", u.Class, u.Slot)
		}
		d := descriptor(b)
		return d[:], nil
	case catalyst.PtrUAVTable:
		buffers, dwords = c.uavs, 8
	case catalyst.PtrConstBufferTable:
	default:
		return nil, fmt.Errorf("user data %s are not supported", u.Class)
	}
	t, err := c.table(buffers, dwords)
	if err != nil {
		return nil, err
	}
	return []uint32{uint32(t.Addr()), uint32(t.Addr() >> 32)}, nil
}
