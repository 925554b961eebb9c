package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/ir"
)

// Divisions by constants become multiplications by reciprocals (T. Granlund and
// P. Montgomery, "Division by Invariant Integers using Multiplication", 1994).

// byConstant expands a division by a constant, or returns None if it cannot.
func (d *divExpander) byConstant(c uint64, signed, isRem bool, x, y ir.Value) ir.Value {
	t := d.f.TypeOf(x)
	width := d.M.IntBits(t)
	if c == 0 {
		return d.M.Poison(t)
	}
	zero, _ := known.Bits(d.f, x, known.MaxDepth)
	largest := ^zero
	x = d.fixed(x)
	q := ir.None
	switch {
	case signed:
		q = d.quotientSigned(int64(c<<(64-width))>>(64-width), x, t, width)
	case isRem && c&(c-1) == 0:
		return d.FoldBinary(ir.OpAnd, x, d.M.NewInt(t, c-1))
	default:
		q = d.quotientUnsigned(c, x, largest, t, width)
	}
	if isRem {
		return d.FoldBinary(ir.OpSub, x, d.FoldBinary(ir.OpMul, q, y))
	}
	return q
}

// workType returns i32 or i64, the type in which a division is computed.
func workType(width int) (t ir.Type, bits int) {
	if width <= 32 {
		return ir.I32, 32
	}
	return ir.I64, 64
}

// mulHigh returns the upper half of an unsigned product of i32 or i64.
func (d *divExpander) mulHigh(x, y ir.Value) ir.Value {
	if d.f.TypeOf(x) == ir.I32 {
		return d.mulHigh32(x, y)
	}
	return d.mulHigh64(x, y)
}

// quotientUnsigned returns x / c. The bits of x are a subset of the bits of
// largest.
func (d *divExpander) quotientUnsigned(c uint64, x ir.Value, largest uint64, t ir.Type, width int) ir.Value {
	if c&(c-1) == 0 {
		return d.Shift(ir.OpLShr, x, uint64(bits.TrailingZeros64(c)))
	}
	work, n := workType(width)
	w := d.resize(x, work, false)
	f := newDivFactor(c, n, n-bits.Len64(largest))
	w = d.Shift(ir.OpLShr, w, uint64(f.before))
	high := d.mulHigh(w, d.M.NewInt(work, f.factor))
	if f.add {
		high = d.FoldBinary(ir.OpAdd, d.Shift(ir.OpLShr, d.FoldBinary(ir.OpSub, w, high), 1), high)
	}
	return d.resize(d.Shift(ir.OpLShr, high, uint64(f.after)), t, false)
}

// divFactor describes a division by a constant: q = mulhi(x >> before, factor)
// >> after, or, with add, h = mulhi(x, factor), q = ((x - h >> 1) + h) >>
// after.
type divFactor struct {
	factor        uint64
	before, after int
	add           bool
}

// newDivFactor computes the factor for a divisor that is not a power of two.
// The dividend has width bits (32 or 64), of which the highest zeros are zero.
func newDivFactor(c uint64, width, zeros int) divFactor {
	for before := 0; ; before = bits.TrailingZeros64(c) {
		odd := c >> before
		s := bits.Len64(odd) - 1
		q, r := divPower(s, odd, width)
		// factor*odd exceeds 2^(width+s) by odd-r, and x multiplies the excess:
		// it must stay below 2^(width+s) / odd
		slack := min(63, s+zeros+before)
		if odd-r <= 1<<slack || s+zeros+before >= 64 {
			return divFactor{factor: q + 1, before: before, after: s}
		}
		if before != 0 || c&1 != 0 {
			break
		}
	}
	l := bits.Len64(c) // 2^(l-1) < c < 2^l
	q, _ := divHigh(1<<l-c, c, width)
	return divFactor{factor: q + 1, after: l - 1, add: true}
}

