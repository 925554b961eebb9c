package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// instr allocates the registers of an instruction other than a phi.
func (a *allocator) instr(i mir.Instr) error {
	a.fresh, a.killed, a.moves = a.fresh[:0], a.killed[:0], a.moves[:0]
	if err := a.fixedUses(i); err != nil {
		return err
	}
	if err := a.lowUses(i); err != nil {
		return err
	}
	a.low = a.f.Op(i) == mir.Asm
	tied, err := a.earlyDefs(i)
	if err != nil {
		return err
	}
	a.release(i)
	if a.f.Op(i) == mir.Call {
		if err := a.saveFromCall(i); err != nil {
			return err
		}
	}
	if err := a.defs(i, tied); err != nil {
		return err
	}
	a.low = false
	a.rewrite(i, tied)
	a.dropDead(i)
	a.flushMoves(i)
	return nil
}

// fixedUses moves sources to the registers that the instruction requires.
func (a *allocator) fixedUses(i mir.Instr) error {
	f := a.f
	first := len(f.Defs(i))
	for n, o := range f.Uses(i) {
		s := f.SlotOf(i, first+n)
		if s == nil || s.Kind != mir.SlotFixed || !o.IsVirtual() {
			continue
		}
		v := int32(o.Reg().Index())
		a.fresh = append(a.fresh, v)
		if a.loc[v] == s.Reg {
			continue
		}
		if err := a.claim(s.Reg, int(s.Dwords), i); err != nil {
			return err
		}
		a.moveTo(v, s.Reg)
	}
	return nil
}

// moveTo moves a virtual register to a free place before the current
// instruction.
func (a *allocator) moveTo(v int32, r mir.Reg) {
	a.evict(v)
	a.settle(v, r)
}

// claim frees specific physical registers.
func (a *allocator) claim(r mir.Reg, n int, i mir.Instr) error {
	file := a.f.File(r)
	at := int(r - base(file))
	for _, v := range a.owner[file][at : at+n] {
		if v < 0 || a.isFresh(v) {
			return &errNoRegisters{file, a.f, i}
		}
	}
	if !a.clearRoom(file, at, n) {
		return &errNoRegisters{file, a.f, i}
	}
	return nil
}

// earlyDefs assigns places to results that are written before the sources are
// read. It returns the source to which the first result is tied, or -1.
func (a *allocator) earlyDefs(i mir.Instr) (tied int, err error) {
	f := a.f
	first := len(f.Defs(i))
	tied = -1
	for n := range f.Uses(i) {
		if s := f.SlotOf(i, first+n); s != nil && s.Tied {
			tied = n
		}
	}
	for n, o := range f.Defs(i) {
		if o.Flags&mir.Early != 0 && o.IsVirtual() && !(n == 0 && tied >= 0) {
			if err := a.placeResult(int32(o.Reg().Index()), i); err != nil {
				return tied, err
			}
		}
	}
	return tied, nil
}

// placeResult assigns a place to a result.
func (a *allocator) placeResult(v int32, i mir.Instr) error {
	r, err := a.choose(v, i)
	if err != nil {
		return err
	}
	a.assignPlace(v, r)
	a.fresh = append(a.fresh, v)
	return nil
}

// release frees the places of killed sources.
func (a *allocator) release(i mir.Instr) {
	for _, o := range a.f.Uses(i) {
		switch r := o.Reg(); {
		case r.IsVirtual() && o.Flags&mir.Kill != 0:
			if v := int32(r.Index()); a.loc[v] != mir.NoReg {
				a.killed = append(a.killed, place{v, a.loc[v]})
				a.removePlace(v)
			}
		case r.IsPhys():
			file := a.f.File(r)
			for k := range max(int(o.N), 1) {
				if a.owner[file][r.Index()+k] == reserved {
					a.owner[file][r.Index()+k] = noOwner
				}
			}
		}
	}
}

