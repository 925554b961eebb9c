package sim

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Tests of the instructions and registers that gfx12 added. Source: RDNA 4 ISA.

// TestSplitBarrier exchanges values between two waves through LDS, and counts
// the waves that signal first.
func TestSplitBarrier(t *testing.T) {
	forWaves(t, []string{"gfx1200", "gfx1201"}, func(t *testing.T, cpu string, lanes int) {
		k := kernelTest{cpu: cpu, wave: lanes, group: [3]int{2 * lanes, 1, 1}, lds: 1024, text: `
v_lshlrev_b32_e32 v1, 2, v0
ds_store_b32 v1, v0
s_wait_dscnt 0
s_barrier_signal_isfirst -1
s_cselect_b32 s10, 1, 0
s_barrier_wait -1
v_xor_b32_e32 v2, ` + []string{"0x80", "0x100"}[lanes/64] + `, v1
ds_load_b32 v3, v2
s_wait_dscnt 0`}
		r := k.run(t)
		first := uint32(0)
		for i, w := range r.waves {
			first += w.s[10]
			for l := range lanes {
				if got, want := w.v[3*lanes+l], uint32((i^1)*lanes+l); got != want {
					t.Fatalf("wave %d lane %d loads %d, want %d", i, l, got, want)
				}
			}
		}
		if len(r.waves) != 2 || first != 1 {
			t.Errorf("%d of %d waves signalled first", first, len(r.waves))
		}
	})
}

