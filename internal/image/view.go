package image

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa"
)

// Memory is where texels are. The functions return false, and do nothing else,
// if the address is not mapped; accesses of a Texture end then.
type Memory interface {
	// ReadElement reads an element of 1, 2, 4, 8 or 16 bytes.
	ReadElement(addr uint64, bytes uint8, raw *Raw) bool
	// WriteElement writes an element.
	WriteElement(addr uint64, bytes uint8, raw *Raw) bool
}

// View is an image resource, prepared for accesses.
type View struct {
	Resource
	Texels *Format // format of the texels; nil if accesses read 0 and write nothing
	levels [16]level
	last   int32 // number of the last level, counted from the first one of the view
}

// level holds the sizes of a level in texels.
type level struct {
	size   [3]int32 // a dimension that the image lacks is 1
	number uint32   // counted from level 0
	offset uint64   // from the base
	pitch  uint64   // bytes from row to row of elements
	slice  uint64   // bytes from slice to slice
}

// NewView prepares a resource of 8 dwords. It returns an error for an image that
// is not simulated, and names the reason.
func NewView(s isa.Set, words *[8]uint32) (*View, error) {
	v := &View{Resource: DecodeResource(s, words)}
	f := FormatsOf(s).Get(v.Format)
	if v.Kind.Dims() == 0 || f.Bytes == 0 {
		return v, nil
	}
	if v.Compressed {
		return nil, fmt.Errorf("images with compression metadata are not simulated")
	}
	if f.Data == "BC6" || f.Data == "BC7" {
		return nil, fmt.Errorf("format %s is not simulated", f)
	}
	v.Texels = f
	v.last = int32(min(v.LastLevel, v.Levels-1)) - int32(v.FirstLevel)
	if v.Kind.MSAA() {
		v.last = 0
	}
	if v.last < 0 {
		return nil, fmt.Errorf("the first level, %d, of an image is above the last level, %d", v.FirstLevel, v.LastLevel)
	}
	v.last = min(v.last, int32(len(v.levels))-1)
	for i := range v.last + 1 {
		v.levels[i] = v.levelOf(v.FirstLevel + uint32(i))
	}
	return v, v.layOut(s)
}

func (v *View) levelOf(n uint32) (l level) {
	l.number = n
	l.size = [3]int32{int32(v.Width >> n), 1, 1}
	if v.Kind.Dims() > 1 {
		l.size[1] = int32(v.Height >> n)
	}
	if v.Kind.Dims() > 2 {
		l.size[2] = int32(v.Depth >> n)
	}
	for i := range l.size {
		l.size[i] = max(l.size[i], 1)
	}
	return l
}

// Layers returns the number of layers of the view.
func (v *View) Layers() int32 { return int32(v.LastLayer) - int32(v.FirstLayer) + 1 }

// Size returns the sizes of a level, as image_get_resinfo returns them: width,
// height or layers, depth or layers, and the number of levels. They are 0 for a
// level that the view lacks.
func (v *View) Size(level uint32) (size Texel) {
	if v.Texels == nil {
		return size
	}
	size[3] = uint32(v.last) + 1
	if level > uint32(v.last) {
		return size
	}
	for i, n := range v.levels[level].size {
		size[i] = uint32(n)
	}
	switch {
	case v.Kind == Kind1DArray:
		size[1] = uint32(v.Layers())
	case v.Kind.Layered():
		size[2] = uint32(v.Layers())
	}
	return size
}

// rowAlign is the alignment of rows of linear images in bytes.
const (
	rowAlignGFX6 = 64
	rowAlignGFX9 = 256
)

// layOut computes the places of the levels.
func (v *View) layOut(s isa.Set) error {
	f := v.Texels
	if v.Tiling != 0 || v.last > 0 {
		return fmt.Errorf("tiled images and images with several levels are not simulated")
	}
	l := &v.levels[0]
	l.pitch = RowPitch(s, f, uint32(l.size[0]))
	if v.Pitch > 0 {
		l.pitch = uint64(v.Pitch) * uint64(f.Bytes)
	}
	l.slice = l.pitch * ((uint64(l.size[1]) + uint64(f.Height) - 1) / uint64(f.Height))
	return nil
}

// address returns the address of the element with a texel. The position must be
// in the level.
func (v *View) address(l *level, x, y, z int32) uint64 {
	f := v.Texels
	return v.Base + l.offset + uint64(z)*l.slice + uint64(uint32(y)/uint32(f.Height))*l.pitch + uint64(uint32(x)/uint32(f.Width))*uint64(f.Bytes)
}

// RowAlign returns the alignment of rows of linear images in bytes.
func RowAlign(s isa.Set) uint64 {
	if g := s.Gen(); g == isa.Gen6 || g == isa.Gen7 || g == isa.Gen8 {
		return rowAlignGFX6
	}
	return rowAlignGFX9
}

// minRowTexels is the least number of texels of a row before gfx9.
const minRowTexels = 8

// RowPitch returns the bytes from row to row of a linear image.
func RowPitch(s isa.Set, f *Format, width uint32) uint64 {
	align := RowAlign(s)
	if align == rowAlignGFX6 {
		align = max(align, minRowTexels*uint64(f.Bytes))
	}
	elements := (uint64(width) + uint64(f.Width) - 1) / uint64(f.Width)
	return (elements*uint64(f.Bytes) + align - 1) &^ (align - 1)
}

// HasPitch reports whether a resource can specify the pitch.
func HasPitch(s isa.Set, k Kind) bool {
	w := resourceWordsOf(s)
	return w.pitch[0].width != 0 && (!w.flatPitch || k.flat())
}
