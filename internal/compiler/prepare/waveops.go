package prepare

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// waveReduction describes how the values of all lanes are combined.
type waveReduction struct {
	op       ir.Op        // operation on two values, or
	pick     ir.Intrinsic // their minimum or maximum
	identity func(m *ir.Module, t ir.Type) ir.Value
	same     func(r *waveReducer, x, count ir.Value) ir.Value // result if x is uniform; nil: x itself
	floats   bool                                             // floating-point reduction
}

// waveReductions holds the operations of llvm.amdgcn.wave.reduce.*. LLVM 22
// supports i32, i64 and float; double is handled in the same way. The identity
// of minnum and maxnum is a NaN, which they ignore.
var waveReductions = lazy.Value[map[ir.Intrinsic]waveReduction]{Make: func() map[ir.Intrinsic]waveReduction {
	return map[ir.Intrinsic]waveReduction{
		ir.IntrAMDGCNWaveReduceAdd:  {op: ir.OpAdd, identity: zeroOf, same: (*waveReducer).times},
		ir.IntrAMDGCNWaveReduceSub:  {op: ir.OpSub, identity: zeroOf, same: (*waveReducer).minusTimes},
		ir.IntrAMDGCNWaveReduceAnd:  {op: ir.OpAnd, identity: onesOf},
		ir.IntrAMDGCNWaveReduceOr:   {op: ir.OpOr, identity: zeroOf},
		ir.IntrAMDGCNWaveReduceXor:  {op: ir.OpXor, identity: zeroOf, same: (*waveReducer).ifOdd},
		ir.IntrAMDGCNWaveReduceUmin: {pick: ir.IntrUmin, identity: onesOf},
		ir.IntrAMDGCNWaveReduceUmax: {pick: ir.IntrUmax, identity: zeroOf},
		ir.IntrAMDGCNWaveReduceMin:  {pick: ir.IntrSmin, identity: largestOf},
		ir.IntrAMDGCNWaveReduceMax:  {pick: ir.IntrSmax, identity: smallestOf},
		ir.IntrAMDGCNWaveReduceFadd: {op: ir.OpFAdd, identity: minusZeroOf, same: (*waveReducer).times, floats: true},
		ir.IntrAMDGCNWaveReduceFsub: {op: ir.OpFSub, identity: zeroOf, same: (*waveReducer).minusTimes, floats: true},
		ir.IntrAMDGCNWaveReduceFmin: {pick: ir.IntrMinnum, identity: nanOf, floats: true},
		ir.IntrAMDGCNWaveReduceFmax: {pick: ir.IntrMaxnum, identity: nanOf, floats: true},
	}
}}

func zeroOf(m *ir.Module, t ir.Type) ir.Value { return m.Zero(t) }
func onesOf(m *ir.Module, t ir.Type) ir.Value { return m.NewSigned(t, -1) }
func largestOf(m *ir.Module, t ir.Type) ir.Value {
	return m.NewInt(t, 1<<(m.IntBits(t)-1)-1)
}
func smallestOf(m *ir.Module, t ir.Type) ir.Value  { return m.NewInt(t, 1<<(m.IntBits(t)-1)) }
func minusZeroOf(m *ir.Module, t ir.Type) ir.Value { return m.NewFloat(t, math.Copysign(0, -1)) }
func nanOf(m *ir.Module, t ir.Type) ir.Value       { return m.NewFloat(t, math.NaN()) }

// takes reports whether the reduction supports values of a type.
func (x *waveReduction) takes(t ir.Type) bool {
	if x.floats {
		return t == ir.Float || t == ir.Double
	}
	return t == ir.I32 || t == ir.I64
}

// waveReducer expands operations across the lanes of a wave.
type waveReducer struct {
	intrinsicExpander
	wave    int
	permute bool // ds.bpermute reads any lane of a wave
}

// waveCall is a call to be expanded.
type waveCall struct {
	v    ir.Value
	same bool // the operand that decides returns is uniform
}

