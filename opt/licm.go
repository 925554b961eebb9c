package opt

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// licm moves instructions whose operands do not change in a loop to its preheader: those that may be carried out at any time, and those
// that are carried out in every run of the loop anyway (LLVM's LICM, without sinking and without
// keeping variables in registers). Loads move when nothing in the loop writes what they read. Convergent
// calls stay. Loops without a preheader (loop-simplify makes one) stay as they are.
func licm(ctx *Context, f *ir.Function) bool {
	s := scratchOf[hoister](ctx)
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

// maxLoopWrites bounds how many writes of a loop a load is compared with.
const maxLoopWrites = 250

// hoister is the state of licm.
type hoister struct {
	f     *ir.Function
	m     *ir.Module
	n     *loopNest
	alias analysis.Alias

	writes  []ir.Value // what may write memory in the loop
	exiting []uint32
	blocks  []uint32 // of the loop
	mayStop bool     // the loop has something that may throw or not return
}

// loop hoists out of one loop.
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
	slices.SortFunc(s.blocks, func(x, y uint32) int { return cmp.Compare(graph.RPOIndex(x), graph.RPOIndex(y)) }) // operands come first
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

// collectWrites notes what may write memory in a loop, and whether the loop may be left in another way than by its exits.
func (s *hoister) collectWrites(loop uint32) {
	f := s.f
	s.writes, s.mayStop = s.writes[:0], false
	for _, b := range s.n.loops.Blocks(loop) {
		for v := f.First(ir.Block(b)); v != ir.None; v = f.Next(v) {
			if mayWrite(f, v) {
				s.writes = append(s.writes, v)
			}
			if mayThrow(f, v) || !willReturn(f, v) {
				s.mayStop = true
			}
		}
	}
}

// alwaysRuns reports whether a block is carried out in every run of the loop: it dominates all blocks that leave it.
func (s *hoister) alwaysRuns(b uint32) bool {
	for _, e := range s.exiting {
		if !s.n.c.dom.Dominates(b, e) {
			return false
		}
	}
	return len(s.exiting) > 0
}

// isInvariant reports whether all operands of an instruction come from outside of the loop.
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

// canHoist reports whether an instruction gives the same before the loop and does no harm there. always says that the loop carries
// it out in any case.
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

// canHoistCall is canHoist for a call: of a function that only computes.
func (s *hoister) canHoistCall(v ir.Value, always bool) bool {
	f := s.f
	if callHas(f, v, ir.AttrConvergent) || hasSideEffects(f, v) || f.TypeOf(v) == ir.Token || len(f.Bundles(v)) > 0 || f.TailKind(v) == ir.MustTail {
		return false
	}
	if !always && !canSpeculate(f, v) {
		return false
	}
	return !mayRead(f, v) || len(s.writes) == 0
}

// isUnchanged reports whether nothing in the loop writes what a load reads.
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
