package simplify

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// simplifiers holds the identities that are not patterns, by operation.
var simplifiers = [ir.NumOps]func(q *folder) ir.Value{
	ir.OpICmp:           simplifyICmp,
	ir.OpFCmp:           simplifyFCmp,
	ir.OpAnd:            simplifyAnd,
	ir.OpOr:             simplifyOr,
	ir.OpAdd:            simplifyByBits,
	ir.OpLShr:           simplifyShift,
	ir.OpShl:            simplifyShift,
	ir.OpAShr:           simplifyShift,
	ir.OpCall:           simplifyCall,
	ir.OpUDiv:           simplifyUDiv,
	ir.OpURem:           simplifyURem,
	ir.OpExtractValue:   simplifyExtractValue,
	ir.OpInsertValue:    simplifyInsertValue,
	ir.OpExtractElement: simplifyExtractElement,
	ir.OpShuffleVector:  simplifyShuffle,
	ir.OpGetElementPtr:  simplifyGEP,
	ir.OpLoad:           simplifyLoad,
	ir.OpPtrToInt:       simplifyPtrPair,
	ir.OpIntToPtr:       simplifyPtrPair,
	ir.OpFAdd:           simplifyFloat,
	ir.OpFSub:           simplifyFloat,
	ir.OpFMul:           simplifyFloat,
	ir.OpFDiv:           simplifyFloat,
	ir.OpFRem:           simplifyFloat,
}

// phi returns the common value of all incoming values of a phi. Undef and
// poison match any value, but then the value must be a constant or an argument.
func phi(f *ir.Function, v ir.Value) ir.Value {
	m := f.Module()
	common, undef := ir.None, ir.None
	for i := range f.NumIncoming(v) {
		x, _ := f.Incoming(v, i)
		switch {
		case x == v:
		case x.IsConst() && isUndef(m, x):
			if undef == ir.None || isPoison(m, undef) {
				undef = x
			}
		case common != ir.None && common != x:
			return ir.None
		default:
			common = x
		}
	}
	switch {
	case common == ir.None:
		if undef != ir.None {
			return undef
		}
		return m.Undef(f.Instr(v).Type)
	case undef == ir.None:
		return common
	case isPoison(m, undef) && (common.IsConst() || f.Op(common) == ir.OpArg):
		return common
	case common.IsConst() && !mayBeUndef(m, common):
		return common
	case f.Op(common) == ir.OpArg && analysis.NotPoison(f, common):
		return common
	}
	return ir.None
}

// bounds returns the unsigned bounds of an integer of at most 64 bits.
func (q *folder) bounds(v ir.Value) (lo, hi uint64) {
	zero, one := known.Bits(q.f, v, known.MaxDepth)
	return one, ^zero
}

// isSmallInt reports whether t is an integer of at most 64 bits or a vector of
// such integers.
func (q *folder) isSmallInt(t ir.Type) bool {
	n := q.m.ScalarBits(t)
	return n > 0 && n <= 64 && q.m.IsIntOrIntVector(t)
}

// truth returns true or false in the type of the result.
func (q *folder) truth(x bool) ir.Value {
	n := uint64(0)
	if x {
		n = 1
	}
	return q.m.NewInt(q.t, n)
}

func simplifyICmp(q *folder) ir.Value {
	pred, x, y := ir.Pred(q.sub), q.ops[0], q.ops[1]
	if x == y {
		return q.truth(pred.Holds(0))
	}
	t := q.f.TypeOf(x)
	if q.m.IsPtr(t) {
		return q.comparePtrs(pred, x, y)
	}
	if !q.isSmallInt(t) {
		return ir.None
	}
	if isUndef(q.m, x) || isUndef(q.m, y) {
		if pred.IsEquality() {
			return q.m.Undef(q.t)
		}
		return q.truth(pred.Holds(0))
	}
	zx, ox := known.Bits(q.f, x, known.MaxDepth)
	zy, oy := known.Bits(q.f, y, known.MaxDepth)
	if pred.IsEquality() && ox&zy|zx&oy != 0 {
		return q.truth(pred == ir.ICmpNE)
	}
	lox, hix, loy, hiy := ox, ^zx, oy, ^zy
	if pred.IsSigned() {
		width := uint(q.m.ScalarBits(t))
		lox, hix = signedBounds(zx, ox, width)
		loy, hiy = signedBounds(zy, oy, width)
	}
	switch {
	case hix < loy:
		return q.truth(pred.Holds(-1))
	case lox > hiy:
		return q.truth(pred.Holds(1))
	case pred.IsEquality():
	case hix <= loy && pred.Holds(-1) == pred.Holds(0):
		return q.truth(pred.Holds(-1))
	case lox >= hiy && pred.Holds(1) == pred.Holds(0):
		return q.truth(pred.Holds(1))
	}
	return ir.None
}

