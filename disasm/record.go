package disasm

import "github.com/gfx-toolchain/gfx/isa"

// recorder records the fields of the pieces of a text.
type recorder struct{ pieces []piece }

// piece is a part of a text that depends only on its fields as long as all
// other bits of the instruction are fixed.
type piece struct {
	start, end int
	key        pieceKey
	places     [4]isa.Place // of the fields, the lowest bits of the index first
	num        uint8
	table      uint16 // index of its table
}

// fields returns the places of the piece's fields.
func (p *piece) fields() []isa.Place { return p.places[:p.num] }

// pieceKey holds everything other than the fields that a piece's text and the
// validity of its fields' values depend on. Instructions with the same key
// share a table.
type pieceKey struct {
	traits isa.Traits // of the encoding, if relevant
	enc    isa.Enc    // of a piece that is specific to an encoding, else 0
	state  uint16
	field  isa.Field // of a modifier; of a source if its form is relevant
	class  isa.Class
	typ    isa.Type
	form   isa.Form // if relevant
	width  uint8
	plain  plain
}

func (p *piece) bits() (n uint8) {
	for _, f := range p.fields() {
		n += f.Width
	}
	return n
}

// index returns the index in the piece's table: its concatenated fields.
func (p *piece) index(in *isa.Inst) (v uint32) {
	at := uint8(0)
	for _, f := range p.fields() {
		v |= in.Bits(f) << at
		at += f.Width
	}
	return v
}

// note adds a piece unless it is a part of the last one, too large, or has
// fields that are not in the words.
func (p *printer) note(start, end int, key pieceKey, places ...isa.Place) {
	r := p.rec
	if n := len(r.pieces); n > 0 && r.pieces[n-1].end > start {
		return
	}
	x := piece{start: start, end: end}
	for _, at := range places {
		if at.Width != 0 {
			x.places[x.num] = at
			x.num++
		}
	}
	if x.num == 0 || x.bits() > maxIndex {
		return
	}
	key.width = x.bits()
	x.key = key
	r.pieces = append(r.pieces, x)
}

// The state of a source in a pieceKey. For a literal, bit 0 is neg and bit 1 is
// abs; for any other source, these bits mark the existence of the fields. The
// other bits follow.
const (
	stateSext    = 1 << 2
	stateScalar  = 1 << 3  // SDWA: the field names a scalar register
	stateSoffset = 1 << 15 // a buffer's scalar offset
	stateLiteral = 1 << 14 // the literal after the words
	stateHalf    = 4       // from this bit on: HalfState, or the AGPR selection
)

// markSource records an operand of registers and constants with its modifiers.
// Other dependencies of its text are part of the key: the file and the half of
// a register, and its modifiers.
func (p *printer) markSource(dst []byte, start int, o *isa.OperandInfo, m isa.SourceMods) {
	if p.rec == nil {
		return
	}
	in, i := p.in, b2i(o.Field == isa.FieldSrc1)
	mods := b2i(m.Neg) | b2i(m.Abs)<<1 | b2i(m.Sext)*stateSext
	state := uint16(0)
	if in.Enc.Variant() == isa.SDWA {
		state |= uint16(in.Field([...]isa.Field{isa.FieldSrc0S, isa.FieldSrc1S}[i])) * stateScalar
	}
	switch in.Enc.Form() {
	case isa.MAI, isa.VOP3PX, isa.DS, isa.FLAT, isa.MUBUF, isa.MTBUF, isa.MIMG:
		for j, f := range [...]isa.Field{isa.FieldAcc, isa.FieldAccCd, isa.FieldAcc0, isa.FieldAcc1, isa.FieldTfe} {
			state |= uint16(in.Field(f)) << (stateHalf + 2*j)
		}
	default:
		if o.Class.Info().Flags&isa.Half != 0 {
			state |= uint16(in.HalfState(o)) << stateHalf
		}
	}
	key := pieceKey{class: o.Class, typ: o.Type, state: state}
	if v := in.Enc.Variant(); v == isa.DPP64 || v == isa.DPP864 {
		key.field = o.Field // on gfx11 the assembler accepts a scalar register only for the third source
	}
	if !sharedForms[in.Enc.Form()] {
		key.field, key.form, key.traits = o.Field, in.Enc.Form(), p.traits
	}
	if in.LiteralSize() != 0 && in.Operand(o).Kind == isa.Literal32 {
		state |= uint16(mods)
		p.note(start, len(dst), pieceKey{class: o.Class, typ: o.Type, state: state | stateLiteral, plain: plainLiteral(o, state)}, in.LiteralPlace())
		return
	}
	key.plain = p.plainValues(o, state)
	var at isa.ModPlaces
	if o.Mods {
		at = in.ModPlaces(o)
		key.plain.mods = in.Place(o.Field).Width
		key.plain.sext = at.Sext.Width != 0
	}
	key.state |= uint16(at.Neg.Width | at.Abs.Width<<1 | at.Sext.Width*stateSext)
	p.note(start, len(dst), key, in.Place(o.Field), at.Neg, at.Abs, at.Sext)
}

