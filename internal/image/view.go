package image

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/image/tiling"
	"github.com/gfx-toolchain/gfx/isa"
)

// Memory is where texels are. The functions return false, and do nothing else,
// if the address is not mapped; accesses of a Texture end then.
type Memory interface {
	// ReadElement reads an element of 1, 2, 4, 8, 12 or 16 bytes. The other bytes
	// of raw are 0.
	ReadElement(addr uint64, bytes uint8, raw *Raw) bool
	// WriteElement writes an element.
	WriteElement(addr uint64, bytes uint8, raw *Raw) bool
	// Words returns the memory from an address on as dwords, or nil if it is not
	// in one piece or accesses must be reported.
	Words(addr, bytes uint64) []uint32
}

// View is an image resource, prepared for accesses. It is immutable after
// NewView and may be shared by goroutines.
type View struct {
	Resource
	Texels  *Format // format of the texels; nil if accesses read 0 and write nothing
	levels  [16]level
	last    int32          // number of the last level, counted from the first one of the view
	samples uint32         // per texel
	layout  *tiling.Layout // of a tiled image, nil for linear ones

	wx, wy uint8 // log2 of the texels in an element
}

// level holds the sizes of a level in texels. The places are the ones of linear
// images.
type level struct {
	size   [3]int32 // a dimension that the image lacks is 1
	number uint32   // counted from level 0
	offset uint64   // from the base
	pitch  uint64   // bytes from row to row of elements
	slice  uint64   // bytes from slice to slice
}

// NewView prepares a resource of 8 dwords. c is the memory configuration of the
// processor, which only tiled images need. It returns an error for an image that
// is not simulated, and names the reason.
func NewView(s isa.Set, c *tiling.Config, words *[8]uint32) (*View, error) {
	v := &View{Resource: DecodeResource(s, words)}
	v.samples = v.sampleCount()
	if v.Kind.Dims() == 0 {
		return v, nil
	}
	f := FormatsOf(s).Get(v.Format)
	switch {
	case Mask(s, v.Format):
		return nil, fmt.Errorf("images of the places of samples (FMASK, format %d) are not simulated", v.Format)
	case f.Bytes == 0 && v.Format>>numberBits == 0:
		return v, nil
	case f.Bytes == 0:
		return nil, fmt.Errorf("format %d of images is not simulated", v.Format)
	}
	if v.Compressed {
		return nil, fmt.Errorf("images with compression metadata (DCC) are not simulated")
	}
	v.Texels = f
	v.wx, v.wy = f.logs()
	v.last = int32(min(v.LastLevel, v.Levels-1)) - int32(v.FirstLevel)
	if v.Kind.MSAA() {
		v.last = 0
	}
	if v.last < 0 {
		return nil, fmt.Errorf("the first level, %d, of an image is above the last level, %d", v.FirstLevel, v.LastLevel)
	}
	v.last = min(v.last, int32(len(v.levels))-1)
	first := v.FirstLevel
	if v.Kind.MSAA() {
		first = 0
	}
	for i := range v.last + 1 {
		v.levels[i] = v.levelOf(first + uint32(i))
	}
	return v, v.layOut(s, c)
}

// maxSamplesLog is the logarithm of the greatest number of samples.
const maxSamplesLog = 4

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

// layOut computes the places of the levels.
func (v *View) layOut(s isa.Set, c *tiling.Config) error {
	l, err := v.newLayout(s, c)
	if err != nil {
		return err
	}
	if !l.Linear() {
		if v.Texels.Bytes == 12 {
			return fmt.Errorf("tiled images of elements of 12 bytes do not exist")
		}
		v.layout = l
		return nil
	}
	for i := range v.last + 1 {
		at := &v.levels[i]
		at.offset, at.pitch, at.slice = l.LevelOffset(at.number), l.RowBytes(at.number), l.LevelSlice(at.number)
	}
	return nil
}

