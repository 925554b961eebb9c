package isa

// Data-parallel primitives (DPP) and sub-dword addressing (SDWA).

// dppCtrl is a form of the 9-bit dpp_ctrl: values first to first+(hi-lo). A
// form with hi > 0 is written name:N with N from lo to hi, step apart.
type dppCtrl struct {
	name         string
	first        uint32
	lo, hi, step int64
	sets         SetMask
	gone         string // the disassembler's text on sets without the control
}

const (
	dppGoneNewBcast = " /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */"
	dppGoneXMask    = "/* row_xmask is not supported on ASICs earlier than GFX10 */"
	dppGoneBcast    = "/* row_bcast is not supported starting from GFX10 */"
	dppInvalid      = "/* Invalid dpp_ctrl value */"

	dppShareFirst, dppShareLast = 0x150, 0x15f
)

// dppCtrls lists the forms but quad_perm, which is 0 to 0xff.
// Source: LLVM, SIDefines.h, namespace DPP; AMDGPUInstPrinter.cpp, printDPPCtrl;
// AMDGPUAsmParser.cpp, isSupportedDPPCtrl and parseDPPCtrlSel.
var dppCtrls = [...]dppCtrl{
	{"row_shl", 0x101, 1, 15, 1, onAll, ""},
	{"row_shr", 0x111, 1, 15, 1, onAll, ""},
	{"row_ror", 0x121, 1, 15, 1, onAll, ""},
	{"wave_shl", 0x130, 1, 1, 1, onGFX8 | onGFX9, "/* wave_shl is not supported starting from GFX10 */"},
	{"wave_rol", 0x134, 1, 1, 1, onGFX8 | onGFX9, "/* wave_rol is not supported starting from GFX10 */"},
	{"wave_shr", 0x138, 1, 1, 1, onGFX8 | onGFX9, "/* wave_shr is not supported starting from GFX10 */"},
	{"wave_ror", 0x13c, 1, 1, 1, onGFX8 | onGFX9, "/* wave_ror is not supported starting from GFX10 */"},
	{"row_mirror", 0x140, 0, 0, 1, onAll, ""},
	{"row_half_mirror", 0x141, 0, 0, 1, onAll, ""},
	{"row_bcast", 0x142, 15, 31, 16, onGFX8 | onGFX9, dppGoneBcast},
	{"row_newbcast", dppShareFirst, 0, 15, 1, SinceGFX90A, dppGoneNewBcast},
	{"row_share", dppShareFirst, 0, 15, 1, SinceGFX1010, dppGoneNewBcast},
	{"row_xmask", 0x160, 0, 15, 1, SinceGFX1010, dppGoneXMask},
}

const quadPerm = "quad_perm"

// last returns the highest value of a form.
func (d *dppCtrl) last() uint32 { return d.first + uint32((d.hi-d.lo)/d.step) }

// DPPCtrlTakesArg reports whether a colon and a number follow a name, or
// (quad_perm) a colon and a list of four.
func DPPCtrlTakesArg(name []byte) (number, list bool) {
	if string(name) == quadPerm {
		return false, true
	}
	for i := range dppCtrls {
		if string(name) == dppCtrls[i].name {
			return dppCtrls[i].hi > 0, false
		}
	}
	return false, false
}

// DPPCtrlByName returns the 9-bit value of a name and the number after it,
// which is ignored for a name without one. BadValue means that the number is
// out of the name's range. The result for quad_perm is Found and 0.
func DPPCtrlByName(s Set, name []byte, arg int64) (v uint32, st Status) {
	if string(name) == quadPerm {
		return 0, Found
	}
	for i := range dppCtrls {
		d := &dppCtrls[i]
		if string(name) != d.name {
			continue
		}
		switch {
		case !d.sets.Has(s):
			return 0, NotSupported
		case d.hi == 0:
			return d.first, Found
		case arg < d.lo || arg > d.hi || (arg-d.lo)%d.step != 0:
			return 0, BadValue
		}
		return d.first + uint32((arg-d.lo)/d.step), Found
	}
	return 0, Unknown
}

// EncodeQuadPerm returns the value of quad_perm:[a,b,c,d]; ok is false when a
// lane is not 0 to 3.
func EncodeQuadPerm(lanes [4]int64) (v uint32, ok bool) {
	for i, l := range lanes {
		if l < 0 || l > 3 {
			return 0, false
		}
		v |= uint32(l) << (2 * i)
	}
	return v, true
}

