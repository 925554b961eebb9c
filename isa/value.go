package isa

// ValueKind is the kind of an operand's value.
type ValueKind uint8

const (
	NoValue   ValueKind = iota // the encoding is none that an operand has
	VGPRValue                  // VGPR Num, or a tuple from it
	AGPRValue                  // AGPR Num, or a tuple from it
	ScalarReg                  // scalar register by its source encoding Num: SGPR, VCC, TTMP, M0, EXEC …
	InlineInt                  // inline integer: Num is the encoding, 128 (0) to 208 (-16)
	InlineFP                   // inline float: Num is the encoding, 240 (0.5) to 248 (1/(2π))
	Literal32                  // the 32-bit literal after the words
	Literal64                  // the 64-bit literal after the words
	LDSDirect                  // the value that lds_direct reads
)

// Value is an operand's value as encoded in the words.
type Value struct {
	Kind   ValueKind // kind; decides the meaning of Num
	Dwords uint8     // size of a register tuple
	Half   uint8     // 1: the low half (.l), 2: the high half (.h)
	Num    uint16    // see ValueKind
}

// InlineIntValue returns the number of an inline integer encoding.
func InlineIntValue(enc uint16) int {
	if enc <= 192 {
		return int(enc) - 128
	}
	return 192 - int(enc)
}

// regDwords returns the size of the register tuple that an operand takes.
func (in *Inst) regDwords(o *OperandInfo) uint8 {
	c := &classInfos[o.Class]
	if c.Flags&Mask != 0 {
		return in.Wave / 32
	}
	return c.Dwords
}

// scalarShift returns by how many bits a field of scalar tuples is shortened:
// sbase, srsrc and ssamp name the first register by its number divided.
func scalarShift(f Field, width uint8) uint8 {
	switch {
	case f == FieldSbase:
		return 1
	case width == 5 && (f == FieldSrsrc || f == FieldSsamp):
		return 2
	}
	return 0
}

// Operand reads an operand of registers and constants from the words. Kind is
// NoValue when the encoding is none that any operand of this set has; whether
// the operand's class takes the value is not looked at.
func (in *Inst) Operand(o *OperandInfo) Value {
	p := in.fieldPlace(o.Field)
	v := uint16(in.fieldAt(p))
	c := &classInfos[o.Class]
	dw := in.regDwords(o)
	if c.Files == 0 {
		dw = 1
	}
	form := encs[in.Enc].form
	vari := encs[in.Enc].vari
	switch {
	case p.width == 0:
		return Value{}
	case form == VINTERP && c.Flags&Half != 0:
		return in.vector(o, v&255, dw, form)
	case p.width == 9 || c.Files == FileS || c.Files == 0 || c.Flags&LDS != 0 && p.width != 8:
		v <<= scalarShift(o.Field, p.width)
	case vari == SDWA && (o.Field == FieldSrc0 && in.Field(FieldSrc0S) != 0 || o.Field == FieldSrc1 && in.Field(FieldSrc1S) != 0):
		// gfx9 and gfx10: the operand is scalar
	default:
		return in.vector(o, v, dw, form)
	}
	if v >= srcVGPR {
		return in.vector(o, v-srcVGPR, dw, form)
	}
	return in.scalar(v, dw, o)
}

// vector returns a VGPR or AGPR operand.
func (in *Inst) vector(o *OperandInfo, n uint16, dw uint8, form Form) Value {
	if f := classInfos[o.Class].Flags; f&Lo128 != 0 && f&Half == 0 && n >= 128 && o.Field == FieldVdst {
		return Value{}
	}
	r := Value{Kind: VGPRValue, Dwords: dw, Num: n}
	if in.accumulates(o, form) {
		r.Kind = AGPRValue
		if int(n)+int(dw) > 256 {
			return Value{}
		}
	}
	if classInfos[o.Class].Flags&Half != 0 {
		r.Half = in.half(o, &r, form)
	}
	if in.Banks != 0 {
		r.Num += in.bank(in.Enc, o)
	}
	return r
}

// accumulates reports whether a vector operand names AGPRs: by the acc bits
// of matrix instructions, the acc bit of a memory instruction for its data.
func (in *Inst) accumulates(o *OperandInfo, form Form) bool {
	f := o.Field
	files := classInfos[o.Class].Files
	switch form {
	case MAI, VOP3PX:
		switch {
		case files == FileA:
			return true
		case files&FileA == 0:
			return false
		case f == FieldVdst, f == FieldSrc2:
			return in.Field(FieldAccCd) != 0
		case f == FieldSrc0:
			return in.Field(FieldAcc0) != 0
		case f == FieldSrc1:
			return in.Field(FieldAcc1) != 0
		}
		return false
	case DS, FLAT, MUBUF, MTBUF, MIMG:
		if f == FieldVdst || f == FieldVdata || f == FieldData0 || f == FieldData1 || f == FieldAddr && encs[in.Enc].traits.Any(TraitGws) {
			return in.Field(FieldAcc) != 0
		}
		return false
	}
	return files == FileA
}

// half returns which half of a register a 16-bit operand names. Operands that
// reach VGPRs 0 to 127 only have it in bit 7 of the number, VOP3 operands in op_sel.
func (in *Inst) half(o *OperandInfo, r *Value, form Form) uint8 {
	if classInfos[o.Class].Flags&Lo128 != 0 && (form == VOP1 || form == VOP2 || form == VOPC) {
		h := uint8(r.Num>>7&1) + 1
		r.Num &= 127
		return h
	}
	if in.WholeRegs() {
		return 0
	}
	sel := in.NativeField(FieldOpSel)
	bit := 0
	switch o.Field {
	case FieldSrc1:
		bit = 1
	case FieldSrc2:
		bit = 2
	case FieldVdst:
		bit = 3
	}
	return uint8(sel>>bit&1) + 1
}

