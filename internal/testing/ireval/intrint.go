package ireval

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// pickInt returns a minimum or maximum. The first operand is the result if the
// predicate holds.
func pickInt(p ir.Pred) intOp {
	return intOp{func(o *op, x, y, _ uint64) (uint64, uint8) {
		q := *o
		q.sub, q.flags = uint8(p), 0
		if r, _ := compareFast(&q, x, y, 0); r != 0 {
			return x, 0
		}
		return y, 0
	}, func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		q := *o
		q.sub, q.flags = uint8(p), 0
		if r, _ := compareWide(&q, x, y, nil); r.Sign() != 0 {
			return x, 0
		}
		return y, 0
	}}
}

// wideOnly returns an operation that uses f for all widths.
func wideOnly(f func(o *op, x, y, z *bigInt) (*bigInt, uint8)) intOp {
	return intOp{func(o *op, x, y, z uint64) (uint64, uint8) {
		set := func(x uint64) *bigInt { return new(bigInt).SetUint64(x) }
		r, p := f(o, set(x), set(y), set(z))
		return wrap(r, 64).Uint64(), p
	}, f}
}

// saturating returns an operation that clamps the exact result.
func saturating(f func(r, x, y *bigInt) *bigInt, signed bool) intOp {
	return wideOnly(func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		lo, hi := new(bigInt), new(bigInt).Sub(pow2(o.bits), one)
		if signed {
			x, y = sbig(x, o.bits), sbig(y, o.bits)
			hi = new(bigInt).Sub(pow2(o.bits-1), one)
			lo = new(bigInt).Not(hi)
		}
		r := f(new(bigInt), x, y)
		if r.Cmp(lo) < 0 {
			r = lo
		}
		if r.Cmp(hi) > 0 {
			r = hi
		}
		return r, 0
	})
}

// shiftSat returns a saturating left shift.
func shiftSat(signed bool) intOp {
	return wideOnly(func(o *op, x, y, z *bigInt) (*bigInt, uint8) {
		n, ok := shiftAmount(o, y)
		if !ok {
			return x, poison
		}
		s := saturating(func(r, x, _ *bigInt) *bigInt { return r.Lsh(x, n) }, signed)
		return s.wide(o, x, y, z)
	})
}

// overflows returns an operation that reports whether the exact result
// overflows, for the second part of the result.
func overflows(f func(r, x, y *bigInt) *bigInt, signed bool) intOp {
	return wideOnly(func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		fits := fitsU
		if signed {
			x, y, fits = sbig(x, o.bits), sbig(y, o.bits), fitsS
		}
		return new(bigInt).SetUint64(b2u(!fits(f(new(bigInt), x, y), o.bits))), 0
	})
}

func popcount(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
	n := 0
	for i := range x.BitLen() {
		n += int(x.Bit(i))
	}
	return big.NewInt(int64(n)), 0
}

func leading(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	if x.Sign() == 0 && y.Sign() != 0 {
		return x, poison
	}
	return big.NewInt(int64(o.bits) - int64(x.BitLen())), 0
}

func trailing(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	switch {
	case x.Sign() == 0 && y.Sign() != 0:
		return x, poison
	case x.Sign() == 0:
		return big.NewInt(int64(o.bits)), 0
	}
	return big.NewInt(int64(x.TrailingZeroBits())), 0
}

func swapBytes(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
	b := x.FillBytes(make([]byte, o.bits/8))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return new(bigInt).SetBytes(b), 0
}

func reverseBits(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
	r := new(bigInt)
	for i := range int(o.bits) {
		r.SetBit(r, int(o.bits)-1-i, x.Bit(i))
	}
	return r, 0
}

// funnel returns an operation that computes the upper or lower half of x:y
// shifted by z modulo the width.
func funnel(left bool) intOp {
	return wideOnly(func(o *op, x, y, z *bigInt) (*bigInt, uint8) {
		n := uint(new(bigInt).Mod(z, big.NewInt(int64(o.bits))).Uint64())
		both := new(bigInt).Lsh(x, uint(o.bits))
		both.Or(both, y)
		if left {
			return both.Rsh(both.Lsh(both, n), uint(o.bits)), 0
		}
		return both.Rsh(both, n), 0
	})
}

func absolute(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	s := new(bigInt).Abs(sbig(x, o.bits))
	if y.Sign() != 0 && !fitsS(s, o.bits) {
		return s, poison
	}
	return s, 0
}

