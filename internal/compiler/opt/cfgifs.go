package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// Limits of the code that is executed unconditionally instead of under a
// branch, in units of costOf. They are LLVM's
// two-entry-phi-node-folding-threshold and phi-node-folding-threshold and
// constants in LLVM's code.
const (
	costOfIf       = 4 // both sides of an if, no other paths join
	phisOfIf       = 2 // selects that replace phis
	costOfSideway  = 1 // one side, other paths join too
	phisOfSideway  = 2
	maxSpeculated  = 64 // instructions examined
	costOfTooDear  = 1 << 20
	commonBonusMax = 64
)

// ifShape is a branch whose sides join immediately.
type ifShape struct {
	cond    ir.Value
	yes, no ir.Block // blocks of the sides, 0 if empty
	join    ir.Block
}

// isSide reports whether d is the only predecessor of a block that has a single
// successor.
func (s *cfgSimplifier) isSide(b, d ir.Block) bool {
	f := s.f
	return b != d && f.SinglePred(b) == d && onlySuccessor(f, b) != 0 && !s.taken.has(f, b) && f.Op(f.First(b)) != ir.OpPhi
}

// shapeOf finds the if that a block ends in.
func (s *cfgSimplifier) shapeOf(d ir.Block) (ifShape, bool) {
	f := s.f
	cond, yes, no, ok := condBr(f, d)
	if !ok || yes == no {
		return ifShape{}, false
	}
	x := ifShape{cond: cond}
	switch sy, sn := s.isSide(yes, d), s.isSide(no, d); {
	case sy && onlySuccessor(f, yes) == no:
		x.yes, x.join = yes, no
	case sn && onlySuccessor(f, no) == yes:
		x.no, x.join = no, yes
	case sy && sn && onlySuccessor(f, yes) == onlySuccessor(f, no):
		x.yes, x.no, x.join = yes, no, onlySuccessor(f, yes)
	default:
		return ifShape{}, false
	}
	return x, x.join != d && x.join != x.yes && x.join != x.no
}

// sideCost returns the cost of executing a side unconditionally, or
// costOfTooDear if that is impossible.
func (s *cfgSimplifier) sideCost(b ir.Block) (cost int) {
	f := s.f
	if b == 0 {
		return 0
	}
	n := 0
	for v := f.First(b); !f.Op(v).IsTerminator(); v = f.Next(v) {
		if n++; n > maxSpeculated || !canSpeculate(f, v) {
			return costOfTooDear
		}
		cost += costOf(f, v)
	}
	return cost
}

// convertIf converts a small if to selects.
func (s *cfgSimplifier) convertIf(d ir.Block) bool {
	f := s.f
	x, ok := s.shapeOf(d)
	if !ok || !s.blocks {
		return false
	}
	from := func(b ir.Block) ir.Block {
		if b != 0 {
			return b
		}
		return d
	}
	selects := 0
	for phi := f.First(x.join); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		if f.PhiValue(phi, from(x.yes)) != f.PhiValue(phi, from(x.no)) {
			selects++
		}
	}
	if s.foldPhis(x.join) || s.speculateStore(d, x) {
		return true
	}
	cost := s.sideCost(x.yes) + s.sideCost(x.no)
	alone := !f.HasUsesAtLeast(x.join.Value(), 3)
	switch {
	case alone && cost <= costOfIf && selects <= phisOfIf:
	case (x.yes == 0 || x.no == 0) && cost <= costOfSideway && selects <= phisOfSideway && s.sideCount(x) <= 1:
	default:
		return false
	}
	s.flatten(d, x, from(x.yes), from(x.no))
	return true
}

// maxStoreWindow bounds the number of instructions before a branch that are
// searched for a store.
const maxStoreWindow = 9

// speculateStore executes the store of one side of an if unconditionally. The side
// does nothing else, and the same address was stored to before the branch: the
// store writes either the new value or the old one again.
func (s *cfgSimplifier) speculateStore(d ir.Block, x ifShape) bool {
	f := s.f
	side := x.yes + x.no
	if x.yes != 0 && x.no != 0 {
		return false
	}
	store := f.First(side)
	if f.Op(store) != ir.OpStore || !f.IsSimple(store) || !f.Op(f.Next(store)).IsTerminator() {
		return false
	}
	for phi := f.First(x.join); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		if f.PhiValue(phi, side) != f.PhiValue(phi, d) {
			return false
		}
	}
	old := s.storedBefore(d, store)
	if old == ir.None {
		return false
	}
	t := f.Terminator(d)
	s.b.Before(t)
	v := f.Operand(store, 0)
	if x.yes != 0 {
		v = s.b.Select(x.cond, v, old)
	} else {
		v = s.b.Select(x.cond, old, v)
	}
	f.SetName(v, []byte("spec.store.select"))
	f.SetOperand(store, 0, v)
	f.MoveBefore(store, t)
	return true // the rest of the if is empty
}

