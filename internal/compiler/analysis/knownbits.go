package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// Bits holds the known bits of an integer or pointer of Width bits, at most 64.
// Width is 0 for wider values, whose bits are all unknown. For a vector, Bits
// holds the bits that are common to all elements. A bit set in neither Zero nor
// One is unknown. Bits of poison and undef may have any known value.
type Bits struct {
	Zero, One uint64
	Width     int
}

// maxDepth is the number of levels of operations that value analyses examine
// (LLVM's MaxAnalysisRecursionDepth).
const maxDepth = 6

func (b Bits) mask() uint64 { return lowMask(b.Width) }

// lowMask returns a mask of the n low bits.
func lowMask(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Known returns the mask of known bits.
func (b Bits) Known() uint64 { return b.Zero | b.One }

// IsConst reports whether all bits are known; One is then the value.
func (b Bits) IsConst() bool { return b.Width > 0 && b.Known() == b.mask() }

// Max returns the largest possible unsigned value.
func (b Bits) Max() uint64 {
	if b.Width == 0 {
		return ^uint64(0)
	}
	return ^b.Zero & b.mask()
}

// Min returns the smallest possible unsigned value.
func (b Bits) Min() uint64 { return b.One }

// LeadingZeros returns the number of high bits that are known to be zero.
func (b Bits) LeadingZeros() int {
	return min(bits.LeadingZeros64(^(b.Zero << (64 - uint(b.Width)))), b.Width)
}

// LeadingOnes returns the number of high bits that are known to be one.
func (b Bits) LeadingOnes() int {
	return min(bits.LeadingZeros64(^(b.One << (64 - uint(b.Width)))), b.Width)
}

// TrailingZeros returns the number of low bits that are known to be zero.
func (b Bits) TrailingZeros() int { return min(bits.TrailingZeros64(^b.Zero), b.Width) }

// NonNegative reports whether the sign bit is known to be zero.
func (b Bits) NonNegative() bool { return b.Width > 0 && b.Zero>>(b.Width-1)&1 != 0 }

// Negative reports whether the sign bit is known to be one.
func (b Bits) Negative() bool { return b.Width > 0 && b.One>>(b.Width-1)&1 != 0 }

// NonZero reports whether at least one bit is known to be one.
func (b Bits) NonZero() bool { return b.One != 0 }

func constBits(x uint64, width int) Bits {
	m := lowMask(width)
	return Bits{Zero: ^x & m, One: x & m, Width: width}
}

// meet returns the bits that are known in both b and o.
func (b Bits) meet(o Bits) Bits { return Bits{b.Zero & o.Zero, b.One & o.One, b.Width} }

// join returns the bits that are known in b or o. If they conflict, the value
// is poison, and join returns b.
func (b Bits) join(o Bits) Bits {
	if r := (Bits{b.Zero | o.Zero, b.One | o.One, b.Width}); r.Zero&r.One == 0 {
		return r
	}
	return b
}

// below returns the known bits of a number not greater than x.
func below(x uint64, width int) Bits {
	return Bits{Zero: lowMask(width) &^ lowMask(bits.Len64(x)), Width: width}
}

// inRange returns the known bits of a number from lo to hi inclusive: the
// common high bits.
func inRange(lo, hi uint64, width int) Bits {
	high := lowMask(width) &^ lowMask(bits.Len64(lo^hi))
	return Bits{Zero: ^lo & high, One: lo & high, Width: width}
}

// extend widens the number by sign or zero extension.
func (b Bits) extend(width int, signed bool) Bits {
	if b.Width == 0 {
		return Bits{Width: width}
	}
	high := lowMask(width) &^ b.mask()
	r := Bits{b.Zero, b.One, width}
	switch {
	case !signed || b.NonNegative():
		r.Zero |= high
	case b.Negative():
		r.One |= high
	}
	return r
}

// truncate narrows the number to width bits.
func (b Bits) truncate(width int) Bits {
	if b.Width == 0 {
		return Bits{Width: width}
	}
	m := lowMask(width)
	return Bits{b.Zero & m, b.One & m, width}
}

// not returns the complement.
func (b Bits) not() Bits { return Bits{b.One, b.Zero, b.Width} }

// addBits returns the known bits of a + c + carry, where carry is 0 or 1.
func addBits(a, c Bits, carry uint64) Bits {
	m := a.mask()
	// Compare the sums with all unknown bits zero and all one. A bit is known
	// if the bits of both operands and the carry into it are known.
	low := a.One + c.One + carry
	high := a.Max() + c.Max() + carry
	carryZero := ^(high ^ a.Zero ^ c.Zero)
	carryOne := low ^ a.One ^ c.One
	known := a.Known() & c.Known() & (carryZero | carryOne) & m
	return Bits{Zero: ^high & known, One: low & known, Width: a.Width}
}

// mulBits returns the known bits of a product: the low bits known in both
// operands, the low zeros and the high zeros.
func mulBits(a, c Bits) Bits {
	r := Bits{Width: a.Width}
	if hi, lo := bits.Mul64(a.Max(), c.Max()); hi == 0 {
		r = below(lo, a.Width).truncate(a.Width)
	}
	// Low bits: the number known in both operands, counted from the lowest bit
	// that is not a known zero.
	za, zc := a.TrailingZeros(), c.TrailingZeros()
	ka, kc := bits.TrailingZeros64(^a.Known()), bits.TrailingZeros64(^c.Known())
	n := min(ka-za, kc-zc) + za + zc
	low := lowMask(min(n, a.Width))
	product := a.One * c.One
	return r.join(Bits{^product & low, product & low, a.Width})
}

// shiftBits returns the known bits of a shift by n.
func shiftBits(op ir.Op, a Bits, n int) Bits {
	m := a.mask()
	switch op {
	case ir.OpShl:
		return Bits{(a.Zero<<n | lowMask(n)) & m, a.One << n & m, a.Width}
	case ir.OpLShr:
		return Bits{a.Zero>>n | m&^(m>>n), a.One >> n, a.Width}
	}
	s := 64 - a.Width
	return Bits{uint64(int64(a.Zero<<s)>>(n+s)) & m, uint64(int64(a.One<<s)>>(n+s)) & m, a.Width}
}

// shiftUnknown returns the known bits of a shift by a variable amount.
func shiftUnknown(op ir.Op, a, n Bits) Bits {
	if n.Width == 0 || n.Min() >= uint64(a.Width) {
		return Bits{Width: a.Width}
	}
	first, last := int(n.Min()), int(min(n.Max(), uint64(a.Width-1)))
	r, any := Bits{}, false
	for i := first; i <= last; i++ {
		if uint64(i)&n.Zero != 0 || ^uint64(i)&n.One != 0 {
			continue
		}
		s := shiftBits(op, a, i)
		if any {
			s = r.meet(s)
		}
		if r, any = s, true; r.Known() == 0 {
			break
		}
	}
	if !any {
		return Bits{Width: a.Width}
	}
	return r
}

// divBits and remBits handle unsigned division.
func divBits(a, c Bits) Bits {
	if c.Min() == 0 {
		return below(a.Max(), a.Width)
	}
	return inRange(a.Min()/max(c.Max(), 1), a.Max()/c.Min(), a.Width)
}

func remBits(a, c Bits) Bits {
	if c.IsConst() && c.One != 0 && c.One&(c.One-1) == 0 {
		low := c.One - 1
		return Bits{a.Zero | a.mask()&^low, a.One & low, a.Width}
	}
	r := below(min(a.Max(), c.Max()), a.Width)
	if z := min(a.TrailingZeros(), c.TrailingZeros()); z > 0 && z < 64 {
		r.Zero |= lowMask(z) & a.mask()
	}
	return r
}
