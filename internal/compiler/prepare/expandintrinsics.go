package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// intrinsicExpander lowers generic scalar intrinsics without a machine
// instruction to plain operations.
type intrinsicExpander struct {
	emitter
	f     *ir.Function
	list  []ir.Value
	clamp bool    // additions and subtractions support saturation
	bits  int     // width of the current integers
	t     ir.Type // their type
	reg   ir.Type // i32 or i64, the type of the computation

	userFlags bool   // exceptions are in EXCP_FLAG_USER
	control   uint64 // the field of MODE that llvm.get.fpmode reads
	clocks    clocks
	words     bool // no instructions on 16 bits
}

// expandFunc expands a call of an intrinsic. It returns the value of the
// result, or None if the call has no result or is kept.
type expandFunc func(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value

// expandIntrinsics expands the intrinsics of expandTable. The remaining integer
// intrinsics are on i32 (minima and maxima, abs, fshr, bswap, bitreverse,
// counts, and from gfx9 on uadd.sat and usub.sat) and i64 (counts). Calls on
// vectors are kept.
func expandIntrinsics(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[intrinsicExpander](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	x.clamp = isGPU(ctx, target.GFX9)
	x.words = isGPU(ctx, target.GFX6) && !isGPU(ctx, target.GFX8)
	x.setModeFields(isGPU(ctx, target.GFX11), isGPU(ctx, target.GFX12))
	x.clocks = clocksInMemory
	switch {
	case isGPU(ctx, target.GFX12_5):
		x.clocks = clocksWhole
	case isGPU(ctx, target.GFX12):
		x.clocks = clocksTwoHalves
	case isGPU(ctx, target.GFX11):
		x.clocks = clocksMessage
	case !isGPU(ctx, target.GFX8):
		x.clocks = clocksNoTime
	}
	x.list = x.list[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && x.wants(v) {
				x.list = append(x.list, v)
			}
		}
	}
	changed := false
	for _, v := range x.list {
		changed = x.expand(v) || changed
	}
	return changed
}

// wants reports whether a call is a scalar call of an intrinsic in the tables.
func (x *intrinsicExpander) wants(v ir.Value) bool {
	f := x.f
	id := f.CalledIntrinsic(v)
	if id == ir.NoIntrinsic {
		return false
	}
	if dropTable.From(makeDropTable)[id] != nil {
		return true
	}
	if _, to := x.wordType(v); to != ir.Void || x.widensCompare(v) {
		return true
	}
	return expandTable.From(makeExpandTable)[id] != nil && f.NumOperands(v) > 1 && x.M.IsInt(f.TypeOf(f.Operand(v, 0)))
}

// expand expands one call.
func (x *intrinsicExpander) expand(v ir.Value) bool {
	f := x.f
	id := f.CalledIntrinsic(v)
	x.Before(v)
	if drop := dropTable.From(makeDropTable)[id]; drop != nil {
		n := drop(x, id, v)
		if n == v {
			return false
		}
		if n != ir.None {
			x.replace(v, n)
		}
		if f.HasUses(v) {
			return false
		}
		f.Erase(v)
		return true
	}
	if _, to := x.wordType(v); to != ir.Void {
		x.expandToWord(v)
		return true
	}
	if x.widensCompare(v) {
		x.widenCompare(v)
		return true
	}
	x.t = f.TypeOf(f.Operand(v, 0))
	x.bits = x.M.IntBits(x.t)
	do := expandTable.From(makeExpandTable)[id]
	switch {
	case x.bits > wordBits:
		do, x.reg = expandWide.From(makeExpandWide)[id], x.t
	case x.bits > 32:
		x.reg = ir.I64
	default:
		x.reg = ir.I32
	}
	if do == nil {
		return false
	}
	n := do(x, id, v)
	if n == ir.None {
		return false
	}
	x.replace(v, n)
	f.Erase(v)
	return true
}

// zext and sext extend an integer of the current width to the type of the
// computation.
func (x *intrinsicExpander) zext(v ir.Value) ir.Value { return x.FoldCast(ir.OpZExt, v, x.reg) }
func (x *intrinsicExpander) sext(v ir.Value) ir.Value { return x.FoldCast(ir.OpSExt, v, x.reg) }

// trunc converts a result to its type.
func (x *intrinsicExpander) trunc(v ir.Value) ir.Value { return x.FoldCast(ir.OpTrunc, v, x.t) }

// num returns a constant of the type of a value.
func (x *intrinsicExpander) num(like ir.Value, n uint64) ir.Value {
	return x.M.NewInt(x.f.TypeOf(like), n)
}

// call calls an intrinsic on integers of the type of its first argument.
func (x *intrinsicExpander) call(id ir.Intrinsic, args ...ir.Value) ir.Value {
	return x.Call(x.M.DeclareIntrinsic(id, x.f.TypeOf(args[0])), args...)
}

// minMaxPred holds the comparisons that select the first operand.
var minMaxPred = lazy.Value[map[ir.Intrinsic]ir.Pred]{Make: func() map[ir.Intrinsic]ir.Pred {
	return map[ir.Intrinsic]ir.Pred{
		ir.IntrUmin: ir.ICmpULT, ir.IntrUmax: ir.ICmpUGT, ir.IntrSmin: ir.ICmpSLT, ir.IntrSmax: ir.ICmpSGT,
	}
}}

// minMax returns a minimum or maximum of i32 or i64.
func (x *intrinsicExpander) minMax(id ir.Intrinsic, a, b ir.Value) ir.Value {
	if x.f.TypeOf(a) == ir.I32 {
		return x.call(id, a, b)
	}
	return x.Choose(x.FoldCompare(minMaxPred.Get()[id], a, b), a, b)
}

// expandTable holds the intrinsics on integers of at most 64 bits, expandWide
// the intrinsics on wider integers that expand-large-ints does not support.
var expandTable lazy.Value[map[ir.Intrinsic]expandFunc]
var expandWide lazy.Value[map[ir.Intrinsic]expandFunc]

func makeExpandTable() map[ir.Intrinsic]expandFunc {
	return map[ir.Intrinsic]expandFunc{
		ir.IntrUmin: expandMinMax, ir.IntrUmax: expandMinMax, ir.IntrSmin: expandMinMax, ir.IntrSmax: expandMinMax,
		ir.IntrAbs: expandAbs, ir.IntrCtpop: expandCount, ir.IntrCtlz: expandCount, ir.IntrCttz: expandCount,
		ir.IntrBswap: expandReverse, ir.IntrBitreverse: expandReverse,
		ir.IntrFshl: expandFunnel, ir.IntrFshr: expandFunnel,
		ir.IntrUaddSat: expandUnsignedSat, ir.IntrUsubSat: expandUnsignedSat,
		ir.IntrSaddSat: expandSignedSat, ir.IntrSsubSat: expandSignedSat,
		ir.IntrUshlSat: expandShiftSat, ir.IntrSshlSat: expandShiftSat,
		ir.IntrUaddWithOverflow: expandOverflow, ir.IntrUsubWithOverflow: expandOverflow, ir.IntrUmulWithOverflow: expandOverflow,
		ir.IntrSaddWithOverflow: expandOverflow, ir.IntrSsubWithOverflow: expandOverflow, ir.IntrSmulWithOverflow: expandOverflow,
		ir.IntrUcmp: expandThreeWay, ir.IntrScmp: expandThreeWay, ir.IntrClmul: expandClmul,
		ir.IntrUmulFix: expandMulFix, ir.IntrUmulFixSat: expandMulFix, ir.IntrSmulFix: expandMulFix, ir.IntrSmulFixSat: expandMulFix,
		ir.IntrUdivFix: expandDivFix, ir.IntrUdivFixSat: expandDivFix, ir.IntrSdivFix: expandDivFix, ir.IntrSdivFixSat: expandDivFix,
	}
}

func makeExpandWide() map[ir.Intrinsic]expandFunc {
	return map[ir.Intrinsic]expandFunc{
		ir.IntrFshl: expandWideFunnel, ir.IntrFshr: expandWideFunnel,
		ir.IntrUshlSat: expandShiftSat, ir.IntrSshlSat: expandShiftSat, ir.IntrUcmp: expandThreeWay, ir.IntrScmp: expandThreeWay,
		ir.IntrClmul:   expandClmul,
		ir.IntrUmulFix: expandMulFix, ir.IntrUmulFixSat: expandMulFix, ir.IntrSmulFix: expandMulFix, ir.IntrSmulFixSat: expandMulFix,
		ir.IntrUdivFix: expandDivFix, ir.IntrUdivFixSat: expandDivFix, ir.IntrSdivFix: expandDivFix, ir.IntrSdivFixSat: expandDivFix,
	}
}

// expandWideFunnel expands funnel shifts by variable amounts, for widths that
// are not powers of two.
func expandWideFunnel(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	if c := f.Operand(v, 2); c.IsConst() && x.IsPlain(c) || x.bits&(x.bits-1) == 0 {
		return ir.None
	}
	c := x.Make(ir.OpURem, x.t, f.Operand(v, 2), x.M.NewInt(x.t, uint64(x.bits)))
	return x.funnelPlain(id, f.Operand(v, 0), f.Operand(v, 1), c)
}

func expandMinMax(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	switch {
	case x.bits == 1 && (id == ir.IntrUmin || id == ir.IntrSmax):
		return x.Op(ir.OpAnd, a, b)
	case x.bits == 1:
		return x.Op(ir.OpOr, a, b)
	case x.bits == 32:
		return ir.None
	}
	extend := x.zext
	if minMaxPred.Get()[id].IsSigned() {
		extend = x.sext
	}
	return x.trunc(x.minMax(id, extend(a), extend(b)))
}

func expandAbs(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	switch a := x.f.Operand(v, 0); {
	case x.bits == 1:
		return a
	case x.bits == 32:
		return ir.None
	case x.reg == ir.I32:
		return x.trunc(x.call(id, x.sext(a), x.M.NewBool(false)))
	case x.bits == 64 && x.f.Op(a) == ir.OpSub && x.f.Instr(a).Flags&ir.NSW != 0:
		// compare the operands, even if programs rely on wrapping differences
		p, q := x.f.Operand(a, 0), x.f.Operand(a, 1)
		return x.Choose(x.FoldCompare(ir.ICmpSLT, p, q), x.Op(ir.OpSub, q, p), x.Op(ir.OpSub, p, q))
	default:
		negative := x.isNegative(a)
		a = x.sext(a)
		return x.trunc(x.Choose(negative, x.Op(ir.OpSub, x.num(a, 0), a), a))
	}
}

// isNegative returns whether a number is negative. For a non-wrapping
// difference it compares the operands: the cost is the same, and the result is
// correct even if the difference wraps. LLVM's backends do the same.
func (x *intrinsicExpander) isNegative(a ir.Value) ir.Value {
	f := x.f
	if a.IsLocal() && f.Op(a) == ir.OpSub && f.Instr(a).Flags&ir.NSW != 0 {
		return x.FoldCompare(ir.ICmpSLT, x.sext(f.Operand(a, 0)), x.sext(f.Operand(a, 1)))
	}
	a = x.sext(a)
	return x.FoldCompare(ir.ICmpSLT, a, x.num(a, 0))
}

// expandCount expands ctpop, ctlz and cttz of odd widths.
func expandCount(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a := f.Operand(v, 0)
	switch {
	case x.bits == 32 || x.bits == 64:
		return ir.None
	case x.bits == 1 && id == ir.IntrCtpop:
		return a
	case x.bits == 1:
		return x.Op(ir.OpXor, a, x.M.NewBool(true))
	}
	a = x.zext(a)
	if id == ir.IntrCtpop {
		return x.trunc(x.call(id, a))
	}
	poison, _ := x.M.IntValue(f.Operand(v, 1))
	if id == ir.IntrCtlz {
		up := uint64(x.M.IntBits(x.reg) - x.bits)
		return x.trunc(x.Op(ir.OpSub, x.call(id, a, x.M.NewBool(poison != 0)), x.num(a, up)))
	}
	if poison == 0 { // the added high bit ends the count
		a, poison = x.Op(ir.OpOr, a, x.num(a, 1<<x.bits)), 1
	}
	return x.trunc(x.call(id, a, x.M.NewBool(true)))
}

// expandReverse expands bswap and bitreverse.
func expandReverse(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	switch x.bits {
	case 1:
		return x.f.Operand(v, 0)
	case 32:
		return ir.None
	}
	a := x.zext(x.f.Operand(v, 0))
	if x.reg == ir.I32 {
		a = x.call(id, a)
	} else {
		low := x.call(id, x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, a, 32), ir.I32))
		high := x.call(id, x.FoldCast(ir.OpTrunc, a, ir.I32))
		a = x.join64(low, high)
	}
	return x.trunc(x.Shift(ir.OpLShr, a, uint64(x.M.IntBits(x.reg)-x.bits)))
}

