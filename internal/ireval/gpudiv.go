package ireval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// scaling says how v_div_scale of a kind works: what happens depends on the exponents of denominator and numerator alone.
type scaling struct {
	far  int // exponents that differ so much need one operand scaled
	by   int // power of two
	tiny int // biased exponents up to this one are too small for a numerator
}

var scalings = [...]scaling{ir.KindFloat: {96, 64, 24}, ir.KindDouble: {768, 128, 53}}

// biased gives the field of the exponent.
func biased(k ir.TypeKind, x uint64) int { return int(x &^ signBit(k) >> (precision[k] - 1)) }

// scaleFor gives the powers of two for denominator and numerator, and whether the quotient is off by a power then.
func (s scaling) scaleFor(k ir.TypeKind, den, num uint64) (d, n int, back bool) {
	ed, en := biased(k, den), biased(k, num)
	most := biased(k, round(k, math.Inf(1))) // of infinity
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

// emitDivScale gives an operand of a division, scaled, and whether exactly one of both is.
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

// emitDivFmas multiplies and adds, and undoes a scaling before it rounds: up if the addend is 2 or more, else down.
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

// fmaScaled is x*y+z times two to the power of n, rounded once.
func fmaScaled(k ir.TypeKind, x, y, z float64, n int) uint64 {
	if k == ir.KindFloat {
		return round(k, math.Ldexp(addOdd(float64(x*y), z), n))
	}
	if n == 0 || x-x != 0 || y-y != 0 || z-z != 0 { // also of infinities and NaNs
		return round(k, math.FMA(x, y, z))
	}
	const enough = 5000 // bits, from the largest product down to the smallest
	sum := new(big.Float).SetPrec(enough).SetFloat64(x)
	sum.Mul(sum, new(big.Float).SetFloat64(y))
	sum.Add(sum, new(big.Float).SetFloat64(z))
	r, _ := sum.SetMantExp(sum, n).Float64()
	return round(k, r)
}

// divFixup gives a quotient from what was computed, the denominator and the numerator.
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
	case biased(k, num)-biased(k, den) < -(1<<(bitsOfKind(k)-1)-1)-int(precision[k])+1 && k != ir.KindHalf:
		return sign
	case value(k, q) != value(k, q):
		return sign | round(k, math.Inf(1))
	}
	return q&^signBit(k) | sign
}

// bitsOfKind gives how many bits an exponent has.
func bitsOfKind(k ir.TypeKind) int { return bits.Len64(signBit(k)) - int(precision[k]) }

// signBits counts the bits like the highest one, and gives -1 when all are.
func signBits(x, _, _ uint64) uint64 {
	if int32(x) < 0 {
		x ^= lowHalf
	}
	if x == 0 {
		return lowHalf
	}
	return uint64(bits.LeadingZeros32(uint32(x)))
}

// flushed makes an operation of one on floats that neither takes nor gives denormals, as v_rcp_f32 and its kin.
func flushed(f floatOp) floatOp {
	zero := func(k ir.TypeKind, x uint64) uint64 {
		if k == ir.KindFloat && biased(k, x) == 0 {
			return x & signBit(k)
		}
		return x
	}
	return func(k ir.TypeKind, x, y, z uint64) uint64 { return zero(k, f(k, zero(k, x), y, z)) }
}

// roughIntrinsics are those that hardware only approximates.
var roughIntrinsics = map[ir.Intrinsic]bool{ir.IntrAMDGCNRcp: true, ir.IntrAMDGCNRsq: true, ir.IntrAMDGCNSqrt: true, ir.IntrAMDGCNExp2: true,
	ir.IntrAMDGCNLog: true}

// rough makes a result one that hardware may give as well: off by one unit in the last place, or of a double by up to 2^28. Where all bits of
// the significand are ones, the hardware must be right, or no division could be.
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
