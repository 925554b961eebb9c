package sem

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// transRows lists reciprocals, roots, powers, logarithms and trigonometry. The
// hardware approximates them to about 1 ULP (f16: 0.51, f64: 2^29 ULP, to be
// refined by Newton's method). Here they are computed in f64 and rounded to
// nearest in all modes. The f32 operations except sine and cosine flush
// denormal sources and results.
//
// Source: RDNA 3 ISA, VOP1 instructions.
func transRows() []Row {
	return []Row{
		{Name: "v_rcp_f32 v_s_rcp_f32", Sig: sig(F32, F32), Fn: rcpF32},
		{Name: "v_rcp_iflag_f32", Sig: sig(F32, F32), Fn: rcpIflag},
		{Name: "v_rsq_f32 v_s_rsq_f32", Sig: sig(F32, F32), Fn: trans(F32, rsq)},
		{Name: "v_sqrt_f32 v_s_sqrt_f32", Sig: sig(F32, F32), Fn: trans(F32, sqrt)},
		{Name: "v_exp_f32 v_exp_legacy_f32 v_s_exp_f32", Sig: sig(F32, F32), Fn: trans(F32, exp2)},
		{Name: "v_log_f32 v_log_legacy_f32 v_s_log_f32", Sig: sig(F32, F32), Fn: trans(F32, log2)},
		{Name: "v_sin_f32", Sig: sig(F32, F32), Fn: trans(F32, sine)},
		{Name: "v_cos_f32", Sig: sig(F32, F32), Fn: trans(F32, cosine)},

		{Name: "v_rcp_f16 v_s_rcp_f16", Sig: sig(F16, F16), Fn: trans(F16, rcp)},
		{Name: "v_rsq_f16 v_s_rsq_f16", Sig: sig(F16, F16), Fn: trans(F16, rsq)},
		{Name: "v_sqrt_f16 v_s_sqrt_f16", Sig: sig(F16, F16), Fn: trans(F16, sqrt)},
		{Name: "v_exp_f16 v_s_exp_f16", Sig: sig(F16, F16), Fn: trans(F16, exp2)},
		{Name: "v_log_f16 v_s_log_f16", Sig: sig(F16, F16), Fn: trans(F16, log2)},
		{Name: "v_sin_f16", Sig: sig(F16, F16), Fn: trans(F16, sine)},
		{Name: "v_cos_f16", Sig: sig(F16, F16), Fn: trans(F16, cosine)},

		{Name: "v_rcp_f64", Sig: sig(F64, F64), Fn: trans(F64, rcp)},
		{Name: "v_rsq_f64", Sig: sig(F64, F64), Fn: trans(F64, rsq)},
		{Name: "v_sqrt_f64", Sig: sig(F64, F64), Fn: trans(F64, sqrt)},

		{Name: "v_rcp_clamp_f32", Sig: sig(F32, F32), Fn: finite(F32, rcp)},
		{Name: "v_rsq_clamp_f32", Sig: sig(F32, F32), Fn: finite(F32, rsq)},
		{Name: "v_log_clamp_f32", Sig: sig(F32, F32), Fn: finite(F32, log2)},
		{Name: "v_rcp_clamp_f64", Sig: sig(F64, F64), Fn: finite(F64, rcp)},
		{Name: "v_rsq_clamp_f64", Sig: sig(F64, F64), Fn: finite(F64, rsq)},
		{Name: "v_rcp_legacy_f32", Sig: sig(F32, F32), Fn: zeroed(rcp)},
		{Name: "v_rsq_legacy_f32", Sig: sig(F32, F32), Fn: zeroed(rsq)},

		{Name: "v_trig_preop_f64", Sig: sig(F64, F64, B32), Fn: trigPreop},
	}
}

// transOp is an operation on a number that is not a NaN. excp holds the
// exceptions that it raises itself; a NaN result is an invalid operation.
type transOp struct {
	fn        func(c *Ctx, x float64) (y float64, excp Exceptions)
	denormals bool // whether the f32 operation supports denormals
}

var (
	rcp    = transOp{fn: rcpOf}
	rsq    = transOp{fn: rsqOf}
	sqrt   = transOp{fn: sqrtOf}
	exp2   = transOp{fn: exp2Of}
	log2   = transOp{fn: log2Of}
	sine   = transOp{fn: sineOf, denormals: true}
	cosine = transOp{fn: cosineOf, denormals: true}
	tanh   = transOp{fn: tanhOf}
)

// trans returns an operation on a type.
func trans(t Type, op transOp) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 { return op.on(t, c, s0) }
}

