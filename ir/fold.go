package ir

import "math/big"

// The functions below create constant expressions as LLVM's ConstantExpr does.
// They fold where the result does not depend on the data layout, except that
// pairs of conversions assume 64-bit pointers.

// Binary returns op applied to two constants: an integer constant if the
// operation folds, otherwise an expression.
func (m *Module) Binary(op Op, x, y Value, flags Flags) Value {
	t := m.constAt(x).Type
	if v := m.foldBinary(op, t, x, y); v != None {
		return v
	}
	if op.Commutes() && m.constAt(y).Kind == ConstExpr && m.constAt(x).Kind != ConstExpr {
		x, y = y, x // LLVM puts the simple constant on the right
	}
	return m.NewExpr(op, t, flags, x, y)
}

// isUndef reports whether v is undef or poison.
func (m *Module) isUndef(v Value) bool {
	k := m.constAt(v).Kind
	return k == ConstUndef || k == ConstPoison
}

// BigValue returns the value of a scalar integer constant, unsigned.
func (m *Module) BigValue(v Value) *big.Int {
	n := new(big.Int)
	words := m.Words(v)
	for i := len(words) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(words[i]))
	}
	return n
}

// BigSigned returns the value of a scalar integer constant, signed.
func (m *Module) BigSigned(v Value) *big.Int {
	n := m.BigValue(v)
	if bits := m.IntBits(m.constAt(v).Type); n.Bit(bits-1) != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	}
	return n
}

// NewBig returns the integer constant n, truncated to the width of t.
func (m *Module) NewBig(t Type, n *big.Int) Value {
	bits := m.IntBits(t)
	n = new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
	words := make([]uint64, (bits+63)/64)
	for i := range words {
		words[i] = n.Uint64()
		n.Rsh(n, 64)
	}
	return m.NewWide(t, words)
}

// IsIntConst reports whether v is a scalar integer constant of any width, not
// undef, poison or an expression.
func (m *Module) IsIntConst(v Value) bool {
	if v&tagMask != tagConst {
		return false
	}
	c := m.constAt(v)
	return c.Kind == ConstInt || c.Kind == ConstWide && m.IsInt(c.Type)
}

// foldBinary folds an integer operation on constants. It returns None if it
// cannot fold.
func (m *Module) foldBinary(op Op, t Type, x, y Value) Value {
	if m.constAt(x).Kind == ConstPoison || m.constAt(y).Kind == ConstPoison {
		return m.Poison(t)
	}
	if info := m.TypeInfo(t); info.Kind == KindVector {
		return m.foldVector(op, t, info, x, y)
	}
	if m.IsIntConst(x) && m.IsIntConst(y) {
		return m.FoldInts(op, t, x, y)
	}
	if (op == OpAdd || op == OpSub || op == OpXor || op == OpOr) && m.IsIntConst(y) && m.IsZero(y) {
		return x
	}
	if (op == OpAdd || op == OpXor || op == OpOr) && m.IsIntConst(x) && m.IsZero(x) {
		return y
	}
	return None
}

func (m *Module) foldVector(op Op, t Type, info *TypeInfo, x, y Value) Value {
	if info.N > 1<<16 {
		return None
	}
	elems := make([]Value, info.N)
	for i := range elems {
		a, b := m.Element(x, uint64(i)), m.Element(y, uint64(i))
		if a == None || b == None {
			return None
		}
		if elems[i] = m.foldBinary(op, info.Elem, a, b); elems[i] == None {
			return None
		}
	}
	return m.NewAggregate(t, elems)
}

