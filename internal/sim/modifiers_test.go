package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// laneKernel runs text with test values in v3, v4 and v9 and with the EXEC mask
// exec. It returns the initial v3, v4 and v9, and the final v9.
func laneKernel(t *testing.T, cpu, text string, exec uint64) (v3, v4, old, got [64]uint32) {
	t.Helper()
	for l := range v3 {
		v3[l], v4[l], old[l] = 0x9e3779b9*uint32(l+1), 0x85ebca6b*uint32(l+7)^0x80008080, 0x5a5a0000+uint32(l)
	}
	k := kernelTest{cpu: cpu, text: text, setup: func(w *wave) {
		copy(w.v[3*64:], v3[:])
		copy(w.v[4*64:], v4[:])
		copy(w.v[9*64:], old[:])
		w.setMask(sExec, exec)
	}}
	r := k.run(t)
	copy(got[:], r.waves[0].v[9*64:])
	return v3, v4, old, got
}

const someLanes = 0x7ff3_9c0f_8421_fe5b

// TestSDWA tests all source and destination selections of an addition.
func TestSDWA(t *testing.T) {
	sels := []struct {
		name        string
		shift, bits int
	}{{"BYTE_0", 0, 8}, {"BYTE_1", 8, 8}, {"BYTE_2", 16, 8}, {"BYTE_3", 24, 8}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16}, {"DWORD", 0, 32}}
	for i, sel := range sels {
		for k, dst := range sels {
			for _, unused := range []string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"} {
				for _, sext := range []bool{false, true} {
					src, other := "v3", sels[(i+3*k)%len(sels)]
					if sext {
						src = "sext(v3)"
					}
					text := fmt.Sprintf("v_add_u32_sdwa v9, %s, v4 dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s", src, dst.name, unused, sel.name, other.name)
					v3, v4, old, got := laneKernel(t, "gfx900", text, someLanes)
					for l := range got {
						want := old[l]
						if uint64(someLanes)>>l&1 != 0 {
							a := int64(v3[l]) >> sel.shift & (1<<sel.bits - 1)
							if sext && a>>(sel.bits-1) != 0 {
								a -= 1 << sel.bits
							}
							sum := a + int64(v4[l])>>other.shift&(1<<other.bits-1)
							part := sum & (1<<dst.bits - 1)
							want = uint32(part << dst.shift)
							switch {
							case unused == "UNUSED_PRESERVE":
								want |= old[l] &^ uint32((1<<dst.bits-1)<<dst.shift)
							case unused == "UNUSED_SEXT" && part>>(dst.bits-1) != 0:
								want = uint32((part - 1<<dst.bits) << dst.shift)
							}
						}
						if got[l] != want {
							t.Fatalf("%s: lane %d has %#x, want %#x", text, l, got[l], want)
						}
					}
				}
			}
		}
	}
}

// TestDPP tests the lane permutations with active and inactive lanes.
func TestDPP(t *testing.T) {
	for _, c := range []struct {
		ctrl string
		from func(l int) int // source lane; invalid if in another row or out of range
	}{
		{"quad_perm:[3,0,2,1]", func(l int) int { return l&^3 + []int{3, 0, 2, 1}[l%4] }},
		{"row_shl:3", func(l int) int { return l + 3 }},
		{"row_shr:1", func(l int) int { return l - 1 }},
		{"row_ror:5", func(l int) int { return l&^15 + (l+11)%16 }},
		{"row_mirror", func(l int) int { return l&^15 + 15 - l%16 }},
		{"row_half_mirror", func(l int) int { return l&^7 + 7 - l%8 }},
		{"row_bcast:15", func(l int) int { return l/16*16 - 1 }},
		{"row_bcast:31", func(l int) int { return l/32*32 - 1 }},
		{"wave_shr:1", func(l int) int { return l - 1 }},
		{"wave_rol:1", func(l int) int { return (l + 1) % 64 }},
	} {
		for _, exec := range []uint64{^uint64(0), someLanes} {
			for _, mods := range []string{"row_mask:0xf bank_mask:0xf", "row_mask:0xf bank_mask:0xf bound_ctrl:0", "row_mask:0xb bank_mask:0x7"} {
				text := "s_nop 4\nv_add_u32_dpp v9, v3, v4 " + c.ctrl + " " + mods
				v3, v4, old, got := laneKernel(t, "gfx900", text, exec)
				for l := range got {
					want := old[l]
					f := c.from(l)
					there := f >= 0 && f < 64 && exec>>(f&63)&1 != 0
					if strings.HasPrefix(c.ctrl, "row_sh") {
						there = there && f/16 == l/16
					}
					on := exec>>l&1 != 0 && (!strings.Contains(mods, "0xb") || l/16 != 2 && l/4%4 != 3)
					switch {
					case on && there:
						want = v3[f] + v4[l]
					case on && strings.Contains(mods, "bound_ctrl"):
						want = v4[l]
					}
					if got[l] != want {
						t.Fatalf("%s exec %#x: lane %d has %#x, want %#x", text, exec, l, got[l], want)
					}
				}
			}
		}
	}
}

