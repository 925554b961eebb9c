package isa

// fixedBits are the bits that are the same in every instruction of an encoding.
type fixedBits struct{ zero, one [4]uint32 }

// fixedBits returns the bits of the native words and of a variant's dword that
// are the same in every instruction of an encoding: 0 where no operand or
// modifier uses a strict field, and the ones of oneFields.
func (e Enc) fixedBits(s Set) *fixedBits {
	x := &fixedBits{one: e.oneBits(s)}
	l := e.layout(s)
	e.addZeroBits(&x.zero, l, s, 0)
	if ext := e.ext(s); ext != nil && encs[e].vari != DPP64 { // VOP3's own modifiers hold there
		e.addZeroBits(&x.zero, ext, s, l.dwords*32)
	}
	for i, one := range x.one {
		x.zero[i] &^= one
	}
	return x
}

func (e Enc) addZeroBits(zero *[4]uint32, l *layout, s Set, at uint8) {
	for f := range Field(numField) {
		p := l.pos[f]
		if !p.strict {
			continue
		}
		m := (uint32(1)<<p.width - 1) &^ e.usedBits(f, s)
		shift := p.shift + at
		zero[shift>>5] |= m << (shift & 31)
	}
}

// oneFields are the fields with fixed ones in instructions of a kind.
var oneFields = [...]struct {
	of     func(e Enc, s Set) bool
	fields []Field
	bits   uint32
}{
	{func(e Enc, _ Set) bool { return encs[e].traits.Any(TraitGdsonly) }, []Field{FieldGds}, 1},
	{Enc.fixedOpSelHi, []Field{FieldOpSelHi, FieldOpSelHi2}, 3},
	{func(e Enc, s Set) bool { return s.Has(PropImageDim) && e.ray() != nil }, []Field{FieldDmask, FieldR128, FieldUnorm}, 15},
	{func(e Enc, _ Set) bool { return encs[e].form == VOP3P && encs[e].traits.Any(TraitScales) }, []Field{FieldSrc2}, srcVGPR},
	{func(e Enc, s Set) bool { return encs[e].form == VOP3PX && sets[s].gen == Gen1250 }, []Field{FieldRes}, srcVGPR}, // the place of src2
	{func(e Enc, s Set) bool { return encs[e].form == VOP3PX && sets[s].gen == Gen940 }, []Field{FieldRes}, 1},        // abid
	{func(e Enc, s Set) bool {
		return encs[e].form == VOP3PX && sets[s].gen == Gen1250 && !e.hasOperand(FieldMatrixBFmt)
	}, []Field{FieldMatrixBFmt, FieldMatrixBFmtHi}, 3},
	{Enc.wholeSdwa, []Field{FieldDstSel}, 6},
}

// oneBits returns the bits that are 1 in every instruction of an encoding: gds of
// the global wave sync, op_sel_hi of matrix instructions that have no use for it.
func (e Enc) oneBits(s Set) (one [4]uint32) {
	set := func(f Field, v uint32) {
		p := e.fieldPlace(s, f)
		one[p.shift>>5] |= v & (1<<p.width - 1) << (p.shift & 31)
	}
	for i := range oneFields {
		if oneFields[i].of(e, s) {
			for _, f := range oneFields[i].fields {
				set(f, oneFields[i].bits&^e.matrixUse(f))
			}
		}
	}
	if encs[e].traits.Any(TraitTensor) && encs[e].form == VIMAGE {
		set(FieldDim, 1)
		set(FieldDmask, 1)
		set(FieldVaddr4, nullSReg(s))
	}
	return one
}

// wholeSdwa reports whether an SDWA encoding always writes the whole register.
func (e Enc) wholeSdwa(Set) bool {
	return encs[e].vari == SDWA && encs[e].form != VOPC && !e.hasOperand(FieldDstSel)
}

// fixedOpSelHi reports whether op_sel_hi selects the high half for all sources
// of an encoding that has no such modifier: matrix instructions and dot
// products of 8-bit floats from gfx12 on.
func (e Enc) fixedOpSelHi(s Set) bool {
	if encs[e].form != VOP3P || !s.Has(PropFixedOpsel) {
		return false
	}
	if encs[e].traits.Any(TraitWmma | TraitSwmmac) {
		return true
	}
	o := e.operand(FieldSrc0)
	return encs[e].traits.Any(TraitNegLo) && o != nil && !o.Mods
}
