package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// pointer11 is pointer for gfx11.
const pointer11 = "s_load_b64 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"

// pointerGFX12 is pointer for gfx12.
const pointerGFX12 = "s_load_b64 s[4:5], s[0:1], 0x0\ns_wait_kmcnt 0\n"

func TestCheckWait(t *testing.T) {
	const check = device.CheckWait
	runSeeds(t, []seed{
		{name: "scalar load", check: check, cpu: "gfx803", at: "s_add_u32 s6, s4, 1", message: "s4 is read, but s_load_dwordx2 may not have written it yet: needs lgkmcnt(0)",
			other: "s_load_dwordx2 s[4:5], s[0:1]", text: `
s_load_dwordx2 s[4:5], s[0:1], 0x0
+ s_waitcnt lgkmcnt(0)
s_add_u32 s6, s4, 1`},
		{name: "scalar load overwritten", check: check, at: "s_mov_b32 s5, 0", message: "s5 is written, but s_load_dwordx2 may not", text: `
s_load_dwordx2 s[4:5], s[0:1], 0x0
+ s_waitcnt lgkmcnt(0)
s_mov_b32 s5, 0`},
		{name: "scalar loads in no order", check: check, at: "s_add_u32 s6, s4, 1", message: "needs lgkmcnt(0)", text: `
s_load_dword s4, s[0:1], 0x0
s_load_dword s5, s[0:1], 0x4
- s_waitcnt lgkmcnt(1)
+ s_waitcnt lgkmcnt(0)
s_add_u32 s6, s4, 1`},
		{name: "branch on a scalar load", check: check, at: "s_cbranch_vccnz", message: "vcc_lo is read", text: `
s_load_dwordx2 vcc, s[0:1], 0x0
+ s_waitcnt lgkmcnt(0)
s_cbranch_vccnz over
s_nop 0
over:`},
		{name: "load of gfx12", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v2, v1", message: "v1 is read, but global_load_b32 may not have written it yet: needs loadcnt(0)", text: pointerGFX12 + `
v_mov_b32_e32 v0, 0
global_load_b32 v1, v0, s[4:5]
- s_wait_storecnt 0
+ s_wait_loadcnt 0
v_mov_b32_e32 v2, v1`},
		{name: "LDS of gfx12", check: check, cpu: "gfx1200", wave: 32, lds: 256, at: "v_mov_b32_e32 v3, v2", message: "v2 is read, but ds_load_b32 may not have written it yet: needs dscnt(0)", text: `
v_lshlrev_b32_e32 v1, 2, v0
ds_store_b32 v1, v0
ds_load_b32 v2, v1
- s_wait_loadcnt 0
- s_wait_dscnt 1
+ s_wait_dscnt 0
v_mov_b32_e32 v3, v2`},
		{name: "scalar load of gfx12", check: check, cpu: "gfx1200", wave: 32, at: "s_add_co_u32 s6, s4, 1", message: "s4 is read, but s_load_b64 may not have written it yet: needs kmcnt(0)", text: `
s_load_b64 s[4:5], s[0:1], 0x0
- s_wait_dscnt 0
+ s_wait_kmcnt 0
s_add_co_u32 s6, s4, 1`},
		{name: "two counters of gfx12", check: check, cpu: "gfx1200", wave: 32, lds: 256, at: "v_add_nc_u32_e32 v4, v2, v3", message: "v2 is read, but global_load_b32 may not", text: pointerGFX12 + `
v_lshlrev_b32_e32 v1, 2, v0
ds_store_b32 v1, v0
global_load_b32 v2, v1, s[4:5]
ds_load_b32 v3, v1
- s_wait_loadcnt_dscnt 0x100
+ s_wait_loadcnt_dscnt 0x0
v_add_nc_u32_e32 v4, v2, v3`},
		{name: "data of an export on gfx6", check: check, cpu: "gfx600", wave: 64, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx7", check: check, cpu: "gfx700", wave: 64, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx8", check: check, cpu: "gfx803", wave: 64, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx9", check: check, cpu: "gfx900", wave: 64, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx10", check: check, cpu: "gfx1030", wave: 32, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx11", check: check, cpu: "gfx1100", wave: 32, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)",
			other: "exp mrt0 v3", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
exp mrt0 v3, off, off, off done
v_mov_b32_e32 v4, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "data of an export on gfx12", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but export may not have read it yet: needs expcnt(0)", text: `
v_mov_b32_e32 v3, 1
export mrt0 v3, off, off, off done
+ s_wait_expcnt 0
v_mov_b32_e32 v3, 0`},
		{name: "EXEC of an export", check: check, cpu: "gfx803", at: "s_mov_b64 exec, s[8:9]", message: "exec_lo is written, but exp may not have read it yet: needs expcnt(0)", text: `
s_mov_b64 s[8:9], exec
exp mrt0 v0, off, off, off done vm
+ s_waitcnt expcnt(0)
s_mov_b64 exec, s[8:9]`, more: true},
		{name: "exports in order", check: check, cpu: "gfx900", at: "v_mov_b32_e32 v3, 0", message: "needs expcnt(1) or lower", text: `
v_mov_b32_e32 v3, 1
exp param0 v3, off, off, off
exp param1 v0, off, off, off
- s_waitcnt expcnt(2)
+ s_waitcnt expcnt(1)
v_mov_b32_e32 v3, 0`},
		{name: "exports of two kinds", check: check, cpu: "gfx900", at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but exp may not have read it yet: needs expcnt(0)", text: `
v_mov_b32_e32 v3, 1
exp pos0 v3, off, off, off done
exp param0 v0, off, off, off
- s_waitcnt expcnt(1)
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "high halves of a compressed export", check: check, cpu: "gfx1010", wave: 32, at: "v_mov_b32_e32 v4, 0", message: "v4 is written, but exp may not", text: `
v_mov_b32_e32 v3, 1
v_mov_b32_e32 v4, 1
v_mov_b32_e32 v5, 1
exp mrt0 v3, v3, v4, v4 done compr vm
v_mov_b32_e32 v5, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v4, 0`},
		{name: "parameters", check: check, cpu: "gfx1100", wave: 32, lds: 256, at: "v_mov_b32_e32 v2, v1", message: "v1 is read, but lds_param_load may not have written it yet: needs expcnt(1) or lower",
			other: "lds_param_load v1", text: `
s_mov_b32 m0, 0
lds_param_load v1, attr0.x
lds_param_load v3, attr0.y
- s_waitcnt expcnt(2)
+ s_waitcnt expcnt(1)
v_mov_b32_e32 v2, v1`},
		{name: "wait of an interpolation", check: check, cpu: "gfx1200", wave: 32, lds: 256, at: "v_interp_p10_f32 v2, v1, v0, v1", message: "v1 is read, but ds_param_load may not have written it yet: needs expcnt(0)", text: `
s_mov_b32 m0, 0
ds_param_load v1, attr0.x
- v_interp_p10_f32 v2, v1, v0, v1 wait_exp:1
+ v_interp_p10_f32 v2, v1, v0, v1 wait_exp:0`},
		{name: "data of a gfx6 store", check: check, cpu: "gfx600", at: "v_mov_b32_e32 v3, 0", message: "v3 is written, but buffer_store_dword may not have read it yet: needs expcnt(0)",
			other: "buffer_store_dword v3", text: pointer + `
s_mov_b64 s[6:7], 0
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
buffer_store_dword v3, v[1:2], s[4:7], 0 addr64
v_mov_b32_e32 v1, 0
+ s_waitcnt expcnt(0)
v_mov_b32_e32 v3, 0`},
		{name: "result of a gfx6 atomic", check: check, cpu: "gfx600", at: "v_add_i32_e32 v4, vcc, v3, v3", message: "v3 is read, but buffer_atomic_add may not have written it yet: needs vmcnt(0)", text: pointer + `
s_mov_b64 s[6:7], 0
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
buffer_atomic_add v3, v[1:2], s[4:7], 0 addr64 glc
+ s_waitcnt vmcnt(0)
v_add_i32_e32 v4, vcc, v3, v3`},
		{name: "vector load", check: check, at: "v_add_u32_e32 v2, v1, v1", message: "v1 is read, but global_load_dword may not have written it yet: needs vmcnt(1) or lower", other: "global_load_dword v1, v0, s[4:5]",
			text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
global_load_dword v1, v0, s[4:5]
global_load_dword v3, v0, s[4:5]
- s_waitcnt vmcnt(2)
+ s_waitcnt vmcnt(1)
v_add_u32_e32 v2, v1, v1
s_waitcnt vmcnt(0)`},
		{name: "stores count before gfx10", check: check, at: "v_add_u32_e32 v2, v1, v1", message: "needs vmcnt(1) or lower", text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
global_load_dword v1, v0, s[4:5]
global_store_dword v0, v0, s[4:5] offset:1024
- s_waitcnt vmcnt(2)
+ s_waitcnt vmcnt(1)
v_add_u32_e32 v2, v1, v1`},
		{name: "stores do not on gfx10", check: check, cpu: "gfx1030", wave: 32, at: "v_add_nc_u32_e32 v2, v1, v1", message: "needs vmcnt(0)", text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
global_load_dword v1, v0, s[4:5]
global_store_dword v0, v0, s[4:5] offset:1024
- s_waitcnt vmcnt(1)
+ s_waitcnt vmcnt(0)
v_add_nc_u32_e32 v2, v1, v1`},
		{name: "store counter is not the loads'", check: check, cpu: "gfx1030", wave: 32, at: "v_add_nc_u32_e32 v2, v1, v1", message: "needs vmcnt(0)", text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
global_load_dword v1, v0, s[4:5]
- s_waitcnt_vscnt null, 0x0
+ s_waitcnt_vmcnt null, 0x0
v_add_nc_u32_e32 v2, v1, v1`},
		{name: "atomic that returns", check: check, cpu: "gfx1030", wave: 32, at: "v_mov_b32_e32 v2, v1", message: "global_atomic_add may not have written it yet: needs vmcnt(0)", text: pointer + `
v_mov_b32_e32 v0, 0
global_atomic_add v1, v0, v0, s[4:5] glc
+ s_waitcnt vmcnt(0)
v_mov_b32_e32 v2, v1`},
		{name: "LDS in order", check: check, lds: 1024, at: "v_add_u32_e32 v2, v1, v1", message: "v1 is read, but ds_read_b32 may not have written it yet: needs lgkmcnt(1) or lower", text: `
v_lshlrev_b32_e32 v0, 2, v0
ds_write_b32 v0, v0
ds_read_b32 v1, v0
ds_read_b32 v3, v0
- s_waitcnt lgkmcnt(2)
+ s_waitcnt lgkmcnt(1)
v_add_u32_e32 v2, v1, v1`},
		{name: "LDS after a scalar load", check: check, lds: 1024, at: "s_mov_b32 s6, s4", message: "needs lgkmcnt(0)", text: `
v_lshlrev_b32_e32 v0, 2, v0
ds_write_b32 v0, v0
s_load_dword s4, s[0:1], 0x0
ds_read_b32 v1, v0
- s_waitcnt lgkmcnt(1)
+ s_waitcnt lgkmcnt(0)
s_mov_b32 s6, s4`},
		{name: "store data", check: check, cpu: "gfx1100", wave: 32, at: "global_store_b32 v0, v1, s[4:5]", message: "v1 is read", text: pointer11 + `
v_lshlrev_b32_e32 v0, 2, v0
global_load_b32 v1, v0, s[4:5]
+ s_waitcnt vmcnt(0)
global_store_b32 v0, v1, s[4:5] offset:1024`},
		{name: "half of a register", check: check, cpu: "gfx1100", wave: 32, at: "v_mov_b16_e32 v2.l, v1.h", message: "v1 is read", text: pointer11 + `
v_lshlrev_b32_e32 v0, 2, v0
v_mov_b32_e32 v1, 0
global_load_d16_hi_b16 v1, v0, s[4:5]
v_mov_b16_e32 v2.l, v1.l
+ s_waitcnt vmcnt(0)
v_mov_b16_e32 v2.l, v1.h`},
		{name: "AGPR", check: check, cpu: "gfx90a", at: "v_accvgpr_read_b32 v1, a3", message: "a3 is read, but global_load_dwordx2 may not", text: pointer + `
v_mov_b32_e32 v0, 0
global_load_dwordx2 a[2:3], v0, s[4:5]
+ s_waitcnt vmcnt(0)
v_accvgpr_read_b32 v1, a3`},
		{name: "flat load of LDS", check: check, lds: 1024, at: "v_mov_b32_e32 v4, v1", message: "flat_load_dword may not have written it yet: needs lgkmcnt(0)", text: `
v_mov_b32_e32 v1, 0
ds_write_b32 v1, v1
v_mov_b32_e32 v2, 0
s_mov_b64 s[4:5], src_shared_base
v_mov_b32_e32 v3, s5
s_waitcnt lgkmcnt(0)
flat_load_dword v1, v[2:3]
- s_waitcnt vmcnt(0)
+ s_waitcnt vmcnt(0) lgkmcnt(0)
v_mov_b32_e32 v4, v1`},
		{name: "flat load of both", check: check, lds: 1024, at: "v_mov_b32_e32 v4, v1", message: "needs vmcnt(0)", text: pointer + `
s_mov_b64 s[6:7], src_shared_base
v_and_b32_e32 v6, 1, v0
v_cmp_eq_u32_e32 vcc, 0, v6
v_mov_b32_e32 v2, s4
v_mov_b32_e32 v3, s5
v_mov_b32_e32 v5, s7
v_cndmask_b32_e32 v3, v3, v5, vcc
v_cndmask_b32_e64 v2, v2, 0, vcc
v_mov_b32_e32 v7, 0
ds_write_b32 v7, v7
s_waitcnt lgkmcnt(0)
flat_load_dword v1, v[2:3]
flat_load_dword v8, v[2:3]
- s_waitcnt vmcnt(1) lgkmcnt(0)
+ s_waitcnt vmcnt(0) lgkmcnt(0)
v_mov_b32_e32 v4, v1`, more: true},
		{name: "buffer load", check: check, cpu: "gfx803", at: "v_mov_b32_e32 v2, v1", message: "buffer_load_dword may not", text: pointer + `
s_mov_b32 s6, 0x100
s_mov_b32 s7, 0x00027000
buffer_load_dword v1, off, s[4:7], 0
+ s_waitcnt vmcnt(0)
v_mov_b32_e32 v2, v1`},
		{name: "relative register", check: check, cpu: "gfx1030", wave: 32, at: "v_movrels_b32_e32 v2, v1", message: "v4 is read", text: pointer + `
v_lshlrev_b32_e32 v0, 2, v0
v_mov_b32_e32 v1, 0
global_load_dword v4, v0, s[4:5]
s_mov_b32 m0, 3
+ s_waitcnt vmcnt(0)
v_movrels_b32_e32 v2, v1`},
	})
}

