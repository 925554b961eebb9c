package codegen

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// TestWaits inserts waits in functions. The operand of s_waitcnt on gfx9 is
// vmcnt in bits 3:0 and 15:14, expcnt in bits 6:4, lgkmcnt in bits 11:8.
func TestWaits(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"counts later instructions", `func @f gfx900 wave64
bb1:
  v[0:1] = global_load_b64 v[4:5], none, 0
  v2 = global_load_b32 v[4:5], none, 8
  v3 = v_add_f32 v0, v0
  v3 = v_add_f32 v2, v0
  p_end
`, `s_waitcnt 3953 v3 = v_add_f32 v0, v0 s_waitcnt 3952 v3 = v_add_f32 v2, v0`},
		{"scalar memory completes out of order", `func @f gfx900 wave64
bb1:
  s0 = s_load_b32 s[4:5], none, 0
  s1 = s_load_b32 s[4:5], none, 4
  s2 = s_mov_b32 s0
  s2 = s_mov_b32 s1
  p_end
`, `s_waitcnt 0xc07f s2 = s_mov_b32 s0 s2 = s_mov_b32 s1`},
		{"LDS completes in order", `func @f gfx1030 wave32
bb1:
  v0 = ds_load_b32 v4, 0
  v1 = ds_load_b32 v4, 4
  v2 = v_mov_b32 v0
  global_store_b32 v[4:5], none, 0, v2
  v2 = v_mov_b32 v1
  p_end
`, `s_waitcnt 0xc17f v2 = v_mov_b32 v0 global_store_b32 v[4:5], none, 0, v2 s_waitcnt 0xc07f v2 = v_mov_b32 v1`},
		{"loops", `func @f gfx900 wave64
bb1: linear to bb2
  v0 = v_mov_b32 0
  p_br bb2
bb2: depth 1 loop linear to bb2, bb3
  v1 = v_add_f32 v0, v1
  v0 = global_load_b32 v[4:5], none, 0
  p_br_execnz bb2, bb3
bb3:
  p_end
`, `bb2: depth 1 loop linear to bb2, bb3 s_waitcnt 3952 v1 = v_add_f32 v0, v1`},
		{"flat memory", `func @f gfx900 wave64
bb1:
  v0 = flat_load_b32 v[4:5], none, 0
  v1 = global_load_b32 v[4:5], none, 0
  v2 = v_mov_b32 v1
  p_end
`, `s_waitcnt 3952 v2 = v_mov_b32 v1`},
		{"counters of gfx12", `func @f gfx1200 wave32
bb1:
  v0 = global_load_b32 v[4:5], none, 0
  s0 = s_load_b32 s[4:5], none, 0
  v1 = ds_load_b32 v4, 0
  v2 = v_add_f32 v0, v1
  v2 = v_mov_b32 s0
  p_end
`, `s_wait_loadcnt_dscnt 0 v2 = v_add_f32 v0, v1 s_wait_kmcnt 0 v2 = v_mov_b32 s0`},
		{"a load into LDS does not count as an access of LDS", `func @f gfx900 wave64
bb1:
  v0 = ds_load_b32 v4, 0
  buffer_load_lds_b32 v5, s[4:7], 0, 0, m0 offen
  v1 = v_mov_b32 v0
  p_end
`, `s_waitcnt 0xc07f v1 = v_mov_b32 v0`},
		{"LDS written by a load", `func @f gfx900 wave64
bb1:
  buffer_load_lds_b32 v5, s[4:7], 0, 0, m0 offen
  v0 = ds_load_b32 v4, 0
  p_end
`, `s_waitcnt 3952 v0 = ds_load_b32 v4, 0`},
	} {
		f, err := mir.Parse(c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var p waitInsertion
		p.run(f, true)
		got := strings.Join(strings.Fields(string(f.AppendText(nil))), " ")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant in it\n%s", c.name, f.AppendText(nil), c.want)
		}
	}
}
