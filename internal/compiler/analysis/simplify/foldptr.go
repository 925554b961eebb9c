package simplify

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// foldPtrCast folds a conversion from or to a pointer, to a constant expression
// if necessary.
func (q *folder) foldPtrCast(t ir.Type, x ir.Value) ir.Value {
	m := q.m
	c := m.Const(x)
	if c.Kind == ir.ConstExpr {
		if v := q.castOfExpr(t, x, c.Op); v != ir.None {
			return v
		}
	}
	if q.op == ir.OpIntToPtr && c.Kind == ir.ConstInt {
		if w := q.indexBits(t); m.IntBits(c.Type) != w && w <= 64 { // convert to the pointer width first
			return m.Cast(q.op, m.NewInt(m.IntType(w), c.Bits()), t)
		}
	}
	return m.Cast(q.op, x, t)
}

// castOfExpr folds a conversion of an expression that is the inverse conversion
// or a numeric address.
func (q *folder) castOfExpr(t ir.Type, x ir.Value, op ir.Op) ir.Value {
	m := q.m
	xt := m.TypeOfConst(x)
	switch {
	case q.op == ir.OpIntToPtr && op == ir.OpPtrToInt:
		inner := m.ConstOperands(x)[0]
		if m.TypeOfConst(inner) == t && m.IntBits(xt) >= q.ptrBits(t) && !q.layout(t).NonIntegral {
			return inner
		}
	case q.op == ir.OpPtrToInt && op == ir.OpIntToPtr:
		if n, ok := m.IntValue(m.ConstOperands(x)[0]); ok && q.ptrBits(xt) <= 64 {
			return m.NewInt(t, n&lowMask(uint(q.ptrBits(xt))))
		}
	case q.op == ir.OpPtrToInt && op == ir.OpGetElementPtr:
		base, off, _, ok := Strip(m, x)
		if ok && m.IsZero(base) && q.ptrBits(xt) <= 64 {
			return m.NewInt(t, uint64(off)&lowMask(uint(q.ptrBits(xt))))
		}
	}
	return ir.None
}

func (q *folder) layout(t ir.Type) *ir.PointerSpec { return q.m.Layout().Pointer(q.m.AddrSpace(t)) }
func (q *folder) ptrBits(t ir.Type) int            { return int(q.layout(t).Bits) }
func (q *folder) indexBits(t ir.Type) int          { return int(q.layout(t).IndexBits) }

// Offset returns the distance in bytes of the constant indices of a
// getelementptr with a source element type. ok is false if an index is not
// constant.
func Offset(m *ir.Module, source ir.Type, indices []ir.Value) (bytes int64, ok bool) {
	t := source
	for i, v := range indices {
		n, isInt := m.SignedValue(v)
		if !isInt {
			return 0, false
		}
		switch info := m.TypeInfo(t); {
		case i == 0:
			bytes += n * int64(m.AllocSize(t))
		case info.Kind == ir.KindStruct:
			if n < 0 || n >= int64(len(info.Elems)) {
				return 0, false
			}
			bytes += int64(m.FieldOffset(t, int(n)))
			t = info.Elems[n]
		case info.Kind == ir.KindArray, info.Kind == ir.KindVector:
			t = info.Elem
			bytes += n * int64(m.AllocSize(t))
		default:
			return 0, false
		}
	}
	return bytes, true
}

// Strip removes getelementptr expressions with constant indices from a constant
// pointer. It returns the underlying pointer, the sum of the offsets in bytes,
// and the flags that hold for the sum. ok is false if x cannot be analyzed.
func Strip(m *ir.Module, x ir.Value) (base ir.Value, bytes int64, flags ir.Flags, ok bool) {
	flags = ir.InBounds | ir.NUSW | ir.NUW
	for {
		source, fl, ops, _, _ := m.GEPExpr(x)
		if ops == nil {
			return x, bytes, flags, !m.IsVector(m.TypeOfConst(x))
		}
		off, isConst := Offset(m, source, ops[1:])
		if !isConst || m.IsVector(m.TypeOfConst(x)) {
			return x, bytes, flags, false
		}
		bytes += off
		flags = GEPFlags(flags, fl)
		x = ops[0]
	}
}

// GEPFlags returns the flags of the combination of two getelementptr
// operations.
func GEPFlags(a, b ir.Flags) ir.Flags {
	if b&ir.InBounds != 0 {
		b |= ir.NUSW
	}
	both := a & b
	if both&ir.InBounds == 0 {
		both &^= ir.NUSW
	}
	return both
}

// gepConst folds a getelementptr of constants to a pointer plus bytes.
func (q *folder) gepConst() ir.Value {
	if q.v == ir.None {
		return ir.None
	}
	m, source := q.m, q.f.GEPSource(q.v)
	base := q.ops[0]
	switch {
	case isPoison(m, base):
		return m.Poison(q.t)
	case isUndef(m, base):
		return m.Undef(q.t)
	case m.IsVector(q.t) || m.Kind(m.TypeOfConst(base)) != ir.KindPtr:
		return ir.None
	}
	for _, i := range q.ops[1:] {
		if isPoison(m, i) {
			return m.Poison(q.t)
		}
	}
	off, ok := Offset(m, source, q.ops[1:])
	if !ok {
		return ir.None
	}
	inner, more, flags, ok := Strip(m, base)
	if !ok {
		inner, more, flags = base, 0, ir.InBounds|ir.NUSW|ir.NUW
	}
	return q.ptrAdd(inner, more+off, GEPFlags(flags, q.flags))
}