// TestSplitBarrierDeadlock checks that waiting for a barrier that a wave never
// signals ends with a fault.
func TestSplitBarrierDeadlock(t *testing.T) {
	r, _ := kernelTest{cpu: "gfx1200", wave: 32, group: [3]int{64, 1, 1}, text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 wait
s_barrier_signal -1
wait:
s_barrier_wait -1`}.dispatch(t)
	if f := r.fault(); f == nil || f.Kind != device.FaultTimeout || !strings.Contains(f.Message, "deadlock") {
		t.Errorf("fault %v", f)
	}
}

// TestTrapGroupIDs checks the work-group's place in the trap temporaries.
func TestTrapGroupIDs(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, group: [3]int{32, 1, 1}, grid: [3]int{64, 3, 2}, text: `
s_mov_b32 s10, ttmp9
s_and_b32 s11, ttmp7, 0xffff
s_lshr_b32 s12, ttmp7, 16`}
	r := k.run(t)
	for i, w := range r.waves {
		if x, y, z := uint32(i%2), uint32(i/2%3), uint32(i/6); w.s[10] != x || w.s[11] != y || w.s[12] != z {
			t.Errorf("group %d: %d %d %d, want %d %d %d", i, w.s[10], w.s[11], w.s[12], x, y, z)
		}
	}
	if len(r.waves) != 12 {
		t.Errorf("%d waves", len(r.waves))
	}
}

// TestSubDwordScalarLoads loads bytes and words into scalar registers.
func TestSubDwordScalarLoads(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, buffers: [][]byte{noise(64, 5)}, text: `
s_load_u8 s10, s[4:5], 0x3
s_load_i8 s11, s[4:5], 0x5
s_load_u16 s12, s[4:5], 0x6
s_load_i16 s13, s[4:5], 0xa
s_load_b96 s[16:18], s[4:5], 0x10
s_wait_kmcnt 0x0`, setup: func(w *wave) { w.setPair(4, argument(w, 0)) }}
	b := k.buffers[0]
	word := func(at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
	want := []uint32{uint32(b[3]), uint32(int8(b[5])), uint32(word(6)), uint32(int16(word(10)))}
	r := k.run(t)
	for i, v := range want {
		if got := r.s(10 + i); got != v {
			t.Errorf("s%d is %#x, want %#x", 10+i, got, v)
		}
	}
	for i := range 3 {
		if got, v := r.s(16+i), binary.LittleEndian.Uint32(b[16+4*i:]); got != v {
			t.Errorf("s%d is %#x, want %#x", 16+i, got, v)
		}
	}
}

// TestBlockTransfers loads and stores the registers of a block that M0 selects.
func TestBlockTransfers(t *testing.T) {
	const mask = 0x80000105
	forWaves(t, []string{"gfx1200"}, func(t *testing.T, cpu string, lanes int) {
		k := kernelTest{cpu: cpu, wave: lanes, buffers: [][]byte{noise(128*lanes, 6), make([]byte, 128*lanes)}, text: clearVGPRs(8, 40) + `
v_lshlrev_b32_e32 v1, 7, v0
s_mov_b32 m0, 0x80000105
global_load_block v[8:39], v1, s[4:5]
s_wait_loadcnt 0x0
global_store_block v1, v[8:39], s[6:7]`, setup: func(w *wave) {
			w.setPair(4, argument(w, 0))
			w.setPair(6, argument(w, 1))
		}}
		r := k.run(t)
		from, to := r.words(0), r.words(1)
		for i := range to {
			want := from[i]
			if uint32(mask)>>(i%32)&1 == 0 {
				want = 0
			}
			if got := r.v(8+i%32, i/32); got != want || to[i] != want {
				t.Fatalf("lane %d, register %d: loaded %#x, stored %#x, want %#x", i/32, i%32, got, to[i], want)
			}
		}
	})
}

// TestTransposedGlobalLoads transposes tiles of 16-bit elements. Each group of eight
// lanes loads eight rows; lane i receives column i.
func TestTransposedGlobalLoads(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, buffers: [][]byte{noise(16*32, 7)}, text: `
v_lshlrev_b32_e32 v1, 4, v0
global_load_tr_b128 v[4:7], v1, s[4:5]
s_wait_loadcnt 0x0`, setup: func(w *wave) { w.setPair(4, argument(w, 0)) }}
	r := k.run(t)
	for l := range 32 {
		for j := range 8 {
			want := binary.LittleEndian.Uint16(k.buffers[0][(l&^7+j)*16+l%8*2:])
			if got := uint16(r.v(4+j/2, l) >> (j % 2 * 16)); got != want {
				t.Fatalf("lane %d, element %d: %#x, want %#x", l, j, got, want)
			}
		}
	}
}

// TestNamedBarrier lets two of four waves exchange values at a named barrier.
func TestNamedBarrier(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, group: [3]int{128, 1, 1}, lds: 1024, text: `
v_readfirstlane_b32 s6, v0
s_lshr_b32 s6, s6, 5
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 ready
s_mov_b32 m0, 0x20003
s_barrier_init m0
ready:
s_barrier_signal -1
s_barrier_wait -1
s_cmp_gt_u32 s6, 1
s_cbranch_scc1 done
s_mov_b32 m0, 3
s_barrier_join m0
v_lshlrev_b32_e32 v1, 2, v0
ds_store_b32 v1, v0
s_wait_dscnt 0
s_barrier_signal 3
s_barrier_wait 1
v_xor_b32_e32 v2, 0x80, v1
ds_load_b32 v3, v2
s_get_barrier_state s10, m0
s_wait_dscnt 0
s_wait_kmcnt 0
done:
s_barrier_signal -1
s_barrier_wait -1
s_barrier_leave
s_cselect_b32 s11, 1, 0`}
	r := k.run(t)
	for i, w := range r.waves {
		if joined := uint32(1 - i/2); w.s[11] != joined {
			t.Errorf("wave %d: s_barrier_leave returns %d, want %d", i, w.s[11], joined)
		}
		if i >= 2 {
			continue
		}
		if w.s[10] != 2<<4|1 { // no signals, two members, valid
			t.Errorf("wave %d: state %#x", i, w.s[10])
		}
		for l := range 32 {
			if got, want := w.v[3*32+l], uint32((i^1)*32+l); got != want {
				t.Fatalf("wave %d lane %d loads %d, want %d", i, l, got, want)
			}
		}
	}
}

// TestSubDwordBufferLoads loads bytes and words of a scalar buffer. Loads past
// its end return 0.
func TestSubDwordBufferLoads(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, buffers: [][]byte{noise(64, 8)}, text: `
s_buffer_load_u8 s12, s[8:11], 0x3
s_buffer_load_i8 s13, s[8:11], 0x5
s_buffer_load_u16 s14, s[8:11], 0x6
s_buffer_load_i16 s15, s[8:11], 0xa
s_buffer_load_u8 s16, s[8:11], 0x14
s_wait_kmcnt 0x0`, setup: func(w *wave) {
		w.setPair(8, argument(w, 0))
		w.s[10], w.s[11] = 20, 0
	}}
	b := k.buffers[0]
	word := func(at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
	r := k.run(t)
	for i, want := range []uint32{uint32(b[3]), uint32(int8(b[5])), uint32(word(6)), uint32(int16(word(10))), 0} {
		if got := r.s(12 + i); got != want {
			t.Errorf("s%d is %#x, want %#x", 12+i, got, want)
		}
	}
}

// TestScratchBlockTransfers stores and loads the registers of a block that M0
// selects in scratch memory.
func TestScratchBlockTransfers(t *testing.T) {
	r := kernelTest{cpu: "gfx1200", wave: 32, private: 128, text: clearVGPRs(8, 40) + `
v_add_nc_u32_e32 v8, 100, v0
v_add_nc_u32_e32 v9, 200, v0
v_add_nc_u32_e32 v39, 300, v0
s_mov_b32 m0, 0x80000001
scratch_store_block off, v[8:39], off
v_mov_b32_e32 v8, 0
v_mov_b32_e32 v39, 0
scratch_load_block v[8:39], off, off
scratch_load_b32 v40, off, off offset:124
s_wait_loadcnt 0x0`}.run(t)
	for l := range 32 {
		for reg, want := range map[int]int{8: 100 + l, 9: 200 + l, 10: 0, 39: 300 + l, 40: 300 + l} {
			if got := r.v(reg, l); got != uint32(want) {
				t.Fatalf("lane %d: v%d is %d, want %d", l, reg, got, want)
			}
		}
	}
}
