package isa

// Formats of typed buffer instructions (MTBUF), a 7-bit field: before gfx10 a
// data format (bits 3:0) and a number format (bits 6:4), from gfx10 on one
// number for both.
// Source: LLVM, AMDGPUAsmUtils.cpp and AMDGPUBaseInfo.cpp, namespace MTBUFFormat.

var dfmtNames = []string{
	"BUF_DATA_FORMAT_INVALID",
	"BUF_DATA_FORMAT_8",
	"BUF_DATA_FORMAT_16",
	"BUF_DATA_FORMAT_8_8",
	"BUF_DATA_FORMAT_32",
	"BUF_DATA_FORMAT_16_16",
	"BUF_DATA_FORMAT_10_11_11",
	"BUF_DATA_FORMAT_11_11_10",
	"BUF_DATA_FORMAT_10_10_10_2",
	"BUF_DATA_FORMAT_2_10_10_10",
	"BUF_DATA_FORMAT_8_8_8_8",
	"BUF_DATA_FORMAT_32_32",
	"BUF_DATA_FORMAT_16_16_16_16",
	"BUF_DATA_FORMAT_32_32_32",
	"BUF_DATA_FORMAT_32_32_32_32",
	"BUF_DATA_FORMAT_RESERVED_15",
}

var nfmtNames = []symRow{
	{"BUF_NUM_FORMAT_UNORM", 0, onAll},
	{"BUF_NUM_FORMAT_SNORM", 1, onAll},
	{"BUF_NUM_FORMAT_USCALED", 2, onAll},
	{"BUF_NUM_FORMAT_SSCALED", 3, onAll},
	{"BUF_NUM_FORMAT_UINT", 4, onAll},
	{"BUF_NUM_FORMAT_SINT", 5, onAll},
	{"BUF_NUM_FORMAT_SNORM_OGL", 6, onGFX6to7},
	{"BUF_NUM_FORMAT_RESERVED_6", 6, onGFX8 | onGFX9},
	{"BUF_NUM_FORMAT_FLOAT", 7, onAll},
}

const (
	dfmtDefault = 1 // BUF_DATA_FORMAT_8
	nfmtDefault = 0 // BUF_NUM_FORMAT_UNORM
	ufmtDefault = 1 // BUF_FMT_8_UNORM
	formatMax   = 127

	none = -1 // ufmtRow.v11 of a format that gfx11 no longer has
)

// ufmtRow is a unified format: the equivalent split format, and its numbers on
// gfx10 and from gfx11 on.
type ufmtRow struct {
	name       string
	dfmt, nfmt uint8
	v10, v11   int8
}

