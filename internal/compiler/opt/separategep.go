package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// gepSeparator splits getelementptr instructions into parts.
type gepSeparator struct {
	emit.Emitter
	f     *ir.Function
	list  []ir.Value
	terms []gepTerm

	graph  analysis.Graph
	tree   analysis.DomTree
	cycles analysis.Loops
	uni    *analysis.Uniformity
}

// gepTerm is a variable index with the type that it scales by.
type gepTerm struct {
	index     ir.Value
	t         ir.Type
	divergent bool
	depth     uint32 // loop depth of its definition
}

// maxGEPLook bounds the operations of an index that are searched for a
// constant.
const maxGEPLook = 4

// separateGEPs splits getelementptr instructions into one per index, the
// constant part last (LLVM's separate-const-offset-from-gep). The constant can
// then become the offset of an instruction, and neighbouring accesses share a
// pointer. Constants are also extracted from sums in indices. Uniform and
// loop-invariant indices precede the others.
func separateGEPs(ctx *Context, f *ir.Function) bool {
	s := Scratch[gepSeparator](ctx)
	s.f, s.M, s.F = f, f.Module(), f
	s.list = s.list[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpGetElementPtr && s.wants(v) {
				s.list = append(s.list, v)
			}
		}
	}
	if len(s.list) == 0 {
		return false
	}
	s.analyse(ctx)
	changed := false
	for _, v := range s.list {
		changed = s.separate(v) || changed
	}
	return changed
}

func (s *gepSeparator) analyse(ctx *Context) {
	wave := 64
	if ctx.Target != nil {
		wave = ctx.Target.WaveSize()
	}
	s.graph.ResetCFG(s.f)
	s.tree.Reset(&s.graph)
	s.cycles.ResetCycles(&s.graph)
	if s.uni == nil {
		s.uni = analysis.NewUniformity(s.f, &s.tree, &s.cycles, wave)
	} else {
		s.uni.Reset(s.f, &s.tree, &s.cycles, wave)
	}
}

// wants reports whether a getelementptr can be split: it returns one pointer
// and has at least one index.
func (s *gepSeparator) wants(v ir.Value) bool {
	f, m := s.f, s.M
	if m.IsVector(f.TypeOf(v)) || m.Kind(f.GEPSource(v)) == ir.KindTarget {
		return false
	}
	for _, o := range f.Operands(v)[1:] {
		if m.IsVector(f.TypeOf(o.Value)) {
			return false
		}
	}
	return true
}

// separate splits a getelementptr.
func (s *gepSeparator) separate(v ir.Value) bool {
	f, m := s.f, s.M
	width := m.Layout().Pointer(m.AddrSpace(f.TypeOf(v))).IndexBits
	s.Before(v)
	offset, taken, ok := s.parse(v, width)
	p, before, through := s.throughConst(v)
	switch {
	case !ok || len(s.terms) == 0 && !through && s.isPlain(v):
		return false
	case len(s.terms) == 1 && offset == 0 && !taken && !through && f.NumOperands(v) == 2:
		return false
	}
	flags := s.flags(v, offset, taken)
	if through {
		flags &= f.Instr(f.Operand(v, 0)).Flags
		if flags &= ir.NUW; before < 0 || offset < 0 {
			flags = 0
		}
	}
	offset = signExtend(offset+before, width)
	slices.SortStableFunc(s.terms, compareTerms)
	index := m.IntType(int(width))
	for _, t := range s.terms {
		p = s.GEP(t.t, flags, p, s.toWidth(t.index, index))
	}
	if offset != 0 {
		p = s.PtrAdd(p, m.NewSigned(index, offset), flags)
	}
	if p.IsLocal() && f.HasName(v) && !f.HasName(p) {
		f.SetName(p, f.NameOf(v))
	}
	f.ReplaceUses(v, p)
	f.Erase(v)
	return true
}

