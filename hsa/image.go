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
	Access    ImageAccess       // accesses of kernels; 0 is AccessRW
	Tiled     bool              // texels are in an order that the agent chooses, not in rows
}

// ImageAccess is what kernels may do with an image, hsa_access_permission_t.
// Checks report other accesses if the image has memory of its own.
type ImageAccess uint32

// Accesses of kernels. Values: hsa.h.
const (
	AccessRO ImageAccess = 1 // loads and samples
	AccessWO ImageAccess = 2 // stores
	AccessRW ImageAccess = 3 // all
)

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

// Image is an image of an agent, hsa_ext_image_t.
type Image struct {
	Descriptor ImageDescriptor // as given to NewImage
	RowPitch   uint64          // bytes from row to row; 0 for tiled images
	SlicePitch uint64          // bytes from slice to slice; 0 for tiled images
	TexelSize  uint64          // bytes of a texel

	data, object *Buffer
	owned        bool   // data was allocated for the image
	start        uint64 // offset of the image in data
	size         uint64 // bytes of the image
	align        uint64
	format       *image.Format
	sel          uint32
	tex          *image.Texture // places of the texels; nil for image buffers
}

// Addr returns the address of the image object, which is the image's handle and
// the kernel's argument.
func (i *Image) Addr() uint64 { return i.object.Addr() }

// Data returns the memory of the texels: rows at multiples of RowPitch, slices or
// layers at multiples of SlicePitch, unless the image is tiled. The slice is
// shared with kernels.
func (i *Image) Data() []byte { return i.data.Bytes()[i.start:][:i.size:i.size] }

// Row returns the texels of a row of a slice, without padding. The slice is
// shared with kernels. It is nil for tiled images.
func (i *Image) Row(y, z uint64) []byte {
	if i.Descriptor.Tiled {
		return nil
	}
	at := z*i.SlicePitch + y*i.RowPitch
	return i.Data()[at:][:uint64(i.Descriptor.Width)*i.TexelSize]
}

// Rows returns the numbers of rows in a slice and of slices.
func (i *Image) Rows() (rows, slices uint64) { return i.Descriptor.rows() }

// Destroy frees the image, hsa_ext_image_destroy. Memory that was given to
// NewImageIn remains.
func (i *Image) Destroy() error {
	if err := i.object.Free(); err != nil || !i.owned {
		return err
	}
	return i.data.Free()
}

// NewImage creates an image with memory of its own. name is for reports. The
// texels are 0.
func (a *Agent) NewImage(d ImageDescriptor, name string) (*Image, error) {
	img, view, set, err := a.placeImage(&d)
	if err != nil {
		return nil, err
	}
	r, err := a.sys.alloc(img.size, max(img.align, PoolGranule), name)
	if err != nil {
		return nil, err
	}
	r.ReadOnly, r.WriteOnly = d.Access == AccessRO, d.Access == AccessWO
	img.data, img.owned = &Buffer{sys: a.sys, r: r}, true
	return img, img.createObject(a, set, view, name)
}

// NewImageIn creates an image in the memory of a buffer, from an offset on,
// hsa_ext_image_create. ImageSize returns the required size and alignment.
func (a *Agent) NewImageIn(d ImageDescriptor, data *Buffer, offset uint64, name string) (*Image, error) {
	img, view, set, err := a.placeImage(&d)
	switch {
	case err != nil:
		return nil, err
	case offset > data.Size() || img.size > data.Size()-offset:
		return nil, errorf(StatusErrorInvalidArgument, "an image of %d bytes does not fit at offset %d of %v", img.size, offset, data)
	case (data.Addr()+offset)%img.align != 0:
		return nil, errorf(StatusErrorInvalidArgument, "address %#x of an image, expected a multiple of %d", data.Addr()+offset, img.align)
	}
	img.data, img.start = data, offset
	return img, img.createObject(a, set, view, name)
}

// ImageSize returns the size and the alignment of an image's memory in bytes,
// hsa_ext_image_data_get_info.
func (a *Agent) ImageSize(d ImageDescriptor) (size, align uint64, err error) {
	img, _, _, err := a.placeImage(&d)
	if err != nil {
		return 0, 0, err
	}
	return img.size, img.align, nil
}

// imageSet returns the agent's instruction set if it has images.
func (a *Agent) imageSet() (isa.Set, error) {
	set, ok := isa.SetOf(a.t.Processor)
	if !ok || !set.Has(isa.PropImages) {
		return set, errorf(StatusErrorInvalidArgument, "%s has no image instructions", a.Name())
	}
	return set, nil
}