// signedBounds returns the bounds of a signed integer, as order-preserving
// unsigned numbers.
func signedBounds(zero, one uint64, width uint) (lo, hi uint64) {
	sign := uint64(1) << (width - 1)
	mask := lowMask(width)
	lo, hi = one|sign&^zero, ^zero&mask // lo: sign bit set if possible; hi: cleared if possible
	if one&sign == 0 {
		hi &^= sign
	}
	return lo ^ sign, hi ^ sign
}

// comparePtrs folds a comparison of an object's address with null.
func (q *folder) comparePtrs(pred ir.Pred, x, y ir.Value) ir.Value {
	if !pred.IsEquality() || !y.IsConst() || !q.m.IsZero(y) || !x.IsLocal() {
		return ir.None
	}
	if q.m.AddrSpace(q.f.TypeOf(x)) == 0 && q.f.Op(x) == ir.OpAlloca {
		return q.truth(pred == ir.ICmpNE)
	}
	if q.f.Op(x) == ir.OpArg {
		set := q.m.AttrsAt(q.f.Attributes, ir.AttrParams+int(q.f.Instr(x).X))
		if q.m.HasAttr(set, ir.AttrNonNull) {
			return q.truth(pred == ir.ICmpNE)
		}
	}
	return ir.None
}

func simplifyFCmp(q *folder) ir.Value {
	pred := ir.Pred(q.sub)
	for _, o := range q.ops {
		if !o.IsConst() {
			continue
		}
		if isUndef(q.m, o) {
			return q.truth(isUnordered(pred))
		}
		if s, ok := q.floatSplat(o); ok && isNaNConst(q.m, s) {
			return q.truth(isUnordered(pred))
		}
	}
	return ir.None
}

// floatSplat returns the number that all elements of a constant share.
func (q *folder) floatSplat(v ir.Value) (ir.Value, bool) {
	if s := q.m.SplatValue(v); s != ir.None {
		v = s
	}
	return v, q.m.ConstKindOf(v) == ir.ConstFloat
}

// simplifyFloat propagates undef and NaN and applies nnan and ninf.
func simplifyFloat(q *folder) ir.Value {
	for _, o := range q.ops {
		if !o.IsConst() {
			continue
		}
		if q.m.ConstKindOf(o) == ir.ConstUndef {
			if q.flags&ir.NoNaNs != 0 {
				return q.m.Poison(q.t)
			}
			return q.nanOf(q.t)
		}
		s, ok := q.floatSplat(o)
		if !ok {
			continue
		}
		f := &formats[q.m.TypeOfConst(s)]
		b, _ := q.m.FloatBits(s)
		switch {
		case q.promised(f, b):
			return q.m.Poison(q.t)
		case f.isNaN(b):
			r := q.m.NewFloatBits(q.m.TypeOfConst(s), b|f.quiet())
			if s != o {
				return q.m.Splat(q.t, r)
			}
			return r
		}
	}
	return ir.None
}

// nanOf returns the default NaN of a type.
func (q *folder) nanOf(t ir.Type) ir.Value {
	s := q.m.Scalar(t)
	f := formatOf(s)
	if f == nil {
		return ir.None
	}
	v := q.m.NewFloatBits(s, f.nan())
	if s != t {
		return q.m.Splat(t, v)
	}
	return v
}

