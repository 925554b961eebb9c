package opt

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// sroa splits allocas into parts that are used separately, and promotes parts
// that are only loaded and stored (LLVM's SROA). An alloca is cut at offsets
// that no use crosses; splittable uses (integers, memcpy, memmove, memset) are
// split. A part that is accessed with several types becomes a vector or an
// integer, and its accesses use pieces of it.
//
// Unlike LLVM, sroa does not presplit pairs of integer loads and stores. It
// does not change the control flow for selects whose operands cannot both be
// loaded from.
func sroa(ctx *Context, f *ir.Function) bool {
	s := Scratch[splitter](ctx)
	s.reset(f)
	for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
		if f.Op(v) == ir.OpAlloca {
			s.work = append(s.work, v)
		}
	}
	changed := false
	budget := allocaBudget * (len(s.work) + 1)
	for len(s.work) > 0 {
		for len(s.work) > 0 && budget > 0 {
			budget--
			a := s.work[len(s.work)-1]
			s.work = s.work[:len(s.work)-1]
			if f.Op(a) == ir.OpAlloca && s.alloca(a) {
				changed = true
			}
			s.eraseDead()
		}
		changed = s.promote(ctx) || changed
		if budget <= 0 {
			break
		}
		s.work = append(s.work, s.later...)
		s.later = s.later[:0]
	}
	return changed
}

// allocaBudget bounds the allocas that are examined per original alloca, in
// case splitting does not terminate.
const allocaBudget = 1000

// splitter splits allocas.
type splitter struct {
	slicer
	emit.Emitter

	work     []ir.Value // remaining allocas
	later    []ir.Value // allocas to examine again after promotion
	ready    []ir.Value // allocas that can be promoted
	toErase  []ir.Value
	partial  []partialLoad
	phis     []ir.Value // phis of pointers whose loads may be moved before them
	selects  []ir.Value
	deadList deadWork

	// old alloca and current part
	old, slot            ir.Value
	typ, vec, wide       ir.Type
	begin, end           uint64 // range of the partition
	lo, hi               uint64 // range of the slice inside the partition, relative to the old alloca
	sliceLo, sliceHi     uint64 // range of the whole slice
	oldPtr               ir.Value
	use                  ir.Use
	isSplit              bool
	names                int
	nameText             []byte
	records              []ir.Value
	partPhis, partSelect []ir.Value
}

// partialLoad is a load that is assembled from parts.
type partialLoad struct{ load, value ir.Value }

func (s *splitter) reset(f *ir.Function) {
	s.slicer.f, s.slicer.m = f, f.Module()
	s.Emitter.F, s.Emitter.M = f, f.Module()
	s.work, s.later, s.ready, s.toErase = s.work[:0], s.later[:0], s.ready[:0], s.toErase[:0]
	s.partial = s.partial[:0]
}

// promote promotes the allocas that are ready.
func (s *splitter) promote(ctx *Context) bool {
	f := s.F
	p := Scratch[promoter](ctx)
	p.allocas = p.allocas[:0]
	for _, a := range s.ready {
		if f.Op(a) == ir.OpAlloca && isPromotable(f, a) && !slices.Contains(p.allocas, a) {
			p.allocas = append(p.allocas, a)
		}
	}
	s.ready = s.ready[:0]
	if len(p.allocas) == 0 {
		return false
	}
	p.promoteAllocas(f, cfgOf(ctx, f))
	return true
}

// alloca splits one alloca.
func (s *splitter) alloca(a ir.Value) bool {
	f, m := s.F, s.Emitter.M
	if !f.HasUses(a) {
		f.Erase(a)
		return true
	}
	n, known := m.IntValue(f.Operand(a, 0))
	t := f.AllocatedType(a)
	mi := f.MemInfo(a)
	if !known || n != 1 || mi.InAlloca || mi.SwiftErr || !m.IsSized(t) || m.Kind(t) == ir.KindTarget || m.AllocSize(t) == 0 || m.AllocSize(t) > 1<<32 {
		return s.promoteArray(a)
	}
	changed := s.splitAggregates(a)
	if !s.buildSlices(f, a, m.AllocSize(t)) {
		return changed
	}
	for _, v := range s.dead {
		if f.Op(v) == ir.OpNone {
			continue
		}
		s.erase(v)
		changed = true
	}
	for _, u := range s.deadUses {
		v := f.User(u)
		if f.Op(v) == ir.OpNone {
			continue
		}
		f.SetUse(u, m.Poison(f.TypeOf(f.Operand(v, f.UseIndex(u)))))
		changed = true
	}
	if len(s.slices) == 0 {
		s.dropAll()
		if !f.HasUses(a) {
			s.erase(a)
		}
		return changed
	}
	s.splitAlloca(a)
	s.speculate()
	return true
}

