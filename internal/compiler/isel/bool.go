package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// An i1 has one of three forms: the scalar condition code (uniform), a lane
// mask (divergent) or, for uniform phis, 0 or 1 in a scalar register. Users
// request the form that they need.

// byWave returns the mask operation for the wave size.
func (s *Selector) byWave(op32, op64 mir.Op) mir.Op {
	if s.out.M.Wave == 32 {
		return op32
	}
	return op64
}

func (s *Selector) exec() mir.Operand { return mir.Phys(mir.Exec, s.out.M.MaskDwords()) }

// boolConst returns the value of a constant i1.
func (s *Selector) boolConst(v ir.Value) (on, ok bool) {
	if !v.IsConst() {
		return false, false
	}
	n, isInt := s.m.IntValue(v)
	return isInt && n != 0, true
}

// boolOf returns an i1 in its current form.
func (s *Selector) boolOf(v ir.Value) mir.Operand {
	of, _ := s.root(v)
	return mir.R(s.regOf(of))
}

// mask returns an i1 as a mask, or as the constant 0 or -1.
func (s *Selector) mask(v ir.Value) mir.Operand {
	v, _ = s.root(v)
	if on, ok := s.boolConst(v); ok {
		if on {
			return mir.Imm(-1)
		}
		return mir.Imm(0)
	}
	o := s.boolOf(v)
	switch {
	case s.out.IsMask(o.Reg()):
		return o
	case s.out.File(o.Reg()) == mir.FileV:
		m := s.out.NewMask()
		s.valu(mir.VCmpNeU32, mir.R(m), mir.Imm(0), o)
		return mir.R(m)
	}
	if s.out.File(o.Reg()) == mir.FileSCC {
		x := &s.vals[v]
		if x.mask == mir.NoReg {
			x.mask = s.out.NewMask()
		}
		return mir.R(x.mask)
	}
	m := s.out.NewMask()
	s.putMask(m, o)
	return mir.R(m)
}

// putMask converts a uniform i1 to a mask.
func (s *Selector) putMask(m mir.Reg, o mir.Operand) {
	s.putInstr(s.byWave(mir.SCselectB32, mir.SCselectB64), 1, mir.R(m), mir.Imm(-1), mir.Imm(0), s.toSCC(o))
}

// maskReg is like mask, but returns a register.
func (s *Selector) maskReg(v ir.Value) mir.Operand {
	o := s.mask(v)
	if o.Kind == mir.KindReg {
		return o
	}
	m := s.out.NewMask()
	s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, mir.R(m), o)
	return mir.R(m)
}

// scc returns a uniform i1 as the scalar condition code.
func (s *Selector) scc(v ir.Value) mir.Operand {
	v, _ = s.root(v)
	if on, ok := s.boolConst(v); ok {
		c := s.newSCC()
		op := mir.SCmpLgU32
		if on {
			op = mir.SCmpEqU32
		}
		s.putInstr(op, 1, mir.R(c), mir.Imm(0), mir.Imm(0))
		return mir.R(c)
	}
	return s.toSCC(s.boolOf(v))
}

// toSCC converts any form to the scalar condition code. A mask is true if any
// active lane is set.
func (s *Selector) toSCC(o mir.Operand) mir.Operand {
	if s.out.File(o.Reg()) == mir.FileSCC {
		return o
	}
	c := s.newSCC()
	switch {
	case s.out.IsMask(o.Reg()):
		s.putInstr(s.byWave(mir.SAndB32, mir.SAndB64), 2, mir.R(s.out.NewMask()), mir.R(c), o, s.exec())
	case s.out.File(o.Reg()) == mir.FileV:
		s.putInstr(mir.SCmpLgU32, 1, mir.R(c), s.firstLane(o), mir.Imm(0))
	default:
		s.putInstr(mir.SCmpLgU32, 1, mir.R(c), o, mir.Imm(0))
	}
	return mir.R(c)
}

// boolInt returns a uniform i1 as 0 or 1 in a scalar register, or as a
// constant.
func (s *Selector) boolInt(v ir.Value) mir.Operand {
	v, _ = s.root(v)
	if on, ok := s.boolConst(v); ok {
		if on {
			return mir.Imm(1)
		}
		return mir.Imm(0)
	}
	o := s.boolOf(v)
	if s.out.File(o.Reg()) == mir.FileS && !s.out.IsMask(o.Reg()) {
		return o
	}
	d := s.newS(1)
	s.putInstr(mir.SCselectB32, 1, mir.R(d), mir.Imm(1), mir.Imm(0), s.toSCC(o))
	return mir.R(d)
}

