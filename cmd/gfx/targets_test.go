package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/target"
)

// runTargets runs "gfx targets" and returns its exit status and its output.
func runTargets(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	cmd := newTargetsCmd()
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	_, err := cmd.ExecuteC()
	return report(cmd, err), out.String(), errs.String()
}

func TestTargetsList(t *testing.T) {
	status, out, errs := runTargets()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != statusDone || errs != "" || len(lines) != len(target.Processors())+1 {
		t.Fatalf("status %d, %d lines, %s", status, len(lines), errs)
	}
	for i, p := range target.Processors() {
		fields := strings.Fields(lines[i+1])
		if fields[0] != p.Name || fields[1] != p.Gen.String() {
			t.Errorf("line %d is %q", i+1, lines[i+1])
		}
		if len(lines[i+1]) > 140 || strings.TrimRight(lines[i+1], " ") != lines[i+1] {
			t.Errorf("line too long or with blanks at its end: %q", lines[i+1])
		}
	}
	for _, want := range []string{
		"gfx90a           gfx90a            9.0.10  0x3f  64     102    512    256    64K",
		"xnack sramecc tgsplit",
		"tahiti", "0x5f",
	} {
		if !strings.Contains(squeeze(out), squeeze(want)) {
			t.Errorf("no %q in the list:\n%s", want, out)
		}
	}
}

// squeeze replaces every run of blanks with one blank.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestTargetsOne(t *testing.T) {
	tests := []struct {
		name  string
		wants []string
	}{
		{"gfx90a", []string{"processor gfx90a", "generation gfx90a < gfx9 < gfx8 < gfx7 < gfx6", "ISA version 9.0.10",
			"ELF machine number 0x3f", "optional features xnack, sramecc, tgsplit", "AMD Instinct MI210 Accelerator",
			"VGPR granule: allocation, encoding 8, 8", "limits wave64"}},
		{"fiji", []string{"processor gfx803", "other names fiji, polaris10, polaris11"}},
		{"gfx1100", []string{"limits wave32 wave32, cumode wave64 wave64, cumode", "VGPRs in an EU 1536 1536 768 768",
			"runs code for gfx11-generic"}},
		{"gfx9-4-generic", []string{"generic version 1", "its code runs on gfx942, gfx950"}},
		{"cayman", []string{"architecture r600", "r600-unknown-unknown--cayman", "LDS of a work-group, bytes 32768"}},
	}
	for _, tt := range tests {
		status, out, errs := runTargets(tt.name)
		if status != statusDone || errs != "" {
			t.Errorf("%s: status %d, %s", tt.name, status, errs)
		}
		for _, want := range tt.wants {
			if !strings.Contains(squeeze(out), want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, out)
			}
		}
	}
}

func TestTargetsJSON(t *testing.T) {
	status, out, errs := runTargets("--json")
	var all []targetInfo
	if err := json.Unmarshal([]byte(out), &all); err != nil || status != statusDone || errs != "" {
		t.Fatalf("status %d, %v, %s", status, err, errs)
	}
	if len(all) != len(target.Processors()) || strings.Contains(out, "null") {
		t.Errorf("%d processors in\n%.300s", len(all), out)
	}
	status, out, _ = runTargets("bonaire", "--json")
	var one targetInfo
	if err := json.Unmarshal([]byte(out), &one); err != nil || status != statusDone {
		t.Fatalf("status %d, %v", status, err)
	}
	if one.Name != "gfx704" || one.Mach != 0x26 || len(one.Limits) != 1 || one.Limits[0].SGPRs != 512 || one.Products[0] != "Radeon HD 7790" {
		t.Errorf("bonaire is %+v", one)
	}
}

func TestTargetsErrors(t *testing.T) {
	status, out, errs := runTargets("gfx90aa")
	if status != statusInput || out != "" || errs != "error: unknown processor \"gfx90aa\"; did you mean \"gfx90a\"?\n" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if status, _, errs = runTargets("gfx900", "gfx906"); status != statusUsage || !strings.Contains(errs, "at most one processor, found 2") {
		t.Errorf("status %d, %q", status, errs)
	}
	if status, _, _ = runTargets("--no-such"); status != statusUsage {
		t.Errorf("status %d for a wrong flag", status)
	}
}
