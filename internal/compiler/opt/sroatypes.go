package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// accessType returns the type of a load or store of a slice, or NoType for
// other uses.
func (s *slicer) accessType(x *slice) ir.Type {
	f := s.f
	v := f.User(x.use)
	switch f.Op(v) {
	case ir.OpLoad:
		return f.TypeOf(v)
	case ir.OpStore:
		return f.TypeOf(f.Operand(v, 0))
	}
	return ir.NoType
}

// commonType returns the common type of all loads and stores of a whole
// partition, or NoType if they differ, and their widest integer type.
func (s *slicer) commonType(p *partition) (common, widest ir.Type) {
	f := s.f
	same := true
	for i := p.lo; i < p.hi; i++ {
		x := &s.slices[i]
		v := f.User(x.use)
		if f.Op(v) == ir.OpCall || x.begin != s.slices[p.lo].begin || x.end != p.end {
			continue
		}
		t := s.accessType(x)
		if t != ir.NoType && s.m.IsInt(t) {
			if bits := uint64(s.m.IntBits(t)); bits%8 != 0 || bits/8 > p.end-s.slices[p.lo].begin {
				continue
			}
			if widest == ir.NoType || s.m.IntBits(t) > s.m.IntBits(widest) {
				widest = t
			}
		}
		if t == ir.NoType || common != ir.NoType && common != t {
			same = false
		} else {
			common = t
		}
	}
	if !same {
		common = ir.NoType
	}
	return common, widest
}

// typeAt returns the nested type at an offset with a given size, or NoType.
func typeAt(m *ir.Module, t ir.Type, offset, size uint64) ir.Type {
	if offset == 0 && m.AllocSize(t) == size {
		return onlyField(m, t)
	}
	if offset > m.AllocSize(t) || size > m.AllocSize(t)-offset {
		return ir.NoType
	}
	switch info := m.TypeInfo(t); info.Kind {
	case ir.KindArray, ir.KindVector:
		return elementsAt(m, t, info, offset, size)
	case ir.KindStruct:
		return fieldsAt(m, t, info, offset, size)
	}
	return ir.NoType
}

// onlyField unwraps arrays and structs whose single element covers them
// completely.
func onlyField(m *ir.Module, t ir.Type) ir.Type {
	for m.IsAggregate(t) && m.NumElements(t) > 0 {
		inner := m.ElementType(t, 0)
		if m.AllocSize(inner) < m.AllocSize(t) || m.SizeInBits(inner) < m.SizeInBits(t) {
			break
		}
		t = inner
	}
	return t
}

func elementsAt(m *ir.Module, t ir.Type, info *ir.TypeInfo, offset, size uint64) ir.Type {
	each := m.AllocSize(info.Elem)
	if info.Kind == ir.KindVector {
		if m.SizeInBits(info.Elem)%8 != 0 {
			return ir.NoType
		}
		each = m.SizeInBits(info.Elem) / 8
	}
	if each == 0 || offset/each >= info.N {
		return ir.NoType
	}
	in := offset % each
	if in > 0 || size < each {
		if in+size > each {
			return ir.NoType
		}
		return typeAt(m, info.Elem, in, size)
	}
	switch n := size / each; {
	case size == each:
		return onlyField(m, info.Elem)
	case n*each != size:
		return ir.NoType
	default:
		return m.ArrayType(info.Elem, n)
	}
}

func fieldsAt(m *ir.Module, t ir.Type, info *ir.TypeInfo, offset, size uint64) ir.Type {
	total := m.AllocSize(t)
	if len(info.Elems) == 0 || offset >= total || offset+size > total {
		return ir.NoType
	}
	first := m.FieldAt(t, offset)
	in := offset - m.FieldOffset(t, first)
	field := info.Elems[first]
	fieldSize := m.AllocSize(field)
	if in >= fieldSize {
		return ir.NoType // in padding
	}
	if in > 0 || size < fieldSize {
		if in+size > fieldSize {
			return ir.NoType
		}
		return typeAt(m, field, in, size)
	}
	if size == fieldSize {
		return onlyField(m, field)
	}
	end := len(info.Elems)
	if offset+size < total {
		end = m.FieldAt(t, offset+size)
		if end == first || m.FieldOffset(t, end) != offset+size {
			return ir.NoType
		}
	}
	sub := m.StructType(info.Elems[first:end], info.Packed)
	if m.AllocSize(sub) != size {
		return ir.NoType
	}
	return sub
}

// partitionType returns the type of the new alloca for a partition, and how it
// will be promoted: as a vector of type vec, an integer of type wide, or
// neither (NoType).
func (s *slicer) partitionType(p *partition, allocated ir.Type) (t, vec, wide ir.Type) {
	m := s.m
	size := p.end - p.begin
	common, widest := s.commonType(p)
	if common != ir.NoType && m.AllocSize(common) >= size {
		t = common
	}
	if t == ir.NoType {
		t = typeAt(m, allocated, p.begin, size)
	}
	if t == ir.NoType && widest != ir.NoType && m.AllocSize(widest) >= size {
		t = widest
	}
	if (t == ir.NoType || m.Kind(t) == ir.KindArray && m.IsInt(m.ElementType(t, 0))) && size <= 64 && m.Layout().IsLegalInt(int(size*8)) {
		t = m.IntType(int(size * 8))
	}
	if t == ir.NoType {
		t = m.ArrayType(ir.I8, size)
	}
	if s.integerViable(p, t) {
		return t, ir.NoType, m.IntType(int(m.SizeInBits(t)))
	}
	if vec = s.vectorType(p, t); vec != ir.NoType {
		t = vec
	}
	return t, vec, ir.NoType
}

