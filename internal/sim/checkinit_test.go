package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

func TestCheckInit(t *testing.T) {
	const lanes = "v_lshlrev_b32_e32 v1, 2, v0\n"
	runSeeds(t, []seed{
		{name: "stored", check: device.CheckInit, at: "global_store_dword v1, v7, s[4:5]", message: "the stored value depends on uninitialized v7", text: pointer + lanes + `
+ v_mov_b32_e32 v7, 1
global_store_dword v1, v7, s[4:5]`},
		{name: "computed and stored", check: device.CheckInit, at: "global_store_dword v1, v8, s[4:5]", message: "depends on uninitialized v7 (through v8)", text: pointer + lanes + `
+ v_mov_b32_e32 v7, 1
v_add_u32_e32 v8, 3, v7
v_mul_lo_u32 v8, v8, v0
v_cvt_f32_u32_e32 v8, v8
global_store_dword v1, v8, s[4:5]`},
		{name: "some lanes", check: device.CheckInit, at: "global_store_dword v1, v7, s[4:5]", message: "v7", text: pointer + lanes + `
s_mov_b64 s[10:11], exec
- s_mov_b32 exec_lo, -2
v_mov_b32_e32 v7, 1
s_mov_b64 exec, s[10:11]
global_store_dword v1, v7, s[4:5]`},
		{name: "address", check: device.CheckInit, at: "global_load_dword v12, v6, s[4:5]", message: "the address depends on uninitialized v6", text: pointer + `
+ v_mov_b32_e32 v6, 0
- v_and_b32_e32 v6, 0xfc, v6
global_load_dword v12, v6, s[4:5]`},
		{name: "exported", check: device.CheckInit, at: "exp mrt0 v0, v7, off, off done", message: "the exported value depends on uninitialized v7", text: `
+ v_mov_b32_e32 v7, 1
exp mrt0 v0, v7, off, off done`},
		{name: "row of an export", check: device.CheckInit, cpu: "gfx1100", wave: 32, at: "exp pos0 v0, off, off, off done row_en", message: "the row of the export depends on uninitialized m0", text: `
+ s_mov_b32 m0, 3
exp pos0 v0, off, off, off done row_en`},
		{name: "parameters", check: device.CheckInit, cpu: "gfx1100", wave: 32, lds: 48, at: "lds_param_load v1, attr0.x", message: "(through m0)", text: `
- s_lshl_b32 m0, m0, 31
+ s_mov_b32 m0, 0
lds_param_load v1, attr0.x
s_waitcnt expcnt(0)`},
		{name: "scalar address", check: device.CheckInit, at: "s_load_dword s8, s[4:5], s9", message: "the address depends on uninitialized s9", text: pointer + `
+ s_mov_b32 s9, 4
s_load_dword s8, s[4:5], s9`},
		{name: "LDS address", check: device.CheckInit, lds: 256, at: "ds_write_b32 v6, v0", message: "the address depends on uninitialized v6", text: `
+ v_lshlrev_b32_e32 v6, 2, v0
ds_write_b32 v6, v0`},
		{name: "M0 of gfx8", check: device.CheckInit, cpu: "gfx803", lds: 256, at: "ds_write_b32 v6, v0", message: "the address depends on uninitialized m0", text: `
+ s_mov_b32 m0, -1
v_lshlrev_b32_e32 v6, 2, v0
ds_write_b32 v6, v0`},
		{name: "scalar condition", check: device.CheckInit, at: "s_cbranch_scc1", message: "the branch condition depends on uninitialized s9 (through scc)", text: `
+ s_mov_b32 s9, 4
s_cmp_eq_u32 s9, 5
s_cbranch_scc1 out
s_nop 0
out:`},
		{name: "condition never set", check: device.CheckInit, at: "s_cbranch_scc0", message: "scc", text: `
+ s_cmp_eq_u32 s2, s2
s_cbranch_scc0 out
s_nop 0
out:`},
		{name: "vector condition", check: device.CheckInit, at: "s_and_saveexec_b64 s[8:9], vcc", message: "EXEC depends on uninitialized v6", text: `
+ v_mov_b32_e32 v6, 4
v_cmp_lt_u32_e32 vcc, 5, v6
s_and_saveexec_b64 s[8:9], vcc`},
		{name: "vccz", check: device.CheckInit, at: "s_cbranch_vccz", message: "the branch condition depends on uninitialized v6", text: `
+ v_mov_b32_e32 v6, 4
v_cmp_eq_f32_e32 vcc, 1.0, v6
s_cbranch_vccz out
s_nop 0
out:`},
		{name: "v_cmpx", check: device.CheckInit, cpu: "gfx1030", wave: 32, at: "v_cmpx_gt_f32_e32 1.0, v6", message: "EXEC depends on uninitialized v6", text: `
+ v_mov_b32_e32 v6, 4
v_cmpx_gt_f32_e32 1.0, v6`},
		{name: "LDS stored", check: device.CheckInit, lds: 512, at: "global_store_dword v1, v3, s[4:5]", message: "depends on uninitialized LDS at address 0x100", text: pointer + lanes + `
ds_write_b32 v1, v0
- ds_read_b32 v3, v1 offset:256
+ ds_read_b32 v3, v1
s_waitcnt lgkmcnt(0)
global_store_dword v1, v3, s[4:5]`},
		{name: "LDS of two", check: device.CheckInit, lds: 512, at: "global_store_dword v1, v4, s[4:5]", message: "LDS at address 0x100", text: pointer + lanes + `
ds_write_b32 v1, v0
- ds_read2_b32 v[3:4], v1 offset1:64
+ ds_read2_b32 v[3:4], v1 offset1:0
s_waitcnt lgkmcnt(0)
global_store_dword v1, v4, s[4:5]`},
		{name: "LDS counter not cleared", check: device.CheckInit, lds: 512, at: "global_store_dword v1, v3, s[4:5]", message: "LDS at address 0x0", text: pointer + `
v_mov_b32_e32 v1, 0
+ ds_write_b32 v1, v1
ds_add_u32 v1, v0
ds_read_b32 v3, v1
s_waitcnt lgkmcnt(0)
global_store_dword v1, v3, s[4:5]`},
		{name: "scratch", check: device.CheckInit, private: 16, at: "global_store_dword v1, v3, s[4:5]", message: "uninitialized scratch memory at offset 0x8", setup: scratchSetup, text: strings.Replace(pointer, "s[0:1]", "s[4:5]", 1) + lanes + `
buffer_store_dword v0, off, s[0:3], 0 offset:4
- buffer_load_dword v3, off, s[0:3], 0 offset:8
+ buffer_load_dword v3, off, s[0:3], 0 offset:4
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v3
global_store_dword v1, v3, s[4:5]`},
		{name: "AGPR", check: device.CheckInit, cpu: "gfx90a", at: "global_store_dword v1, v3, s[4:5]", message: "depends on uninitialized a5", text: pointer + `
v_and_b32_e32 v0, 0x3ff, v0
v_lshlrev_b32_e32 v1, 2, v0
+ v_accvgpr_write_b32 a5, v0
v_accvgpr_read_b32 v3, a5
global_store_dword v1, v3, s[4:5]`},
		{name: "matrix", check: device.CheckInit, cpu: "gfx90a", at: "global_store_dword v1, v8, s[4:5]", message: "depends on uninitialized v5", text: pointer + `
v_and_b32_e32 v0, 0x3ff, v0
v_lshlrev_b32_e32 v1, 2, v0
v_mov_b32_e32 v4, 1.0
+ v_mov_b32_e32 v5, 1.0
s_nop 1
v_mfma_f32_4x4x1f32 v[8:11], v4, v5, 0
s_nop 4
global_store_dword v1, v8, s[4:5]`},
		{name: "DPP", check: device.CheckInit, at: "global_store_dword v1, v3, s[4:5]", message: "v12", text: pointer + lanes + `
s_mov_b64 s[10:11], exec
- s_mov_b32 exec_lo, -2
v_mov_b32_e32 v12, 1
s_mov_b64 exec, s[10:11]
v_mov_b32_e32 v3, 0
v_mov_b32_dpp v3, v12 row_shr:1 row_mask:0xf bank_mask:0xf
global_store_dword v1, v3, s[4:5]`},
		{name: "swizzle", check: device.CheckInit, at: "global_store_dword v1, v3, s[4:5]", message: "v12", text: pointer + lanes + `
+ v_mov_b32_e32 v12, 1
ds_swizzle_b32 v3, v12 offset:swizzle(SWAP,1)
s_waitcnt lgkmcnt(0)
global_store_dword v1, v3, s[4:5]`},
		{name: "readlane", check: device.CheckInit, at: "s_cbranch_scc1", message: "depends on uninitialized v12", text: `
+ v_mov_b32_e32 v12, 1
v_readfirstlane_b32 s8, v12
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 out
out:`},
		{name: "operand of an atomic operation", check: device.CheckInit, at: "global_atomic_add v1, v5, s[4:5]", message: "the atomic operand depends on uninitialized v5", text: pointer + lanes + `
+ v_mov_b32_e32 v5, 1
global_atomic_add v1, v5, s[4:5]`},
		{name: "number of a register", check: device.CheckInit, at: "v_movrels_b32_e32 v3, v4", message: "the register index depends on uninitialized m0", cpu: "gfx1030", wave: 32, text: `
v_mov_b32_e32 v4, 0
+ s_mov_b32 m0, 0
v_movrels_b32_e32 v3, v4`},
		{name: "M0 of a load to LDS", check: device.CheckInit, lds: 256, at: "buffer_load_dword off, s[4:7], 0 lds", message: "the address depends on uninitialized m0", text: pointer + `
s_mov_b32 s6, 16
s_mov_b32 s7, 0x24000
+ s_mov_b32 m0, 0
s_nop 0
buffer_load_dword off, s[4:7], 0 lds`},
		{name: "jump", check: device.CheckInit, at: "s_setpc_b64 s[8:9]", message: "the jump target depends on uninitialized s12 (through s9)", text: `
s_getpc_b64 s[8:9]
s_add_u32 s8, s8, 16
- s_bfe_u32 s9, s12, 0x10000
+ s_nop 0
s_nop 0
s_setpc_b64 s[8:9]`},
	})
}

