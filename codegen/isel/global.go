package isel

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// globalAddress gives the address of a global in scalar registers: relative to the program counter, or for symbols of other modules
// from the table of addresses (user guide, "Relocation Records").
func (s *Selector) globalAddress(v ir.Value) mir.Operand {
	g := s.m.ConstGlobal(v)
	if g.AddrSpace == spaceLocal || g.AddrSpace == spaceRegion {
		s.unsupported(s.current, "LDS variable @%s that has no address yet", g.Name())
		return mir.Imm(0)
	}
	d := mir.R(s.newS(2))
	half := symbolHalf(g)
	s.put(mir.GlobalAddr, 2, d, mir.R(s.newSCC()), mir.SymbolAddr(s.out.Symbol(g.Name()), half, 0))
	if half == mir.SymbolRel32Lo {
		return d
	}
	a := mir.R(s.newS(2))
	s.setMem(s.put(mir.SLoadB64, 1, a, d, mir.None, mir.Imm(0)),
		mir.Mem{Size: 8, Align: 8, AddrSpace: spaceConstant, Flags: mir.MemLoad | mir.MemInvariant})
	return a
}

// symbolHalf says how the address of a global is found: relative to the program counter when the symbol is that of this code object
// whatever else is loaded, else from the global offset table.
func symbolHalf(g *ir.Global) mir.SymbolHalf {
	if g.IsDeclaration() || !g.Linkage.IsLocal() && g.Vis == ir.DefaultVisibility {
		return mir.SymbolGotRel32Lo
	}
	return mir.SymbolRel32Lo
}

// constantExpr gives a constant expression: an address plus a constant, or one of another space.
func (s *Selector) constantExpr(v ir.Value) mir.Operand {
	c := s.m.Const(v)
	ops := s.m.ConstOperands(v)
	switch c.Op {
	case ir.OpPtrToInt, ir.OpIntToPtr, ir.OpBitCast, ir.OpPtrToAddr:
		o := s.constant(ops[0])
		if n := s.dwords(c.Type); o.Kind == mir.KindReg && s.out.OperandDwords(&o) > n {
			return s.part(o, 0, n)
		}
		return o
	case ir.OpTrunc:
		return s.part(s.constant(ops[0]), 0, s.dwords(c.Type))
	case ir.OpAddrSpaceCast:
		return s.constantCast(v, ops[0])
	case ir.OpGetElementPtr, ir.OpAdd, ir.OpSub:
		return s.constantSum(v, c.Op, ops)
	}
	s.unsupported(s.current, "constant expression %v", c.Op)
	return mir.Imm(0)
}

func (s *Selector) constantSum(v ir.Value, op ir.Op, ops []ir.Value) mir.Operand {
	if op != ir.OpGetElementPtr {
		n, ok := s.m.IntValue(ops[1])
		o := s.constant(ops[0])
		if !ok {
			s.unsupported(s.current, "constant expression %v of two addresses", op)
			return o
		}
		if op == ir.OpSub {
			n = -n
		}
		return s.addConstant(o, int64(n))
	}
	a := s.address(v)
	base := mir.Imm(0)
	if a.base != ir.None {
		base = s.constant(a.base)
	}
	return s.addConstant(base, a.offset)
}

func (s *Selector) addConstant(o mir.Operand, n int64) mir.Operand {
	switch {
	case o.Kind == mir.KindImm:
		return mir.Imm(o.Imm + n)
	case s.out.OperandDwords(&o) == 2:
		return s.sumUniform(o, nil, n)
	}
	return s.addScalar32(o, mir.Imm(n))
}
