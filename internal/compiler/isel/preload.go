package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// Loads from the preloaded part of the kernarg segment become copies of
// registers that the hardware initializes.

// preloaded selects a scalar load of whole dwords or of a part of one dword from
// preloaded registers. It reports whether the kernel has them.
func (s *Selector) preloaded(v, p ir.Value, size uint64) bool {
	if !s.isPreloaded(p, size) {
		return false
	}
	a := s.address(p)
	dst := mir.R(s.regOf(v))
	shift := a.offset % 4 * 8
	first, n := int(a.offset/4), int(size+3)/4
	switch {
	case n > 1:
		parts := []mir.Operand{dst}
		for k := range n {
			parts = append(parts, mir.R(s.preloadedDword(first+k)))
		}
		s.putInstr(mir.Vector, 1, parts...)
	case shift != 0:
		s.salu(mir.SLshrB32, dst.Reg(), mir.R(s.preloadedDword(first)), mir.Imm(shift))
	default:
		s.putInstr(mir.Copy, 1, dst, mir.R(s.preloadedDword(first)))
	}
	return true
}

// isPreloaded reports whether an access of a few bytes is to the preloaded part of
// the kernarg segment.
func (s *Selector) isPreloaded(p ir.Value, size uint64) bool {
	all := int64(s.env.Entry.Preload()) * 4
	if all == 0 {
		return false
	}
	a := s.address(p)
	return a.base.IsLocal() && len(a.terms) == 0 && s.f.CalledIntrinsic(a.base) == ir.IntrAMDGCNKernargSegmentPtr && a.offset >= 0 &&
		a.offset+int64(size) <= all
}

// preloadedDword returns the register of a dword of the kernarg segment.
func (s *Selector) preloadedDword(n int) mir.Reg {
	for _, in := range s.inputs {
		if in.what == abi.KernargPreload && in.part == n {
			return in.reg
		}
	}
	r := s.newS(1)
	s.inputs = append(s.inputs, input{what: abi.KernargPreload, reg: r, part: n})
	return r
}