// simplifyByBits returns a constant if all bits of the value are known.
func simplifyByBits(q *folder) ir.Value {
	if q.v == ir.None || !q.isSmallInt(q.t) {
		return ir.None
	}
	if lo, hi := q.bounds(q.v); lo == hi {
		return q.m.NewInt(q.t, lo)
	}
	return ir.None
}

// simplifyShift handles shifts by zero and shifts by too many bits.
func simplifyShift(q *folder) ir.Value {
	if !q.isSmallInt(q.t) || q.ops[1].IsConst() {
		return ir.None
	}
	width := uint64(q.m.ScalarBits(q.t))
	zero, one := known.Bits(q.f, q.ops[1], known.MaxDepth)
	switch {
	case one >= width:
		return q.m.Poison(q.t)
	case width > 1 && ^zero&lowMask(uint(bits.Len64(width-1))) == 0:
		return q.ops[0] // 0, or a multiple of a power of two that is at least the width
	}
	return simplifyByBits(q)
}

// simplifyCall handles minima and maxima of comparable values.
func simplifyCall(q *folder) ir.Value {
	id := q.f.CalledIntrinsic(q.v)
	for _, o := range q.f.Args(q.v) {
		if !o.Value.IsConst() || !isPoison(q.m, o.Value) {
			continue
		}
		if row := intrinsicRowOf(id); row != nil && !row.keepsPoison && len(q.f.Bundles(q.v)) == 0 {
			return q.m.Poison(q.t)
		}
	}
	pred, ok := extremumPreds.Get()[id]
	if !ok {
		return ir.None
	}
	a, b := q.ops[0], q.ops[1]
	for range 2 {
		c := folder{f: q.f, m: q.m, op: ir.OpICmp, sub: uint8(pred), t: q.m.WithScalar(q.t, ir.I1), ops: []ir.Value{a, b}}
		r := c.byRule()
		if r == ir.None {
			r = simplifyICmp(&c)
		}
		if r.IsConst() && q.isTrue(r) {
			return a
		}
		a, b = b, a
	}
	return ir.None
}

// extremumPreds holds the predicate under which the first argument is the
// result.
var extremumPreds = lazy.Value[map[ir.Intrinsic]ir.Pred]{Make: func() map[ir.Intrinsic]ir.Pred {
	return map[ir.Intrinsic]ir.Pred{ir.IntrSmax: ir.ICmpSGE, ir.IntrSmin: ir.ICmpSLE, ir.IntrUmax: ir.ICmpUGE, ir.IntrUmin: ir.ICmpULE}
}}

// isTrue reports whether all elements of a constant are true.
func (q *folder) isTrue(v ir.Value) bool {
	if s := q.m.SplatValue(v); s != ir.None {
		v = s
	}
	n, ok := q.m.IntValue(v)
	return ok && n == 1
}

// simplifyAnd removes masks that change nothing.
func simplifyAnd(q *folder) ir.Value {
	if !q.isSmallInt(q.t) {
		return ir.None
	}
	zx, ox := known.Bits(q.f, q.ops[0], known.MaxDepth)
	zy, oy := known.Bits(q.f, q.ops[1], known.MaxDepth)
	switch {
	case ^zx&^oy == 0:
		return q.ops[0] // y has all bits that x may have
	case ^zy&^ox == 0:
		return q.ops[1]
	case ^zx&^zy == 0:
		return q.m.Zero(q.t)
	}
	return q.sameCompare(true)
}

func simplifyOr(q *folder) ir.Value {
	if !q.isSmallInt(q.t) {
		return ir.None
	}
	zx, ox := known.Bits(q.f, q.ops[0], known.MaxDepth)
	zy, oy := known.Bits(q.f, q.ops[1], known.MaxDepth)
	switch {
	case ^zy&^ox == 0:
		return q.ops[0] // y adds nothing
	case ^zx&^oy == 0:
		return q.ops[1]
	}
	return q.sameCompare(false)
}

// outcomes returns the outcomes for which an integer predicate holds: 1 equal,
// 2 greater, 4 less.
func outcomes(p ir.Pred) (set uint8) {
	for i, c := range [...]int{0, 1, -1} {
		if p.Holds(c) {
			set |= 1 << i
		}
	}
	return set
}

