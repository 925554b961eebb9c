package isel

import (
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// instr selects an instruction whose value is needed.
func (s *Selector) instr(v ir.Value) {
	f := s.f
	op := f.Op(v)
	if of, _, ok := s.partOf(v); ok && of != v {
		return // users access a part of another value
	}
	t := f.TypeOf(v)
	if s.isBool(t) {
		s.boolInstr(v)
		if m := s.vals[v].mask; m != mir.NoReg { // one conversion for all users
			s.putMask(m, mir.R(s.regOf(v)))
		}
		return
	}
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl, ir.OpLShr, ir.OpAShr, ir.OpAnd, ir.OpOr, ir.OpXor:
		s.integer(v)
	case ir.OpTrunc:
		s.copyOf(v, f.Operand(v, 0))
	case ir.OpZExt, ir.OpSExt:
		s.extend(v)
	case ir.OpAddrSpaceCast:
		s.addrSpaceCast(v)
	case ir.OpSelect:
		s.selectValue(v)
	case ir.OpGetElementPtr:
		s.pointer(v)
	case ir.OpLoad, ir.OpStore, ir.OpAtomicRMW, ir.OpCmpXchg:
		s.memory(v)
	case ir.OpFence:
		s.fence(v)
	case ir.OpAlloca:
		s.alloca(v)
	case ir.OpExtractElement:
		s.extractElement(v)
	case ir.OpInsertElement:
		s.insertElement(v)
	case ir.OpCall:
		s.call(v)
	case ir.OpExtractValue:
		s.extractValue(v)
	case ir.OpFNeg, ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFPTrunc, ir.OpFPExt, ir.OpFPToSI, ir.OpFPToUI, ir.OpSIToFP, ir.OpUIToFP:
		s.float(v)
	default:
		s.unsupported(v, "instruction %v", op)
	}
}

// boolInstr selects an instruction with an i1 result.
func (s *Selector) boolInstr(v ir.Value) {
	f := s.f
	switch f.Op(v) {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		s.boolOp(v)
	case ir.OpSelect:
		s.boolSelect(v)
	case ir.OpICmp:
		s.compare(v)
	case ir.OpFCmp:
		s.floatCompare(v)
	case ir.OpTrunc:
		s.lowBit(v)
	case ir.OpFreeze, ir.OpBitCast:
		s.putInstr(mir.SCmpLgU32, 1, mir.R(s.regOf(v)), s.boolInt(f.Operand(v, 0)), mir.Imm(0))
	case ir.OpCall:
		s.call(v)
	case ir.OpExtractValue:
		s.extractValue(v)
	default:
		s.unsupported(v, "%v of i1", f.Op(v))
	}
}

// lowBit selects a truncation to i1.
func (s *Selector) lowBit(v ir.Value) {
	x := s.f.Operand(v, 0)
	dst := s.regOf(v)
	if s.vals[v].bank == bankS {
		s.putInstr(mir.SBitcmp1B32, 1, mir.R(dst), s.half(s.scalar(x), 0), mir.Imm(0))
		return
	}
	d := mir.R(s.newV(1))
	s.valu(mir.VAndB32, d, mir.Imm(1), s.half(s.use(x), 0))
	s.valu(mir.VCmpEqU32, mir.R(dst), mir.Imm(1), d)
}

// copyOf defines v as a copy of the low dwords of x, which is in another bank.
func (s *Selector) copyOf(v, x ir.Value) {
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	o := s.part(s.use(x), 0, n)
	if s.vals[v].bank == bankV {
		o = s.asReg(o, mir.FileV, n)
	} else if o.Kind == mir.KindReg {
		o = s.asReg(o, mir.FileS, n)
	}
	s.putInstr(mir.Copy, 1, mir.R(dst), o)
}

// inBank moves an operand to registers of a value's bank.
func (s *Selector) inBank(v ir.Value, o mir.Operand, n int) mir.Operand {
	if o.Kind != mir.KindReg {
		return o
	}
	return s.asReg(o, s.vals[v].bank.file(), n)
}

