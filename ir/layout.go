package ir

import "math/bits"

// structLayout holds the offsets of a struct's fields.
type structLayout struct {
	size    uint64 // including padding
	align   uint32
	padded  bool // has padding
	offsets []uint64
}

// targetTypes maps target types to the types in which they are stored (LLVM 22,
// Type.cpp). NoType marks a type without a size.
var targetTypes = []struct {
	prefix string
	layout func(m *Module) Type
}{
	{"spirv.", func(m *Module) Type { return Ptr }},
	{"amdgcn.named.barrier", func(m *Module) Type { return m.VectorType(I32, 4) }},
}

// TargetLayout returns the type in which a target type is stored, or NoType if
// it cannot be stored.
func (m *Module) TargetLayout(t Type) Type {
	name := m.TypeInfo(t).Name
	for _, row := range targetTypes {
		if len(name) >= len(row.prefix) && name[:len(row.prefix)] == row.prefix {
			return row.layout(m)
		}
	}
	return NoType
}

// IsSized reports whether values of the type have a size in memory.
func (m *Module) IsSized(t Type) bool {
	info := m.TypeInfo(t)
	switch info.Kind {
	case KindArray, KindVector:
		return m.IsSized(info.Elem)
	case KindStruct:
		if info.Opaque || info.sized.Load() {
			return !info.Opaque
		}
		for _, e := range info.Elems {
			if !m.IsSized(e) {
				return false
			}
		}
		info.sized.Store(true) // nested structs can have 2^n fields in total
		return true
	case KindTarget:
		return m.TargetLayout(t) != NoType
	case KindInt, KindPtr:
		return true
	}
	return m.IsFloat(t)
}

// SizeInBits returns the size of a sized type in bits, without trailing
// padding.
func (m *Module) SizeInBits(t Type) uint64 {
	info := m.TypeInfo(t)
	switch info.Kind {
	case KindInt:
		return info.N
	case KindPtr:
		return uint64(m.Layout().Pointer(uint32(info.N)).Bits)
	case KindVector:
		return mulSat(info.N, m.SizeInBits(info.Elem))
	case KindArray:
		return mulSat(info.N, mulSat(m.AllocSize(info.Elem), 8))
	case KindStruct:
		return mulSat(m.structLayout(info).size, 8)
	case KindTarget:
		if l := m.TargetLayout(t); l != NoType {
			return m.SizeInBits(l)
		}
		return 0
	}
	return uint64(m.ScalarBits(t))
}

// mulSat returns the saturated product of a and b.
func mulSat(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return 1<<64 - 1
}

func addSat(a, b uint64) uint64 {
	if a+b < a {
		return 1<<64 - 1
	}
	return a + b
}

// alignUp rounds n up to a multiple of align, a power of two.
func alignUp(n uint64, align uint32) uint64 {
	a := uint64(align)
	if n > -a {
		return n
	}
	return (n + a - 1) &^ (a - 1)
}

// StoreSize returns the number of bytes that a store of the type writes.
func (m *Module) StoreSize(t Type) uint64 { return addSat(m.SizeInBits(t), 7) / 8 }

// AllocSize returns the distance in bytes between successive array elements of
// the type.
func (m *Module) AllocSize(t Type) uint64 { return alignUp(m.StoreSize(t), m.ABIAlign(t)) }

// ABIAlign returns the ABI alignment of a type in bytes.
func (m *Module) ABIAlign(t Type) uint32 { return m.align(t, false) }

// PrefAlign returns the preferred alignment of a type in bytes.
func (m *Module) PrefAlign(t Type) uint32 { return m.align(t, true) }

func (m *Module) align(t Type, pref bool) uint32 {
	info, dl := m.TypeInfo(t), m.Layout()
	pick := func(a alignSpec) uint32 {
		if pref {
			return a.pref
		}
		return a.abi
	}
	switch info.Kind {
	case KindInt:
		for _, s := range dl.ints {
			if uint64(s.bits) >= info.N {
				return pick(s)
			}
		}
		return pick(dl.ints[len(dl.ints)-1])
	case KindPtr, KindLabel:
		p := dl.Pointer(uint32(info.N))
		return pick(alignSpec{0, p.ABI, p.Pref})
	case KindArray:
		return m.align(info.Elem, pref)
	case KindStruct:
		if info.Packed && !pref {
			return 1
		}
		return max(pick(alignSpec{0, dl.aggABI, dl.aggPref}), m.structLayout(info).align)
	case KindTarget:
		if l := m.TargetLayout(t); l != NoType {
			return m.align(l, pref)
		}
		return 1
	case KindVector:
		n := m.SizeInBits(t)
		for _, s := range dl.vectors {
			if uint64(s.bits) == n {
				return pick(s)
			}
		}
		return powerAlign(addSat(m.SizeInBits(t), 7) / 8)
	}
	n := m.ScalarBits(t)
	for _, s := range dl.floats {
		if int(s.bits) == n {
			return pick(s)
		}
	}
	return powerAlign(uint64(n+7) / 8)
}

// powerAlign returns the smallest power of two that is at least size, at most
// 2^32/2.
func powerAlign(size uint64) uint32 {
	if size <= 1 {
		return 1
	}
	return 1 << min(bits.Len64(size-1), 31)
}

// structLayout returns the layout of a struct, which it computes once.
func (m *Module) structLayout(info *TypeInfo) *structLayout {
	if l := info.layouts.Load(); l != nil {
		return l
	}
	l := &structLayout{align: 1, offsets: make([]uint64, len(info.Elems))}
	for i, e := range info.Elems {
		if !info.Packed {
			a := m.ABIAlign(e)
			if at := alignUp(l.size, a); at != l.size {
				l.size, l.padded = at, true
			}
			l.align = max(l.align, a)
		}
		l.offsets[i] = l.size
		l.size = addSat(l.size, m.AllocSize(e))
	}
	if at := alignUp(l.size, l.align); at != l.size {
		l.size, l.padded = at, true
	}
	info.layouts.Store(l)
	return l
}

// FieldOffset returns the offset of struct field i in bytes.
func (m *Module) FieldOffset(t Type, i int) uint64 { return m.structLayout(m.TypeInfo(t)).offsets[i] }

// FieldAt returns the index of the last field of a struct that begins at or
// before the given offset.
func (m *Module) FieldAt(t Type, offset uint64) int {
	offsets := m.structLayout(m.TypeInfo(t)).offsets
	i := 0
	for j, o := range offsets {
		if o > offset {
			break
		}
		i = j
	}
	return i
}

// HasPadding reports whether a struct has padding between or after its fields.
func (m *Module) HasPadding(t Type) bool { return m.structLayout(m.TypeInfo(t)).padded }
