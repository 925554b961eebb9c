package prepare

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// floatRule returns the rule of a function that is expanded for float and
// promoted from half.
func floatRule(expand func(x *fpExpander, v, a ir.Value) ir.Value) *fpRule {
	return &fpRule{want: wantFloat, expand: func(x *fpExpander, v ir.Value) ir.Value {
		a := x.f.Operand(v, 0)
		if x.f.TypeOf(v) == ir.Half {
			return x.FoldCast(ir.OpFPTrunc, expand(x, v, x.FoldCast(ir.OpFPExt, a, ir.Float)), ir.Half)
		}
		return expand(x, v, a)
	}}
}

func wantFloat(x *fpExpander, _ ir.Value, t ir.Type) bool {
	s := x.M.Scalar(t)
	return s == ir.Half || s == ir.Float
}

// orHalf extends a rule of floatRule: half uses an intrinsic if half
// instructions exist.
func orHalf(rule *fpRule, id ir.Intrinsic) *fpRule {
	asFloat := rule.expand
	rule.expand = func(x *fpExpander, v ir.Value) ir.Value {
		if x.half && x.f.TypeOf(v) == ir.Half {
			return x.intr(id, x.f.Operand(v, 0))
		}
		return asFloat(x, v)
	}
	return rule
}

// hasTiny reports whether operands or results of a float operation may be
// significant denormals. Values converted from or to half cannot be.
func (x *fpExpander) hasTiny(v ir.Value) bool {
	return x.f.TypeOf(v) == ir.Float && x.f32 != denormFlush
}

// exp2 is v_exp_f32. If tiny is set, it supports denormal results: the power is
// computed scaled by 2^64.
func (x *fpExpander) exp2(a ir.Value, tiny bool) ir.Value {
	if !tiny {
		return x.intr(ir.IntrAMDGCNExp2, a)
	}
	num := func(n float64) ir.Value { return x.num(ir.Float, n) }
	low := x.Compare(ir.FCmpOLT, a, num(-126))
	r := x.intr(ir.IntrAMDGCNExp2, x.fadd(a, x.Select(low, num(64), num(0))))
	return x.fmul(r, x.Select(low, num(0x1p-64), num(1)))
}

func fpExp2(x *fpExpander, v, a ir.Value) ir.Value { return x.exp2(a, x.hasTiny(v)) }

// expBase holds the constants for e^x and 10^x: the logarithm of the base, and
// the operands beyond which the result underflows to zero or is infinite.
type expBase struct {
	log2      float64
	low, high float64
}

var (
	expE  = expBase{math.Log2E, -104, 0x1.62e430p+6}
	exp10 = expBase{math.Ln10 / math.Ln2, -46, 0x1.344136p+5}
)

// expand returns a power. The product with the logarithm of the base is kept in
// two floats. Its integer part is an exponent, and v_exp_f32 handles the rest.
func (base expBase) expand(x *fpExpander, v, a ir.Value) ir.Value {
	num := func(n float64) ir.Value { return x.num(ir.Float, n) }
	if x.f.TypeOf(v) == ir.Half || x.flags(v)&ir.ApproxFunc != 0 {
		return x.exp2(x.fmul(a, num(base.log2)), x.hasTiny(v))
	}
	c, cc := split(base.log2)
	high := x.fmul(a, num(c))
	low := x.fma(a, num(cc), x.fma(a, num(c), x.FNeg(high)))
	whole := x.intr(ir.IntrRint, high)
	rest := x.fadd(x.fsub(high, whole), low)
	r := x.ldexp(x.intr(ir.IntrAMDGCNExp2, rest), x.toInt32Sat(whole, true))
	r = x.Select(x.Compare(ir.FCmpOLT, a, num(base.low)), num(0), r)
	if x.flags(v)&ir.NoInfs == 0 {
		r = x.Select(x.Compare(ir.FCmpOGT, a, num(base.high)), num(math.Inf(1)), r)
	}
	return r
}

// split returns n as the sum of two floats.
func split(n float64) (high, low float64) {
	high = float64(float32(n))
	return high, float64(float32(n - high))
}

// log2 is v_log_f32. If tiny is set, it supports denormal operands, which are
// scaled by 2^32; scaled reports the scaling.
func (x *fpExpander) log2(a ir.Value, tiny bool) (r, scaled ir.Value) {
	if !tiny {
		return x.intr(ir.IntrAMDGCNLog, a), ir.None
	}
	num := func(n float64) ir.Value { return x.num(ir.Float, n) }
	scaled = x.Compare(ir.FCmpOLT, a, num(0x1p-126))
	return x.intr(ir.IntrAMDGCNLog, x.fmul(a, x.Select(scaled, num(0x1p+32), num(1)))), scaled
}

