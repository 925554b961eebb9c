package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Tests of program flow: kernels of a few instructions whose results follow
// from AMD's ISA documents, SOP1, SOPK and SOPP.

// flowTest is a kernel and its expected scalar registers, written as "s10 = 1;
// exec = 3".
type flowTest struct {
	name string
	cpus string // processors; "" for all of testCPUs
	wave int    // wave size; 0 for all
	text string
	want string
}

func (c *flowTest) run(t *testing.T) {
	cpus := testCPUs
	if c.cpus != "" {
		cpus = strings.Fields(c.cpus)
	}
	forWaves(t, cpus, func(t *testing.T, cpu string, lanes int) {
		if c.wave != 0 && c.wave != lanes {
			t.Skip("the other wave size")
		}
		r := kernelTest{cpu: cpu, wave: lanes, text: c.text}.run(t)
		for _, want := range strings.Split(c.want, ";") {
			var name string
			var v uint64
			if _, err := fmt.Sscanf(strings.TrimSpace(want), "%s = %v", &name, &v); err != nil {
				t.Fatalf("%q: %v", want, err)
			}
			if got := flowValue(t, r.waves[0], name); got != v {
				t.Errorf("%s = %#x, want %#x", name, got, v)
			}
		}
	})
}

// flowValue returns a register by name: s10, s[10:11], v3 (lane 0), v3.5 (lane
// 5), exec, scc, mode.
func flowValue(t *testing.T, w *wave, name string) uint64 {
	var n, lane int
	switch {
	case name == "scc":
		return uint64(w.status() & 1)
	case name == "mode":
		return uint64(w.mode)
	case name == "exec":
		return w.exec()
	case name == "m0":
		return uint64(w.m0())
	}
	if _, err := fmt.Sscanf(name, "s[%d:", &n); err == nil {
		return uint64(w.s[n]) | uint64(w.s[n+1])<<32
	}
	if _, err := fmt.Sscanf(name, "s%d", &n); err == nil {
		return uint64(w.s[n])
	}
	if _, err := fmt.Sscanf(name, "v%d.%d", &n, &lane); err == nil || n != 0 {
		return uint64(w.v[n*w.lanes+lane])
	}
	t.Fatalf("no register %s", name)
	return 0
}

func runFlow(t *testing.T, tests []flowTest) {
	for i := range tests {
		t.Run(tests[i].name, func(t *testing.T) { tests[i].run(t) })
	}
}

func TestBranches(t *testing.T) {
	var tests []flowTest
	for _, b := range []struct{ name, before, taken, not string }{
		{"scc0", "s_cmp_eq_u32 s40, %s", "1", "0"},
		{"scc1", "s_cmp_eq_u32 s40, %s", "0", "1"},
		{"vccz", "s_mov_b64 vcc, %s", "0", "1"},
		{"vccnz", "s_mov_b64 vcc, %s", "1", "0"},
		{"execz", "s_mov_b64 exec, %s", "0", "-1"},
		{"execnz", "s_mov_b64 exec, %s", "-1", "0"},
	} {
		for i, v := range []string{b.taken, b.not} {
			tests = append(tests, flowTest{name: fmt.Sprint(b.name, "/", i), want: fmt.Sprintf("s10 = %d", 1+i),
				text: fmt.Sprintf("s_mov_b32 s40, 0\ns_mov_b32 s10, 1\n"+b.before+"\ns_cbranch_%s out\ns_mov_b32 s10, 2\nout:", v, b.name)})
		}
	}
	for _, b := range []string{"sys", "user", "sys_or_user", "sys_and_user"} { // no debugger sets these bits
		tests = append(tests, flowTest{name: "cdbg" + b, want: "s10 = 2", text: "s_mov_b32 s10, 1\ns_cbranch_cdbg" + b + " out\ns_mov_b32 s10, 2\nout:"})
	}
	tests = append(tests,
		flowTest{name: "back", want: "s10 = 10", text: "s_mov_b32 s10, 0\nloop:\ns_add_u32 s10, s10, 1\ns_cmp_lt_u32 s10, 10\ns_cbranch_scc1 loop"},
		flowTest{name: "always", want: "s10 = 3", text: "s_mov_b32 s10, 3\ns_branch out\ns_mov_b32 s10, 4\nout:"},
	)
	runFlow(t, tests)
}