// join64 combines two halves to an i64 with a vector, which is just two
// adjacent registers.
func (e *emitter) join64(low, high ir.Value) ir.Value {
	lo, isLow := e.M.IntValue(low)
	hi, isHigh := e.M.IntValue(high)
	switch {
	case isLow && isHigh:
		return e.M.NewInt(ir.I64, hi<<32|lo)
	case isHigh && hi == 0:
		return e.FoldCast(ir.OpZExt, low, ir.I64)
	}
	t := e.M.VectorType(ir.I32, 2)
	v := e.InsertElement(e.M.Poison(t), low, e.M.NewInt(ir.I32, 0))
	return e.FoldCast(ir.OpBitCast, e.InsertElement(v, high, e.M.NewInt(ir.I32, 1)), ir.I64)
}

// half64 returns the low or high half of an i64.
func (e *emitter) half64(v ir.Value, i int) ir.Value {
	return e.FoldCast(ir.OpTrunc, e.Shift(ir.OpLShr, v, uint64(32*i)), ir.I32)
}

// shiftCount returns the amount of a funnel shift modulo the width.
func (x *intrinsicExpander) shiftCount(c ir.Value) ir.Value {
	if k, ok := x.M.IntValue(c); ok {
		return x.num(c, k%uint64(x.bits))
	}
	if x.bits&(x.bits-1) == 0 {
		return x.Op(ir.OpAnd, c, x.num(c, uint64(x.bits-1)))
	}
	wide := x.zext(c)
	d := divExpander{emitter: x.emitter, f: x.f}
	return x.trunc(d.byConstant(uint64(x.bits), false, true, wide, x.num(wide, uint64(x.bits))))
}