// finite returns an operation whose infinite results become the largest finite
// number of their sign (gfx6, gfx7). Source: CLRX, GCN instructions, V_RCP_CLAMP_F32
// and its neighbours.
func finite(t Type, op transOp) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		v := op.on(t, c, s0)
		if f.isInf(v) {
			return v - 1
		}
		return v
	}
}

// zeroed returns an operation whose infinite results become zeros of their sign
// (gfx6, gfx7). Source: CLRX, GCN instructions, V_RCP_LEGACY_F32 and
// V_RSQ_LEGACY_F32.
func zeroed(op transOp) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		v := op.on(F32, c, s0)
		if single.isInf(v) {
			return v & single.sign
		}
		return v
	}
}

// on runs the operation on a type.
func (op *transOp) on(t Type, c *Ctx, s0 uint64) uint64 {
	f := formatOf[t]
	always := t == F32 && !op.denormals
	r := c.rules(t)
	r.rnd = RoundNearestEven
	r.flushIn, r.flushOut = r.flushIn || always, r.flushOut || always
	v := c.source(f, r, s0)
	if f.isNaN(v) {
		return r.quieted(f, v)
	}
	y, excp := op.fn(c, toFloat64(f, v))
	if math.IsInf(y, 0) && excp == 0 && !f.isInf(v) {
		excp = Overflow | Inexact
	}
	c.raise(excp)
	return c.fromFloat64(f, r, y)
}

// toFloat64 converts a value that is not a NaN to float64.
func toFloat64(f *format, v uint64) float64 {
	switch {
	case f == &double:
		return math.Float64frombits(v)
	case f == &single:
		return float64(f32(v))
	case f == &bfloat:
		return float64(f32(v << 16))
	case f == &half && !f.isInf(v):
		return float64(f16(v))
	}
	return math.Inf(1 - 2*int(v>>15&1))
}

// fromFloat64 rounds a float64 to a format. A NaN is treated as the result of
// an invalid operation.
func (c *Ctx) fromFloat64(f *format, r rules, y float64) uint64 {
	if math.IsNaN(y) {
		return c.invalid(f)
	}
	if f == &single && !c.Track {
		v := math.Float32bits(float32(y))
		if mag := v &^ sign32; mag > min32 || mag == 0 && y == 0 {
			return uint64(v)
		}
	}
	r.flushIn = false
	return c.convert(&double, f, r, math.Float64bits(y))
}

func divideByZero(x float64) Exceptions {
	if x == 0 {
		return DivideByZero
	}
	return 0
}

func rcpOf(_ *Ctx, x float64) (float64, Exceptions) { return 1 / x, divideByZero(x) }

func rsqOf(_ *Ctx, x float64) (float64, Exceptions) {
	if x == 0 {
		return 1 / x, DivideByZero
	}
	return 1 / math.Sqrt(x), 0
}

func sqrtOf(_ *Ctx, x float64) (float64, Exceptions) { return math.Sqrt(x), 0 }

func rcpF32(c *Ctx, s0, _, _ uint64) uint64 { return rcp.on(F32, c, s0) }

// rcpIflag is a reciprocal whose only exception is an integer division by zero.
func rcpIflag(c *Ctx, s0, _, _ uint64) uint64 {
	if single.isZero(s0) || single.isDenormal(s0) {
		c.raise(IntDivideByZero)
	}
	track := c.Track
	c.Track = false
	v := rcpF32(c, s0, 0, 0)
	c.Track = track
	return v
}

// trigRange is the largest source of sine and cosine that GFX8 accepts.
const trigRange = 256

// turn reduces x, in turns, for sine and cosine: it returns a part from -1/8 to
// 1/8, and the quarter. ok is false if x is out of the hardware's range.
func turn(c *Ctx, x float64) (t float64, quarter int, ok bool) {
	if c.Set.Has(isa.PropTrigRange) && math.Abs(x) > trigRange {
		return 0, 0, false
	}
	x -= math.Trunc(x) // exact, like all other steps
	q := math.RoundToEven(x * 4)
	return x - q/4, int(q) & 3, true
}

// sineOf returns sin(2πx), or 0 out of range.
func sineOf(c *Ctx, x float64) (float64, Exceptions) {
	if x == 0 {
		return x, 0
	}
	if math.IsInf(x, 0) {
		return math.NaN(), 0
	}
	t, quarter, ok := turn(c, x)
	if !ok {
		return 0, 0
	}
	return quarterSine(t, quarter), 0
}

// cosineOf returns cos(2πx), or 1 out of range.
func cosineOf(c *Ctx, x float64) (float64, Exceptions) {
	if math.IsInf(x, 0) {
		return math.NaN(), 0
	}
	t, quarter, ok := turn(c, x)
	if !ok {
		return 1, 0
	}
	return quarterSine(t, quarter+1), 0
}