func TestCalls(t *testing.T) {
	// s[2:4] hold the work-group ID.
	runFlow(t, []flowTest{
		{name: "getpc", want: "s12 = 8", text: "s_getpc_b64 s[10:11]\ns_getpc_b64 s[14:15]\ns_nop 0\ns_getpc_b64 s[16:17]\ns_sub_u32 s12, s16, s14"},
		{name: "setpc", want: "s10 = 1; s20 = 5", text: `
			s_mov_b32 s10, 1
			s_getpc_b64 s[12:13]
		base:
			s_add_u32 s12, s12, out-base
			s_addc_u32 s13, s13, 0
			s_mov_b32 s20, 5
			s_setpc_b64 s[12:13]
			s_mov_b32 s10, 2
		out:`},
		{name: "swappc", want: "s10 = 1; s11 = 7; s20 = 4", text: `
			s_mov_b32 s10, 0
			s_getpc_b64 s[12:13]
		base:
			s_add_u32 s12, s12, fn-base
			s_addc_u32 s13, s13, 0
			s_swappc_b64 s[12:13], s[12:13]
		back:
			s_mov_b32 s11, 7
			s_branch out
		fn:
			s_mov_b32 s10, 1
			s_getpc_b64 s[14:15]
		here:
			s_sub_u32 s20, s14, s12
			s_sub_u32 s20, s20, here-back-4
			s_setpc_b64 s[12:13]
		out:`},
		{name: "call", cpus: "gfx900 gfx90a gfx942 gfx1010 gfx1030 gfx1100", want: "s10 = 1; s11 = 7", text: `
			s_mov_b32 s10, 0
			s_call_b64 s[12:13], fn
			s_mov_b32 s11, 7
			s_branch out
		fn:
			s_mov_b32 s10, 1
			s_setpc_b64 s[12:13]
		out:`},
	})
}

// TestForks checks that the smaller part runs first and that EXEC keeps the
// lanes of the last part. The stack is in s[0:3] and up, its depth in
// MODE[31:29].
func TestForks(t *testing.T) {
	const begin = `
		s_mov_b32 s19, 0
		v_mov_b32 v1, 0
		v_mov_b32 v2, 0
		s_mov_b64 s[20:21], 7 // of 64 lanes three pass
	`
	const paths = `
		v_mov_b32 v1, 1 // fails
		v_add_u32 v2, vcc, 1, v2
		s_branch join
	pass:
		v_mov_b32 v1, 2
		v_add_u32 v2, vcc, 1, v2
	join:
		s_cbranch_join s19
		s_getreg_b32 s12, hwreg(HW_REG_MODE, 29, 3)
	`
	fork := begin + "s_cbranch_i_fork s[20:21], pass\n"
	forkG := begin + "s_getpc_b64 s[22:23]\nbase:\ns_add_u32 s22, s22, pass-base\ns_addc_u32 s23, s23, 0\ns_cbranch_g_fork s[20:21], s[22:23]\n"
	gfx9 := strings.ReplaceAll(paths, "v_add_u32 v2, vcc, 1", "v_add_u32 v2, 1")
	all := "exec = 0xfffffffffffffff8; s12 = 0; v1.0 = 2; v1.2 = 2; v1.3 = 1; v1.63 = 1; v2.0 = 1; v2.63 = 1"
	runFlow(t, []flowTest{
		{name: "i/gfx8", cpus: "gfx803", want: all + "; s[0:1] = 0xfffffffffffffff8", text: fork + paths},
		{name: "g/gfx8", cpus: "gfx803", want: all + "; s[0:1] = 0xfffffffffffffff8", text: forkG + paths},
		{name: "i/gfx9", cpus: "gfx900 gfx90a gfx942", want: all, text: fork + gfx9},
		{name: "g/gfx9", cpus: "gfx900 gfx90a gfx942", want: all, text: forkG + gfx9},
		{name: "all pass", cpus: "gfx900", want: "v1.0 = 2; v1.63 = 2; s12 = 0", text: strings.Replace(fork, "s[20:21], 7", "s[20:21], -1", 1) + gfx9},
		{name: "none passes", cpus: "gfx900", want: "v1.0 = 1; v1.63 = 1; s12 = 0", text: strings.Replace(fork, "s[20:21], 7", "s[20:21], 0", 1) + gfx9},
		{name: "most pass", cpus: "gfx900", want: "v1.0 = 1; v1.3 = 2; v1.63 = 2; s12 = 0; s[0:1] = 0xfffffffffffffff8; exec = 0xfffffffffffffff8",
			text: strings.Replace(fork, "s[20:21], 7", "s[20:21], -8", 1) + gfx9},
		{name: "depth", cpus: "gfx900", want: "s12 = 1; mode = 0x200001f0", text: begin + "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x1f0\n" +
			"s_cbranch_i_fork s[20:21], pass\npass:\ns_getreg_b32 s12, hwreg(HW_REG_MODE, 29, 3)"},
	})
}

