package sim

import (
	"testing"

	"golang.org/x/sys/cpu"
)

func init() { findSIMD() } // tests call the functions without creating a device

// TestFindSIMD compares the detected host features with those found by a
// library.
func TestFindSIMD(t *testing.T) {
	if want := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C; detectSIMD() != want {
		t.Errorf("detectSIMD returns %v, want %v", !want, want)
	}
}

// setSIMD enables or disables the SIMD implementations and returns a function
// that restores the previous setting.
func setSIMD(on bool) (restore func()) {
	old := hasSIMD
	hasSIMD = on
	return func() { hasSIMD = old }
}
