package simplify

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/irrefine"
)

// untried reports whether a rule is about vectors, addresses or other types, which are compared with LLVM in other tests, or about
// numbers that are rounded.
func untried(from string) bool {
	for _, s := range []string{"element", "bitcast", "fpext", "sqrt"} {
		if strings.Contains(from, s) {
			return true
		}
	}
	return false
}

// TestRules tries every rule on all small integers, poison and undef, or on special floating-point numbers.
func TestRules(t *testing.T) {
	for _, c := range Rules().Rules {
		if untried(c.Rule.From) {
			continue
		}
		n, err := irrefine.Check(c)
		switch {
		case err != nil:
			t.Error(err)
		case n == 0:
			t.Errorf("%s was never tried", c.Rule.From)
		}
	}
}
