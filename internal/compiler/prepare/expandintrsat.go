package prepare

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// bounds returns the smallest and largest signed number of the current width,
// in the type of the computation.
func (x *intrinsicExpander) bounds() (low, high ir.Value) {
	high = x.M.NewInt(x.reg, 1<<(x.bits-1)-1)
	return x.M.NewSigned(x.reg, -1<<(x.bits-1)), high
}

// unsignedMax returns the largest unsigned number of the current width, in the
// type of the computation.
func (x *intrinsicExpander) unsignedMax() ir.Value {
	return x.M.NewInt(x.reg, ^uint64(0)>>(64-x.bits))
}

// full reports whether the current width is the width of the computation.
func (x *intrinsicExpander) full() bool { return x.t == x.reg }

// expandUnsignedSat expands uadd.sat and usub.sat.
func expandUnsignedSat(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	if x.bits == 32 && x.clamp {
		return ir.None
	}
	a, b := x.zext(f.Operand(v, 0)), x.zext(f.Operand(v, 1))
	switch {
	case id == ir.IntrUsubSat && x.reg == ir.I32 && x.clamp:
		return x.trunc(x.call(id, a, b))
	case id == ir.IntrUsubSat:
		return x.trunc(x.Op(ir.OpSub, x.minMax(ir.IntrUmax, a, b), b))
	}
	if x.full() { // limit a to the room above b
		room := x.Op(ir.OpXor, b, x.M.NewSigned(x.reg, -1))
		return x.Op(ir.OpAdd, x.minMax(ir.IntrUmin, a, room), b)
	}
	return x.trunc(x.minMax(ir.IntrUmin, x.Op(ir.OpAdd, a, b), x.unsignedMax()))
}

// expandSignedSat expands sadd.sat and ssub.sat.
func expandSignedSat(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	op := ir.OpAdd
	if id == ir.IntrSsubSat {
		op = ir.OpSub
	}
	a, b := x.sext(f.Operand(v, 0)), x.sext(f.Operand(v, 1))
	sum := x.Op(op, a, b)
	low, high := x.bounds()
	if !x.full() {
		return x.trunc(x.minMax(ir.IntrSmax, x.minMax(ir.IntrSmin, sum, high), low))
	}
	// a wrong sign determines which bound was exceeded
	bound := x.Op(ir.OpXor, x.Shift(ir.OpAShr, sum, uint64(x.bits-1)), low)
	return x.Choose(x.signedOver(op, a, b, sum), bound, sum)
}

// signedOver returns whether a sum or difference of the full width overflowed:
// its sign then contradicts the signs of the operands.
func (x *intrinsicExpander) signedOver(op ir.Op, a, b, sum ir.Value) ir.Value {
	one, other := x.Op(ir.OpXor, sum, a), x.Op(ir.OpXor, sum, b)
	if op == ir.OpSub {
		other = x.Op(ir.OpXor, a, b)
	}
	return x.FoldCompare(ir.ICmpSLT, x.Op(ir.OpAnd, one, other), x.num(a, 0))
}

// expandShiftSat expands ushl.sat and sshl.sat: shifting back does not restore
// lost bits.
func expandShiftSat(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	if x.bits == 1 {
		return a // the amount is 0
	}
	shifted := x.Op(ir.OpShl, a, b)
	if id == ir.IntrUshlSat {
		back := x.Op(ir.OpLShr, shifted, b)
		return x.Choose(x.FoldCompare(ir.ICmpNE, back, a), x.M.NewSigned(x.t, -1), shifted)
	}
	back := x.Op(ir.OpAShr, shifted, b)
	low, high := x.negPower(x.t, x.bits-1), x.power(x.t, x.bits-1, -1)
	bound := x.Choose(x.FoldCompare(ir.ICmpSLT, a, x.num(a, 0)), low, high)
	return x.Choose(x.FoldCompare(ir.ICmpNE, back, a), bound, shifted)
}