// extend selects zext and sext.
func (s *Selector) extend(v ir.Value) {
	f := s.f
	x := f.Operand(v, 0)
	signed := f.Op(v) == ir.OpSExt
	from := s.m.IntBits(f.TypeOf(x))
	if from == 1 {
		yes := int64(1)
		if signed {
			yes = -1
		}
		s.fromBool(v, x, yes, 0)
		return
	}
	dst := s.regOf(v)
	lo := s.use(x)
	if from < 32 {
		lo = s.extended32(v, x, signed)
	}
	if s.out.Dwords(dst) == 1 {
		s.putInstr(mir.Copy, 1, mir.R(dst), lo)
		return
	}
	lo = s.inBank(v, lo, 1)
	hi := mir.Imm(0)
	if signed && lo.Kind == mir.KindReg {
		hi = mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
		if s.vals[v].bank == bankS {
			s.salu(mir.SAshrI32, hi.Reg(), lo, mir.Imm(31))
		} else {
			s.valu(mir.VAshrrevI32, hi, mir.Imm(31), lo)
		}
	} else if signed {
		hi = mir.Imm(lo.Imm >> 63)
	}
	s.putInstr(mir.Vector, 1, mir.R(dst), lo, hi)
}

// extended32 returns an i8 or i16 extended to 32 bits.
func (s *Selector) extended32(v, x ir.Value, signed bool) mir.Operand {
	o := s.inBank(v, s.use(x), 1)
	bits := s.m.IntBits(s.f.TypeOf(x))
	if o.Kind == mir.KindImm {
		if shift := 64 - bits; signed { // the source may be the result of a truncation
			return mir.Imm(o.Imm << shift >> shift)
		}
		return mir.Imm(o.Imm & (1<<bits - 1))
	}
	if of, _ := s.root(x); of == x && x.IsLocal() && s.f.Op(x) == ir.OpLoad && s.bank(x) == s.vals[v].bank && s.loadExtends(x) && signed == s.extendsSign(x) {
		return o
	}
	if s.isExtended(x, signed) {
		return o
	}
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	switch {
	case s.vals[v].bank == bankS && signed && bits == 8:
		s.salu(mir.SSextI32I8, d.Reg(), o)
	case s.vals[v].bank == bankS && signed:
		s.salu(mir.SSextI32I16, d.Reg(), o)
	case s.vals[v].bank == bankS:
		s.salu(mir.SAndB32, d.Reg(), o, mir.Imm(1<<bits-1))
	case signed:
		s.valu(mir.VBfeI32, d, o, mir.Imm(0), mir.Imm(int64(bits)))
	default:
		s.valu(mir.VAndB32, d, mir.Imm(1<<bits-1), o)
	}
	return d
}

// isExtended reports whether the register of an i8 or i16 holds it extended to 32
// bits.
func (s *Selector) isExtended(x ir.Value, signed bool) bool {
	if !signed && s.isHighElement(x) {
		return true
	}
	if !x.IsLocal() || s.f.Op(x) != ir.OpTrunc {
		return false
	}
	of, _ := s.root(x)
	if of != s.f.Operand(x, 0) || s.m.IntBits(s.typeOf(of)) != 32 { // it may be below a freeze
		return false
	}
	known := 32 - s.m.IntBits(s.typeOf(x))
	if signed {
		return analysis.SignBits(s.f, of) > known
	}
	return analysis.KnownBits(s.f, of).LeadingZeros() >= known
}

// isHighElement reports whether a value is the highest element of a dword. The
// shift that extracts it clears the other bits.
func (s *Selector) isHighElement(v ir.Value) bool {
	f := s.f
	if of, _ := s.root(v); of != v || !v.IsLocal() || f.Op(v) != ir.OpExtractElement {
		return false
	}
	n, ok := s.intValue(f.Operand(v, 1))
	bits := s.m.SizeInBits(f.TypeOf(v))
	return ok && n < s.m.NumElements(s.typeOf(f.Operand(v, 0))) && bits < 32 && (n+1)*bits%32 == 0
}

// integerOps holds the operations for one and two dwords in scalar and vector
// registers. Logic in vector registers operates on each dword separately.
type integerOps struct {
	s32, s64, v32 mir.Op
}

