package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// canSpeculate reports whether the loads through all phis and selects of the
// current part can be moved before them.
func (s *splitter) canSpeculate() bool {
	for _, v := range s.partPhis {
		if !s.phiCanSpeculate(v) {
			return false
		}
	}
	for _, v := range s.partSelect {
		if !s.selectCanSpeculate(v) {
			return false
		}
	}
	return true
}

// phiCanSpeculate reports whether a phi of pointers is only loaded from, in its
// own block before any write, and the loads are safe at the ends of the
// incoming blocks.
func (s *splitter) phiCanSpeculate(phi ir.Value) bool {
	f, m := s.F, s.Emitter.M
	b := f.Parent(phi)
	t, align := ir.NoType, uint32(0)
	for u := f.FirstUse(phi); u != 0; u = f.NextUse(u) {
		v := f.User(u)
		if f.Op(v) != ir.OpLoad || !f.IsSimple(v) || f.Parent(v) != b || t != ir.NoType && t != f.TypeOf(v) {
			return false
		}
		for w := f.Prev(v); w != phi && w != ir.None && f.Op(w) != ir.OpPhi; w = f.Prev(w) {
			if analysis.MayWrite(f, w) {
				return false
			}
		}
		t, align = f.TypeOf(v), max(align, f.Align(v))
	}
	if t == ir.NoType {
		return false
	}
	for i := range f.NumIncoming(phi) {
		p, pred := f.Incoming(phi, i)
		end := f.Terminator(pred)
		if end == p || analysis.MayWrite(f, end) {
			return false
		}
		if f.Op(end) == ir.OpBr && f.NumOperands(end) == 1 && s.loadedInBlock(p, pred, t, align) {
			continue
		}
		if !analysis.IsUndef(f, p) && !canLoad(f, p, m.StoreSize(t), align) {
			return false
		}
	}
	return true
}

// loadedInBlock reports whether a block certainly loads or stores a type
// through a pointer with an alignment.
func (s *splitter) loadedInBlock(p ir.Value, b ir.Block, t ir.Type, align uint32) bool {
	f, m := s.F, s.Emitter.M
	size := m.StoreSize(t)
	n := 0
	for v := f.Last(b); v != ir.None && n < 16; v, n = f.Prev(v), n+1 {
		switch f.Op(v) {
		case ir.OpLoad:
			if f.Operand(v, 0) == p && f.Align(v) >= align && m.StoreSize(f.TypeOf(v)) >= size {
				return true
			}
		case ir.OpStore:
			if f.Operand(v, 1) == p && f.Align(v) >= align && m.StoreSize(f.TypeOf(f.Operand(v, 0))) >= size {
				return true
			}
		case ir.OpCall:
			if analysis.HasSideEffects(f, v) {
				return false
			}
		}
	}
	return false
}

// selectCanSpeculate reports whether a select of pointers is only loaded from
// and both operands are safe to load from.
func (s *splitter) selectCanSpeculate(v ir.Value) bool {
	f, m := s.F, s.Emitter.M
	found := false
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		load := f.User(u)
		if f.Op(load) != ir.OpLoad || !f.IsSimple(load) {
			return false
		}
		size := m.StoreSize(f.TypeOf(load))
		for i := 1; i <= 2; i++ {
			if p := f.Operand(v, i); !analysis.IsUndef(f, p) && !canLoad(f, p, size, f.Align(load)) {
				return false
			}
		}
		found = true
	}
	return found
}

// speculate moves loads before the phis and selects that permit it.
func (s *splitter) speculate() {
	for i, v := range s.phis {
		if s.F.Op(v) == ir.OpPhi && !contains(s.phis[:i], v) {
			s.speculatePhi(v)
		}
	}
	for i, v := range s.selects {
		if s.F.Op(v) == ir.OpSelect && !contains(s.selects[:i], v) {
			s.speculateSelect(v)
		}
	}
	s.phis, s.selects = s.phis[:0], s.selects[:0]
}

// speculatePhi replaces a load of a phi by a phi of loads.
func (s *splitter) speculatePhi(phi ir.Value) {
	f, m := s.F, s.Emitter.M
	if !f.HasUses(phi) {
		s.erase(phi)
		return
	}
	load := f.User(f.FirstUse(phi))
	t, align := f.TypeOf(load), uint32(1)
	for u := f.FirstUse(phi); u != 0; u = f.NextUse(u) {
		align = max(align, f.Align(f.User(u)))
	}
	made := f.NewInstr(ir.OpPhi, t)
	f.InsertBefore(made, phi)
	f.Instr(made).Loc = f.Instr(phi).Loc
	for i := range f.NumIncoming(phi) {
		p, pred := f.Incoming(phi, i)
		v := f.PhiValue(made, pred) // a predecessor may have several edges
		switch {
		case v != ir.None:
		case analysis.IsUndef(f, p):
			v = m.Undef(t)
		default:
			s.Before(f.Terminator(pred))
			v = s.Load(t, p, align)
			f.Instr(v).Loc = f.Instr(load).Loc
		}
		f.AddIncoming(made, v, pred)
	}
	for u := f.FirstUse(phi); u != 0; u = f.FirstUse(phi) {
		load := f.User(u)
		f.ReplaceUses(load, made)
		f.Erase(load)
	}
	s.erase(phi)
}

// speculateSelect replaces each load of a select by a select of loads.
func (s *splitter) speculateSelect(v ir.Value) {
	f, m := s.F, s.Emitter.M
	for u := f.FirstUse(v); u != 0; u = f.FirstUse(v) {
		load := f.User(u)
		t := f.TypeOf(load)
		s.Before(load)
		var sides [2]ir.Value
		for i := range sides {
			p := f.Operand(v, 1+i)
			if analysis.IsUndef(f, p) {
				sides[i] = m.Undef(t)
				continue
			}
			sides[i] = s.Load(t, p, f.Align(load))
			s.keepMetadata(sides[i], load, false)
		}
		made := s.Select(f.Operand(v, 0), sides[0], sides[1])
		if name := f.NameOf(load); name != nil {
			f.SetName(made, name)
		}
		f.ReplaceUses(load, made)
		f.Erase(load)
	}
	s.erase(v)
}