// expandOverflow expands the intrinsics that return a result and an overflow
// flag, which are read with extractvalue.
func expandOverflow(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	var r, over ir.Value
	switch id {
	case ir.IntrUmulWithOverflow:
		r, over = x.unsignedProduct(a, b)
	case ir.IntrSmulWithOverflow:
		r, over = x.signedProduct(a, b)
	case ir.IntrUaddWithOverflow:
		r = x.Op(ir.OpAdd, a, b)
		over = x.FoldCompare(ir.ICmpULT, r, a)
		if x.bits == 1 {
			over = x.Op(ir.OpAnd, a, b)
		}
	case ir.IntrUsubWithOverflow:
		r = x.Op(ir.OpSub, a, b)
		over = x.FoldCompare(ir.ICmpULT, a, b)
	case ir.IntrSaddWithOverflow:
		r, over = x.signedSum(ir.OpAdd, a, b)
	default:
		r, over = x.signedSum(ir.OpSub, a, b)
	}
	return x.pair(v, r, over)
}

// pair replaces extractions of the parts of a result by the parts. It returns
// an aggregate for other users, or None if there are none.
func (x *intrinsicExpander) pair(v, r, over ir.Value) ir.Value {
	f := x.f
	for u := f.FirstUse(v); u != 0; {
		user := f.User(u)
		u = f.NextUse(u)
		if f.Op(user) != ir.OpExtractValue {
			continue
		}
		n := r
		if f.Indices(user)[0] == 1 {
			n = over
		}
		x.replace(user, n)
		f.Erase(user)
	}
	t := f.TypeOf(v)
	if !f.HasUses(v) {
		return x.M.Poison(t)
	}
	x.Before(v)
	return x.InsertValue(x.InsertValue(x.M.Poison(t), r, 0), over, 1)
}

// signedSum computes a sum or difference and whether it overflowed.
func (x *intrinsicExpander) signedSum(op ir.Op, a, b ir.Value) (r, over ir.Value) {
	if x.full() || x.bits == 1 {
		r = x.Op(op, a, b)
		return r, x.signedOver(op, a, b, r)
	}
	wide := x.Op(op, x.sext(a), x.sext(b))
	r = x.trunc(wide)
	return r, x.FoldCompare(ir.ICmpNE, x.sext(r), wide)
}

// unsignedProduct computes an unsigned product and whether it overflowed.
func (x *intrinsicExpander) unsignedProduct(a, b ir.Value) (r, over ir.Value) {
	if x.bits > 32 {
		p, q := x.zext(a), x.zext(b)
		low, high := x.Op(ir.OpMul, p, q), x.mulHigh64(p, q)
		over = x.FoldCompare(ir.ICmpNE, high, x.num(high, 0))
		if !x.full() {
			over = x.Op(ir.OpOr, over, x.FoldCompare(ir.ICmpUGT, low, x.unsignedMax()))
		}
		return x.trunc(low), over
	}
	t := x.productType()
	wide := x.Op(ir.OpMul, x.FoldCast(ir.OpZExt, a, t), x.FoldCast(ir.OpZExt, b, t))
	return x.trunc(wide), x.FoldCompare(ir.ICmpUGT, wide, x.M.NewInt(t, 1<<x.bits-1))
}

// productType returns a type that holds products of the current width, which is
// at most 32.
func (x *intrinsicExpander) productType() ir.Type {
	if x.bits <= 16 {
		return ir.I32
	}
	return ir.I64
}

func (x *intrinsicExpander) signedProduct(a, b ir.Value) (r, over ir.Value) {
	if x.bits > 32 {
		p, q := x.sext(a), x.sext(b)
		low, high := x.Op(ir.OpMul, p, q), x.mulHighSigned(p, q)
		over = x.FoldCompare(ir.ICmpNE, high, x.Shift(ir.OpAShr, low, 63))
		r = x.trunc(low)
		if !x.full() {
			over = x.Op(ir.OpOr, over, x.FoldCompare(ir.ICmpNE, x.sext(r), low))
		}
		return r, over
	}
	t := x.productType()
	wide := x.Op(ir.OpMul, x.FoldCast(ir.OpSExt, a, t), x.FoldCast(ir.OpSExt, b, t))
	r = x.trunc(wide)
	return r, x.FoldCompare(ir.ICmpNE, x.FoldCast(ir.OpSExt, r, t), wide)
}

// mulHighSigned returns the upper half of a signed product of i64: the unsigned
// product, minus the contribution of negative operands.
func (x *intrinsicExpander) mulHighSigned(p, q ir.Value) ir.Value {
	high := x.mulHigh64(p, q)
	high = x.Op(ir.OpSub, high, x.Op(ir.OpAnd, x.Shift(ir.OpAShr, p, 63), q))
	return x.Op(ir.OpSub, high, x.Op(ir.OpAnd, x.Shift(ir.OpAShr, q, 63), p))
}

