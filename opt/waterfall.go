package opt

import (
	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// waterfallCalls makes loops of calls of what may be another function in each lane: a wave jumps to one address only. In each round the lanes that
// call the same function as the first one that is left call it together, and leave the loop.
func waterfallCalls(ctx *Context, f *ir.Function) bool {
	if !ctx.isGPU(target.GFX6) {
		return false
	}
	calls := indirectCalls(f)
	if len(calls) == 0 {
		return false
	}
	g := analysis.CFG(f)
	uniform := &analysis.Uniformity{ByWaves: true} // as selection asks
	uniform.Reset(f, analysis.NewDomTree(g), analysis.NewCycles(g), ctx.Target.WaveSize())
	changed := false
	for _, v := range calls {
		if uniform.Divergent(f.Callee(v)) && hasPlainResult(f, v) {
			waterfall(f, v)
			changed = true
		}
	}
	return changed
}

// indirectCalls gives the calls of an address that an instruction or the caller gives.
func indirectCalls(f *ir.Function) (list []ir.Value) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && f.Callee(v).IsLocal() && f.TailKind(v) != ir.MustTail {
				list = append(list, v)
			}
		}
	}
	return list
}

// hasPlainResult reports whether phis can be made of all that is used of a call's result: itself, or parts of a struct.
func hasPlainResult(f *ir.Function, v ir.Value) bool {
	if !f.Module().IsAggregate(f.TypeOf(v)) {
		return true
	}
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if f.Op(f.User(u)) != ir.OpExtractValue {
			return false
		}
	}
	return true
}

// waterfall puts a loop around a call:
//
//	round: first = readfirstlane(callee); same = callee == first; br same, call, next
//	call:  result = first(…); br next
//	next:  br same, behind, round
func waterfall(f *ir.Function, v ir.Value) {
	m := f.Module()
	callee := f.Callee(v)
	before := f.Parent(v)
	call := f.SplitBlock(v)
	behind := f.SplitBlock(f.Next(v))
	round, next := f.NewBlockAfter(before), f.NewBlockAfter(call)
	f.SetOperand(f.Terminator(before), 0, round.Value())
	f.SetOperand(f.Terminator(call), 0, next.Value())

	b := ir.NewBuilder(f, round)
	b.Loc = f.Instr(v).Loc
	b.AtEnd(round)
	pair := m.VectorType(ir.I32, 2)
	words := b.Cast(ir.OpBitCast, b.Cast(ir.OpPtrToInt, callee, ir.I64, 0), pair, 0)
	first := m.DeclareIntrinsic(ir.IntrAMDGCNReadfirstlane, ir.I32)
	chosen, same := m.Poison(pair), ir.None
	for k := range uint64(2) {
		word := b.ExtractElement(words, m.NewInt(ir.I32, k))
		one := b.Call(first, word)
		equal := b.Compare(ir.ICmpEQ, word, one)
		chosen = b.InsertElement(chosen, one, m.NewInt(ir.I32, k))
		if same != ir.None {
			equal = b.And(same, equal)
		}
		same = equal
	}
	target := b.Cast(ir.OpIntToPtr, b.Cast(ir.OpBitCast, chosen, ir.I64, 0), f.TypeOf(callee), 0)
	b.CondBr(same, call, next)
	f.SetOperand(v, f.NumOperands(v)-1, target)

	b.AtEnd(next)
	for _, r := range results(f, v) {
		result := b.Phi(f.TypeOf(r))
		f.ReplaceUses(r, result)
		f.AddIncoming(result, r, call)
		f.AddIncoming(result, m.Poison(f.TypeOf(r)), round)
	}
	b.CondBr(same, behind, round)
}

// results gives the values that a call gives to others: what is taken of a struct is taken right behind the call.
func results(f *ir.Function, v ir.Value) (list []ir.Value) {
	switch t := f.TypeOf(v); {
	case t == ir.Void:
		return nil
	case !f.Module().IsAggregate(t):
		return []ir.Value{v}
	}
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		list = append(list, f.User(u))
	}
	for _, x := range list {
		f.MoveAfter(x, v)
	}
	return list
}
