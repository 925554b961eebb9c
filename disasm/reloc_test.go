package disasm_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

const relocated = `
.globl f
f:
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, g@rel32@lo+4
s_addc_u32 s1, s1, g@rel32@hi+12
s_add_u32 s0, s0, .Ltable@gotpcrel32@lo+4
s_add_u32 s0, s0, g@gotpcrel32@hi
s_mov_b32 s0, f@abs32@lo-8
s_mov_b32 s0, g@abs32@hi
s_mov_b32 s0, .Ltable
s_cbranch_scc0 far
.section .far,"ax",@progbits
far: s_branch f
.data
.quad 0
.Ltable: .quad f
`

// relocLine matches a relocation in gfx's or llvm-objdump's text.
var relocLine = regexp.MustCompile(`(?m)^\t\t(?:// )?0*([0-9A-Fa-f]+):\s+(R_AMDGPU_\w+)\s(.*)$`)

// TestRelocations compares the relocations in the text of code and data with
// llvm-objdump's: with addends (amdhsa) and without (otherwise).
func TestRelocations(t *testing.T) {
	objdump := oracle.Tool(t, "llvm-objdump-22")
	list := func(text string) (out []string) {
		for _, m := range relocLine.FindAllStringSubmatch(text, -1) {
			out = append(out, strings.ToLower(m[1])+" "+m[2]+" "+m[3])
		}
		return out
	}
	for _, triple := range []string{"amdgcn-amd-amdhsa", "amdgcn-amd-amdpal", "amdgcn-mesa-mesa3d", "amdgcn--"} {
		tgt, err := target.New(triple, "gfx900", "")
		if err != nil {
			t.Fatal(err)
		}
		result, found := asm.Assemble(&diag.Source{Name: "relocated", Text: []byte(relocated)}, asm.Options{Target: tgt})
		if found.HasErrors() {
			t.Fatal(found)
		}
		file := filepath.Join(t.TempDir(), "x.o")
		if err := os.WriteFile(file, result.Object, 0o666); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, exit := oracle.Run(t, nil, 20*time.Second, objdump, "-Dr", file)
		if exit != 0 {
			t.Fatalf("llvm-objdump: %s", stderr)
		}
		got, want := list(disassemble(t, result.Object)), list(string(stdout))
		if len(want) != 10 || !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nllvm-objdump:\n%s", triple, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