func threeWay(signed bool) intOp {
	return wideOnly(func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		if signed {
			x, y = sbig(x, o.bits), sbig(y, o.bits)
		}
		return big.NewInt(int64(x.Cmp(y))), 0
	})
}

// intIntrinsics lists the elementwise integer intrinsics.
var intIntrinsics = map[ir.Intrinsic]intOp{
	ir.IntrUmin: pickInt(ir.ICmpULT), ir.IntrUmax: pickInt(ir.ICmpUGT), ir.IntrSmin: pickInt(ir.ICmpSLT), ir.IntrSmax: pickInt(ir.ICmpSGT),
	ir.IntrUaddSat: saturating((*bigInt).Add, false), ir.IntrSaddSat: saturating((*bigInt).Add, true),
	ir.IntrUsubSat: saturating((*bigInt).Sub, false), ir.IntrSsubSat: saturating((*bigInt).Sub, true),
	ir.IntrUshlSat: shiftSat(false), ir.IntrSshlSat: shiftSat(true),
	ir.IntrCtpop: wideOnly(popcount), ir.IntrCtlz: wideOnly(leading), ir.IntrCttz: wideOnly(trailing),
	ir.IntrBswap: wideOnly(swapBytes), ir.IntrBitreverse: wideOnly(reverseBits),
	ir.IntrFshl: {fastFunnel(true), funnel(true).wide}, ir.IntrFshr: {fastFunnel(false), funnel(false).wide},
	ir.IntrAbs: wideOnly(absolute), ir.IntrUcmp: threeWay(false), ir.IntrScmp: threeWay(true),
}

// fastFunnel implements widths up to 32 in one word.
func fastFunnel(left bool) func(o *op, x, y, z uint64) (uint64, uint8) {
	slow := funnel(left).fast
	return func(o *op, x, y, z uint64) (uint64, uint8) {
		if o.bits > 32 {
			return slow(o, x, y, z)
		}
		n := z % uint64(o.bits)
		both := x<<o.bits | y
		if left {
			return both << n >> o.bits, 0
		}
		return both >> n, 0
	}
}

// overflowIntrinsics lists the intrinsics that return a struct of the result
// and an overflow flag.
var overflowIntrinsics = map[ir.Intrinsic]struct {
	op   ir.Op
	over intOp
}{
	ir.IntrUaddWithOverflow: {ir.OpAdd, overflows((*bigInt).Add, false)},
	ir.IntrSaddWithOverflow: {ir.OpAdd, overflows((*bigInt).Add, true)},
	ir.IntrUsubWithOverflow: {ir.OpSub, overflows((*bigInt).Sub, false)},
	ir.IntrSsubWithOverflow: {ir.OpSub, overflows((*bigInt).Sub, true)},
	ir.IntrUmulWithOverflow: {ir.OpMul, overflows((*bigInt).Mul, false)},
	ir.IntrSmulWithOverflow: {ir.OpMul, overflows((*bigInt).Mul, true)},
}

// reduceOps lists the integer reductions of vectors.
var reduceOps = map[ir.Intrinsic]func(o *op, x, y uint64) uint64{
	ir.IntrVectorReduceAdd:  func(o *op, x, y uint64) uint64 { return x + y },
	ir.IntrVectorReduceMul:  func(o *op, x, y uint64) uint64 { return x * y },
	ir.IntrVectorReduceAnd:  func(o *op, x, y uint64) uint64 { return x & y },
	ir.IntrVectorReduceOr:   func(o *op, x, y uint64) uint64 { return x | y },
	ir.IntrVectorReduceXor:  func(o *op, x, y uint64) uint64 { return x ^ y },
	ir.IntrVectorReduceUmax: func(o *op, x, y uint64) uint64 { return max(x, y) },
	ir.IntrVectorReduceUmin: func(o *op, x, y uint64) uint64 { return min(x, y) },
	ir.IntrVectorReduceSmax: func(o *op, x, y uint64) uint64 { return uint64(max(sx(x, o.bits), sx(y, o.bits))) },
	ir.IntrVectorReduceSmin: func(o *op, x, y uint64) uint64 { return uint64(min(sx(x, o.bits), sx(y, o.bits))) },
}

func runReduce(l *lane, o *op) {
	r, mark := l.v[o.a], l.t[o.a]
	f := reduceOps[o.x.intr]
	for i := int32(1); i < o.n; i++ {
		r = f(o, r, l.v[o.a+i]) & o.mask
		mark |= l.t[o.a+i]
	}
	l.v[o.dst], l.t[o.dst] = r, mark
}
