package sem

import (
	"math/big"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestTransExamples checks the examples of the RDNA 2 and RDNA 3 ISA documents.
func TestTransExamples(t *testing.T) {
	for _, x := range []struct {
		name  string
		pairs [][2]uint64
	}{
		{"v_exp_f32", [][2]uint64{{0xff800000, 0}, {0x80000000, 0x3f800000}, {0x7f800000, 0x7f800000}}},
		{"v_log_f32", [][2]uint64{{0xff800000, 0xffc00000}, {0xbf800000, 0xffc00000}, {0x80000000, 0xff800000}, {0, 0xff800000}, {0x3f800000, 0}, {0x7f800000, 0x7f800000}}},
		{"v_rcp_f32", [][2]uint64{{0xff800000, 0x80000000}, {0xc0000000, 0xbf000000}, {0x80000000, 0xff800000}, {0, 0x7f800000}, {0x7f800000, 0}}},
		{"v_rsq_f32", [][2]uint64{{0xff800000, 0xffc00000}, {0x80000000, 0xff800000}, {0, 0x7f800000}, {0x40800000, 0x3f000000}, {0x7f800000, 0}}},
		{"v_sqrt_f32", [][2]uint64{{0xff800000, 0xffc00000}, {0x80000000, 0x80000000}, {0, 0}, {0x40800000, 0x40000000}, {0x7f800000, 0x7f800000}}},
		{"v_sin_f32", [][2]uint64{{0xff800000, 0xffc00000}, {0xff7fffff, 0}, {0x80000000, 0x80000000}, {0x3e800000, 0x3f800000}, {0x7f800000, 0xffc00000}}},
		{"v_cos_f32", [][2]uint64{{0xff800000, 0xffc00000}, {0xff7fffff, 0x3f800000}, {0x80000000, 0x3f800000}, {0x3e800000, 0}, {0x7f800000, 0xffc00000}}},
		{"v_rcp_f16", [][2]uint64{{0xfc00, 0x8000}, {0xc000, 0xb800}, {0x8000, 0xfc00}, {0, 0x7c00}, {0x7c00, 0}}},
		{"v_sqrt_f16", [][2]uint64{{0xfc00, 0xfe00}, {0x8000, 0x8000}, {0, 0}, {0x4400, 0x4000}, {0x7c00, 0x7c00}}},
		{"v_rsq_f16", [][2]uint64{{0xfc00, 0xfe00}, {0x8000, 0xfc00}, {0, 0x7c00}, {0x4400, 0x3800}, {0x7c00, 0}}},
		{"v_log_f16", [][2]uint64{{0xfc00, 0xfe00}, {0xbc00, 0xfe00}, {0x8000, 0xfc00}, {0, 0xfc00}, {0x3c00, 0}, {0x7c00, 0x7c00}}},
		{"v_exp_f16", [][2]uint64{{0xfc00, 0}, {0x8000, 0x3c00}, {0x7c00, 0x7c00}}},
		{"v_sin_f16", [][2]uint64{{0xfc00, 0xfe00}, {0xfbff, 0}, {0x8000, 0x8000}, {0x3400, 0x3c00}, {0x7bff, 0}, {0x7c00, 0xfe00}}},
		{"v_cos_f16", [][2]uint64{{0xfc00, 0xfe00}, {0xfbff, 0x3c00}, {0x8000, 0x3c00}, {0x3400, 0}, {0x7bff, 0x3c00}, {0x7c00, 0xfe00}}},
		// Seen on hardware (gfx1100).
		{"v_cos_f32", [][2]uint64{{0x3f800000, 0x3f800000}, {0x3f000000, 0xbf800000}}},
		{"v_exp_f32", [][2]uint64{{0x42c80000, 0x71800000}, {0xbf800000, 0x3f000000}}},
		{"v_log_f32", [][2]uint64{{0x40000000, 0x3f800000}}},
		{"v_sqrt_f32", [][2]uint64{{0x3e800000, 0x3f000000}}},
		// Quarters and halves of turns.
		{"v_sin_f32", [][2]uint64{{0x3f000000, 0}, {0xbf000000, 0}, {0x3f800000, 0}, {0xbe800000, 0xbf800000}, {0x3f400000, 0xbf800000}, {0x447a0000, 0}}},
		// Denormals are 0.
		{"v_rcp_f32", [][2]uint64{{0x007fffff, 0x7f800000}, {0x80000001, 0xff800000}, {0x7f000000, 0}, {0xff000000, 0x80000000}, {0x7e800000, 0x00800000}}},
		{"v_sqrt_f32", [][2]uint64{{1, 0}}}, {"v_rsq_f32", [][2]uint64{{1, 0x7f800000}}},
		{"v_log_f32", [][2]uint64{{1, 0xff800000}}},
		{"v_exp_f32", [][2]uint64{{0xc2fc0000, 0x00800000}, {0xc2fe0000, 0}, {0x43000000, 0x7f800000}}},
		{"v_rcp_f64", [][2]uint64{{1, 0x7ff << 52}, {0x7fe0 << 48, 0x0008 << 48}}},
	} {
		fn := rowOf(t, x.name).Fn
		for _, p := range x.pairs {
			for _, m := range []Mode{0x3f0, 0x3ff} {
				for _, track := range []bool{false, true} {
					if got := fn(&Ctx{Mode: m, Track: track, Set: isa.GFX1100}, p[0], 0, 0); got != p[1] {
						t.Errorf("%s mode %#x: %#x = %#x, want %#x", x.name, m, p[0], got, p[1])
					}
				}
			}
		}
	}
	for name, want := range map[string]uint64{"v_sin_f32": 0, "v_cos_f32": 0x3f800000} { // 256.25 is out of range on GFX8
		if got := rowOf(t, name).Fn(&Ctx{Mode: 0x3f0, Set: isa.GFX803}, 0x43802000, 0, 0); got != want {
			t.Errorf("%s of 256.25 = %#x, want %#x", name, got, want)
		}
	}
}

// Reference functions by power series, with 300 bits.

const seriesPrec = 300

func bigNew(x float64) *big.Float { return new(big.Float).SetPrec(seriesPrec).SetFloat64(x) }

// bigSeries adds terms: the first one, and each further one times step(n).
func bigSeries(first *big.Float, step func(n int64) *big.Float) *big.Float {
	sum, term := bigNew(0).Set(first), bigNew(0).Set(first)
	for n := int64(1); n < 400 && term.Sign() != 0; n++ {
		term.Mul(term, step(n))
		sum.Add(sum, term)
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	return bigSeries(bigNew(1), func(n int64) *big.Float { return bigNew(0).Quo(x, bigNew(float64(n))) })
}

// bigSin returns sin x, bigCos cos x.
func bigSin(x *big.Float) *big.Float { return bigTrig(x, bigNew(0).Set(x), 1) }
func bigCos(x *big.Float) *big.Float { return bigTrig(x, bigNew(1), 0) }

func bigTrig(x, first *big.Float, odd int64) *big.Float {
	square := bigNew(0).Mul(x, x)
	square.Neg(square)
	return bigSeries(first, func(n int64) *big.Float {
		return bigNew(0).Quo(square, bigNew(float64((2*n+odd)*(2*n+odd-1))))
	})
}

// bigLn2 returns ln 2 as the sum of 1/(n 2^n).
func bigLn2() *big.Float {
	sum := bigNew(0)
	for n := 1; n < seriesPrec+8; n++ {
		sum.Add(sum, bigNew(0).SetMantExp(bigNew(0).Quo(bigNew(1), bigNew(float64(n))), -n))
	}
	return sum
}

// bigPi returns π with the given number of bits, by Machin's formula in
// integers.
func bigPi(bits uint) *big.Float {
	guard := bits + 32
	atanInv := func(k int64) *big.Int {
		term := new(big.Int).Lsh(big.NewInt(1), guard)
		term.Quo(term, big.NewInt(k))
		sum, square := new(big.Int).Set(term), big.NewInt(k*k)
		for n := int64(1); term.Sign() != 0; n++ {
			term.Quo(term, square)
			d := new(big.Int).Quo(term, big.NewInt(2*n+1))
			if n%2 == 1 {
				sum.Sub(sum, d)
			} else {
				sum.Add(sum, d)
			}
		}
		return sum
	}
	x := new(big.Int).Mul(big.NewInt(16), atanInv(5))
	x.Sub(x, new(big.Int).Mul(big.NewInt(4), atanInv(239)))
	return new(big.Float).SetPrec(bits).SetMantExp(new(big.Float).SetPrec(guard+8).SetInt(x), -int(guard))
}

// transRefs returns the functions, exact to about 280 bits. ok is false where
// the result is not a number. sources are random bits of the type.
func transRefs() map[string]func(x *big.Float) (*big.Float, bool) {
	ln2, pi := bigLn2(), bigPi(seriesPrec)
	twoPi := bigNew(0).Mul(pi, bigNew(2))
	turn := func(x *big.Float) *big.Float { // the fraction of a turn, in radians
		whole, _ := x.Int(nil)
		f := refNew().Sub(x, refNew().SetInt(whole))
		return bigNew(0).Mul(bigNew(0).Set(f), twoPi)
	}
	return map[string]func(x *big.Float) (*big.Float, bool){
		"v_rcp": func(x *big.Float) (*big.Float, bool) { return bigNew(0).Quo(bigNew(1), x), true },
		"v_sqrt": func(x *big.Float) (*big.Float, bool) {
			if x.Sign() < 0 {
				return nil, false
			}
			return bigNew(0).Sqrt(x), true
		},
		"v_rsq": func(x *big.Float) (*big.Float, bool) {
			if x.Sign() < 0 {
				return nil, false
			}
			return bigNew(0).Quo(bigNew(1), bigNew(0).Sqrt(x)), true
		},
		"v_exp": func(x *big.Float) (*big.Float, bool) {
			if refNew().Abs(x).Cmp(refNew().SetInt64(1100)) > 0 {
				return nil, false
			}
			whole, _ := x.Int64()
			f := bigNew(0).Sub(x, bigNew(float64(whole)))
			return bigNew(0).SetMantExp(bigExp(f.Mul(f, ln2)), int(whole)), true
		},
		"v_sin": func(x *big.Float) (*big.Float, bool) { return bigSin(turn(x)), true },
		"v_cos": func(x *big.Float) (*big.Float, bool) { return bigCos(turn(x)), true },
	}
}

// TestTransAccuracy checks that results are within the documented error, in
// units in the last place.
func TestTransAccuracy(t *testing.T) {
	refs := transRefs()
	for _, x := range []struct {
		f      refFormat
		suffix string
		ulp    int
		names  []string
	}{
		{ref16, "_f16", 1, []string{"v_rcp", "v_sqrt", "v_rsq", "v_exp", "v_sin", "v_cos"}},
		{ref32, "_f32", 1, []string{"v_rcp", "v_sqrt", "v_rsq", "v_exp", "v_sin", "v_cos"}},
		{ref64, "_f64", 2, []string{"v_rcp", "v_sqrt", "v_rsq"}},
	} {
		for _, n := range x.names {
			fn, ref := rowOf(t, n+x.suffix).Fn, refs[n]
			test := func(v uint64) {
				if x.f.nan(v) || x.f.infinite(v) || x.f.abs(v) < x.f.minNormal() {
					return
				}
				want, ok := ref(x.f.value(v))
				if !ok || want.Sign() == 0 {
					return
				}
				mag := refNew().Abs(want)
				if mag.Cmp(x.f.magnitude(x.f.minNormal())) < 0 && x.f.typ == F32 || mag.Cmp(refPow(-60)) < 0 && (n == "v_sin" || n == "v_cos") {
					return // flushed; or a zero beyond the precision of π
				}
				got := fn(&Ctx{Mode: 0xf0, Set: isa.GFX1100}, v, 0, 0)
				near, _ := x.f.round(RoundNearestEven, false, refNew().Set(want))
				if d := int64(got - near); d < -int64(x.ulp) || d > int64(x.ulp) {
					t.Fatalf("%s %#x = %#x, want %#x", n+x.suffix, v, got, near)
				}
			}
			r := refRand(t)
			for range 400 {
				test(r.Uint64() & (x.f.signBit()<<1 - 1))
				e := x.f.one() + x.f.minNormal()*r.Uint64N(8) - 4*x.f.minNormal() // around 1
				test(e | r.Uint64()&(x.f.minNormal()-1+x.f.signBit()))
			}
		}
	}
}

// TestTransLog checks logarithms by their inverse: a number lies between the
// powers of the results next to its logarithm.
func TestTransLog(t *testing.T) {
	exp := transRefs()["v_exp"]
	for _, x := range []struct {
		f    refFormat
		name string
	}{{ref16, "v_log_f16"}, {ref32, "v_log_f32"}} {
		f, fn := x.f, rowOf(t, x.name).Fn
		r := refRand(t)
		for i := range 800 {
			v := f.minNormal() + r.Uint64N(f.infinity()-f.minNormal())
			if i%2 == 0 {
				v = f.one() + r.Uint64N(2*f.minNormal()) - f.minNormal()
			}
			got := fn(&Ctx{Mode: 0xf0}, v, 0, 0)
			if v == f.one() {
				continue
			}
			lo, _ := exp(f.value(got - 1))
			hi, _ := exp(f.value(got + 1))
			if y := f.value(v); (y.Cmp(lo) < 0) == (y.Cmp(hi) < 0) {
				t.Fatalf("%s %#x = %#x", x.name, v, got)
			}
		}
	}
}

func TestTrigPreop(t *testing.T) {
	// The table against 2/π.
	twoOverPi := new(big.Float).SetPrec(1400).Quo(new(big.Float).SetPrec(1400).SetInt64(2), bigPi(1400))
	digits, _ := new(big.Float).SetMantExp(twoOverPi, 1201).Int(nil)
	fn := rowOf(t, "v_trig_preop_f64").Fn
	for _, x := range []struct {
		s0   uint64
		part int
	}{{0, 0}, {0, 1}, {0, 21}, {0, 22}, {0, 23}, {f64bits(0x1p60), 0}, {f64bits(0x1p60), 2}, {f64bits(0x1p1000), 3}, {f64bits(0x1.8p1023), 1}, {f64bits(-0x1p54), 0}, {f64bits(0x1p55), 0}} {
		// V_TRIG_PREOP_F64 in the RDNA 3 ISA.
		exp := int(x.s0 >> 52 & 0x7ff)
		shift := x.part * 53
		if exp > 1077 {
			shift += exp - 1077
		}
		part := new(big.Int).Rsh(new(big.Int).Lsh(digits, uint(shift)), 1201-53)
		part.And(part, big.NewInt(1<<53-1))
		scale := -53 - shift
		if exp >= 1968 {
			scale += 128
		}
		var want uint64
		if part.Sign() != 0 {
			y := refNew().SetInt(part)
			want, _ = ref64.round(RoundTowardZero, false, y.SetMantExp(y, scale))
		}
		if got := fn(&Ctx{Mode: 0xf0}, x.s0, uint64(x.part), 0); got != want {
			t.Errorf("part %d for %#x = %#x, want %#x", x.part, x.s0, got, want)
		}
	}
	// Seen on hardware (gfx1100).
	for i, want := range []uint64{0x3fe45f306dc9c882, 0x3c94a7f09d5f47d4, 0x394a6ee06db14acc} {
		if got := fn(&Ctx{Mode: 0xf0}, f64bits(1), uint64(i), 0); got != want {
			t.Errorf("part %d = %#x, want %#x", i, got, want)
		}
	}
}
