package hsa

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/image/tiling"
	"github.com/gfx-toolchain/gfx/isa"
)

// Images and samplers. Sources: hsa_ext_image.h; ROCm's image library, for the
// contents of image and sampler objects.

// ImageGeometry is the shape of an image, hsa_ext_image_geometry_t.
type ImageGeometry uint32

// Shapes of images. Values: hsa_ext_image.h.
const (
	Image1D       ImageGeometry = 0
	Image2D       ImageGeometry = 1
	Image3D       ImageGeometry = 2
	Image1DArray  ImageGeometry = 3
	Image2DArray  ImageGeometry = 4
	Image1DBuffer ImageGeometry = 5
	Image2DDepth  ImageGeometry = 6
	Image2DADepth ImageGeometry = 7
)

const (
	numImageShapes = 8
	objectSize     = 64 // bytes of an image or sampler object, with its alignment
)

// ImageChannelType is the type of the components in memory,
// hsa_ext_image_channel_type_t.
type ImageChannelType uint32

// Types of components: normalized, integers and floats. Values: hsa_ext_image.h.
const (
	ChannelSnorm8   ImageChannelType = 0
	ChannelSnorm16  ImageChannelType = 1
	ChannelUnorm8   ImageChannelType = 2
	ChannelUnorm16  ImageChannelType = 3
	ChannelUnorm24  ImageChannelType = 4
	ChannelUnorm555 ImageChannelType = 5
	ChannelUnorm565 ImageChannelType = 6
	ChannelUnorm101 ImageChannelType = 7 // three components of 10 bits
	ChannelInt8     ImageChannelType = 8
	ChannelInt16    ImageChannelType = 9
	ChannelInt32    ImageChannelType = 10
	ChannelUint8    ImageChannelType = 11
	ChannelUint16   ImageChannelType = 12
	ChannelUint32   ImageChannelType = 13
	ChannelHalf     ImageChannelType = 14
	ChannelFloat    ImageChannelType = 15
)

// ImageChannelOrder is the order of the components in memory,
// hsa_ext_image_channel_order_t.
type ImageChannelOrder uint32

// Orders of components. Values: hsa_ext_image.h.
const (
	OrderA         ImageChannelOrder = 0
	OrderR         ImageChannelOrder = 1
	OrderRX        ImageChannelOrder = 2
	OrderRG        ImageChannelOrder = 3
	OrderRGX       ImageChannelOrder = 4
	OrderRA        ImageChannelOrder = 5
	OrderRGB       ImageChannelOrder = 6
	OrderRGBX      ImageChannelOrder = 7
	OrderRGBA      ImageChannelOrder = 8
	OrderBGRA      ImageChannelOrder = 9
	OrderARGB      ImageChannelOrder = 10
	OrderABGR      ImageChannelOrder = 11
	OrderSRGB      ImageChannelOrder = 12
	OrderSRGBX     ImageChannelOrder = 13
	OrderSRGBA     ImageChannelOrder = 14
	OrderSBGRA     ImageChannelOrder = 15
	OrderIntensity ImageChannelOrder = 16
	OrderLuminance ImageChannelOrder = 17
	OrderDepth     ImageChannelOrder = 18
)

// channelTypes lists the data formats of one, two and four components of a type,
// or of three for packed types.
var channelTypes = [...]struct {
	num    image.Number
	format [5]string
}{
	ChannelSnorm8:   {image.Snorm, [5]string{1: "8", 2: "8_8", 4: "8_8_8_8"}},
	ChannelSnorm16:  {image.Snorm, [5]string{1: "16", 2: "16_16", 4: "16_16_16_16"}},
	ChannelUnorm8:   {image.Unorm, [5]string{1: "8", 2: "8_8", 4: "8_8_8_8"}},
	ChannelUnorm16:  {image.Unorm, [5]string{1: "16", 2: "16_16", 4: "16_16_16_16"}},
	ChannelUnorm24:  {image.Unorm, [5]string{1: "8_24"}},
	ChannelUnorm555: {image.Unorm, [5]string{3: "1_5_5_5"}},
	ChannelUnorm565: {image.Unorm, [5]string{3: "5_6_5"}},
	ChannelUnorm101: {image.Unorm, [5]string{3: "2_10_10_10"}},
	ChannelInt8:     {image.Sint, [5]string{1: "8", 2: "8_8", 4: "8_8_8_8"}},
	ChannelInt16:    {image.Sint, [5]string{1: "16", 2: "16_16", 4: "16_16_16_16"}},
	ChannelInt32:    {image.Sint, [5]string{1: "32", 2: "32_32", 4: "32_32_32_32"}},
	ChannelUint8:    {image.Uint, [5]string{1: "8", 2: "8_8", 4: "8_8_8_8"}},
	ChannelUint16:   {image.Uint, [5]string{1: "16", 2: "16_16", 4: "16_16_16_16"}},
	ChannelUint32:   {image.Uint, [5]string{1: "32", 2: "32_32", 4: "32_32_32_32"}},
	ChannelHalf:     {image.Float, [5]string{1: "16", 2: "16_16", 4: "16_16_16_16"}},
	ChannelFloat:    {image.Float, [5]string{1: "32", 2: "32_32", 4: "32_32_32_32"}},
}

