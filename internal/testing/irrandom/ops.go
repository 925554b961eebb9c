package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// statement is a kind of statement with its weight and its requirements.
type statement struct {
	weight int
	need   Feature
	make   func(b *body, depth int)
}

var statementTable []statement

func init() {
	statementTable = []statement{
		{30, 0, func(b *body, _ int) { b.arith() }},
		{8, 0, func(b *body, _ int) { b.shift() }},
		{6, 0, func(b *body, _ int) { b.divide() }},
		{8, 0, func(b *body, _ int) { b.compare() }},
		{8, 0, func(b *body, _ int) { b.choose() }},
		{8, 0, func(b *body, _ int) { b.cast() }},
		{6, Flags, func(b *body, _ int) { b.flagged() }},
		{8, Floats, func(b *body, _ int) { b.float() }},
		{10, Intrinsics, func(b *body, _ int) { b.intrinsic() }},
		{4, Freeze, func(b *body, _ int) { b.freeze() }},
		{6, Vectors, func(b *body, _ int) { b.vector() }},
		{3, Aggregates, func(b *body, _ int) { b.aggregate() }},
		{12, Memory, func(b *body, _ int) { b.access() }},
		{8, Memory | Adjacent, (*body).adjacent},
		{3, Memory | Shared, (*body).count},
		{1, Calls | Shared, (*body).countShared},
		{1, Memory | Shared, (*body).sharedFence},
		{4, Memory, func(b *body, _ int) { b.alloca() }},
		{2, Memory, func(b *body, _ int) { b.bulk() }},
		{8, Memory | Pointers, (*body).pointer},
		{4, Calls, func(b *body, _ int) { b.callHelper() }},
		{7, Control, (*body).branch},
		{4, Control, (*body).loop},
		{2, Control, (*body).switchOn},
		{1, Control, func(b *body, _ int) { b.deadEnd() }},
		{1, Control, func(b *body, _ int) { b.earlyReturn() }},
		{3, Calls, (*body).together},
		{6, Control, (*body).guarded},
		{1, Irreducible, (*body).irreducible},
		{4, 0, func(b *body, _ int) { b.identity() }},
	}
}

// statements creates n statements.
func (b *body) statements(n, depth int) {
	total := 0
	for _, s := range statementTable {
		if b.o.Features&s.need == s.need {
			total += s.weight
		}
	}
	for range n {
		k := b.IntN(total)
		for _, s := range statementTable {
			if b.o.Features&s.need != s.need {
				continue
			}
			if k -= s.weight; k < 0 {
				s.make(b, depth)
				break
			}
		}
	}
}

var arithOps = [...]ir.Op{ir.OpAdd, ir.OpAdd, ir.OpSub, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor}

func (b *body) arith() {
	x := b.intPick()
	y := b.pick(b.typeOf(x))
	if b.chance(4) {
		y = b.constant(b.typeOf(x))
	}
	if b.chance(8) {
		x, y = y, x
	}
	b.add(b.b.Binary(arithOps[b.IntN(len(arithOps))], x, y, 0))
}

var shiftOps = [...]ir.Op{ir.OpShl, ir.OpLShr, ir.OpAShr}

func (b *body) shift() {
	x := b.intPick()
	b.add(b.b.Binary(shiftOps[b.IntN(3)], x, b.amount(b.typeOf(x)), 0))
}

// divide creates a division by a positive value.
func (b *body) divide() {
	x := b.intPick()
	t := b.typeOf(x)
	w := b.m.ScalarBits(t)
	if w > 64 && b.mult > 8 {
		return
	}
	y := b.pick(t)
	op := [...]ir.Op{ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem}[b.IntN(4)]
	signed := op == ir.OpSDiv || op == ir.OpSRem
	switch {
	case signed && w < 3:
		return
	case b.chance(3):
		y = b.splat(t, 1+int64(b.IntN(1<<min(w-1, 12)))&^(1<<(w-1)))
		if w == 1 {
			y = b.splat(t, 1)
		}
	case signed:
		y = b.b.Or(b.b.LShr(y, b.splat(t, 1)), b.splat(t, 1))
	default:
		y = b.b.Or(y, b.splat(t, 1))
	}
	b.add(b.b.Binary(op, x, y, 0))
}

