package prepare

import "github.com/gfx-toolchain/gfx/ir"

// fp128 has no instructions and, on GPUs, no functions that implement it.
// Loads, moves, conversions of wide integers, and the operations on signs and
// classes in this file are the ones that LLVM's legalizer expands inline.
// Everything else remains and is rejected before selection.

// The parts of an fp128: a sign bit, a biased exponent, and a significand whose
// leading bit is implicit, as in IEEE 754.
const (
	quadBits     = 128
	quadMantissa = 112
	quadExponent = 1<<15 - 1 // the largest biased exponent, of infinities and NaNs
	quadBias     = 1<<14 - 1
	quadHigh     = quadMantissa - wordBits // bits of the significand in the upper word
	quadSign     = 1 << (wordBits - 1)     // in the upper word
)

// wideFNeg inverts the signs of fp128.
func wideFNeg(x *intExpander, v ir.Value) bool {
	if x.M.Scalar(x.f.TypeOf(v)) != ir.FP128 {
		return false
	}
	out := append([]ir.Value(nil), x.parts(x.f.Operand(v, 0))...)
	for i := 1; i < len(out); i += 2 {
		out[i] = x.Op(ir.OpXor, out[i], x.i64(quadSign))
	}
	return x.done(v, out)
}

// wideFPTrunc converts fp128 to a shorter type if only the sign of the result is
// used. The highest bits of the number have the same sign.
func wideFPTrunc(x *intExpander, v ir.Value) bool {
	f, t := x.f, x.f.TypeOf(v)
	if f.TypeOf(f.Operand(v, 0)) != ir.FP128 {
		return false
	}
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if f.CalledIntrinsic(user) != ir.IntrCopysign || f.Operand(user, 0) == v {
			return false
		}
	}
	bits := x.M.SizeInBits(t)
	high := x.Shift(ir.OpLShr, x.parts(f.Operand(v, 0))[1], wordBits-bits)
	return x.done(v, []ir.Value{x.FoldCast(ir.OpBitCast, x.FoldCast(ir.OpTrunc, high, x.M.IntType(int(bits))), t)})
}

// quadFabs and quadCopysign replace the sign.
func quadFabs(x *intExpander, _ ir.Intrinsic, args [][]ir.Value, _ int) []ir.Value {
	return []ir.Value{args[0][0], x.Op(ir.OpAnd, args[0][1], x.i64(quadSign-1))}
}

func quadCopysign(x *intExpander, _ ir.Intrinsic, args [][]ir.Value, _ int) []ir.Value {
	sign := x.Op(ir.OpAnd, args[1][1], x.i64(quadSign))
	return []ir.Value{args[0][0], x.Op(ir.OpOr, x.Op(ir.OpAnd, args[0][1], x.i64(quadSign-1)), sign)}
}

// The classes of llvm.is.fpclass: bits of its mask, of NaNs and, from the
// infinities inwards, of negative numbers; the ones of positive numbers follow
// in the opposite order.
const (
	quadSignaling = iota
	quadQuiet
	quadInfinite
	quadNormal
	quadSubnormal
	quadZero
	quadClasses = 10
)

// quadClass expands llvm.is.fpclass.
func quadClass(x *intExpander, _ ir.Intrinsic, args [][]ir.Value, _ int) []ir.Value {
	low, high := args[0][0], args[0][1]
	mask, _ := x.M.IntValue(args[1][0])
	exp := x.Op(ir.OpAnd, x.Shift(ir.OpLShr, high, quadHigh), x.i64(quadExponent))
	rest := x.Op(ir.OpOr, low, x.Op(ir.OpAnd, high, x.i64(1<<quadHigh-1)))
	is := func(p ir.Pred, v ir.Value, n uint64) ir.Value { return x.FoldCompare(p, v, x.i64(n)) }
	both := func(a, b ir.Value) ir.Value { return x.Op(ir.OpAnd, a, b) }
	zero, largest := is(ir.ICmpEQ, exp, 0), is(ir.ICmpEQ, exp, quadExponent)
	whole, part := is(ir.ICmpEQ, rest, 0), is(ir.ICmpNE, rest, 0)
	quiet := x.Op(ir.OpAnd, high, x.i64(1<<(quadHigh-1)))
	classes := [...]ir.Value{
		quadSignaling: both(both(largest, part), is(ir.ICmpEQ, quiet, 0)),
		quadQuiet:     both(largest, is(ir.ICmpNE, quiet, 0)),
		quadInfinite:  both(largest, whole),
		quadNormal:    both(is(ir.ICmpNE, exp, 0), is(ir.ICmpNE, exp, quadExponent)),
		quadSubnormal: both(zero, part),
		quadZero:      both(zero, whole),
	}
	sum := x.M.NewBool(false)
	for bit := range quadClasses {
		if mask>>bit&1 == 0 {
			continue
		}
		class := ir.None
		switch {
		case bit <= quadQuiet:
			class = classes[bit]
		case bit <= quadZero:
			class = both(classes[bit], is(ir.ICmpSLT, high, 0))
		default:
			class = both(classes[quadClasses+quadQuiet-bit], is(ir.ICmpSGE, high, 0))
		}
		sum = x.Op(ir.OpOr, sum, class)
	}
	return []ir.Value{sum}
}

