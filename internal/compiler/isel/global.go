package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// globalAddress returns the address of a global in scalar registers: relative
// to the program counter or, for symbols of other modules, from the global
// offset table (user guide, "Relocation Records").
func (s *Selector) globalAddress(v ir.Value) mir.Operand {
	g := s.m.ConstGlobal(v)
	if g.AddrSpace == addrspace.Local || g.AddrSpace == addrspace.Region {
		s.unsupported(s.current, "LDS variable @%s without an address", g.Name())
		return mir.Imm(0)
	}
	d := mir.R(s.newS(2))
	half := s.symbolHalf(g)
	s.putInstr(mir.GlobalAddr, 2, d, mir.R(s.newSCC()), mir.SymbolAddr(s.out.Symbol(g.Name()), half, 0))
	if half == mir.SymbolRel32Lo {
		return d
	}
	a := mir.R(s.newS(2))
	s.setMem(s.putInstr(mir.SLoadB64, 1, a, d, mir.None, mir.Imm(0)),
		mir.Mem{Size: 8, Align: 8, AddrSpace: addrspace.Constant, Flags: mir.MemLoad | mir.MemInvariant})
	return a
}

// symbolHalf returns the addressing mode of a global: relative to the program
// counter if the symbol always belongs to this code object, otherwise through
// the global offset table.
func (s *Selector) symbolHalf(g *ir.Global) mir.SymbolHalf {
	if s.env.Target.Triple.OS != target.AMDHSA && g.Func != nil && !g.IsDeclaration() {
		return mir.SymbolRel32Lo // no other code object can define it
	}
	if g.IsDeclaration() || !g.Linkage.IsLocal() && g.Vis == ir.DefaultVisibility {
		return mir.SymbolGotRel32Lo
	}
	return mir.SymbolRel32Lo
}

// constantExpr returns the value of a constant expression: an address plus a
// constant, or an address cast to another space.
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
	case ir.OpGetElementPtr:
		a := s.address(v)
		base := mir.Imm(0)
		if a.base != ir.None {
			base = s.constant(a.base)
		}
		return s.addConstant(base, a.offset)
	case ir.OpAdd, ir.OpSub:
		return s.constantSum(c.Op, s.constant(ops[0]), s.constant(ops[1]), s.dwords(c.Type))
	case ir.OpXor:
		d := s.newS(s.dwords(c.Type))
		op := [...]mir.Op{1: mir.SXorB32, 2: mir.SXorB64}[s.dwords(c.Type)]
		s.salu(op, d, s.asReg(s.constant(ops[0]), mir.FileS, s.dwords(c.Type)), s.asReg(s.constant(ops[1]), mir.FileS, s.dwords(c.Type)))
		return mir.R(d)
	}
	s.unsupported(s.current, "constant expression %v", c.Op)
	return mir.Imm(0)
}

// constantSum returns the sum or difference of two constants of one or two dwords.
func (s *Selector) constantSum(op ir.Op, x, y mir.Operand, dwords int) mir.Operand {
	if op == ir.OpAdd && x.Kind == mir.KindImm {
		x, y = y, x
	}
	if y.Kind == mir.KindImm && op == ir.OpSub {
		return s.addConstant(x, -y.Imm)
	} else if y.Kind == mir.KindImm {
		return s.addConstant(x, y.Imm)
	}
	d := s.newS(dwords)
	if dwords == 2 {
		s.addScalar64(op, d, s.wideAddend(x), s.wideAddend(y))
	} else {
		s.salu(map[ir.Op]mir.Op{ir.OpAdd: mir.SAddCoI32, ir.OpSub: mir.SSubCoI32}[op], d, x, y)
	}
	return mir.R(d)
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
