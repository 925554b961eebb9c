package ireval

import (
	"math"
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// quietNaN holds the NaN results of operations.
var quietNaN = [...]uint64{ir.KindHalf: 0x7e00, ir.KindBFloat: 0x7fc0, ir.KindFloat: 0x7fc00000, ir.KindDouble: 0x7ff8000000000000}

// precision holds the widths of significands.
var precision = [...]uint{ir.KindHalf: 11, ir.KindBFloat: 8, ir.KindFloat: 24, ir.KindDouble: 53}

// value returns the value of a number as a double, which is exact for all
// kinds.
func value(k ir.TypeKind, bits uint64) float64 {
	switch k {
	case ir.KindHalf:
		return halfValue(uint16(bits))
	case ir.KindBFloat:
		return float64(math.Float32frombits(uint32(bits) << 16))
	case ir.KindFloat:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// round returns the bits of the nearest number of kind k, ties to even.
func round(k ir.TypeKind, x float64) uint64 {
	if x != x {
		return quietNaN[k]
	}
	switch k {
	case ir.KindHalf:
		return roundTo(x, 11, -14, 15)
	case ir.KindBFloat:
		return roundTo(x, 8, -126, 127)
	case ir.KindFloat:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// roundTo rounds to a format with prec bits and exponents from lo to hi.
func roundTo(x float64, prec, lo, hi int) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1, -x
	}
	width := bitsOfExponent(hi)
	sign <<= uint(width + prec - 1)
	inf := uint64(1<<width-1) << (prec - 1)
	switch {
	case x == 0:
		return sign
	case math.IsInf(x, 1):
		return sign | inf
	}
	_, e := math.Frexp(x) // x is in [2^(e-1), 2^e)
	e = max(e-1, lo)
	n := math.RoundToEven(math.Ldexp(x, prec-1-e)) // in units of the last place
	if n >= math.Ldexp(1, prec) {
		e++
		n = math.RoundToEven(math.Ldexp(x, prec-1-e))
	}
	if e > hi {
		return sign | inf
	}
	m := uint64(n)
	if m < 1<<(prec-1) { // subnormal
		return sign | m
	}
	return sign | uint64(e-lo+1)<<(prec-1) | m&(1<<(prec-1)-1)
}

func bitsOfExponent(hi int) int {
	if hi == 15 {
		return 5
	}
	return 8
}

func halfValue(h uint16) float64 {
	e, m := int(h>>10&31), float64(h&0x3ff)
	var x float64
	switch {
	case e == 31 && m != 0:
		x = math.NaN()
	case e == 31:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(m, -24)
	default:
		x = math.Ldexp(m+1024, e-25)
	}
	if h&0x8000 != 0 {
		x = -x
	}
	return x
}

// addOdd adds and rounds to odd, so that rounding the result again to fewer
// bits is equivalent to a single rounding.
func addOdd(x, y float64) float64 {
	s := x + y
	if math.IsInf(s, 0) || s != s {
		return s
	}
	bb := s - x
	e := (x - (s - bb)) + (y - bb)
	b := math.Float64bits(s)
	if e == 0 || b&1 != 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// fma returns x*y+z, rounded once to kind k.
func fma(k ir.TypeKind, x, y, z float64) uint64 {
	if k == ir.KindDouble {
		return round(k, math.FMA(x, y, z))
	}
	return round(k, addOdd(float64(x*y), z)) // the product is exact; the conversion prevents fusing
}

// fromBig rounds an integer to a number of kind k.
func fromBig(k ir.TypeKind, x *big.Int) uint64 {
	f, _ := new(big.Float).SetPrec(precision[k]).SetInt(x).Float64()
	return round(k, f)
}

// toBig returns the integer part, or nil for NaN and infinity.
func toBig(x float64) *big.Int {
	if x != x || math.IsInf(x, 0) {
		return nil
	}
	n, _ := new(big.Float).SetFloat64(x).Int(nil)
	return n
}

type floatOp func(k ir.TypeKind, x, y, z uint64) uint64

// float2 returns an operation that applies f to values and rounds the result.
func float2(f func(x, y float64) float64) floatOp {
	return func(k ir.TypeKind, x, y, _ uint64) uint64 { return round(k, f(value(k, x), value(k, y))) }
}

func float1(f func(x float64) float64) floatOp {
	return func(k ir.TypeKind, x, _, _ uint64) uint64 { return round(k, f(value(k, x))) }
}

// signBit returns the sign bit of kind k.
func signBit(k ir.TypeKind) uint64 {
	switch k {
	case ir.KindHalf, ir.KindBFloat:
		return 1 << 15
	case ir.KindFloat:
		return 1 << 31
	}
	return 1 << 63
}

// floatOps maps the floating-point instructions to operations.
var floatOps = map[ir.Op]floatOp{
	ir.OpFNeg: func(k ir.TypeKind, x, _, _ uint64) uint64 { return x ^ signBit(k) },
	ir.OpFAdd: float2(func(x, y float64) float64 { return x + y }),
	ir.OpFSub: float2(func(x, y float64) float64 { return x - y }),
	ir.OpFMul: float2(func(x, y float64) float64 { return x * y }),
	ir.OpFDiv: float2(func(x, y float64) float64 { return x / y }),
	ir.OpFRem: float2(math.Mod),
}

// withFlags adds the effects of nnan and ninf.
func withFlags(f floatOp) func(o *op, x, y, z uint64) (uint64, uint8) {
	return func(o *op, x, y, z uint64) (uint64, uint8) {
		k := o.kind
		r := f(k, x, y, z)
		if o.flags&(ir.NoNaNs|ir.NoInfs) != 0 {
			for _, b := range [...]uint64{x, y, z, r} {
				if breaks(o.flags, value(k, b)) {
					return r, poison
				}
			}
		}
		return r, 0
	}
}

func breaks(flags ir.Flags, x float64) bool {
	return flags&ir.NoNaNs != 0 && x != x || flags&ir.NoInfs != 0 && math.IsInf(x, 0)
}

// fcmp compares. The bits of the predicate are equal, greater, less, unordered.
func fcmp(o *op, x, y, _ uint64) (uint64, uint8) {
	a, b := value(o.kind, x), value(o.kind, y)
	if breaks(o.flags, a) || breaks(o.flags, b) {
		return 0, poison
	}
	bit := ir.Pred(8)
	switch {
	case a == b:
		bit = 1
	case a > b:
		bit = 2
	case a < b:
		bit = 4
	}
	return b2u(ir.Pred(o.sub)&bit != 0), 0
}

func isSNaN(k ir.TypeKind, x uint64) bool {
	f := value(k, x)
	return f != f && x&(1<<(precision[k]-2)) == 0
}

// minMax returns the minimum or maximum. With nan, the result is a NaN if an
// operand is one. -0 is less than 0.
func minMax(larger, nan bool) floatOp {
	return func(k ir.TypeKind, x, y, _ uint64) uint64 {
		a, b := value(k, x), value(k, y)
		switch {
		case nan && (a != a || b != b), a != a && b != b:
			return quietNaN[k]
		case a != a:
			return y
		case b != b:
			return x
		}
		less := a < b || a == b && math.Signbit(a)
		if less != larger {
			return x
		}
		return y
	}
}

// classOf returns the class of a number as a bit of llvm.is.fpclass.
func classOf(k ir.TypeKind, x uint64) uint64 {
	f := value(k, x)
	mant := x & (1<<(precision[k]-1) - 1)
	expo := x &^ signBit(k) >> (precision[k] - 1)
	neg := x&signBit(k) != 0
	pick := func(n, p uint64) uint64 {
		if neg {
			return 1 << n
		}
		return 1 << p
	}
	switch {
	case isSNaN(k, x):
		return 1
	case f != f:
		return 2
	case math.IsInf(f, 0):
		return pick(2, 9)
	case expo == 0 && mant == 0:
		return pick(5, 6)
	case expo == 0:
		return pick(4, 7)
	}
	return pick(3, 8)
}
