package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

func TestCheckHazard(t *testing.T) {
	const check = device.CheckHazard
	runSeeds(t, []seed{
		// gfx8 and gfx9.
		{name: "SGPR for a buffer", check: check, cpu: "gfx803", at: "buffer_load_dword v1, off, s[4:7], s8", message: "vector memory reads it (s8): needs 5 wait states, has 3: insert s_nop 1",
			other: "v_readfirstlane_b32 s8, v0", text: pointer + `
s_mov_b32 s6, 0x1000
s_mov_b32 s7, 0x00027000
v_readfirstlane_b32 s8, v0
- s_nop 2
+ s_nop 4
buffer_load_dword v1, off, s[4:7], s8
s_waitcnt vmcnt(0)`},
		{name: "SGPR base", check: check, at: "global_load_dword v1, v2, s[6:7]", message: "(s6)", text: pointer + `
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, s4
s_mov_b32 s7, s5
v_readfirstlane_b32 s6, v3
+ s_nop 4
global_load_dword v1, v2, s[6:7]
s_waitcnt vmcnt(0)`},
		{name: "s_setreg", check: check, at: "s_getreg_b32 s4", message: "needs 2 wait states, has 0: insert s_nop 1", text: `
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
+ s_nop 1
s_getreg_b32 s4, hwreg(HW_REG_MODE)`},
		{name: "lane of v_readlane", check: check, at: "v_readlane_b32 s5, v1, s4", message: "(s4): needs 4 wait states", text: `
v_mov_b32_e32 v1, 3
v_readfirstlane_b32 s4, v1
- s_nop 2
+ s_nop 3
v_readlane_b32 s5, v1, s4`},
		{name: "v_div_fmas", check: check, cpu: "gfx803", at: "v_div_fmas_f32", message: "VALU writes VCC", text: `
v_mov_b32_e32 v1, 1.0
v_div_scale_f32 v2, vcc, v1, v1, v1
- s_nop 2
+ s_nop 3
v_div_fmas_f32 v3, v1, v1, v1`},
		{name: "wide store", check: check, at: "v_mov_b32_e32 v5, 0", message: "store of more than 64 bits, VALU writes its data (v5): needs 1 wait states", text: pointer + `
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v7, 0
global_store_dwordx4 v1, v[4:7], s[4:5]
+ s_nop 0
v_mov_b32_e32 v5, 0`},
		{name: "DPP", check: check, at: "v_mov_b32_dpp v2, v1", message: "DPP reads it from other lanes (v1): needs 2", text: `
v_mov_b32_e32 v1, 1
- s_nop 0
+ s_nop 1
v_mov_b32_dpp v2, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0`},
		{name: "DPP after v_cmpx", check: check, cpu: "gfx803", at: "v_mov_b32_dpp v2, v1", message: "VALU writes EXEC, then DPP", text: `
v_mov_b32_e32 v1, 1
v_cmpx_le_u32_e32 vcc, 0, v0
- s_nop 3
+ s_nop 4
v_mov_b32_dpp v2, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0`},
		{name: "VCCZ as data", check: check, at: "v_mov_b32_e32 v1, src_vccz", message: "VALU reads VCCZ or EXECZ (vcc_lo): needs 5 wait states, has 4", text: `
v_cmp_eq_u32_e32 vcc, 0, v0
- s_nop 3
+ s_nop 4
v_mov_b32_e32 v1, src_vccz`},
		{name: "M0 for s_movrel", check: check, at: "s_movrels_b32 s4, s5", message: "(m0)", text: `
s_mov_b32 s5, 0
s_mov_b32 m0, 0
+ s_nop 0
s_movrels_b32 s4, s5`},
		// gfx6 and gfx7.
		{name: "gfx6 VALU before scalar memory", check: check, cpu: "gfx600", at: "s_load_dword s8, s[6:7]", message: "scalar memory reads it (s6): needs 4 wait states, has 3", text: pointer + `
v_mov_b32_e32 v1, s4
s_mov_b32 s7, s5
v_readfirstlane_b32 s6, v1
- s_nop 2
+ s_nop 3
s_load_dword s8, s[6:7], 0x0
s_waitcnt lgkmcnt(0)`},
		{name: "gfx7 s_setreg twice", check: check, cpu: "gfx700", at: "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1", message: "needs 1 wait states, has 0", text: `
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
+ s_nop 0
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1`},
		{name: "gfx7 s_getreg", check: check, cpu: "gfx700", at: "s_getreg_b32", message: "needs 2 wait states, has 1", text: `
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
- s_nop 0
+ s_nop 1
s_getreg_b32 s4, hwreg(HW_REG_MODE)`},
		{name: "gfx7 wide store", check: check, cpu: "gfx700", at: "v_mov_b32_e32 v5, 0", message: "store of more than 64 bits, VALU writes its data (v5)", text: pointer + clearVGPRs(1, 7) + `
v_mov_b32_e32 v1, s4
v_mov_b32_e32 v2, s5
flat_store_dwordx4 v[1:2], v[4:7]
+ s_nop 0
v_mov_b32_e32 v5, 0`},
		// Matrix instructions.
		{name: "gfx908 v_accvgpr_read", check: check, cpu: "gfx908", at: "v_accvgpr_read_b32 v4, a0", message: "needs 18 wait states, has 17", other: "v_mfma_f32_32x32x1f32", text: accumulators(32) + `
v_mfma_f32_32x32x1f32 a[0:31], v0, v0, a[0:31]
s_nop 15
- s_nop 0
+ s_nop 1
v_accvgpr_read_b32 v4, a0`},
		{name: "gfx908 VALU writes A", check: check, cpu: "gfx908", at: "v_mfma_f32_4x4x1f32", message: "VALU writes a VGPR, a matrix instruction reads it (v1): needs 2", text: accumulators(4) + `
v_mov_b32_e32 v1, 1.0
- s_nop 0
+ s_nop 1
v_mfma_f32_4x4x1f32 a[0:3], v1, v0, a[0:3]`},
		{name: "gfx90a result", check: check, cpu: "gfx90a", at: "v_mov_b32_e32 v20, v5", message: "(v5): needs 11 wait states, has 10", text: clearVGPRs(2, 6) + `
s_nop 1
v_mfma_f32_16x16x4f32 v[2:5], v0, v0, v[2:5]
- s_nop 9
+ s_nop 10
v_mov_b32_e32 v20, v5`},
		{name: "gfx90a f64 stored", check: check, cpu: "gfx90a", at: "global_store_dwordx2", message: "needs 18 wait states", text: pointer + clearVGPRs(2, 16) + `
s_nop 1
v_mfma_f64_16x16x4f64 v[2:9], v[10:11], v[12:13], v[2:9]
s_nop 15
- s_nop 0
+ s_nop 1
global_store_dwordx2 v14, v[8:9], s[4:5]`},
		{name: "gfx942 XDL result", check: check, cpu: "gfx942", at: "v_mov_b32_e32 v20, v5", message: "needs 7 wait states, has 6", text: clearVGPRs(2, 10) + `
s_nop 1
v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[8:9], v[2:5]
- s_nop 5
+ s_nop 6
v_mov_b32_e32 v20, v5`},
		{name: "gfx942 A of the next", check: check, cpu: "gfx942", at: "v_mfma_f32_4x4x4_16b_f16", message: "another reads them as A or B", text: clearVGPRs(2, 14) + `
s_nop 1
v_mfma_f32_16x16x16_f16 v[2:5], v[6:7], v[8:9], v[2:5]
- s_nop 0
+ s_nop 6
v_mfma_f32_4x4x4_16b_f16 v[10:13], v[2:3], v[8:9], v[10:13]`},
		{name: "gfx942 transcendental", check: check, cpu: "gfx942", at: "v_add_f32_e32 v2, v1, v1", message: "transcendental result, VALU reads it (v1)", text: `
v_rcp_f32_e32 v1, 1.0
+ s_nop 0
v_add_f32_e32 v2, v1, v1`},
		{name: "gfx942 carry", check: check, cpu: "gfx942", at: "v_cndmask_b32_e32", message: "VALU writes an SGPR, VALU reads it (vcc_lo): needs 2 wait states, has 1", text: `
v_mov_b32_e32 v1, 1
v_cmp_eq_u32_e32 vcc, 0, v0
- s_nop 0
+ s_nop 1
v_cndmask_b32_e32 v2, v0, v1, vcc`},
		// gfx10.1.
		{name: "VMEMtoScalarWriteHazard", check: check, cpu: "gfx1010", wave: 32, at: "s_mov_b32 s4, 0", message: "VMEMtoScalarWriteHazard: s4 is written", other: "global_load_dword", text: pointer + `
v_mov_b32_e32 v0, 0
global_load_dword v1, v0, s[4:5]
+ s_waitcnt_depctr 0xffe3
s_mov_b32 s4, 0
s_waitcnt vmcnt(0)`},
		{name: "SMEMtoVectorWriteHazard", check: check, cpu: "gfx1010", wave: 32, at: "v_readfirstlane_b32 s0, v0", message: "SMEMtoVectorWriteHazard: s0", text: `
s_load_dword s4, s[0:1], 0x0
+ s_mov_b32 null, 0
v_readfirstlane_b32 s0, v0
s_waitcnt lgkmcnt(0)`},
		{name: "VcmpxExecWARHazard", check: check, cpu: "gfx1010", wave: 32, at: "v_cmpx_le_u32_e32 0, v0", message: "VcmpxExecWARHazard", text: `
s_mov_b32 s4, exec_lo
+ s_waitcnt_depctr 0xfffe
v_cmpx_le_u32_e32 0, v0`},
		{name: "LdsBranchVmemWARHazard", check: check, cpu: "gfx1010", wave: 32, lds: 1024, at: "global_load_dword", message: "LdsBranchVmemWARHazard: vector memory access after LDS access and branch", text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
ds_write_b32 v0, v0
s_branch over
over:
+ s_waitcnt_vscnt null, 0x0
global_load_dword v1, v0, s[4:5]
s_waitcnt vmcnt(0) lgkmcnt(0)`},
		{name: "VcmpxPermlaneHazard", check: check, cpu: "gfx1010", wave: 32, at: "v_permlane16_b32", message: "VcmpxPermlaneHazard", text: `
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
s_mov_b32 s4, 0
v_cmpx_le_u32_e32 0, v0
- v_nop
+ v_mov_b32_e32 v1, v1
v_permlane16_b32 v2, v1, s4, s4`},
		{name: "NSA and offset", check: check, cpu: "gfx1010", wave: 32, at: "buffer_load_dword", message: "needs 1 wait state", other: "image_sample", text: `
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v8, 0
v_mov_b32_e32 v10, 0
s_mov_b64 s[4:5], 0
s_mov_b64 s[6:7], 0
s_mov_b64 s[8:9], 0
s_mov_b64 s[10:11], 0
image_sample_d v3, [v1, v2, v4, v6, v8, v10], s[4:11], s[4:7] dmask:0x1 dim:SQ_RSRC_IMG_2D
+ s_nop 0
buffer_load_dword v7, off, s[4:7], 0 offset:4
s_waitcnt vmcnt(0)`},
		{name: "atomic and s_denorm_mode", check: check, cpu: "gfx1030", wave: 32, at: "s_denorm_mode", message: "needs 3 wait states", text: pointer + `
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0
global_atomic_fmin v0, v1, s[4:5]
+ s_nop 2
s_denorm_mode 0xc`},
		// gfx11.
		{name: "VALUTransUseHazard", check: check, cpu: "gfx1100", wave: 32, at: "v_add_f32_e32 v2, v1, v1", message: "VALUTransUseHazard: v1", other: "v_rcp_f32", text: `
v_mov_b32_e32 v3, 0
v_rcp_f32_e32 v1, v3
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v7, 0
v_mov_b32_e32 v8, 0
+ v_mov_b32_e32 v9, 0
v_add_f32_e32 v2, v1, v1`},
		{name: "VALUTransUseHazard and s_waitcnt_depctr", check: check, cpu: "gfx1100", wave: 64, at: "v_add_f32_e32 v2, v1, v1", message: "VALUTransUseHazard: v1", text: `
v_rcp_f32_e32 v1, 1.0
+ s_waitcnt_depctr 0xfff
v_add_f32_e32 v2, v1, v1`},
		{name: "VALUPartialForwardingHazard", check: check, cpu: "gfx1100", wave: 64, at: "v_add_f32_e32 v3, v1, v2", message: "VALUPartialForwardingHazard", text: `
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v1, 0
s_mov_b64 exec, -1
v_mov_b32_e32 v2, 0
+ s_waitcnt_depctr 0xfff
v_add_f32_e32 v3, v1, v2`},
		{name: "VALUMaskWriteHazard", check: check, cpu: "gfx1100", wave: 64, at: "s_add_u32 s7, s4, 1", message: "VALUMaskWriteHazard: s4", other: "s_mov_b64 s[4:5], 0", text: `
s_mov_b64 s[4:5], -1
v_cndmask_b32_e64 v1, v0, v0, s[4:5]
s_mov_b64 s[4:5], 0
+ s_waitcnt_depctr 0xfffe
s_add_u32 s7, s4, 1`},
		{name: "LdsDirectVALUHazard", check: check, cpu: "gfx1100", wave: 32, lds: 256, at: "lds_direct_load v1 wait_vdst:15", message: "LdsDirectVALUHazard: v1 is written", other: "v_mov_b32_e32 v2, v1", text: `
s_mov_b32 m0, 0x20000
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, v1
v_mov_b32_e32 v3, 0
- lds_direct_load v1 wait_vdst:15
+ lds_direct_load v1 wait_vdst:1
s_waitcnt expcnt(0)`},
		{name: "LdsDirectVMEMHazard", check: check, cpu: "gfx1100", wave: 32, lds: 256, at: "lds_direct_load v1 wait_vdst:15", message: "LdsDirectVMEMHazard: v1 is written", other: "ds_load_b32 v2, v1", text: `
s_mov_b32 m0, 0x20000
v_mov_b32_e32 v1, 0
ds_load_b32 v2, v1
+ s_waitcnt_depctr 0xffe3
lds_direct_load v1 wait_vdst:15
s_waitcnt expcnt(0) lgkmcnt(0)`},
		{name: "LdsDirectVMEMHazard on gfx12", check: check, cpu: "gfx1200", wave: 32, lds: 256, at: "ds_direct_load v1 wait_va_vdst:15 wait_vm_vsrc:1", message: "LdsDirectVMEMHazard: v1 is written", other: "ds_load_b32 v2, v1", text: `
s_mov_b32 m0, 0x20000
v_mov_b32_e32 v1, 0
ds_load_b32 v2, v1
- ds_direct_load v1 wait_va_vdst:15 wait_vm_vsrc:1
+ ds_direct_load v1 wait_va_vdst:15 wait_vm_vsrc:0
s_wait_expcnt 0x0
s_wait_dscnt 0x0`},
		{name: "WMMAHazard", check: check, cpu: "gfx1100", wave: 32, at: "v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]", message: "WMMAHazard: v0", text: clearVGPRs(0, 32) + `
v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
+ v_nop
v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]`},
		{name: "WMMAHazard of gfx12", check: check, cpu: "gfx1200", wave: 32, at: "v_wmma_f32_16x16x16_f16 v[24:31], v[0:3], v[8:11], v[24:31]", message: "WMMAHazard: v0", text: clearVGPRs(0, 32) + `
v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]
+ v_nop
v_wmma_f32_16x16x16_f16 v[24:31], v[0:3], v[8:11], v[24:31]`},
		{name: "VALUReadSGPRHazard", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v2, s4", message: "VALUReadSGPRHazard: s4", other: "s_mov_b32 s4, 1", text: `
s_mov_b32 s4, 0
v_mov_b32_e32 v1, s4
s_mov_b32 s4, 1
+ s_wait_alu 0xfffe
v_mov_b32_e32 v2, s4`},
		{name: "VALUReadSGPRHazard of VALU", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v2, s4", message: "VALUReadSGPRHazard: s4", other: "v_readfirstlane_b32 s4, v1", text: `
s_mov_b32 s4, 0
v_mov_b32_e32 v1, s4
v_readfirstlane_b32 s4, v1
+ s_wait_alu 0xf1ff
v_mov_b32_e32 v2, s4`},
	})
}

// clearVGPRs returns code that clears VGPRs from to to-1.
func clearVGPRs(from, to int) string {
	s := ""
	for v := from; v < to; v++ {
		s += "v_mov_b32_e32 " + reguse.Reg(v).String() + ", 0\n"
	}
	return s
}

// accumulators returns code that clears n AGPRs and waits.
func accumulators(n int) string {
	s := "v_mov_b32_e32 v0, 0\ns_nop 1\n"
	for a := range n {
		s += "v_accvgpr_write_b32 " + (reguse.AGPR + reguse.Reg(a)).String() + ", v0\n"
	}
	return s + "s_nop 3\n"
}

// TestCheckHazardNothing checks that instructions at a sufficient distance
// cause no finding.
func TestCheckHazardNothing(t *testing.T) {
	for _, c := range []struct {
		name, cpu, text string
		wave            int
	}{
		{"matrix instructions wait for each other", "gfx942", clearVGPRs(2, 40) + "s_nop 1\nv_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[36:37], v[2:17]\nv_mfma_f32_32x32x8_f16 v[18:33], v[34:35], v[36:37], v[18:33]\ns_nop 2\nv_mov_b32_e32 v38, v2", 64},
		{"sums of matrix instructions", "gfx90a", clearVGPRs(2, 20) + "s_nop 1\nv_mfma_f32_32x32x2f32 v[2:17], v18, v19, v[2:17]\nv_mfma_f32_32x32x2f32 v[2:17], v18, v19, v[2:17]", 64},
		{"SGPR written by SALU since", "gfx900", pointer + "v_mov_b32_e32 v2, 0\nv_readfirstlane_b32 s4, v2\ns_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v1, v2, s[4:5]\ns_waitcnt vmcnt(0)", 64},
		{"store with an SGPR offset", "gfx900", pointer + "s_mov_b32 s6, 0x1000\ns_mov_b32 s7, 0x27000\ns_mov_b32 s8, 0\n" + clearVGPRs(4, 8) + "buffer_store_dwordx4 v[4:7], off, s[4:7], s8\nv_mov_b32_e32 v4, 0", 64},
		{"SALU waits for results of VALU", "gfx1200", "s_mov_b32 s4, 0\ns_mov_b32 s8, 0\nv_mov_b32_e32 v1, s4\nv_readfirstlane_b32 s4, v1\ns_mov_b32 s6, s8\nv_mov_b32_e32 v2, s4", 32},
		{"another hardware register", "gfx900", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\ns_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)", 64},
		{"v_nop is enough on gfx11", "gfx1100", "v_mov_b32_e32 v1, 0\ns_mov_b32 s4, 0\nv_cmpx_le_u32_e32 0, v0\nv_nop\nv_permlane16_b32 v2, v1, s4, s4", 32},
		{"no such hazard on gfx10.3", "gfx1030", pointer + "v_mov_b32_e32 v0, 0\nglobal_load_dword v1, v0, s[4:5]\ns_mov_b32 s4, 0\ns_waitcnt vmcnt(0)", 32},
		{"VALU in between", "gfx1010", pointer + "v_mov_b32_e32 v0, 0\nglobal_load_dword v1, v0, s[4:5]\nv_mov_b32_e32 v2, 0\ns_mov_b32 s4, 0\ns_waitcnt vmcnt(0)", 32},
	} {
		k := kernelTest{cpu: c.cpu, wave: c.wave, text: c.text, buffers: [][]byte{make([]byte, 4096)}}
		if list := k.findings(t, device.CheckHazard|device.CheckWait); len(list) > 0 {
			t.Errorf("%s: %s", c.name, describeFindings(list))
		}
	}
}
