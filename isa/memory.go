package isa

// Addresses of memory instructions, read from the words.

// FlatAddress is how a FLAT, GLOBAL or SCRATCH instruction forms its address.
type FlatAddress struct {
	VDwords int  // size of the vector address, 0 if there is none
	VOff    bool // the text has "off" instead of the vector address
	SDwords int  // size of the scalar address, 0 if there is none
	SOff    bool // the text has "off" instead of the scalar address
	Any     bool // the instruction has an address at all
}

// nullSReg returns the scalar encoding that means "no register" in an address.
func nullSReg(s Set) uint32 {
	switch {
	case s.Has(PropM0125):
		return encM0 // null's place from gfx11
	case s.Has(PropNull):
		return encNull
	}
	return 0x7f
}

// FlatAddress describes how a FLAT instruction forms its address.
func (in *Inst) FlatAddress() FlatAddress {
	e := &encs[in.Enc]
	g := sets[in.Set].gen
	sOnly, any := false, false
	for _, o := range in.Enc.Operands() {
		sOnly = sOnly || o.Field == FieldSaddr
		any = any || o.Field == FieldSaddr || o.Field == FieldAddr
	}
	hasS := any && in.flatHasSAddr()
	a := FlatAddress{Any: any}
	switch {
	case !any:
	case e.traits.Any(TraitScratch):
		if in.scratchVAddr(g, hasS) {
			a.VDwords = 1
		} else {
			a.VOff = true
		}
		a.SOff = !hasS
		if hasS {
			a.SDwords = 1
		}
	case sOnly: // the lane's number is the address
		hasS = hasS || e.traits.Any(TraitTensor)
		a.SOff = !hasS
		if hasS {
			a.SDwords = 2
		}
	case hasS:
		a.VDwords, a.SDwords = 1, 2
	default:
		a.VDwords, a.SOff = 2, e.traits.Any(TraitGlobal)
	}
	return a
}

// flatHasSAddr reports whether the scalar address is a register.
func (in *Inst) flatHasSAddr() bool {
	t := encs[in.Enc].traits
	if !t.Any(TraitGlobal|TraitScratch) && !in.Set.Has(PropFlatSaddrAny) {
		return false
	}
	s := in.Field(FieldSaddr)
	return s != nullSReg(in.Set) && (s != noAddress || !in.mayHaveNoAddress())
}

// noAddress in place of a scalar address means that the VGPR address is
// missing, too.
const noAddress = 0x7f

// mayHaveNoAddress reports whether a flat instruction is a scratch instruction
// that may have no address at all: on gfx10.3, and on gfx10 with LDS.
func (in *Inst) mayHaveNoAddress() bool {
	t := encs[in.Enc].traits
	return t.Any(TraitScratch) && (in.Set == GFX1030 || sets[in.Set].gen == Gen10 && t.Any(TraitLds))
}

// scratchVAddr reports whether a scratch instruction has a vector address. From
// gfx940 on a bit specifies it; before, the scalar address took its place.
func (in *Inst) scratchVAddr(g Gen, hasS bool) bool {
	if in.HasField(FieldSve) {
		return in.Field(FieldSve) != 0
	}
	if in.Field(FieldSaddr) == noAddress && in.mayHaveNoAddress() {
		return false
	}
	return !hasS
}

// FlatOffset returns the byte offset of a FLAT instruction, signed where the
// generation and segment have it so.
func (in *Inst) FlatOffset() int32 {
	p := in.fieldPlace(FieldOffset)
	v := in.fieldAt(p)
	if encs[in.Enc].traits.Any(TraitGlobal|TraitScratch) || in.Set.Has(PropOffset24) {
		return signExtend(v, p.width)
	}
	return int32(v)
}

func signExtend(v uint32, width uint8) int32 {
	s := 32 - width
	return int32(v<<s) >> s
}

// BufferResource returns the scalar encoding of a buffer instruction's resource.
func (in *Inst) BufferResource() uint32 {
	if p := in.fieldPlace(FieldRsrc); p.width != 0 {
		return in.fieldAt(p)
	}
	return in.Field(FieldSrsrc) << 2
}

// BufferVGPRs returns the number of VGPRs in a buffer instruction's address.
func (in *Inst) BufferVGPRs() int {
	return int(in.Field(FieldOffen) + in.Field(FieldIdxen) + 2*in.Field(FieldAddr64))
}

// BufferOffset returns the byte offset of a buffer instruction.
func (in *Inst) BufferOffset() int32 {
	p := in.fieldPlace(FieldOffset)
	if in.Set.Has(PropOffset24) {
		return signExtend(in.fieldAt(p), p.width)
	}
	return int32(in.fieldAt(p))
}

// ScalarOffset is the offset of a scalar memory instruction.
type ScalarOffset struct {
	Imm, Reg, Literal bool   // the parts that the offset has
	Offset            int32  // valid if Imm
	SReg              uint32 // scalar encoding, valid if Reg
	Place             Place  // of SReg, valid if Reg
}

// lowBits returns the place of the number of a scalar register in the low bits of
// an offset.
func lowBits(p fieldPos) Place { return Place{p.shift, 7} }

// ScalarOffset reads the offset of a scalar memory instruction.
func (in *Inst) ScalarOffset() ScalarOffset {
	p := in.fieldPlace(FieldOffset)
	off := in.fieldAt(p)
	switch {
	case !in.Set.Has(PropByteOffset):
		if in.Field(FieldImm) != 0 {
			return ScalarOffset{Imm: true, Offset: int32(off)}
		}
		if off == srcLiteral && in.Set.Has(PropSmrdLiteral) {
			return ScalarOffset{Literal: true}
		}
		return ScalarOffset{Reg: true, SReg: off, Place: Place{p.shift, p.width}}
	case !in.Set.Has(PropSmemBoth):
		if in.Field(FieldImm) != 0 {
			return ScalarOffset{Imm: true, Offset: int32(off)}
		}
		return ScalarOffset{Reg: true, SReg: off & 0x7f, Place: lowBits(p)}
	case !in.Set.Has(PropNull):
		imm, en := in.Field(FieldImm) != 0, in.Field(FieldSoffsetEn) != 0
		r := ScalarOffset{Imm: imm, Reg: en || !imm, Offset: signExtend(off, p.width), SReg: in.Field(FieldSoffset), Place: in.Place(FieldSoffset)}
		if !imm && !en {
			r.SReg, r.Place = off&0x7f, lowBits(p)
		}
		return r
	}
	s := in.Field(FieldSoffset)
	r := ScalarOffset{Imm: true, Reg: s != nullSReg(in.Set), Offset: signExtend(off, p.width), SReg: s, Place: in.Place(FieldSoffset)}
	if off == 0 && !in.Set.Has(PropSmemOffset24) {
		r.Reg, r.Imm = true, false
	}
	return r
}
