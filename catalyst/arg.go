package catalyst

import (
	"strconv"
	"strings"
)

// Arg is an argument of a configured kernel.
type Arg struct {
	Name string
	// TypeName is the name of the type in the program, if HasTypeName is set. The
	// default is the name of the type itself.
	TypeName    string
	HasTypeName bool

	Type    Type // the type, or the one that a pointer points to
	Pointer bool
	Size    uint32 // size in bytes of a Structure

	Space     Space  // where a pointer points to
	Access    Access // of pointers and images
	ConstSize uint32 // maximum size in bytes of a constant buffer, or 0
	ID        Option // of global and constant pointers, images and counters
	Unused    bool   // the kernel does not use it
}

// Space is where a pointer points to.
type Space uint8

// Spaces.
const (
	Global Space = iota
	Local
	Constant
)

// Access is a set of qualifiers.
type Access uint8

// Qualifiers. Images are readable unless they have WriteOnly.
const (
	Const Access = 1 << iota
	Restrict
	Volatile
	WriteOnly // of an image
)

// Type is a type of arguments: a kind with a number of lanes.
type Type struct {
	Kind  Kind
	Lanes uint8 // 1, 2, 3, 4, 8 or 16 for scalar kinds, else 1
}

// Kind is the kind of a type.
type Kind uint8

// Kinds of types.
const (
	Void Kind = iota // element of pointers; a value is written as UChar
	Char
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	Float
	Double
	Structure
	Sampler
	Counter32
	Image // the same as Image2D under another name
	Image1D
	Image1DArray
	Image1DBuffer
	Image2D
	Image2DArray
	Image3D
)

// kindRow is a row of the table of kinds.
type kindRow struct {
	name     string // in sources
	typeName string // default of Arg.TypeName, if it differs from name
	meta     string // in metadata: type of scalars, kind of images
	size     uint32 // bytes of scalars
	uavDim   uint32 // dimension in the UAV note of writeable images before 1124.2
}

var kinds = [...]kindRow{
	Void:          {"void", "", "u8", 1, 0},
	Char:          {"char", "", "i8", 1, 0},
	UChar:         {"uchar", "", "u8", 1, 0},
	Short:         {"short", "", "i16", 2, 0},
	UShort:        {"ushort", "", "u16", 2, 0},
	Int:           {"int", "", "i32", 4, 0},
	UInt:          {"uint", "", "u32", 4, 0},
	Long:          {"long", "", "i64", 8, 0},
	ULong:         {"ulong", "", "u64", 8, 0},
	Float:         {"float", "", "float", 4, 0},
	Double:        {"double", "", "double", 8, 0},
	Structure:     {"structure", "", "struct", 0, 0},
	Sampler:       {"sampler", "sampler_t", "u32", 4, 0},
	Counter32:     {"counter32", "counter32_t", "32", 4, 0},
	Image:         {"image", "image2d_t", "2D", 0, 2},
	Image1D:       {"image1d", "image1d_t", "1D", 0, 1},
	Image1DArray:  {"image1d_array", "image1d_array_t", "1DA", 0, 0},
	Image1DBuffer: {"image1d_buffer", "image1d_buffer_t", "1DB", 0, 0},
	Image2D:       {"image2d", "image2d_t", "2D", 0, 2},
	Image2DArray:  {"image2d_array", "image2d_array_t", "2DA", 0, 2},
	Image3D:       {"image3d", "image3d_t", "3D", 0, 3},
}

// IsImage reports whether the kind is an image.
func (k Kind) IsImage() bool { return k >= Image }

// IsScalar reports whether the kind is an integer or floating-point number, of
// which there are vectors.
func (k Kind) IsScalar() bool { return Char <= k && k <= Double }

// String returns the name in sources, such as "uint4" or "image2d_array".
func (t Type) String() string {
	name := kinds[t.Kind].name
	if t.Lanes > 1 {
		name += strconv.Itoa(int(t.Lanes))
	}
	return name
}

// ParseType returns the type with a name in lower case, such as "uint4".
func ParseType(name string) (Type, bool) {
	scalar := strings.TrimRight(name, "0123456789")
	for k := range kinds {
		kind := Kind(k)
		if kinds[k].name == name {
			return Type{kind, 1}, true
		}
		if !kind.IsScalar() || kinds[k].name != scalar {
			continue
		}
		switch name[len(scalar):] {
		case "2":
			return Type{kind, 2}, true
		case "3":
			return Type{kind, 3}, true
		case "4":
			return Type{kind, 4}, true
		case "8":
			return Type{kind, 8}, true
		case "16":
			return Type{kind, 16}, true
		}
	}
	return Type{}, false
}