// decides returns the operand whose uniformity selects the expansion.
func (c *waveCall) decides(f *ir.Function) int {
	if f.CalledIntrinsic(c.v) == ir.IntrAMDGCNWaveShuffle {
		return 1
	}
	return 0
}

// expandWaveOps expands llvm.amdgcn.wave.reduce.* to loops over the active
// lanes, and to closed forms if the operand is uniform. As in LLVM, all
// strategy arguments have the same effect, lanes are visited in order, and the
// sum of uniform floating-point numbers is a product. llvm.amdgcn.wave.shuffle
// uses LDS's crossbar. Where that does not reach all lanes (before gfx8, and in
// waves of 64 lanes on gfx10 and gfx11), it uses a loop. Before gfx9, global wave
// sync is repeated until the hardware has accepted it.
func expandWaveOps(ctx *opt.Context, f *ir.Function) bool {
	if !isGPU(ctx, target.GFX6) {
		return false
	}
	changed := expandClusters(ctx, f)
	changed = repeatGlobalSync(ctx, f) || changed
	var calls []waveCall
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && isWaveOp(f, v) {
				calls = append(calls, waveCall{v: v})
			}
		}
	}
	if len(calls) == 0 {
		return changed
	}
	uniform := uniformityOf(ctx, f)
	for i := range calls { // query all calls before blocks change
		c := &calls[i]
		c.same = !uniform.DivergentUse(f.UseOf(c.v, c.decides(f)))
	}
	r := waveReducer{wave: ctx.Target.WaveSize()}
	r.permute = isGPU(ctx, target.GFX8) && (r.wave == 32 || !isGPU(ctx, target.GFX10_1) || isGPU(ctx, target.GFX12))
	r.f, r.F, r.M = f, f, f.Module()
	for _, c := range calls {
		r.Before(c.v)
		r.Loc = f.Instr(c.v).Loc
		if f.CalledIntrinsic(c.v) == ir.IntrAMDGCNWaveShuffle {
			r.shuffle(c)
		} else {
			r.replace(c.v, r.reduce(c))
			f.Erase(c.v)
		}
	}
	return true
}

// isWaveOp reports whether a call must be expanded.
func isWaveOp(f *ir.Function, v ir.Value) bool {
	id, t := f.CalledIntrinsic(v), f.TypeOf(v)
	if id == ir.IntrAMDGCNWaveShuffle {
		return isWordType(f.Module(), t) && f.Module().SizeInBits(t) >= 32
	}
	x, ok := waveReductions.Get()[id]
	return ok && x.takes(t)
}

// reduce returns the replacement for a reduction.
func (r *waveReducer) reduce(c waveCall) ir.Value {
	x, operand := waveReductions.Get()[r.f.CalledIntrinsic(c.v)], r.f.Operand(c.v, 0)
	switch {
	case !c.same:
		return r.loop(&x, c.v)
	case x.same != nil:
		return x.same(r, operand, r.call(ir.IntrCtpop, r.lanes()))
	}
	return operand
}

// shuffle expands a shuffle.
func (r *waveReducer) shuffle(c waveCall) {
	f := r.f
	x, lane := f.Operand(c.v, 0), f.Operand(c.v, 1)
	if !c.same && r.permute {
		at := r.Shift(ir.OpShl, lane, 2)
		r.replace(c.v, r.eachWord(x, func(word ir.Value) ir.Value {
			return r.Call(r.M.DeclareIntrinsic(ir.IntrAMDGCNDsBpermute), at, word)
		}))
		f.Erase(c.v)
		return
	}
	one := r.Call(r.M.DeclareIntrinsic(ir.IntrAMDGCNReadlane, f.TypeOf(x)), x, lane)
	f.ReplaceUses(c.v, one)
	f.Erase(c.v)
	if !c.same {
		waterfall(f, scalarCall{one, []int{1}})
	}
}

