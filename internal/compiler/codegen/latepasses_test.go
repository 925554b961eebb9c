package codegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// lateCase is a function and a string that its text contains after a pass, with
// white space collapsed.
type lateCase struct{ name, text, want string }

func checkLate(t *testing.T, cases []lateCase, pass func(f *mir.Func)) {
	t.Helper()
	for _, c := range cases {
		f, err := mir.Parse(c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		pass(f)
		if got := strings.Join(strings.Fields(string(f.AppendText(nil))), " "); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant in it\n%s", c.name, f.AppendText(nil), c.want)
		}
	}
}

func TestClauses(t *testing.T) {
	checkLate(t, []lateCase{
		{"loads", `func @f gfx1030 wave32
bb1:
  v0 = global_load_b32 v[4:5], none, 0
  v1 = global_load_b32 v[4:5], none, 4
  v2 = buffer_load_b32 none, s[0:3], 0, 0
  v3 = ds_load_b32 v4, 0
  s0 = s_load_b32 s[4:5], none, 0
  s1 = s_load_b32 s[4:5], none, 0
  global_store_b32 v[4:5], none, 0, v2
  global_store_b32 v[4:5], none, 0, v2
  p_end
`, "bb1: s_clause 2 v0 = global_load_b32 v[4:5], none, 0 v1 = global_load_b32 v[4:5], none, 4 v2 = buffer_load_b32 none, s[0:3], 0, 0 v3 = ds_load_b32 v4, 0 " +
			"s_clause 1 s0 = s_load_b32 s[4:5], none, 0 s1 = s_load_b32 s[4:5], none, 0 global_store_b32 v[4:5], none, 0, v2 global_store"},
		{"stores and flat", `func @f gfx1100 wave32
bb1:
  v0 = flat_load_b32 v[4:5], none, 0
  v1 = global_load_b32 v[4:5], none, 4
  global_store_b32 v[4:5], none, 0, v2
  global_store_b32 v[4:5], none, 0, v2
  p_end
`, "bb1: v0 = flat_load_b32 v[4:5], none, 0 v1 = global_load_b32 v[4:5], none, 4 s_clause 1 global_store_b32 v[4:5], none, 0, v2 global_store_b32"},
		{"none before gfx10", `func @f gfx900 wave64
bb1:
  v0 = global_load_b32 v[4:5], none, 0
  v1 = global_load_b32 v[4:5], none, 4
  p_end
`, "bb1: v0 = global"},
	}, insertClauses)
}

func TestDualWindow(t *testing.T) {
	var p dualPairing
	checkLate(t, []lateCase{
		{"over a scalar instruction", `func @f gfx1100 wave32
bb1:
  v9 = v_mov_b32 v3
  s0 = s_mov_b32 s1
  v2 = v_mov_b32 v8
  p_end
`, "v9 = v_mov_b32 v3 dual v2 = v_mov_b32 v8 s0 ="},
		{"not across a call, which may change the result", `func @f gfx1100 wave32
bb1:
  v9 = v_mov_b32 v3
  s[30:31] = s_swappc_b64 s[2:3]
  v2 = v_mov_b32 v8
  p_end
`, "s[30:31] = s_swappc_b64 s[2:3] v2 = v_mov_b32 v8"},
	}, p.run)
}

// TestDelayALU compares the operands with those that LLVM chooses for the same
// code.
func TestDelayALU(t *testing.T) {
	var p delayInsertion
	checkLate(t, []lateCase{
		{"one after", `func @f gfx1100 wave32
bb1:
  v0 = v_add_f32 v1, v1
  v2 = v_add_f32 v0, v1
  p_end
`, "v0 = v_add_f32 v1, v1 s_delay_alu 1 v2 ="},
		{"next", `func @f gfx1100 wave32
bb1:
  v0 = v_add_f32 v1, v1
  v2 = v_add_f32 v0, v1
  v3 = v_add_f32 v2, v1
  p_end
`, fmt.Sprintf("v0 = v_add_f32 v1, v1 s_delay_alu %d v2 = v_add_f32 v0, v1 v3 =", 1|1<<4|1<<7)},
		{"transcendental and scalar", `func @f gfx1100 wave32
bb1:
  v0 = v_rcp_f32 v1
  s0 = s_mov_b32 s1
  v2 = v_add_f32 s0, v0
  p_end
`, fmt.Sprintf("s0 = s_mov_b32 s1 s_delay_alu %d v2 =", 5|9<<7)},
		{"vector memory waits itself", `func @f gfx1100 wave32
bb1:
  v0 = v_add_f32 v1, v1
  global_store_b32 v[4:5], none, 0, v0
  v2 = v_add_f32 v0, v1
  p_end
`, "v0 = v_add_f32 v1, v1 global_store_b32 v[4:5], none, 0, v0 v2 ="},
	}, p.run)
}

