package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestShortForms checks, on every instruction set, that a short form has the
// sources of its multiply-add: the first two of the accumulating form and a tied
// one, or two sources and a constant.
func TestShortForms(t *testing.T) {
	found := 0
	for s := range isa.Set(isa.NumSets) {
		m := mir.MachineOf(s, 64)
		for op, forms := range shortOf {
			if forms == (shortForms{}) || !m.Has(mir.Op(op)) {
				continue
			}
			long := m.Info(mir.Op(op))
			for n, short := range [...]mir.Op{forms.accumulate, forms.addConstant, forms.mulConstant} {
				if short == mir.OpNone || !m.Has(short) {
					continue
				}
				found++
				x := m.Info(short)
				if len(x.Slots) != len(long.Slots) || x.Defs != 1 || x.Slots[0].Dwords != long.Slots[0].Dwords {
					t.Errorf("%v: %v has other operands than %v", s, short, mir.Op(op))
					continue
				}
				at := [...]int{3, 3, 2}[n]
				if special := x.Slots[at]; special.Tied != (n == 0) || (special.Kind == mir.SlotImm) != (n > 0) {
					t.Errorf("%v: source %d of %v is neither tied nor a constant", s, at, short)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no short forms")
	}
}
