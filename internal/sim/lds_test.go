package sim

import (
	"fmt"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// ldsBytes is the content of LDS in the tests of direct loads.
var ldsBytes = []byte{0x80, 0xfe, 0x12, 0x34, 0xf5, 0x06, 0x07, 0x88}

// ldsDirectCases lists M0 values with the loaded value. fault is -1 for none.
var ldsDirectCases = []struct {
	m0    uint32
	want  uint32
	fault int
}{
	{0 << 16, 0x80, -1},
	{1 << 16, 0xfe80, -1},
	{2 << 16, 0x3412fe80, -1},
	{2<<16 | 4, 0x880706f5, -1},
	{4 << 16, 0xffffff80, -1},
	{5 << 16, 0xfffffe80, -1},
	{5<<16 | 4, 0x6f5, -1},
	{2<<16 | 8, 0, -1},      // out of range
	{2<<16 | 0xfffc, 0, -1}, // far out of range
	{0xfff80000 | 2<<16, 0x3412fe80, -1},
	{2<<16 | 2, 0, int(device.FaultAlignment)},
	{3 << 16, 0, int(device.FaultIllegal)},
	{7 << 16, 0, int(device.FaultIllegal)},
}

// TestLDSDirect uses lds_direct as a source of vector operations.
func TestLDSDirect(t *testing.T) {
	forWaves(t, []string{"gfx803", "gfx900", "gfx1010", "gfx1030"}, func(t *testing.T, cpu string, lanes int) {
		for _, c := range ldsDirectCases {
			for _, text := range []string{"v_mov_b32 v8, lds_direct", "v_xor_b32 v8, lds_direct, v9", "v_mad_u32_u24 v8, v9, v9, v9\nv_max_u32 v8, lds_direct, v9"} {
				res := kernelTest{cpu: cpu, wave: lanes, lds: 8, text: m0Text(c.m0) + text, setup: func(w *wave) {
					copy(w.group.lds, ldsBytes)
					clear(w.v[9*lanes : 10*lanes])
				}}.try(t)
				checkDirect(t, fmt.Sprintf("%s, m0 %#x", text, c.m0), res, c.fault, func(l int) bool { return res.v(8, l) == c.want })
			}
		}
	})
}

// TestLDSDirectCompare uses lds_direct in comparisons and conversions.
func TestLDSDirectCompare(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx900", "gfx1010", "gfx1030"} {
		text := m0Text(2<<16|4) + // v_readfirstlane_b32 s20, lds_direct
			".long 0x7e2804fe\nv_cmp_eq_u32 vcc, lds_direct, v9\n" + m0Text(0) + "v_cvt_f32_u32 v8, lds_direct\n"
		res := kernelTest{cpu: cpu, lds: 8, text: text, setup: func(w *wave) {
			copy(w.group.lds, ldsBytes)
			for l := range 64 {
				w.v[9*64+l] = 0x880706f5 + uint32(l/32)
			}
		}}.run(t)
		if res.s(20) != 0x880706f5 || res.waves[0].mask(sVCC) != 0xffffffff || res.v(8, 63) != 0x43000000 {
			t.Errorf("%s: vcc = %#x, v8 = %#x", cpu, res.waves[0].mask(sVCC), res.v(8, 63))
		}
	}
}

func checkDirect(t *testing.T, what string, res *kernelResult, fault int, ok func(l int) bool) {
	t.Helper()
	f := res.fault()
	switch {
	case fault >= 0:
		if f == nil || int(f.Kind) != fault {
			t.Errorf("%s: fault %v", what, f)
		}
	case f != nil:
		t.Errorf("%s: %v", what, f)
	default:
		for l := range res.waves[0].lanes {
			if !ok(l) {
				t.Fatalf("%s: lane %d is %#x", what, l, res.v(8, l))
			}
		}
	}
}

// TestLDSDirectLoad checks that lanes are written in quads.
func TestLDSDirectLoad(t *testing.T) {
	forWaves(t, []string{"gfx1100"}, func(t *testing.T, cpu string, lanes int) {
		for _, c := range ldsDirectCases {
			res := kernelTest{cpu: cpu, wave: lanes, lds: 8, text: m0Text(c.m0) + "lds_direct_load v8", setup: func(w *wave) {
				copy(w.group.lds, ldsBytes)
				w.setMask(sExec, 0x80010200)
				for l := range lanes {
					w.v[8*lanes+l] = 5
				}
			}}.try(t)
			checkDirect(t, fmt.Sprintf("m0 %#x", c.m0), res, c.fault, func(l int) bool {
				want := uint32(5)
				switch l / 4 {
				case 2, 4, 7:
					want = c.want
				}
				return res.v(8, l) == want
			})
		}
	})
}
