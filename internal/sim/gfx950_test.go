package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// TestTransposedLoads compares loads that transpose with their definition: in a
// matrix whose rows of 16 elements are in consecutive lanes, lane i of each 16
// lanes receives column i.
func TestTransposedLoads(t *testing.T) {
	for _, x := range []struct {
		text       string
		bits, size int
	}{
		{"ds_read_b64_tr_b4 v[8:9], v4 offset:16", 4, 8},
		{"ds_read_b96_tr_b6 v[8:10], v4 offset:16", 6, 12},
		{"ds_read_b64_tr_b8 v[8:9], v4 offset:16", 8, 8},
		{"ds_read_b64_tr_b16 v[8:9], v4 offset:16", 16, 8},
	} {
		lds := noise(2048, 5)
		at := func(l int) int { return (l*7%64)*16 + 64 }
		r := kernelTest{cpu: "gfx950", text: x.text, lds: 2048, setup: func(w *wave) {
			copy(w.group.lds, lds)
			for l := range w.lanes {
				w.v[4*w.lanes+l] = uint32(at(l))
			}
		}}.run(t)
		bit := func(l, i int) uint32 { return uint32(lds[at(l)+16+i/8] >> (i % 8) & 1) }
		perLane := x.size * 8 / x.bits
		for l := range 64 {
			for e := range perLane {
				number := e*16 + l%16 // of the element in the matrix
				from, first := l/16*16+number/perLane, number%perLane*x.bits
				for b := range x.bits {
					to := e*x.bits + b
					if got := r.v(8+to/32, l) >> (to % 32) & 1; got != bit(from, first+b) {
						t.Fatalf("%s: bit %d of element %d of lane %d is %d", x.text, b, e, l, got)
					}
				}
			}
		}
	}
}

// TestWideLDSLoads loads three and four dwords per lane to LDS, from global
// memory and from a buffer whose last lanes are out of range.
func TestWideLDSLoads(t *testing.T) {
	for _, x := range []struct {
		text   string
		dwords int
		buffer bool
	}{
		{"global_load_lds_dwordx3 v[4:5], off offset:4", 3, false},
		{"global_load_lds_dwordx4 v[4:5], off offset:4", 4, false},
		{"buffer_load_dwordx3 v6, s[12:15], 0 offen offset:4 lds", 3, true},
		{"buffer_load_dwordx4 v6, s[12:15], 0 offen offset:4 lds", 4, true},
	} {
		const records = 900
		r := kernelTest{cpu: "gfx950", text: x.text, lds: 4096, buffers: [][]byte{noise(4096, 3)}, setup: func(w *wave) {
			w.s[reguse.M0Code(w.dev.set)] = 0x100
			base := argument(w, 0)
			copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32), records, 4 << 15})
			copy(w.group.lds, noise(4096, 9))
			for l := range w.lanes {
				w.v[6*w.lanes+l] = uint32(l) * 16
				setV64(w, 4, l, base+uint64(l)*16)
			}
		}}.run(t)
		for l := range 64 {
			for i := range x.dwords {
				want := r.words(0)[l*4+i+1]
				if x.buffer && l*16+i*4+8 > records {
					want = 0
				}
				if got := binary.LittleEndian.Uint32(r.groups[0].lds[0x104+(l*x.dwords+i)*4:]); got != want {
					t.Fatalf("%s: dword %d of lane %d is %#x, want %#x", x.text, i, l, got, want)
				}
			}
		}
	}
}

// TestLoadScale multiplies with scales that v_mfma_ld_scale_b32 loads for the
// next instruction only.
func TestLoadScale(t *testing.T) {
	const multiply = "v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[4:7], v[4:7], 1.0 cbsz:4 blgp:4\n"
	for _, x := range []struct {
		text string
		want float32
	}{
		{multiply, 129},
		{"v_mfma_ld_scale_b32 s8, v41 op_sel_hi:[0,0]\n" + multiply, 128*4 + 1},
		{"v_mfma_ld_scale_b32 s8, v41 op_sel:[1,0] op_sel_hi:[0,0]\n" + multiply, 128*2 + 1},
		{"v_mfma_ld_scale_b32 s8, v41 op_sel_hi:[0,1]\n" + multiply, 128*32 + 1},
		{"v_mfma_ld_scale_b32 s8, v41\n" + multiply, 128*8 + 1},
		{"v_mfma_ld_scale_b32 s8, v41\nv_mov_b32 v30, 0\n" + multiply, 129},
		{"v_mfma_ld_scale_b32 s8, v41\n" + multiply + "s_nop 15\n" + multiply, 129},
		{"v_mfma_ld_scale_b32 v41, v41 op_sel_hi:[0,0]\n" + multiply, 128*4 + 1},
	} {
		r := kernelTest{cpu: "gfx950", text: x.text, setup: func(w *wave) {
			w.s[8] = 0x817e7f80
			for l := range w.lanes {
				w.v[41*w.lanes+l] = 0x80837f80
				for i := 4; i < 8; i++ {
					w.v[i*w.lanes+l] = 0x22222222 // ones
				}
			}
		}}.run(t)
		for l := range 64 {
			if got := math.Float32frombits(r.v(20, l)); got != x.want {
				t.Fatalf("%s: lane %d is %v, want %v", x.text, l, got, x.want)
			}
		}
	}
}

// TestLargeLDS uses all 160 KiB of LDS.
func TestLargeLDS(t *testing.T) {
	const size = 160 << 10
	r := kernelTest{cpu: "gfx950", lds: size, text: fmt.Sprintf("v_mov_b32 v4, %#x\nv_mov_b32 v5, 7\nds_write_b32 v4, v5\nds_read_b32 v6, v4", size-4)}.run(t)
	if r.v(6, 63) != 7 || len(r.groups[0].lds) != size {
		t.Errorf("the last dword of %d bytes is %d", len(r.groups[0].lds), r.v(6, 63))
	}
}
