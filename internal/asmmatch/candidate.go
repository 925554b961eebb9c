package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// candidate is one candidate encoding of an instruction: an encoding of the table
// with one of its addressing forms. The candidates of an instruction are tried
// in order.
type candidate struct {
	enc     isa.Enc
	form    isa.Form
	vari    isa.Variant
	variant variant
	traits  isa.Traits
	words   [4]uint32 // preset fields included
	dwords  uint8
	specs   []spec      // expected operands
	fields  []modField  // where the modifiers are encoded
	mods    ModifierSet // allowed modifiers
	need    ModifierSet // mandatory modifiers
	rules   rules
	hasOff  bool
	nsa     bool
	pair    bool // half of a VOPD pair
	export  bool
	// scalarPair means that only the first SGPR of a pair is read, as one
	// float.
	scalarPair bool
	buffer     bool  // a scalar memory instruction with a buffer resource
	bus        uint8 // number of scalar values that it may read; 0 for no limit

	opSel, negLo, negHi place
	srcMods             uint8 // bit set of the sources that have modifiers
	implicitHi          uint8 // bits of op_sel_hi that are always set
	plainSel            uint8 // bits of op_sel without a source in the text
	dstSel              int8  // bit of op_sel in the text for the result, -1 for none
}

// variant is an assembler variant in LLVM's terms. The values are in the order
// in which the assembler tries them.
type variant uint8

const (
	variantDefault variant = iota
	variantVOP3
	variantSDWA
	variantDPP
	variantVOP3DPP
)

// Encoding is an encoding that the text selects.
type Encoding uint8

const (
	EncAny Encoding = iota
	Enc32
	Enc64
	EncSDWA
	EncDPP
	Enc64DPP
)

// allowed lists the variants that each encoding selects, as a bit set.
var allowed = [...]uint8{
	EncAny: 0xff, Enc32: 1 << variantDefault, Enc64: 1 << variantVOP3,
	EncSDWA: 1 << variantSDWA, EncDPP: 1 << variantDPP, Enc64DPP: 1 << variantVOP3DPP,
}

// variantOf returns the variant of an encoding.
func variantOf(e isa.Enc) variant {
	switch e.Variant() {
	case isa.DPP, isa.DPP8:
		return variantDPP
	case isa.SDWA:
		return variantSDWA
	case isa.DPP64, isa.DPP864:
		return variantVOP3DPP
	}
	switch e.Form() {
	case isa.VOP3, isa.VOP3INTERP, isa.VOP3P, isa.VOP3PX, isa.MAI, isa.VINTERP:
		return variantVOP3
	}
	return variantDefault
}

// place is the location of a field in the words; width 0 means absent.
type place struct{ word, shift, width uint8 }

// specKind is how an operand is matched and encoded.
type specKind uint8

const (
	specValue  specKind = iota // a register of files, or a constant
	specVCC                    // vcc, or vcc_lo with 32 lanes
	specM0                     // m0
	specOff                    // off
	specExport                 // a VGPR or off
	specImm                    // a number in [lo, hi]
	specCustom                 // a special operand's value
	specAttr                   // an attribute and its channel
	specBranch                 // a label or a number
	specK                      // a mandatory literal
	specAddr                   // an image address
	specData                   // a VGPR tuple whose size depends on other operands
)

// spec describes an operand that a candidate accepts, and its place in the
// words.
type spec struct {
	kind   specKind
	files  isa.Files
	dwords uint8 // 0: one or two SGPRs, depending on the wave size
	flags  isa.ClassFlags
	typ    isa.Type
	mods   OperandMods // allowed modifiers
	shr    uint8       // right shift of the number
	half   halfKind
	src    int8 // source index, -1 for none
	sel    bool // a source with modifiers, which therefore has a bit of op_sel
	signed bool // specImm: in two's complement
	mixed  bool // a source of a mixed multiply-add
	field  isa.Field

	at, at2  place
	scalar   place // SDWA: the bit that marks a scalar
	acc      place // the bit that marks an AGPR
	neg, abs place
	sext     place
	lo, hi   int64 // specImm
	syntax   Syntax
}

// halfKind is the encoding of the half of a VGPR.
type halfKind uint8

const (
	halfNone  halfKind = iota
	halfBit7           // in bit 7 of the register number
	halfOpSel          // in op_sel, at at2
)

// Syntax is the special syntax of an operand, which the dialect reads.
type Syntax uint8