// storedBefore returns the value at the store's address at the end of a block
// if storing it again is safe: it was stored there before, or loaded from a
// local variable. Otherwise it returns None.
func (s *cfgSimplifier) storedBefore(d ir.Block, store ir.Value) ir.Value {
	f := s.f
	n := 0
	for v := f.Prev(f.Terminator(d)); v != ir.None && n < maxStoreWindow; v, n = f.Prev(v), n+1 {
		if f.Op(v) == ir.OpStore && f.IsSimple(v) && f.Operand(v, 1) == f.Operand(store, 1) &&
			f.TypeOf(f.Operand(v, 0)) == f.TypeOf(f.Operand(store, 0)) && f.Align(v) >= f.Align(store) {
			return f.Operand(v, 0)
		}
		if f.Op(v) == ir.OpLoad && f.IsSimple(v) && f.Operand(v, 0) == f.Operand(store, 1) && f.TypeOf(v) == f.TypeOf(f.Operand(store, 0)) &&
			f.Align(v) >= f.Align(store) && s.isPrivate(f.Operand(v, 0)) {
			return v
		}
		if analysis.MayWrite(f, v) || analysis.MayRead(f, v) && f.Op(v) != ir.OpLoad {
			return ir.None
		}
	}
	return ir.None
}

// isPrivate reports whether a pointer is into an alloca whose address does not
// escape: stores to it are invisible elsewhere.
func (s *cfgSimplifier) isPrivate(p ir.Value) bool {
	f := s.f
	base, _ := objectOf(f, p)
	return f.Op(base) == ir.OpAlloca && s.staysHere(base, 0)
}

// maxDepth and maxUses bound the search through the uses of an alloca, and the
// uses of one pointer.
const (
	maxDepth = 4
	maxUses  = 64
)