// allOf reports whether ok holds for all slices and tails of a partition.
func (s *slicer) allOf(p *partition, ok func(x *slice) bool) bool {
	for i := p.lo; i < p.hi; i++ {
		if !ok(&s.slices[i]) {
			return false
		}
	}
	for _, i := range p.tails {
		if !ok(&s.slices[i]) {
			return false
		}
	}
	return true
}

// integerViable reports whether a partition can be an integer whose parts are
// loaded and stored.
func (s *slicer) integerViable(p *partition, t ir.Type) bool {
	m := s.m
	bits := m.SizeInBits(t)
	if bits == 0 || bits > ir.MaxIntBits || bits != m.StoreSize(t)*8 || m.AllocSize(t) != m.StoreSize(t) {
		return false
	}
	wide := m.IntType(int(bits))
	if !emit.CanReinterpret(m, t, wide) || !emit.CanReinterpret(m, wide, t) {
		return false
	}
	whole := p.lo == p.hi && m.Layout().IsLegalInt(int(bits))
	ok := s.allOf(p, func(x *slice) bool { return s.integerSlice(p, x, t, &whole) })
	return ok && whole
}

// integerSlice is integerViable for one slice; it sets whole if the slice
// covers the whole integer.
func (s *slicer) integerSlice(p *partition, x *slice, t ir.Type, whole *bool) bool {
	f, m := s.f, s.m
	size := m.StoreSize(t)
	v := f.User(x.use)
	if f.Op(v) == ir.OpCall && analysis.IsLifetime(f, v) {
		return true
	}
	if x.end-p.begin > size {
		return false
	}
	all := x.begin == p.begin && x.end-p.begin == size
	switch f.Op(v) {
	case ir.OpLoad, ir.OpStore:
		at := s.accessType(x)
		if f.IsVolatile(v) || m.StoreSize(at) > size || x.begin < p.begin {
			return false
		}
		if all && !m.IsVector(at) {
			*whole = true
		}
		if m.IsInt(at) {
			return uint64(m.IntBits(at)) == m.StoreSize(at)*8
		}
		return all && emit.CanReinterpret(m, t, at) && emit.CanReinterpret(m, at, t)
	case ir.OpCall:
		return x.split
	}
	return false
}

// vectorType returns the vector type for a partition, or NoType if it cannot be
// a vector. t is the default type of its alloca.
func (s *slicer) vectorType(p *partition, t ir.Type) ir.Type {
	m := s.m
	var candidates []ir.Type
	add := func(c ir.Type) {
		if m.IsVector(c) && !slices.Contains(candidates, c) && m.SizeInBits(c) == (p.end-p.begin)*8 {
			candidates = append(candidates, c)
		}
	}
	for i := p.lo; i < p.hi; i++ {
		if x := &s.slices[i]; x.begin == p.begin && x.end == p.end {
			add(s.accessType(x))
		}
	}
	add(t)
	// integers are compatible with all elements of the same size
	for _, c := range candidates {
		if e := m.Scalar(c); e != m.Scalar(candidates[0]) {
			n := m.NumElements(c)
			add(m.VectorType(m.IntType(int(m.SizeInBits(c)/n)), n))
		}
	}
	slices.SortStableFunc(candidates, func(a, b ir.Type) int { return int(m.NumElements(a)) - int(m.NumElements(b)) })
	for _, c := range candidates {
		if s.vectorViable(p, c) {
			return c
		}
	}
	return ir.NoType
}

// vectorViable reports whether all slices of a partition are whole elements of
// a vector type.
func (s *slicer) vectorViable(p *partition, vec ir.Type) bool {
	m := s.m
	bits := m.SizeInBits(m.Scalar(vec))
	if bits%8 != 0 {
		return false
	}
	return s.allOf(p, func(x *slice) bool { return s.vectorSlice(p, x, vec, bits/8) })
}

func (s *slicer) vectorSlice(p *partition, x *slice, vec ir.Type, each uint64) bool {
	f, m := s.f, s.m
	begin, end := max(x.begin, p.begin)-p.begin, min(x.end, p.end)-p.begin
	if begin%each != 0 || end%each != 0 || end/each > m.NumElements(vec) {
		return false
	}
	v := f.User(x.use)
	switch f.Op(v) {
	case ir.OpCall:
		return analysis.IsLifetime(f, v) || x.split
	case ir.OpLoad, ir.OpStore:
		if f.IsVolatile(v) {
			return false
		}
		t := s.accessType(x)
		if x.begin < p.begin || x.end > p.end { // part of an integer
			t = m.IntType(int((end - begin) * 8))
		}
		part := m.Scalar(vec)
		if n := (end - begin) / each; n > 1 {
			part = m.VectorType(part, n)
		}
		return emit.CanReinterpret(m, part, t) && emit.CanReinterpret(m, t, part)
	}
	return false
}
