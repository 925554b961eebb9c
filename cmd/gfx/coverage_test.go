package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCoverageInStatus compares the numbers in docs/status.md with the
// command's.
func TestCoverageInStatus(t *testing.T) {
	status, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "<!-- coverage:begin -->\n")
	written, _, found := strings.Cut(rest, "<!-- coverage:end -->")
	if !found {
		t.Fatal("docs/status.md has no place for the coverage")
	}
	view, err := coverageView("", false)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	if err := view(&now); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(now.String(), written); d != "" {
		t.Errorf("docs/status.md is stale: between its marks belongs what gfx targets --coverage prints (-command +file):\n%s", d)
	}
}
