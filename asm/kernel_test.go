package asm_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// hsaSections replaces the section directives of V2, which LLVM 14 no longer
// has, by equivalent ones.
var hsaSections = strings.NewReplacer(
	"\n.hsatext\n", "\n.section .hsatext,\"0xc00007\",@progbits\n",
	"\n.hsadata_global_agent\n", "\n.section .hsadata_global_agent,\"0x900003\",@progbits\n",
	"\n.hsadata_global_program\n", "\n.section .hsadata_global_program,\"0x100003\",@progbits\n",
	"\n.hsarodata_readonly_agent\n", "\n.section .hsarodata_readonly_agent,\"0xa00002\",@progbits\n",
	"\n.rodata\n", "\n.section .rodata,\"a\",@progbits\n",
)

// kernelRun is a line of a source that specifies a configuration to assemble it
// for: triple, processor, features and code object versions.
type kernelRun struct {
	triple, cpu, mattr string
	cov                []int
}

var runLine = regexp.MustCompile(`(?m)^// RUN (\S+) (\S+) (\S+) ([\d ]+)$`)

func kernelRuns(t *testing.T, text string) (runs []kernelRun) {
	for _, m := range runLine.FindAllStringSubmatch(text, -1) {
		r := kernelRun{triple: m[1], cpu: m[2]}
		if m[3] != "-" {
			r.mattr = m[3]
		}
		for _, v := range strings.Fields(m[4]) {
			n, _ := strconv.Atoi(v)
			r.cov = append(r.cov, n)
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		t.Fatal("no RUN line")
	}
	return runs
}

// TestKernelSources compares the objects of small sources with LLVM's. Together
// the sources use every directive and every key of kernels.
func TestKernelSources(t *testing.T) {
	files, err := filepath.Glob("testdata/kernel/*.s")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	compared := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range kernelRuns(t, string(text)) {
			for _, cov := range run.cov {
				tgt, err := target.New(run.triple, run.cpu, run.mattr)
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				tgt.COV = cov
				compareKernel(t, filepath.Base(file)+" "+run.cpu+" V"+strconv.Itoa(cov), tgt, run.mattr, string(text))
				compared++
			}
		}
	}
	t.Logf("%d objects of %d sources", compared, len(files))
}

func compareKernel(t *testing.T, name string, tgt *target.Target, mattr, text string) {
	t.Helper()
	theirs, messages := llvmAssemble(t, tgt, mattr, []byte(hsaSections.Replace(text)))
	if theirs == nil {
		t.Errorf("%s: LLVM rejects it: %s", name, messages)
		return
	}
	compareWith(t, name, tgt, []byte(text), theirs)
}

// TestGuideKernels assembles the complete examples of both user guides.
func TestGuideKernels(t *testing.T) {
	for _, file := range []string{"amdgpu-usage-2018.txt", "amdgpu-usage-2019.rst"} {
		guide, err := os.ReadFile(filepath.Join(oracle.Shared(t, "spec"), file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(guide)
		v2 := between(t, text, ".hsa_code_object_version 1,0\n", ".size   hello_world, .Lfunc_end0-hello_world\n")
		v3 := between(t, text, `.amdgcn_target "amdgcn-amd-amdhsa--gfx900+xnack" // optional`, ".end_amdgpu_metadata\n")
		_, rest, _ := strings.Cut(text, ".end_amdgpu_metadata\n\nIf an assembly")
		two := between(t, rest, `.amdgcn_target "amdgcn-amd-amdhsa--gfx900+xnack" // optional`, ".amdhsa_kernel kern1\n")
		two += "  .amdhsa_next_free_vgpr .amdgcn.next_free_vgpr\n.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr\n.end_amdhsa_kernel\n"
		for _, test := range []struct {
			name, cpu, mattr, text string
			cov                    int
		}{
			{"V2", "gfx1010", "", v2, 2},
			{"V3", "gfx900", "+xnack", v3, 3},
			{"two kernels", "gfx900", "+xnack", two, 3},
			{"V6", "gfx900", "+xnack", strings.ReplaceAll(v3, "gfx900+xnack", "gfx900:xnack+"), 6},
			{"V4", "gfx900", "+xnack", strings.ReplaceAll(two, "gfx900+xnack", "gfx900:xnack+"), 4},
		} {
			tgt, err := target.New("amdgcn-amd-amdhsa", test.cpu, test.mattr)
			if err != nil {
				t.Fatal(err)
			}
			tgt.COV = test.cov
			compareKernel(t, file+" "+test.name, tgt, test.mattr, test.text)
		}
	}
}

// between returns the lines from first to last, without indentation.
func between(t *testing.T, text, first, last string) string {
	t.Helper()
	start := strings.Index(text, first)
	n := strings.Index(text[max(start, 0):], last)
	if start < 0 || n < 0 {
		t.Fatalf("no example between %q and %q", first, last)
	}
	from := strings.LastIndexByte(text[:start], '\n') + 1
	indent := text[from:start]
	var b strings.Builder
	for l := range strings.Lines(text[from : start+n+len(last)]) {
		b.WriteString(strings.TrimPrefix(l, indent))
	}
	return "\n" + b.String()
}

// TestKernelRefused checks that gfx and LLVM both reject invalid directives,
// with an error at the listed place.
func TestKernelRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/kernel/refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(text), "\n----\n")
	if len(cases) < 60 {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		src, want, ok := strings.Cut(strings.TrimSuffix(c, "\n"), "\nERROR ")
		if !ok {
			t.Fatalf("case %d has no ERROR line: %s", i, c)
		}
		run := kernelRuns(t, src)[0]
		tgt, err := target.New(run.triple, run.cpu, run.mattr)
		if err != nil {
			t.Fatal(err)
		}
		tgt.COV = run.cov[0]
		src += "\n"
		want, lax := strings.CutSuffix(want, " (not by LLVM)")
		want, aborts := strings.CutSuffix(want, " (LLVM aborts)")
		_, list := asm.Assemble(&diag.Source{Name: "x.s", Text: []byte(src)}, asm.Options{Target: tgt})
		if !list.HasErrors() {
			t.Errorf("%s: no error, want %s", src, want)
			continue
		}
		if got := list.Error(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
		if lines := strings.Count(src, "\n"); slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Source == nil }) || lines == 0 {
			t.Errorf("%s: error without a place: %v", src, list)
		}
		if aborts {
			continue
		}
		if theirs, _ := llvmAssemble(t, tgt, run.mattr, []byte(src)); (theirs != nil) != lax {
			t.Errorf("%s: LLVM accepts it: %v", src, theirs != nil)
		}
	}
}