const (
	SyntaxPlain Syntax = iota // a register, a constant or off
	SyntaxAttr                // an attribute and its channel, which is in the value from bit 8 on
	SyntaxBranch
	SyntaxDelay
	SyntaxDepCtr
	SyntaxEndpgm
	SyntaxExpTarget
	SyntaxGprIdx
	SyntaxHwreg
	SyntaxMsg
	SyntaxSlot
	SyntaxWaitcnt
	NumSyntaxes
)

// syntaxes lists the operand classes with special syntax.
var syntaxes = [256]Syntax{
	isa.ClassBr: SyntaxBranch, isa.ClassDelay: SyntaxDelay, isa.ClassDepctr: SyntaxDepCtr,
	isa.ClassEndpgm: SyntaxEndpgm, isa.ClassGpridx: SyntaxGprIdx, isa.ClassHwreg: SyntaxHwreg,
	isa.ClassMsg: SyntaxMsg, isa.ClassSendmsg: SyntaxMsg, isa.ClassSlot: SyntaxSlot,
	isa.ClassWaitcnt: SyntaxWaitcnt,
}

// modField is a modifier and its place in the words.
type modField struct {
	id    Modifier
	field isa.Field
	at    place
}

// builder builds the candidates of an encoding.
type builder struct {
	t   *Table
	m   *Mnemonic
	enc isa.Enc
	set isa.Set
	in  isa.Inst // an instruction of the encoding
	c   candidate

	cands   []candidate // the candidates of the mnemonic so far
	specs   [8]spec     // room for the specs of c
	derived [8]spec     // room for the specs of a candidate derived from c
}

// buildCandidates adds the candidates of the builder's encoding to the mnemonic.
func (b *builder) buildCandidates() {
	e := b.enc
	b.in = isa.New(e, b.set, b.t.waves.size())
	b.c = candidate{
		enc: e, form: e.Form(), vari: e.Variant(), variant: variantOf(e), traits: e.Traits(),
		dwords: uint8(e.BaseDwords(b.set)), specs: b.specs[:0],
	}
	copy(b.c.words[:], b.in.Words[:4])
	b.c.opSel, b.c.negLo, b.c.negHi = b.nativePlace(isa.FieldOpSel), b.nativePlace(isa.FieldNeg), b.nativePlace(isa.FieldNegHi)
	b.c.dstSel = -1
	b.m.CPolKind = e.CPolKind()
	b.m.Swizzle = b.m.Swizzle || e.Traits().Any(isa.TraitSwizzle)
	b.addOperands()
	if !b.usable() {
		return
	}
	b.presetFixed()
	b.resultSel()
	b.rulesOf()
	switch b.c.form {
	case isa.SMEM, isa.SMRD:
		b.scalarMemoryForms()
	case isa.MUBUF, isa.MTBUF:
		b.bufferForms()
	case isa.FLAT:
		b.flatForms()
	case isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		b.imageForm()
	case isa.EXP:
		b.c.export = true
		b.addCandidate(b.c)
	default:
		if len(b.c.specs) == 1 && b.enc.Operands()[0].Class == isa.ClassEndpgm { // its operand is optional
			c := b.c
			c.specs = nil
			b.addCandidate(c)
		}
		b.addCandidate(b.c)
	}
}

// usable reports whether LLVM's assembler accepts an encoding that its
// disassembler knows.
func (b *builder) usable() bool { return b.c.enc.Assembled(b.set) }

// loadsAGPRs reports whether the data of memory instructions may be AGPRs.
func (b *builder) loadsAGPRs() bool {
	return b.set.Has(isa.PropAccData)
}

// addCandidate adds a finished candidate with its own copy of the specs.
func (b *builder) addCandidate(c candidate) {
	c.specs = append([]spec(nil), c.specs...)
	if c.form == isa.VOPC && c.vari == isa.Native && b.set.Has(isa.PropVopcHalves) {
		b.addHalves(c)
	}
	b.appendCandidate(c)
	if b.halved(&c) && b.set.Gen() == isa.Gen11 {
		b.addWhole(c)
	}
}

// appendCandidate adds a candidate and, where vcc is optional, one without it.
func (b *builder) appendCandidate(c candidate) {
	b.cands = append(b.cands, c)
	if !b.impliesVCC() {
		return
	}
	specs := make([]spec, 0, len(c.specs))
	for i := range c.specs {
		if c.specs[i].kind != specVCC {
			specs = append(specs, c.specs[i])
		}
	}
	if len(specs) != len(c.specs) {
		c.specs = specs
		b.cands = append(b.cands, c)
	}
}

