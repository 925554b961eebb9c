package catalystrun

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
)

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
	for _, s := range c.k.samplers {
		if err := c.addSampler(s); err != nil {
			return err
		}
	}
	b, err := c.newBuffer(data)
	if err == nil {
		c.consts[1] = descriptor(b)
	}
	return err
}

// argValue returns the bytes of an argument. local is the size of the local
// memory so far, in bytes.
func (c *call) argValue(a *catalyst.Arg, v any, local *uint32) ([]byte, error) {
	switch {
	case a.Pointer && a.Space == catalyst.Local:
		return c.localValue(a, v, local)
	case a.Pointer:
		return c.pointerValue(a, v)
	case a.Type.Kind.IsImage():
		return c.imageValue(a, v)
	case a.Type.Kind == catalyst.Sampler:
		return c.samplerValue(a, v)
	case a.Type.Kind == catalyst.Counter32:
		return c.counterValue(a, v)
	}
	switch v.(type) {
	case *hsa.Buffer, *hsa.Image, *hsa.Sampler, hsa.LDS:
		return nil, wrongValue(a, v)
	}
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if want := a.ArgSize(c.k.bin.Wide); err == nil && uint32(len(b)) != want {
		err = fmt.Errorf("a value of %d bytes, the argument has %d", len(b), want)
	}
	return b, err
}

// wrongValue returns the error about a value of another kind than the
// argument.
func wrongValue(a *catalyst.Arg, v any) error {
	given := "a value"
	switch v.(type) {
	case *hsa.Buffer:
		given = "a buffer"
	case *hsa.Image:
		given = "an image"
	case *hsa.Sampler:
		given = "a sampler"
	case hsa.LDS:
		given = "local memory"
	}
	want := "of type " + a.Type.String()
	switch {
	case a.Pointer && a.Space == catalyst.Local:
		want = "a pointer to local memory"
	case a.Pointer:
		want = "a pointer to a buffer"
	case a.Type.Kind == catalyst.Counter32:
		want = "a counter, which needs a buffer"
	}
	return fmt.Errorf("got %s, the argument is %s", given, want)
}

// localValue returns the place of local memory.
func (c *call) localValue(a *catalyst.Arg, v any, local *uint32) ([]byte, error) {
	size, ok := v.(hsa.LDS)
	if !ok {
		return nil, wrongValue(a, v)
	}
	const align = 16
	at := (uint64(*local) + align - 1) &^ (align - 1)
	if at+uint64(size) > 1<<31 {
		return nil, fmt.Errorf("%d bytes of local memory", size)
	}
	*local = uint32(at) + uint32(size)
	return c.place(a, at), nil
}

// place returns an address or an offset with the size of the argument.
func (c *call) place(a *catalyst.Arg, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:a.ArgSize(c.k.bin.Wide)]
}

// pointerValue returns the place of a buffer: its start in its UAV or constant
// buffer, or else its address.
func (c *call) pointerValue(a *catalyst.Arg, v any) ([]byte, error) {
	b, ok := v.(*hsa.Buffer)
	if !ok {
		return nil, wrongValue(a, v)
	}
	list := c.uavs
	if !catalystabi.IsUAV(c.k.bin, a) {
		list = c.consts
	}
	list[a.ID.Value] = descriptor(b)
	if catalystabi.HasBuffer(c.k.bin, c.k.info, a) || !c.k.bin.Wide { // no instruction of a 32-bit binary can reach it otherwise
		return c.place(a, 0), nil
	}
	return c.place(a, b.Addr()), nil
}

// imageShapes maps the kinds of images to the runtime's.
var imageShapes = [...]struct {
	kind  catalyst.Kind
	shape hsa.ImageGeometry
}{
	{catalyst.Image1D, hsa.Image1D}, {catalyst.Image1DArray, hsa.Image1DArray}, {catalyst.Image1DBuffer, hsa.Image1DBuffer},
	{catalyst.Image, hsa.Image2D}, {catalyst.Image2D, hsa.Image2D}, {catalyst.Image2DArray, hsa.Image2DArray}, {catalyst.Image3D, hsa.Image3D},
}

// Numbers of OpenCL's header: CL_SNORM_INT8, the first channel type, and CL_R,
// the first channel order.
const (
	clFirstType  = 0x10d0
	clFirstOrder = 0x10b0
)

// clTypes and clOrders hold OpenCL's numbers of the runtime's types and orders,
// relative to the first ones.
var (
	clTypes = [...]uint32{
		hsa.ChannelSnorm8: 0, hsa.ChannelSnorm16: 1, hsa.ChannelUnorm8: 2, hsa.ChannelUnorm16: 3, hsa.ChannelUnorm565: 4, hsa.ChannelUnorm555: 5,
		hsa.ChannelUnorm101: 6, hsa.ChannelInt8: 7, hsa.ChannelInt16: 8, hsa.ChannelInt32: 9, hsa.ChannelUint8: 10, hsa.ChannelUint16: 11,
		hsa.ChannelUint32: 12, hsa.ChannelHalf: 13, hsa.ChannelFloat: 14, hsa.ChannelUnorm24: 15,
	}
	clOrders = [...]uint32{
		hsa.OrderR: 0, hsa.OrderA: 1, hsa.OrderRG: 2, hsa.OrderRA: 3, hsa.OrderRGB: 4, hsa.OrderRGBA: 5, hsa.OrderBGRA: 6, hsa.OrderARGB: 7,
		hsa.OrderIntensity: 8, hsa.OrderLuminance: 9, hsa.OrderRX: 10, hsa.OrderRGX: 11, hsa.OrderRGBX: 12, hsa.OrderDepth: 13, hsa.OrderSRGB: 15,
		hsa.OrderSRGBX: 16, hsa.OrderSRGBA: 17, hsa.OrderSBGRA: 18, hsa.OrderABGR: 19,
	}
)

