package sem

import (
	"math"
	"testing"
)

func TestFloatModifiers(t *testing.T) {
	for _, x := range []struct {
		t      Type
		v, neg uint64
	}{
		{F16, 0x3c00, 0xbc00}, {F16, 0xfe01, 0x7e01},
		{BF16, 0x8000, 0}, {F32, 0x80000001, 1},
		{F64, 0x3ff0 << 48, 0xbff0 << 48}, {I32, 0x80000000, 0x80000000},
	} {
		if n := Neg(x.t, x.v); n != x.neg {
			t.Errorf("%v %#x: neg %#x", x.t, x.v, n)
		}
	}
	const dx10 = 0x100
	for _, x := range []struct {
		t       Type
		m       Mode
		v, want uint64
	}{
		{F32, 0, f32bits(0.5), f32bits(0.5)}, {F32, 0, f32bits(1.5), f32bits(1)}, {F32, 0, f32bits(-1.5), 0},
		{F32, 0, 0x80000000, 0}, {F32, 0, 0x7f800000, f32bits(1)}, {F32, 0, 0xff800000, 0}, {F32, 0, 1, 1},
		{F32, dx10, 0x7fc00001, 0}, {F32, 0, 0x7fc00001, 0x7fc00001}, {F32, dx10, 0xffc00001, 0},
		{F16, 0, 0x4000, 0x3c00}, {F16, 0, 0x3800, 0x3800}, {F64, 0, f64bits(7), f64bits(1)}, {BF16, 0, 0x4000, 0x3f80},
		{I32, 0, 77, 77},
	} {
		if got := ClampFloat(&Ctx{Mode: x.m}, x.t, x.v); got != x.want {
			t.Errorf("clamp %v %#x, mode %#x = %#x, want %#x", x.t, x.v, x.m, got, x.want)
		}
	}
	for _, x := range []struct {
		t    Type
		m    Mode
		v    uint64
		omod uint8
		want uint64
	}{
		{F32, 0, f32bits(3), OModMul2, f32bits(6)}, {F32, 0, f32bits(-3), OModMul4, f32bits(-12)}, {F32, 0, f32bits(3), OModDiv2, f32bits(1.5)},
		{F32, 0, f32bits(3), OModNone, f32bits(3)}, {F32, 0x200, f32bits(3), OModMul2, f32bits(3)}, {F32, 0x20, f32bits(3), OModMul2, f32bits(3)},
		{F32, 0x10, f32bits(3), OModMul2, f32bits(6)}, {F16, 0x30, 0x3c00, OModMul2, 0x4000}, {F16, 0x80, 0x3c00, OModMul2, 0x3c00},
		{F32, 0, 0x80000000, OModMul2, 0}, {F32, 0, 0x80000001, OModMul4, 0}, {F32, 0, 0x80ffffff, OModDiv2, 0x80000000}, {F32, 0, 0x01000000, OModDiv2, 0x00800000},
		{F32, 0, 0x7f7fffff, OModMul2, 0x7f800000}, {F32, 3, 0x7f7fffff, OModMul2, 0x7f7fffff}, {F32, 1, 0xff7fffff, OModMul4, 0xff7fffff}, {F32, 2, 0xff7fffff, OModMul4, 0xff800000},
		{F32, 0, 0x7f800000, OModDiv2, 0x7f800000}, {F32, 0, 0x7f800001, OModMul2, 0x7f800001}, {F64, 0, f64bits(3), OModMul4, f64bits(12)}, {I32, 0, 3, OModMul2, 3},
	} {
		if got := OMod(&Ctx{Mode: x.m}, x.t, x.v, x.omod); got != x.want {
			t.Errorf("omod %d %v %#x, mode %#x = %#x, want %#x", x.omod, x.t, x.v, x.m, got, x.want)
		}
	}
}

