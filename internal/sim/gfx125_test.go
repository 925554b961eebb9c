package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Tests of the registers and instructions that gfx12.5 added. Sources: AMD's
// CDNA 5 ISA; LLVM, AMDGPULowerVGPREncoding.

// setBanks returns s_set_vgpr_msb for four groups of operands.
func setBanks(src0, src1, src2, dst int) string {
	return fmt.Sprintf("s_set_vgpr_msb %d\n", src0|src1<<2|src2<<4|dst<<6)
}

// fillBanks writes 100*bank+r to VGPR r of each bank, for r below n.
func fillBanks(n int) string {
	var b strings.Builder
	for bank := range 4 {
		b.WriteString(setBanks(0, 0, 0, bank))
		for r := range n {
			fmt.Fprintf(&b, "v_mov_b32_e32 v%d, 0x%x\n", r, 100*bank+r)
		}
	}
	return b.String() + setBanks(0, 0, 0, 0)
}

// TestBanks executes instructions of all formats with a bank of its own for each
// group of operands, 1, 2 and 3 for the sources.
func TestBanks(t *testing.T) {
	const src0, src1, src2 = 100, 200, 300
	banks := setBanks(1, 2, 3, 2)
	for _, x := range []struct {
		text string
		reg  int // of the result, in bank 2
		want uint32
	}{
		{"v_mov_b32_e32 v10, v3", 10, src0 + 3},
		{"v_sub_nc_u32_e32 v10, v3, v4", 10, 0xffffff9b},
		{"v_sub_nc_u32_e64 v10, v3, v4", 10, 0xffffff9b},
		{"v_mad_u32_u24 v10, v3, v4, v5", 10, (src0+3)*(src1+4) + src2 + 5},
		{"v_sub_nc_u32_dpp v10, v3, v4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", 10, 0xffffff9b},
		{"v_pk_sub_u16 v10, v3, v4", 10, 0xffffff9b & 0xffff},
		{"v_fmamk_f32 v10, v3, 0x40000000, v5", 10, 3*2 + 5},
		{"v_fmac_f32_e32 v10, v3, v4", 10, 10 + 3*4},
		{"v_fmac_f32_e64 v10, v3, v4", 10, 10 + 3*4},
		{"v_dual_mov_b32 v10, v3 :: v_dual_mov_b32 v11, v5", 10, src0 + 3},
		{"v_dual_mov_b32 v10, v3 :: v_dual_mov_b32 v11, v5", 11, src0 + 5},
		{"v_dual_sub_nc_u32 v11, v3, v4 :: v_dual_mov_b32 v10, v5", 11, 0xffffff9b},
		{"ds_bpermute_b32 v10, v1, v4\ns_wait_dscnt 0", 10, src1 + 4},
		{"ds_store_2addr_b32 v1, v4, v5 offset0:1 offset1:2\n" + setBanks(1, 0, 0, 2) + "ds_load_2addr_b32 v[10:11], v1 offset0:2 offset1:1\ns_wait_dscnt 0", 10, src2 + 5},
		{"ds_store_2addr_b32 v1, v4, v5 offset0:1 offset1:2\n" + setBanks(1, 0, 0, 2) + "ds_load_2addr_b32 v[10:11], v1 offset0:2 offset1:1\ns_wait_dscnt 0", 11, src1 + 4},
		{"global_store_b32 v1, v4, s[4:5]\nglobal_load_b32 v10, v1, s[4:5]\ns_wait_loadcnt 0", 10, src1 + 4},
		{"buffer_store_b32 v10, v1, s[8:11], null offen\nbuffer_load_b32 v11, v1, s[8:11], null offen\ns_wait_loadcnt 0", 11, src1 + 10},
		{"v_readfirstlane_b32 s20, v3\nv_mov_b32_e32 v10, s20", 10, src0 + 3},
		{"v_cmp_eq_u32_e32 vcc_lo, 0x67, v4\nv_mov_b32_e32 v10, vcc_lo", 10, 0},
	} {
		text := fillBanks(12)
		want := x.want
		if strings.Contains(x.text, "_f32") { // on small floats instead
			for bank := range 4 {
				text += setBanks(bank, 0, 0, bank)
				for _, r := range []int{3, 4, 5, 10} {
					text += fmt.Sprintf("v_cvt_f32_u32_e32 v%d, %d\n", r, r)
				}
			}
		}
		text += pointer12 + "s_mov_b64 s[8:9], s[4:5]\ns_mov_b32 s10, 0x80000000\ns_mov_b32 s11, 0x30000000\n" + setBanks(0, 0, 0, 1) + "v_mov_b32_e32 v1, 0\n" + banks
		if strings.Contains(x.text, "_f32") {
			text += x.text + "\n" + setBanks(2, 0, 0, 2) + fmt.Sprintf("v_cvt_u32_f32_e32 v%d, v%d\n", x.reg, x.reg)
		} else {
			text += x.text + "\n"
		}
		k := kernelTest{cpu: "gfx1250", wave: 32, lds: 1024, buffers: [][]byte{make([]byte, 4096)}, text: text}
		r := k.run(t)
		if got := r.waves[0].v[(2*256+x.reg)*32]; got != want {
			t.Errorf("%s: v%d = %#x, want %#x", x.text, 2*256+x.reg, got, want)
		}
	}
}

