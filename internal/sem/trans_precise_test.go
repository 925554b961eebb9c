package sem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// The reference functions with enough bits to judge f64, fast enough for large
// samples.

const precisePrec = 160

func preciseNew(x float64) *big.Float {
	return new(big.Float).SetPrec(precisePrec).SetFloat64(x)
}

// preciseSeries adds shrinking terms: the first one, and each further one times
// step(n).
func preciseSeries(first *big.Float, step func(n int) *big.Float) *big.Float {
	sum, term := preciseNew(0).Set(first), preciseNew(0).Set(first)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-precisePrec; n++ {
		term.Mul(term, step(n))
		sum.Add(sum, term)
	}
	return sum
}

// preciseRefs returns the functions of numbers, exact to about 150 bits.
func preciseRefs() map[string]func(x float64) *big.Float {
	ln2 := preciseNew(0).Set(bigLn2())
	twoPi := preciseNew(0).Mul(preciseNew(2), bigPi(precisePrec))
	angle := func(x float64, first func(y *big.Float) *big.Float, odd int) *big.Float {
		y := preciseNew(0).Mul(twoPi, preciseNew(x-math.Trunc(x)))
		square := preciseNew(0).Mul(y, y)
		square.Neg(square)
		return preciseSeries(first(y), func(n int) *big.Float {
			return preciseNew(0).Quo(square, preciseNew(float64((2*n+odd)*(2*n+odd-1))))
		})
	}
	return map[string]func(x float64) *big.Float{
		"v_exp_f32": func(x float64) *big.Float {
			whole := math.Floor(x)
			y := preciseNew(0).Mul(ln2, preciseNew(x-whole))
			p := preciseSeries(preciseNew(1), func(n int) *big.Float { return preciseNew(0).Quo(y, preciseNew(float64(n))) })
			return p.SetMantExp(p, int(whole))
		},
		"v_log_f32": func(x float64) *big.Float {
			m, e := math.Frexp(x)
			if m < 0.75 {
				m, e = 2*m, e-1
			}
			s := preciseNew(0).Quo(preciseNew(m-1), preciseNew(m+1))
			square := preciseNew(0).Mul(s, s)
			sum := preciseNew(0).Set(s)
			for n := 3.0; n < 120; n += 2 {
				s.Mul(s, square)
				sum.Add(sum, preciseNew(0).Quo(s, preciseNew(n)))
			}
			sum.Quo(sum.Mul(sum, preciseNew(2)), ln2)
			return sum.Add(sum, preciseNew(float64(e)))
		},
		"v_sin_f32": func(x float64) *big.Float {
			return angle(x, func(y *big.Float) *big.Float { return y }, 1)
		},
		"v_cos_f32": func(x float64) *big.Float {
			return angle(x, func(*big.Float) *big.Float { return preciseNew(1) }, 0)
		},
	}
}

// preciseSource returns sources of all sizes that an operation accepts, many of
// them with results near 0 or 1.
func preciseSource(r *rand.Rand, name string) float32 {
	near := float32(math.Ldexp(r.Float64()-0.5, -r.IntN(24)))
	switch name {
	case "v_exp_f32":
		if r.IntN(2) == 0 {
			return near + float32(r.IntN(5)-2)/2
		}
		return r.Float32()*253.9 - 125.95
	case "v_log_f32":
		if r.IntN(2) == 0 {
			return 1 + near
		}
		return math.Float32frombits(min32 + r.Uint32N(inf32-min32))
	}
	if r.IntN(2) == 0 {
		return near + float32(r.IntN(33)-16)/8
	}
	return float32(math.Ldexp(r.Float64()-0.5, r.IntN(40)-20))
}

// TestTransPrecise checks that the f32 functions are accurate to half a unit in
// the last place, and that the f64 numbers before rounding are accurate to 45
// bits.
func TestTransPrecise(t *testing.T) {
	wide := map[string]func(*Ctx, float64) (float64, Exceptions){"v_exp_f32": exp2Of, "v_log_f32": log2Of, "v_sin_f32": sineOf, "v_cos_f32": cosineOf}
	samples := 12000
	if testing.Short() {
		samples = 3000
	}
	for name, ref := range preciseRefs() {
		t.Run(name, func(t *testing.T) {
			r := refRand(t)
			fn := rowOf(t, name).Fn
			c := &Ctx{Mode: 0xf0, Set: isa.GFX1100}
			worst, worstWide := 0.0, math.Inf(-1)
			for range samples {
				x := preciseSource(r, name)
				want := ref(float64(x))
				if want.Sign() == 0 || want.MantExp(nil) < -60 { // a 0 beyond the precision of π
					continue
				}
				distance := func(got float64) *big.Float {
					d := preciseNew(0).Sub(preciseNew(got), want)
					return d.Abs(d)
				}
				d := distance(float64(f32(fn(c, f32bits(x), 0, 0))))
				ulps, _ := d.SetMantExp(d, 24-want.MantExp(nil)).Float64()
				worst = max(worst, ulps)
				y, _ := wide[name](c, float64(x))
				relative, _ := d.Quo(distance(y), want).Float64()
				worstWide = max(worstWide, math.Log2(math.Abs(relative)))
				if worst >= 0.5001 || worstWide >= -45 {
					t.Fatalf("%v: wrong by %v units, the f64 by 2^%.1f", x, ulps, worstWide)
				}
			}
			t.Logf("%.7f units, 2^%.1f", worst, worstWide)
		})
	}
}
