package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// bank is the kind of registers that hold a value.
type bank uint8

const (
	bankNone bank = iota // a constant, in no register
	bankS
	bankV
)

// findBanks chooses the banks of all values. Uniform phis are scalar until one
// of their sources is in vector registers.
func (s *Selector) findBanks() {
	f := s.f
	s.argBanks()
	for again := true; again; {
		again = false
		for _, b := range s.graph.RPO() {
			for v := f.First(ir.Block(b)); v != ir.None; v = f.Next(v) {
				x := s.bankOf(v)
				if old := s.vals[v].bank; old != x && old != bankV {
					s.vals[v].bank = x
					again = again || old != bankNone
				}
			}
		}
	}
}

// bank returns a value's bank, bankNone for constants.
func (s *Selector) bank(v ir.Value) bank {
	if !v.IsLocal() {
		return bankNone
	}
	return s.vals[v].bank
}

// allScalar reports whether no operand is in vector registers.
func (s *Selector) allScalar(v ir.Value) bool {
	for _, o := range s.f.Operands(v) {
		if o.Value.IsLocal() && s.vals[o.Value].bank == bankV {
			return false
		}
	}
	return true
}

// bankOf chooses the bank of an instruction's value from the banks of its
// operands.
func (s *Selector) bankOf(v ir.Value) bank {
	f := s.f
	op := f.Op(v)
	if op == ir.OpCall {
		return s.callBank(v)
	}
	if s.uniform.Divergent(v) {
		return bankV
	}
	if op == ir.OpLoad {
		if s.scalarLoad(v) {
			return bankS
		}
		return bankV
	}
	if !s.allScalar(v) {
		return bankV
	}
	t := s.m.Scalar(f.TypeOf(v))
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpShl, ir.OpLShr, ir.OpAShr, ir.OpAnd, ir.OpOr, ir.OpXor:
		if s.m.IsVector(f.TypeOf(v)) {
			return bankV
		}
		return bankS
	case ir.OpMul:
		if s.m.IsVector(f.TypeOf(v)) || s.m.IntBits(t) == 64 && !s.out.M.Has(mir.SMulHiU32) {
			return bankV
		}
		return bankS
	case ir.OpICmp:
		return s.compareBank(v)
	case ir.OpFNeg:
		if s.m.IsVector(f.TypeOf(v)) {
			return bankV
		}
		return bankS
	case ir.OpExtractElement, ir.OpInsertElement:
		if !s.constIndex(f.Operand(v, f.NumOperands(v)-1)) {
			return bankV
		}
		return bankS
	case ir.OpTrunc, ir.OpZExt, ir.OpSExt, ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPhi, ir.OpSelect,
		ir.OpFreeze, ir.OpGetElementPtr, ir.OpAlloca, ir.OpShuffleVector:
		return bankS
	}
	return bankV
}

// compareBank chooses the bank of a uniform comparison of scalars. The only
// 64-bit scalar comparison is equality, from gfx8 on.
func (s *Selector) compareBank(v ir.Value) bank {
	f := s.f
	n := s.dwords(f.TypeOf(f.Operand(v, 0)))
	if n == 1 || n == 2 && f.Pred(v).IsEquality() && s.out.M.Has(mir.SCmpEqU64) {
		return bankS
	}
	return bankV
}

// dwords returns the size in dwords of the registers for a value of a type.
func (s *Selector) dwords(t ir.Type) int {
	return int((s.m.SizeInBits(t) + 31) / 32)
}

// file returns the register file of a bank.
func (b bank) file() mir.File {
	if b == bankV {
		return mir.FileV
	}
	return mir.FileS
}

// regOf returns the register of a value, and marks the value as wanted.
func (s *Selector) regOf(v ir.Value) mir.Reg {
	x := &s.vals[v]
	x.wanted = true
	if x.reg != mir.NoReg {
		return x.reg
	}
	t := s.f.TypeOf(v)
	if s.f.Op(v) == ir.OpExtractValue {
		if of, leaf, own := s.extracted(v); !own {
			x.reg = s.leafReg(of, leaf, t)
			return x.reg
		}
	}
	switch {
	case s.m.IntBits(t) == 1 && x.bank == bankV:
		x.reg = s.out.NewMask()
	case s.m.IntBits(t) == 1 && s.f.Op(v) != ir.OpPhi && s.f.Op(v) != ir.OpArg:
		x.reg = s.out.NewReg(mir.FileSCC, 1)
	case s.m.IntBits(t) == 1:
		x.reg = s.out.NewReg(x.bank.file(), 1)
	default:
		n := s.dwords(t)
		if n > mir.MaxDwords {
			s.unsupported(v, "value of %d bits (at most %d)", s.m.SizeInBits(t), 32*mir.MaxDwords)
			n = 1
		}
		x.reg = s.out.NewReg(x.bank.file(), n)
	}
	return x.reg
}

