package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// divExpander lowers integer divisions and remainders, which the hardware does
// not support.
type divExpander struct {
	emitter
	f    *ir.Function
	list []ir.Value
	done []divPair
	at   ir.Value // current operation
}

// divPair holds both results of an expanded division, for a later operation on
// the same operands.
type divPair struct {
	x, y   ir.Value
	signed bool
	block  ir.Block
	q, r   ir.Value
}

func isDivision(op ir.Op) bool {
	return op == ir.OpUDiv || op == ir.OpSDiv || op == ir.OpURem || op == ir.OpSRem
}

// expandDivRem lowers divisions and remainders of integers of at most 64 bits
// to multiplications, shifts and reciprocals. A division by a constant
// multiplies by its reciprocal. Small numbers use a floating-point reciprocal,
// other numbers also a Newton-Raphson step on integers (AMDGPUCodeGenPrepare
// and LowerUDIVREM64 in LLVM 22). Vectors are scalarized.
func expandDivRem(ctx *opt.Context, f *ir.Function) bool {
	d := opt.Scratch[divExpander](ctx)
	return d.expandDivisions(f, func(t ir.Type) bool { return d.M.IntBits(t) <= 64 }, d.expand)
}

// expandDivisions expands the divisions whose scalar type satisfies want.
func (d *divExpander) expandDivisions(f *ir.Function, want func(ir.Type) bool, expand func(op ir.Op, x, y ir.Value) ir.Value) bool {
	d.f, d.F, d.M = f, f, f.Module()
	d.list, d.done = d.list[:0], d.done[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if isDivision(f.Op(v)) && want(d.M.Scalar(f.TypeOf(v))) {
				d.list = append(d.list, v)
			}
		}
	}
	for _, v := range d.list {
		d.Before(v)
		d.at = v
		n := ir.None
		if t := f.TypeOf(v); d.M.IsVector(t) {
			n = d.vector(v, t, expand)
		} else {
			n = expand(f.Op(v), f.Operand(v, 0), f.Operand(v, 1))
		}
		if name := f.NameOf(v); name != nil && n.IsLocal() && !f.HasName(n) {
			f.SetName(n, name)
		}
		f.ReplaceUses(v, n)
		f.Erase(v)
	}
	return len(d.list) > 0
}

// vector expands each element.
func (d *divExpander) vector(v ir.Value, t ir.Type, expand func(op ir.Op, x, y ir.Value) ir.Value) ir.Value {
	f, m := d.f, d.M
	op := f.Op(v)
	sum := m.Poison(t)
	for i := range m.NumElements(t) {
		at := m.NewInt(ir.I64, i)
		q := expand(op, d.element(f.Operand(v, 0), at), d.element(f.Operand(v, 1), at))
		sum = d.InsertElement(sum, q, at)
	}
	return sum
}

// element extracts an element of a vector.
func (d *divExpander) element(v, at ir.Value) ir.Value {
	if v.IsConst() {
		return d.M.ExtractElementConst(v, at)
	}
	return d.ExtractElement(v, at)
}

// expand returns the result of a scalar operation of at most 64 bits.
func (d *divExpander) expand(op ir.Op, x, y ir.Value) ir.Value {
	signed := op == ir.OpSDiv || op == ir.OpSRem
	isRem := op == ir.OpURem || op == ir.OpSRem
	if c, ok := d.M.IntValue(y); ok {
		if r := d.byConstant(c, signed, isRem, x, y); r != ir.None {
			return r
		}
	}
	block := d.Block()
	for _, p := range d.done {
		if p.x == x && p.y == y && p.signed == signed && p.block == block {
			return pick(isRem, p.q, p.r)
		}
	}
	q, r := d.divide(signed, x, y)
	d.done = append(d.done, divPair{x, y, signed, block, q, r})
	return pick(isRem, q, r)
}

func pick(second bool, a, b ir.Value) ir.Value {
	if second {
		return b
	}
	return a
}

