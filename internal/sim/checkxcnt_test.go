package sim

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestCheckXcnt finds sources of memory instructions that are overwritten before
// their addresses are translated.
func TestCheckXcnt(t *testing.T) {
	const check = device.CheckWait
	x := func(name, at, message, text string) seed {
		return seed{name: name, check: check, cpu: "gfx1250", wave: 32, at: at, message: message, lds: 256, buffers: []int{4096}, text: text}
	}
	runSeeds(t, []seed{
		x("address of a load", "v_mov_b32_e32 v0, 0", "v0 is written, but global_load_b32 may execute again and read it: needs xcnt(0)", pointer12+`
v_mov_b32_e32 v0, 4
global_load_b32 v1, v0, s[4:5]
- s_wait_xcnt 1
+ s_wait_xcnt 0
v_mov_b32_e32 v0, 0`),
		x("data of a store", "v_mov_b32_e32 v1, 0", "v1 is written, but global_store_b32 may execute again and read it: needs xcnt(1) or lower", pointer12+`
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 1
global_store_b32 v0, v1, s[4:5]
global_load_b32 v2, v0, s[4:5]
- s_wait_xcnt 2
+ s_wait_xcnt 1
v_mov_b32_e32 v1, 0`),
		x("scalar address of a vector instruction", "s_mov_b32 s4, 0", "s4 is written, but global_load_b32 may execute again", pointer12+`
v_mov_b32_e32 v0, 0
global_load_b32 v1, v0, s[4:5]
+ s_wait_xcnt 0
s_mov_b32 s4, 0`),
		x("address of a scalar load", "s_add_co_u32 s4, s4, 4", "s4 is written, but s_load_b32 may execute again and read it: needs xcnt(0)", pointer12+`
s_load_b32 s6, s[4:5], 0x0
+ s_wait_xcnt 0
s_add_co_u32 s4, s4, 4`),
		x("scalar loads in no order", "s_mov_b32 s4, 0", "needs xcnt(0)", pointer12+`
s_mov_b64 s[10:11], s[4:5]
s_load_b32 s6, s[4:5], 0x0
s_load_b32 s7, s[10:11], 0x0
- s_wait_xcnt 1
+ s_wait_xcnt 0
s_mov_b32 s4, 0`),
		x("scalar load to the address of another one", "s_load_b64 s[4:5], s[10:11], 0x0", "s4 is written, but s_load_b32 may execute again", pointer12+`
s_mov_b64 s[10:11], s[0:1]
s_load_b32 s6, s[4:5], 0x0
+ s_wait_xcnt 0
s_load_b64 s[4:5], s[10:11], 0x0`),
		x("wait for a later load", "v_mov_b32_e32 v0, 0", "needs xcnt(1) or lower", pointer12+`
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v3, 0
global_load_b32 v1, v0, s[4:5]
global_load_b32 v2, v3, s[4:5]
- s_wait_loadcnt 2
+ s_wait_loadcnt 1
v_mov_b32_e32 v0, 0`),
		x("wait for the load after a store", "v_mov_b32_e32 v1, 0", "v1 is written, but global_store_b32 may", pointer12+`
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0
global_store_b32 v0, v1, s[4:5]
global_load_b32 v2, v0, s[4:5] offset:4
- s_wait_storecnt 1
+ s_wait_loadcnt 0
v_mov_b32_e32 v1, 0`),
		x("wait for another counter", "s_mov_b32 s4, 0", "s4 is written, but s_load_b32 may", pointer12+`
s_load_b32 s6, s[4:5], 0x0
- s_wait_loadcnt 0
+ s_wait_kmcnt 0
s_mov_b32 s4, 0`),
		x("asynchronous transfer", "v_mov_b32_e32 v2, 0", "v2 is written, but global_load_async_to_lds_b32 may execute again", pointer12+`
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v2, 64
global_load_async_to_lds_b32 v2, v0, s[4:5]
+ s_wait_xcnt 0
v_mov_b32_e32 v2, 0
s_wait_asynccnt 0`),
		x("LDS load to an address", "ds_load_b32 v0, v1", "v0 is written, but global_load_b32 may execute again", pointer12+`
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0
global_load_b32 v2, v0, s[4:5]
+ s_wait_xcnt 0
ds_load_b32 v0, v1
s_wait_dscnt 0`),
		x("other lanes", "v_mov_b32_e32 v0, 0", "v0 is written", pointer12+`
v_mov_b32_e32 v0, 0
s_mov_b32 exec_lo, 0xff
global_load_b32 v2, v0, s[4:5]
+ s_mov_b32 exec_lo, 0xff00
v_mov_b32_e32 v0, 0`),
	})
	for name, text := range map[string]string{
		"vector load to its own address":               "v_mov_b32_e32 v0, 0\nglobal_load_b32 v0, v0, s[4:5]\ns_wait_loadcnt 0\nv_mov_b32_e32 v0, 0",
		"vector load to the address of an earlier one": "v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v3, 0\nglobal_load_b32 v1, v0, s[4:5]\nglobal_load_b32 v0, v3, s[4:5]\ns_wait_loadcnt 0",
		"the other kind waits":                         "v_mov_b32_e32 v0, 0\nglobal_load_b32 v1, v0, s[4:5]\ns_load_b32 s6, s[10:11], 0x0\nv_mov_b32_e32 v0, 0\ns_wait_loadcnt 0\ns_wait_kmcnt 0",
		"no active lane":                               "s_mov_b32 exec_lo, 0\nglobal_load_b32 v1, v0, s[4:5]\ns_mov_b32 exec_lo, -1\nv_mov_b32_e32 v0, 0",
		"as many as xcnt counts":                       "v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v3, 0\nglobal_load_b32 v1, v0, s[4:5]\n" + strings.Repeat("global_load_b32 v2, v3, s[4:5]\n", 63) + "v_mov_b32_e32 v0, 0\ns_wait_loadcnt 0",
	} {
		k := kernelTest{cpu: "gfx1250", wave: 32, buffers: [][]byte{make([]byte, 64)}, text: pointer12 + "s_mov_b64 s[10:11], s[4:5]\n" + text, options: device.Options{Checks: check}}
		if r := k.try(t); r.err != nil {
			t.Errorf("%s: %v", name, r.err)
		}
	}
}

