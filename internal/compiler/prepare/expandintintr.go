package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// wideIntrinsic expands an intrinsic for one element; args are the parts of its
// arguments.
type wideIntrinsic func(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value

// wideIntrinsics holds the intrinsics that intExpander supports.
var wideIntrinsics = lazy.Value[map[ir.Intrinsic]wideIntrinsic]{Make: func() map[ir.Intrinsic]wideIntrinsic {
	return map[ir.Intrinsic]wideIntrinsic{
		ir.IntrCtlz: wideCount, ir.IntrCttz: wideCount, ir.IntrCtpop: wideCount,
		ir.IntrBswap: wideReverse, ir.IntrBitreverse: wideReverse,
		ir.IntrUmin: wideMinMax, ir.IntrUmax: wideMinMax, ir.IntrSmin: wideMinMax, ir.IntrSmax: wideMinMax,
		ir.IntrAbs: wideAbs, ir.IntrFshl: wideFunnel, ir.IntrFshr: wideFunnel,
		ir.IntrUaddWithOverflow: wideOverflow, ir.IntrUsubWithOverflow: wideOverflow, ir.IntrUmulWithOverflow: wideOverflow,
		ir.IntrSaddWithOverflow: wideOverflow, ir.IntrSsubWithOverflow: wideOverflow, ir.IntrSmulWithOverflow: wideOverflow,
		ir.IntrUaddSat: wideSaturate, ir.IntrUsubSat: wideSaturate, ir.IntrSaddSat: wideSaturate, ir.IntrSsubSat: wideSaturate,
		ir.IntrExpect: wideFirst, ir.IntrArithmeticFence: wideFirst,
		ir.IntrFabs: quadFabs, ir.IntrCopysign: quadCopysign, ir.IntrIsFpclass: quadClass,
	}
}}

// intrinsic expands a call of an intrinsic, element by element.
func (x *intExpander) intrinsic(id ir.Intrinsic, v ir.Value) bool {
	f := x.f
	do := wideIntrinsics.Get()[id]
	if do == nil {
		return false
	}
	t := f.TypeOf(f.Operand(v, 0))
	w, n, elems := x.scalar(t)
	if s := x.M.Scalar(t); isLongFloat(s) && s != ir.FP128 {
		return false
	}
	if elems > 1 && x.M.IsAggregate(f.TypeOf(v)) {
		return false
	}
	var out []ir.Value
	for i := range elems {
		var args [][]ir.Value
		for _, o := range f.Args(v) {
			p := x.parts(o.Value)
			if x.isWide(f.TypeOf(o.Value)) {
				p = p[i*n : (i+1)*n]
			}
			args = append(args, p)
		}
		r := do(x, id, args, w)
		if r == nil {
			return false
		}
		out = append(out, r...)
	}
	return x.done(v, out)
}

// number returns the parts of a small number.
func (x *intExpander) number(v ir.Value, n int) []ir.Value {
	out := []ir.Value{v}
	for len(out) < n {
		out = append(out, x.i64(0))
	}
	return out
}

func wideFirst(_ *intExpander, _ ir.Intrinsic, args [][]ir.Value, _ int) []ir.Value { return args[0] }

// wideCount expands ctlz, cttz and ctpop.
func wideCount(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	p := args[0]
	n := len(p)
	switch id {
	case ir.IntrCtlz:
		return x.number(x.Op(ir.OpSub, x.countZeros(p), x.i64(uint64(n*wordBits-w))), n)
	case ir.IntrCtpop:
		fn := x.M.DeclareIntrinsic(id, ir.I64)
		sum := x.Call(fn, p[0])
		for _, q := range p[1:] {
			sum = x.Op(ir.OpAdd, sum, x.Call(fn, q))
		}
		return x.number(sum, n)
	}
	fn := x.M.DeclareIntrinsic(id, ir.I64)
	top := p[n-1]
	if k := w % wordBits; k != 0 { // the count is w for zero
		top = x.Op(ir.OpOr, top, x.i64(1<<k))
	}
	count := x.Op(ir.OpAdd, x.Call(fn, top, x.M.NewBool(false)), x.i64(uint64((n-1)*wordBits)))
	for i := n - 2; i >= 0; i-- {
		c := x.Op(ir.OpAdd, x.Call(fn, p[i], x.M.NewBool(false)), x.i64(uint64(i*wordBits)))
		count = x.Choose(x.FoldCompare(ir.ICmpNE, p[i], x.i64(0)), c, count)
	}
	return x.number(count, n)
}

// wideReverse expands bswap and bitreverse.
func wideReverse(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	p := args[0]
	n := len(p)
	fn := x.M.DeclareIntrinsic(id, ir.I64)
	out := make([]ir.Value, n)
	for i := range p {
		out[n-1-i] = x.Call(fn, p[i])
	}
	return x.shiftWide(ir.OpLShr, out, x.i64(uint64(n*wordBits-w)), n*wordBits)
}

// wideMinMax expands umin, umax, smin and smax.
func wideMinMax(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	pred := map[ir.Intrinsic]ir.Pred{ir.IntrUmin: ir.ICmpULT, ir.IntrUmax: ir.ICmpUGT, ir.IntrSmin: ir.ICmpSLT, ir.IntrSmax: ir.ICmpSGT}[id]
	first := x.compareWide(pred, args[0], args[1], w)
	return x.chooseParts(first, args[0], args[1])
}

// chooseParts emits a select for each part.
func (x *intExpander) chooseParts(c ir.Value, a, b []ir.Value) []ir.Value {
	out := make([]ir.Value, len(a))
	for i := range a {
		out[i] = x.Choose(c, a[i], b[i])
	}
	return out
}

// isNegative returns the sign of an integer.
func (x *intExpander) isNegative(p []ir.Value, w int) ir.Value {
	return x.FoldCompare(ir.ICmpSLT, x.topSigned(p, w), x.i64(0))
}

func wideAbs(x *intExpander, _ ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	return x.negate(args[0], x.isNegative(args[0], w), w)
}

// wideFunnel expands fshl and fshr of integers whose width is a power of two,
// or by a constant amount.
func wideFunnel(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	by := ir.None
	if c, ok := x.M.IntValue(args[2][0]); ok && w&(w-1) != 0 {
		for _, q := range args[2][1:] {
			if z, ok := x.M.IntValue(q); !ok || z != 0 {
				return nil
			}
		}
		by = x.i64(c % uint64(w))
	} else if w&(w-1) == 0 {
		by = x.Op(ir.OpAnd, args[2][0], x.i64(uint64(w-1)))
	} else {
		return nil
	}
	one := x.i64(1)
	rest := x.Op(ir.OpSub, x.i64(uint64(w-1)), by)
	a, b := args[0], args[1]
	if id == ir.IntrFshl {
		a = x.shiftWide(ir.OpShl, a, by, w)
		b = x.shiftWide(ir.OpLShr, x.shiftWide(ir.OpLShr, b, one, w), rest, w)
	} else {
		a = x.shiftWide(ir.OpShl, x.shiftWide(ir.OpShl, a, one, w), rest, w)
		b = x.shiftWide(ir.OpLShr, b, by, w)
	}
	return x.arith(ir.OpOr, a, b, w)
}

// sumOf computes a sum, difference or product and whether it overflowed.
func (x *intExpander) sumOf(id ir.Intrinsic, a, b []ir.Value, w int) (out []ir.Value, over ir.Value) {
	switch id {
	case ir.IntrUmulWithOverflow:
		return x.mulOver(a, b, w)
	case ir.IntrSmulWithOverflow:
		return x.mulOverSigned(a, b, w)
	}
	isAdd := id == ir.IntrUaddWithOverflow || id == ir.IntrSaddWithOverflow || id == ir.IntrUaddSat || id == ir.IntrSaddSat
	var carry ir.Value
	if isAdd {
		out, carry = x.addParts(a, b)
	} else {
		out, carry = x.sub(a, b)
	}
	if k := w % wordBits; k != 0 && isAdd {
		carry = x.FoldCompare(ir.ICmpNE, x.Shift(ir.OpLShr, out[len(out)-1], uint64(k)), x.i64(0))
	}
	out = x.mask(out, w)
	switch id {
	case ir.IntrUaddWithOverflow, ir.IntrUsubWithOverflow, ir.IntrUaddSat, ir.IntrUsubSat:
		return out, carry
	}
	na, nb, ns := x.isNegative(a, w), x.isNegative(b, w), x.isNegative(out, w)
	differ := x.Op(ir.OpXor, na, ns)
	if isAdd {
		return out, x.Op(ir.OpAnd, differ, x.Op(ir.OpXor, nb, ns))
	}
	return out, x.Op(ir.OpAnd, differ, x.Op(ir.OpXor, na, nb))
}

// mulOver returns a product and whether it has bits above the width.
func (x *intExpander) mulOver(a, b []ir.Value, w int) ([]ir.Value, ir.Value) {
	n := len(a)
	all := x.mul(a, b, 2*n)
	high := x.i64(0)
	if k := w % wordBits; k != 0 {
		high = x.Shift(ir.OpLShr, all[n-1], uint64(k))
	}
	for _, q := range all[n:] {
		high = x.Op(ir.OpOr, high, q)
	}
	return x.mask(all[:n:n], w), x.FoldCompare(ir.ICmpNE, high, x.i64(0))
}

// mulOverSigned is mulOver for signed integers, computed from their magnitudes.
func (x *intExpander) mulOverSigned(a, b []ir.Value, w int) ([]ir.Value, ir.Value) {
	na, nb := x.isNegative(a, w), x.isNegative(b, w)
	p, over := x.mulOver(x.negate(a, na, w), x.negate(b, nb, w), w)
	neg := x.Op(ir.OpXor, na, nb)
	// the magnitude may be 2^(w-1) if the product is negative
	limit := make([]ir.Value, len(p))
	for i := range limit {
		limit[i] = x.i64(0)
	}
	limit[len(p)-1] = x.i64(1 << ((w - 1) % wordBits))
	large := x.compareWide(ir.ICmpUGE, p, limit, w)
	exact := x.compareWide(ir.ICmpEQ, p, limit, w)
	large = x.Op(ir.OpAnd, large, x.Op(ir.OpXor, x.Op(ir.OpAnd, neg, exact), x.M.NewBool(true)))
	return x.negate(p, neg, w), x.Op(ir.OpOr, over, large)
}

func wideOverflow(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	out, over := x.sumOf(id, args[0], args[1], w)
	return append(append([]ir.Value(nil), out...), over)
}

// wideSaturate expands saturating sums and differences.
func wideSaturate(x *intExpander, id ir.Intrinsic, args [][]ir.Value, w int) []ir.Value {
	out, over := x.sumOf(id, args[0], args[1], w)
	limit := make([]ir.Value, len(out))
	switch id {
	case ir.IntrUaddSat, ir.IntrUsubSat:
		for i := range limit {
			limit[i] = x.i64(0)
			if id == ir.IntrUaddSat {
				limit[i] = x.i64(^uint64(0))
			}
		}
	default: // the largest or smallest number, depending on the first operand's sign
		sign := x.FoldCast(ir.OpSExt, x.isNegative(args[0], w), ir.I64)
		for i := range limit {
			limit[i] = x.Op(ir.OpXor, sign, x.i64(^uint64(0)))
		}
		last := len(limit) - 1
		limit[last] = x.Op(ir.OpXor, limit[last], x.i64(1<<((w-1)%wordBits)))
	}
	return x.chooseParts(over, x.mask(limit, w), out)
}