var integerTable = [ir.NumOps]integerOps{
	ir.OpAdd:  {mir.SAddCoI32, mir.SAddNcU64, mir.VAddNcU32},
	ir.OpSub:  {mir.SSubCoI32, mir.SSubNcU64, mir.VSubNcU32},
	ir.OpMul:  {mir.SMulI32, mir.SMulU64, mir.VMulLoU32},
	ir.OpAnd:  {mir.SAndB32, mir.SAndB64, mir.VAndB32},
	ir.OpOr:   {mir.SOrB32, mir.SOrB64, mir.VOrB32},
	ir.OpXor:  {mir.SXorB32, mir.SXorB64, mir.VXorB32},
	ir.OpShl:  {mir.SLshlB32, mir.SLshlB64, mir.VLshlrevB32},
	ir.OpLShr: {mir.SLshrB32, mir.SLshrB64, mir.VLshrrevB32},
	ir.OpAShr: {mir.SAshrI32, mir.SAshrI64, mir.VAshrrevI32},
}

// integer selects arithmetic, logic and shifts.
func (s *Selector) integer(v ir.Value) {
	f := s.f
	t := f.TypeOf(v)
	if s.m.IsVector(t) {
		s.packedInteger(v)
		return
	}
	switch bits := s.m.IntBits(t); {
	case bits == 64:
		s.integer64(v)
	case bits > 32:
		s.unsupported(v, "%v of i%d", f.Op(v), bits)
	case s.shiftedField(v):
	case s.vals[v].bank == bankS:
		ops := integerTable[f.Op(v)]
		s.salu(ops.s32, s.regOf(v), s.scalar(f.Operand(v, 0)), s.scalar(f.Operand(v, 1)))
	default:
		s.vector32(v)
	}
}

// shiftedField selects the bits of a value from a position on, a mask of a shift
// without other uses, as one instruction.
func (s *Selector) shiftedField(v ir.Value) bool {
	f := s.f
	if f.Op(v) != ir.OpAnd || f.TypeOf(v) != ir.I32 {
		return false
	}
	x := f.Operand(v, 0)
	mask, ok := s.intValue(f.Operand(v, 1))
	if !ok || mask&(mask+1) != 0 || !x.IsLocal() || f.Op(x) != ir.OpLShr || !f.HasOneUse(x) || s.bank(x) != s.vals[v].bank {
		return false
	}
	at, ok := s.intValue(f.Operand(x, 1))
	width := uint64(bits.Len64(mask))
	if !ok || at == 0 || width == 0 || at+width > 32 {
		return false
	}
	from := s.use(f.Operand(x, 0))
	if s.vals[v].bank == bankS {
		s.salu(mir.SBfeU32, s.regOf(v), s.asReg(from, mir.FileS, 1), mir.Imm(int64(at|width<<16)))
	} else {
		s.valu(mir.VBfeU32, mir.R(s.regOf(v)), from, mir.Imm(int64(at)), mir.Imm(int64(width)))
	}
	return true
}

// vector32 selects an i32 operation in vector registers.
func (s *Selector) vector32(v ir.Value) {
	f := s.f
	if s.joinScalars(v) || s.fuse(v) {
		return
	}
	op := f.Op(v)
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	dst := mir.R(s.regOf(v))
	switch op {
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		s.valu(integerTable[op].v32, dst, s.use(y), s.use(x))
	case ir.OpMul:
		s.valu(s.multiplyOp(x, y), dst, s.use(x), s.use(y))
	case ir.OpAdd:
		s.valu(s.without(mir.VAddNcU32, mir.VAddCoU32), dst, s.use(x), s.use(y))
	case ir.OpSub:
		a, b := s.use(x), s.use(y)
		if s.isVGPR(&a) && !s.isVGPR(&b) {
			s.valu(s.without(mir.VSubrevNcU32, mir.VSubrevCoU32), dst, b, a)
			return
		}
		s.valu(s.without(mir.VSubNcU32, mir.VSubCoU32), dst, a, b)
	default:
		s.valu(integerTable[op].v32, dst, s.use(x), s.use(y))
	}
}

// without returns op, or other if the machine lacks op.
func (s *Selector) without(op, other mir.Op) mir.Op {
	if s.out.M.Has(op) {
		return op
	}
	return other
}

// multiplyOp returns the multiplication of two i32 values; the 24-bit one is
// faster.
func (s *Selector) multiplyOp(x, y ir.Value) mir.Op {
	a, b := analysis.KnownBits(s.f, x), analysis.KnownBits(s.f, y)
	if a.LeadingZeros() >= 8 && b.LeadingZeros() >= 8 {
		return mir.VMulU32U24
	}
	if analysis.SignBits(s.f, x) >= 9 && analysis.SignBits(s.f, y) >= 9 {
		return mir.VMulI32I24
	}
	return mir.VMulLoU32
}