// unscale subtracts the effect of a scaled operand from a logarithm.
func (x *fpExpander) unscale(r, scaled ir.Value, n float64) ir.Value {
	if scaled == ir.None {
		return r
	}
	return x.fsub(r, x.Select(scaled, x.num(ir.Float, n), x.num(ir.Float, 0)))
}

func fpLog2(x *fpExpander, v, a ir.Value) ir.Value {
	r, scaled := x.log2(a, x.hasTiny(v))
	return x.unscale(r, scaled, 32)
}

// fpLog returns the rule of a logarithm, given the logarithm of 2 to its base.
func fpLog(log float64) *fpRule {
	return floatRule(func(x *fpExpander, v, a ir.Value) ir.Value {
		num := func(n float64) ir.Value { return x.num(ir.Float, n) }
		y, scaled := x.log2(a, x.hasTiny(v))
		if x.f.TypeOf(v) == ir.Half || x.flags(v)&ir.ApproxFunc != 0 {
			return x.unscale(x.fmul(y, num(log)), scaled, 32*log)
		}
		c, cc := split(log)
		r := x.fmul(y, num(c))
		r = x.fadd(r, x.fma(y, num(cc), x.fma(y, num(c), x.FNeg(r))))
		if x.flags(v)&ir.NoInfs == 0 {
			finite := x.Compare(ir.FCmpOLT, x.fabs(y), num(math.Inf(1)))
			r = x.Select(finite, r, y)
		}
		return x.unscale(r, scaled, 32*log)
	})
}

// fpTrig expands llvm.sin and llvm.cos. The operand of v_sin and v_cos is in
// turns, for which half has too few bits unless afn is set.
func fpTrig(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	if x.f.TypeOf(v) == ir.Half && !(x.half && x.flags(v)&ir.ApproxFunc != 0) {
		a = x.FoldCast(ir.OpFPExt, a, ir.Float)
	}
	turns := x.fmul(a, x.num(x.f.TypeOf(a), 1/(2*math.Pi)))
	return x.shorten(x.trig(x.f.CalledIntrinsic(v), turns), x.f.TypeOf(v))
}

// trig returns the sine or cosine of an angle in turns.
func (x *fpExpander) trig(id ir.Intrinsic, turns ir.Value) ir.Value {
	if x.trigRange {
		turns = x.intr(ir.IntrAMDGCNFract, turns)
	}
	if id == ir.IntrCos {
		return x.intr(ir.IntrAMDGCNCos, turns)
	}
	return x.intr(ir.IntrAMDGCNSin, turns)
}

// fpSinCos expands llvm.sincos and llvm.sincospi.
func fpSinCos(x *fpExpander, v ir.Value) ir.Value {
	a := x.f.Operand(v, 0)
	t := x.f.TypeOf(a)
	if t != ir.Float {
		a = x.extend(a)
	}
	r := x.M.Poison(x.f.TypeOf(v))
	for i, id := range [...]ir.Intrinsic{ir.IntrSin, ir.IntrCos} {
		p := ir.None
		if x.f.CalledIntrinsic(v) == ir.IntrSincos {
			p = x.intr(id, a)
		} else {
			p = x.trig(id, x.fmul(a, x.num(ir.Float, 0.5)))
		}
		r = x.InsertValue(r, x.shorten(p, t), uint32(i))
	}
	return r
}

func wantSinCos(x *fpExpander, v ir.Value, _ ir.Type) bool {
	t := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0)))
	return t == ir.Half || t == ir.BFloat || t == ir.Float
}

