package sim

import (
	"strings"
	"testing"
)

// TestHighHalf checks that a 16-bit result clears the high half of its register
// up to gfx9 and preserves it since gfx10.
func TestHighHalf(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint16
	}{
		{"v_add_u16 v9, v3, v4", 0x8000}, // carry out of bit 15
		{"v_sub_u16 v9, v4, v3", 0x4de8}, // no borrow
		{"v_sub_u16 v9, v3, v4", 0xb218},
		{"v_mul_lo_u16 v9, v3, v4", 0xa770},
		{"v_min_i16 v9, v3, v4", 0x990c},
		{"v_max_i16 v9, v3, v4", 0xe6f4},
		{"v_ashrrev_i16 v9, 4, v3", 0xf990},
		{"v_lshlrev_b16 v9, 4, v3", 0x90c0},
		{"v_mul_lo_u16 v9, v4, v4", 0x5890},
	} {
		for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1100"} {
			text, high := c.text, uint32(0)
			if strings.HasPrefix(cpu, "gfx1") { // gfx10 and gfx11 use other names for some of them
				text, high = nc16.Replace(text), 0x5555<<16
			}
			init := "v_mov_b32 v3, 0xffff990c\nv_mov_b32 v4, 0xffffe6f4\nv_mov_b32 v9, 0x5555aaaa\n"
			r := kernelTest{cpu: cpu, text: init + text}.run(t)
			if got, want := r.v(9, 0), high|uint32(c.want); got != want {
				t.Errorf("%s: %s: got %#08x, want %#08x", cpu, text, got, want)
			}
		}
	}
}

var nc16 = strings.NewReplacer("v_add_u16", "v_add_nc_u16", "v_sub_u16", "v_sub_nc_u16")

// TestPackedConstant checks that a packed operation uses all 32 bits of a
// constant.
func TestPackedConstant(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		want      uint32
	}{
		{"gfx1030", "v_pk_mul_f16 v9, 0x3800be5e, v3", 0x2000c25e}, // 0.5·2^-6, −1.59·2
		{"gfx1100", "v_pk_mul_f16 v9, 0x3800be5e, v3", 0x2000c25e},
		{"gfx1030", "v_pk_mul_f16 v9, 0x3800be5e, v3 op_sel_hi:[0,1]", 0xa65ec25e},
		{"gfx1030", "v_pk_add_u16 v9, 0x12345678, v4", 0x12355677},
		{"gfx900", "v_pk_add_u16 v9, -1, v4", 0x0000fffe}, // sign-extended to 32 bits
		{"gfx900", "v_pk_add_u16 v9, -1, v4 op_sel_hi:[0,1]", 0x0000fffe},
		{"gfx1100", "v_pk_add_u16 v9, -1, v4", 0x0000fffe},
		{"gfx900", "v_pk_add_f16 v9, 1.0, v5", 0x40004200}, // the constant is in the low half only
		{"gfx900", "v_pk_add_f16 v9, 1.0, v5 op_sel_hi:[0,1]", 0x42004200},
	} {
		init := "v_mov_b32 v3, 0x24004000\nv_mov_b32 v4, 0x0001ffff\nv_mov_b32 v5, 0x40004000\n"
		r := kernelTest{cpu: c.cpu, text: init + c.text}.run(t)
		if got := r.v(9, 0); got != c.want {
			t.Errorf("%s: %s: got %#08x, want %#08x", c.cpu, c.text, got, c.want)
		}
	}
}

// TestClassOfHalf checks that v_cmp_class_f16 accepts the class mask in the
// high half of a register since gfx11.
func TestClassOfHalf(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		want      uint32
	}{
		{"gfx803", "v_cmp_class_f16 vcc, v3, v4", 0},
		{"gfx1100", "v_cmp_class_f16_e64 vcc, v3.l, v4.h", 1},
		{"gfx1100", "v_cmp_class_f16_e64 vcc, v3.h, v4.h", 1},
		{"gfx1100", "v_cmp_class_f16_e64 vcc, v3.h, v4.l", 1},
		{"gfx1100", "v_cmp_class_f16_e32 vcc, v3.l, v4.h", 1},
		{"gfx1100", "v_cmp_class_f16_e32 vcc, v3.l, v4.l", 0},
	} {
		init := "s_mov_b64 exec, 1\nv_mov_b32 v3, 0x3c000000\nv_mov_b32 v4, 0x01f80100\n" // 0 and 1; the mask of zero is 0x40
		r := kernelTest{cpu: c.cpu, text: init + c.text + "\ns_mov_b32 s20, vcc_lo"}.run(t)
		if got := r.s(20); got != c.want {
			t.Errorf("%s: %s: got %d, want %d", c.cpu, c.text, got, c.want)
		}
	}
}

// TestScalarHalf checks that scalar operations on half precision ignore the
// high halves of their sources.
func TestScalarHalf(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint32
	}{
		{"s_sub_f16 s9, s3, s4", 0xbc00},
		{"s_mul_f16 s9, s3, s4", 0x4000},
		{"s_maximum_f16 s9, s3, s4", 0x4000},
		{"s_min_num_f16 s9, s3, s4", 0x3c00},
		{"s_fmac_f16 s5, s3, s4\ns_mov_b32 s9, s5", 0x4600},
		{"s_cvt_f32_f16 s9, s4", 0x40000000},
		{"s_floor_f16 s9, s4", 0x4000},
		{"s_cmp_lt_f16 s3, s4\ns_cselect_b32 s9, 1, 2", 1},
		{"s_mul_f16 s9, s4, 2.0", 0x4400},
		{"s_cmp_eq_f16 s3, 1.0\ns_cselect_b32 s9, 1, 2", 1},
	} {
		init := "s_mov_b32 s3, 0x7e003c00\ns_mov_b32 s4, 0xdd4e4000\ns_mov_b32 s5, 0xfbff4400\n"
		r := kernelTest{cpu: "gfx1200", text: init + c.text}.run(t)
		if got := r.s(9); got != c.want {
			t.Errorf("%s: got %#x, want %#x", c.text, got, c.want)
		}
	}
}
