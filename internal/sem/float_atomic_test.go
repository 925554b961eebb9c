package sem

import "testing"

func TestFloatAtomicAdd(t *testing.T) {
	for _, x := range []struct {
		f refFormat
		t Type
	}{{ref16, F16}, {refB16, BF16}, {ref32, F32}, {ref64, F64}} {
		for _, m := range refModes() {
			near := m&^0xf | 0x200 // rounded to the nearest, NaNs quiet
			refTuples(t, x.f, 2, 200, func(s [3]uint64) {
				want := refFMA(x.f, x.f, near, false, s[0], x.f.one(), s[1]).v
				if got := (&Ctx{Mode: m}).atomicAdd(x.t, s[0], s[1]); got != want {
					t.Fatalf("%v mode %#x: %#x + %#x = %#x, want %#x", x.f.typ, m, s[0], s[1], got, want)
				}
			})
		}
	}
	for _, x := range []struct {
		fn       func(c *Ctx, old, src uint64) uint64
		old, src uint64
		want     uint64
	}{
		{PkAddF16, 0x3c004000, 0x4000bc00, 0x42003c00}, {PkAddF16, 0xfc007bff, 0x7c007bff, 0xfe007c00},
		{PkAddBF16, 0x3f804000, 0x4000bf80, 0x40403f80},
	} {
		if got := x.fn(&Ctx{Mode: 0xf0}, x.old, x.src); got != x.want {
			t.Errorf("%#x + %#x = %#x, want %#x", x.old, x.src, got, x.want)
		}
	}
}

func TestFloatAtomicMinMax(t *testing.T) {
	const qnan, snan = 0x7fc00005, 0xff800005
	for _, x := range []struct {
		name     string
		fn       func(c *Ctx, old, src uint64) uint64
		m        Mode
		old, src uint64
		want     uint64
	}{
		{"min", MinF32, 0xf0, f32bits(1), f32bits(-1), f32bits(-1)}, {"max", MaxF32, 0xf0, f32bits(1), f32bits(-1), f32bits(1)},
		{"min", MinF32, 0xf0, 0, 0x80000000, 0x80000000}, {"max", MaxF32, 0xf0, 0x80000000, 0, 0},
		{"min", MinF32, 0xf0, qnan, f32bits(2), f32bits(2)}, {"max", MaxF32, 0xf0, f32bits(2), qnan, f32bits(2)},
		{"min", MinF32, 0xf0, snan, f32bits(2), snan | 0x400000}, {"max", MaxF32, 0xf0, qnan, snan, snan | 0x400000},
		{"min", MinF32, 0xf0, 2, 1, 1}, {"max", MaxF32, 0xf0, 2, 1, 2},
		// Flushed denormals compare as zeros, but are not changed.
		{"min", MinF32, 0xc0, 2, 1, 2}, {"max", MaxF32, 0xc0, 1, 2, 1}, {"max", MaxF32, 0xc0, 0x80000001, 2, 2},
		{"min", MinF64, 0xf0, f64bits(3), f64bits(2), f64bits(2)}, {"max", MaxF64, 0xf0, f64bits(3), f64bits(4), f64bits(4)},
	} {
		if got := x.fn(&Ctx{Mode: x.m}, x.old, x.src); got != x.want {
			t.Errorf("%s mode %#x of %#x, %#x = %#x, want %#x", x.name, x.m, x.old, x.src, got, x.want)
		}
	}
}
