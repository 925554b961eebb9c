package opt_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/irrefine"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestCombineRules checks every rule on all small integers, poison and undef,
// or on special floating-point numbers.
func TestCombineRules(t *testing.T) {
	for _, c := range opt.CombineRules.Get().All() {
		if strings.Contains(c.Rule.From, "bitcast") || strings.Contains(c.Rule.From, "addrspacecast") || strings.Contains(c.Rule.From, "fpext") {
			continue // other types: other tests run them
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

// TestEachCombineRule runs the pass on a function for each rule: the function
// must change, and its results must not.
func TestEachCombineRule(t *testing.T) {
	for i, c := range opt.CombineRules.Get().All() {
		if strings.Contains(c.Rule.From, "addrspacecast") || strings.Contains(c.Rule.From, "bitcast") || strings.Contains(c.Rule.From, "fpext") {
			continue
		}
		m := ir.NewModule("rule")
		f := irrefine.Function(c, m, "f")
		if f == nil {
			t.Errorf("%s: no constants fulfil the conditions", c.Rule.From)
			continue
		}
		src := text.Print(m)
		before := ruleResults(t, m, f)
		run(t, "instcombine", m)
		if bytes.Equal(src, text.Print(m)) {
			t.Errorf("rule %d, %s: nothing changed\n%s", i, c.Rule.From, src)
		}
		after := ruleResults(t, m, f)
		for j := range before {
			if strings.Contains(c.Rule.From, "nsz") { // signs of zeros do not matter
				before[j], after[j] = withoutSign(before[j]), withoutSign(after[j])
			}
			if before[j] != after[j] && before[j] != "" && !strings.Contains(c.Rule.From, "reassoc") {
				t.Errorf("%s: %s, was %s\n%s\n%s", c.Rule.From, after[j], before[j], src, text.Print(m))
				break
			}
		}
	}
}

func withoutSign(s string) string {
	if s == "8000000000000000" {
		return "0"
	}
	return s
}

// ruleArgs holds argument values, as integers and as bits of floating-point
// numbers.
var ruleArgs = []uint64{0, 1, 2, 3, 7, 0x7f, 0x80, 0xff, 0x5a, math.Float64bits(1), math.Float64bits(-2.5), math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), 1 << 63}

// ruleResults runs a function with all pairs of arguments; "" represents
// unspecified results.
func ruleResults(t *testing.T, m *ir.Module, f *ir.Function) (list []string) {
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	args := make([]ireval.Value, f.NumArgs())
	for i := range len(ruleArgs) * len(ruleArgs) {
		for j := range args {
			x := ruleArgs[[4]int{i % len(ruleArgs), i / len(ruleArgs), (i * 7) % len(ruleArgs), (i * 5) % len(ruleArgs)}[j]]
			if bits := m.ScalarBits(f.TypeOf(f.Arg(j))); bits < 64 {
				x &= 1<<bits - 1
			}
			args[j] = ireval.Value{Words: []uint64{x}, Taint: []uint8{0}}
		}
		r, err := mc.Call("f", args...)
		switch {
		case err != nil || r.Taint[0] != 0:
			list = append(list, "")
		case f.ReturnType() == ir.Double && math.IsNaN(math.Float64frombits(r.Words[0])):
			list = append(list, "NaN")
		default:
			list = append(list, fmt.Sprintf("%x", r.Words[0]))
		}
	}
	return list
}