// TestMovedLanes compares instructions that count or move lanes with their
// descriptions.
func TestMovedLanes(t *testing.T) {
	on := func(l int) bool { return uint64(someLanes)>>l&1 != 0 }
	permlane := func(flip int, fetch, zero bool) func(l int, v3, v4, old *[64]uint32) uint32 {
		return func(l int, v3, v4, old *[64]uint32) uint32 {
			sel := uint64(0x0123456789abcdef)
			f := (l/16*16 + int(sel>>(l%16*4)&15)) ^ flip
			switch {
			case fetch || on(f):
				return v3[f]
			case zero:
				return 0
			}
			return old[l]
		}
	}
	sel := "s_mov_b32 s20, 0x89abcdef\ns_mov_b32 s21, 0x01234567\n"
	for _, c := range []struct {
		cpu, text string
		want      func(l int, v3, v4, old *[64]uint32) uint32
	}{
		{"gfx900", "v_mbcnt_lo_u32_b32 v9, v3, v4", func(l int, v3, v4, _ *[64]uint32) uint32 {
			return v4[l] + uint32(bits.OnesCount64(uint64(v3[l])&(1<<l-1)))
		}},
		{"gfx900", "v_mbcnt_hi_u32_b32 v9, v3, v4", func(l int, v3, v4, _ *[64]uint32) uint32 {
			return v4[l] + uint32(bits.OnesCount64(uint64(v3[l])<<32&(1<<l-1)))
		}},
		{"gfx900", "v_mbcnt_hi_u32_b32 v9, -1, 7", func(l int, _, _, _ *[64]uint32) uint32 { return 7 + uint32(max(l-32, 0)) }},
		{"gfx1030", sel + "v_permlane16_b32 v9, v3, s20, s21", permlane(0, false, false)},
		{"gfx1030", sel + "v_permlane16_b32 v9, v3, s20, s21 op_sel:[1,0]", permlane(0, true, false)},
		{"gfx1030", sel + "v_permlanex16_b32 v9, v3, s20, s21 op_sel:[0,1]", permlane(16, false, true)},
		{"gfx90a", "v_pk_mov_b32 v[8:9], v[2:3], v[4:5] op_sel:[1,0]", func(l int, _, v4, _ *[64]uint32) uint32 { return v4[l] }},
		{"gfx90a", "v_mov_b32 v2, 5\nv_pk_mov_b32 v[8:9], v[4:5], v[2:3] op_sel:[1,1]", func(l int, v3, _, _ *[64]uint32) uint32 { return v3[l] }},
		{"gfx90a", "v_mov_b32 v5, v3\nv_pk_mov_b32 v[8:9], s[20:21], 9", func(int, *[64]uint32, *[64]uint32, *[64]uint32) uint32 { return 9 }},
	} {
		v3, v4, old, got := laneKernel(t, c.cpu, c.text, someLanes)
		for l := range got {
			want := old[l]
			if on(l) {
				want = c.want(l, &v3, &v4, &old)
			}
			if got[l] != want {
				t.Fatalf("%s: lane %d has %#x, want %#x", c.text, l, got[l], want)
			}
		}
	}
}

// BenchmarkVector measures 64-lane vector instructions as a wave executes them.
func BenchmarkVector(b *testing.B) {
	for _, c := range [][2]string{
		{"gfx900", "v_add_f32 v2, v3, v4"}, {"gfx900", "v_fma_f32 v2, v3, v4, v5"}, {"gfx900", "v_fma_f32 v2, -v3, v4, |v5|"},
		{"gfx900", "v_mul_f32 v2, v3, v4 clamp"}, {"gfx900", "v_mul_f32 v2, s20, v4 mul:2"}, {"gfx900", "v_exp_f32 v2, v3"}, {"gfx900", "v_sin_f32 v2, v3"},
		{"gfx900", "v_add_f16 v2, v3, v4"}, {"gfx1030", "v_add_f16 v2, v3, v4"}, {"gfx900", "v_pk_fma_f16 v2, v3, v4, v5"},
		{"gfx900", "v_pk_fma_f16 v2, v3, v4, v5 op_sel_hi:[0,1,1]"}, {"gfx1030", "v_fma_mix_f32 v2, v3, v4, v5 op_sel_hi:[1,1,0]"},
		{"gfx900", "v_lshlrev_b16 v2, 3, v4"}, {"gfx1030", "v_lshlrev_b16 v2, 3, v4"}, {"gfx900", "v_cmp_lt_u64 vcc, v[2:3], v[4:5]"},
		{"gfx900", "v_add_u32_sdwa v2, v3, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD"},
		{"gfx900", "v_or_b32_sdwa v2, v3, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:DWORD"},
		{"gfx900", "v_add_f32_dpp v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf"},
		{"gfx900", "v_mbcnt_lo_u32_b32 v2, -1, v3"}, {"gfx900", "v_ldexp_f64 v[6:7], v[2:3], 4"}, {"gfx900", "v_div_fixup_f64 v[6:7], v[2:3], v[4:5], v[2:3]"},
		{"gfx900", "v_cndmask_b32 v2, v3, v4, vcc"}, {"gfx900", "v_mov_b32 v2, s20"},
	} {
		b.Run(strings.ReplaceAll(c[0]+" "+c[1], " ", "_"), func(b *testing.B) {
			const rounds, times = 1000, 50
			text := fmt.Sprintf("v_mov_b32 v3, 1.0\nv_mov_b32 v4, 2.0\nv_mov_b32 v5, 0.5\nv_mov_b32 v2, 3.0\ns_mov_b32 s30, %d\nloop:\n%s\ns_sub_u32 s30, s30, 1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 loop\n", rounds, strings.Repeat(c[1]+"\n", times))
			d, p, _ := (&kernelTest{cpu: c[0], text: text, options: device.Options{Workers: 1}}).load(b)
			for b.Loop() {
				if _, err := d.Run(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds/times, "ns/inst")
		})
	}
}