// FoldInts folds a binary operation on scalar integer constants of type t. The
// result is poison for an excessive shift amount, a division by zero or an
// overflowing division. FoldInts returns None for other operations.
func (m *Module) FoldInts(op Op, t Type, x, y Value) Value {
	bits := m.IntBits(t)
	if bits <= 64 {
		r, ok := foldWord(op, uint(bits), m.constAt(x).Bits(), m.constAt(y).Bits())
		switch {
		case ok:
			return m.NewInt(t, r)
		case op.has(opBinary) && !op.has(opFastOp):
			return m.Poison(t)
		}
		return None
	}
	a, b, r := m.BigValue(x), m.BigValue(y), new(big.Int)
	switch op {
	case OpAdd:
		r.Add(a, b)
	case OpSub:
		r.Sub(a, b)
	case OpMul:
		r.Mul(a, b)
	case OpAnd:
		r.And(a, b)
	case OpOr:
		r.Or(a, b)
	case OpXor:
		r.Xor(a, b)
	case OpShl, OpLShr, OpAShr:
		if b.Cmp(big.NewInt(int64(bits))) >= 0 {
			return m.Poison(t)
		}
		switch n := uint(b.Uint64()); op {
		case OpShl:
			r.Lsh(a, n)
		case OpLShr:
			r.Rsh(a, n)
		default:
			r.Rsh(m.BigSigned(x), n)
		}
	case OpUDiv, OpURem, OpSDiv, OpSRem:
		return m.foldDivision(op, t, x, y)
	default:
		return None
	}
	return m.NewBig(t, r)
}

// foldWord computes an operation on zero-extended integers of at most 64 bits.
// ok is false if the result is poison or op is not an integer operation. The
// caller must drop result bits beyond the width.
func foldWord(op Op, width uint, a, b uint64) (r uint64, ok bool) {
	sa, sb := int64(a<<(64-width))>>(64-width), int64(b<<(64-width))>>(64-width)
	lowest := sa == -1<<(width-1) && sb == -1 // division overflows
	switch op {
	case OpAdd:
		return a + b, true
	case OpSub:
		return a - b, true
	case OpMul:
		return a * b, true
	case OpAnd:
		return a & b, true
	case OpOr:
		return a | b, true
	case OpXor:
		return a ^ b, true
	case OpShl:
		return a << b, b < uint64(width)
	case OpLShr:
		return a >> b, b < uint64(width)
	case OpAShr:
		return uint64(sa >> b), b < uint64(width)
	}
	if b == 0 || lowest && (op == OpSDiv || op == OpSRem) {
		return 0, false
	}
	switch op {
	case OpUDiv:
		return a / b, true
	case OpURem:
		return a % b, true
	case OpSDiv:
		return uint64(sa / sb), true
	case OpSRem:
		return uint64(sa % sb), true
	}
	return 0, false
}

func (m *Module) foldDivision(op Op, t Type, x, y Value) Value {
	a, b := m.BigValue(x), m.BigValue(y)
	if op == OpSDiv || op == OpSRem {
		a, b = m.BigSigned(x), m.BigSigned(y)
	}
	if b.Sign() == 0 {
		return m.Poison(t)
	}
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if op == OpSDiv || op == OpSRem {
		if limit := new(big.Int).Lsh(big.NewInt(1), uint(m.IntBits(t)-1)); q.Cmp(limit) == 0 {
			return m.Poison(t)
		}
	}
	if op == OpURem || op == OpSRem {
		q = r
	}
	return m.NewBig(t, q)
}

// Cast returns the conversion op of a constant to type t.
func (m *Module) Cast(op Op, v Value, t Type) Value { return m.CastFlags(op, v, t, 0) }

// CastFlags is like Cast, with flags for an expression.
func (m *Module) CastFlags(op Op, v Value, t Type, flags Flags) Value {
	if r := m.foldCast(op, v, t); r != None {
		return r
	}
	return m.NewExpr(op, t, flags, v)
}

