package asm

import (
	"encoding/hex"
	"testing"

	"github.com/gfx-toolchain/gfx/target"
)

// TestEncoder assembles valid and invalid instructions in turn.
func TestEncoder(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	encode := Encoder(tgt)
	for _, c := range []struct{ text, want string }{
		{"s_mov_b32 s0, 1", "810080be"},
		{"s_mov_b32 s0, lit(0x1)", "ff0080be01000000"},
		{"v_cndmask_b32_e32 v0, s0, v0, vcc", ""}, // two scalar values
		{"s_branch 7", "070082bf"},
		{"s_branch label", ""},
		{"s_mov_b32 s0, symbol", ""},
		{"", ""},
		{"s_nop 0 extra", ""},
		{"no_such_instruction", ""},
		{"s_mov_b32 s0, 1\ns_endpgm", ""},
		{"/* s_endpgm", ""},
		{"s_mov_b32 s0, 1", "810080be"},
	} {
		code, ok := encode([]byte(c.text))
		if got := hex.EncodeToString(code); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
	if allocated := testing.AllocsPerRun(100, func() { encode([]byte("v_add_f32_e32 v0, s1, v2")) }); allocated > 1 {
		t.Errorf("%v allocations for an instruction", allocated)
	}
}
