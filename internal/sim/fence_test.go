package sim

import "testing"

// TestFences checks that instructions that wait for stores complete them on the
// host, that other instructions do not, and that loads need no fence where the
// host orders them.
func TestFences(t *testing.T) {
	const gfx9, gfx11 = "gfx900", "gfx1100"
	for _, c := range []struct {
		cpu, access, wait string
		open              bool // a fence is still required
	}{
		{gfx9, "global_store_dword v0, v1, s[4:5]", "s_waitcnt vmcnt(0)", false},
		{gfx9, "global_store_byte v0, v1, s[4:5]", "s_waitcnt vmcnt(3)", false},
		{gfx9, "flat_store_dword v[2:3], v1", "s_waitcnt vmcnt(0) lgkmcnt(0)", false},
		{gfx9, "buffer_store_dword v1, off, s[8:11], 0", "buffer_wbinvl1_vol", false},
		{gfx9, "global_store_dword v0, v1, s[4:5]", "s_waitcnt lgkmcnt(0)", true},
		{gfx9, "global_store_dword v0, v1, s[4:5]", "s_nop 0", true},
		{gfx9, "global_load_dword v1, v0, s[4:5]", "s_nop 0", !hostOrdersLoads},
		{"gfx942", "global_store_dwordx4 v0, v[4:7], s[4:5]", "buffer_wbl2 sc1", false},
		{"gfx1010", "global_store_dword v0, v1, s[4:5]", "s_waitcnt_vscnt null, 0x0", false},
		{"gfx1030", "global_store_dword v0, v1, s[4:5]", "s_waitcnt_vscnt null, 0x0", false},
		{gfx11, "global_store_b32 v0, v1, s[4:5]", "s_waitcnt_vscnt null, 0x0", false},
		{gfx11, "global_store_b32 v0, v1, s[4:5]", "s_waitcnt vmcnt(0)", hostOrdersLoads},
		{gfx11, "global_store_b32 v0, v1, s[4:5]", "s_wait_idle", false},
		{gfx11, "global_store_b32 v0, v1, s[4:5]", "buffer_gl0_inv", false},
	} {
		t.Run(c.cpu+"/"+c.access+"/"+c.wait, func(t *testing.T) {
			text := "s_load_dwordx2 s[4:5], s[0:1], 0x0"
			if c.cpu == gfx11 {
				text = "s_load_b64 s[4:5], s[0:1], 0x0"
			}
			r := kernelTest{cpu: c.cpu, buffers: [][]byte{make([]byte, 4096)}, text: text + `
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	s_mov_b32 s8, s4
	s_mov_b32 s9, s5
	s_mov_b32 s10, 4096
	s_mov_b32 s11, 0
	v_mov_b32_e32 v0, 0
` + c.access + "\n" + c.wait}.run(t)
			n := r.waves[0].counts
			if open := n.fenced != n.classes[classOrdered]; open != c.open {
				t.Errorf("a fence is due: %v, want %v", open, c.open)
			}
		})
	}
}
