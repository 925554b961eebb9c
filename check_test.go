package gfx

import (
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
)

// TestSameNumbers compares numbers and names with the constants of other packages,
// to which they are converted.
func TestSameNumbers(t *testing.T) {
	for c, want := range map[Checks]device.Checks{
		CheckWait: device.CheckWait, CheckHazard: device.CheckHazard, CheckRace: device.CheckRace, CheckMemory: device.CheckMemory,
		CheckInit: device.CheckInit, CheckBarrier: device.CheckBarrier, CheckAll: device.CheckAll,
	} {
		if device.Checks(c) != want || c.String() != want.String() {
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
	for kind := device.FaultMemory; kind <= device.FaultBug; kind++ {
		f := newFault(&device.Fault{Kind: kind})
		if kind != device.FaultTimeout && kind != device.FaultCheck && (f.Kind.String() != kind.String() || f.Is(ErrInternal) != (kind == device.FaultBug)) {
			t.Errorf("%v became %v", kind, f.Kind)
		}
	}
}
