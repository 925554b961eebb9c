package prepare

import "github.com/gfx-toolchain/gfx/ir"

// mulHigh32 returns the upper half of an unsigned product of i32.
func (e *emitter) mulHigh32(x, y ir.Value) ir.Value {
	wide := e.FoldBinary(ir.OpMul, e.FoldCast(ir.OpZExt, x, ir.I64), e.FoldCast(ir.OpZExt, y, ir.I64))
	return e.FoldCast(ir.OpTrunc, e.Shift(ir.OpLShr, wide, 32), ir.I32)
}

// mulHigh64 returns the upper half of an unsigned product of i64, from products
// of halves.
func (e *emitter) mulHigh64(x, y ir.Value) ir.Value {
	mask := e.M.NewInt(ir.I64, 1<<32-1)
	low := func(v ir.Value) ir.Value { return e.FoldBinary(ir.OpAnd, v, mask) }
	high := func(v ir.Value) ir.Value { return e.Shift(ir.OpLShr, v, 32) }
	mul := func(a, b ir.Value) ir.Value { return e.FoldBinary(ir.OpMul, a, b) }
	add := func(a, b ir.Value) ir.Value { return e.FoldBinary(ir.OpAdd, a, b) }
	xl, xh, yl, yh := low(x), high(x), low(y), high(y)
	mid := add(mul(xh, yl), high(mul(xl, yl)))
	other := add(mul(xl, yh), low(mid))
	return add(add(mul(xh, yh), high(mid)), high(other))
}