// integer64 selects an i64 operation.
func (s *Selector) integer64(v ir.Value) {
	f := s.f
	op := f.Op(v)
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	if op == ir.OpMul {
		s.multiply64(v)
		return
	}
	shift := op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr
	if s.vals[v].bank == bankS {
		ops := integerTable[op]
		switch {
		case shift:
			s.salu(ops.s64, s.regOf(v), s.scalar64(x), s.half(s.scalar(y), 0))
		case op == ir.OpAdd || op == ir.OpSub:
			s.addScalar64(op, s.regOf(v), s.scalar64(x), s.scalar64(y))
		default:
			s.salu(ops.s64, s.regOf(v), s.scalar64(x), s.scalar64(y))
		}
		return
	}
	switch {
	case shift:
		s.shift64(v)
	case op == ir.OpAdd || op == ir.OpSub:
		s.addVector64(op, mir.R(s.regOf(v)), s.use(x), s.use(y))
	default:
		a, b := s.use(x), s.use(y)
		var parts [2]mir.Operand
		for k := range parts {
			parts[k] = s.logic(op, s.half(a, k), s.half(b, k))
		}
		s.putInstr(mir.Vector, 1, mir.R(s.regOf(v)), parts[0], parts[1])
	}
}

// scalar64 returns an i64 in scalar registers, or as a constant that an
// instruction can encode.
func (s *Selector) scalar64(v ir.Value) mir.Operand {
	o := s.scalar(v)
	if o.Kind == mir.KindImm && !s.isLiteral64(o.Imm) {
		return s.asReg(o, mir.FileS, 2)
	}
	return o
}

// isLiteral64 reports whether a 64-bit scalar instruction can encode a
// constant. The constant must be inline, or equal its low 32 bits extended with
// zeros or with its sign.
func (s *Selector) isLiteral64(imm int64) bool {
	return mir.IsInline(s.out.M.Set, isa.I64, imm) || imm >= 0 && imm <= math.MaxInt32
}

// logic emits and, or, xor on one dword, and folds trivial cases.
func (s *Selector) logic(op ir.Op, a, b mir.Operand) mir.Operand {
	if a.Kind == mir.KindImm {
		a, b = b, a
	}
	if b.Kind == mir.KindImm {
		switch {
		case b.Imm == 0 && op == ir.OpAnd:
			return b
		case b.Imm == 0, b.Imm == -1 && op == ir.OpAnd:
			return s.asReg(a, mir.FileV, 1)
		case b.Imm == -1 && op == ir.OpOr:
			return b
		}
	}
	d := mir.R(s.newV(1))
	s.valu(integerTable[op].v32, d, a, b)
	return d
}

// addScalar64 adds or subtracts 64 bits in scalar registers.
func (s *Selector) addScalar64(op ir.Op, dst mir.Reg, a, b mir.Operand) {
	first, second, whole := mir.SAddCoU32, mir.SAddCoCiU32, mir.SAddNcU64
	if op == ir.OpSub {
		first, second, whole = mir.SSubCoU32, mir.SSubCoCiU32, mir.SSubNcU64
	}
	if s.out.M.Has(whole) {
		s.salu(whole, dst, a, b)
		return
	}
	lo, hi, carry := mir.R(s.newS(1)), mir.R(s.newS(1)), mir.R(s.newSCC())
	low := s.oneLiteral(first, []mir.Operand{s.half(a, 0), s.half(b, 0)})
	high := s.oneLiteral(second, []mir.Operand{s.half(a, 1), s.half(b, 1)})
	s.putInstr(first, 2, lo, carry, low[0], low[1])
	s.putInstr(second, 2, hi, mir.R(s.newSCC()), high[0], high[1], carry)
	s.putInstr(mir.Vector, 1, mir.R(dst), lo, hi)
}

