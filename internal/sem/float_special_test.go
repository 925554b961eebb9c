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

// refMinMax2019 implements the pseudocode of V_MIN_NUM_F32 and V_MINIMUM_F32
// (with propagate), and of their neighbours, in the RDNA 4 ISA.
func refMinMax2019(f refFormat, propagate, larger bool, a, b uint64) uint64 {
	quiet := func(v uint64) uint64 { return v | f.quietBit() }
	if propagate {
		switch {
		case f.signaling(a):
			return quiet(a)
		case f.signaling(b):
			return quiet(b)
		case f.nan(a):
			return a
		case f.nan(b):
			return b
		}
	}
	switch {
	case f.nan(a) && f.nan(b):
		return quiet(a)
	case f.nan(a):
		return b
	case f.nan(b):
		return a
	}
	c := refCompare(f, a, b)
	if f.abs(a) == 0 && f.abs(b) == 0 {
		c = map[bool]int{true: -1}[f.neg(a)] - map[bool]int{true: -1}[f.neg(b)]
	}
	if c != 0 && (c > 0) == larger {
		return a
	}
	return b
}

func TestFloatMinMax2019(t *testing.T) {
	for _, f := range []refFormat{ref16, ref32, ref64} {
		suffix := map[Type]string{F16: "f16", F32: "f32", F64: "f64"}[f.typ]
		pick := func(propagate, larger bool) func(a, b uint64) uint64 {
			return func(a, b uint64) uint64 { return refMinMax2019(f, propagate, larger, a, b) }
		}
		minNum, maxNum, minimum, maximum := pick(false, false), pick(false, true), pick(true, false), pick(true, true)
		want := map[string]func(a, b, d uint64) uint64{
			"min_num": func(a, b, _ uint64) uint64 { return minNum(a, b) }, "max_num": func(a, b, _ uint64) uint64 { return maxNum(a, b) },
			"minimum": func(a, b, _ uint64) uint64 { return minimum(a, b) }, "maximum": func(a, b, _ uint64) uint64 { return maximum(a, b) },
		}
		if f.typ != F64 {
			want["min3_num"] = func(a, b, d uint64) uint64 { return minNum(minNum(a, b), d) }
			want["max3_num"] = func(a, b, d uint64) uint64 { return maxNum(maxNum(a, b), d) }
			want["minmax_num"] = func(a, b, d uint64) uint64 { return maxNum(minNum(a, b), d) }
			want["maxmin_num"] = func(a, b, d uint64) uint64 { return minNum(maxNum(a, b), d) }
			want["minimum3"] = func(a, b, d uint64) uint64 { return minimum(minimum(a, b), d) }
			want["maximum3"] = func(a, b, d uint64) uint64 { return maximum(maximum(a, b), d) }
			want["minimummaximum"] = func(a, b, d uint64) uint64 { return maximum(minimum(a, b), d) }
			want["maximumminimum"] = func(a, b, d uint64) uint64 { return minimum(maximum(a, b), d) }
			want["med3_num"] = func(a, b, d uint64) uint64 {
				if f.nan(a) || f.nan(b) || f.nan(d) {
					return minNum(minNum(a, b), d)
				}
				return maxNum(minNum(a, b), minNum(maxNum(a, b), d))
			}
		}
		for name, ref := range want {
			fn := rowOf(t, "v_"+name+"_"+suffix).Fn
			for _, m := range []Mode{0x3f0, 0x300} {
				c := Ctx{Mode: m, Set: isa.GFX1200}
				refTuples(t, f, 2, 100, func(s [3]uint64) {
					s[2] = s[0] ^ s[1]>>1
					w := s
					for i := range w {
						if m.FlushIn(f.typ) {
							w[i] = f.flush(w[i])
						}
					}
					if got, v := fn(&c, s[0], s[1], s[2]), ref(w[0], w[1], w[2]); got != v {
						t.Fatalf("mode %#x: v_%s_%s(%#x, %#x, %#x) = %#x, want %#x", m, name, suffix, s[0], s[1], s[2], got, v)
					}
				})
			}
		}
	}
}

// TestFloatGFX6 checks the operations that only gfx6 and gfx7 have.
func TestFloatGFX6(t *testing.T) {
	const (
		nan, inf, largest = 0x7fc00000, 0x7f800000, 0x7f7fffff
		one, two, neg     = 0x3f800000, 0x40000000, 0x80000000
	)
	for _, x := range []struct {
		name       string
		s0, s1, to uint64
	}{
		{"v_min_legacy_f32", one, two, one}, {"v_min_legacy_f32", two, one, one},
		{"v_min_legacy_f32", nan, one, one}, {"v_min_legacy_f32", one, nan, nan}, {"v_min_legacy_f32", neg, 0, 0}, {"v_min_legacy_f32", 0, neg, neg},
		{"v_max_legacy_f32", one, two, two}, {"v_max_legacy_f32", two, one, two},
		{"v_max_legacy_f32", nan, one, one}, {"v_max_legacy_f32", one, nan, nan}, {"v_max_legacy_f32", neg, 0, neg}, {"v_max_legacy_f32", 0, neg, 0},
		{"v_rcp_clamp_f32", 0, 0, largest}, {"v_rcp_clamp_f32", neg, 0, neg | largest}, {"v_rcp_clamp_f32", two, 0, 0x3f000000},
		{"v_rsq_clamp_f32", 0, 0, largest}, {"v_rsq_clamp_f32", 0x40800000, 0, 0x3f000000},
		{"v_log_clamp_f32", 0, 0, neg | largest}, {"v_log_clamp_f32", inf, 0, largest}, {"v_log_clamp_f32", two, 0, one},
		{"v_rcp_legacy_f32", 0, 0, 0}, {"v_rcp_legacy_f32", neg, 0, neg}, {"v_rcp_legacy_f32", two, 0, 0x3f000000},
		{"v_rsq_legacy_f32", 0, 0, 0}, {"v_rsq_legacy_f32", 0x40800000, 0, 0x3f000000},
		{"v_rcp_clamp_f64", 0, 0, 0x7fefffffffffffff}, {"v_rsq_clamp_f64", 0, 0, 0x7fefffffffffffff},
	} {
		if got := rowOf(t, x.name).Fn(&Ctx{Set: isa.GFX600}, x.s0, x.s1, 0); got != x.to {
			t.Errorf("%s(%#x, %#x) = %#x, want %#x", x.name, x.s0, x.s1, got, x.to)
		}
	}
}

// TestDot4F32 compares dot products of 8-bit floats whose sums are exact with
// float64.
func TestDot4F32(t *testing.T) {
	for name, types := range map[string][2]Float8{"fp8_fp8": {FP8, FP8}, "fp8_bf8": {FP8, BF8}, "bf8_fp8": {BF8, FP8}, "bf8_bf8": {BF8, BF8}} {
		fn := rowOf(t, "v_dot4_f32_"+name).Fn
		for i := range uint64(500) {
			// small numbers: the exponents near the bias, so that all sums are exact
			s0, s1 := 0x38383838^i*0x01030105&0x8f8f8f8f, 0x40404040^i*0x07010b03&0x83838383
			want := 1.5
			for b := 0; b < 32; b += 8 {
				want += float64(f32(types[0].F32(uint8(s0>>b)))) * float64(f32(types[1].F32(uint8(s1>>b))))
			}
			if got := f32(fn(&Ctx{Set: isa.GFX1200}, s0, s1, 0x3fc00000)); float64(got) != want {
				t.Fatalf("v_dot4_f32_%s(%#x, %#x, 1.5) = %v, want %v", name, s0, s1, got, want)
			}
		}
	}
}
