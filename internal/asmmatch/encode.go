package asmmatch

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// encoder assembles the words of an instruction and records the facts that the
// whole-instruction checks need.
type encoder struct {
	Code
	litOp    int8  // the literal's operand
	litDiff  int8  // an operand with a different literal, -1 for none
	litLong  bool  // the literal does not fit in its 32 bits
	litKinds uint8 // bit set of the sizes of the operands that share the literal
	sgprs    [6]uint32
	nsgpr    uint8
	lastS    int8 // the last operand that reads a scalar register
}

// encodeCandidate fills in a candidate's words.
func (m *Matcher) encodeCandidate(c *candidate, ops []Operand) {
	m.cur = c
	e := &m.enc
	e.Form = c.form
	e.Words = [8]uint32{c.words[0], c.words[1], c.words[2], c.words[3]}
	e.Dwords = c.dwords
	e.LiteralSize, e.nsgpr = 0, 0
	e.litDiff, e.Expr, e.litOp, e.lastS = -1, -1, -1, -1
	e.litKinds, e.litLong = 0, false
	m.encodeOperands(c, ops, 0)
}

// encodeOperands encodes operands; base is the index of the first one.
func (m *Matcher) encodeOperands(c *candidate, ops []Operand, base int) {
	e := &m.enc
	for i := range ops {
		o, s := &ops[i], &c.specs[i]
		if o.Kind == KindReg && s.kind == specValue {
			if o.File == isa.FileS {
				m.encodeScalar(o, s, base+i)
			} else {
				m.encodeVector(o, s)
			}
		} else {
			m.encodeOther(o, s, base+i)
		}
		if o.Mods != 0 {
			e.writeMods(o, s)
		}
	}
}

// writeBits writes a value into a place that holds 0.
func (e *encoder) writeBits(p place, v uint32) {
	e.Words[p.word] |= v & (1<<p.width - 1) << p.shift
}

// overwriteBits writes a value into a place.
func (e *encoder) overwriteBits(p place, v uint32) {
	m := uint32(1<<p.width-1) << p.shift
	e.Words[p.word] = e.Words[p.word]&^m | v<<p.shift&m
}

func (m *Matcher) encodeVector(o *Operand, s *spec) {
	e := &m.enc
	v := uint32(o.Reg)
	if s.at.width == 9 {
		v |= codeVGPR
	}
	switch s.half {
	case halfBit7:
		if o.Half == 2 {
			v |= 128
		}
	case halfOpSel:
		if o.Half == 2 {
			e.overwriteBits(s.at2, 1)
		}
	}
	e.writeBits(s.at, v>>s.shr)
	if o.File == isa.FileA {
		e.writeBits(s.acc, 1)
	}
}

func (m *Matcher) encodeScalar(o *Operand, s *spec, i int) {
	e := &m.enc
	v := uint32(o.Reg)
	if s.src >= 0 {
		m.readsScalar(o, i)
	}
	if s.scalar.width != 0 {
		e.writeBits(s.scalar, 1)
	}
	if s.flags&isa.Mask != 0 && s.at.width == 7 && s.field == isa.FieldSdst && m.cur.vari == isa.SDWA {
		m.encodeSDWAResult(v)
		return
	}
	e.overwriteBits(s.at, v>>s.shr)
}

// encodeSDWAResult writes the result of an SDWA comparison: vcc, or an SGPR
// with the bit that selects it.
func (m *Matcher) encodeSDWAResult(v uint32) {
	if v == codeVCC {
		return
	}
	in := m.Inst()
	in.SetField(isa.FieldSdst, v)
	in.SetField(isa.FieldSd, 1)
	copy(m.enc.Words[:], in.Words[:])
}

// readsScalar records that a source reads a scalar register over the constant
// bus.
func (m *Matcher) readsScalar(o *Operand, i int) {
	if o.Reg == m.null || o.Reg == codeLDSDirect {
		return
	}
	e := &m.enc
	e.lastS = int8(i)
	id := uint32(o.Reg)<<8 | uint32(o.Dwords)
	for _, x := range e.sgprs[:e.nsgpr] {
		if x == id {
			return
		}
	}
	e.sgprs[e.nsgpr] = id
	e.nsgpr++
}

