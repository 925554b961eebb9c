package isa

// The bits of a strict field that an encoding uses. Source: the words that LLVM
// 22.1's decoder accepts.

// matrixBits lists the modifiers of matrix instructions that occupy fields of
// VOP3P with another name.
var matrixBits = [...]struct {
	at, mod Field
	bits    uint32
}{
	{FieldOpSel, FieldIndexKey8bit, 3},
	{FieldOpSel, FieldIndexKey16bit, 1},
	{FieldOpSel, FieldIndexKey32bit, 1},
	{FieldOpSel, FieldMatrixAFmt, 7},
	{FieldOpSel, FieldMatrixAScale, 3},
	{FieldOpSel, FieldMatrixAReuse, 4},
	{FieldNeg, FieldMatrixAScaleFmt, 3},
	{FieldNegHi, FieldMatrixBScaleFmt, 3},
	{FieldOpSelHi, FieldMatrixBFmt, 3},
	{FieldOpSelHi, FieldMatrixBScale, 3},
	{FieldOpSelHi2, FieldMatrixBFmt, 1},
	{FieldOpSelHi2, FieldMatrixBReuse, 1},
}

// fieldRules return the bits of a field that an encoding uses, where its
// operands in the field and their modifiers do not decide this alone.
var fieldRules = [numField]func(e Enc, s Set) uint32{
	FieldOpSel:        Enc.usedOpSel,
	FieldNegHi:        Enc.usedNegHi,
	FieldSdata:        Enc.usedSdata,
	FieldOffset:       Enc.usedOffset,
	FieldImm:          func(e Enc, _ Set) uint32 { return all(encs[e].form != SMEM || e.hasOperand(FieldOff)) },
	FieldGlc:          Enc.usedGlc,
	FieldSlc:          Enc.usedCPol,
	FieldScc:          Enc.usedScc,
	FieldDlc:          Enc.usedDlc,
	FieldNv:           Enc.usedCPol,
	FieldScope:        Enc.usedCPol,
	FieldTh:           Enc.usedCPol,
	FieldOffen:        Enc.usedOffen,
	FieldIdxen:        Enc.usedOffen,
	FieldAcc:          Enc.usedAcc,
	FieldTfe:          Enc.usedTfe,
	FieldSve:          func(e Enc, _ Set) uint32 { return all(encs[e].traits.Any(TraitScratch)) },
	FieldSd:           func(e Enc, _ Set) uint32 { return all(encs[e].form != VOPC || e.hasSdwaMask()) },
	FieldAbid:         Enc.usedAbid,
	FieldMatrixBFmtHi: func(e Enc, _ Set) uint32 { return all(e.hasOperand(FieldMatrixBFmt)) },
	FieldSrc2:         func(e Enc, _ Set) uint32 { return all(encs[e].form != VOP3P || !encs[e].traits.Any(TraitScales)) },
	FieldDim:          Enc.usedImage,
	FieldDmask:        Enc.usedImage,
	FieldUnorm:        Enc.usedImage,
	FieldR128:         func(e Enc, _ Set) uint32 { return all(e.ray() == nil) },
	FieldLwe:          Enc.usedImage,
	FieldA16:          Enc.usedA16,
	FieldVaddr0:       func(e Enc, _ Set) uint32 { return e.usedAddress(0) },
	FieldVaddr1:       func(e Enc, _ Set) uint32 { return e.usedAddress(1) },
	FieldVaddr2:       func(e Enc, _ Set) uint32 { return e.usedAddress(2) },
	FieldVaddr3:       func(e Enc, _ Set) uint32 { return e.usedAddress(3) },
	FieldVaddr4:       func(e Enc, _ Set) uint32 { return e.usedAddress(4) },
}

// all returns all bits or none.
func all(used bool) uint32 {
	if used {
		return ^uint32(0)
	}
	return 0
}

// usedBits returns the bits of a field that an encoding's operands and modifiers
// use.
func (e Enc) usedBits(f Field, s Set) (used uint32) {
	if rule := fieldRules[f]; rule != nil {
		return rule(e, s)
	}
	for i := range e.Operands() {
		used |= e.usedBy(&e.Operands()[i], f)
	}
	t := encs[e].traits
	switch {
	case encs[e].form == VOPC && (f == FieldDstSel || f == FieldDstUnused || f == FieldClamp || f == FieldOmod || f == FieldRes):
		return ^uint32(0) // a comparison's scalar result, from gfx9 on
	case f == FieldVdst && encs[e].form == VOP3 && len(e.Operands()) > 0, f == FieldAbs && t.Any(TraitVop3b):
		return ^uint32(0) // the scalar result
	case t.Any(TraitSrcin) && !t.Any(TraitFpclamp) && encs[e].vari == Native && (f == FieldNeg || f == FieldAbs):
		used |= 4 // the result that is read is the third source
	}
	return used | e.matrixUse(f)
}

