package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// guarded creates an operation that would be undefined or poison without the
// preceding branch.
func (b *body) guarded(depth int) {
	if depth >= maxDepth {
		return
	}
	all := [...]func(b *body, t ir.Type, x ir.Value) (cond ir.Value, then func() ir.Value){
		(*body).guardedDivision, (*body).guardedLoad, (*body).guardedFlags, (*body).guardedAssume,
	}
	t := [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}[b.IntN(4)]
	x := b.pick(t)
	if b.chance(2) { // often at the boundary
		x = b.b.And(x, b.splat(t, int64(1+b.IntN(3))))
	}
	c, then := all[b.IntN(len(all))](b, t, x)
	if c == ir.None {
		return
	}
	other, from := b.pick(t), b.b.Block()
	yes, join := b.f.NewBlock(), b.f.NewBlock()
	b.b.CondBr(c, yes, join)
	b.b.AtEnd(yes)
	r := b.scopeOne(then)
	end := b.b.Block()
	b.b.Br(join)
	b.b.AtEnd(join)
	phi := b.b.Phi(t)
	b.f.AddIncoming(phi, r, end)
	b.f.AddIncoming(phi, other, from)
	b.add(phi)
}

// scopeOne creates a single value in a scope.
func (b *body) scopeOne(f func() ir.Value) (v ir.Value) {
	b.scope(nil, func() { v = f() })
	return v
}

// guardedDivision divides by a value that is not 0 or -1.
func (b *body) guardedDivision(t ir.Type, x ir.Value) (ir.Value, func() ir.Value) {
	op := [...]ir.Op{ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem}[b.IntN(4)]
	c := b.b.Compare([2]ir.Pred{ir.ICmpNE, ir.ICmpSGT}[b.IntN(2)], x, b.m.Zero(t))
	if op == ir.OpSDiv || op == ir.OpSRem {
		c = b.b.Compare(ir.ICmpSGT, x, b.m.Zero(t))
	}
	return c, func() ir.Value { return b.b.Binary(op, b.pick(t), x, 0) }
}

// guardedLoad loads an element with an index that is in bounds.
func (b *body) guardedLoad(t ir.Type, x ir.Value) (ir.Value, func() ir.Value) {
	mem := b.mem(false, true)
	if mem == nil {
		return ir.None, nil
	}
	p, n := mem.ptr, mem.size/int(b.m.StoreSize(t))
	index := x
	if t != ir.I64 {
		index = b.b.Cast(ir.OpZExt, x, ir.I64, 0)
	}
	if b.chance(2) {
		index = b.b.Add(index, b.m.NewInt(ir.I64, uint64(n-1)))
	}
	return b.b.Compare(ir.ICmpULT, index, b.m.NewInt(ir.I64, uint64(n))), func() ir.Value {
		return b.b.Load(t, b.b.GEP(t, ir.InBounds|ir.NUSW, p, index), 1)
	}
}

// guardedFlags adds without overflow.
func (b *body) guardedFlags(t ir.Type, x ir.Value) (ir.Value, func() ir.Value) {
	y := b.pick(t)
	r := b.call(ir.IntrUaddWithOverflow, []ir.Type{t}, x, y)
	over := b.b.ExtractValue(r, 1)
	return b.b.Xor(over, b.m.NewBool(true)), func() ir.Value { return b.b.Binary(ir.OpAdd, x, y, ir.NUW) }
}

// guardedAssume assumes the condition of the branch.
func (b *body) guardedAssume(t ir.Type, x ir.Value) (ir.Value, func() ir.Value) {
	c := b.b.Compare(ir.ICmpEQ+ir.Pred(b.IntN(10)), x, b.constant(t))
	return c, func() ir.Value {
		b.call(ir.IntrAssume, nil, c)
		return b.b.Xor(x, b.pick(t))
	}
}