func (m *Module) foldCast(op Op, v Value, t Type) Value {
	c := m.constAt(v)
	from := c.Type
	switch {
	case c.Kind == ConstPoison:
		return m.Poison(t)
	case c.Kind == ConstUndef:
		if op == OpZExt || op == OpSExt || op == OpUIToFP || op == OpSIToFP {
			return m.Zero(t)
		}
		return m.Undef(t)
	case from == t && (op == OpBitCast || op == OpAddrSpaceCast):
		return v
	case m.IsZero(v) && op != OpAddrSpaceCast && !m.IsFloatOrFloatVector(from):
		return m.Zero(t)
	case c.Kind == ConstExpr && c.Op.IsCast():
		if r := m.foldPair(op, c.Op, m.ConstOperands(v)[0], t); r != None {
			return r
		}
	}
	if m.IsInt(from) && m.IsInt(t) && m.IsIntConst(v) {
		switch op {
		case OpTrunc, OpZExt:
			return m.NewBig(t, m.BigValue(v))
		case OpSExt:
			return m.NewBig(t, m.BigSigned(v))
		}
	}
	if op == OpBitCast {
		return m.foldBitCast(v, from, t)
	}
	return None
}

// foldPair returns a single conversion equivalent to two consecutive ones, or
// None.
func (m *Module) foldPair(second, first Op, x Value, t Type) Value {
	from := m.constAt(x).Type
	switch {
	case first == OpPtrToInt && second == OpTrunc:
		return m.Cast(OpPtrToInt, x, t)
	case first == OpAddrSpaceCast && second == OpAddrSpaceCast:
		return m.Cast(OpAddrSpaceCast, x, t)
	case first == OpBitCast && second == OpBitCast:
		return m.Cast(OpBitCast, x, t)
	case first == OpBitCast && (second == OpAddrSpaceCast || second == OpPtrToInt) && m.IsPtr(from):
		return m.Cast(second, x, t)
	case first == second && (first == OpTrunc || first == OpZExt || first == OpSExt):
		return m.Cast(first, x, t)
	case first == OpZExt && second == OpSExt:
		return m.Cast(OpZExt, x, t)
	}
	return None
}

// foldBitCast folds a bitcast of a scalar constant.
func (m *Module) foldBitCast(v Value, from, t Type) Value {
	k := m.constAt(v).Kind
	scalar := func(t Type) bool { return m.IsInt(t) || m.IsFloat(t) && t != PPCFP128 }
	if (k == ConstInt || k == ConstFloat || k == ConstWide) && scalar(from) && scalar(t) {
		return m.NewWide(t, m.Words(v))
	}
	if (k == ConstInt || k == ConstFloat || k == ConstWide) && scalar(from) && m.IsVector(t) {
		one := m.VectorType(from, 1)
		return m.NewExpr(OpBitCast, t, 0, m.Splat(one, v))
	}
	return None
}

// ExtractElementConst returns an element of a constant vector.
func (m *Module) ExtractElementConst(vec, index Value) Value {
	t := m.Scalar(m.constAt(vec).Type)
	if m.isUndef(index) || m.constAt(vec).Kind == ConstPoison {
		return m.Poison(t)
	}
	if i, ok := m.IntValue(index); ok {
		if i >= m.NumElements(m.constAt(vec).Type) {
			return m.Poison(t)
		}
		if e := m.Element(vec, i); e != None {
			return e
		}
	}
	return m.NewExpr(OpExtractElement, t, 0, vec, index)
}

// elements returns the elements of a constant vector, or nil if vec is an
// expression.
func (m *Module) elements(vec Value) []Value {
	n := m.NumElements(m.constAt(vec).Type)
	if n > 1<<20 || m.Element(vec, 0) == None {
		return nil
	}
	elems := make([]Value, n)
	for i := range elems {
		elems[i] = m.Element(vec, uint64(i))
	}
	return elems
}

