package target

import (
	"strings"
	"testing"
)

func TestTargetIDs(t *testing.T) {
	const p = "amdgcn-amd-amdhsa--"
	tests := []struct {
		cov       int
		text      string
		canonical string // "" if equal to text
		processor string
		xnack     Setting
		sramecc   Setting
	}{
		{4, p + "gfx90a:sramecc+:xnack-", "", "gfx90a", Off, On},
		{6, p + "gfx90a:xnack-:sramecc+", p + "gfx90a:sramecc+:xnack-", "gfx90a", Off, On},
		{5, p + "gfx90a", "", "gfx90a", Any, Any},
		{5, p + "gfx906:xnack+", "", "gfx906", On, Any},
		{6, p + "gfx9-4-generic:sramecc-", "", "gfx9-4-generic", Any, Off},
		{4, p + "gfx600", "", "gfx600", Unsupported, Unsupported},
		{4, p + "tahiti", p + "gfx600", "gfx600", Unsupported, Unsupported},
		{4, "amdgcn-unknown-amdpal--gfx1030", "", "gfx1030", Unsupported, Unsupported},
		{4, "amdgcn----gfx1010", "", "gfx1010", Any, Unsupported},
		{3, "amdgcn----gfx1010", "", "gfx1010", Any, Unsupported},
		{4, "amdgcn-amd-amdhsa-opencl-gfx900:xnack-", "", "gfx900", Off, Unsupported},
		{4, "r600----cayman", "", "cayman", Unsupported, Unsupported},
		{3, p + "gfx902+xnack", "", "gfx902", On, Unsupported},
		{3, p + "gfx902", "", "gfx902", Off, Unsupported},
		{3, p + "gfx908+xnack+sram-ecc", "", "gfx908", On, On},
		{3, p + "gfx908+sramecc", p + "gfx908+sram-ecc", "gfx908", Off, On},
		{2, p + "gfx900", "", "gfx900", Off, Unsupported},
		{2, p + "gfx901", "", "gfx900", On, Unsupported},
		{2, p + "gfx907", "", "gfx906", On, Off},
		{2, p + "gfx801", "", "gfx801", On, Unsupported},
		{2, p + "gfx804", p + "gfx803", "gfx803", Unsupported, Unsupported},
		{2, p + "gfx90c", "", "gfx90c", Off, Unsupported},
	}
	for _, tt := range tests {
		id, err := ParseID(tt.text, tt.cov)
		if err != nil {
			t.Errorf("V%d %s: %v", tt.cov, tt.text, err)
			continue
		}
		if id.Processor.Name != tt.processor || id.XNACK != tt.xnack || id.SRAMECC != tt.sramecc {
			t.Errorf("V%d %s: got %s, xnack %s, sramecc %s", tt.cov, tt.text, id.Processor, id.XNACK, id.SRAMECC)
		}
		want := tt.canonical
		if want == "" {
			want = tt.text
		}
		if got, err := id.Format(tt.cov); err != nil || got != want {
			t.Errorf("V%d %s: printed as %s, %v", tt.cov, tt.text, got, err)
		}
	}
}

func TestFormatAny(t *testing.T) {
	id := NewID(HSA, Lookup("gfx906"))
	for cov, want := range map[int]string{2: "gfx907", 3: "gfx906+xnack+sram-ecc", 4: "gfx906", 6: "gfx906"} {
		if got, err := id.Format(cov); err != nil || got != "amdgcn-amd-amdhsa--"+want {
			t.Errorf("V%d: %s, %v", cov, got, err)
		}
	}
	if got := (ID{Triple: HSA}).String(); got != "amdgcn-amd-amdhsa--" {
		t.Errorf("without processor: %s", got)
	}
}

func TestIDErrors(t *testing.T) {
	const p = "amdgcn-amd-amdhsa--"
	tests := []struct {
		cov          int
		marked, want string
	}{
		{4, p + "[gfx90b]:xnack+", `unknown processor "gfx90b"; did you mean`},
		{4, p + "[]", `expected a processor`},
		{4, p + "[]:xnack+", `expected a processor`},
		{4, p + "[cayman]", `processor "cayman" is of architecture r600, not amdgcn`},
		{4, p + "[generic-hsa]", `processor "generic-hsa" names no hardware`},
		{4, "amdgcn--amdpal--gfx1010[:xnack-]", `only target IDs for amdhsa have feature settings`},
		{3, "amdgcn--amdpal--gfx1010[+xnack]", `only target IDs for amdhsa have feature settings`},
		{4, p + "gfx600:[xnack]+", `processor gfx600 does not support xnack`},
		{4, p + "gfx900:[sramecc]-", `processor gfx900 does not support sramecc`},
		{4, p + "gfx90a:xnack+:[xnack]-", `duplicate feature "xnack"`},
		{4, p + "gfx90a:[xnack]", `expected a feature and one sign`},
		{4, p + "gfx90a:[xnack+-]", `expected a feature and one sign`},
		{4, p + "gfx90a:[]", `expected a feature and one sign`},
		{4, p + "gfx90a:[xnak]+", `unknown feature "xnak"; did you mean "xnack"?`},
		{4, p + "gfx90a:[zzzzzzz]+", `unknown feature "zzzzzzz"; expected "sramecc" or "xnack"`},
		{4, p + "gfx90a:[cumode]+", `feature "cumode" is not part of a target ID`},
		{4, p + "gfx90a:[gfx90a-insts]+", `feature "gfx90a-insts" is not part of a target ID`},
		{4, p + "gfx902[+xnack]", `"+xnack" is the form of code object V3`},
		{3, p + "gfx902[:xnack+]", `":xnack+" is the form of code objects V4 and later`},
		{3, p + "gfx902+[]", `unknown feature ""`},
		{3, p + "gfx902+[sram-ecc]", `processor gfx902 does not support sramecc`},
		{3, p + "gfx908+xnack+[xnack]", `duplicate feature "xnack"`},
		{2, p + "[gfx1010]", `code object V2 does not support processor "gfx1010"; it supports gfx600 to gfx907 and gfx90c`},
		{2, p + "[gfx9oo]", `did you mean "gfx900"?`},
		{4, "[amdgcn-amd-amdhsa-gfx900]", `the environment may be empty: "amdgcn-amd-amdhsa--gfx900"`},
		{4, "[gfx900]", `target ID has 1 of 5 parts`},
		{4, "[]", `target ID has 1 of 5 parts`},
		{4, "[amdgpu]-amd-amdhsa--gfx900", `unknown architecture "amdgpu"`},
		{4, "amdgcn-amd-[amdhza]--gfx900", `unknown operating system "amdhza"`},
	}
	for _, tt := range tests {
		_, err := ParseID(unmark(tt.marked), tt.cov)
		wrong(t, err, tt.marked, tt.want)
	}
	for _, cov := range []int{-1, 0, 1, 7} {
		if _, err := ParseID(p+"gfx900", cov); err == nil {
			t.Errorf("version %d is accepted", cov)
		}
		if _, err := NewID(HSA, Lookup("gfx900")).Format(cov); err == nil {
			t.Errorf("version %d is accepted", cov)
		}
	}
}

