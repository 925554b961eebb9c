package prepare

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// smallFloat reports whether a type is half, bfloat, float or double, or a vector of them.
func (x *intExpander) smallFloat(t ir.Type) bool {
	s := x.M.Scalar(t)
	return s == ir.Half || s == ir.BFloat || s == ir.Float || s == ir.Double
}

// wideFromFloat expands fptoui and fptosi: the mantissa of a double is shifted
// into position. Out-of-range values are poison.
func wideFromFloat(x *intExpander, v ir.Value) bool {
	f := x.f
	a := f.Operand(v, 0)
	t := f.TypeOf(a)
	w, n, elems := x.scalar(f.TypeOf(v))
	out := make([]ir.Value, 0, n*elems)
	if signed := f.Op(v) == ir.OpFPToSI; x.M.Scalar(t) == ir.FP128 && w > wordBits {
		for i := range elems {
			out = append(out, x.fromQuad(x.parts(a)[2*i:2*i+2], signed, w, n)...)
		}
		return x.done(v, out)
	}
	if !x.smallFloat(t) {
		return false
	}
	for i := range elems {
		e := a
		if x.M.IsVector(t) {
			e = x.element(a, i)
		}
		out = append(out, x.fromDouble(x.FoldCast(ir.OpFPExt, e, ir.Double), f.Op(v) == ir.OpFPToSI, w, n)...)
	}
	return x.done(v, out)
}

func (x *intExpander) fromDouble(d ir.Value, signed bool, w, n int) []ir.Value {
	bits := x.FoldCast(ir.OpBitCast, d, ir.I64)
	exp := x.Op(ir.OpAnd, x.Shift(ir.OpLShr, bits, 52), x.i64(0x7ff))
	mant := x.Op(ir.OpOr, x.Op(ir.OpAnd, bits, x.i64(1<<52-1)), x.i64(1<<52))
	// value = mant * 2^(exp-1075)
	left := x.FoldCompare(ir.ICmpUGE, exp, x.i64(1075))
	up := x.Choose(left, x.Op(ir.OpSub, exp, x.i64(1075)), x.i64(0))
	tiny := x.FoldCompare(ir.ICmpULT, exp, x.i64(1023))
	down := x.Choose(x.Op(ir.OpOr, left, tiny), x.i64(0), x.Op(ir.OpSub, x.i64(1075), exp))
	first := x.Choose(tiny, x.i64(0), x.Op(ir.OpLShr, mant, down))
	p := make([]ir.Value, n)
	for i := range p {
		p[i] = x.i64(0)
	}
	p[0] = first
	p = x.shiftWide(ir.OpShl, p, up, w)
	if !signed {
		return p
	}
	return x.negate(p, x.FoldCompare(ir.ICmpSLT, bits, x.i64(0)), w)
}

// negate returns -p if neg is set, otherwise p.
func (x *intExpander) negate(p []ir.Value, neg ir.Value, w int) []ir.Value {
	sign := x.FoldCast(ir.OpSExt, neg, ir.I64)
	fill := make([]ir.Value, len(p))
	inverted := make([]ir.Value, len(p))
	for i := range p {
		fill[i] = sign
		inverted[i] = x.Op(ir.OpXor, p[i], sign)
	}
	out, _ := x.sub(inverted, fill)
	return x.mask(out, w)
}

// wideToFloat expands uitofp and sitofp with one rounding: the highest 64 bits,
// of which the lowest is sticky, are converted, and the result is scaled.
func wideToFloat(x *intExpander, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(v)
	w, n, elems := x.scalar(f.TypeOf(f.Operand(v, 0)))
	quad := x.M.Scalar(t) == ir.FP128
	if !x.smallFloat(t) && (!quad || w <= wordBits) {
		return false
	}
	a := x.parts(f.Operand(v, 0))
	out := make([]ir.Value, 0, elems)
	for i := range elems {
		p := a[i*n : (i+1)*n]
		neg := x.M.NewBool(false)
		if f.Op(v) == ir.OpSIToFP {
			neg = x.FoldCompare(ir.ICmpSLT, x.topSigned(p, w), x.i64(0))
			p = x.negate(p, neg, w)
		}
		if quad {
			r := x.toQuad(p)
			out = append(out, r[0], x.Op(ir.OpOr, r[1], x.Choose(neg, x.i64(quadSign), x.i64(0))))
			continue
		}
		r := x.toFloat(p, x.M.Scalar(t), n)
		out = append(out, x.Choose(neg, x.FNeg(r), r))
	}
	return x.done(v, out)
}