// Layout returns the places of the texels of the image in memory, on a processor
// with a memory configuration.
func (r *Resource) Layout(s isa.Set, c *tiling.Config) (*tiling.Layout, error) {
	return tiling.New(s, r.surface(FormatsOf(s).Get(r.Format), c))
}

// newLayout returns the layout of the view. Bits of the base address below the
// alignment are the swizzle.
func (v *View) newLayout(s isa.Set, c *tiling.Config) (*tiling.Layout, error) {
	surface := v.surface(v.Texels, c)
	l, err := tiling.New(s, surface)
	if err != nil {
		return nil, err
	}
	if surface.Swizzle = uint32(v.Base) & (l.Alignment() - 1); surface.Swizzle == 0 {
		return l, nil
	}
	v.Base -= uint64(surface.Swizzle)
	return tiling.New(s, surface)
}

// surface returns the description of the image for its layout.
func (r *Resource) surface(f *Format, c *tiling.Config) tiling.Surface {
	wx, wy := f.logs()
	t := tiling.Surface{Mode: uint8(r.Tiling), Kind: tiling.Kind(r.Kind.Dims()), Bytes: f.Bytes, Width: elements(r.Width, wx), Height: 1, Depth: 1,
		Levels: r.Levels, Samples: r.sampleCount(), Block: max(f.Width, f.Height), Pow2: r.Pow2}
	if c != nil {
		t.Config = *c
	}
	if r.Kind.Dims() > 1 {
		t.Height = elements(r.Height, wy)
		if wy > 0 {
			t.TexelRows = r.Height
		}
	}
	switch {
	case r.Kind == Kind3D:
		t.Depth = r.Depth
	case r.Kind.Layered():
		t.Depth = r.LastLayer + 1
	}
	if r.Levels == 1 {
		t.Pitch = elements(r.Pitch, wx)
	}
	if f.Bytes == 12 { // three elements of 4 bytes
		t.Bytes, t.Width, t.Pitch = 4, 3*t.Width, 3*t.Pitch
	}
	return t
}

// sampleCount returns the number of samples per texel.
func (r *Resource) sampleCount() uint32 {
	if r.Kind.MSAA() {
		return 1 << min(r.LastLevel, maxSamplesLog)
	}
	return 1
}

// logs returns the logarithms of the texels of an element in both directions.
func (f *Format) logs() (x, y uint8) {
	return uint8(bits.TrailingZeros8(f.Width)), uint8(bits.TrailingZeros8(f.Height))
}

// elements returns the number of elements of texels, which an element has a
// power of two of.
func elements(texels uint32, log uint8) uint32 { return (texels + 1<<log - 1) >> log }

// address returns the address of the element with a texel. The position must be
// in the level.
func (v *View) address(l *level, x, y, z int32) uint64 {
	if v.layout != nil {
		return v.tiledAddress(l, x, y, z, 0)
	}
	return v.linearAddress(l, x, y, z)
}

// linearAddress is address for a linear image.
func (v *View) linearAddress(l *level, x, y, z int32) uint64 {
	return v.Base + l.offset + uint64(z)*l.slice + uint64(uint32(y)>>(v.wy&7))*l.pitch + uint64(uint32(x)>>(v.wx&7))*uint64(v.Texels.Bytes)
}

// tiledAddress is address for a sample of a tiled image.
func (v *View) tiledAddress(l *level, x, y, z int32, sample uint32) uint64 {
	return v.Base + v.layout.Offset(uint32(x)>>(v.wx&7), uint32(y)>>(v.wy&7), uint32(z), sample, l.number)
}

// LinearTiling returns the tiling of linear images: the index of the tile mode
// with aligned rows before gfx9, later the number of the swizzle mode.
func LinearTiling(s isa.Set) uint32 {
	if s.Has(isa.PropImageTiles) {
		return 8
	}
	return 0
}

// HasPitch reports whether a resource can specify the pitch.
func HasPitch(s isa.Set, k Kind) bool {
	w := resourceWordsOf(s)
	return w.pitch[0].width != 0 && (!w.flatPitch || k.flat())
}