func TestISANames(t *testing.T) {
	for i := range v2Rows {
		row := &v2Rows[i]
		p := Lookup(row.processor)
		if p == nil {
			t.Errorf("%v: no processor %s", row.version, row.processor)
			continue
		}
		if (row.xnack == Unsupported) == p.Default.Has(FeatureXNACKSupport) {
			t.Errorf("%v: xnack %s does not fit %s", row.version, row.xnack, p)
		}
		name := ISAName{"AMD", "AMDGPU", uint32(row.version.Major), uint32(row.version.Minor), uint32(row.version.Stepping)}
		if back, err := ParseISAName(name.String()); err != nil || back != name {
			t.Errorf("%s is read as %s, %v", name, back, err)
		}
		id, err := name.ID()
		if err != nil || id.Processor != p || id.XNACK != row.xnack {
			t.Errorf("%s: got %s, %v", name, id, err)
		}
		if row.legacy {
			continue
		}
		if back, err := id.ISAName(); err != nil || back != name {
			t.Errorf("%s is written as %s, %v", name, back, err)
		}
	}
}

func TestISANameErrors(t *testing.T) {
	for marked, want := range map[string]string{
		"[]":                   "ISA name has 1 parts",
		"[AMD:AMDGPU:9:0]":     "ISA name has 4 parts",
		"[AMD:AMDGPU:9:0:2:1]": "ISA name has 6 parts",
		"AMD:AMDGPU:[x]:0:2":   `expected a decimal number, not "x"`,
		"AMD:AMDGPU:9:[-1]:2":  `expected a decimal number, not "-1"`,
		"AMD:AMDGPU:9:0:[02]":  `expected a decimal number, not "02"`,
		"AMD:AMDGPU:9:0:[]":    `expected a decimal number, not ""`,
		"AMD:AMDGPU:9:[1" + strings.Repeat("0", 20) + "]:2": "expected a decimal number",
	} {
		_, err := ParseISAName(unmark(marked))
		wrong(t, err, marked, want)
	}
	for _, text := range []string{"AMD:AMDGPU:10:1:0", "AMD:AMDGPU:9:0:8", "XYZ:AMDGPU:9:0:0", "AMD:R600:9:0:0", "AMD:AMDGPU:265:0:0"} {
		n, err := ParseISAName(text)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := n.ID(); err == nil {
			t.Errorf("%s is %s", text, id)
		}
	}
	for text, want := range map[string]string{
		"amdgcn-amd-amdhsa--gfx1010":       "does not support processor gfx1010",
		"amdgcn-amd-amdhsa--gfx801:xnack-": "does not support processor gfx801 with xnack off",
		"amdgcn-amd-amdhsa--gfx90c:xnack+": "does not support processor gfx90c with xnack on",
	} {
		id, err := ParseID(text, 6)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := id.ISAName(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := id.Format(2); err == nil {
			t.Errorf("%s is supported in V2", text)
		}
	}
	if _, err := (ID{}).ISAName(); err == nil {
		t.Error("no processor, and no error")
	}
}

func TestRuns(t *testing.T) {
	tests := []struct {
		code, dev string
		want      string // "" if it runs
	}{
		{"gfx90a", "gfx90a:sramecc+:xnack-", ""},
		{"gfx90a:xnack-", "gfx90a:sramecc+:xnack-", ""},
		{"gfx90a:xnack+", "gfx90a:sramecc+:xnack-", "needs xnack on does not run where it is off"},
		{"gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", "needs sramecc off"},
		{"gfx908", "gfx90a", "code for gfx908 does not run on gfx90a"},
		{"gfx9-4-generic:xnack-", "gfx942:sramecc+:xnack-", ""},
		{"gfx9-generic", "gfx908", "code for gfx9-generic does not run on gfx908"},
		{"gfx942", "gfx9-4-generic", "does not run"},
	}
	for _, tt := range tests {
		code, err1 := ParseProcessorID(HSA, tt.code)
		dev, err2 := ParseProcessorID(HSA, tt.dev)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		err := code.Runs(dev)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s on %s: %v", tt.code, tt.dev, err)
		}
	}
	if (ID{}).Runs(ID{}) == nil {
		t.Error("nothing runs on nothing")
	}
}
