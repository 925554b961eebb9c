package opt

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
)

// combiners holds the rewrites that are not patterns, by operation. A combiner
// returns the replacement for the instruction, the instruction itself if it was
// changed in place, or None.
var combiners = [ir.NumOps]func(c *combiner, v ir.Value) ir.Value{
	ir.OpAdd:            combineAdd,
	ir.OpOr:             combineOr,
	ir.OpSub:            combineSub,
	ir.OpMul:            combineMul,
	ir.OpZExt:           combineZExt,
	ir.OpTrunc:          combineTrunc,
	ir.OpFreeze:         combineFreeze,
	ir.OpICmp:           combineICmp,
	ir.OpFDiv:           combineFDiv,
	ir.OpGetElementPtr:  combineGEP,
	ir.OpExtractElement: combineExtractElement,
	ir.OpShuffleVector:  combineShuffle,
	ir.OpStore:          combineStore,
	ir.OpLoad:           combineLoad,
	ir.OpCall:           combineCall,
}

// isSmallInt reports whether t is an integer of 2 to 64 bits or a vector of
// such integers.
func (c *combiner) isSmallInt(t ir.Type) bool {
	n := c.m.ScalarBits(t)
	return n > 1 && n <= 64 && c.m.IsIntOrIntVector(t)
}

// maybe returns the bits of an integer that may be set.
func (c *combiner) maybe(v ir.Value) uint64 {
	zero, _ := known.Bits(c.f, v, known.MaxDepth)
	return ^zero
}

// splat returns the number that all elements of a constant share.
func (c *combiner) splat(v ir.Value) (uint64, bool) {
	if !v.IsConst() {
		return 0, false
	}
	if s := c.m.SplatValue(v); s != ir.None {
		v = s
	}
	return c.m.IntValue(v)
}

// combineAdd converts an addition without carries to or.
func combineAdd(c *combiner, v ir.Value) ir.Value {
	x, y := c.f.Operand(v, 0), c.f.Operand(v, 1)
	if !c.isSmallInt(c.f.TypeOf(v)) {
		return ir.None
	}
	a, b := c.maybe(x), c.maybe(y)
	if x != y && a&b == 0 {
		return c.make(ir.OpOr, 0, 0, ir.Disjoint, c.f.TypeOf(v), []ir.Value{x, y})
	}
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return ir.None
	}
	return c.fits(v, sum)
}

// combineMul sets the no-wrap flags of a product that does not overflow.
func combineMul(c *combiner, v ir.Value) ir.Value {
	x, y := c.f.Operand(v, 0), c.f.Operand(v, 1)
	if !c.isSmallInt(c.f.TypeOf(v)) {
		return ir.None
	}
	hi, lo := bits.Mul64(c.maybe(x), c.maybe(y))
	if hi != 0 {
		return ir.None
	}
	return c.fits(v, lo)
}

// fits sets the no-wrap flags that follow from the largest possible sum or
// product of the operands.
func (c *combiner) fits(v ir.Value, largest uint64) ir.Value {
	in := c.f.Instr(v)
	width := c.m.ScalarBits(in.Type)
	flags := ir.Flags(0)
	if bits.Len64(largest) <= width {
		flags = ir.NUW
	}
	if bits.Len64(largest) < width {
		flags |= ir.NSW
	}
	if flags&^in.Flags == 0 {
		return ir.None
	}
	in.Flags |= flags
	return v
}

// combineOr marks an or of disjoint operands.
func combineOr(c *combiner, v ir.Value) ir.Value {
	x, y := c.f.Operand(v, 0), c.f.Operand(v, 1)
	if in := c.f.Instr(v); in.Flags&ir.Disjoint == 0 && c.isSmallInt(in.Type) && x != y && c.maybe(x)&c.maybe(y) == 0 {
		in.Flags |= ir.Disjoint
		return v
	}
	return ir.None
}

// combineSub converts a subtraction without borrows to xor: the minuend is a
// mask of all bits that may be set.
func combineSub(c *combiner, v ir.Value) ir.Value {
	mask, ok := c.splat(c.f.Operand(v, 0))
	if x := c.f.Operand(v, 1); ok && mask != 0 && mask&(mask+1) == 0 && c.isSmallInt(c.f.TypeOf(v)) && c.maybe(x)&^mask == 0 {
		return c.make(ir.OpXor, 0, 0, 0, c.f.TypeOf(v), []ir.Value{x, c.f.Operand(v, 0)})
	}
	return ir.None
}