// impliesVCC reports whether LLVM accepts the instruction without the vcc of
// its canonical text.
func (b *builder) impliesVCC() bool {
	switch {
	case b.c.form == isa.VOPC:
		return b.c.vari != isa.SDWA
	case b.c.form != isa.VOP2:
		return false
	case b.set.Has(isa.PropVccImplied):
		return true
	case b.c.vari != isa.Native:
		return false
	}
	return b.c.enc.Kinds().Any(isa.KindCarry) || b.c.traits.Any(isa.TraitUseVcc) && b.c.enc.Kinds().Any(isa.KindCopy)
}

// addHalves adds the form of a 16-bit comparison with halves of VGPRs. On
// gfx12, LLVM accepts it for comparisons only.
func (b *builder) addHalves(c candidate) {
	c.specs = append([]spec(nil), c.specs...)
	for i := range c.specs {
		if s := &c.specs[i]; s.flags&isa.Lo128 != 0 {
			s.flags |= isa.Half
			s.half = halfBit7
		}
	}
	if b.halved(&c) {
		b.appendCandidate(c)
	}
}

// halved reports whether an operand is half of a VGPR.
func (b *builder) halved(c *candidate) bool {
	for i := range c.specs {
		if c.specs[i].half != halfNone {
			return true
		}
	}
	return false
}

// addWhole adds the additional gfx11 form of a candidate, which names whole
// VGPRs instead of low halves. It has op_sel only where selectsWhole reports
// so.
func (b *builder) addWhole(c candidate) {
	c.specs = append([]spec(nil), c.specs...)
	for i := range c.specs {
		s := &c.specs[i]
		s.half, s.at2, s.flags = halfNone, place{}, s.flags&^isa.Half
	}
	if c.mods.Has(ModOpSel) && !b.selectsWhole() {
		c.mods &^= ModOpSel.Bit()
		c.opSel, c.dstSel = place{}, -1
		for i := range c.specs {
			c.specs[i].sel = false
		}
	}
	b.appendCandidate(c)
}

// selectsWhole reports whether the instruction has op_sel with whole VGPRs: on
// gfx12 or, if gfx12 lacks the instruction, on gfx10.
func (b *builder) selectsWhole() bool {
	for _, s := range [...]isa.Set{isa.GFX1200, isa.GFX1030} {
		if has, is := b.hasOpSel(isa.NameOn(s, b.m.Text, b.set), s); is {
			return has
		}
	}
	return false
}

// hasOpSel reports whether an instruction of a set has op_sel in the builder's
// form, and whether the instruction exists.
func (b *builder) hasOpSel(name string, s isa.Set) (has, is bool) {
	id, ok := b.t.names.findName(name)
	if !ok {
		return false, false
	}
	n := &b.t.names.list[id]
	for e := n.first; e < n.last; e++ {
		if !e.Sets().Has(s) || e.Form() != b.c.form || e.Variant() != b.c.vari {
			continue
		}
		is = true
		ops := e.Operands()
		for i := range ops {
			has = has || ops[i].Field == isa.FieldOpSel
		}
	}
	return has, is
}

// placeOf returns the place of field f.
func (b *builder) placeOf(f isa.Field) place { return placeFrom(b.in.Place(f)) }

// nativePlace returns the place of a field of the native words, which the additional
// dword of a variant may hide.
func (b *builder) nativePlace(f isa.Field) place { return placeFrom(b.in.NativePlace(f)) }

func placeFrom(p isa.Place) place {
	if p.Width == 0 {
		return place{}
	}
	return place{p.Shift / 32, p.Shift % 32, p.Width}
}

// bitOf returns the place of bit i of p.
func (p place) bitOf(i uint8) place {
	if i >= p.width {
		return place{}
	}
	return place{p.word, p.shift + i, 1}
}

// presetField writes a value into the candidate's initial words.
func (b *builder) presetField(f isa.Field, v uint32) { b.presetAt(b.placeOf(f), v) }

func (b *builder) presetAt(p place, v uint32) {
	if p.width == 0 {
		return
	}
	m := uint32(1<<p.width-1) << p.shift
	b.c.words[p.word] = b.c.words[p.word]&^m | v<<p.shift&m
}

