package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestCheckTransfer runs kernels that miss a wait for an asynchronous or tensor
// transfer.
func TestCheckTransfer(t *testing.T) {
	const lanes = "v_lshlrev_b32_e32 v1, 2, v0\n"
	tensor := func(bug string) string {
		x := tensorTest{log: 2, tensor: []int{32}, tile: []int{32}}
		var s strings.Builder
		for i, v := range x.descriptor() {
			fmt.Fprintf(&s, "s_mov_b32 s%d, 0x%x\n", 20+i, v)
		}
		s.WriteString("s_mov_b32 s22, s4\ns_mov_b32 s23, s5\n" + bug)
		return pointer12 + lanes + s.String()
	}
	seeds := []seed{
		{name: "LDS is read", at: "ds_load_b32", message: "is read, but global_load_async_to_lds_b32 may not have written it yet: needs asynccnt(0)", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
ds_load_b32 v2, v1
s_wait_dscnt 0`},
		{name: "the first of two", at: "ds_load_b32", message: "needs asynccnt(1) or lower", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
global_load_async_to_lds_b32 v1, v1, s[4:5] offset:128
- s_wait_asynccnt 2
+ s_wait_asynccnt 1
ds_load_b32 v2, v1
s_wait_dscnt 0`},
		{name: "the second of two", at: "ds_load_b32", message: "needs asynccnt(0)", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
global_load_async_to_lds_b32 v1, v1, s[4:5] offset:128
- s_wait_asynccnt 1
+ s_wait_asynccnt 0
ds_load_b32 v2, v1 offset:128
s_wait_dscnt 0`},
		{name: "the other counter", at: "ds_load_b32", message: "needs asynccnt(0)", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
- s_wait_loadcnt 0
- s_wait_dscnt 0
- s_wait_tensorcnt 0
+ s_wait_idle
ds_load_b32 v2, v1
s_wait_dscnt 0`},
		{name: "LDS is written", at: "ds_store_b32", message: "is written, but global_load_async_to_lds_b32 may not have written it yet", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
ds_store_b32 v1, v0
s_wait_dscnt 0`},
		{name: "LDS is changed", at: "ds_add_u32", message: "is written, but global_load_async_to_lds_b32 may not have written it yet", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
ds_add_u32 v1, v0
s_wait_dscnt 0`},
		{name: "source of a load", at: "global_store_b32", message: "memory at", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
global_store_b32 v1, v0, s[4:5]`},
		{name: "source of a store", at: "ds_store_b32", message: "is written, but global_store_async_from_lds_b32 may not have read it yet: needs asynccnt(0)", text: pointer12 + lanes + `
v_mov_b32_e32 v3, 7
ds_store_b32 v1, v0 offset:256
ds_store_b32 v1, v0
s_wait_dscnt 0
global_store_async_from_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
ds_store_b32 v1, v3
s_wait_dscnt 0`},
		{name: "result of a store", at: "global_load_b32", message: "is read, but global_store_async_from_lds_b32 may not have written it yet", text: pointer12 + lanes + `
ds_store_b32 v1, v0
s_wait_dscnt 0
global_store_async_from_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
global_load_b32 v2, v1, s[4:5]
s_wait_loadcnt 0`},
		{name: "a store after a load", at: "global_store_async_from_lds_b32", message: "is read, but global_load_async_to_lds_b32 may not have written it yet", text: pointer12 + lanes + `
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
global_store_async_from_lds_b32 v1, v1, s[4:5]
s_wait_asynccnt 0`},
		{name: "another wave", group: 64, at: "ds_load_b32", message: "is read, but global_load_async_to_lds_b32 may not have written it yet", text: pointer12 + lanes + `
v_xor_b32_e32 v2, 0x80, v1
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
s_barrier_signal -1
s_barrier_wait -1
ds_load_b32 v3, v2
s_wait_dscnt 0`, more: true},
		{name: "flat load", at: "flat_load_b32", message: "is read, but global_load_async_to_lds_b32 may not have written it yet", text: pointer12 + lanes + `
s_mov_b64 s[6:7], src_shared_base
v_mov_b32_e32 v3, s7
v_mov_b32_e32 v2, v1
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_asynccnt 0
flat_load_b32 v4, v[2:3]
s_wait_loadcnt 0
s_wait_dscnt 0`},
		{name: "tensor", at: "ds_load_b32", message: "is read, but tensor_load_to_lds may not have written it yet: needs tensorcnt(0)", text: tensor(`
tensor_load_to_lds s[20:23], s[24:31]
- s_wait_asynccnt 0
+ s_wait_tensorcnt 0
ds_load_b32 v2, v1
s_wait_dscnt 0`)},
		{name: "tensor store", at: "ds_store_b32", message: "is written, but tensor_store_from_lds may not have read it yet: needs tensorcnt(0)", text: tensor(`
ds_store_b32 v1, v0
s_wait_dscnt 0
tensor_store_from_lds s[20:23], s[24:31]
+ s_wait_tensorcnt 0
ds_store_b32 v1, v1
s_wait_dscnt 0`)},
		{name: "tensor and asynchronous", at: "global_load_async_to_lds_b32", message: "is written, but tensor_load_to_lds may not have written it yet", text: tensor(`
tensor_load_to_lds s[20:23], s[24:31]
+ s_wait_tensorcnt 0
global_load_async_to_lds_b32 v1, v1, s[4:5]
s_wait_asynccnt 0
s_wait_tensorcnt 0`)},
		{name: "arrival", at: "ds_load_b32", message: "may not have written it yet", text: pointer12 + lanes + `
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
ds_store_b64 v6, v[4:5] offset:512
s_wait_dscnt 0
global_load_async_to_lds_b32 v1, v1, s[4:5]
+ s_wait_alu depctr_vm_vsrc(0)
+ ds_atomic_async_barrier_arrive_b64 v6 offset:512
+ s_wait_alu depctr_vm_vsrc(0)
ds_load_b32 v2, v1
s_wait_dscnt 0`},
	}
	for i := range seeds {
		s := &seeds[i]
		s.check, s.cpu, s.wave, s.lds = device.CheckWait, "gfx1250", 32, 1024
	}
	runSeeds(t, seeds)
}

// TestCheckGFX125 runs seeds of the checks race and barrier on gfx1250.
func TestCheckGFX125(t *testing.T) {
	seeds := []seed{
		{name: "asynchronous loads into the same LDS", check: device.CheckRace, at: "global_load_async_to_lds_b32", message: "LDS races with an earlier store", more: true, text: pointer12 + `
- v_and_b32_e32 v0, 31, v0
v_lshlrev_b32_e32 v1, 2, v0
global_load_async_to_lds_b32 v1, v1, s[4:5]
s_wait_asynccnt 0`},
		{name: "asynchronous load without a barrier", check: device.CheckRace, at: "ds_load_b32", message: "LDS races with an earlier store", more: true, text: pointer12 + `
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x80, v1
global_load_async_to_lds_b32 v1, v1, s[4:5]
s_wait_asynccnt 0
+ s_barrier_signal -1
+ s_barrier_wait -1
ds_load_b32 v3, v2
s_wait_dscnt 0`},
		{name: "different split barriers", check: device.CheckBarrier, at: "s_barrier_signal -1", message: "different barriers", other: "wave 0 signals", text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
- s_cbranch_scc1 second
s_barrier_signal -1
s_barrier_wait -1
s_endpgm
second:
s_barrier_signal -1
s_barrier_wait -1`},
	}
	for i := range seeds {
		s := &seeds[i]
		s.cpu, s.wave, s.group, s.lds = "gfx1250", 32, 64, 1024
	}
	runSeeds(t, seeds)
}
