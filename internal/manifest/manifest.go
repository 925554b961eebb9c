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
//	expect      {buffer, golden, compare, from (optional), wave (optional: 32 or 64)}
//
// global counts work-items and need not be a multiple of local. Omitted
// dimensions are 1, omitted offsets 0. Arguments are {"buffer": NAME},
// {"scalar": TYPE, "value": V}, {"bytes": HEX, "align": N} (a struct by value;
// align is optional) and {"local": BYTES} (a pointer to dynamic LDS).
//
// A fill is {kind, …}; i is the element index:
//
//	zero                 0
//	const   value        value
//	iota    start, step  start + i·step (defaults 0 and 1); integers wrap
//	values  values       the listed values, one per element
//	file    path         the bytes of a file, little-endian, as many as the buffer has
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
	Buffers    []Buffer // in file order
	Dispatches []Dispatch
	Expect     []Expect

	src *diag.Source
}

// Buffer is memory shared by the dispatches.
type Buffer struct {
	Name  string
	Type  *Type
	Count uint64 // number of elements, at least 1
	Fill  Fill
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
}

// ArgKind is the kind of an argument.
type ArgKind uint8

const (
	ArgBuffer ArgKind = iota // address of a buffer
	ArgScalar                // number
	ArgBytes                 // struct by value
	ArgLocal                 // dynamic LDS
)

func (k ArgKind) String() string { return [...]string{"buffer", "scalar", "bytes", "local"}[k] }

// Arg is an argument of a kernel.
type Arg struct {
	Kind   ArgKind
	Buffer int    // ArgBuffer: index in Manifest.Buffers
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
