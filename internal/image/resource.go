package image

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa"
)

// Kind is the type of a resource, as the word has it.
type Kind uint8

const (
	Kind1D          Kind = 8
	Kind2D          Kind = 9
	Kind3D          Kind = 10
	KindCube        Kind = 11
	Kind1DArray     Kind = 12
	Kind2DArray     Kind = 13
	Kind2DMSAA      Kind = 14
	Kind2DMSAAArray Kind = 15
)

var kindNames = [16]string{Kind1D: "1D", Kind2D: "2D", Kind3D: "3D", KindCube: "cube", Kind1DArray: "1D array", Kind2DArray: "2D array",
	Kind2DMSAA: "2D MSAA", Kind2DMSAAArray: "2D MSAA array"}

func (k Kind) String() string {
	if s := kindNames[k&15]; s != "" {
		return s
	}
	return fmt.Sprintf("type %d", uint8(k))
}

// Dims returns the number of coordinates in texels: 1 to 3, or 0 for a reserved
// type. A cube map has two within a face.
func (k Kind) Dims() int {
	switch k {
	case Kind1D, Kind1DArray:
		return 1
	case Kind3D:
		return 3
	}
	if k >= Kind2D && k <= Kind2DMSAAArray {
		return 2
	}
	return 0
}

// Layered reports whether a layer is selected: of an array or by the face of a
// cube map.
func (k Kind) Layered() bool {
	return k == KindCube || k == Kind1DArray || k == Kind2DArray || k == Kind2DMSAAArray
}

// MSAA reports whether the image has several samples per pixel.
func (k Kind) MSAA() bool { return k == Kind2DMSAA || k == Kind2DMSAAArray }

// Resource holds the fields of an image resource. Sizes are in texels of level
// 0, and not reduced by one.
type Resource struct {
	Base       uint64 // address of level 0; the low 8 bits are 0
	Format     uint32 // number of the format; before gfx10 the data format times 16 plus the number format
	Kind       Kind
	Width      uint32
	Height     uint32
	Depth      uint32 // of 3D images
	FirstLayer uint32
	LastLayer  uint32
	Select     uint32 // DST_SEL of the components, 3 bits each
	FirstLevel uint32
	LastLevel  uint32 // of MSAA images: the binary logarithm of the number of samples
	Levels     uint32 // levels in memory
	MinLOD     uint32 // in 1/256 of a level
	Tiling     uint32 // SW_MODE, before gfx9 the index of the tile mode
	Pitch      uint32 // texels from row to row, 0 for the hardware's choice
	BCSwizzle  uint32 // order of the components of the border colour
	Compressed bool   // the image has metadata
	Pow2       bool   // sizes in memory are powers of two; images with several levels before gfx9
}

// part is a range of bits of a word. A field consists of up to two parts, the
// low one first.
type part struct{ word, shift, width uint8 }

type field [2]part

func (f field) read(w *[8]uint32) uint32 {
	v := uint32(0)
	at := uint8(0)
	for _, p := range f {
		v |= w[p.word] >> p.shift & (1<<p.width - 1) << at
		at += p.width
	}
	return v
}

func (f field) write(w *[8]uint32, v uint32) {
	for _, p := range f {
		m := uint32(1<<p.width - 1)
		w[p.word] |= v & m << p.shift
		v >>= p.width
	}
}

// fits reports whether the field holds a value.
func (f field) fits(v uint32) bool { return uint64(v)>>(f[0].width+f[1].width) == 0 }

// resourceWords lists the bits of the fields in a generation's resources. A
// field that a generation lacks is empty.
type resourceWords struct {
	minLOD, format, number, width, height, firstLevel, lastLevel, maxMip, tiling, depth, pitch, firstLayer, lastLayer, bcSwizzle, compressed, pow2 field
	flatPitch                                                                                                                                      bool // pitch and depth share bits, and only images without layers and depth have a pitch
}

// Fields whose bits are the same in all generations.
var (
	wordBase   = field{{0, 0, 32}}
	wordBaseHi = field{{1, 0, 8}}
	wordSelect = field{{3, 0, 12}}
	wordType   = field{{3, 28, 4}}
)