// combineZExt replaces the extension of a truncated value by a mask, and marks
// non-negative operands.
func combineZExt(c *combiner, v ir.Value) ir.Value {
	f, t := c.f, c.f.TypeOf(v)
	x := f.Operand(v, 0)
	if x.IsLocal() && f.Op(x) == ir.OpTrunc {
		inner := f.Operand(x, 0)
		if n := c.m.ScalarBits(f.TypeOf(x)); n < 64 {
			return c.maskInstead(inner, t, n)
		}
	}
	if in := f.Instr(v); in.Flags&ir.NNeg == 0 && known.NonNegative(f, x) {
		in.Flags |= ir.NNeg
		return v
	}
	return ir.None
}

// poisonFlags are the flags whose violation results in poison.
const poisonFlags = ir.NUW | ir.NSW | ir.Exact | ir.Disjoint | ir.NNeg

// combineFreeze freezes undefined values to 0, and moves a freeze before an
// operation with one operand that may be poison. The operation loses its flags,
// because it must not produce poison.
func combineFreeze(c *combiner, v ir.Value) ir.Value {
	f, x := c.f, c.f.Operand(v, 0)
	if kind := c.m.ConstKindOf(x); x.IsConst() && (kind == ir.ConstUndef || kind == ir.ConstPoison) {
		return c.m.Zero(f.TypeOf(v))
	}
	if !x.IsLocal() || !f.HasOneUse(x) || !f.Op(x).IsBinary() && !f.Op(x).IsCast() || !c.isSmallInt(f.TypeOf(x)) {
		return ir.None
	}
	doubtful := -1
	for n, o := range f.Operands(x) {
		switch {
		case analysis.NotPoison(f, o.Value):
		case doubtful >= 0:
			return ir.None
		default:
			doubtful = n
		}
	}
	in := f.Instr(x)
	before := in.Flags
	if in.Flags &^= poisonFlags; analysis.MakesPoison(f, x) {
		in.Flags = before
		return ir.None
	}
	if doubtful >= 0 {
		o := f.Operand(x, doubtful)
		c.b.Before(x)
		f.SetOperand(x, doubtful, c.make(ir.OpFreeze, 0, 0, 0, f.TypeOf(o), []ir.Value{o}))
	}
	c.push(x)
	return x
}

// maskInstead returns the low n bits of an integer as type t, masked in the
// narrower of both types.
func (c *combiner) maskInstead(x ir.Value, t ir.Type, n int) ir.Value {
	from := c.f.TypeOf(x)
	mask := func(v ir.Value, t ir.Type) ir.Value {
		return c.make(ir.OpAnd, 0, 0, 0, t, []ir.Value{v, c.m.NewInt(t, 1<<n-1)})
	}
	switch a, b := c.m.ScalarBits(from), c.m.ScalarBits(t); {
	case a < b:
		return c.make(ir.OpZExt, 0, 0, ir.NNeg, t, []ir.Value{mask(x, from)})
	case a > b:
		return mask(c.make(ir.OpTrunc, 0, 0, 0, t, []ir.Value{x}), t)
	}
	return mask(x, t)
}

// combineTrunc narrows extensions that are truncated again, and operations
// whose upper bits are unused.
func combineTrunc(c *combiner, v ir.Value) ir.Value {
	f, t := c.f, c.f.TypeOf(v)
	x := f.Operand(v, 0)
	if !x.IsLocal() {
		return ir.None
	}
	op := f.Op(x)
	if op == ir.OpZExt || op == ir.OpSExt {
		inner := f.Operand(x, 0)
		if c.m.ScalarBits(f.TypeOf(inner)) > c.m.ScalarBits(t) {
			return c.make(ir.OpTrunc, 0, 0, 0, t, []ir.Value{inner})
		}
		return c.make(op, 0, 0, 0, t, []ir.Value{inner})
	}
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
	default:
		return ir.None
	}
	if !f.HasOneUse(x) {
		return ir.None
	}
	a, b := c.narrow(f.Operand(x, 0), t), c.narrow(f.Operand(x, 1), t)
	if a == ir.None || b == ir.None {
		return ir.None
	}
	return c.make(op, 0, 0, 0, t, []ir.Value{a, b})
}