// expandFunnel expands fshl and fshr. fshr of i32 is one instruction, which
// takes the amount modulo 32.
func expandFunnel(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a, b, c := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	left := id == ir.IntrFshl
	switch {
	case x.bits == 1:
		return pick(left, b, a)
	case x.bits == 32 && !left:
		return ir.None
	case x.bits == 32:
		return x.funnelLeft32(a, b, c)
	}
	k, constant := x.M.IntValue(c)
	if k %= uint64(x.bits); constant && k == 0 {
		return pick(left, b, a)
	}
	c = x.shiftCount(c)
	if x.bits <= 16 {
		both := x.Op(ir.OpOr, x.Shift(ir.OpShl, x.zext(a), uint64(x.bits)), x.zext(b))
		if left {
			return x.trunc(x.Shift(ir.OpLShr, x.Op(ir.OpShl, both, x.zext(c)), uint64(x.bits)))
		}
		return x.trunc(x.Op(ir.OpLShr, both, x.zext(c)))
	}
	if constant && x.bits == 64 {
		if left {
			k = 64 - k
		}
		return x.funnelRight64(a, b, k)
	}
	return x.funnelPlain(id, a, b, c)
}

// funnelPlain expands a funnel shift by an amount below the width to shifts.
func (x *intrinsicExpander) funnelPlain(id ir.Intrinsic, a, b, c ir.Value) ir.Value {
	rest := x.Op(ir.OpSub, x.num(c, uint64(x.bits-1)), c)
	if id == ir.IntrFshl {
		return x.Op(ir.OpOr, x.Op(ir.OpShl, a, c), x.Op(ir.OpLShr, x.Shift(ir.OpLShr, b, 1), rest))
	}
	return x.Op(ir.OpOr, x.Op(ir.OpShl, x.Shift(ir.OpShl, a, 1), rest), x.Op(ir.OpLShr, b, c))
}

