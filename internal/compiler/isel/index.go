package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// elementIndex returns the number of the first dword of an element at a
// variable index, in a scalar register. An index out of range would access
// other registers, so elementIndex clamps it unless it is known to be in range.
func (s *Selector) elementIndex(v, vec, index ir.Value, n int) (mir.Operand, bool) {
	if s.uniform.Divergent(index) {
		s.unsupported(v, "divergent element index")
		return mir.None, false
	}
	o := s.asReg(s.half(s.scalar(index), 0), mir.FileS, 1)
	count := s.m.NumElements(s.typeOf(vec))
	if _, hi := analysis.UnsignedRange(s.f, index); hi >= count {
		d := s.newS(1)
		s.salu(mir.SMinU32, d, o, mir.Imm(int64(count-1)))
		o = mir.R(d)
	}
	return s.scaledScalar32(o, int64(n)), true
}

// indexRead selects an extractelement with a uniform index.
func (s *Selector) indexRead(v ir.Value) {
	f := s.f
	vec := f.Operand(v, 0)
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	at, ok := s.elementIndex(v, vec, f.Operand(v, 1), n)
	if !ok {
		return
	}
	tuple := s.vgpr(vec)
	parts := []mir.Operand{mir.R(dst)}
	for k := range n {
		d := mir.R(s.newV(1))
		s.putInstr(mir.IndexRead, 2, d, mir.Phys(mir.M0, 1), tuple, at, mir.Imm(int64(k)))
		parts = append(parts, d)
	}
	s.tuple(parts)
}

// indexWrite selects an insertelement with a uniform index.
func (s *Selector) indexWrite(v ir.Value) {
	f := s.f
	vec, x := f.Operand(v, 0), f.Operand(v, 1)
	dst := s.regOf(v)
	n := s.dwords(s.typeOf(x))
	at, ok := s.elementIndex(v, vec, f.Operand(v, 2), n)
	if !ok {
		return
	}
	tuple, from := s.vgpr(vec), s.vgpr(x)
	for k := range n {
		d := mir.R(dst)
		if k < n-1 {
			d = mir.R(s.newV(s.out.Dwords(dst)))
		}
		s.putInstr(mir.IndexWrite, 2, d, mir.Phys(mir.M0, 1), tuple, at, mir.Imm(int64(k)), s.half(from, k))
		tuple = d
	}
}
