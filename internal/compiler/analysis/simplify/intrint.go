package simplify

import (
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// intIntrinsics returns the rows of the intrinsics on integers of any width.
func intIntrinsics() []intrinsicRow {
	return []intrinsicRow{
		ir.IntrAbs:        {fold: foldAbs, scalar: 2},
		ir.IntrBitreverse: {fold: foldBitReverse},
		ir.IntrBswap:      {fold: foldBswap},
		ir.IntrCtlz:       {fold: foldCtlz, scalar: 2},
		ir.IntrCttz:       {fold: foldCttz, scalar: 2},
		ir.IntrCtpop:      {fold: foldCtpop},
		ir.IntrFshl:       {fold: funnel(false)},
		ir.IntrFshr:       {fold: funnel(true)},
		ir.IntrSmax:       {fold: pick(ir.ICmpSGT)},
		ir.IntrSmin:       {fold: pick(ir.ICmpSLT)},
		ir.IntrUmax:       {fold: pick(ir.ICmpUGT)},
		ir.IntrUmin:       {fold: pick(ir.ICmpULT)},
		ir.IntrScmp:       {fold: threeWay(true)},
		ir.IntrUcmp:       {fold: threeWay(false)},

		ir.IntrSaddSat: {fold: saturating(ir.OpAdd, ir.NSW)},
		ir.IntrUaddSat: {fold: saturating(ir.OpAdd, ir.NUW)},
		ir.IntrSsubSat: {fold: saturating(ir.OpSub, ir.NSW)},
		ir.IntrUsubSat: {fold: saturating(ir.OpSub, ir.NUW)},
		ir.IntrSshlSat: {fold: saturating(ir.OpShl, ir.NSW)},
		ir.IntrUshlSat: {fold: saturating(ir.OpShl, ir.NUW)},

		ir.IntrSaddWithOverflow: {fold: withOverflow(ir.OpAdd, ir.NSW)},
		ir.IntrUaddWithOverflow: {fold: withOverflow(ir.OpAdd, ir.NUW)},
		ir.IntrSsubWithOverflow: {fold: withOverflow(ir.OpSub, ir.NSW)},
		ir.IntrUsubWithOverflow: {fold: withOverflow(ir.OpSub, ir.NUW)},
		ir.IntrSmulWithOverflow: {fold: withOverflow(ir.OpMul, ir.NSW)},
		ir.IntrUmulWithOverflow: {fold: withOverflow(ir.OpMul, ir.NUW)},
	}
}

type foldFunc = func(q *folder, t ir.Type, a []ir.Value) ir.Value

// known reports whether all arguments are integer constants.
func (q *folder) known(a ...ir.Value) bool {
	for _, v := range a {
		if !q.m.IsIntConst(v) {
			return false
		}
	}
	return true
}

func foldAbs(q *folder, t ir.Type, a []ir.Value) ir.Value {
	m := q.m
	noMin, _ := m.IntValue(a[1])
	if isUndef(m, a[0]) {
		if noMin != 0 {
			return m.Poison(t)
		}
		return m.Zero(t)
	}
	if !q.known(a[0]) {
		return ir.None
	}
	if !signBit(m, a[0]) {
		return a[0]
	}
	r := m.FoldInts(ir.OpSub, t, m.Zero(t), a[0])
	if noMin != 0 && r == a[0] {
		return m.Poison(t)
	}
	return r
}

func foldBswap(q *folder, t ir.Type, a []ir.Value) ir.Value {
	width := q.m.IntBits(t)
	switch n, ok := q.m.IntValue(a[0]); {
	case isUndef(q.m, a[0]):
		return a[0]
	case !q.known(a[0]) || width%16 != 0:
		return ir.None
	case ok:
		return q.m.NewInt(t, bits.ReverseBytes64(n)>>(64-width))
	}
	b := q.m.BigValue(a[0]).FillBytes(make([]byte, width/8))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return q.m.NewBig(t, new(big.Int).SetBytes(b))
}

func foldBitReverse(q *folder, t ir.Type, a []ir.Value) ir.Value {
	width := q.m.IntBits(t)
	switch n, ok := q.m.IntValue(a[0]); {
	case isUndef(q.m, a[0]):
		return a[0]
	case !q.known(a[0]):
		return ir.None
	case ok:
		return q.m.NewInt(t, bits.Reverse64(n)>>(64-width))
	}
	n, r := q.m.BigValue(a[0]), new(big.Int)
	for i := range width {
		r.SetBit(r, width-1-i, n.Bit(i))
	}
	return q.m.NewBig(t, r)
}

// countZeros folds ctlz and cttz; count handles nonzero numbers.
func (q *folder) countZeros(t ir.Type, a []ir.Value, count func(n *big.Int, width int) int) ir.Value {
	m := q.m
	poison, _ := m.IntValue(a[1])
	undef := isUndef(m, a[0])
	switch {
	case !undef && !q.known(a[0]):
		return ir.None
	case poison != 0 && (undef || m.IsZero(a[0])):
		return m.Poison(t)
	case undef:
		return m.Zero(t)
	case m.IsZero(a[0]):
		return m.NewInt(t, uint64(m.IntBits(t)))
	}
	return m.NewInt(t, uint64(count(m.BigValue(a[0]), m.IntBits(t))))
}

func foldCtlz(q *folder, t ir.Type, a []ir.Value) ir.Value {
	return q.countZeros(t, a, func(n *big.Int, width int) int { return width - n.BitLen() })
}

func foldCttz(q *folder, t ir.Type, a []ir.Value) ir.Value {
	return q.countZeros(t, a, func(n *big.Int, _ int) int { return int(n.TrailingZeroBits()) })
}

func foldCtpop(q *folder, t ir.Type, a []ir.Value) ir.Value {
	switch {
	case isUndef(q.m, a[0]):
		return q.m.Zero(t)
	case !q.known(a[0]):
		return ir.None
	}
	n := 0
	for _, w := range q.m.Words(a[0]) {
		n += bits.OnesCount64(w)
	}
	return q.m.NewInt(t, uint64(n))
}

// funnel folds fshl and fshr.
func funnel(right bool) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		m := q.m
		unshifted := a[0]
		if right {
			unshifted = a[1]
		}
		u0, u1 := isUndef(m, a[0]), isUndef(m, a[1])
		switch {
		case isUndef(m, a[2]):
			return unshifted
		case !q.known(a[2]) || !u0 && !q.known(a[0]) || !u1 && !q.known(a[1]):
			return ir.None
		case u0 && u1:
			return m.Undef(t)
		}
		width := int64(m.IntBits(t))
		n := new(big.Int).Mod(m.BigValue(a[2]), big.NewInt(width)).Int64()
		if n == 0 {
			return unshifted
		}
		if right {
			n = width - n
		}
		r := m.Zero(t)
		if !u0 {
			r = m.FoldInts(ir.OpShl, t, a[0], m.NewInt(t, uint64(n)))
		}
		if !u1 {
			r = m.FoldInts(ir.OpOr, t, r, m.FoldInts(ir.OpLShr, t, a[1], m.NewInt(t, uint64(width-n))))
		}
		return r
	}
}