func (b *body) compare() {
	if b.has(Floats) && b.chance(4) {
		t := b.floatType()
		b.add(b.b.Compare(ir.Pred(b.IntN(16)), b.pick(t), b.pick(t)))
		return
	}
	b.add(b.condOf(b.intPick()))
}

// condOf creates a comparison with another value.
func (b *body) condOf(x ir.Value) ir.Value {
	y := b.pick(b.typeOf(x))
	if b.chance(2) {
		y = b.constant(b.typeOf(x))
	}
	return b.b.Compare(ir.ICmpEQ+ir.Pred(b.IntN(10)), x, y)
}

// cond returns an i1.
func (b *body) cond() ir.Value {
	if b.chance(2) {
		return b.pick(ir.I1)
	}
	return b.condOf(b.pick(b.m.IntType([]int{8, 16, 32, 64}[b.IntN(4)])))
}

func (b *body) choose() {
	t := b.randType()
	c := b.cond()
	if b.m.IsVector(t) && b.chance(2) {
		c = b.pick(b.m.WithScalar(t, ir.I1))
	}
	b.add(b.b.Select(c, b.pick(t), b.pick(t)))
}

func (b *body) cast() {
	if v := b.convert(b.randType()); v != ir.None {
		b.add(v)
	}
}

// flagged creates an operation with flags that hold because its operands are
// truncated.
func (b *body) flagged() {
	x := b.intPick()
	t := b.typeOf(x)
	w := b.m.ScalarBits(t)
	if w < 8 {
		return
	}
	y := b.pick(t)
	two, half := b.splat(t, 2), b.splat(t, int64(w/2+1))
	switch b.IntN(9) {
	case 0:
		b.add(b.b.Binary(ir.OpAdd, b.b.LShr(x, two), b.b.LShr(y, two), ir.NUW|ir.NSW))
	case 1:
		b.add(b.b.Binary(ir.OpSub, b.b.Binary(ir.OpAShr, x, two, 0), b.b.Binary(ir.OpAShr, y, two, 0), ir.NSW))
	case 2:
		b.add(b.b.Binary(ir.OpMul, b.b.LShr(x, half), b.b.LShr(y, half), ir.NUW|ir.NSW))
	case 3:
		b.add(b.b.Binary(ir.OpShl, b.b.LShr(x, half), b.splat(t, int64(b.IntN(w/2))), ir.NUW|ir.NSW))
	case 4:
		c := b.constant(t)
		b.add(b.b.Binary(ir.OpOr, b.b.And(x, c), b.b.And(y, b.b.Xor(c, b.splat(t, -1))), ir.Disjoint))
	case 5:
		k := b.splat(t, int64(b.IntN(w)))
		b.add(b.b.Binary(shiftOps[1+b.IntN(2)], b.b.Shl(x, k), k, ir.Exact))
	case 6:
		c := b.splat(t, int64(1+b.IntN(100)))
		b.add(b.b.Binary([2]ir.Op{ir.OpUDiv, ir.OpSDiv}[b.IntN(2)], b.b.Mul(b.b.LShr(x, b.splat(t, 7+int64(b2i(w > 8)))), c), c, ir.Exact))
	case 7:
		big := b.m.WithScalar(t, b.m.IntType(w+1+b.IntN(20)))
		b.add(b.b.Cast(ir.OpTrunc, b.b.Cast(ir.OpZExt, b.b.LShr(x, b.splat(t, 1)), big, ir.NNeg), t, ir.NUW|ir.NSW))
	case 8:
		v := b.b.Compare(ir.ICmpUGT+ir.Pred(b.IntN(8)), b.b.LShr(x, two), b.b.LShr(y, two))
		if b.f.Op(v) == ir.OpICmp {
			b.f.Instr(v).Flags |= ir.SameSign
		}
		b.add(v)
	}
}

func b2i(x bool) int {
	if x {
		return 1
	}
	return 0
}

