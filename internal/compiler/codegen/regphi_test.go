package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// TestEdgePlaces allocates registers of small functions in which copies are
// expected only on certain edges.
func TestEdgePlaces(t *testing.T) {
	a := new(allocator)
	checkLate(t, []lateCase{
		{"a phi with a free place has priority over one that always needs a copy", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v1 = p_copy v0
  p_br bb2
bb2:
  %2:v1 = p_phi 5, bb1
  %3:v1 = p_phi %1, bb1
  ds_store_b32 %2, 0, %3
  p_end
`, "v0 = p_copy v0 v1 = p_copy 5 p_br bb2"},
		{"a value live after a loop is read from the place of the next iteration's value", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v1, %2:v1 = p_copy v0, v1
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %3:v1 = p_phi %1, bb1, %4, bb2
  %4:v1 = p_phi %2, bb1, %5, bb2
  %5:v1 = v_add_f32 %3, %4
  %6:s1 = v_cmp_lt_f32 %5, %4
  p_br_mask %6, bb2, bb3
bb3:
  ds_store_b32 %4, 0, %5
  p_end
`, "v0, v1 = p_copy v1, v0 p_br_mask kill vcc_lo, bb2, bb3 bb3: ds_store_b32 kill v0, 0, kill v1"},
		{"a value restored for the next iteration is elsewhere after the loop", `func @f gfx90a wave64
bb1: to bb2 linear to bb2
  %1:s2, %2:s2, %3:s1, %4:v1 = p_copy s[0:1], s[2:3], s4, v0
  %5:v1 = v_div_fmas_f32 %4, %4, %4, %2
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %6:v1 = v_div_fmas_f32 %4, %4, %4, %1
  ds_store_b32 %4, 0, %6
  %7:scc = s_cmp_eq_u32 %3, 3
  p_br_scc %7, bb2, bb3
bb3:
  %8:v1 = v_cndmask_b32 %5, %4, %1
  %9:v1 = v_cndmask_b32 %8, %4, %2
  ds_store_b32 %4, 0, %9
  p_end
`, "s[6:7], s[0:1], vcc = p_copy vcc, vcc, s[2:3] p_br_scc kill scc, bb2, bb3"},
		{"a tuple's next value reuses the places of the previous dwords", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v1, %2:v2 = p_copy v4, v[0:1]
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %3:v2 = p_phi %2, bb1, %8, bb2
  %4:v1, %5:v1 = p_copy %3[0], %3[1]
  %6:v1 = v_add_f32 %4, %1
  %7:v1 = v_add_f32 %5, %6
  %9:s1 = v_cmp_lt_f32 %6, %7
  %8:v2 = p_vector %6, %7
  p_br_mask %9, bb2, bb3
bb3:
  ds_store_b64 %1, 0, %8
  p_end
`, "v0 = v_add_f32 kill v0, v4 v1 = v_add_f32 kill v1, v0 vcc_lo = v_cmp_lt_f32 v0, v1 v[0:1] = p_vector kill v0, kill v1 p_br_mask"},
	}, func(f *mir.Func) {
		before := f.AppendText(nil)
		if err := a.run(f, regLimits{mir.FileS: 10, mir.FileV: 10, mir.FileSCC: 1}); err != nil {
			t.Fatal(err)
		}
		if errs := checkRegs(a); len(errs) > 0 {
			t.Errorf("%v\n%s\nafter:\n%s", errs[0], before, f.AppendText(nil))
		}
	})
}
