package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Tests of the state and the messages of gfx12 and gfx12.5: monitors, sleeping,
// STATE_PRIV, exceptions and traps. Sources: RDNA 4 ISA; AMD's CDNA 5 ISA.

// TestMonitorLoads loads values of all sizes and waits for another wave's store
// by a monitor.
func TestMonitorLoads(t *testing.T) {
	words := dwords(0x11, 0x22, 0x33, 0x44)
	r := kernelTest{cpu: "gfx1250", wave: 32, buffers: [][]byte{words}, options: device.Options{Checks: device.CheckAll}, text: pointer12 + `
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v2, s4
v_mov_b32_e32 v3, s5
global_load_monitor_b32 v4, v0, s[4:5] offset:4
global_load_monitor_b64 v[6:7], v0, s[4:5] offset:8
global_load_monitor_b128 v[8:11], v0, s[4:5]
flat_load_monitor_b32 v12, v[2:3] offset:12
flat_load_monitor_b64 v[14:15], v[2:3]
flat_load_monitor_b128 v[16:19], v[2:3]
s_wait_loadcnt_dscnt 0`}.run(t)
	for reg, want := range map[int]uint32{4: 0x22, 6: 0x33, 7: 0x44, 8: 0x11, 9: 0x22, 10: 0x33, 11: 0x44, 12: 0x44, 14: 0x11, 15: 0x22, 16: 0x11, 19: 0x44} {
		if got := r.v(reg, 31); got != want {
			t.Errorf("v%d is %#x, want %#x", reg, got, want)
		}
	}
	r = kernelTest{cpu: "gfx1250", wave: 32, group: [3]int{64, 1, 1}, buffers: [][]byte{make([]byte, 64)}, text: pointer12 + `
v_readfirstlane_b32 s6, v0
v_mov_b32_e32 v1, 0
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 store
poll:
global_load_monitor_b32 v2, v1, s[4:5]
s_wait_loadcnt 0
v_readfirstlane_b32 s7, v2
s_cmp_lg_u32 s7, 0
s_cbranch_scc1 end
s_monitor_sleep 1
s_branch poll
store:
v_mov_b32_e32 v3, 0x77
global_store_b32 v1, v3, s[4:5]
end:`}.run(t)
	if got := r.waves[0].s[7]; got != 0x77 {
		t.Errorf("the waiting wave loads %#x", got)
	}
}

// TestWakeupBarrier wakes waves, which has no effect on a barrier's state.
func TestWakeupBarrier(t *testing.T) {
	r := kernelTest{cpu: "gfx1250", wave: 32, group: [3]int{64, 1, 1}, text: `
s_mov_b32 m0, 0x20001
s_barrier_init m0
s_barrier_signal -1
s_barrier_wait -1
s_mov_b32 m0, 1
s_barrier_join m0
s_wakeup_barrier m0
s_wakeup_barrier 1
s_get_barrier_state s20, m0
s_wait_kmcnt 0
s_barrier_signal m0
s_barrier_wait 1
s_sleep 1
s_sleep_var s20
s_mov_b32 s21, 5`}.run(t)
	for i, w := range r.waves {
		if w.s[20]>>4&127 != 2 || w.s[21] != 5 {
			t.Errorf("wave %d: state %#x, s21 %d", i, w.s[20], w.s[21])
		}
	}
}

// TestStatePriv reads SCC in STATE_PRIV, which STATUS does not have since gfx12,
// and writes that have no effect.
func TestStatePriv(t *testing.T) {
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		w := kernelTest{cpu: cpu, wave: 32, text: `
s_cmp_eq_u32 0, 0
s_getreg_b32 s20, hwreg(HW_REG_STATE_PRIV, 9, 1)
s_getreg_b32 s21, hwreg(HW_REG_STATUS, 0, 1)
s_cmp_eq_u32 0, 1
s_getreg_b32 s22, hwreg(HW_REG_STATE_PRIV, 9, 1)
s_setreg_imm32_b32 hwreg(HW_REG_STATE_PRIV, 9, 1), 1
s_getreg_b32 s23, hwreg(HW_REG_STATE_PRIV)
s_cselect_b32 s24, 1, 0
s_getreg_b32 s25, hwreg(HW_REG_MODE, 12, 7)`}.run(t).waves[0]
		if w.s[20] != 1 || w.s[21] != 0 || w.s[22] != 0 || w.s[23] != 0 || w.s[24] != 0 || w.s[25] != 0 {
			t.Errorf("%s: %v", cpu, w.s[20:26])
		}
	}
}

