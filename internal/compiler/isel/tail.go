package isel

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
)

// Tail calls: the function ends with a jump to the callee, which receives the
// return address in the function's own location.

// findTails finds the blocks that end in a tail call. All lanes that entered
// the function must reach the call, since other lanes would never return. A
// call that cannot be a jump remains a call.
func (s *Selector) findTails() {
	s.tails = zeroed(s.tails, s.f.NumBlocks()+1)
	if s.sig == nil {
		return
	}
	if s.env.Entry.Kernel {
		s.findChains()
		return
	}
	if s.entryLanes() != "" {
		return
	}
	var post *analysis.DomTree
	for _, n := range s.graph.RPO() {
		b := ir.Block(n)
		v := s.tailCall(b)
		if v == ir.None {
			continue
		}
		if post == nil {
			post = analysis.NewPostDomTree(s.graph)
		}
		if s.allLanes(b, post) && s.canJump(v) {
			s.tails[b] = v
		}
	}
}

// tailCall returns the marked call of a block after which the function only
// returns, or None.
func (s *Selector) tailCall(b ir.Block) ir.Value {
	f := s.f
	if !s.onlyReturns(b) {
		return ir.None
	}
	for v := f.Prev(f.Terminator(b)); v != ir.None && f.Op(v) != ir.OpPhi; v = f.Prev(v) {
		switch {
		case f.Op(v) == ir.OpCall && prepare.IsTailCall(f, v):
			return v
		case s.hasEffects(v):
			return ir.None
		}
	}
	return ir.None
}

// onlyReturns reports whether a block ends in ret, or branches to a block that
// only returns.
func (s *Selector) onlyReturns(b ir.Block) bool {
	f := s.f
	t := f.Terminator(b)
	if f.Op(t) == ir.OpRet {
		return true
	}
	next := f.Successors(b)
	if f.Op(t) != ir.OpBr || len(next) != 1 {
		return false
	}
	exit := next[0].Value.Block()
	for v := f.First(exit); v != f.Terminator(exit); v = f.Next(v) {
		if s.hasEffects(v) {
			return false
		}
	}
	return f.Op(f.Terminator(exit)) == ir.OpRet
}

// unreached reports whether all predecessors of a block end in a tail call.
func (s *Selector) unreached(b ir.Block) bool {
	preds := s.graph.Preds(uint32(b))
	for _, p := range preds {
		if s.tails[p] == ir.None {
			return false
		}
	}
	return len(preds) > 0
}

// allLanes reports whether no divergent branch controls the execution of a
// block, directly or through other branches.
func (s *Selector) allLanes(b ir.Block, post *analysis.DomTree) bool {
	depends := []uint32{uint32(b)}
	seen := map[uint32]bool{uint32(b): true}
	for n := 0; n < len(depends); n++ {
		for _, a := range s.graph.RPO() {
			if seen[a] || post.StrictlyDominates(depends[n], a) || !s.decides(a, depends[n], post) {
				continue
			}
			if s.uniform.DivergentBranch(ir.Block(a)) {
				return false
			}
			seen[a] = true
			depends = append(depends, a)
		}
	}
	return true
}

// decides reports whether block a has a successor from which every path reaches
// b.
func (s *Selector) decides(a, b uint32, post *analysis.DomTree) bool {
	for _, x := range s.graph.Succs(a) {
		if post.Dominates(b, x) {
			return true
		}
	}
	return false
}

// canJump reports whether the arguments of a call are where the callee expects
// them after this function's frame is released. The call must pass no objects
// of this function, no more stack arguments than the function received, and
// nothing in registers that this function preserves.
func (s *Selector) canJump(v ir.Value) bool {
	c := s.f.Callee(v)
	if c.IsLocal() && s.uniform.Divergent(c) {
		return false
	}
	sig := s.signature(v)
	if sig == nil || slices.ContainsFunc(sig.Args, func(p abi.Part) bool { return p.Reg != mir.NoReg && sig.Convention.Preserves(p.Reg) }) {
		return false
	}
	return sig.Convention == s.sig.Convention && len(sig.Copies) == 0 && len(s.sig.Copies) == 0 && sig.Stack <= s.sig.Stack
}

// jump selects a tail call as the end of its block.
func (s *Selector) jump(v ir.Value) {
	if s.isChainCall(v) {
		s.chain(v)
		return
	}
	sig := s.signature(v)
	stack := mir.None
	if sig.Stack > 0 {
		stack = mir.FrameAddr(s.out.NewObject(mir.FrameObject{Size: uint64(sig.Stack), Align: abi.StackAlign, In: true}), 0)
	}
	to, from := s.passArguments(v, sig, stack)
	address := s.asReg(s.scalar(s.f.Callee(v)), mir.FileS, 2)
	name := ""
	if fn := s.f.CalledFunction(v); fn != nil {
		name = fn.Name()
	}
	s.out.Jumps = append(s.out.Jumps, name)
	to = append(to, mir.Phys(abi.ReturnAddress, 2))
	from = append(from, mir.R(s.input(returnAddress)))
	s.putInstr(mir.Copy, len(to), append(append([]mir.Operand{}, to...), from...)...)
	s.putInstr(mir.Return, 0, append([]mir.Operand{address}, to...)...)
}