// addVector64 adds or subtracts 64 bits in vector registers.
func (s *Selector) addVector64(op ir.Op, dst, a, b mir.Operand) {
	whole := mir.VAddNcU64
	if op == ir.OpSub {
		whole = mir.VSubNcU64
	} else if s.isVGPR(&a) && !s.isVGPR(&b) {
		a, b = b, a
	}
	if s.out.M.Has(whole) {
		s.valu(whole, dst, a, b)
		return
	}
	if op == ir.OpAdd && s.out.M.Has(mir.VLshlAddU64) {
		s.valu(mir.VLshlAddU64, dst, a, mir.Imm(0), b)
		return
	}
	first, second := mir.VAddCoU32, mir.VAddCoCiU32
	if op == ir.OpSub {
		first, second = mir.VSubCoU32, mir.VSubCoCiU32
	}
	lo, hi := mir.R(s.newV(1)), mir.R(s.newV(1))
	carry := mir.R(s.out.NewMask())
	low := []mir.Operand{s.half(a, 0), s.half(b, 0)}
	s.fit(first, 0, low)
	s.putInstr(first, 2, lo, carry, low[0], low[1])
	high := []mir.Operand{s.half(a, 1), s.half(b, 1), carry}
	s.fit(second, 0, high)
	s.putInstr(second, 2, hi, mir.R(s.out.NewMask()), high[0], high[1], carry)
	s.putInstr(mir.Vector, 1, dst, lo, hi)
}

// shift64 shifts 64 bits in vector registers.
func (s *Selector) shift64(v ir.Value) {
	f := s.f
	op := f.Op(v)
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	a := s.use(x)
	dst := mir.R(s.regOf(v))
	if n, ok := s.intValue(y); ok && n >= 32 {
		s.shiftFar(op, dst, a, int64(n)-32)
		return
	}
	ops := map[ir.Op][2]mir.Op{ir.OpShl: {mir.VLshlrevB64, mir.VLshlB64}, ir.OpLShr: {mir.VLshrrevB64, mir.VLshrB64}, ir.OpAShr: {mir.VAshrrevI64, mir.VAshrI64}}[op]
	amount := s.half(s.use(y), 0)
	if s.out.M.Has(ops[0]) {
		s.valu(ops[0], dst, amount, a)
		return
	}
	s.valu(ops[1], dst, a, amount)
}

// shiftFar shifts 64 bits by 32+n bits. One half of the result is computed from
// the other half of the source.
func (s *Selector) shiftFar(op ir.Op, dst, a mir.Operand, n int64) {
	shifted := func(op mir.Op, by int64, o mir.Operand) mir.Operand {
		if by == 0 {
			return s.asReg(o, mir.FileV, 1)
		}
		d := mir.R(s.newV(1))
		s.valu(op, d, mir.Imm(by), o)
		return d
	}
	switch op {
	case ir.OpShl:
		s.putInstr(mir.Vector, 1, dst, mir.Imm(0), shifted(mir.VLshlrevB32, n, s.half(a, 0)))
	case ir.OpLShr:
		s.putInstr(mir.Vector, 1, dst, shifted(mir.VLshrrevB32, n, s.half(a, 1)), mir.Imm(0))
	default:
		s.putInstr(mir.Vector, 1, dst, shifted(mir.VAshrrevI32, n, s.half(a, 1)), shifted(mir.VAshrrevI32, 31, s.half(a, 1)))
	}
}

// multiply64 selects mul of i64 from 32-bit products.
func (s *Selector) multiply64(v ir.Value) {
	f := s.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	dst := mir.R(s.regOf(v))
	kx, ky := analysis.KnownBits(f, x), analysis.KnownBits(f, y)
	wideX, wideY := kx.LeadingZeros() < 32, ky.LeadingZeros() < 32
	if (wideX || wideY) && analysis.SignBits(f, x) > 32 && analysis.SignBits(f, y) > 32 && s.multiplySigned(v, dst, x, y) {
		return
	}
	if s.vals[v].bank == bankS {
		a, b := s.scalar64(x), s.scalar64(y)
		if s.out.M.Has(mir.SMulU64) {
			s.salu(mir.SMulU64, s.regOf(v), a, b)
			return
		}
		s.multiplyScalar64(dst, a, b, wideX, wideY)
		return
	}
	a, b := s.use(x), s.use(y)
	if !wideX && !wideY && s.onlyHigh(v) {
		hi := mir.R(s.newV(1))
		s.valu(mir.VMulHiU32, hi, s.half(a, 0), s.half(b, 0))
		s.putInstr(mir.Vector, 1, dst, mir.Imm(0), hi) // the low half is unused
		return
	}
	if (wideX || wideY) && s.out.M.Has(mir.VMulU64) {
		if s.isVGPR(&a) && !s.isVGPR(&b) {
			a, b = b, a
		}
		s.valu(mir.VMulU64, dst, a, b)
		return
	}
	if !wideX && !wideY || !s.out.M.Has(mir.VMadCoU64U32) {
		s.multiplyParts(dst, a, b, wideX, wideY)
		return
	}
	if low := s.half(b, 0); low.IsImm(1) {
		low = s.asReg(s.half(a, 0), mir.FileV, 1)
		s.putInstr(mir.Vector, 1, dst, low, s.asReg(s.addProducts(mir.Imm(0), a, b, wideX, wideY), mir.FileV, 1))
		return
	}
	low := mir.R(s.newV(2))
	s.valu(mir.VMadCoU64U32, low, s.half(a, 0), s.half(b, 0), mir.Imm(0))
	hi := s.half(low, 1)
	hi = s.addProducts(hi, a, b, wideX, wideY)
	s.putInstr(mir.Vector, 1, dst, s.half(low, 0), hi)
}

