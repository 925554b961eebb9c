package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// Pointer casts between address spaces. Casts without a meaning in LLVM are
// poison, as they are there (LLVM, SITargetLowering::lowerADDRSPACECAST).

const (
	spaceConstant32     = 6 // 32-bit constant addresses; their high half is a function attribute
	spaceBufferFat      = 7
	spaceBufferResource = 8
)

// spaceCast is the effect of a cast.
type spaceCast uint8

const (
	castPoison    spaceCast = iota
	castCopy                // the address is unchanged
	castToFlat              // from LDS or private memory
	castToSegment           // to LDS or private memory
	castNarrow              // truncates to the low half
	castWiden               // adds the high half
	castUnknown             // between pointers that are more than an address
)

// spaceCastOf returns the effect of a cast between two pointer types.
func (s *Selector) spaceCastOf(fromType, toType ir.Type) spaceCast {
	from, to := s.m.AddrSpace(fromType), s.m.AddrSpace(toType)
	wideFrom, wideTo := s.dwords(fromType) == 2, s.dwords(toType) == 2
	segmentFrom, segmentTo := from == addrspace.Local || from == addrspace.Private, to == addrspace.Local || to == addrspace.Private
	switch {
	case wideFrom && wideTo:
		return castCopy
	case segmentFrom && to == addrspace.Flat:
		return castToFlat
	case segmentTo && from == addrspace.Flat:
		return castToSegment
	case to == spaceConstant32 && wideFrom:
		return castNarrow
	case from == spaceConstant32 && wideTo:
		return castWiden
	case s.dwords(toType) > 2, from == spaceBufferFat, from == spaceBufferResource:
		return castUnknown
	}
	return castPoison
}

// addrSpaceCast selects a cast; null becomes null.
func (s *Selector) addrSpaceCast(v ir.Value) {
	x := s.f.Operand(v, 0)
	from, to := s.typeOf(x), s.f.TypeOf(v)
	switch s.spaceCastOf(from, to) {
	case castToFlat:
		s.segmentToFlat(v, x, s.m.AddrSpace(from))
	case castToSegment:
		s.flatToSegment(v, x)
	case castNarrow:
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.inBank(v, s.half(s.use(x), 0), 1))
	case castWiden:
		s.putInstr(mir.Vector, 1, mir.R(s.regOf(v)), s.inBank(v, s.use(x), 1), s.inBank(v, mir.Imm(s.highBits()), 1))
	case castPoison:
		s.putInstr(mir.Undefined, 1, mir.R(s.regOf(v)))
	default:
		s.unsupported(v, "addrspacecast from %d to %d", s.m.AddrSpace(from), s.m.AddrSpace(to))
	}
}

// constantCast casts a constant address.
func (s *Selector) constantCast(v, x ir.Value) mir.Operand {
	from, to := s.m.TypeOfConst(x), s.m.TypeOfConst(v)
	switch s.spaceCastOf(from, to) {
	case castCopy:
		return s.constant(x)
	case castToFlat:
		o := s.constant(x)
		if o.IsImm(-1) {
			return mir.Imm(0)
		}
		return s.pair(o, s.aperture(s.current, s.m.AddrSpace(from)))
	case castToSegment:
		if s.m.IsZero(x) {
			return mir.Imm(-1)
		}
		return s.part(s.constant(x), 0, 1)
	case castNarrow:
		return s.part(s.constant(x), 0, 1)
	case castWiden:
		return s.pair(s.constant(x), mir.Imm(s.highBits()))
	case castPoison:
		d := mir.R(s.newS(s.dwords(to)))
		s.putInstr(mir.Undefined, 1, d)
		return d
	}
	if s.m.IsZero(x) && s.m.AddrSpace(from) == spaceBufferFat { // no other address space has them
		d := mir.R(s.newS(s.dwords(to)))
		s.putInstr(mir.Undefined, 1, d)
		return d
	}
	s.unsupported(s.current, "constant addrspacecast from %d to %d", s.m.AddrSpace(from), s.m.AddrSpace(to))
	return mir.Imm(0)
}

// pair combines two scalar dwords.
func (s *Selector) pair(low, high mir.Operand) mir.Operand {
	d := mir.R(s.newS(2))
	s.putInstr(mir.Vector, 1, d, low, high)
	return d
}

// highBits returns the high half of 32-bit addresses in constant memory.
func (s *Selector) highBits() int64 {
	text, _ := s.m.StringAttr(s.m.AttrsAt(s.f.Attributes, ir.AttrFunction), "amdgpu-32bit-address-high-bits")
	n, _ := abi.Number(text)
	return int64(int32(n))
}
