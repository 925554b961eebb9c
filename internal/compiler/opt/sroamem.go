package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// setPointer replaces the slice's pointer operand of an intrinsic by the new
// alloca, with its alignment.
func (s *splitter) setPointer(v ir.Value) {
	f := s.F
	i := f.UseIndex(s.use)
	f.SetUse(s.use, s.pointer(f.TypeOf(s.oldPtr)))
	setArgAlign(f, v, i, s.align())
}

// setArgAlign sets the alignment of a call argument.
func setArgAlign(f *ir.Function, v ir.Value, i int, align uint32) {
	m := f.Module()
	list := f.CallAttrs(v)
	set := m.AttrsAt(list, ir.AttrParams+i)
	if align <= 1 {
		set = m.RemoveAttr(set, ir.AttrAlign)
	} else {
		set = m.AddAttr(set, ir.Attr{Kind: ir.AttrAlign, Int: uint64(align)})
	}
	f.SetCallAttrs(v, m.WithAttrsAt(list, ir.AttrParams+i, set))
}

// argAlign returns the alignment of a call argument, or 1 if unspecified.
func argAlign(f *ir.Function, v ir.Value, i int) uint32 {
	m := f.Module()
	if a, ok := m.Attr(m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i), ir.AttrAlign); ok && a.Int > 0 {
		return uint32(a.Int)
	}
	return 1
}

// copyCall returns a copy of a memory intrinsic for the slice alone, still with
// the old pointers.
func (s *splitter) copyCall(v ir.Value) ir.Value {
	f := s.F
	var none ir.Mapper
	n := f.CopyInstr(f, v, &none)
	f.InsertBefore(n, v)
	for _, k := range [...]ir.MDKind{ir.MDTBAA, ir.MDTBAAStruct} {
		f.SetAttachment(n, k, 0)
	}
	f.SetOperand(n, memLength, s.Emitter.M.NewInt(f.TypeOf(f.Operand(v, memLength)), s.hi-s.lo))
	return n
}

func (s *splitter) rewriteMemset(v ir.Value) bool {
	f, m := s.F, s.Emitter.M
	n, known := memLengthOf(f, v)
	if !known || isVolatileMem(f, v) {
		s.setPointer(v)
		if known && n != s.hi-s.lo {
			f.SetOperand(v, memLength, m.NewInt(f.TypeOf(f.Operand(v, memLength)), s.hi-s.lo))
		}
		return false
	}
	if s.slot == s.old && !s.isSplit && n == s.hi-s.lo && s.vec == ir.NoType && s.wide == ir.NoType && !s.canSplat() {
		return false // unchanged
	}
	value := f.Operand(v, memSource)
	s.erase(v)
	made := ir.None
	switch {
	case s.vec != ir.NoType:
		made = s.memsetVector(value)
	case s.wide != ir.NoType:
		made = s.storeInt(s.SplatByte(value, s.hi-s.lo))
	case s.canSplat():
		made = s.storeAll(s.splatOf(value))
	default:
		own := s.pointer(f.TypeOf(s.oldPtr))
		c := s.copyCall(v)
		f.SetOperand(c, memDest, own)
		setArgAlign(f, c, memDest, s.align())
		return false
	}
	s.keepMetadata(made, v, false)
	return true
}

// canSplat reports whether the slice is the whole new alloca and one store can
// set its bytes.
func (s *splitter) canSplat() bool {
	m := s.Emitter.M
	if !s.isWhole() || m.IsAggregate(s.typ) || s.hi-s.lo != m.StoreSize(s.typ) || m.SizeInBits(s.typ) != m.StoreSize(s.typ)*8 {
		return false
	}
	elem := m.Scalar(s.typ)
	switch bits := m.SizeInBits(elem); bits {
	case 8, 16, 32, 64:
		return emit.CanReinterpret(m, m.IntType(int(bits)), elem)
	}
	return false
}

// splatOf returns the value of the new alloca's type whose bytes all equal
// value.
func (s *splitter) splatOf(value ir.Value) ir.Value {
	m := s.Emitter.M
	elem := m.Scalar(s.typ)
	v := s.Reinterpret(s.SplatByte(value, m.SizeInBits(elem)/8), elem)
	if m.IsVector(s.typ) {
		v = s.Splat(v, m.NumElements(s.typ))
	}
	return v
}

