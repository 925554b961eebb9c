package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestAllSimulated checks that every instruction of the table executes, in
// every encoding and wave size, except those excluded by a rule.
func TestAllSimulated(t *testing.T) {
	n, left := 0, map[string]int{}
	for s := range isa.Set(isa.NumSets) {
		for _, lanes := range s.WaveSizes() {
			for e := range isa.Enc(isa.NumEncs()) {
				in, ok := isa.Sample(e, s, lanes)
				if !ok {
					continue
				}
				rule := LeftOut(e)
				left[rule]++
				if !Supports(s) {
					continue // a rule may be for a set that does not run yet
				}
				n++
				if Simulated(&in) != (rule == "") {
					t.Errorf("%v, %d lanes: %v %s: simulated %v, left out as %q", s, lanes, e.Form(), e.Name(), Simulated(&in), rule)
				}
			}
		}
	}
	for i := range leftOutRules {
		if left[leftOutRules[i].name] == 0 {
			t.Errorf("no instruction is left out as %s", leftOutRules[i].name)
		}
	}
	if n < 30000 {
		t.Errorf("only %d encodings", n)
	}
}
