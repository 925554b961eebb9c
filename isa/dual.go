package isa

// VOPD instructions are pairs: the encoding of an Inst is the first half's, and
// a field holds the second half's opcode.

// dualFields holds the fields of the operands of each half.
var dualFields = [2]struct{ vdst, src0, src1, src2, neg Field }{
	{FieldVdstX, FieldSrc0X, FieldSrc1X, FieldSrc2X, FieldNegX},
	{FieldVdstY, FieldSrc0Y, FieldSrc1Y, FieldSrc2Y, FieldNegY},
}

func half(y bool) int {
	if y {
		return 1
	}
	return 0
}

// DualY returns the encoding of the second half of a pair, or NoEnc.
func (in *Inst) DualY() Enc {
	t := decodeTableOf(in.Set)
	f := encs[in.Enc].form
	k := key(in.Field(FieldOpY), DualY, 0)
	if int(k) >= len(t.first[f]) {
		return NoEnc
	}
	return t.first[f][k]
}

// dualField returns the field of an operand of a half.
func dualField(o *OperandInfo, y bool) Field {
	d := &dualFields[half(y)]
	switch o.Field {
	case FieldVdst:
		return d.vdst
	case FieldSrc0:
		return d.src0
	case FieldSrc1:
		return d.src1
	case FieldSrc2:
		return d.src2
	}
	return o.Field
}

// DualOperand reads an operand of a half of a pair.
func (in *Inst) DualOperand(o *OperandInfo, y bool) Value {
	if o.Field == FieldImm {
		return Value{Kind: Literal32}
	}
	f := dualField(o, y)
	v := uint16(in.Field(f))
	dw := in.regDwords(o)
	if f == FieldVdstY && encs[in.Enc].form == VOPD { // the bit that differs from the other half's
		v = v<<1 | uint16(^in.Field(FieldVdstX)&1)
	}
	switch {
	case classInfos[o.Class].Files == FileS:
		return in.scalar(v, dw, o)
	case in.fieldPlace(f).width == 9 && v < srcVGPR:
		return in.scalar(v, dw, o)
	}
	r := Value{Kind: VGPRValue, Dwords: dw, Num: v & 255}
	if in.Banks != 0 {
		e := in.Enc
		if y {
			e = in.DualY()
		}
		r.Num += in.bank(e, o)
	}
	return r
}

// DualMods reports whether an operand of a half of a pair is negated (VOPD3).
func (in *Inst) DualMods(o *OperandInfo, y bool) bool {
	return o.Mods && in.Field(dualFields[half(y)].neg)>>srcIndex(o.Field)&1 != 0
}

// checkDual reports ErrBadField when an operand of a pair holds a value that no
// operand has, and ErrUnknownOpcode when the second half is no instruction or a
// wave has 64 lanes.
func (in *Inst) checkDual() error {
	y := in.DualY()
	if y == NoEnc || in.Wave != 32 {
		return ErrUnknownOpcode
	}
	for h, e := range [2]Enc{in.Enc, y} {
		if !in.dualUnused(e, h == 1) {
			return ErrBadField
		}
		ops := e.Operands()
		for i := range ops {
			if ops[i].Field == FieldImm && sets[in.Set].gen == Gen1250 && (in.Field(FieldSrc0X) == srcLit64 || in.Field(FieldSrc0Y) == srcLit64) {
				return ErrBadField
			}
			if ops[i].isValue() && in.DualOperand(&ops[i], h == 1).Kind == NoValue {
				return ErrBadField
			}
		}
	}
	return nil
}

// dualUnused reports whether the fields of a half that its instruction has no
// operand for are 0.
func (in *Inst) dualUnused(e Enc, y bool) bool {
	d := &dualFields[half(y)]
	neg := in.Field(d.neg)
	for i := range e.Operands() {
		if o := &e.Operands()[i]; o.Mods {
			neg &^= 1 << srcIndex(o.Field)
		}
	}
	return neg == 0 && (in.Field(d.src1) == 0 || e.hasOperand(FieldSrc1)) &&
		(in.Field(d.src2) == 0 || e.hasOperand(FieldSrc2) || e.hasOperand(FieldBitop3))
}

// dualLiteral returns the size in dwords of the literal that a half has.
func (in *Inst) dualLiteral(e Enc, y bool) int {
	ops := e.Operands()
	for i := range ops {
		o := &ops[i]
		if o.Field == FieldImm {
			return 1
		}
		if !o.isValue() {
			continue
		}
		switch in.DualOperand(o, y).Kind {
		case Literal32:
			return 1
		case Literal64:
			return 2
		}
	}
	return 0
}