// throughConst returns the base pointer of a getelementptr without a preceding
// constant offset, which then moves after the indices.
func (s *gepSeparator) throughConst(v ir.Value) (p ir.Value, offset int64, through bool) {
	f := s.f
	p = f.Operand(v, 0)
	if f.Op(p) != ir.OpGetElementPtr || !s.isPlain(p) {
		return p, 0, false
	}
	if offset, through = gepOffset(f, p); through {
		p = f.Operand(p, 0)
	}
	return p, offset, through
}

// isPlain reports whether a getelementptr adds a constant number of bytes.
func (s *gepSeparator) isPlain(v ir.Value) bool {
	return s.f.NumOperands(v) == 2 && s.M.AllocSize(s.f.GEPSource(v)) == 1
}

// flags returns the flags that hold for all parts: none if an intermediate
// result may leave the object, and at most nuw if an index may be negative.
func (s *gepSeparator) flags(v ir.Value, offset int64, taken bool) ir.Flags {
	flags := s.f.Instr(v).Flags
	if taken || offset < 0 {
		return 0
	}
	for _, t := range s.terms {
		if !analysis.KnownBits(s.f, t.index).NonNegative() {
			return flags & ir.NUW
		}
	}
	return flags
}

// compareTerms orders indices: uniform ones first, then by increasing loop
// depth.
func compareTerms(a, b gepTerm) int {
	if a.divergent != b.divergent {
		if b.divergent {
			return -1
		}
		return 1
	}
	return int(a.depth) - int(b.depth)
}

// toWidth converts an index to the width of offsets.
func (s *gepSeparator) toWidth(v ir.Value, t ir.Type) ir.Value {
	if from, to := s.M.IntBits(s.f.TypeOf(v)), s.M.IntBits(t); from < to {
		if !v.IsConst() && analysis.KnownBits(s.f, v).NonNegative() { // selection prefers zero extensions
			z := s.Make(ir.OpZExt, t, v)
			s.f.Instr(z).Flags |= ir.NNeg
			return z
		}
		return s.FoldCast(ir.OpSExt, v, t)
	} else if from > to {
		return s.FoldCast(ir.OpTrunc, v, t)
	}
	return v
}

// parse fills s.terms with the indices of a getelementptr and returns the
// constant part. taken reports whether a part of the constant was inside an
// index.
func (s *gepSeparator) parse(v ir.Value, width uint32) (offset int64, taken, ok bool) {
	f, m := s.f, s.M
	s.terms = s.terms[:0]
	t := f.GEPSource(v)
	n := f.NumOperands(v)
	for i := 1; i < n; i++ {
		o := f.Operand(v, i)
		if i > 1 {
			if m.Kind(t) == ir.KindStruct {
				k, _ := m.IntValue(o)
				offset += int64(m.FieldOffset(t, int(k)))
				t = m.ElementType(t, k)
				continue
			}
			t = m.ElementType(t, 0)
		}
		size := int64(m.AllocSize(t))
		if c, known := m.SignedValue(o); o.IsConst() && known {
			offset += c * size
			continue
		}
		if o.IsConst() {
			return 0, false, false
		}
		index, c := s.takeConstant(o, width)
		if c != 0 {
			taken = true
			offset += c * size
		}
		if index == ir.None {
			continue
		}
		term := gepTerm{index: index, t: t, divergent: s.uni.Divergent(o)}
		if b := f.Parent(o); b != 0 && uint32(b) <= uint32(s.graph.N()) {
			term.depth = uint32(s.cycles.NodeDepth(uint32(b)))
		}
		s.terms = append(s.terms, term)
	}
	return offset, taken, true
}

