package prepare

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// fpNearbyint expands llvm.nearbyint and llvm.roundeven to llvm.rint, which is
// equivalent in the default environment.
func fpNearbyint(x *fpExpander, v ir.Value) ir.Value { return x.intr(ir.IntrRint, x.f.Operand(v, 0)) }

// fpRound expands llvm.round, which rounds halves away from zero.
func fpRound(x *fpExpander, v ir.Value) ir.Value {
	a, t := x.f.Operand(v, 0), x.f.TypeOf(v)
	whole := x.intr(ir.IntrTrunc, a)
	far := x.Compare(ir.FCmpOGE, x.fabs(x.fsub(a, whole)), x.num(t, 0.5))
	return x.fadd(whole, x.intr(ir.IntrCopysign, x.Select(far, x.num(t, 1), x.num(t, 0)), a))
}

// wantWhole is the condition for rounding doubles, which gfx6 does not support.
func wantWhole(x *fpExpander, _ ir.Value, t ir.Type) bool {
	return x.gfx6 && x.M.Scalar(t) == ir.Double
}

// fpWholeTrunc clears the fraction bits of a double.
func fpWholeTrunc(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	_, high := x.halves(a)
	word := x.FoldCast(ir.OpBitCast, a, ir.I64)
	exp := x.FoldBinary(ir.OpAnd, x.Shift(ir.OpLShr, high, 20), x.i32(0x7ff))
	exp = x.FoldBinary(ir.OpAdd, exp, x.i32(-1023))
	sign := x.pair(x.i32(0), x.FoldBinary(ir.OpAnd, high, x.i32(math.MinInt32)))
	by := x.FoldCast(ir.OpZExt, x.FoldBinary(ir.OpAnd, exp, x.i32(63)), ir.I64)
	fraction := x.FoldBinary(ir.OpLShr, x.M.NewInt(ir.I64, 1<<52-1), by)
	kept := x.FoldBinary(ir.OpAnd, word, x.FoldBinary(ir.OpXor, fraction, x.M.NewInt(ir.I64, math.MaxUint64)))
	r := x.Select(x.Compare(ir.ICmpSLT, exp, x.i32(0)), sign, kept)
	r = x.Select(x.Compare(ir.ICmpSGT, exp, x.i32(51)), word, r)
	return x.FoldCast(ir.OpBitCast, r, ir.Double)
}

// fpWholeCeil and fpWholeFloor correct the truncated number.
func fpWholeCeil(x *fpExpander, v ir.Value) ir.Value  { return x.wholeStep(v, ir.FCmpOLT, 1) }
func fpWholeFloor(x *fpExpander, v ir.Value) ir.Value { return x.wholeStep(v, ir.FCmpOGT, -1) }

// wholeStep adds a step to the integer part if its comparison with the number
// is true.
func (x *fpExpander) wholeStep(v ir.Value, p ir.Pred, step float64) ir.Value {
	a := x.f.Operand(v, 0)
	whole := x.intr(ir.IntrTrunc, a)
	return x.Select(x.Compare(p, whole, a), x.fadd(whole, x.num(ir.Double, step)), whole)
}

// fpWholeRint rounds with an addition: numbers of 2^52 and more have no
// fraction bits.
func fpWholeRint(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	big := x.intr(ir.IntrCopysign, x.num(ir.Double, 0x1p+52), a)
	r := x.intr(ir.IntrCopysign, x.fsub(x.fadd(a, big), big), a)
	return x.Select(x.Compare(ir.FCmpOLT, x.fabs(a), x.num(ir.Double, 0x1p+52)), r, a)
}

// fpMulAdd expands llvm.fmuladd to the faster operation. If denormals are
// flushed, selection may combine a product and a sum to v_mad, which rounds
// both.
func fpMulAdd(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, b, c := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	x.Fast = x.flags(v)
	defer func() { x.Fast = 0 }()
	if x.prefersFMA(x.M.Scalar(f.TypeOf(v))) {
		return x.fma(a, b, c)
	}
	return x.fadd(x.fmul(a, b), c)
}

// prefersFMA reports whether a fused multiply-add is as fast as a
// multiplication.
func (x *fpExpander) prefersFMA(t ir.Type) bool {
	switch {
	case t == ir.Double:
		return true
	case t == ir.Half:
		return x.half && x.other != denormFlush
	case t != ir.Float:
		return false
	case !x.mad:
		return x.fastFMA
	case x.f32 != denormFlush:
		return x.fastFMA || x.fmac
	}
	return x.fastFMA && x.fmac
}

// wantMinMax is the condition for llvm.minnum and llvm.maxnum. In IEEE mode,
// v_min and v_max return a quieted signaling NaN instead of the other operand,
// so operands must be quiet.
func wantMinMax(x *fpExpander, v ir.Value, t ir.Type) bool {
	f := x.f
	return isExpandable(x.M.Scalar(t)) && x.ieee && f.Instr(v).Flags&ir.NoNaNs == 0 &&
		!(x.isQuiet(f.Operand(v, 0), 4) && x.isQuiet(f.Operand(v, 1), 4))
}

// minNums maps each minimum and maximum to the operation that ignores NaNs.
var minNums = lazy.Value[map[ir.Intrinsic]ir.Intrinsic]{Make: func() map[ir.Intrinsic]ir.Intrinsic {
	return map[ir.Intrinsic]ir.Intrinsic{
		ir.IntrMinnum: ir.IntrMinnum, ir.IntrMinimumnum: ir.IntrMinnum, ir.IntrMinimum: ir.IntrMinnum,
		ir.IntrMaxnum: ir.IntrMaxnum, ir.IntrMaximumnum: ir.IntrMaxnum, ir.IntrMaximum: ir.IntrMaxnum,
	}
}}

