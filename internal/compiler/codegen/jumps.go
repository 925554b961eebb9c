package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Cleanup after register allocation: removes moves of a register to itself and
// values that are unused before the end of the program, redirects jumps to
// jumps, and removes empty blocks.

// jumpThreading cleans up functions.
type jumpThreading struct {
	f       *mir.Func
	forward []mir.Block // by block: destination of a block that only jumps, otherwise the block itself
	reached []bool
	work    []mir.Block
	used    RegSet
	dead    deadScalars
}

// threadJumps changes a function with physical registers. Afterwards only
// linear edges exist.
func (p *jumpThreading) threadJumps(f *mir.Func) {
	p.f = f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			if movesToItself(f, i) {
				f.Erase(i)
			}
			i = next
		}
	}
	for range 2 { // removing instructions before an end may leave a block that only ends the program
		p.follow()
		for _, b := range f.Layout {
			p.retarget(b)
		}
		for _, b := range f.Layout {
			if last := f.Last(b); last != 0 && f.Op(last) == mir.End {
				p.endOfProgram(b)
			}
		}
	}
	p.dropUnreached()
	p.endEarly()
	f.ClearEdges()
	for _, b := range f.Layout {
		p.edges(b)
	}
	p.dead.removeDeadScalars(f)
	fuseSaveExec(f)
	p.dead.fuseCompares()
}

// endEarly replaces a jump to the program's end by the end, unless the end is
// the next block.
func (p *jumpThreading) endEarly() {
	f := p.f
	for n, b := range f.Layout {
		i := f.Last(b)
		if f.Op(i) != mir.Br {
			continue
		}
		to := f.Use(i, 0).Block()
		if f.Op(f.First(to)) == mir.End && (n+1 == len(f.Layout) || f.Layout[n+1] != to) {
			f.SetOp(i, mir.End)
			f.SetOperands(i, 0)
		}
	}
	p.dropUnreached()
}

// movesToItself reports whether an instruction moves a register to itself.
func movesToItself(f *mir.Func, i mir.Instr) bool {
	switch f.Op(i) {
	case mir.SMovB32, mir.SMovB64, mir.VMovB32:
	default:
		return false
	}
	return f.Mods(i) == 0 && f.Ext(i) == 0 && f.Use(i, 0).Reg() != mir.NoReg && f.Def(i, 0) == f.Use(i, 0).Reg()
}

// endOfProgram removes computations before the end of the program whose results
// are unused.
func (p *jumpThreading) endOfProgram(b mir.Block) {
	f := p.f
	p.used = RegSet{}
	for i := f.Prev(f.Last(b)); i != 0; {
		prev := f.Prev(i)
		if computes(f, i) && !p.usedLater(i) {
			f.Erase(i)
		} else {
			p.use(i)
		}
		i = prev
	}
}

// computes reports whether an instruction only computes its results.
func computes(f *mir.Func, i mir.Instr) bool {
	op, x := f.Op(i), f.Info(i)
	switch {
	case op.IsPseudo(), len(f.Defs(i)) == 0, x.Unit >= mir.UnitSMEM, x.Flags&(mir.Terminator|mir.MayLoad|mir.MayStore) != 0:
		return false
	case len(x.Encs) > 0 && x.Encs[0].Kinds().Any(isa.KindMessage):
		return false
	}
	return x.Flags&mir.Effects == 0 || x.Flags&mir.WritesExec != 0
}

// usedLater reports whether a result of an instruction is used.
func (p *jumpThreading) usedLater(i mir.Instr) bool {
	for _, o := range p.f.Defs(i) {
		for k := range max(int(o.N), 1) {
			if p.used.Has(o.Reg() + mir.Reg(k)) {
				return true
			}
		}
	}
	return p.f.Info(i).Flags&mir.WritesExec != 0 && (p.used.Has(mir.Exec) || p.used.Has(mir.Exec+1))
}