// TestCheckWaitNothing checks that code that needs no wait causes no finding.
func TestCheckWaitNothing(t *testing.T) {
	for _, c := range []struct{ name, cpu, text string }{
		{"loads write in order", "gfx900", pointer + "v_mov_b32_e32 v0, 0\nglobal_load_dword v1, v0, s[4:5]\nglobal_load_dword v1, v0, s[4:5] offset:4\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v1"},
		{"other lanes", "gfx900", pointer + "v_lshlrev_b32_e32 v0, 2, v0\ns_mov_b64 exec, 0xff\nglobal_load_dword v1, v0, s[4:5]\ns_mov_b64 exec, 0xff00\nv_mov_b32_e32 v1, 0\ns_mov_b64 exec, -1\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v1"},
		{"store data overwritten", "gfx900", pointer + "v_lshlrev_b32_e32 v0, 2, v0\nglobal_store_dword v0, v0, s[4:5]\nv_mov_b32_e32 v0, 1"},
		{"flat global in order", "gfx900", pointer + "v_mov_b32_e32 v2, s4\nv_mov_b32_e32 v3, s5\nflat_load_dword v4, v[2:3]\nflat_load_dword v5, v[2:3]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, v4\ns_waitcnt vmcnt(0)"},
		{"d16 halves", "gfx900", pointer + "v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v1, 0\nglobal_load_short_d16 v1, v0, s[4:5]\nglobal_load_short_d16_hi v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v1"},
		{"wait for all", "gfx1030", "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_wait_idle\ns_add_u32 s6, s4, s5"},
		{"waits count down", "gfx1030", pointer + "v_mov_b32_e32 v0, 0\nglobal_load_dword v1, v0, s[4:5]\nglobal_load_dword v2, v0, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v3, v1\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v3, v2"},
	} {
		k := kernelTest{cpu: c.cpu, text: c.text, buffers: [][]byte{make([]byte, 4096)}}
		if list := k.findings(t, device.CheckWait); len(list) > 0 {
			t.Errorf("%s: %s", c.name, describeFindings(list))
		}
	}
}

// TestCheckWaitForgets checks that outstanding operations are forgotten when
// their registers are overwritten.
func TestCheckWaitForgets(t *testing.T) {
	k := kernelTest{text: pointer + `
v_mov_b32_e32 v0, 0
s_movk_i32 s6, 1000
again:
global_load_dwordx2 v[2:3], v0, s[4:5]
global_load_dword v2, v0, s[4:5]
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 again
`, buffers: [][]byte{make([]byte, 64)}}
	k.options.Checks, k.options.Finding = device.CheckWait, func(f *device.Finding) { t.Error(f.Message) }
	for _, c := range k.run(t).waves[0].chk.list {
		if w, ok := c.(*waitCheck); ok && (len(w.ops) > 8 || w.live > 4) {
			t.Errorf("%d operations are kept, %d in flight", len(w.ops), w.live)
		}
	}
}
