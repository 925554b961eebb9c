package isa

// zeroBits gives the bits of the native words and of a variant's dword that
// are 0 in every instruction of an encoding: those of strict fields that no
// operand or modifier uses.
func (e Enc) zeroBits(s Set) (zero [4]uint32) {
	l := e.layout(s)
	e.addZeroBits(&zero, l, 0)
	if x := e.ext(s); x != nil && encs[e].vari != DPP64 { // VOP3's own modifiers hold there
		e.addZeroBits(&zero, x, l.dwords*32)
	}
	return zero
}

func (e Enc) addZeroBits(zero *[4]uint32, l *layout, at uint8) {
	for f := range Field(numField) {
		p := l.pos[f]
		if !p.strict {
			continue
		}
		m := (uint32(1)<<p.width - 1) &^ e.usedBits(f)
		shift := p.shift + at
		zero[shift>>5] |= m << (shift & 31)
	}
}

// The modifiers that stand in VOP3P's op_sel, op_sel_hi and its third bit.
var (
	usesOpSel = [numField]bool{
		FieldIndexKey8bit: true, FieldIndexKey16bit: true, FieldIndexKey32bit: true,
		FieldMatrixAFmt: true, FieldMatrixAReuse: true, FieldMatrixAScale: true,
	}
	usesOpSelHi  = [numField]bool{FieldMatrixBFmt: true, FieldMatrixBScale: true}
	usesOpSelHi2 = [numField]bool{FieldMatrixBFmt: true, FieldMatrixBReuse: true}
)

// oneBits gives the bits that are 1 in every instruction of an encoding: gds of
// the global wave sync, op_sel_hi of matrix instructions that have no use for it.
func (e Enc) oneBits(s Set) (one [4]uint32) {
	l := e.layout(s)
	set := func(f Field) {
		p := l.pos[f]
		one[p.shift>>5] |= (1<<p.width - 1) &^ e.usedBits(f) << (p.shift & 31)
	}
	switch t := encs[e].traits; {
	case t.Any(TraitGdsonly):
		p := l.pos[FieldGds]
		one[0] |= (1<<p.width - 1) << p.shift
	case t.Any(TraitTensor) && encs[e].form == VIMAGE:
		p := l.pos[FieldVaddr4]
		one[p.shift>>5] |= nullSReg(sets[s].gen) << (p.shift & 31)
	case t.Any(TraitWmma|TraitSwmmac) && encs[e].form == VOP3P && sets[s].gen >= Gen12:
		set(FieldOpSelHi)
		set(FieldOpSelHi2)
	}
	return one
}

// vaddrIndex gives which address field of VIMAGE and VSAMPLE a field is.
func vaddrIndex(f Field) (i int, ok bool) {
	for i, v := range vaddrFields {
		if v == f {
			return i, true
		}
	}
	return 0, false
}

// usedAddress gives the bits that an image encoding uses of an address field.
func (e Enc) usedAddress(i int) uint32 {
	switch tensor := encs[e].traits.Any(TraitTensor); {
	case tensor && i == 4:
		return encM0 // null stands there
	case tensor || i < e.imageAddresses():
		return ^uint32(0)
	}
	return 0
}

// usedDlc gives the bits of dlc, which atomics of gfx10 have not.
func (e Enc) usedDlc() uint32 {
	atomic := encs[e].traits.Any(TraitRet | TraitNoret)
	if atomic && encs[e].sets&(1<<GFX1100) == 0 {
		return 0
	}
	return ^uint32(0)
}

// usedScalar gives the bits that a scalar memory encoding of gfx12 uses of the
// data, a length of 5 bits in a prefetch, and of the offset, which is not
// signed for buffers.
func (e Enc) usedScalar(f Field) uint32 {
	switch {
	case f == FieldSdata && encs[e].traits.Any(TraitPrefetch):
		return 31
	case f == FieldOffset && e.hasBufferBase():
		return 1<<23 - 1
	}
	return ^uint32(0)
}

