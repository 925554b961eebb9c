package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// fusion is a vector operation that implements two IR operations.
type fusion struct {
	outer, inner ir.Op
	op           mir.Op
	shiftOuter   bool // the inner operation is the first operand of the outer one, which is a shift
}

var fusions = []fusion{
	{outer: ir.OpAdd, inner: ir.OpShl, op: mir.VLshlAddU32},
	{outer: ir.OpAdd, inner: ir.OpAdd, op: mir.VAdd3U32},
	{outer: ir.OpOr, inner: ir.OpShl, op: mir.VLshlOrB32},
	{outer: ir.OpOr, inner: ir.OpAnd, op: mir.VAndOrB32},
	{outer: ir.OpOr, inner: ir.OpOr, op: mir.VOr3B32},
	{outer: ir.OpXor, inner: ir.OpXor, op: mir.VXor3B32},
	{outer: ir.OpAdd, inner: ir.OpXor, op: mir.VXadU32},
	{outer: ir.OpShl, inner: ir.OpAdd, op: mir.VAddLshlU32, shiftOuter: true},
}

// fuse selects two IR operations as one, if the inner one has no other use.
func (s *Selector) fuse(v ir.Value) bool {
	f := s.f
	if s.permute(v) || s.fuseMultiply(v) || s.fuseLogic(v, 3) {
		return true
	}
	for i := range fusions {
		x := &fusions[i]
		if x.outer != f.Op(v) || !s.out.M.Has(x.op) {
			continue
		}
		for n := range 2 {
			in, other := f.Operand(v, n), f.Operand(v, 1-n)
			if x.shiftOuter && n == 1 || !s.onlyFor(in, x.inner) {
				continue
			}
			if _, ok := s.intValue(other); ok && !x.shiftOuter && x.inner == x.outer {
				continue // already folded, or an address that is better kept separate
			}
			s.valu(x.op, mir.R(s.regOf(v)), s.use(f.Operand(in, 0)), s.use(f.Operand(in, 1)), s.use(other))
			return true
		}
	}
	return s.fuseLogic(v, 2)
}

// joinScalars selects an operation on two scalars and a vector as an operation on
// the scalars and another one on the vector, unless one vector instruction reads
// all three.
func (s *Selector) joinScalars(v ir.Value) bool {
	f := s.f
	op := f.Op(v)
	if op != ir.OpAdd && !isLogic(op) || f.TypeOf(v) != ir.I32 || s.set.Has(isa.PropBus2) && s.fusesTwice(op) {
		return false
	}
	for n := range 2 {
		in, a := f.Operand(v, n), f.Operand(v, 1-n)
		if s.bank(a) != bankS || !s.onlyFor(in, op) {
			continue
		}
		for k := range 2 {
			b, x := f.Operand(in, k), f.Operand(in, 1-k)
			if s.bank(b) != bankS || s.bank(x) != bankV {
				continue
			}
			ops, d := integerTable[op], s.newS(1)
			s.salu(ops.s32, d, s.scalar(b), s.scalar(a))
			vector := ops.v32
			if op == ir.OpAdd {
				vector = s.without(vector, mir.VAddCoU32)
			}
			s.valu(vector, mir.R(s.regOf(v)), mir.R(d), s.use(x))
			return true
		}
	}
	return false
}

// fusesTwice reports whether the processor has a vector instruction for two
// operations of a kind.
func (s *Selector) fusesTwice(op ir.Op) bool {
	for i := range fusions {
		if x := &fusions[i]; x.outer == op && x.inner == op && s.out.M.Has(x.op) {
			return true
		}
	}
	return s.out.M.Has(mir.VBitop3B32) && isLogic(op)
}

// onlyFor reports whether a value is the result of an operation in vector
// registers and has one use.
func (s *Selector) onlyFor(v ir.Value, op ir.Op) bool {
	return v.IsLocal() && s.f.Op(v) == op && s.f.HasOneUse(v) && s.vals[v].bank == bankV
}

// fuseMultiply selects the sum of a product and another value, if the machine
// has an instruction for it: for 24 bits, and from gfx12.5 on for 32.
func (s *Selector) fuseMultiply(v ir.Value) bool {
	f := s.f
	if f.Op(v) != ir.OpAdd {
		return false
	}
	for n := range 2 {
		in, other := f.Operand(v, n), f.Operand(v, 1-n)
		if !s.onlyFor(in, ir.OpMul) {
			continue
		}
		x, y := f.Operand(in, 0), f.Operand(in, 1)
		op := mir.VMadU32U24
		switch s.multiplyOp(x, y) {
		case mir.VMulI32I24:
			op = mir.VMadI32I24
		case mir.VMulLoU32:
			if op = mir.VMadU32; !s.out.M.Has(op) {
				continue
			}
		}
		s.valu(op, mir.R(s.regOf(v)), s.use(x), s.use(y), s.use(other))
		return true
	}
	return false
}