// divPower returns 2^(width+s) / d and the remainder, for d > 2^s.
func divPower(s int, d uint64, width int) (q, r uint64) { return divHigh(1<<s, d, width) }

// divHigh returns high * 2^width / d and the remainder, for high < d.
func divHigh(high, d uint64, width int) (q, r uint64) {
	if width == 64 {
		return bits.Div64(high, 0, d)
	}
	n := high << 32
	return n / d, n % d
}

// quotientSigned returns x / c, rounded toward zero.
func (d *divExpander) quotientSigned(c int64, x ir.Value, t ir.Type, width int) ir.Value {
	abs := uint64(c)
	if c < 0 {
		abs = -abs
	}
	if abs&(abs-1) == 0 {
		return d.negateIf(c < 0, d.shiftSigned(x, bits.TrailingZeros64(abs), width))
	}
	work, n := workType(width)
	w := d.resize(x, work, true)
	factor, shift := signedFactor(abs, n)
	high := d.mulHighSigned(w, factor, work, n)
	if factor>>(n-1) != 0 { // as a signed number, it is too small by 2^n
		high = d.FoldBinary(ir.OpAdd, high, w)
	}
	high = d.Shift(ir.OpAShr, high, uint64(shift))
	sign := d.Shift(ir.OpLShr, w, uint64(n-1))
	return d.resize(d.negateIf(c < 0, d.FoldBinary(ir.OpAdd, high, sign)), t, true)
}

// signedFactor returns the smallest shift, and its factor, such that mulhi(x,
// factor) >> shift is x / c rounded down for each signed x of n bits (32 or
// 64), plus one for each negative x. c is not a power of two.
func signedFactor(c uint64, n int) (factor uint64, shift int) {
	most := uint64(1)<<(n-1) - 1
	most -= (most - c + 1) % c // the largest x with remainder c-1
	for ; ; shift++ {
		q, r := divHigh(1<<shift, c, n)
		// factor*c exceeds 2^(n+shift) by c-r, and x multiplies the excess: the
		// product must stay below 2^(n+shift)
		over, low := bits.Mul64(most, c-r)
		if n == 32 {
			over, low = over<<32|low>>32, 0
		}
		if over < 1<<shift {
			return q + 1, shift
		}
	}
}

// mulHighSigned returns the upper half of the signed product of x and a
// factor.
func (d *divExpander) mulHighSigned(x ir.Value, factor uint64, t ir.Type, n int) ir.Value {
	if n == 32 {
		wide := d.FoldBinary(ir.OpMul, d.FoldCast(ir.OpSExt, x, ir.I64), d.M.NewSigned(ir.I64, int64(int32(factor))))
		return d.FoldCast(ir.OpTrunc, d.Shift(ir.OpLShr, wide, 32), ir.I32)
	}
	// unsigned product, minus the factor for negative x, minus x for the
	// factor's top bit
	c := d.M.NewInt(t, factor)
	high := d.mulHigh64(x, c)
	high = d.FoldBinary(ir.OpSub, high, d.FoldBinary(ir.OpAnd, d.Shift(ir.OpAShr, x, 63), c))
	if factor>>63 == 0 {
		return high
	}
	return d.FoldBinary(ir.OpSub, high, x)
}

// negateIf returns -v if neg is set, otherwise v.
func (d *divExpander) negateIf(neg bool, v ir.Value) ir.Value {
	if !neg {
		return v
	}
	return d.FoldBinary(ir.OpSub, d.M.NewInt(d.f.TypeOf(v), 0), v)
}

// shiftSigned returns x / 2^k, rounded toward zero.
func (d *divExpander) shiftSigned(x ir.Value, k, width int) ir.Value {
	if k == 0 {
		return x
	}
	sign := d.Shift(ir.OpAShr, x, uint64(width-1))
	round := d.Shift(ir.OpLShr, sign, uint64(width-k))
	return d.Shift(ir.OpAShr, d.FoldBinary(ir.OpAdd, x, round), uint64(k))
}