// addOperands builds the specs of the encoding's operands and records its
// modifiers.
func (b *builder) addOperands() {
	ops := b.enc.Operands()
	for i := range ops {
		o := &ops[i]
		if id := fieldMods[o.Field]; id != 0 && !b.isOperand(o) {
			b.addModifier(id-1, o.Field)
			continue
		}
		if s, ok := b.specOf(o); ok {
			b.c.specs = append(b.c.specs, s)
		}
	}
}

// isOperand reports whether o is an operand in the text although its field
// otherwise belongs to a modifier.
func (b *builder) isOperand(o *isa.OperandInfo) bool {
	return o.Class.Info().Files != 0
}

// fieldMods maps a field to its modifier plus 1.
var fieldMods = [256]Modifier{
	isa.FieldOffset: ModOffset + 1, isa.FieldOffset0: ModOffset0 + 1, isa.FieldOffset1: ModOffset1 + 1,
	isa.FieldCpol: ModCPol + 1, isa.FieldTfe: ModTFE + 1, isa.FieldLwe: ModLWE + 1, isa.FieldD16: ModD16 + 1,
	isa.FieldDa: ModDA + 1, isa.FieldUnorm: ModUnorm + 1, isa.FieldR128: ModR128 + 1, isa.FieldA16: ModA16 + 1,
	isa.FieldGds: ModGDS + 1, isa.FieldDmask: ModDMask + 1, isa.FieldDim: ModDim + 1, isa.FieldFormat: ModFormat + 1,
	isa.FieldClamp: ModClamp + 1, isa.FieldOmod: ModOMod + 1, isa.FieldOpSel: ModOpSel + 1, isa.FieldOpSelHi: ModOpSelHi + 1,
	isa.FieldNegLo: ModNegLo + 1, isa.FieldNegHi: ModNegHi + 1, isa.FieldBlgp: ModBLGP + 1, isa.FieldCbsz: ModCBSZ + 1,
	isa.FieldAbid: ModABID + 1, isa.FieldDppCtrl: ModDPPCtrl + 1, isa.FieldDpp8: ModDPP8 + 1,
	isa.FieldRowMask: ModRowMask + 1, isa.FieldBankMask: ModBankMask + 1, isa.FieldBoundCtrl: ModBoundCtrl + 1,
	isa.FieldFi: ModFI + 1, isa.FieldDstSel: ModDstSel + 1, isa.FieldDstUnused: ModDstUnused + 1,
	isa.FieldSrc0Sel: ModSrc0Sel + 1, isa.FieldSrc1Sel: ModSrc1Sel + 1, isa.FieldWaitvdst: ModWaitVDst + 1,
	isa.FieldWaitvsrc: ModWaitVMVSrc + 1, isa.FieldWaitexp: ModWaitExp + 1, isa.FieldHigh: ModHigh + 1,
	isa.FieldByteSel: ModByteSel + 1, isa.FieldScaleSel: ModScaleSel + 1, isa.FieldBitop3: ModBitOp3 + 1,
	isa.FieldIndexKey8bit: ModIndexKey + 1, isa.FieldIndexKey16bit: ModIndexKey + 1, isa.FieldIndexKey32bit: ModIndexKey + 1,
	isa.FieldMatrixAFmt: ModMatrixAFmt + 1, isa.FieldMatrixBFmt: ModMatrixBFmt + 1,
	isa.FieldMatrixAScale: ModMatrixAScale + 1, isa.FieldMatrixBScale: ModMatrixBScale + 1,
	isa.FieldMatrixAScaleFmt: ModMatrixAScaleFmt + 1, isa.FieldMatrixBScaleFmt: ModMatrixBScaleFmt + 1,
	isa.FieldMatrixAReuse: ModMatrixAReuse + 1, isa.FieldMatrixBReuse: ModMatrixBReuse + 1,
	isa.FieldVm: ModVM + 1, isa.FieldCompr: ModCompr + 1, isa.FieldDone: ModDone + 1, isa.FieldRowEn: ModRowEn + 1,
}

