package prepare

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// remBits returns the number of quotient bits per step of fpRemainder. With
// that many bits, the quotient estimate, which is off by three units of the
// type's precision, is off by less than 0.2.
func remBits(t ir.Type) int {
	if t == ir.Double {
		return 48
	}
	return 20
}

// remainder is the expansion of one frem.
type remainder struct {
	*fpExpander
	t        ir.Type
	den, inv ir.Value // significand of the denominator, and its reciprocal
}

// fpRemainder expands frem, which is exact: a long division of the
// significands, several bits at a time. The magnitude of the remainder stays
// below the denominator, so that each fma is exact.
//
//	      |x| < |y|: x, else
//	begin:    r = significand of x, n = difference of exponents
//	loop:     while n > bits: r = rest of r*2^bits, n -= bits
//	last:     r = rest of r*2^n
func fpRemainder(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	d := remainder{fpExpander: x, t: f.TypeOf(v)}
	if d.t == ir.Half {
		a, b := x.FoldCast(ir.OpFPExt, f.Operand(v, 0), ir.Float), x.FoldCast(ir.OpFPExt, f.Operand(v, 1), ir.Float)
		return x.FoldCast(ir.OpFPTrunc, x.Binary(ir.OpFRem, a, b, 0), ir.Half)
	}
	a, b := x.fixed(f.Operand(v, 0)), x.fixed(f.Operand(v, 1))
	ax, ay := x.fabs(a), x.fabs(b)
	head := f.Parent(v)
	long := x.Compare(ir.FCmpOGE, ax, ay)
	end := f.SplitBlock(v)
	begin := f.NewBlockAfter(head)
	f.Erase(f.Terminator(head))
	x.AtEnd(head)
	x.CondBr(long, begin, end)

	x.AtEnd(begin)
	last, r := d.divide(begin, ax, ay)
	r = x.intr(ir.IntrCopysign, r, a)
	x.Br(end)

	x.Before(v)
	all := x.Phi(d.t)
	f.AddIncoming(all, a, head)
	f.AddIncoming(all, r, last)
	inf := x.num(d.t, math.Inf(1))
	good := x.FoldBinary(ir.OpAnd, x.Compare(ir.FCmpOLT, ax, inf), x.Compare(ir.FCmpOGT, ay, x.num(d.t, 0)))
	return x.Select(good, all, x.num(d.t, math.NaN()))
}

// fixed returns a value that a branch may depend on.
func (x *fpExpander) fixed(v ir.Value) ir.Value {
	if analysis.NotPoison(x.f, v) {
		return v
	}
	return x.Freeze(v)
}

// divide emits the loop after a block. It returns the block in which the loop
// ends, and the remainder.
func (d *remainder) divide(begin ir.Block, ax, ay ir.Value) (ir.Block, ir.Value) {
	x, f := d.fpExpander, d.f
	mx, ex := x.frexpAny(ax)
	my, ey := x.frexpAny(ay)
	d.den = my
	_, d.inv = x.nearRcp(my, d.t)
	loop := f.NewBlockAfter(begin)
	body := f.NewBlockAfter(loop)
	last := f.NewBlockAfter(body)
	bits := x.i32(remBits(d.t))
	n0 := x.FoldBinary(ir.OpSub, ex, ey)
	x.Br(loop)

	x.AtEnd(loop)
	r, n := x.Phi(d.t), x.Phi(ir.I32)
	x.CondBr(x.Compare(ir.ICmpSGT, n, bits), body, last)
	x.AtEnd(body)
	less := d.rest(r, bits)
	left := x.FoldBinary(ir.OpSub, n, bits)
	x.Br(loop)
	f.AddIncoming(r, mx, begin)
	f.AddIncoming(n, n0, begin)
	f.AddIncoming(r, less, body)
	f.AddIncoming(n, left, body)

	x.AtEnd(last)
	lr, ln := x.Phi(d.t), x.Phi(ir.I32)
	f.AddIncoming(lr, r, loop)
	f.AddIncoming(ln, n, loop)
	s := d.rest(lr, ln)
	s = x.Select(x.Compare(ir.FCmpOLT, s, x.num(d.t, 0)), x.fadd(s, my), s)
	return last, x.ldexp(s, ey)
}

// rest returns the remainder of r*2^n and the denominator, from the nearest
// integer quotient.
func (d *remainder) rest(r, n ir.Value) ir.Value {
	r = d.ldexp(r, n)
	q := d.intr(ir.IntrRint, d.fmul(r, d.inv))
	return d.fma(d.FNeg(q), d.den, r)
}