// TestCheckInitDefined checks values that do not depend on the undefined
// registers used to compute them.
func TestCheckInitDefined(t *testing.T) {
	const end = "\nglobal_store_dword v1, v3, s[4:5]"
	for i, text := range []string{
		"v_xor_b32_e32 v3, v12, v12",
		"v_and_b32_e32 v3, 0, v12",
		"v_or_b32_e32 v3, -1, v12",
		"v_sub_u32_e32 v3, v12, v12",
		"v_mul_lo_u32 v3, v12, 0",
		"v_mov_b32_e32 v12, 1\ns_mov_b64 vcc, exec\nv_cndmask_b32_e32 v3, v9, v12, vcc",
		"global_load_short_d16 v12, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u16_e32 v3, v12, v12",
		"global_load_short_d16 v12, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_lshlrev_b32_e32 v3, 16, v12",
		"global_load_short_d16_hi v12, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_lshrrev_b32_e32 v3, 16, v12",
		"global_load_short_d16 v12, v1, s[4:5]\ns_waitcnt vmcnt(0)\ns_mov_b32 s9, 0x05040100\nv_perm_b32 v3, v12, v0, s9",
		"v_lshlrev_b32_e32 v12, 24, v12\nv_lshrrev_b32_e32 v3, 25, v0\nv_lshl_or_b32 v3, v3, 0, v12\nv_bfe_u32 v3, v3, 0, 24",
		"s_and_b32 s9, s9, 0\nv_mov_b32_e32 v3, s9",
		"s_mov_b64 s[10:11], exec\ns_mov_b64 exec, 1\nv_mov_b32_e32 v3, 1\ns_cmp_eq_u32 0, 0", // only one lane is active at the store
		"s_mov_b64 s[10:11], exec\ns_mov_b64 exec, 1\ns_mov_b32 s8, 5\nv_mov_b32_e32 v7, 0\nv_writelane_b32 v7, s8, 7\ns_mov_b64 exec, s[10:11]\nv_readlane_b32 s9, v7, 7\nv_mov_b32_e32 v3, s9",
		"v_mov_b32_e32 v12, 1\nv_cmp_eq_u32_e32 vcc, v0, v0\nv_cndmask_b32_e64 v3, v12, 5, vcc",
		"v_writelane_b32 v7, s2, 3\nv_readlane_b32 s9, v7, 3\nv_mov_b32_e32 v3, s9",
		"v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nglobal_store_dwordx4 v1, v[4:7], s[4:5]\nv_mov_b32_e32 v3, 0", // a 3-component vector
		"v_mov_b32_sdwa v3, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\nv_mov_b32_sdwa v3, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0",
		"s_and_b64 vcc, exec, 0\ns_cbranch_vccnz over\nover:\nv_mov_b32_e32 v3, 0",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			k := kernelTest{text: pointer + "v_lshlrev_b32_e32 v1, 4, v0\n" + text + end, buffers: [][]byte{make([]byte, 4096)}}
			if list := k.findings(t, device.CheckInit); len(list) > 0 {
				t.Errorf("%s: %s", text, describeFindings(list))
			}
		})
	}
}

// TestTrialPatterns checks that the trial values of undefined bits differ.
func TestTrialPatterns(t *testing.T) {
	var tr trial
	seen := map[uint32]bool{}
	ones := 0
	for r := range reguse.Reg(64) {
		for l := range 64 {
			v := tr.pattern(trialMixed, &trialReg{r: r}, l)
			seen[v] = true
			ones += bits.OnesCount32(v)
		}
	}
	if len(seen) < 4090 || ones < 64*64*15 || ones > 64*64*17 {
		t.Errorf("%d values of 4096, %d bits set", len(seen), ones)
	}
}
