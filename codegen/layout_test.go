package codegen

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codegen/mir"
)

// TestLayout lays functions out; the bytes are those of llvm-mc for the same instructions.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ text, bytes, fixups string }{
		{`func @f gfx900 wave64
bb1: linear to bb2, bb3
  scc = s_cmp_eq_u32 s4, 0
  p_br_scc scc, bb3, bb2
bb2: linear to bb3
  v0 = v_add_f32 v1, v2
  v0 = v_add_f32 s1, v2 neg(1)
  p_br bb3
bb3: linear to bb3, bb4
  s[0:1] = s_getpc_b64
  s0, scc = s_add_co_u32 s0, @x+4.rel32_lo
  p_br_execnz bb3, bb4
bb4:
  p_end
`, "048006bf 030085bf 01050002 000001d101040240 001c80be 00ff008000000000 fcff89bf 000081bf", "x"},
	} {
		f, err := mir.Parse("x", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var l layout
		code, err := l.run(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hex.EncodeToString(code.Bytes), strings.ReplaceAll(c.bytes, " ", ""); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if len(code.Fixups) != 1 || code.Fixups[0].Symbol != c.fixups || code.Fixups[0].Addend != 4 {
			t.Errorf("fixups %+v", code.Fixups)
		}
	}
}