// sameCompare simplifies the and or the or of two comparisons of the same
// integers.
func (q *folder) sameCompare(isAnd bool) ir.Value {
	f := q.f
	a, b := q.ops[0], q.ops[1]
	if f.Op(a) != ir.OpICmp || f.Op(b) != ir.OpICmp {
		return ir.None
	}
	p, r := f.Pred(a), f.Pred(b)
	switch {
	case f.Operand(a, 0) == f.Operand(b, 0) && f.Operand(a, 1) == f.Operand(b, 1):
	case f.Operand(a, 0) == f.Operand(b, 1) && f.Operand(a, 1) == f.Operand(b, 0):
		r = r.Swapped()
	default:
		return ir.None
	}
	if !p.IsEquality() && !r.IsEquality() && p.IsSigned() != r.IsSigned() {
		return ir.None
	}
	x, y := outcomes(p), outcomes(r)
	switch {
	case isAnd && x&y == 0:
		return q.truth(false)
	case !isAnd && x|y == 7:
		return q.truth(true)
	case isAnd == (x&^y == 0):
		if isAnd {
			return a
		}
		if y&^x == 0 {
			return a
		}
	}
	if isAnd && y&^x == 0 || !isAnd && x&^y == 0 {
		return b
	}
	return ir.None
}

// simplifyUDiv handles division by a larger number.
func simplifyUDiv(q *folder) ir.Value {
	if !q.isSmallInt(q.t) {
		return ir.None
	}
	_, hi := q.bounds(q.ops[0])
	if lo, _ := q.bounds(q.ops[1]); hi < lo {
		return q.m.Zero(q.t)
	}
	return ir.None
}

// simplifyURem handles the remainder of division by a larger number.
func simplifyURem(q *folder) ir.Value {
	if !q.isSmallInt(q.t) {
		return ir.None
	}
	_, hi := q.bounds(q.ops[0])
	if lo, _ := q.bounds(q.ops[1]); hi < lo {
		return q.ops[0]
	}
	return ir.None
}

// simplifyPtrPair removes a lossless conversion from pointer to integer and
// back, or from integer to pointer and back.
func simplifyPtrPair(q *folder) ir.Value {
	x := q.ops[0]
	other, pt := ir.OpIntToPtr, q.f.TypeOf(x)
	if q.op == ir.OpIntToPtr {
		other, pt = ir.OpPtrToInt, q.t
	}
	if !x.IsLocal() || q.f.Op(x) != other {
		return ir.None
	}
	inner := q.f.Operand(x, 0)
	it := q.f.TypeOf(inner)
	if q.op == ir.OpIntToPtr {
		it = q.f.TypeOf(x)
	}
	bits, room := q.m.ScalarBits(it), q.ptrBits(pt)
	fits := bits <= room
	if q.op == ir.OpIntToPtr {
		fits = bits >= room
	}
	if q.f.TypeOf(inner) != q.t || !fits || q.layout(pt).NonIntegral {
		return ir.None
	}
	return inner
}

// simplifyLoad folds loads from memory whose bytes are all the same.
func simplifyLoad(q *folder) ir.Value {
	if q.f.IsVolatile(q.v) || q.m.IsAggregate(q.t) {
		return ir.None
	}
	p := q.ops[0]
	for depth := 0; depth < known.MaxDepth && p.IsLocal() && q.f.Op(p) == ir.OpGetElementPtr; depth++ {
		p = q.f.Operand(p, 0)
	}
	if !p.IsConst() || p == q.ops[0] || q.m.IsVector(q.f.TypeOf(q.ops[0])) {
		return ir.None
	}
	base, _, _, ok := Strip(q.m, p)
	if !ok {
		return ir.None
	}
	if init, _ := initializer(q.m, base, 0); init != ir.None {
		return uniform(q.m, init, q.t)
	}
	return ir.None
}

// isNaNConst reports whether a floating-point constant is a NaN.
func isNaNConst(m *ir.Module, v ir.Value) bool {
	b, ok := m.FloatBits(v)
	return ok && formats[m.TypeOfConst(v)].isNaN(b)
}
