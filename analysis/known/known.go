// Package known says what is known of a value without running the code: bits of integers, and whether it can be
// undef or poison (LLVM's ValueTracking, in part).
package known

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// MaxDepth bounds how far Bits and SignBits look.
const MaxDepth = 6

// Bits gives the bits of an integer of at most 64 bits that are known to be zero and one (LLVM's computeKnownBits, in
// part); for a vector of them those that are the same in all elements. Bits beyond the width are known to be zero. Nothing is
// known of wider ones. At most depth instructions are looked through, one behind the other: MaxDepth or less.
func Bits(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	m := f.Module()
	t := f.TypeOf(v)
	width := m.ScalarBits(t)
	if width == 0 || width > 64 || !m.IsIntOrIntVector(t) {
		return 0, 0
	}
	mask := ^uint64(0) >> (64 - width)
	if x, ok := m.IntValue(v); ok {
		return ^x, x
	}
	if v.IsConst() && m.IsVector(t) {
		zero, one = elementBits(m, v, t)
		return zero | ^mask, one & mask
	}
	if !v.IsLocal() || depth <= 0 {
		return ^mask, 0
	}
	zero, one = knownOf(f, v, depth-1, mask)
	if zero&one != 0 { // poison or dead code: say nothing
		zero, one = 0, 0
	}
	return zero | ^mask, one & mask
}

// elementBits gives what is the same in all elements of a constant vector.
func elementBits(m *ir.Module, v ir.Value, t ir.Type) (zero, one uint64) {
	if x, ok := splatInt(m, v); ok {
		return ^x, x
	}
	n := m.NumElements(t)
	if n > 64 {
		return 0, 0
	}
	zero, one = ^uint64(0), ^uint64(0)
	for i := range n {
		e := m.Element(v, i)
		if e == ir.None {
			return 0, 0
		}
		x, ok := m.IntValue(e)
		if !ok {
			return 0, 0
		}
		zero, one = zero&^x, one&x
	}
	return zero, one
}

// splatInt gives the number that a constant is, in all elements when it is a vector.
func splatInt(m *ir.Module, v ir.Value) (uint64, bool) {
	if !v.IsConst() {
		return 0, false
	}
	if s := m.SplatValue(v); s != ir.None {
		v = s
	}
	return m.IntValue(v)
}

// knownOf is Bits for an instruction or argument.
func knownOf(f *ir.Function, v ir.Value, depth int, mask uint64) (zero, one uint64) {
	op := f.Op(v)
	switch op {
	case ir.OpZExt, ir.OpTrunc:
		return Bits(f, f.Operand(v, 0), depth)
	case ir.OpSExt:
		return knownSExt(f, v, depth)
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpUDiv, ir.OpURem:
		az, ao := Bits(f, f.Operand(v, 0), depth)
		bz, bo := Bits(f, f.Operand(v, 1), depth)
		return knownBinary(op, az, ao, bz, bo, mask)
	case ir.OpShl, ir.OpLShr:
		return knownShift(f, v, depth)
	case ir.OpSelect:
		az, ao := Bits(f, f.Operand(v, 1), depth)
		bz, bo := Bits(f, f.Operand(v, 2), depth)
		return az & bz, ao & bo
	case ir.OpPhi:
		return knownPhi(f, v, depth)
	case ir.OpCall, ir.OpLoad, ir.OpArg:
		return knownRange(f, v), 0
	}
	return 0, 0
}

func knownSExt(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	x := f.Operand(v, 0)
	zero, one = Bits(f, x, depth)
	sign := uint64(1) << (f.Module().ScalarBits(f.TypeOf(x)) - 1)
	upper := ^(sign<<1 - 1)
	zero &^= upper
	switch {
	case zero&sign != 0:
		zero |= upper
	case one&sign != 0:
		one |= upper
	}
	return zero, one
}

// highZeros gives the mask of the bits above a largest value.
func highZeros(largest uint64) uint64 {
	if largest == 0 {
		return ^uint64(0)
	}
	return ^(^uint64(0) >> bits.LeadingZeros64(largest))
}

func knownBinary(op ir.Op, az, ao, bz, bo, mask uint64) (zero, one uint64) {
	switch op {
	case ir.OpAnd:
		return az | bz, ao & bo
	case ir.OpOr:
		return az & bz, ao | bo
	case ir.OpXor:
		return az&bz | ao&bo, az&bo | ao&bz
	case ir.OpUDiv:
		return highZeros(^az), 0
	case ir.OpURem:
		return highZeros(min(^az, ^bz)), 0
	case ir.OpSub:
		low := min(bits.TrailingZeros64(^az), bits.TrailingZeros64(^bz))
		return uint64(1)<<low - 1, 0
	case ir.OpMul:
		low := min(64, bits.TrailingZeros64(^az)+bits.TrailingZeros64(^bz))
		zero = ^(^uint64(0) << low)
		if hi, lo := bits.Mul64(^az&mask, ^bz&mask); hi == 0 && lo <= mask {
			zero |= highZeros(lo)
		}
		return zero, 0
	}
	low := min(bits.TrailingZeros64(^az), bits.TrailingZeros64(^bz)) // add
	zero = ^(^uint64(0) << low)
	if sum, carry := bits.Add64(^az&mask, ^bz&mask, 0); carry == 0 && sum <= mask {
		zero |= highZeros(sum)
	}
	return zero, 0
}

