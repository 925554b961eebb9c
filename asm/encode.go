package asm

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// encoder assembles the words of an instruction and records the facts that the
// whole-instruction checks need.
type encoder struct {
	words    [8]uint32
	dwords   uint8
	lit      uint64 // the literal after the words
	litSize  uint8  // in bytes, 0 for none
	litOp    int8   // the literal's operand
	litDiff  int8   // an operand with a different literal, -1 for none
	litLong  bool   // the literal does not fit in its 32 bits
	litKinds uint8  // bit set of the sizes of the operands that share the literal
	sgprs    [6]uint32
	nsgpr    uint8
	lastS    int8 // the last operand that reads a scalar register
	expr     int8 // the operand that is an expression, -1 for none
}

// encode fills in a candidate's words.
func (d *dialect) encode(c *cand, ops []operand) {
	e := &d.enc
	e.words = [8]uint32{c.words[0], c.words[1], c.words[2], c.words[3]}
	e.dwords = c.dwords
	e.litSize, e.nsgpr = 0, 0
	e.litDiff, e.expr, e.litOp, e.lastS = -1, -1, -1, -1
	e.litKinds, e.litLong = 0, false
	d.encodeOperands(c, ops, 0)
}

// encodeOperands encodes operands; base is the index of the first one.
func (d *dialect) encodeOperands(c *cand, ops []operand, base int) {
	e := &d.enc
	for i := range ops {
		o, s := &ops[i], &c.specs[i]
		if o.kind == opReg && s.kind == specValue {
			if o.file == isa.FileS {
				d.encodeScalar(o, s, base+i)
			} else {
				d.encodeVector(o, s)
			}
		} else {
			d.encodeOther(o, s, base+i)
		}
		if o.mods != 0 {
			e.modify(o, s)
		}
	}
}

// write writes a value into a place that holds 0.
func (e *encoder) write(p place, v uint32) {
	e.words[p.word] |= v & (1<<p.width - 1) << p.shift
}

// overwrite writes a value into a place.
func (e *encoder) overwrite(p place, v uint32) {
	m := uint32(1<<p.width-1) << p.shift
	e.words[p.word] = e.words[p.word]&^m | v<<p.shift&m
}

func (d *dialect) encodeVector(o *operand, s *spec) {
	e := &d.enc
	v := uint32(o.reg)
	if s.at.width == 9 {
		v |= codeVGPR
	}
	switch s.half {
	case halfBit7:
		if o.half == 2 {
			v |= 128
		}
	case halfOpSel:
		if o.half == 2 {
			e.overwrite(s.at2, 1)
		}
	}
	e.write(s.at, v>>s.shr)
	if o.file == isa.FileA {
		e.write(s.acc, 1)
	}
}

func (d *dialect) encodeScalar(o *operand, s *spec, i int) {
	e := &d.enc
	v := uint32(o.reg)
	if s.src >= 0 {
		d.readsScalar(o, i)
	}
	if s.scalar.width != 0 {
		e.write(s.scalar, 1)
	}
	if s.flags&isa.Mask != 0 && s.at.width == 7 && s.field == isa.FieldSdst && d.cur.vari == isa.SDWA {
		d.encodeSDWAResult(v)
		return
	}
	e.overwrite(s.at, v>>s.shr)
}

// encodeSDWAResult writes the result of an SDWA comparison: vcc, or an SGPR
// with the bit that selects it.
func (d *dialect) encodeSDWAResult(v uint32) {
	if v == codeVCC {
		return
	}
	in := d.inst(d.cur.enc)
	in.SetField(isa.FieldSdst, v)
	in.SetField(isa.FieldSd, 1)
	copy(d.enc.words[:], in.Words[:])
}

// readsScalar records that a source reads a scalar register over the constant
// bus.
func (d *dialect) readsScalar(o *operand, i int) {
	if o.reg == d.null || o.reg == codeLDSDirect {
		return
	}
	e := &d.enc
	e.lastS = int8(i)
	id := uint32(o.reg)<<8 | uint32(o.dwords)
	for _, x := range e.sgprs[:e.nsgpr] {
		if x == id {
			return
		}
	}
	e.sgprs[e.nsgpr] = id
	e.nsgpr++
}