// narrow returns a value truncated to t if that needs no instruction, otherwise
// None.
func (c *combiner) narrow(v ir.Value, t ir.Type) ir.Value {
	if v.IsConst() {
		return simplify.Constant(c.f, ir.OpTrunc, 0, 0, t, []ir.Value{v})
	}
	if op := c.f.Op(v); op == ir.OpZExt || op == ir.OpSExt {
		if x := c.f.Operand(v, 0); c.f.TypeOf(x) == t {
			return x
		}
	}
	return ir.None
}

// combineICmp compares values before their extension.
func combineICmp(c *combiner, v ir.Value) ir.Value {
	f := c.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	if !x.IsLocal() || f.Op(x) != ir.OpZExt && f.Op(x) != ir.OpSExt {
		return c.signedToUnsigned(v, x, y)
	}
	op, inner := f.Op(x), f.Operand(x, 0)
	pred := f.Pred(v)
	t := f.TypeOf(inner)
	if op == ir.OpZExt && pred.IsSigned() {
		pred = unsignedPred(pred)
	}
	other := ir.None
	switch {
	case y.IsConst():
		other = c.fitting(op, y, t)
	case f.Op(y) == op && f.TypeOf(f.Operand(y, 0)) == t:
		other = f.Operand(y, 0)
	}
	if other == ir.None {
		return ir.None
	}
	return c.make(ir.OpICmp, uint8(pred), 0, 0, f.TypeOf(v), []ir.Value{inner, other})
}

// fitting returns a constant in the narrower type t if extending it restores
// the constant.
func (c *combiner) fitting(op ir.Op, v ir.Value, t ir.Type) ir.Value {
	short := simplify.Constant(c.f, ir.OpTrunc, 0, 0, t, []ir.Value{v})
	if short == ir.None || simplify.Constant(c.f, op, 0, 0, c.f.TypeOf(v), []ir.Value{short}) != v {
		return ir.None
	}
	return short
}

// signedToUnsigned replaces signed comparisons of non-negative numbers by
// unsigned ones, as LLVM does.
func (c *combiner) signedToUnsigned(v, x, y ir.Value) ir.Value {
	pred := c.f.Pred(v)
	if n, ok := c.splat(y); !pred.IsSigned() || !c.isSmallInt(c.f.TypeOf(x)) || ok && n == 0 {
		return ir.None
	}
	if !known.NonNegative(c.f, x) || !known.NonNegative(c.f, y) {
		return ir.None
	}
	c.f.Instr(v).Sub = uint8(unsignedPred(pred))
	return v
}

// unsignedPred returns the unsigned predicate for a signed one.
func unsignedPred(p ir.Pred) ir.Pred {
	if p.IsSigned() {
		return p - ir.ICmpSGT + ir.ICmpUGT
	}
	return p
}

// combineFDiv multiplies by the reciprocal of a power of two, and with arcp by
// the reciprocal of any number.
func combineFDiv(c *combiner, v ir.Value) ir.Value {
	f, t := c.f, c.f.TypeOf(v)
	d := f.Operand(v, 1)
	if !d.IsConst() || f.Operand(v, 0).IsConst() {
		return ir.None
	}
	one := c.floatOne(t)
	if one == ir.None {
		return ir.None
	}
	r := simplify.Constant(f, ir.OpFDiv, 0, 0, t, []ir.Value{one, d})
	if r == ir.None || !simplify.IsNormal(c.m, r) || !simplify.IsNormal(c.m, d) {
		return ir.None
	}
	flags := f.Instr(v).Flags
	exact := simplify.Constant(f, ir.OpFDiv, 0, 0, t, []ir.Value{one, r}) == d && simplify.IsPowerOfTwo(c.m, d)
	if !exact && flags&ir.AllowReciprocal == 0 {
		return ir.None
	}
	return c.make(ir.OpFMul, 0, 0, flags, t, []ir.Value{f.Operand(v, 0), r})
}

// floatOne returns 1.0 as type t.
func (c *combiner) floatOne(t ir.Type) ir.Value {
	s := c.m.Scalar(t)
	if s < ir.Half || s > ir.Double {
		return ir.None
	}
	return simplify.Constant(c.f, ir.OpUIToFP, 0, 0, t, []ir.Value{c.m.NewInt(c.m.WithScalar(t, ir.I8), 1)})
}
