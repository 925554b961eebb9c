package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// foldUndefined ends a block at certain undefined behaviour: after a call that
// does not return, at accesses of null or undef, at a false assumption, and at
// a branch on undef.
func (s *cfgSimplifier) foldUndefined(b ir.Block) bool {
	f := s.f
	for v := f.First(b); v != ir.None; v = f.Next(v) {
		switch f.Op(v) {
		case ir.OpCall:
			if next := f.Next(v); s.endsHere(v) && f.TailKind(v) != ir.MustTail && next != ir.None && f.Op(next) != ir.OpUnreachable {
				makeUnreachable(f, next)
				return true
			}
			if s.isWrongCall(v) {
				makeUnreachable(f, v)
				return true
			}
		case ir.OpStore:
			if !f.IsVolatile(v) && s.isNowhere(f.Operand(v, 1)) {
				makeUnreachable(f, v)
				return true
			}
		case ir.OpBr, ir.OpSwitch:
			if f.NumOperands(v) > 1 && analysis.IsUndef(f, f.Operand(v, 0)) {
				makeUnreachable(f, v)
				return true
			}
		}
	}
	return false
}

// endsHere reports whether a call does not return.
func (s *cfgSimplifier) endsHere(v ir.Value) bool { return analysis.CallHas(s.f, v, ir.AttrNoReturn) }

// isWrongCall reports whether a call is undefined behaviour: a call of null or
// undef, or a false assumption.
func (s *cfgSimplifier) isWrongCall(v ir.Value) bool {
	f := s.f
	callee := f.Callee(v)
	if analysis.IsUndef(f, callee) || s.isNull(callee) {
		return true
	}
	if f.CalledIntrinsic(v) != ir.IntrAssume {
		return false
	}
	c := f.Operand(v, 0)
	n, ok := uint64(0), false
	if c.IsConst() {
		n, ok = s.m.IntValue(c)
	}
	return analysis.IsUndef(f, c) || ok && n == 0
}

// isNull reports whether a pointer is null in an address space where null is
// not a valid address.
func (s *cfgSimplifier) isNull(p ir.Value) bool {
	f, m := s.f, s.m
	return p.IsConst() && f.TypeOf(p) == ir.Ptr && m.ConstKindOf(p) == ir.ConstZero &&
		!m.HasAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), ir.AttrNullPointerIsValid)
}

// isNowhere reports whether a pointer is certainly invalid.
func (s *cfgSimplifier) isNowhere(p ir.Value) bool { return analysis.IsUndef(s.f, p) || s.isNull(p) }

// foldTerminator folds a branch or switch whose target is known or whose
// targets are all the same.
func (s *cfgSimplifier) foldTerminator(b ir.Block) bool {
	f := s.f
	t := f.Terminator(b)
	switch f.Op(t) {
	case ir.OpBr:
		return s.foldBr(b)
	case ir.OpSwitch:
		return s.foldSwitch(b, t)
	case ir.OpIndirectBr:
		return s.foldIndirect(b, t)
	}
	return false
}

func (s *cfgSimplifier) foldBr(b ir.Block) bool {
	cond, yes, no, ok := condBr(s.f, b)
	if !ok {
		return false
	}
	to := yes
	if yes != no {
		if !cond.IsConst() {
			return false
		}
		n, known := s.m.IntValue(cond)
		if !known {
			return false
		}
		if n == 0 {
			to = no
		}
	}
	replaceTerminator(s.f, b, to)
	s.eraseDead(cond)
	return true
}

// foldIndirect replaces an indirectbr to one known block by br.
func (s *cfgSimplifier) foldIndirect(b ir.Block, t ir.Value) bool {
	f := s.f
	addr := f.Operand(t, 0)
	if !addr.IsConst() || s.m.ConstKindOf(addr) != ir.ConstBlockAddress {
		return false
	}
	to := s.m.ConstBlock(addr)
	if s.m.ConstOperands(addr)[0] != f.Value() || !hasEdge(f, b, to) {
		return false
	}
	replaceTerminator(f, b, to)
	return true
}

