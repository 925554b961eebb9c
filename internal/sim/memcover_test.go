package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestMemoryCoverage checks that every memory instruction has semantics.
func TestMemoryCoverage(t *testing.T) {
	n := 0
	for s := range isa.Set(isa.NumSets) {
		if !Supports(s) {
			continue
		}
		for e := range isa.Enc(isa.NumEncs()) {
			switch e.Form() {
			case isa.SMEM, isa.FLAT, isa.MUBUF, isa.MTBUF:
			default:
				continue
			}
			if !e.Sets().Has(s) {
				continue
			}
			lanes := 64
			if e.Traits().Any(isa.TraitW32) || !s.Has(isa.PropWave64) {
				lanes = 32
			}
			in := isa.New(e, s, lanes)
			n++
			if !Simulated(&in) && LeftOut(e) == "" {
				t.Errorf("%v: %s is not simulated", s, e.Name())
			}
		}
	}
	if n < 5000 {
		t.Errorf("only %d encodings", n)
	}
}
