package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// adce removes instructions without effect, including cycles of values and
// branches that decide nothing (R. Cytron et al., "Efficiently Computing Static
// Single Assignment Form and the Control Dependence Graph", 1991, section 7.1;
// LLVM's ADCE). Instructions are assumed dead until a live instruction needs
// them. A branch is live if a live instruction is control dependent on it.
// Loops that may not terminate are kept.
func adce(ctx *Context, f *ir.Function) bool {
	a := Scratch[adceState](ctx)
	a.reset(ctx, f)
	a.markRoots()
	a.propagate()
	changed := a.eraseInstrs()
	if a.eraseBranches() {
		EraseUnreachable(ctx, f)
		changed = true
	}
	return changed
}

// adceState holds the live instructions and blocks.
type adceState struct {
	f    *ir.Function
	m    *ir.Module
	c    *cfg
	post analysis.DomTree

	alive  []bool // by value
	block  []bool // by block: it contains a live instruction, so it must be reachable
	work   []ir.Value
	blocks []ir.Block
	deps   [][]uint32 // by block: blocks whose branches it is control dependent on
	onPath []uint8
	stack  []dfsEdge
}

func (a *adceState) reset(ctx *Context, f *ir.Function) {
	a.f, a.m, a.c = f, f.Module(), cfgOf(ctx, f)
	a.post.ResetPost(&a.c.graph)
	a.alive, a.block = Sized(a.alive, f.NumValues()), Sized(a.block, f.NumBlocks())
	a.work, a.blocks = a.work[:0], a.blocks[:0]
	for i := range a.deps {
		a.deps[i] = a.deps[i][:0]
	}
	for len(a.deps) < f.NumBlocks() {
		a.deps = append(a.deps, nil)
	}
	a.findDeps()
}

// findDeps finds the branches that each block is control dependent on: its
// post-dominance frontier.
func (a *adceState) findDeps() {
	for b := a.f.Entry(); b != 0; b = a.f.NextBlock(b) {
		n := uint32(b)
		succs := a.c.graph.Succs(n)
		if len(succs) < 2 {
			continue
		}
		for _, s := range succs {
			for x := s; x != 0 && x != a.post.IDom(n); x = a.post.IDom(x) {
				if k := len(a.deps[x]); k == 0 || a.deps[x][k-1] != n {
					a.deps[x] = append(a.deps[x], n)
				}
			}
		}
	}
}

// mark marks an instruction as live.
func (a *adceState) mark(v ir.Value) {
	if v.IsLocal() && !a.alive[v] {
		a.alive[v] = true
		a.work = append(a.work, v)
	}
}

// markBlock marks a block as live.
func (a *adceState) markBlock(b ir.Block) {
	if !a.block[b] {
		a.block[b] = true
		a.blocks = append(a.blocks, b)
	}
}

// markRoots marks instructions with effects and the branches of loops.
func (a *adceState) markRoots() {
	f := a.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if a.isRoot(v) {
				a.mark(v)
			}
		}
	}
	a.markLoops()
}

// isRoot reports whether an instruction is live regardless of its uses.
func (a *adceState) isRoot(v ir.Value) bool {
	f := a.f
	switch op := f.Op(v); op {
	case ir.OpBr, ir.OpSwitch:
		return false
	default:
		if op.IsTerminator() || op.IsPad() {
			return true
		}
	}
	return analysis.IsLifetime(f, v) || analysis.HasSideEffects(f, v)
}

// markLoops marks the branches of all blocks with back edges: the termination
// of loops must not change.
func (a *adceState) markLoops() {
	const onPath, done = 1, 2
	f := a.f
	a.onPath = Sized(a.onPath, f.NumBlocks())
	a.stack = append(a.stack[:0], dfsEdge{b: f.Entry()})
	a.onPath[f.Entry()] = onPath
	for len(a.stack) > 0 {
		top := &a.stack[len(a.stack)-1]
		succs := f.Successors(top.b)
		if top.next == len(succs) {
			a.onPath[top.b] = done
			a.stack = a.stack[:len(a.stack)-1]
			continue
		}
		o := succs[top.next].Value
		top.next++
		if !o.IsBlock() {
			continue
		}
		switch b := o.Block(); a.onPath[b] {
		case 0:
			a.onPath[b] = onPath
			a.stack = append(a.stack, dfsEdge{b: b})
		case onPath:
			a.mark(f.Terminator(top.b))
		}
	}
}

// propagate marks everything that live instructions need.
func (a *adceState) propagate() {
	f := a.f
	for len(a.work) > 0 || len(a.blocks) > 0 {
		for len(a.work) > 0 {
			v := a.work[len(a.work)-1]
			a.work = a.work[:len(a.work)-1]
			a.needs(v)
		}
		for len(a.blocks) > 0 {
			b := a.blocks[len(a.blocks)-1]
			a.blocks = a.blocks[:len(a.blocks)-1]
			for _, d := range a.deps[b] {
				a.mark(f.Terminator(ir.Block(d)))
			}
		}
	}
}

// needs marks everything that an instruction needs: its operands, its block,
// and for a phi the branches that select its values.
func (a *adceState) needs(v ir.Value) {
	f := a.f
	if f.Op(v) == ir.OpArg {
		return
	}
	if b := f.Parent(v); b != 0 {
		a.markBlock(b)
	}
	for i, o := range f.Operands(v) {
		switch {
		case f.Op(v) == ir.OpPhi && i&1 == 1:
			pred := o.Value.Block()
			a.markBlock(pred)
			if t := f.Terminator(pred); f.NumOperands(t) > 1 {
				a.mark(t)
			}
		case f.Op(o.Value) == ir.OpLocalMetadata:
			for _, x := range f.Operands(o.Value) {
				a.mark(x.Value)
			}
		default:
			a.mark(o.Value)
		}
	}
}

// eraseInstrs removes the dead instructions except terminators.
func (a *adceState) eraseInstrs() bool {
	f := a.f
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if a.isDeadInstr(v) && f.HasUses(v) {
				// its users are dead too
				f.ReplaceUses(v, a.m.Poison(f.TypeOf(v)))
			}
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if a.isDeadInstr(v) {
				f.Erase(v)
				changed = true
			}
			v = next
		}
	}
	return changed
}

func (a *adceState) isDeadInstr(v ir.Value) bool {
	return !a.alive[v] && !a.f.Op(v).IsTerminator() && a.c.graph.Reachable(uint32(a.f.Parent(v)))
}

// eraseBranches replaces dead branches by jumps to the block where their paths
// join.
func (a *adceState) eraseBranches() bool {
	f := a.f
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		t := f.Terminator(b)
		if a.alive[t] || f.NumOperands(t) < 2 || !a.c.graph.Reachable(uint32(b)) {
			continue
		}
		if to := a.nearest(b); to != 0 {
			replaceTerminator(f, b, to)
			changed = true
		}
	}
	return changed
}

// nearest returns the successor of a block that is closest to the exit: the
// highest one in the post-dominator tree.
func (a *adceState) nearest(b ir.Block) ir.Block {
	best, depth := ir.Block(0), uint32(0)
	for _, o := range a.f.Successors(b) {
		if !o.Value.IsBlock() {
			continue
		}
		s := o.Value.Block()
		if d := a.post.Depth(uint32(s)); best == 0 || d < depth {
			best, depth = s, d
		}
	}
	return best
}
