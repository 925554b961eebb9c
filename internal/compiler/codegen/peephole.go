package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// peephole cleans up the output of selection, in SSA form. It forwards sources
// of tuple parts and copies, eliminates common subexpressions, removes unused
// instructions, and hoists loop-invariant ones.
type peephole struct {
	f      *mir.Func
	repeat repeats
	hoist  hoisting
	uses   []int32 // by virtual register: number of reads
	whole  []bool  // by virtual register: a tuple of which more than one source's part is read at once
	work   []mir.Instr
	asm    bool // the function contains inline assembly
}

func (p *peephole) cleanFunction(f *mir.Func) {
	p.f = f
	n := f.NumVirtual()
	p.uses, p.whole = zeroed(p.uses, n), zeroed(p.whole, n)
	p.findWhole()
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			p.sources(i)
		}
	}
	p.repeat.mergeRepeats(f)
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Uses(i) {
				if o.IsVirtual() {
					p.uses[o.Reg().Index()]++
				}
			}
		}
	}
	p.foldMoves()
	p.removeUnused()
	p.hoist.hoistRepeats(&p.repeat)
}

// findWhole finds the tuples that are needed in any case. Reading their parts
// from elsewhere would only keep two registers alive.
func (p *peephole) findWhole() {
	f := p.f
	p.asm = false
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			p.asm = p.asm || f.Op(i) == mir.Asm
			for n, o := range f.Uses(i) {
				if !o.IsVirtual() || o.Flags&mir.Undef != 0 {
					continue
				}
				d := f.DefOf(o.Reg())
				if d == 0 || f.Op(d) != mir.Vector || p.isNested(i, &o, d) {
					continue
				}
				if part, sub, ok := p.partOf(&o, d); !ok || !p.canRead(i, n, &o, part, sub) {
					p.whole[o.Reg().Index()] = true
				}
			}
		}
	}
}

// isNested reports whether a source of a tuple instruction is itself a tuple of
// vector registers, defined by an instruction d.
func (p *peephole) isNested(i mir.Instr, o *mir.Operand, d mir.Instr) bool {
	f := p.f
	return f.Op(i) == mir.Vector && f.Op(d) == mir.Vector && o.Sub == 0 && f.OperandDwords(o) == f.Dwords(o.Reg()) && f.File(o.Reg()) == mir.FileV &&
		f.File(f.Def(i, 0)) == mir.FileV
}

// flatten merges a tuple without other uses into the tuple of which it is a
// part.
func (p *peephole) flatten(i mir.Instr) {
	f := p.f
	var flat []mir.Operand
	for n, o := range f.Uses(i) {
		d := mir.Instr(0)
		if o.IsVirtual() && o.Flags&mir.Undef == 0 && !p.whole[o.Reg().Index()] {
			d = f.DefOf(o.Reg())
		}
		switch {
		case d != 0 && f.Parent(d) != 0 && p.isNested(i, &o, d):
			if flat == nil {
				flat = append(flat, f.Defs(i)...)
				flat = append(flat, f.Uses(i)[:n]...)
			}
			flat = append(flat, f.Uses(d)...)
		case flat != nil:
			flat = append(flat, o)
		}
	}
	if flat != nil {
		f.SetOperands(i, 1, flat...)
	}
}

// sources simplifies the sources of an instruction.
func (p *peephole) sources(i mir.Instr) {
	if p.f.Op(i) == mir.Vector {
		p.flatten(i)
	}
	uses := p.f.Uses(i)
	for n := range uses {
		o := &uses[n]
		for range 8 {
			if !o.IsVirtual() || o.Flags&mir.Undef != 0 || !p.forward(i, n, o) {
				break
			}
		}
	}
}