// TestCheckSplitCounters finds a missing wait for each counter of gfx12 and
// gfx12.5.
func TestCheckSplitCounters(t *testing.T) {
	const check = device.CheckWait
	var seeds []seed
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		x := func(name, at, message, text string) {
			seeds = append(seeds, seed{name: cpu + " " + name, check: check, cpu: cpu, wave: 32, at: at, message: message, lds: 256, buffers: []int{4096}, text: text})
		}
		x("kmcnt, load", "s_mov_b32 s7, s6", "needs kmcnt(0)", pointer12+`
s_load_b32 s6, s[4:5], 0x0
- s_wait_loadcnt 0
+ s_wait_kmcnt 0
s_mov_b32 s7, s6`)
		x("kmcnt, message", "s_mov_b32 s7, s6", "s6 is read, but s_sendmsg_rtn_b64 may not have written it yet: needs kmcnt(0)", `
s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
+ s_wait_kmcnt 0
s_mov_b32 s7, s6`)
		x("kmcnt, barrier state", "s_mov_b32 s7, s6", "s6 is read, but s_get_barrier_state may not have written it yet: needs kmcnt(0)", `
s_get_barrier_state s6, -1
+ s_wait_kmcnt 0
s_mov_b32 s7, s6`)
		x("loadcnt, order", "v_mov_b32_e32 v3, v1", "v1 is read, but global_load_b32 may not have written it yet: needs loadcnt(1) or lower", pointer12+`
v_mov_b32_e32 v0, 0
global_load_b32 v1, v0, s[4:5]
global_load_b32 v2, v0, s[4:5]
- s_wait_loadcnt 2
+ s_wait_loadcnt 1
v_mov_b32_e32 v3, v1
s_wait_loadcnt 0`)
		x("loadcnt, atomic", "v_mov_b32_e32 v3, v1", "needs loadcnt(0)", pointer12+`
v_mov_b32_e32 v0, 0
global_atomic_add_u32 v1, v0, v0, s[4:5] th:TH_ATOMIC_RETURN
- s_wait_storecnt 0
+ s_wait_loadcnt 0
v_mov_b32_e32 v3, v1`)
		x("loadcnt, scratch", "v_mov_b32_e32 v3, v1", "v1 is read, but buffer_load_b32 may not have written it yet: needs loadcnt(0)", pointer12+`
s_mov_b32 s6, 0x1000
s_mov_b32 s7, 0x30000000
buffer_load_b32 v1, off, s[4:7], null
- s_wait_dscnt 0
+ s_wait_loadcnt_dscnt 0
v_mov_b32_e32 v3, v1`)
		x("dscnt, order", "v_mov_b32_e32 v3, v1", "v1 is read, but ds_load_b32 may not have written it yet: needs dscnt(1) or lower", `
v_mov_b32_e32 v0, 0
ds_store_b32 v0, v0
ds_load_b32 v1, v0
ds_load_b32 v2, v0
- s_wait_dscnt 2
+ s_wait_dscnt 1
v_mov_b32_e32 v3, v1
s_wait_dscnt 0`)
		x("dscnt, permutation", "v_mov_b32_e32 v3, v1", "v1 is read, but ds_bpermute_b32 may not have written it yet: needs dscnt(0)", `
ds_bpermute_b32 v1, v0, v0
- s_wait_kmcnt 0
+ s_wait_storecnt_dscnt 0
v_mov_b32_e32 v3, v1`)
		x("flat", "v_mov_b32_e32 v3, v2", "v2 is read, but flat_load_b32 may not have written it yet", pointer12+`
v_mov_b32_e32 v0, s4
v_mov_b32_e32 v1, s5
flat_load_b32 v2, v[0:1]
- s_wait_dscnt 0
+ s_wait_loadcnt_dscnt 0
v_mov_b32_e32 v3, v2`)
	}
	runSeeds(t, seeds)
}
