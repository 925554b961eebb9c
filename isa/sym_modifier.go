package isa

// Modifiers that are a name alone, a name and a number, or a name and one of a
// few words.

// Modifier is a modifier written name:number.
type Modifier uint8

// Modifiers written name:number, in the order of the table of names.
const (
	ModDMask Modifier = iota
	ModOffset0
	ModOffset1
	ModRowMask
	ModBankMask
	ModBoundCtrl
	ModFI
	ModCBSZ
	ModABID
	ModBLGP
	ModIndexKey
	ModWaitVDst
	ModWaitVAVDst
	ModWaitVMVSrc
	ModWaitExp
	ModByteSel
	ModBitOp3
	ModScaleSel
	numModifiers = iota
)

// modifiers lists the modifiers: the width of the number in bits, whether it is
// printed in hexadecimal, and whether 0 is printed too (the default of
// row_mask and bank_mask is 15, of the others 0). A number may be narrower for
// some instructions.
// Source: LLVM, SIInstrInfo.td, NamedIntOperand; AMDGPUInstPrinter.cpp.
var modifiers = [numModifiers]struct {
	name        string
	bits        uint8
	hex, always bool
}{
	ModDMask:      {"dmask", 4, true, false},
	ModOffset0:    {"offset0", 8, false, false},
	ModOffset1:    {"offset1", 8, false, false},
	ModRowMask:    {"row_mask", 4, true, true},
	ModBankMask:   {"bank_mask", 4, true, true},
	ModBoundCtrl:  {"bound_ctrl", 1, false, false},
	ModFI:         {"fi", 1, false, false},
	ModCBSZ:       {"cbsz", 3, false, false},
	ModABID:       {"abid", 4, false, false},
	ModBLGP:       {"blgp", 3, false, false},
	ModIndexKey:   {"index_key", 2, false, false},
	ModWaitVDst:   {"wait_vdst", 4, false, true},
	ModWaitVAVDst: {"wait_va_vdst", 4, false, true},
	ModWaitVMVSrc: {"wait_vm_vsrc", 1, false, true},
	ModWaitExp:    {"wait_exp", 3, false, true},
	ModByteSel:    {"byte_sel", 2, false, false},
	ModBitOp3:     {"bitop3", 8, false, false},
	ModScaleSel:   {"scale_sel", 4, false, false},
}

// ModifierByName looks up a modifier written name:number.
func ModifierByName(name []byte) (m Modifier, st Status) {
	for i := range modifiers {
		if string(name) == modifiers[i].name {
			return Modifier(i), Found
		}
	}
	return 0, Unknown
}

// String returns the modifier's name.
func (m Modifier) String() string { return modifiers[m].name }

// Default returns the number of a modifier that is not written.
func (m Modifier) Default() uint32 {
	if m == ModRowMask || m == ModBankMask {
		return 15
	}
	return 0
}

// Fits reports whether a number can be encoded; LLVM's error is "invalid cbsz
// value." For bitop3 only the low 8 bits of a number count. (LLVM accepts wrong
// numbers of row_mask, bank_mask and fi, and encodes nonsense.)
func (m Modifier) Fits(v int64) bool {
	return m == ModBitOp3 || v >= 0 && v>>modifiers[m].bits == 0
}

// AppendModifier appends " dmask:0xf", " cbsz:2" …; nothing for 0, but of the
// masks and waits. bitop3 is in hexadecimal above 10.
func AppendModifier(dst []byte, m Modifier, v uint32) []byte {
	d := &modifiers[m]
	if v == 0 && !d.always {
		return dst
	}
	dst = append(append(append(dst, ' '), d.name...), ':')
	if d.hex || m == ModBitOp3 && v > 10 {
		return appendHex(dst, v)
	}
	return appendDec(dst, v)
}

// AppendBitList appends " neg:[0,1,1]": the n low bits of v, the lowest first.
func AppendBitList(dst []byte, name string, v uint32, n int) []byte {
	dst = append(append(append(dst, ' '), name...), ':', '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '0'+byte(v>>i&1))
	}
	return append(dst, ']')
}

// Flag is a modifier that is a name alone.
type Flag uint8

// Modifiers that are a name alone, in the order of the table of names.
const (
	FlagOffen Flag = iota
	FlagIdxen
	FlagAddr64
	FlagLDS
	FlagTFE
	FlagLWE
	FlagD16
	FlagUnorm
	FlagDA
	FlagR128
	FlagA16
	FlagGDS
	FlagClamp
	FlagHigh
	FlagCompr
	FlagVM
	FlagDone
	FlagRowEn
	FlagMatrixAReuse
	FlagMatrixBReuse
	numFlags = iota
)