var floatOps = [...]ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFRem, ir.OpFAdd, ir.OpFMul}

func (b *body) float() {
	t := b.floatType()
	if b.has(Vectors) && b.chance(5) {
		t = b.m.VectorType(t, uint64(vectorLengths[b.IntN(len(vectorLengths))]))
	}
	choose(b.gen, floatTable)(b, t, b.pick(t))
}

// weighted is a row of a weighted table.
type weighted[F any] struct {
	weight int
	make   F
}

// choose returns a random entry of a table.
func choose[F any](g *gen, table []weighted[F]) F {
	total := 0
	for i := range table {
		total += table[i].weight
	}
	k, i := g.IntN(total), 0
	for ; k >= table[i].weight; i++ {
		k -= table[i].weight
	}
	return table[i].make
}

// floatTable lists the floating-point operations.
var floatTable []weighted[func(b *body, t ir.Type, x ir.Value)]

func init() {
	floatTable = []weighted[func(b *body, t ir.Type, x ir.Value)]{
		{8, func(b *body, t ir.Type, x ir.Value) {
			b.add(b.b.Binary(floatOps[b.IntN(len(floatOps))], x, b.pick(t), 0))
		}},
		{2, func(b *body, _ ir.Type, x ir.Value) { b.add(b.b.FNeg(x)) }},
		{2, func(b *body, t ir.Type, x ir.Value) { b.add(b.call(b.floatUnary(), []ir.Type{t}, x)) }},
		{2, func(b *body, t ir.Type, x ir.Value) {
			b.add(b.call(ir.IntrCopysign, []ir.Type{t}, x, b.canonical(b.pick(t))))
		}},
		{2, (*body).floatMinMax},
		{2, func(b *body, t ir.Type, x ir.Value) { b.add(b.call(ir.IntrFma, []ir.Type{t}, x, b.pick(t), b.pick(t))) }},
		{1, (*body).floatScale},
		{1, (*body).floatParts},
		{1, (*body).floatClass},
	}
}

// floatMinMax creates a minimum or maximum. Some of them do not specify the
// sign of a zero.
func (b *body) floatMinMax(t ir.Type, x ir.Value) {
	ids := []ir.Intrinsic{ir.IntrMinnum, ir.IntrMaxnum}
	if b.o.Profile == AMDGPU {
		ids = append(ids, ir.IntrMinimum, ir.IntrMaximum, ir.IntrMinimumnum, ir.IntrMaximumnum)
	}
	r := b.call(ids[b.IntN(len(ids))], []ir.Type{t}, x, b.pick(t))
	b.add(b.b.Binary(ir.OpFAdd, r, b.m.Zero(t), 0))
}

// floatScale multiplies by a power of two.
func (b *body) floatScale(t ir.Type, x ir.Value) {
	if b.o.Profile != AMDGPU { // library function
		return
	}
	e := b.m.WithScalar(t, ir.I32)
	n := b.b.Sub(b.below(b.pick(e), 64), b.splat(e, 32))
	b.add(b.call(ir.IntrLdexp, []ir.Type{t, e}, x, n))
}

// floatParts splits a number. The exponents of infinity and NaN are
// unspecified.
func (b *body) floatParts(t ir.Type, x ir.Value) {
	if b.o.Profile != AMDGPU {
		return
	}
	e := b.m.WithScalar(t, ir.I32)
	finite := b.b.Compare(ir.FCmpOEQ, b.b.Binary(ir.OpFSub, x, x, 0), b.m.Zero(t))
	r := b.call(ir.IntrFrexp, []ir.Type{t, e}, b.b.Select(finite, x, b.m.Zero(t)))
	b.add(b.b.ExtractValue(r, 0))
	b.add(b.b.ExtractValue(r, 1))
}

// floatClass tests for classes of numbers, but not for the kind of a NaN.
func (b *body) floatClass(t ir.Type, x ir.Value) {
	mask := uint64(b.IntN(1<<8)) << 2
	if b.chance(2) {
		mask |= 3
	}
	b.add(b.call(ir.IntrIsFpclass, []ir.Type{t}, x, b.m.NewInt(ir.I32, mask)))
}

