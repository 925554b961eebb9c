package isa

// hwregNames lists the hardware registers of s_getreg and s_setreg. The first
// name of an id on a set is printed, the others are aliases. Source: LLVM,
// AMDGPUAsmUtils.cpp, namespace Hwreg; as llvm-mc 22 prints them.
var hwregNames = []symRow{
	{"HW_REG_WAVE_MODE", 1, SinceGFX1200},
	{"HW_REG_WAVE_STATUS", 2, SinceGFX1200},
	{"HW_REG_WAVE_STATE_PRIV", 4, SinceGFX1200},
	{"HW_REG_WAVE_GPR_ALLOC", 5, SinceGFX1200},
	{"HW_REG_WAVE_LDS_ALLOC", 6, SinceGFX1200},
	{"HW_REG_MODE", 1, onAll},
	{"HW_REG_STATUS", 2, onAll},
	{"HW_REG_TRAPSTS", 3, onBeforeGFX12},
	{"HW_REG_HW_ID", 4, onBeforeGFX10},
	{"HW_REG_GPR_ALLOC", 5, onAll},
	{"HW_REG_LDS_ALLOC", 6, onAll},
	{"HW_REG_IB_STS", 7, onAll},
	{"HW_REG_PERF_SNAPSHOT_DATA", 10, SinceGFX1200},
	{"HW_REG_PERF_SNAPSHOT_PC_LO", 11, SinceGFX1200},
	{"HW_REG_PERF_SNAPSHOT_PC_HI", 12, SinceGFX1200},
	{"HW_REG_SH_MEM_BASES", 15, SinceGFX900 &^ SinceGFX1200},
	{"HW_REG_PERF_SNAPSHOT_DATA1", 15, SinceGFX1200},
	{"HW_REG_TBA_LO", 16, onGFX9 | onGFX10},
	{"HW_REG_TBA_HI", 17, onGFX9 | onGFX10},
	{"HW_REG_TMA_LO", 18, onGFX9 | onGFX10},
	{"HW_REG_TMA_HI", 19, onGFX9 | onGFX10},
	{"HW_REG_PERF_SNAPSHOT_PC_LO", 18, onGFX11},
	{"HW_REG_PERF_SNAPSHOT_PC_HI", 19, onGFX11},
	{"HW_REG_PERF_SNAPSHOT_DATA2", 16, SinceGFX1200},
	{"HW_REG_WAVE_EXCP_FLAG_PRIV", 17, SinceGFX1200},
	{"HW_REG_WAVE_EXCP_FLAG_USER", 18, SinceGFX1200},
	{"HW_REG_WAVE_TRAP_CTRL", 19, SinceGFX1200},
	{"HW_REG_XCC_ID", 20, SinceGFX942},
	{"HW_REG_SQ_PERF_SNAPSHOT_DATA", 21, SinceGFX942},
	{"HW_REG_SQ_PERF_SNAPSHOT_DATA1", 22, SinceGFX942},
	{"HW_REG_SQ_PERF_SNAPSHOT_PC_LO", 23, SinceGFX942},
	{"HW_REG_SQ_PERF_SNAPSHOT_PC_HI", 24, SinceGFX942},
	{"HW_REG_FLAT_SCR_LO", 20, onGFX10 | onGFX11},
	{"HW_REG_FLAT_SCR_HI", 21, onGFX10 | onGFX11},
	{"HW_REG_WAVE_SCRATCH_BASE_LO", 20, SinceGFX1200},
	{"HW_REG_WAVE_SCRATCH_BASE_HI", 21, SinceGFX1200},
	{"HW_REG_XNACK_MASK", 22, onGFX101},
	{"HW_REG_WAVE_HW_ID1", 23, SinceGFX1200},
	{"HW_REG_WAVE_HW_ID2", 24, SinceGFX1200},
	{"HW_REG_HW_ID1", 23, SinceGFX1010},
	{"HW_REG_HW_ID2", 24, SinceGFX1010},
	{"HW_REG_POPS_PACKER", 25, onGFX10},
	{"HW_REG_WAVE_SCHED_MODE", 26, SinceGFX1200},
	{"HW_REG_PERF_SNAPSHOT_DATA", 27, onGFX11},
	{"HW_REG_IB_STS2", 28, SinceGFX1250},
	{"HW_REG_SHADER_CYCLES", 29, SinceGFX1030 &^ SinceGFX1200},
	{"HW_REG_SHADER_CYCLES_LO", 29, SinceGFX1200},
	{"HW_REG_SHADER_CYCLES_HI", 30, SinceGFX1200},
	{"HW_REG_WAVE_DVGPR_ALLOC_LO", 31, SinceGFX1200},
	{"HW_REG_WAVE_DVGPR_ALLOC_HI", 32, SinceGFX1200},
	{"HW_REG_XNACK_STATE_PRIV", 33, SinceGFX1250},
	{"HW_REG_XNACK_MASK", 34, SinceGFX1250},

	// Aliases that are accepted and never printed.
	{"HW_REG_HW_ID", 23, onGFX10},
	{"HW_REG_STATE_PRIV", 4, SinceGFX1200},
	{"HW_REG_EXCP_FLAG_PRIV", 17, SinceGFX1200},
	{"HW_REG_EXCP_FLAG_USER", 18, SinceGFX1200},
	{"HW_REG_TRAP_CTRL", 19, SinceGFX1200},
	{"HW_REG_SCRATCH_BASE_LO", 20, SinceGFX1200},
	{"HW_REG_SCRATCH_BASE_HI", 21, SinceGFX1200},
	{"HW_REG_DVGPR_ALLOC_LO", 31, SinceGFX1200},
	{"HW_REG_DVGPR_ALLOC_HI", 32, SinceGFX1200},
}