// InsertElementConst returns a constant vector with one element replaced.
func (m *Module) InsertElementConst(vec, elem, index Value) Value {
	t := m.constAt(vec).Type
	if m.isUndef(index) {
		return m.Poison(t)
	}
	i, ok := m.IntValue(index)
	elems := m.elements(vec)
	switch {
	case ok && i >= m.NumElements(t):
		return m.Poison(t)
	case ok && elems != nil:
		elems[i] = elem
		return m.NewAggregate(t, elems)
	}
	return m.NewExpr(OpInsertElement, t, 0, vec, elem, index)
}

// ShuffleConst returns a shufflevector of constants. mask is indices as a
// constant vector.
func (m *Module) ShuffleConst(x, y Value, indices []uint32, mask Value) Value {
	t := m.VectorType(m.Scalar(m.constAt(x).Type), uint64(len(indices)))
	a, b := m.elements(x), m.elements(y)
	if a == nil || b == nil {
		return m.NewExpr(OpShuffleVector, t, 0, x, y, mask)
	}
	out := make([]Value, len(indices))
	for i, n := range indices {
		switch {
		case n == PoisonElement:
			out[i] = m.Poison(m.Scalar(t))
		case int(n) < len(a):
			out[i] = a[n]
		default:
			out[i] = b[int(n)-len(a)]
		}
	}
	return m.NewAggregate(t, out)
}

// GEP returns a getelementptr of constants, which is the base itself if all
// indices are zero.
func (m *Module) GEP(source Type, flags Flags, ops ...Value) Value {
	switch m.constAt(ops[0]).Kind {
	case ConstPoison:
		return m.Poison(m.gepType(ops))
	case ConstUndef:
		return m.Undef(m.gepType(ops))
	}
	noop := m.gepType(ops) == m.constAt(ops[0]).Type
	for _, o := range ops[1:] {
		noop = noop && (m.IsZero(o) || m.isUndef(o))
	}
	if noop {
		return ops[0]
	}
	return m.NewGEPExpr(source, flags, ops...)
}

// Compare returns a comparison of constants and folds integer comparisons. t is
// the result type. LLVM no longer has comparison expressions: the caller must
// expand a result that is not folded (package upgrade).
func (m *Module) Compare(p Pred, t Type, x, y Value) Value {
	if m.IsIntConst(x) && m.IsIntConst(y) {
		c := m.BigValue(x).Cmp(m.BigValue(y))
		if p.IsSigned() {
			c = m.BigSigned(x).Cmp(m.BigSigned(y))
		}
		return m.NewBool(p.Holds(c))
	}
	if x == y && (p == ICmpEQ || p == ICmpNE) {
		if t == I1 && !m.isUndef(x) {
			return m.NewBool(p == ICmpEQ)
		}
	}
	return m.NewCompareExpr(p, t, x, y)
}

// NewCompareExpr is like Compare, without folding.
func (m *Module) NewCompareExpr(p Pred, t Type, x, y Value) Value {
	op := OpFCmp
	if p >= ICmpEQ {
		op = OpICmp
	}
	m.oldExprs.Store(true)
	return m.withOperands(Const{Kind: ConstExpr, Op: op, Type: t, b: uint32(p)}, []Value{x, y})
}

// ExprPred returns the predicate of a comparison expression.
func (m *Module) ExprPred(v Value) Pred { return Pred(m.constAt(v).b) }

// Holds reports whether an integer predicate holds for operands whose
// comparison is c: negative, zero or positive. The comparison must be signed or
// unsigned as the predicate requires.
func (p Pred) Holds(c int) bool {
	switch p {
	case ICmpEQ:
		return c == 0
	case ICmpNE:
		return c != 0
	case ICmpUGT, ICmpSGT:
		return c > 0
	case ICmpUGE, ICmpSGE:
		return c >= 0
	case ICmpULT, ICmpSLT:
		return c < 0
	}
	return c <= 0
}

// SelectConst returns a select of constants. As with Compare, the caller must
// expand a result that is not folded.
func (m *Module) SelectConst(cond, x, y Value) Value {
	if c, ok := m.IntValue(cond); ok {
		if c != 0 {
			return x
		}
		return y
	}
	if x == y {
		return x
	}
	return m.NewExpr(OpSelect, m.constAt(x).Type, 0, cond, x, y)
}