// floatUnaries lists the unary operations with exact results.
var floatUnaries = [...]ir.Intrinsic{ir.IntrFabs, ir.IntrFloor, ir.IntrCeil, ir.IntrTrunc, ir.IntrRint, ir.IntrSqrt, ir.IntrRound,
	ir.IntrNearbyint, ir.IntrRoundeven, ir.IntrCanonicalize}

func (b *body) floatUnary() ir.Intrinsic {
	n := len(floatUnaries)
	if b.o.Profile == Host {
		n -= 3
	}
	return floatUnaries[b.IntN(n)]
}

var intBinary = [...]ir.Intrinsic{ir.IntrUmin, ir.IntrUmax, ir.IntrSmin, ir.IntrSmax, ir.IntrUaddSat, ir.IntrSaddSat, ir.IntrUsubSat, ir.IntrSsubSat}
var overflowing = [...]ir.Intrinsic{ir.IntrUaddWithOverflow, ir.IntrSaddWithOverflow, ir.IntrUsubWithOverflow, ir.IntrSsubWithOverflow,
	ir.IntrUmulWithOverflow, ir.IntrSmulWithOverflow}

func (b *body) intrinsic() {
	x := b.intPick()
	t := b.typeOf(x)
	w := b.m.ScalarBits(t)
	over := []ir.Type{t}
	switch b.IntN(9) {
	case 0, 1:
		b.add(b.call(intBinary[b.IntN(len(intBinary))], over, x, b.pick(t)))
	case 2:
		b.overflow(x, t, w)
	case 3:
		b.add(b.call(ir.IntrCtpop, over, x))
	case 4:
		id := [2]ir.Intrinsic{ir.IntrCtlz, ir.IntrCttz}[b.IntN(2)]
		if b.chance(2) {
			b.add(b.call(id, over, b.b.Or(x, b.splat(t, 1)), b.m.NewBool(true)))
		} else {
			b.add(b.call(id, over, x, b.m.NewBool(false)))
		}
	case 5:
		if w%16 == 0 {
			b.add(b.call(ir.IntrBswap, over, x))
		} else {
			b.add(b.call(ir.IntrBitreverse, over, x))
		}
	case 6:
		id := [2]ir.Intrinsic{ir.IntrFshl, ir.IntrFshr}[b.IntN(2)]
		y := b.pick(t)
		if b.chance(2) {
			y = x
		}
		b.add(b.call(id, over, x, y, b.amount(t)))
	case 7:
		b.add(b.call(ir.IntrAbs, over, x, b.m.NewBool(false)))
	case 8:
		b.promise(x, t)
	}
}

func (b *body) overflow(x ir.Value, t ir.Type, w int) {
	id := overflowing[b.IntN(len(overflowing))]
	if w > 64 && b.o.Profile == Host && (id == ir.IntrUmulWithOverflow || id == ir.IntrSmulWithOverflow) {
		return // library function that may not exist
	}
	r := b.call(id, []ir.Type{t}, x, b.pick(t))
	b.add(b.b.ExtractValue(r, 0))
	b.add(b.b.ExtractValue(r, 1))
}

// promise creates an assumption that holds, or a three-way comparison.
func (b *body) promise(x ir.Value, t ir.Type) {
	if b.m.IsVector(t) || b.chance(2) {
		id := [2]ir.Intrinsic{ir.IntrUcmp, ir.IntrScmp}[b.IntN(2)]
		b.add(b.call(id, []ir.Type{b.m.WithScalar(t, ir.I32), t}, x, b.pick(t)))
		return
	}
	c := b.constant(t)
	y := b.b.And(x, c)
	b.call(ir.IntrAssume, nil, b.b.Compare(ir.ICmpULE, y, c))
	b.add(y)
}