// CheckDPPCtrl reports why an instruction of the double-precision ALU (dpALU)
// cannot have a dpp_ctrl value: it has row_newbcast only, on gfx12 row_share.
func CheckDPPCtrl(s Set, v uint32, dpALU bool) (problem string) {
	switch {
	case !dpALU || dppShareFirst <= v && v <= dppShareLast:
		return ""
	case SinceGFX1200.Has(s):
		return "DP ALU dpp only supports row_share"
	}
	return "DP ALU dpp only supports row_newbcast"
}

// AppendDPPCtrl appends quad_perm:[0,1,2,3], row_shl:1, row_mirror …, or LLVM's
// comment for a value that the set or the instruction does not have.
func AppendDPPCtrl(dst []byte, s Set, v uint32, dpALU bool) []byte {
	if problem := CheckDPPCtrl(s, v, dpALU); problem != "" {
		return append(append(append(dst, " /* "...), problem...), " */"...)
	}
	if v <= 0xff {
		return append(dst, 'q', 'u', 'a', 'd', '_', 'p', 'e', 'r', 'm', ':', '[',
			'0'+byte(v&3), ',', '0'+byte(v>>2&3), ',', '0'+byte(v>>4&3), ',', '0'+byte(v>>6), ']')
	}
	text := dppInvalid
	for i := range dppCtrls {
		d := &dppCtrls[i]
		if v < d.first || v > d.last() {
			continue
		}
		if d.sets.Has(s) {
			dst = append(dst, d.name...)
			if d.hi == 0 {
				return dst
			}
			return appendDec(append(dst, ':'), uint32(d.lo+int64(v-d.first)*d.step))
		}
		text = d.gone
	}
	return append(dst, text...)
}

// EncodeDPP8 returns the 24-bit value of dpp8:[…]; ok is false when a lane is not
// 0 to 7.
func EncodeDPP8(lanes [8]int64) (v uint32, ok bool) {
	for i, l := range lanes {
		if l < 0 || l > 7 {
			return 0, false
		}
		v |= uint32(l) << (3 * i)
	}
	return v, true
}

// AppendDPP8 appends dpp8:[7,6,5,4,3,2,1,0].
func AppendDPP8(dst []byte, v uint32) []byte {
	dst = append(dst, "dpp8:["...)
	for i := 0; i < 8; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '0'+byte(v>>(3*i)&7))
	}
	return append(dst, ']')
}

// The values of src0 that mark DPP8; the second one means fi:1.
const (
	DPP8FI0 = 0xe9
	DPP8FI1 = 0xea
)

// DPPBoundCtrl returns the bit of bound_ctrl:N. Before gfx11 both 0 and 1 set it,
// from gfx11 on N is the bit. It is printed as bound_ctrl:1 when set.
func DPPBoundCtrl(s Set, n int64) (bit uint32, st Status) {
	switch {
	case n != 0 && n != 1:
		return 0, BadValue
	case onBeforeGFX11.Has(s):
		return 1, Found
	}
	return uint32(n), Found
}

// sdwaSels and sdwaUnused list the values of dst_sel, src0_sel, src1_sel and of
// dst_unused.
var (
	sdwaSels   = []string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"}
	sdwaUnused = []string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}
)

// Defaults of SDWA modifiers that are not written (they are always printed).
const (
	SDWASelDWord       = 6
	SDWAUnusedPreserve = 2
)

// SDWASelByName returns the value of BYTE_0 … DWORD. A number from 0 to 6 is
// accepted in its place.
func SDWASelByName(name []byte) (v uint32, st Status) { return indexOf(sdwaSels, name) }

// AppendSDWASel appends BYTE_0 … DWORD; ok is false for a value without name.
func AppendSDWASel(dst []byte, v uint32) (out []byte, ok bool) {
	if v >= uint32(len(sdwaSels)) {
		return dst, false
	}
	return append(dst, sdwaSels[v]...), true
}

// SDWAUnusedByName returns the value of UNUSED_PAD … A number from 0 to 2 is
// accepted in its place.
func SDWAUnusedByName(name []byte) (v uint32, st Status) { return indexOf(sdwaUnused, name) }

// AppendSDWAUnused appends UNUSED_PAD …; ok is false for a value without name.
func AppendSDWAUnused(dst []byte, v uint32) (out []byte, ok bool) {
	if v >= uint32(len(sdwaUnused)) {
		return dst, false
	}
	return append(dst, sdwaUnused[v]...), true
}