// addModifier records a modifier and its place.
func (b *builder) addModifier(id Modifier, f isa.Field) {
	switch {
	case id == ModWaitVDst && b.set.Has(isa.PropRenamedVdst): // renamed in gfx12
		id = ModWaitVAVDst
	case id == ModR128 && b.placeOf(isa.FieldR128).width == 0: // a16 replaces it
		id, f = ModA16, isa.FieldA16
	}
	at := b.placeOf(f)
	switch {
	case id == ModOMod && b.c.vari == isa.SDWA && b.set.Gen() == isa.Gen8, (id == ModVM || id == ModCompr) && at.width == 0:
		return
	}
	b.c.mods |= id.Bit()
	switch id {
	case ModDPPCtrl, ModDPP8, ModDim:
		b.c.need |= id.Bit()
	case ModGDS:
		if b.c.traits.Any(isa.TraitGdsonly) {
			b.c.need |= id.Bit()
		}
	}
	if v := modDefaults[id]; v != 0 {
		b.presetField(f, uint32(v))
	}
	if b.c.vari == isa.Native { // v_permlane16_swap
		switch id {
		case ModFI:
			at = b.c.opSel.bitOf(0)
		case ModBoundCtrl:
			at = b.c.opSel.bitOf(1)
		}
	}
	if id == ModClamp && b.c.traits.Any(isa.TraitVop3b) && !b.set.Has(isa.PropVop3bClamp) {
		at = place{} // occupied by the scalar result
	}
	b.c.fields = append(b.c.fields, modField{id, f, at})
}

// modDefaults lists the nonzero values of modifiers that are not written.
var modDefaults = [NumModifiers]uint8{
	ModRowMask: 15, ModBankMask: 15, ModDstSel: isa.SDWASelDWord, ModSrc0Sel: isa.SDWASelDWord,
	ModSrc1Sel: isa.SDWASelDWord, ModDstUnused: isa.SDWAUnusedPreserve,
}

// presetFixed writes the fields with fixed values.
func (b *builder) presetFixed() {
	t := b.c.traits
	switch b.c.form {
	case isa.VOP3P:
		b.opSelHiDefault()
		if b.hasOperandIn(isa.FieldMatrixBScale) { // the second half of a pair with its own scales
			b.presetAt(b.bitsAt(50, 9), codeVGPR)
		}
	case isa.VOP3PX:
		if b.set.Gen() == isa.Gen940 {
			b.presetAt(b.bitsAt(75, 1), 1)
			return
		}
		b.presetAt(b.bitsAt(50, 9), codeVGPR)
		if !b.hasOperandIn(isa.FieldMatrixBFmt) { // op_sel_hi of the second half
			b.presetAt(b.bitsAt(78, 1), 1)
			b.presetAt(b.bitsAt(123, 2), 3)
		}
	case isa.VOP1, isa.VOP2:
		if b.c.vari == isa.SDWA && b.hasOperandIn(isa.FieldSrc0) && !b.hasOperandIn(isa.FieldDstSel) {
			b.presetField(isa.FieldDstSel, isa.SDWASelDWord)
		}
	case isa.VOP3:
		// A comparison that writes exec names it as its result.
		if t.Any(isa.TraitDefExec) && b.set.Has(isa.PropCmpxExec) && !b.hasOperandIn(isa.FieldVdst) && !b.hasOperandIn(isa.FieldSdst) {
			b.presetAt(b.nativePlace(isa.FieldVdst), 126)
		}
	case isa.MAI:
		if !b.hasOperandIn(isa.FieldSrc1) { // v_accvgpr_read and v_accvgpr_write
			b.presetAt(b.bitsAt(59, 2), 3)
			b.presetAt(b.bitsAt(14, 1), 1)
		}
	case isa.EXP:
		b.c.mods |= ModDone.Bit()
		b.c.fields = append(b.c.fields, modField{ModDone, isa.FieldDone, b.placeOf(isa.FieldDone)})
		if p := b.placeOf(isa.FieldRowEn); p.width != 0 {
			b.c.mods |= ModRowEn.Bit()
			b.c.fields = append(b.c.fields, modField{ModRowEn, isa.FieldRowEn, p})
		}
	}
}

// bitsAt returns the place of width bits from bit shift of the first word on.
func (b *builder) bitsAt(shift, width uint8) place { return place{shift / 32, shift % 32, width} }

// hasOperandIn reports whether the encoding has an operand in a field.
func (b *builder) hasOperandIn(f isa.Field) bool {
	ops := b.enc.Operands()
	for i := range ops {
		if ops[i].Field == f {
			return true
		}
	}
	return false
}

