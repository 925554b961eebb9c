package sem

import (
	"math"
	"math/big"
	"testing"
)

// TestCvtFloat converts between float types. The result's type decides on rounding
// and flushing of results, the source's on flushing of sources.
func TestCvtFloat(t *testing.T) {
	for _, x := range []struct {
		name    string
		in, out refFormat
	}{
		{"v_cvt_f16_f32", ref32, ref16}, {"v_cvt_f32_f16", ref16, ref32},
		{"v_cvt_f32_f64", ref64, ref32}, {"v_cvt_f64_f32", ref32, ref64},
	} {
		fn := rowOf(t, x.name).Fn
		for _, m := range refModes() {
			refTuples(t, x.in, 1, 1000, func(s [3]uint64) { checkCvt(t, x.name, fn, x.in, x.out, m, s) })
			// Numbers around values of the result's type, and halfway between
			// them.
			refTuples(t, x.out, 1, 1000, func(s [3]uint64) {
				if !x.out.nan(s[0]) && !x.out.infinite(s[0]) {
					v := x.in.floor(x.out.magnitude(x.out.abs(s[0]))) + s[1]%3
					s[0] = v | x.in.sign(x.out.neg(s[0]))
					checkCvt(t, x.name, fn, x.in, x.out, m, s)
				}
			})
		}
	}
}

func checkCvt(t *testing.T, name string, fn Func, in, out refFormat, m Mode, s [3]uint64) {
	t.Helper()
	var excp Exceptions
	v := refSource(in, m, false, &excp, s[0])
	want, ok := refNaN(in, m, v)
	switch {
	case ok:
		want = refPayload(in, out, want)
	case in.infinite(v):
		want = out.sign(in.neg(v)) | out.infinity()
	case in.abs(v) == 0:
		want = out.sign(in.neg(v))
	default:
		var e Exceptions
		want, e = out.round(m.Round(out.typ), m.FlushOut(out.typ), in.value(v))
		excp |= e
	}
	refResult{want, excp}.check(t, name, fn, Ctx{Mode: m}, [3]uint64{s[0]}, ^uint64(0))
}

// TestCvtF16All converts all f16 to f32 and back.
func TestCvtF16All(t *testing.T) {
	to, from := rowOf(t, "v_cvt_f32_f16").Fn, rowOf(t, "v_cvt_f16_f32").Fn
	c := Ctx{Mode: 0x2f0}
	for v := range uint64(1 << 16) {
		got := from(&c, to(&c, v, 0, 0), 0, 0)
		if want := v | ref16.quietBit()*map[bool]uint64{true: 1}[ref16.nan(v)]; got != want {
			t.Fatalf("%#x becomes %#x", v, got)
		}
		if x := float64(math.Float32frombits(uint32(to(&c, v, 0, 0)))); !ref16.nan(v) && !ref16.infinite(v) && ref16.value(v).Cmp(refNew().SetFloat64(x)) != 0 {
			t.Fatalf("%#x is %g", v, x)
		}
	}
}

func TestCvtPkrtz(t *testing.T) {
	fn := rowOf(t, "v_cvt_pkrtz_f16_f32").Fn
	for _, m := range []Mode{0xf0, 0xf5, 0xfa} {
		c := Ctx{Mode: m}
		refTuples(t, ref32, 1, 3000, func(s [3]uint64) {
			if ref32.nan(s[0]) || ref32.infinite(s[0]) || ref32.abs(s[0]) == 0 {
				return
			}
			want, _ := ref16.round(RoundTowardZero, false, ref32.value(s[0]))
			if got := fn(&c, s[0], 0x3f800000, 0); got != 0x3c000000|want {
				t.Fatalf("%#x = %#x, want %#x", s[0], got, want)
			}
		})
	}
}

