package sem

import (
	"math/big"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// refMinMax implements the pseudocode of V_MIN_F32 and V_MAX_F32 in the CDNA 3
// ISA or, with gfx11, in the RDNA 3 ISA.
func refMinMax(f refFormat, m Mode, gfx11, larger bool, a, b uint64) uint64 {
	quiet := func(v uint64) uint64 { return v | f.quietBit() }
	switch {
	case m.IEEE() && f.signaling(a):
		return quiet(a)
	case m.IEEE() && f.signaling(b):
		return quiet(b)
	case gfx11 && f.nan(b):
		return a
	case f.nan(a):
		return b
	case f.nan(b):
		return a
	}
	c := refCompare(f, a, b)
	if f.abs(a) == 0 && f.abs(b) == 0 {
		c = map[bool]int{true: -1}[f.neg(a)] - map[bool]int{true: -1}[f.neg(b)]
	}
	if c != 0 && (c > 0) != larger {
		return b
	}
	return a
}

// refCompare compares numbers and infinities.
func refCompare(f refFormat, a, b uint64) int { return f.value(a).Cmp(f.value(b)) }

func TestFloatMinMax(t *testing.T) {
	for _, f := range []refFormat{ref16, ref32, ref64} {
		suffix := map[Type]string{F16: "f16", F32: "f32", F64: "f64"}[f.typ]
		for _, set := range []isa.Set{isa.GFX803, isa.GFX906, isa.GFX1030, isa.GFX1100} {
			gfx11 := set == isa.GFX1100
			min := func(m Mode, a, b uint64) uint64 { return refMinMax(f, m, gfx11, false, a, b) }
			max := func(m Mode, a, b uint64) uint64 { return refMinMax(f, m, gfx11, true, a, b) }
			med := func(m Mode, a, b, d uint64) uint64 {
				if f.nan(a) || f.nan(b) || f.nan(d) {
					return min(m, min(m, a, b), d)
				}
				return max(m, min(m, a, b), min(m, max(m, a, b), d))
			}
			fns := map[string]Func{}
			for _, n := range []string{"v_min_", "v_max_", "v_min3_", "v_max3_", "v_minmax_", "v_maxmin_", "v_med3_"} {
				if f.typ != F64 || n == "v_min_" || n == "v_max_" {
					fns[n] = rowOf(t, n+suffix).Fn
				}
			}
			for _, m := range []Mode{0x3f0, 0xf0, 0x300, 0} {
				c := Ctx{Mode: m, Set: set}
				refTuples(t, f, 2, 100, func(s [3]uint64) {
					s[2] = s[0] ^ s[1]>>1
					want := s
					for i := range want {
						if set != isa.GFX803 && m.FlushIn(f.typ) {
							want[i] = f.flush(want[i])
						}
					}
					a, b, d := want[0], want[1], want[2]
					for name, v := range map[string]uint64{
						"v_min_": min(m, a, b), "v_max_": max(m, a, b),
						"v_min3_": min(m, min(m, a, b), d), "v_max3_": max(m, max(m, a, b), d),
						"v_minmax_": max(m, min(m, a, b), d), "v_maxmin_": min(m, max(m, a, b), d),
						"v_med3_": med(m, a, b, d),
					} {
						fn := fns[name]
						if fn == nil {
							continue
						}
						if got := fn(&c, s[0], s[1], s[2]); got != v {
							t.Fatalf("%s %v mode %#x: %s%s(%#x, %#x, %#x) = %#x, want %#x", t.Name(), set, m, name, suffix, s[0], s[1], s[2], got, v)
						}
					}
				})
			}
		}
	}
}

func TestFloatCompare(t *testing.T) {
	// The predicates by their results for numbers (-1, 0, 1) and for a NaN (2).
	predicates := map[string]func(c int) bool{
		"f": func(int) bool { return false }, "t": func(int) bool { return true }, "tru": func(int) bool { return true },
		"lt": func(c int) bool { return c < 0 }, "eq": func(c int) bool { return c == 0 },
		"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c == 1 },
		"lg": func(c int) bool { return c == 1 || c == -1 }, "ge": func(c int) bool { return c == 0 || c == 1 },
		"o": func(c int) bool { return c != 2 }, "u": func(c int) bool { return c == 2 },
	}
	for _, n := range []string{"lt", "eq", "le", "gt", "lg", "ge"} {
		p := predicates[n]
		predicates["n"+n] = func(c int) bool { return !p(c) }
	}
	if len(predicates) != len(floatPredicates) {
		t.Fatalf("%d predicates, %d in the table", len(predicates), len(floatPredicates))
	}
	for _, f := range []refFormat{ref16, ref32, ref64} {
		suffix := map[Type]string{F16: "_f16", F32: "_f32", F64: "_f64"}[f.typ]
		for name, p := range predicates {
			fn := rowOf(t, "v_cmp_"+name+suffix).Fn
			if rowOf(t, "v_cmpx_"+name+suffix) != rowOf(t, "v_cmp_"+name+suffix) {
				t.Errorf("v_cmpx_%s differs", name)
			}
			for _, m := range []Mode{0xf0, 0} {
				refTuples(t, f, 2, 100, func(s [3]uint64) {
					a, b := s[0], s[1]
					var excp Exceptions
					a, b = refSource(f, m, false, &excp, a), refSource(f, m, false, &excp, b)
					c := 2
					if !f.nan(a) && !f.nan(b) {
						c = refCompare(f, a, b)
					}
					refResult{map[bool]uint64{true: 1}[p(c)], excp}.check(t, name+suffix, fn, Ctx{Mode: m}, s, ^uint64(0))
				})
			}
		}
	}
}

func TestFloatClass(t *testing.T) {
	for _, f := range []refFormat{ref16, ref32, ref64} {
		fn := rowOf(t, "v_cmp_class_"+map[Type]string{F16: "f16", F32: "f32", F64: "f64"}[f.typ]).Fn
		for _, v := range f.edges() {
			// The bits of the classes, in the order of the documents' table.
			classes := []bool{
				f.signaling(v), f.nan(v) && !f.signaling(v),
				f.infinite(v) && f.neg(v), f.abs(v) >= f.minNormal() && f.abs(v) < f.infinity() && f.neg(v), f.denormal(v) && f.neg(v), f.abs(v) == 0 && f.neg(v),
				f.abs(v) == 0 && !f.neg(v), f.denormal(v) && !f.neg(v), f.abs(v) >= f.minNormal() && f.abs(v) < f.infinity() && !f.neg(v), f.infinite(v) && !f.neg(v),
			}
			for i, is := range classes {
				for _, mask := range []uint64{1 << i, 0x3ff &^ (1 << i)} {
					want := is == (mask == 1<<i)
					if got := fn(&Ctx{}, v, mask, 0); (got != 0) != want || got > 1 {
						t.Errorf("class of %#x by %#x: %d, want %v", v, mask, got, want)
					}
				}
			}
		}
	}
}

// refWhole rounds a number to a whole one.
func refWhole(x *big.Float, rnd Round) *big.Float {
	n, acc := x.Int(nil) // toward zero
	switch {
	case acc == big.Exact:
	case rnd == RoundPlusInfinity && x.Sign() > 0, rnd == RoundMinusInfinity && x.Sign() < 0:
		n.Add(n, big.NewInt(int64(x.Sign())))
	case rnd == RoundNearestEven:
		rest := refNew().Sub(x, refNew().SetInt(n))
		c := rest.Abs(rest).Cmp(refNew().SetFloat64(0.5))
		if c > 0 || c == 0 && n.Bit(0) != 0 {
			n.Add(n, big.NewInt(int64(x.Sign())))
		}
	}
	return refNew().SetInt(n)
}

func TestFloatWhole(t *testing.T) {
	for _, f := range []refFormat{ref16, ref32, ref64} {
		suffix := map[Type]string{F16: "_f16", F32: "_f32", F64: "_f64"}[f.typ]
		for _, m := range []Mode{0x2f0, 0xf0, 0, 0x3, 0x2fa} {
			for name, rnd := range map[string]Round{"v_trunc": RoundTowardZero, "v_ceil": RoundPlusInfinity, "v_floor": RoundMinusInfinity, "v_rndne": RoundNearestEven} {
				fn := rowOf(t, name+suffix).Fn
				refTuples(t, f, 1, 2000, func(s [3]uint64) {
					var excp Exceptions
					v := refSource(f, m, false, &excp, s[0])
					want, ok := refNaN(f, m, v)
					switch {
					case f.infinite(v):
						want = v
					case !ok:
						whole := refWhole(f.value(v), rnd)
						want = f.sign(f.neg(v)) | f.floor(whole.Abs(whole))
					}
					refResult{want, excp}.check(t, name+suffix, fn, Ctx{Mode: m}, s, ^uint64(0))
				})
			}
			testFract(t, f, m, rowOf(t, "v_fract"+suffix).Fn)
		}
	}
}

// testFract tests x - floor(x).
func testFract(t *testing.T, f refFormat, m Mode, fn Func) {
	refTuples(t, f, 1, 2000, func(s [3]uint64) {
		var excp Exceptions
		v := refSource(f, m, false, &excp, s[0])
		want, ok := refNaN(f, m, v)
		switch {
		case f.infinite(v):
			want, excp = f.default_(), Invalid
		case !ok:
			x := f.value(v)
			x.Sub(x, refWhole(x, RoundMinusInfinity))
			if x.Sign() != 0 {
				var e Exceptions
				want, e = f.round(m.Round(f.typ), m.FlushOut(f.typ), x)
				want, excp = min(want, f.one()-1), excp|e
			}
		}
		refResult{want, excp}.check(t, "fract", fn, Ctx{Mode: m}, s, ^uint64(0))
	})
}

// TestFloatFrexp checks that mantissa and exponent yield the number.
func TestFloatFrexp(t *testing.T) {
	for _, x := range []struct {
		f         refFormat
		mant, exp string
	}{
		{ref16, "v_frexp_mant_f16", "v_frexp_exp_i16_f16"},
		{ref32, "v_frexp_mant_f32", "v_frexp_exp_i32_f32"},
		{ref64, "v_frexp_mant_f64", "v_frexp_exp_i32_f64"},
	} {
		f, mant, exp := x.f, rowOf(t, x.mant).Fn, rowOf(t, x.exp).Fn
		for _, m := range []Mode{0x2f0, 0xf0, 0} {
			refTuples(t, f, 1, 2000, func(s [3]uint64) {
				c := Ctx{Mode: m}
				fr, e := mant(&c, s[0], 0, 0), int(int32(exp(&c, s[0], 0, 0)))
				if f.typ == F16 {
					e = int(int16(e))
				}
				var excp Exceptions
				v := refSource(f, m, false, &excp, s[0])
				if nan, ok := refNaN(f, m, v); ok || f.infinite(v) || f.abs(v) == 0 {
					if ok {
						v = nan
					}
					if fr != v || e != 0 {
						t.Fatalf("frexp %#x = %#x, %d", s[0], fr, e)
					}
					return
				}
				x := f.value(fr)
				if a := refNew().Abs(x); a.Cmp(refNew().SetFloat64(0.5)) < 0 || a.Cmp(refNew().SetInt64(1)) >= 0 {
					t.Fatalf("frexp_mant %#x = %#x", s[0], fr)
				}
				if x.Mul(x, refPow(e)).Cmp(f.value(v)) != 0 {
					t.Fatalf("frexp %#x = %#x, %d", s[0], fr, e)
				}
			})
		}
	}
}

func TestFloatLdexp(t *testing.T) {
	for _, x := range []struct {
		f    refFormat
		name string
		bits int
	}{{ref16, "v_ldexp_f16", 16}, {ref32, "v_ldexp_f32", 32}, {ref64, "v_ldexp_f64", 32}} {
		f, fn := x.f, rowOf(t, x.name).Fn
		for _, m := range refModes() {
			r := refRand(t)
			refTuples(t, f, 1, 300, func(s [3]uint64) {
				n := r.IntN(6*f.bias()) - 3*f.bias()
				switch r.IntN(8) {
				case 0:
					n = -1 << (x.bits - 1)
				case 1:
					n = 1<<(x.bits-1) - 1
				case 2:
					n = 0
				}
				s[1] = uint64(n) & (1<<x.bits - 1)
				var excp Exceptions
				v := refSource(f, m, false, &excp, s[0])
				want := v
				switch {
				case f.nan(v):
					want |= f.quietBit()
				case !f.infinite(v) && f.abs(v) != 0:
					var e Exceptions
					y := f.value(v)
					want, e = f.round(m.Round(f.typ), m.FlushOut(f.typ), y.Mul(y, refPow(max(-9000, min(n, 9000)))))
					excp |= e
				}
				refResult{want, excp}.check(t, x.name, fn, Ctx{Mode: m}, s, ^uint64(0))
			})
		}
	}
}