// HalfState returns how a 16-bit operand selects a half of a register: 0 if it
// does not, 1 and 2 for the low and the high half by a bit outside the
// operand's field, 3 by a bit of the field.
func (in *Inst) HalfState(o *OperandInfo) uint8 {
	r := Value{}
	switch f := encs[in.Enc].form; {
	case f == VOP1 || f == VOP2 || f == VOPC:
		return 3
	default:
		return in.half(o, &r, f)
	}
}

// WholeRegs reports whether an instruction whose 16-bit operands are halves of
// registers names whole ones all the same: on gfx11 a VOP3 word with an op_sel
// bit that belongs to no operand is read in the older way, without op_sel.
func (in *Inst) WholeRegs() bool {
	if sets[in.Set].gen != Gen11 || encs[in.Enc].form != VOP3 || encs[in.Enc].traits.Any(TraitHalves) {
		return false
	}
	sel := in.NativeField(FieldOpSel)
	if sel == 0 {
		return false
	}
	half := false
	for i := range in.Enc.Operands() {
		o := &in.Enc.Operands()[i]
		c := &classInfos[o.Class]
		half = half || c.Flags&Half != 0
		switch o.Field {
		case FieldVdst:
			if c.Flags&Mask == 0 {
				sel &^= 8
			}
		case FieldSrc0, FieldSrc1, FieldSrc2:
			if c.Flags&Mask == 0 {
				sel &^= 1 << srcIndex(o.Field)
			}
		}
	}
	return half && sel != 0
}

// Ranges of scalar source encodings.
const (
	encVCC      = 106
	encTBA      = 108
	encTTMP     = 112 // gfx6 to gfx8; 108 from gfx9
	encTTMPEnd  = 124
	encM0       = 124 // null from gfx11
	encNull     = 125 // m0 from gfx11
	encExec     = 126
	encInt0     = 128
	encIntEnd   = 209
	encFlatBase = 230
	encShared   = 235
	encPOPS     = 239
	encFP       = 240
	encFPEnd    = 249
	encVCCZ     = 251
	encSCC      = 253
	encLDS      = 254
)

// sgprEnd bounds the tuples of SGPRs: 106 registers, even where the last ones
// have no scalar encoding.
const sgprEnd = 106

// NumSGPRs returns how many SGPRs the scalar encodings of a set reach: 102, 104
// or 106.
func (s Set) NumSGPRs() int {
	switch {
	case s.Has(PropSgprs106):
		return 106
	case s.Has(PropSgprs104):
		return 104
	}
	return 102
}

// scalar returns an operand by its scalar source encoding.
func (in *Inst) scalar(v uint16, dw uint8, o *OperandInfo) Value {
	switch {
	case int(v) < in.Set.NumSGPRs():
		return in.tuple(v, 0, sgprEnd, dw)
	case v < encTBA, v < encTTMP && !in.Set.Has(PropTtmp108): // flat_scratch, xnack_mask, vcc, tba, tma
		if dw > 2 || dw == 2 && v&1 != 0 {
			return Value{}
		}
	case v < encTTMPEnd:
		first := uint16(encTTMP)
		if in.Set.Has(PropTtmp108) {
			first = encTBA
		}
		return in.tuple(v, first, first+16, dw)
	case v == encM0 || v == encNull:
		isNull := (v == encM0) == in.Set.Has(PropM0125)
		if dw > 1 && !isNull {
			return Value{}
		}
	case v < encInt0: // exec
		if dw > 2 || dw == 2 && v&1 != 0 {
			return Value{}
		}
	case v < encIntEnd:
		return Value{Kind: InlineInt, Num: v}
	case v >= encFP && v < encFPEnd:
		return Value{Kind: InlineFP, Num: v}
	case v == srcLit64 && in.Set.Has(PropLiteral64):
		return Value{Kind: Literal64, Num: v}
	case v == srcLiteral:
		return Value{Kind: Literal32, Num: v}
	case v == encLDS:
		if dw > 1 {
			return Value{}
		}
		return Value{Kind: LDSDirect, Num: v}
	case v >= encShared && v <= encPOPS, v >= encVCCZ && v <= encSCC:
		if dw > 2 {
			return Value{}
		}
	case v == encFlatBase, v == encFlatBase+1:
		if dw > 2 || dw == 2 && v != encFlatBase {
			return Value{}
		}
	default:
		return Value{}
	}
	return Value{Kind: ScalarReg, Dwords: dw, Num: v}
}

// tuple returns a tuple of SGPRs or TTMPs. Tuples begin at a multiple of their
// size, 4 at most; a decoder drops the low bits of a number that does not.
func (in *Inst) tuple(v, first, end uint16, dw uint8) Value {
	if dw == 32 {
		dw = 16 // the largest tuple of scalar registers
	}
	if dw > 1 {
		align := uint16(4)
		if dw == 2 {
			align = 2
		}
		v = first + (v-first)&^(align-1)
		if v+uint16(dw) > end {
			return Value{}
		}
	}
	return Value{Kind: ScalarReg, Dwords: dw, Num: v}
}