func TestCvtFromInt(t *testing.T) {
	for _, x := range []struct {
		name   string
		out    refFormat
		bits   uint
		signed bool
	}{
		{"v_cvt_f16_u16", ref16, 16, false}, {"v_cvt_f16_i16", ref16, 16, true},
		{"v_cvt_f32_u32", ref32, 32, false}, {"v_cvt_f32_i32", ref32, 32, true},
		{"v_cvt_f64_u32", ref64, 32, false}, {"v_cvt_f64_i32", ref64, 32, true},
	} {
		fn := rowOf(t, x.name).Fn
		r := refRand(t)
		for _, m := range refModes() {
			for i := range 600 {
				v := r.Uint64() >> (64 - x.bits) >> r.UintN(x.bits)
				if i < 40 { // around powers of two
					v = (1<<(x.bits-1)>>(i/3) + uint64(i%3) - 1) & (1<<x.bits - 1)
				}
				n := int64(v)
				if x.signed {
					n = n << (64 - x.bits) >> (64 - x.bits)
				}
				var want refResult
				if n != 0 {
					want.v, want.excp = x.out.round(m.Round(x.out.typ), false, refNew().SetInt64(n))
				}
				want.check(t, x.name, fn, Ctx{Mode: m}, [3]uint64{v}, ^uint64(0))
			}
		}
	}
}

// refInt is a conversion to integers of the reference: rounding and limits.
type refInt struct {
	scale  int64
	lo, hi int64
	round  func(m Mode, x *big.Float) *big.Float
	sat    bool // for NaNs
}

func (to refInt) convert(f refFormat, m Mode, v uint64) int64 {
	if m.FlushIn(f.typ) {
		v = f.flush(v)
	}
	limit := map[bool]int64{true: to.lo, false: to.hi}[f.neg(v)]
	switch {
	case f.nan(v) && !to.sat:
		return 0
	case f.nan(v), f.infinite(v):
		return limit
	}
	x := f.value(v)
	x = to.round(m, x.Mul(x, refNew().SetInt64(to.scale)))
	if x.Cmp(refNew().SetInt64(to.lo)) < 0 || x.Cmp(refNew().SetInt64(to.hi)) > 0 {
		return limit
	}
	n, _ := x.Int64()
	return n
}

func TestCvtToInt(t *testing.T) {
	by := func(rnd Round) func(Mode, *big.Float) *big.Float {
		return func(_ Mode, x *big.Float) *big.Float { return refWhole(x, rnd) }
	}
	halfUp := func(_ Mode, x *big.Float) *big.Float {
		return refWhole(x.Add(x, refNew().SetFloat64(0.5)), RoundMinusInfinity)
	}
	byMode := func(m Mode, x *big.Float) *big.Float { return refWhole(x, m.Round(F32)) }
	trunc, near := by(RoundTowardZero), by(RoundNearestEven)
	i16 := refInt{1, -1 << 15, 1<<15 - 1, trunc, false}
	i32 := refInt{1, -1 << 31, 1<<31 - 1, trunc, false}
	snorm, unorm := refInt{32767, -32767, 32767, near, false}, refInt{65535, 0, 65535, near, false}
	for _, x := range []struct {
		name string
		f    refFormat
		to   refInt
		mask uint64
		s1   uint64
	}{
		{"v_cvt_i16_f16", ref16, i16, 0xffff, 0},
		{"v_cvt_u16_f16", ref16, refInt{1, 0, 1<<16 - 1, trunc, false}, 0xffff, 0},
		{"v_cvt_i32_f32", ref32, i32, 1<<32 - 1, 0},
		{"v_cvt_u32_f32", ref32, refInt{1, 0, 1<<32 - 1, trunc, false}, 1<<32 - 1, 0},
		{"v_cvt_i32_f64", ref64, i32, 1<<32 - 1, 0},
		{"v_cvt_u32_f64", ref64, refInt{1, 0, 1<<32 - 1, trunc, false}, 1<<32 - 1, 0},
		{"v_cvt_flr_i32_f32", ref32, refInt{1, -1 << 31, 1<<31 - 1, by(RoundMinusInfinity), true}, 1<<32 - 1, 0},
		{"v_cvt_rpi_i32_f32", ref32, refInt{1, -1 << 31, 1<<31 - 1, halfUp, true}, 1<<32 - 1, 0},
		{"v_cvt_pk_i16_f32", ref32, i16, 0xffff, 0},
		{"v_cvt_pk_u16_f32", ref32, refInt{1, 0, 1<<16 - 1, trunc, false}, 0xffff, 0},
		{"v_cvt_norm_i16_f16", ref16, snorm, 0xffff, 0},
		{"v_cvt_norm_u16_f16", ref16, unorm, 0xffff, 0},
		{"v_cvt_pknorm_i16_f16", ref16, snorm, 0xffff, 0},
		{"v_cvt_pknorm_u16_f16", ref16, unorm, 0xffff, 0},
		{"v_cvt_pknorm_i16_f32", ref32, snorm, 0xffff, 0},
		{"v_cvt_pknorm_u16_f32", ref32, unorm, 0xffff, 0},
		{"v_cvt_pk_u8_f32", ref32, refInt{1, 0, 255, byMode, false}, 0xff, 0},
	} {
		fn := rowOf(t, x.name).Fn
		r := refRand(t)
		for _, m := range []Mode{0x2f0, 0xf1, 0xf2, 0xf3, 0} {
			test := func(v uint64) {
				want := uint64(x.to.convert(x.f, m, v)) & x.mask
				for _, track := range []bool{false, true} {
					if got := fn(&Ctx{Mode: m, Track: track}, v, x.s1, 0) & x.mask; got != want {
						t.Fatalf("%s mode %#x: %#x = %#x, want %#x", x.name, m, v, got, want)
					}
				}
			}
			refTuples(t, x.f, 1, 1000, func(s [3]uint64) { test(s[0]) })
			for range 2000 { // numbers around halves of the result
				n := x.to.lo + r.Int64N(x.to.hi-x.to.lo+1) + r.Int64N(5) - 2
				if r.IntN(2) == 0 {
					n = r.Int64N(9) - 4
				}
				y := refNew().SetInt64(2*n + r.Int64N(2))
				y.Quo(y, refNew().SetInt64(2*x.to.scale))
				v := x.f.floor(refNew().Abs(y)) + r.Uint64N(3) - 1
				test(v&(x.f.signBit()-1) | x.f.sign(y.Sign() < 0))
			}
		}
	}
}

