package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
)

func init() { lanes.Detect() } // tests call the functions without creating a device

// setSIMD enables or disables the SIMD implementations and returns a function
// that restores the previous setting.
func setSIMD(on bool) (restore func()) {
	old := lanes.HasSIMD
	lanes.HasSIMD = on
	return func() { lanes.HasSIMD = old }
}