func (x *intExpander) toFloat(p []ir.Value, t ir.Type, n int) ir.Value {
	high := x.i64(0)
	for _, q := range p[1:] {
		high = x.Op(ir.OpOr, high, q)
	}
	isBig := x.FoldCompare(ir.ICmpNE, high, x.i64(0))
	small := x.FoldCast(ir.OpUIToFP, p[0], t)
	if t == ir.Half { // more than 64 bits always overflow
		return x.Choose(isBig, x.M.NewFloatBits(ir.Half, 0x7c00), small)
	}
	zeros := x.countZeros(p)
	zeros = x.Choose(isBig, zeros, x.i64(0))
	norm := x.shiftWide(ir.OpShl, p, zeros, n*wordBits)
	rest := x.i64(0)
	for _, q := range norm[:n-1] {
		rest = x.Op(ir.OpOr, rest, q)
	}
	top := x.Op(ir.OpOr, norm[n-1], x.bool64(x.FoldCompare(ir.ICmpNE, rest, x.i64(0))))
	scale := x.FoldCast(ir.OpTrunc, x.Op(ir.OpSub, x.i64(uint64((n-1)*wordBits)), zeros), ir.I32)
	work := t
	if t == ir.BFloat {
		work = ir.Float
	}
	r := x.FoldCast(ir.OpFPExt, x.FoldCast(ir.OpUIToFP, top, t), work)
	r = x.Call(x.M.DeclareIntrinsic(ir.IntrLdexp, work, ir.I32), r, scale)
	r = x.FoldCast(ir.OpFPTrunc, r, t)
	return x.Choose(isBig, r, small)
}

// countZeros returns the number of zeros above the highest one bit of parts,
// all bits of which are significant.
func (x *intExpander) countZeros(p []ir.Value) ir.Value {
	n := len(p)
	ctlz := x.M.DeclareIntrinsic(ir.IntrCtlz, ir.I64)
	count := ir.None
	for i, q := range p {
		c := x.Op(ir.OpAdd, x.Call(ctlz, q, x.M.NewBool(false)), x.i64(uint64((n-1-i)*wordBits)))
		if i > 0 {
			c = x.Choose(x.FoldCompare(ir.ICmpNE, q, x.i64(0)), c, count)
		}
		count = c
	}
	return count
}

// expandSaturating replaces fptoui.sat and fptosi.sat to wide integers by plain
// conversions and selects.
func (x *intExpander) expandSaturating() {
	f := x.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			id := f.CalledIntrinsic(v)
			if (id == ir.IntrFptouiSat || id == ir.IntrFptosiSat) && x.M.IntBits(f.TypeOf(v)) > wordBits && x.smallFloat(f.TypeOf(f.Operand(v, 0))) {
				x.Before(v)
				f.ReplaceUses(v, x.saturating(id == ir.IntrFptosiSat, f.Operand(v, 0), f.TypeOf(v)))
				f.Erase(v)
			}
			v = next
		}
	}
}

// saturating converts a float to an integer type. Values below its range become
// the smallest number, values above it the largest, and NaN becomes 0.
func (x *intExpander) saturating(signed bool, v ir.Value, t ir.Type) ir.Value {
	m := x.M
	width := m.IntBits(t)
	op, low, high := ir.OpFPToUI, new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if signed {
		op = ir.OpFPToSI
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if t := x.F.TypeOf(v); t == ir.Half || t == ir.BFloat {
		v = x.FoldCast(ir.OpFPExt, v, ir.Float)
	}
	ft := x.F.TypeOf(v)
	bound := func(n *big.Int) ir.Value {
		d, _ := new(big.Float).SetInt(n).Float64()
		return m.NewFloat(ft, d) // infinity if d exceeds the format
	}
	r := x.Make(op, t, v)
	r = x.Select(x.Compare(ir.FCmpOGE, v, bound(high)), m.NewBig(t, new(big.Int).Sub(high, big.NewInt(1))), r)
	if signed {
		// The bound itself is included because it is minus infinity if the
		// format has no number of that magnitude.
		r = x.Select(x.Compare(ir.FCmpOLE, v, bound(low)), m.NewBig(t, low), r)
		return x.Select(x.Compare(ir.FCmpUNO, v, v), m.Zero(t), r)
	}
	return x.Select(x.Compare(ir.FCmpOGT, v, m.Zero(ft)), r, m.Zero(t))
}
