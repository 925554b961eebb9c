package isa

import "encoding/binary"

// Bits that hardware ignores. LLVM's decoder, and so Decode, refuses an
// instruction with a bit set in a field that the instruction does not use.
// Hardware executes it as if the bit were 0. keptFields lists the unused fields
// for which that is not so, or not known.

// DecodeAsHardware decodes as Decode does, but accepts any value in fields that
// hardware ignores. In these fields the result has the values that an assembler
// writes, as if Decode had read the same instruction without these bits.
func (d *Decoder) DecodeAsHardware(src []byte) (in Inst, n int, err error) {
	in, n, err = d.Decode(src)
	if err == ErrTruncated || err == nil && !in.claimsAGPRs() {
		return in, n, err
	}
	l := *d
	l.lenient = true
	return l.Decode(src)
}

// claimsAGPRs reports whether the acc bit is set where no memory instruction
// reaches AGPRs. LLVM's decoder knows such instructions from gfx8 on; the bit is
// reserved there, or TFE.
func (in *Inst) claimsAGPRs() bool {
	return !in.Set.Has(PropAccData) && in.Field(FieldAcc) != 0
}

// finishIgnoring is finish for words whose ignored bits are cleared first.
func (d *Decoder) finishIgnoring(in *Inst, src []byte) error {
	var clean [MaxSize]byte
	try, n := *in, copy(clean[:], src)
	try.setLayouts()
	if n < 4*try.Enc.BaseDwords(d.set) {
		return ErrTruncated
	}
	ignored := try.ignored(d.tab.fixedOf(try.Enc, d.set))
	for i, m := range ignored.zero {
		if 4*i+4 > n {
			break
		}
		w := binary.LittleEndian.Uint32(clean[4*i:])&^m | ignored.one[i]
		binary.LittleEndian.PutUint32(clean[4*i:], w)
		if i < int(layouts[try.lay].dwords) {
			try.Words[i] = w
		}
	}
	err := d.finish(&try, clean[:n])
	switch {
	case err != nil:
		return err
	case try.claimsAGPRs():
		return ErrBadField
	}
	*in = try
	return nil
}

// IgnoredFields calls f with each field of an instruction that hardware
// ignores, and with the field's ignored bits, counted from its bit 0. A field of the
// native words that a variant's dword has too is named twice.
func (in *Inst) IgnoredFields(f func(f Field, at Place, bits uint32)) {
	ignored := in.ignored(in.Enc.fixedBits(in.Set))
	in.eachPlace(func(field Field, p fieldPos) {
		m := (ignored.zero[p.shift>>5] | ignored.one[p.shift>>5]) >> (p.shift & 31) & (1<<p.width - 1)
		if m != 0 {
			f(field, Place{p.shift, p.width}, m)
		}
	})
}

// EachField calls f with each field that the words have, but for the opcode and the bits
// that choose the form.
func (in *Inst) EachField(f func(f Field, at Place)) {
	in.eachPlace(func(field Field, p fieldPos) {
		if field != FieldOp && field != FieldOpHi && field != FieldSeg {
			f(field, Place{p.shift, p.width})
		}
	})
}

// eachPlace calls f with the places of all fields, in the native words and in a
// variant's dword.
func (in *Inst) eachPlace(f func(Field, fieldPos)) {
	native := &layouts[in.lay]
	for field := range Field(numField) {
		if p := native.pos[field]; p.width != 0 {
			f(field, p)
		}
		if in.ext == 0 {
			continue
		}
		if p := layouts[in.ext].pos[field]; p.width != 0 {
			p.shift += native.dwords * 32
			f(field, p)
		}
	}
}

