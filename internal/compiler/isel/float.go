package isel

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// floatKind is the type of a floating-point operation.
type floatKind uint8

const (
	f16 floatKind = iota
	f32
	f64
	v2f16 // pairs of halves
	notFloat
)

func (s *Selector) floatKind(t ir.Type) floatKind {
	if s.m.IsVector(t) {
		if s.m.Kind(s.m.Scalar(t)) == ir.KindHalf && s.m.NumElements(t) == 2 {
			return v2f16
		}
		return notFloat
	}
	switch s.m.Kind(t) {
	case ir.KindHalf:
		return f16
	case ir.KindFloat:
		return f32
	case ir.KindDouble:
		return f64
	}
	return notFloat
}

// floatOps holds an operation for each kind, OpNone for missing ones.
type floatOps [4]mir.Op

var floatTable = [ir.NumOps]floatOps{
	ir.OpFAdd: {mir.VAddF16, mir.VAddF32, mir.VAddF64, mir.VPkAddF16},
	ir.OpFSub: {mir.VSubF16, mir.VSubF32, mir.VAddF64, mir.VPkAddF16}, // the last two negate the second source
	ir.OpFMul: {mir.VMulF16, mir.VMulF32, mir.VMulF64, mir.VPkMulF16},
}

// floatSource returns an operand of a floating-point operation. It folds
// negations and absolute values into modifiers for source 0.
func (s *Selector) floatSource(v ir.Value, kind floatKind) (mir.Operand, mir.Mods) {
	if kind == v2f16 {
		return s.packedSource(v)
	}
	var mods mir.Mods
	for v.IsLocal() {
		switch {
		case s.f.Op(v) == ir.OpFNeg:
			if mods&mir.Abs0 == 0 {
				mods ^= mir.Neg0
			}
		case s.f.Op(v) == ir.OpCall && s.f.CalledIntrinsic(v) == ir.IntrFabs:
			mods |= mir.Abs0
		default:
			return s.use(v), mods
		}
		v = s.f.Operand(v, 0)
	}
	return s.use(v), mods
}

// packedSource returns a pair of halves, with a negation folded into modifiers.
func (s *Selector) packedSource(v ir.Value) (mir.Operand, mir.Mods) {
	if v.IsLocal() && s.f.Op(v) == ir.OpFNeg {
		return s.use(s.f.Operand(v, 0)), mir.Neg0 | mir.Abs0 // negate both halves
	}
	return s.use(v), 0
}

// floatOperation emits a floating-point instruction. It folds negations and
// absolute values of its sources into modifiers, in addition to the given ones.
func (s *Selector) floatOperation(op mir.Op, kind floatKind, dst mir.Operand, mods mir.Mods, sources ...ir.Value) {
	uses := make([]mir.Operand, 0, 4)
	for n, v := range sources {
		o, m := s.floatSource(v, kind)
		uses = append(uses, o)
		mods ^= m & mir.Neg0 << n
		mods |= m & mir.Abs0 << n
	}
	if kind == v2f16 {
		mods |= mir.OpSelHiAll
	}
	s.valuMods(op, mods, dst, uses...)
}

// float selects floating-point arithmetic and conversions.
func (s *Selector) float(v ir.Value) {
	f := s.f
	t := f.TypeOf(v)
	kind := s.floatKind(t)
	dst := mir.R(s.regOf(v))
	switch op := f.Op(v); op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul:
		if kind == notFloat {
			s.unsupported(v, "%v of a vector", op)
			return
		}
		var mods mir.Mods
		if op == ir.OpFSub {
			switch kind {
			case f64:
				mods = mir.Neg0 << 1
			case v2f16:
				mods = (mir.Neg0 | mir.Abs0) << 1
			}
		}
		s.floatBinary(op, kind, dst, mods, f.Operand(v, 0), f.Operand(v, 1))
	case ir.OpFNeg:
		s.negate(v)
	default:
		s.convert(v)
	}
}

func (s *Selector) floatBinary(op ir.Op, kind floatKind, dst mir.Operand, mods mir.Mods, x, y ir.Value) {
	if kind != v2f16 {
		s.floatOperation(floatTable[op][kind], kind, dst, mods, x, y)
		return
	}
	a, ma := s.packedSource(x)
	b, mb := s.packedSource(y)
	mods ^= ma
	mods ^= mb << 1
	s.valuMods(floatTable[op][kind], mods|mir.OpSelHiAll, dst, a, b)
}