// plainLiteral returns the plain values of an operand's literals.
func plainLiteral(o *isa.OperandInfo, state uint16) (x plain) {
	if t := o.Type; state == 0 && (t == isa.I32 || t == isa.F32) {
		x.kind = plainHex
	}
	return x
}

// sharedForms are the forms whose sources depend only on their class and type
// and the width of their fields.
var sharedForms = [256]bool{
	isa.SOP1: true, isa.SOP2: true, isa.SOPC: true, isa.SOPK: true, isa.VOP1: true, isa.VOP2: true, isa.VOPC: true, isa.VOP3: true, isa.VOP3P: true,
}

// markModifier records a modifier whose text depends on its own fields. Other
// modifiers are a fixed part of a shape's text.
func (p *printer) markModifier(dst []byte, start int, o *isa.OperandInfo) {
	if p.rec == nil {
		return
	}
	in := p.in
	switch o.Field {
	case isa.FieldOffset0, isa.FieldOffset1:
		kind := plainOffset0
		if o.Field == isa.FieldOffset1 {
			kind = plainOffset1
		}
		p.note(start, len(dst), pieceKey{field: o.Field, plain: plain{kind: kind}}, in.Place(o.Field))
	case isa.FieldOmod, isa.FieldUnorm, isa.FieldDa, isa.FieldLwe:
		p.note(start, len(dst), pieceKey{field: o.Field, plain: plain{kind: plainZero}}, in.Place(o.Field))
	case isa.FieldRowMask, isa.FieldBankMask,
		isa.FieldDstSel, isa.FieldSrc0Sel, isa.FieldSrc1Sel, isa.FieldDstUnused:
		p.note(start, len(dst), pieceKey{field: o.Field}, in.Place(o.Field))
	case isa.FieldClamp:
		p.note(start, len(dst), pieceKey{field: o.Field, traits: p.traits & (isa.TraitVop3b | isa.TraitIntclamp), plain: plain{kind: plainZero}}, in.Place(o.Field))
	case isa.FieldOffset:
		key := pieceKey{field: o.Field, traits: p.traits & isa.TraitSwizzle}
		if key.traits == 0 && in.Enc.Form() == isa.DS {
			key.plain.kind = plainOffset
		}
		p.note(start, len(dst), key, in.Place(o.Field))
	case isa.FieldGds:
		key := pieceKey{field: o.Field, traits: p.traits & (isa.TraitGws | isa.TraitGdsonly), form: in.Enc.Form()}
		if key.traits == 0 {
			key.plain.kind = plainZero
		}
		p.note(start, len(dst), key, in.Place(o.Field))
	case isa.FieldDppCtrl:
		state := uint16(0)
		if in.IsDPALU() {
			state = 1
		}
		p.note(start, len(dst), pieceKey{field: o.Field, state: state}, in.Place(o.Field))
	case isa.FieldDpp8:
		p.note(start, len(dst), pieceKey{field: o.Field, plain: plain{kind: plainLanes}}, in.Place(o.Field))
	case isa.FieldBoundCtrl, isa.FieldFi:
		if v := in.Enc.Variant(); v == isa.DPP || v == isa.DPP64 {
			p.note(start, len(dst), pieceKey{field: o.Field}, in.Place(o.Field))
		}
	case isa.FieldCpol:
		p.markCPol(dst, start, o)
	case isa.FieldOpSel, isa.FieldOpSelHi, isa.FieldNegLo, isa.FieldNegHi:
		p.markPacked(dst, start, o)
	}
}