// TestFloatLegacy checks the products of the DX9 operations, in which 0 times
// anything is 0.
func TestFloatLegacy(t *testing.T) {
	nan, inf, one := uint64(0x7fc00001), uint64(0x7f800000), f32bits(1)
	for _, x := range []struct {
		name       string
		m          Mode
		s0, s1, s2 uint64
		want       uint64
	}{
		{"v_mul_legacy_f32", 0xf0, 0x80000000, inf, 0, 0},
		{"v_mul_legacy_f32", 0xf0, nan, 0, 0, 0},
		{"v_mul_legacy_f32", 0xf0, f32bits(3), f32bits(-2), 0, f32bits(-6)},
		{"v_mul_legacy_f32", 0xf0, 1, one, 0, 1},
		{"v_mul_legacy_f32", 0xc0, 1, inf, 0, 0},
		{"v_mul_dx9_zero_f32", 0xf0, nan, one, 0, nan},
		{"v_fma_legacy_f32", 0xf0, 0, inf, one, one},
		{"v_fma_legacy_f32", 0xf0, 0, inf, 0x80000000, 0},
		{"v_fma_dx9_zero_f32", 0xf0, f32bits(3), f32bits(2), one, f32bits(7)},
		{"v_fmac_dx9_zero_f32", 0xf0, 1, inf, one, one},
		{"v_mad_legacy_f32", 0xf0, nan, 0, one, one},
		{"v_mac_legacy_f32", 0xf0, f32bits(3), f32bits(2), one, f32bits(7)},
		{"v_mad_f32", 0xf0, one, 1, 0, 0},
		{"v_mad_f32", 0xf0, one, one, 1, one},
		// (1+2^-23)² - (1+2^-22) is 2^-46, but 0 if the product is rounded.
		{"v_mad_f32", 0xf0, 0x3f800001, 0x3f800001, 0xbf800002, 0},
		{"v_fma_f32", 0xf0, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
		{"v_mullit_f32", 0xf0, f32bits(2), f32bits(3), one, f32bits(6)},
		{"v_mullit_f32", 0xf0, f32bits(2), 0xff7fffff, one, 0xff7fffff},
		{"v_mullit_f32", 0xf0, f32bits(2), 0xff800000, one, 0xff7fffff},
		{"v_mullit_f32", 0xf0, f32bits(2), nan, one, 0xff7fffff},
		{"v_mullit_f32", 0xf0, f32bits(2), f32bits(3), 0, 0xff7fffff},
		{"v_mullit_f32", 0xf0, f32bits(2), f32bits(3), nan, 0xff7fffff},
		{"v_mullit_f32", 0xf0, f32bits(2), f32bits(3), f32bits(-1), 0xff7fffff},
		// f32 to f16 with one rounding and with two; seen on hardware (gfx1100).
		{"v_fma_mixlo_f16", 0xc0, one, 0xaf05a309, 0xc0490fdb, 0xc248},
		{"v_fma_mixlo_f16", 0xc0, f32bits(2), f32bits(3), one, 0x4700},
		{"v_fma_mixhi_f16", 0xf0, 0x3f801000, one, 0x2f800000, 0x3c01},
		{"v_mad_mixlo_f16", 0xf0, 0x3f801000, one, 0x2f800000, 0x3c00},
		{"v_mad_mix_f32", 0xf0, 0x3f800001, 0x3f800001, 0xbf800002, 0},
		{"v_fma_mix_f32", 0xf0, f32bits(2), f32bits(3), one, f32bits(7)},
	} {
		if got := rowOf(t, x.name).Fn(&Ctx{Mode: x.m}, x.s0, x.s1, x.s2); got != x.want {
			t.Errorf("%s mode %#x: %#x %#x %#x = %#x, want %#x", x.name, x.m, x.s0, x.s1, x.s2, got, x.want)
		}
	}
	for v, want := range map[uint64]uint64{0x3c00: one, 0x8001: 0xb3800000, 0x7c01: 0x7f802000} {
		if got := MixF16(&Ctx{Mode: 0xf0}, v); got != want {
			t.Errorf("MixF16(%#x) = %#x", v, got)
		}
	}
	if got := MixF16(&Ctx{Mode: 0x30}, 0x8001); got != 0x80000000 {
		t.Errorf("MixF16 flushes to %#x", got)
	}
}

// TestFloatCube checks the pseudocode of V_CUBEID_F32 and similar instructions
// in the RDNA 3 ISA.
func TestFloatCube(t *testing.T) {
	fns := map[string]Func{}
	for _, n := range []string{"v_cubeid_f32", "v_cubesc_f32", "v_cubetc_f32", "v_cubema_f32"} {
		fns[n] = rowOf(t, n).Fn
	}
	values := []float32{0, 1, -1, 2, -2, 3, -3, 0.25, -0.5, float32(math.Inf(1)), float32(math.Inf(-1))}
	abs := func(x float32) float32 { return max(x, -x) }
	for _, x := range values {
		for _, y := range values {
			for _, z := range values {
				var id, sc, tc, ma float32
				switch {
				case abs(z) >= abs(x) && abs(z) >= abs(y):
					id, sc, tc, ma = 4, x, -y, 2*z
					if z < 0 {
						id, sc = 5, -x
					}
				case abs(y) >= abs(x):
					id, sc, tc, ma = 2, x, z, 2*y
					if y < 0 {
						id, tc = 3, -z
					}
				default:
					id, sc, tc, ma = 0, -z, -y, 2*x
					if x < 0 {
						id, sc = 1, z
					}
				}
				for n, want := range map[string]float32{"v_cubeid_f32": id, "v_cubesc_f32": sc, "v_cubetc_f32": tc, "v_cubema_f32": ma} {
					if got := fns[n](&Ctx{Mode: 0xf0}, f32bits(x), f32bits(y), f32bits(z)); got != f32bits(want) {
						t.Fatalf("%s(%g, %g, %g) = %#x, want %g", n, x, y, z, got, want)
					}
				}
			}
		}
	}
}