// fpMinMax expands llvm.minnum, llvm.maxnum, llvm.minimumnum and llvm.maximumnum.
func fpMinMax(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	if x.ieee && f.Instr(v).Flags&ir.NoNaNs == 0 {
		a, b = x.quiet(a), x.quiet(b)
	}
	x.Fast = x.flags(v)
	defer func() { x.Fast = 0 }()
	return x.intr(minNums.Get()[f.CalledIntrinsic(v)], a, b)
}

// quiet quiets a signaling NaN.
func (x *fpExpander) quiet(a ir.Value) ir.Value {
	if x.isQuiet(a, 4) {
		return a
	}
	return x.intr(ir.IntrCanonicalize, a)
}

// wantMinimum is the condition for llvm.minimum and llvm.maximum before gfx12.
func wantMinimum(x *fpExpander, _ ir.Value, t ir.Type) bool { return !x.minimum && wantFP(x, 0, t) }

// fpMinimum expands llvm.minimum and llvm.maximum: if an operand is a NaN, the
// result is a NaN. The result of v_min does not matter in that case.
func fpMinimum(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, b, t := f.Operand(v, 0), f.Operand(v, 1), f.TypeOf(v)
	x.Fast = x.flags(v) | ir.NoNaNs
	r := x.intr(minNums.Get()[f.CalledIntrinsic(v)], a, b)
	x.Fast = 0
	if x.flags(v)&ir.NoNaNs != 0 {
		return r
	}
	nan := x.M.NewFloatBits(t, map[ir.Type]uint64{ir.Half: 0x7e00, ir.Float: 0x7fc00000, ir.Double: 0x7ff8 << 48}[t])
	return x.Select(x.Compare(ir.FCmpUNO, a, b), nan, r)
}

// quietOps lists operations that never return signaling NaNs.
var quietOps = lazy.Value[map[ir.Op]bool]{Make: func() map[ir.Op]bool {
	return map[ir.Op]bool{ir.OpFAdd: true, ir.OpFSub: true, ir.OpFMul: true, ir.OpFDiv: true, ir.OpFRem: true, ir.OpFPTrunc: true,
		ir.OpFPExt: true, ir.OpSIToFP: true, ir.OpUIToFP: true}
}}

// loudIntrinsics lists floating-point intrinsics that return NaNs unchanged.
var loudIntrinsics = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{ir.IntrFabs: true, ir.IntrCopysign: true, ir.IntrArithmeticFence: true}
}}

// isQuiet reports whether a value is not a signaling NaN.
func (x *fpExpander) isQuiet(v ir.Value, depth int) bool {
	f, m := x.f, x.M
	if b, ok := m.FloatBits(v); ok {
		return x.isQuietConst(b, f.TypeOf(v))
	}
	if !v.IsLocal() || depth == 0 {
		return false
	}
	switch op := f.Op(v); op {
	case ir.OpFNeg:
		return x.isQuiet(f.Operand(v, 0), depth-1)
	case ir.OpSelect:
		return x.isQuiet(f.Operand(v, 1), depth-1) && x.isQuiet(f.Operand(v, 2), depth-1)
	case ir.OpCall:
		id := f.CalledIntrinsic(v)
		if loudIntrinsics.Get()[id] {
			return x.isQuiet(f.Operand(v, 0), depth-1)
		}
		return quietIntrinsics.Get()[id]
	default:
		return quietOps.Get()[op] || op.HasFastFlags() && f.Instr(v).Flags&ir.NoNaNs != 0
	}
}

// quietIntrinsics lists intrinsics that never return signaling NaNs.
var quietIntrinsics = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{ir.IntrCanonicalize: true, ir.IntrFma: true, ir.IntrFmuladd: true, ir.IntrSqrt: true,
		ir.IntrMinnum: true, ir.IntrMaxnum: true, ir.IntrMinimumnum: true, ir.IntrMaximumnum: true, ir.IntrMinimum: true,
		ir.IntrMaximum: true, ir.IntrFloor: true, ir.IntrCeil: true, ir.IntrTrunc: true, ir.IntrRint: true, ir.IntrLdexp: true,
		ir.IntrExp2: true, ir.IntrLog2: true, ir.IntrAMDGCNRcp: true, ir.IntrAMDGCNRsq: true, ir.IntrAMDGCNSqrt: true,
		ir.IntrAMDGCNExp2: true, ir.IntrAMDGCNLog: true, ir.IntrAMDGCNSin: true, ir.IntrAMDGCNCos: true, ir.IntrAMDGCNFract: true,
		ir.IntrAMDGCNDivFixup: true, ir.IntrAMDGCNDivFmas: true, ir.IntrAMDGCNFrexpMant: true, ir.IntrAMDGCNFmed3: true}
}}

// isQuietConst reports whether a constant is not a signaling NaN.
func (x *fpExpander) isQuietConst(b uint64, t ir.Type) bool {
	switch t {
	case ir.Half:
		return b&0x7fff <= 0x7c00 || b&0x200 != 0
	case ir.Float:
		return b&math.MaxInt32 <= 0x7f800000 || b&(1<<22) != 0
	case ir.Double:
		return b&math.MaxInt64 <= 0x7ff<<52 || b&(1<<51) != 0
	}
	return false
}
