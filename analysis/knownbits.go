package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// Bits is what is known of the bits of an integer or pointer of Width bits, at most 64; of wider ones nothing is known
// and Width is 0. For a vector it is what all elements have in common. A bit that is neither in Zero nor in One is
// unknown. Bits of poison and undef may be claimed to be anything.
type Bits struct {
	Zero, One uint64
	Width     int
}

// maxDepth is how many operations deep the analyses of values look (LLVM's MaxAnalysisRecursionDepth).
const maxDepth = 6

func (b Bits) mask() uint64 { return lowMask(b.Width) }

// lowMask gives n ones.
func lowMask(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Known gives the bits that are known.
func (b Bits) Known() uint64 { return b.Zero | b.One }

// IsConst reports whether all bits are known; they are One then.
func (b Bits) IsConst() bool { return b.Width > 0 && b.Known() == b.mask() }

// Max gives the largest unsigned value.
func (b Bits) Max() uint64 {
	if b.Width == 0 {
		return ^uint64(0)
	}
	return ^b.Zero & b.mask()
}

// Min gives the smallest unsigned value.
func (b Bits) Min() uint64 { return b.One }

// LeadingZeros gives how many high bits are known to be zero.
func (b Bits) LeadingZeros() int {
	return min(bits.LeadingZeros64(^(b.Zero << (64 - uint(b.Width)))), b.Width)
}

// LeadingOnes gives how many high bits are known to be one.
func (b Bits) LeadingOnes() int {
	return min(bits.LeadingZeros64(^(b.One << (64 - uint(b.Width)))), b.Width)
}

// TrailingZeros gives how many low bits are known to be zero.
func (b Bits) TrailingZeros() int { return min(bits.TrailingZeros64(^b.Zero), b.Width) }

// NonNegative reports whether the sign bit is known to be zero.
func (b Bits) NonNegative() bool { return b.Width > 0 && b.Zero>>(b.Width-1)&1 != 0 }

// Negative reports whether the sign bit is known to be one.
func (b Bits) Negative() bool { return b.Width > 0 && b.One>>(b.Width-1)&1 != 0 }

// NonZero reports whether a bit is known to be one.
func (b Bits) NonZero() bool { return b.One != 0 }

func constBits(x uint64, width int) Bits {
	m := lowMask(width)
	return Bits{Zero: ^x & m, One: x & m, Width: width}
}

// meet gives what is known of both.
func (b Bits) meet(o Bits) Bits { return Bits{b.Zero & o.Zero, b.One & o.One, b.Width} }

// join gives what is known when both hold. When they contradict each other the value is poison, and b is kept.
func (b Bits) join(o Bits) Bits {
	if r := (Bits{b.Zero | o.Zero, b.One | o.One, b.Width}); r.Zero&r.One == 0 {
		return r
	}
	return b
}

// below gives what is known of a number not larger than x.
func below(x uint64, width int) Bits {
	return Bits{Zero: lowMask(width) &^ lowMask(bits.Len64(x)), Width: width}
}

// inRange gives what is known of a number from lo to hi, both included: the high bits that are equal.
func inRange(lo, hi uint64, width int) Bits {
	high := lowMask(width) &^ lowMask(bits.Len64(lo^hi))
	return Bits{Zero: ^lo & high, One: lo & high, Width: width}
}

// extend makes the number wider: by sign, or by zeroes.
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

// truncate makes it narrower.
func (b Bits) truncate(width int) Bits {
	if b.Width == 0 {
		return Bits{Width: width}
	}
	m := lowMask(width)
	return Bits{b.Zero & m, b.One & m, width}
}

// not gives the complement.
func (b Bits) not() Bits { return Bits{b.One, b.Zero, b.Width} }

// addBits gives what is known of a + c + carry, where carry is 0 or 1.
func addBits(a, c Bits, carry uint64) Bits {
	m := a.mask()
	// sums with all unknown bits zero, and with all one: a bit is known where both operands' and the carry into it are
	low := a.One + c.One + carry
	high := a.Max() + c.Max() + carry
	carryZero := ^(high ^ a.Zero ^ c.Zero)
	carryOne := low ^ a.One ^ c.One
	known := a.Known() & c.Known() & (carryZero | carryOne) & m
	return Bits{Zero: ^high & known, One: low & known, Width: a.Width}
}

// mulBits gives what is known of a product: the low bits that are known of both, low zeroes and high zeroes.
func mulBits(a, c Bits) Bits {
	r := Bits{Width: a.Width}
	if hi, lo := bits.Mul64(a.Max(), c.Max()); hi == 0 {
		r = below(lo, a.Width).truncate(a.Width)
	}
	// low bits: as many as are known of both, counted from the lowest that is not a known zero
	za, zc := a.TrailingZeros(), c.TrailingZeros()
	ka, kc := bits.TrailingZeros64(^a.Known()), bits.TrailingZeros64(^c.Known())
	n := min(ka-za, kc-zc) + za + zc
	low := lowMask(min(n, a.Width))
	product := a.One * c.One
	return r.join(Bits{^product & low, product & low, a.Width})
}

// shiftBits gives what is known of a shift by n.
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

// shiftUnknown gives what is known of a shift whose amount is not constant.
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

// remBits and divBits are for unsigned division.
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
