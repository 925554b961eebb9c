package sim

import (
	"fmt"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Tests of hardware registers, MODE and relative registers. Sources: AMD's ISA
// documents, "Hardware registers", "Mode register", SOPK; Vega ISA, "VGPR
// indexing".

func TestSetreg(t *testing.T) {
	const begin = "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x3f0\n"
	runFlow(t, []flowTest{
		{name: "whole", text: begin + "s_getreg_b32 s10, hwreg(HW_REG_MODE)", want: "mode = 0x3f0; s10 = 0x3f0"},
		{name: "field", text: begin + "s_mov_b32 s11, 0xfffffffe\ns_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s11\ns_getreg_b32 s10, hwreg(HW_REG_MODE, 2, 3)", want: "mode = 0x3f8; s10 = 6"},
		{name: "field of a literal", text: begin + "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x13", want: "mode = 0x330"},
		{name: "one bit", text: begin + "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\ns_getreg_b32 s10, hwreg(HW_REG_MODE, 8, 1)", want: "mode = 0x1f0; s10 = 1"},
		{name: "beyond the end", text: begin + "s_getreg_b32 s10, hwreg(HW_REG_MODE, 8, 32)", want: "s10 = 3"},
		{name: "status", text: "s_cmp_eq_u32 0, 0\ns_mov_b64 vcc, 0\ns_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0\ns_getreg_b32 s10, hwreg(HW_REG_STATUS, 0, 1)\n" +
			"s_getreg_b32 s11, hwreg(HW_REG_STATUS, 9, 2)\ns_mov_b64 exec, 0\ns_getreg_b32 s12, hwreg(HW_REG_STATUS, 9, 2)\ns_getreg_b32 s13, hwreg(HW_REG_STATUS, 16, 1)",
			want: "s10 = 1; s11 = 2; s12 = 3; s13 = 1"},
		{name: "trapsts", text: "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0x5a\ns_getreg_b32 s10, hwreg(HW_REG_TRAPSTS, 1, 4)", want: "s10 = 13"},
		{name: "gpr alloc", cpus: "gfx900", text: "s_getreg_b32 s10, hwreg(HW_REG_GPR_ALLOC, 8, 6)\ns_getreg_b32 s11, hwreg(HW_REG_GPR_ALLOC, 24, 4)", want: "s10 = 63; s11 = 6"},
		{name: "apertures", cpus: "gfx900 gfx90a gfx942 gfx1010 gfx1030 gfx1100", want: fmt.Sprintf("s10 = %d; s11 = %d", device.GroupAperture>>48, device.PrivateAperture>>48),
			text: "s_getreg_b32 s10, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\ns_getreg_b32 s11, hwreg(HW_REG_SH_MEM_BASES, 0, 16)"},
		{name: "aperture operands", cpus: "gfx900 gfx90a gfx942 gfx1010 gfx1030 gfx1100", want: fmt.Sprintf("s11 = %d; s13 = %d; s15 = %d; s14 = 0xffffffff; s16 = 0",
			device.GroupAperture>>32, device.PrivateAperture>>32, device.GroupAperture>>32),
			text: "s_mov_b64 s[10:11], src_shared_base\ns_mov_b64 s[12:13], src_private_base\ns_mov_b64 s[14:15], src_shared_limit\ns_mov_b32 s16, src_shared_base"},
		{name: "flat scratch", cpus: "gfx1010 gfx1030 gfx1100", want: "s10 = 0x12345678; s11 = 0xab", text: "s_mov_b32 s12, 0x12345678\ns_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s12\n" +
			"s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI, 0, 8), 0x1ab\ns_getreg_b32 s10, hwreg(HW_REG_FLAT_SCR_LO)\ns_getreg_b32 s11, hwreg(HW_REG_FLAT_SCR_HI, 0, 8)"},
	})
}

// TestModeEffects checks that a MODE change applies to the next instruction.
func TestModeEffects(t *testing.T) {
	const sum = "v_mov_b32 v1, 1.0\nv_mov_b32 v2, 0x33000000\nv_add_f32 v3, v1, v2\nv_mul_f32 v4, 0x40, v1\n" // 1 + 2⁻²⁵, a denormal
	modern := "gfx1010 gfx1030 gfx1100"
	var tests []flowTest
	for round, v := range []uint32{0x3f800000, 0x3f800001, 0x3f800000, 0x3f800000} {
		tests = append(tests,
			flowTest{name: fmt.Sprint("setreg/", round), text: fmt.Sprintf("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), %#x\n%s", 0xf0|round, sum), want: fmt.Sprintf("v3.0 = %d; v4.0 = 0x40", v)},
			flowTest{name: fmt.Sprint("round_mode/", round), cpus: modern, text: fmt.Sprintf("s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x30f\ns_round_mode %#x\n%s", 0xc|round, sum),
				want: fmt.Sprintf("v3.0 = %d; v4.0 = 0; mode = %d", v, 0x30c|round)})
	}
	tests = append(tests, flowTest{name: "denorm_mode", cpus: modern, text: "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x305\ns_denorm_mode 0x3\n" + sum, want: "v4.0 = 0x40; mode = 0x335"})
	runFlow(t, tests)
}

func TestScalarRelative(t *testing.T) {
	const begin = "s_mov_b32 s20, 20\ns_mov_b32 s21, 21\ns_mov_b32 s22, 22\ns_mov_b32 s23, 23\ns_mov_b32 s0, 77\ns_mov_b32 s1, 78\ns_mov_b32 s10, 0\ns_mov_b32 s11, 0\n"
	runFlow(t, []flowTest{
		{name: "source", text: begin + "s_mov_b32 m0, 3\ns_movrels_b32 s10, s20", want: "s10 = 23"},
		{name: "source back", text: begin + "s_mov_b32 m0, 0xfffffffe\ns_movrels_b32 s10, s22", want: "s10 = 20"},
		{name: "source pair", text: begin + "s_mov_b32 m0, 2\ns_movrels_b64 s[10:11], s[20:21]", want: "s10 = 22; s11 = 23"},
		{name: "destination", text: begin + "s_mov_b32 m0, 1\ns_movreld_b32 s20, s23", want: "s20 = 20; s21 = 23"},
		{name: "destination pair", text: begin + "s_mov_b32 m0, 2\ns_movreld_b64 s[20:21], s[0:1]", want: "s20 = 20; s21 = 21; s22 = 77; s23 = 78"},
		{name: "source out of range", text: begin + "s_mov_b32 m0, 0x1000\ns_movrels_b32 s10, s20", want: "s10 = 77"},
		{name: "destination out of range", text: begin + "s_mov_b32 m0, 0x1000\ns_movreld_b32 s20, s23", want: "s20 = 20; s0 = 77"},
		{name: "both", cpus: "gfx1010 gfx1030 gfx1100", text: begin + "s_mov_b32 m0, 0x20003\ns_movrelsd_2_b32 s20, s20", want: "s20 = 20; s22 = 23; s23 = 23"},
	})
}

// vgprs sets v0 to values identifying each register up to v9.
const vgprs = "v_mov_b32 v0, 100\nv_mov_b32 v1, 1\nv_mov_b32 v2, 2\nv_mov_b32 v3, 3\nv_mov_b32 v4, 4\nv_mov_b32 v5, 5\nv_mov_b32 v6, 6\nv_mov_b32 v7, 7\ns_mov_b64 vcc, 0\n"

func TestVGPRIndexing(t *testing.T) {
	const gfx9 = "gfx900 gfx90a gfx942"
	begin := vgprs + "s_mov_b32 s10, 0x102\ns_mov_b32 m0, 0x5a5a0f00\n" // only the low byte of the index is used
	off := "\ns_set_gpr_idx_off\n"
	runFlow(t, []flowTest{
		{name: "m0", cpus: "gfx803 gfx900", text: begin + "s_set_gpr_idx_on s10, gpr_idx(SRC1,DST)" + off, want: "m0 = 0x5a5aaf02"},
		{name: "m0/idx", cpus: "gfx803 gfx900", text: begin + "s_set_gpr_idx_idx s10", want: "m0 = 0x5a5a0f02"},
		{name: "m0/mode", cpus: "gfx803 gfx900", text: begin + "s_set_gpr_idx_mode gpr_idx(SRC0,SRC2)\nv_mov_b32 v5, v1", want: "m0 = 0x5a5a5f00; v5.0 = 1"},
		{name: "src0", cpus: "gfx803 " + gfx9, text: begin + "s_set_gpr_idx_on s10, gpr_idx(SRC0)\nv_mov_b32 v6, v1\nv_lshlrev_b32 v7, v1, v2" + off + "v_mov_b32 v5, v1", want: "v6.0 = 3; v5.0 = 1; v7.0 = 16"},
		{name: "dst", cpus: "gfx803 " + gfx9, text: begin + "s_set_gpr_idx_on s10, gpr_idx(DST)\nv_mov_b32 v4, v1" + off, want: "v4.0 = 4; v6.0 = 1"},
		{name: "all", cpus: gfx9, text: begin + "s_set_gpr_idx_on s10, gpr_idx(SRC0,SRC1,SRC2,DST)\nv_add3_u32 v5, v1, v2, v4" + off, want: "v5.0 = 5; v7.0 = 13"},
		{name: "idle", cpus: gfx9, text: begin + "s_set_gpr_idx_on s10, gpr_idx(SRC0)\ns_set_gpr_idx_idx 4\ns_set_gpr_idx_mode gpr_idx(SRC1)\nv_add_u32 v7, v1, v2" + off, want: "v7.0 = 7"},
		{name: "tied", cpus: "gfx900", text: begin + "v_mov_b32 v4, 1.0\nv_mov_b32 v6, 2.0\ns_set_gpr_idx_on s10, gpr_idx(DST)\nv_mac_f32 v4, 1.0, v4" + off, want: "v4.0 = 0x3f800000; v6.0 = 0x40400000"},
		{name: "mode bit", cpus: gfx9, text: begin + "s_mov_b32 m0, 0x1002\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1\nv_mov_b32 v7, v1\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 0\nv_mov_b32 v6, v1", want: "v7.0 = 3; v6.0 = 1"},
		{name: "out of range", cpus: gfx9, text: begin + "s_set_gpr_idx_on 255, gpr_idx(SRC0)\nv_mov_b32 v7, v1\ns_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v6, v2" + off, want: "v7.0 = 100; v6.0 = 6"},
		{name: "pairs", cpus: "gfx900", text: begin + "s_set_gpr_idx_on s10, gpr_idx(SRC1)\nv_lshlrev_b64 v[6:7], 4, v[1:2]" + off, want: "v6.0 = 0x30; v7.0 = 0x40"},
	})
}

func TestRelativeVGPRs(t *testing.T) {
	begin := vgprs + "s_mov_b32 m0, 2\n"
	with := "gfx803 gfx1010 gfx1030 gfx1100"
	only10 := "gfx1010 gfx1030 gfx1100"
	runFlow(t, []flowTest{
		{name: "source", cpus: with, text: begin + "v_movrels_b32 v7, v1", want: "v7.0 = 3"},
		{name: "destination", cpus: with, text: begin + "v_movreld_b32 v4, v1", want: "v4.0 = 4; v6.0 = 1"},
		{name: "destination of a scalar", cpus: with, text: begin + "v_movreld_b32 v4, 1.0", want: "v6.0 = 0x3f800000"},
		{name: "both", cpus: with, text: begin + "v_movrelsd_b32 v4, v1", want: "v6.0 = 3"},
		{name: "each", cpus: only10, text: begin + "s_mov_b32 m0, 0x30001\nv_movrelsd_2_b32 v4, v1", want: "v7.0 = 2"},
		{name: "swap", cpus: only10, text: begin + "s_mov_b32 m0, 0x30001\nv_swaprel_b32 v4, v1", want: "v7.0 = 2; v2.0 = 7"},
		{name: "out of range", cpus: with, text: begin + "s_mov_b32 m0, 0x1ff\nv_movrels_b32 v7, v1\nv_movreld_b32 v6, v2", want: "v7.0 = 100; v6.0 = 6; v0.0 = 100"},
	})
}

func TestVSkip(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a"} {
		if set, _ := isaSet(cpu); !hasInstruction("s_setvskip", set) {
			continue
		}
		r := kernelTest{cpu: cpu, buffers: [][]byte{dwords(1, 2)}, text: `
			s_load_dwordx2 s[20:21], s[0:1], 0x0
			s_waitcnt lgkmcnt(0)
			v_mov_b32 v2, s20
			v_mov_b32 v3, s21
			v_mov_b32 v4, 9
			s_mov_b32 s10, 4
			s_mov_b32 s11, 1
			s_setvskip s10, 34 // bit 2
			v_mov_b32 v1, 5
			flat_store_dword v[2:3], v4
			v_readfirstlane_b32 s11, v4
			s_mov_b32 s12, 6
			s_setvskip s10, 0
			v_mov_b32 v5, 7
		`, setup: func(w *wave) { w.v[w.lanes] = 3 }}.run(t)
		if r.v(1, 0) != 3 || r.s(12) != 6 || r.v(5, 0) != 7 || r.words(0)[0] != 1 || r.s(11) != 1 {
			t.Errorf("%s: v1 = %d, s12 = %d, v5 = %d, memory %d, s11 = %d", cpu, r.v(1, 0), r.s(12), r.v(5, 0), r.words(0)[0], r.s(11))
		}
	}
}

func hasInstruction(name string, s isa.Set) bool {
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Name() == name && e.Sets().Has(s) {
			return true
		}
	}
	return false
}