// forward replaces source n of an instruction by the origin of its value, and
// reports whether this was possible.
func (p *peephole) forward(i mir.Instr, n int, o *mir.Operand) bool {
	f := p.f
	d := f.DefOf(o.Reg())
	if d == 0 || f.Parent(d) == 0 {
		return false
	}
	switch f.Op(d) {
	case mir.Vector:
		part, sub, ok := p.partOf(o, d)
		if !ok || p.whole[o.Reg().Index()] && part.Kind != mir.KindImm || !p.canRead(i, n, o, part, sub) {
			return false
		}
		p.replace(i, n, o, part, sub)
		return true
	case mir.Copy:
		return p.fromCopy(i, n, o, d)
	}
	return false
}

// partOf returns the part of a tuple that a source reads, and the first dword
// in the part.
func (p *peephole) partOf(o *mir.Operand, d mir.Instr) (part mir.Operand, from int, ok bool) {
	f := p.f
	sub, size := int(o.Sub), f.OperandDwords(o)
	at := 0
	for _, part := range f.Uses(d) {
		dwords := 1
		if part.Kind == mir.KindReg {
			dwords = f.OperandDwords(&part)
		}
		if sub >= at && sub+size <= at+dwords {
			return part, sub - at, true
		}
		at += dwords
	}
	return part, 0, false
}

// fromCopy reads the source of a copy in the same file. Only inline assembly
// writes trap temporary registers. Without it, scalar and vector instructions
// read them in place.
func (p *peephole) fromCopy(i mir.Instr, n int, o *mir.Operand, d mir.Instr) bool {
	f := p.f
	for k, def := range f.Defs(d) {
		if src := *f.Use(d, k); def.Reg() == o.Reg() {
			if src.Kind == mir.KindReg && src.Reg().IsTrapTemporary() && !p.asm && p.readsScalar(i, n) {
				src.Flags = o.Flags
				*o = src
				return true
			}
			if src.Kind != mir.KindReg || !p.canRead(i, n, o, src, int(o.Sub)) {
				return false
			}
			p.takePart(o, src, int(o.Sub), f.OperandDwords(o))
			return true
		}
	}
	return false
}

// readsScalar reports whether a source of a scalar or vector instruction can be
// any scalar register of one dword.
func (p *peephole) readsScalar(i mir.Instr, n int) bool {
	f := p.f
	s := f.SlotOf(i, len(f.Defs(i))+n)
	if u := f.Info(i).Unit; s == nil || u != mir.UnitSALU && u != mir.UnitVALU || f.Ext(i) != 0 {
		return false
	}
	return !s.Tied && s.Kind == mir.SlotSource && s.Files&isa.FileS != 0 && s.Dwords == 1
}

// canRead reports whether a source of an instruction can be some dwords of a
// part.
func (p *peephole) canRead(i mir.Instr, n int, o *mir.Operand, part mir.Operand, sub int) bool {
	f := p.f
	size := f.OperandDwords(o)
	if part.Kind == mir.KindImm {
		return size == 1 && p.takesConstant(i, n, part.Imm)
	}
	if !part.IsVirtual() || part.Flags&mir.Undef != 0 || f.File(part.Reg()) != f.File(o.Reg()) {
		return false
	}
	sub += int(part.Sub)
	all := sub == 0 && size == f.Dwords(part.Reg())
	return all || !p.mustBeWhole(i, n) && (size == 1 || sub%min(size&^1, 4) == 0)
}

// takePart sets an operand to some dwords of a source.
func (p *peephole) takePart(o *mir.Operand, src mir.Operand, sub, size int) {
	r, flags := src.Reg(), o.Flags
	sub += int(src.Sub)
	if sub == 0 && size == p.f.Dwords(r) {
		*o = mir.R(r)
	} else {
		*o = mir.Part(r, sub, size)
	}
	o.Flags = flags
}

// replace replaces a source by a part of a tuple, if the source can read it.
func (p *peephole) replace(i mir.Instr, n int, o *mir.Operand, part mir.Operand, sub int) {
	if part.Kind != mir.KindImm {
		p.takePart(o, part, sub, p.f.OperandDwords(o))
		return
	}
	*o = mir.Imm(part.Imm)
	p.commute(i, n)
}