// usedBy returns the bits of a field that an operand or its modifiers use.
func (e Enc) usedBy(o *OperandInfo, f Field) (used uint32) {
	src := srcIndex(o.Field)
	isSrc := o.Field == FieldSrc0 || o.Field == FieldSrc1 || o.Field == FieldSrc2
	signs := isSrc && o.Mods && !o.Plain
	switch {
	case o.Field == f, o.Field == FieldBitop3 && (f == FieldNeg || f == FieldAbs || f == FieldOmod):
		return ^uint32(0)
	case signs && encs[e].form == VOP3INTERP: // two places; a slot is not a source
		if f == FieldNeg || f == FieldAbs {
			used = 1 << src
		}
	case signs && (f == FieldNeg || f == FieldAbs && !encs[e].traits.Any(TraitVop3b)):
		used = 1 << src
	case isSrc && src < 2 && o.Mods && !o.Sext && (f == modFields[src].neg || f == modFields[src].abs),
		isSrc && src < 2 && o.Sext && f == modFields[src].sext,
		isSrc && src == 1 && f == FieldSrc1S:
		return ^uint32(0)
	}
	return used
}

// matrixUse returns the bits of a field that hold a matrix modifier.
func (e Enc) matrixUse(f Field) (used uint32) {
	for _, x := range matrixBits {
		if x.at == f && e.hasOperand(x.mod) {
			used |= x.bits
		}
	}
	return used
}

// sources returns a bit for each source of an encoding.
func (e Enc) sources() (m uint32) {
	for _, o := range e.Operands() {
		if o.Field == FieldSrc0 || o.Field == FieldSrc1 || o.Field == FieldSrc2 {
			m |= 1 << srcIndex(o.Field)
		}
	}
	return m
}

// usedOpSel returns the bits of op_sel for the sources, and in VOP3 for the
// result. VOP3 without such a modifier ignores the field, except for bitop3.
func (e Enc) usedOpSel(s Set) (used uint32) {
	used = e.matrixUse(FieldOpSel)
	if e.hasOperand(FieldOpSel) || encs[e].traits.Any(TraitHidesel) {
		used |= 8 | e.sources()
		if encs[e].traits.Any(TraitSrcin) {
			used |= 4
		}
	}
	if encs[e].form != VOP3 {
		return used
	}
	if e.hasOperand(FieldByteSel) {
		if e.hasOperand(FieldSrc1) {
			used |= 12
		} else {
			used |= 3
		}
	}
	if used == 0 || encs[e].vari != Native && !e.hasOperand(FieldOpSel) {
		return all(!e.hasOperand(FieldBitop3))
	}
	return used | all(e.canBeWhole(s))
}

// canBeWhole reports whether an encoding's halves of registers may be whole
// ones; see Inst.WholeRegs.
func (e Enc) canBeWhole(s Set) bool {
	if sets[s].gen != Gen11 || encs[e].form != VOP3 || encs[e].traits.Any(TraitHalves) {
		return false
	}
	for _, o := range e.Operands() {
		if classInfos[o.Class].Flags&Half != 0 {
			return true
		}
	}
	return false
}

// usedNegHi returns the bits of neg_hi: one for each source with signs. Matrix
// instructions without the modifier have no such bits, and neither have the
// factors of matrix instructions on single floats.
func (e Enc) usedNegHi(Set) (used uint32) {
	matrix := encs[e].traits.Any(TraitWmma | TraitSwmmac)
	used = e.matrixUse(FieldNegHi)
	if matrix && !e.hasOperand(FieldNegHi) {
		return used
	}
	for _, o := range e.Operands() {
		src := srcIndex(o.Field)
		isSrc := o.Field == FieldSrc0 || o.Field == FieldSrc1 || o.Field == FieldSrc2
		if isSrc && o.Mods && !o.Plain && !(src < 2 && encs[e].traits.Any(TraitNoneghi)) {
			used |= 1 << src
		}
	}
	return used
}

// usedSdata returns the bits of a scalar memory instruction's data: a prefetch's
// length and, from gfx12, a probe's has 5.
func (e Enc) usedSdata(s Set) uint32 {
	o := e.operand(FieldSdata)
	if encs[e].traits.Any(TraitPrefetch) || o != nil && !o.isValue() && s.Has(PropSmemOffset24) {
		return 31
	}
	return ^uint32(0)
}

// usedOffset returns the bits of an offset. The offset of scalar loads from
// buffers is not signed.
func (e Enc) usedOffset(Set) uint32 {
	switch encs[e].form {
	case DS:
		return all(e.hasOperand(FieldOffset) || e.hasOperand(FieldOffset0))
	case SMEM:
		if e.hasBufferBase() {
			return 1<<23 - 1
		}
	}
	return ^uint32(0)
}

// hasBufferBase reports whether a scalar memory encoding's base is a buffer.
func (e Enc) hasBufferBase() bool {
	o := e.operand(FieldSbase)
	return o != nil && classInfos[o.Class].Dwords == 4
}