// isSignedFix and isSatFix classify the intrinsics on fixed-point numbers.
func isSignedFix(id ir.Intrinsic) bool {
	return id == ir.IntrSmulFix || id == ir.IntrSmulFixSat || id == ir.IntrSdivFix || id == ir.IntrSdivFixSat
}

func isSatFix(id ir.Intrinsic) bool {
	return id == ir.IntrUmulFixSat || id == ir.IntrSmulFixSat || id == ir.IntrUdivFixSat || id == ir.IntrSdivFixSat
}

// isWideFix reports whether an instruction is a call of a fixed-point intrinsic
// that is expanded with integers wider than 64 bits.
func isWideFix(f *ir.Function, v ir.Value) bool {
	switch f.CalledIntrinsic(v) {
	case ir.IntrUmulFix, ir.IntrUmulFixSat, ir.IntrSmulFix, ir.IntrSmulFixSat, ir.IntrUdivFix, ir.IntrUdivFixSat, ir.IntrSdivFix, ir.IntrSdivFixSat:
		return f.Module().IntBits(f.TypeOf(v)) > 32
	}
	return false
}

// fixType returns a type that holds products of fixed-point numbers of the
// current width.
func (x *intrinsicExpander) fixType() ir.Type {
	switch {
	case x.bits <= 32:
		return ir.I64
	case x.bits <= 64:
		return ir.I128
	}
	return x.M.IntType(2 * x.bits)
}

// expandMulFix expands products of fixed-point numbers, which drop the lowest
// bits of the product.
func expandMulFix(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f, t := x.f, x.fixType()
	scale, _ := x.M.IntValue(f.Operand(v, 2))
	op, down := ir.OpZExt, ir.OpLShr
	if isSignedFix(id) {
		op, down = ir.OpSExt, ir.OpAShr
	}
	product := x.Op(ir.OpMul, x.FoldCast(op, f.Operand(v, 0), t), x.FoldCast(op, f.Operand(v, 1), t))
	return x.fixed(id, x.Shift(down, product, scale))
}

// power returns the constant 2^n plus a small number, and negPower returns
// -2^n.
func (x *intrinsicExpander) power(t ir.Type, n int, add int64) ir.Value {
	p := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return x.M.NewBig(t, p.Add(p, big.NewInt(add)))
}

func (x *intrinsicExpander) negPower(t ir.Type, n int) ir.Value {
	p := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return x.M.NewBig(t, p.Neg(p))
}

// fixed converts a wide number to the current type, saturating if the intrinsic
// does.
func (x *intrinsicExpander) fixed(id ir.Intrinsic, wide ir.Value) ir.Value {
	if !isSatFix(id) {
		return x.trunc(wide)
	}
	limit := func(p ir.Pred, bound ir.Value) {
		wide = x.Choose(x.FoldCompare(p, wide, bound), wide, bound)
	}
	t := x.f.TypeOf(wide)
	if isSignedFix(id) {
		limit(ir.ICmpSLT, x.power(t, x.bits-1, -1))
		limit(ir.ICmpSGT, x.negPower(t, x.bits-1))
	} else {
		limit(ir.ICmpULT, x.power(t, x.bits, -1))
	}
	return x.trunc(wide)
}

// expandDivFix expands quotients of fixed-point numbers, rounded toward minus
// infinity.
func expandDivFix(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f, t := x.f, x.fixType()
	scale, _ := x.M.IntValue(f.Operand(v, 2))
	op := ir.OpZExt
	if isSignedFix(id) {
		op = ir.OpSExt
	}
	a := x.Shift(ir.OpShl, x.FoldCast(op, f.Operand(v, 0), t), scale)
	b := x.FoldCast(op, f.Operand(v, 1), t)
	if op == ir.OpZExt {
		return x.fixed(id, x.Make(ir.OpUDiv, t, a, b))
	}
	q := x.Make(ir.OpSDiv, t, a, b)
	r := x.Op(ir.OpSub, a, x.Op(ir.OpMul, q, b))
	negative := x.FoldCompare(ir.ICmpSLT, x.Op(ir.OpXor, a, b), x.num(a, 0))
	inexact := x.Op(ir.OpAnd, negative, x.FoldCompare(ir.ICmpNE, r, x.num(r, 0)))
	return x.fixed(id, x.Op(ir.OpSub, q, x.FoldCast(ir.OpZExt, inexact, t)))
}