// TestExceptionFlags sets, reads and clears the flags of exceptions, and enables
// an exception, which ends the dispatch.
func TestExceptionFlags(t *testing.T) {
	const divide = "v_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1\nv_sqrt_f32_e64 v3, -1.0\n"
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		k := kernelTest{cpu: cpu, wave: 32, text: `
s_getreg_b32 s20, hwreg(HW_REG_EXCP_FLAG_USER, 0, 7)
s_setreg_imm32_b32 hwreg(HW_REG_TRAP_CTRL, 0, 7), 0
s_getreg_b32 s21, hwreg(HW_REG_TRAP_CTRL, 0, 7)
s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_USER, 0, 7), 0x15
s_getreg_b32 s22, hwreg(HW_REG_EXCP_FLAG_USER, 0, 7)
s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_USER, 0, 7), 0
s_getreg_b32 s23, hwreg(HW_REG_EXCP_FLAG_USER, 0, 7)`}
		w := k.run(t).waves[0]
		if w.s[20] != 0 || w.s[21] != 0 || w.s[22] != 0x15 || w.s[23] != 0 {
			t.Errorf("%s: flags %v", cpu, w.s[20:24])
		}
		k.memory, k.text = nil, "s_setreg_imm32_b32 hwreg(HW_REG_TRAP_CTRL, 0, 7), 4\n"+divide
		if f := k.try(t).fault(); f == nil || f.Kind != device.FaultException {
			t.Errorf("%s: enabled exception: %v", cpu, f)
		}
		k.memory, k.text = nil, divide
		if f := k.try(t).fault(); f != nil {
			t.Errorf("%s: exception that is not enabled: %v", cpu, f)
		}
	}
}

// TestTrapsGFX12 executes the traps of the trap handler ABI and the return from a
// trap handler.
func TestTrapsGFX12(t *testing.T) {
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		for text, want := range map[string]string{
			"s_trap 1": "s_trap 1: breakpoint without a debugger", "s_trap 2": "s_trap 2: the kernel aborted",
			"s_trap 3": "", "s_trap 9": "s_trap 9: unknown trap", "s_rfe_b64 s[2:3]": "return from trap handler outside a trap handler",
		} {
			f := kernelTest{cpu: cpu, wave: 32, text: text}.try(t).fault()
			if (f == nil) != (want == "") || f != nil && !strings.Contains(f.Message, want) {
				t.Errorf("%s: %s: %v, want %q", cpu, text, f, want)
			}
		}
	}
}

// TestMessagesGFX12 sends messages with and without an answer.
func TestMessagesGFX12(t *testing.T) {
	for _, cpu := range []string{"gfx1200", "gfx1250"} {
		text := ""
		for i, name := range []string{"MSG_RTN_GET_DOORBELL", "MSG_RTN_GET_TMA", "MSG_RTN_GET_TBA", "MSG_RTN_GET_REALTIME", "MSG_RTN_GET_REALTIME"} {
			text += fmt.Sprintf("s_mov_b64 s[%d:%d], -1\ns_sendmsg_rtn_b64 s[%d:%d], sendmsg(%s)\ns_wait_kmcnt 0\n", 20+2*i, 21+2*i, 20+2*i, 21+2*i, name)
		}
		w := kernelTest{cpu: cpu, wave: 32, text: "s_sendmsg sendmsg(MSG_INTERRUPT)\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n" + text}.run(t).waves[0]
		at := func(i int) uint64 { return uint64(w.s[20+2*i]) | uint64(w.s[21+2*i])<<32 }
		if at(0) != 0 || at(1) != 0 || at(2) != 0 || at(4) < at(3) || at(4) == ^uint64(0) {
			t.Errorf("%s: answers %#x", cpu, w.s[20:30])
		}
	}
}
