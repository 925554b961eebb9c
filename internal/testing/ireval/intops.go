package ireval

import (
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

type bigInt = big.Int

// intOp is an integer operation, for 64 bits and for any width. Operands are
// zero-extended. The caller truncates results. Missing operands y and z equal
// the first operand.
type intOp struct {
	fast func(o *op, x, y, z uint64) (uint64, uint8)
	wide func(o *op, x, y, z *bigInt) (*bigInt, uint8)
}

// sx sign-extends an n-bit number.
func sx(x uint64, n int32) int64 { return int64(x<<(64-n)) >> (64 - n) }

func bigOf(words []uint64) *bigInt {
	x := new(bigInt)
	for i := len(words) - 1; i >= 0; i-- {
		x.Lsh(x, 64)
		x.Or(x, new(bigInt).SetUint64(words[i]))
	}
	return x
}

// putBig writes a number modulo 2^n.
func putBig(words []uint64, x *bigInt, n int32) {
	x = wrap(x, n)
	low := new(bigInt).SetUint64(^uint64(0))
	y := new(bigInt)
	for i := range words {
		words[i] = y.And(y.Rsh(x, uint(64*i)), low).Uint64()
	}
}

var one = big.NewInt(1)

func pow2(n int32) *bigInt { return new(bigInt).Lsh(one, uint(n)) }

// wrap returns x modulo 2^n.
func wrap(x *bigInt, n int32) *bigInt {
	mask := new(bigInt).Sub(pow2(n), one)
	return mask.And(mask, x)
}

// sbig returns x as a signed n-bit number.
func sbig(x *bigInt, n int32) *bigInt {
	if x.Bit(int(n-1)) == 0 {
		return x
	}
	return new(bigInt).Sub(x, pow2(n))
}

// fitsU and fitsS report whether x fits in n bits, unsigned or signed.
func fitsU(x *bigInt, n int32) bool { return x.Sign() >= 0 && x.BitLen() <= int(n) }
func fitsS(x *bigInt, n int32) bool {
	if x.Sign() < 0 {
		return new(bigInt).Not(x).BitLen() < int(n)
	}
	return x.BitLen() < int(n)
}

// flagged returns poison if the exact result violates a flag.
func flagged(o *op, u, s *bigInt) uint8 {
	if o.flags&ir.NUW != 0 && !fitsU(u, o.bits) || o.flags&ir.NSW != 0 && !fitsS(s, o.bits) {
		return poison
	}
	return 0
}

// exactly returns an operation whose exact result is f of the unsigned or
// signed operands.
func exactly(f func(r, x, y *bigInt) *bigInt) func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	return func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		u := f(new(bigInt), x, y)
		s := f(new(bigInt), sbig(x, o.bits), sbig(y, o.bits))
		return u, flagged(o, u, s)
	}
}

func fitsS64(x int64, n int32) bool { return x<<(64-n)>>(64-n) == x }

func fastAdd(o *op, x, y, _ uint64) (r uint64, p uint8) {
	r, carry := bits.Add64(x, y, 0)
	if o.flags&ir.NUW != 0 && (carry != 0 || r&^o.mask != 0) {
		p = poison
	}
	if o.flags&ir.NSW != 0 {
		a, b := sx(x, o.bits), sx(y, o.bits)
		s := a + b
		if !fitsS64(s, o.bits) || (a^s)&(b^s) < 0 {
			p = poison
		}
	}
	return r, p
}

func fastSub(o *op, x, y, _ uint64) (r uint64, p uint8) {
	if o.flags&ir.NUW != 0 && x < y {
		p = poison
	}
	if o.flags&ir.NSW != 0 {
		a, b := sx(x, o.bits), sx(y, o.bits)
		s := a - b
		if !fitsS64(s, o.bits) || (a^b)&(a^s) < 0 {
			p = poison
		}
	}
	return x - y, p
}