// hasBufferBase reports whether a scalar memory encoding's base is a buffer.
func (e Enc) hasBufferBase() bool {
	for _, o := range e.Operands() {
		if o.Field == FieldSbase {
			return classInfos[o.Class].Dwords == 4
		}
	}
	return false
}

// imageAddresses gives how many address fields an image encoding of gfx12 has.
func (e Enc) imageAddresses() int {
	if r := imageShapes()[e].ray; r != nil {
		return len(r.parts[0])
	}
	n := 4
	for n > 0 && imageInfos[encs[e].image].addr>>n&1 == 0 {
		n--
	}
	return n
}

// usedBits gives the bits of a field that an encoding's operands and modifiers
// use.
func (e Enc) usedBits(f Field) (used uint32) {
	t := encs[e].traits
	for i := range e.Operands() {
		o := &e.Operands()[i]
		src := srcIndex(o.Field)
		isSrc := o.Field == FieldSrc0 || o.Field == FieldSrc1 || o.Field == FieldSrc2
		switch {
		case encs[e].form == SMEM && (f == FieldSdata || f == FieldOffset):
		case o.Field == f && (encs[e].form != VOP3P || f != FieldOpSel && f != FieldNegHi):
			return ^uint32(0)
		case o.Field == FieldBitop3 && (f == FieldNeg || f == FieldAbs || f == FieldOmod),
			f == FieldOpSel && usesOpSel[o.Field], o.Class == ClassSdwam && f == FieldSd,
			o.Field == FieldMatrixAScaleFmt && f == FieldNeg, o.Field == FieldMatrixBScaleFmt && f == FieldNegHi,
			f == FieldOpSelHi && usesOpSelHi[o.Field], f == FieldOpSelHi2 && usesOpSelHi2[o.Field]:
			return ^uint32(0)
		case isSrc && o.Mods && f == FieldOpSel,
			isSrc && o.Mods && !o.Plain && (f == FieldNeg || f == FieldAbs && !t.Any(TraitVop3b)),
			isSrc && o.Mods && !o.Plain && encs[e].form == VOP3P && f == FieldNegHi:
			used |= 1 << src
		case isSrc && src < 2 && o.Mods && !o.Sext && (f == modFields[src].neg || f == modFields[src].abs),
			isSrc && src < 2 && o.Sext && f == modFields[src].sext,
			isSrc && src == 1 && f == FieldSrc1S:
			return ^uint32(0)
		}
	}
	if encs[e].form == VOPC && (f == FieldDstSel || f == FieldDstUnused || f == FieldClamp || f == FieldOmod || f == FieldRes) {
		return ^uint32(0) // a comparison's scalar result stands there from gfx9 on
	}
	if i, ok := vaddrIndex(f); ok {
		return e.usedAddress(i)
	}
	if encs[e].form == SMEM && (f == FieldSdata || f == FieldOffset) {
		return e.usedScalar(f)
	}
	if f == FieldAbid {
		used |= 8 // VOP3P's op_sel_hi stands there, which moves to and from AGPRs ignore
	}
	if f == FieldDlc {
		return e.usedDlc()
	}
	if f == FieldVdst && encs[e].form == VOP3 && len(e.Operands()) > 0 {
		return ^uint32(0)
	}
	if t.Any(TraitSrcin) && encs[e].vari == Native && (f == FieldNeg || f == FieldAbs) {
		used |= 4 // the result that is read stands in third place
	}
	if f == FieldSd && encs[e].form != VOPC || f == FieldTfe && t.Any(TraitTfe) {
		return ^uint32(0)
	}
	if f == FieldSve && t.Any(TraitScratch) {
		return ^uint32(0)
	}
	if f == FieldAbs && t.Any(TraitVop3b) {
		return ^uint32(0) // the scalar result stands there
	}
	return used
}