// fromQuad converts an fp128 to an integer of w bits, n words. Out-of-range
// values are poison.
func (x *intExpander) fromQuad(q []ir.Value, signed bool, w, n int) []ir.Value {
	exp := x.Op(ir.OpAnd, x.Shift(ir.OpLShr, q[1], quadHigh), x.i64(quadExponent))
	high := x.Op(ir.OpOr, x.Op(ir.OpAnd, q[1], x.i64(1<<quadHigh-1)), x.i64(1<<quadHigh))
	// value = significand * 2^(exp-unit)
	const unit = quadBias + quadMantissa
	large := x.FoldCompare(ir.ICmpUGE, exp, x.i64(unit))
	tiny := x.FoldCompare(ir.ICmpULT, exp, x.i64(quadBias))
	down := x.Choose(x.Op(ir.OpOr, large, tiny), x.i64(0), x.Op(ir.OpSub, x.i64(unit), exp))
	up := x.Choose(large, x.Op(ir.OpSub, exp, x.i64(unit)), x.i64(0))
	p := x.shiftWide(ir.OpLShr, []ir.Value{q[0], high}, down, quadBits)
	for i := range p {
		p[i] = x.Choose(tiny, x.i64(0), p[i])
	}
	for len(p) < n {
		p = append(p, x.i64(0))
	}
	p = x.mask(x.shiftWide(ir.OpShl, p, up, n*wordBits), w)
	if !signed {
		return p
	}
	return x.negate(p, x.FoldCompare(ir.ICmpSLT, q[1], x.i64(0)), w)
}

// toQuad converts a magnitude of n words, at least two, to fp128 with one
// rounding to nearest even.
func (x *intExpander) toQuad(p []ir.Value) []ir.Value {
	n := len(p)
	all := x.i64(0)
	for _, q := range p {
		all = x.Op(ir.OpOr, all, q)
	}
	none := x.FoldCompare(ir.ICmpEQ, all, x.i64(0))
	zeros := x.Choose(none, x.i64(0), x.countZeros(p))
	norm := x.shiftWide(ir.OpShl, p, zeros, n*wordBits)
	const dropped = quadBits - quadMantissa - 1 // bits of the two highest words below the significand
	sticky := x.i64(0)
	for _, q := range norm[:n-2] {
		sticky = x.Op(ir.OpOr, sticky, q)
	}
	m := x.shiftWide(ir.OpLShr, norm[n-2:], x.i64(dropped), quadBits)
	rest := x.Op(ir.OpAnd, norm[n-2], x.i64(1<<dropped-1))
	odd := x.Op(ir.OpAnd, m[0], x.i64(1))
	// A half is rounded up if something follows it or the significand is odd.
	follows := x.bool64(x.FoldCompare(ir.ICmpNE, x.Op(ir.OpOr, sticky, odd), x.i64(0)))
	up := x.FoldCompare(ir.ICmpUGT, x.Op(ir.OpAdd, rest, follows), x.i64(1<<(dropped-1)))
	// The sum with the leading bit increments the exponent.
	exp := x.Op(ir.OpSub, x.i64(uint64(quadBias+n*wordBits-2)), zeros)
	out, _ := x.addParts(m, []ir.Value{x.bool64(up), x.Shift(ir.OpShl, exp, quadHigh)})
	for i := range out {
		out[i] = x.Choose(none, x.i64(0), out[i])
	}
	return out
}
