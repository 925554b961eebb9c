package target

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readTSV returns the rows of a file in testdata without comments.
func readTSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "#") {
			rows = append(rows, strings.Split(s.Text(), "\t"))
		}
	}
	if len(rows) < 10 {
		t.Fatalf("%s: only %d rows", name, len(rows))
	}
	return rows
}

func TestNamesAndNumbersAreUnique(t *testing.T) {
	names, machs := map[string]bool{}, map[uint8]bool{}
	for i := range processors {
		p := &processors[i]
		for _, n := range append([]string{p.Name}, p.Aliases...) {
			if names[n] {
				t.Errorf("name %s is listed twice", n)
			}
			names[n] = true
			if Lookup(n) != p {
				t.Errorf("Lookup(%q) = %v", n, Lookup(n))
			}
		}
		if p.Mach == 0 {
			continue
		}
		if machs[p.Mach] {
			t.Errorf("%s: machine number %#x is listed twice", p.Name, p.Mach)
		}
		machs[p.Mach] = true
		if LookupMach(p.Mach) != p {
			t.Errorf("LookupMach(%#x) = %v, want %v", p.Mach, LookupMach(p.Mach), p)
		}
	}
	if Lookup("") != nil || Lookup("gfx") != nil || LookupMach(0) != nil || LookupMach(0xff) != nil {
		t.Error("found a processor that does not exist")
	}
}

// TestVersionIsTheName checks the version against the processor name, which
// encodes major, minor and stepping, the last two as single digits.
func TestVersionIsTheName(t *testing.T) {
	for _, p := range Processors() {
		if !strings.HasPrefix(p.Name, "gfx") || p.Generic != 0 {
			continue
		}
		if string(p.Version.appendName(nil)) != p.Name {
			t.Errorf("%s has version %v", p.Name, p.Version)
		}
		if p.Gen.Major() != int(p.Version.Major) {
			t.Errorf("%s of version %v is of generation %s", p.Name, p.Version, p.Gen)
		}
	}
}

func TestGenericNames(t *testing.T) {
	for i := range processors {
		p := &processors[i]
		if p.GenericName == "" {
			continue
		}
		g := Lookup(p.GenericName)
		if g == nil || g.Generic == 0 {
			t.Errorf("%s: %q is not a generic processor", p.Name, p.GenericName)
			continue
		}
		// The processor supports every feature that code for the generic
		// processor may use. Excluded are features that only keep the code
		// general, and SRAM ECC, which the generic processor lacks.
		general := Features(FeatureRequiresCOV6, FeatureUserSGPRInit16Bug, FeatureRequiredExportPriority,
			FeatureImageGather4D16Bug)
		if missing := g.Default &^ general &^ p.Default; missing != 0 {
			t.Errorf("%s lacks %s of %s", p.Name, missing, g.Name)
		}
	}
}

func TestGenerationDAG(t *testing.T) {
	for g := R600; g < numGenerations; g++ {
		parent := g.Parent()
		want := uint32(1)<<g | parent.row().mask
		if got := g.row().mask; got != want {
			t.Errorf("%s: mask %#x, want %#x", g, got, want)
		}
		if parent >= g {
			t.Errorf("%s has parent %s", g, parent)
		}
		if !g.Is(g) || g.Is(NoGeneration) || g.String() == "" || g.Series() == "" {
			t.Errorf("generation %d is not in order", g)
		}
	}
	tests := []struct {
		g, a Generation
		want bool
	}{
		{GFX11, GFX10_3, true}, {GFX940, GFX9, true}, {GFX10_1, GFX90A, false}, {GFX12_5, GFX6, true},
		{GFX9, GFX10_1, false}, {GFX6, R600, false}, {NorthernIslands, R600, true}, {NoGeneration, GFX6, false},
	}
	for _, tt := range tests {
		if got := tt.g.Is(tt.a); got != tt.want {
			t.Errorf("%s.Is(%s) = %v", tt.g, tt.a, got)
		}
	}
	if R700.Major() != 0 || GFX950.Major() != 9 || GFX12_5.Major() != 12 {
		t.Error("wrong major version")
	}
}

func TestFeatureNames(t *testing.T) {
	if numFeatures > 64 {
		t.Fatalf("%d features do not fit a FeatureSet", numFeatures)
	}
	for f := range Feature(numFeatures) {
		if got, ok := LookupFeature(f.String()); !ok || got != f {
			t.Errorf("LookupFeature(%q) = %v, %v", f, got, ok)
		}
		if slices.Contains(otherFeatures[:], f.String()) {
			t.Errorf("%s is also in otherFeatures", f)
		}
	}
	if !slices.IsSorted(otherFeatures[:]) {
		t.Error("otherFeatures is not sorted")
	}
	if _, ok := LookupFeature("no-such"); ok {
		t.Error("found a feature that does not exist")
	}
	if f, _ := LookupFeature("sram-ecc"); f != FeatureSRAMECC {
		t.Error("sram-ecc is not sramecc")
	}
	s := Features(FeatureXNACK, FeatureMAI)
	if s.String() != "xnack,mai-insts" || s.Len() != 2 || !s.Contains(Features(FeatureMAI)) || s.Contains(Features(FeatureFP8)) {
		t.Errorf("set %s is not in order", s)
	}
}

// notInLLVM22 lists the processors that LLVM 22 has dropped.
var notInLLVM22 = []string{"gfx940", "gfx941"}

// clangNames lists alternate names that clang accepts and llvm-mc rejects.
var clangNames = []string{"rv630", "rv635", "rs780", "rv610", "rv620", "rv740", "palm", "hemlock", "sumo2", "aruba"}