func TestJumps(t *testing.T) {
	var p jumpThreading
	checkLate(t, []lateCase{
		{"threads", `func @f gfx900 wave64
bb1: linear to bb2, bb3
  v0 = v_mov_b32 v0
  p_br_scc scc, bb2, bb3
bb2: linear to bb4
  p_br bb4
bb3: linear to bb4
  v1 = v_mov_b32 v0
  p_br bb4
bb4: linear to bb5
  p_br bb5
bb5:
  global_store_b32 v[4:5], none, 0, v1
  exec, scc = s_or_b64 exec, s[0:1]
  v7 = v_mov_b32 0
  p_end
`, "bb1: linear to bb5, bb3 p_br_scc scc, bb5, bb3 bb3: linear to bb5 v1 = v_mov_b32 v0 p_br bb5 bb5: global_store_b32 v[4:5], none, 0, v1 p_end"},
		{"ends", `func @f gfx900 wave64
bb1: linear to bb2, bb3
  p_br_execz bb3, bb2
bb2: linear to bb3
  global_store_b32 v[4:5], none, 0, v1
  p_br bb3
bb3:
  exec, scc = s_or_b64 exec, s[0:1]
  p_end
`, "bb1: linear to bb3, bb2 p_br_execz bb3, bb2 bb2: linear to bb3 global_store_b32 v[4:5], none, 0, v1 p_br bb3 bb3: p_end"},
		{"end of the program elsewhere", `func @f gfx900 wave64
bb1: linear to bb2, bb3
  p_br_scc scc, bb3, bb2
bb2: linear to bb4
  global_store_b32 v[4:5], none, 0, v1
  p_br bb4
bb3: linear to bb4
  global_store_b32 v[4:5], none, 0, v2
  p_br bb4
bb4:
  p_end
`, "bb2: global_store_b32 v[4:5], none, 0, v1 p_end bb3: linear to bb4 global_store_b32 v[4:5], none, 0, v2 p_br bb4 bb4: p_end"},
		{"unused masks", `func @f gfx900 wave64
bb1: linear to bb2, bb3
  s[0:1] = s_mov_b64 exec
  exec, scc = s_and_b64 exec, vcc
  p_br_execz bb3, bb2
bb2: linear to bb3
  s[2:3] = s_mov_b64 exec
  s5, scc = s_add_co_i32 s5, 1
  exec, scc = s_and_b64 exec, s[6:7]
  global_store_b32 v[4:5], none, 0, v1
  exec = s_mov_b64 s[2:3]
  global_store_b32 v[4:5], none, 0, v2
  p_br bb3
bb3:
  exec = s_mov_b64 s[0:1]
  p_end
`, "bb1: linear to bb3, bb2 exec, scc = s_and_b64 exec, vcc p_br_execz bb3, bb2 bb2: linear to bb3 s[2:3], scc = s_and_saveexec_b64 s[6:7] global_store"},
		{"same", `func @f gfx900 wave64
bb1: linear to bb2, bb3
  p_br_scc scc, bb2, bb3
bb2: linear to bb3
  p_br bb3
bb3: linear to bb3
  v1 = v_mov_b32 v0
  p_br bb3
`, "bb1: linear to bb3 p_br bb3 bb3:"},
		{"stored values are kept", `func @f gfx900 wave64
bb1:
  v1 = v_mov_b32 0
  exec = s_mov_b64 1
  v1 = v_mov_b32 1
  global_store_b32 v[4:5], none, 0, v1
  p_end
`, "bb1: v1 = v_mov_b32 0 exec = s_mov_b64 1 v1 = v_mov_b32 1 global_store"},
		{"calls are kept", `func @f gfx900 wave64
bb1:
  v0 = v_mov_b32 0
  s[30:31] = s_swappc_b64 s[4:5]
  s4 = s_mov_b32 0
  p_end
`, "bb1: v0 = v_mov_b32 0 s[30:31] = s_swappc_b64 s[4:5] p_end"},
		{"an endless loop", `func @f gfx900 wave64
bb1: linear to bb2
  v1 = v_mov_b32 0
  p_br bb2
bb2: linear to bb3
  p_br bb3
bb3: linear to bb2
  p_br bb2
`, "p_br bb"},
	}, p.run)
}

// TestBarrierNumber compares the bytes with llvm-mc's for s_barrier_signal -1.
func TestBarrierNumber(t *testing.T) {
	f := mir.NewFunc("f", mir.MachineOf(isa.GFX1200, 32))
	in, err := f.Encode(f.NewInstr(mir.SBarrierSignal, 0, mir.Imm(-1)))
	if got := isa.Encode(nil, &in); err != nil || string(got) != "\xc1\x4e\x80\xbe" {
		t.Errorf("got %x, %v", got, err)
	}
}

// TestShift64 checks the register count on gfx90a for a shift whose amount is
// in the last of eight registers.
func TestShift64(t *testing.T) {
	for set, want := range map[isa.Set]int{isa.GFX90A: 9, isa.GFX942: 8} {
		f := mir.NewFunc("f", mir.MachineOf(set, 64))
		b := f.NewBlock()
		f.Append(b, f.NewInstr(mir.VLshlrevB64, 1, mir.Phys(mir.VGPR(0), 2), mir.Phys(mir.VGPR(7), 1), mir.Phys(mir.VGPR(2), 2)))
		var r Resources
		if r.count(f, 102); r.VGPRs != want {
			t.Errorf("%v: %d registers, want %d", set, r.VGPRs, want)
		}
	}
}