// fpPow expands llvm.pow: 2^(y log2(|x|)), where 0 times any value is 0. With
// afn, log2(x) suffices. Otherwise a negative x has a power if y is an integer,
// and the power is negative if y is odd. The precision is the precision of the
// logarithm times y.
func fpPow(x *fpExpander, v, a ir.Value) ir.Value {
	y := x.f.Operand(v, 1)
	if x.f.TypeOf(y) == ir.Half {
		y = x.FoldCast(ir.OpFPExt, y, ir.Float)
	}
	power := func(base ir.Value) ir.Value {
		product := x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNFmulLegacy), y, x.intr(ir.IntrLog2, base))
		return x.intr(ir.IntrExp2, product)
	}
	if x.flags(v)&ir.ApproxFunc != 0 {
		return power(a)
	}
	r := power(x.fabs(a))
	half := x.fmul(y, x.num(ir.Float, 0.5))
	whole := x.Compare(ir.FCmpOEQ, x.intr(ir.IntrRint, y), y)
	odd := x.FoldBinary(ir.OpAnd, whole, x.Compare(ir.FCmpONE, x.intr(ir.IntrRint, half), half))
	negative := x.Compare(ir.ICmpSLT, x.FoldCast(ir.OpBitCast, a, ir.I32), x.i32(0))
	r = x.Select(x.FoldBinary(ir.OpAnd, odd, negative), x.FNeg(r), r)
	below := x.Compare(ir.FCmpOLT, a, x.num(ir.Float, 0))
	finite := x.Compare(ir.FCmpOGT, a, x.num(ir.Float, math.Inf(-1)))
	none := x.FoldBinary(ir.OpAnd, x.FoldBinary(ir.OpAnd, below, finite), x.Compare(ir.FCmpUNE, x.intr(ir.IntrRint, y), y))
	return x.Select(none, x.num(ir.Float, math.NaN()), r)
}

// maxPowi is the largest llvm.powi exponent that is expanded to
// multiplications.
const maxPowi = 1 << 10

func wantPowi(x *fpExpander, v ir.Value, t ir.Type) bool {
	n := x.M.IntBits(x.f.TypeOf(x.f.Operand(v, 1)))
	return n > 0 && n <= 64 && isExpandable(x.M.Scalar(t))
}

// fpPowi expands llvm.powi by repeated squaring.
func fpPowi(x *fpExpander, v ir.Value) ir.Value {
	n, ok := x.M.SignedValue(x.f.Operand(v, 1))
	if !ok || n < -maxPowi || n > maxPowi {
		return x.powiLoop(v)
	}
	a, t := x.f.Operand(v, 0), x.f.TypeOf(v)
	r, p := ir.None, a
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 != 0 {
			if r == ir.None {
				r = p
			} else {
				r = x.fmul(r, p)
			}
		}
		if k > 1 {
			p = x.fmul(p, p)
		}
	}
	switch {
	case n == 0:
		return x.num(t, 1)
	case n < 0:
		return x.Binary(ir.OpFDiv, x.num(t, 1), r, 0)
	}
	return r
}

// powiLoop emits a loop over the bits of the exponent.
func (x *fpExpander) powiLoop(v ir.Value) ir.Value {
	f := x.f
	a, t := f.Operand(v, 0), f.TypeOf(v)
	counter := ir.I32
	if x.M.IntBits(f.TypeOf(f.Operand(v, 1))) > 32 {
		counter = ir.I64
	}
	zero, bit := x.M.NewInt(counter, 0), x.M.NewInt(counter, 1)
	e := x.fixed(x.resizeInt(f.Operand(v, 1), counter, true))
	sign := x.Shift(ir.OpAShr, e, uint64(x.M.IntBits(counter)-1))
	n := x.FoldBinary(ir.OpSub, x.FoldBinary(ir.OpXor, e, sign), sign)
	one := x.num(t, 1)
	head := f.Parent(v)
	last := f.SplitBlock(v)
	loop := f.NewBlockAfter(head)
	body := f.NewBlockAfter(loop)
	f.SetOperand(f.Terminator(head), 0, loop.Value())

	x.AtEnd(loop)
	r, p, k := x.Phi(t), x.Phi(t), x.Phi(counter)
	x.CondBr(x.Compare(ir.ICmpNE, k, zero), body, last)
	x.AtEnd(body)
	odd := x.Compare(ir.ICmpNE, x.FoldBinary(ir.OpAnd, k, bit), zero)
	more := x.Select(odd, x.fmul(r, p), r)
	square, rest := x.fmul(p, p), x.Shift(ir.OpLShr, k, 1)
	x.Br(loop)
	for _, phi := range [...][3]ir.Value{{r, one, more}, {p, a, square}, {k, n, rest}} {
		f.AddIncoming(phi[0], phi[1], head)
		f.AddIncoming(phi[0], phi[2], body)
	}

	x.Before(v)
	power := x.Phi(t)
	f.AddIncoming(power, r, loop)
	inverse := x.Binary(ir.OpFDiv, one, power, 0)
	return x.Select(x.Compare(ir.ICmpSLT, e, zero), inverse, power)
}