// TestModeBanks reads and writes the banks in MODE.
func TestModeBanks(t *testing.T) {
	for cpu, clobbers := range map[string]bool{"gfx1250": true, "gfx1251": false} {
		text := setBanks(1, 2, 3, 2) + `s_getreg_b32 s10, hwreg(HW_REG_MODE, 12, 8)
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x5000
s_getreg_b32 s11, hwreg(HW_REG_MODE, 12, 8)
s_mov_b32 s0, 2
s_setreg_b32 hwreg(HW_REG_MODE, 12, 2), s0
s_getreg_b32 s12, hwreg(HW_REG_MODE, 12, 8)
v_mov_b32_e32 v7, 0x77
` + setBanks(0, 0, 0, 0)
		k := kernelTest{cpu: cpu, wave: 32, text: text}
		w := k.run(t).waves[0]
		const before = 2 | 1<<2 | 2<<4 | 3<<6
		after := uint32(before)
		if clobbers {
			after = 5
		}
		if w.s[10] != before || w.s[11] != after || w.s[12] != after&^3|2 || w.v[(512+7)*32] != 0x77 {
			t.Errorf("%s: %#x %#x %#x %#x, want %#x %#x", cpu, w.s[10], w.s[11], w.s[12], w.v[(512+7)*32], before, after)
		}
	}
}

// pointer12 is pointer for gfx12.
const pointer12 = "s_load_b64 s[4:5], s[0:1], 0x0\ns_wait_kmcnt 0\n"

// TestCheckBanks finds errors with registers past v255.
func TestCheckBanks(t *testing.T) {
	runSeeds(t, []seed{
		{name: "wait", check: device.CheckWait, cpu: "gfx1250", wave: 32, at: "v_mov_b32_e32 v2, v1", message: "v513 is read, but global_load_b32 may not have written it yet: needs loadcnt(0)",
			text: pointer12 + setBanks(0, 0, 0, 2) + `global_load_b32 v1, v0, s[4:5] scale_offset
` + setBanks(2, 0, 0, 0) + `
+ s_wait_loadcnt 0
v_mov_b32_e32 v2, v1`},
		{name: "init", check: device.CheckInit, cpu: "gfx1250", wave: 32, at: "global_store_b32 v0, v1, s[4:5]", message: "v769",
			text: pointer12 + setBanks(0, 0, 0, 3) + `
+ v_mov_b32_e32 v1, 5
- v_mov_b32_e32 v2, 5
` + setBanks(0, 3, 0, 0) + `
global_store_b32 v0, v1, s[4:5] scale_offset`},
	})
}

// TestClusterBarrier runs LLVM's sequence for a barrier of a cluster in a
// work-group, outside of clusters and in one, and a wait without a signal.
func TestClusterBarrier(t *testing.T) {
	text := `
s_barrier_signal_isfirst -1
s_barrier_wait -1
s_cselect_b32 s10, 1, 0
s_cbranch_scc0 wait
s_nop 0
- s_barrier_signal -3
wait:
s_barrier_wait -3
s_mov_b32 s11, 7`
	k := kernelTest{cpu: "gfx1250", wave: 32, group: [3]int{128, 1, 1}, text: strings.Replace(text, "- ", "", 1)}
	r := k.run(t)
	first := uint32(0)
	for _, w := range r.waves {
		if first += w.s[10]; w.s[11] != 7 {
			t.Errorf("a wave did not pass the barrier")
		}
	}
	if len(r.waves) != 4 || first != 1 {
		t.Errorf("%d of %d waves signal first", first, len(r.waves))
	}
	k.cluster, k.memory, k.grid = [3]uint8{2, 1, 1}, nil, [3]int{256, 1, 1}
	for _, w := range k.run(t).waves {
		if w.s[11] != 7 {
			t.Errorf("a wave of a cluster did not pass the barrier")
		}
	}
	k.text = strings.Replace(text, "- s_barrier_signal -3", "", 1)
	if f := k.try(t).fault(); f == nil || !strings.Contains(f.Message, "deadlock") {
		t.Errorf("without a signal: %v", f)
	}
}
