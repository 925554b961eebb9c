package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// rewrite rewrites the use of a slice to use the new alloca. It reports whether
// the alloca can still be promoted.
func (s *splitter) rewrite(x *slice) bool {
	f := s.F
	s.use = x.use
	s.sliceLo, s.sliceHi = x.begin, x.end
	s.lo, s.hi = max(x.begin, s.begin), min(x.end, s.end)
	s.isSplit = x.begin < s.begin || x.end > s.end
	v := f.User(x.use)
	s.oldPtr = f.Operand(v, f.UseIndex(x.use))
	s.Before(v)
	switch f.Op(v) {
	case ir.OpLoad:
		return s.rewriteLoad(v)
	case ir.OpStore:
		return s.rewriteStore(v)
	case ir.OpPhi:
		return s.rewritePhi(v)
	case ir.OpSelect:
		return s.rewriteSelect(v)
	}
	return s.rewriteIntrinsic(v, x.split)
}

func (s *splitter) rewriteIntrinsic(v ir.Value, split bool) bool {
	f := s.F
	switch f.CalledIntrinsic(v) {
	case ir.IntrMemset, ir.IntrMemsetInline:
		return s.rewriteMemset(v)
	case ir.IntrLifetimeStart, ir.IntrLifetimeEnd:
		return s.rewriteMarker(v)
	}
	return s.rewriteTransfer(v, split)
}

// isWhole reports whether the slice is the whole partition.
func (s *splitter) isWhole() bool { return s.lo == s.begin && s.hi == s.end }

// piece returns the range of vector elements that the slice covers.
func (s *splitter) piece() (lo, hi uint64) {
	each := s.Emitter.M.SizeInBits(s.Emitter.M.Scalar(s.vec)) / 8
	return (s.lo - s.begin) / each, (s.hi - s.begin) / each
}

// loadAll loads the whole new alloca.
func (s *splitter) loadAll() ir.Value { return s.Load(s.typ, s.slot, s.F.Align(s.slot)) }

// storeAll stores the whole new alloca.
func (s *splitter) storeAll(v ir.Value) ir.Value { return s.Store(v, s.slot, s.F.Align(s.slot)) }

// pointer returns the address of the slice in the new alloca as a pointer of
// type t.
func (s *splitter) pointer(t ir.Type) ir.Value {
	p := s.slot
	if n := s.lo - s.begin; n > 0 {
		m := s.Emitter.M
		index := m.IntType(int(m.Layout().Pointer(m.AddrSpace(s.F.TypeOf(p))).IndexBits))
		p = s.PtrAdd(p, m.NewInt(index, n), ir.InBounds)
	}
	return s.Cast(ir.OpAddrSpaceCast, p, t, 0)
}

// ownPointer is pointer for an access; a volatile access keeps its address
// space.
func (s *splitter) ownPointer(volatile bool) ir.Value {
	if volatile {
		return s.pointer(s.F.TypeOf(s.oldPtr))
	}
	return s.pointer(s.F.TypeOf(s.slot))
}

// align returns the alignment of the slice in the new alloca.
func (s *splitter) align() uint32 { return analysis.AlignAt(s.F.Align(s.slot), s.lo-s.begin) }

// keepAccess copies the properties of an access other than type and address.
func (s *splitter) keepAccess(v, old ir.Value, align uint32) {
	f := s.F
	mi := f.MemInfo(old)
	if !mi.Volatile {
		mi.Ordering, mi.Scope = ir.NotAtomic, 0
	}
	mi.Align = align
	f.SetMemInfo(v, mi)
	s.keepMetadata(v, old, f.TypeOf(v) == f.TypeOf(old) && !s.isSplit)
}

// keptKinds lists the kinds of metadata that remain valid if an access is split
// or has another type.
var keptKinds = [...]ir.MDKind{ir.MDAliasScope, ir.MDNoAlias, ir.MDAccessGroup, ir.MDParallelLoopAccess, ir.MDNonTemporal, ir.MDMMRA}

// keepMetadata copies metadata of an access; all of it if same is set.
func (s *splitter) keepMetadata(v, old ir.Value, same bool) {
	f := s.F
	if same {
		f.CopyAttachments(v, old)
		return
	}
	for _, k := range keptKinds {
		if node := f.Attachment(old, k); node != 0 {
			f.SetAttachment(v, k, node)
		}
	}
}

