package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// narrowInts narrows i64 operations to i32 if operands and result are known to
// fit in 32 bits unsigned. The low half of a register pair is free, and a zero
// extension permits addresses with 32-bit offsets.
func narrowInts(ctx *Context, f *ir.Function) bool {
	e := emit.Emitter{M: f.Module()}
	e.F = f
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if f.TypeOf(v) == ir.I64 && fitsLow(f, v) {
				e.Before(v)
				x, y := lowHalf(&e, f.Operand(v, 0)), lowHalf(&e, f.Operand(v, 1))
				n := e.Make(f.Op(v), ir.I32, x, y)
				f.Instr(n).Flags = f.Instr(v).Flags & (ir.Exact | ir.Disjoint)
				if op := f.Op(v); op == ir.OpAdd || op == ir.OpMul || op == ir.OpShl {
					f.Instr(n).Flags |= ir.NUW
				}
				z := e.FoldCast(ir.OpZExt, n, ir.I64)
				if f.HasName(v) {
					f.SetName(z, f.NameOf(v))
				}
				f.ReplaceUses(v, z)
				f.Erase(v)
				changed = true
			}
			v = next
		}
	}
	return changed
}

// lowHalf returns the low half of an i64.
func lowHalf(e *emit.Emitter, v ir.Value) ir.Value {
	if f := e.F; f.Op(v) == ir.OpZExt && f.TypeOf(f.Operand(v, 0)) == ir.I32 {
		return f.Operand(v, 0)
	}
	return e.FoldCast(ir.OpTrunc, v, ir.I32)
}

// narrowOps lists the operations whose low half depends only on the operands'
// low halves.
var narrowOps = [ir.NumOps]bool{
	ir.OpAdd: true, ir.OpMul: true, ir.OpShl: true, ir.OpLShr: true, ir.OpAnd: true, ir.OpOr: true, ir.OpXor: true,
}

// fitsLow reports whether the operands and the result of an i64 operation are
// less than 1<<32.
func fitsLow(f *ir.Function, v ir.Value) bool {
	op := f.Op(v)
	if !narrowOps[op] {
		return false
	}
	const limit = 1<<32 - 1
	max := func(v ir.Value) uint64 {
		_, hi := analysis.UnsignedRange(f, v)
		return hi
	}
	x, y := max(f.Operand(v, 0)), max(f.Operand(v, 1))
	switch {
	case op == ir.OpAnd:
		return x <= limit && y <= limit || min(x, y) <= limit && f.Operand(v, 1).IsConst()
	case x > limit || y > limit:
		return false
	}
	switch op {
	case ir.OpAdd:
		return x+y <= limit
	case ir.OpMul:
		return y == 0 || x <= limit/y
	case ir.OpShl:
		return y < 32 && x<<y <= limit
	case ir.OpLShr:
		return y < 32
	}
	return true
}