// isOnlyUnreachable reports whether a block contains only unreachable.
func (s *cfgSimplifier) isOnlyUnreachable(b ir.Block) bool {
	return s.f.Op(s.f.First(b)) == ir.OpUnreachable
}

func (s *cfgSimplifier) foldSwitch(b ir.Block, t ir.Value) bool {
	f := s.f
	v := f.Operand(t, 0)
	def := f.Operand(t, 1).Block()
	if v.IsConst() {
		if _, known := s.m.IntValue(v); known || s.m.ConstKindOf(v) == ir.ConstWide {
			to := def
			for i := range f.NumCases(t) {
				if c, at := f.CaseOf(t, i); c == v {
					to = at
				}
			}
			replaceTerminator(f, b, to)
			return true
		}
	}
	// Remove cases that equal the default or are never taken.
	changed := false
	for i := f.NumCases(t) - 1; i >= 0; i-- {
		_, at := f.CaseOf(t, i)
		if at != def && !s.isOnlyUnreachable(at) {
			continue
		}
		f.RemovePhiBlock(at, b)
		f.RemoveOperands(t, 2+2*i, 2)
		changed = true
	}
	if changed {
		f.SetAttachment(t, ir.MDProf, 0)
		return true
	}
	switch n := f.NumCases(t); {
	case n == 0:
		replaceTerminator(f, b, def)
		s.eraseDead(v)
		return true
	case s.isOnlyUnreachable(def):
		return s.foldDefault(b, t)
	case n == 1:
		c, at := f.CaseOf(t, 0)
		s.branchOn(t, ir.ICmpEQ, c, at, def)
		return true
	}
	return s.range_ && s.foldRange(b, t)
}

// foldDefault folds a switch whose default is never taken: to one block, or to
// two blocks if one of them has a single case.
func (s *cfgSimplifier) foldDefault(b ir.Block, t ir.Value) bool {
	f := s.f
	n := f.NumCases(t)
	first, to := f.CaseOf(t, 0)
	other, times := ir.Block(0), 0
	otherCase := ir.None
	for i := 1; i < n; i++ {
		c, at := f.CaseOf(t, i)
		switch at {
		case to:
		case other:
			times++
		default:
			if other != 0 {
				return false
			}
			other, otherCase, times = at, c, 1
		}
	}
	switch {
	case other == 0:
		v := f.Operand(t, 0)
		replaceTerminator(f, b, to)
		s.eraseDead(v)
	case times == 1:
		s.dropEdges(b, t, to, n-2)
		s.branchOn(t, ir.ICmpEQ, otherCase, other, to)
	case times == n-1:
		s.dropEdges(b, t, other, times-1)
		s.branchOn(t, ir.ICmpEQ, first, to, other)
	default:
		return false
	}
	return true
}

// dropEdges removes n edges from b to a block, and the default edge, from phis.
func (s *cfgSimplifier) dropEdges(b ir.Block, t ir.Value, to ir.Block, n int) {
	for range n {
		s.f.RemovePhiBlock(to, b)
	}
	s.f.RemovePhiBlock(s.f.Operand(t, 1).Block(), b)
}

// branchOn replaces a switch by a conditional br on a comparison of its value.
func (s *cfgSimplifier) branchOn(t ir.Value, p ir.Pred, c ir.Value, yes, no ir.Block) {
	f := s.f
	s.b.Before(t)
	cond := s.b.Compare(p, f.Operand(t, 0), c)
	f.SetName(cond, []byte("cond"))
	br := f.NewInstr(ir.OpBr, ir.Void, cond, yes.Value(), no.Value())
	f.Instr(br).Loc = f.Instr(t).Loc
	if md := f.Attachment(t, ir.MDLoop); md != 0 {
		f.SetAttachment(br, ir.MDLoop, md)
	}
	SwapTerminator(f, t, br)
}

