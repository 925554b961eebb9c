package analysis

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

func TestOrdering(t *testing.T) {
	for _, c := range []struct{ success, failure, want ir.Ordering }{
		{ir.Monotonic, ir.Monotonic, ir.Monotonic},
		{ir.Monotonic, ir.Acquire, ir.Acquire},
		{ir.Acquire, ir.Monotonic, ir.Acquire},
		{ir.Release, ir.Monotonic, ir.Release},
		{ir.Release, ir.Acquire, ir.AcqRel},
		{ir.AcqRel, ir.Acquire, ir.AcqRel},
		{ir.Release, ir.SeqCst, ir.SeqCst},
		{ir.SeqCst, ir.Acquire, ir.SeqCst},
		{ir.Acquire, ir.NotAtomic, ir.Acquire}, // not a compare-and-swap
	} {
		if got := Ordering(ir.MemInfo{Ordering: c.success, Failure: c.failure}); got != c.want {
			t.Errorf("%v, on failure %v: got %v, want %v", c.success, c.failure, got, c.want)
		}
	}
}