// takeConstant splits an index into a remaining index and an added constant.
// The remaining index is None if it is zero.
func (s *gepSeparator) takeConstant(v ir.Value, width uint32) (ir.Value, int64) {
	f, m := s.f, s.M
	bits := uint32(m.IntBits(f.TypeOf(v)))
	switch {
	case bits == width:
		return s.takeSum(v, maxGEPLook)
	case bits < width: // the index is sign-extended
		if x, c, ok := s.constSum(v, ir.NSW); ok {
			return x, c
		}
	}
	return v, 0
}

// takeSum is take for a sum that may wrap.
func (s *gepSeparator) takeSum(v ir.Value, depth int) (ir.Value, int64) {
	f, m := s.f, s.M
	if !v.IsLocal() || depth == 0 {
		return v, 0
	}
	switch op := f.Op(v); op {
	case ir.OpAdd, ir.OpOr:
		if x, c, ok := s.constSum(v, 0); ok {
			x, more := s.takeSum(x, depth-1)
			return x, c + more
		}
		if op == ir.OpOr {
			break
		}
		x, c := s.takeSum(f.Operand(v, 0), depth-1)
		y, d := s.takeSum(f.Operand(v, 1), depth-1)
		if c != 0 || d != 0 {
			return s.FoldBinary(ir.OpAdd, x, y), c + d
		}
	case ir.OpShl:
		if k, ok := m.IntValue(f.Operand(v, 1)); ok && k < 32 {
			if x, c := s.takeSum(f.Operand(v, 0), depth-1); c != 0 {
				return s.Shift(ir.OpShl, x, k), c << k
			}
		}
	case ir.OpSExt, ir.OpZExt:
		if op == ir.OpZExt {
			if x, c := s.takeUnsigned(f.Operand(v, 0), depth); c != 0 {
				return s.FoldCast(op, x, f.TypeOf(v)), c
			}
			if f.Instr(v).Flags&ir.NNeg == 0 {
				break
			}
		}
		if x, c, ok := s.constSum(f.Operand(v, 0), ir.NSW); ok {
			return s.FoldCast(ir.OpSExt, x, f.TypeOf(v)), c
		}
	}
	return v, 0
}

// takeUnsigned splits a value of at most 32 bits into a remaining value and an
// added unsigned constant. No sum wraps.
func (s *gepSeparator) takeUnsigned(v ir.Value, depth int) (ir.Value, int64) {
	f, m := s.f, s.M
	if !v.IsLocal() || depth == 0 || m.IntBits(f.TypeOf(v)) > 32 {
		return v, 0
	}
	if x, c, ok := s.constSum(v, ir.NUW); ok {
		x, more := s.takeUnsigned(x, depth-1)
		return x, c&(1<<m.IntBits(f.TypeOf(x))-1) + more
	}
	if f.Op(v) != ir.OpAdd || f.Instr(v).Flags&ir.NUW == 0 {
		return v, 0
	}
	x, c := s.takeUnsigned(f.Operand(v, 0), depth-1)
	y, d := s.takeUnsigned(f.Operand(v, 1), depth-1)
	if c+d == 0 {
		return v, 0
	}
	sum := s.FoldBinary(ir.OpAdd, x, y)
	if !sum.IsConst() {
		f.Instr(sum).Flags |= ir.NUW
	}
	return sum, c + d
}

// constSum splits a sum with a constant that has the needed flags. A disjoint
// or is a sum with all flags.
func (s *gepSeparator) constSum(v ir.Value, need ir.Flags) (x ir.Value, c int64, ok bool) {
	f, m := s.f, s.M
	if !v.IsLocal() || m.IntBits(f.TypeOf(v)) > 64 {
		return 0, 0, false
	}
	switch f.Op(v) {
	case ir.OpAdd:
		ok = f.Instr(v).Flags&need == need
	case ir.OpOr:
		ok = f.Instr(v).Flags&ir.Disjoint != 0
	}
	if !ok {
		return 0, 0, false
	}
	c, ok = m.SignedValue(f.Operand(v, 1))
	return f.Operand(v, 0), c, ok && f.Operand(v, 1).IsConst()
}
