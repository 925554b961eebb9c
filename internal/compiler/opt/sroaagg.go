package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// splitAggregates splits loads and stores of arrays and structs through
// pointers into an alloca into accesses of their elements.
func (s *splitter) splitAggregates(a ir.Value) bool {
	f := s.F
	s.visited = append(s.visited[:0], a)
	s.pending = append(s.pending[:0], a)
	changed := false
	for len(s.pending) > 0 {
		p := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		for u := f.FirstUse(p); u != 0; {
			v := f.User(u)
			i := f.UseIndex(u)
			u = f.NextUse(u)
			switch f.Op(v) {
			case ir.OpLoad:
				changed = s.splitLoad(v) || changed
			case ir.OpStore:
				if i == 1 {
					changed = s.splitStore(v) || changed
				}
			case ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPhi, ir.OpSelect:
				if !contains(s.visited, v) {
					s.visited = append(s.visited, v)
					s.pending = append(s.pending, v)
				}
			}
		}
	}
	return changed
}

// maxElements bounds the number of elements that an aggregate access is split
// into.
const maxElements = 1024

// countElements returns the number of scalars in a type, or more than
// maxElements if there are too many.
func countElements(m *ir.Module, t ir.Type) uint64 {
	if !m.IsAggregate(t) {
		return 1
	}
	info := m.TypeInfo(t)
	if info.Kind == ir.KindArray {
		if info.N > maxElements {
			return info.N
		}
		return info.N * countElements(m, info.Elem)
	}
	n := uint64(0)
	for _, e := range info.Elems {
		if n += countElements(m, e); n > maxElements {
			break
		}
	}
	return n
}

// eachElement calls do for each scalar of a type, with its offset in bytes and
// its index path.
func eachElement(m *ir.Module, t ir.Type, offset uint64, path []uint32, do func(t ir.Type, offset uint64, path []uint32)) {
	info := m.TypeInfo(t)
	switch info.Kind {
	case ir.KindArray:
		for i := range info.N {
			eachElement(m, info.Elem, offset+i*m.AllocSize(info.Elem), append(path, uint32(i)), do)
		}
	case ir.KindStruct:
		for i, e := range info.Elems {
			eachElement(m, e, offset+m.FieldOffset(t, i), append(path, uint32(i)), do)
		}
	default:
		do(t, offset, path)
	}
}

// isSplittable reports whether an aggregate access can be split.
func (s *splitter) isSplittable(v ir.Value, t ir.Type) bool {
	m := s.Emitter.M
	return m.IsAggregate(t) && s.F.IsSimple(v) && countElements(m, t) <= maxElements
}

// elementPtr returns the address of an element.
func (s *splitter) elementPtr(p ir.Value, offset uint64) ir.Value {
	if offset == 0 {
		return p
	}
	m := s.Emitter.M
	index := m.IntType(int(m.Layout().Pointer(m.AddrSpace(s.F.TypeOf(p))).IndexBits))
	return s.PtrAdd(p, m.NewInt(index, offset), ir.InBounds)
}

func (s *splitter) splitLoad(load ir.Value) bool {
	f, m := s.F, s.Emitter.M
	t := f.TypeOf(load)
	if !s.isSplittable(load, t) {
		return false
	}
	s.Before(load)
	p, align := f.Operand(load, 0), f.Align(load)
	all := m.Poison(t)
	eachElement(m, t, 0, nil, func(t ir.Type, offset uint64, path []uint32) {
		v := s.Load(t, s.elementPtr(p, offset), analysis.AlignAt(align, offset))
		s.keepMetadata(v, load, false)
		all = s.InsertValue(all, v, path...)
	})
	if f.HasUses(load) || f.FirstRecordUse(load) != 0 {
		f.ReplaceUses(load, all)
	}
	f.Erase(load)
	return true
}

func (s *splitter) splitStore(store ir.Value) bool {
	f, m := s.F, s.Emitter.M
	all := f.Operand(store, 0)
	t := f.TypeOf(all)
	if !s.isSplittable(store, t) {
		return false
	}
	s.Before(store)
	p, align := f.Operand(store, 1), f.Align(store)
	eachElement(m, t, 0, nil, func(t ir.Type, offset uint64, path []uint32) {
		v := ir.None
		if all.IsConst() {
			v = m.ExtractConst(all, path)
		}
		if v == ir.None {
			v = s.ExtractValue(all, path...)
		}
		s.keepMetadata(s.Store(v, s.elementPtr(p, offset), analysis.AlignAt(align, offset)), store, false)
	})
	f.Erase(store)
	return true
}
