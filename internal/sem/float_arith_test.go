package sem

import (
	"math/big"
	"strings"
	"testing"
)

func splitNames(s string) []string { return strings.Fields(s) }

// refSum returns a+b of exact numbers. aneg and bneg are their signs, which
// matter for zeros.
func refSum(f refFormat, rnd Round, flush bool, a, b *big.Float, aneg, bneg bool) refResult {
	x := refNew().Add(a, b)
	if x.Sign() != 0 {
		v, excp := f.round(rnd, flush, x)
		return refResult{v, excp}
	}
	neg := rnd == RoundMinusInfinity
	if a.Sign() == 0 && b.Sign() == 0 && aneg == bneg {
		neg = aneg
	}
	return refResult{v: f.sign(neg)}
}

// refFMA returns a·b+d of sources in one format as a result in another. flushed
// is for operations that flush in all modes.
func refFMA(in, out refFormat, m Mode, flushed bool, a, b, d uint64) refResult {
	var excp Exceptions
	a = refSource(in, m, flushed, &excp, a)
	b = refSource(in, m, flushed, &excp, b)
	d = refSource(in, m, flushed, &excp, d)
	neg := in.neg(a) != in.neg(b)
	if in.infinite(a) && in.abs(b) == 0 || in.infinite(b) && in.abs(a) == 0 {
		return refResult{out.default_(), excp | Invalid}
	}
	if v, ok := refNaN(in, m, a, b, d); ok {
		return refResult{refPayload(in, out, v), excp}
	}
	switch inf := in.infinite(a) || in.infinite(b); {
	case inf && in.infinite(d) && neg != in.neg(d):
		return refResult{out.default_(), excp | Invalid}
	case inf:
		return refResult{out.sign(neg) | out.infinity(), excp}
	case in.infinite(d):
		return refResult{out.sign(in.neg(d)) | out.infinity(), excp}
	}
	product := refNew().Mul(in.value(a), in.value(b))
	r := refSum(out, m.Round(out.typ), flushed || m.FlushOut(out.typ), product, in.value(d), neg, in.neg(d))
	r.excp |= excp
	return r
}

// refPayload returns a NaN in another format.
func refPayload(in, out refFormat, v uint64) uint64 {
	frac := v & (in.minNormal() - 1)
	if out.mant >= in.mant {
		frac <<= out.mant - in.mant
	} else if frac >>= in.mant - out.mant; frac == 0 {
		frac = out.quietBit()
	}
	return out.sign(in.neg(v)) | out.infinity() | frac
}

// refMul returns a·b.
func refMul(f refFormat, m Mode, flushed bool, a, b uint64) refResult {
	zero := f.sign(f.neg(a) != f.neg(b))
	return refFMA(f, f, m, flushed, a, b, zero)
}

// refMAD returns a·b+d with two roundings.
func refMAD(f refFormat, m Mode, a, b, d uint64) refResult {
	p := refMul(f, m, true, a, b)
	s := refFMA(f, f, m, true, p.v, f.one(), d)
	s.excp |= p.excp
	return s
}

func (f refFormat) one() uint64 { return uint64(f.bias()) << f.mant }

func TestFloatArithmetic(t *testing.T) {
	type op func(f refFormat, m Mode, s [3]uint64) refResult
	add := func(f refFormat, m Mode, s [3]uint64) refResult { return refFMA(f, f, m, false, s[0], f.one(), s[1]) }
	sub := func(f refFormat, m Mode, s [3]uint64) refResult {
		return refFMA(f, f, m, false, s[0], f.one(), s[1]^f.signBit())
	}
	subrev := func(f refFormat, m Mode, s [3]uint64) refResult {
		return refFMA(f, f, m, false, s[1], f.one(), s[0]^f.signBit())
	}
	mul := func(f refFormat, m Mode, s [3]uint64) refResult { return refMul(f, m, false, s[0], s[1]) }
	fma := func(f refFormat, m Mode, s [3]uint64) refResult { return refFMA(f, f, m, false, s[0], s[1], s[2]) }
	mad := func(f refFormat, m Mode, s [3]uint64) refResult { return refMAD(f, m, s[0], s[1], s[2]) }
	mix := func(_ refFormat, m Mode, s [3]uint64) refResult {
		return refFMA(ref32, ref16, m, false, s[0], s[1], s[2])
	}
	for _, x := range []struct {
		name    string
		f       refFormat
		sources int
		op      op
	}{
		{"v_add_f16", ref16, 2, add}, {"v_add_f32", ref32, 2, add}, {"v_add_f64", ref64, 2, add},
		{"v_sub_f16", ref16, 2, sub}, {"v_sub_f32", ref32, 2, sub},
		{"v_subrev_f16", ref16, 2, subrev}, {"v_subrev_f32", ref32, 2, subrev},
		{"v_mul_f16", ref16, 2, mul}, {"v_mul_f32", ref32, 2, mul}, {"v_mul_f64", ref64, 2, mul},
		{"v_fma_f16", ref16, 3, fma}, {"v_fma_f32", ref32, 3, fma}, {"v_fma_f64", ref64, 3, fma},
		{"v_mad_f16", ref16, 3, mad}, {"v_mad_f32", ref32, 3, mad},
		{"v_fma_mixlo_f16", ref32, 3, mix},
	} {
		t.Run(x.name, func(t *testing.T) {
			fn := rowOf(t, x.name).Fn
			for _, m := range refModes() {
				refTuples(t, x.f, x.sources, 300, func(s [3]uint64) {
					x.op(x.f, m, s).check(t, x.name, fn, Ctx{Mode: m}, s, ^uint64(0))
				})
			}
		})
	}
}