// TestCvtPacked checks results observed on hardware (gfx1100), and the order of
// the sources.
func TestCvtPacked(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, x := range []struct {
		name       string
		s0, s1, s2 uint64
		want       uint64
	}{
		{"v_cvt_pk_i16_f32", f(100.5), f(-50.7), 0, 0xffce0064},
		{"v_cvt_pk_u16_f32", f(100.9), f(200.1), 0, 0x00c80064},
		{"v_cvt_pk_norm_i16_f32", f(1), f(-1), 0, 0x80017fff},
		{"v_cvt_pk_norm_u16_f32", f(1), f(0.5), 0, 0x8000ffff},
		{"v_cvt_norm_u16_f16", 0x3800, 0, 0, 0x8000},
		{"v_cvt_pkrtz_f16_f32", f(1), f(-2), 0, 0xc0003c00},
		{"v_cvt_pk_u8_f32", f(3), 0, 0x11223344, 0x11223303},
		{"v_cvt_pk_u8_f32", f(300), 2, 0x11223344, 0x11ff3344},
		{"v_cvt_pkaccum_u8_f32", f(2.5), 7, 0x11223344, 0x02223344},
		{"v_cvt_f32_ubyte0", 0x80ff1203, 0, 0, uint64(math.Float32bits(3))},
		{"v_cvt_f32_ubyte1", 0x80ff1203, 0, 0, uint64(math.Float32bits(18))},
		{"v_cvt_f32_ubyte2", 0x80ff1203, 0, 0, uint64(math.Float32bits(255))},
		{"v_cvt_f32_ubyte3", 0x80ff1203, 0, 0, uint64(math.Float32bits(128))},
	} {
		if got := rowOf(t, x.name).Fn(&Ctx{Mode: 0x3c0}, x.s0, x.s1, x.s2); got != x.want {
			t.Errorf("%s %#x %#x %#x = %#x, want %#x", x.name, x.s0, x.s1, x.s2, got, x.want)
		}
	}
	// V_CVT_OFF_F32_I4, the table of the RDNA 3 ISA.
	table := [16]float32{0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -0.5, -0.4375, -0.375, -0.3125, -0.25, -0.1875, -0.125, -0.0625}
	for i, want := range table {
		if got := rowOf(t, "v_cvt_off_f32_i4").Fn(&Ctx{}, uint64(i)|0xfff0, 0, 0); got != f(want) {
			t.Errorf("v_cvt_off_f32_i4 %d = %#x, want %g", i, got, want)
		}
	}
}