func TestFeaturesAreLLVMs(t *testing.T) {
	seen := map[*Processor]bool{}
	for _, row := range readTSV(t, "features.tsv") {
		p := Lookup(row[0])
		if p == nil {
			t.Errorf("no processor %s", row[0])
			continue
		}
		seen[p] = true
		if got := p.Default.String(); got != row[1] {
			t.Errorf("%s:\n got %s\nwant %s", row[0], got, row[1])
		}
	}
	for i := range processors {
		p := &processors[i]
		if !seen[p] && !slices.Contains(notInLLVM22, p.Name) {
			t.Errorf("LLVM does not support %s", p.Name)
		}
	}
}

func TestLimitsAreLLVMs(t *testing.T) {
	rows := readTSV(t, "limits.tsv")
	for _, row := range rows[1:] {
		name, mattr := row[0], row[1]
		if name == "generic-hsa" || strings.HasPrefix(name, "gfx125") && strings.Contains(mattr, "wavefrontsize64") {
			continue // LLVM uses features that no hardware has
		}
		tgt, err := New("", name, mattr)
		if err != nil {
			t.Errorf("%s %s: %v", name, mattr, err)
			continue
		}
		l := tgt.Limits()
		got := map[string]int{
			"WaveSize": l.WaveSize, "SGPRs": l.SGPRs, "AddressableSGPRs": l.AddressableSGPRs, "SGPRGranule": l.SGPRGranule,
			"SGPREncodingGranule": l.SGPREncodingGranule, "VGPRs": l.VGPRs, "AddressableVGPRs": l.AddressableVGPRs,
			"ArchVGPRs": l.ArchVGPRs, "VGPRGranule": l.VGPRGranule, "VGPREncodingGranule": l.VGPREncodingGranule,
			"LDSPerCU": l.LDSPerCU, "LDS": l.LDS, "LDSGranule/4": l.LDSGranule / 4, "WavesPerEU": l.WavesPerEU,
			"EUsPerCU": l.EUsPerCU, "WorkGroupSize": l.WorkGroupSize, "UserSGPRs": l.UserSGPRs,
			"vcc": tgt.SpecialSGPRs(true, false, false), "flat": tgt.SpecialSGPRs(false, true, false),
			"xnack":             tgt.SpecialSGPRs(false, false, true),
			"workgroups of 128": min(l.WavesPerEU*l.EUsPerCU/(128/l.WaveSize), l.BarriersPerCU),
		}
		for i, column := range rows[0][2:] {
			want, _ := strconv.Atoi(row[i+2])
			if column == "SGPRs" && tgt.Processor.Is(GFX10_1) {
				want = 0
			}
			if got[column] != want {
				t.Errorf("%s %s: %s = %d, want %d", name, mattr, column, got[column], want)
			}
		}
	}
}

func TestLimitsBeyondLLVMs(t *testing.T) {
	limits := func(cpu string) Limits {
		tgt, err := New("", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		return tgt.Limits()
	}
	if l := limits("gfx908"); l.AGPRs != 256 || l.UnifiedVGPRs || l.AddressableVGPRs != 256 || l.LDSBanks != 32 {
		t.Errorf("gfx908: %+v", l)
	}
	if l := limits("gfx90a"); l.AGPRs != 256 || !l.UnifiedVGPRs || l.AddressableVGPRs != 512 || l.ArchVGPRs != 256 {
		t.Errorf("gfx90a: %+v", l)
	}
	if l := limits("gfx703"); l.AGPRs != 0 || l.LDSBanks != 16 || l.ScratchPerWave != 8191*1024 {
		t.Errorf("gfx703: %+v", l)
	}
	if l := limits("gfx1100"); l.ScratchPerWave != 32767*256 || l.ScratchGranule != 256 {
		t.Errorf("gfx1100: %+v", l)
	}
	cayman, err := New("r600--", "cayman", "")
	if err != nil {
		t.Fatal(err)
	}
	if l := cayman.Limits(); l.LDS != 32<<10 || l.WaveSize != 64 || l.AddressableVGPRs != 128 || l.SGPRs != 0 {
		t.Errorf("cayman: %+v", l)
	}
}

func TestWaveSizes(t *testing.T) {
	for name, want := range map[string][]int{
		"gfx900": {64}, "gfx1010": {32, 64}, "gfx1250": {32}, "rs880": {16}, "cedar": {32}, "gfx12-generic": {32, 64},
	} {
		if got := Lookup(name).WaveSizes(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestClangNames(t *testing.T) {
	for _, n := range clangNames {
		if Lookup(n) == nil {
			t.Errorf("no processor %s", n)
		}
	}
}

func TestSuggestions(t *testing.T) {
	for name, want := range map[string]string{
		"gfx90b": `did you mean "gfx900"?`, "gfx10-3-genric": `did you mean "gfx10-3-generic"?`,
		"Tahiti": `did you mean "tahiti"?`, "polaris01": `did you mean "polaris10"?`, "gxf900": `did you mean "gfx900"?`,
		"x86-64": "", "": `expected a processor`,
		strings.Repeat("gfx", 1000): "",
	} {
		_, err := ParseProcessor(name)
		if err == nil {
			t.Errorf("%q is a processor", name)
			continue
		}
		if want == "" && strings.Contains(err.Error(), "did you mean") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %.200v", name, err)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "ABC", 0}, {"kitten", "sitting", 3}, {"abcd", "abdc", 1},
		{"abc", "xyz", 3}, {"abc", "abcdefgh", 4}, {"gfx", "gxf", 1}, {"ca", "abc", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b, 4); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a, 4); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