func (m *Matcher) encodeOther(o *Operand, s *spec, i int) {
	e := &m.enc
	switch s.kind {
	case specValue:
		m.encodeConstant(o, s, i)
	case specExport:
		if o.Kind == KindReg {
			e.writeBits(s.at, uint32(o.Reg))
		}
	case specImm, specCustom:
		e.overwriteBits(s.at, uint32(o.Val))
	case specAttr:
		e.writeBits(s.at, uint32(o.Val)&0xff)
		e.writeBits(s.at2, uint32(o.Val)>>8)
	case specBranch:
		if o.Kind == KindExpr {
			e.Expr = int8(i)
		}
		e.writeBits(s.at, uint32(o.Val))
	case specK:
		m.encodeMandatory(o, s, i)
	case specData:
		e.writeBits(s.at, uint32(o.Reg))
		if o.File == isa.FileA {
			e.writeBits(s.acc, 1)
		}
	case specM0:
		e.overwriteBits(s.at, uint32(o.Reg))
	}
}

// writeMods writes the modifiers of a source.
func (e *encoder) writeMods(o *Operand, s *spec) {
	m := o.Mods & s.mods
	if m&Neg != 0 {
		e.overwriteBits(s.neg, 1)
	}
	if m&Abs != 0 {
		e.overwriteBits(s.abs, 1)
	}
	if m&Sext != 0 {
		e.overwriteBits(s.sext, 1)
	}
}

// encodeConstant writes a constant: inline, or as the literal.
func (m *Matcher) encodeConstant(o *Operand, s *spec, i int) {
	e := &m.enc
	if s.scalar.width != 0 {
		e.writeBits(s.scalar, 1)
	}
	if o.Kind == KindExpr {
		size := uint8(4)
		code := uint32(codeLiteral)
		if s.typ.Bits() == 64 {
			size, code = 8, codeLit64
		}
		e.Expr = int8(i)
		e.overwriteBits(s.at, code)
		m.addLiteral(0, size, s, i)
		return
	}
	v := o.Val
	if a := o.Mods & NegAbs &^ s.mods; a != 0 {
		v = applySign(v, a, o.Kind == KindReal, s.typ)
	}
	t := s.typ.Base()
	if t.Bits() == 64 {
		m.encode64(o, s, v, i)
		return
	}
	bits := uint32(v)
	if o.Kind == KindReal {
		bits = m.realBits(v, t)
	} else if t.Bits() == 16 && !t.Packed() {
		bits = m.int16Bits(v, t)
	}
	if o.Mods&AnyLit == 0 && !m.noHalves(t) {
		if code, ok := isa.InlineEnc(m.set, t, uint64(bits)); ok {
			e.overwriteBits(s.at, uint32(code))
			return
		}
	}
	if s.typ.InlineOnly() { // not an inline constant, but was matched as one: encode a literal
		code, _ := m.inlineConstant(o, s.typ)
		e.overwriteBits(s.at, uint32(code))
		return
	}
	e.overwriteBits(s.at, codeLiteral)
	m.addLiteral(uint64(bits), 4, s, i)
}

// noHalves reports whether constants of type t must be literals: 16-bit ones in
// the VOP3 encoding before gfx8.
func (m *Matcher) noHalves(t isa.Type) bool {
	return t == isa.F16 && m.cur.variant == variantVOP3 && !m.set.Has(isa.PropF16)
}

// applySign applies neg and abs to the constant of an operand that does not
// accept them.
func applySign(v int64, m OperandMods, isReal bool, t isa.Type) int64 {
	bits := 64
	if !isReal {
		bits = max(t.Bits(), 16)
		if t.Packed() {
			bits = 32
		}
	}
	sign := int64(1) << (bits - 1)
	if m&Abs != 0 {
		v &^= sign
	}
	if m&Neg != 0 {
		v ^= sign
	}
	return v
}

// realBits returns the bits of a floating-point number in an operand's type.
func (m *Matcher) realBits(v int64, t isa.Type) uint32 {
	const inv2Pi = 0x3fc45f306725feed // 0.15915494, as floats are printed
	if (t == isa.BF16 || t == isa.V2BF16) && uint64(v) == inv2Pi {
		return 0x3e22
	}
	bits, _ := floatOf(math.Float64frombits(uint64(v)), t)
	return bits
}

// int16Bits returns the bits of an integer in a 16-bit operand. A small
// negative number keeps its sign.
func (m *Matcher) int16Bits(v int64, t isa.Type) uint32 {
	if _, ok := m.inlineBits(uint64(v), 16, t); ok || t == isa.I16 {
		return uint32(v)
	}
	return uint32(v) & 0xffff
}