// usedOffen reports whether a buffer encoding has an address in VGPRs.
func (e Enc) usedOffen(Set) uint32 {
	return all(e.hasOperand(FieldAddr) && !(encs[e].traits.Any(TraitLdsonly)))
}

// usedAbid returns the bits of abid. Its bit 3 is VOP3P's op_sel_hi, which
// moves to and from AGPRs ignore.
func (e Enc) usedAbid(Set) uint32 {
	return all(e.hasOperand(FieldAbid)) | 8&all(!encs[e].traits.Any(TraitF8f6f4))
}

// usedCPol returns the bits of a part of the cache policy. Fences, probes and ray
// tracing do not have it. Some instructions ignore it.
func (e Enc) usedCPol(Set) uint32 {
	return all(encs[e].traits.Any(TraitAnycpol) || e.hasOperand(FieldCpol) && e.ray() == nil)
}

// usedGlc is usedCPol for glc, which buffer atomics without a result do not have.
func (e Enc) usedGlc(s Set) uint32 {
	if t := encs[e].traits; encs[e].form == MUBUF && t.Any(TraitNoret) && !t.Any(TraitRet) {
		return 0
	}
	return e.usedCPol(s)
}

// usedScc is usedCPol for scc, which neither floating-point atomics up to
// gfx90a nor later ones that return AGPRs have.
func (e Enc) usedScc(s Set) uint32 {
	if encs[e].traits.Any(TraitNoscc) {
		o := e.operand(FieldVdst)
		if !s.Has(PropAtomicScc) || s.Has(PropAccData) && o != nil && classInfos[o.Class].Files == FileA {
			return 0
		}
	}
	return e.usedCPol(s)
}

// usedDlc is usedCPol for dlc, which buffer atomics of gfx10 do not have.
func (e Enc) usedDlc(s Set) uint32 {
	if encs[e].form == MUBUF && sets[s].gen == Gen10 && encs[e].traits.Any(TraitRet|TraitNoret) {
		return 0
	}
	return e.usedCPol(s)
}

// usedTfe reports whether an encoding has tfe: not with LDS from gfx8 on.
func (e Enc) usedTfe(s Set) uint32 {
	t := encs[e].traits
	switch {
	case encs[e].form == MIMG || encs[e].form == VIMAGE || encs[e].form == VSAMPLE:
		return e.usedImage(s)
	case t.Any(TraitLds) && !s.Has(PropLdsTfe):
		return 0
	}
	return all(t.Any(TraitTfe) || e.hasOperand(FieldTfe))
}

// usedAcc reports whether the acc bit may be 1: with data that may be AGPRs.
// Before gfx90a it may be 1 for all data, except where two registers share the
// bit.
func (e Enc) usedAcc(s Set) uint32 {
	n := 0
	for _, o := range e.Operands() {
		switch o.Field {
		case FieldVdst, FieldVdata, FieldData0, FieldData1:
		case FieldAddr:
			if !encs[e].traits.Any(TraitGws) {
				continue
			}
		default:
			continue
		}
		if classInfos[o.Class].Files&FileA != 0 {
			return ^uint32(0)
		}
		n++
	}
	return all(n == 1 && !s.Has(PropAccData))
}

// hasSdwaMask reports whether a comparison's result is an SDWA mask.
func (e Enc) hasSdwaMask() bool {
	for _, o := range e.Operands() {
		if o.Class == ClassSdwam {
			return true
		}
	}
	return false
}

// ray returns the address of a ray-tracing encoding, or nil.
func (e Enc) ray() *rayShape {
	if f := encs[e].form; f != MIMG && f != VIMAGE && f != VSAMPLE {
		return nil
	}
	return imageShapes.Get()[e].ray
}

// usedImage reports whether an image encoding has the common modifiers: ray
// tracing and tensors have fixed values for them.
func (e Enc) usedImage(Set) uint32 { return all(e.ray() == nil && !encs[e].traits.Any(TraitTensor)) }

// usedA16 reports whether an image encoding has a16. Ray tracing instructions
// whose address does not change with it do not have it.
func (e Enc) usedA16(Set) uint32 {
	r := e.ray()
	return all((r == nil || r.addr[0] != r.addr[1]) && !encs[e].traits.Any(TraitTensor))
}

// usedAddress returns the bits that an image encoding uses of an address field.
func (e Enc) usedAddress(i int) uint32 {
	switch tensor := encs[e].traits.Any(TraitTensor); {
	case tensor && i == 4:
		return encM0 // null
	case tensor:
		return ^uint32(0)
	}
	return all(i < e.imageAddresses())
}

// imageAddresses returns how many address fields an image encoding of gfx12 has.
func (e Enc) imageAddresses() int {
	if r := e.ray(); r != nil {
		return len(r.parts[0])
	}
	n := 4
	for n > 0 && imageInfos[encs[e].image].addr>>n&1 == 0 {
		n--
	}
	return n
}