// eachWord applies an operation on i32 to all words of a value.
func (r *waveReducer) eachWord(x ir.Value, do func(ir.Value) ir.Value) ir.Value {
	t := r.f.TypeOf(x)
	n := r.M.SizeInBits(t) / 32
	if n == 1 {
		return r.FoldCast(ir.OpBitCast, do(r.FoldCast(ir.OpBitCast, x, ir.I32)), t)
	}
	words := r.M.VectorType(ir.I32, n)
	from, to := r.FoldCast(ir.OpBitCast, x, words), r.M.Poison(words)
	for k := range n {
		at := r.M.NewInt(ir.I32, k)
		to = r.InsertElement(to, do(r.ExtractElement(from, at)), at)
	}
	return r.FoldCast(ir.OpBitCast, to, t)
}

// lanes returns the mask of active lanes.
func (r *waveReducer) lanes() ir.Value {
	return r.Call(r.M.DeclareIntrinsic(ir.IntrAMDGCNBallot, r.M.IntType(r.wave)), r.M.NewBool(true))
}

// loop reduces with a loop, which ends before v, and returns the result:
//
//	before: all = ballot(true)
//	round:  rest = phi(all, fewer); sum = phi(identity, next)
//	        lane = cttz(rest); fewer = rest & (rest - 1)
//	        next = sum + readlane(operand, lane); br fewer == 0, after, round
func (r *waveReducer) loop(x *waveReduction, v ir.Value) ir.Value {
	f, m := r.f, r.M
	operand, t := f.Operand(v, 0), f.TypeOf(v)
	all := r.lanes()
	before := f.Parent(v)
	after := f.SplitBlock(v)
	round := f.NewBlockAfter(before)
	f.SetOperand(f.Terminator(before), 0, round.Value())

	r.AtEnd(round)
	word := f.TypeOf(all)
	rest, sum := r.Phi(word), r.Phi(t)
	lane := r.FoldCast(ir.OpTrunc, r.call(ir.IntrCttz, rest, m.NewBool(true)), ir.I32)
	one := r.Call(m.DeclareIntrinsic(ir.IntrAMDGCNReadlane, t), operand, lane)
	next := r.join(x, sum, one)
	fewer := r.Op(ir.OpAnd, rest, r.Op(ir.OpAdd, rest, m.NewSigned(word, -1)))
	f.AddIncoming(rest, all, before)
	f.AddIncoming(rest, fewer, round)
	f.AddIncoming(sum, x.identity(m, t), before)
	f.AddIncoming(sum, next, round)
	r.CondBr(r.FoldCompare(ir.ICmpEQ, fewer, m.Zero(word)), after, round)
	return next
}

// join combines two values.
func (r *waveReducer) join(x *waveReduction, a, b ir.Value) ir.Value {
	switch {
	case x.op != 0:
		return r.Make(x.op, r.f.TypeOf(a), a, b)
	case x.floats:
		return r.call(x.pick, a, b)
	}
	return r.minMax(x.pick, a, b)
}

// number converts a count to the type of a value.
func (r *waveReducer) number(x, count ir.Value) ir.Value {
	t := r.f.TypeOf(x)
	switch {
	case r.M.IsFloat(t):
		return r.FoldCast(ir.OpSIToFP, r.FoldCast(ir.OpTrunc, count, ir.I32), t)
	case t == ir.I32:
		return r.FoldCast(ir.OpTrunc, count, t)
	}
	return r.FoldCast(ir.OpZExt, count, t)
}

func (r *waveReducer) times(x, count ir.Value) ir.Value {
	n := r.number(x, count)
	if r.M.IsFloat(r.f.TypeOf(x)) {
		return r.Make(ir.OpFMul, r.f.TypeOf(x), x, n)
	}
	return r.Make(ir.OpMul, r.f.TypeOf(x), x, n)
}

func (r *waveReducer) minusTimes(x, count ir.Value) ir.Value {
	t := r.f.TypeOf(x)
	if r.M.IsFloat(t) {
		return r.times(r.FNeg(x), count)
	}
	return r.Op(ir.OpSub, r.M.Zero(t), r.times(x, count))
}

// ifOdd returns a value if the count is odd, else 0.
func (r *waveReducer) ifOdd(x, count ir.Value) ir.Value {
	odd := r.Op(ir.OpAnd, count, r.num(count, 1))
	return r.times(x, odd)
}