// negate selects an fneg that was not folded by flipping the sign bit.
func (s *Selector) negate(v ir.Value) {
	x := s.f.Operand(v, 0)
	kind := s.floatKind(s.f.TypeOf(v))
	absolute := false
	if x.IsLocal() && s.f.Op(x) == ir.OpCall && s.f.CalledIntrinsic(x) == ir.IntrFabs {
		x, absolute = s.f.Operand(x, 0), true
	}
	if absolute {
		s.signBit(v, x, kind, ir.OpOr)
		return
	}
	s.signBit(v, x, kind, ir.OpXor)
}

// signBit sets (or), flips (xor) or clears (and) the sign of a number.
func (s *Selector) signBit(v, x ir.Value, kind floatKind, op ir.Op) {
	bit := map[floatKind]int64{f16: 0x8000, f32: -0x80000000, f64: -0x80000000, v2f16: -0x7fff8000}[kind]
	if kind == notFloat {
		s.unsupported(v, "sign of a vector")
		return
	}
	if op == ir.OpAnd {
		bit = int64(int32(^bit))
	} else {
		bit = int64(int32(bit))
	}
	dst := s.regOf(v)
	if s.vals[v].bank == bankS {
		o := s.asReg(s.scalar(x), mir.FileS, s.out.Dwords(dst))
		if kind != f64 {
			s.salu(integerTable[op].s32, dst, o, mir.Imm(bit))
			return
		}
		hi := s.newS(1)
		s.salu(integerTable[op].s32, hi, s.half(o, 1), mir.Imm(bit))
		s.putInstr(mir.Vector, 1, mir.R(dst), s.half(o, 0), mir.R(hi))
		return
	}
	o := s.use(x)
	if kind != f64 {
		s.valu(integerTable[op].v32, mir.R(dst), mir.Imm(bit), o)
		return
	}
	hi := s.newV(1)
	s.valu(integerTable[op].v32, mir.R(hi), mir.Imm(bit), s.half(o, 1))
	s.putInstr(mir.Vector, 1, mir.R(dst), s.asReg(s.half(o, 0), mir.FileV, 1), mir.R(hi))
}

// conversion is a conversion implemented by one instruction.
type conversion struct {
	op       ir.Op
	from, to ir.TypeKind // KindInt means i32
	machine  mir.Op
}

var conversions = []conversion{
	{ir.OpFPTrunc, ir.KindFloat, ir.KindHalf, mir.VCvtF16F32},
	{ir.OpFPTrunc, ir.KindDouble, ir.KindFloat, mir.VCvtF32F64},
	{ir.OpFPExt, ir.KindHalf, ir.KindFloat, mir.VCvtF32F16},
	{ir.OpFPExt, ir.KindFloat, ir.KindDouble, mir.VCvtF64F32},
	{ir.OpFPToSI, ir.KindFloat, ir.KindInt, mir.VCvtI32F32},
	{ir.OpFPToUI, ir.KindFloat, ir.KindInt, mir.VCvtU32F32},
	{ir.OpFPToSI, ir.KindDouble, ir.KindInt, mir.VCvtI32F64},
	{ir.OpFPToUI, ir.KindDouble, ir.KindInt, mir.VCvtU32F64},
	{ir.OpSIToFP, ir.KindInt, ir.KindFloat, mir.VCvtF32I32},
	{ir.OpUIToFP, ir.KindInt, ir.KindFloat, mir.VCvtF32U32},
	{ir.OpSIToFP, ir.KindInt, ir.KindDouble, mir.VCvtF64I32},
	{ir.OpUIToFP, ir.KindInt, ir.KindDouble, mir.VCvtF64U32},
}

// convert selects numeric conversions.
func (s *Selector) convert(v ir.Value) {
	f := s.f
	x := f.Operand(v, 0)
	op := f.Op(v)
	from, to := s.m.Kind(f.TypeOf(x)), s.m.Kind(f.TypeOf(v))
	if op == ir.OpUIToFP || op == ir.OpSIToFP {
		switch bits := s.m.IntBits(f.TypeOf(x)); {
		case bits == 1:
			s.boolToFloat(v)
			return
		case bits != 32:
			s.unsupported(v, "%v of i%d", op, bits)
			return
		}
		if s.byteToFloat(v) {
			return
		}
	}
	for i := range conversions {
		c := &conversions[i]
		if c.op != op || c.from != from || c.to != to {
			continue
		}
		if to == ir.KindInt && s.dwords(f.TypeOf(v)) != 1 {
			break
		}
		o, mods := s.use(x), mir.Mods(0)
		if from != ir.KindInt {
			o, mods = s.floatSource(x, s.floatKind(f.TypeOf(x)))
		}
		s.valuMods(c.machine, mods, mir.R(s.regOf(v)), o)
		return
	}
	s.convertInSteps(v, from, to)
}

