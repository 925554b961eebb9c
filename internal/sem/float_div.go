package sem

import "github.com/gfx-toolchain/gfx/isa"

// floatDivRows lists the steps of a division that are not plain
// multiplications: scaling the operands away from overflow and underflow,
// undoing it in the last multiplication, and handling special values.
func floatDivRows() []Row {
	return []Row{
		{Name: "v_div_scale_f32", Sig: sig(F32, F32, F32, F32), Flag: divScale(F32)},
		{Name: "v_div_scale_f64", Sig: sig(F64, F64, F64, F64), Flag: divScale(F64)},
		{Name: "v_div_fmas_f32", Sig: sig(F32, F32, F32, F32), Flag: divFmas(F32)},
		{Name: "v_div_fmas_f64", Sig: sig(F64, F64, F64, F64), Flag: divFmas(F64)},
		{Name: "v_div_fixup_f16 v_div_fixup_legacy_f16", Sig: sig(F16, F16, F16, F16), Fn: divFixup(F16)},
		{Name: "v_div_fixup_f32", Sig: sig(F32, F32, F32, F32), Fn: divFixup(F32)},
		{Name: "v_div_fixup_f64", Sig: sig(F64, F64, F64, F64), Fn: divFixup(F64)},
	}
}

// divLimits holds the limits of v_div_scale for a type.
type divLimits struct {
	far   int // exclusive limit of the difference of the operands' exponents
	scale int // exponent of the factor that scales operands
	tiny  int // numerators up to this exponent field are scaled up
}

var divLimitsOf = [...]divLimits{F32: {96, 64, 24}, F64: {768, 128, 53}}

// divNaN returns the NaN of 0/0 and similar divisions: negative in the
// documents, positive in the cases observed on gfx1100.
func (c *Ctx) divNaN(f *format) uint64 {
	if c.Set.Gen() == isa.Gen11 {
		return f.nan() &^ f.sign
	}
	return f.nan()
}

// divScale returns the scaling of one operand of a division: source 0, which is
// the denominator (source 1) or the numerator (source 2). The flag requests
// v_div_fmas to scale the quotient back.
//
// The documents' pseudocode tests whether 1/denominator and the quotient are
// denormal; the hardware examines only the exponent fields.
func divScale(t Type) FlagFunc {
	f, lim := formatOf[t], divLimitsOf[t]
	return func(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) {
		r := c.rules(t)
		v, den, num := c.source(f, r, s0), c.source(f, r, s1), c.source(f, r, s2)
		n, back := lim.adjust(f, v == den, f.exponent(den), f.exponent(num))
		switch {
		case f.isZero(den) || f.isZero(num):
			return f.nan() &^ f.sign, back
		case f.isNaN(v):
			return v | f.quiet, back
		case n == 0:
			return v, back
		}
		return c.ldexp(f, v, n), back
	}
}

// adjust returns the exponent of the scale factor for the denominator or the
// numerator, based on the exponent fields of both, and whether the quotient has
// to be scaled back.
func (lim divLimits) adjust(f *format, isDen bool, den, num int) (n int, back bool) {
	only := func(which bool, n int) int {
		if which {
			return n
		}
		return 0
	}
	switch far := num - den; {
	case far >= lim.far:
		return only(isDen, lim.scale), true
	case den == 0:
		return lim.scale, false
	case den >= 2*f.bias-1: // the reciprocal is denormal
		if far <= -lim.far {
			return only(isDen, -lim.scale), true
		}
		return -lim.scale, false
	case far <= -lim.far:
		return only(!isDen, lim.scale), true
	case num <= lim.tiny:
		return lim.scale, false
	}
	return 0, false
}

// divFmas returns the fused multiply-add that ends a division. With the flag,
// the result is scaled before it is rounded: up if source 2, the quotient so
// far, is at least 2.0, otherwise down. Denormal sources are kept.
func divFmas(t Type) FlagFunc {
	f, lim := formatOf[t], divLimitsOf[t]
	return func(c *Ctx, s0, s1, s2 uint64, in bool) (uint64, bool) {
		r := c.rules(t)
		r.flushIn, r.quiet = false, true
		scale := 0
		if in {
			scale = -lim.scale
			if f.exponent(s2) > f.bias {
				scale = lim.scale
			}
		}
		return c.fuse(f, f, r, s0, s1, s2, scale), false
	}
}

// divFixup returns the operation that computes the result of a division from
// the quotient (source 0), the denominator and the numerator.
func divFixup(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		r := c.rules(t)
		den, num := c.source(f, r, s1), c.source(f, r, s2)
		neg := f.isNeg(den ^ num)
		switch {
		case f.isNaN(num):
			return num | f.quiet
		case f.isNaN(den):
			return den | f.quiet
		case f.isZero(den) && f.isZero(num), f.isInf(den) && f.isInf(num):
			c.raise(Invalid)
			return c.divNaN(f)
		case f.isInf(num):
			return f.signed(neg, f.inf)
		case f.isZero(den):
			c.raise(DivideByZero)
			return f.signed(neg, f.inf)
		case f.isZero(num) || f.isInf(den):
			return f.zero(neg)
		case t != F16 && f.exponent(num)-f.exponent(den) < -f.bias-f.mant:
			return c.round(f, r, neg, 0, 1, -2*f.bias-2*f.mant)
		case f.mag(s0) >= f.inf:
			return c.overflow(f, r, neg)
		}
		return f.signed(neg, f.mag(s0))
	}
}