// Sources: ROCm, resource_kv.h, resource_ai.h, resource_nv.h, resource_gfx11.h
// and resource_gfx12.h; Mesa, gfx10-rsrc.json and gfx11-rsrc.json.
var (
	resourceGFX6 = resourceWords{
		minLOD: field{{1, 8, 12}}, format: field{{1, 20, 6}}, number: field{{1, 26, 4}}, width: field{{2, 0, 14}}, height: field{{2, 14, 14}},
		firstLevel: field{{3, 12, 4}}, lastLevel: field{{3, 16, 4}}, tiling: field{{3, 20, 5}},
		depth: field{{4, 0, 13}}, pitch: field{{4, 13, 14}}, firstLayer: field{{5, 0, 13}}, lastLayer: field{{5, 13, 13}}, compressed: field{{6, 21, 1}}, pow2: field{{3, 25, 1}},
	}
	resourceGFX9 = resourceWords{
		minLOD: field{{1, 8, 12}}, format: field{{1, 20, 6}}, number: field{{1, 26, 4}}, width: field{{2, 0, 14}}, height: field{{2, 14, 14}},
		firstLevel: field{{3, 12, 4}}, lastLevel: field{{3, 16, 4}}, tiling: field{{3, 20, 5}},
		depth: field{{4, 0, 13}}, pitch: field{{4, 13, 16}}, firstLayer: field{{5, 0, 13}}, bcSwizzle: field{{4, 29, 3}}, maxMip: field{{5, 28, 4}}, compressed: field{{6, 21, 1}},
	}
	resourceGFX10 = resourceWords{
		minLOD: field{{1, 8, 12}}, format: field{{1, 20, 9}}, width: field{{1, 30, 2}, {2, 0, 12}}, height: field{{2, 14, 14}},
		firstLevel: field{{3, 12, 4}}, lastLevel: field{{3, 16, 4}}, tiling: field{{3, 20, 5}}, bcSwizzle: field{{3, 25, 3}},
		depth: field{{4, 0, 13}}, firstLayer: field{{4, 16, 13}}, maxMip: field{{5, 4, 4}}, compressed: field{{6, 21, 1}},
	}
	resourceGFX103 = resourceWords{
		minLOD: field{{1, 8, 12}}, format: field{{1, 20, 9}}, width: field{{1, 30, 2}, {2, 0, 12}}, height: field{{2, 14, 14}},
		firstLevel: field{{3, 12, 4}}, lastLevel: field{{3, 16, 4}}, tiling: field{{3, 20, 5}}, bcSwizzle: field{{3, 25, 3}},
		depth: field{{4, 0, 13}}, firstLayer: field{{4, 16, 13}}, maxMip: field{{5, 4, 4}}, compressed: field{{6, 21, 1}},
		pitch: field{{4, 0, 14}}, flatPitch: true,
	}
	resourceGFX11 = resourceWords{
		minLOD: field{{5, 27, 5}, {6, 0, 7}}, format: field{{1, 20, 8}}, width: field{{1, 30, 2}, {2, 0, 12}}, height: field{{2, 14, 14}},
		firstLevel: field{{3, 12, 4}}, lastLevel: field{{3, 16, 4}}, tiling: field{{3, 20, 5}}, bcSwizzle: field{{3, 25, 3}},
		depth: field{{4, 0, 13}}, firstLayer: field{{4, 16, 13}}, maxMip: field{{1, 16, 4}}, compressed: field{{6, 21, 1}},
		pitch: field{{4, 0, 14}}, flatPitch: true,
	}
	resourceGFX12 = resourceWords{
		minLOD: field{{5, 26, 6}, {6, 0, 7}}, format: field{{1, 17, 8}}, width: field{{1, 30, 2}, {2, 0, 14}}, height: field{{2, 14, 16}},
		firstLevel: field{{1, 25, 5}}, lastLevel: field{{3, 15, 5}}, tiling: field{{3, 20, 5}}, bcSwizzle: field{{3, 25, 3}},
		depth: field{{4, 0, 14}}, firstLayer: field{{4, 16, 14}}, maxMip: field{{1, 12, 5}},
		pitch: field{{4, 0, 16}}, flatPitch: true,
	}
)

// resourceWordsOf returns the layout of an instruction set's resources.
func resourceWordsOf(s isa.Set) *resourceWords {
	switch s.Gen() {
	case isa.Gen6, isa.Gen7, isa.Gen8:
		return &resourceGFX6
	case isa.Gen10:
		if s.Has(isa.PropImagePitch) {
			return &resourceGFX103
		}
		return &resourceGFX10
	case isa.Gen11:
		return &resourceGFX11
	case isa.Gen12:
		return &resourceGFX12
	}
	return &resourceGFX9
}

