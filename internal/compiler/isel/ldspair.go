package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// ldsPiece is one access of an LDS access that is split before gfx9, because
// its address is not a multiple of its size. The pieces are pairs of dwords or
// quadwords, and a single dword at the end.
type ldsPiece struct {
	at, dwords  int
	load, store mir.Op
	unit        int // size in bytes of each half of a pair, 0 for a single access
}

func (s *Selector) ldsPieces(size uint64, align uint32) (list []ldsPiece) {
	if s.set.Has(isa.PropLdsUnaligned) || size < 8 || uint64(align) >= size || size == 12 && align >= 16 && s.set.Has(isa.PropLdsB96) {
		return nil
	}
	if size == 16 && align >= 8 {
		return []ldsPiece{{0, 4, mir.DsLoad2addrB64, mir.DsStore2addrB64, 8}}
	}
	n := int(size / 4)
	at := 0
	for ; at+2 <= n; at += 2 {
		list = append(list, ldsPiece{at, 2, mir.DsLoad2addrB32, mir.DsStore2addrB32, 4})
	}
	if at < n {
		list = append(list, ldsPiece{at, 1, mir.DsLoadB32, mir.DsStoreB32, 0})
	}
	return list
}

// ldsPieceAddress returns the address operands of a piece. Offsets of pairs are
// 8-bit numbers of units.
func (s *Selector) ldsPieceAddress(m *memAddress, p *ldsPiece) memAddress {
	off := m.operands[1].Imm + int64(p.at)*4
	addr := m.operands[0]
	one := *m
	if p.unit > 0 && (off%int64(p.unit) != 0 || off/int64(p.unit)+1 > 255) {
		d := mir.R(s.newV(1))
		s.valu(s.without(mir.VAddNcU32, mir.VAddCoU32), d, mir.Imm(off), addr)
		addr, off = d, 0
	}
	if p.unit > 0 {
		off /= int64(p.unit)
		off |= (off + 1) << 8
	}
	one.operands = []mir.Operand{addr, mir.Imm(off)}
	return one
}

// loadPieces selects an LDS load in pieces.
func (s *Selector) loadPieces(v, p ir.Value, m *memAddress, pieces []ldsPiece) {
	parts := []mir.Operand{mir.R(s.regOf(v))}
	for n := range pieces {
		x := &pieces[n]
		one := s.ldsPieceAddress(m, x)
		d := mir.R(s.newV(x.dwords))
		s.setMem(s.access(x.load, &one, 1, d), s.pieceMem(v, p, x, mir.MemLoad))
		parts = append(parts, d)
	}
	s.tuple(parts)
}

// storePieces selects an LDS store in pieces.
func (s *Selector) storePieces(v, p ir.Value, m *memAddress, data mir.Operand, pieces []ldsPiece) {
	for n := range pieces {
		x := &pieces[n]
		one := s.ldsPieceAddress(m, x)
		from := []mir.Operand{s.part(data, x.at, x.dwords)}
		if x.unit > 0 {
			half := x.dwords / 2
			from = []mir.Operand{s.part(data, x.at, half), s.part(data, x.at+half, half)}
		}
		s.setMem(s.access(x.store, &one, 0, from...), s.pieceMem(v, p, x, mir.MemStore))
	}
}

func (s *Selector) pieceMem(v, p ir.Value, x *ldsPiece, flags mir.MemFlags) mir.Mem {
	m := s.memOf(v, p, uint64(x.dwords)*4, flags)
	m.Offset += int64(x.at) * 4
	return m
}
