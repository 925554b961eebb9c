package lazy_test

import (
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

var made int

var table = lazy.Value[map[string]int]{Make: func() map[string]int {
	made++
	return map[string]int{"one": 1}
}}

func TestValue(t *testing.T) {
	if made != 0 {
		t.Fatal("made before it was asked for")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := table.Get()["one"]; got != 1 {
				t.Errorf("got %d, want 1", got)
			}
		})
	}
	if all.Wait(); made != 1 {
		t.Errorf("made %d times", made)
	}
}