// funnelLeft32 converts fshl to fshr by 32 minus the amount. For amount 0 this
// would not shift, so it shifts by one and then by the complement.
func (x *intrinsicExpander) funnelLeft32(a, b, c ir.Value) ir.Value {
	if k, ok := x.M.IntValue(c); ok {
		if k %= 32; k == 0 {
			return a
		}
		return x.call(ir.IntrFshr, a, b, x.num(c, 32-k))
	}
	if a == b {
		return x.call(ir.IntrFshr, a, b, x.Op(ir.OpSub, x.num(c, 0), c))
	}
	one := x.num(c, 1)
	return x.call(ir.IntrFshr, x.Shift(ir.OpLShr, a, 1), x.call(ir.IntrFshr, a, b, one), x.Op(ir.OpXor, c, x.num(c, 1<<32-1)))
}

// funnelRight64 shifts a pair of i64 right by k < 64 with operations on words.
func (x *intrinsicExpander) funnelRight64(a, b ir.Value, k uint64) ir.Value {
	words := [...]ir.Value{x.half64(b, 0), x.half64(b, 1), x.half64(a, 0), x.half64(a, 1)}
	from := words[k/32:]
	if k %= 32; k == 0 {
		return x.join64(from[0], from[1])
	}
	by := x.M.NewInt(ir.I32, k)
	return x.join64(x.call(ir.IntrFshr, from[1], from[0], by), x.call(ir.IntrFshr, from[2], from[1], by))
}

