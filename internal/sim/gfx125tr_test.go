package sim

import (
	"fmt"
	"testing"
)

// TestTransposedWaveLoads loads matrices of 16 rows that are stored by column.
// Lanes l and l+16 receive row l. The places of the columns are those that AMD's
// tests and others use on gfx1250.
func TestTransposedWaveLoads(t *testing.T) {
	for _, x := range []struct {
		name  string
		bits  int
		bytes int
		load  func(l int) (column, row int) // of the first element that a lane loads
		store func(l, i int) (column int)   // of element i that a lane receives
	}{
		{"tr16_b128", 16, 16, func(l int) (int, int) { return l%8 + l/16*8, l / 8 % 2 * 8 }, func(l, i int) int { return l/16*8 + i }},
		{"tr8_b64", 8, 8, func(l int) (int, int) { return l/8*4 + l%4, l / 4 % 2 * 8 }, func(l, i int) int { return l/16*8 + i }},
		{"tr6_b96", 6, 12, func(l int) (int, int) { return l/8*4 + l%4 + l/4%2*16, 0 }, func(l, i int) int { return l/16*16 + i }},
		{"tr4_b64", 4, 8, func(l int) (int, int) { return l, 0 }, func(l, i int) int { return i%8 + l/16*8 + i/8*16 }},
	} {
		for _, space := range []string{"global", "ds"} {
			const offset = 32
			memory := noise(2048, 11)
			text := fmt.Sprintf("s_mov_b32 exec_lo, 0x10\nds_load_%s v[8:%d], v4 offset:%d\ns_wait_dscnt 0", x.name, 7+x.bytes/4, offset)
			if space == "global" {
				text = fmt.Sprintf("s_mov_b32 exec_lo, 0\nglobal_load_%s v[8:%d], v4, s[4:5] offset:%d\ns_wait_loadcnt 0", x.name, 7+x.bytes/4, offset)
			}
			r := kernelTest{cpu: "gfx1250", wave: 32, text: text, lds: 2048, buffers: [][]byte{memory}, setup: func(w *wave) {
				copy(w.group.lds, memory)
				w.setPair(4, argument(w, 0))
				for l := range w.lanes {
					column, row := x.load(l)
					w.v[4*w.lanes+l] = uint32((column*16 + row) * x.bits / 8)
				}
			}}.run(t)
			for l := range 32 {
				for i := range x.bytes * 8 / x.bits {
					from, to := offset*8+(x.store(l, i)*16+l%16)*x.bits, i*x.bits
					for b := range x.bits {
						want := uint32(memory[(from+b)/8]) >> ((from + b) % 8) & 1
						if got := r.v(8+(to+b)/32, l) >> ((to + b) % 32) & 1; got != want {
							t.Fatalf("%s %s: bit %d of element %d of lane %d is %d", space, x.name, b, i, l, got)
						}
					}
				}
			}
		}
	}
}
