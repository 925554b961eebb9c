package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// expandLargeDivRem lowers divisions and remainders of integers of more than 64
// bits to loops (LLVM's expand-large-div-rem).
func expandLargeDivRem(ctx *opt.Context, f *ir.Function) bool {
	d := opt.Scratch[divExpander](ctx)
	return d.expandDivisions(f, func(t ir.Type) bool { return d.M.IntBits(t) > 64 }, d.expandLarge)
}

// expandLarge divides bit by bit, with one step for each bit of x.
func (d *divExpander) expandLarge(op ir.Op, x, y ir.Value) ir.Value {
	t := d.f.TypeOf(x)
	signed := op == ir.OpSDiv || op == ir.OpSRem
	x, y = d.fixed(x), d.fixed(y)
	sx, sy := ir.None, ir.None
	if signed {
		x, sx = d.magnitude(x)
		y, sy = d.magnitude(y)
	}
	q, r := d.divideLoop(x, y, t)
	isRem := op == ir.OpURem || op == ir.OpSRem
	switch {
	case !signed:
		return pick(isRem, q, r)
	case isRem:
		return d.withSign(r, sx)
	}
	return d.withSign(q, d.FoldBinary(ir.OpXor, sx, sy))
}

// divideLoop implements long division: the remainder takes the next bit of x,
// and y is subtracted if it fits. The quotient is shifted in from the right as
// x is shifted out to the left.
func (d *divExpander) divideLoop(x, y ir.Value, t ir.Type) (q, r ir.Value) {
	f, m := d.f, d.M
	zero, one := m.Zero(t), m.NewInt(t, 1)
	before := d.Block()
	rest := f.SplitBlock(d.at)
	f.Erase(f.Terminator(before))
	pre, loop := f.NewBlockAfter(before), f.NewBlockAfter(f.PrevBlock(rest))
	loc := d.Loc
	d.AtEnd(before)
	d.Loc = loc
	d.CondBr(d.Compare(ir.ICmpEQ, x, zero), rest, pre)

	d.AtEnd(pre)
	width := m.NewInt(t, uint64(m.IntBits(t)))
	zeros := d.Call(m.DeclareIntrinsic(ir.IntrCtlz, t), x, m.NewBool(true))
	start := d.FoldBinary(ir.OpShl, x, zeros)
	count := d.FoldCast(ir.OpTrunc, d.FoldBinary(ir.OpSub, width, zeros), ir.I32)
	d.Br(loop)

	d.AtEnd(loop)
	a, left, i := d.Phi(t), d.Phi(t), d.Phi(ir.I32)
	carry := d.Compare(ir.ICmpSLT, left, zero)
	next := d.FoldBinary(ir.OpOr, d.Shift(ir.OpShl, left, 1), d.Shift(ir.OpLShr, a, uint64(m.IntBits(t)-1)))
	fits := d.FoldBinary(ir.OpOr, carry, d.Compare(ir.ICmpUGE, next, y))
	nextA := d.FoldBinary(ir.OpOr, d.Shift(ir.OpShl, a, 1), d.Select(fits, one, zero))
	nextLeft := d.Select(fits, d.FoldBinary(ir.OpSub, next, y), next)
	nextI := d.FoldBinary(ir.OpSub, i, m.NewInt(ir.I32, 1))
	d.CondBr(d.Compare(ir.ICmpNE, nextI, m.NewInt(ir.I32, 0)), loop, rest)
	for _, p := range [...]struct{ phi, first, next ir.Value }{{a, start, nextA}, {left, zero, nextLeft}, {i, count, nextI}} {
		f.AddIncoming(p.phi, p.first, pre)
		f.AddIncoming(p.phi, p.next, loop)
	}

	q, r = f.NewInstr(ir.OpPhi, t), f.NewInstr(ir.OpPhi, t)
	for _, p := range [...]struct{ phi, v ir.Value }{{q, nextA}, {r, nextLeft}} {
		f.AddIncoming(p.phi, zero, before)
		f.AddIncoming(p.phi, p.v, loop)
		f.Prepend(rest, p.phi)
	}
	d.Before(d.at)
	return q, r
}