// flat reports whether a resource's type allows a pitch in words where pitch and
// depth share bits.
func (k Kind) flat() bool { return k == Kind1D || k == Kind2D || k == Kind2DMSAA }

// DecodeResource returns the fields of a resource of 8 dwords.
func DecodeResource(s isa.Set, w *[8]uint32) Resource {
	f := resourceWordsOf(s)
	r := Resource{
		Base: uint64(wordBase.read(w))<<8 | uint64(wordBaseHi.read(w))<<40, Kind: Kind(wordType.read(w)), Select: wordSelect.read(w),
		Format: f.format.read(w), Width: f.width.read(w) + 1, Height: f.height.read(w) + 1, FirstLevel: f.firstLevel.read(w), LastLevel: f.lastLevel.read(w),
		MinLOD: f.minLOD.read(w), Tiling: f.tiling.read(w), FirstLayer: f.firstLayer.read(w), BCSwizzle: f.bcSwizzle.read(w), Compressed: f.compressed.read(w) != 0, Pow2: f.pow2.read(w) != 0,
	}
	if f.number[0].width != 0 {
		r.Format = r.Format<<numberBits | f.number.read(w)
	}
	depth := f.depth.read(w)
	r.Depth, r.Pitch = 1, f.pitch.read(w)
	switch {
	case r.Kind == Kind3D:
		r.Depth = depth + 1
	case !r.Kind.Layered():
		r.FirstLayer = 0
	case f.lastLayer[0].width != 0:
		r.LastLayer = f.lastLayer.read(w)
	default:
		r.LastLayer = depth
	}
	switch {
	case f.flatPitch && !r.Kind.flat():
		r.Pitch = 0
	case r.Pitch > 0:
		r.Pitch++
	}
	if r.Kind.Dims() == 1 {
		r.Height = 1
	}
	r.Levels = r.LastLevel + 1
	if f.maxMip[0].width != 0 {
		r.Levels = f.maxMip.read(w) + 1
	}
	if r.Kind.MSAA() {
		r.Levels = 1
	}
	return r
}

// Encode returns the words of a resource. It returns an error that names a field
// whose value the generation's words do not hold.
func (r *Resource) Encode(s isa.Set) (w [8]uint32, err error) {
	f := resourceWordsOf(s)
	wordBase.write(&w, uint32(r.Base>>8))
	put := func(name string, f field, v uint32) {
		if !f.fits(v) && err == nil {
			err = fmt.Errorf("%s %d is too large for an image of %s", name, v, s)
		}
		f.write(&w, v)
	}
	put("address", wordBaseHi, uint32(r.Base>>40))
	put("type", wordType, uint32(r.Kind))
	put("component selection", wordSelect, r.Select)
	format := r.Format
	if f.number[0].width != 0 {
		put("number format", f.number, format&(1<<numberBits-1))
		format >>= numberBits
	}
	put("format", f.format, format)
	put("width", f.width, r.Width-1)
	put("height", f.height, r.Height-1)
	put("first level", f.firstLevel, r.FirstLevel)
	put("last level", f.lastLevel, r.LastLevel)
	put("least level of detail", f.minLOD, r.MinLOD)
	put("tiling", f.tiling, r.Tiling)
	put("first layer", f.firstLayer, r.FirstLayer)
	if r.Pow2 {
		put("padding to powers of two", f.pow2, 1)
	}
	put("order of border components", f.bcSwizzle, r.BCSwizzle)
	if f.maxMip[0].width != 0 && !r.Kind.MSAA() {
		put("number of levels", f.maxMip, r.Levels-1)
	}
	if r.Pitch > 0 && (!f.flatPitch || r.Kind.flat()) {
		put("pitch", f.pitch, r.Pitch-1)
	}
	switch {
	case r.Kind == Kind3D:
		put("depth", f.depth, r.Depth-1)
	case r.Kind.Layered():
		put("last layer", f.depth, r.LastLayer)
		if f.lastLayer[0].width != 0 {
			put("last layer", f.lastLayer, r.LastLayer)
		}
	}
	return w, err
}

// most returns the number of values of a field, at most 1<<16.
func (f field) most() uint32 { return 1 << min(f[0].width+f[1].width, 16) }

// MaxSizes returns the greatest sizes that a resource holds.
func MaxSizes(s isa.Set) (width, height, depth, layers uint32) {
	f := resourceWordsOf(s)
	return f.width.most(), f.height.most(), f.depth.most(), f.depth.most()
}
