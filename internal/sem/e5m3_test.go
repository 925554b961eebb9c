package sem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestClampE5M3 converts from and to the unsigned format that clamp selects on
// gfx12.5. Its values increase with the encodings, which ends with a NaN.
func TestClampE5M3(t *testing.T) {
	c := Ctx{Set: isa.GFX1250, Clamp: true, Mode: 0xf0}
	read := rowNamed(t, "v_cvt_f32_fp8")
	for v := range 256 {
		for at, sel := range []uint8{0, 2, 1, 3} {
			c.OpSel = sel
			got, want := math.Float32frombits(uint32(read.Fn(&c, uint64(v)<<(8*at), 0, 0))), float32(lateScale(ScaleE5M3, uint8(v)))
			if got != want && (got == got || want == want) {
				t.Errorf("byte %d: %#x is %v, expected %v", at, v, got, want)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(5, 3))
	for range 20000 {
		x := math.Float32frombits(rnd.Uint32())
		if rnd.IntN(4) != 0 {
			x = float32(math.Ldexp(1+float64(rnd.IntN(1<<rnd.IntN(24)))/(1<<23), rnd.IntN(40)-22))
		}
		c.Ovfl, c.OpSel = rnd.IntN(2) == 0, uint8(rnd.IntN(2))<<3
		checkE5M3(t, &c, x)
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 0x1p-18, 0x1.8p-18, 0x1p-19, 57344, 61440, 61441, 63488, 65536, -1.5} {
		for _, ovfl := range []bool{false, true} {
			c.Ovfl, c.OpSel = ovfl, 8
			checkE5M3(t, &c, float32(x))
		}
	}
}

// checkE5M3 compares the conversions of an f32 with all encodings.
func checkE5M3(t *testing.T, c *Ctx, x float32) {
	t.Helper()
	a := math.Abs(float64(x))
	below := 0 // the largest encoding that does not exceed the number
	for below < 254 && lateScale(ScaleE5M3, uint8(below+1)) <= a {
		below++
	}
	gap := func(v int) float64 { // between an encoding and the next one, as if the range continued
		if v == 254 {
			v--
		}
		return lateScale(ScaleE5M3, uint8(v+1)) - lateScale(ScaleE5M3, uint8(v))
	}
	rest := (a - lateScale(ScaleE5M3, uint8(below))) / gap(below)
	nearest := below
	if rest > 0.5 || rest == 0.5 && below&1 != 0 {
		nearest++
	}
	over := func(v int, rest float64) int {
		switch {
		case x != x, math.IsInf(a, 0):
			return 255
		case v > 254 && c.Ovfl:
			return 254
		}
		return min(v, 255)
	}
	bits := uint64(math.Float32bits(x))
	shift := c.OpSel >> 3 * 16
	got := rowNamed(t, "v_cvt_pk_fp8_f32").Fn(c, bits, bits, 0x12345678) >> shift & 0xffff
	if want := over(nearest, rest) * 0x101; got != uint64(want) {
		t.Errorf("%v (overflow mode %t): %#x, expected %#x", x, c.Ovfl, got, want)
	}
	s := Ctx{Set: c.Set, Clamp: true, Ovfl: c.Ovfl, Mode: c.Mode, OpSel: 12}
	down, up := int(rowNamed(t, "v_cvt_sr_fp8_f32").Fn(&s, bits, 0, 0)>>24), int(rowNamed(t, "v_cvt_sr_fp8_f32").Fn(&s, bits, math.MaxUint32, 0)>>24)
	next := below + 1
	if rest == 0 || rest < 0x1p-20 {
		next = below
	}
	if rest < 1 && (down != over(below, rest) || up != over(next, rest)) {
		t.Errorf("%v (overflow mode %t): from %#x to %#x, expected from %#x to %#x", x, c.Ovfl, down, up, over(below, rest), over(next, rest))
	}
}
