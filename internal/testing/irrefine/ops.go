package irrefine

import (
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// intOp computes an operation on integers of w bits. All results fit in an
// int64, so that overflow is detectable.
func intOp(op ir.Op, flags ir.Flags, a, b uint64, w uint) (v value, ub bool) {
	sa, sb := sext(a, w), sext(b, w)
	var u, s int64 // exact results for unsigned and signed operands
	switch op {
	case ir.OpAdd:
		u, s = int64(a+b), sa+sb
	case ir.OpSub:
		u, s = int64(a)-int64(b), sa-sb
	case ir.OpMul:
		u, s = int64(a*b), sa*sb
	case ir.OpShl:
		if b >= uint64(w) {
			return value{poison: true}, false
		}
		u, s = int64(a<<b), sa<<b
	case ir.OpAnd:
		return value{bits: a & b}, false
	case ir.OpOr:
		return value{bits: a | b, poison: flags&ir.Disjoint != 0 && a&b != 0}, false
	case ir.OpXor:
		return value{bits: a ^ b}, false
	default:
		return divOrShift(op, flags, a, b, w)
	}
	poison := flags&ir.NUW != 0 && (u < 0 || u > int64(mask(w))) || flags&ir.NSW != 0 && s != sext(uint64(s)&mask(w), w)
	return value{bits: uint64(u) & mask(w), poison: poison}, false
}

func divOrShift(op ir.Op, flags ir.Flags, a, b uint64, w uint) (v value, ub bool) {
	sa, sb := sext(a, w), sext(b, w)
	lost := false
	switch op {
	case ir.OpLShr, ir.OpAShr:
		if b >= uint64(w) {
			return value{poison: true}, false
		}
		lost = a&(1<<b-1) != 0
		v.bits = a >> b
		if op == ir.OpAShr {
			v.bits = uint64(sa>>b) & mask(w)
		}
	default:
		if b == 0 || (op == ir.OpSDiv || op == ir.OpSRem) && sb == -1 && sa == -1<<(w-1) && w > 1 {
			return v, true
		}
		switch op {
		case ir.OpUDiv:
			v.bits, lost = a/b, a%b != 0
		case ir.OpURem:
			v.bits = a % b
		case ir.OpSDiv:
			v.bits, lost = uint64(sa/sb)&mask(w), sa%sb != 0
		case ir.OpSRem:
			v.bits = uint64(sa%sb) & mask(w)
		}
	}
	v.poison = lost && flags&ir.Exact != 0
	return v, false
}

// compareInts evaluates icmp.
func compareInts(p ir.Pred, a, b uint64, w uint, flags ir.Flags) value {
	sa, sb := sext(a, w), sext(b, w)
	var r bool
	switch p {
	case ir.ICmpEQ:
		r = a == b
	case ir.ICmpNE:
		r = a != b
	case ir.ICmpUGT:
		r = a > b
	case ir.ICmpUGE:
		r = a >= b
	case ir.ICmpULT:
		r = a < b
	case ir.ICmpULE:
		r = a <= b
	case ir.ICmpSGT:
		r = sa > sb
	case ir.ICmpSGE:
		r = sa >= sb
	case ir.ICmpSLT:
		r = sa < sb
	case ir.ICmpSLE:
		r = sa <= sb
	}
	return truth(r, flags&ir.SameSign != 0 && (sa < 0) != (sb < 0))
}

func truth(r, poison bool) value {
	if r {
		return value{bits: 1, poison: poison}
	}
	return value{poison: poison}
}

// convert evaluates conversions of integers.
func convert(op ir.Op, flags ir.Flags, a uint64, from, to uint) value {
	switch op {
	case ir.OpTrunc:
		r := a & mask(to)
		return value{bits: r, poison: flags&ir.NUW != 0 && r != a || flags&ir.NSW != 0 && sext(r, to) != sext(a, from)}
	case ir.OpZExt:
		return value{bits: a, poison: flags&ir.NNeg != 0 && sext(a, from) < 0}
	case ir.OpSExt:
		return value{bits: uint64(sext(a, from)) & mask(to)}
	case ir.OpUIToFP:
		return value{bits: math.Float64bits(float64(a)), poison: flags&ir.NNeg != 0 && sext(a, from) < 0}
	case ir.OpSIToFP:
		return value{bits: math.Float64bits(float64(sext(a, from)))}
	}
	return value{bits: a} // bitcast and other no-op conversions
}

func clamp(x, lo, hi int64, w uint) value { return value{bits: uint64(min(max(x, lo), hi)) & mask(w)} }

// intIntrinsic evaluates an integer intrinsic.
func intIntrinsic(id ir.Intrinsic, a, b, c uint64, w uint) value {
	sa, sb := sext(a, w), sext(b, w)
	lo, hi, top := -int64(1)<<(w-1), int64(mask(w)>>1), int64(mask(w))
	switch id {
	case ir.IntrSmax:
		return clamp(max(sa, sb), lo, hi, w)
	case ir.IntrSmin:
		return clamp(min(sa, sb), lo, hi, w)
	case ir.IntrUmax:
		return value{bits: max(a, b)}
	case ir.IntrUmin:
		return value{bits: min(a, b)}
	case ir.IntrUaddSat:
		return clamp(int64(a+b), 0, top, w)
	case ir.IntrSaddSat:
		return clamp(sa+sb, lo, hi, w)
	case ir.IntrUsubSat:
		return clamp(int64(a)-int64(b), 0, top, w)
	case ir.IntrSsubSat:
		return clamp(sa-sb, lo, hi, w)
	case ir.IntrAbs:
		if sa >= 0 {
			return value{bits: a}
		}
		return value{bits: uint64(-sa) & mask(w), poison: b != 0 && sa == lo}
	case ir.IntrCtpop:
		return value{bits: uint64(bits.OnesCount64(a)) & mask(w)}
	case ir.IntrCttz:
		return value{bits: uint64(min(bits.TrailingZeros64(a), int(w))) & mask(w), poison: b != 0 && a == 0}
	case ir.IntrCtlz:
		return value{bits: uint64(int(w)-bits.Len64(a)) & mask(w), poison: b != 0 && a == 0}
	case ir.IntrBitreverse, ir.IntrBswap: // bits instead of bytes; the properties are the same
		return value{bits: bits.Reverse64(a) >> (64 - w)}
	case ir.IntrFshl:
		n := c % uint64(w)
		return value{bits: (a<<n | b>>(uint64(w)-n)) & mask(w)}
	case ir.IntrFshr:
		n := c % uint64(w)
		return value{bits: (b>>n | a<<(uint64(w)-n)) & mask(w)}
	}
	panic("BUG: unknown operation in a rule: " + id.String())
}

func compareFloats(p ir.Pred, a, b uint64, flags ir.Flags) value {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	r := false
	switch {
	case x != x || y != y:
		r = p&8 != 0
	case x == y:
		r = p&1 != 0
	case x > y:
		r = p&2 != 0
	default:
		r = p&4 != 0
	}
	return truth(r, broken(flags, x, y))
}

// broken reports whether numbers violate the flags.
func broken(flags ir.Flags, xs ...float64) bool {
	for _, x := range xs {
		if flags&ir.NoNaNs != 0 && x != x || flags&ir.NoInfs != 0 && math.IsInf(x, 0) {
			return true
		}
	}
	return false
}

// lesser returns the smaller of two numbers. -0 is less than 0.
func lesser(x, y float64) float64 {
	if x < y || x == y && math.Signbit(x) {
		return x
	}
	return y
}

func minNumber(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return lesser(x, y)
}

func minimum(x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return lesser(x, y)
}

// floatIntrinsics holds the floating-point intrinsics.
var floatIntrinsics = map[ir.Intrinsic]func(x, y, z float64) float64{
	ir.IntrFabs:         func(x, _, _ float64) float64 { return math.Abs(x) },
	ir.IntrFloor:        func(x, _, _ float64) float64 { return math.Floor(x) },
	ir.IntrCeil:         func(x, _, _ float64) float64 { return math.Ceil(x) },
	ir.IntrTrunc:        func(x, _, _ float64) float64 { return math.Trunc(x) },
	ir.IntrRint:         func(x, _, _ float64) float64 { return math.RoundToEven(x) },
	ir.IntrNearbyint:    func(x, _, _ float64) float64 { return math.RoundToEven(x) },
	ir.IntrRoundeven:    func(x, _, _ float64) float64 { return math.RoundToEven(x) },
	ir.IntrRound:        func(x, _, _ float64) float64 { return math.Round(x) },
	ir.IntrCanonicalize: func(x, _, _ float64) float64 { return x },
	ir.IntrSqrt:         func(x, _, _ float64) float64 { return math.Sqrt(x) },
	ir.IntrCopysign:     func(x, y, _ float64) float64 { return math.Copysign(x, y) },
	ir.IntrMinnum:       func(x, y, _ float64) float64 { return minNumber(x, y) },
	ir.IntrMaxnum:       func(x, y, _ float64) float64 { return -minNumber(-x, -y) },
	ir.IntrMinimumnum:   func(x, y, _ float64) float64 { return minNumber(x, y) },
	ir.IntrMaximumnum:   func(x, y, _ float64) float64 { return -minNumber(-x, -y) },
	ir.IntrMinimum:      func(x, y, _ float64) float64 { return minimum(x, y) },
	ir.IntrMaximum:      func(x, y, _ float64) float64 { return -minimum(-x, -y) },
	ir.IntrFma:          math.FMA,
	ir.IntrFmuladd:      math.FMA,
	ir.IntrAMDGCNFmed3:  func(x, y, z float64) float64 { return median(x, y, z) },
}

func median(x, y, z float64) float64 {
	if x != x || y != y || z != z {
		return math.NaN()
	}
	return math.Max(math.Min(x, y), math.Min(math.Max(x, y), z))
}

// floatOp evaluates a floating-point operation or intrinsic.
func floatOp(n *pattern.Node, flags ir.Flags, a, b, c uint64) value {
	args := []float64{math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)}[:len(n.Kids)]
	if n.Op == ir.OpFNeg || n.Intr == ir.IntrFabs {
		bits := a ^ 1<<63
		if n.Op != ir.OpFNeg {
			bits = a &^ (1 << 63)
		}
		return value{bits: bits, poison: broken(flags, args...)}
	}
	var r float64
	switch n.Op {
	case ir.OpFAdd:
		r = args[0] + args[1]
	case ir.OpFSub:
		r = args[0] - args[1]
	case ir.OpFMul:
		r = args[0] * args[1]
	case ir.OpFDiv:
		r = args[0] / args[1]
	case ir.OpFRem:
		r = math.Mod(args[0], args[1])
	default:
		r = floatIntrinsics[n.Intr](math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c))
	}
	return value{bits: math.Float64bits(r), poison: broken(flags, append(args, r)...)}
}