func (s *splitter) memsetVector(value ir.Value) ir.Value {
	m := s.Emitter.M
	lo, hi := s.piece()
	elem := m.Scalar(s.vec)
	v := s.Reinterpret(s.SplatByte(value, m.SizeInBits(elem)/8), elem)
	if hi-lo > 1 {
		v = s.Splat(v, hi-lo)
	}
	return s.storeVector(v)
}

// otherPtr returns the address of the other side of a transfer at the start of
// the slice, and its alignment.
func (s *splitter) otherPtr(v ir.Value, side int) (ir.Value, uint32) {
	f, m := s.F, s.Emitter.M
	p := f.Operand(v, side)
	n := s.lo - s.sliceLo
	if n > 0 {
		index := m.IntType(int(m.Layout().Pointer(m.AddrSpace(f.TypeOf(p))).IndexBits))
		p = s.PtrAdd(p, m.NewInt(index, n), ir.InBounds)
	}
	return p, analysis.AlignAt(argAlign(f, v, side), n)
}

// rewriteTransfer rewrites one side of a memcpy or memmove.
func (s *splitter) rewriteTransfer(v ir.Value, split bool) bool {
	f, m := s.F, s.Emitter.M
	if !split {
		s.setPointer(v)
		return false
	}
	side := f.UseIndex(s.use)
	size := s.hi - s.lo
	single := m.IsFirstClass(s.typ) && !m.IsAggregate(s.typ) && m.Kind(s.typ) != ir.KindTarget
	copies := s.vec == ir.NoType && s.wide == ir.NoType &&
		(!s.isWhole() || size != m.StoreSize(s.typ) || m.SizeInBits(s.typ) != m.StoreSize(s.typ)*8 || !single)
	if copies && s.slot == s.old {
		if !s.isSplit && size == s.sliceHi-s.sliceLo {
			if n, ok := memLengthOf(f, v); ok && n != size {
				f.SetOperand(v, memLength, m.NewInt(f.TypeOf(f.Operand(v, memLength)), size))
			}
			return false
		}
	}
	s.erase(v)
	s.lookAgainAt(f.Operand(v, 1-side))
	other, align := s.otherPtr(v, 1-side)
	if copies {
		s.copyPart(v, side, other, align)
		return false
	}
	s.transferValue(v, side, other, align)
	return true
}

// lookAgainAt records that the alloca at the other side of a transfer may now
// be easier to split.
func (s *splitter) lookAgainAt(p ir.Value) {
	if base, _ := objectOf(s.F, p); s.F.Op(base) == ir.OpAlloca && base != s.old && base != s.slot {
		s.work = append(s.work, base)
	}
}

// copyPart creates a transfer of the slice alone.
func (s *splitter) copyPart(v ir.Value, side int, other ir.Value, align uint32) {
	f := s.F
	own := s.pointer(f.TypeOf(s.oldPtr))
	c := s.copyCall(v)
	f.SetOperand(c, side, own)
	setArgAlign(f, c, side, s.align())
	f.SetOperand(c, 1-side, other)
	setArgAlign(f, c, 1-side, align)
}

// transferValue replaces a transfer of the slice by a load and a store.
func (s *splitter) transferValue(v ir.Value, side int, other ir.Value, align uint32) {
	m := s.Emitter.M
	t := s.typ
	if !s.isWhole() {
		switch {
		case s.vec != ir.NoType:
			lo, hi := s.piece()
			if t = m.Scalar(s.vec); hi-lo > 1 {
				t = m.VectorType(t, hi-lo)
			}
		case s.wide != ir.NoType:
			t = m.IntType(int((s.hi - s.lo) * 8))
		}
	}
	if side == memSource {
		x := s.loadAll()
		switch {
		case s.isWhole():
		case s.vec != ir.NoType:
			lo, hi := s.piece()
			x = s.ExtractElements(x, lo, hi)
		default:
			x = s.ExtractInt(s.Reinterpret(x, s.wide), t, s.lo-s.begin)
		}
		s.keepMetadata(s.Store(x, other, align), v, false)
		return
	}
	x := s.Load(t, other, align)
	s.keepMetadata(x, v, false)
	switch {
	case s.isWhole():
		s.storeAll(x)
	case s.vec != ir.NoType:
		s.storeVector(x)
	default:
		s.storeInt(x)
	}
}
