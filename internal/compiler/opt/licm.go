package opt

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// licm moves loop-invariant instructions to the preheader if they may be
// speculated or are guaranteed to execute (LLVM's LICM, without sinking and
// without scalar promotion of memory). Loads are moved if the loop does not
// write their memory. Convergent calls and loops without a preheader (see
// loop-simplify) are unchanged.
func licm(ctx *Context, f *ir.Function) bool {
	s := Scratch[hoister](ctx)
	s.n = nestOf(ctx, f)
	if s.n.loops.N() == 0 {
		return false
	}
	s.f, s.m = f, f.Module()
	s.alias.Reset(f)
	changed := false
	for loop := uint32(s.n.loops.N()); loop > 0; loop-- {
		changed = s.loop(loop) || changed
	}
	return changed
}

// maxLoopWrites bounds the number of writes in a loop that a load is compared
// with.
const maxLoopWrites = 250

// hoister is the state of licm.
type hoister struct {
	f     *ir.Function
	m     *ir.Module
	n     *loopNest
	alias analysis.Alias

	writes  []ir.Value // instructions in the loop that may write memory
	exiting []uint32
	blocks  []uint32 // blocks of the loop
	mayStop bool     // the loop contains an instruction that may throw or not return
}

// loop hoists instructions out of one loop.
func (s *hoister) loop(loop uint32) bool {
	p := s.n.preheader(loop)
	if p == 0 {
		return false
	}
	f := s.f
	before := f.Terminator(p)
	s.exiting = s.n.loops.Exiting(loop, s.exiting[:0])
	s.collectWrites(loop)
	changed := false
	graph := &s.n.c.graph
	s.blocks = append(s.blocks[:0], s.n.loops.Blocks(loop)...)
	slices.SortFunc(s.blocks, func(x, y uint32) int { return cmp.Compare(graph.RPOIndex(x), graph.RPOIndex(y)) }) // operands first
	for _, x := range s.blocks {
		s.m.Guard().Check()
		b := ir.Block(x)
		always := s.alwaysRuns(x) && !s.mayStop
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if s.isInvariant(loop, v) && s.canHoist(v, always) {
				if !always {
					dropUB(f, v)
				}
				f.MoveBefore(v, before)
				changed = true
			}
			v = next
		}
	}
	return changed
}

// collectWrites collects the instructions of a loop that may write memory, and
// determines whether the loop may be left other than through its exits.
func (s *hoister) collectWrites(loop uint32) {
	f := s.f
	s.writes, s.mayStop = s.writes[:0], false
	for _, b := range s.n.loops.Blocks(loop) {
		for v := f.First(ir.Block(b)); v != ir.None; v = f.Next(v) {
			if analysis.MayWrite(f, v) {
				s.writes = append(s.writes, v)
			}
			if analysis.MayThrow(f, v) || !analysis.WillReturn(f, v) {
				s.mayStop = true
			}
		}
	}
}

// alwaysRuns reports whether a block is guaranteed to execute when the loop is
// entered: it dominates all exiting blocks.
func (s *hoister) alwaysRuns(b uint32) bool {
	for _, e := range s.exiting {
		if !s.n.c.dom.Dominates(b, e) {
			return false
		}
	}
	return len(s.exiting) > 0
}

// isInvariant reports whether all operands of an instruction are defined
// outside the loop.
func (s *hoister) isInvariant(loop uint32, v ir.Value) bool {
	f := s.f
	for _, o := range f.Operands(v) {
		switch {
		case !o.Value.IsLocal():
			if o.Value.IsBlock() {
				return false
			}
		case f.Op(o.Value) == ir.OpArg:
		case f.Op(o.Value) == ir.OpLocalMetadata:
			return false
		case s.n.contains(loop, f.Parent(o.Value)):
			return false
		}
	}
	return true
}

// canHoist reports whether an instruction has the same result before the loop
// and is safe to execute there. always means that the loop executes it in any
// case.
func (s *hoister) canHoist(v ir.Value, always bool) bool {
	f := s.f
	switch op := f.Op(v); op {
	case ir.OpPhi, ir.OpAlloca, ir.OpStore, ir.OpFence, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVAArg, ir.OpFreeze:
		return op == ir.OpFreeze && always
	case ir.OpLoad:
		return f.IsSimple(v) && (always || canSpeculate(f, v)) && s.isUnchanged(v)
	case ir.OpCall:
		return s.canHoistCall(v, always)
	default:
		if op.IsTerminator() || op.IsPad() || f.TypeOf(v) == ir.Token {
			return false
		}
		return always || canSpeculate(f, v)
	}
}

// canHoistCall is canHoist for calls: the callee must only compute its result.
func (s *hoister) canHoistCall(v ir.Value, always bool) bool {
	f := s.f
	if analysis.CallHas(f, v, ir.AttrConvergent) || analysis.HasSideEffects(f, v) || f.TypeOf(v) == ir.Token || len(f.Bundles(v)) > 0 || f.TailKind(v) == ir.MustTail {
		return false
	}
	if !always && !canSpeculate(f, v) {
		return false
	}
	return !analysis.MayRead(f, v) || len(s.writes) == 0
}

// isUnchanged reports whether the loop does not write the memory that a load
// reads.
func (s *hoister) isUnchanged(load ir.Value) bool {
	if s.alias.IsInvariantLoad(load) {
		return true
	}
	l, ok := s.alias.LocationOf(load)
	if !ok || len(s.writes) > maxLoopWrites {
		return false
	}
	for _, w := range s.writes {
		if s.alias.ModRef(w, l)&analysis.Mod != 0 {
			return false
		}
	}
	return true
}
