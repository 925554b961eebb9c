package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// fuseFMA combines sums of products to llvm.fma if both operations allow
// contraction and it is as fast as a product (DAGCombiner in LLVM 22). A
// product with other users is kept; the fused operation replaces only the sum.
func fuseFMA(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[fpExpander](ctx)
	x.reset(ctx, f)
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if n, product := x.fuse(v); n != ir.None {
				x.replace(v, n)
				if !f.HasUses(product) {
					f.Erase(product)
				}
				changed = true
			}
			v = next
		}
	}
	return changed
}

// fuse returns the fused operation for a sum or difference, and its product, or
// None.
func (x *fpExpander) fuse(v ir.Value) (fused, product ir.Value) {
	f := x.f
	op := f.Op(v)
	if op != ir.OpFAdd && op != ir.OpFSub || !x.contracts(v) || !x.prefersFMA(x.M.Scalar(f.TypeOf(v))) {
		return ir.None, ir.None
	}
	side := x.productSide(v)
	if side < 0 {
		return ir.None, ir.None
	}
	p, c := f.Operand(v, side), f.Operand(v, 1-side)
	a, b := f.Operand(p, 0), f.Operand(p, 1)
	x.Before(v)
	x.Fast = x.flags(v) & x.flags(p)
	switch {
	case op == ir.OpFSub && side == 0:
		c = x.FNeg(c)
	case op == ir.OpFSub:
		a = x.FNeg(a)
	}
	r := x.fma(a, b, c)
	x.Fast = 0
	return r, p
}

func (x *fpExpander) contracts(v ir.Value) bool { return x.flags(v)&ir.AllowContract != 0 }

// productSide returns the index of a sum's operand that is a fusible product,
// or -1. It prefers a product without other users.
func (x *fpExpander) productSide(v ir.Value) int {
	f := x.f
	side := -1
	for i := range 2 {
		p := f.Operand(v, i)
		if f.Op(p) == ir.OpFMul && x.contracts(p) && (side < 0 || !f.HasOneUse(f.Operand(v, side)) && f.HasOneUse(p)) {
			side = i
		}
	}
	return side
}
