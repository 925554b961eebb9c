package isa

// Dim is a dimension of an image instruction from gfx10 on.
type Dim struct {
	Name      string // without dimPrefix
	Coords    uint8  // number of coordinates
	Gradients uint8  // number of gradients, both directions together
	MSAA      bool   // has a fragment id
	Array     bool   // has a slice; LLVM's DA, which also cube maps have
}

// dims lists the dimensions by their encoding (3 bits).
// Source: LLVM, IntrinsicsAMDGPU.td, AMDGPUDimProps.
var dims = [8]Dim{
	{"1D", 1, 2, false, false},
	{"2D", 2, 4, false, false},
	{"3D", 3, 6, false, false},
	{"CUBE", 3, 4, false, true},
	{"1D_ARRAY", 2, 2, false, true},
	{"2D_ARRAY", 3, 4, false, true},
	{"2D_MSAA", 3, 4, true, false},
	{"2D_MSAA_ARRAY", 4, 4, true, true},
}

const dimPrefix = "SQ_RSRC_IMG_"

// DimByName returns the encoding of SQ_RSRC_IMG_2D or 2D. As in LLVM, the case
// of letters after the prefix does not matter.
func DimByName(name []byte) (v uint32, st Status) {
	short, _ := cut(name, dimPrefix)
	for i := range dims {
		if equalFold(short, dims[i].Name) {
			return uint32(i), Found
		}
	}
	return 0, Unknown
}

// equalFold compares a name with one in capitals, without regard to case.
func equalFold(name []byte, capitals string) bool {
	if len(name) != len(capitals) {
		return false
	}
	for i, c := range name {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != capitals[i] {
			return false
		}
	}
	return true
}

// DimOf returns the dimension with an encoding from 0 to 7.
func DimOf(v uint32) *Dim { return &dims[v] }

// AppendDim appends " dim:SQ_RSRC_IMG_2D".
func AppendDim(dst []byte, v uint32) []byte {
	dst = append(dst, " dim:"+dimPrefix...)
	return append(dst, dims[v&7].Name...)
}