// channelOrders lists the number of components of an order, and the selection of
// each result.
var channelOrders = [...]struct {
	comps  int
	sel    [4]uint32
	linear bool // not gamma-encoded
}{
	OrderA:         {1, [4]uint32{0, 0, 0, 4}, true},
	OrderR:         {1, [4]uint32{4, 0, 0, 1}, true},
	OrderRX:        {1, [4]uint32{4, 0, 0, 1}, true},
	OrderRG:        {2, [4]uint32{4, 5, 0, 1}, true},
	OrderRGX:       {2, [4]uint32{4, 5, 0, 1}, true},
	OrderRA:        {2, [4]uint32{4, 0, 0, 5}, true},
	OrderRGB:       {3, [4]uint32{6, 5, 4, 1}, true},
	OrderRGBX:      {3, [4]uint32{6, 5, 4, 1}, true},
	OrderRGBA:      {4, [4]uint32{4, 5, 6, 7}, true},
	OrderBGRA:      {4, [4]uint32{6, 5, 4, 7}, true},
	OrderARGB:      {4, [4]uint32{5, 6, 7, 4}, true},
	OrderABGR:      {4, [4]uint32{7, 6, 5, 4}, true},
	OrderSRGB:      {},
	OrderSRGBX:     {4, [4]uint32{4, 5, 6, 1}, false},
	OrderSRGBA:     {4, [4]uint32{4, 5, 6, 7}, false},
	OrderSBGRA:     {4, [4]uint32{6, 5, 4, 7}, false},
	OrderIntensity: {1, [4]uint32{4, 4, 4, 4}, true},
	OrderLuminance: {1, [4]uint32{4, 4, 4, 1}, true},
	OrderDepth:     {1, [4]uint32{4, 0, 0, 0}, true},
}

// ImageDescriptor describes an image, hsa_ext_image_descriptor_t. Sizes are in
// texels; those that the geometry lacks are ignored.
type ImageDescriptor struct {
	Geometry  ImageGeometry     // shape
	Width     uint32            // texels of a row
	Height    uint32            // rows
	Depth     uint32            // slices of a 3D image
	ArraySize uint32            // layers of an array
	Type      ImageChannelType  // type of the components in memory
	Order     ImageChannelOrder // order of the components in memory
	RowPitch  uint64            // bytes from row to row; 0 for the agent's choice
}

// rows returns the numbers of rows and slices.
func (d *ImageDescriptor) rows() (rows, slices uint64) {
	rows, slices = 1, 1
	switch d.Geometry {
	case Image2D, Image2DDepth:
		rows = uint64(d.Height)
	case Image3D:
		rows, slices = uint64(d.Height), uint64(d.Depth)
	case Image1DArray:
		slices = uint64(d.ArraySize)
	case Image2DArray, Image2DADepth:
		rows, slices = uint64(d.Height), uint64(d.ArraySize)
	}
	return rows, slices
}

// imageKinds maps geometries to types of resources; 0 is a buffer resource.
var imageKinds = [numImageShapes]image.Kind{Image1D: image.Kind1D, Image2D: image.Kind2D, Image3D: image.Kind3D, Image1DArray: image.Kind1DArray,
	Image2DArray: image.Kind2DArray, Image2DDepth: image.Kind2D, Image2DADepth: image.Kind2DArray}

// Image is an image of an agent, hsa_ext_image_t. Its texels are in linear order.
type Image struct {
	Descriptor ImageDescriptor // as given to NewImage
	RowPitch   uint64          // bytes from row to row
	SlicePitch uint64          // bytes from slice to slice
	TexelSize  uint64          // bytes of a texel

	data, object *Buffer
}

// Addr returns the address of the image object, which is the image's handle and
// the kernel's argument.
func (i *Image) Addr() uint64 { return i.object.Addr() }

