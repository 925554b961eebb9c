package mir

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestText parses and prints the functions in testdata, which must not change.
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mir")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(name, src)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := f.AppendText(nil); !bytes.Equal(got, src) {
			t.Errorf("%s: printed as\n%s", name, got)
		}
		for _, err := range f.Verify(StageSelected) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParseErrors checks the diagnostics for invalid texts.
func TestParseErrors(t *testing.T) {
	const head = "func @f gfx900 wave64\n"
	for _, c := range []struct{ text, want string }{
		{"", "expected 'func"},
		{"func @f gfx901 wave64", `unknown instruction set "gfx901"`},
		{"func @f gfx900 wave32", `gfx900 does not support "wave32"`},
		{head + "  s_nop 0", "expected a block"},
		{head + "bb1:\n  p_br bb2", "undefined block bb2"},
		{head + "bb1:\nbb1:", "redefinition of block"},
		{head + "bb1:\n  s_fly 1", `operation "s_fly"`},
		{head + "bb1:\n  v_fmac_f32 1", `does not support operation "v_fmac_f32"`},
		{head + "bb1:\n  %1:q1 = v_mov_b32 1", "expected a class"},
		{head + "bb1:\n  %1:v1 = v_mov_b32 1 sideways", "expected a modifier"},
		{head + "bb1:\n  %1:v1 = v_mov_b32 x9", "expected an operand"},
		{head + "bb1:\n  %1:v1 = v_mov_b32 s[5:4]", "expected an operand"},
		{head + "bb1:\n  %1:v1 = v_mov_b32 %2[3:1]", "precedes the first"},
		{head + "bb1:\n  %1:v1 = v_mov_b32 object1", `unknown frame object "object1"`},
		{head + "bb1:\n  %99999999:v1 = v_mov_b32 1", "expected %"},
		{head + "bb1:\n  %1:s1 = s_mov_b32 @\"x", "expected a name in quotes"},
		{head + "bb1:\n  %1:s1 = s_mov_b32 @\"x\".middle", "expected a part of the address"},
		{head + "bb1: to bb2\nbb2: from bb2", "predecessors of bb2 do not match"},
		{head + "bb1:\n  %1:s1 = s_mov_b32 undef %2:v1\n  %2:s1 = s_mov_b32 1", "expected a class"},
		{head + "bb1:\n  s_nop 0 mem(4,4,1) base(0)", "expected a positive number"},
		{head + "bb1:\n  s_nop 0 base(1)", "expected mem"},
		{head + "bb1:\n  p_end\n" + head, "redefinition of function @f"},
		{head + "bb1:\n  p_end\nfunc @g gfx900 wave64", "expected one function"},
	} {
		_, err := Parse("x", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestVerify checks the messages for invalid functions.
func TestVerify(t *testing.T) {
	const head = "func @f gfx900 wave64\nbb1:"
	for _, c := range []struct{ text, want string }{
		{"\n  s_nop 0", "does not end with a terminator"},
		{"\n  p_end\n  s_nop 0\n  p_end", "follows a terminator"},
		{"\n  %1:v1 = v_mov_b32 %2\n  p_end", "%2 has no class"},
		{"\n  %1:v1 = v_mov_b32 %2\n  %2:v1 = v_mov_b32 1\n  p_end", "used before"},
		{"\n  %1:v1 = v_mov_b32 1\n  %1:v1 = v_mov_b32 1\n  p_end", "more than one definition"},
		{"\n  %1:s1 = v_mov_b32 1\n  p_end", "in file s"},
		{"\n  %1:v2 = v_mov_b32 1\n  p_end", "has 2 dwords"},
		{"\n  %1:v1 = v_add_f32 s1, s2\n  p_end", "2 scalar registers"},
		{"\n  %1:v1 = v_add_f32 s1, 0x3f812345\n  p_end", "1 scalar registers and 1 literals"},
		{"\n  %1:v1 = v_fma_f32 v1, v2, 0x3f812345\n  p_end", "does not support literals"},
		{"\n  %1:v1 = v_add_f32 v1\n  p_end", "1 results and 1 sources"},
		{"\n  s_cmp_eq_u32 s1, s2\n  p_end", "0 results"},
		{" to bb2\n  p_br bb2\nbb2:\n  %1:v1 = p_phi 1, bb2\n  p_end", "not a predecessor"},
		{" to bb2\n  p_end\nbb2:\n  p_br bb1", "not a successor"},
		{" to bb2, bb3\n  p_br_mask vcc, bb2, bb3\nbb2: to bb3\n  %1:v1 = v_mov_b32 1\n  p_br bb3\nbb3:\n  %2:v1 = v_mov_b32 %1\n  p_end", "does not dominate"},
		{"\n  %1:v2 = p_vector v1\n  p_end", "the parts have 1 dwords"},
	} {
		f, err := Parse("x", []byte(head+c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		errs := f.Verify(StageSelected)
		if len(errs) == 0 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, errs, c.want)
		}
	}
}

// TestMachines checks on every set that operations have a slot for each operand
// of their encodings.
func TestMachines(t *testing.T) {
	for s := range isa.Set(isa.NumSets) {
		for _, wave := range s.WaveSizes() {
			m := MachineOf(s, wave)
			n := 0
			for op := firstMachineOp; op < NumOps; op++ {
				if x := m.Info(op); len(x.Encs) > 0 {
					n++
					if len(x.Slots) > maxSlots {
						t.Errorf("%v: %v has %d slots", s, op, len(x.Slots))
					}
				}
			}
			if n < 500 {
				t.Errorf("%v, wave%d: only %d operations", s, wave, n)
			}
		}
	}
}

func TestOpNames(t *testing.T) {
	for op := OpNone + 1; op < NumOps; op++ {
		if got := OpByName(op.String()); got != op {
			t.Errorf("OpByName(%q) = %d, want %d", op, got, op)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.mir")
	for _, name := range files {
		if src, err := os.ReadFile(name); err == nil {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		fn, err := Parse("x", src)
		if err != nil {
			return
		}
		text := fn.AppendText(nil)
		again, err := Parse("x", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if got := again.AppendText(nil); !bytes.Equal(got, text) {
			t.Fatalf("printed\n%s\nand then\n%s", text, got)
		}
		fn.Verify(StageSelected)
		fn.Verify(StageLinearized)
	})
}

// TestOld checks the additional last source of an instruction with DPP, which
// holds the old value of the result.
func TestOld(t *testing.T) {
	const head = "func @f gfx900 wave64\nbb1:\n"
	for _, c := range []struct {
		text, want string
		stage      Stage
	}{
		{"  %1:v1 = v_mov_b32 v2\n  %2:v1 = v_mov_b32 v3, %1 dpp(0x111,0xf,0xf,0,0)\n  p_end", "", StageSelected},
		{"  v1 = v_mov_b32 v3, v1 dpp(0x111,0xf,0xf,0,0)\n  p_end", "", StageAllocated},
		{"  v1 = v_mov_b32 v3, v2 dpp(0x111,0xf,0xf,0,0)\n  p_end", "tied", StageAllocated},
		{"  %1:v1 = v_mov_b32 v2, v1\n  p_end", "2 sources", StageSelected},
		{"  %2:v1 = v_mov_b32 v3, s1 dpp(0x111,0xf,0xf,0,0)\n  p_end", "in file s", StageSelected},
	} {
		f, err := Parse("x", []byte(head+c.text))
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		errs := f.Verify(c.stage)
		switch {
		case c.want == "" && len(errs) > 0, c.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), c.want)):
			t.Errorf("%q: %v, want %q", c.text, errs, c.want)
		case c.want == "" && c.stage == StageAllocated:
			in, err := f.Encode(f.First(f.Layout[0]))
			if got := hex.EncodeToString(isa.Encode(nil, &in)); err != nil || got != "fa02027e031101ff" {
				t.Errorf("%q: %s, %v", c.text, got, err)
			}
		}
	}
}