// roundings maps LLVM's rounding modes to the machine's.
var roundings = lazy.Value[map[string]int64]{Make: func() map[string]int64 {
	return map[string]int64{"round.tonearest": 0, "round.upward": 1, "round.downward": 2, "round.towardzero": roundTowardZero}
}}

// truncRounded selects fptrunc.round to f16 and f32.
func (s *Selector) truncRounded(v ir.Value) bool {
	x := s.arg(v, 0)
	from, to := s.m.Kind(s.typeOf(x)), s.m.Kind(s.f.TypeOf(v))
	word, _ := s.m.MDString(s.arg(v, 1).Metadata())
	round, known := roundings.Get()[word]
	n := slices.IndexFunc(conversions, func(c conversion) bool { return c.op == ir.OpFPTrunc && c.from == from && c.to == to })
	if n < 0 || !known {
		return false
	}
	o, mods := s.floatSource(x, s.floatKind(s.typeOf(x)))
	if round == 0 {
		s.valuMods(conversions[n].machine, mods, mir.R(s.regOf(v)), o)
		return true
	}
	o = s.asReg(o, mir.FileV, s.dwords(s.typeOf(x)))
	field := int64(modeRoundSmall)
	if from == ir.KindDouble { // no source states which field applies
		field, round = modeRoundAll, round|round<<2
	}
	s.withRounding(field, round, func() {
		s.out.SetFlags(s.valuMods(conversions[n].machine, mods, mir.R(s.regOf(v)), o), mir.NoReorder)
	})
	return true
}

// convertInSteps selects conversions through f32, if they are exact.
func (s *Selector) convertInSteps(v ir.Value, from, to ir.TypeKind) {
	f := s.f
	x := f.Operand(v, 0)
	op := f.Op(v)
	dst := mir.R(s.regOf(v))
	mid := mir.R(s.newV(1))
	switch {
	case op == ir.OpFPExt && from == ir.KindHalf && to == ir.KindDouble:
		o, mods := s.floatSource(x, f16)
		s.valuMods(mir.VCvtF32F16, mods, mid, o)
		s.valu(mir.VCvtF64F32, dst, mid)
	case (op == ir.OpFPToSI || op == ir.OpFPToUI) && from == ir.KindHalf && s.dwords(f.TypeOf(v)) == 1:
		o, mods := s.floatSource(x, f16)
		s.valuMods(mir.VCvtF32F16, mods, mid, o)
		machine := mir.VCvtI32F32
		if op == ir.OpFPToUI {
			machine = mir.VCvtU32F32
		}
		s.valu(machine, dst, mid)
	case op == ir.OpFPTrunc && from == ir.KindFloat && to == ir.KindBFloat && s.out.M.Has(mir.VCvtPkBf16F32):
		o, mods := s.floatSource(x, f32)
		s.valuMods(mir.VCvtPkBf16F32, mods, dst, o, mir.Imm(0))
	case (op == ir.OpSIToFP || op == ir.OpUIToFP) && to == ir.KindHalf:
		machine := mir.VCvtF32I32
		if op == ir.OpUIToFP {
			machine = mir.VCvtF32U32
		}
		s.valu(machine, mid, s.use(x))
		s.valu(mir.VCvtF16F32, dst, mid)
	default:
		s.unsupported(v, "%v", op)
	}
}

// boolToFloat selects the conversion of an i1 to 0, 1 or -1.
func (s *Selector) boolToFloat(v ir.Value) {
	one := map[floatKind]int64{f16: 0x3c00, f32: 0x3f800000, f64: 0x3ff0000000000000}[s.floatKind(s.f.TypeOf(v))]
	if s.f.Op(v) == ir.OpSIToFP {
		one |= map[floatKind]int64{f16: 0x8000, f32: 0x80000000, f64: -1 << 63}[s.floatKind(s.f.TypeOf(v))]
	}
	s.fromBool(v, s.f.Operand(v, 0), one, 0)
}