// defs assigns places to the results, starting with those in fixed registers.
func (a *allocator) defs(i mir.Instr, tied int) error {
	f := a.f
	for n, o := range f.Defs(i) {
		s := f.SlotOf(i, n)
		switch {
		case o.Reg().IsPhys():
			if err := a.definePhys(o, i); err != nil {
				return err
			}
		case s != nil && s.Kind == mir.SlotFixed && s.Reg != mir.SCC:
			if err := a.claim(s.Reg, int(s.Dwords), i); err != nil {
				return err
			}
			v := int32(o.Reg().Index())
			a.assignPlace(v, s.Reg)
			a.fresh = append(a.fresh, v)
		case n == 0 && tied >= 0:
			if err := a.defineTied(i, tied); err != nil {
				return err
			}
		}
	}
	for _, o := range f.Defs(i) {
		if v := int32(o.Reg().Index()); o.IsVirtual() && a.loc[v] == mir.NoReg {
			if err := a.sourceHint(i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// sourceHint assigns the result of a copy to its source's place if that is
// free, and other results to any place.
func (a *allocator) sourceHint(i mir.Instr, v int32) error {
	f := a.f
	if f.Op(i) == mir.Vector && a.planned[v] == mir.NoReg {
		a.planned[v] = a.partsPlace(i, v)
	}
	if f.Op(i) == mir.Copy && f.Hint(mir.Virtual(int(v))) == mir.NoReg {
		for n, o := range f.Defs(i) {
			if src := f.Use(i, n); o.Reg() == mir.Virtual(int(v)) && src.Reg().IsPhys() {
				f.SetHint(o.Reg(), src.Reg())
			} else if o.Reg() == mir.Virtual(int(v)) && src.IsVirtual() {
				f.SetHint(o.Reg(), a.sourcePlace(src))
			}
		}
	}
	return a.placeResult(v, i)
}

// partsPlace returns a free place for a tuple in which one of its parts is
// already in position, or NoReg.
func (a *allocator) partsPlace(i mir.Instr, v int32) mir.Reg {
	file, n := a.file(v), a.size(v)
	align := a.align(file, n)
	at := 0
	for _, o := range a.f.Uses(i) {
		if o.IsVirtual() && a.f.File(o.Reg()) == file {
			if k := int(a.sourcePlace(&o)-base(file)) - at; k >= 0 && k%align == 0 && a.inLimit(file, k, n) && a.free(file, k, n) {
				return base(file) + mir.Reg(k)
			}
		}
		if at++; o.Kind == mir.KindReg {
			at += a.f.OperandDwords(&o) - 1
		}
	}
	return mir.NoReg
}

// sourcePlace returns the current place of a source, or its place before it was
// released.
func (a *allocator) sourcePlace(o *mir.Operand) mir.Reg {
	v := int32(o.Reg().Index())
	if r := a.loc[v]; r != mir.NoReg {
		return r + mir.Reg(o.Sub)
	}
	for _, x := range a.killed {
		if x.v == v {
			return x.reg + mir.Reg(o.Sub)
		}
	}
	return mir.NoReg
}

// definePhys frees a physical register that an instruction defines, and
// reserves it until its use.
func (a *allocator) definePhys(o mir.Operand, i mir.Instr) error {
	file := a.f.File(o.Reg())
	n := max(int(o.N), 1)
	if o.Reg() == mir.Exec || o.Reg() == mir.Null || o.Reg() == mir.SCC || o.Reg() == mir.M0 || a.owner[file][o.Reg().Index()] == kept {
		return nil
	}
	if err := a.claim(o.Reg(), n, i); err != nil {
		return err
	}
	for k := range n { // a dead one is reserved until all results have places, so that nothing is moved there
		a.owner[file][o.Reg().Index()+k] = reserved
	}
	a.max[file] = max(a.max[file], o.Reg().Index()+n)
	return nil
}

// defineTied assigns the first result to the place of the source to which it is
// tied: the source's own place if this is its last use, otherwise a new place
// to which the source is copied.
func (a *allocator) defineTied(i mir.Instr, tied int) error {
	f := a.f
	v := int32(f.Def(i, 0).Index())
	src := *f.Use(i, tied)
	if src.IsVirtual() && src.N == 0 && src.Flags&mir.Undef == 0 {
		s := int32(src.Reg().Index())
		for _, x := range a.killed {
			if x.v == s && a.free(a.file(s), int(x.reg-base(a.file(s))), a.size(v)) {
				a.assignPlace(v, x.reg)
				a.fresh = append(a.fresh, v)
				return nil
			}
		}
	}
	a.holdAll(held)
	err := a.placeResult(v, i)
	a.holdAll(noOwner)
	if err != nil || src.Flags&mir.Undef != 0 {
		return err
	}
	if !src.IsVirtual() {
		return fmt.Errorf("BUG: codegen: a tied source of %q is not a virtual register", f.AppendInstr(nil, i))
	}
	a.moves = append(a.moves, move{source: src, from: a.origin(&src), to: a.loc[v]})
	return nil
}

// origin returns the place of a source before the moves of the current
// instruction.
func (a *allocator) origin(o *mir.Operand) mir.Reg {
	for _, m := range a.moves {
		if m.v == int32(o.Reg().Index()) {
			return m.from + mir.Reg(o.Sub)
		}
	}
	return a.sourcePlace(o)
}

// holdAll reserves the places of killed sources, or releases them, so that
// results do not use them meanwhile.
func (a *allocator) holdAll(to int32) {
	a.holding = to == held
	for file := mir.FileS; file <= mir.FileA; file++ {
		if to == held {
			a.holdKilled(file, noOwner, held)
		} else {
			a.holdKilled(file, held, noOwner)
		}
	}
}

// rewrite replaces the operands by physical registers.
func (a *allocator) rewrite(i mir.Instr, tied int) {
	f := a.f
	uses := f.Uses(i)
	for n := range uses {
		o := &uses[n]
		if !o.IsVirtual() {
			continue
		}
		v := int32(o.Reg().Index())
		r := a.sourcePlace(o)
		if n == tied {
			r = a.loc[f.Def(i, 0).Index()] // to which a part of a tuple was copied as well
		}
		if o.Flags&mir.Undef != 0 && r == mir.NoReg {
			r = base(f.File(o.Reg()))
		}
		flags, sub := o.Flags, o.Sub
		*o = a.physical(v, r, o.N)
		o.Flags, o.Sub = flags, sub
	}
	defs := f.Defs(i)
	for n := range defs {
		if o := &defs[n]; o.IsVirtual() {
			flags := o.Flags
			v := int32(o.Reg().Index())
			*o = a.physical(v, a.loc[v], 0)
			o.Flags = flags
		}
	}
}

// dropDead frees unused results.
func (a *allocator) dropDead(i mir.Instr) {
	for _, o := range a.f.Defs(i) {
		switch {
		case o.Flags&mir.Dead == 0:
		case o.Imm != 0:
			a.removePlace(int32(o.Imm))
		case o.Reg().IsPhys():
			owner := a.owner[a.f.File(o.Reg())]
			for k := range max(int(o.N), 1) {
				if at := o.Reg().Index() + k; at < len(owner) && owner[at] == reserved {
					owner[at] = noOwner
				}
			}
		}
	}
}

// flushMoves inserts the pending moves before the instruction.
func (a *allocator) flushMoves(i mir.Instr) {
	var defs, uses []mir.Operand
	for _, m := range a.moves {
		if m.from == m.to {
			continue
		}
		v, n := m.v, uint8(0)
		if v == 0 {
			v, n = int32(m.source.Reg().Index()), uint8(a.f.OperandDwords(&m.source))
		}
		u := a.physical(v, m.from, n)
		u.Sub = m.source.Sub
		defs, uses = append(defs, a.physical(v, m.to, n)), append(uses, u)
	}
	if len(defs) > 0 {
		a.insertCopy(i, defs, uses)
	}
}