// divide returns the quotient and remainder of two arbitrary values.
func (d *divExpander) divide(signed bool, x, y ir.Value) (q, r ir.Value) {
	t := d.f.TypeOf(x)
	width := d.M.IntBits(t)
	need := d.neededBits(signed, x, y, width) // any result is valid for poison
	x, y = d.fixed(x), d.fixed(y)
	work := ir.I32
	if need > 32 {
		work = ir.I64
	}
	x, y = d.resize(x, work, signed), d.resize(y, work, signed)
	sx, sy := ir.None, ir.None
	if signed {
		x, sx = d.magnitude(x)
		y, sy = d.magnitude(y)
	}
	switch {
	case need <= 24:
		q, r = d.divideFloat(x, y, need > 22)
	case work == ir.I32:
		q, r = d.divide32(x, y)
	default:
		q, r = d.divide64(x, y)
	}
	if signed {
		q = d.withSign(q, d.FoldBinary(ir.OpXor, sx, sy))
		r = d.withSign(r, sx)
	}
	return d.resize(q, t, signed), d.resize(r, t, signed)
}

// fixed returns a value that is the same at each use, unlike undef.
func (d *divExpander) fixed(v ir.Value) ir.Value {
	if analysis.NotPoison(d.f, v) {
		return v
	}
	return d.Freeze(v)
}

// neededBits returns an upper bound for the bits of both operands' magnitudes.
func (d *divExpander) neededBits(signed bool, x, y ir.Value, width int) int {
	one := func(v ir.Value) int {
		if signed {
			return width - known.SignBits(d.f, v) + 1
		}
		zero, _ := known.Bits(d.f, v, known.MaxDepth)
		return bits.Len64(^zero)
	}
	return max(one(x), one(y))
}

// resize extends or truncates an integer.
func (d *divExpander) resize(v ir.Value, t ir.Type, signed bool) ir.Value {
	from, to := d.M.IntBits(d.f.TypeOf(v)), d.M.IntBits(t)
	switch {
	case from > to:
		return d.FoldCast(ir.OpTrunc, v, t)
	case signed:
		return d.FoldCast(ir.OpSExt, v, t)
	}
	return d.FoldCast(ir.OpZExt, v, t)
}

// magnitude returns the absolute value of an integer, and its sign: 0 or -1.
func (d *divExpander) magnitude(v ir.Value) (abs, sign ir.Value) {
	sign = d.Shift(ir.OpAShr, v, uint64(d.M.IntBits(d.f.TypeOf(v))-1))
	return d.FoldBinary(ir.OpXor, d.FoldBinary(ir.OpAdd, v, sign), sign), sign
}

// withSign negates a value if sign is -1.
func (d *divExpander) withSign(v, sign ir.Value) ir.Value {
	return d.FoldBinary(ir.OpSub, d.FoldBinary(ir.OpXor, v, sign), sign)
}

// float32 returns the float constant with the given bits.
func (d *divExpander) float32(b uint64) ir.Value { return d.M.NewFloatBits(ir.Float, b) }

func (d *divExpander) rcp(v ir.Value) ir.Value {
	return d.Call(d.M.DeclareIntrinsic(ir.IntrAMDGCNRcp, ir.Float), v)
}

func (d *divExpander) fma(x, y, z ir.Value) ir.Value {
	return d.Call(d.M.DeclareIntrinsic(ir.IntrFma, ir.Float), x, y, z)
}

// divideFloat divides i32 of at most 24 bits, or 22 bits if refine is false.
//
// The operands convert to float exactly. The reciprocal has an error of at most
// one ulp, so its product with x has an error of at most 1.5 * 2^-23 of x/y.
// Below 2^22 this is less than one: the quotient is off by at most one, in
// either direction. A Newton-Raphson step makes the reciprocal exact for powers
// of two. Otherwise it leaves an error of 2^-23, which is less than one for y >
// 2 up to 2^24.
func (d *divExpander) divideFloat(x, y ir.Value, refine bool) (q, r ir.Value) {
	fx, fy := d.Cast(ir.OpUIToFP, x, ir.Float, 0), d.Cast(ir.OpUIToFP, y, ir.Float, 0)
	inv := d.rcp(fy)
	if refine {
		e := d.fma(d.FNeg(fy), inv, d.float32(0x3f800000))
		inv = d.fma(e, inv, inv)
	}
	q = d.Cast(ir.OpFPToUI, d.Binary(ir.OpFMul, fx, inv, 0), ir.I32, 0)
	r = d.FoldBinary(ir.OpSub, x, d.FoldBinary(ir.OpMul, q, y))
	zero, one := d.M.NewInt(ir.I32, 0), d.M.NewInt(ir.I32, 1)
	over := d.Compare(ir.ICmpSLT, r, zero)
	under := d.Compare(ir.ICmpSGE, r, y)
	step := d.Select(over, d.M.NewSigned(ir.I32, -1), d.Select(under, one, zero))
	q = d.FoldBinary(ir.OpAdd, q, step)
	back := d.Select(over, y, d.Select(under, d.FoldBinary(ir.OpSub, zero, y), zero))
	return q, d.FoldBinary(ir.OpAdd, r, back)
}