// expandThreeWay expands ucmp and scmp.
func expandThreeWay(x *intrinsicExpander, id ir.Intrinsic, v ir.Value) ir.Value {
	f := x.f
	a, b, t := f.Operand(v, 0), f.Operand(v, 1), f.TypeOf(v)
	more, less := ir.ICmpUGT, ir.ICmpULT
	if id == ir.IntrScmp {
		more, less = ir.ICmpSGT, ir.ICmpSLT
	}
	above := x.FoldCast(ir.OpZExt, x.FoldCompare(more, a, b), t)
	return x.Choose(x.FoldCompare(less, a, b), x.M.NewSigned(t, -1), above)
}

// expandClmul expands the product without carries: the sum modulo 2 of the first
// operand's multiples by the bits of the second.
func expandClmul(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	a, b := x.zext(x.f.Operand(v, 0)), x.zext(x.f.Operand(v, 1))
	top := uint64(x.M.IntBits(x.reg)) - 1
	product := x.num(a, 0)
	for i := range uint64(x.bits) {
		bit := x.Op(ir.OpAShr, x.Op(ir.OpShl, b, x.num(b, top-i)), x.num(b, top)) // 0 or -1
		product = x.Op(ir.OpXor, product, x.Op(ir.OpAnd, x.Op(ir.OpShl, a, x.num(a, i)), bit))
	}
	return x.trunc(product)
}