// ufmtRows is in the order of v10, so that v10 is the index.
var ufmtRows = [...]ufmtRow{
	{"BUF_FMT_INVALID", 0, 0, 0, 0},
	{"BUF_FMT_8_UNORM", 1, 0, 1, 1},
	{"BUF_FMT_8_SNORM", 1, 1, 2, 2},
	{"BUF_FMT_8_USCALED", 1, 2, 3, 3},
	{"BUF_FMT_8_SSCALED", 1, 3, 4, 4},
	{"BUF_FMT_8_UINT", 1, 4, 5, 5},
	{"BUF_FMT_8_SINT", 1, 5, 6, 6},
	{"BUF_FMT_16_UNORM", 2, 0, 7, 7},
	{"BUF_FMT_16_SNORM", 2, 1, 8, 8},
	{"BUF_FMT_16_USCALED", 2, 2, 9, 9},
	{"BUF_FMT_16_SSCALED", 2, 3, 10, 10},
	{"BUF_FMT_16_UINT", 2, 4, 11, 11},
	{"BUF_FMT_16_SINT", 2, 5, 12, 12},
	{"BUF_FMT_16_FLOAT", 2, 7, 13, 13},
	{"BUF_FMT_8_8_UNORM", 3, 0, 14, 14},
	{"BUF_FMT_8_8_SNORM", 3, 1, 15, 15},
	{"BUF_FMT_8_8_USCALED", 3, 2, 16, 16},
	{"BUF_FMT_8_8_SSCALED", 3, 3, 17, 17},
	{"BUF_FMT_8_8_UINT", 3, 4, 18, 18},
	{"BUF_FMT_8_8_SINT", 3, 5, 19, 19},
	{"BUF_FMT_32_UINT", 4, 4, 20, 20},
	{"BUF_FMT_32_SINT", 4, 5, 21, 21},
	{"BUF_FMT_32_FLOAT", 4, 7, 22, 22},
	{"BUF_FMT_16_16_UNORM", 5, 0, 23, 23},
	{"BUF_FMT_16_16_SNORM", 5, 1, 24, 24},
	{"BUF_FMT_16_16_USCALED", 5, 2, 25, 25},
	{"BUF_FMT_16_16_SSCALED", 5, 3, 26, 26},
	{"BUF_FMT_16_16_UINT", 5, 4, 27, 27},
	{"BUF_FMT_16_16_SINT", 5, 5, 28, 28},
	{"BUF_FMT_16_16_FLOAT", 5, 7, 29, 29},
	{"BUF_FMT_10_11_11_UNORM", 6, 0, 30, none},
	{"BUF_FMT_10_11_11_SNORM", 6, 1, 31, none},
	{"BUF_FMT_10_11_11_USCALED", 6, 2, 32, none},
	{"BUF_FMT_10_11_11_SSCALED", 6, 3, 33, none},
	{"BUF_FMT_10_11_11_UINT", 6, 4, 34, none},
	{"BUF_FMT_10_11_11_SINT", 6, 5, 35, none},
	{"BUF_FMT_10_11_11_FLOAT", 6, 7, 36, 30},
	{"BUF_FMT_11_11_10_UNORM", 7, 0, 37, none},
	{"BUF_FMT_11_11_10_SNORM", 7, 1, 38, none},
	{"BUF_FMT_11_11_10_USCALED", 7, 2, 39, none},
	{"BUF_FMT_11_11_10_SSCALED", 7, 3, 40, none},
	{"BUF_FMT_11_11_10_UINT", 7, 4, 41, none},
	{"BUF_FMT_11_11_10_SINT", 7, 5, 42, none},
	{"BUF_FMT_11_11_10_FLOAT", 7, 7, 43, 31},
	{"BUF_FMT_10_10_10_2_UNORM", 8, 0, 44, 32},
	{"BUF_FMT_10_10_10_2_SNORM", 8, 1, 45, 33},
	{"BUF_FMT_10_10_10_2_USCALED", 8, 2, 46, none},
	{"BUF_FMT_10_10_10_2_SSCALED", 8, 3, 47, none},
	{"BUF_FMT_10_10_10_2_UINT", 8, 4, 48, 34},
	{"BUF_FMT_10_10_10_2_SINT", 8, 5, 49, 35},
	{"BUF_FMT_2_10_10_10_UNORM", 9, 0, 50, 36},
	{"BUF_FMT_2_10_10_10_SNORM", 9, 1, 51, 37},
	{"BUF_FMT_2_10_10_10_USCALED", 9, 2, 52, 38},
	{"BUF_FMT_2_10_10_10_SSCALED", 9, 3, 53, 39},
	{"BUF_FMT_2_10_10_10_UINT", 9, 4, 54, 40},
	{"BUF_FMT_2_10_10_10_SINT", 9, 5, 55, 41},
	{"BUF_FMT_8_8_8_8_UNORM", 10, 0, 56, 42},
	{"BUF_FMT_8_8_8_8_SNORM", 10, 1, 57, 43},
	{"BUF_FMT_8_8_8_8_USCALED", 10, 2, 58, 44},
	{"BUF_FMT_8_8_8_8_SSCALED", 10, 3, 59, 45},
	{"BUF_FMT_8_8_8_8_UINT", 10, 4, 60, 46},
	{"BUF_FMT_8_8_8_8_SINT", 10, 5, 61, 47},
	{"BUF_FMT_32_32_UINT", 11, 4, 62, 48},
	{"BUF_FMT_32_32_SINT", 11, 5, 63, 49},
	{"BUF_FMT_32_32_FLOAT", 11, 7, 64, 50},
	{"BUF_FMT_16_16_16_16_UNORM", 12, 0, 65, 51},
	{"BUF_FMT_16_16_16_16_SNORM", 12, 1, 66, 52},
	{"BUF_FMT_16_16_16_16_USCALED", 12, 2, 67, 53},
	{"BUF_FMT_16_16_16_16_SSCALED", 12, 3, 68, 54},
	{"BUF_FMT_16_16_16_16_UINT", 12, 4, 69, 55},
	{"BUF_FMT_16_16_16_16_SINT", 12, 5, 70, 56},
	{"BUF_FMT_16_16_16_16_FLOAT", 12, 7, 71, 57},
	{"BUF_FMT_32_32_32_UINT", 13, 4, 72, 58},
	{"BUF_FMT_32_32_32_SINT", 13, 5, 73, 59},
	{"BUF_FMT_32_32_32_FLOAT", 13, 7, 74, 60},
	{"BUF_FMT_32_32_32_32_UINT", 14, 4, 75, 61},
	{"BUF_FMT_32_32_32_32_SINT", 14, 5, 76, 62},
	{"BUF_FMT_32_32_32_32_FLOAT", 14, 7, 77, 63},
}

