package isa

// VGPRBanks holds the upper two bits of the numbers of VGPRs for four groups of
// operands, as s_set_vgpr_msb sets them: source 0 in bits 1:0, source 1 in bits
// 3:2, source 2 in bits 5:4 and the destination in bits 7:6.
type VGPRBanks uint8

// Shifts of the groups of operands in VGPRBanks.
const (
	bankSrc0 = 0
	bankSrc1 = 2
	bankSrc2 = 4
	bankDst  = 6
)

// bankOf holds the group of each field of VGPRs, plus 1. Sources: LLVM,
// AMDGPULowerVGPREncoding and getVGPRLoweringOperandTables; AMD's CDNA 5 ISA.
var bankOf = [numField]uint8{
	FieldSrc0: bankSrc0 + 1, FieldSrc1: bankSrc1 + 1, FieldSrc2: bankSrc2 + 1, FieldVdst: bankDst + 1,
	FieldAddr: bankSrc0 + 1, FieldVaddr: bankSrc0 + 1, FieldData0: bankSrc1 + 1, FieldData1: bankSrc2 + 1, FieldVdata: bankSrc1 + 1,
}

// MODE's field for the banks holds the groups rotated: the destination is in
// the low bits.

// ModeBits returns the banks as the field VGPR_MSB of MODE has them.
func (b VGPRBanks) ModeBits() uint32 { return uint32(b<<2 | b>>6) }

// BanksOfMode returns the banks for a value of the field VGPR_MSB of MODE.
func BanksOfMode(v uint32) VGPRBanks { return VGPRBanks(v<<6 | v>>2&63) }

// BankShift returns the position in VGPRBanks of the upper bits of an operand's
// VGPR. ok is false if the operand has none, because it reaches VGPRs 0 to 255
// only. o is an operand of e, the instruction's encoding or the second half of a
// pair.
func (e Enc) BankShift(o *OperandInfo) (shift uint8, ok bool) {
	if classInfos[o.Class].Flags&Lo256 != 0 {
		return 0, false
	}
	group := bankOf[o.Field]
	switch f := encs[e].form; {
	case group == 0:
		return 0, false
	case o.Field == FieldVdata && (f == MUBUF || f == MTBUF):
		return bankDst, true
	case o.Field == FieldSrc1 && e.constantSecond():
		return bankSrc2, true
	}
	return group - 1, true
}

// constantSecond reports whether a mandatory literal is the second source, as
// in v_fmamk_f32: the operand that follows it is the third.
func (e Enc) constantSecond() bool {
	literal := false
	for i := range e.Operands() {
		switch o := &e.Operands()[i]; o.Field {
		case FieldImm:
			literal = true
		case FieldSrc1:
			return literal
		}
	}
	return false
}

// bank returns the number of the first VGPR of an operand's bank.
func (in *Inst) bank(e Enc, o *OperandInfo) uint16 {
	if shift, ok := e.BankShift(o); ok {
		return uint16(in.Banks>>shift&3) << 8
	}
	return 0
}

// SetBank sets the upper bits of the number of the VGPR in a field. It reports
// whether the instruction reaches VGPRs above v255 in this field.
func (in *Inst) SetBank(f Field, bits uint32) bool {
	shift, ok := in.addressShift(f)
	ops := in.Enc.Operands()
	for i := 0; i < len(ops) && !ok; i++ {
		if ops[i].Field == f {
			shift, ok = in.Enc.BankShift(&ops[i])
		}
	}
	if !ok || bits > 3 || !in.Set.Has(PropVgprs1024) {
		return false
	}
	in.Banks = in.Banks&^(3<<shift) | VGPRBanks(bits<<shift)
	return true
}

// addressShift returns the position in VGPRBanks of the address of a FLAT or
// buffer instruction, whose operand has no class.
func (in *Inst) addressShift(f Field) (shift uint8, ok bool) {
	switch encs[in.Enc].form {
	case FLAT, MUBUF, MTBUF:
		return bankSrc0, f == FieldVaddr
	}
	return 0, false
}

// addressVGPRs returns the number of VGPRs in the address of a FLAT or buffer
// instruction.
func (in *Inst) addressVGPRs() int {
	switch encs[in.Enc].form {
	case FLAT:
		return in.FlatAddress().VDwords
	case MUBUF, MTBUF:
		return in.BufferVGPRs()
	}
	return 0
}

// BankedOperands returns the groups of operands that are VGPRs whose bank
// s_set_vgpr_msb selects: all bits of these groups are 1.
func (in *Inst) BankedOperands() (mask VGPRBanks) {
	if in.addressVGPRs() > 0 {
		mask = 3 << bankSrc0
	}
	note := func(e Enc, operand func(o *OperandInfo) Value) {
		ops := e.Operands()
		for i := range ops {
			if !ops[i].isValue() {
				continue
			}
			if shift, ok := e.BankShift(&ops[i]); ok && operand(&ops[i]).Kind == VGPRValue {
				mask |= 3 << shift
			}
		}
	}
	if in.Enc.Variant() != DualX {
		note(in.Enc, in.Operand)
		return mask
	}
	note(in.Enc, func(o *OperandInfo) Value { return in.DualOperand(o, false) })
	note(in.DualY(), func(o *OperandInfo) Value { return in.DualOperand(o, true) })
	return mask
}

// AddressVGPR returns the number of the first VGPR of a FLAT or buffer
// instruction's address.
func (in *Inst) AddressVGPR() uint32 {
	return in.Field(FieldVaddr) + uint32(in.Banks>>bankSrc0&3)<<8
}
