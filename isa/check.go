package isa

// selected reports whether the bits that choose between encodings with one
// opcode choose this one: return of the old value, LDS, AGPRs, wave size.
func (in *Inst) selected() bool {
	e := &encs[in.Enc]
	t := e.traits
	if t.Any(TraitW32) && in.Wave != 32 || t.Any(TraitW64) && in.Wave != 64 {
		return false
	}
	if e.form == FLAT && t.Any(TraitRet|TraitNoret) && !t.Has(TraitRet|TraitNoret) && in.returns() != t.Any(TraitRet) {
		return false
	}
	if e.form == FLAT && !in.selectedFlat() || !in.checkAddress() || !in.checkWhole() {
		return false
	}
	if (e.form == MUBUF || e.form == FLAT) && in.HasField(FieldLds) && (in.Field(FieldLds) != 0) != t.Any(TraitLds) {
		return false
	}
	if e.form == MIMG && in.Field(FieldNsa) != 0 && !in.selectedNSA() || e.form == VIMAGE && !in.checkRay() {
		return false
	}
	if t.Any(TraitScales) && (in.Matrix(FieldMatrixAScale) > 1 || in.Matrix(FieldMatrixBScale) > 1) {
		return false
	}
	if t.Any(TraitF8f6f4) && !in.selectedF8F6F4() || t.Any(TraitTensor) && e.form == VIMAGE && !in.selectedTensor() {
		return false
	}
	for i := range in.Enc.Operands() {
		o := &in.Enc.Operands()[i]
		switch f := classInfos[o.Class].Files; {
		case f != FileA && f != FileV:
		case o.Field == FieldVdst && in.HasField(FieldAccCd):
			if in.Set.Has(PropAccData) && in.Enc.hasOperand(FieldSrc2) && (in.Field(FieldAccCd) != 0) != (f == FileA) {
				return false
			}
		case o.Field == FieldVdst || o.Field == FieldVdata || o.Field == FieldData0 || o.Field == FieldData1:
			acc := in.Field(FieldAcc) != 0
			if in.HasField(FieldAcc) && f == FileA && !acc || f == FileV && acc && in.Set.Has(PropAccData) {
				return false
			}
		}
	}
	return true
}

// formatDwords holds the size of a matrix source in dwords by its format (8, 8,
// 6, 6, 4 bits) for a matrix of 32 bytes a lane, as on gfx950.
var formatDwords = [8]uint8{8, 8, 6, 6, 4, 8, 8, 8}

// selectedF8F6F4 reports whether the formats of both matrices have the sizes of
// this encoding's sources.
func (in *Inst) selectedF8F6F4() bool {
	a, b, unit := in.Field(FieldCbsz), in.Field(FieldBlgp), uint8(1)
	if sets[in.Set].gen == Gen1250 {
		a, b, unit = in.Matrix(FieldMatrixAFmt), in.Matrix(FieldMatrixBFmt), 2
		if a > 4 || b > 4 {
			a, b = 0, 0
		}
	}
	for i := range in.Enc.Operands() {
		o := &in.Enc.Operands()[i]
		if o.Field == FieldSrc0 && classInfos[o.Class].Dwords != unit*formatDwords[a] ||
			o.Field == FieldSrc1 && classInfos[o.Class].Dwords != unit*formatDwords[b] {
			return false
		}
	}
	return true
}

// hasOperand reports whether an encoding has an operand in a field.
func (e Enc) hasOperand(f Field) bool { return e.operand(f) != nil }

// operand returns the operand in a field, or nil.
func (e Enc) operand(f Field) *OperandInfo {
	ops := e.Operands()
	for i := range ops {
		if ops[i].Field == f {
			return &ops[i]
		}
	}
	return nil
}

// hasAddress reports whether an encoding of FLAT has an address.
func (e Enc) hasAddress() bool { return e.hasOperand(FieldAddr) || e.hasOperand(FieldSaddr) }

// selectedNSA reports whether an image instruction takes as many addresses in
// registers of their own as its words have places for.
func (in *Inst) selectedNSA() bool {
	r := imageShapes.Get()[in.Enc].ray
	if r == nil {
		_, ok := in.nsaTuples()
		return ok
	}
	n := in.rayAddress(r, true).N
	return uint32(n+2)/4 == in.Field(FieldNsa)
}

// checkRay reports whether the last address of a ray-tracing instruction is 0
// when 16-bit directions leave it out.
func (in *Inst) checkRay() bool {
	r := imageShapes.Get()[in.Enc].ray
	return r == nil || in.Field(FieldA16) == 0 || len(r.parts[1]) == len(r.parts[0]) || in.Field(FieldVaddr4) == 0
}

// selectedTensor reports whether a tensor instruction has as many descriptors
// as this encoding: the last two are left out together, as null.
func (in *Inst) selectedTensor() bool {
	null := in.Field(FieldVaddr2) == encM0 && in.Field(FieldVaddr3) == encM0
	return null != in.Enc.hasOperand(FieldVaddr2)
}