// opSelHiDefault sets the op_sel_hi bits of the absent sources, or all of them
// if the instruction has no op_sel_hi.
func (b *builder) opSelHiDefault() {
	implicit := uint32(7)
	switch {
	case b.hasOperandIn(isa.FieldMatrixBFmt), b.hasOperandIn(isa.FieldMatrixBScale):
		return
	case b.hasOperandIn(isa.FieldMatrixBReuse): // its third bit
		b.presetAt(b.nativePlace(isa.FieldOpSelHi), 3)
		return
	case !b.hasOperandIn(isa.FieldOpSelHi):
	case b.hasOperandIn(isa.FieldSrc2):
		implicit = 0
	case b.hasOperandIn(isa.FieldSrc1):
		implicit = 4
	case b.hasOperandIn(isa.FieldSrc0):
		implicit = 6
	}
	v := implicit
	if b.c.traits.Any(isa.TraitPacked) {
		v |= uint32(b.c.srcMods)
	}
	b.c.implicitHi = uint8(implicit)
	b.presetAt(b.nativePlace(isa.FieldOpSelHi), v)
	b.presetAt(b.nativePlace(isa.FieldOpSelHi2), v>>2)
}

// resultSel finds the result's bit of op_sel in the text: the one after the
// bits of the sources.
func (b *builder) resultSel() {
	if !b.c.mods.Has(ModOpSel) || b.c.form != isa.VOP3 && b.c.form != isa.VINTERP && b.c.form != isa.VOP3INTERP || !b.hasOperandIn(isa.FieldVdst) {
		return
	}
	n := int8(0)
	for i := range b.c.specs {
		if b.c.specs[i].src >= 0 {
			n++
		}
	}
	if b.selectsResult(n) || b.c.form == isa.VOP3INTERP {
		n, b.c.plainSel = 3, 4
	}
	b.c.dstSel = n
}

// selectsResult reports whether op_sel of an instruction with n sources has a
// bit for the old value of the result, which is a third source.
func (b *builder) selectsResult(n int8) bool {
	return n == 2 && b.c.variant == variantVOP3 && b.c.traits.Has(isa.TraitSrcin|isa.TraitOpsel) && !b.c.enc.Kinds().Any(isa.KindKeephalf)
}

// specOf returns the spec of an operand. ok is false if the operand does not
// appear in the text.
func (b *builder) specOf(o *isa.OperandInfo) (s spec, ok bool) {
	s = spec{src: -1, field: o.Field, at: b.placeOf(o.Field), syntax: syntaxes[o.Class]}
	info := o.Class.Info()
	switch o.Field {
	case isa.FieldVcc:
		s.kind = specVCC
		return s, true
	case isa.FieldAttr:
		s.kind, s.at2, s.syntax = specAttr, b.placeOf(isa.FieldAttrchan), SyntaxAttr
		return s, true
	case isa.FieldTgt:
		s.kind, s.syntax = specCustom, SyntaxExpTarget
		return s, true
	case isa.FieldAttrchan, isa.FieldEn, isa.FieldAddr, isa.FieldOff, isa.FieldSaddr:
		return s, info.Files != 0 && b.completeValue(&s, o)
	case isa.FieldImm:
		s.kind, s.typ = specK, o.Type
		return s, true
	}
	switch {
	case o.Class == isa.ClassM0:
		s.kind = specM0
	case o.Class == isa.ClassBr:
		s.kind = specBranch
	case s.syntax != SyntaxPlain:
		s.kind = specCustom
	case o.Type == isa.SplitBarrier:
		s.kind, s.files, s.dwords, s.typ = specValue, isa.FileC, 1, isa.CI32
	case info.Files != 0:
		return s, b.completeValue(&s, o)
	default:
		b.completeImmediate(&s, o)
	}
	return s, true
}

// completeImmediate completes the spec of a plain number.
func (b *builder) completeImmediate(s *spec, o *isa.OperandInfo) {
	s.kind = specImm
	s.hi = 1<<s.at.width - 1
	switch {
	case b.c.form == isa.SOPC: // s_set_gpr_idx_on
		s.kind, s.syntax = specCustom, SyntaxGprIdx
	case s.at.width == 16 && !b.c.enc.Kinds().Any(isa.KindUnsigned):
		s.lo = -1 << 15
	case o.Field == isa.FieldSdata && b.set.Has(isa.PropSmemOffset24): // 7 bits in the text
		s.at.width = 5
	}
}