func (s *splitter) rewriteLoad(load ir.Value) bool {
	f, m := s.F, s.Emitter.M
	t := f.TypeOf(load)
	if s.isSplit && s.hi-s.lo < m.StoreSize(t) {
		t = m.IntType(int((s.hi - s.lo) * 8))
	}
	volatile := f.IsVolatile(load)
	promotable := !volatile
	v := ir.None
	switch {
	case s.vec != ir.NoType:
		lo, hi := s.piece()
		v = s.ExtractElements(s.loadAll(), lo, hi)
	case s.wide != ir.NoType && m.IsInt(t):
		v = s.Reinterpret(s.loadAll(), s.wide)
		if !s.isWhole() {
			v = s.ExtractInt(v, m.IntType(int((s.hi-s.lo)*8)), s.lo-s.begin)
		}
	case s.isWhole() && (emit.CanReinterpret(m, s.typ, t) || s.loadsPastEnd(t, volatile)):
		v = s.Make(ir.OpLoad, s.typ, s.ownPointer(volatile))
		s.keepAccess(v, load, f.Align(s.slot))
	default:
		v = s.Make(ir.OpLoad, t, s.ownPointer(volatile))
		s.keepAccess(v, load, s.align())
		promotable = false
	}
	if from := f.TypeOf(v); m.IsInt(from) && m.IsInt(t) && m.IntBits(from) < m.IntBits(t) {
		v = s.FoldCast(ir.OpZExt, v, t) // the bits past the end are undefined
	}
	v = s.Reinterpret(v, t)
	if t != f.TypeOf(load) || s.isSplit {
		s.addPart(load, v)
		return promotable
	}
	f.ReplaceUses(load, v)
	if name := f.NameOf(load); name != nil && v.IsLocal() && !f.HasName(v) {
		f.SetName(v, name)
	}
	s.erase(load)
	return promotable
}

// loadsPastEnd reports whether an integer load is wider than the partition,
// which is also an integer.
func (s *splitter) loadsPastEnd(t ir.Type, volatile bool) bool {
	m := s.Emitter.M
	return m.IsInt(s.typ) && m.IsInt(t) && m.StoreSize(t) > s.hi-s.lo && !volatile && !s.isSplit && !m.Layout().BigEndian
}

// addPart adds a part of a partial load.
func (s *splitter) addPart(load, v ir.Value) {
	t := s.F.TypeOf(load)
	v = s.PlaceInt(v, t, s.lo-s.sliceLo)
	for i := range s.partial {
		if p := &s.partial[i]; p.load == load {
			p.value = s.FoldBinary(ir.OpOr, p.value, v)
			return
		}
	}
	s.partial = append(s.partial, partialLoad{load, v})
}

func (s *splitter) rewriteStore(store ir.Value) bool {
	f, m := s.F, s.Emitter.M
	v := f.Operand(store, 0)
	s.lookAgain(v)
	volatile := f.IsVolatile(store)
	if m.StoreSize(f.TypeOf(v)) > s.hi-s.lo {
		v = s.ExtractInt(v, m.IntType(int((s.hi-s.lo)*8)), s.lo-s.sliceLo)
	}
	s.erase(store)
	t := f.TypeOf(v)
	made := ir.None
	switch {
	case s.vec != ir.NoType:
		made = s.storeVector(v)
	case s.wide != ir.NoType && m.IsInt(t):
		made = s.storeInt(v)
	case s.isWhole() && emit.CanReinterpret(m, t, s.typ):
		v = s.Reinterpret(v, s.typ)
		made = s.Make(ir.OpStore, ir.Void, v, s.ownPointer(volatile))
		s.keepAccess(made, store, f.Align(s.slot))
		return !volatile
	default:
		made = s.Make(ir.OpStore, ir.Void, v, s.ownPointer(volatile))
		s.keepAccess(made, store, s.align())
		return false
	}
	s.keepMetadata(made, store, false)
	return true
}

