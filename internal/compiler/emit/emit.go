// Package emit creates IR for passes: instructions whose operations on constants
// are folded, alias scopes and nodes of metadata.
package emit

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// Emitter creates instructions and folds operations on constants. Unlike the
// functions of ir.Builder, its own create no constant expressions.
type Emitter struct {
	ir.Builder
	M *ir.Module
}

// IsPlain reports whether v is a constant but not an expression, so that
// operations on it can be folded.
func (e *Emitter) IsPlain(v ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	k := e.M.ConstKindOf(v)
	return k != ir.ConstExpr && k < ir.ConstGlobal
}

// FoldCast converts a value.
func (e *Emitter) FoldCast(op ir.Op, v ir.Value, t ir.Type) ir.Value {
	if e.F.TypeOf(v) == t {
		return v
	}
	if e.IsPlain(v) {
		if c := e.M.Cast(op, v, t); e.M.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return e.Make(op, t, v)
}

// FoldBinary returns an integer operation.
func (e *Emitter) FoldBinary(op ir.Op, x, y ir.Value) ir.Value {
	if e.IsPlain(x) && e.IsPlain(y) {
		if c := e.M.Binary(op, x, y, 0); e.M.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return e.Make(op, e.F.TypeOf(x), x, y)
}

// Op returns an integer operation and applies simple identities of constants.
func (e *Emitter) Op(op ir.Op, a, b ir.Value) ir.Value {
	if op.Commutes() && a.IsConst() {
		a, b = b, a
	}
	if c, ok := e.M.IntValue(b); ok && !a.IsConst() {
		switch {
		case c == 0 && (op == ir.OpAnd || op == ir.OpMul):
			return b
		case c == 0, c == 1 && op == ir.OpMul:
			return a
		case op != ir.OpAnd && op != ir.OpOr:
		case c == ^uint64(0)>>(64-e.M.IntBits(e.F.TypeOf(a))):
			if op == ir.OpOr {
				return b
			}
			return a
		}
	}
	if c, ok := e.M.IntValue(a); ok && c == 0 && (op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr) {
		return a
	}
	return e.FoldBinary(op, a, b)
}

// FoldCompare returns an integer comparison, folded if both operands are constant.
func (e *Emitter) FoldCompare(p ir.Pred, a, b ir.Value) ir.Value {
	if e.IsPlain(a) && e.IsPlain(b) {
		if c := e.M.Compare(p, ir.I1, a, b); e.M.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	if c, ok := e.M.IntValue(b); ok && c == 0 && p == ir.ICmpULT {
		return e.M.NewBool(false)
	}
	return e.Compare(p, a, b)
}

// Choose returns a select.
func (e *Emitter) Choose(c, a, b ir.Value) ir.Value {
	k, known := e.M.IntValue(c)
	switch {
	case known && k == 0:
		return b
	case known || a == b:
		return a
	}
	return e.Select(c, a, b)
}

// Shift shifts by a constant number of bits.
func (e *Emitter) Shift(op ir.Op, v ir.Value, bits uint64) ir.Value {
	if bits == 0 {
		return v
	}
	return e.FoldBinary(op, v, e.M.NewInt(e.F.TypeOf(v), bits))
}

// shiftFor returns the shift amount, in bits, of the part of an integer at a
// byte offset in memory.
func (e *Emitter) shiftFor(whole, part ir.Type, offset uint64) uint64 {
	if e.M.Layout().BigEndian {
		return 8 * (e.M.StoreSize(whole) - e.M.StoreSize(part) - offset)
	}
	return 8 * offset
}

// ExtractInt extracts the integer of type t at a byte offset from a wider one.
func (e *Emitter) ExtractInt(v ir.Value, t ir.Type, offset uint64) ir.Value {
	v = e.Shift(ir.OpLShr, v, e.shiftFor(e.F.TypeOf(v), t, offset))
	return e.FoldCast(ir.OpTrunc, v, t)
}

// PlaceInt widens an integer and shifts it to a byte offset in the wider one.
func (e *Emitter) PlaceInt(v ir.Value, whole ir.Type, offset uint64) ir.Value {
	n := e.shiftFor(whole, e.F.TypeOf(v), offset)
	return e.Shift(ir.OpShl, e.FoldCast(ir.OpZExt, v, whole), n)
}

// InsertInt replaces the integer at a byte offset in a wider one.
func (e *Emitter) InsertInt(old, v ir.Value, offset uint64) ir.Value {
	whole, part := e.F.TypeOf(old), e.F.TypeOf(v)
	if whole == part {
		return v
	}
	n := e.shiftFor(whole, part, offset)
	ones := big.NewInt(1)
	ones.Lsh(ones, uint(e.M.IntBits(part))).Sub(ones, big.NewInt(1)).Lsh(ones, uint(n))
	mask := e.M.NewBig(whole, ones.Not(ones))
	return e.FoldBinary(ir.OpOr, e.FoldBinary(ir.OpAnd, old, mask), e.PlaceInt(v, whole, offset))
}

// SplatByte returns an integer whose bytes all equal v, an i8.
func (e *Emitter) SplatByte(v ir.Value, bytes uint64) ir.Value {
	if bytes == 1 {
		return v
	}
	t := e.M.IntType(int(bytes * 8))
	ones := new(big.Int)
	for range bytes {
		ones.Lsh(ones, 8).Add(ones, big.NewInt(1))
	}
	return e.FoldBinary(ir.OpMul, e.FoldCast(ir.OpZExt, v, t), e.M.NewBig(t, ones))
}

// Splat returns a vector whose elements all equal v.
func (e *Emitter) Splat(v ir.Value, n uint64) ir.Value {
	t := e.M.VectorType(e.F.TypeOf(v), n)
	if v.IsConst() {
		return e.M.Splat(t, v)
	}
	first := e.InsertElement(e.M.Poison(t), v, e.M.NewInt(ir.I64, 0))
	return e.Shuffle(first, e.M.Poison(t), make([]uint32, n))
}

// ExtractElements returns the elements from lo up to but excluding hi: a single
// one as a scalar, several as a vector.
func (e *Emitter) ExtractElements(v ir.Value, lo, hi uint64) ir.Value {
	n := e.M.NumElements(e.F.TypeOf(v))
	switch hi - lo {
	case n:
		return v
	case 1:
		return e.ExtractElement(v, e.M.NewInt(ir.I32, lo))
	}
	mask := make([]uint32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		mask = append(mask, uint32(i))
	}
	return e.Shuffle(v, e.M.Poison(e.F.TypeOf(v)), mask)
}

// InsertElements replaces elements of a vector, starting at an index, by a
// scalar or by the elements of a vector.
func (e *Emitter) InsertElements(old, v ir.Value, at uint64) ir.Value {
	t := e.F.TypeOf(v)
	if !e.M.IsVector(t) {
		return e.InsertElement(old, v, e.M.NewInt(ir.I32, at))
	}
	n, few := e.M.NumElements(e.F.TypeOf(old)), e.M.NumElements(t)
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
	wide := e.Shuffle(v, e.M.Poison(t), widen)
	return e.Shuffle(old, wide, choose)
}

// CanReinterpret reports whether the bits of a value of one type can be
// reinterpreted as another type.
func CanReinterpret(m *ir.Module, from, to ir.Type) bool {
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
	return canReinterpretPtr(m, fs, ts)
}

// canReinterpretPtr is CanReinterpret for scalars of which one is a pointer.
func canReinterpretPtr(m *ir.Module, from, to ir.Type) bool {
	integral := func(t ir.Type) bool { return !m.Layout().Pointer(m.AddrSpace(t)).NonIntegral }
	switch {
	case m.IsPtr(from) && m.IsPtr(to):
		return m.AddrSpace(from) == m.AddrSpace(to) || integral(from) && integral(to)
	case m.IsPtr(from):
		return m.IsInt(to) && integral(from)
	}
	return m.IsInt(from) && integral(to)
}

// Reinterpret reinterprets the bits of a value as another type; CanReinterpret must
// hold.
func (e *Emitter) Reinterpret(v ir.Value, to ir.Type) ir.Value {
	from := e.F.TypeOf(v)
	if from == to {
		return v
	}
	fp, tp := e.M.IsPtrOrPtrVector(from), e.M.IsPtrOrPtrVector(to)
	switch {
	case fp && tp && e.M.IsVector(from) == e.M.IsVector(to) && e.M.AddrSpace(e.M.Scalar(from)) == e.M.AddrSpace(e.M.Scalar(to)):
		return e.FoldCast(ir.OpBitCast, v, to)
	case fp:
		return e.Reinterpret(e.FoldCast(ir.OpPtrToInt, v, e.AddressInt(from)), to)
	case tp:
		return e.FoldCast(ir.OpIntToPtr, e.Reinterpret(v, e.AddressInt(to)), to)
	}
	return e.FoldCast(ir.OpBitCast, v, to)
}

// AddressInt returns the integer type, or vector of integers, with the width of
// pointer type t.
func (e *Emitter) AddressInt(t ir.Type) ir.Type {
	as := e.M.AddrSpace(e.M.Scalar(t))
	return e.M.WithScalar(t, e.M.IntType(int(e.M.Layout().Pointer(as).Bits)))
}