// placeImage checks a descriptor, and returns an image without memory and the
// resource without address.
func (a *Agent) placeImage(d *ImageDescriptor) (*Image, *image.Resource, isa.Set, error) {
	set, err := a.imageSet()
	if err != nil {
		return nil, nil, 0, err
	}
	if d.Access > AccessRW {
		return nil, nil, 0, errorf(StatusErrorInvalidArgument, "unknown access %d", d.Access)
	}
	f, err := imageFormat(set, d)
	if err != nil {
		return nil, nil, 0, errorf(StatusErrorInvalidArgument, "%v", err)
	}
	img := &Image{Descriptor: *d, TexelSize: uint64(f.Bytes), format: f, align: imageAlign}
	rows, slices := d.rows()
	if d.Width == 0 || rows == 0 || slices == 0 {
		return nil, nil, 0, errorf(StatusErrorInvalidArgument, "an image of %d×%d×%d texels", d.Width, rows, slices)
	}
	view := &image.Resource{Kind: imageKinds[d.Geometry], Width: d.Width, Height: uint32(rows), Depth: uint32(slices), LastLayer: uint32(slices - 1), Levels: 1,
		Tiling: image.LinearTiling(set)}
	if d.Geometry == Image1DArray {
		view.Height = 1
	}
	view.Format, _ = image.FormatsOf(set).Number(f.Data, f.Num)
	if err := img.placeTexels(a, set, view); err != nil {
		return nil, nil, 0, errorf(StatusErrorInvalidArgument, "%v", err)
	}
	return img, view, set, nil
}

// imageAlign is the alignment of linear images in bytes.
const imageAlign = 256

// tilings lists the tile modes of images that Tiled selects: of 2D and 3D images.
// They have blocks of 4 KB, before gfx9 of 64 texels.
var tilings = [...]struct {
	sets         isa.SetMask
	plane, solid uint32
}{
	{isa.PropImageTiles, 13, 13},
	{isa.PropImageFold | isa.PropImageModes10 | isa.PropImageModes103, 5, 5},
	{isa.PropImageModes11, 6, 5},
	{isa.PropImageModes12, 2, 5},
}

// chooseTiling sets the tile mode of a tiled image.
func (d *ImageDescriptor) chooseTiling(set isa.Set, view *image.Resource) error {
	if view.Kind.Dims() < 2 || d.Geometry == Image1DBuffer {
		return fmt.Errorf("an image of geometry %d is not tiled", d.Geometry)
	}
	if d.RowPitch != 0 {
		return fmt.Errorf("a row pitch of %d bytes of a tiled image", d.RowPitch)
	}
	for _, t := range tilings {
		if set.Has(t.sets) {
			view.Tiling = t.plane
			if d.Geometry == Image3D {
				view.Tiling = t.solid
			}
		}
	}
	return nil
}

// placeTexels computes the places of the texels and the size of the memory.
func (i *Image) placeTexels(a *Agent, set isa.Set, view *image.Resource) error {
	d := &i.Descriptor
	if d.Tiled {
		if err := d.chooseTiling(set, view); err != nil {
			return err
		}
	}
	if d.Geometry == Image1DBuffer {
		i.size = (uint64(d.Width)*i.TexelSize + imageAlign - 1) &^ (imageAlign - 1)
		i.RowPitch, i.SlicePitch = i.size, i.size
		return nil
	}
	config := tiling.ConfigOf(a.t.Processor)
	l, err := view.Layout(set, config)
	if err != nil {
		return err
	}
	if d.RowPitch != 0 && d.RowPitch != l.RowBytes(0) {
		if !image.HasPitch(set, view.Kind) || d.RowPitch%i.TexelSize != 0 {
			return fmt.Errorf("a row pitch of %d bytes is not possible for this image on %s; %d is", d.RowPitch, a.Name(), l.RowBytes(0))
		}
		view.Pitch = uint32(d.RowPitch / i.TexelSize)
		if l, err = view.Layout(set, config); err != nil {
			return err
		}
	}
	i.size, i.align = l.Size(), uint64(l.Alignment())
	if d.Tiled {
		return nil
	}
	i.RowPitch, i.SlicePitch = l.RowBytes(0), l.SliceSize()
	if image.HasPitch(set, view.Kind) {
		view.Pitch = uint32(i.RowPitch / i.TexelSize)
	}
	return nil
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

// createObject allocates and writes the image object.
func (i *Image) createObject(a *Agent, set isa.Set, view *image.Resource, name string) (err error) {
	if i.object, err = a.pools[0].AllocateNamed(objectSize, name+" (object)"); err != nil {
		return err
	}
	for k, sel := range channelOrders[i.Descriptor.Order].sel {
		view.Select |= sel << (3 * k)
	}
	view.Base, i.sel = i.data.Addr()+i.start, view.Select
	object := i.object.Bytes()
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(object[4*at:], v) }
	if i.Descriptor.Geometry == Image1DBuffer {
		for k, v := range image.BufferWords(set, view, i.format) {
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
		v, err := image.NewView(set, tiling.ConfigOf(a.t.Processor), &words)
		if err != nil {
			return errorf(StatusErrorInvalidArgument, "%v", err)
		}
		i.tex = &image.Texture{View: v}
	}
	put(objectType, uint32(i.Descriptor.Type))
	put(objectOrder, uint32(i.Descriptor.Order))
	put(objectWidth, i.Descriptor.Width)
	return nil
}