// lookAgain records that an alloca whose address was stored may be split once
// the store is removed.
func (s *splitter) lookAgain(v ir.Value) {
	f := s.F
	if !v.IsLocal() || !s.Emitter.M.IsPtr(f.TypeOf(v)) {
		return
	}
	if base, _ := objectOf(f, v); f.Op(base) == ir.OpAlloca && base != s.old {
		s.later = append(s.later, base)
	}
}

// storeVector inserts a value into the vector elements of the slice.
func (s *splitter) storeVector(v ir.Value) ir.Value {
	m := s.Emitter.M
	lo, hi := s.piece()
	part := m.Scalar(s.vec)
	if hi-lo > 1 {
		part = m.VectorType(part, hi-lo)
	}
	v = s.Reinterpret(v, part)
	if hi-lo == m.NumElements(s.vec) {
		return s.storeAll(s.Reinterpret(v, s.vec))
	}
	return s.storeAll(s.InsertElements(s.loadAll(), v, lo))
}

// storeInt inserts an integer into the slice's bytes of the wide integer.
func (s *splitter) storeInt(v ir.Value) ir.Value {
	if !s.isWhole() {
		old := s.Reinterpret(s.loadAll(), s.wide)
		v = s.InsertInt(old, v, s.lo-s.begin)
	}
	return s.storeAll(s.Reinterpret(v, s.typ))
}

// rewriteMarker creates lifetime markers for the new alloca.
func (s *splitter) rewriteMarker(v ir.Value) bool {
	f := s.F
	s.erase(v)
	if !s.isWhole() || s.slot == s.old && len(f.Args(v)) == 0 {
		return true
	}
	t := f.TypeOf(s.slot)
	decl := f.CalledFunction(v)
	if f.TypeOf(analysis.LifetimePtr(f, v)) != t {
		return true // only a hint
	}
	f.SetCallAttrs(s.CallValue(decl.Global.Type, decl.Value(), s.slot), f.CallAttrs(v))
	return true
}

// oldPlace moves the builder to a position for the address of a phi or select
// of the old pointer.
func (s *splitter) oldPlace(user ir.Value) {
	f := s.F
	if f.Op(user) != ir.OpPhi {
		s.Before(user)
		return
	}
	if f.Op(s.oldPtr) == ir.OpPhi {
		s.Before(f.FirstNonPhi(f.Parent(s.oldPtr)))
		return
	}
	s.Before(s.oldPtr)
}

func (s *splitter) rewritePhi(phi ir.Value) bool {
	f := s.F
	s.oldPlace(phi)
	p := s.pointer(f.TypeOf(s.oldPtr))
	for i := 0; i < f.NumOperands(phi); i += 2 {
		if f.Operand(phi, i) == s.oldPtr {
			f.SetOperand(phi, i, p)
		}
	}
	s.fixAligns(phi)
	s.partPhis = append(s.partPhis, phi)
	return true
}

func (s *splitter) rewriteSelect(v ir.Value) bool {
	f := s.F
	s.oldPlace(v)
	p := s.pointer(f.TypeOf(s.oldPtr))
	for i := 1; i <= 2; i++ {
		if f.Operand(v, i) == s.oldPtr {
			f.SetOperand(v, i, p)
		}
	}
	s.fixAligns(v)
	s.partSelect = append(s.partSelect, v)
	return true
}

// fixAligns lowers the alignments of accesses through a phi or select to the
// new alloca's alignment.
func (s *splitter) fixAligns(root ir.Value) {
	f := s.F
	align := s.align()
	s.visited = append(s.visited[:0], root)
	s.pending = append(s.pending[:0], root)
	for len(s.pending) > 0 {
		p := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		for u := f.FirstUse(p); u != 0; u = f.NextUse(u) {
			v := f.User(u)
			switch f.Op(v) {
			case ir.OpLoad, ir.OpStore:
				mi := f.MemInfo(v)
				mi.Align = min(mi.Align, align)
				f.SetMemInfo(v, mi)
			case ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPhi, ir.OpSelect:
				if !contains(s.visited, v) {
					s.visited = append(s.visited, v)
					s.pending = append(s.pending, v)
				}
			}
		}
	}
}

func contains(list []ir.Value, v ir.Value) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}
