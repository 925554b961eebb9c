package image

import (
	"math"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

func testFormat(t *testing.T, data string, num Number) *Format {
	t.Helper()
	table := FormatsOf(isa.GFX900)
	n, ok := table.Number(data, num)
	if !ok {
		t.Fatalf("no format %s with number format %d", data, num)
	}
	return table.Get(n)
}

// TestFormatRounding stores values between two representable ones.
func TestFormatRounding(t *testing.T) {
	for _, x := range []struct {
		data string
		num  Number
		x    float64
		want uint32
	}{
		{"8", Unorm, 0.5, 128}, {"8", Unorm, 2, 255}, {"8", Unorm, -1, 0}, {"8", Unorm, math.NaN(), 0}, {"8", Unorm, 1.5 / 255, 2},
		{"8", Snorm, -1, 0x81}, {"8", Snorm, -5, 0x81}, {"8", Snorm, 0.999, 127}, {"8", Uscaled, 3.9, 3}, {"8", Sscaled, -3.9, 0xfd}, {"8", Sscaled, 1e9, 127},
		{"16", Float, 1 + 1./2048, 0x3c00}, {"16", Float, 1 + 3./2048, 0x3c02}, {"16", Float, 65520, 0x7c00}, {"16", Float, 65519, 0x7bff}, {"16", Float, -1e-9, 0x8000},
		{"16", Float, math.Ldexp(3, -25), 2}, {"16", Float, math.Inf(-1), 0xfc00},
		{"10_11_11", Float, 1e9, 0x7bf}, {"10_11_11", Float, -3, 0}, {"10_11_11", Float, math.Inf(1), 0x7c0}, {"10_11_11", Float, 1 + 1./128, 0x3c0}, {"10_11_11", Float, 1 + 3./128, 0x3c2},
	} {
		f := testFormat(t, x.data, x.num)
		raw := f.Pack(&Texel{math.Float32bits(float32(x.x))})
		got := raw[0] & mask(f.Widths[0])
		if got != x.want {
			t.Errorf("%s: %g is stored as %#x, want %#x", f, x.x, got, x.want)
		}
	}
	for v := range uint32(0x10000) { // every f16 round-trips
		if v&0x7c00 == 0x7c00 && v&0x3ff != 0 {
			continue
		}
		if got := PackHalf(UnpackHalf(v)); got != v {
			t.Fatalf("f16 %#x round-trips to %#x", v, got)
		}
		if got := CutHalf(UnpackHalf(v)); got != v {
			t.Fatalf("f16 %#x round-trips to %#x", v, got)
		}
	}
}
