package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// SignBits returns the number of high bits of an integer (or of a vector's
// elements) that are known to equal the sign bit, from 1 to the width,
// including the sign bit. A value of width w with n sign bits fits in w-n+1
// bits as a signed number.
func SignBits(f *ir.Function, v ir.Value) int { return signBits(f, v, 0) }

func signBits(f *ir.Function, v ir.Value, depth int) int {
	w := valueWidth(f.Module(), f.TypeOf(v))
	if w == 0 {
		return 1
	}
	n := 1
	if v.IsLocal() && depth < maxDepth {
		n = opSignBits(f, v, w, depth+1)
	}
	b := knownBits(f, v, depth)
	return max(n, 1, b.LeadingZeros(), b.LeadingOnes())
}

// opSignBits computes signBits from the operation.
func opSignBits(f *ir.Function, v ir.Value, w, depth int) int {
	of := func(i int) int { return signBits(f, f.Operand(v, i), depth) }
	switch f.Op(v) {
	case ir.OpSExt:
		return of(0) + w - valueWidth(f.Module(), f.TypeOf(f.Operand(v, 0)))
	case ir.OpTrunc:
		from := valueWidth(f.Module(), f.TypeOf(f.Operand(v, 0)))
		if from == 0 {
			return 1
		}
		return of(0) - (from - w)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return fewer(of, 0, 1)
	case ir.OpAdd, ir.OpSub:
		return fewer(of, 0, 1) - 1
	case ir.OpMul: // the significant lengths add up
		return w + 1 - (w - of(0) + 1) - (w - of(1) + 1)
	case ir.OpSelect:
		return fewer(of, 1, 2)
	case ir.OpAShr:
		n, ok := constOrSplat(f.Module(), f.Operand(v, 1))
		if !ok || n >= uint64(w) {
			return of(0)
		}
		return min(of(0)+int(n), w)
	case ir.OpShl:
		n, ok := constOrSplat(f.Module(), f.Operand(v, 1))
		if !ok || n >= uint64(w) {
			return 1
		}
		return of(0) - int(n)
	case ir.OpSDiv:
		return of(0) - 1
	case ir.OpSRem: // closer to zero than both operands
		n := of(0)
		if c, ok := constOrSplat(f.Module(), f.Operand(v, 1)); ok && c != 0 {
			x := num64(c, w)
			n = max(n, w-bits.Len64(uint64(max(x, -x)-1)))
		}
		return n
	case ir.OpPhi:
		return phiSignBits(f, v, w, depth)
	case ir.OpCall:
		return callSignBits(f, v, of)
	}
	return 1
}

// fewer returns the smaller sign bit count of two operands. If the first count
// is 1, the minimum, the second operand is not examined.
func fewer(of func(i int) int, i, j int) int {
	n := of(i)
	if n <= 1 {
		return n
	}
	return min(n, of(j))
}

func callSignBits(f *ir.Function, v ir.Value, of func(i int) int) int {
	switch f.CalledIntrinsic(v) {
	case ir.IntrSmin, ir.IntrSmax:
		return fewer(of, 0, 1)
	case ir.IntrAMDGCNSbfe:
		if n := KnownBits(f, f.Operand(v, 2)); n.IsConst() && n.One&31 != 0 {
			return 32 - int(n.One&31) + 1
		}
	case ir.IntrAMDGCNReadfirstlane, ir.IntrAMDGCNReadlane:
		return of(0)
	}
	return 1
}

func phiSignBits(f *ir.Function, v ir.Value, w, depth int) int {
	if n := f.NumIncoming(v); n == 0 || n > 4 { // none: a pass is still building the phi
		return 1
	}
	n := w
	for i := range f.NumIncoming(v) {
		if in, _ := f.Incoming(v, i); in != v {
			n = min(n, signBits(f, in, max(depth, maxDepth-1)))
		}
	}
	return n
}

// num64 sign-extends a number from width w.
func num64(x uint64, w int) int64 { return int64(x<<(64-w)) >> (64 - w) }

// constOrSplat returns the value of an integer constant or of a vector's
// elements if they are all equal.
func constOrSplat(m *ir.Module, v ir.Value) (uint64, bool) {
	if n, ok := m.IntValue(v); ok {
		return n, true
	}
	if v.IsConst() && m.IsVector(m.TypeOfConst(v)) {
		return m.IntValue(m.SplatValue(v))
	}
	return 0, false
}