// multiplySigned selects the product of two i64 that are sign extensions of
// i32, if the processor has instructions for it.
func (s *Selector) multiplySigned(v ir.Value, dst mir.Operand, x, y ir.Value) bool {
	m := s.out.M
	if s.vals[v].bank == bankS {
		if !m.Has(mir.SMulHiI32) || m.Has(mir.SMulU64) {
			return false
		}
		a, b := s.half(s.scalar64(x), 0), s.half(s.scalar64(y), 0)
		lo, hi := s.newS(1), s.newS(1)
		s.salu(mir.SMulI32, lo, a, b)
		s.salu(mir.SMulHiI32, hi, a, b)
		s.putInstr(mir.Vector, 1, dst, mir.R(lo), mir.R(hi))
		return true
	}
	a, b := s.half(s.use(x), 0), s.half(s.use(y), 0)
	mad := s.without(mir.VMadNcI64I32, mir.VMadCoI64I32)
	if !s.onlyHigh(v) && m.Has(mad) {
		s.valu(mad, dst, a, b, mir.Imm(0))
		return true
	}
	lo, hi := mir.Imm(0), mir.R(s.newV(1))
	if !s.onlyHigh(v) {
		lo = mir.R(s.newV(1))
		s.valu(mir.VMulLoU32, lo, a, b)
	}
	s.valu(mir.VMulHiI32, hi, a, b)
	s.putInstr(mir.Vector, 1, dst, lo, hi)
	return true
}

// onlyHigh reports whether only the upper half of an i64 is used.
func (s *Selector) onlyHigh(v ir.Value) bool {
	f := s.f
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if f.Op(user) != ir.OpLShr || f.UseIndex(u) != 0 {
			return false
		}
		if n, ok := s.intValue(f.Operand(user, 1)); !ok || n < 32 {
			return false
		}
	}
	return true
}

// addProducts adds the products of high and low halves that are not zero to the
// high half of a product.
func (s *Selector) addProducts(hi, a, b mir.Operand, wideA, wideB bool) mir.Operand {
	for _, p := range [...]struct {
		on   bool
		l, r mir.Operand
	}{{wideB, s.half(a, 0), s.half(b, 1)}, {wideA, s.half(a, 1), s.half(b, 0)}} {
		if !p.on || p.l.IsImm(0) || p.r.IsImm(0) {
			continue
		}
		d, sum := p.l, mir.R(s.newV(1))
		if !p.r.IsImm(1) {
			d = mir.R(s.newV(1))
			s.valu(mir.VMulLoU32, d, p.l, p.r)
		}
		if hi.IsImm(0) {
			hi = d
			continue
		}
		s.valu(s.without(mir.VAddNcU32, mir.VAddCoU32), sum, hi, d)
		hi = sum
	}
	return hi
}

func (s *Selector) multiplyParts(dst, a, b mir.Operand, wideA, wideB bool) {
	lo, hi := mir.R(s.newV(1)), mir.R(s.newV(1))
	if s.out.M.Has(mir.VMadCoU64U32) && (wideA || wideB) {
		low := mir.R(s.newV(2))
		s.valu(s.without(mir.VMadNcU64U32, mir.VMadCoU64U32), low, s.half(a, 0), s.half(b, 0), mir.Imm(0))
		s.putInstr(mir.Vector, 1, dst, s.half(low, 0), s.addProducts(s.half(low, 1), a, b, wideA, wideB))
		return
	}
	if s.out.M.Has(mir.VMadCoU64U32) {
		s.valu(s.without(mir.VMadNcU64U32, mir.VMadCoU64U32), dst, s.half(a, 0), s.half(b, 0), mir.Imm(0))
		return
	}
	s.valu(mir.VMulLoU32, lo, s.half(a, 0), s.half(b, 0))
	s.valu(mir.VMulHiU32, hi, s.half(a, 0), s.half(b, 0))
	s.putInstr(mir.Vector, 1, dst, lo, s.addProducts(hi, a, b, wideA, wideB))
}

