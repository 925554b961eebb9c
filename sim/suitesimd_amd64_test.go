package sim

import (
	"testing"

	"golang.org/x/sys/cpu"
)

func init() { findSIMD() } // tests call the functions without a device

// TestFindSIMD compares what is found out of the host with what a library finds.
func TestFindSIMD(t *testing.T) {
	if want := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C; detectSIMD() != want {
		t.Errorf("detectSIMD gives %v, want %v", !want, want)
	}
}

// setSIMD says whether the quick versions of operations run, and gives what puts that back.
func setSIMD(on bool) (restore func()) {
	old := hasSIMD
	hasSIMD = on
	return func() { hasSIMD = old }
}
