package sim

import (
	"math"
	"strings"
	"testing"
)

// TestWaveScales multiplies matrices of ones with the scales of gfx12.5: of an
// operand of the instruction, and loaded for the next instruction only.
func TestWaveScales(t *testing.T) {
	const (
		f4    = " matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4"
		plain = "v_wmma_f32_16x16x128_f8f6f4 v[20:27], v[0:7], v[0:7], 1.0" + f4 + "\n"
		scale = "v_wmma_scale_f32_16x16x128_f8f6f4 v[20:27], v[0:7], v[0:7], 1.0"
	)
	for _, x := range []struct {
		text string
		want float32
	}{
		{plain, 129},
		{scale + ", 0, 0" + f4, 129},
		{scale + ", s8, 0" + f4, 128*2 + 1}, // the low byte for all blocks
		{scale + ", s8, s9" + f4, 128*8 + 1},
		{scale + ", v40, 0" + f4, 32*(1+2+4+8) + 1},
		{scale + ", v40, v40" + f4, 32*(1+4+16+64) + 1},
		{scale + ", v40, 0" + f4 + " matrix_a_scale:MATRIX_SCALE_ROW1", 32*(1+2+4+8)*16 + 1},
		{scale + ", v42, v42" + f4 + " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3", 128*2.25 + 1},
		{scale + ", 0, v42" + f4 + " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3", 128*384 + 1},
		{"v_wmma_scale16_f32_16x16x128_f8f6f4 v[20:27], v[0:7], v[0:7], 1.0, v[40:41], s[8:9]" + f4, 2*16*(1+2+4+8+8*(1+1+1+1)) + 1},
		{"v_wmma_ld_scale_paired_b32 v40, 0\ns_nop 0\n" + plain, 129},
		{"v_wmma_ld_scale_paired_b32 v40, 0\n" + plain, 32*(1+2+4+8) + 1},
		{"v_wmma_ld_scale16_paired_b64 v[40:41], s[8:9]\n" + plain, 2*16*(1+2+4+8+8*(1+1+1+1)) + 1},
		{scale + ", 0, 0" + f4 + " neg_lo:[0,0,1]\n", 127},
		{scale + ", 0, 0" + f4 + " neg_lo:[0,0,1] neg_hi:[0,0,1]\n", 127},
	} {
		r := kernelTest{cpu: "gfx1250", wave: 32, text: x.text, setup: setScales}.run(t)
		for l := range 32 {
			if got := math.Float32frombits(r.v(20, l)); got != x.want {
				t.Fatalf("%s: lane %d is %v, want %v", x.text, l, got, x.want)
			}
		}
	}
	for _, text := range []string{
		scale + ", 1, 0" + f4, scale + ", vcc_lo, 0" + f4, scale + ", null, 0" + f4, // sources that are no scales
		scale + ", v40, v40" + f4 + " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3",
	} {
		if err := (kernelTest{cpu: "gfx1250", wave: 32, text: text, setup: setScales}).try(t).err; err == nil || !strings.Contains(err.Error(), "illegal instruction") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// setScales sets matrices of ones in v[0:7] and scales.
func setScales(w *wave) {
	w.s[8], w.s[9] = 0x01020380, 0x04050681
	for l := range w.lanes {
		for i := range 8 {
			w.v[i*w.lanes+l] = 0x22222222 // ones
		}
		w.v[40*w.lanes+l] = 0x8281807f
		w.v[41*w.lanes+l] = 0x82828282
		w.v[42*w.lanes+l] = 0x7c7c7c7c // 1.5 as E5M3, 384 as E4M3
		if l >= 16 {
			w.v[40*w.lanes+l] += 0x04040404
		}
	}
}
