package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Registers clobbered by calls. The calling convention defines the registers
// that functions preserve. For a function that has been compiled, the registers
// that it clobbers are known, and values can live across a call in all others.

// RegSet is a set of physical registers.
type RegSet [(mir.NumPhys + 63) / 64]uint64

// Has reports whether a register is in the set.
func (s *RegSet) Has(r mir.Reg) bool { return s[r>>6]>>(r&63)&1 != 0 }

func (s *RegSet) addRegister(r mir.Reg)  { s[r>>6] |= 1 << (r & 63) }
func (s *RegSet) dropRegister(r mir.Reg) { s[r>>6] &^= 1 << (r & 63) }

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
				s.addRegister(r + mir.Reg(k))
			}
		}
	}
}

// hasAny reports whether the set contains any of n registers of a file,
// starting at at.
func (s *RegSet) hasAny(file mir.File, at, n int) bool {
	for k := range n {
		if s.Has(base(file) + mir.Reg(at+k)) {
			return true
		}
	}
	return false
}

// unpreserved holds the registers that each convention allows functions to
// clobber.
var unpreserved = lazy.Value[*[abi.NumConventions]RegSet]{Make: func() *[abi.NumConventions]RegSet {
	var s [abi.NumConventions]RegSet
	for r := mir.SGPR0; int(r) < mir.NumPhys; r++ {
		for c := range s {
			if !abi.Convention(c).Preserves(r) {
				s[c].addRegister(r)
			}
		}
	}
	return &s
}}

// clobbers returns the registers that cannot hold a value across a call: the
// registers clobbered by the callee, clobbered by the code of the call, or
// holding arguments.
func (p *Passes) clobbers(i mir.Instr) RegSet {
	f := p.f
	name := ""
	if to := f.Use(i, 0); to.Kind == mir.KindSymbol {
		name = f.Symbols[to.Symbol()]
	}
	convention := abi.Compute
	if f.Flags(i)&mir.Graphics != 0 {
		convention = abi.Graphics
	}
	s := *p.changedBy(name, convention)
	s.addOperands(f.Defs(i))
	s.addOperands(f.Uses(i)[1:]) // not the callee's address, which may be used for another call
	for k := range mir.Reg(2) {  // the first spare registers hold the callee's address
		if p.entry.Kernel || !p.entry.Convention.Preserves(firstSpare) {
			s.addRegister(firstSpare + k)
		}
		s.addRegister(secondSpare + k)
		s.addRegister(abi.ReturnAddress + k)
	}
	s.addRegister(mir.SCC)
	return s
}

// changedBy returns the registers that a function clobbers. If the function is
// unknown, these are all that its convention allows.
func (p *Passes) changedBy(name string, convention abi.Convention) *RegSet {
	if p.job.Clobbers != nil && name != "" {
		if known := p.job.Clobbers(name); known != nil {
			return known
		}
	}
	return &unpreserved.Get()[convention]
}

// callClobbers returns the union of the registers clobbered by all calls and
// tail-called functions.
func (p *Passes) callClobbers() (s RegSet) {
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
		s.addAll(p.changedBy(name, p.entry.Convention))
	}
	return s
}

// noteWrites adds the registers that the function's instructions write. It is
// called after frame layout, because indexed registers are only named until
// then, and at the end.
func (p *Passes) noteWrites() {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			p.written.addOperands(f.Defs(i))
		}
	}
}

// clobbered returns the registers that a call of the function clobbers: the
// registers written by it and its callees, except those that it restores.
func (p *Passes) clobbered() *RegSet {
	p.noteWrites()
	s := p.written
	s.addRegister(mir.M0) // some instructions write it implicitly
	s.addRegister(mir.SCC)
	free := &unpreserved.Get()[p.entry.Convention]
	for w := range s {
		s[w] &= free[w]
	}
	for _, r := range p.frame.saves.wide {
		s.dropRegister(r)
	}
	return &s
}
