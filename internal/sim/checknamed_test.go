package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// handOver lets wave 0 store to LDS and wave 1 load from it, with code between
// them and code before both.
func handOver(before, release, acquire string) string {
	return `
v_and_b32_e32 v1, 31, v0
v_lshlrev_b32_e32 v1, 2, v1
v_readfirstlane_b32 s6, v0
` + before + `
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 load
ds_store_b32 v1, v0 offset:64
s_wait_dscnt 0
` + release + `
s_branch end
load:
` + acquire + `
ds_load_b32 v2, v1 offset:64
s_wait_dscnt 0
end:`
}

// TestCheckNamedBarriers finds missing and incorrect instructions in hand-overs of
// LDS between two waves by the barriers of gfx12: the work-group's, named
// ones, and on gfx12.5 barriers in LDS.
func TestCheckNamedBarriers(t *testing.T) {
	const load = "ds_load_b32 v2, v1 offset:64"
	const store, early = "ds_store_b32 v1, v0 offset:64", "in LDS races with an earlier load"
	const races = "in LDS races with an earlier store"
	var seeds []seed
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		x := func(name string, check device.Checks, at, message, text string) {
			seeds = append(seeds, seed{name: cpu + " " + name, check: check, cpu: cpu, wave: 32, group: 64, lds: 512, at: at, message: message, more: true, text: text})
		}
		const initialize = `s_mov_b32 m0, 0x20003
s_barrier_init m0
s_barrier_signal -1
s_barrier_wait -1
s_mov_b32 m0, 3
s_barrier_join m0`
		x("group barrier, no wait", device.CheckRace, load, races, `
v_and_b32_e32 v1, 31, v0
v_lshlrev_b32_e32 v1, 2, v1
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 signal
ds_store_b32 v1, v0 offset:64
s_wait_dscnt 0
signal:
s_barrier_signal -1
+ s_barrier_wait -1
ds_load_b32 v2, v1 offset:64
s_wait_dscnt 0`)
		x("named barrier, no wait", device.CheckRace, store, early, handOver(initialize, "s_barrier_signal m0\ns_barrier_wait 1", "s_barrier_signal m0\n+ s_barrier_wait 1"))
		x("named barrier, not joined", device.CheckBarrier, "s_barrier_wait 1", "the wave waits for a named barrier but has joined none",
			handOver("s_mov_b32 m0, 0x20003\ns_barrier_init m0\ns_barrier_signal -1\ns_barrier_wait -1\ns_mov_b32 m0, 3\n+ s_barrier_join m0", "s_barrier_signal m0\ns_barrier_wait 1", "s_barrier_signal m0\ns_barrier_wait 1"))
		x("named barrier, not initialized", device.CheckBarrier, "s_barrier_signal m0", "named barrier 3 has no members: s_barrier_init has not set their number",
			handOver("s_mov_b32 m0, 0x20003\n+ s_barrier_init m0\ns_barrier_signal -1\ns_barrier_wait -1\ns_mov_b32 m0, 3\ns_barrier_join m0", "s_barrier_signal m0\ns_barrier_wait 1", "s_barrier_signal m0\ns_barrier_wait 1"))
		x("named barrier, first signal", device.CheckBarrier, "s_barrier_signal_isfirst m0", "named barrier 5 has no members", `
- s_mov_b32 m0, 0x10005
+ s_mov_b32 m0, 0x20005
+ s_barrier_init m0
s_barrier_join m0
s_barrier_signal -1
s_barrier_wait -1
s_barrier_signal_isfirst m0
s_barrier_wait 1`)
	}
	// A barrier in LDS: the phase in bits 31:29 changes with the second of two
	// arrivals, one of each wave.
	const setUp = `
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v6, 1
v_mov_b32_e32 v7, 1
s_mov_b32 s8, exec_lo
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 ready
s_mov_b32 exec_lo, 1
ds_store_b64 v4, v[6:7]
s_wait_dscnt 0
s_mov_b32 exec_lo, s8
ready:
s_barrier_signal -1
s_barrier_wait -1
v_mov_b32_e32 v8, 1
v_mov_b32_e32 v9, 0`
	const arrive = `
s_mov_b32 exec_lo, 1
ds_atomic_barrier_arrive_rtn_b64 v[10:11], v4, v[8:9]
s_wait_dscnt 0
s_mov_b32 exec_lo, s8`
	const poll = `
poll:
ds_load_b64 v[12:13], v4
s_wait_dscnt 0
v_xor_b32_e32 v12, v12, v10
v_readfirstlane_b32 s9, v12
s_lshr_b32 s9, s9, 29
s_cmp_eq_u32 s9, 0
s_cbranch_scc1 poll`
	x := func(name, text string) {
		seeds = append(seeds, seed{name: "gfx1250 " + name, check: device.CheckRace, cpu: "gfx1250", wave: 32, group: 64, lds: 512, at: store, message: early, more: true, text: text})
	}
	bad := func(part string) string { return "\n+ s_branch over\n- s_branch load2\nover:" + part + "\nload2:" }
	x("LDS barrier, no phase", handOver(setUp, arrive, arrive+bad(poll)))
	runSeeds(t, seeds)
}
