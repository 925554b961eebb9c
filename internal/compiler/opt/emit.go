package opt

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// emitter creates instructions and folds operations on constants.
type emitter struct {
	ir.Builder
	m *ir.Module
}

// plain reports whether v is a constant but not an expression, so that
// operations on it can be folded.
func (e *emitter) plain(v ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	k := e.m.ConstKindOf(v)
	return k != ir.ConstExpr && k < ir.ConstGlobal
}

// cast converts a value.
func (e *emitter) cast(op ir.Op, v ir.Value, t ir.Type) ir.Value {
	if e.F.TypeOf(v) == t {
		return v
	}
	if e.plain(v) {
		if c := e.m.Cast(op, v, t); e.m.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return e.Make(op, t, v)
}

// binary returns an integer operation.
func (e *emitter) binary(op ir.Op, x, y ir.Value) ir.Value {
	if e.plain(x) && e.plain(y) {
		if c := e.m.Binary(op, x, y, 0); e.m.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return e.Make(op, e.F.TypeOf(x), x, y)
}

// op returns an integer operation and applies simple identities of constants.
func (e *emitter) op(op ir.Op, a, b ir.Value) ir.Value {
	if op.Commutes() && a.IsConst() {
		a, b = b, a
	}
	if c, ok := e.m.IntValue(b); ok && !a.IsConst() {
		switch {
		case c == 0 && (op == ir.OpAnd || op == ir.OpMul):
			return b
		case c == 0, c == 1 && op == ir.OpMul:
			return a
		case op != ir.OpAnd && op != ir.OpOr:
		case c == ^uint64(0)>>(64-e.m.IntBits(e.F.TypeOf(a))):
			return pick(op == ir.OpOr, a, b)
		}
	}
	if c, ok := e.m.IntValue(a); ok && c == 0 && (op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr) {
		return a
	}
	return e.binary(op, a, b)
}

// compare returns an integer comparison, folded if both operands are constant.
func (e *emitter) compare(p ir.Pred, a, b ir.Value) ir.Value {
	if e.plain(a) && e.plain(b) {
		if c := e.m.Compare(p, ir.I1, a, b); e.m.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	if c, ok := e.m.IntValue(b); ok && c == 0 && p == ir.ICmpULT {
		return e.m.NewBool(false)
	}
	return e.Compare(p, a, b)
}

// choose returns a select.
func (e *emitter) choose(c, a, b ir.Value) ir.Value {
	if k, ok := e.m.IntValue(c); ok {
		return pick(k == 0, a, b)
	}
	if a == b {
		return a
	}
	return e.Select(c, a, b)
}

// shift shifts by a constant number of bits.
func (e *emitter) shift(op ir.Op, v ir.Value, bits uint64) ir.Value {
	if bits == 0 {
		return v
	}
	return e.binary(op, v, e.m.NewInt(e.F.TypeOf(v), bits))
}

// shiftFor returns the shift amount, in bits, of the part of an integer at a
// byte offset in memory.
func (e *emitter) shiftFor(whole, part ir.Type, offset uint64) uint64 {
	if e.m.Layout().BigEndian {
		return 8 * (e.m.StoreSize(whole) - e.m.StoreSize(part) - offset)
	}
	return 8 * offset
}

// extractInt extracts the integer of type t at a byte offset from a wider one.
func (e *emitter) extractInt(v ir.Value, t ir.Type, offset uint64) ir.Value {
	v = e.shift(ir.OpLShr, v, e.shiftFor(e.F.TypeOf(v), t, offset))
	return e.cast(ir.OpTrunc, v, t)
}

// placeInt widens an integer and shifts it to a byte offset in the wider one.
func (e *emitter) placeInt(v ir.Value, whole ir.Type, offset uint64) ir.Value {
	n := e.shiftFor(whole, e.F.TypeOf(v), offset)
	return e.shift(ir.OpShl, e.cast(ir.OpZExt, v, whole), n)
}

// insertInt replaces the integer at a byte offset in a wider one.
func (e *emitter) insertInt(old, v ir.Value, offset uint64) ir.Value {
	whole, part := e.F.TypeOf(old), e.F.TypeOf(v)
	if whole == part {
		return v
	}
	n := e.shiftFor(whole, part, offset)
	ones := big.NewInt(1)
	ones.Lsh(ones, uint(e.m.IntBits(part))).Sub(ones, big.NewInt(1)).Lsh(ones, uint(n))
	mask := e.m.NewBig(whole, ones.Not(ones))
	return e.binary(ir.OpOr, e.binary(ir.OpAnd, old, mask), e.placeInt(v, whole, offset))
}

// splatByte returns an integer whose bytes all equal v, an i8.
func (e *emitter) splatByte(v ir.Value, bytes uint64) ir.Value {
	if bytes == 1 {
		return v
	}
	t := e.m.IntType(int(bytes * 8))
	ones := new(big.Int)
	for range bytes {
		ones.Lsh(ones, 8).Add(ones, big.NewInt(1))
	}
	return e.binary(ir.OpMul, e.cast(ir.OpZExt, v, t), e.m.NewBig(t, ones))
}

// splat returns a vector whose elements all equal v.
func (e *emitter) splat(v ir.Value, n uint64) ir.Value {
	t := e.m.VectorType(e.F.TypeOf(v), n)
	if v.IsConst() {
		return e.m.Splat(t, v)
	}
	first := e.InsertElement(e.m.Poison(t), v, e.m.NewInt(ir.I64, 0))
	return e.Shuffle(first, e.m.Poison(t), make([]uint32, n))
}

// extractElements returns the elements from lo up to but excluding hi: a single
// one as a scalar, several as a vector.
func (e *emitter) extractElements(v ir.Value, lo, hi uint64) ir.Value {
	n := e.m.NumElements(e.F.TypeOf(v))
	switch hi - lo {
	case n:
		return v
	case 1:
		return e.ExtractElement(v, e.m.NewInt(ir.I32, lo))
	}
	mask := make([]uint32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		mask = append(mask, uint32(i))
	}
	return e.Shuffle(v, e.m.Poison(e.F.TypeOf(v)), mask)
}

// insertElements replaces elements of a vector, starting at an index, by a
// scalar or by the elements of a vector.
func (e *emitter) insertElements(old, v ir.Value, at uint64) ir.Value {
	t := e.F.TypeOf(v)
	if !e.m.IsVector(t) {
		return e.InsertElement(old, v, e.m.NewInt(ir.I32, at))
	}
	n, few := e.m.NumElements(e.F.TypeOf(old)), e.m.NumElements(t)
	if n == few {
		return v
	}
	// Widen v, then select.
	widen := make([]uint32, n)
	choose := make([]uint32, n)
	for i := range n {
		widen[i], choose[i] = ir.PoisonElement, uint32(i)
		if i >= at && i < at+few {
			widen[i], choose[i] = uint32(i-at), uint32(n+i)
		}
	}
	wide := e.Shuffle(v, e.m.Poison(t), widen)
	return e.Shuffle(old, wide, choose)
}

// canConvert reports whether the bits of a value of one type can be
// reinterpreted as another type.
func canConvert(m *ir.Module, from, to ir.Type) bool {
	if from == to {
		return true
	}
	if !m.IsFirstClass(from) || !m.IsFirstClass(to) || m.IsAggregate(from) || m.IsAggregate(to) ||
		m.Kind(from) == ir.KindTarget || m.Kind(to) == ir.KindTarget || from == ir.Token || to == ir.Token {
		return false
	}
	if m.SizeInBits(from) != m.SizeInBits(to) {
		return false
	}
	fs, ts := m.Scalar(from), m.Scalar(to)
	if !m.IsPtr(fs) && !m.IsPtr(ts) {
		return true
	}
	return canConvertPtr(m, fs, ts)
}

// canConvertPtr is canConvert for scalars of which one is a pointer.
func canConvertPtr(m *ir.Module, from, to ir.Type) bool {
	integral := func(t ir.Type) bool { return !m.Layout().Pointer(m.AddrSpace(t)).NonIntegral }
	switch {
	case m.IsPtr(from) && m.IsPtr(to):
		return m.AddrSpace(from) == m.AddrSpace(to) || integral(from) && integral(to)
	case m.IsPtr(from):
		return m.IsInt(to) && integral(from)
	}
	return m.IsInt(from) && integral(to)
}

// convert reinterprets the bits of a value as another type; canConvert must
// hold.
func (e *emitter) convert(v ir.Value, to ir.Type) ir.Value {
	from := e.F.TypeOf(v)
	if from == to {
		return v
	}
	fp, tp := e.m.IsPtrOrPtrVector(from), e.m.IsPtrOrPtrVector(to)
	switch {
	case fp && tp && e.m.IsVector(from) == e.m.IsVector(to) && e.m.AddrSpace(e.m.Scalar(from)) == e.m.AddrSpace(e.m.Scalar(to)):
		return e.cast(ir.OpBitCast, v, to)
	case fp:
		return e.convert(e.cast(ir.OpPtrToInt, v, e.asInt(from)), to)
	case tp:
		return e.cast(ir.OpIntToPtr, e.convert(v, e.asInt(to)), to)
	}
	return e.cast(ir.OpBitCast, v, to)
}

// asInt returns the integer type, or vector of integers, with the width of
// pointer type t.
func (e *emitter) asInt(t ir.Type) ir.Type {
	as := e.m.AddrSpace(e.m.Scalar(t))
	return e.m.WithScalar(t, e.m.IntType(int(e.m.Layout().Pointer(as).Bits)))
}

// definitionsFirst calls do with all blocks: reachable blocks in reverse post
// order, so that definitions precede their uses except in phis, then the
// others.
func definitionsFirst(f *ir.Function, g *analysis.Graph, do func(ir.Block)) {
	for _, b := range g.RPO() {
		do(ir.Block(b))
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !g.Reachable(uint32(b)) {
			do(b)
		}
	}
}
