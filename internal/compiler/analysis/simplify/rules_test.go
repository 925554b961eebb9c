package simplify

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/irrefine"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// untried reports whether a rule is about vectors, addresses or other types,
// which other tests compare with LLVM, or about rounded numbers.
func untried(from string) bool {
	for _, s := range []string{"element", "bitcast", "fpext", "sqrt"} {
		if strings.Contains(from, s) {
			return true
		}
	}
	return false
}

// TestRules checks every rule on all small integers, poison and undef, or on
// special floating-point numbers.
func TestRules(t *testing.T) {
	for _, c := range Rules().All() {
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

// TestEachRule builds a function for each rule: Instr must simplify the
// instruction that the function returns.
func TestEachRule(t *testing.T) {
	for _, c := range Rules().All() {
		if untried(c.Rule.From) || strings.Contains(c.Rule.From, "getelementptr") {
			continue
		}
		m := ir.NewModule("rule")
		f := irrefine.Function(c, m, "f")
		if f == nil {
			t.Errorf("%s: no constants fulfil the conditions", c.Rule.From)
			continue
		}
		if v := f.Operand(f.Terminator(f.Entry()), 0); !v.IsLocal() || Instr(f, v) == ir.None {
			t.Errorf("%s: not simplified\n%s", c.Rule.From, text.Print(m))
		}
	}
}