// flags lists the flags; those with no may be written with "no" before the
// name. Which sets and instructions have a flag is for the instruction table.
var flags = [numFlags]struct {
	name string
	no   bool
}{
	FlagOffen:        {"offen", false},
	FlagIdxen:        {"idxen", false},
	FlagAddr64:       {"addr64", false},
	FlagLDS:          {"lds", false},
	FlagTFE:          {"tfe", true},
	FlagLWE:          {"lwe", true},
	FlagD16:          {"d16", true},
	FlagUnorm:        {"unorm", true},
	FlagDA:           {"da", true},
	FlagR128:         {"r128", true},
	FlagA16:          {"a16", true},
	FlagGDS:          {"gds", true},
	FlagClamp:        {"clamp", true},
	FlagHigh:         {"high", true},
	FlagCompr:        {"compr", true},
	FlagVM:           {"vm", true},
	FlagDone:         {"done", false},
	FlagRowEn:        {"row_en", false},
	FlagMatrixAReuse: {"matrix_a_reuse", true},
	FlagMatrixBReuse: {"matrix_b_reuse", true},
}

// FlagByName looks up a flag, or one with "no" before it: then clear is true.
func FlagByName(name []byte) (f Flag, clear bool, st Status) {
	plain, no := cut(name, "no")
	for i := range flags {
		d := &flags[i]
		if string(name) == d.name {
			return Flag(i), false, Found
		}
		if no && d.no && string(plain) == d.name {
			return Flag(i), true, Found
		}
	}
	return 0, false, Unknown
}

// String returns the flag's name.
func (f Flag) String() string { return flags[f].name }

// omods lists the output modifiers: their texts and 2-bit values. The last row
// of a value is printed; 0 is not.
var omods = []struct {
	name  string
	num   int64
	value uint32
}{
	{"mul", 1, 0},
	{"div", 1, 0},
	{"mul", 2, 1},
	{"mul", 4, 2},
	{"div", 2, 3},
}

// OModByName returns the value of mul:2, mul:4, div:2, mul:1 or div:1.
func OModByName(name []byte, n int64) (v uint32, st Status) {
	for i := range omods {
		if string(name) != omods[i].name {
			continue
		}
		if n == omods[i].num {
			return omods[i].value, Found
		}
		st = BadValue
	}
	return 0, st
}

// AppendOMod appends " mul:2", " mul:4" or " div:2"; nothing for 0.
func AppendOMod(dst []byte, v uint32) []byte {
	if v == 0 {
		return dst
	}
	o := &omods[v+1]
	return append(append(append(dst, ' '), o.name...), ':', '0'+byte(o.num))
}

// Values of the matrix modifiers of gfx12.5: matrix_a_fmt and matrix_b_fmt,
// matrix_a_scale and …, matrix_a_scale_fmt and ….
// Source: LLVM, SIDefines.h, namespace WMMA.
var (
	matrixFmts      = []string{"MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"}
	matrixScales    = []string{"MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"}
	matrixScaleFmts = []string{"MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3"}
)

// MatrixModifier is a modifier of matrix instructions with named values.
type MatrixModifier uint8

// Formats and scales of the matrices A and B, named as in the text.
const (
	MatrixAFmt MatrixModifier = iota
	MatrixBFmt
	MatrixAScale
	MatrixBScale
	MatrixAScaleFmt
	MatrixBScaleFmt
	numMatrixModifiers = iota
)

var matrixModifiers = [numMatrixModifiers]struct {
	name   string
	values *[]string
}{
	MatrixAFmt:      {"matrix_a_fmt", &matrixFmts},
	MatrixBFmt:      {"matrix_b_fmt", &matrixFmts},
	MatrixAScale:    {"matrix_a_scale", &matrixScales},
	MatrixBScale:    {"matrix_b_scale", &matrixScales},
	MatrixAScaleFmt: {"matrix_a_scale_fmt", &matrixScaleFmts},
	MatrixBScaleFmt: {"matrix_b_scale_fmt", &matrixScaleFmts},
}

// String returns the modifier's name.
func (m MatrixModifier) String() string { return matrixModifiers[m].name }

// NumValues returns the number of values, which may also be written as numbers
// from 0.
func (m MatrixModifier) NumValues() int { return len(*matrixModifiers[m].values) }

// MatrixValueByName returns a modifier's value, such as MATRIX_FMT_BF8.
func MatrixValueByName(m MatrixModifier, name []byte) (v uint32, st Status) {
	return indexOf(*matrixModifiers[m].values, name)
}

// AppendMatrix appends " matrix_a_fmt:MATRIX_FMT_BF8", a value without name as
// a number; nothing for 0.
func AppendMatrix(dst []byte, m MatrixModifier, v uint32) []byte {
	if v == 0 {
		return dst
	}
	d := &matrixModifiers[m]
	dst = append(append(append(dst, ' '), d.name...), ':')
	if v < uint32(len(*d.values)) {
		return append(dst, (*d.values)[v]...)
	}
	return appendDec(dst, v)
}
