package opt

import "github.com/gfx-toolchain/gfx/ir"

// edges collects the predecessors of a block in s.preds, one entry per edge. It
// returns false if one of them ends in a terminator other than br or switch,
// which cannot be redirected.
func (s *cfgSimplifier) edges(b ir.Block) bool {
	f := s.f
	s.preds = s.preds[:0]
	for u := f.FirstPred(b); u != 0; u = f.NextUse(u) {
		if op := f.Op(f.User(u)); op != ir.OpBr && op != ir.OpSwitch {
			return false
		}
		s.preds = append(s.preds, f.PredOf(u))
	}
	return true
}

// phisStayInside reports whether the phis of a block are used only in the
// block, and by phis of its successors for the edge from it. Then paths can
// bypass the block.
func (s *cfgSimplifier) phisStayInside(b ir.Block, inside bool) bool {
	f := s.f
	for phi := f.First(b); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		for u := f.FirstUse(phi); u != 0; u = f.NextUse(u) {
			user := f.User(u)
			if f.Op(user) == ir.OpPhi && f.Parent(user) != b {
				if _, pred := f.Incoming(user, f.UseIndex(u)/2); pred == b {
					continue
				}
				return false
			}
			if f.Op(user) == ir.OpPhi || !inside || f.Parent(user) != b {
				return false
			}
		}
	}
	return true
}

// through returns the value that a phi in a successor of b has if b is entered
// from pred.
func (s *cfgSimplifier) through(phi ir.Value, b, pred ir.Block) ir.Value {
	f := s.f
	v := f.PhiValue(phi, b)
	if v.IsLocal() && f.Op(v) == ir.OpPhi && f.Parent(v) == b {
		return f.PhiValue(v, pred)
	}
	return v
}

// agrees reports whether the phis of to have the same values along the existing
// edge from pred, if any, and along the path from pred through b.
func (s *cfgSimplifier) agrees(to, b, pred ir.Block) bool {
	f := s.f
	if f.Op(f.First(to)) != ir.OpPhi || !hasEdge(f, pred, to) {
		return true
	}
	for phi := f.First(to); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		if f.PhiValue(phi, pred) != s.through(phi, b, pred) {
			return false
		}
	}
	return true
}

// passBy redirects the predecessors of an empty block to its successor.
func (s *cfgSimplifier) passBy(b ir.Block) bool {
	f := s.f
	to := onlySuccessor(f, b)
	if to == 0 || to == b || b == f.Entry() || s.taken.has(f, b) || !f.Op(f.FirstNonPhi(b)).IsTerminator() {
		return false
	}
	if f.SinglePred(to) == b || !s.edges(b) || len(s.preds) == 0 || !s.phisStayInside(b, false) {
		return false
	}
	if s.keepLoops && len(s.preds) > 1 && (s.isHeader(b) || s.isHeader(to)) {
		return false
	}
	loop := f.Attachment(f.Terminator(b), ir.MDLoop)
	for _, p := range s.preds {
		if p == b || !s.agrees(to, b, p) || loop != 0 && f.Attachment(f.Terminator(p), ir.MDLoop) != 0 {
			return false
		}
	}
	for phi := f.First(to); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		s.values = s.values[:0]
		for _, p := range s.preds {
			s.values = append(s.values, s.through(phi, b, p))
		}
		f.RemoveOperands(phi, 2*f.PhiIndex(phi, b), 2)
		for i, p := range s.preds {
			f.AddIncoming(phi, s.values[i], p)
		}
	}
	if loop != 0 {
		for _, p := range s.preds {
			f.SetAttachment(f.Terminator(p), ir.MDLoop, loop)
		}
	}
	f.ReplaceUses(b.Value(), to.Value())
	f.ClearBlock(b)
	f.EraseBlock(b)
	return true
}

// maxAbove bounds the number of dominating branches that are examined for a
// condition's value.
const maxAbove = 8

// foldKnown folds a branch whose condition was decided by a branch that leads
// to it.
func (s *cfgSimplifier) foldKnown(b ir.Block) bool {
	f := s.f
	cond, yes, no, ok := condBr(f, b)
	if !ok || yes == no || cond.IsConst() {
		return false
	}
	at := b
	for range maxAbove {
		p := f.SinglePred(at)
		if p == 0 || p == b {
			return false
		}
		if c, pyes, pno, ok := condBr(f, p); ok && c == cond && pyes != pno {
			f.SetOperand(f.Terminator(b), 0, s.m.NewBool(pyes == at))
			return true
		}
		at = p
	}
	return false
}

// target returns the block that a br or switch branches to for a constant
// value, or 0 if unknown.
func (s *cfgSimplifier) target(t, c ir.Value) ir.Block {
	f := s.f
	if !c.IsConst() {
		return 0
	}
	n, ok := s.m.IntValue(c)
	switch {
	case !ok:
		return 0
	case f.Op(t) == ir.OpSwitch:
		for i := range f.NumCases(t) {
			if x, at := f.CaseOf(t, i); x == c {
				return at
			}
		}
		return f.Operand(t, 1).Block()
	case n != 0:
		return f.Operand(t, 1).Block()
	}
	return f.Operand(t, 2).Block()
}

// passKnown threads paths around a block that contains only phis and a branch
// on one of them, if the phi has a constant along the path.
func (s *cfgSimplifier) passKnown(b ir.Block) bool {
	f := s.f
	t := f.Terminator(b)
	if !s.condBranch || b == f.Entry() || f.FirstNonPhi(b) != t || s.isHeader(b) || s.taken.has(f, b) {
		return false
	}
	if op := f.Op(t); op != ir.OpSwitch && (op != ir.OpBr || f.NumOperands(t) != 3) {
		return false
	}
	cond := f.Operand(t, 0)
	if f.Op(cond) != ir.OpPhi || f.Parent(cond) != b || !s.edges(b) || !s.phisStayInside(b, true) {
		return false
	}
	changed := false
	for _, p := range s.preds {
		i := f.PhiIndex(cond, p)
		if i < 0 || s.countEdges(p, b) != 1 {
			continue
		}
		v, _ := f.Incoming(cond, i)
		to := s.target(t, v)
		if to == 0 || to == b || p == b || !s.agrees(to, b, p) {
			continue
		}
		s.redirect(p, b, to)
		changed = true
	}
	return changed
}

// countEdges counts the edges from a block to another one.
func (s *cfgSimplifier) countEdges(from, to ir.Block) (n int) {
	for _, o := range s.f.Successors(from) {
		if o.Value == to.Value() {
			n++
		}
	}
	return n
}

// redirect replaces the edge from p to b by an edge to a successor of b.
func (s *cfgSimplifier) redirect(p, b, to ir.Block) {
	f := s.f
	for phi := f.First(to); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		f.AddIncoming(phi, s.through(phi, b, p), p)
	}
	f.RemovePhiBlock(b, p)
	t := f.Terminator(p)
	for i, o := range f.Operands(t) {
		if o.Value == b.Value() {
			f.SetOperand(t, i, to.Value())
			return
		}
	}
}