// inverted returns the condition that an i1 negates, if the i1 is an xor with
// true.
func (s *Selector) inverted(v ir.Value) (of ir.Value, ok bool) {
	f := s.f
	if !v.IsLocal() || f.Op(v) != ir.OpXor {
		return v, false
	}
	if on, isConst := s.boolConst(f.Operand(v, 1)); isConst && on {
		return f.Operand(v, 0), true
	}
	return v, false
}

// boolOp selects and, or, xor of i1.
func (s *Selector) boolOp(v ir.Value) {
	f := s.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	ops := integerTable[f.Op(v)]
	dst := s.regOf(v)
	if s.vals[v].bank == bankS {
		a, b := s.boolInt(x), s.boolInt(y)
		s.putInstr(ops.s32, 2, mir.R(s.newS(1)), mir.R(dst), a, b)
		return
	}
	a, b := s.mask(x), s.mask(y)
	s.putInstr(s.byWave(ops.s32, ops.s64), 2, mir.R(dst), mir.R(s.newSCC()), a, b)
}

// boolSelect selects a select between two i1.
func (s *Selector) boolSelect(v ir.Value) {
	f := s.f
	c, x, y := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	dst := s.regOf(v)
	if s.vals[v].bank == bankS {
		a, b := s.boolInt(x), s.boolInt(y)
		d := s.newS(1)
		s.putInstr(mir.SCselectB32, 1, mir.R(d), a, b, s.scc(c))
		s.putInstr(mir.SCmpLgU32, 1, mir.R(dst), mir.R(d), mir.Imm(0))
		return
	}
	cm, a, b := s.mask(c), s.mask(x), s.mask(y)
	and, andn2, or, orn2 := s.byWave(mir.SAndB32, mir.SAndB64), s.byWave(mir.SAndNot1B32, mir.SAndNot1B64), s.byWave(mir.SOrB32, mir.SOrB64),
		s.byWave(mir.SOrNot1B32, mir.SOrNot1B64)
	put := func(op mir.Op, d mir.Reg, p, q mir.Operand) mir.Operand {
		s.putInstr(op, 2, mir.R(d), mir.R(s.newSCC()), p, q)
		return mir.R(d)
	}
	switch {
	case a.IsImm(0):
		put(andn2, dst, b, cm)
	case a.IsImm(-1):
		put(or, dst, b, cm)
	case b.IsImm(0):
		put(and, dst, a, cm)
	case b.IsImm(-1):
		put(orn2, dst, a, cm)
	default:
		yes, no := put(and, s.out.NewMask(), a, cm), put(andn2, s.out.NewMask(), b, cm)
		put(or, dst, yes, no)
	}
}

// fromBool selects a conversion of an i1 to a number: yes if it is set, no
// otherwise.
func (s *Selector) fromBool(v, cond ir.Value, yes, no int64) {
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	if s.vals[v].bank == bankS {
		c := s.scc(cond)
		if n == 2 && mir.IsInline(s.out.M.Set, 0, yes) && yes >= -1 && yes <= 1 && no == 0 {
			s.putInstr(mir.SCselectB64, 1, mir.R(dst), mir.Imm(yes), mir.Imm(no), c)
			return
		}
		parts := []mir.Operand{mir.R(dst)}
		for k := range n {
			d := mir.R(s.newS(1))
			s.putInstr(mir.SCselectB32, 1, d, mir.Imm(int64(int32(yes>>(32*k)))), mir.Imm(int64(int32(no>>(32*k)))), c)
			parts = append(parts, d)
		}
		s.tuple(parts)
		return
	}
	m := s.maskReg(cond)
	parts := []mir.Operand{mir.R(dst)}
	for k := range n {
		y, z := int64(int32(yes>>(32*k))), int64(int32(no>>(32*k)))
		if k > 0 && y == z {
			parts = append(parts, mir.Imm(y))
			continue
		}
		d := mir.R(s.newV(1))
		s.valu(mir.VCndmaskB32, d, mir.Imm(z), mir.Imm(y), m)
		parts = append(parts, d)
	}
	s.tuple(parts)
}

// tuple combines parts; the first operand is the result. A single part becomes
// the result itself.
func (s *Selector) tuple(parts []mir.Operand) {
	if len(parts) == 2 {
		s.putInstr(mir.Copy, 1, parts...)
		return
	}
	s.putInstr(mir.Vector, 1, parts...)
}
