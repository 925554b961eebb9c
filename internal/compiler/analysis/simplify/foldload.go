package simplify

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/ir"
)

// loadConst folds a load of a constant address.
func (q *folder) loadConst() ir.Value {
	if q.f.IsVolatile(q.v) {
		return ir.None
	}
	m := q.m
	base, off, _, ok := Strip(m, q.ops[0])
	if !ok {
		return ir.None
	}
	return loadFrom(m, base, off, q.t)
}

// loadFrom returns the value that a load of type t reads at an offset from a
// constant pointer if that memory never changes, or None if the value is
// unknown.
func loadFrom(m *ir.Module, base ir.Value, off int64, t ir.Type) ir.Value {
	init, off := initializer(m, base, off)
	if init == ir.None || !m.IsSized(t) {
		return ir.None
	}
	if v := uniform(m, init, t); v != ir.None && !m.IsAggregate(t) {
		return v
	}
	if v := elementAt(m, init, off, t); v != ir.None {
		return v
	}
	size := int64(m.AllocSize(m.TypeOfConst(init)))
	if off >= size || off+int64(m.StoreSize(t)) <= 0 {
		return m.Poison(t)
	}
	return reinterpret(m, init, off, t)
}

// initializer returns the permanent contents of the constant variable at base
// and the offset into it, or None. Aliases are followed.
func initializer(m *ir.Module, base ir.Value, off int64) (ir.Value, int64) {
	for depth := 0; depth < 8; depth++ {
		g := m.ConstGlobal(base)
		switch {
		case g == nil || g.Linkage.IsInterposable():
			return ir.None, 0
		case g.Kind == ir.GlobalAlias:
			to, more, _, ok := Strip(m, g.Init)
			if !ok {
				return ir.None, 0
			}
			base, off = to, off+more
			continue
		case g.Kind == ir.GlobalVar && g.Constant && !g.ExtInit && g.Init != ir.None:
			return g.Init, off
		}
		break
	}
	return ir.None, 0
}

// uniform returns the value loaded from memory whose bytes are all the same.
func uniform(m *ir.Module, init ir.Value, t ir.Type) ir.Value {
	switch m.ConstKindOf(init) {
	case ir.ConstPoison:
		return m.Poison(t)
	case ir.ConstUndef:
		return m.Undef(t)
	}
	if m.IsZero(init) && m.Kind(t) != ir.KindTarget {
		return m.Zero(t)
	}
	return ir.None
}

// elementAt returns the part of a constant with exactly this type and offset.
func elementAt(m *ir.Module, c ir.Value, off int64, t ir.Type) ir.Value {
	for {
		ct := m.TypeOfConst(c)
		if off == 0 && ct == t {
			return c
		}
		if off < 0 || !m.IsSized(ct) || uint64(off) >= m.AllocSize(ct) {
			return ir.None
		}
		i, at, ok := elementIndex(m, ct, uint64(off))
		if !ok {
			return castLoad(m, c, off, t)
		}
		e := m.Element(c, i)
		if e == ir.None {
			return ir.None
		}
		if next := off - int64(at); m.IsAggregate(ct) || m.IsAggregate(m.TypeOfConst(e)) || m.SizeInBits(m.TypeOfConst(e)) >= m.SizeInBits(t) {
			c, off = e, next
			continue
		}
		return ir.None
	}
}

// elementIndex returns the element of an aggregate or vector that contains the
// byte at an offset, and the element's own offset.
func elementIndex(m *ir.Module, t ir.Type, off uint64) (i, at uint64, ok bool) {
	info := m.TypeInfo(t)
	switch info.Kind {
	case ir.KindStruct:
		if len(info.Elems) == 0 {
			return 0, 0, false
		}
		f := m.FieldAt(t, off)
		return uint64(f), m.FieldOffset(t, f), true
	case ir.KindArray:
		size := m.AllocSize(info.Elem)
		if size == 0 {
			return 0, 0, false
		}
		return off / size, off / size * size, true
	case ir.KindVector:
		if n := uint64(m.ScalarBits(info.Elem)); n > 0 && n%8 == 0 {
			return off / (n / 8), off / (n / 8) * (n / 8), true
		}
	}
	return 0, 0, false
}