// markCPol records a cache policy. It skips atomics, whose cache policy also
// selects the encoding.
func (p *printer) markCPol(dst []byte, start int, o *isa.OperandInfo) {
	if p.traits.Any(isa.TraitRet | isa.TraitNoret) {
		return
	}
	in := p.in
	key := pieceKey{field: o.Field, state: uint16(in.Enc.CPolKind()), form: in.Enc.Form(), traits: p.traits, plain: plain{kind: plainZero}}
	if !in.Set.Has(isa.PropCpolTh) {
		p.note(start, len(dst), key, in.Place(isa.FieldGlc), in.Place(isa.FieldSlc), in.Place(isa.FieldDlc), in.Place(isa.FieldScc))
		return
	}
	if base := p.operandIn(isa.FieldSbase); base != nil {
		key.class = base.Class // a resource of four dwords does not accept scale_offset
	}
	p.note(start, len(dst), key, in.Place(isa.FieldTh), in.Place(isa.FieldScope), in.Place(isa.FieldNv), in.Place(isa.FieldScale))
}

// markPacked records op_sel and similar modifiers, if no source's text depends
// on them and nothing else is encoded in their place.
func (p *printer) markPacked(dst []byte, start int, o *isa.OperandInfo) {
	in := p.in
	if in.Enc.Form() != isa.VOP3P || p.traits.Any(isa.TraitWmma|isa.TraitSwmmac) {
		return
	}
	key := pieceKey{field: o.Field, enc: in.Enc + 1}
	switch o.Field {
	case isa.FieldOpSel:
		p.note(start, len(dst), key, in.NativePlace(isa.FieldOpSel))
	case isa.FieldOpSelHi:
		p.note(start, len(dst), key, in.NativePlace(isa.FieldOpSelHi), in.NativePlace(isa.FieldOpSelHi2))
	case isa.FieldNegLo:
		if !p.traits.Any(isa.TraitNegLo) {
			return // neg and abs of the sources
		}
		p.note(start, len(dst), key, in.NativePlace(isa.FieldNeg), in.NativePlace(isa.FieldNeg2))
	case isa.FieldNegHi:
		if !p.traits.Any(isa.TraitNegLo) {
			return
		}
		p.note(start, len(dst), key, in.NativePlace(isa.FieldNegHi), in.NativePlace(isa.FieldNegHi2))
	}
}

// markImmediate records an immediate in a single field.
func (p *printer) markImmediate(dst []byte, start int, o *isa.OperandInfo) {
	if p.rec == nil {
		return
	}
	switch o.Class {
	case isa.ClassU16, isa.ClassImm16:
		kind := plainHex16
		if o.Class == isa.ClassImm16 {
			kind = plainImm16
		}
		p.note(start, len(dst), pieceKey{field: o.Field, class: o.Class, plain: plain{kind: kind}}, p.in.Place(o.Field))
		return
	case isa.ClassVersion, isa.ClassWaitcnt, isa.ClassSendmsg, isa.ClassMsg, isa.ClassHwreg,
		isa.ClassDepctr, isa.ClassDelay, isa.ClassGpridx, isa.ClassSlot:
		p.note(start, len(dst), pieceKey{field: o.Field, class: o.Class}, p.in.Place(o.Field))
		return
	}
	if o.Field == isa.FieldAttr {
		p.note(start, len(dst), pieceKey{field: o.Field}, p.in.Place(isa.FieldAttr), p.in.Place(isa.FieldAttrchan))
	}
}

