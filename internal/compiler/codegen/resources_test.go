package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestShift64 checks the register count on gfx90a for a shift whose amount is
// in the last of eight registers.
func TestShift64(t *testing.T) {
	for set, want := range map[isa.Set]int{isa.GFX90A: 9, isa.GFX942: 8} {
		f := mir.NewFunc("f", mir.MachineOf(set, 64))
		b := f.NewBlock()
		f.Append(b, f.NewInstr(mir.VLshlrevB64, 1, mir.Phys(mir.VGPR(0), 2), mir.Phys(mir.VGPR(7), 1), mir.Phys(mir.VGPR(2), 2)))
		var r Resources
		if r.count(f, 102); r.VGPRs != want {
			t.Errorf("%v: %d registers, want %d", set, r.VGPRs, want)
		}
	}
}