// selectedFlat reports whether the scalar address of a flat instruction, which
// has none, holds the value for "no address".
func (in *Inst) selectedFlat() bool {
	return in.Enc.takesSaddr(in.Set) || in.Field(FieldSaddr) == noSaddr(in.Set)
}

// takesSaddr reports whether an encoding of FLAT may have a scalar address.
func (e Enc) takesSaddr(s Set) bool {
	t := encs[e].traits
	return e.fieldPlace(s, FieldSaddr).width == 0 || t.Any(TraitScratch) || e.hasAddress() && (t.Any(TraitGlobal) || s.Has(PropFlatSaddr))
}

// noSaddr returns the value of saddr for "no scalar address" in an instruction
// that cannot have one.
func noSaddr(s Set) uint32 {
	if s.Has(PropNull) {
		return nullSReg(s)
	}
	return 0
}

// returns reports whether a memory atomic asks for the old value.
func (in *Inst) returns() bool {
	if in.HasField(FieldTh) {
		return in.Field(FieldTh)&1 != 0
	}
	return in.Field(FieldGlc) != 0
}

// checkOperands reports ErrBadField when a field holds a value that no operand
// has. It returns the number of dwords that follow the native words and the
// variant's dword: a literal, or further image addresses.
func (in *Inst) checkOperands() (more int, err error) {
	if encs[in.Enc].vari == DualX {
		if err := in.checkDual(); err != nil {
			return 0, err
		}
		return max(in.dualLiteral(in.Enc, false), in.dualLiteral(in.DualY(), true)), nil
	}
	imm := 0 // size of a mandatory literal
	ops := in.Enc.Operands()
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Field == FieldImm:
			imm = 1
			if o.Type == K64 {
				imm = 2
			}
			more = max(more, imm)
			continue
		case o.Class == ClassM0:
			if in.Field(o.Field) != encNull { // m0's place from gfx11
				return 0, ErrBadField
			}
			continue
		case !o.isValue() || !in.HasField(o.Field) || o.Class == ClassSdwam && in.HasField(FieldSd) && in.Field(FieldSd) == 0:
			continue
		}
		switch in.Operand(o).Kind {
		case NoValue:
			return 0, ErrBadField
		case Literal32:
			if encs[in.Enc].vari == SDWA {
				return 0, ErrBadField
			}
			more = max(more, 1)
		case Literal64:
			more = max(more, 2)
		}
	}
	if imm == 1 && more > 1 {
		return 0, ErrBadField
	}
	return max(more, in.formDwords()), nil
}

// checkWhole reports whether operands that are whole registers in place of
// halves have no signs that only halves have.
func (in *Inst) checkWhole() bool {
	if !in.WholeRegs() {
		return true
	}
	for _, o := range in.Enc.Operands() {
		if o.Neg { // one operand with signs makes all sign bits valid
			return true
		}
	}
	return in.NativeField(FieldNeg)|in.NativeField(FieldAbs) == 0
}

// formDwords returns the number of dwords that follow for parts without an
// operand: image addresses, a literal in an offset.
func (in *Inst) formDwords() int {
	switch f := encs[in.Enc].form; {
	case f == MIMG:
		return int(in.Field(FieldNsa))
	case f == SMRD && in.ScalarOffset().Literal, (f == MUBUF || f == MTBUF) && in.Field(FieldSoffset) == srcLiteral && in.Enc.hasOperand(FieldAddr):
		return 1
	}
	return 0
}

// addressOperands lists the scalar operands of the table's address operand.
var addressOperands = [...]OperandInfo{
	{Field: FieldSoffset, Class: ClassS1, Type: I32},
	{Field: FieldRsrc, Class: ClassS4},
	{Field: FieldSrsrc, Class: ClassS4},
	{Field: FieldSaddr, Class: ClassS2},
}

// checkAddress reports whether the scalar parts of an address are registers.
func (in *Inst) checkAddress() bool {
	switch encs[in.Enc].form {
	case MUBUF, MTBUF:
		if !in.Enc.hasOperand(FieldAddr) {
			return true
		}
		for i := range addressOperands[:3] {
			o := &addressOperands[i]
			if !in.HasField(o.Field) {
				continue
			}
			if k := in.Operand(o).Kind; k == NoValue || o.Field != FieldSoffset && k != ScalarReg {
				return false
			}
		}
		return true
	case FLAT:
		o := addressOperands[3]
		switch a := in.FlatAddress(); {
		case a.SDwords == 1:
			o.Class = ClassS1
		case a.SDwords == 0:
			return true
		}
		return in.Operand(&o).Kind == ScalarReg
	}
	return true
}

// isValue reports whether an operand holds a register or constant.
func (o *OperandInfo) isValue() bool {
	return classInfos[o.Class].Files != 0 || o.Type == SplitBarrier
}
