package simplify

import (
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// undefRule selects the result of an integer operation with an undef operand
// (LLVM's ConstantFoldBinaryInstruction).
type undefRule uint8

const (
	undefAny   undefRule = iota // undef for every other operand
	undefXor                    // 0 if both are undef, else undef
	undefAnd                    // undef if both are undef, else 0
	undefOr                     // undef if both are undef, else -1
	undefMul                    // 0 unless both are undef or the other one is odd
	undefDiv                    // undef divisor: poison; else 0, or undef when dividing by 1
	undefRem                    // undef divisor: poison; else 0
	undefShift                  // undef amount: poison; else 0, or undef when shifting by 0
)

var undefRules = [...]undefRule{
	ir.OpAdd: undefAny, ir.OpSub: undefAny, ir.OpXor: undefXor, ir.OpAnd: undefAnd, ir.OpOr: undefOr, ir.OpMul: undefMul,
	ir.OpUDiv: undefDiv, ir.OpSDiv: undefDiv, ir.OpURem: undefRem, ir.OpSRem: undefRem,
	ir.OpShl: undefShift, ir.OpLShr: undefShift, ir.OpAShr: undefShift,
}

// undefInt folds an integer operation with an undef operand.
func (q *folder) undefInt(t ir.Type, x, y ir.Value) ir.Value {
	m := q.m
	ux, uy := isUndef(m, x), isUndef(m, y)
	zero, undef := m.Zero(t), m.Undef(t)
	rule := undefRules[q.op]
	if uy && rule >= undefDiv || !uy && (rule == undefDiv || rule == undefRem) && m.IsZero(y) {
		return m.Poison(t)
	}
	switch rule {
	case undefXor:
		if ux && uy {
			return zero
		}
		return undef
	case undefAnd:
		if ux && uy {
			return undef
		}
		return zero
	case undefOr:
		if ux && uy {
			return undef
		}
		return m.NewSigned(t, -1)
	case undefMul:
		other := y
		if uy {
			other = x
		}
		if ux && uy || m.IsIntConst(other) && m.BigValue(other).Bit(0) != 0 {
			return undef
		}
		return zero
	case undefDiv:
		if n, ok := m.IntValue(y); ok && n == 1 {
			return undef
		}
		return zero
	case undefRem:
		return zero
	case undefShift:
		if m.IsZero(y) {
			return undef
		}
		return zero
	}
	return undef
}

// isAllOnes reports whether v is a scalar integer with all bits set.
func isAllOnes(m *ir.Module, v ir.Value) bool {
	if !m.IsIntConst(v) {
		return false
	}
	if n, ok := m.IntValue(v); ok {
		return n == lowMask(uint(m.IntBits(m.TypeOfConst(v))))
	}
	return m.BigSigned(v).Cmp(big.NewInt(-1)) == 0
}

// foldInt folds a scalar integer operation.
func (q *folder) foldInt(t ir.Type, x, y ir.Value) ir.Value {
	m := q.m
	if isPoison(m, x) || isPoison(m, y) {
		return m.Poison(t)
	}
	if v := q.identity(x, y); v != ir.None {
		return v
	}
	if isUndef(m, x) || isUndef(m, y) {
		return q.undefInt(t, x, y)
	}
	if !m.IsIntConst(x) || !m.IsIntConst(y) {
		return q.absorb(t, x, y)
	}
	if q.flags != 0 && q.violates(t, x, y) {
		return m.Poison(t)
	}
	if t == ir.I1 && q.op == ir.OpSRem && !m.IsZero(y) {
		return m.Zero(t) // -1 / -1 overflows, which LLVM ignores here
	}
	return m.FoldInts(q.op, t, x, y)
}

// identities tests for the identity constant of an operation: on either side if
// it commutes, else on the right.
var identities = [...]func(m *ir.Module, v ir.Value) bool{
	ir.OpAdd: isIntZero, ir.OpSub: isIntZero, ir.OpOr: isIntZero, ir.OpXor: isIntZero,
	ir.OpShl: isIntZero, ir.OpLShr: isIntZero, ir.OpAShr: isIntZero,
	ir.OpAnd: isAllOnes, ir.OpMul: isIntOne, ir.OpUDiv: isIntOne, ir.OpSDiv: isIntOne,
	ir.OpFAdd: isNegZero, ir.OpFSub: isPosZero, ir.OpFMul: isFloatOne, ir.OpFDiv: isFloatOne,
}

func isIntZero(m *ir.Module, v ir.Value) bool { return m.IsIntConst(v) && m.IsZero(v) }

func isIntOne(m *ir.Module, v ir.Value) bool {
	if n, ok := m.IntValue(v); ok {
		return n == 1
	}
	return m.IsIntConst(v) && m.BigValue(v).Cmp(big.NewInt(1)) == 0
}

// identity returns the operand that is the result because the other one is an
// identity constant, or None.
func (q *folder) identity(x, y ir.Value) ir.Value {
	if int(q.op) >= len(identities) || identities[q.op] == nil {
		return ir.None
	}
	switch is := identities[q.op]; {
	case is(q.m, y):
		return x
	case q.op.Commutes() && is(q.m, x):
		return y
	}
	return ir.None
}

// absorb folds an operation on an expression if the other operand determines
// the result.
func (q *folder) absorb(t ir.Type, x, y ir.Value) ir.Value {
	m := q.m
	zx, zy := isIntZero(m, x), isIntZero(m, y)
	switch q.op {
	case ir.OpAnd, ir.OpMul:
		if zx || zy {
			return m.Zero(t)
		}
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
		if zy {
			return m.Poison(t)
		}
	case ir.OpAdd, ir.OpSub, ir.OpXor:
		if d, ok := q.difference(x, y); ok && q.op == ir.OpSub {
			return m.NewSigned(t, d)
		}
		if isNumber(m, x) && isNumber(m, y) {
			return m.Binary(q.op, x, y, q.flags) // a constant expression
		}
	}
	return ir.None
}

// isNumber reports whether v is an integer or an expression that becomes one at
// link time.
func isNumber(m *ir.Module, v ir.Value) bool {
	return m.IsIntConst(v) || m.ConstKindOf(v) == ir.ConstExpr
}

// violates reports whether the operands violate the operation's flags.
func (q *folder) violates(t ir.Type, x, y ir.Value) bool {
	m, width := q.m, q.m.IntBits(t)
	if width <= 64 {
		a, _ := m.IntValue(x)
		b, _ := m.IntValue(y)
		return violatesWord(q.op, q.flags, uint(width), a, b)
	}
	if q.flags&ir.NUW != 0 && !fitsBig(exact(q.op, m.BigValue(x), m.BigValue(y), width), width, false) ||
		q.flags&ir.NSW != 0 && !fitsBig(exact(q.op, m.BigSigned(x), shiftAmount(m, q.op, y), width), width, true) {
		return true
	}
	if q.flags&ir.Disjoint != 0 && q.op == ir.OpOr {
		return new(big.Int).And(m.BigValue(x), m.BigValue(y)).Sign() != 0
	}
	return q.flags&ir.Exact != 0 && losesBits(q.op, m, x, y)
}

// shiftAmount returns the right operand of an operation with nsw as a number:
// signed, except for a shift.
func shiftAmount(m *ir.Module, op ir.Op, y ir.Value) *big.Int {
	if op == ir.OpShl {
		return m.BigValue(y)
	}
	return m.BigSigned(y)
}

// losesBits reports whether an exact division or shift of wide integers has a
// remainder.
func losesBits(op ir.Op, m *ir.Module, x, y ir.Value) bool {
	a, b := m.BigValue(x), m.BigValue(y)
	switch op {
	case ir.OpSDiv:
		a, b = m.BigSigned(x), m.BigSigned(y)
		fallthrough
	case ir.OpUDiv:
		return b.Sign() != 0 && new(big.Int).Rem(a, b).Sign() != 0
	}
	return a.Sign() != 0 && b.IsUint64() && uint64(a.TrailingZeroBits()) < b.Uint64()
}

// exact computes add, sub, mul or shl with unlimited precision. Shifting by too
// many bits results in 0, which fits.
func exact(op ir.Op, a, b *big.Int, width int) *big.Int {
	r := new(big.Int)
	switch op {
	case ir.OpAdd:
		return r.Add(a, b)
	case ir.OpSub:
		return r.Sub(a, b)
	case ir.OpMul:
		return r.Mul(a, b)
	case ir.OpShl:
		if b.Cmp(big.NewInt(int64(width))) < 0 {
			return r.Lsh(a, uint(b.Uint64()))
		}
	}
	return r
}

// fitsBig reports whether a number fits in an integer of width bits.
func fitsBig(n *big.Int, width int, signed bool) bool {
	if !signed {
		return n.Sign() >= 0 && n.BitLen() <= width
	}
	if n.Sign() < 0 {
		return new(big.Int).Not(n).BitLen() < width
	}
	return n.BitLen() < width
}

// signExtend returns the low width bits of x as a signed number.
func signExtend(x uint64, width uint) int64 { return int64(x<<(64-width)) >> (64 - width) }

// lowMask returns a mask of the width low bits.
func lowMask(width uint) uint64 { return ^uint64(0) >> (64 - width) }

// violatesWord is violates for integers of at most 64 bits.
func violatesWord(op ir.Op, flags ir.Flags, width uint, a, b uint64) bool {
	mask := lowMask(width)
	sa, sb := signExtend(a, width), signExtend(b, width)
	fits := func(hi int64, lo uint64) bool { return hi == int64(lo)>>63 && signExtend(lo, width) == int64(lo) }
	var nuw, nsw, exact bool // flags that hold
	switch op {
	case ir.OpAdd:
		sum, carry := bits.Add64(a, b, 0)
		nuw = carry == 0 && sum <= mask
		nsw = fits(addHi(sa, sb))
	case ir.OpSub:
		nuw = a >= b
		nsw = fits(subHi(sa, sb))
	case ir.OpMul:
		hi, lo := bits.Mul64(a, b)
		nuw = hi == 0 && lo <= mask
		nsw = fits(mulHi(sa, sb))
	case ir.OpShl:
		nuw = b < uint64(width) && a<<b&mask>>b == a
		nsw = b < uint64(width) && signExtend(a<<b, width)>>b == sa
	case ir.OpUDiv:
		exact = b == 0 || a%b == 0
	case ir.OpSDiv:
		exact = sb == 0 || sb == -1 || sa%sb == 0
	case ir.OpLShr, ir.OpAShr:
		exact = b >= uint64(width) || a&(1<<b-1) == 0
	case ir.OpOr:
		return flags&ir.Disjoint != 0 && a&b != 0
	}
	return flags&ir.NUW != 0 && !nuw || flags&ir.NSW != 0 && !nsw || flags&ir.Exact != 0 && !exact
}

// addHi, subHi and mulHi return 128-bit results of signed numbers, upper half
// first.
func addHi(a, b int64) (int64, uint64) {
	lo, carry := bits.Add64(uint64(a), uint64(b), 0)
	return a>>63 + b>>63 + int64(carry), lo
}

func subHi(a, b int64) (int64, uint64) {
	lo, borrow := bits.Sub64(uint64(a), uint64(b), 0)
	return a>>63 - b>>63 - int64(borrow), lo
}

func mulHi(a, b int64) (int64, uint64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(hi) - a>>63&b - b>>63&a, lo
}

// foldICmp folds a comparison of scalar integers or pointers.
func (q *folder) foldICmp(t ir.Type, x, y ir.Value) ir.Value {
	m, pred := q.m, ir.Pred(q.sub)
	if isPoison(m, x) || isPoison(m, y) {
		return m.Poison(t)
	}
	if isUndef(m, x) || isUndef(m, y) {
		// For eq and ne, and for undef on both sides, every result is possible.
		if pred.IsEquality() || x == y {
			return m.Undef(t)
		}
		return m.NewBool(pred.Holds(0))
	}
	if m.IsIntConst(x) && m.IsIntConst(y) {
		c := compareInts(m, x, y, pred.IsSigned())
		if q.flags&ir.SameSign != 0 && signBit(m, x) != signBit(m, y) {
			return m.Poison(t)
		}
		return m.NewBool(pred.Holds(c))
	}
	return q.comparePointers(t, pred, x, y)
}

func signBit(m *ir.Module, v ir.Value) bool { return m.BigSigned(v).Sign() < 0 }

// compareInts compares two scalar integer constants.
func compareInts(m *ir.Module, x, y ir.Value, signed bool) int {
	a, ok := m.IntValue(x)
	b, _ := m.IntValue(y)
	switch {
	case !ok && signed:
		return m.BigSigned(x).Cmp(m.BigSigned(y))
	case !ok:
		return m.BigValue(x).Cmp(m.BigValue(y))
	case signed:
		bias := uint64(1) << (m.IntBits(m.TypeOfConst(x)) - 1)
		a, b = a^bias, b^bias
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