// HwregField is one part of a hwreg operand, in the order of the macro
// hwreg(id, offset, size). {id: …, offset: …, size: …} names the parts.
type HwregField uint8

const (
	HwregID     HwregField = iota // number of the register
	HwregOffset                   // first bit, 0 to 31
	HwregSize                     // number of bits, 1 to 32
)

// hwregFields lists for each part its name in the structured form, its name in
// errors, its default, and its range. The operand is simm16 = id in bits 5:0,
// offset in 10:6, size-1 in 15:11.
var hwregFields = [...]struct {
	name, label string
	def         uint32
	min, max    int64
	problem     string
}{
	HwregID:     {"id", "hardware register", 0, 0, 63, "only 6-bit values are legal"},
	HwregOffset: {"offset", "bit offset", 0, 0, 31, "only 5-bit values are legal"},
	HwregSize:   {"size", "bitfield width", 32, 1, 32, "only values from 1 to 32 are legal"},
}

// HwregFieldByName looks up a field name of the structured form.
func HwregFieldByName(name []byte) (HwregField, Status) {
	for f := range hwregFields {
		if string(name) == hwregFields[f].name {
			return HwregField(f), Found
		}
	}
	return 0, Unknown
}

// Default returns the value of a field that is not written: 0, 0 and 32.
func (f HwregField) Default() uint32 { return hwregFields[f].def }

// String returns the name of the field in errors, such as "bit offset".
func (f HwregField) String() string { return hwregFields[f].label }

// CheckHwregField describes the error in a field's value: "only 5-bit values
// are legal". LLVM writes "invalid " + f.String() + ": " before it.
func CheckHwregField(f HwregField, v int64) (problem string) {
	if d := &hwregFields[f]; v < d.min || v > d.max {
		return d.problem
	}
	return ""
}

// HwregByName returns the id of a hardware register.
func HwregByName(s Set, name []byte) (id uint32, st Status) {
	return symByName(hwregNames, s, name)
}

// HwregName returns the printed name of a hardware register, "" when it has none.
func HwregName(s Set, id uint32) string { return symName(hwregNames, s, id) }

// EncodeHwreg puts the fields together; they must be in range.
func EncodeHwreg(id, offset, size uint32) uint32 {
	return id | offset<<6 | (size-1)<<11
}

// DecodeHwreg takes simm16 apart; size is 1 to 32.
func DecodeHwreg(v uint32) (id, offset, size uint32) {
	return v & 63, v >> 6 & 31, v>>11&31 + 1
}

// AppendHwreg appends hwreg(HW_REG_MODE) or hwreg(HW_REG_MODE, 4, 1): offset
// and size are left out when they are 0 and 32, an id without name is a number.
func AppendHwreg(dst []byte, s Set, v uint32) []byte {
	id, offset, size := DecodeHwreg(v)
	dst = append(dst, "hwreg("...)
	if name := HwregName(s, id); name != "" {
		dst = append(dst, name...)
	} else {
		dst = appendDec(dst, id)
	}
	if offset != HwregOffset.Default() || size != HwregSize.Default() {
		dst = appendDec(append(dst, ", "...), offset)
		dst = appendDec(append(dst, ", "...), size)
	}
	return append(dst, ')')
}
