package codegen

import (
	"testing"
)

// TestHoist checks that loop-invariant instructions are hoisted once.
func TestHoist(t *testing.T) {
	var p peephole
	checkLate(t, []lateCase{
		{"a value already computed there is reused", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2, %2:v1, %3:s1 = p_copy v[0:1], v2, s0
  %4:v1 = v_mov_b32 0x1234567
  %5:v1 = v_mul_lo_u32 %4, %2
  global_store_b32 %1, none, 0, %5
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %6:v1 = v_mov_b32 0x1234567
  %7:v1 = v_mul_lo_u32 %6, %2
  global_store_b32 %1, none, 4, %7
  %8:v1 = global_load_b32 %1, none, 4
  %9:s1 = v_cmp_eq_u32 %8, %7
  p_br_mask %9, bb2, bb3
bb3:
  global_store_b32 %1, none, 8, %7
  p_end
`, "%5:v1 = v_mul_lo_u32 %4, %2 global_store_b32 %1, none, 0, %5 p_br bb2 bb2: to bb2, bb3 linear to bb2, bb3 global_store_b32 %1, none, 4, %5 %8:v1 = global_load_b32 %1, none, 4 " +
			"%9:s1 = v_cmp_eq_u32 %8, %5 p_br_mask %9, bb2, bb3 bb3: global_store_b32 %1, none, 8, %5"},
		{"the constants of two loops are merged", `func @f gfx1030 wave32
bb1: to bb2 linear to bb2
  %1:v2 = p_copy v[0:1]
  p_br bb2
bb2: to bb2, bb3 linear to bb2, bb3
  %2:v1 = v_mov_b32 0x1234567
  global_store_b32 %1, none, 0, %2
  %3:v1 = global_load_b32 %1, none, 4
  %4:s1 = v_cmp_eq_u32 %3, %2
  p_br_mask %4, bb2, bb3
bb3:
  p_end
`, "%1:v2 = p_copy v[0:1] %2:v1 = v_mov_b32 0x1234567 p_br bb2 bb2: to bb2, bb3 linear to bb2, bb3 global_store_b32 %1, none, 0, %2"},
	}, p.run)
}

// TestNestedTuples checks that nested tuples are built at once.
func TestNestedTuples(t *testing.T) {
	var p peephole
	checkLate(t, []lateCase{
		{"all of them", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, 7
  %5:v2 = p_vector %3, %2
  %6:v4 = p_vector %5, %4
  global_store_b128 %1, none, 0, %6
  p_end
`, "p_copy v[0:1], v2, v3 %6:v4 = p_vector %3, %2, %2, 7 global_store_b128"},
		{"three levels", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, 7
  %5:v3 = p_vector %4, %3
  %6:v4 = p_vector %3, %5
  global_store_b128 %1, none, 0, %6
  p_end
`, "p_copy v[0:1], v2, v3 %6:v4 = p_vector %3, %2, 7, %3 global_store_b128"},
		{"not a tuple that is needed elsewhere", `func @f gfx1030 wave32
bb1:
  %1:v2, %2:v1, %3:v1 = p_copy v[0:1], v2, v3
  %4:v2 = p_vector %2, %3
  global_store_b64 %1, none, 16, %4
  %5:v4 = p_vector %4, %4
  global_store_b128 %1, none, 0, %5
  p_end
`, "%5:v4 = p_vector %4, %4 global_store_b128"},
	}, p.run)
}
