package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestWaveVarFewPhis checks that a variable defined between two of many joins
// needs only one phi.
func TestWaveVarFewPhis(t *testing.T) {
	f := mir.NewFunc("f", mir.MachineOf(isa.GFX900, 64))
	const joins = 50
	last := f.NewBlock()
	var sides []mir.Block
	for range joins {
		side, join := f.NewBlock(), f.NewBlock()
		f.AddLinearEdge(last, side)
		f.AddLinearEdge(last, join)
		f.AddLinearEdge(side, join)
		sides, last = append(sides, side), join
	}
	v := newWaveVar(f, mir.FileS, 2, mir.Imm(0))
	v.define(sides[joins-2], mir.R(f.NewReg(mir.FileS, 2)))
	use := f.NewInstr(mir.SMovB64, 1, mir.R(f.NewReg(mir.FileS, 2)), mir.None)
	f.Append(sides[joins-1], use)
	v.use(sides[joins-1], use, 0)
	before := f.NumVirtual()
	v.resolve()
	if n := f.NumVirtual() - before; n != 1 || !f.Op(f.First(f.Parent(f.DefOf(f.Use(use, 0).Reg())))).IsPhi() {
		t.Errorf("%d phis, want 1", n)
	}
}
