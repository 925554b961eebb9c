package hsa

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/internal/image"
)

// ImageRegion is a part of an image, hsa_ext_image_region_t: x, y and z. The
// second coordinate of a 1D array is the layer, the third one of a 2D array. A
// region whose Size is zero is the image from Offset on.
type ImageRegion struct {
	Offset [3]uint32 // position of the first texel
	Size   [3]uint32 // texels in each direction
}

// extent returns the sizes of the image in the directions of a region.
func (i *Image) extent() [3]uint32 {
	rows, slices := i.Rows()
	if i.Descriptor.Geometry == Image1DArray {
		return [3]uint32{i.Descriptor.Width, uint32(slices), 1}
	}
	return [3]uint32{i.Descriptor.Width, uint32(rows), uint32(slices)}
}

// clipRegion replaces a size of zero, and checks that the region is in the image.
func (i *Image) clipRegion(r *ImageRegion) error {
	size := i.extent()
	whole := r.Size == [3]uint32{}
	for k, n := range size {
		if whole && r.Offset[k] < n {
			r.Size[k] = n - r.Offset[k]
		}
		if r.Offset[k] >= n || r.Size[k] > n-r.Offset[k] {
			return errorf(StatusErrorInvalidArgument, "a region of %v texels at %v of %s, which has %v", r.Size, r.Offset, i.data.r.Name, size)
		}
	}
	return nil
}

// texel returns the memory of a texel at a position of a region.
func (i *Image) texel(x, y, z uint32) []byte {
	at := uint64(x) * i.TexelSize
	if i.tex != nil {
		p := image.Position{X: x, Y: y, Z: z}
		if i.Descriptor.Geometry == Image1DArray {
			p.Y, p.Z = 0, y
		}
		addr, _ := i.tex.Address(&p)
		at = addr - i.data.Addr() - i.start
	}
	return i.Data()[at:][:i.TexelSize]
}

// eachRun calls f for the runs of texels of a region that are adjacent in memory:
// with their memory, and the position in the region of the first one.
func (i *Image) eachRun(r *ImageRegion, f func(run []byte, x, y, z uint32)) {
	width := uint32(1)
	if !i.Descriptor.Tiled {
		width = r.Size[0]
	}
	for z := range r.Size[2] {
		for y := range r.Size[1] {
			for x := uint32(0); x < r.Size[0]; x += width {
				first := i.texel(r.Offset[0]+x, r.Offset[1]+y, r.Offset[2]+z)
				f(first[:uint64(width)*i.TexelSize:cap(first)], x, y, z)
			}
		}
	}
}

// packed is an image in the host's memory.
type packed struct {
	data       []byte
	row, slice uint64
}

// hostImage checks that a region fits in the host's memory. Pitches of 0 are the
// smallest ones.
func (i *Image) hostImage(data []byte, row, slice uint64, r *ImageRegion) (*packed, error) {
	width := uint64(r.Size[0]) * i.TexelSize
	if row == 0 {
		row = width
	}
	if slice == 0 {
		slice = row * uint64(r.Size[1])
	}
	if row < width || slice < row*uint64(r.Size[1]) {
		return nil, errorf(StatusErrorInvalidArgument, "pitches of %d and %d bytes for a region of %v texels of %d bytes", row, slice, r.Size, i.TexelSize)
	}
	if end := uint64(r.Size[2]-1)*slice + uint64(r.Size[1]-1)*row + width; end > uint64(len(data)) {
		return nil, errorf(StatusErrorInvalidArgument, "%d bytes of memory, the region needs %d", len(data), end)
	}
	return &packed{data, row, slice}, nil
}

// at returns the memory from a texel on.
func (p *packed) at(i *Image, x, y, z uint32) []byte {
	return p.data[uint64(z)*p.slice+uint64(y)*p.row+uint64(x)*i.TexelSize:]
}

// ImportTexels copies texels from the host's memory to a region,
// hsa_ext_image_import. A pitch of 0 is the smallest one.
func (i *Image) ImportTexels(src []byte, rowPitch, slicePitch uint64, r ImageRegion) error {
	return i.exchange(src, rowPitch, slicePitch, r, func(run, host []byte) { copy(run, host) })
}

// ExportTexels copies the texels of a region to the host's memory,
// hsa_ext_image_export. A pitch of 0 is the smallest one.
func (i *Image) ExportTexels(dst []byte, rowPitch, slicePitch uint64, r ImageRegion) error {
	return i.exchange(dst, rowPitch, slicePitch, r, func(run, host []byte) { copy(host, run) })
}

