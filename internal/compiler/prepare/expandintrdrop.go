package prepare

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// dropTable holds the intrinsics that only inform passes, and those that access
// the floating-point environment. Its functions return
// the value of the result, None for calls without a result, and the call itself
// if it must be kept.
var dropTable lazy.Value[map[ir.Intrinsic]expandFunc]

func makeDropTable() map[ir.Intrinsic]expandFunc {
	return map[ir.Intrinsic]expandFunc{
		ir.IntrAssume: dropCall, ir.IntrLifetimeStart: dropCall, ir.IntrLifetimeEnd: dropCall, ir.IntrInvariantEnd: dropCall,
		ir.IntrSideeffect: dropCall, ir.IntrDonothing: dropCall, ir.IntrExperimentalNoaliasScopeDecl: dropCall, ir.IntrFakeUse: dropCall,
		ir.IntrVarAnnotation: dropCall, ir.IntrCodeviewAnnotation: dropCall, ir.IntrPseudoprobe: dropCall, ir.IntrPrefetch: dropCall,
		ir.IntrInvariantStart: dropInvariant,
		ir.IntrExpect:         dropToFirst, ir.IntrExpectWithProbability: dropToFirst, ir.IntrAnnotation: dropToFirst,
		ir.IntrPtrAnnotation: dropToFirst, ir.IntrLaunderInvariantGroup: dropToFirst, ir.IntrStripInvariantGroup: dropToFirst,
		ir.IntrSsaCopy: dropToFirst, ir.IntrArithmeticFence: dropToFirst,
		ir.IntrEhTypeidFor: dropToOne, ir.IntrEhSjljSetjmp: dropToZero, ir.IntrTypeTest: dropToTrue,
		ir.IntrLoadRelative:      expandLoadRelative,
		ir.IntrAllowRuntimeCheck: dropToTrue, ir.IntrAllowUbsanCheck: dropToTrue, ir.IntrExperimentalWidenableCondition: dropToTrue,
		ir.IntrGetRounding: expandGetRounding, ir.IntrSetRounding: expandSetRounding, ir.IntrGetFpenv: expandGetEnv, ir.IntrSetFpenv: expandSetEnv,
		ir.IntrGetFpmode: expandGetMode, ir.IntrReadcyclecounter: expandCycles, ir.IntrReadsteadycounter: expandSteady,
		ir.IntrIsConstant: dropIsConstant, ir.IntrObjectsize: dropObjectSize, ir.IntrPtrmask: dropPtrMask,
	}
}

func dropCall(*intrinsicExpander, ir.Intrinsic, ir.Value) ir.Value { return ir.None }

// dropInvariant replaces the result of llvm.invariant.start, which only
// llvm.invariant.end uses, by poison.
func dropInvariant(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	return x.M.Poison(x.f.TypeOf(v))
}

func dropToFirst(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value { return x.f.Operand(v, 0) }

func dropToTrue(x *intrinsicExpander, _ ir.Intrinsic, _ ir.Value) ir.Value { return x.M.NewBool(true) }

// dropToOne and dropToZero replace intrinsics for exceptions, which do not occur:
// the number of a type, and the first return of setjmp.
func dropToOne(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	return x.M.NewInt(x.f.TypeOf(v), 1)
}

func dropToZero(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	return x.M.Zero(x.f.TypeOf(v))
}

// expandLoadRelative expands llvm.load.relative: the pointer plus the i32 at an
// offset from it.
func expandLoadRelative(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	p := f.Operand(v, 0)
	index := x.M.IntType(int(x.M.Layout().Pointer(x.M.AddrSpace(f.TypeOf(p))).IndexBits))
	offset := f.Operand(v, 1)
	if x.M.IntBits(f.TypeOf(offset)) > x.M.IntBits(index) {
		offset = x.FoldCast(ir.OpTrunc, offset, index)
	}
	by := x.Load(ir.I32, x.PtrAdd(p, x.FoldCast(ir.OpSExt, offset, index), 0), 4)
	return x.PtrAdd(p, x.FoldCast(ir.OpSExt, by, index), 0)
}

func dropIsConstant(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	return x.M.NewBool(x.f.Operand(v, 0).IsConst() && x.IsPlain(x.f.Operand(v, 0)))
}

// dropObjectSize folds llvm.objectsize to an unknown size: passes that know the
// size have already replaced the call.
func dropObjectSize(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	smallest, _ := x.M.IntValue(x.f.Operand(v, 1))
	if t := x.f.TypeOf(v); smallest == 0 {
		return x.M.NewSigned(t, -1)
	} else {
		return x.M.Zero(t)
	}
}

// dropPtrMask lowers llvm.ptrmask to integer operations; its mask leaves the
// bits above it unchanged.
func dropPtrMask(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	f, m := x.f, x.M
	p, mask := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(p)
	n := x.AddressInt(t)
	if m.IsVector(t) {
		return v
	}
	if up, down := m.IntBits(n), m.IntBits(f.TypeOf(mask)); up > down {
		high := new(big.Int).Lsh(big.NewInt(-1), uint(down))
		mask = x.Op(ir.OpOr, x.FoldCast(ir.OpZExt, mask, n), m.NewBig(n, high))
	}
	return x.FoldCast(ir.OpIntToPtr, x.Op(ir.OpAnd, x.FoldCast(ir.OpPtrToInt, p, n), mask), t)
}
