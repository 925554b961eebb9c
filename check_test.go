package gfx

import (
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/sim"
)

// TestSameNumbers compares numbers and names with the constants of other packages,
// to which they are converted.
func TestSameNumbers(t *testing.T) {
	for c, want := range map[Checks]sim.Checks{
		CheckWait: sim.CheckWait, CheckHazard: sim.CheckHazard, CheckRace: sim.CheckRace, CheckMemory: sim.CheckMemory,
		CheckInit: sim.CheckInit, CheckBarrier: sim.CheckBarrier, CheckAll: sim.CheckAll,
	} {
		if sim.Checks(c) != want || c.String() != want.String() {
			t.Errorf("%d %v: the simulator has %d %v", c, c, want, want)
		}
	}
	for s, want := range map[Severity]diag.Severity{SeverityError: diag.Error, SeverityWarning: diag.Warning, SeverityNote: diag.Note} {
		if diag.Severity(s) != want || s.String() != want.String() {
			t.Errorf("%v: want %v", s, want)
		}
	}
	if Checks(0).String() != "" || Severity(9).String() != "note" || FaultKind(99).String() != FaultInternal.String() {
		t.Error("numbers without a name")
	}
	// A simulator without time limit, to which findings are passed on, has neither of two kinds.
	for kind := sim.FaultMemory; kind <= sim.FaultBug; kind++ {
		f := newFault(&sim.Fault{Kind: kind})
		if kind != sim.FaultTimeout && kind != sim.FaultCheck && (f.Kind.String() != kind.String() || f.Is(ErrInternal) != (kind == sim.FaultBug)) {
			t.Errorf("%v became %v", kind, f.Kind)
		}
	}
}