func (s *Selector) multiplyScalar64(dst, a, b mir.Operand, wideA, wideB bool) {
	product := func(op mir.Op, p, q mir.Operand) mir.Operand {
		d := s.newS(1)
		s.salu(op, d, p, q)
		return mir.R(d)
	}
	lo := product(mir.SMulI32, s.half(a, 0), s.half(b, 0))
	hi := product(mir.SMulHiU32, s.half(a, 0), s.half(b, 0))
	if wideB {
		hi = product(mir.SAddCoU32, hi, product(mir.SMulI32, s.half(a, 0), s.half(b, 1)))
	}
	if wideA {
		hi = product(mir.SAddCoU32, hi, product(mir.SMulI32, s.half(a, 1), s.half(b, 0)))
	}
	s.putInstr(mir.Vector, 1, dst, lo, hi)
}

// compareOp holds the scalar i32 comparison and the 32-bit and 64-bit vector
// comparisons of a predicate.
type compareOp struct {
	s32, v32, v64 mir.Op
}

var compareTable = [ir.NumPreds]compareOp{
	ir.ICmpEQ:  {mir.SCmpEqU32, mir.VCmpEqU32, mir.VCmpEqU64},
	ir.ICmpNE:  {mir.SCmpLgU32, mir.VCmpNeU32, mir.VCmpNeU64},
	ir.ICmpUGT: {mir.SCmpGtU32, mir.VCmpGtU32, mir.VCmpGtU64},
	ir.ICmpUGE: {mir.SCmpGeU32, mir.VCmpGeU32, mir.VCmpGeU64},
	ir.ICmpULT: {mir.SCmpLtU32, mir.VCmpLtU32, mir.VCmpLtU64},
	ir.ICmpULE: {mir.SCmpLeU32, mir.VCmpLeU32, mir.VCmpLeU64},
	ir.ICmpSGT: {mir.SCmpGtI32, mir.VCmpGtI32, mir.VCmpGtI64},
	ir.ICmpSGE: {mir.SCmpGeI32, mir.VCmpGeI32, mir.VCmpGeI64},
	ir.ICmpSLT: {mir.SCmpLtI32, mir.VCmpLtI32, mir.VCmpLtI64},
	ir.ICmpSLE: {mir.SCmpLeI32, mir.VCmpLeI32, mir.VCmpLeI64},
}

// compare selects icmp.
func (s *Selector) compare(v ir.Value) {
	f := s.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(x)
	p := f.Pred(v)
	dst := mir.R(s.regOf(v))
	ops := compareTable[p]
	wide := s.dwords(t) == 2
	if s.dwords(t) > 2 {
		s.compareWide(v)
		return
	}
	if s.vals[v].bank == bankS {
		if s.testBit(v) {
			return
		}
		if !wide {
			uses := s.oneLiteral(ops.s32, []mir.Operand{s.scalar(x), s.scalar(y)})
			s.putInstr(ops.s32, 1, dst, uses[0], uses[1])
			return
		}
		op := mir.SCmpEqU64
		if p == ir.ICmpNE {
			op = mir.SCmpLgU64
		}
		s.putInstr(op, 1, dst, s.wideSource(s.scalar(x)), s.wideSource(s.scalar(y)))
		return
	}
	a, b := s.use(x), s.use(y)
	if s.isVGPR(&a) && !s.isVGPR(&b) {
		a, b = b, a
		ops = compareTable[p.Swapped()]
	}
	if wide {
		s.valu(ops.v64, dst, a, b)
		return
	}
	s.valu(ops.v32, dst, a, b)
}