// promoteArray keeps an alloca unchanged: an array of which only the first
// element is used can still be promoted.
func (s *splitter) promoteArray(a ir.Value) bool {
	if isPromotable(s.F, a) {
		s.ready = append(s.ready, a)
	}
	return false
}

// dropAll removes the alloca from all assumptions.
func (s *splitter) dropAll() {
	for _, u := range s.droppable {
		dropUse(s.F, u)
	}
	s.droppable = s.droppable[:0]
}

// erase records an instruction to be removed.
func (s *splitter) erase(v ir.Value) { s.toErase = append(s.toErase, v) }

// eraseDead removes the recorded instructions and the instructions that become
// dead.
func (s *splitter) eraseDead() {
	f := s.F
	for _, v := range s.toErase {
		if f.Op(v) == ir.OpNone {
			continue
		}
		if f.HasUses(v) {
			f.ReplaceUses(v, s.Emitter.M.Poison(f.TypeOf(v)))
		}
		s.deadList.list = append(s.deadList.list[:0], v)
		first := true
		for n := 1; n > 0; n = len(s.deadList.list) {
			v := s.deadList.list[n-1]
			s.deadList.list = s.deadList.list[:n-1]
			if f.Op(v) == ir.OpNone || !first && !analysis.IsDead(f, v) {
				continue
			}
			first = false
			s.deadList.operands(f, v)
			if f.Op(v) == ir.OpAlloca {
				s.eraseDeclares(v)
			}
			f.Erase(v)
		}
	}
	s.toErase = s.toErase[:0]
}

// splitAlloca creates an alloca for each partition and rewrites its slices.
func (s *splitter) splitAlloca(a ir.Value) {
	f := s.F
	s.old, s.names = a, 0
	s.partial = s.partial[:0]
	s.phis, s.selects = s.phis[:0], s.selects[:0]
	s.collectDeclares(a)
	s.partitions(s.part)
	for _, x := range s.partial {
		f.ReplaceUses(x.load, x.value)
		s.erase(x.load)
	}
}

// part creates the alloca of a partition and rewrites its uses.
func (s *splitter) part(p *partition) {
	f := s.F
	s.begin, s.end = p.begin, p.end
	s.typ, s.vec, s.wide = s.partitionType(p, f.AllocatedType(s.old))
	s.slot = s.newAlloca(p)
	s.partPhis, s.partSelect = s.partPhis[:0], s.partSelect[:0]
	promotable := true
	for i := p.lo; i < p.hi; i++ {
		promotable = s.rewrite(&s.slicer.slices[i]) && promotable
	}
	for _, i := range p.tails {
		promotable = s.rewrite(&s.slicer.slices[i]) && promotable
	}
	if promotable {
		promotable = s.canSpeculate()
	}
	switch {
	case promotable && len(s.partPhis) == 0 && len(s.partSelect) == 0:
		s.ready = append(s.ready, s.slot)
		s.dropAll() // the part has no memory any more
	case promotable:
		s.phis, s.selects = append(s.phis, s.partPhis...), append(s.selects, s.partSelect...)
		s.work = append(s.work, s.slot)
	case s.slot != s.old:
		s.work = append(s.work, s.slot)
	}
	if s.slot != s.old {
		s.moveDeclares()
	}
}

// newAlloca creates the alloca of a partition, or reuses the old one if it is
// the same.
func (s *splitter) newAlloca(p *partition) ir.Value {
	f, m := s.F, s.Emitter.M
	if p.begin == 0 && s.typ == f.AllocatedType(s.old) {
		return s.old
	}
	align := analysis.AlignAt(f.Align(s.old), p.begin)
	if align <= m.ABIAlign(s.typ) {
		align = m.PrefAlign(s.typ)
	}
	v := f.NewInstr(ir.OpAlloca, f.TypeOf(s.old), m.NewInt(ir.I32, 1))
	f.Instr(v).X = uint32(s.typ)
	f.Instr(v).Loc = f.Instr(s.old).Loc
	f.SetMemInfo(v, ir.MemInfo{Align: align})
	s.nameText = append(append(s.nameText[:0], f.NameOf(s.old)...), ".sroa."...)
	s.nameText = strconv.AppendInt(s.nameText, int64(s.names), 10)
	s.names++
	f.SetName(v, s.nameText)
	f.InsertBefore(v, s.old)
	return v
}

// sroaParams lists LLVM's parameters. The control flow is never changed, so
// both have the same effect.
var sroaParams = []Param{{Name: "preserve-cfg"}, {Name: "modify-cfg"}}
