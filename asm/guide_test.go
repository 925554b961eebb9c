package asm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

var guideInstruction = regexp.MustCompile(`^\s*(ds|flat|buffer|s|v)_\w+`)

// guideExamples returns the instruction examples of a user guide, one a line.
func guideExamples(t *testing.T, file string) []string {
	text, err := os.ReadFile(filepath.Join(oracle.Shared(t, "spec"), file))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\nInstruction Examples\n")
	chapter, _, _ = strings.Cut(chapter, "Code Object V2 Predefined Symbols")
	var lines []string
	for l := range strings.Lines(chapter) {
		if guideInstruction.MatchString(l) {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	if len(lines) < 60 {
		t.Fatalf("only %d examples found in %s", len(lines), file)
	}
	return lines
}

// refusedLines returns the 0-based numbers of the lines that messages refer to.
func refusedLines(messages string) map[int]bool {
	refused := map[int]bool{}
	for _, m := range regexp.MustCompile(`(?m)^[^:\n]*:(\d+):\d+: error`).FindAllStringSubmatch(messages, -1) {
		n, _ := strconv.Atoi(m[1])
		refused[n-1] = true
	}
	return refused
}

// refusedExamples maps the examples that LLVM 22 accepts for no processor to
// the reason.
var refusedExamples = map[string]string{
	"ds_write_src2_b64 v2 offset0:4 offset1:8": "the instruction has one offset of 16 bits",
	"s_cbranch_join s[4:5]":                    "the source is one SGPR, the number of the mask's stack",
}

// olderExample is an example that gfx accepts like LLVM 14; LLVM 22 rejects tfe
// on a store.
const olderExample = "buffer_store_dwordx4 v[1:4], v2, ttmp[4:7], s1 offen offset:4 glc tfe"

// TestGuideExamples assembles the examples of both user guides for their
// processors, and compares the rejected lines and the objects with LLVM's.
func TestGuideExamples(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	for _, file := range []string{"amdgpu-usage-2018.txt", "amdgpu-usage-2019.rst"} {
		lines := guideExamples(t, file)
		taken := make([]bool, len(lines))
		for _, cpu := range []string{"gfx700", "gfx803", "gfx900"} {
			all := []byte(strings.Join(lines, "\n") + "\n")
			_, stderr, _ := oracle.Run(t, all, 20*time.Second, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-filetype=obj", "-o", os.DevNull)
			theirs := refusedLines(string(stderr))
			tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			_, list := asm.Assemble(&diag.Source{Name: "guide", Text: all}, asm.Options{Target: tgt})
			ours := refusedLines(list.Error())
			var good []string
			for i, l := range lines {
				if l == olderExample {
					if ours[i] || !theirs[i] {
						t.Errorf("%s, %s: rejected by gfx: %v, by LLVM 22: %v: %s", file, cpu, ours[i], theirs[i], l)
					}
					taken[i] = !ours[i]
					continue
				}
				if ours[i] != theirs[i] {
					t.Errorf("%s, %s: rejected by gfx: %v, by LLVM: %v: %s", file, cpu, ours[i], theirs[i], l)
				}
				if !theirs[i] {
					good = append(good, l)
					taken[i] = true
				}
			}
			compareObjects(t, "guide", tgt, "", []byte(strings.Join(good, "\n")+"\n"))
		}
		for i, ok := range taken {
			if _, known := refusedExamples[lines[i]]; ok == known {
				t.Errorf("%s: accepted for some processor: %v, known to be rejected: %v: %s", file, ok, known, lines[i])
			}
		}
	}
}

// TestOlderExample compares the example that LLVM 22 no longer accepts, and
// similar instructions, with LLVM 14.
func TestOlderExample(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-14")
	src := olderExample + `
buffer_store_dword v1, off, s[4:7], s1 tfe
buffer_store_byte v1, v2, s[4:7], 0 idxen slc tfe
buffer_store_format_xyz v[1:3], v[2:3], s[4:7], s1 idxen offen tfe
tbuffer_store_format_xy v[1:2], v2, s[4:7], s1 offen tfe
`
	for _, cpu := range []string{"gfx600", "gfx700", "tonga", "gfx803", "gfx900", "gfx908", "gfx1010", "gfx1030"} {
		tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(src) {
			got, err := asm.Inst(nil, strings.TrimSpace(l), tgt)
			if want := encoding(t, mc, cpu, l); err != nil || fmt.Sprintf("%#02x", got) != want {
				t.Errorf("%s: %s: %x, %v, LLVM: %s", cpu, l, got, err, want)
			}
		}
	}
	tgt, _ := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	for _, bad := range []string{
		"buffer_store_dword v[1:2], off, s[4:7], s1 tfe", "buffer_store_dwordx4 v[1:5], v2, s[4:7], s1 offen tfe",
	} {
		if got, err := asm.Inst(nil, bad, tgt); err == nil {
			t.Errorf("%s: %x, want an error", bad, got)
		}
	}
}

// encoding returns llvm-mc's bytes of an instruction.
func encoding(t *testing.T, mc, cpu, inst string) string {
	t.Helper()
	stdout, stderr, _ := oracle.Run(t, []byte(inst), 20*time.Second, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-show-encoding")
	_, bytes, ok := strings.Cut(string(stdout), "encoding: [")
	bytes, _, _ = strings.Cut(bytes, "]")
	if !ok {
		t.Fatalf("%s: %s: %s", cpu, inst, stderr)
	}
	return "0x" + strings.ReplaceAll(strings.ReplaceAll(bytes, "0x", ""), ",", "")
}
