package sem

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// simulated lists the instruction sets that the simulator runs.
var simulated = []isa.Set{isa.GFX600, isa.GFX700, isa.GFX803, isa.GFX810, isa.GFX900, isa.GFX904, isa.GFX906, isa.GFX908, isa.GFX90A, isa.GFX942, isa.GFX950, isa.GFX1010, isa.GFX1012, isa.GFX1030, isa.GFX1100, isa.GFX1150, isa.GFX1200}

// floatName matches the vector instructions of floats. noFloatRow matches the
// ones that are not lane-wise operations: interpolation reads LDS and other
// lanes, and matrices have their own table.
var (
	floatName  = regexp.MustCompile(`^v_.*(f16|f32|f64|fp8|bf8)`)
	noFloatRow = regexp.MustCompile(`^v_(interp|mfma|smfmac|wmma|swmmac|cvt_scalef32)_`)
)

// floatOps returns the instructions that must have rows.
func floatOps() map[string]isa.Op {
	ops := map[string]isa.Op{}
	for e := range isa.Enc(isa.NumEncs()) {
		n := e.Name()
		has := slices.ContainsFunc(simulated, func(s isa.Set) bool { return e.Sets().Has(s) })
		if has && floatName.MatchString(n) && !noFloatRow.MatchString(n) {
			ops[n] = e.Op()
		}
	}
	return ops
}

func TestFloatRowsComplete(t *testing.T) {
	ops := floatOps()
	if len(ops) < 250 {
		t.Fatalf("%d float instructions found", len(ops))
	}
	var missing []string
	for n, op := range ops {
		r := Of(op)
		if r == nil {
			missing = append(missing, n)
		} else if (r.Fn == nil) == (r.Flag == nil) {
			t.Errorf("%s: a row has one function", n)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		t.Errorf("%d without a row: %s", len(missing), strings.Join(missing, " "))
	}
}

// TestFloatRowNames checks that every name in the tables is an instruction's.
func TestFloatRowNames(t *testing.T) {
	known := map[string]bool{"v_dot2c_f32_bf16": true, "v_cmp_t_f16": true}
	for e := range isa.Enc(isa.NumEncs()) {
		known[e.Name()] = true
	}
	for _, rows := range [][]Row{floatRows(), floatMinMaxRows(), floatMinMax2019Rows(), floatCompareRows(), floatRoundRows(), floatDivRows(), floatDotRows(), floatCubeRows(), cvtFloatRows(), cvtIntRows(), fp8Rows(), transRows()} {
		for _, r := range rows {
			for _, n := range strings.Fields(r.Name) {
				if !known[n] {
					t.Errorf("no instruction %s", n)
				}
			}
		}
	}
}
