package isel

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// A struct has no registers: the extractvalue instructions that take its parts have them, and the instruction that makes the struct
// defines those.

// extractValue notes that a part of a struct is wanted.
func (s *Selector) extractValue(v ir.Value) {
	x := s.f.Operand(v, 0)
	if !x.IsLocal() || s.f.Op(x) != ir.OpCall && s.f.Op(x) != ir.OpCmpXchg || len(s.f.Indices(v)) != 1 {
		s.unsupported(v, "extractvalue of what is no result of a call")
		return
	}
	s.vals[x].wanted = true
}

// partWanted reports whether part n of a struct is wanted.
func (s *Selector) partWanted(v ir.Value, n uint32) bool {
	wanted := false
	s.eachPart(v, n, func(ir.Value) { wanted = true })
	return wanted
}

func (s *Selector) eachPart(v ir.Value, n uint32, do func(part ir.Value)) {
	f := s.f
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if x := f.User(u); f.Op(x) == ir.OpExtractValue && f.Indices(x)[0] == n && s.vals[x].wanted {
			do(x)
		}
	}
}

// definePart gives all that take part n of a struct an operand.
func (s *Selector) definePart(v ir.Value, n uint32, o mir.Operand) {
	s.eachPart(v, n, func(part ir.Value) { s.put(mir.Copy, 1, mir.R(s.regOf(part)), o) })
}

// swapResults gives the parts of cmpxchg: the old value and whether it is the one compared with.
func (s *Selector) swapResults(v, cmp ir.Value) {
	s.definePart(v, 0, mir.R(s.old))
	if !s.partWanted(v, 1) {
		return
	}
	op := mir.VCmpEqU32
	if s.out.Dwords(s.old) == 2 {
		op = mir.VCmpEqU64
	}
	s.eachPart(v, 1, func(part ir.Value) { s.valu(op, mir.R(s.regOf(part)), s.use(cmp), mir.R(s.old)) })
}
