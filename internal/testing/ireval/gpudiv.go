package ireval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// scaling describes v_div_scale for a kind. Its result depends only on the
// exponents of denominator and numerator.
type scaling struct {
	far  int // exponent difference from which one operand must be scaled
	by   int // scale as a power of two
	tiny int // largest biased exponent that is too small for a numerator
}

var scalings = [...]scaling{ir.KindFloat: {96, 64, 24}, ir.KindDouble: {768, 128, 53}}

// biased returns the biased exponent.
func biased(k ir.TypeKind, x uint64) int { return int(x &^ signBit(k) >> (precision[k] - 1)) }

// scaleFor returns the powers of two for denominator and numerator, and whether
// the quotient must be scaled back.
func (s scaling) scaleFor(k ir.TypeKind, den, num uint64) (d, n int, back bool) {
	ed, en := biased(k, den), biased(k, num)
	most := biased(k, round(k, math.Inf(1))) // exponent of infinity
	switch {
	case en-ed >= s.far:
		return s.by, 0, true
	case ed == 0:
		return s.by, s.by, false
	case ed >= most-2 && en-ed <= -s.far:
		return -s.by, 0, true
	case ed >= most-2:
		return -s.by, -s.by, false
	case en-ed <= -s.far:
		return 0, s.by, true
	case en <= s.tiny:
		return s.by, s.by, false
	}
	return 0, 0, false
}

// emitDivScale computes a scaled operand of a division, and whether the
// quotient must be scaled back.
func emitDivScale(c *compiler, v ir.Value, ops []ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(v))
	ofNum, _ := c.mc.m.IntValue(ops[2])
	t := f.TypeOf(ops[0])
	o := c.elements(v, t, ops[0], ops[1])
	o.sub = uint8(ofNum)
	o.f = func(o *op, num, den, _ uint64) (uint64, uint8) {
		d, n, _ := scalings[o.kind].scaleFor(o.kind, den, num)
		x := den
		if o.sub != 0 && num != den {
			x, d = num, n
		}
		if value(o.kind, num) == 0 || value(o.kind, den) == 0 {
			return quietNaN[o.kind], 0
		}
		return round(o.kind, math.Ldexp(value(o.kind, x), d)), 0
	}
	o = c.elements(v, t, ops[0], ops[1])
	o.dst += lay.at[1]
	o.mask, o.rbits, o.words = 1, 1, 1
	o.f = func(o *op, num, den, _ uint64) (uint64, uint8) {
		_, _, back := scalings[o.kind].scaleFor(o.kind, den, num)
		return b2u(back), 0
	}
}

// emitDivFmas computes a fused multiply-add and undoes the scaling before
// rounding: up if the magnitude of the addend is at least 2, otherwise down.
func emitDivFmas(c *compiler, v ir.Value, ops []ir.Value) {
	flag := c.slot(c.f.Args(v)[3].Value)
	o := c.op(v, func(l *lane, o *op) {
		x, y, z := value(o.kind, l.v[o.a]), value(o.kind, l.v[o.b]), value(o.kind, l.v[o.c])
		n := 0
		if l.v[flag] != 0 {
			n = -scalings[o.kind].by
			if math.Abs(z) >= 2 {
				n = -n
			}
		}
		l.v[o.dst] = fmaScaled(o.kind, x, y, z, n)
		l.t[o.dst] = l.t[o.a] | l.t[o.b] | l.t[o.c] | l.t[flag]
	})
	c.setElements(o, c.f.TypeOf(v), ops...)
}

// fmaScaled returns x*y+z times 2^n, rounded once.
func fmaScaled(k ir.TypeKind, x, y, z float64, n int) uint64 {
	if k == ir.KindFloat {
		return round(k, math.Ldexp(addOdd(float64(x*y), z), n))
	}
	if n == 0 || x-x != 0 || y-y != 0 || z-z != 0 { // includes infinities and NaNs
		return round(k, math.FMA(x, y, z))
	}
	const enough = 5000 // bits between the largest and the smallest product
	sum := new(big.Float).SetPrec(enough).SetFloat64(x)
	sum.Mul(sum, new(big.Float).SetFloat64(y))
	sum.Add(sum, new(big.Float).SetFloat64(z))
	r, _ := sum.SetMantExp(sum, n).Float64()
	return round(k, r)
}

// divFixup returns the final quotient from the computed quotient, the
// denominator and the numerator.
func divFixup(k ir.TypeKind, q, den, num uint64) uint64 {
	d, n := value(k, den), value(k, num)
	exact := n / d
	if n != n || d != d || exact != exact {
		return quietNaN[k]
	}
	sign := (den ^ num) & signBit(k)
	switch {
	case math.IsInf(n, 0), d == 0, math.IsInf(d, 0), n == 0:
		return round(k, exact)
	case biased(k, num)-biased(k, den) < -(1<<(exponentBits(k)-1)-1)-int(precision[k])+1 && k != ir.KindHalf:
		return sign
	case value(k, q) != value(k, q):
		return sign | round(k, math.Inf(1))
	}
	return q&^signBit(k) | sign
}

// exponentBits returns the width of an exponent.
func exponentBits(k ir.TypeKind) int { return bits.Len64(signBit(k)) - int(precision[k]) }

// signBits counts the leading bits equal to the highest one. It returns -1 if
// all bits are equal.
func signBits(x, _, _ uint64) uint64 {
	if int32(x) < 0 {
		x ^= lowHalf
	}
	if x == 0 {
		return lowHalf
	}
	return uint64(bits.LeadingZeros32(uint32(x)))
}

// flushed wraps a unary operation so that it flushes float denormals in operand
// and result, like v_rcp_f32.
func flushed(f floatOp) floatOp {
	zero := func(k ir.TypeKind, x uint64) uint64 {
		if k == ir.KindFloat && biased(k, x) == 0 {
			return x & signBit(k)
		}
		return x
	}
	return func(k ir.TypeKind, x, y, z uint64) uint64 { return zero(k, f(k, zero(k, x), y, z)) }
}

// roughIntrinsics lists the intrinsics that hardware approximates.
var roughIntrinsics = map[ir.Intrinsic]bool{ir.IntrAMDGCNRcp: true, ir.IntrAMDGCNRsq: true, ir.IntrAMDGCNSqrt: true, ir.IntrAMDGCNExp2: true,
	ir.IntrAMDGCNLog: true}

// rough perturbs a result within the error that hardware may have: one unit in
// the last place, or for a double up to 2^28. Results for a significand of all
// ones are exact, as hardware division requires.
func rough(f floatOp) floatOp {
	return func(k ir.TypeKind, x, y, z uint64) uint64 {
		r := f(k, x, y, z)
		v := value(k, r)
		least := [...]float64{ir.KindHalf: 0x1p-13, ir.KindFloat: 0x1p-125, ir.KindDouble: 0x1p-1021}[k]
		if v == 0 || math.IsInf(v, 0) || v != v || math.Abs(v) < least || k == ir.KindHalf {
			return r
		}
		if mant := uint64(1)<<(precision[k]-1) - 1; x&mant == mant {
			return r
		}
		h := (x ^ x>>29) * 0x9e3779b97f4a7c15
		off := int64(h>>40%3) - 1
		if k == ir.KindDouble {
			off = int64(h)>>35 - off
		}
		return r + uint64(off)
	}
}
