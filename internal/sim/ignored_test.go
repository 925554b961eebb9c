package sim

import "testing"

// TestIgnoredBitsRun checks that a dual-issue instruction whose first half does
// not use vsrcx1 computes the result of a gfx1100, whatever the field holds.
func TestIgnoredBitsRun(t *testing.T) {
	for _, field := range []string{"0xca2004ff", "0xca2000ff", "0xca21feff"} {
		r := kernelTest{cpu: "gfx1100", wave: 32, text: `
	v_mov_b32_e32 v0, 5
	v_mov_b32_e32 v1, 10
	.long ` + field + `, 0x02000300, 0x64
`}.run(t)
		if v1, v2 := r.v(1, 0), r.v(2, 0); v1 != 15 || v2 != 100 {
			t.Errorf("%s: v1 = %d, v2 = %d, want 15 and 100", field, v1, v2)
		}
	}
}