func (s *cfgSimplifier) staysHere(p ir.Value, depth int) bool {
	f := s.f
	if f.HasUsesAtLeast(p, maxUses) {
		return false
	}
	for u := f.FirstUse(p); u != 0; u = f.NextUse(u) {
		switch v := f.User(u); f.Op(v) {
		case ir.OpLoad:
		case ir.OpStore:
			if f.UseIndex(u) == 0 {
				return false
			}
		case ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast:
			if depth >= maxDepth || !s.staysHere(v, depth+1) {
				return false
			}
		case ir.OpCall:
			if !analysis.IsLifetime(f, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sideCount counts the instructions of both sides.
func (s *cfgSimplifier) sideCount(x ifShape) (n int) {
	f := s.f
	for _, b := range [...]ir.Block{x.yes, x.no} {
		if b == 0 {
			continue
		}
		for v := f.First(b); !f.Op(v).IsTerminator(); v = f.Next(v) {
			n++
		}
	}
	return n
}

// flatten moves both sides of an if into d and replaces the phis after it by
// selects.
func (s *cfgSimplifier) flatten(d ir.Block, x ifShape, yes, no ir.Block) {
	f := s.f
	t := f.Terminator(d)
	loop := f.Attachment(t, ir.MDLoop)
	for _, b := range [...]ir.Block{x.yes, x.no} {
		if b != 0 {
			if md := f.Attachment(f.Terminator(b), ir.MDLoop); md != 0 {
				loop = md
			}
			s.speculateAll(b, t)
		}
	}
	for phi := f.First(x.join); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		vy, vn := f.PhiValue(phi, yes), f.PhiValue(phi, no)
		v := vy
		if vy != vn {
			v = s.selectFor(t, x.cond, vy, vn, phi)
		}
		f.RemoveOperands(phi, 2*f.PhiIndex(phi, yes), 2)
		f.RemoveOperands(phi, 2*f.PhiIndex(phi, no), 2)
		f.AddIncoming(phi, v, d)
	}
	br := f.NewInstr(ir.OpBr, ir.Void, x.join.Value())
	f.Instr(br).Loc = f.Instr(t).Loc
	f.SetAttachment(br, ir.MDLoop, loop)
	SwapTerminator(f, t, br)
	for _, b := range [...]ir.Block{x.yes, x.no} {
		if b != 0 {
			f.ClearBlock(b)
			f.EraseBlock(b)
		}
	}
	s.eraseDead(x.cond)
}

// selectFor returns the select that replaces a phi.
func (s *cfgSimplifier) selectFor(t, cond, yes, no, phi ir.Value) ir.Value {
	f := s.f
	s.b.Before(t)
	v := s.b.Select(cond, yes, no)
	f.Instr(v).Flags = f.Instr(phi).Flags
	f.SetName(v, []byte("spec.select"))
	for _, k := range [...]ir.MDKind{ir.MDProf, ir.MDUnpredictable} {
		if md := f.Attachment(t, k); md != 0 {
			f.SetAttachment(v, k, md)
		}
	}
	return v
}

// speculateAll moves all instructions of a block except its terminator before
// another instruction.
func (s *cfgSimplifier) speculateAll(b ir.Block, before ir.Value) {
	f := s.f
	for v := f.First(b); !f.Op(v).IsTerminator(); v = f.First(b) {
		dropUB(f, v)
		f.MoveBefore(v, before)
	}
}

// foldToCommon merges a branch with the branch of its predecessor if both lead
// to a common block: "a && b" and "a || b".
func (s *cfgSimplifier) foldToCommon(b ir.Block) bool {
	f := s.f
	cond, yes, no, ok := condBr(f, b)
	p := f.SinglePred(b)
	if !ok || yes == no || p == 0 || p == b || yes == b || no == b || s.taken.has(f, b) || !s.isFoldable(b, cond) {
		return false
	}
	pcond, pyes, pno, ok := condBr(f, p)
	if !ok || pyes == pno || f.Attachment(f.Terminator(b), ir.MDLoop) != 0 && f.Attachment(f.Terminator(p), ir.MDLoop) != 0 {
		return false
	}
	common := pno
	if pyes != b {
		common = pyes
	}
	if common != yes && common != no || !s.sameIncoming(common, p, b) || !s.bonusFits(b, cond) {
		return false
	}
	t := f.Terminator(p)
	s.speculateAll(b, t)
	or := pyes == common // the first condition leads to the common block if true
	if (common == yes) != or {
		cond = s.invert(cond, t)
		yes, no = no, yes
	}
	s.b.Before(t)
	if or {
		cond = s.b.Select(pcond, s.m.NewBool(true), cond)
	} else {
		cond = s.b.Select(pcond, cond, s.m.NewBool(false))
	}
	f.SetName(cond, []byte("or.cond"))
	other := no
	if common == no {
		other = yes
	}
	f.ReplacePhiBlock(other, b, p)
	f.RemovePhiBlock(common, b)
	br := f.NewInstr(ir.OpBr, ir.Void, cond, yes.Value(), no.Value())
	f.Instr(br).Loc = f.Instr(t).Loc
	for _, old := range [...]ir.Value{t, f.Terminator(b)} {
		if md := f.Attachment(old, ir.MDLoop); md != 0 {
			f.SetAttachment(br, ir.MDLoop, md)
		}
	}
	SwapTerminator(f, t, br)
	f.ClearBlock(b)
	f.EraseBlock(b)
	return true
}

// isFoldable reports whether the condition of b's branch is computed in b and
// has no other use.
func (s *cfgSimplifier) isFoldable(b ir.Block, cond ir.Value) bool {
	f := s.f
	if !cond.IsLocal() || f.Parent(cond) != b || !f.HasOneUse(cond) {
		return false
	}
	switch op := f.Op(cond); op {
	case ir.OpICmp, ir.OpFCmp, ir.OpSelect, ir.OpTrunc:
		return true
	default:
		return op.IsBinary()
	}
}

// sameIncoming reports whether the phis of a block have the same values for two predecessors.
func (s *cfgSimplifier) sameIncoming(b, p, q ir.Block) bool {
	f := s.f
	for phi := f.First(b); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		if f.PhiValue(phi, p) != f.PhiValue(phi, q) {
			return false
		}
	}
	return true
}

// bonusFits reports whether a block may be executed unconditionally: it has few
// instructions besides the condition.
func (s *cfgSimplifier) bonusFits(b ir.Block, cond ir.Value) bool {
	f := s.f
	n, cost := 0, 0
	for v := f.First(b); !f.Op(v).IsTerminator(); v = f.Next(v) {
		if !canSpeculate(f, v) {
			return false
		}
		cost += costOf(f, v)
		if v != cond {
			n++
		}
		if n > min(s.bonus, commonBonusMax) || cost >= costDear {
			return false
		}
	}
	return true
}

// invert returns the negation of a condition with a single use.
func (s *cfgSimplifier) invert(cond, before ir.Value) ir.Value {
	f := s.f
	if op := f.Op(cond); op == ir.OpICmp || op == ir.OpFCmp {
		f.Instr(cond).Sub = uint8(f.Pred(cond).Inverse())
		return cond
	}
	s.b.Before(before)
	return s.b.Xor(cond, s.m.NewBool(true))
}