// ptrAdd adds a number of bytes to a constant pointer.
func (q *folder) ptrAdd(base ir.Value, bytes int64, flags ir.Flags) ir.Value {
	m := q.m
	spec := q.layout(q.t)
	width := uint(min(spec.IndexBits, 64))
	bytes = signExtend(uint64(bytes), width)
	if n, ok := q.address(base); ok && !spec.NonIntegral && spec.Bits <= 64 {
		mask := lowMask(uint(spec.Bits))
		return m.Cast(ir.OpIntToPtr, m.NewInt(m.IntType(int(spec.Bits)), (n+uint64(bytes))&mask), q.t)
	}
	if bytes == 0 {
		return base
	}
	if flags&ir.InBounds == 0 && bytes >= 0 && uint64(bytes) <= derefBytes(m, base) {
		flags |= ir.InBounds
	}
	if flags&(ir.InBounds|ir.NUSW) != 0 && bytes >= 0 {
		flags |= ir.NUW
	}
	if flags&ir.InBounds != 0 {
		flags &^= ir.NUSW // implied
	}
	return m.NewGEPExpr(ir.I8, flags, base, m.NewSigned(m.IntType(int(spec.IndexBits)), bytes))
}

// address returns the numeric address of a constant pointer, if it has one.
func (q *folder) address(p ir.Value) (uint64, bool) {
	c := q.m.Const(p)
	if c.Kind == ir.ConstZero {
		return 0, true
	}
	if c.Kind == ir.ConstExpr && c.Op == ir.OpIntToPtr {
		return q.m.IntValue(q.m.ConstOperands(p)[0])
	}
	return 0, false
}

// difference returns the distance between two addresses in one object, with the
// full pointer width.
func (q *folder) difference(x, y ir.Value) (int64, bool) {
	m := q.m
	a, offA, okA := q.addressParts(x)
	b, offB, okB := q.addressParts(y)
	if !okA || !okB || a != b || q.ptrBits(m.TypeOfConst(a)) != m.IntBits(m.TypeOfConst(x)) {
		return 0, false
	}
	return offA - offB, true
}

// addressParts returns the pointer and the offset of a ptrtoint expression.
func (q *folder) addressParts(x ir.Value) (base ir.Value, off int64, ok bool) {
	if c := q.m.Const(x); c.Kind == ir.ConstExpr && c.Op == ir.OpPtrToInt {
		base, off, _, ok = Strip(q.m, q.m.ConstOperands(x)[0])
	}
	return
}

// derefBytes returns the number of bytes that are dereferenceable at a constant
// pointer.
func derefBytes(m *ir.Module, p ir.Value) uint64 {
	g := m.ConstGlobal(p)
	if g == nil || g.Kind != ir.GlobalVar || g.Linkage == ir.ExternWeak || !m.IsSized(g.Type) {
		return 0
	}
	return min(m.StoreSize(g.Type), math.MaxInt64)
}

// comparePointers folds a comparison of constants that are not both numbers.
func (q *folder) comparePointers(t ir.Type, pred ir.Pred, x, y ir.Value) ir.Value {
	m := q.m
	if pred.IsSigned() {
		if x == y {
			return m.NewBool(pred.Holds(0))
		}
		return ir.None
	}
	if !m.IsPtr(m.TypeOfConst(x)) {
		if x == y && !mayBeUndef(m, x) {
			return m.NewBool(pred.Holds(0))
		}
		return ir.None
	}
	a, offA, flagsA, okA := Strip(m, x)
	b, offB, flagsB, okB := Strip(m, y)
	switch {
	case x == y:
		return m.NewBool(pred.Holds(0))
	case !okA || !okB:
		return ir.None
	case a == b && (pred.IsEquality() || flagsA&flagsB&ir.InBounds != 0):
		return m.NewBool(pred.Holds(compareSigned(offA, offB)))
	case a != x || b != y:
		return ir.None
	case !pred.IsEquality():
		switch {
		case m.IsZero(b) && neverNull(m, a):
			return m.NewBool(pred.Holds(1))
		case m.IsZero(a) && neverNull(m, b):
			return m.NewBool(pred.Holds(-1))
		}
		return ir.None
	case m.IsZero(a) && neverNull(m, b), m.IsZero(b) && neverNull(m, a), distinct(m, a, b):
		return m.NewBool(pred == ir.ICmpNE)
	}
	return ir.None
}

func compareSigned(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// neverNull reports whether a constant pointer is the address of an object that
// is not at null.
func neverNull(m *ir.Module, p ir.Value) bool {
	g := m.ConstGlobal(p)
	return g != nil && g.Linkage != ir.ExternWeak && g.AddrSpace == 0 && (g.Kind == ir.GlobalVar || g.Kind == ir.GlobalFunc)
}

// distinct reports whether two constant pointers are addresses of different
// objects.
func distinct(m *ir.Module, x, y ir.Value) bool {
	a, b := m.ConstGlobal(x), m.ConstGlobal(y)
	return a != nil && b != nil && a != b && ownAddress(m, a) && ownAddress(m, b)
}

// ownAddress reports whether no other global can have the address of g.
func ownAddress(m *ir.Module, g *ir.Global) bool {
	if g.Linkage.IsInterposable() || g.Unnamed == ir.GlobalUnnamedAddr {
		return false
	}
	switch g.Kind {
	case ir.GlobalVar:
		return m.IsSized(g.Type) && m.AllocSize(g.Type) > 0
	case ir.GlobalFunc:
		return true
	}
	return false
}