// castLoad converts a scalar to a pointer or integer of the same size.
func castLoad(m *ir.Module, c ir.Value, off int64, t ir.Type) ir.Value {
	ct := m.TypeOfConst(c)
	if off != 0 || m.IsVector(t) || m.IsAggregate(t) || m.SizeInBits(ct) != m.SizeInBits(t) {
		return ir.None
	}
	switch {
	case m.IsPtr(ct) && m.IsInt(t) && !m.Layout().Pointer(m.AddrSpace(ct)).NonIntegral:
		return m.Cast(ir.OpPtrToInt, c, t)
	case m.IsInt(ct) && m.IsPtr(t) && !m.Layout().Pointer(m.AddrSpace(t)).NonIntegral:
		return m.Cast(ir.OpIntToPtr, c, t)
	}
	return ir.None
}

// maxLoad is the largest load, in bytes, that is assembled from parts of other
// types.
const maxLoad = 64

// reinterpret assembles a loaded value from the bytes of other types.
func reinterpret(m *ir.Module, init ir.Value, off int64, t ir.Type) ir.Value {
	if m.IsAggregate(t) || m.Layout().BigEndian || m.IsPtrOrPtrVector(t) {
		return ir.None
	}
	var room [maxLoad]byte
	size := int64(m.StoreSize(t))
	if size == 0 || size > maxLoad || m.IsVector(t) && m.ScalarBits(t)%8 != 0 {
		return ir.None
	}
	bytes := room[:size]
	if !readBytes(m, init, off, bytes) {
		return ir.None
	}
	var img image
	img.init(m, uint64(size)*8)
	for i, b := range bytes {
		img.putBits(img.bits, uint64(i)*8, 8, uint64(b))
	}
	if !m.IsVector(t) {
		return img.bitsAt(t, 0)
	}
	info := m.TypeInfo(t)
	elems := make([]ir.Value, info.N)
	for i := range elems {
		elems[i] = img.bitsAt(info.Elem, uint64(i)*uint64(m.ScalarBits(t)))
	}
	return m.NewAggregate(t, elems)
}

// readBytes copies the bytes of a constant starting at an offset, which may be
// before its start or past its end. Bytes that are undef, poison or outside the
// constant are left unchanged. It reports whether all bytes are known.
func readBytes(m *ir.Module, c ir.Value, off int64, to []byte) bool {
	t := m.TypeOfConst(c)
	size := int64(m.StoreSize(t))
	if off >= size || off+int64(len(to)) <= 0 {
		return true
	}
	switch m.ConstKindOf(c) {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		return true
	case ir.ConstData:
		copyBytes(to, m.ConstBytes(c), off)
		return true
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide:
		if m.ScalarBits(t)%8 != 0 {
			return false
		}
		var word [8]byte
		for i, w := range m.Words(c) {
			binary.LittleEndian.PutUint64(word[:], w)
			copyBytes(to, word[:min(8, size-int64(i)*8)], off-int64(i)*8)
		}
		return true
	case ir.ConstAggregate:
		return readElements(m, c, t, off, to)
	}
	return false
}

// readElements is readBytes for an aggregate.
func readElements(m *ir.Module, c ir.Value, t ir.Type, off int64, to []byte) bool {
	info := m.TypeInfo(t)
	if info.Kind == ir.KindVector && m.ScalarBits(info.Elem)%8 != 0 {
		return false
	}
	for i, e := range m.ConstOperands(c) {
		at := int64(0)
		switch info.Kind {
		case ir.KindStruct:
			at = int64(m.FieldOffset(t, i))
		case ir.KindVector:
			at = int64(i) * int64(m.ScalarBits(info.Elem)/8)
		default:
			at = int64(i) * int64(m.AllocSize(info.Elem))
		}
		if !readBytes(m, e, off-at, to) {
			return false
		}
	}
	return true
}

// copyBytes copies from[off:] to the start of to; off may be negative.
func copyBytes(to, from []byte, off int64) {
	if off < 0 {
		if -off < int64(len(to)) {
			copy(to[-off:], from)
		}
		return
	}
	if off < int64(len(from)) {
		copy(to, from[off:])
	}
}
