package opt

import "github.com/gfx-toolchain/gfx/ir"

// maxStep is the largest offset of an index, in bytes, that is supported: sums
// of larger ones may overflow.
const maxStep = 1 << 48

// gepOffset returns the constant offset in bytes that a getelementptr adds. ok
// is false if the offset is variable, if the pointers are vectors, or if the
// offset does not fit the pointer's index, where inbounds would make it poison.
func gepOffset(f *ir.Function, v ir.Value) (offset int64, ok bool) {
	m := f.Module()
	if m.IsVector(f.TypeOf(v)) {
		return 0, false
	}
	t := f.GEPSource(v)
	for i, o := range f.Operands(v)[1:] {
		if !o.Value.IsConst() || m.IsVector(f.TypeOf(o.Value)) {
			return 0, false
		}
		n, known := m.SignedValue(o.Value)
		if !known {
			return 0, false
		}
		switch {
		case i > 0 && m.Kind(t) == ir.KindStruct:
			offset += int64(m.FieldOffset(t, int(n)))
			t = m.ElementType(t, uint64(n))
			continue
		case i > 0:
			t = m.ElementType(t, 0)
		}
		if size := m.AllocSize(t); size > 0 {
			most := int64(maxStep / size)
			if n > most || n < -most {
				return 0, false
			}
			offset += n * int64(size)
		}
	}
	if offset != signExtend(offset, m.Layout().Pointer(m.AddrSpace(f.TypeOf(v))).IndexBits) {
		return 0, false
	}
	return offset, true
}

// signExtend sign-extends the low bits of a number.
func signExtend(n int64, bits uint32) int64 {
	if bits == 0 || bits >= 64 {
		return n
	}
	return n << (64 - bits) >> (64 - bits)
}

// objectOf follows a pointer through getelementptr with constant offsets and
// casts to its base.
func objectOf(f *ir.Function, p ir.Value) (base ir.Value, offset int64) {
	for range 64 {
		if !p.IsLocal() {
			return p, offset
		}
		switch f.Op(p) {
		case ir.OpGetElementPtr:
			n, ok := gepOffset(f, p)
			if !ok {
				return p, offset
			}
			offset += n
			p = f.Operand(p, 0)
		case ir.OpAddrSpaceCast, ir.OpBitCast:
			p = f.Operand(p, 0)
		default:
			return p, offset
		}
	}
	return p, offset
}

// objectSize returns the size and alignment in bytes of an alloca or global
// that certainly exists. ok is false for other values.
func objectSize(f *ir.Function, base ir.Value) (size uint64, align uint32, ok bool) {
	m := f.Module()
	switch {
	case f.Op(base) == ir.OpAlloca:
		n, known := m.IntValue(f.Operand(base, 0))
		return n * m.AllocSize(f.AllocatedType(base)), f.Align(base), known
	case base.IsConst():
		if g := m.ConstGlobal(base); g != nil && g.Kind == ir.GlobalVar && g.Linkage != ir.ExternWeak && m.IsSized(g.Type) {
			align := g.Align
			if align == 0 {
				align = m.ABIAlign(g.Type)
			}
			return m.AllocSize(g.Type), align, true
		}
	}
	return 0, 0, false
}

// canLoad reports whether a load of a size with an alignment is safe wherever
// the pointer is available. A getelementptr with a negative offset may start
// outside the object, in which case inbounds makes it poison.
func canLoad(f *ir.Function, p ir.Value, size uint64, align uint32) bool {
	base, offset := objectOf(f, p)
	for q := p; q != base; q = f.Operand(q, 0) {
		if n, _ := gepOffset(f, q); f.Op(q) == ir.OpGetElementPtr && n < 0 {
			return false
		}
	}
	total, has, ok := objectSize(f, base)
	if !ok || offset < 0 || uint64(offset) > total || size > total-uint64(offset) {
		return false
	}
	return align <= 1 || has%align == 0 && uint64(offset)%uint64(align) == 0
}