func (d *dialect) encodeOther(o *operand, s *spec, i int) {
	e := &d.enc
	switch s.kind {
	case specValue:
		d.encodeConstant(o, s, i)
	case specExport:
		if o.kind == opReg {
			e.write(s.at, uint32(o.reg))
		}
	case specImm, specCustom:
		e.overwrite(s.at, uint32(o.val))
	case specAttr:
		e.write(s.at, uint32(o.val)&0xff)
		e.write(s.at2, uint32(o.val)>>8)
	case specBranch:
		if o.kind == opExpr {
			e.expr = int8(i)
		}
		e.write(s.at, uint32(o.val))
	case specK:
		d.encodeMandatory(o, s, i)
	case specData:
		e.write(s.at, uint32(o.reg))
		if o.file == isa.FileA {
			e.write(s.acc, 1)
		}
	case specM0:
		e.overwrite(s.at, uint32(o.reg))
	}
}

// modify writes the modifiers of a source.
func (e *encoder) modify(o *operand, s *spec) {
	m := o.mods & s.mods
	if m&modNeg != 0 {
		e.overwrite(s.neg, 1)
	}
	if m&modAbs != 0 {
		e.overwrite(s.abs, 1)
	}
	if m&modSext != 0 {
		e.overwrite(s.sext, 1)
	}
}

// encodeConstant writes a constant: inline, or as the literal.
func (d *dialect) encodeConstant(o *operand, s *spec, i int) {
	e := &d.enc
	if s.scalar.width != 0 {
		e.write(s.scalar, 1)
	}
	if o.kind == opExpr {
		size := uint8(4)
		code := uint32(codeLiteral)
		if s.typ.Bits() == 64 {
			size, code = 8, codeLit64
		}
		e.expr = int8(i)
		e.overwrite(s.at, code)
		d.addLiteral(0, size, s, i)
		return
	}
	v := o.val
	if a := o.mods & modsFP &^ s.mods; a != 0 {
		v = applySign(v, a, o.kind == opReal, s.typ)
	}
	t := s.typ.Base()
	if t.Bits() == 64 {
		d.encode64(o, s, v, i)
		return
	}
	bits := uint32(v)
	if o.kind == opReal {
		bits = d.realBits(v, t)
	} else if t.Bits() == 16 && !t.Packed() {
		bits = d.int16Bits(v, t)
	}
	if o.mods&modsLit == 0 && !d.noHalves(t) {
		if code, ok := isa.InlineEnc(d.set, t, uint64(bits)); ok {
			e.overwrite(s.at, uint32(code))
			return
		}
	}
	if s.typ.InlineOnly() { // not an inline constant, but was matched as one: encode a literal
		code, _ := d.inline(o, s.typ)
		e.overwrite(s.at, uint32(code))
		return
	}
	e.overwrite(s.at, codeLiteral)
	d.addLiteral(uint64(bits), 4, s, i)
}

// noHalves reports whether constants of type t must be literals: 16-bit ones in
// the VOP3 encoding before gfx8.
func (d *dialect) noHalves(t isa.Type) bool {
	return t == isa.F16 && d.cur.variant == variantVOP3 && d.set.Gen() <= isa.Gen7
}

// applySign applies neg and abs to the constant of an operand that does not
// accept them.
func applySign(v int64, m opMods, isReal bool, t isa.Type) int64 {
	bits := 64
	if !isReal {
		bits = max(t.Bits(), 16)
		if t.Packed() {
			bits = 32
		}
	}
	sign := int64(1) << (bits - 1)
	if m&modAbs != 0 {
		v &^= sign
	}
	if m&modNeg != 0 {
		v ^= sign
	}
	return v
}

// realBits returns the bits of a floating-point number in an operand's type.
func (d *dialect) realBits(v int64, t isa.Type) uint32 {
	const inv2Pi = 0x3fc45f306725feed // 0.15915494, as floats are printed
	if (t == isa.BF16 || t == isa.V2BF16) && uint64(v) == inv2Pi {
		return 0x3e22
	}
	bits, _ := floatOf(math.Float64frombits(uint64(v)), t)
	return bits
}

// int16Bits returns the bits of an integer in a 16-bit operand. A small
// negative number keeps its sign.
func (d *dialect) int16Bits(v int64, t isa.Type) uint32 {
	if _, ok := d.inlineBits(uint64(v), 16, t); ok || t == isa.I16 {
		return uint32(v)
	}
	return uint32(v) & 0xffff
}