func knownShift(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	n, ok := splatInt(f.Module(), f.Operand(v, 1))
	if !ok || n > 63 {
		return 0, 0
	}
	zero, one = Bits(f, f.Operand(v, 0), depth)
	if f.Op(v) == ir.OpShl {
		return zero<<n | (1<<n - 1), one << n
	}
	return zero>>n | ^(^uint64(0) >> n), one >> n
}

func knownPhi(f *ir.Function, v ir.Value, depth int) (zero, one uint64) {
	zero, one = ^uint64(0), ^uint64(0)
	for i := range f.NumIncoming(v) {
		x, _ := f.Incoming(v, i)
		if x == v {
			continue
		}
		az, ao := Bits(f, x, min(depth, 2))
		zero, one = zero&az, one&ao
		if zero|one == 0 {
			break
		}
	}
	return zero, one
}

// knownRange gives the high bits that metadata or attributes say are zero.
func knownRange(f *ir.Function, v ir.Value) uint64 {
	_, largest, ok := rangeOf(f, v)
	if !ok {
		return 0
	}
	return highZeros(largest)
}

// rangeOf gives the unsigned bounds of !range metadata of one pair that does not wrap, and those of AMDGPU's work-item intrinsics.
func rangeOf(f *ir.Function, v ir.Value) (low, high uint64, ok bool) {
	m := f.Module()
	if f.Op(v) != ir.OpArg {
		if md := f.Attachment(v, ir.MDRange); md != 0 {
			ops := m.MDOperands(md)
			if len(ops) != 2 {
				return 0, 0, false
			}
			lo, _ := m.MDInt(ops[0])
			hi, _ := m.MDInt(ops[1])
			return lo, hi - 1, lo < hi
		}
	}
	switch f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNWorkitemIdX, ir.IntrAMDGCNWorkitemIdY, ir.IntrAMDGCNWorkitemIdZ:
		return 0, 1023, true
	}
	return 0, 0, false
}

// SignedRange gives the bounds of a value, as far as they are known.
func SignedRange(f *ir.Function, v ir.Value, width int) (low, high int64) {
	zero, one := Bits(f, v, MaxDepth)
	if v.IsLocal() {
		if lo, hi, ok := rangeOf(f, v); ok && hi>>(width-1) == 0 {
			return int64(lo), int64(hi)
		}
	}
	sign := uint64(1) << (width - 1)
	top := int64(sign - 1)
	switch {
	case zero&sign != 0:
		return int64(one), int64(^zero)
	case one&sign != 0:
		return int64(one | ^(sign<<1 - 1)), int64(^zero | ^(sign<<1 - 1))
	}
	return -top - 1 + int64(one), top &^ int64(zero&(sign-1))
}

// SignBits gives how many of the highest bits of an integer of at most 64 bits are equal (at least 1).
func SignBits(f *ir.Function, v ir.Value, depth int) int {
	m := f.Module()
	width := m.ScalarBits(f.TypeOf(v))
	if width > 64 || width == 0 || !m.IsIntOrIntVector(f.TypeOf(v)) {
		return 1
	}
	if x, ok := m.SignedValue(v); ok {
		if x < 0 {
			x = ^x
		}
		return bits.LeadingZeros64(uint64(x)) - (64 - width)
	}
	if !v.IsLocal() || depth <= 0 {
		return 1
	}
	zero, one := Bits(f, v, depth)
	n := max(bits.LeadingZeros64(^(zero << (64 - width))), bits.LeadingZeros64(^(one << (64 - width))), 1)
	return max(min(n, width), signBitsOf(f, v, depth-1, width))
}

func signBitsOf(f *ir.Function, v ir.Value, depth, width int) int {
	op := func(i int) int { return SignBits(f, f.Operand(v, i), depth) }
	switch f.Op(v) {
	case ir.OpSExt:
		return op(0) + width - f.Module().ScalarBits(f.TypeOf(f.Operand(v, 0)))
	case ir.OpAShr:
		if n, ok := splatInt(f.Module(), f.Operand(v, 1)); ok && n < uint64(width) {
			return min(width, op(0)+int(n))
		}
		return op(0)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return min(op(0), op(1))
	case ir.OpSelect:
		return min(op(1), op(2))
	case ir.OpAdd, ir.OpSub:
		return max(1, min(op(0), op(1))-1)
	case ir.OpTrunc:
		x := f.Operand(v, 0)
		if from := f.Module().ScalarBits(f.TypeOf(x)); from <= 64 {
			return max(1, op(0)-(from-width))
		}
	}
	return 1
}
