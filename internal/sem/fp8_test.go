package sem

import (
	"math"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// ref8 returns the value of an 8-bit float from its definition, including
// infinity and NaN.
func ref8(t Float8, v uint8) float64 {
	expBits := map[Float8]int{FP8: 4, FP8FNUZ: 4, BF8: 5, BF8FNUZ: 5}[t]
	bias := map[Float8]int{FP8: 7, FP8FNUZ: 8, BF8: 15, BF8FNUZ: 16}[t]
	mant := 7 - expBits
	exp, frac := int(v>>mant)&(1<<expBits-1), int(v)&(1<<mant-1)
	sign := 1 - 2*float64(v>>7)
	fnuz := t == FP8FNUZ || t == BF8FNUZ
	switch {
	case fnuz && v == 0x80, t == FP8 && v&0x7f == 0x7f, t == BF8 && v&0x7f > 0x7c:
		return math.NaN()
	case t == BF8 && v&0x7f == 0x7c:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(float64(frac), 1-bias-mant)
	}
	return sign * math.Ldexp(float64(frac+1<<mant), exp-bias-mant)
}

var allFloat8 = []Float8{FP8, BF8, FP8FNUZ, BF8FNUZ}

func TestFP8Decode(t *testing.T) {
	for _, f := range allFloat8 {
		for v := range 256 {
			want, got := ref8(f, uint8(v)), float64(math.Float32frombits(uint32(f.F32(uint8(v)))))
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && want == 0 {
				t.Errorf("%d: %#x is %g, want %g", f, v, got, want)
			}
			if back := f.FromF32(f.F32(uint8(v)), false); back != uint8(v) && !math.IsNaN(want) {
				t.Errorf("%d: %#x becomes %#x", f, v, back)
			}
		}
	}
	for f, limit := range map[Float8]float64{FP8: 448, BF8: 57344, FP8FNUZ: 240, BF8FNUZ: 57344} {
		if got := ref8(f, float8Formats[f].max); got != limit {
			t.Errorf("%d: the largest number is %g, want %g", f, got, limit)
		}
	}
}

// ref8Encode searches all encodings for the nearest one.
func ref8Encode(f Float8, x float64) uint8 {
	fnuz := f == FP8FNUZ || f == BF8FNUZ
	sign := uint8(0)
	if math.Signbit(x) {
		sign = 0x80
	}
	best, dist := -1, 0.0
	for v := range 128 {
		y := ref8(f, uint8(v))
		if math.IsNaN(y) || math.IsInf(y, 0) {
			continue
		}
		d := math.Abs(math.Abs(x) - y)
		if best < 0 || d < dist || d == dist && v&1 == 0 {
			best, dist = v, d
		}
	}
	// The limit is half a step beyond the largest number; its encoding is even
	// for FP8 and odd otherwise.
	last := int(float8Formats[f].max)
	limit := ref8(f, uint8(last)) + (ref8(f, uint8(last))-ref8(f, uint8(last-1)))/2
	switch a := math.Abs(x); {
	case math.IsNaN(x) && fnuz:
		return 0x80
	case math.IsNaN(x):
		return sign | 0x7f
	case a > limit || a == limit && last&1 != 0:
		return map[Float8]uint8{FP8: sign | 0x7f, BF8: sign | 0x7c, FP8FNUZ: 0x80, BF8FNUZ: 0x80}[f]
	case best == 0 && fnuz:
		return 0
	}
	return sign | uint8(best)
}

func TestFP8Encode(t *testing.T) {
	for _, f := range allFloat8 {
		test := func(v uint64) {
			x := float64(math.Float32frombits(uint32(v)))
			if got, want := f.FromF32(v, false), ref8Encode(f, x); got != want {
				t.Fatalf("%d: %g (%#x) = %#x, want %#x", f, x, v, got, want)
			}
		}
		for v := range 127 { // numbers around the midpoints
			mid := uint64(math.Float32bits(float32((ref8(f, uint8(v)) + ref8(f, uint8(v+1))) / 2)))
			for d := range uint64(3) {
				test(mid + d - 1)
				test(mid + d - 1 | sign32)
			}
		}
		refTuples(t, ref32, 1, 3000, func(s [3]uint64) { test(s[0]) })
	}
}

// TestFP8Stochastic checks that results are the encodings next to a number, in
// the ratio of their distances.
func TestFP8Stochastic(t *testing.T) {
	r := refRand(t)
	for _, f := range allFloat8 {
		for range 200 {
			v := uint8(r.UintN(uint(float8Formats[f].max)))
			lo, hi := ref8(f, v), ref8(f, v+1)
			part := float64(r.UintN(16)) / 16
			x := uint64(math.Float32bits(float32(lo + (hi-lo)*part)))
			var up int
			for i := range uint32(64) {
				switch got := f.FromF32Stochastic(x, i<<26, false); got {
				case v + 1:
					up++
				case v:
				default:
					t.Fatalf("%d: %#x = %#x, want %#x or the next", f, x, got, v)
				}
			}
			if want := int(part * 64); up != want {
				t.Fatalf("%d: %#x: %d of 64 go up, want %d", f, x, up, want)
			}
			if got := f.FromF32Stochastic(x, 0, false); got != v {
				t.Fatalf("%d: %#x = %#x with no seed, want %#x", f, x, got, v)
			}
		}
	}
}

func TestFP8Rows(t *testing.T) {
	one, two := uint64(math.Float32bits(1)), uint64(math.Float32bits(-2))
	for _, x := range []struct {
		name       string
		set        isa.Set
		opSel      uint8
		s0, s1, s2 uint64
		want       uint64
	}{
		{"v_cvt_f32_fp8", isa.GFX942, 0, 0x40, 0, 0, one},
		{"v_cvt_f32_fp8", isa.GFX1200, 0, 0x38, 0, 0, one},
		{"v_cvt_f32_bf8", isa.GFX942, 0, 0x40, 0, 0, one},
		{"v_cvt_f32_bf8", isa.GFX950, 0, 0x3c, 0, 0, one},
		{"v_cvt_pk_f32_fp8", isa.GFX942, 0, 0xc840, 0, 0, two<<32 | one},
		{"v_cvt_pk_fp8_f32", isa.GFX942, 0, one, two, 0x11223344, 0x1122c840},
		{"v_cvt_pk_fp8_f32", isa.GFX942, 8, one, two, 0x11223344, 0xc8403344},
		{"v_cvt_pk_bf8_f32", isa.GFX942, 8, one, two, 0x11223344, 0xc4403344},
		{"v_cvt_sr_fp8_f32", isa.GFX942, 0, one, ^uint64(0), 0x11223344, 0x11223340},
		{"v_cvt_sr_fp8_f32", isa.GFX942, 4, one, 0, 0x11223344, 0x11224044},
		{"v_cvt_sr_bf8_f32", isa.GFX942, 12, two, 0, 0x11223344, 0xc4223344},
	} {
		c := Ctx{Set: x.set, OpSel: x.opSel}
		if got := rowOf(t, x.name).Fn(&c, x.s0, x.s1, x.s2); got != x.want {
			t.Errorf("%s %v: %#x, want %#x", x.name, x.set, got, x.want)
		}
	}
}

// TestOverflowMode checks MODE.FP16_OVFL: overflow yields the largest finite
// number, infinities are kept.
func TestOverflowMode(t *testing.T) {
	inf, big := uint64(0x7f800000), uint64(0x7f000000)
	for f, want := range map[Float8]uint8{FP8: 0x7e, BF8: 0x7b, FP8FNUZ: 0x7f, BF8FNUZ: 0x7f} {
		if got := f.FromF32(big, true); got != want {
			t.Errorf("format %d: %#x, want %#x", f, got, want)
		}
		if got := f.FromF32(inf, true); got == want {
			t.Errorf("format %d: infinity became %#x", f, got)
		}
	}
	c := &Ctx{Mode: 0xf0, Ovfl: true}
	max16, inf16 := uint64(0x7bff), uint64(0x7c00)
	for _, x := range []struct{ got, want uint64 }{
		{addF16(c, max16, max16, 0), max16},
		{addF16(c, max16|1<<15, max16|1<<15, 0), max16 | 1<<15},
		{addF16(c, inf16, max16, 0), inf16},
		{fmaF16(c, max16, max16, 0), max16},
	} {
		if x.got != x.want {
			t.Errorf("got %#x, want %#x", x.got, x.want)
		}
	}
}