// number returns the format's number on a set, none (negative) when it has none.
func (r *ufmtRow) number(s Set) int {
	if SinceGFX1100.Has(s) {
		return int(r.v11)
	}
	return int(r.v10)
}

// HasUnifiedFormat reports whether MTBUF's format is one number (gfx10 and on).
func HasUnifiedFormat(s Set) bool { return SinceGFX1010.Has(s) }

// FormatDefault returns the format that is not printed: 1, which means 8 bits
// unsigned normalized in both kinds.
func FormatDefault(s Set) uint32 {
	if HasUnifiedFormat(s) {
		return ufmtDefault
	}
	return EncodeDfmtNfmt(dfmtDefault, nfmtDefault)
}

// DfmtByName returns a data format such as BUF_DATA_FORMAT_32; every set accepts
// it and, from gfx10 on, needs UfmtOfDfmtNfmt.
func DfmtByName(name []byte) (v uint32, st Status) { return indexOf(dfmtNames, name) }

// NfmtByName returns a number format such as BUF_NUM_FORMAT_FLOAT.
func NfmtByName(s Set, name []byte) (v uint32, st Status) { return symByName(nfmtNames, s, name) }

// UfmtByName returns a unified format such as BUF_FMT_32_FLOAT.
func UfmtByName(s Set, name []byte) (v uint32, st Status) {
	for i := range ufmtRows {
		r := &ufmtRows[i]
		if string(name) != r.name {
			continue
		}
		if n := r.number(s); n >= 0 && HasUnifiedFormat(s) {
			return uint32(n), Found
		}
		return 0, NotSupported
	}
	return 0, Unknown
}

// ValidFormat reports whether a format given as a number can be encoded.
func ValidFormat(v int64) bool { return 0 <= v && v <= formatMax }

// EncodeDfmtNfmt puts a split format together.
func EncodeDfmtNfmt(dfmt, nfmt uint32) uint32 { return dfmt | nfmt<<4 }

// UfmtOfDfmtNfmt returns the unified format of a split one, if the set has it.
func UfmtOfDfmtNfmt(s Set, dfmt, nfmt uint32) (v uint32, ok bool) {
	for i := range ufmtRows {
		r := &ufmtRows[i]
		if uint32(r.dfmt) == dfmt && uint32(r.nfmt) == nfmt {
			n := r.number(s)
			return uint32(max(n, 0)), n >= 0
		}
	}
	return 0, false
}

// ufmtName returns the name of a unified format, "" when it has none.
func ufmtName(s Set, v uint32) string {
	// A format's number never grew, so the row is at v or after it.
	for i := int(v); i < len(ufmtRows); i++ {
		if ufmtRows[i].number(s) == int(v) {
			return ufmtRows[i].name
		}
	}
	return ""
}

// AppendBufFormat appends " format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"
// (a part that is the default is left out), " format:[BUF_FMT_32_FLOAT]" or, for
// a number without name, " format:99"; nothing for the default.
func AppendBufFormat(dst []byte, s Set, v uint32) []byte {
	if v == FormatDefault(s) {
		return dst
	}
	dst = append(dst, " format:"...)
	if HasUnifiedFormat(s) {
		if name := ufmtName(s, v); name != "" {
			return append(append(append(dst, '['), name...), ']')
		}
		return appendDec(dst, v)
	}
	dfmt, nfmt := v&15, v>>4&7
	dst = append(dst, '[')
	if dfmt != dfmtDefault {
		dst = append(dst, dfmtNames[dfmt]...)
		if nfmt != nfmtDefault {
			dst = append(dst, ',')
		}
	}
	if nfmt != nfmtDefault {
		dst = append(dst, symName(nfmtNames, s, nfmt)...)
	}
	return append(dst, ']')
}
