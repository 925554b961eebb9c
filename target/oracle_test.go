package target

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const oracleTime = 10 * time.Second

// help returns the names that llvm-mc lists for -mcpu=help below a heading.
func help(t *testing.T, tool, arch, heading string) []string {
	t.Helper()
	stdout, stderr, _ := oracle.Run(t, nil, oracleTime, tool, "-triple="+arch, "-mcpu=help")
	_, list, ok := strings.Cut(string(stdout)+string(stderr), "Available "+heading)
	if !ok {
		t.Fatalf("%s prints no list of %s", tool, heading)
	}
	list, _, _ = strings.Cut(list, "\n\nAvailable")
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  (\S+) +- `).FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	return names
}

func TestProcessorListIsLLVMs(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	for _, arch := range []Arch{R600Arch, AMDGCN} {
		want := help(t, mc, arch.String(), "CPUs for this target")
		for name := range processorNames(arch) {
			ours := slices.Contains(notInLLVM22, name) || slices.Contains(clangNames, name)
			if !slices.Contains(want, name) && !ours {
				t.Errorf("%s: LLVM does not support %s", arch, name)
			}
		}
		for _, name := range want {
			if p := Lookup(name); p == nil || p.Arch() != arch {
				t.Errorf("no processor %s of %s", name, arch)
			}
		}
	}
}

func TestFeatureListIsLLVMs(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	known := map[string]bool{}
	for _, arch := range []string{"r600", "amdgcn"} {
		for _, name := range help(t, mc, arch, "features for this target") {
			known[strings.ToLower(name)] = true
		}
	}
	for name := range allFeatureNames {
		if !known[name] {
			t.Errorf("LLVM does not support feature %s", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("feature %s is missing", name)
	}
}

// assemble returns the object file that llvm-mc produces from text.
func assemble(t *testing.T, mc, text string, tgt *Target, args ...string) *elf.File {
	t.Helper()
	out := filepath.Join(t.TempDir(), "o")
	args = append([]string{"-triple=" + tgt.Triple.String(), "-mcpu=" + tgt.Processor.Name, "-filetype=obj", "-o", out}, args...)
	_, stderr, exit := oracle.Run(t, []byte(text), oracleTime, mc, args...)
	if exit != 0 {
		t.Errorf("%s %v: %s", mc, args, stderr)
		return nil
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Errorf("%v: %v", args, err)
		return nil
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// eFlags reads e_flags, which debug/elf does not expose.
func eFlags(t *testing.T, mc, text string, tgt *Target, args ...string) (flags uint32, osABI, abiVersion uint8) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "o")
	args = append([]string{"-triple=" + tgt.Triple.String(), "-mcpu=" + tgt.Processor.Name, "-filetype=obj", "-o", out}, args...)
	_, stderr, exit := oracle.Run(t, []byte(text), oracleTime, mc, args...)
	if exit != 0 {
		t.Fatalf("%s %v: %s", mc, args, stderr)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	off := 36
	if b[4] == 2 {
		off = 48
	}
	if tgt.Triple.Is64Bit() != (b[4] == 2) {
		t.Errorf("%s: ELF class %d", tgt, b[4])
	}
	return binary.LittleEndian.Uint32(b[off:]), b[7], b[8]
}

func compareHeader(t *testing.T, mc string, tgt *Target, text string, args ...string) {
	t.Helper()
	flags, osABI, version := eFlags(t, mc, text, tgt, args...)
	if flags != tgt.EFlags() || osABI != tgt.Triple.OS.ELFOSABI() || version != tgt.Triple.OS.ELFABIVersion(tgt.COV) {
		t.Errorf("%s V%d: e_flags %#x, OS ABI %d, version %d; LLVM has %#x, %d, %d", tgt, tgt.COV,
			tgt.EFlags(), tgt.Triple.OS.ELFOSABI(), tgt.Triple.OS.ELFABIVersion(tgt.COV), flags, osABI, version)
	}
}

// TestHeadersAreLLVMs compares the ELF header of each processor with LLVM's,
// and checks that LLVM's assembler accepts our target ID for the processor.
func TestHeadersAreLLVMs(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	for i := range processors {
		p := &processors[i]
		if slices.Contains(notInLLVM22, p.Name) {
			continue
		}
		triple, text := "r600-unknown-unknown", ""
		if p.Arch() == AMDGCN {
			triple = "amdgcn-amd-amdhsa"
		}
		tgt, err := New(triple, p.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		if p.Arch() == AMDGCN {
			text = fmt.Sprintf(".amdgcn_target %q\n", tgt)
		}
		compareHeader(t, mc, tgt, text)
	}
}

func TestSettingsAreLLVMs(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	n := 0
	for _, cpu := range []string{"gfx90a", "gfx1010", "gfx9-4-generic", "gfx1250", "gfx600"} {
		for _, mattr := range []string{"", "+xnack", "-xnack", "+sramecc", "-sramecc,+xnack"} {
			for _, triple := range []string{"amdgcn-amd-amdhsa", "amdgcn--amdpal", "amdgcn-mesa-mesa3d", "amdgcn"} {
				tgt, err := New(triple, cpu, mattr)
				if err != nil {
					continue // the processor lacks the feature
				}
				tgt.COV = 4 + n%3
				n++
				text := fmt.Sprintf(".amdgcn_target %q\n", tgt)
				compareHeader(t, mc, tgt, text, "-mattr="+mattr, fmt.Sprint("--amdhsa-code-object-version=", tgt.COV))
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d settings were compared", n)
	}
}

// TestOldTargetIDsAreLLVM14s checks V2 and V3, which LLVM 22 no longer writes.
func TestOldTargetIDsAreLLVM14s(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-14")
	n := 0
	for _, cpu := range []string{"gfx600", "gfx700", "gfx801", "gfx803", "gfx900", "gfx902", "gfx904", "gfx906", "gfx90c", "gfx908", "gfx1010"} {
		for _, mattr := range []string{"", "+xnack", "-xnack", "-sramecc,-xnack"} {
			for cov := 2; cov <= 3; cov++ {
				tgt, err := New("amdgcn-amd-amdhsa", cpu, mattr)
				if err != nil {
					continue
				}
				tgt.COV = cov
				name, err := tgt.Format(cov)
				if err != nil {
					continue // V2 does not support the processor
				}
				text := fmt.Sprintf(".amdgcn_target %q\n", name)
				if cov == 2 {
					text = "" // LLVM 14 accepts the directive from V3 on
				}
				compareHeader(t, mc, tgt, text, "-mattr="+mattr, fmt.Sprint("--amdhsa-code-object-version=", cov))
				n++
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d target IDs were compared", n)
	}
}

// TestGranulesAreLLVMs derives the encoding granules from the register counts
// in LLVM's kernel descriptors.
func TestGranulesAreLLVMs(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	const vgprs, sgprs = 100, 60
	for _, tt := range []struct{ cpu, mattr string }{
		{"gfx700", ""}, {"gfx803", ""}, {"gfx900", ""}, {"gfx908", ""}, {"gfx90a", ""}, {"gfx942", ""}, {"gfx1010", ""},
		{"gfx1010", "+wavefrontsize64"}, {"gfx1030", ""}, {"gfx1100", ""}, {"gfx1100", "+wavefrontsize64"}, {"gfx1200", ""}, {"gfx1250", ""},
	} {
		tgt, err := New("", tt.cpu, tt.mattr)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(".section .rodata\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr %d\n.amdhsa_next_free_sgpr %d\n", vgprs, sgprs)
		if tgt.Processor.Is(GFX90A) && !tgt.Processor.Is(GFX10_1) {
			text += ".amdhsa_accum_offset 64\n"
		}
		f := assemble(t, mc, text+".end_amdhsa_kernel\n", tgt, "-mattr="+tt.mattr)
		if f == nil {
			continue
		}
		kd, err := f.Section(".rodata").Data()
		if err != nil || len(kd) < 64 {
			t.Errorf("%s: descriptor of %d bytes, %v", tt.cpu, len(kd), err)
			continue
		}
		rsrc1 := binary.LittleEndian.Uint32(kd[48:])
		l := tgt.Limits()
		if got, want := (vgprs+l.VGPREncodingGranule-1)/l.VGPREncodingGranule-1, int(rsrc1&63); got != want {
			t.Errorf("%s %s: %d granules of VGPRs, LLVM has %d", tt.cpu, tt.mattr, got, want)
		}
		if tgt.Processor.Is(GFX10_1) {
			continue // the descriptor holds no SGPR count
		}
		special := tgt.SpecialSGPRs(true, tgt.Processor.Is(GFX7), tgt.XNACK.OnOrAny())
		n := sgprs + special
		if got, want := (n+l.SGPREncodingGranule-1)/l.SGPREncodingGranule-1, int(rsrc1>>6&15); got != want {
			t.Errorf("%s: %d granules of SGPRs, LLVM has %d", tt.cpu, got, want)
		}
	}
}
