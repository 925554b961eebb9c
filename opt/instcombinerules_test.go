package opt

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/irrefine"
)

// TestCombineRules tries every rule on all small integers, poison and undef, or on special floating-point numbers.
func TestCombineRules(t *testing.T) {
	for _, c := range combineRules().Rules {
		if strings.Contains(c.Rule.From, "bitcast") || strings.Contains(c.Rule.From, "addrspacecast") || strings.Contains(c.Rule.From, "fpext") {
			continue // of other types: compared by running in other tests
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