func (i *Image) exchange(host []byte, rowPitch, slicePitch uint64, r ImageRegion, move func(run, host []byte)) error {
	if err := i.clipRegion(&r); err != nil {
		return err
	}
	p, err := i.hostImage(host, rowPitch, slicePitch, &r)
	if err != nil {
		return err
	}
	i.eachRun(&r, func(run []byte, x, y, z uint32) { move(run, p.at(i, x, y, z)[:len(run)]) })
	return nil
}

// ClearTexels stores a texel to a region, hsa_ext_image_clear. The components are
// as in registers: integers, or the bits of floats (math.Float32bits).
func (i *Image) ClearTexels(value [4]uint32, r ImageRegion) error {
	if err := i.clipRegion(&r); err != nil {
		return err
	}
	c := image.Texel(value)
	c = i.format.Unselect(&c, i.sel)
	var element [16]byte
	for k, v := range i.format.Pack(&c) {
		binary.LittleEndian.PutUint32(element[4*k:], v)
	}
	i.eachRun(&r, func(run []byte, _, _, _ uint32) {
		for at := 0; at < len(run); at += int(i.TexelSize) {
			copy(run[at:], element[:i.TexelSize])
		}
	})
	return nil
}

// CopyTexels copies a region to another image, hsa_ext_image_copy. to is the
// position of the region there. The formats must be equal, except that one can
// be gamma-encoded: values are converted then. Images with the same memory may
// not overlap.
func (i *Image) CopyTexels(dst *Image, to [3]uint32, r ImageRegion) error {
	if err := i.clipRegion(&r); err != nil {
		return err
	}
	target := ImageRegion{Offset: to, Size: r.Size}
	if err := dst.clipRegion(&target); err != nil {
		return err
	}
	encoded := i.format.Num == image.SRGB != (dst.format.Num == image.SRGB)
	same := i.format.Data == dst.format.Data && i.sel == dst.sel && (i.format.Num == dst.format.Num || encoded && i.TexelSize == 4)
	if !same {
		return errorf(StatusErrorInvalidArgument, "copy of an image of channel type %d and order %d to one of type %d and order %d",
			i.Descriptor.Type, i.Descriptor.Order, dst.Descriptor.Type, dst.Descriptor.Order)
	}
	i.eachRun(&r, func(run []byte, x, y, z uint32) {
		for k := range uint32(len(run)) / uint32(i.TexelSize) {
			from := run[uint64(k)*i.TexelSize:][:i.TexelSize]
			texel := dst.texel(to[0]+x+k, to[1]+y, to[2]+z)
			if !encoded {
				copy(texel, from)
				continue
			}
			raw := image.Raw{binary.LittleEndian.Uint32(from)}
			c := i.format.Unpack(&raw)
			binary.LittleEndian.PutUint32(texel, dst.format.Pack(&c)[0])
		}
	})
	return nil
}

// ImageCapability is a set of possible accesses to images of a format,
// hsa_ext_image_capability_t.
type ImageCapability uint32

// Possible accesses. Values: hsa_ext_image.h. Zero: the format is not supported.
const (
	ImageReadOnly        ImageCapability = 1  // loads and samples
	ImageWriteOnly       ImageCapability = 2  // stores
	ImageReadWrite       ImageCapability = 4  // loads and stores
	ImageReadModifyWrite ImageCapability = 8  // atomic operations
	ImageInvariantLayout ImageCapability = 16 // the layout does not depend on the access
)

// ImageCapability returns the possible accesses to images of a format,
// hsa_ext_image_get_capability. Images without capabilities cannot be created.
func (a *Agent) ImageCapability(g ImageGeometry, t ImageChannelType, o ImageChannelOrder) ImageCapability {
	set, err := a.imageSet()
	if err != nil {
		return 0
	}
	f, err := imageFormat(set, &ImageDescriptor{Geometry: g, Type: t, Order: o})
	if err != nil {
		return 0
	}
	c := ImageReadOnly | ImageWriteOnly | ImageReadWrite | ImageInvariantLayout
	if f.Data == "32" && f.Num.Integer() && o == OrderR {
		c |= ImageReadModifyWrite
	}
	return c
}

// ImageLimits are the greatest sizes of images: the agent information
// HSA_EXT_AGENT_INFO_IMAGE_*.
type ImageLimits struct {
	Width  uint32 // texels of a row of all images but image buffers
	Height uint32 // rows
	Depth  uint32 // slices of a 3D image
	Layers uint32 // layers of an array
}

// ImageLimits returns the greatest sizes of images. They are 0 for an agent
// without image instructions.
func (a *Agent) ImageLimits() (l ImageLimits) {
	set, err := a.imageSet()
	if err != nil {
		return l
	}
	l.Width, l.Height, l.Depth, l.Layers = image.MaxSizes(set)
	return l
}