// ExtractConst returns the element of a constant aggregate at the given
// indices, or None if it does not exist.
func (m *Module) ExtractConst(agg Value, path []uint32) Value {
	for _, i := range path {
		if agg == None || !m.IsAggregate(m.constAt(agg).Type) {
			return None
		}
		agg = m.Element(agg, uint64(i))
	}
	return agg
}

// InsertConst returns a constant aggregate with the element at the given
// indices replaced, or None if the indices are invalid.
func (m *Module) InsertConst(agg, elem Value, path []uint32) Value {
	if len(path) == 0 {
		return elem
	}
	t := m.constAt(agg).Type
	if !m.IsAggregate(t) || uint64(path[0]) >= m.NumElements(t) {
		return None
	}
	elems := m.elements(agg)
	if elems == nil {
		return None
	}
	inner := m.InsertConst(elems[path[0]], elem, path[1:])
	if inner == None || m.constAt(inner).Type != m.constAt(elems[path[0]]).Type {
		return None
	}
	elems[path[0]] = inner
	return m.NewAggregate(t, elems)
}

// IsFloatOp reports whether op is a floating-point arithmetic operation.
func (op Op) IsFloatOp() bool { return op.has(opBinary|opUnary) && op.has(opFastOp) }

// CastIsValid reports whether the conversion op from one type to another is
// valid (LangRef, "Conversion Operations").
func CastIsValid(m *Module, op Op, from, to Type) bool {
	fi, ti := m.TypeInfo(from), m.TypeInfo(to)
	sameShape := (fi.Kind == KindVector) == (ti.Kind == KindVector) && (fi.Kind != KindVector || fi.N == ti.N)
	fromInt, toInt := m.IsIntOrIntVector(from), m.IsIntOrIntVector(to)
	fromFP, toFP := m.IsFloatOrFloatVector(from), m.IsFloatOrFloatVector(to)
	fromPtr, toPtr := m.IsPtrOrPtrVector(from), m.IsPtrOrPtrVector(to)
	fb, tb := m.ScalarBits(from), m.ScalarBits(to)
	switch op {
	case OpTrunc:
		return fromInt && toInt && sameShape && fb > tb
	case OpZExt, OpSExt:
		return fromInt && toInt && sameShape && fb < tb
	case OpFPTrunc:
		return fromFP && toFP && sameShape && fb > tb
	case OpFPExt:
		return fromFP && toFP && sameShape && fb < tb
	case OpUIToFP, OpSIToFP:
		return fromInt && toFP && sameShape
	case OpFPToUI, OpFPToSI:
		return fromFP && toInt && sameShape
	case OpPtrToInt, OpPtrToAddr:
		return fromPtr && toInt && sameShape
	case OpIntToPtr:
		return fromInt && toPtr && sameShape
	case OpAddrSpaceCast:
		return fromPtr && toPtr && sameShape && m.AddrSpace(from) != m.AddrSpace(to)
	case OpBitCast:
		return bitCastIsValid(m, from, to, fi, ti)
	}
	return false
}

func bitCastIsValid(m *Module, from, to Type, fi, ti *TypeInfo) bool {
	if from == to {
		return m.IsFirstClass(from) && !m.IsAggregate(from)
	}
	fp, tp := m.IsPtrOrPtrVector(from), m.IsPtrOrPtrVector(to)
	if fp || tp {
		lanes := func(i *TypeInfo) uint64 {
			if i.Kind == KindVector {
				return i.N
			}
			return 1
		}
		return fp && tp && m.AddrSpace(from) == m.AddrSpace(to) && lanes(fi) == lanes(ti)
	}
	n := m.PrimitiveBits(from)
	return n != 0 && n == m.PrimitiveBits(to)
}
