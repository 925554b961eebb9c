// Package manifest describes kernel runs: buffers and their initial contents,
// dispatches with their arguments, and the expected final contents of buffers.
//
// A manifest is a JSON file. Read validates all of it and returns errors with
// positions. After that, only the files that it names can cause errors: inputs
// (Fill.Data) and expected contents (Manifest.Golden).
//
// # Format
//
// All keys are required unless stated otherwise. Unknown keys are errors.
//
//	format      1
//	name        a name for reports (optional, like the next five)
//	source, options, notes, golden_from   free text
//	features    free texts
//	targets     the processors with code objects
//	buffers     NAME: {type, count, fill}
//	dispatches  in order, each starts after the previous one has ended:
//	            {kernel, global: [x(,y(,z))], local: [...], offset: [...] (optional), args: [...]}
//	images      NAME: {dim, width, height, depth, layers, order, type, access, row_pitch, fill} (optional)
//	samplers    NAME: {filter, address, normalized} (optional)
//	expect      {buffer or image, golden, compare, from (optional), wave (optional: 32 or 64)}
//
// global counts work-items and need not be a multiple of local. Omitted
// dimensions are 1, omitted offsets 0. Arguments are {"buffer": NAME},
// {"scalar": TYPE, "value": V}, {"bytes": HEX, "align": N} (a struct by value;
// align is optional), {"local": BYTES} (a pointer to dynamic LDS), {"image":
// NAME} and {"sampler": NAME}. Without images, buffers is required.
//
// An image's sizes that its dimension lacks are absent: dim is 1d, 1d_buffer,
// 1d_array (width, layers), 2d, 2d_array (width, height, layers) or 3d. order is
// r, a, rg, rgba, bgra, argb or depth, in the order of the components in memory;
// type is unorm8, unorm16, snorm8, snorm16, i8, i16, i32, u8, u16, u32, half,
// float or srgb8 (whose alpha is linear); access is read_only, write_only or
// read_write; row_pitch is optional. The elements of a fill and of golden
// contents are the components of the tightly packed texels, x fastest: unorm as
// unsigned integers, snorm as signed ones. A sampler's filter is nearest or
// linear, its address none, clamp (to the border), clamp_to_edge, repeat or
// mirrored.
//
// A fill is {kind, …}; i is the element index:
//
//	zero                 0
//	const   value        value
//	iota    start, step  start + i·step (defaults 0 and 1); integers wrap
//	values  values       the listed values, one per element
//	file    path         the bytes of a file, little-endian, as many as the buffer has; of an
//	                     image, also a PNG or JPEG file with slices or layers below each other
//	hash    seed, lo, hi derived from h(i), see hash in fill.go
//
// compare is {"mode": "exact"}, byte for byte, or {"mode": "float", "abs": A,
// "rel": R}, which accepts |got − want| ≤ A + R·|want|, equal infinities, and
// NaN for NaN. An expectation with wave applies to that wave size only.
//
// Values of float types may also be the strings "nan", "inf" and "-inf". Paths
// are relative to the manifest's directory or its parent directory.
package manifest

import (
	"github.com/gfx-toolchain/gfx/diag"
)

// Limits of a manifest.
const (
	MaxBytes   = 8 << 30   // total bytes of all buffers
	MaxLocal   = 1<<32 - 1 // bytes of a dynamic LDS argument
	MaxGroup   = 1<<16 - 1 // work-items per work-group in one dimension, as in an AQL packet
	MaxCluster = 1<<8 - 1  // work-groups per cluster in one dimension, as in an AQL packet
	MaxGrid    = 1<<32 - 1 // work-items of a grid in one dimension, as in an AQL packet
	MaxAlign   = 4096      // alignment of an argument by value
	MaxValue   = 1 << 16   // bytes of an argument by value
)

// Manifest is a validated manifest.
type Manifest struct {
	Name       string
	Source     string   // source of the kernels, free text
	Targets    []string // processors with code objects; empty means any
	Buffers    []Buffer // in file order, images after the others
	Samplers   []Sampler
	Dispatches []Dispatch
	Expect     []Expect
	Files      Open       // opens the files that AddArg reads; nil: in the current folder
	MemRefs    MemRefForm // of the memrefs that AddArg adds

	src *diag.Source
}

// Buffer is memory shared by the dispatches.
type Buffer struct {
	Name  string
	Type  *Type
	Count uint64 // number of elements, at least 1
	Fill  Fill
	Image *Image // nil unless the buffer is an image; the elements are its components, tightly packed
}

// Image describes the texels of a buffer that is an image.
type Image struct {
	Dim                          string // 1d, 1d_buffer, 1d_array, 2d, 2d_array or 3d
	Width, Height, Depth, Layers uint32 // in texels; sizes that the dimension lacks are 1
	Order                        string // components in memory: r, a, rg, rgba, bgra, argb or depth
	Channel                      string // type of the components: unorm8 and so on
	Access                       string // read_only, write_only or read_write
	RowPitch                     uint64 // bytes from row to row; 0 for the runtime's choice
	Tiled                        bool   // the texels are in the processor's order, not in rows
	Save                         string // file to write after the run; empty for none
}

// Sampler describes a sampler.
type Sampler struct {
	Name       string
	Linear     bool   // the filter is linear, not nearest
	Address    string // none, clamp, clamp_to_edge, repeat or mirrored
	Normalized bool   // coordinates are in the range from 0 to 1
}

// Kind returns what the buffer is in messages: a buffer or an image.
func (b *Buffer) Kind() ArgKind {
	if b.Image != nil {
		return ArgImage
	}
	return ArgBuffer
}

// Size returns the size of the buffer in bytes.
func (b *Buffer) Size() uint64 { return b.Count * uint64(b.Type.Size) }

// Dispatch describes one execution of a kernel.
type Dispatch struct {
	Kernel string    // name without .kd
	Dims   int       // number of specified dimensions, 1 to 3
	Grid   [3]uint32 // work-items in each dimension, at least 1
	Group  [3]uint16 // work-items per work-group in each dimension, at least 1
	Offset [3]uint64 // OpenCL global offset
	// Cluster is the number of work-groups per cluster in each dimension. The zero
	// value is the kernel's requirement, or else one.
	Cluster [3]uint8
	Args    []Arg // explicit arguments in the kernel's order

	Given int // number of calls of AddArg, which name the buffers without a name
}

// ArgKind is the kind of an argument.
type ArgKind uint8

const (
	ArgBuffer  ArgKind = iota // address of a buffer
	ArgScalar                 // number
	ArgBytes                  // struct by value
	ArgLocal                  // dynamic LDS
	ArgImage                  // image object of a buffer
	ArgSampler                // sampler object
)

func (k ArgKind) String() string { return argKinds[k] }

// Arg is an argument of a kernel.
type Arg struct {
	Kind   ArgKind
	Buffer int    // ArgBuffer and ArgImage: index in Manifest.Buffers; ArgSampler: in Manifest.Samplers
	Data   []byte // ArgScalar or ArgBytes: value, little-endian
	Align  int    // alignment of Data in bytes; a power of two
	Local  uint32 // ArgLocal: bytes of LDS
}

// Expect describes the expected final contents of a buffer.
type Expect struct {
	Buffer  int    // index in Manifest.Buffers
	Golden  string // file with the expected contents
	Compare Compare
	Wave    int // wave size to which it applies, 32 or 64; 0 for any

	off, end int // position of the file name in the manifest
}

// Compare specifies when two contents agree.
type Compare struct {
	Float    bool // within the tolerance; otherwise byte for byte
	Abs, Rel float64
}
