package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// isSame reports whether two instructions are the same except for their
// operands.
func (s *cfgSimplifier) isSame(a, b ir.Value) bool {
	f := s.f
	x, y := f.Instr(a), f.Instr(b)
	if x.Op != y.Op || x.Sub != y.Sub || x.Type != y.Type || f.NumOperands(a) != f.NumOperands(b) {
		return false
	}
	switch x.Op {
	case ir.OpShuffleVector, ir.OpExtractValue, ir.OpInsertValue:
		return slices.Equal(f.Indices(a), f.Indices(b))
	}
	return x.X == y.X && x.Y == y.Y
}

// canMove reports whether an instruction that occurs on two paths can be merged
// into one before or after them.
func (s *cfgSimplifier) canMove(v ir.Value) bool {
	f := s.f
	switch op := f.Op(v); {
	case op == ir.OpPhi || op == ir.OpAlloca || op.IsTerminator() || op.IsPad() || f.TypeOf(v) == ir.Token:
		return false
	case op == ir.OpCall:
		return !analysis.CallHas(f, v, ir.AttrConvergent) && !analysis.CallHas(f, v, ir.AttrNoMerge) && !analysis.CallHas(f, v, ir.AttrNoDuplicate) &&
			f.TailKind(v) != ir.MustTail && len(f.Bundles(v)) == 0 && s.m.ConstKindOf(s.constCallee(v)) != ir.ConstAsm
	}
	return true
}

// constCallee returns the constant callee of a call, or undef.
func (s *cfgSimplifier) constCallee(v ir.Value) ir.Value {
	if c := s.f.Callee(v); c.IsConst() {
		return c
	}
	return s.m.Undef(ir.Ptr)
}

// mergeInto keeps only the flags and metadata of v that other shares.
func (s *cfgSimplifier) mergeInto(v, other ir.Value) {
	f := s.f
	f.Instr(v).Flags &= f.Instr(other).Flags
	f.Instr(v).Loc = MergeLocs(s.m, f.Instr(v).Loc, f.Instr(other).Loc)
	for _, a := range f.Attachments(v, nil) {
		if f.Attachment(other, a.Kind) != a.Node {
			f.SetAttachment(v, a.Kind, 0)
		}
	}
}

// hoistCommon moves the common first instructions of both sides of a branch
// before it. Without the parameter hoist-common-insts, it does so only if both
// sides lead to the same block.
func (s *cfgSimplifier) hoistCommon(d ir.Block) bool {
	f := s.f
	_, yes, no, ok := condBr(f, d)
	if !ok || yes == no || !s.hoist && (onlySuccessor(f, yes) == 0 || onlySuccessor(f, yes) != onlySuccessor(f, no)) || f.SinglePred(yes) != d || f.SinglePred(no) != d || yes == d || no == d {
		return false
	}
	t := f.Terminator(d)
	changed := false
	for {
		a, b := f.First(yes), f.First(no)
		if !s.isSame(a, b) || !s.canMove(a) || !s.canMove(b) || !s.sameOperands(a, b) {
			return changed
		}
		s.mergeInto(a, b)
		f.MoveBefore(a, t)
		if f.HasUses(b) || f.FirstRecordUse(b) != 0 {
			f.ReplaceUses(b, a)
		}
		f.Erase(b)
		changed = true
	}
}

// sameOperands reports whether two instructions have the same operands.
func (s *cfgSimplifier) sameOperands(a, b ir.Value) bool {
	f := s.f
	x, y := f.Operands(a), f.Operands(b)
	for i := range x {
		if x[i].Value != y[i].Value {
			return false
		}
	}
	return true
}

// sinkCommon moves the common last instructions of all predecessors of a block
// to its start.
func (s *cfgSimplifier) sinkCommon(b ir.Block) bool {
	f := s.f
	if !s.sink || !s.edges(b) || len(s.preds) < 2 || s.isHeader(b) {
		return false
	}
	for _, p := range s.preds {
		if onlySuccessor(f, p) != b || p == b {
			return false
		}
	}
	changed := false
	for s.sinkOne(b) {
		changed = true
	}
	return changed
}

// sinkOne sinks the last instruction of all predecessors if they differ in at
// most one operand.
func (s *cfgSimplifier) sinkOne(b ir.Block) bool {
	f := s.f
	s.values = s.values[:0]
	for _, p := range s.preds {
		v := f.Prev(f.Terminator(p))
		if v == ir.None || !s.canMove(v) || len(s.values) > 0 && !s.isSame(v, s.values[0]) {
			return false
		}
		s.values = append(s.values, v)
	}
	phi, ok := s.commonPhi(b)
	if !ok {
		return false
	}
	differs := -1
	for i := range f.NumOperands(s.values[0]) {
		for _, v := range s.values[1:] {
			if f.Operand(v, i) == f.Operand(s.values[0], i) {
				continue
			}
			if differs >= 0 && differs != i || f.TypeOf(f.Operand(v, i)) != f.TypeOf(f.Operand(s.values[0], i)) || !s.canDiffer(i) {
				return false
			}
			differs = i
		}
	}
	s.sinkTo(b, phi, differs)
	return true
}

// commonPhi returns the phi of b whose incoming values are s.values, or None if
// the values have no uses. ok is false if they have other uses.
func (s *cfgSimplifier) commonPhi(b ir.Block) (phi ir.Value, ok bool) {
	f := s.f
	for i, v := range s.values {
		if !f.HasUses(v) {
			if phi != ir.None || f.TypeOf(v) != ir.Void {
				return 0, false
			}
			continue
		}
		user := f.User(f.FirstUse(v))
		if !f.HasOneUse(v) || f.Op(user) != ir.OpPhi || f.Parent(user) != b || i > 0 && user != phi || f.PhiValue(user, s.preds[i]) != v {
			return 0, false
		}
		phi = user
	}
	return phi, true
}

// canDiffer reports whether operand i of the sunk instruction may be a phi.
func (s *cfgSimplifier) canDiffer(i int) bool {
	f := s.f
	v := s.values[0]
	switch op := f.Op(v); {
	case op == ir.OpLoad || op == ir.OpStore && i == 1:
		for _, v := range s.values {
			if base, _ := objectOf(f, f.Operand(v, i)); f.Op(base) == ir.OpAlloca {
				return false // would prevent promotion of the alloca
			}
		}
		return true
	case op == ir.OpStore || op == ir.OpSelect || op == ir.OpICmp || op == ir.OpFCmp || op == ir.OpGetElementPtr && i == 0:
		return true
	default:
		return op.IsBinary() || op.IsUnary() || op.IsCast()
	}
}

// sinkTo merges s.values into one instruction at the start of a block.
func (s *cfgSimplifier) sinkTo(b ir.Block, phi ir.Value, differs int) {
	f := s.f
	first := s.values[0]
	if differs >= 0 {
		choice := f.NewInstr(ir.OpPhi, f.TypeOf(f.Operand(first, differs)))
		f.Prepend(b, choice)
		for i, v := range s.values {
			f.AddIncoming(choice, f.Operand(v, differs), s.preds[i])
		}
		f.SetOperand(first, differs, choice)
	}
	for _, v := range s.values[1:] {
		s.mergeInto(first, v)
	}
	if phi != ir.None {
		f.ReplaceUses(phi, first)
		f.Erase(phi)
	}
	f.MoveBefore(first, f.FirstNonPhi(b))
	for _, v := range s.values[1:] {
		if f.FirstRecordUse(v) != 0 {
			f.ReplaceUses(v, first)
		}
		f.Erase(v)
	}
}