// ignored returns the bits that hardware ignores, with the value that Decode
// wants there. The argument is the encoding's fixed bits.
func (in *Inst) ignored(fixed *fixedBits) fixedBits {
	if encs[in.Enc].form == VOP3PX { // its first half is an instruction of its own
		return fixedBits{}
	}
	x := *fixed
	for i := range x.zero {
		x.zero[i] |= x.one[i]
	}
	in.eachPlace(func(f Field, p fieldPos) {
		if of := keptFields[f]; of != nil && of(in.Enc, in.Set) {
			x.keep(p)
		}
	})
	if p := in.fieldPlace(FieldAcc); p.width != 0 && !in.Enc.keepsAcc(in.Set) {
		x.ignore(p, 0)
	}
	if encs[in.Enc].form == FLAT && !in.Enc.takesSaddr(in.Set) {
		x.ignore(in.fieldPlace(FieldSaddr), noSaddr(in.Set))
	}
	if encs[in.Enc].form == FLAT && sets[in.Set].gen == Gen8 { // the low half is reserved
		x.ignore(in.fieldPlace(FieldSeg), 0)
		x.ignore(in.fieldPlace(FieldLds), 0)
	}
	if encs[in.Enc].vari == DualX {
		in.ignoreDual(&x, in.Enc, false)
		if y := in.DualY(); y != NoEnc {
			in.ignoreDual(&x, y, true)
		}
	}
	return x
}

// keep removes a field from the ignored bits.
func (x *fixedBits) keep(p fieldPos) {
	m := (uint32(1)<<p.width - 1) << (p.shift & 31)
	x.zero[p.shift>>5] &^= m
	x.one[p.shift>>5] &^= m
}

// ignore adds a field to the ignored bits; v is the value that Decode requires.
func (x *fixedBits) ignore(p fieldPos, v uint32) {
	x.zero[p.shift>>5] |= (uint32(1)<<p.width - 1) << (p.shift & 31)
	x.one[p.shift>>5] |= v << (p.shift & 31)
}

// ignoreDual adds the fields that a half of a VOPD pair does not use.
func (in *Inst) ignoreDual(x *fixedBits, e Enc, y bool) {
	d := &dualFields[half(y)]
	if !e.hasOperand(FieldSrc1) {
		x.ignore(in.fieldPlace(d.src1), 0)
	}
	if !e.hasOperand(FieldSrc2) && !e.hasOperand(FieldBitop3) {
		x.ignore(in.fieldPlace(d.src2), 0)
	}
}

// keptFields reports, for a field that an encoding does not use, whether its
// bits are rejected nevertheless: they select another operation, or their
// effect in hardware is unknown.
var keptFields = [numField]func(e Enc, s Set) bool{
	FieldTfe:     always,                                                                       // one more dword of result
	FieldGds:     always,                                                                       // another memory
	FieldAcc:     Enc.keepsAcc,                                                                 // AGPRs; TFE in gfx8's FLAT
	FieldGlc:     func(e Enc, _ Set) bool { return encs[e].traits.Any(TraitRet | TraitNoret) }, // an atomic's result
	FieldOffen:   func(e Enc, _ Set) bool { return encs[e].traits.Any(TraitLdsonly) },          // an address in VGPRs
	FieldIdxen:   func(e Enc, _ Set) bool { return encs[e].traits.Any(TraitLdsonly) },
	FieldDstSel:  func(e Enc, _ Set) bool { return len(e.Operands()) > 0 }, // part of the result
	FieldCbsz:    Enc.isMatrix,                                             // reserved
	FieldAbid:    Enc.isMatrix,
	FieldBlgp:    Enc.isMatrix,
	FieldNeg:     Enc.negatesMove, // gfx10 applies them to moves
	FieldAbs:     Enc.negatesMove,
	FieldSrc0Neg: Enc.negatesMove,
	FieldSrc0Abs: Enc.negatesMove,
}

func always(Enc, Set) bool { return true }

// keepsAcc reports whether the acc bit is more than a reserved bit: from gfx90a
// on with data, and in gfx8's FLAT, where it is TFE.
func (e Enc) keepsAcc(s Set) bool {
	if !s.Has(PropAccData) {
		return s.Has(PropFlatTfe) && encs[e].form == FLAT
	}
	return encs[e].traits.Any(TraitGws) || e.hasOperand(FieldVdst) || e.hasOperand(FieldVdata) || e.hasOperand(FieldData0)
}

// isMatrix reports whether an encoding of MAI multiplies; the others move.
func (e Enc) isMatrix(Set) bool { return e.hasOperand(FieldSrc1) }

// negatesMove reports whether an encoding moves 32 bits, whose source has a sign
// from gfx10 on although LLVM knows of none.
func (e Enc) negatesMove(s Set) bool {
	return e.Kinds().Any(KindMovNeg) && s.Has(PropMovNeg)
}