// byteToFloat selects the conversion of a byte in a dword to float.
func (s *Selector) byteToFloat(v ir.Value) bool {
	f := s.f
	x := f.Operand(v, 0)
	if f.Op(v) != ir.OpUIToFP || s.floatKind(f.TypeOf(v)) != f32 || !x.IsLocal() || s.vals[x].bank != bankV {
		return false
	}
	ops := [...]mir.Op{mir.VCvtF32Ubyte0, mir.VCvtF32Ubyte1, mir.VCvtF32Ubyte2, mir.VCvtF32Ubyte3}
	switch f.Op(x) {
	case ir.OpAnd:
		if n, ok := s.intValue(f.Operand(x, 1)); !ok || n != 255 {
			return false
		}
		in := f.Operand(x, 0)
		if in.IsLocal() && f.Op(in) == ir.OpLShr {
			if n, ok := s.intValue(f.Operand(in, 1)); ok && (n == 8 || n == 16) && s.vals[in].bank == bankV {
				s.valu(ops[n/8], mir.R(s.regOf(v)), s.use(f.Operand(in, 0)))
				return true
			}
		}
		s.valu(ops[0], mir.R(s.regOf(v)), s.use(in))
		return true
	case ir.OpLShr:
		if n, ok := s.intValue(f.Operand(x, 1)); ok && n == 24 {
			s.valu(ops[3], mir.R(s.regOf(v)), s.use(f.Operand(x, 0)))
			return true
		}
	}
	return false
}

// floatCompares holds the f16, f32 and f64 comparisons of each predicate, from
// FCmpFalse to FCmpTrue.
var floatCompares = [ir.NumPreds][3]mir.Op{
	ir.FCmpOEQ: {mir.VCmpEqF16, mir.VCmpEqF32, mir.VCmpEqF64},
	ir.FCmpOGT: {mir.VCmpGtF16, mir.VCmpGtF32, mir.VCmpGtF64},
	ir.FCmpOGE: {mir.VCmpGeF16, mir.VCmpGeF32, mir.VCmpGeF64},
	ir.FCmpOLT: {mir.VCmpLtF16, mir.VCmpLtF32, mir.VCmpLtF64},
	ir.FCmpOLE: {mir.VCmpLeF16, mir.VCmpLeF32, mir.VCmpLeF64},
	ir.FCmpONE: {mir.VCmpLgF16, mir.VCmpLgF32, mir.VCmpLgF64},
	ir.FCmpORD: {mir.VCmpOF16, mir.VCmpOF32, mir.VCmpOF64},
	ir.FCmpUNO: {mir.VCmpUF16, mir.VCmpUF32, mir.VCmpUF64},
	ir.FCmpUEQ: {mir.VCmpNlgF16, mir.VCmpNlgF32, mir.VCmpNlgF64},
	ir.FCmpUGT: {mir.VCmpNleF16, mir.VCmpNleF32, mir.VCmpNleF64},
	ir.FCmpUGE: {mir.VCmpNltF16, mir.VCmpNltF32, mir.VCmpNltF64},
	ir.FCmpULT: {mir.VCmpNgeF16, mir.VCmpNgeF32, mir.VCmpNgeF64},
	ir.FCmpULE: {mir.VCmpNgtF16, mir.VCmpNgtF32, mir.VCmpNgtF64},
	ir.FCmpUNE: {mir.VCmpNeqF16, mir.VCmpNeqF32, mir.VCmpNeqF64},
}

// floatCompare selects fcmp.
func (s *Selector) floatCompare(v ir.Value) {
	f := s.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	kind := s.floatKind(f.TypeOf(x))
	p := f.Pred(v)
	dst := mir.R(s.regOf(v))
	switch {
	case p == ir.FCmpFalse:
		s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, dst, mir.Imm(0))
		return
	case p == ir.FCmpTrue:
		s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, dst, mir.Imm(-1))
		return
	case kind > f64:
		s.unsupported(v, "fcmp of a vector")
		return
	}
	a, ma := s.floatSource(x, kind)
	b, mb := s.floatSource(y, kind)
	if s.isVGPR(&a) && !s.isVGPR(&b) {
		a, b, ma, mb, p = b, a, mb, ma, p.Swapped()
	}
	s.valuMods(floatCompares[p][kind], ma|mb<<1, dst, a, b)
}
