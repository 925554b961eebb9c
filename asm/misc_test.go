package asm_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/target"
)

// TestRareEncodings assembles instructions that the corpora lack, with the
// bytes of llvm-mc 22, and disassembles them: to the same text or, where the
// text has a shorter encoding, to the bytes with the text in a comment.
func TestRareEncodings(t *testing.T) {
	for _, c := range []struct{ cpu, text, bytes, back string }{
		{"gfx700", "flat_atomic_dec_x2 v[0:1], v[1:2], v[2:3] glc", "000075dd01020000", ""},
		{"gfx600", "v_nop_e64", "000000d300000000", ".long 0xd3000000, 0x0 // v_nop"},
		{"gfx700", "v_nop_e64", "000000d300000000", ".long 0xd3000000, 0x0 // v_nop"},
		{"gfx600", "v_clrexcp_e64", "000082d300000000", ".long 0xd3820000, 0x0 // v_clrexcp"},
		{"gfx700", "v_clrexcp_e64", "000082d300000000", ".long 0xd3820000, 0x0 // v_clrexcp"},
		{"gfx1200", "s_barrier_init m0", "7d5180be", ""},
		{"gfx1250", "s_barrier_init m0", "7d5180be", ""},
		{"gfx1200", "s_barrier_join m0", "7d5280be", ""},
		{"gfx1250", "s_barrier_join m0", "7d5280be", ""},
		{"gfx1250", "s_wakeup_barrier m0", "7d5780be", ""},
		{"gfx1200", "s_get_barrier_state s52, m0", "7d50b4be", ""},
		{"gfx1250", "s_get_barrier_state s52, m0", "7d50b4be", ""},
		{"gfx1200", "s_barrier_init -1", "c15180be", ""},
		{"gfx1150", "v_cmp_le_i16_e64 s84, lit(0x23), lit(0x23)", "540033d4fffe010023000000", ""},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		code, err := asm.Inst(nil, c.text, tgt)
		if got := hex.EncodeToString(code); err != nil || got != c.bytes {
			t.Errorf("%s: %s: %s, %v; want %s", c.cpu, c.text, got, err, c.bytes)
		}
		if c.back == "" {
			c.back = c.text
		}
		var out strings.Builder
		src := &diag.Source{Name: "bytes", Text: []byte(c.bytes + "\n")}
		found, err := disasm.Hex(&out, src, disasm.Options{Target: tgt, Encoder: asm.Encoder})
		if got := strings.TrimSpace(out.String()); err != nil || found.HasErrors() || got != c.back {
			t.Errorf("%s: %s: %s, %v, %v; want %s", c.cpu, c.bytes, got, found, err, c.back)
		}
	}
}

// TestSecondLiteral checks that a second literal is rejected. LLVM 22 uses the
// first one for both operands.
func TestSecondLiteral(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx1150", "")
	if err != nil {
		t.Fatal(err)
	}
	const text = "v_cmp_le_i16_e64 s84, lit(0x23), 0xc000"
	if code, err := asm.Inst(nil, text, tgt); err == nil || !strings.Contains(err.Error(), "only one unique literal") {
		t.Errorf("%s: %x, %v", text, code, err)
	}
}
