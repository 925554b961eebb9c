package lanes

import (
	"testing"

	"golang.org/x/sys/cpu"
)

func init() { Detect() }

// TestDetect compares the detected host features with those found by a
// library.
func TestDetect(t *testing.T) {
	if want := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C; detectFeatures() != want {
		t.Errorf("detectFeatures returns %v, want %v", !want, want)
	}
}
