package sem

import (
	"math"
	"math/big"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// divide divides with the sequence that compilers generate, LLVM's expansion of
// fdiv: a reciprocal, Newton's method, and the special steps.
func divide(t *testing.T, f refFormat, c *Ctx, num, den uint64) uint64 {
	suffix, rounds := map[Type]string{F32: "f32", F64: "f64"}[f.typ], 1
	if f.typ == F64 {
		rounds = 2
	}
	fma, scale, fmas := rowOf(t, "v_fma_"+suffix).Fn, rowOf(t, "v_div_scale_"+suffix).Flag, rowOf(t, "v_div_fmas_"+suffix).Flag
	neg := func(v uint64) uint64 { return Neg(f.typ, v) }
	d, _ := scale(c, den, den, num, false)
	n, back := scale(c, num, den, num, false)
	x := rowOf(t, "v_rcp_"+suffix).Fn(c, d, 0, 0)
	for range rounds {
		x = fma(c, fma(c, neg(d), x, f.one()), x, x)
	}
	q := rowOf(t, "v_mul_"+suffix).Fn(c, n, x, 0)
	e := fma(c, neg(d), q, n)
	if f.typ == F32 {
		q = fma(c, e, x, q)
		e = fma(c, neg(d), q, n)
	}
	q, _ = fmas(c, e, x, q, back)
	return rowOf(t, "v_div_fixup_"+suffix).Fn(c, q, den, num)
}

// refDivide returns the quotient rounded to the nearest.
func refDivide(f refFormat, a, b uint64) uint64 {
	sign := f.sign(f.neg(a) != f.neg(b))
	switch {
	case f.nan(a):
		return a | f.quietBit()
	case f.nan(b):
		return b | f.quietBit()
	case f.infinite(a) && f.infinite(b), f.abs(a) == 0 && f.abs(b) == 0:
		return f.default_()
	case f.infinite(a), f.abs(b) == 0:
		return sign | f.infinity()
	case f.infinite(b), f.abs(a) == 0:
		return sign
	}
	// The quotient with enough bits for correct rounding: two more than the
	// format's, and a sticky bit.
	num, den := f.value(f.abs(a)), f.value(f.abs(b))
	x := new(big.Float).SetPrec(2100).SetMode(big.ToZero).Quo(num, den)
	v, _ := f.round(RoundNearestEven, false, refNew().Set(x))
	return sign | v
}

// TestFloatDivision divides with the hardware's steps, which must yield
// correctly rounded quotients at all ends of the range.
func TestFloatDivision(t *testing.T) {
	for _, f := range []refFormat{ref32, ref64} {
		c := Ctx{Mode: 0x3f0, Set: isa.GFX906}
		refTuples(t, f, 2, 1500, func(s [3]uint64) {
			if got, want := divide(t, f, &c, s[0], s[1]), refDivide(f, s[0], s[1]); got != want {
				t.Fatalf("%#x / %#x = %#x, want %#x", s[0], s[1], got, want)
			}
		})
	}
}

func f32bits(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64bits(x float64) uint64 { return math.Float64bits(x) }

// TestDivScale checks results observed on gfx1100.
func TestDivScale(t *testing.T) {
	f32, f64 := rowOf(t, "v_div_scale_f32").Flag, rowOf(t, "v_div_scale_f64").Flag
	const nan32, nan64 = 0x7fc00000, 0x7ff8 << 48
	for _, x := range []struct {
		name     string
		fn       FlagFunc
		mode     Mode
		v, d, n  uint64
		want     uint64
		wantBack bool
	}{
		{"denormal denominator, flushed", f32, 0x3c0, 1, 1, f32bits(1), nan32, true},
		{"zero denominator", f32, 0x3c0, f32bits(1), 0, f32bits(1), nan32, true},
		{"zero numerator", f32, 0x3c0, 0, f32bits(1), 0, nan32, true},
		{"large quotient", f32, 0x3c0, f32bits(1), f32bits(1), 0x7f7fffff, 0x5f800000, true},
		{"large quotient, numerator", f32, 0x3c0, 0x7f7fffff, f32bits(1), 0x7f7fffff, 0x7f7fffff, true},
		{"nothing to do", f32, 0x3c0, f32bits(1), f32bits(4), f32bits(1), f32bits(1), false},
		{"tiny numerator", f32, 0x3c0, 0x00800000, f32bits(1), 0x00800000, 0x20800000, true},
		{"tiny numerator, denominator", f32, 0x3c0, f32bits(1), f32bits(1), 0x00800000, f32bits(1), true},
		{"large denominator", f32, 0x3f0, 0x7e800000, 0x7e800000, 0x7e800000, 0x5e800000, false},
		{"denormal denominator", f32, 0x3f0, 1, 1, 2, 0x15000000, false},
		{"f64: nothing to do", f64, 0x3c0, 0x3ff6a09e667f3bcd, 0x3ff6a09e667f3bcd, f64bits(1), 0x3ff6a09e667f3bcd, false},
		{"f64: zero denominator", f64, 0x3c0, f64bits(1), 0, f64bits(1), nan64, true},
		{"f64: large quotient", f64, 0x3c0, f64bits(1), f64bits(1), f64bits(math.MaxFloat64), f64bits(0x1p128), true},
	} {
		got, back := x.fn(&Ctx{Mode: x.mode, Set: isa.GFX1100}, x.v, x.d, x.n, false)
		if got != x.want || back != x.wantBack {
			t.Errorf("%s: %#x %v, want %#x %v", x.name, got, back, x.want, x.wantBack)
		}
	}
}

func TestDivFmas(t *testing.T) {
	for _, f := range []refFormat{ref32, ref64} {
		fn := rowOf(t, map[Type]string{F32: "v_div_fmas_f32", F64: "v_div_fmas_f64"}[f.typ]).Flag
		scale := map[Type]int{F32: 64, F64: 128}[f.typ]
		for _, m := range []Mode{0x3f0, 0x3f5, 0x3fa, 0x3ff, 0x300} {
			refTuples(t, f, 3, 1000, func(s [3]uint64) {
				for i := range s {
					if f.nan(s[i]) || f.infinite(s[i]) {
						return
					}
				}
				for _, in := range []bool{false, true} {
					x := refNew().Mul(f.value(s[0]), f.value(s[1]))
					x.Add(x, f.value(s[2]))
					if x.Sign() == 0 {
						return
					}
					if in && f.value(f.abs(s[2])).Cmp(refNew().SetInt64(2)) >= 0 {
						x.Mul(x, refPow(scale))
					} else if in {
						x.Mul(x, refPow(-scale))
					}
					want, _ := f.round(m.Round(f.typ), m.FlushOut(f.typ), x)
					if got, _ := fn(&Ctx{Mode: m}, s[0], s[1], s[2], in); got != want {
						t.Fatalf("mode %#x: %#x %#x %#x %v = %#x, want %#x", m, s[0], s[1], s[2], in, got, want)
					}
				}
			})
		}
	}
}

// TestDivFixup checks each case of the pseudocode of V_DIV_FIXUP.
func TestDivFixup(t *testing.T) {
	for _, f := range []refFormat{ref16, ref32, ref64} {
		fn := rowOf(t, map[Type]string{F16: "v_div_fixup_f16", F32: "v_div_fixup_f32", F64: "v_div_fixup_f64"}[f.typ]).Fn
		inf, one, neg := f.infinity(), f.one(), f.signBit()
		nan, snan := inf|f.quietBit()|1, inf|1
		for _, x := range []struct {
			q, d, n uint64
			want    uint64
			excp    Exceptions
		}{
			{one, one, nan, nan, 0},
			{one, nan | neg, one, nan | neg, 0},
			{one, nan, nan | 2, nan | 2, 0},
			{one, snan, one, nan, Invalid},
			{one, 0, 0, f.default_(), Invalid},
			{one, inf, inf | neg, f.default_(), Invalid},
			{one, 0, one, inf, DivideByZero},
			{one, neg, one, inf | neg, DivideByZero},
			{one, one, inf | neg, inf | neg, 0},
			{one, inf, one | neg, neg, 0},
			{one, one | neg, 0, neg, 0},
			{one | neg, one, one, one, 0},
			{one, one | neg, one, one | neg, 0},
			{nan, one, one, inf, Overflow | Inexact},
			{inf, one | neg, one, inf | neg, Overflow | Inexact},
		} {
			c := Ctx{Mode: 0x3f0, Track: true, Set: isa.GFX906}
			if got := fn(&c, x.q, x.d, x.n); got != x.want || c.Excp != x.excp {
				t.Errorf("%v: %#x %#x %#x = %#x raises %#x, want %#x, %#x", f.typ, x.q, x.d, x.n, got, c.Excp, x.want, x.excp)
			}
		}
		c := Ctx{Mode: 0x3ff}
		if got := fn(&c, inf, one, one); got != inf-1 {
			t.Errorf("overflow toward zero: %#x", got)
		}
		if f.typ == F16 {
			continue
		}
		for mode, want := range map[Mode]uint64{0x3f0: 0, 0x3f5: 1, 0x3fa: 0} { // below all numbers
			c := Ctx{Mode: mode}
			if got := fn(&c, one, inf-1, 1); got != want {
				t.Errorf("underflow, mode %#x: %#x, want %#x", mode, got, want)
			}
		}
	}
}