// Data returns the texels: rows at multiples of RowPitch, slices or layers at
// multiples of SlicePitch. The slice is shared with kernels.
func (i *Image) Data() []byte { return i.data.Bytes() }

// Row returns the texels of a row of a slice, without padding. The slice is
// shared with kernels.
func (i *Image) Row(y, z uint64) []byte {
	at := z*i.SlicePitch + y*i.RowPitch
	return i.data.Bytes()[at:][:uint64(i.Descriptor.Width)*i.TexelSize]
}

// Rows returns the numbers of rows in a slice and of slices.
func (i *Image) Rows() (rows, slices uint64) { return i.Descriptor.rows() }

// Destroy frees the image, hsa_ext_image_destroy.
func (i *Image) Destroy() error {
	if err := i.object.Free(); err != nil {
		return err
	}
	return i.data.Free()
}

// NewImage creates an image, hsa_ext_image_create. name is for reports. The
// texels are 0.
func (a *Agent) NewImage(d ImageDescriptor, name string) (*Image, error) {
	set, ok := isa.SetOf(a.t.Processor)
	if !ok || !set.Has(isa.PropImages) {
		return nil, errorf(StatusErrorInvalidArgument, "%s has no image instructions", a.Name())
	}
	f, err := imageFormat(set, &d)
	if err != nil {
		return nil, errorf(StatusErrorInvalidArgument, "%v", err)
	}
	img := &Image{Descriptor: d, TexelSize: uint64(f.Bytes)}
	rows, slices := d.rows()
	if d.Width == 0 || rows == 0 || slices == 0 {
		return nil, errorf(StatusErrorInvalidArgument, "an image of %d×%d×%d texels", d.Width, rows, slices)
	}
	view := image.Resource{Kind: imageKinds[d.Geometry], Width: d.Width, Height: uint32(rows), Depth: uint32(slices), LastLayer: uint32(slices - 1), Levels: 1,
		Tiling: image.LinearTiling(set)}
	if d.Geometry == Image1DArray {
		view.Height = 1
	}
	size, err := img.placeTexels(a, set, &view, f)
	if err != nil {
		return nil, errorf(StatusErrorInvalidArgument, "%v", err)
	}
	if img.data, err = a.pools[0].AllocateNamed(size, name); err != nil {
		return nil, err
	}
	if img.object, err = a.pools[0].AllocateNamed(objectSize, name+" (object)"); err != nil {
		return nil, err
	}
	view.Base = img.data.Addr()
	return img, img.describe(set, &view, f)
}

// bufferAlign is the multiple of bytes that the memory of an image buffer has.
const bufferAlign = 256

// placeTexels computes the places of the texels, and returns the size of the memory.
func (i *Image) placeTexels(a *Agent, set isa.Set, view *image.Resource, f *image.Format) (size uint64, err error) {
	d := &i.Descriptor
	if d.Geometry == Image1DBuffer {
		size = (uint64(d.Width)*i.TexelSize + bufferAlign - 1) &^ (bufferAlign - 1)
		i.RowPitch, i.SlicePitch = size, size
		return size, nil
	}
	view.Format, _ = image.FormatsOf(set).Number(f.Data, f.Num)
	l, err := view.Layout(set, tiling.ConfigOf(a.t.Processor))
	if err != nil {
		return 0, err
	}
	if d.RowPitch != 0 && d.RowPitch != l.RowBytes(0) {
		if !image.HasPitch(set, view.Kind) || d.RowPitch%i.TexelSize != 0 {
			return 0, fmt.Errorf("a row pitch of %d bytes is not possible for this image on %s; %d is", d.RowPitch, a.Name(), l.RowBytes(0))
		}
		view.Pitch = uint32(d.RowPitch / i.TexelSize)
		if l, err = view.Layout(set, tiling.ConfigOf(a.t.Processor)); err != nil {
			return 0, err
		}
	}
	i.RowPitch, i.SlicePitch = l.RowBytes(0), l.SliceSize()
	if image.HasPitch(set, view.Kind) {
		view.Pitch = uint32(i.RowPitch / i.TexelSize)
	}
	return l.Size(), nil
}