func fastMul(o *op, x, y, _ uint64) (r uint64, p uint8) {
	hi, r := bits.Mul64(x, y)
	if o.flags&ir.NUW != 0 && (hi != 0 || r&^o.mask != 0) {
		p = poison
	}
	if o.flags&ir.NSW != 0 {
		a, b := sx(x, o.bits), sx(y, o.bits)
		s := a * b
		sh, _ := bits.Mul64(uint64(a), uint64(b))
		if a < 0 {
			sh -= uint64(b)
		}
		if b < 0 {
			sh -= uint64(a)
		}
		if int64(sh) != s>>63 || !fitsS64(s, o.bits) {
			p = poison
		}
	}
	return r, p
}

func fastUDiv(o *op, x, y, _ uint64) (uint64, uint8) {
	if y == 0 {
		panic(ub("division by zero"))
	}
	if o.flags&ir.Exact != 0 && x%y != 0 {
		return 0, poison
	}
	return x / y, 0
}

func fastURem(o *op, x, y, _ uint64) (uint64, uint8) {
	if y == 0 {
		panic(ub("division by zero"))
	}
	return x % y, 0
}

func checkSigned(o *op, a, b int64) {
	if b == 0 {
		panic(ub("division by zero"))
	}
	if b == -1 && a == -1<<(o.bits-1) {
		panic(ub("division overflow"))
	}
}

func fastSDiv(o *op, x, y, _ uint64) (uint64, uint8) {
	a, b := sx(x, o.bits), sx(y, o.bits)
	checkSigned(o, a, b)
	if o.flags&ir.Exact != 0 && a%b != 0 {
		return 0, poison
	}
	return uint64(a / b), 0
}

func fastSRem(o *op, x, y, _ uint64) (uint64, uint8) {
	a, b := sx(x, o.bits), sx(y, o.bits)
	checkSigned(o, a, b)
	return uint64(a % b), 0
}

func wideDivide(signed, rem bool) func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	return func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		if y.Sign() == 0 {
			panic(ub("division by zero"))
		}
		if signed {
			x, y = sbig(x, o.bits), sbig(y, o.bits)
			if y.Cmp(big.NewInt(-1)) == 0 && !fitsS(new(bigInt).Neg(x), o.bits) {
				panic(ub("division overflow"))
			}
		}
		q, r := new(bigInt).QuoRem(x, y, new(bigInt))
		if rem {
			return r, 0
		}
		if o.flags&ir.Exact != 0 && r.Sign() != 0 {
			return q, poison
		}
		return q, 0
	}
}

func fastShl(o *op, x, y, _ uint64) (r uint64, p uint8) {
	if y >= uint64(o.bits) {
		return 0, poison
	}
	r = x << y & o.mask
	if o.flags&ir.NUW != 0 && r>>y != x || o.flags&ir.NSW != 0 && sx(r, o.bits)>>y != sx(x, o.bits) {
		p = poison
	}
	return r, p
}

func fastLShr(o *op, x, y, _ uint64) (uint64, uint8) {
	if y >= uint64(o.bits) || o.flags&ir.Exact != 0 && x>>y<<y != x {
		return 0, poison
	}
	return x >> y, 0
}

func fastAShr(o *op, x, y, _ uint64) (uint64, uint8) {
	if y >= uint64(o.bits) || o.flags&ir.Exact != 0 && x>>y<<y != x {
		return 0, poison
	}
	return uint64(sx(x, o.bits) >> y), 0
}

func wideShl(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	n, ok := shiftAmount(o, y)
	if !ok {
		return x, poison
	}
	u := new(bigInt).Lsh(x, n)
	return u, flagged(o, u, new(bigInt).Lsh(sbig(x, o.bits), n))
}

func shiftAmount(o *op, y *bigInt) (uint, bool) {
	if y.Cmp(big.NewInt(int64(o.bits))) >= 0 {
		return 0, false
	}
	return uint(y.Uint64()), true
}

