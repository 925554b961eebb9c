package asm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// systems lists a triple for each operating system. Only amdhsa has relocations
// with explicit addends.
var systems = []string{"amdgcn-amd-amdpal", "amdgcn-mesa-mesa3d", "amdgcn--", "amdgcn-amd-amdhsa"}

// newTarget returns the target of a triple and processor, which must exist.
func newTarget(t *testing.T, triple, cpu string) *target.Target {
	t.Helper()
	tgt, err := target.New(triple, cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// relocSources returns the sources of testdata/reloc, and one with every
// combination of relocation specifier, kind of symbol, addend and place.
func relocSources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/reloc/*.s")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	sources := map[string]string{"specifiers": specifierSource()}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(file)] = string(text)
	}
	return sources
}

func specifierSource() string {
	var b strings.Builder
	specs := []string{"", "@gotpcrel", "@gotpcrel32@lo", "@gotpcrel32@hi", "@rel32@lo", "@rel32@hi", "@rel64", "@abs32@lo", "@abs32@hi", "@abs64"}
	symbols := []string{"ext", "weak", "global", "local", "far", "string", ".text"}
	addends := []string{"", "+4", "-4", "+0x7fffffff", "-0x80000000", "+0xffffffff"}
	section := func(directive, statement string, addends []string) {
		b.WriteString(directive + "\n")
		for _, spec := range specs {
			for _, s := range symbols {
				for _, a := range addends {
					fmt.Fprintf(&b, "%s%s%s%s\n", statement, s, spec, a)
				}
			}
		}
	}
	b.WriteString(".weak weak\n.section .far,\"ax\",@progbits\ns_nop 0\nfar: s_endpgm\n" +
		".section .rodata.str,\"aMS\",@progbits,1\n.asciz \"x\"\nstring: .asciz \"y\"\n")
	section(".text\nlocal: s_nop 0\n.globl global\nglobal:", "s_mov_b32 s0, ", addends)
	section("", "v_add_f32 v0, v1, v2\ns_add_u32 s1, s2, ", addends)
	section(".data", ".long ", addends)
	section(".data", ".quad ", append(addends, "+0x123456789abcdef0", "-0x123456789abcdef0"))
	section(".section .debug_info,\"\",@progbits", ".long ", addends)
	section(".section .debug_loc,\"\",@progbits", ".quad ", addends)
	return b.String()
}

// TestRelocations compares objects with LLVM's, byte for byte, for every
// operating system.
func TestRelocations(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	for name, text := range relocSources(t) {
		for _, triple := range systems {
			for _, cpu := range []string{"gfx900", "gfx1010", "gfx1250"} {
				tgt := newTarget(t, triple, cpu)
				out := filepath.Join(t.TempDir(), "llvm.o")
				_, stderr, exit := oracle.Run(t, []byte(text), 20*time.Second, mc, "-triple="+triple, "-mcpu="+cpu, "-filetype=obj", "-o", out)
				if exit != 0 {
					t.Fatalf("%s: LLVM rejects it: %s", name, stderr)
				}
				theirs, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				result, list := asm.Assemble(&diag.Source{Name: name, Text: []byte(text)}, asm.Options{Target: tgt})
				if list.HasErrors() {
					t.Errorf("%s: %v", name, list)
				} else if !bytes.Equal(result.Object, theirs) {
					t.Errorf("%s, %s, %s: objects differ", name, triple, cpu)
					compareWith(t, name, tgt, []byte(text), theirs)
				}
			}
		}
	}
}

// TestImplicitAddends checks that a source has the same relocations for
// operating systems with explicit and with implicit addends.
func TestImplicitAddends(t *testing.T) {
	const text = `
s_mov_b32 s0, ext@rel32@lo+4
s_mov_b32 s0, ext@rel32@hi-12
s_mov_b32 s0, ext@gotpcrel32@lo+4
s_mov_b32 s0, ext@abs32@hi+0x7fffffff
s_branch far
s_branch far2
.data
.quad ext-0x123456789abcdef0, far+8
.long ext-0x80000000
.section .far,"ax",@progbits
s_nop 0
far: s_endpgm
far2 = far+16
`
	relocs := func(triple string) (all []codeobject.Reloc) {
		result, list := asm.Assemble(&diag.Source{Name: "addends", Text: []byte(text)}, asm.Options{Target: newTarget(t, triple, "gfx900")})
		if list.HasErrors() {
			t.Fatal(list)
		}
		o, err := codeobject.Read(result.Object)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(o.Bytes(), result.Object) {
			t.Errorf("%s: reading and writing changes the object", triple)
		}
		for _, s := range o.Sections {
			if want := o.RelocSectionType(); len(s.Relocs) > 0 && s.Type != want {
				t.Errorf("%s: section %s has the type %d, want %d", triple, s.Name, s.Type, want)
			}
			all = append(all, s.Relocs...)
		}
		return all
	}
	want := relocs("amdgcn-amd-amdhsa")
	if len(want) != 9 || want[1].Addend != -12 || want[5].Addend != 20 {
		t.Errorf("relocations with addend: %+v", want)
	}
	for _, triple := range systems[:3] {
		if d := cmp.Diff(want, relocs(triple)); d != "" {
			t.Errorf("%s: relocations differ (-amdhsa):\n%s", triple, d)
		}
	}
}

// TestLostAddends checks the errors and warnings for addends that no field can
// hold where relocations have no explicit addends.
func TestLostAddends(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"s_branch far\n.section .far,\"ax\",@progbits\n.space 0x40000\nfar: s_nop 0\n", `^x:1:10: error: branch size exceeds simm16`},
		{".data\n.long ext+0x100000000\n", `^x:2:10: warning: value 4294967296 does not fit in 32 bits and is truncated`},
		{".data\n.quad 0\n.reloc 0, R_AMDGPU_ABS64, ext+8\n", `^x:3:1: warning: the addend 8 of \.reloc is lost`},
	} {
		src := &diag.Source{Name: "x", Text: []byte(test.text)}
		_, list := asm.Assemble(src, asm.Options{Target: newTarget(t, "amdgcn-amd-amdpal", "gfx900")})
		if ok, _ := regexp.MatchString(test.want, list.Error()); !ok {
			t.Errorf("%q: %v, want %s", test.text, list, test.want)
		}
		if _, list := asm.Assemble(src, asm.Options{Target: newTarget(t, "amdgcn-amd-amdhsa", "gfx900")}); len(list) > 0 {
			t.Errorf("%q for amdhsa: %v", test.text, list)
		}
	}
}

// otherListings maps the sources whose listings differ from LLVM's to the
// reason.
var otherListings = map[string]string{
	"later.s": lateValues, "later-gfx1030.s": lateValues, "later-gfx90a.s": lateValues, "mesa-later.s": lateValues, "sizes.s": lateValues,
	"lds.s": ldsBlank, "lds-used.s": ldsBlank,
	"preload.s": "LLVM raises .amdhsa_next_free_sgpr to the number of user SGPRs",
}

const (
	lateValues = "LLVM lists values that are known late as expressions with its masks and shifts"
	ldsBlank   = "LLVM lists no empty line after .amdgpu_lds"
)

// TestListings compares listings with LLVM's, line for line: of the relocation
// sources for all operating systems, and of the kernels.
func TestListings(t *testing.T) {
	for name, text := range relocSources(t) {
		for _, triple := range systems {
			tgt := newTarget(t, triple, "gfx900")
			tgt.COV = 5
			if d := listingDiff(t, tgt, "", text); d != "" {
				t.Errorf("%s, %s: listing differs (-LLVM +gfx)\n%s", name, triple, d)
			}
		}
	}
	files, _ := filepath.Glob("testdata/kernel/*.s")
	compared := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run := kernelRuns(t, string(text))[0]
		tgt, err := target.New(run.triple, run.cpu, run.mattr)
		if err != nil {
			t.Fatal(err)
		}
		tgt.COV = run.cov[len(run.cov)-1]
		if tgt.COV < 4 {
			continue
		}
		d := listingDiff(t, tgt, run.mattr, string(text))
		if why, known := otherListings[filepath.Base(file)]; known != (d != "") {
			t.Errorf("%s: known to differ: %v (%s); differences (-LLVM +gfx):\n%s", file, known, why, d)
		}
		compared++
	}
	if compared < 25 {
		t.Errorf("only %d kernels compared", compared)
	}
}

// listingDiff returns the differences between a listing and LLVM's.
func listingDiff(t *testing.T, tgt *target.Target, mattr, text string) string {
	t.Helper()
	stdout, stderr, exit := oracle.Run(t, []byte(text), 20*time.Second, oracle.Tool(t, "llvm-mc-22"), "-triple="+tgt.Triple.String(),
		"-mcpu="+tgt.Processor.Name, "-mattr="+mattr, "--amdhsa-code-object-version="+strconv.Itoa(tgt.COV), "-show-encoding", "--defsym", "defined=7")
	if exit != 0 {
		t.Fatalf("LLVM rejects it: %s", stderr)
	}
	result, list := asm.Assemble(&diag.Source{Name: "listing", Text: []byte(text)},
		asm.Options{Target: tgt, Listing: true, Defines: []asm.Define{{Name: "defined", Value: 7}}})
	if list.HasErrors() {
		return list.Error()
	}
	theirs := strings.NewReplacer("; encoding", "// encoding", ";   fixup", "//   fixup", "; :", "// :").Replace(string(stdout))
	return cmp.Diff(strings.Split(theirs, "\n"), strings.Split(string(result.Listing), "\n"))
}
