package prepare

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// waterfallCalls wraps calls in loops if an operand that must be in scalar
// registers is divergent: the callee, because a wave jumps to a single address,
// or the resource and the scalar offset of a buffer access, the resource and the
// sampler of an image access. In each iteration,
// the lanes with the same operands as the first remaining lane make the call
// together and leave the loop. The stack address passed to a call is unified
// for all lanes.
func waterfallCalls(ctx *opt.Context, f *ir.Function) bool {
	if !isGPU(ctx, target.GFX6) {
		return false
	}
	var calls []scalarCall
	var stacks []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if n := scalarOperands(f, v); n != nil && hasPlainResult(f, v) {
				calls = append(calls, scalarCall{v, n})
			}
			if f.Op(v) == ir.OpCall && f.TailKind(v) != ir.MustTail && len(f.Bundles(v)) > 0 {
				stacks = append(stacks, v)
			}
		}
	}
	if len(calls)+len(stacks) == 0 {
		return false
	}
	uniform := uniformityOf(ctx, f)
	divergent := calls[:0]
	for _, c := range calls { // query all calls before blocks change
		c.operands = slices.DeleteFunc(c.operands, func(n int) bool { return !uniform.DivergentUse(f.UseOf(c.v, n)) })
		if len(c.operands) > 0 {
			divergent = append(divergent, c)
		}
	}
	united := uniteStacks(f, stacks, uniform, ctx.Target.WaveSize())
	for _, c := range divergent {
		waterfall(f, c)
	}
	return united || len(divergent) > 0
}

// uniformityOf returns the same uniformity analysis that selection uses.
func uniformityOf(ctx *opt.Context, f *ir.Function) *analysis.Uniformity {
	g := analysis.CFG(f)
	u := &analysis.Uniformity{ByWaves: true}
	u.Reset(f, analysis.NewDomTree(g), analysis.NewCycles(g), ctx.Target.WaveSize())
	return u
}

// scalarCall is a call with operands that must be uniform.
type scalarCall struct {
	v        ir.Value
	operands []int
}

// scalarOperands returns the operands of a call that are in scalar registers
// and for which using the first lane's value would be wrong.
func scalarOperands(f *ir.Function, v ir.Value) []int {
	if f.Op(v) != ir.OpCall {
		return nil
	}
	if f.Callee(v).IsLocal() {
		if f.TailKind(v) == ir.MustTail {
			return nil
		}
		return []int{f.NumOperands(v) - 1}
	}
	id := f.CalledIntrinsic(v)
	if id == ir.NoIntrinsic {
		return nil
	}
	if n := imageOperands(f, v); n != nil {
		return n
	}
	return bufferOperands(id.String(), len(f.Args(v)))
}

// imageOperands returns the indices of an image intrinsic's resource and
// sampler among its arguments. They precede two constants. An intrinsic with a
// sampler has a third constant, of type i1.
func imageOperands(f *ir.Function, v ir.Value) []int {
	name, ok := strings.CutPrefix(f.CalledIntrinsic(v).String(), "llvm.amdgcn.image.")
	args := f.Args(v)
	n := len(args)
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(name, "bvh"): // the resource is last
		return []int{n - 1}
	case f.TypeOf(args[n-3].Value) == ir.I1:
		return []int{n - 5, n - 4}
	}
	return []int{n - 3}
}

// bufferOperands returns the indices of a buffer intrinsic's resource and
// scalar offset among its n arguments. The data are first. The last arguments
// are the resource, the index (struct only), the offset, the scalar offset, the
// format (tbuffer only) and the cache policy. Loads into LDS start with the
// resource and have a constant after the scalar offset.
func bufferOperands(name string, n int) []int {
	name, ok := strings.CutPrefix(name, "llvm.amdgcn.")
	if !ok {
		return nil
	}
	if strings.HasPrefix(name, "s.buffer.load") {
		return []int{0}
	}
	rest, raw := strings.CutPrefix(name, "raw.")
	if !raw {
		if rest, ok = strings.CutPrefix(name, "struct."); !ok {
			return nil
		}
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "ptr."), "atomic.")
	soffset := n - 2
	switch {
	case strings.HasPrefix(rest, "buffer.load.lds"):
		return []int{0, n - 3}
	case strings.HasPrefix(rest, "tbuffer."):
		soffset--
	case !strings.HasPrefix(rest, "buffer."):
		return nil
	}
	rsrc := soffset - 3
	if raw {
		rsrc++
	}
	return []int{rsrc, soffset}
}

// hasPlainResult reports whether all used results of a call can be phis: the
// result itself, or parts of a struct.
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

// waterfall wraps a call in a loop:
//
//	round: first = readfirstlane(operand) …; same = operand == first & …; br same, call, next
//	call:  result = call with first …; br next
//	next:  br same, after, round
func waterfall(f *ir.Function, c scalarCall) {
	m, v := f.Module(), c.v
	before := f.Parent(v)
	call := f.SplitBlock(v)
	after := f.SplitBlock(f.Next(v))
	round, next := f.NewBlockAfter(before), f.NewBlockAfter(call)
	f.SetOperand(f.Terminator(before), 0, round.Value())
	f.SetOperand(f.Terminator(call), 0, next.Value())

	b := ir.NewBuilder(f, round)
	b.Loc = f.Instr(v).Loc
	b.AtEnd(round)
	same := ir.None
	for _, n := range c.operands {
		x := f.Operand(v, n)
		first := b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNReadfirstlane, f.TypeOf(x)), x)
		f.SetOperand(v, n, first)
		same = equalBits(b, same, x, first)
	}
	b.CondBr(same, call, next)

	b.AtEnd(next)
	for _, r := range results(f, v) {
		result := b.Phi(f.TypeOf(r))
		f.ReplaceUses(r, result)
		f.AddIncoming(result, r, call)
		f.AddIncoming(result, m.Poison(f.TypeOf(r)), round)
	}
	b.CondBr(same, after, round)
}

// equalBits returns whether a condition (None: true) holds and two values are
// equal: integers, pointers, or vectors of four dwords.
func equalBits(b *ir.Builder, also, x, y ir.Value) ir.Value {
	m, t := b.F.Module(), b.F.TypeOf(x)
	if m.IsVector(t) {
		pairs := m.VectorType(ir.I64, m.SizeInBits(t)/64)
		p, q := b.Cast(ir.OpBitCast, x, pairs, 0), b.Cast(ir.OpBitCast, y, pairs, 0)
		for k := range m.NumElements(pairs) {
			at := m.NewInt(ir.I32, k)
			also = equalBits(b, also, b.ExtractElement(p, at), b.ExtractElement(q, at))
		}
		return also
	}
	equal := b.Compare(ir.ICmpEQ, x, y)
	if also == ir.None {
		return equal
	}
	return b.And(also, equal)
}

// results returns the values of a call that others use. Parts of a struct are
// extracted right after the call.
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