// completeValue completes the spec of a register or constant.
func (b *builder) completeValue(s *spec, o *isa.OperandInfo) bool {
	info := o.Class.Info()
	s.kind, s.files, s.dwords, s.flags, s.typ = specValue, info.Files, info.Dwords, info.Flags, o.Type
	form, vari := b.c.form, b.c.vari
	if o.Type != isa.NoType {
		s.files |= isa.FileC
	}
	if b.c.form == isa.VOP3 && b.c.traits.Any(isa.TraitTrans) && s.field == isa.FieldSrc0 {
		s.files |= isa.FileV // LLVM accepts VGPRs, too
	}
	switch {
	case vari == isa.SDWA && form == isa.VOPC && o.Field == isa.FieldSdst && b.set.Gen() == isa.Gen8:
		s.kind, s.files = specVCC, isa.FileS
		s.at = place{}
		return true
	case form == isa.EXP:
		s.kind = specExport
		b.c.hasOff = true
	case vari == isa.SDWA && (o.Field == isa.FieldSrc0 || o.Field == isa.FieldSrc1):
		s.scalar = b.placeOf(sdwaScalar[srcOf(o.Field)])
		if s.scalar.width == 0 { // gfx8 accepts VGPRs only
			s.files = isa.FileV
		}
	case o.Field == isa.FieldSbase:
		s.shr = 1
	case s.at.width == 5 && (o.Field == isa.FieldSrsrc || o.Field == isa.FieldSsamp):
		s.shr = 2
	}
	if s.files&isa.FileA != 0 && agprForms[form] && !b.loadsAGPRs() {
		s.files &^= isa.FileA
	}
	if b.c.traits.Any(isa.TraitGws) { // the first of the two registers
		s.dwords = 1
	}
	b.constantType(s, o)
	b.placeAccumulator(s, o)
	b.sourceMods(s, o)
	if b.c.variant == variantVOP3DPP && s.src == 1 && b.set == isa.GFX1100 { // gfx11.5 accepts scalars
		s.files = isa.FileV
	}
	if info.Flags&isa.Half != 0 {
		b.placeHalf(s, o)
	}
	if b.c.variant == variantDefault && vari >= isa.DualX {
		b.moveToHalf(s, o)
	}
	return true
}

// constantType corrects the type of constants where the rules of LLVM's
// assembler differ from its disassembler's.
func (b *builder) constantType(s *spec, o *isa.OperandInfo) {
	if !s.typ.InlineOnly() || !o.Mods || s.typ.Bits() != 16 || s.typ.Packed() {
		return
	}
	switch {
	case b.c.form == isa.VOP3P && !b.c.traits.Any(isa.TraitNegLo): // the mixed multiply-adds accept literals
		s.mixed = true
		if b.c.vari == isa.Native {
			s.typ = s.typ.Base()
		}
	case s.typ == isa.CF16 && !o.Neg: // v_ldexp_f16
		s.typ = isa.CI16
	}
}

// sdwaScalar lists the bits of an SDWA dword that mark scalar sources.
var sdwaScalar = [2]isa.Field{isa.FieldSrc0S, isa.FieldSrc1S}

// srcOf returns the source index of a field, -1 for none.
func srcOf(f isa.Field) int8 {
	switch f {
	case isa.FieldSrc0:
		return 0
	case isa.FieldSrc1:
		return 1
	case isa.FieldSrc2:
		return 2
	}
	return -1
}

// placeAccumulator finds the bit that marks an operand as an AGPR.
func (b *builder) placeAccumulator(s *spec, o *isa.OperandInfo) {
	if s.files&isa.FileA == 0 {
		return
	}
	f := isa.FieldAcc
	switch o.Field {
	case isa.FieldVdst, isa.FieldSrc2:
		if b.c.form == isa.MAI || b.c.form == isa.VOP3PX {
			f = isa.FieldAccCd
			if !b.loadsAGPRs() || !b.hasOperandIn(isa.FieldSrc1) { // always AGPRs
				return
			}
		}
	case isa.FieldSrc0:
		f = isa.FieldAcc0
	case isa.FieldSrc1:
		f = isa.FieldAcc1
	}
	s.acc = b.placeOf(f)
	if f == isa.FieldAccCd && o.Field == isa.FieldSrc2 && s.files&isa.FileV == 0 {
		s.acc = place{} // implied by the result
	}
}