// freeze creates a value that does not depend on the undef or poison in its
// computation.
func (b *body) freeze() {
	x := b.intPick()
	t := b.typeOf(x)
	bad := b.m.Poison(t)
	if b.chance(2) {
		bad = b.m.Undef(t)
	}
	switch b.IntN(4) {
	case 0:
		z := b.b.Freeze(bad)
		b.add(b.b.Binary([2]ir.Op{ir.OpSub, ir.OpXor}[b.IntN(2)], z, z, 0))
	case 1:
		z := b.b.Freeze(bad)
		b.add(b.b.And(b.b.Or(z, x), b.b.Or(b.b.Xor(z, b.splat(t, -1)), x)))
	case 2: // always true
		y := b.constant(t)
		always := b.b.Compare(ir.ICmpUGE, b.b.Or(x, y), y)
		b.add(b.b.Select(always, x, bad))
	case 3:
		b.add(b.b.Freeze(x))
	}
}

func (b *body) vector() {
	t := b.vectorType()
	n := int(b.m.NumElements(t))
	x := b.pick(t)
	switch b.IntN(3) {
	case 0:
		b.add(b.b.ExtractElement(x, b.below(b.pick(ir.I32), n)))
	case 1:
		b.add(b.b.InsertElement(x, b.pick(b.m.Scalar(t)), b.below(b.pick(ir.I32), n)))
	case 2:
		y := b.pick(t)
		mask := make([]uint32, vectorLengths[b.IntN(len(vectorLengths))])
		for i := range mask {
			mask[i] = uint32(b.IntN(2 * n))
		}
		b.add(b.b.Shuffle(x, y, mask))
	}
}

// aggregate inserts values into a struct and extracts one.
func (b *body) aggregate() {
	m := b.m
	arr := m.ArrayType(b.intType(), 2)
	t := m.StructType([]ir.Type{b.scalarType(), b.scalarType(), arr}, b.chance(3))
	agg := b.constant(t)
	for range 1 + b.IntN(3) {
		path := [][]uint32{{0}, {1}, {2, 0}, {2, 1}}[b.IntN(4)]
		e := t
		for _, i := range path {
			e = m.ElementType(e, uint64(i))
		}
		agg = b.b.InsertValue(agg, b.pick(e), path...)
	}
	b.add(b.b.ExtractValue(agg, [][]uint32{{0}, {1}, {2, 0}, {2, 1}}[b.IntN(4)]...))
}

// identity creates a pattern that simplifiers recognize.
func (b *body) identity() {
	x := b.intPick()
	t := b.typeOf(x)
	y := b.pick(t)
	all, c := b.splat(t, -1), b.constant(t)
	k := b.splat(t, int64(b.IntN(b.m.ScalarBits(t))))
	switch b.IntN(12) {
	case 0:
		b.add(b.b.Sub(b.b.Add(x, y), y))
	case 1:
		b.add(b.b.Xor(b.b.Xor(x, all), all))
	case 2:
		b.add(b.b.Or(b.b.And(x, c), b.b.And(x, b.b.Xor(c, all))))
	case 3:
		b.add(b.b.LShr(b.b.Shl(x, k), k))
	case 4:
		b.add(b.b.Binary(ir.OpAShr, b.b.Shl(x, k), k, 0))
	case 5:
		b.add(b.b.Select(b.b.Compare(ir.ICmpSLT+ir.Pred(b.IntN(2)), x, y), x, y))
	case 6:
		b.add(b.b.Add(b.b.Add(x, c), b.constant(t)))
	case 7:
		b.add(b.b.Compare(ir.ICmpEQ+ir.Pred(b.IntN(10)), b.b.Add(x, c), b.constant(t)))
	case 8:
		b.add(b.b.Sub(b.m.Zero(t), b.b.Sub(x, y)))
	case 9:
		b.add(b.b.Add(b.b.And(x, y), b.b.Or(x, y)))
	case 10:
		b.add(b.b.Compare(ir.ICmpEQ+ir.Pred(b.IntN(2)), b.b.And(x, c), b.m.Zero(t)))
	case 11:
		b.add(b.b.Select(b.b.Compare(ir.ICmpEQ, x, b.m.Zero(t)), y, b.b.Or(x, y)))
	}
}
