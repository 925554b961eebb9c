package parallel_test

import (
	"sync/atomic"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/parallel"
)

func TestRun(t *testing.T) {
	for n := range 5 {
		var sum atomic.Int64
		parallel.Run(n, func(i int) { sum.Add(1 << i) })
		if got := sum.Load(); got != 1<<n-1 {
			t.Errorf("%d: %b", n, got)
		}
	}
}

// TestPanic checks a panic in the caller's part and in another part.
func TestPanic(t *testing.T) {
	for part := range 3 {
		var others atomic.Int64
		func() {
			defer func() {
				if r := recover(); r != part {
					t.Errorf("part %d: recovered %v", part, r)
				}
			}()
			parallel.Run(3, func(i int) {
				if i == part {
					panic(part)
				}
				others.Add(1)
			})
		}()
		if others.Load() != 2 {
			t.Errorf("part %d: %d others ran", part, others.Load())
		}
	}
}
