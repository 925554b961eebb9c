package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// lcssa inserts phis in the exits of loops for values that are used outside
// (loop-closed SSA form), so that changes of a loop affect only these phis. All
// values are covered only if loops have dedicated exits (loop-simplify).
func lcssa(ctx *Context, f *ir.Function) bool {
	s := Scratch[loopClosing](ctx)
	s.n = nestOf(ctx, f)
	changed := false
	for loop := uint32(s.n.loops.N()); loop > 0; loop-- {
		changed = s.loop(loop) || changed
	}
	return changed
}

// loopClosing is the state of lcssa.
type loopClosing struct {
	n       *loopNest
	updater analysis.SSAUpdater
	uses    []ir.Use
	exits   []uint32
	made    []ir.Value
}

// loop closes one loop.
func (s *loopClosing) loop(loop uint32) bool {
	f := s.n.f
	s.exits = s.n.loops.Exits(loop, s.exits[:0])
	if len(s.exits) == 0 || !s.hasOwnExits(loop) {
		return false
	}
	changed := false
	for _, b := range s.n.loops.Blocks(loop) {
		if !s.reachesExit(b) {
			continue
		}
		for v := f.First(ir.Block(b)); v != ir.None; v = f.Next(v) {
			if f.TypeOf(v) != ir.Token && s.usedOutside(loop, v) {
				s.close(loop, v)
				changed = true
			}
		}
	}
	return changed
}

// hasOwnExits reports whether all predecessors of a loop's exits are in the
// loop.
func (s *loopClosing) hasOwnExits(loop uint32) bool {
	f := s.n.f
	for _, e := range s.exits {
		for u := f.FirstPred(ir.Block(e)); u != 0; u = f.NextUse(u) {
			if !s.n.contains(loop, f.PredOf(u)) {
				return false
			}
		}
	}
	return true
}

// reachesExit reports whether values of a block may be used after the loop: the
// block dominates an exit.
func (s *loopClosing) reachesExit(b uint32) bool {
	for _, e := range s.exits {
		if s.n.c.dom.Dominates(b, e) {
			return true
		}
	}
	return false
}

// useBlock returns the block of a use. A phi uses its operand at the end of the
// incoming block.
func useBlock(f *ir.Function, u ir.Use) ir.Block {
	v := f.User(u)
	if f.Op(v) == ir.OpPhi {
		_, b := f.Incoming(v, f.UseIndex(u)/2)
		return b
	}
	return f.Parent(v)
}

// usedOutside collects the uses of a value outside a loop, except uses by phis
// of exits for edges from the loop.
func (s *loopClosing) usedOutside(loop uint32, v ir.Value) bool {
	f := s.n.f
	s.uses = s.uses[:0]
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if b := useBlock(f, u); b != 0 && !s.n.contains(loop, b) && s.n.c.graph.Reachable(uint32(b)) {
			s.uses = append(s.uses, u)
		}
	}
	return len(s.uses) > 0
}

// close inserts phis for a value in the exits that its block dominates, and
// rewrites the uses outside the loop.
func (s *loopClosing) close(loop uint32, v ir.Value) {
	f := s.n.f
	b := uint32(f.Parent(v))
	s.n.name = append(append(s.n.name[:0], f.NameOf(v)...), ".lcssa"...)
	s.updater.Begin(f, f.TypeOf(v), s.n.name)
	s.made = s.made[:0]
	for _, e := range s.exits {
		exit := ir.Block(e)
		if !s.n.c.dom.Dominates(b, e) || f.Op(f.FirstNonPhi(exit)).IsPad() {
			continue
		}
		phi := s.exitPhi(v, exit)
		s.updater.Define(exit, phi)
	}
	for _, u := range s.uses {
		user := f.User(u)
		if contains(s.made, user) {
			continue
		}
		if d := s.updater.Defined(f.Parent(user)); d != ir.None && f.Op(user) != ir.OpPhi {
			f.SetUse(u, d)
			continue
		}
		s.updater.RewriteUse(u)
	}
	for _, phi := range s.made {
		if !f.HasUses(phi) {
			f.Erase(phi)
		}
	}
}

// exitPhi inserts the phi of a value in an exit.
func (s *loopClosing) exitPhi(v ir.Value, exit ir.Block) ir.Value {
	f := s.n.f
	phi := f.NewInstr(ir.OpPhi, f.TypeOf(v))
	f.SetName(phi, s.n.name)
	f.Prepend(exit, phi)
	s.made = append(s.made, phi)
	for u := f.FirstPred(exit); u != 0; u = f.NextUse(u) {
		f.AddIncoming(phi, v, f.PredOf(u))
	}
	return phi
}