// imageValue adds an image to its table and returns the argument: width, height
// and depth in dwords 0 to 2, the channel type in dword 3, the channel order in
// dword 7.
func (c *call) imageValue(a *catalyst.Arg, v any) ([]byte, error) {
	img, ok := v.(*hsa.Image)
	if !ok {
		return nil, wrongValue(a, v)
	}
	if err := checkImage(a, img); err != nil {
		return nil, err
	}
	dwords := imageEntry
	if img.Descriptor.Geometry == hsa.Image1DBuffer {
		dwords = bufferDwords
	}
	d, err := c.read(img.Addr(), dwords)
	if err != nil {
		return nil, err
	}
	if a.Access&catalyst.WriteOnly != 0 {
		c.uavs[a.ID.Value] = d
	} else {
		c.resources[a.ID.Value] = d
	}
	i := &img.Descriptor
	return appendWords(nil, []uint32{i.Width, i.Height, max(i.Depth, i.ArraySize), clFirstType + clTypes[i.Type], 0, 0, 0, clFirstOrder + clOrders[i.Order]}), nil
}

// checkImage compares the shape and the access of an image with the argument.
func checkImage(a *catalyst.Arg, img *hsa.Image) error {
	given, same := "another shape", false
	for _, s := range imageShapes {
		if s.shape == img.Descriptor.Geometry {
			given, same = catalyst.Type{Kind: s.kind}.String(), same || s.kind == a.Type.Kind
		}
	}
	if !same {
		return fmt.Errorf("got an image of type %s, the argument is of type %s", given, a.Type)
	}
	access := img.Descriptor.Access
	switch written := a.Access&catalyst.WriteOnly != 0; {
	case written && access == hsa.AccessRO:
		return errors.New("got a read-only image, the kernel writes it")
	case !written && access == hsa.AccessWO:
		return errors.New("got a write-only image, the kernel reads it")
	}
	return nil
}

// read returns dwords of memory.
func (c *call) read(addr uint64, n int) ([]uint32, error) {
	b, err := c.k.agent.System().View(addr, uint64(4*n))
	if err != nil {
		return nil, err
	}
	words := make([]uint32, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words, nil
}

// samplerModes holds the runtime's addressing by Catalyst's.
var samplerModes = [...]hsa.SamplerAddressing{catalyst.AddressNone: hsa.AddressUndefined, catalyst.AddressRepeat: hsa.AddressRepeat,
	catalyst.AddressClampToEdge: hsa.AddressClampToEdge, catalyst.AddressClamp: hsa.AddressClampToBorder, catalyst.AddressMirrored: hsa.AddressMirrored}

// newSampler returns a sampler of the program.
func newSampler(a *hsa.Agent, m catalyst.SamplerMode) (*hsa.Sampler, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	return a.NewSampler(hsa.SamplerDescriptor{Unnormalized: !m.Normalized(), Linear: m.Linear(), Addressing: samplerModes[m.Addressing()]}, "sampler of the program")
}

// addSampler adds a sampler to the table.
func (c *call) addSampler(s *hsa.Sampler) error {
	d, err := c.read(s.Addr(), samplerEntry)
	c.samplers = append(c.samplers, d)
	return err
}

// samplerValue adds the sampler of an argument to the table and returns its
// value.
func (c *call) samplerValue(a *catalyst.Arg, v any) ([]byte, error) {
	s, ok := v.(*hsa.Sampler)
	if !ok {
		return nil, wrongValue(a, v)
	}
	d := &s.Descriptor
	mode := catalyst.Addressing(max(slices.Index(samplerModes[:], d.Addressing), 0))
	value := catalyst.NewSamplerMode(!d.Unnormalized, mode, d.Linear)
	return appendWords(nil, []uint32{uint32(value)}), c.addSampler(s)
}

// counterValue returns the argument of a counter, which no document describes:
// 0. Kernels find the counter by its id.
func (c *call) counterValue(a *catalyst.Arg, v any) ([]byte, error) {
	b, ok := v.(*hsa.Buffer)
	switch {
	case !ok:
		return nil, wrongValue(a, v)
	case b.Size() < counterBytes:
		return nil, fmt.Errorf("a buffer of %d bytes, a counter has %d", b.Size(), counterBytes)
	}
	c.counters[a.ID.Value] = b
	return make([]byte, counterBytes), nil
}
