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
	l.run(f)
	p.run(f, &l)
}

func TestSplitParts(t *testing.T) {
	checkLate(t, []lateCase{
		{"a load's result, at its first use", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1 = p_copy v[0:1], v2
  %3:v4 = global_load_b128 %1, none, 0
  %4:v1 = v_add_f32 %2, %2
  %5:v1 = v_add_f32 %3[0], %4
  %6:v1 = v_add_f32 %3[2], %5
  global_store_b32 %1, none, 0, %6
  p_end
`, "%4:v1 = v_add_f32 %2, %2 %7:v1, %8:v1 = p_copy %3[0], %3[2] %5:v1 = v_add_f32 %7, %4 %6:v1 = v_add_f32 %8, %5 global_store"},
		{"after the last use of the whole tuple", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = global_load_b64 %1, none, 0
  %5:v1 = v_add_f32 %4[0], %4[1]
  global_store_b64 %1, none, 0, %4
  global_store_b32 %1, none, 16, %2
  %6:v1 = v_add_f32 %4[1], %5
  global_store_b32 %1, none, 8, %6
  %7:v1 = v_add_f32 %4[0], %5
  global_store_b32 %1, none, 12, %7
  p_end
`, "%5:v1 = v_add_f32 %4[0], %4[1] global_store_b64 %1, none, 0, %4 %8:v1, %9:v1 = p_copy %4[0], %4[1] global_store_b32 %1, none, 16, %2 %6:v1 = v_add_f32 %9, %5 " +
			"global_store_b32 %1, none, 8, %6 %7:v1 = v_add_f32 %8, %5"},
		{"not for one instruction that reads all dwords", `func @f gfx1030 wave32
bb1:
  %1:v2 = p_copy v[0:1]
  %2:v2 = global_load_b64 %1, none, 0
  %3:v1 = v_add_f32 %2[0], %2[1]
  global_store_b32 %1, none, 0, %3
  p_end
`, "none, 0 %3:v1 = v_add_f32 %2[0], %2[1]"},
		{"not a tuple that is live out", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2 = p_copy v[0:1]
  %2:v2 = global_load_b64 %1, none, 0
  %3:v1 = v_mov_b32 %2[0]
  %4:v1 = v_add_f32 %2[1], %3
  p_br bb2
bb2:
  global_store_b64 %1, none, 0, %2
  global_store_b32 %1, none, 0, %4
  p_end
`, "none, 0 %3:v1 = v_mov_b32 %2[0] %4:v1 = v_add_f32 %2[1], %3 p_br"},
		{"not if EXEC changes in between", `func @f gfx1030 wave32
bb1:
  %1:v2 = p_copy v[0:1]
  %2:v2 = global_load_b64 %1, none, 0
  %3:v1 = v_mov_b32 %2[0]
  exec = s_mov_b32 s0
  %4:v1 = v_mov_b32 %2[1]
  global_store_b32 %1, none, 0, %4
  global_store_b32 %1, none, 0, %3
  p_end
`, "%3:v1 = v_mov_b32 %2[0] exec = s_mov_b32 s0 %4:v1 = v_mov_b32 %2[1]"},
		{"a part is read from the tuple", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, %3
  %5:v1 = v_add_f32 %3, %3
  global_store_b64 %1, none, 0, %4
  global_store_b32 %1, none, 0, %5
  p_end
`, "%4:v2 = p_vector %2, %3 %5:v1 = v_add_f32 %4[1], %4[1] global_store_b64"},
		{"a pair in a tuple of two", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v2, %3:v2 = p_copy v[0:1], v[2:3], v[4:5]
  %4:v4 = p_vector %2, %3
  global_store_b64 %1, none, 0, %3
  global_store_b128 %1, none, 0, %4
  p_end
`, "global_store_b64 %1, none, 0, %4[2:3] global_store_b128"},
		{"a part of a pair", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v2, %3:v2 = p_copy v[0:1], v[2:3], v[4:5]
  %4:v4 = p_vector %2, %3
  %5:v1 = v_add_f32 %3[0], %3[1]
  global_store_b32 %1, none, 0, %5
  global_store_b128 %1, none, 0, %4
  p_end
`, "%5:v1 = v_add_f32 %4[2], %4[3] global"},
		{"not a source that a result replaces", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, %3
  global_store_b64 %1, none, 0, %4
  %5:v1 = v_fmac_f32 %3, %3, %2
  global_store_b32 %1, none, 0, %5
  p_end
`, "%5:v1 = v_fmac_f32 %4[1], %4[1], %2 global"},
		{"a partly used phi shares the place of the next iteration's value", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2 = p_copy v[0:1]
  %2:v4 = global_load_b128 %1, none, 0
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %3:v4 = p_phi %2, bb1, %4, bb2
  %4:v4 = global_load_b128 %1, none, 16
  %5:v1 = v_add_f32 %3[0], %3[0]
  %6:v1 = v_add_f32 %3[1], %5
  global_store_b32 %1, none, 0, %6
  %7:s1 = v_cmp_eq_u32 %5, %6
  p_br_mask %7, bb2, bb3
bb3:
  p_end
`, "%5:v1 = v_add_f32 %3[0], %3[0] %6:v1 = v_add_f32 %3[1], %5"},
		{"not a pair that is less than half", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v2, %3:v6 = p_copy v[0:1], v[2:3], v[4:9]
  %4:v8 = p_vector %2, %3
  global_store_b64 %1, none, 0, %2
  global_store_b128 %1, none, 0, %4[0:3]
  p_end
`, "global_store_b64 %1, none, 0, %2 global_store_b128"},
		{"not a part that other blocks use", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, %3
  %5:v1 = v_add_f32 %3, %3
  global_store_b64 %1, none, 0, %4
  p_br bb2
bb2:
  global_store_b32 %1, none, 0, %5
  global_store_b32 %1, none, 0, %3
  p_end
`, "%5:v1 = v_add_f32 %3, %3 global_store_b64"},
		{"not from a tuple defined in only some lanes", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, %3
  global_store_b64 %1, none, 0, %4
  exec = s_mov_b32 s0
  %5:v1 = v_add_f32 %3, %3
  global_store_b32 %1, none, 0, %5
  p_end
`, "%5:v1 = v_add_f32 %3, %3 global_store_b32"},
		{"before the end of the block deactivates lanes", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2, %2:v1 = p_copy v[0:1], v2
  %3:v2 = global_load_b64 %1, none, 0
  %4:v1 = v_add_f32 %3[0], %2
  %5:v1 = v_add_f32 %3[1], %4
  %6:s1 = v_cmp_lt_f32 %5, %4
  p_logical_end
  %7:s1, dead %8:scc = s_and_saveexec_b32 %6
  p_br bb2
bb2:
  global_store_b32 %1, none, 0, %5
  p_end
`, "p_copy %3[0], %3[1]"},
	}, splitPartsOf)
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