// use records, in a backward walk, the registers that an instruction uses.
func (p *jumpThreading) use(i mir.Instr) {
	f := p.f
	if f.Op(i) == mir.SSwappcB64 { // its arguments are no longer operands
		for n := range p.used {
			p.used[n] = ^uint64(0)
		}
		return
	}
	for _, o := range f.Defs(i) {
		if o.Reg() >= mir.VGPR0 { // inactive lanes keep their values
			continue
		}
		for k := range max(int(o.N), 1) {
			p.used.dropRegister(o.Reg() + mir.Reg(k))
		}
	}
	for _, o := range f.Uses(i) {
		if r := o.Reg(); r.IsPhys() {
			for k := range max(int(o.N), 1) {
				p.used.addRegister(r + mir.Reg(k))
			}
		}
	}
	x := f.Info(i)
	if x.Traits.Any(isa.TraitScratch) || x.Unit == mir.UnitFlat { // reads FLAT_SCRATCH
		for r := mir.SGPR(102); r < mir.VCC; r++ {
			p.used.addRegister(r)
		}
	}
	if x.Flags&mir.DependsExec != 0 || x.Unit == mir.UnitVALU || x.Unit == mir.UnitMatrix || x.Unit >= mir.UnitVMEM || f.Op(i).IsPseudo() {
		p.used.addRegister(mir.Exec)
		p.used.addRegister(mir.Exec + 1)
	}
}

// follow finds the destinations of blocks that only jump.
func (p *jumpThreading) follow() {
	f := p.f
	p.forward = zeroed(p.forward, f.NumBlocks())
	for _, b := range f.Layout {
		to := b
		for n := 0; n < f.NumBlocks(); n++ {
			i := f.First(to)
			if f.Op(i) != mir.Br || f.Use(i, 0).Block() == b {
				break
			}
			to = f.Use(i, 0).Block()
		}
		p.forward[b] = to
	}
}

// retarget redirects the branches at the end of a block to their final
// destinations.
func (p *jumpThreading) retarget(b mir.Block) {
	f := p.f
	for i := f.FirstTerminator(b); i != 0; i = f.Next(i) {
		targets, same := mir.Block(0), true
		for n := range f.Uses(i) {
			o := f.Use(i, n)
			if o.Kind != mir.KindBlock {
				continue
			}
			*o = mir.Target(p.forward[o.Block()])
			same = same && (targets == 0 || targets == o.Block())
			targets = o.Block()
		}
		switch {
		case targets == 0 || !same:
			continue
		case f.Op(i) == mir.BrSCC || f.Op(i) == mir.BrExecZ || f.Op(i) == mir.BrExecNZ || f.Op(i) == mir.BrVCCZ:
			f.SetOp(i, mir.Br)
			f.SetOperands(i, 0, mir.Target(targets))
		}
	}
}

// dropUnreached removes unreachable blocks from the layout.
func (p *jumpThreading) dropUnreached() {
	f := p.f
	p.reached = zeroed(p.reached, f.NumBlocks())
	p.work = append(p.work[:0], f.Layout[0])
	p.reached[f.Layout[0]] = true
	for len(p.work) > 0 {
		b := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		for i := f.FirstTerminator(b); i != 0; i = f.Next(i) {
			for _, o := range f.Uses(i) {
				if o.Kind == mir.KindBlock && !p.reached[o.Block()] {
					p.reached[o.Block()] = true
					p.work = append(p.work, o.Block())
				}
			}
		}
	}
	left := f.Layout[:0]
	for _, b := range f.Layout {
		if p.reached[b] {
			left = append(left, b)
		}
	}
	f.Layout = left
}

// edges adds the edges of a block.
func (p *jumpThreading) edges(b mir.Block) {
	f := p.f
	first := mir.Block(0)
	for i := f.FirstTerminator(b); i != 0; i = f.Next(i) {
		for _, o := range f.Uses(i) {
			if o.Kind == mir.KindBlock && o.Block() != first {
				f.AddLinearEdge(b, o.Block())
				if first == 0 {
					first = o.Block()
				}
			}
		}
	}
}
