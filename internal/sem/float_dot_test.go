package sem

import (
	"math"
	"math/big"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// dot2F16Seen holds results of a Radeon Pro W7900 (gfx1100) for sources 0 to 2.
// Terms whose sign differs from source 2's lose a unit of the alignment grid.
// Source: ROCm's rocjitsu, tests/fixtures/float_dot.
var dot2F16Seen = [][4]uint64{
	{0x48004200, 0x44004800, 0xbf800000, 0x425c0001}, {0xc800c200, 0x44004800, 0x3f800000, 0xc25c0001}, {0x3c00bc00, 0x3c003c00, 0x3f800000, 0x3f7fffff}, {0x3c003c00, 0x3c003c00, 0xc0000000, 0x34000000},
	{0x3c004000, 0x3c003c00, 0xc0000000, 0x3f800002}, {0x4800c800, 0x48004800, 0x3f800000, 0x3f7fffc0}, {0x3c003c00, 0x3c000000, 0x00000000, 0x3f800000}, {0x3c00bc00, 0x3c000000, 0x00000000, 0x3f7fffff},
	{0x3c003c00, 0x3c000000, 0x80000000, 0x3f800001}, {0x3c00bc00, 0x3c000000, 0x80000000, 0x3f800000}, {0x3c003c00, 0x3c003c00, 0x7f812345, 0x7fc12345}, {0x3c003c00, 0x3c003c00, 0xffc12345, 0xffc12345},
	{0x3c007c01, 0x3c003c00, 0x00000000, 0xffc00a3d}, {0x3c007c00, 0x3c000000, 0x00000000, 0xffc00000}, {0xfc007c00, 0x3c003c00, 0x00000000, 0xffc00000}, {0x7c007e01, 0x00003c00, 0x7fc12345, 0xffc00a3d},
	{0x3c007c00, 0x3c000000, 0x7fc12345, 0xffc00000}, {0x80008000, 0x3c003c00, 0x00800000, 0x00800000}, {0x00000001, 0x3c003c00, 0x00000000, 0x33800000}, {0x00000001, 0x3c000001, 0x00000000, 0x27800000},
	{0x00000001, 0x3c008001, 0x00000000, 0xa7880000}, {0xeb9b023d, 0x803b6249, 0xf96d2663, 0xf96d2663}, {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xc2886106}, {0xcd6c4d6c, 0x78af78af, 0x00000000, 0xbd000000},
	{0xf82e782e, 0x6a286a28, 0x00000000, 0xc0800000}, {0xb09d309d, 0x0fe50fe5, 0x00000000, 0xac000000}, {0x84950495, 0x3d283d28, 0x80000000, 0x2c800000}, {0xa4b824b8, 0xdc7cdc7c, 0x80000000, 0x34800000},
	{0xbc003c00, 0x0001fbff, 0x7f800000, 0x7f800000}, {0x8000fc00, 0x04013c00, 0x00800000, 0xff800000},
}

var dot2BF16Seen = [][4]uint64{
	{0x41004040, 0x40804100, 0xbf800000, 0x425c0001}, {0x3f80bf80, 0x3f803f80, 0x3f800000, 0x3f7fffff}, {0x4100c100, 0x41004100, 0x3f800000, 0x3f7fffc0}, {0x3f803f80, 0x3f800000, 0x80000000, 0x3f800001},
	{0x3f803f80, 0x3f803f80, 0x7f812345, 0x7fc12345}, {0x3f807fc1, 0x3f803f80, 0x00000000, 0xffc00a3d}, {0x00800000, 0x3f808000, 0x00000001, 0x00000000}, {0x00000001, 0x3f804980, 0x00000000, 0x00000000},
	{0x00000700, 0x3f803f80, 0x00000000, 0x07000000}, {0x00800080, 0x3f003f00, 0x00000000, 0x00800000}, {0xff7f7f7f, 0x7f7f7f7f, 0x00000000, 0xff800000}, {0xf9e2d6b1, 0xe2adf60c, 0xeddb846f, 0x7f800000},
	{0x49b3fce2, 0x573a122b, 0x246a3c33, 0x61820e00}, {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xd0bfbe00}, {0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504185}, {0xce354e35, 0x7bfd7bfd, 0x00000000, 0xfe000000},
	{0xafb72fb7, 0x0d170d17, 0x00000000, 0x00000000}, {0x35b3b5b3, 0xc398c398, 0x80000000, 0x2d800000}, {0xc4014401, 0x33463346, 0x00000000, 0xab800000}, {0x7f800081, 0x80000081, 0xff9a5ce2, 0xffc00000},
	{0x8000ff80, 0x00813f80, 0x00800000, 0xff800000},
}

func TestDot2Seen(t *testing.T) {
	for name, cases := range map[string][][4]uint64{
		"v_dot2_f32_f16": dot2F16Seen, "v_dot2acc_f32_f16": dot2F16Seen,
		"v_dot2_f32_bf16": dot2BF16Seen, "v_dot2c_f32_bf16": dot2BF16Seen,
	} {
		for _, x := range cases {
			for _, m := range []Mode{0x3f0, 0x00f} { // the mode has no effect
				if got := rowOf(t, name).Fn(&Ctx{Mode: m, Set: isa.GFX1100}, x[0], x[1], x[2]); got != x[3] {
					t.Errorf("%s %#x %#x %#x = %#x, want %#x", name, x[0], x[1], x[2], got, x[3])
				}
			}
		}
	}
}

// TestDot2Exact checks products and sums that need no rounding: with all terms
// of one sign on GFX11, with any terms before.
func TestDot2Exact(t *testing.T) {
	r := refRand(t)
	toF16 := func(n int) uint64 {
		return ref16.floor(big.NewFloat(math.Abs(float64(n)))) | ref16.sign(n < 0)
	}
	toBF16 := func(n int) uint64 { return f32bits(float32(n)) >> 16 }
	toF32 := func(n int) uint64 { return f32bits(float32(n)) }
	for _, x := range []struct {
		name    string
		set     isa.Set
		of, acc func(int) uint64
		limit   int
	}{
		{"v_dot2_f32_f16", isa.GFX906, toF16, toF32, 100},
		{"v_dot2_f32_f16", isa.GFX942, toF16, toF32, 100},
		{"v_dot2c_f32_f16", isa.GFX1030, toF16, toF32, 100},
		{"v_dot2acc_f32_f16", isa.GFX1100, toF16, toF32, 100},
		{"v_dot2_f32_bf16", isa.GFX1100, toBF16, toF32, 100},
		{"v_dot2_f16_f16", isa.GFX1100, toF16, toF16, 25},
		{"v_dot2_bf16_bf16", isa.GFX1100, toBF16, toBF16, 9},
	} {
		fn := rowOf(t, x.name).Fn
		for range 2000 {
			var n [5]int
			for i := range n {
				n[i] = r.IntN(x.limit) + 1
				if x.set != isa.GFX1100 && r.IntN(2) == 0 {
					n[i] = -n[i]
				}
			}
			want := n[0]*n[1] + n[2]*n[3] + n[4]
			a, b := x.of(n[0])|x.of(n[2])<<16, x.of(n[1])|x.of(n[3])<<16
			if got := fn(&Ctx{Mode: 0xf0, Set: x.set}, a, b, x.acc(n[4])); got != x.acc(want) {
				t.Fatalf("%s %v = %#x, want %d", x.name, n, got, want)
			}
		}
	}
}

// TestDot2Packed checks the halves' special values on GFX11.
func TestDot2Packed(t *testing.T) {
	for _, x := range []struct {
		name       string
		s0, s1, s2 uint64
		want       uint64
	}{
		{"v_dot2_f16_f16", 0x7e01, 0x3c00, 0, 0xfe3d},
		{"v_dot2_f16_f16", 0x7c00, 0, 0, 0xfe00},
		{"v_dot2_f16_f16", 0x7c00, 0x3c00, 0, 0x7c00},
		{"v_dot2_f16_f16", 0x7bff, 0x3c00, 0x7bff, 0x7c00},
		{"v_dot2_f16_f16", 0x0001, 0x3c00, 0, 0x0001},
		{"v_dot2_f16_f16", 0x3c00, 0x3c00, 0x7d01, 0x7f01},
		{"v_dot2_bf16_bf16", 0x7f81, 0x3f80, 0, 0xfffd},
		{"v_dot2_bf16_bf16", 0x7f80, 0x3f80, 0, 0x7f80},
		// 1 + 2^-8 is truncated, not rounded.
		{"v_dot2_bf16_bf16", 0x3f803f80, 0x3b803f80, 0, 0x3f80},
		{"v_dot2_bf16_bf16", 0x3f803f80, 0x3bc03f80, 0, 0x3f80},
	} {
		if got := rowOf(t, x.name).Fn(&Ctx{Set: isa.GFX1100}, x.s0, x.s1, x.s2); got != x.want {
			t.Errorf("%s %#x %#x %#x = %#x, want %#x", x.name, x.s0, x.s1, x.s2, got, x.want)
		}
	}
}

// TestDot2Steps checks that products are added one after the other.
func TestDot2Steps(t *testing.T) {
	fn := rowOf(t, "v_dot2_f32_f16").Fn
	r := refRand(t)
	for range 3000 {
		const finite = 0xfbfffbff // clears an exponent bit
		a, b, d := r.Uint64()&finite, r.Uint64()&finite, r.Uint64()&0xffffffff
		if r.IntN(2) == 0 {
			d = ref16toF32(a&0xffff) ^ r.Uint64N(1<<18)
		}
		sum := d
		for shift := 0; shift < 32; shift += 16 {
			x, y := a>>shift&0xffff, b>>shift&0xffff
			sum = refFMA(ref32, ref32, 0x200, true, ref16toF32(x), ref16toF32(y), sum).v
		}
		if got := fn(&Ctx{Mode: 0xff, Set: isa.GFX90A}, a, b, d); got != sum {
			t.Fatalf("%#x %#x %#x = %#x, want %#x", a, b, d, got, sum)
		}
	}
}

// ref16toF32 widens a number.
func ref16toF32(v uint64) uint64 {
	return ref32.floor(ref16.magnitude(ref16.abs(v))) | ref32.sign(ref16.neg(v))
}
