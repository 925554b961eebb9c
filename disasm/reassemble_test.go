package disasm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/target"
)

// reassembleCases lists sources whose objects must be reproduced from their
// disassembly, with lines that it must contain.
var reassembleCases = []struct {
	name, triple, cpu string
	cov               int
	source            string
	want              []string
}{
	{"padding", "", "gfx900", 6, "s_endpgm\n.zero 64\ns_nop 0\n.long 0\ns_endpgm\n.zero 7\n",
		[]string{"\t.zero 64 ", "\t.long 0x0 // v_cndmask_b32_e32 v0, s0, v0, vcc"}},
	{"padding between labels", "", "gfx1100", 6, "a:\n.zero 12\nb:\n.zero 16\ns_branch b\n",
		[]string{"a:\n\t.zero 12 ", "b:\n\t.zero 16 "}},
	{"target", "", "gfx90a:sramecc+:xnack-", 5, "s_nop 0\n",
		[]string{"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\"\n\t.amdhsa_code_object_version 5\n"}},
	{"V3", "", "gfx906:xnack+", 3, "s_nop 0\n", []string{"gfx906+xnack"}},
	{"V2", "", "gfx900", 2, ".hsa_code_object_version 2,1\n.hsa_code_object_isa\ns_nop 0\n", []string{"\t.hsa_code_object_version 2,1\n"}},
	{"amdpal", "amdgcn-amd-amdpal", "gfx1030", 6, "s_nop 0\n", []string{"amdgcn-amd-amdpal--gfx1030"}},
	{"no operating system", "amdgcn--", "gfx803", 6, "s_nop 0\n", []string{"--gfx803\""}},
	{"names", "", "gfx900", 6, "\"&foo\":\ns_branch \"&foo\"\n\"a b\":\ns_cbranch_scc0 \"a b\"\nv1:\ns_branch \"v1\"\nL0:\ns_branch 1\ns_nop 0\ns_nop 1\n",
		[]string{"\"&foo\":\n\ts_branch \"&foo\"", "\"v1\":\n\ts_branch \"v1\"", "\ts_branch L1 "}},
	{"branches into instructions", "", "gfx900", 6, "s_branch 1\ns_mov_b32 s0, 0x12345678\ns_branch -2\ns_branch 3\ns_branch -2\n",
		[]string{"\ts_branch L0 ", "\t.set L0, .-4\n", "\ts_branch 3 "}},
	{"branch back into an instruction", "", "gfx900", 6, "s_mov_b32 s0, 0x12345678\ns_branch -2\n", []string{"\ts_branch 65534 "}},
	{"branch offset 0x3f", "", "gfx1010", 6, "s_branch 63\n" + strings.Repeat("s_nop 0\n", 80), []string{"\ts_branch 63 "}},
	{"unused fields", "", "gfx1030", 6, ".long 0xd4f10000, 0x2230f\nv_cmpx_lt_u64_e64 v[15:16], v[17:18]\n",
		[]string{"\t.long 0xd4f10000, 0x2230f // v_cmpx_lt_u64_e64 v[15:16], v[17:18] // 0", "\tv_cmpx_lt_u64_e64 v[15:16], v[17:18] "}},
	{"no instructions", "", "gfx1030", 6, ".long 0xffffffff\n.byte 1, 2, 3\n", []string{"\t.long 0xffffffff ", "\t.byte 0x1, 0x2, 0x3"}},
	{"data", "", "gfx900", 6, `s_endpgm
.rodata
table: .long 1, 2, 3, 4, 5
.byte 6
text: .asciz "text"
.zero 100
"odd name": .quad 7
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 1
.amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.long 8
.data
.long 9
.bss
.zero 16
last: .zero 16
.section .rodata.str,"aMS",@progbits,1
.asciz "x"
.text
k: s_endpgm
`, []string{"table:\n\t.long 0x1, 0x2, 0x3, 0x4 ", "\"odd name\":\n\t.long 0x7, 0x0", ".amdhsa_kernel k\n", ".end_amdhsa_kernel\n\t.long 0x8 ",
		"\"aMS\",@progbits,1\n", "\"aw\",@nobits\n", "last:\n\t.zero 16 "}},
	{"SGPR blocks of gfx10", "", "gfx1030", 4, `.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 1
.amdhsa_next_free_sgpr 1
.amdhsa_granulated_wavefront_sgpr_count 3
.end_amdhsa_kernel
.text
k: s_endpgm
`, []string{"\t.amdhsa_granulated_wavefront_sgpr_count 3\n"}},
}

// TestReassemble disassembles objects and assembles the text again for the
// target in it. Code and data sections must have the same bytes.
func TestReassemble(t *testing.T) {
	for _, c := range reassembleCases {
		t.Run(c.name, func(t *testing.T) {
			tgt, err := target.New(c.triple, c.cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			tgt.COV = c.cov
			first := assembleText(t, c.source, tgt)
			var text strings.Builder
			if err := disasm.Object(&text, first, disasm.Options{Encoder: asm.Encoder}); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("no %q in\n%s", want, text.String())
				}
			}
			id, version, ok := asm.SourceTarget([]byte(text.String()), target.DefaultCOV)
			if !ok {
				t.Fatalf("no target in\n%s", text.String())
			}
			again, err := id.Target("")
			if err != nil {
				t.Fatal(err)
			}
			again.COV = version
			compareObjects(t, first, assembleText(t, text.String(), again), text.String())
		})
	}
}

func assembleText(t *testing.T, source string, tgt *target.Target) []byte {
	t.Helper()
	result, found := asm.Assemble(&diag.Source{Name: "x.s", Text: []byte(source)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%v\n%s", found, source)
	}
	return result.Object
}

// compareObjects compares the header and the loaded sections.
func compareObjects(t *testing.T, first, again []byte, text string) {
	t.Helper()
	want, err := codeobject.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	got, err := codeobject.Read(again)
	if err != nil {
		t.Fatal(err)
	}
	if want.Flags != got.Flags || want.OSABI != got.OSABI || want.ABIVersion != got.ABIVersion {
		t.Errorf("flags %#x, ABI %v %d; assembled again %#x, %v %d", want.Flags, want.OSABI, want.ABIVersion, got.Flags, got.OSABI, got.ABIVersion)
	}
	for _, s := range want.Sections {
		if s.Flags&codeobject.SHF_ALLOC == 0 || s.Size == 0 || s.Type == codeobject.SHT_NOTE {
			continue
		}
		x := got.Section(s.Name)
		if x == nil || x.Size != s.Size || x.Flags != s.Flags || x.Type != s.Type || x.EntSize != s.EntSize || !bytes.Equal(s.Data, x.Data) {
			t.Errorf("%s: %+v\nassembled again %+v\n%s", s.Name, s, x, text)
		}
	}
}