// testBit selects the comparison of a single bit of a scalar with 0, if the bit
// has no other use.
func (s *Selector) testBit(v ir.Value) bool {
	f := s.f
	x, p := f.Operand(v, 0), f.Pred(v)
	zero, ok := s.intValue(f.Operand(v, 1))
	if !ok || zero != 0 || !p.IsEquality() || !x.IsLocal() || f.Op(x) != ir.OpAnd || !f.HasOneUse(x) {
		return false
	}
	mask, ok := s.intValue(f.Operand(x, 1))
	if !ok || bits.OnesCount64(mask) != 1 {
		return false
	}
	n := bits.TrailingZeros64(mask)
	op := mir.SBitcmp0B32
	if p == ir.ICmpNE {
		op = mir.SBitcmp1B32
	}
	s.putInstr(op, 1, mir.R(s.regOf(v)), s.half(s.scalar(f.Operand(x, 0)), n/32), mir.Imm(int64(n%32)))
	return true
}

// compareWide selects the equality of pointers of more than 64 bits by
// comparing all pairs of dwords.
func (s *Selector) compareWide(v ir.Value) {
	f := s.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	op, join := [...]mir.Op{1: mir.VCmpEqU32, 2: mir.VCmpEqU64}, s.byWave(mir.SAndB32, mir.SAndB64)
	if f.Pred(v) == ir.ICmpNE {
		op, join = [...]mir.Op{1: mir.VCmpNeU32, 2: mir.VCmpNeU64}, s.byWave(mir.SOrB32, mir.SOrB64)
	}
	a, b := s.use(x), s.use(y)
	var all mir.Operand
	for k, n := 0, s.dwords(f.TypeOf(x)); k < n; k += 2 {
		w := min(2, n-k)
		d := mir.R(s.out.NewMask())
		s.valu(op[w], d, s.part(a, k, w), s.part(b, k, w))
		if k > 0 {
			both := mir.R(s.out.NewMask())
			if k+w == n {
				both = mir.R(s.regOf(v))
			}
			s.putInstr(join, 2, both, mir.R(s.newSCC()), all, d)
			d = both
		}
		all = d
	}
}

// wideSource moves a constant that is not inline to registers. 64-bit
// comparisons do not extend literals as needed.
func (s *Selector) wideSource(o mir.Operand) mir.Operand {
	if o.Kind == mir.KindImm && !(o.Imm >= -16 && o.Imm <= 64) {
		return s.asReg(o, mir.FileS, 2)
	}
	return o
}

// selectValue selects a select of values other than i1.
func (s *Selector) selectValue(v ir.Value) {
	f := s.f
	c, x, y := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	if of, ok := s.inverted(c); ok {
		c, x, y = of, y, x
	}
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	if s.vals[v].bank == bankS {
		a, b := s.scalar(x), s.scalar(y)
		cond := s.scc(c)
		if n == 1 {
			uses := s.oneLiteral(mir.SCselectB32, []mir.Operand{a, b})
			s.putInstr(mir.SCselectB32, 1, mir.R(dst), uses[0], uses[1], cond)
			return
		}
		parts := []mir.Operand{mir.R(dst)}
		for k := 0; k < n; {
			w := min(2, n-k)
			p, q, op := s.selectPart(a, k, w), s.selectPart(b, k, w), mir.SCselectB64
			if w == 1 {
				op = mir.SCselectB32
			}
			d := mir.R(s.newS(w))
			if n == w {
				d = mir.R(dst)
			}
			s.putInstr(op, 1, d, p, q, cond)
			parts = append(parts, d)
			k += w
		}
		if len(parts) > 2 {
			s.putInstr(mir.Vector, 1, parts...)
		}
		return
	}
	a, b := s.use(x), s.use(y)
	m := s.maskReg(c)
	parts := []mir.Operand{mir.R(dst)}
	for k := range n {
		d := mir.R(dst)
		if n > 1 {
			d = mir.R(s.newV(1))
		}
		s.valu(mir.VCndmaskB32, d, s.half(b, k), s.half(a, k), m)
		parts = append(parts, d)
	}
	if n > 1 {
		s.putInstr(mir.Vector, 1, parts...)
	}
}

// selectPart returns dwords of an operand of a scalar select. 64-bit constants
// must be inline.
func (s *Selector) selectPart(o mir.Operand, k, n int) mir.Operand {
	if n == 1 {
		if o = s.half(o, k); o.Kind == mir.KindReg {
			return o
		}
		return s.asReg(o, mir.FileS, 1)
	}
	if o.Kind == mir.KindReg {
		return s.part(o, k, n)
	}
	return s.wideSource(o)
}
