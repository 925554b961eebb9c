package opt

import "github.com/gfx-toolchain/gfx/ir"

// addressed records the blocks whose address is taken. They are neither removed
// nor bypassed.
type addressed struct {
	m      *ir.Module
	next   int // constants below it have been examined
	blocks map[addressedBlock]bool
}

type addressedBlock struct {
	fn ir.Value
	b  ir.Block
}

// addressedOf returns the up-to-date set of blocks whose address is taken.
func addressedOf(ctx *Context, m *ir.Module) *addressed {
	a := Scratch[addressed](ctx)
	if a.m != m {
		*a = addressed{m: m}
	}
	a.next = m.BlockAddresses(a.next, func(fn ir.Value, b ir.Block) {
		if a.blocks == nil {
			a.blocks = map[addressedBlock]bool{}
		}
		a.blocks[addressedBlock{fn, b}] = true
	})
	return a
}

// ForgetBlockAddresses resets the record of the blocks whose address is taken. A
// pass that removes block addresses from a module must call it.
func ForgetBlockAddresses(ctx *Context) { *Scratch[addressed](ctx) = addressed{} }

// has reports whether the address of a block is taken.
func (a *addressed) has(f *ir.Function, b ir.Block) bool {
	return len(a.blocks) > 0 && a.blocks[addressedBlock{f.Value(), b}]
}

// replaceTerminator replaces the terminator of b by a br to one of its
// successors and removes the other edges.
func replaceTerminator(f *ir.Function, b, to ir.Block) {
	t := f.Terminator(b)
	kept := false
	for _, s := range f.Successors(b) {
		switch {
		case !s.Value.IsBlock():
		case s.Value == to.Value() && !kept:
			kept = true
		default:
			f.RemovePhiBlock(s.Value.Block(), b)
		}
	}
	br := f.NewInstr(ir.OpBr, ir.Void, to.Value())
	f.Instr(br).Loc = f.Instr(t).Loc
	if md := f.Attachment(t, ir.MDLoop); md != 0 {
		f.SetAttachment(br, ir.MDLoop, md)
	}
	SwapTerminator(f, t, br)
}

// SwapTerminator replaces a terminator by another instruction.
func SwapTerminator(f *ir.Function, old, t ir.Value) {
	f.InsertBefore(t, old)
	if f.HasUses(old) {
		f.ReplaceUses(old, f.Module().Poison(f.TypeOf(old)))
	}
	f.Erase(old)
}

// makeUnreachable removes v and all instructions after it from its block and
// ends the block in unreachable.
func makeUnreachable(f *ir.Function, v ir.Value) {
	b := f.Parent(v)
	for _, s := range f.Successors(b) {
		if s.Value.IsBlock() {
			f.RemovePhiBlock(s.Value.Block(), b)
		}
	}
	u := f.NewInstr(ir.OpUnreachable, ir.Void)
	f.Instr(u).Loc = f.Instr(v).Loc
	f.InsertBefore(u, v)
	for w := f.Last(b); w != u; w = f.Last(b) {
		if f.HasUses(w) {
			f.ReplaceUses(w, f.Module().Poison(f.TypeOf(w)))
		}
		f.Erase(w)
	}
}

// reach is the state of EraseUnreachable.
type reach struct {
	seen []bool
	work []ir.Block
}

// EraseUnreachable removes the blocks that are unreachable from the entry.
func EraseUnreachable(ctx *Context, f *ir.Function) bool {
	r := Scratch[reach](ctx)
	r.seen = Sized(r.seen, f.NumBlocks())
	r.work = r.work[:0]
	r.mark(f.Entry())
	taken := addressedOf(ctx, f.Module())
	if len(taken.blocks) > 0 {
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			if taken.has(f, b) {
				r.mark(b)
			}
		}
	}
	for len(r.work) > 0 {
		b := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() {
				r.mark(s.Value.Block())
			}
		}
	}
	return r.erase(f)
}

func (r *reach) mark(b ir.Block) {
	if !r.seen[b] {
		r.seen[b] = true
		r.work = append(r.work, b)
	}
}

// erase removes the blocks that were not visited.
func (r *reach) erase(f *ir.Function) bool {
	dead := r.work[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if r.seen[b] {
			continue
		}
		dead = append(dead, b)
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() && r.seen[s.Value.Block()] {
				f.RemovePhiBlock(s.Value.Block(), b)
			}
		}
	}
	for _, b := range dead {
		f.ClearBlock(b)
	}
	for _, b := range dead {
		f.EraseBlock(b)
	}
	r.work = dead
	return len(dead) > 0
}

// EraseDeadBlock removes a block without predecessors.
func EraseDeadBlock(f *ir.Function, b ir.Block) {
	for _, s := range f.Successors(b) {
		if s.Value.IsBlock() {
			f.RemovePhiBlock(s.Value.Block(), b)
		}
	}
	f.EraseBlock(b)
}

// hasEdge reports whether a block has an edge to another one.
func hasEdge(f *ir.Function, from, to ir.Block) bool {
	for _, s := range f.Successors(from) {
		if s.Value == to.Value() {
			return true
		}
	}
	return false
}

// onlySuccessor returns the target of an unconditional br, or 0 for other
// terminators.
func onlySuccessor(f *ir.Function, b ir.Block) ir.Block {
	if t := f.Terminator(b); t != ir.None && f.Op(t) == ir.OpBr && f.NumOperands(t) == 1 {
		return f.Operand(t, 0).Block()
	}
	return 0
}

// condBr returns the condition and successors of a conditional br. ok is false
// for other terminators.
func condBr(f *ir.Function, b ir.Block) (cond ir.Value, yes, no ir.Block, ok bool) {
	t := f.Terminator(b)
	if t == ir.None || f.Op(t) != ir.OpBr || f.NumOperands(t) != 3 {
		return 0, 0, 0, false
	}
	return f.Operand(t, 0), f.Operand(t, 1).Block(), f.Operand(t, 2).Block(), true
}
