package ireval

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

func copySign(k ir.TypeKind, x, y, _ uint64) uint64 { return x&^signBit(k) | y&signBit(k) }

func fmaOp(k ir.TypeKind, x, y, z uint64) uint64 {
	return fma(k, value(k, x), value(k, y), value(k, z))
}

// mulAdd multiplies and adds with two roundings.
func mulAdd(k ir.TypeKind, x, y, z uint64) uint64 {
	return round(k, value(k, round(k, value(k, x)*value(k, y)))+value(k, z))
}

// canonical returns x with NaNs replaced by the canonical NaN.
func canonical(k ir.TypeKind, x, _, _ uint64) uint64 { return round(k, value(k, x)) }

// medianOf returns the median of three numbers. If one is a NaN, it returns the
// least of them as least computes it for two.
func medianOf(least floatOp) floatOp {
	lo, hi := minMax(false, false), minMax(true, false)
	return func(k ir.TypeKind, x, y, z uint64) uint64 {
		a, b, c := value(k, x), value(k, y), value(k, z)
		if a != a || b != b || c != c {
			return least(k, least(k, x, y, 0), z, 0)
		}
		return hi(k, lo(k, x, y, 0), lo(k, hi(k, x, y, 0), z, 0), 0)
	}
}

// minIEEE returns the minimum in IEEE mode: a signaling NaN becomes quiet, and
// a number takes precedence over a quiet NaN.
func minIEEE(k ir.TypeKind, x, y, _ uint64) uint64 {
	if isSNaN(k, x) || isSNaN(k, y) {
		return quietNaN[k]
	}
	return minMax(false, false)(k, x, y, 0)
}

// fract returns x - floor(x), less than one.
func fract(k ir.TypeKind, x, _, _ uint64) uint64 {
	f := value(k, x)
	r := round(k, f-math.Floor(f))
	below := [...]uint64{ir.KindHalf: 0x3bff, ir.KindFloat: 0x3f7fffff, ir.KindDouble: 0x3fefffffffffffff}
	if value(k, r) >= 1 {
		return below[k]
	}
	return r
}

func frexpMant(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return x
	}
	m, _ := math.Frexp(x)
	return m
}

func rsqrt(x float64) float64 { return 1 / math.Sqrt(x) }