// encode64 writes a 64-bit constant. A 32-bit literal is the high half of a
// double, and is zero-extended for an integer.
func (d *dialect) encode64(o *operand, s *spec, v int64, i int) {
	e := &d.enc
	t := s.typ.Base()
	wide := d.has64 && d.cur.variant != variantVOP3
	u := uint64(v)
	lit := o.mods & modsLit
	if lit == 0 {
		if c, ok := d.inlineBits(u, 64, t); ok {
			e.overwrite(s.at, uint32(c))
			return
		}
	}
	switch {
	case t == isa.F64 && o.kind == opReal:
		if uint32(u) != 0 && !wide && lit == 0 {
			d.p.Warnf(int(o.pos), int(o.end), "cannot encode the literal as an exact 64-bit floating-point operand: its low 32 bits are set to zero")
			u &^= math.MaxUint32
		}
		if lit == modLit {
			u >>= 32
		}
	case t == isa.F64:
		if !d.has64 || lit == modLit || lit == 0 && truncates(v, 32) {
			u <<= 32
		}
		if lit == modLit {
			u >>= 32
		} else if lit == 0 {
			if c, ok := d.inlineBits(u, 64, t); ok {
				e.overwrite(s.at, uint32(c))
				return
			}
		}
	case !d.has64 || lit == modLit:
		u &= math.MaxUint32
	}
	d.literal64Words(s, u, lit, wide, i)
}

// literal64Words writes the literal of a 64-bit operand.
func (d *dialect) literal64Words(s *spec, u uint64, lit opMods, wide bool, i int) {
	e := &d.enc
	isF := s.typ.Base() == isa.F64
	short := u>>32 == 0 && (!wide || u>>31 == 0)
	if isF {
		short = uint32(u) == 0
	}
	if lit == modLit64 || wide && (lit != 0 || !short) {
		e.overwrite(s.at, codeLit64)
		d.addLiteral(u, 8, s, i)
		return
	}
	e.overwrite(s.at, codeLiteral)
	e.litLong = e.litLong || !short && !(isF && lit == modLit) && !truncates(int64(u), 32)
	if isF && lit != modLit {
		u >>= 32
	}
	d.addLiteral(u&math.MaxUint32, 4, s, i)
}

// encodeMandatory writes an instruction's mandatory literal.
func (d *dialect) encodeMandatory(o *operand, s *spec, i int) {
	t := s.typ.Base()
	u := uint64(o.val)
	switch {
	case t == isa.F64:
		if o.kind == opInt && truncates(o.val, 32) && o.mods&modLit64 == 0 {
			u <<= 32
		}
		d.addLiteral(u, 8, s, i)
		return
	case o.kind == opReal:
		u = uint64(d.realBits(o.val, t))
	case t == isa.F16 && o.val >= 0:
		u &= 0xffff
	}
	d.addLiteral(u&math.MaxUint32, 4, s, i)
}

// addLiteral records the literal of operand i. An instruction can have only one
// literal value.
func (d *dialect) addLiteral(v uint64, size uint8, s *spec, i int) {
	e := &d.enc
	bits := uint8(1)
	if s.typ.Bits() == 64 {
		bits = 2
	}
	e.litKinds |= bits
	if e.litSize != 0 {
		if e.lit != v || e.litSize != size || e.expr >= 0 {
			e.litDiff = int8(i)
		}
		return
	}
	e.lit, e.litSize, e.litOp = v, size, int8(i)
}

// encodeExport writes the source mask of an export. With compr it has two
// sources of two halves each: the first and third operand of the text.
func (d *dialect) encodeExport(ops []operand) {
	c, e := d.cur, &d.enc
	en := uint32(0)
	compr := d.stmt.mods.on.has(mCompr)
	if compr {
		e.overwrite(c.specs[2].at, 0)
		e.overwrite(c.specs[3].at, 0)
		e.overwrite(c.specs[4].at, 0)
		if ops[3].kind == opReg {
			e.write(c.specs[2].at, uint32(ops[3].reg))
		}
		if ops[1].kind == opReg {
			en |= 3
		}
		if ops[3].kind == opReg {
			en |= 12
		}
	} else {
		for i := range ops[1:] {
			if ops[1+i].kind == opReg {
				en |= 1 << i
			}
		}
	}
	in := d.inst(c.enc)
	in.SetField(isa.FieldEn, en)
	e.words[0] = in.Words[0]
}