// sourceMods finds the modifiers that the text of a source may have, and their
// bits.
func (b *builder) sourceMods(s *spec, o *isa.OperandInfo) {
	s.src = srcOf(o.Field)
	if s.src < 0 || !o.Mods {
		return
	}
	s.sel = true
	b.c.srcMods |= 1 << s.src
	s.mods = b.textMods(o)
	i := uint8(s.src)
	switch b.c.vari {
	case isa.SDWA, isa.DPP:
		if i > 1 {
			return
		}
		f := &extraMods[i]
		s.neg, s.abs, s.sext = b.placeOf(f.neg), b.placeOf(f.abs), b.placeOf(f.sext)
		return
	}
	s.neg = b.nativePlace(isa.FieldNeg).bitOf(i)
	switch b.c.form {
	case isa.VOP3P:
		s.abs = b.nativePlace(isa.FieldNegHi).bitOf(i)
	case isa.VOP3INTERP:
		s.neg = b.nativePlace(isa.FieldNeg).bitOf(interpSource(o.Field))
		s.abs = b.nativePlace(isa.FieldAbs).bitOf(interpSource(o.Field))
	case isa.VOP3:
		if !b.c.traits.Any(isa.TraitVop3b) {
			s.abs = b.nativePlace(isa.FieldAbs).bitOf(i)
		}
	}
}

// interpSource returns the modifier bit of a source of VOP3INTERP. Its first
// source uses the bit of the second source of other forms.
func interpSource(f isa.Field) uint8 {
	if f == isa.FieldSrc0 {
		return 0
	}
	return 1
}

// extraMods lists the fields of modifiers in a DPP or SDWA dword.
var extraMods = [2]struct{ neg, abs, sext isa.Field }{
	{isa.FieldSrc0Neg, isa.FieldSrc0Abs, isa.FieldSrc0Sext},
	{isa.FieldSrc1Neg, isa.FieldSrc1Abs, isa.FieldSrc1Sext},
}

// textMods returns the modifiers that the text of an operand may have.
func (b *builder) textMods(o *isa.OperandInfo) OperandMods {
	switch b.c.form {
	case isa.VOP3PX, isa.MAI:
		return 0
	case isa.VOP3P:
		if b.c.traits.Any(isa.TraitNegLo) || o.Type.Packed() {
			return 0
		}
	}
	switch {
	case b.c.vari == isa.SDWA && o.Sext:
		return Sext
	case b.c.vari == isa.SDWA && !o.Neg:
		return 0
	case o.Type == isa.NoType:
		if o.Neg {
			return NegAbs
		}
		return 0
	case b.c.form == isa.VOPD3:
		return Neg
	case o.Type == isa.F16 && !o.Neg: // v_ldexp_f16
		return 0
	case o.Type.Float(), b.selectsByMask():
		return NegAbs
	}
	return 0
}

// selectsByMask reports whether the encoding is v_cndmask, in which a lane mask
// selects between sources. They accept neg and abs although they are integers.
func (b *builder) selectsByMask() bool {
	ops := b.enc.Operands()
	for i := range ops {
		if ops[i].Field == isa.FieldSrc2 {
			return ops[i].Class.Info().Flags&isa.Mask != 0
		}
	}
	return false
}

// placeHalf finds the encoding of the half of a VGPR.
func (b *builder) placeHalf(s *spec, o *isa.OperandInfo) {
	switch b.c.form {
	case isa.VOP1, isa.VOP2, isa.VOPC:
		s.half = halfBit7
		return
	}
	s.half = halfOpSel
	i := uint8(3)
	if s.src >= 0 {
		i = uint8(s.src)
	}
	s.at2 = b.nativePlace(isa.FieldOpSel).bitOf(i)
}

// dualFields lists the fields of the halves of a VOPD pair.
var dualFields = [2]struct{ vdst, src0, src1, src2, neg isa.Field }{
	{isa.FieldVdstX, isa.FieldSrc0X, isa.FieldSrc1X, isa.FieldSrc2X, isa.FieldNegX},
	{isa.FieldVdstY, isa.FieldSrc0Y, isa.FieldSrc1Y, isa.FieldSrc2Y, isa.FieldNegY},
}

// moveToHalf moves an operand of a VOPD half to the fields of that half.
func (b *builder) moveToHalf(s *spec, o *isa.OperandInfo) {
	f := &dualFields[b.c.vari-isa.DualX]
	b.c.pair = true
	switch o.Field {
	case isa.FieldVdst:
		s.at = b.placeOf(f.vdst)
		if b.c.form == isa.VOPD && b.c.vari == isa.DualY {
			s.shr = 1
		}
	case isa.FieldSrc0:
		s.at = b.placeOf(f.src0)
	case isa.FieldSrc1:
		s.at = b.placeOf(f.src1)
	case isa.FieldSrc2:
		s.at = b.placeOf(f.src2)
	}
	if s.src >= 0 && o.Mods {
		s.neg, s.abs = b.placeOf(f.neg).bitOf(uint8(s.src)), place{}
	}
}