// legacyMul returns x*y, or 0 if a factor is 0.
func legacyMul(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

// sinTurns returns the sine of an angle in turns. It is exact at quarter turns.
func sinTurns(x float64) float64 {
	r := x - math.Floor(x)
	switch {
	case r >= 0.5:
		return 0 - sinTurns(r-0.5) // never -0
	case r > 0.25:
		r = 0.5 - r
	}
	return math.Sin(2 * math.Pi * r)
}

func cosTurns(x float64) float64 { return sinTurns(x - math.Floor(x) + 0.25) }

// smallAngles wraps a function of an angle in turns. Angles beyond 256 turns
// count as 0.
func smallAngles(f floatOp) floatOp {
	return func(k ir.TypeKind, x, _, _ uint64) uint64 {
		if a := math.Abs(value(k, x)); a > 256 && !math.IsInf(a, 0) {
			x = 0
		}
		return f(k, x, 0, 0)
	}
}

// floatIntrinsics lists the elementwise floating-point intrinsics.
var floatIntrinsics = map[ir.Intrinsic]floatOp{
	ir.IntrFabs:     func(k ir.TypeKind, x, _, _ uint64) uint64 { return x &^ signBit(k) },
	ir.IntrCopysign: copySign, ir.IntrFma: fmaOp, ir.IntrFmuladd: fmaOp, ir.IntrCanonicalize: canonical,
	ir.IntrFloor: float1(math.Floor), ir.IntrCeil: float1(math.Ceil), ir.IntrTrunc: float1(math.Trunc),
	ir.IntrRint: float1(math.RoundToEven), ir.IntrNearbyint: float1(math.RoundToEven), ir.IntrRoundeven: float1(math.RoundToEven),
	ir.IntrRound: float1(math.Round), ir.IntrSqrt: float1(math.Sqrt),
	ir.IntrExp: float1(math.Exp), ir.IntrExp2: float1(math.Exp2), ir.IntrExp10: float1(func(x float64) float64 { return math.Pow(10, x) }),
	ir.IntrLog: float1(math.Log), ir.IntrLog2: float1(log2), ir.IntrLog10: float1(math.Log10),
	ir.IntrSin: float1(math.Sin), ir.IntrCos: float1(math.Cos), ir.IntrTan: float1(math.Tan), ir.IntrPow: float2(math.Pow),
	ir.IntrAsin: float1(math.Asin), ir.IntrAcos: float1(math.Acos), ir.IntrAtan: float1(math.Atan), ir.IntrAtan2: float2(math.Atan2),
	ir.IntrSinh: float1(math.Sinh), ir.IntrCosh: float1(math.Cosh), ir.IntrTanh: float1(math.Tanh),
	ir.IntrMinnum: minMax(false, false), ir.IntrMaxnum: minMax(true, false),
	ir.IntrMinimumnum: minMax(false, false), ir.IntrMaximumnum: minMax(true, false),
	ir.IntrMinimum: minMax(false, true), ir.IntrMaximum: minMax(true, true),

	ir.IntrAMDGCNRcp: flushed(float1(func(x float64) float64 { return 1 / x })), ir.IntrAMDGCNRsq: flushed(float1(rsqrt)),
	ir.IntrAMDGCNSqrt: flushed(float1(math.Sqrt)), ir.IntrAMDGCNExp2: flushed(float1(math.Exp2)), ir.IntrAMDGCNLog: flushed(float1(log2)),
	ir.IntrAMDGCNDivFixup: divFixup,
	ir.IntrAMDGCNSin:      float1(sinTurns), ir.IntrAMDGCNCos: float1(cosTurns), ir.IntrAMDGCNFract: fract,
	ir.IntrAMDGCNFmed3: medianOf(minIEEE), ir.IntrAMDGCNFrexpMant: float1(frexpMant), ir.IntrAMDGCNFmulLegacy: float2(legacyMul),
	ir.IntrAMDGCNFmaLegacy: func(k ir.TypeKind, x, y, z uint64) uint64 {
		return round(k, float64(legacyMul(value(k, x), value(k, y)))+value(k, z))
	},
}

func log2(x float64) float64 {
	f, e := math.Frexp(x)
	if f == 0.5 {
		return float64(e - 1)
	}
	return math.Log2(x)
}

// ldexp multiplies by a power of two. o.kind is the kind of the number; the
// second operand is a signed integer.
func ldexp(o *op, x, y, _ uint64) (uint64, uint8) {
	n := max(min(sx(y, min(o.words, 64)), 1<<20), -1<<20)
	return round(o.kind, math.Ldexp(value(o.kind, x), int(n))), 0
}

// frexpExp returns the exponent, or 0 for numbers without one.
func frexpExp(o *op, x, _, _ uint64) (uint64, uint8) {
	f := value(o.kind, x)
	if f != f || math.IsInf(f, 0) {
		return 0, 0
	}
	_, e := math.Frexp(f)
	return uint64(int64(e)), 0
}

func powi(o *op, x, y, _ uint64) (uint64, uint8) {
	return round(o.kind, math.Pow(value(o.kind, x), float64(sx(y, o.words)))), 0
}

func isClass(o *op, x, y, _ uint64) (uint64, uint8) { return b2u(classOf(o.kind, x)&y != 0), 0 }

// toIntSat converts to the nearest representable integer, and NaN to 0.
func toIntSat(signed bool) castOp {
	conv := func(o *op, x uint64) (*bigInt, uint8) {
		f := value(o.kind, x)
		lo, hi := new(bigInt), new(bigInt).Sub(pow2(o.rbits), one)
		if signed {
			hi = new(bigInt).Sub(pow2(o.rbits-1), one)
			lo = new(bigInt).Not(hi)
		}
		n := toBig(math.Trunc(f))
		switch {
		case f != f:
			return new(bigInt), 0
		case f < 0 && (n == nil || n.Cmp(lo) < 0):
			return lo, 0
		case f > 0 && (n == nil || n.Cmp(hi) > 0):
			return hi, 0
		}
		return n, 0
	}
	return castOp{func(o *op, x, _, _ uint64) (uint64, uint8) {
		n, p := conv(o, x)
		return wrap(n, 64).Uint64(), p
	}, func(o *op, x, _, _ *bigInt) (*bigInt, uint8) { return conv(o, x.Uint64()) }}
}

// mixedIntrinsics lists the elementwise intrinsics with operands of different
// kinds. o.words is the width of the second operand.
var mixedIntrinsics = map[ir.Intrinsic]func(o *op, x, y, z uint64) (uint64, uint8){
	ir.IntrLdexp: ldexp, ir.IntrPowi: powi, ir.IntrIsFpclass: isClass, ir.IntrAMDGCNClass: isClass,
	ir.IntrAMDGCNFrexpExp: frexpExp, ir.IntrFptosiSat: toIntSat(true).fast, ir.IntrFptouiSat: toIntSat(false).fast,
	ir.IntrLrint: roundInt(math.RoundToEven), ir.IntrLlrint: roundInt(math.RoundToEven),
	ir.IntrLround: roundInt(math.Round), ir.IntrLlround: roundInt(math.Round),
}

// roundInt rounds and converts.
func roundInt(f func(float64) float64) func(o *op, x, y, z uint64) (uint64, uint8) {
	return func(o *op, x, _, _ uint64) (uint64, uint8) {
		return toInt(true).fast(&op{kind: ir.KindDouble, rbits: o.rbits}, math.Float64bits(f(value(o.kind, x))), 0, 0)
	}
}