// factor32 and factor64 are slightly less than 2^32 and 2^64, because the
// estimate of the reciprocal must not be too large. The error is at most 2^-24
// for the conversion (2^-23 for i64), 2^-23 for the reciprocal and 2^-24 for
// the product.
const (
	factor32 = 0x4f7ffffb // 2^32 - 5*2^8
	factor64 = 0x5f7ffff9 // 2^64 - 7*2^40
)

// divide32 divides unsigned i32: an estimate of 2^32/y that is not too large,
// one Newton-Raphson step, and two corrections of the quotient (T. Rodeheffer,
// "Software Integer Division", 2008).
func (d *divExpander) divide32(x, y ir.Value) (q, r ir.Value) {
	inv := d.Binary(ir.OpFMul, d.rcp(d.Cast(ir.OpUIToFP, y, ir.Float, 0)), d.float32(factor32), 0)
	z := d.Cast(ir.OpFPToUI, inv, ir.I32, 0)
	neg := d.FoldBinary(ir.OpSub, d.M.NewInt(ir.I32, 0), y)
	z = d.FoldBinary(ir.OpAdd, z, d.mulHigh32(z, d.FoldBinary(ir.OpMul, neg, z)))
	q = d.mulHigh32(x, z)
	return d.correct(x, y, q)
}

// correct corrects a quotient that is too small by at most two.
func (d *divExpander) correct(x, y, q ir.Value) (ir.Value, ir.Value) {
	one := d.M.NewInt(d.f.TypeOf(x), 1)
	r := d.FoldBinary(ir.OpSub, x, d.FoldBinary(ir.OpMul, q, y))
	for range 2 {
		more := d.Compare(ir.ICmpUGE, r, y)
		q = d.Select(more, d.FoldBinary(ir.OpAdd, q, one), q)
		r = d.Select(more, d.FoldBinary(ir.OpSub, r, y), r)
	}
	return q, r
}

// divide64 is divide32 for i64, with two steps.
func (d *divExpander) divide64(x, y ir.Value) (q, r ir.Value) {
	low := d.Cast(ir.OpUIToFP, d.FoldCast(ir.OpTrunc, y, ir.I32), ir.Float, 0)
	high := d.Cast(ir.OpUIToFP, d.FoldCast(ir.OpTrunc, d.Shift(ir.OpLShr, y, 32), ir.I32), ir.Float, 0)
	inv := d.Binary(ir.OpFMul, d.rcp(d.fma(high, d.float32(0x4f800000), low)), d.float32(factor64), 0)
	upper := d.Call(d.M.DeclareIntrinsic(ir.IntrTrunc, ir.Float), d.Binary(ir.OpFMul, inv, d.float32(0x2f800000), 0))
	lower := d.fma(upper, d.float32(0xcf800000), inv)
	zl := d.FoldCast(ir.OpZExt, d.Cast(ir.OpFPToUI, lower, ir.I32, 0), ir.I64)
	zh := d.FoldCast(ir.OpZExt, d.Cast(ir.OpFPToUI, upper, ir.I32, 0), ir.I64)
	z := d.FoldBinary(ir.OpOr, d.Shift(ir.OpShl, zh, 32), zl)
	neg := d.FoldBinary(ir.OpSub, d.M.NewInt(ir.I64, 0), y)
	for range 2 {
		z = d.FoldBinary(ir.OpAdd, z, d.mulHigh64(z, d.FoldBinary(ir.OpMul, neg, z)))
	}
	return d.correct(x, y, d.mulHigh64(x, z))
}