// root returns the value whose registers contain v, and the first dword of v in
// them. It returns v itself if v has its own registers.
func (s *Selector) root(v ir.Value) (of ir.Value, sub int) {
	for v.IsLocal() {
		x, n, ok := s.partOf(v)
		if !ok {
			break
		}
		v, sub = x, sub+n
	}
	return v, sub
}

// partOf returns the value of which v is a part that needs no computation, and
// the first dword of the part.
func (s *Selector) partOf(v ir.Value) (of ir.Value, sub int, ok bool) {
	f := s.f
	op := f.Op(v)
	t := f.TypeOf(v)
	switch op {
	case ir.OpTrunc:
		if s.m.IsVector(t) || s.m.IntBits(t) == 1 {
			return v, 0, false
		}
		return s.truncated(v)
	case ir.OpBitCast, ir.OpFreeze, ir.OpPtrToInt, ir.OpIntToPtr, ir.OpPtrToAddr:
		x := f.Operand(v, 0)
		if s.dwords(f.TypeOf(x)) < s.dwords(t) || s.isBool(t) != s.isBool(f.TypeOf(x)) {
			return v, 0, false
		}
		if s.isBool(t) && s.vals[v].bank == bankS {
			return v, 0, false
		}
		return x, 0, true
	case ir.OpAddrSpaceCast:
		if x := f.Operand(v, 0); s.dwords(f.TypeOf(x)) == 2 && s.dwords(t) == 2 {
			return x, 0, true
		}
	case ir.OpExtractElement:
		return s.elementPart(v)
	case ir.OpZExt, ir.OpSExt:
		return s.extended(v)
	}
	return v, 0, false
}

// truncated returns the value whose dwords a truncation selects. It looks
// through a right shift by whole dwords.
func (s *Selector) truncated(v ir.Value) (of ir.Value, sub int, ok bool) {
	f := s.f
	x := f.Operand(v, 0)
	if x.IsLocal() && f.Op(x) == ir.OpLShr && s.m.IntBits(f.TypeOf(x)) == 64 {
		if n, isConst := s.intValue(f.Operand(x, 1)); isConst && n == 32 && s.bank(f.Operand(x, 0)) == s.vals[v].bank {
			return f.Operand(x, 0), 1, true
		}
	}
	return x, 0, s.bank(x) == s.vals[v].bank
}

// elementPart returns the dwords of an element with a constant index.
func (s *Selector) elementPart(v ir.Value) (of ir.Value, sub int, ok bool) {
	f := s.f
	x := f.Operand(v, 0)
	n, isConst := s.intValue(f.Operand(v, 1))
	if !isConst || s.isBool(f.TypeOf(v)) || s.bank(x) != s.vals[v].bank {
		return v, 0, false
	}
	bits := int(s.m.SizeInBits(f.TypeOf(v)))
	at := int(n) * bits
	if at%32 != 0 || n >= s.m.NumElements(f.TypeOf(x)) {
		return v, 0, false
	}
	return x, at / 32, true
}

// extended returns a load that extends its value: loads of 8 and 16 bits
// produce 32.
func (s *Selector) extended(v ir.Value) (of ir.Value, sub int, ok bool) {
	f := s.f
	x := f.Operand(v, 0)
	if !x.IsLocal() || f.Op(x) != ir.OpLoad || s.m.IntBits(f.TypeOf(v)) != 32 || s.bank(x) != s.vals[v].bank || !s.loadExtends(x) {
		return v, 0, false
	}
	if n := s.m.IntBits(f.TypeOf(x)); n != 8 && n != 16 {
		return v, 0, false
	}
	if f.Op(v) == ir.OpZExt {
		return x, 0, !s.extendsSign(x)
	}
	return x, 0, s.extendsSign(x)
}

// extendsSign reports whether a load of 8 or 16 bits should sign-extend,
// because all its uses do so.
func (s *Selector) extendsSign(load ir.Value) bool {
	f := s.f
	for u := f.FirstUse(load); u != 0; u = f.NextUse(u) {
		if user := f.User(u); f.Op(user) != ir.OpSExt || s.m.IntBits(f.TypeOf(user)) != 32 {
			return false
		}
	}
	return f.HasUses(load) && s.loadExtends(load)
}

// loadExtends reports whether the instruction for a load of 8 or 16 bits extends
// its result. Before gfx12, scalar memory has no such loads.
func (s *Selector) loadExtends(load ir.Value) bool {
	p := s.f.Operand(load, 0)
	size := s.m.StoreSize(s.f.TypeOf(load))
	return s.bank(load) == bankV || s.loadsNarrow(size, s.f.MemInfo(load).Align) && !s.isPreloaded(p, size)
}

func (s *Selector) isBool(t ir.Type) bool { return s.m.IntBits(t) == 1 }

// intValue returns the value of a constant integer.
func (s *Selector) intValue(v ir.Value) (uint64, bool) {
	if !v.IsConst() {
		return 0, false
	}
	return s.m.IntValue(v)
}
