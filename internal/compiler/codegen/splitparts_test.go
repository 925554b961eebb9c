package codegen

import (
	"maps"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

func splitPartsOf(f *mir.Func) {
	var p partSplitting
	var l liveness
	l.computeLiveness(f)
	p.splitTuples(f, &l)
}

// TestSplitPartsRandom splits the tuples of random blocks. Memory and
// observable events must be the same.
func TestSplitPartsRandom(t *testing.T) {
	split, changed := 0, 0
	for seed := range uint64(tries(300)) {
		x := schedTargets[seed%uint64(len(schedTargets))]
		g := schedGen{mirGen: *newMIRGen(seed, mir.MachineOf(x.set, x.wave))}
		f := g.block(5 + g.rng.IntN(120))
		before := f.AppendText(nil)
		want := []*blockRun{runBlock(f, seed*2), runBlock(f, seed*2+1)}
		n := countInstrs(f)
		splitPartsOf(f)
		after := f.AppendText(nil)
		if countInstrs(f) > n {
			split++
		}
		if string(before) != string(after) {
			changed++
		}
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, after)
		}
		for k, w := range want {
			got := runBlock(f, seed*2+uint64(k))
			if got.wrong || !maps.Equal(got.mem, w.mem) || !slices.Equal(got.trace, w.trace) || !maps.Equal(got.phys, w.phys) {
				t.Fatalf("seed %d: the results differ\n%s\nafter:\n%s", seed, before, after)
			}
		}
	}
	if split == 0 || changed == split {
		t.Errorf("tuples were split in %d blocks and only read in the place of their parts in %d", split, changed-split)
	}
}

// TestSplitPartsPressure runs the pass in the pipeline. The places of a tuple's
// dwords must be free after their last uses, so that a chain of values fits
// beside them.
func TestSplitPartsPressure(t *testing.T) {
	f, err := mir.Parse("f", []byte(`func @f gfx1030 wave32
bb1:
  %1:v2 = p_copy v[0:1]
  %2:v4 = global_load_b128 %1, none, 0
  %3:v1 = v_add_f32 %2[0], %2[0]
  %4:v1 = v_add_f32 %2[1], %3
  %5:v1 = v_add_f32 %2[2], %3
  %6:v1 = v_add_f32 %2[3], %5
  global_store_b32 %1, none, 0, %3
  global_store_b32 %1, none, 0, %4
  global_store_b32 %1, none, 0, %5
  global_store_b32 %1, none, 0, %6
  p_end
`))
	if err != nil {
		t.Fatal(err)
	}
	was := pressure(f, mir.FileV)
	splitPartsOf(f)
	if n := pressure(f, mir.FileV); n != 6 || n >= was {
		t.Errorf("%d registers are live, previously %d\n%s", n, was, f.AppendText(nil))
	}
}
