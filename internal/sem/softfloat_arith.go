package sem

import "math/bits"

// add returns a+b.
func (c *Ctx) add(f *format, r rules, a, b uint64) uint64 {
	return c.fuse(f, f, r, a, f.one(), b, 0)
}

// mul returns a·b.
func (c *Ctx) mul(f *format, r rules, a, b uint64) uint64 {
	a, b = c.source(f, r, a), c.source(f, r, b)
	neg := f.isNeg(a ^ b)
	if f.mag(a) >= f.inf || f.mag(b) >= f.inf {
		return c.fuseSpecial(f, f, r, a, b, f.zero(neg))
	}
	as, ae := f.unpack(a)
	bs, be := f.unpack(b)
	hi, lo := bits.Mul64(as, bs)
	return c.round(f, r, neg, hi, lo, ae+be)
}

// mad returns a·b+d with two roundings.
func (c *Ctx) mad(f *format, r rules, a, b, d uint64) uint64 {
	return c.add(f, r, c.mul(f, r, a, b), d)
}

// fma returns a·b+d with one rounding.
func (c *Ctx) fma(f *format, r rules, a, b, d uint64) uint64 {
	return c.fuse(f, f, r, a, b, d, 0)
}

// fuse returns (a·b+d)·2^scale of values of one format in another one, rounded
// once.
func (c *Ctx) fuse(in, out *format, r rules, a, b, d uint64, scale int) uint64 {
	a, b, d = c.source(in, r, a), c.source(in, r, b), c.source(in, r, d)
	if in.mag(a) >= in.inf || in.mag(b) >= in.inf || in.mag(d) >= in.inf {
		return c.fuseSpecial(in, out, r, a, b, d)
	}
	pneg, dneg := in.isNeg(a^b), in.isNeg(d)
	as, ae := in.unpack(a)
	bs, be := in.unpack(b)
	ds, de := in.unpack(d)
	hi, lo := bits.Mul64(as, bs)
	exp := ae + be
	switch {
	case hi|lo == 0 && ds == 0:
		return out.zero(zeroSign(r, pneg, dneg))
	case hi|lo == 0:
		return c.round(out, r, dneg, 0, ds, de+scale)
	case ds == 0:
		return c.round(out, r, pneg, hi, lo, exp+scale)
	}
	neg, hi, lo, exp := sum(r, addend{pneg, hi, lo, exp}, addend{dneg, 0, ds, de})
	return c.round(out, r, neg, hi, lo, exp+scale)
}

// zeroSign returns the sign of an exact zero sum.
func zeroSign(r rules, a, b bool) bool {
	if a == b {
		return a
	}
	return r.rnd == RoundMinusInfinity
}

// addend is a nonzero number ±(hi:lo)·2^exp.
type addend struct {
	neg    bool
	hi, lo uint64
	exp    int
}

// normal moves the leading bit to bit 126, so that a sum has room for a carry.
func (a addend) normal() addend {
	n := 127 - len128(a.hi, a.lo)
	a.hi, a.lo = shl128(a.hi, a.lo, n)
	a.exp -= n
	return a
}

// sum adds two numbers of at most 106 and 53 bits, with a sticky bit for those
// that do not fit in 128 bits.
func sum(r rules, a, b addend) (neg bool, hi, lo uint64, exp int) {
	a, b = a.normal(), b.normal()
	if a.exp < b.exp {
		a, b = b, a
	}
	b.hi, b.lo = shrJam(b.hi, b.lo, a.exp-b.exp)
	if a.neg == b.neg {
		lo, carry := bits.Add64(a.lo, b.lo, 0)
		hi, _ = bits.Add64(a.hi, b.hi, carry)
		return a.neg, hi, lo, a.exp
	}
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, borrow = bits.Sub64(a.hi, b.hi, borrow)
	if borrow != 0 {
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
		return b.neg, hi, lo, a.exp
	}
	if hi|lo == 0 {
		return r.rnd == RoundMinusInfinity, 0, 0, a.exp
	}
	return a.neg, hi, lo, a.exp
}

// fuseSpecial returns a·b+d if one of them is infinite or a NaN. An invalid
// product takes precedence over a NaN, and of several NaNs the first one is
// propagated.
func (c *Ctx) fuseSpecial(in, out *format, r rules, a, b, d uint64) uint64 {
	if in.isInf(a) && in.isZero(b) || in.isZero(a) && in.isInf(b) {
		return c.invalid(out)
	}
	for _, v := range [...]uint64{a, b, d} {
		if in.isNaN(v) {
			return convertNaN(in, out, r, v)
		}
	}
	neg := in.isNeg(a ^ b)
	if in.isInf(a) || in.isInf(b) {
		if in.isInf(d) && in.isNeg(d) != neg {
			return c.invalid(out)
		}
		return out.signed(neg, out.inf)
	}
	return out.signed(in.isNeg(d), out.inf)
}

// convertNaN returns a NaN in another format with as much of its payload as
// fits. A payload that does not survive makes it quiet.
func convertNaN(in, out *format, r rules, v uint64) uint64 {
	v = r.quieted(in, v)
	payload := v & (1<<in.mant - 1)
	if n := out.mant - in.mant; n >= 0 {
		payload <<= n
	} else if payload >>= -n; payload == 0 {
		payload = out.quiet
	}
	return out.signed(in.isNeg(v), out.inf|payload)
}

// convert returns a value in another format. The rules' flushIn is for the
// source's type, the rest for the result's.
func (c *Ctx) convert(in, out *format, r rules, v uint64) uint64 {
	v = c.source(in, r, v)
	if in.isNaN(v) {
		return convertNaN(in, out, r, v)
	}
	neg := in.isNeg(v)
	if in.isInf(v) {
		return out.signed(neg, out.inf)
	}
	sig, exp := in.unpack(v)
	return c.round(out, r, neg, 0, sig, exp)
}
