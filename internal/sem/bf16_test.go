package sem

import (
	"math"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestBF16Arithmetic compares operations on bf16 with exact arithmetic.
func TestBF16Arithmetic(t *testing.T) {
	f := refB16
	for _, x := range []struct {
		name    string
		in      refFormat
		sources int
		op      func(m Mode, s [3]uint64) refResult
	}{
		{"v_pk_add_bf16", f, 2, func(m Mode, s [3]uint64) refResult { return refFMA(f, f, m, false, s[0], f.one(), s[1]) }},
		{"v_pk_mul_bf16", f, 2, func(m Mode, s [3]uint64) refResult { return refMul(f, m, false, s[0], s[1]) }},
		{"v_pk_fma_bf16", f, 3, func(m Mode, s [3]uint64) refResult { return refFMA(f, f, m, false, s[0], s[1], s[2]) }},
		{"v_fma_mixlo_bf16", ref32, 3, func(m Mode, s [3]uint64) refResult { return refFMA(ref32, f, m, false, s[0], s[1], s[2]) }},
		{"v_fma_mixhi_bf16", ref32, 3, func(m Mode, s [3]uint64) refResult { return refFMA(ref32, f, m, false, s[0], s[1], s[2]) }},
		{"v_fma_mix_f32_bf16", ref32, 3, func(m Mode, s [3]uint64) refResult { return refFMA(ref32, ref32, m, false, s[0], s[1], s[2]) }},
	} {
		fn := rowOf(t, x.name).Fn
		for _, m := range refModes() {
			refTuples(t, x.in, x.sources, 100, func(s [3]uint64) {
				x.op(m, s).check(t, x.name, fn, Ctx{Mode: m}, s, ^uint64(0))
			})
		}
	}
}

// TestBF16MinMax checks the selections: NaNs lose, -0 is less than +0.
func TestBF16MinMax(t *testing.T) {
	for _, larger := range []bool{false, true} {
		name := map[bool]string{false: "v_pk_min_num_bf16", true: "v_pk_max_num_bf16"}[larger]
		fn := rowOf(t, name).Fn
		for _, m := range []Mode{0xf0, 0xc0, 0x30, 0} {
			refTuples(t, refB16, 2, 300, func(s [3]uint64) {
				a, b := s[0], s[1]
				if m.FlushIn(BF16) {
					a, b = refB16.flush(a), refB16.flush(b)
				}
				want := a
				switch {
				case refB16.nan(a) && refB16.nan(b):
					want |= refB16.quietBit()
				case refB16.nan(a):
					want = b
				case refB16.nan(b):
				case refB16.value(a).Cmp(refB16.value(b)) == 0:
					if refB16.neg(a) == larger {
						want = b
					}
				case (refB16.value(a).Cmp(refB16.value(b)) > 0) != larger:
					want = b
				}
				if got := fn(&Ctx{Mode: m}, s[0], s[1], 0); got != want {
					t.Fatalf("%s mode %#x: %#x %#x = %#x, want %#x", name, m, s[0], s[1], got, want)
				}
			})
		}
	}
}

// TestBF16Trans compares the transcendental operations with package math for
// every bf16 and f16, and some f32.
func TestBF16Trans(t *testing.T) {
	turns := func(f func(float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(2 * math.Pi * math.Mod(x, 1)) }
	}
	for _, x := range []struct {
		name string
		f    refFormat
		fn   func(float64) float64
	}{
		{"v_rcp_bf16", refB16, func(x float64) float64 { return 1 / x }},
		{"v_rsq_bf16", refB16, func(x float64) float64 {
			if x == 0 {
				return 1 / x
			}
			return 1 / math.Sqrt(x)
		}},
		{"v_sqrt_bf16", refB16, math.Sqrt},
		{"v_exp_bf16", refB16, math.Exp2},
		{"v_log_bf16", refB16, math.Log2},
		{"v_sin_bf16", refB16, turns(math.Sin)},
		{"v_cos_bf16", refB16, turns(math.Cos)},
		{"v_tanh_bf16", refB16, math.Tanh},
		{"v_tanh_f16", ref16, math.Tanh},
		{"v_tanh_f32", ref32, math.Tanh},
	} {
		fn := rowOf(t, x.name).Fn
		shift := x.f.bits - 16
		for i := uint64(0); i < 1<<16; i += 5 {
			v := i << shift
			if shift != 0 {
				v |= i * 0x9e37 & 0xffff
			}
			got := fn(&Ctx{Mode: 0xf0}, v, 0, 0)
			switch {
			case x.f.nan(v):
				if got != v {
					t.Fatalf("%s: %#x becomes %#x", x.name, v, got)
				}
				continue
			case x.f.denormal(v) && x.f.typ == F32:
				if got != v&x.f.signBit() {
					t.Fatalf("%s: denormal %#x becomes %#x", x.name, v, got)
				}
				continue
			}
			in, _ := x.f.value(v).Float64()
			if v == x.f.signBit() {
				in = math.Copysign(0, -1)
			}
			if x.f.infinite(v) {
				in = math.Inf(1 - 2*int(v>>(x.f.bits-1)))
			}
			checkTrans(t, x.name, x.f, v, got, x.fn(in))
		}
	}
}

// checkTrans checks that a result is within an ULP of the exact one. Results near
// zero of sine and cosine may differ more: the host's 2π is not exact.
func checkTrans(t *testing.T, name string, f refFormat, v, got uint64, exact float64) {
	t.Helper()
	switch {
	case math.IsNaN(exact):
		if !f.nan(got) {
			t.Fatalf("%s: %#x becomes %#x, want a NaN", name, v, got)
		}
	case math.IsInf(exact, 0):
		if !f.infinite(got) || f.neg(got) != (exact < 0) {
			t.Fatalf("%s: %#x becomes %#x, want %v", name, v, got, exact)
		}
	case math.Abs(exact) < 1e-15:
		if f.nan(got) || f.magnitude(f.abs(got)).Cmp(refNew().SetFloat64(2e-15)) > 0 {
			t.Fatalf("%s: %#x becomes %#x, want %v", name, v, got, exact)
		}
	default:
		want, _ := f.round(RoundNearestEven, false, refNew().SetFloat64(exact))
		if d := int64(got) - int64(want); d < -1 || d > 1 {
			t.Fatalf("%s: %#x becomes %#x, want %#x", name, v, got, want)
		}
	}
}

// TestStochasticPair checks that results are the values next to a number, in
// the ratio of their distances, and that each element has a seed of its own.
func TestStochasticPair(t *testing.T) {
	r := refRand(t)
	for _, x := range []struct {
		name string
		f    refFormat
	}{{"v_cvt_sr_pk_bf16_f32", refB16}, {"v_cvt_sr_pk_f16_f32", ref16}} {
		fn := rowOf(t, x.name).Fn
		for range 300 {
			v := r.Uint64N(x.f.infinity() - 1)
			part := r.IntN(16)
			n := refNew().Sub(x.f.magnitude(v+1), x.f.magnitude(v))
			n.Mul(n, refNew().SetFloat64(float64(part)/16)).Add(n, x.f.magnitude(v))
			in := ref32.floor(n)
			var up int
			for i := range uint64(64) {
				got := fn(&Ctx{Mode: 0xf0}, in, in|1<<31, i<<26) // the second seed is a different one
				switch got & 0xffff {
				case v + 1:
					up++
				case v:
				default:
					t.Fatalf("%s of %#x: %#x, want %#x or the next", x.name, in, got, v)
				}
				seed := i<<27&(1<<32-1) ^ [2]uint64{0, 0xc5}[i>>5]
				if want := fn(&Ctx{Mode: 0xf0}, in|1<<31, 0, seed) & 0xffff; got>>16 != want {
					t.Fatalf("%s of %#x: second element %#x, want %#x", x.name, in, got>>16, want)
				}
			}
			if up != part*4 {
				t.Fatalf("%s of %#x: %d of 64 go up, want %d", x.name, in, up, part*4)
			}
		}
		inf := x.f.infinity()
		for _, s := range []struct{ in, want uint64 }{
			{0x7f800000, inf}, {0xff800000, inf | 1<<15}, {0, 0}, {1 << 31, 1 << 15}, {0x7fc00000, inf | x.f.quietBit()},
		} {
			if got := fn(&Ctx{Mode: 0xf0}, s.in, 0, 0xffffffff) & 0xffff; got != s.want {
				t.Errorf("%s of %#x: %#x, want %#x", x.name, s.in, got, s.want)
			}
		}
	}
	if got := rowOf(t, "v_cvt_sr_pk_f16_f32").Fn(&Ctx{Mode: 0xf0, Ovfl: true}, 0x7f000000, 0xff7fffff, 0); got != 0xfbff7bff {
		t.Errorf("overflow with FP16_OVFL: %#x", got)
	}
	if got := rowOf(t, "v_cvt_sr_pk_f16_f32").Fn(&Ctx{Mode: 0xf0}, 0x7f000000, 0xff7fffff, 0); got != 0xfc007c00 {
		t.Errorf("overflow: %#x", got)
	}
}

func TestMixBF16(t *testing.T) {
	for v := range uint64(1 << 16) {
		if got := MixBF16(&Ctx{Mode: 0xf0}, v); got != v<<16 {
			t.Fatalf("%#x becomes %#x", v, got)
		}
		if got, want := MixBF16(&Ctx{Mode: 0x30}, v), refB16.flush(v)<<16; got != want {
			t.Fatalf("%#x becomes %#x, want %#x", v, got, want)
		}
	}
}

// TestFP8Half checks which bytes and halves the conversions read and write.
func TestFP8Half(t *testing.T) {
	const one, two = 0x3c00, 0xc000 // 1, -2
	for _, x := range []struct {
		name       string
		opSel      uint8
		clamp      bool
		s0, s1, s2 uint64
		want       uint64
	}{
		{"v_cvt_f16_fp8", 0, false, 0x48403830, 0, 0, 0x3800},
		{"v_cvt_f16_fp8", 2, false, 0x48403830, 0, 0, one},
		{"v_cvt_f16_fp8", 1, false, 0x48403830, 0, 0, 0x4000},
		{"v_cvt_f16_fp8", 3, false, 0x48403830, 0, 0, 0x4400},
		{"v_cvt_f16_fp8", 0, true, 0x78, 0, 0, one},
		{"v_cvt_f16_fp8", 0, true, 0xff, 0, 0, 0x7e00},
		{"v_cvt_f16_bf8", 1, false, 0xc03c00, 0, 0, two},
		{"v_cvt_pk_f16_fp8", 0, false, 0xc038, 0, 0, two<<16 | one},
		{"v_cvt_pk_f16_bf8", 0, false, 0xc03c, 0, 0, two<<16 | one},
		{"v_cvt_pk_fp8_f16", 0, false, two<<16 | one, 0, 0, 0xc038},
		{"v_cvt_pk_fp8_f16", 0, true, two<<16 | one, 0, 0, 0x8078},
		{"v_cvt_pk_bf8_f16", 0, false, two<<16 | one, 0, 0, 0xc03c},
		{"v_cvt_sr_fp8_f16", 0, false, one, 1<<32 - 1, 0x11223344, 0x11223338},
		{"v_cvt_sr_fp8_f16", 4, false, one, 0, 0x11223344, 0x11223844},
		{"v_cvt_sr_fp8_f16", 8, false, one | 0x40, 1 << 31, 0x11223344, 0x11393344},
		{"v_cvt_sr_bf8_f16", 12, false, two, 0, 0x11223344, 0xc0223344},
	} {
		c := Ctx{Set: isa.GFX1250, OpSel: x.opSel, Clamp: x.clamp}
		if got := rowOf(t, x.name).Fn(&c, x.s0, x.s1, x.s2); got != x.want {
			t.Errorf("%s op_sel %d clamp %v: %#x, want %#x", x.name, x.opSel, x.clamp, got, x.want)
		}
	}
}
