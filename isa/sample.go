package isa

// Sample returns an instruction of an encoding with plain operands: the first
// register of a file that the operand accepts, no modifiers. For the second
// half of a VOPD pair it returns a pair whose first half is v_dual_mov_b32. ok
// is false if the set and wave size do not have the encoding.
func Sample(e Enc, s Set, wave int) (in Inst, ok bool) {
	row := &encs[e]
	if !row.sets.Has(s) || (row.traits.Any(TraitW32) || row.vari >= DualX) && wave != 32 || row.traits.Any(TraitW64) && wave != 64 {
		return in, false
	}
	if row.vari == DualY {
		return sampleDualY(e, s, wave), true
	}
	in = New(e, s, wave)
	ops := e.Operands()
	for i := range ops {
		in.sampleOperand(&ops[i])
	}
	if row.vari == DualX {
		in.sampleDual()
	}
	in.sampleMemory(row)
	in.samplePlain()
	in.sampleFixed()
	for i := range ops {
		if ops[i].Field == FieldImm {
			size := 4
			if ops[i].Type == K64 {
				size = 8
			}
			in.SetLiteral(1, size)
		}
	}
	return in, true
}

// sampleOperand writes register 0 of a file that the operand takes.
func (in *Inst) sampleOperand(o *OperandInfo) {
	p := in.fieldPlace(o.Field)
	c := &classInfos[o.Class]
	switch {
	case p.width == 0:
	case o.Type == SplitBarrier:
		in.setFieldAt(p, 193) // barrier -1
	case o.Class == ClassM0:
		in.setFieldAt(p, encNull) // m0 from gfx11
	case c.Flags&Mask != 0:
		in.setFieldAt(p, encVCC)
	case p.width == 9 && c.Files&(FileV|FileA) != 0:
		in.setFieldAt(p, srcVGPR)
	}
	if c.Files == FileA {
		for _, f := range [...]Field{FieldAcc, FieldAccCd} {
			if o.Field == FieldVdst || o.Field == FieldVdata || o.Field == FieldData0 {
				in.SetField(f, 1)
			}
		}
		if o.Field == FieldSrc0 {
			in.SetField(FieldAcc0, 1)
		}
	}
}

// sampleDual returns a VOPD pair operands in different register banks and
// v_dual_mov_b32 for its second half.
func (in *Inst) sampleDual() {
	in.SetField(FieldOpY, uint32(encs[dualMov(encs[in.Enc].form, DualY, in.Set)].code))
	in.SetField(FieldSrc0X, srcVGPR)
	in.SetField(FieldSrc0Y, srcVGPR+2)
	in.SetField(FieldVdstX, 2)
	if encs[in.Enc].form == VOPD3 {
		in.SetField(FieldVdstY, 5)
	}
}

// dualMov returns the encoding of v_dual_mov_b32 in a half of a pair.
func dualMov(f Form, v Variant, s Set) Enc {
	for e := range Enc(len(encs)) {
		if r := &encs[e]; r.vari == v && r.form == f && r.sets.Has(s) && r.op == opVDualMovB32 {
			return e
		}
	}
	panic("BUG: no v_dual_mov_b32 in " + s.String())
}

// sampleDualY returns a pair with e for its second half.
func sampleDualY(e Enc, s Set, wave int) Inst {
	in, _ := Sample(dualMov(encs[e].form, DualX, s), s, wave)
	in.SetField(FieldOpY, uint32(encs[e].code))
	for _, o := range e.Operands() {
		if o.Field == FieldImm {
			in.SetLiteral(1, 4)
		}
		if classInfos[o.Class].Flags&Mask != 0 {
			in.SetField(FieldSrc2Y, encVCC)
		}
	}
	return in
}

// samplePlain writes the fields of modifiers with their defaults, which the
// text omits: whole SDWA registers, high halves of packed operands, a DPP
// control that all units have, formats that fit the sizes of matrices.
func (in *Inst) samplePlain() {
	row := &encs[in.Enc]
	switch {
	case row.vari == SDWA:
		for _, f := range [...]Field{FieldDstSel, FieldSrc0Sel, FieldSrc1Sel} {
			if in.Enc.hasOperand(f) {
				in.SetField(f, 6)
			}
		}
	case in.IsDPALU():
		in.SetField(FieldDppCtrl, 0x150) // row_newbcast:0, row_share:0
	case in.Enc.hasOperand(FieldOpSelHi):
		in.SetOpSelHi(in.Enc.sources())
	case row.traits.Any(TraitNullresult) && in.Set.Has(PropNullResult):
		in.SetField(FieldSdst, nullSReg(in.Set))
	}
	if row.traits.Any(TraitF8f6f4) {
		in.sampleFormats()
	}
}

// sampleFormats writes matrix formats that fit the encoding's sources.
func (in *Inst) sampleFormats() {
	for a := range uint32(5) {
		for b := range uint32(5) {
			in.SetField(FieldCbsz, a)
			in.SetField(FieldBlgp, b)
			if sets[in.Set].gen == Gen1250 {
				in.SetMatrix(FieldMatrixAFmt, a)
				in.SetMatrix(FieldMatrixBFmt, b)
			}
			if in.selectedF8F6F4() {
				return
			}
		}
	}
	panic("BUG: no formats fit " + in.Enc.Name())
}

// sampleFixed writes the bits that are the same in every instruction of the
// encoding.
func (in *Inst) sampleFixed() {
	fixed := in.Enc.fixedBits(in.Set)
	for i := range fixed.zero {
		in.Words[i] = in.Words[i]&^fixed.zero[i] | fixed.one[i]
	}
}

// sampleMemory writes the fields that memory instructions need beside their
// operands: no scalar address, the return bit, a data mask.
func (in *Inst) sampleMemory(row *encRow) {
	switch row.form {
	case FLAT:
		if row.traits.Any(TraitGlobal|TraitScratch) || in.Set.Has(PropNull) {
			in.SetField(FieldSaddr, nullSReg(in.Set))
		}
		if row.traits.Any(TraitScratch) {
			in.SetField(FieldSve, 1)
		}
	case SMRD, SMEM:
		in.SetField(FieldImm, 1)
		if in.Set.Has(PropNull) {
			in.SetField(FieldSoffset, nullSReg(in.Set))
		}
	case MIMG, VIMAGE, VSAMPLE:
		in.SetField(FieldDmask, 1)
		s := shapeOf(row.op.Name())
		if s.Wide {
			in.SetField(FieldDmask, 3)
		}
		if s.Kind == ImageMSAA {
			in.SetField(FieldDim, 6)
		}
	}
	if row.traits.Any(TraitRet) && !row.traits.Any(TraitNoret) {
		in.SetField(FieldGlc, 1)
		in.SetField(FieldTh, 1)
	}
	if row.traits.Any(TraitLds) {
		in.SetField(FieldLds, 1)
	}
}
