package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
)

// TestCoverageInStatus compares the numbers in docs/status.md with the
// command's output.
func TestCoverageInStatus(t *testing.T) {
	view, err := coverageView("", false)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	if err := view(&now); err != nil {
		t.Fatal(err)
	}
	filetest.Section(t, "../../docs/status.md", "coverage", now.String())
}

// TestNoneMissing checks that every instruction of a simulated processor runs,
// or is excluded by a rule that docs/status.md names.
func TestNoneMissing(t *testing.T) {
	status, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range coverageOfAll("") {
		if !c.Simulated {
			continue
		}
		n++
		left := 0
		for _, l := range c.LeftOut {
			left += len(l.Names)
			if !strings.Contains(string(status), "| "+l.Rule+" |") {
				t.Errorf("docs/status.md does not list the rule %q of excluded instructions", l.Rule)
			}
		}
		if len(c.Missing) > 0 || c.Semantics+left != c.Instructions {
			t.Errorf("%s: %d of %d instructions run, %d are left out; missing are %v", c.Processor, c.Semantics, c.Instructions, left, c.Missing)
		}
	}
	if n < 30 {
		t.Errorf("only %d processors are simulated", n)
	}
}