// markVGPRs records a vector address of some dwords.
func (p *printer) markVGPRs(dst []byte, start int, o *isa.OperandInfo, dwords int) {
	if p.rec == nil {
		return
	}
	key := pieceKey{field: o.Field, class: o.Class, state: uint16(dwords), form: p.in.Enc.Form(), traits: p.traits}
	if dwords == 1 || p.in.AllVGPRs(o) {
		key.plain = plain{kind: plainSource, vgpr: uint8(dwords)}
	}
	p.note(start, len(dst), key, p.in.Place(o.Field))
}

// markField records a text that depends on a single field.
func (p *printer) markField(dst []byte, start int, f isa.Field) {
	if p.rec != nil {
		p.note(start, len(dst), pieceKey{field: f}, p.in.Place(f))
	}
}

// markTuple records a VGPR tuple that may be any one within the register file.
func (p *printer) markTuple(dst []byte, start int, dwords uint8, at isa.Place) {
	p.note(start, len(dst), pieceKey{field: isa.FieldVaddr, plain: plain{kind: plainSource, vgpr: dwords}}, at)
}

// markAddressOffset records the byte offset of an address.
func (p *printer) markAddressOffset(dst []byte, start int, signed bool) {
	if p.rec == nil {
		return
	}
	at := p.in.Place(isa.FieldOffset)
	key := pieceKey{field: isa.FieldOffset, plain: plain{kind: plainOffset}}
	if p.in.Enc.Form() == isa.FLAT && !p.traits.Any(isa.TraitGlobal|isa.TraitScratch) {
		key.form, key.plain.bits = isa.FLAT, minFlatBits // the assembler does not accept all values that fit the field
	} else if signed {
		key.plain.sign = at.Width
	}
	p.note(start, len(dst), key, at)
}

// minFlatBits is the size of the smallest offset of flat instructions, which gfx10
// has.
const minFlatBits = 11

// markScalarOffset records the register or the number of a scalar offset, which
// may have both.
func (p *printer) markScalarOffset(dst []byte, start int, f isa.Field, at isa.Place, both bool) {
	if p.rec == nil {
		return
	}
	key := pieceKey{field: f, class: p.operandIn(isa.FieldSbase).Class, state: uint16(b2i(both)), form: p.in.Enc.Form(), traits: p.traits}
	if f == isa.FieldSoffset {
		key.plain = plain{kind: plainSource, sgpr: 1}
	}
	p.note(start, len(dst), key, at)
}

// markBufferOffset records the byte offset of a buffer's address. From gfx12 on
// not every value is valid.
func (p *printer) markBufferOffset(dst []byte, start int) {
	switch {
	case p.rec == nil:
	case p.in.Set.Has(isa.PropOffset24):
		key := pieceKey{field: isa.FieldOffset, form: p.in.Enc.Form(), traits: p.traits}
		p.note(start, len(dst), key, p.in.Place(isa.FieldOffset))
	default:
		p.markAddressOffset(dst, start, false)
	}
}

// plainValues returns the plain values of a source.
func (p *printer) plainValues(o *isa.OperandInfo, state uint16) (x plain) {
	in := p.in
	shared := sharedForms[in.Enc.Form()]
	if state&stateScalar != 0 || !shared && (state != 0 || p.traits.Any(isa.TraitGws)) {
		return x
	}
	c := o.Class.Info()
	x = plain{kind: plainSource, wide: in.Place(o.Field).Width == 9, half: uint8(state >> stateHalf)}
	if in.AllVGPRs(o) {
		x.vgpr = c.Dwords
	}
	if c.Files == isa.FileS && !shared {
		x.sgpr, x.mult = in.TupleDwords(o), in.TupleScale(o)
	}
	if in.Enc.Variant() == isa.Native && shared {
		x.ints = (x.wide || x.vgpr == 0) && o.Type != isa.NoType && o.Type != isa.SplitBarrier
		if c.Files&isa.FileS != 0 {
			x.sgpr = in.TupleDwords(o)
		}
	}
	return x
}