// foldRange replaces a switch by a comparison if its cases form one range of
// numbers and lead to one block.
func (s *cfgSimplifier) foldRange(b ir.Block, t ir.Value) bool {
	f, m := s.f, s.m
	n := f.NumCases(t)
	_, to := f.CaseOf(t, 0)
	lo, hi := int64(0), int64(0)
	for i := range n {
		c, at := f.CaseOf(t, i)
		x, ok := m.SignedValue(c)
		if !ok || at != to {
			return false
		}
		if i == 0 {
			lo, hi = x, x
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	if hi-lo != int64(n-1) {
		return false
	}
	s.b.Before(t)
	v := f.Operand(t, 0)
	typ := f.TypeOf(v)
	if lo != 0 {
		v = s.b.Add(v, m.NewSigned(typ, -lo))
	}
	cond := s.b.Compare(ir.ICmpULT, v, m.NewInt(typ, uint64(n)))
	for range n - 1 {
		f.RemovePhiBlock(to, b)
	}
	br := f.NewInstr(ir.OpBr, ir.Void, cond, to.Value(), f.Operand(t, 1))
	f.Instr(br).Loc = f.Instr(t).Loc
	SwapTerminator(f, t, br)
	return true
}

// foldUnreachable removes the instructions that certainly lead to unreachable,
// and then the edges to it.
func (s *cfgSimplifier) foldUnreachable(b ir.Block) bool {
	f := s.f
	u := f.Terminator(b)
	if f.Op(u) != ir.OpUnreachable {
		return false
	}
	changed := false
	for v := f.Prev(u); v != ir.None && s.alwaysContinues(v); v = f.Prev(u) {
		if f.HasUses(v) {
			f.ReplaceUses(v, s.m.Poison(f.TypeOf(v)))
		}
		f.Erase(v)
		changed = true
	}
	if f.First(b) != u {
		return changed
	}
	for use := f.FirstPred(b); use != 0; {
		t := f.User(use)
		use = f.NextUse(use)
		if s.dropTarget(t, b) {
			changed = true
			use = f.FirstPred(b) // several edges may have been removed
			if !s.canDropMore(b) {
				break
			}
		}
	}
	return changed
}

// alwaysContinues reports whether execution certainly continues after an instruction,
// without an effect that must precede undefined behaviour.
func (s *cfgSimplifier) alwaysContinues(v ir.Value) bool {
	f := s.f
	if f.Op(v).IsPad() || analysis.MayThrow(f, v) || !analysis.WillReturn(f, v) {
		return false
	}
	switch f.Op(v) {
	case ir.OpLoad, ir.OpStore, ir.OpCmpXchg, ir.OpAtomicRMW:
		return !f.IsVolatile(v)
	case ir.OpFence:
		return false
	}
	return true
}

// canDropMore reports whether a removable edge to an unreachable block remains.
func (s *cfgSimplifier) canDropMore(b ir.Block) bool {
	f := s.f
	for u := f.FirstPred(b); u != 0; u = f.NextUse(u) {
		switch t := f.User(u); f.Op(t) {
		case ir.OpBr:
			return true
		case ir.OpSwitch:
			if f.UseIndex(u) > 1 {
				return true
			}
		}
	}
	return false
}

// dropTarget removes the edges of a terminator to an unreachable block.
func (s *cfgSimplifier) dropTarget(t ir.Value, b ir.Block) bool {
	f := s.f
	pred := f.Parent(t)
	switch f.Op(t) {
	case ir.OpBr:
		cond, yes, no, ok := condBr(f, pred)
		switch {
		case !ok || yes == no:
			makeUnreachable(f, t)
		case yes == b:
			replaceTerminator(f, pred, no)
			s.eraseDead(cond)
		default:
			replaceTerminator(f, pred, yes)
			s.eraseDead(cond)
		}
		return true
	case ir.OpSwitch:
		for i := range f.NumCases(t) {
			if _, at := f.CaseOf(t, i); at == b {
				f.RemovePhiBlock(b, pred)
				f.RemoveOperands(t, 2+2*i, 2)
				f.SetAttachment(t, ir.MDProf, 0)
				return true
			}
		}
	}
	return false
}
