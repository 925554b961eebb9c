package sim

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Tests of work-groups with more than 64 KB of LDS: up to 160 KB on gfx950 and
// 320 KB on gfx1250.

// TestLDS320 accesses the last bytes of LDS by DS, flat, asynchronous and
// atomic instructions, and bytes past the end.
func TestLDS320(t *testing.T) {
	const size = 320 << 10
	k := kernelTest{cpu: "gfx1250", wave: 32, lds: size, buffers: [][]byte{dwords(0x11, 0x22, 0x33, 0x44)}, options: device.Options{Checks: device.CheckAll &^ device.CheckMemory}, text: pointer12 + `
s_mov_b32 exec_lo, 1
v_mov_b32_e32 v1, 0x4fff0
v_mov_b32_e32 v2, 0x1234
v_mov_b32_e32 v3, 0x5678
ds_store_b32 v1, v2 offset:12
ds_store_b32 v1, v3
ds_store_2addr_b32 v1, v3, v2 offset0:1 offset1:2
v_mov_b32_e32 v4, 1
ds_add_u32 v1, v4 offset:12
s_wait_dscnt 0
ds_load_b128 v[10:13], v1
v_mov_b32_e32 v20, 0x40000
ds_load_b32 v14, v20 offset:65532
ds_load_b32 v15, v20 offset:16
s_mov_b64 s[6:7], src_shared_base
v_mov_b32_e32 v21, s7
v_mov_b32_e32 v20, v1
flat_load_b32 v16, v[20:21] offset:12
v_mov_b32_e32 v22, 0
v_mov_b32_e32 v23, 0x4ff00
global_load_async_to_lds_b128 v23, v22, s[4:5]
s_wait_asynccnt 0
s_wait_loadcnt_dscnt 0
ds_load_b32 v17, v23 offset:12
v_mov_b32_e32 v24, 0x50000
ds_store_b32 v24, v2
ds_load_b32 v18, v24
s_getreg_b32 s20, hwreg(HW_REG_LDS_ALLOC, 12, 9)
s_wait_dscnt 0`}
	k.setup = func(w *wave) { w.v[15*32], w.v[18*32] = 7, 7 }
	r := k.run(t)
	for reg, want := range map[int]uint32{10: 0x5678, 11: 0x5678, 12: 0x1234, 13: 0x1235, 14: 0x1235, 15: 0, 16: 0x1235, 17: 0x44, 18: 0} {
		if got := r.v(reg, 0); got != want {
			t.Errorf("v%d is %#x, want %#x", reg, got, want)
		}
	}
	if got := r.s(20); got != size/2048 {
		t.Errorf("LDS_ALLOC has %d granules, want %d", got, size/2048)
	}
}

// TestLDSLimits allocates the most LDS of a work-group, and one byte more.
func TestLDSLimits(t *testing.T) {
	for cpu, most := range map[string]uint32{"gfx600": 32 << 10, "gfx700": 64 << 10, "gfx900": 64 << 10, "gfx950": 160 << 10, "gfx1100": 64 << 10, "gfx1250": 320 << 10} {
		k := kernelTest{cpu: cpu, lds: most, text: "s_nop 0"}
		if cpu == "gfx1250" {
			k.wave = 32
		}
		if r := k.try(t); r.err != nil {
			t.Errorf("%s: %v", cpu, r.err)
		}
		k.lds, k.memory = most+1, nil
		if f := k.try(t).fault(); f == nil || f.Kind != device.FaultDispatch || !strings.Contains(f.Message, "bytes of LDS per work-group exceed the limit of") {
			t.Errorf("%s: %v", cpu, f)
		}
	}
}

// TestCheckLargeLDS finds errors in LDS past the first 64 KB.
func TestCheckLargeLDS(t *testing.T) {
	runSeeds(t, []seed{
		{name: "past the end", check: device.CheckMemory, cpu: "gfx1250", wave: 32, lds: 320 << 10, at: "ds_store_b32 v1, v0", message: "4-byte store at LDS address 0x50000 is outside the work-group's LDS (327680 bytes)", more: true, text: `
s_mov_b32 exec_lo, 1
- v_mov_b32_e32 v1, 0x50000
+ v_mov_b32_e32 v1, 0x4fffc
ds_store_b32 v1, v0`},
		{name: "race", check: device.CheckRace, cpu: "gfx1250", wave: 32, group: 64, lds: 320 << 10, at: "ds_load_b32 v2, v1 offset:4096", message: "races with an earlier store", more: true, text: `
s_mov_b32 s10, 0x4e000
v_lshl_add_u32 v1, v0, 2, s10
v_and_b32_e32 v1, 0xfffff, v1
ds_store_b32 v1, v0 offset:4096
s_wait_dscnt 0
+ s_barrier_signal -1
+ s_barrier_wait -1
v_xor_b32_e32 v1, 0x80, v1
ds_load_b32 v2, v1 offset:4096
s_wait_dscnt 0`},
		{name: "init", check: device.CheckInit, cpu: "gfx1250", wave: 32, lds: 320 << 10, at: "global_store_b32 v0, v2, s[4:5]", message: "LDS", more: true, text: pointer12 + `
v_lshlrev_b32_e32 v0, 2, v0
v_add_nc_u32_e32 v1, 0x4f000, v0
+ ds_store_b32 v1, v0
ds_load_b32 v2, v1
s_wait_dscnt 0
global_store_b32 v0, v2, s[4:5]`},
	})
}
