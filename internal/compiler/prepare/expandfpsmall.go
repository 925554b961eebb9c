package prepare

import "github.com/gfx-toolchain/gfx/ir"

// isSmall reports whether arithmetic on a type is promoted to float: bfloat,
// and half without half instructions.
func (x *fpExpander) isSmall(t ir.Type) bool {
	s := x.M.Scalar(t)
	return s == ir.BFloat || s == ir.Half && !x.half
}

// smallRule returns the rule of an operation on small types, or nil if it has
// none of its own.
func (x *fpExpander) smallRule(v ir.Value, op ir.Op, id ir.Intrinsic) *fpRule {
	f := x.f
	if f.NumOperands(v) == 0 || !x.isSmall(f.TypeOf(f.Operand(v, 0))) {
		return nil
	}
	r := fpSmall.Get().ops[op]
	if id != ir.NoIntrinsic {
		r = fpSmall.Get().intrinsics[id]
	}
	if r != nil && r.bfloat && x.M.Scalar(f.TypeOf(f.Operand(v, 0))) != ir.BFloat {
		return nil
	}
	return r
}

// fpBFloatDivide expands fdiv of bfloat. A quotient of 8-bit numbers is never
// so close to the midpoint of two results that the error of v_rcp_f32 matters.
func fpBFloatDivide(x *fpExpander, v ir.Value) ir.Value {
	a, b := x.extend(x.f.Operand(v, 0)), x.extend(x.f.Operand(v, 1))
	return x.shorten(x.divFrexp(a, b), ir.BFloat)
}

// fpBFloatSquareRoot expands llvm.sqrt of bfloat. The argument for
// fpBFloatDivide also applies to roots.
func fpBFloatSquareRoot(x *fpExpander, v ir.Value) ir.Value {
	a := x.extend(x.f.Operand(v, 0))
	if x.f32 == denormFlush {
		return x.shorten(x.intr(ir.IntrAMDGCNSqrt, a), ir.BFloat)
	}
	return x.shorten(x.rootScaled(a), ir.BFloat)
}

// fpPromote promotes an operation to float, which has more than twice the bits,
// so that the double rounding is harmless.
func fpPromote(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	t := f.TypeOf(v)
	x.Fast = x.flags(v)
	defer func() { x.Fast = 0 }()
	var few [4]ir.Value
	args := few[:0]
	for _, o := range x.operands(v) {
		a := o.Value
		if x.isSmall(f.TypeOf(a)) {
			a = x.extend(a)
		}
		args = append(args, a)
	}
	result := t
	if x.isSmall(t) {
		result = ir.Float
	}
	r := ir.None
	switch op := f.Op(v); op {
	case ir.OpCall:
		r = x.callOf(f.CalledIntrinsic(v), result, args)
	case ir.OpFCmp:
		r = x.Compare(f.Pred(v), args[0], args[1])
	default:
		r = x.Make(op, result, args...)
	}
	f.Instr(r).Flags |= x.Fast
	return x.shorten(r, t)
}

// fpSmallBits expands fneg, llvm.fabs and llvm.copysign, which change only the
// sign.
func fpSmallBits(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	word := func(a ir.Value) ir.Value { return x.FoldCast(ir.OpZExt, x.FoldCast(ir.OpBitCast, a, ir.I16), ir.I32) }
	sign, rest := x.i32(0x8000), x.i32(0x7fff)
	r := word(f.Operand(v, 0))
	switch {
	case f.Op(v) == ir.OpFNeg:
		r = x.FoldBinary(ir.OpXor, r, sign)
	case f.CalledIntrinsic(v) == ir.IntrFabs:
		r = x.FoldBinary(ir.OpAnd, r, rest)
	default:
		r = x.FoldBinary(ir.OpOr, x.FoldBinary(ir.OpAnd, r, rest), x.FoldBinary(ir.OpAnd, word(f.Operand(v, 1)), sign))
	}
	return x.FoldCast(ir.OpBitCast, x.FoldCast(ir.OpTrunc, r, ir.I16), f.TypeOf(v))
}

// fpSmallFMA expands llvm.fma. The product is exact in double. The sum is
// rounded to odd, so that a second rounding is equivalent to a single one.
func fpSmallFMA(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	wide := func(i int) ir.Value { return x.FoldCast(ir.OpFPExt, x.extend(f.Operand(v, i)), ir.Double) }
	p, c := x.fmul(wide(0), wide(1)), wide(2)
	s := x.fadd(p, c)
	// the rounding error of the sum (D. Knuth, "The Art of Computer
	// Programming", 4.2.2)
	b := x.fsub(s, p)
	lost := x.fadd(x.fsub(p, x.fsub(s, b)), x.fsub(c, b))
	zero := x.num(ir.Double, 0)
	inexact := x.Compare(ir.FCmpONE, lost, zero)
	bits := x.FoldCast(ir.OpBitCast, s, ir.I64)
	signs := x.FoldBinary(ir.OpXor, x.FoldCast(ir.OpBitCast, lost, ir.I64), bits)
	above := x.FoldBinary(ir.OpAnd, x.Compare(ir.ICmpSLT, signs, x.M.NewInt(ir.I64, 0)), inexact)
	bits = x.FoldBinary(ir.OpSub, bits, x.FoldCast(ir.OpZExt, above, ir.I64))
	bits = x.FoldBinary(ir.OpOr, bits, x.FoldCast(ir.OpZExt, inexact, ir.I64))
	return x.FoldCast(ir.OpFPTrunc, x.FoldCast(ir.OpBitCast, bits, ir.Double), f.TypeOf(v))
}

// fpSmallMulAdd expands llvm.fmuladd to a product and a sum.
func fpSmallMulAdd(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	x.Fast = x.flags(v)
	defer func() { x.Fast = 0 }()
	return x.fadd(x.fmul(f.Operand(v, 0), f.Operand(v, 1)), f.Operand(v, 2))
}

// smallClasses lists the bit ranges, from low to high, of half's
// llvm.is.fpclass classes.
var smallClasses = [...]struct{ low, high int }{{0x7c01, 0x7dff}, {0x7e00, 0x7fff}, {0xfc00, 0xfc00}, {0x8400, 0xfbff}, {0x8001, 0x83ff},
	{0x8000, 0x8000}, {0, 0}, {1, 0x3ff}, {0x400, 0x7bff}, {0x7c00, 0x7c00}}

// fpSmallClass expands llvm.is.fpclass.
func fpSmallClass(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a := f.Operand(v, 0)
	mask, _ := x.M.IntValue(f.Operand(v, 1))
	if f.TypeOf(a) == ir.BFloat { // the class of a bfloat is the class of the float
		return x.isClass(x.extend(a), mask)
	}
	word := x.FoldCast(ir.OpZExt, x.FoldCast(ir.OpBitCast, a, ir.I16), ir.I32)
	r := x.M.NewBool(false)
	for i, c := range smallClasses {
		if mask>>i&1 == 0 {
			continue
		}
		w := word
		if i < 2 {
			w = x.FoldBinary(ir.OpAnd, word, x.i32(0x7fff))
		}
		in := x.Compare(ir.ICmpULE, x.FoldBinary(ir.OpSub, w, x.i32(c.low)), x.i32(c.high-c.low))
		r = x.FoldBinary(ir.OpOr, r, in)
	}
	return r
}
