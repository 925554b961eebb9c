package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// bitLogic is a function of the bits of up to three values, as the truth table
// of V_BITOP3_B32: bit 4*a+2*b+c of the table is the result for bits a, b and c
// of the values.
type bitLogic struct {
	leaves []ir.Value
	ops    int // number of IR operations
	scalar int // leaves in scalar registers
}

// leafTables holds the truth tables of the three values themselves.
var leafTables = [...]uint8{0xf0, 0xcc, 0xaa}

// fuseLogic selects at least min bitwise operations on up to three values as one
// instruction.
func (s *Selector) fuseLogic(v ir.Value, min int) bool {
	if !isLogic(s.f.Op(v)) || !s.out.M.Has(mir.VBitop3B32) {
		return false
	}
	var leaves [3]ir.Value
	x := bitLogic{leaves: leaves[:0]}
	table, ok := s.logicTable(&x, v, true)
	if !ok || x.ops < min || len(x.leaves) < 2 {
		return false
	}
	uses := make([]mir.Operand, 0, len(leaves))
	for _, l := range x.leaves {
		uses = append(uses, s.use(l))
	}
	for len(uses) < len(leaves) {
		uses = append(uses, uses[0]) // the table ignores it
	}
	s.valuMods(mir.VBitop3B32, mir.BitOp3(table), mir.R(s.regOf(v)), uses...)
	return true
}

func isLogic(op ir.Op) bool { return op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor }

// logicTable returns the truth table of a value, and adds the values that it
// depends on to x. It fails if these are too many.
func (s *Selector) logicTable(x *bitLogic, v ir.Value, top bool) (table uint8, ok bool) {
	f := s.f
	if top || v.IsLocal() && isLogic(f.Op(v)) && s.onlyFor(v, f.Op(v)) {
		before := *x
		x.ops++
		a, okA := s.logicTable(x, f.Operand(v, 0), false)
		b, okB := uint8(0), false
		if okA {
			b, okB = s.logicTable(x, f.Operand(v, 1), false)
		}
		if okB {
			switch f.Op(v) {
			case ir.OpAnd:
				return a & b, true
			case ir.OpOr:
				return a | b, true
			}
			return a ^ b, true
		}
		if *x = before; top {
			return 0, false
		}
	}
	return s.logicLeaf(x, v)
}

// logicLeaf returns the truth table of one of the three values.
func (s *Selector) logicLeaf(x *bitLogic, v ir.Value) (table uint8, ok bool) {
	if n, known := s.intValue(v); known {
		switch imm := signExtend(n, 32); {
		case imm == 0:
			return 0, true
		case imm == -1:
			return 0xff, true
		case !mir.IsInline(s.out.M.Set, isa.I32, imm):
			return 0, false // a literal is shorter in the instruction of one operation
		}
	}
	for k, l := range x.leaves {
		if l == v {
			return leafTables[k], true
		}
	}
	if s.bank(v) != bankV {
		if _, known := s.intValue(v); !known {
			x.scalar++
		}
	}
	if len(x.leaves) == len(leafTables) || x.scalar > 1 {
		return 0, false
	}
	x.leaves = append(x.leaves, v)
	return leafTables[len(x.leaves)-1], true
}
