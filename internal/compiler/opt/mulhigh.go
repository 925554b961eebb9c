package opt

import "github.com/gfx-toolchain/gfx/ir"

// mulHigh32 returns the upper half of an unsigned product of i32.
func (e *emitter) mulHigh32(x, y ir.Value) ir.Value {
	wide := e.binary(ir.OpMul, e.cast(ir.OpZExt, x, ir.I64), e.cast(ir.OpZExt, y, ir.I64))
	return e.cast(ir.OpTrunc, e.shift(ir.OpLShr, wide, 32), ir.I32)
}

// mulHigh64 returns the upper half of an unsigned product of i64, from products
// of halves.
func (e *emitter) mulHigh64(x, y ir.Value) ir.Value {
	mask := e.m.NewInt(ir.I64, 1<<32-1)
	low := func(v ir.Value) ir.Value { return e.binary(ir.OpAnd, v, mask) }
	high := func(v ir.Value) ir.Value { return e.shift(ir.OpLShr, v, 32) }
	mul := func(a, b ir.Value) ir.Value { return e.binary(ir.OpMul, a, b) }
	add := func(a, b ir.Value) ir.Value { return e.binary(ir.OpAdd, a, b) }
	xl, xh, yl, yh := low(x), high(x), low(y), high(y)
	mid := add(mul(xh, yl), high(mul(xl, yl)))
	other := add(mul(xl, yh), low(mid))
	return add(add(mul(xh, yh), high(mid)), high(other))
}
