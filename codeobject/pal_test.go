package codeobject

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestPALRegisterNames compares the names of all registers with LLVM's.
func TestPALRegisterNames(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	var doc strings.Builder
	doc.WriteString("amdpal.version: [2, 1]\namdpal.pipelines:\n  - .name: x\n    .registers:\n")
	for reg := uint64(0x2c00); reg < 0xc300; reg++ {
		if reg == 0x2f00 {
			reg = 0xa000
		}
		if reg == 0xa400 {
			reg = 0xc200
		}
		fmt.Fprintf(&doc, "      %#x: %d\n", reg, reg)
	}
	n, err := ReadPALYAML(doc.String())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := AppendPALYAML(nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-triple=amdgcn--amdpal", "-mcpu=gfx900"}
	src := []byte("\t.amdgpu_pal_metadata\n---\n" + doc.String() + "...\n\t.end_amdgpu_pal_metadata\n")
	out, errs, exit := oracle.Run(t, src, 10*time.Second, mc, args...)
	if exit != 0 {
		t.Fatalf("%s", errs)
	}
	if !bytes.Contains(out, ours) {
		for line := range strings.Lines(string(ours)) {
			if !strings.Contains(string(out), line) {
				t.Errorf("LLVM lacks %s", line)
			}
		}
		t.Error("the text differs")
	}
	back, err := ReadPALYAML(string(ours))
	if err != nil || !bytes.Equal(back.AppendMsgpack(nil), n.AppendMsgpack(nil)) {
		t.Error("by way of the text the metadata change:", err)
	}
	file := filepath.Join(t.TempDir(), "x.o")
	if _, errs, exit := oracle.Run(t, out, 10*time.Second, mc, append(args, "-filetype=obj", "-o", file)...); exit != 0 {
		t.Fatalf("%s", errs)
	}
	o := readShared(t, file)
	if theirs := metadataDesc(t, o); o.OSABI != ELFOSABI_AMDGPU_PAL || !bytes.Equal(theirs, n.AppendMsgpack(nil)) {
		t.Errorf("OS ABI %d, LLVM's bytes differ", o.OSABI)
	}
}

// TestPALRegisters compares the pairs of the first format with LLVM's.
func TestPALRegisters(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	list := []PALRegister{{0x2e13, 0x80000000}, {0x2c0a, 0x2f0000}, {0x10000000, 7}, {0x2c0a, 0x1}, {0, 0}}
	merged := MergePALRegisters(list)
	if want := []PALRegister{{0, 0}, {0x2c0a, 0x2f0001}, {0x2e13, 0x80000000}, {0x10000000, 7}}; !slices.Equal(merged, want) {
		t.Errorf("merged %x", merged)
	}
	var operands []string
	for _, r := range list {
		operands = append(operands, fmt.Sprintf("%#x,%d", r.Register, r.Value))
	}
	src := []byte(".amd_amdgpu_pal_metadata " + strings.Join(operands, ",") + "\n")
	args := []string{"-triple=amdgcn--amdpal", "-mcpu=gfx803"}
	out, errs, _ := oracle.Run(t, src, 10*time.Second, mc, args...)
	if !strings.Contains(string(out), "\t.amd_amdgpu_pal_metadata "+PALRegistersText(merged)+"\n") {
		t.Errorf("LLVM prints %s%s, ours %s", out, errs, PALRegistersText(merged))
	}
	file := filepath.Join(t.TempDir(), "x.o")
	if _, errs, exit := oracle.Run(t, src, 10*time.Second, mc, append(args, "-filetype=obj", "-o", file)...); exit != 0 {
		t.Fatalf("%s", errs)
	}
	notes, err := readShared(t, file).Notes()
	if err != nil || len(notes) != 1 || !notes[0].Is(NoteOwnerV2, NT_AMD_PAL_METADATA) {
		t.Fatalf("%v %+v", err, notes)
	}
	if desc := AppendPALRegisters(nil, merged); !bytes.Equal(desc, notes[0].Desc) {
		t.Errorf("ours %x, LLVM's %x", desc, notes[0].Desc)
	}
	if back, err := ReadPALRegisters(notes[0].Desc); err != nil || !slices.Equal(back, merged) {
		t.Error(back, err)
	}
	if _, err := ReadPALRegisters(make([]byte, 12)); err == nil || !strings.Contains(err.Error(), "at offset 0x8: PAL metadata of 12 bytes") {
		t.Error(err)
	}
}

func TestPALErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"- 1", "1:1: PAL metadata are an array, expected a map"},
		{"amdpal.pipelines: 5", "1:19: amdpal.pipelines is an integer, expected an array"},
		{"amdpal.pipelines: [7]", "amdpal.pipelines[0] is an integer, expected a map"},
		{"amdpal.pipelines:\n  - .registers: 5", "2:17: amdpal.pipelines[0].registers is an integer"},
		{"amdpal.pipelines:\n  - .registers:\n      x: 5", `3:7: the key of a register is "x", expected a number`},
		{"amdpal.pipelines:\n  - .registers:\n      5: 5\n      '5 (A)': 6", "4:7: duplicate register"},
	} {
		if _, err := ReadPALYAML(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
	n, err := ReadPALYAML("a: 1")
	if text, _ := AppendPALYAML(nil, &n); err != nil || string(text) != "---\na:               0x1\namdpal.pipelines:\n  - .registers:      {}\n...\n" {
		t.Errorf("%v %s", err, text)
	}
}

func FuzzPAL(f *testing.F) {
	f.Add("amdpal.pipelines:\n  - .registers:\n      '0x2c0a (X)': 5\n      0xa191: 6\n")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ReadPALYAML(text)
		if err != nil {
			return
		}
		out, err := AppendPALYAML(nil, &n)
		if err != nil {
			t.Fatal(err)
		}
		checkYAML(t, string(out))
	})
}