// mustBeWhole reports whether a source must be a whole register, because it is
// tied to a result.
func (p *peephole) mustBeWhole(i mir.Instr, n int) bool {
	s := p.f.SlotOf(i, len(p.f.Defs(i))+n)
	return s != nil && (s.Tied || s.Kind == mir.SlotFixed)
}

// takesConstant reports whether a source of an instruction can be a constant
// that needs no literal.
func (p *peephole) takesConstant(i mir.Instr, n int, imm int64) bool {
	f := p.f
	if f.Op(i) == mir.Vector {
		return true
	}
	s := f.SlotOf(i, len(f.Defs(i))+n)
	x := f.Info(i)
	if s == nil || f.Ext(i) != 0 || s.Tied || s.Kind != mir.SlotSource || s.Files&isa.FileC == 0 || s.Dwords != 1 || !mir.IsInline(f.M.Set, s.Type, imm) {
		return false
	}
	return x.Unit == mir.UnitSALU || x.Unit == mir.UnitVALU && x.Form != isa.VOP3P && (f.M.Set.Has(isa.PropVop3Literal) || !p.hasLiteral(i))
}

// hasLiteral reports whether an instruction has a literal. Before gfx10, only
// its short encoding supports one.
func (p *peephole) hasLiteral(i mir.Instr) bool {
	f := p.f
	defs := len(f.Defs(i))
	for n, o := range f.Uses(i) {
		switch s := f.SlotOf(i, defs+n); {
		case s == nil || s.Kind != mir.SlotSource:
		case o.Kind == mir.KindSymbol || o.Kind == mir.KindFrame || o.Kind == mir.KindImm && !mir.IsInline(f.M.Set, s.Type, o.Imm):
			return true
		}
	}
	return false
}

// commute moves a constant to the first source, where the short encoding
// supports it.
func (p *peephole) commute(i mir.Instr, n int) {
	f := p.f
	if n != 1 || f.Mods(i) != 0 || !f.Op(i).Commutes() {
		return
	}
	x, y := f.Use(i, 0), f.Use(i, 1)
	if defs := len(f.Defs(i)); x.Kind == mir.KindReg && f.File(x.Reg()) == mir.FileV && f.SlotOf(i, defs).Type == f.SlotOf(i, defs+1).Type {
		*x, *y = *y, *x
	}
}

// removeUnused removes instructions without side effects whose results are
// unused.
func (p *peephole) removeUnused() {
	f := p.f
	p.work = p.work[:0]
	for k := len(f.Layout) - 1; k >= 0; k-- {
		for i := f.Last(f.Layout[k]); i != 0; {
			prev := f.Prev(i)
			if p.isUnused(i) {
				p.erase(i)
			}
			i = prev
		}
	}
	for len(p.work) > 0 { // erasing may leave values that were used only in a loop
		i := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		if f.Parent(i) != 0 && p.isUnused(i) {
			p.erase(i)
		}
	}
}

// erase removes an instruction, and queues its sources that are now unused.
func (p *peephole) erase(i mir.Instr) {
	f := p.f
	for _, o := range f.Uses(i) {
		if o.IsVirtual() {
			u := &p.uses[o.Reg().Index()]
			if *u--; *u == 0 {
				if d := f.DefOf(o.Reg()); d != 0 && d != i {
					p.work = append(p.work, d)
				}
			}
		}
	}
	f.Erase(i)
}

func (p *peephole) isUnused(i mir.Instr) bool {
	f := p.f
	x := f.Info(i)
	if x.Flags&(mir.Effects|mir.Terminator|mir.MayStore|mir.WritesExec) != 0 || f.Flags(i)&mir.NoReorder != 0 || len(f.Defs(i)) == 0 {
		return false
	}
	if x.Flags&mir.MayLoad != 0 {
		if m := f.Mem(i); m == nil || m.Flags&mir.MemVolatile != 0 || m.Ordering != 0 {
			return false
		}
	}
	for _, o := range f.Defs(i) {
		if !o.IsVirtual() || p.uses[o.Reg().Index()] != 0 {
			return false
		}
	}
	return true
}