func TestSubvectorLoop(t *testing.T) {
	const loop = `
		v_mov_b32 v1, 0
		s_mov_b32 s10, 0
		s_mov_b32 s11, 99
		s_mov_b64 exec, EXEC
	begin:
		s_subvector_loop_begin s11, end
	body:
		v_add_nc_u32 v1, v1, 1
		s_add_u32 s10, s10, 1
		s_subvector_loop_end s11, body
	end:`
	with := func(exec string) string { return strings.Replace(loop, "EXEC", exec, 1) }
	runFlow(t, []flowTest{
		{name: "both", cpus: "gfx1010 gfx1030", wave: 64, text: with("-1"), want: "exec = 0xffffffffffffffff; s10 = 2; v1.0 = 1; v1.63 = 1"},
		{name: "low", cpus: "gfx1010 gfx1030", wave: 64, text: with("5"), want: "exec = 5; s10 = 1; v1.0 = 1; v1.2 = 1; v1.1 = 0; v1.63 = 0; s11 = 0"},
		{name: "high", cpus: "gfx1010", wave: 64, text: "s_mov_b32 s14, 0\ns_mov_b32 s15, 3\n" + with("s[14:15]"), want: "exec = 0x300000000; s10 = 1; v1.32 = 1; v1.34 = 0; v1.0 = 0"},
		{name: "none", cpus: "gfx1030", wave: 64, text: with("0"), want: "exec = 0; s10 = 0; s11 = 99"},
		{name: "wave32", cpus: "gfx1030", wave: 32, text: strings.ReplaceAll(with("5"), "v_add", "s_mov_b32 exec_hi, exec_hi\nv_add"), want: "exec = 5; s10 = 1; v1.0 = 1; v1.1 = 0"},
	})
}

func TestHalts(t *testing.T) {
	for _, text := range []string{"s_sethalt 1", "s_sendmsghalt sendmsg(MSG_INTERRUPT)", "s_rfe_b64 s[10:11]", "s_trap 2", "s_trap 9"} {
		if f := (kernelTest{text: text}).try(t).fault(); f == nil || f.Kind != device.FaultTrap && f.Kind != device.FaultIllegal {
			t.Errorf("%s: %v", text, f)
		}
	}
	for _, cpu := range testCPUs {
		r := kernelTest{cpu: cpu, text: "s_sethalt 0\ns_setprio 3\ns_sleep 1\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_setkill 0\ns_incperflevel 1\ns_trap 3\ns_nop 15\ns_mov_b32 s10, 5\ns_setkill 1\ns_mov_b32 s10, 6"}.run(t)
		if r.s(10) != 5 {
			t.Errorf("%s: s10 = %d", cpu, r.s(10))
		}
	}
}

func TestMessageReturns(t *testing.T) {
	r := kernelTest{cpu: "gfx1100", wave: 32, text: "s_sendmsg_rtn_b64 s[10:11], sendmsg(MSG_RTN_GET_REALTIME)\ns_sendmsg_rtn_b32 s12, sendmsg(MSG_RTN_GET_DOORBELL)\ns_waitcnt lgkmcnt(0)\n" +
		"s_sendmsg_rtn_b64 s[14:15], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)"}.run(t)
	if a, b := flowValue(t, r.waves[0], "s[10:11]"), flowValue(t, r.waves[0], "s[14:15]"); b < a || r.s(12) != 0 {
		t.Errorf("times %d and %d, doorbell %d", a, b, r.s(12))
	}
}

func TestTime(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx900", "gfx1030"} {
		set, _ := isaSet(cpu)
		text := "s_memtime s[10:11]\ns_memrealtime s[14:15]\ns_waitcnt lgkmcnt(0)\ns_memtime s[12:13]\ns_memrealtime s[16:17]\ns_waitcnt lgkmcnt(0)"
		w := kernelTest{cpu: cpu, text: text}.run(t).waves[0]
		for _, p := range [][2]string{{"s[10:11]", "s[12:13]"}, {"s[14:15]", "s[16:17]"}} {
			if a, b := flowValue(t, w, p[0]), flowValue(t, w, p[1]); b < a {
				t.Errorf("%v: times %d and then %d", set, a, b)
			}
		}
	}
}

func isaSet(cpu string) (isa.Set, bool) {
	for s := range isa.Set(isa.NumSets) {
		if s.String() == cpu {
			return s, true
		}
	}
	return 0, false
}