// pick folds minimum and maximum: it returns the first argument if the
// predicate holds. Undef is taken for the value that determines the result.
func pick(p ir.Pred) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		m := q.m
		u0, u1 := isUndef(m, a[0]), isUndef(m, a[1])
		switch {
		case u0 && u1:
			return m.Undef(t)
		case u0 || u1:
			return m.NewBig(t, limit(m.IntBits(t), p.IsSigned(), p.Holds(-1)))
		case !q.known(a...):
			return ir.None
		case p.Holds(compareInts(m, a[0], a[1], p.IsSigned())):
			return a[0]
		}
		return a[1]
	}
}

// threeWay folds scmp and ucmp.
func threeWay(signed bool) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		switch {
		case isUndef(q.m, a[0]) || isUndef(q.m, a[1]):
			return q.m.Zero(t)
		case !q.known(a...):
			return ir.None
		}
		return q.m.NewSigned(t, int64(compareInts(q.m, a[0], a[1], signed)))
	}
}

// overflows reports whether an integer operation has no exact result; flag is
// NUW or NSW.
func (q *folder) overflows(op ir.Op, flag ir.Flags, x, y ir.Value) bool {
	o := folder{m: q.m, op: op, flags: flag}
	return o.violates(q.m.TypeOfConst(x), x, y)
}

// saturating folds an operation that returns the nearest integer on overflow.
func saturating(op ir.Op, flag ir.Flags) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		m := q.m
		u0, u1 := isUndef(m, a[0]), isUndef(m, a[1])
		switch {
		case op == ir.OpShl && (u0 || u1):
			return ir.None
		case u0 && u1:
			return m.Undef(t)
		case (u0 || u1) && op == ir.OpAdd:
			return m.NewSigned(t, -1)
		case u0 || u1:
			return m.Zero(t)
		case !q.known(a...):
			return ir.None
		}
		r := m.FoldInts(op, t, a[0], a[1])
		if isPoison(m, r) || !q.overflows(op, flag, a[0], a[1]) {
			return r
		}
		signed := flag == ir.NSW
		smallest := signed && signBit(m, a[0]) || !signed && op == ir.OpSub
		return m.NewBig(t, limit(m.IntBits(t), signed, smallest))
	}
}

// withOverflow folds an operation that also returns an overflow flag.
func withOverflow(op ir.Op, flag ir.Flags) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		m := q.m
		et := m.TypeOfConst(a[0])
		pair := func(x ir.Value, over bool) ir.Value {
			return m.NewAggregate(t, []ir.Value{x, m.NewBool(over)})
		}
		switch undef := isUndef(m, a[0]) || isUndef(m, a[1]); {
		case undef && op == ir.OpAdd:
			return pair(m.NewSigned(et, -1), false)
		case undef:
			return pair(m.Zero(et), false)
		case !q.known(a...):
			return ir.None
		}
		return pair(m.FoldInts(op, et, a[0], a[1]), q.overflows(op, flag, a[0], a[1]))
	}
}