// encode64 writes a 64-bit constant. A 32-bit literal is the high half of a
// double, and is zero-extended for an integer.
func (m *Matcher) encode64(o *Operand, s *spec, v int64, i int) {
	e := &m.enc
	t := s.typ.Base()
	wide := m.has64 && m.cur.variant != variantVOP3
	u := uint64(v)
	lit := o.Mods & AnyLit
	if lit == 0 {
		if c, ok := m.inlineBits(u, 64, t); ok {
			e.overwriteBits(s.at, uint32(c))
			return
		}
	}
	switch {
	case t == isa.F64 && o.Kind == KindReal:
		if uint32(u) != 0 && !wide && lit == 0 {
			m.report.OperandWarning(i, "cannot encode the literal as an exact 64-bit floating-point operand: its low 32 bits are set to zero")
			u &^= math.MaxUint32
		}
		if lit == Lit {
			u >>= 32
		}
	case t == isa.F64:
		if !m.has64 || lit == Lit || lit == 0 && truncates(v, 32) {
			u <<= 32
		}
		if lit == Lit {
			u >>= 32
		} else if lit == 0 {
			if c, ok := m.inlineBits(u, 64, t); ok {
				e.overwriteBits(s.at, uint32(c))
				return
			}
		}
	case !m.has64 || lit == Lit:
		u &= math.MaxUint32
	}
	m.literal64Words(s, u, lit, wide, i)
}

// literal64Words writes the literal of a 64-bit operand.
func (m *Matcher) literal64Words(s *spec, u uint64, lit OperandMods, wide bool, i int) {
	e := &m.enc
	isF := s.typ.Base() == isa.F64
	short := u>>32 == 0 && (!wide || u>>31 == 0)
	if isF {
		short = uint32(u) == 0
	}
	if lit == Lit64 || wide && (lit != 0 || !short) {
		e.overwriteBits(s.at, codeLit64)
		m.addLiteral(u, 8, s, i)
		return
	}
	e.overwriteBits(s.at, codeLiteral)
	e.litLong = e.litLong || !short && !(isF && lit == Lit) && !truncates(int64(u), 32)
	if isF && lit != Lit {
		u >>= 32
	}
	m.addLiteral(u&math.MaxUint32, 4, s, i)
}

// encodeMandatory writes an instruction's mandatory literal.
func (m *Matcher) encodeMandatory(o *Operand, s *spec, i int) {
	t := s.typ.Base()
	u := uint64(o.Val)
	switch {
	case t == isa.F64:
		if o.Kind == KindInt && truncates(o.Val, 32) && o.Mods&Lit64 == 0 {
			u <<= 32
		}
		m.addLiteral(u, 8, s, i)
		return
	case o.Kind == KindReal:
		u = uint64(m.realBits(o.Val, t))
	case t == isa.F16 && o.Val >= 0:
		u &= 0xffff
	}
	m.addLiteral(u&math.MaxUint32, 4, s, i)
}

// addLiteral records the literal of operand i. An instruction can have only one
// literal value.
func (m *Matcher) addLiteral(v uint64, size uint8, s *spec, i int) {
	e := &m.enc
	bits := uint8(1)
	if s.typ.Bits() == 64 {
		bits = 2
	}
	e.litKinds |= bits
	if e.LiteralSize != 0 {
		if e.Literal != v || e.LiteralSize != size || e.Expr >= 0 {
			e.litDiff = int8(i)
		}
		return
	}
	e.Literal, e.LiteralSize, e.litOp = v, size, int8(i)
}

// encodeExport writes the source mask of an export. With compr it has two
// sources of two halves each: the first and third operand of the text.
func (m *Matcher) encodeExport(ops []Operand) {
	c, e := m.cur, &m.enc
	en := uint32(0)
	compr := m.stmt.Mods.On.Has(ModCompr)
	if compr {
		e.overwriteBits(c.specs[2].at, 0)
		e.overwriteBits(c.specs[3].at, 0)
		e.overwriteBits(c.specs[4].at, 0)
		if ops[3].Kind == KindReg {
			e.writeBits(c.specs[2].at, uint32(ops[3].Reg))
		}
		if ops[1].Kind == KindReg {
			en |= 3
		}
		if ops[3].Kind == KindReg {
			en |= 12
		}
	} else {
		for i := range ops[1:] {
			if ops[1+i].Kind == KindReg {
				en |= 1 << i
			}
		}
	}
	in := m.Inst()
	in.SetField(isa.FieldEn, en)
	e.Words[0] = in.Words[0]
}
