package simplify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// Instr gives the value that an instruction of a block is and that is there already: a constant, an argument or another
// instruction that dominates it. None means that there is none.
func Instr(f *ir.Function, v ir.Value) ir.Value {
	in := f.Instr(v)
	if in.Op.IsTerminator() || in.Type == ir.Void {
		return ir.None
	}
	var room [8]ir.Value
	ops := room[:0]
	constant := true
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
		constant = constant && o.Value.IsConst()
	}
	q := folder{f: f, m: f.Module(), v: v, op: in.Op, sub: in.Sub, flags: in.Flags, t: in.Type, ops: ops}
	if constant && in.Op != ir.OpPhi && in.Op != ir.OpAlloca {
		if r := q.constant(); r != ir.None {
			return r
		}
	}
	return ir.None
}

// Fold gives the value that an operation of operands would be, as Instr; it fits [ir.Builder].Fold. Operations that need more than
// operands, subcode and flags (getelementptr, calls, shuffles, phis, memory) give None.
func Fold(f *ir.Function, op ir.Op, sub uint8, flags ir.Flags, t ir.Type, ops []ir.Value) ir.Value {
	q := folder{f: f, m: f.Module(), op: op, sub: sub, flags: flags, t: t, ops: ops}
	for _, o := range ops {
		if !o.IsConst() {
			return ir.None
		}
	}
	return q.constant()
}
