// Package manifest describes runs of kernels: buffers and how they are filled,
// dispatches with their arguments, and what the buffers must hold afterwards.
//
// A manifest is a JSON file. Read checks all of it and gives positioned errors.
// Afterwards nothing in it can go wrong but the files that it names: inputs
// (Fill.Data) and expected contents (Manifest.Golden).
//
// # Format
//
// All keys are required unless something else is said; there are no others.
//
//	format      1
//	name        a name for reports (optional, like the next five)
//	source, options, notes, golden_from   free text
//	features    free texts
//	targets     the processors for which there are code objects
//	buffers     NAME: {type, count, fill}
//	dispatches  in their order, each after the one before has ended:
//	            {kernel, global: [x(,y(,z))], local: [...], offset: [...] (optional), args: [...]}
//	expect      {buffer, golden, compare, from (optional), wave (optional: 32 or 64)}
//
// global counts work-items and need not be a multiple of local. A dimension
// that is not given is 1, an offset 0. Arguments are {"buffer": NAME}, {"scalar":
// TYPE, "value": V}, {"bytes": HEX, "align": N} (a struct by value; align is
// optional) and {"local": BYTES} (a pointer to dynamic LDS).
//
// A fill is {kind, …}; i is the number of an element:
//
//	zero                 0
//	const   value        value
//	iota    start, step  start + i·step (0 and 1 when not given); integers wrap
//	values  values       the values of the list, one for each element
//	file    path         the bytes of a file, little-endian, as many as the buffer has
//	hash    seed, lo, hi from h(i), see Hash
//
// compare is {"mode": "exact"}, byte for byte, or {"mode": "float", "abs": A,
// "rel": R}, which takes |got − want| ≤ A + R·|want|, equal infinities, and NaN
// for NaN. An expectation with wave holds for that wave size only.
//
// The values of float types may also be written as the strings "nan", "inf" and
// "-inf". Paths are relative to the manifest's folder or to the folder above it.
package manifest

import (
	"github.com/gfx-toolchain/gfx/internal/diag"
)

// Bounds of what a manifest may ask for.
const (
	MaxBytes = 8 << 30   // bytes of all buffers together
	MaxLocal = 1<<32 - 1 // bytes of a dynamic LDS argument
	MaxGroup = 1<<16 - 1 // work-items of a work-group in one dimension, as in an AQL packet
	MaxGrid  = 1<<32 - 1 // work-items of a grid in one dimension, as in an AQL packet
	MaxAlign = 4096      // alignment of an argument by value
	MaxValue = 1 << 16   // bytes of an argument by value
)

// Manifest is a checked manifest.
type Manifest struct {
	Name       string
	Source     string   // of the kernels, free text
	Targets    []string // processors for which there are code objects; none: any
	Buffers    []Buffer // in the order of the file
	Dispatches []Dispatch
	Expect     []Expect

	src *diag.Source
}

// Buffer is memory that the dispatches share.
type Buffer struct {
	Name  string
	Type  *Type
	Count uint64 // elements, 1 or more
	Fill  Fill
}

// Size is the size of the buffer in bytes.
func (b *Buffer) Size() uint64 { return b.Count * uint64(b.Type.Size) }

// Dispatch is one run of a kernel.
type Dispatch struct {
	Kernel string    // name, without .kd
	Dims   int       // dimensions that are given, 1 to 3
	Grid   [3]uint32 // work-items in each dimension, 1 or more
	Group  [3]uint16 // work-items of a work-group in each dimension, 1 or more
	Offset [3]uint64 // OpenCL's global offset
	Args   []Arg     // all that the program passes, in the kernel's order
}

// ArgKind says what an argument is.
type ArgKind uint8

const (
	ArgBuffer ArgKind = iota // the address of a buffer
	ArgScalar                // a number
	ArgBytes                 // a struct by value
	ArgLocal                 // dynamic LDS
)

func (k ArgKind) String() string { return [...]string{"buffer", "scalar", "bytes", "local"}[k] }

// Arg is an argument of a kernel.
type Arg struct {
	Kind   ArgKind
	Buffer int    // index in Manifest.Buffers, of an ArgBuffer
	Data   []byte // of an ArgScalar or ArgBytes, little-endian
	Align  int    // of Data, in bytes; a power of two
	Local  uint32 // bytes of LDS, of an ArgLocal
}

// Expect is what a buffer must hold at the end.
type Expect struct {
	Buffer  int    // index in Manifest.Buffers
	Golden  string // file with the expected contents
	Compare Compare
	Wave    int // 32 or 64: holds for that wave size only; 0: for any

	off, end int // of the file's name in the manifest
}

// Compare says when two contents agree.
type Compare struct {
	Float    bool // within the tolerance; else byte for byte
	Abs, Rel float64
}