// imageFormat returns the format of an image's texels.
func imageFormat(set isa.Set, d *ImageDescriptor) (*image.Format, error) {
	if d.Geometry >= numImageShapes || int(d.Type) >= len(channelTypes) || int(d.Order) >= len(channelOrders) {
		return nil, fmt.Errorf("unknown geometry %d, channel type %d or channel order %d", d.Geometry, d.Type, d.Order)
	}
	t, o := &channelTypes[d.Type], &channelOrders[d.Order]
	num := t.num
	if !o.linear {
		if d.Type != ChannelUnorm8 {
			return nil, fmt.Errorf("channel order %d is for normalized components of 8 bits", d.Order)
		}
		num = image.SRGB
	}
	formats := image.FormatsOf(set)
	n, ok := formats.Number(t.format[o.comps], num)
	if !ok {
		return nil, fmt.Errorf("no format for channel type %d with channel order %d on %s", d.Type, d.Order, set)
	}
	return formats.Get(n), nil
}

// Dwords of an image object after the resource, which ROCm's device library
// reads.
const (
	objectType  = 8
	objectOrder = 9
	objectWidth = 10
)

// describe writes the image object.
func (i *Image) describe(set isa.Set, view *image.Resource, f *image.Format) error {
	view.Format, _ = image.FormatsOf(set).Number(f.Data, f.Num)
	for k, sel := range channelOrders[i.Descriptor.Order].sel {
		view.Select |= sel << (3 * k)
	}
	object := i.object.Bytes()
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(object[4*at:], v) }
	if i.Descriptor.Geometry == Image1DBuffer {
		for k, v := range image.BufferWords(set, view, f) {
			put(k, v)
		}
	} else {
		words, err := view.Encode(set)
		if err != nil {
			return errorf(StatusErrorInvalidArgument, "%v", err)
		}
		for k, v := range words {
			put(k, v)
		}
	}
	put(objectType, uint32(i.Descriptor.Type))
	put(objectOrder, uint32(i.Descriptor.Order))
	put(objectWidth, i.Descriptor.Width)
	return nil
}

// SamplerAddressing is a treatment of coordinates outside an image,
// hsa_ext_sampler_addressing_mode_t.
type SamplerAddressing uint32

// Treatments of coordinates. Values: hsa_ext_image.h.
const (
	AddressUndefined     SamplerAddressing = 0
	AddressClampToEdge   SamplerAddressing = 1
	AddressClampToBorder SamplerAddressing = 2
	AddressRepeat        SamplerAddressing = 3
	AddressMirrored      SamplerAddressing = 4
)

// clampModes maps addressing modes to the hardware's.
var clampModes = [...]image.ClampMode{AddressUndefined: image.ClampWrap, AddressClampToEdge: image.ClampLastTexel, AddressClampToBorder: image.ClampBorder,
	AddressRepeat: image.ClampWrap, AddressMirrored: image.ClampMirror}

// SamplerDescriptor describes a sampler, hsa_ext_sampler_descriptor_t.
type SamplerDescriptor struct {
	Unnormalized bool              // coordinates are in texels
	Linear       bool              // the filter is linear, not nearest
	Addressing   SamplerAddressing // treatment of coordinates outside the image
}

// Sampler is a sampler of an agent, hsa_ext_sampler_t.
type Sampler struct {
	Descriptor SamplerDescriptor // as given to NewSampler
	object     *Buffer
}

// Addr returns the address of the sampler object, which is the sampler's handle
// and the kernel's argument.
func (s *Sampler) Addr() uint64 { return s.object.Addr() }

// Destroy frees the sampler, hsa_ext_sampler_destroy.
func (s *Sampler) Destroy() error { return s.object.Free() }

// NewSampler creates a sampler, hsa_ext_sampler_create. name is for reports.
func (a *Agent) NewSampler(d SamplerDescriptor, name string) (*Sampler, error) {
	set, ok := isa.SetOf(a.t.Processor)
	if !ok || !set.Has(isa.PropImages) {
		return nil, errorf(StatusErrorInvalidArgument, "%s has no image instructions", a.Name())
	}
	if int(d.Addressing) >= len(clampModes) {
		return nil, errorf(StatusErrorInvalidArgument, "unknown addressing mode %d", d.Addressing)
	}
	c := clampModes[d.Addressing]
	p := image.Sampler{Clamp: [3]image.ClampMode{c, c, c}, Unnormalized: d.Unnormalized, MaxLOD: 4095}
	if d.Linear {
		p.Mag, p.Min = image.FilterBilinear, image.FilterBilinear
	}
	object, err := a.pools[0].AllocateNamed(objectSize, name+" (object)")
	if err != nil {
		return nil, err
	}
	for k, v := range p.Encode(set) {
		binary.LittleEndian.PutUint32(object.Bytes()[4*k:], v)
	}
	return &Sampler{Descriptor: d, object: object}, nil
}
