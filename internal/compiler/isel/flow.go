package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// terminator selects the terminator of a block.
func (s *Selector) terminator(b ir.Block) {
	f := s.f
	t := f.Terminator(b)
	s.loc, s.current = uint32(f.Instr(t).Loc), t
	switch f.Op(t) {
	case ir.OpBr:
		s.branch(b, t)
	case ir.OpRet:
		s.ret(t)
	case ir.OpUnreachable:
		s.putInstr(mir.End, 0)
	default:
		s.unsupported(t, "terminator %v", f.Op(t))
	}
}

// branch selects br.
func (s *Selector) branch(b ir.Block, t ir.Value) {
	f := s.f
	succs := f.Successors(b)
	yes := s.blocks[succs[0].Value.Block()]
	if len(succs) == 1 || succs[1].Value == succs[0].Value {
		s.putInstr(mir.Br, 0, mir.Target(yes))
		return
	}
	no := s.blocks[succs[1].Value.Block()]
	c := f.Operand(t, 0)
	for {
		of, ok := s.inverted(c)
		if !ok {
			break
		}
		c, yes, no = of, no, yes
	}
	if s.uniform.DivergentBranch(b) {
		s.putInstr(mir.BrMask, 0, s.maskReg(c), mir.Target(yes), mir.Target(no))
		return
	}
	s.putInstr(mir.BrSCC, 0, s.scc(c), mir.Target(yes), mir.Target(no))
}