func wideShr(signed bool) func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	return func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		n, ok := shiftAmount(o, y)
		if !ok || o.flags&ir.Exact != 0 && x.Sign() != 0 && x.TrailingZeroBits() < n {
			return x, poison
		}
		if signed {
			x = sbig(x, o.bits)
		}
		return new(bigInt).Rsh(x, n), 0
	}
}

func wideLogic(f func(r, x, y *bigInt) *bigInt) func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	return func(o *op, x, y, _ *bigInt) (*bigInt, uint8) { return f(new(bigInt), x, y), 0 }
}

// intOps maps the integer instructions to operations.
var intOps = map[ir.Op]intOp{
	ir.OpAdd:  {fastAdd, exactly((*bigInt).Add)},
	ir.OpSub:  {fastSub, exactly((*bigInt).Sub)},
	ir.OpMul:  {fastMul, exactly((*bigInt).Mul)},
	ir.OpUDiv: {fastUDiv, wideDivide(false, false)},
	ir.OpURem: {fastURem, wideDivide(false, true)},
	ir.OpSDiv: {fastSDiv, wideDivide(true, false)},
	ir.OpSRem: {fastSRem, wideDivide(true, true)},
	ir.OpShl:  {fastShl, wideShl},
	ir.OpLShr: {fastLShr, wideShr(false)},
	ir.OpAShr: {fastAShr, wideShr(true)},
	ir.OpAnd: {func(o *op, x, y, _ uint64) (uint64, uint8) { return x & y, 0 },
		wideLogic((*bigInt).And)},
	ir.OpOr: {func(o *op, x, y, _ uint64) (uint64, uint8) {
		if o.flags&ir.Disjoint != 0 && x&y != 0 {
			return 0, poison
		}
		return x | y, 0
	}, func(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
		if o.flags&ir.Disjoint != 0 && new(bigInt).And(x, y).Sign() != 0 {
			return x, poison
		}
		return new(bigInt).Or(x, y), 0
	}},
	ir.OpXor: {func(o *op, x, y, _ uint64) (uint64, uint8) { return x ^ y, 0 },
		wideLogic((*bigInt).Xor)},
}

// compareFast and compareWide implement icmp. The predicate is o.sub.
func compareFast(o *op, x, y, _ uint64) (uint64, uint8) {
	p := ir.Pred(o.sub)
	a, b := sx(x, o.bits), sx(y, o.bits)
	if o.flags&ir.SameSign != 0 && (a < 0) != (b < 0) {
		return 0, poison
	}
	var r bool
	switch p {
	case ir.ICmpEQ:
		r = x == y
	case ir.ICmpNE:
		r = x != y
	case ir.ICmpUGT:
		r = x > y
	case ir.ICmpUGE:
		r = x >= y
	case ir.ICmpULT:
		r = x < y
	case ir.ICmpULE:
		r = x <= y
	case ir.ICmpSGT:
		r = a > b
	case ir.ICmpSGE:
		r = a >= b
	case ir.ICmpSLT:
		r = a < b
	case ir.ICmpSLE:
		r = a <= b
	}
	return b2u(r), 0
}

func compareWide(o *op, x, y, _ *bigInt) (*bigInt, uint8) {
	a, b := sbig(x, o.bits), sbig(y, o.bits)
	if o.flags&ir.SameSign != 0 && (a.Sign() < 0) != (b.Sign() < 0) {
		return x, poison
	}
	c := x.Cmp(y)
	if ir.Pred(o.sub).IsSigned() {
		c = a.Cmp(b)
	}
	var r bool
	switch ir.Pred(o.sub) {
	case ir.ICmpEQ:
		r = c == 0
	case ir.ICmpNE:
		r = c != 0
	case ir.ICmpUGT, ir.ICmpSGT:
		r = c > 0
	case ir.ICmpUGE, ir.ICmpSGE:
		r = c >= 0
	case ir.ICmpULT, ir.ICmpSLT:
		r = c < 0
	case ir.ICmpULE, ir.ICmpSLE:
		r = c <= 0
	}
	return new(bigInt).SetUint64(b2u(r)), 0
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
