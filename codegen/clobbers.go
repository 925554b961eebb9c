package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// What calls change. The calling convention says which registers functions preserve; of a function that is compiled already it is known
// which of the others it changes at all, and what calls it can keep values in the rest.

// RegSet is a set of physical registers.
type RegSet [(mir.NumPhys + 63) / 64]uint64

// Has reports whether a register is in the set.
func (s *RegSet) Has(r mir.Reg) bool { return s[r>>6]>>(r&63)&1 != 0 }

func (s *RegSet) add(r mir.Reg)  { s[r>>6] |= 1 << (r & 63) }
func (s *RegSet) drop(r mir.Reg) { s[r>>6] &^= 1 << (r & 63) }

// addAll adds the registers of another set.
func (s *RegSet) addAll(t *RegSet) {
	for w := range s {
		s[w] |= t[w]
	}
}

// addOperands adds the physical registers among operands.
func (s *RegSet) addOperands(list []mir.Operand) {
	for n := range list {
		if r := list[n].Reg(); r.IsPhys() {
			for k := range max(int(list[n].N), 1) {
				s.add(r + mir.Reg(k))
			}
		}
	}
}

// hasAny reports whether one of n registers of a file from one on is in the set.
func (s *RegSet) hasAny(file mir.File, at, n int) bool {
	for k := range n {
		if s.Has(base(file) + mir.Reg(at+k)) {
			return true
		}
	}
	return false
}

// unpreserved are the registers that the convention lets functions change.
var unpreserved = lazy.Value[*RegSet]{Make: func() *RegSet {
	var s RegSet
	for r := mir.SGPR0; int(r) < mir.NumPhys; r++ {
		if !abi.Preserved(r) {
			s.add(r)
		}
	}
	return &s
}}

// clobbers gives the registers in which nothing can live across a call: those that the function changes, those that the code of the
// call does, and those of arguments.
func (p *Pipeline) clobbers(i mir.Instr) RegSet {
	f := p.f
	name := ""
	if to := f.Use(i, 0); to.Kind == mir.KindSymbol {
		name = f.Symbols[to.Symbol()]
	}
	s := *p.changedBy(name)
	s.addOperands(f.Defs(i))
	s.addOperands(f.Uses(i)[1:]) // not the function itself, which may be called again
	for k := range mir.Reg(2) {  // the address of the function is in the first spare registers
		s.add(firstSpare + k)
		s.add(secondSpare + k)
		s.add(abi.ReturnAddress + k)
	}
	s.add(mir.SCC)
	return s
}

// changedBy gives what a function changes: what the convention lets it change when no more is known of it.
func (p *Pipeline) changedBy(name string) *RegSet {
	if p.job.Clobbers != nil && name != "" {
		if known := p.job.Clobbers(name); known != nil {
			return known
		}
	}
	return unpreserved.Get()
}

// callClobbers gives what all calls of the function together change, and the functions that it ends in jumps to.
func (p *Pipeline) callClobbers() (s RegSet) {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == mir.Call {
				c := p.clobbers(i)
				s.addAll(&c)
			}
		}
	}
	for _, name := range f.Jumps {
		s.addAll(p.changedBy(name))
	}
	return s
}

// noteWrites adds what the instructions of the function write to what it changes. That is asked when the frame is there, as registers that
// are indexed have their names only then, and at the end.
func (p *Pipeline) noteWrites() {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			p.written.addOperands(f.Defs(i))
		}
	}
}

// clobbered gives what calls of the function change: what it and the functions that it calls write, but for what they put back.
func (p *Pipeline) clobbered() *RegSet {
	p.noteWrites()
	s := p.written
	s.add(mir.M0) // which some instructions write that do not say so
	s.add(mir.SCC)
	free := unpreserved.Get()
	for w := range s {
		s[w] &= free[w]
	}
	for _, r := range p.frame.saves.wide {
		s.drop(r)
	}
	return &s
}
