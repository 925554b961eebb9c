package mir

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// Encode returns the processor's instruction for a machine operation whose
// operands are physical registers and constants. References to blocks and
// symbols are encoded as 0. Encode chooses the shortest encoding that fits the
// operands. An error names the operand that cannot be encoded; it indicates an
// invalid function.
func (f *Func) Encode(i Instr) (isa.Inst, error) {
	e := encoder{f: f, i: i, x: f.Info(i), mods: f.Mods(i), ext: f.Ext(i), defs: f.Defs(i), uses: f.Uses(i)}
	if f.Op(i).IsPseudo() || len(e.x.Encs) == 0 {
		return isa.Inst{}, fmt.Errorf("%v does not support instruction %v", f.M.Set, f.Op(i))
	}
	if f.extraSlot(i) != nil {
		e.uses = e.uses[:len(e.uses)-1]
	}
	if len(e.defs) == e.x.Defs+1 && e.x.Return != isa.NoEnc {
		e.old, e.defs = &e.defs[0], e.defs[1:]
	}
	if len(e.defs) != e.x.Defs || !e.x.takesUses(len(e.uses)) {
		return isa.Inst{}, fmt.Errorf("%v with %d results and %d sources", f.Op(i), len(e.defs), len(e.uses))
	}
	return e.encode()
}

type encoder struct {
	f    *Func
	i    Instr
	x    *OpInfo
	mods Mods
	ext  Ext
	defs []Operand
	uses []Operand
	old  *Operand // the result of an atomic operation that returns the old value
	in   isa.Inst
	err  error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s: %s", e.f.AppendInstr(nil, e.i), fmt.Sprintf(format, args...))
	}
}

func (e *encoder) encode() (isa.Inst, error) {
	enc := e.choose()
	if enc == isa.NoEnc {
		return isa.Inst{}, fmt.Errorf("%s: no encoding accepts the operands", e.f.AppendInstr(nil, e.i))
	}
	m := e.f.M
	e.in = isa.New(enc, m.Set, m.Wave)
	e.presets()
	if e.x.IsImage() {
		e.image()
		e.returned(enc)
		e.modifiers()
		return e.in, e.err
	}
	for n := range e.defs {
		e.operand(&e.x.Slots[n], &e.defs[n])
	}
	e.returned(enc)
	for n := range e.uses {
		e.operand(&e.x.Slots[e.x.Defs+n], &e.uses[n])
	}
	if enc.MovesRay() { // the direction follows the origin
		e.in.SetField(isa.FieldVaddr3, e.in.Field(isa.FieldVaddr2)+uint32(enc.RayParts(false)[2]))
	}
	e.modifiers()
	e.extra()
	return e.in, e.err
}

// returned encodes the result of an atomic operation that returns the old
// value.
func (e *encoder) returned(enc isa.Enc) {
	if e.old == nil {
		return
	}
	field := isa.FieldVdst
	if !e.in.HasField(field) || enc.Form() != isa.FLAT {
		field = isa.FieldVdata
	}
	e.register(field, e.old)
}

// choose selects the encoding.
func (e *encoder) choose() isa.Enc {
	x := e.x
	switch e.ext.Kind() {
	case ExtDPP:
		if x.DPP != isa.NoEnc && e.mods&^(3*Neg0|3*Abs0) == 0 && e.fits(x.DPP) {
			return x.DPP
		}
		return x.DPP64
	case ExtDPP8:
		return x.DPP8
	case ExtSDWA:
		return x.SDWA
	}
	if e.old != nil {
		return e.alternative(x.Return)
	}
	if x.Short != isa.NoEnc && e.mods == 0 && e.fits(x.Short) {
		return x.Short
	}
	return e.alternative(x.Encs...)
}

// alternative returns the first encoding whose operands are in the right files.
func (e *encoder) alternative(encs ...isa.Enc) isa.Enc {
	for _, c := range encs {
		if e.takesFiles(c) {
			return c
		}
	}
	return isa.NoEnc
}

// takesFiles reports whether the encoding accepts the files of the
// instruction's vector operands.
func (e *encoder) takesFiles(c isa.Enc) bool {
	if len(e.x.Encs) == 1 && e.x.Return == isa.NoEnc {
		return true
	}
	if c.Traits().Any(isa.TraitTensor) && c.Form() == isa.VIMAGE {
		return slices.ContainsFunc(c.Operands(), func(o isa.OperandInfo) bool { return o.Field == isa.FieldVaddr3 }) == (e.uses[3].Kind != KindNone)
	}
	sized := c.Traits().Any(isa.TraitF8f6f4)
	for _, o := range c.Operands() {
		files := o.Class.Info().Files & (isa.FileV | isa.FileA)
		if p := e.at(o.Field); p != nil && p.Kind == KindReg && files != 0 {
			if file := e.f.File(p.Reg()); (file == FileV || file == FileA) && file.files()&files == 0 {
				return false
			}
			if n := int(o.Class.Info().Dwords); sized && n != 0 && e.f.OperandDwords(p) != n {
				return false
			}
		}
	}
	return true
}

// at returns the operand of a field, or nil if the instruction has none.
func (e *encoder) at(field isa.Field) *Operand {
	for n := range e.x.Slots {
		s := &e.x.Slots[n]
		if s.Field == field && !s.Tied && s.Kind != SlotFixed {
			return e.slotOperand(n)
		}
	}
	if e.old != nil && field == isa.FieldVdst {
		return e.old
	}
	return nil
}

// slotOperand returns the operand of a slot.
func (e *encoder) slotOperand(n int) *Operand {
	if n < e.x.Defs {
		return &e.defs[n]
	}
	return &e.uses[n-e.x.Defs]
}

// fits reports whether the operands fit VOP1, VOP2 or VOPC: VCC for masks and a
// VGPR for the second source. With DPP, all sources must be VGPRs.
func (e *encoder) fits(short isa.Enc) bool {
	vcc := 0
	for _, o := range short.Operands() {
		class := o.Class.Info()
		p := e.at(o.Field)
		switch {
		case o.Field == isa.FieldVcc:
			vcc++
		case class.Files == 0 || p == nil:
		case !e.takes(class, p):
			return false
		}
	}
	masks := 0
	for n := range e.x.Slots {
		s := &e.x.Slots[n]
		if s.Class&isa.Mask == 0 {
			continue
		}
		if e.slotOperand(n).Reg() != VCC {
			return false
		}
		masks++
	}
	return masks == vcc
}

// takes reports whether an operand class accepts an operand.
func (e *encoder) takes(c isa.ClassInfo, p *Operand) bool {
	if p.Kind != KindReg {
		return c.Files&isa.FileC != 0
	}
	r := p.Reg()
	file := e.f.File(r)
	if file == FileSCC { // as src_scc
		file = FileS
	}
	if file.files()&c.Files == 0 {
		return false
	}
	return file != FileV || c.Flags&isa.Lo128 == 0 || r.Index() < 128
}

// presets sets the fields whose default is not 0.
func (e *encoder) presets() {
	in := &e.in
	switch form := in.Enc.Form(); {
	case form == isa.FLAT && (in.Set.Has(isa.PropNull) || in.Enc.Traits().Any(isa.TraitGlobal|isa.TraitScratch)):
		in.SetField(isa.FieldSaddr, noSAddr(in.Set))
	case form == isa.SMEM && in.Set.Has(isa.PropNull) && e.at(isa.FieldSoffset) != nil:
		in.SetField(isa.FieldSoffset, noSAddr(in.Set))
	case form == isa.MUBUF && in.Set.Has(isa.PropVbuffer):
		in.SetField(isa.FieldFormat, isa.FormatDefault(in.Set))
	case form == isa.VIMAGE && in.Enc.Traits().Any(isa.TraitTensor):
		in.SetField(isa.FieldDim, 1)
		in.SetField(isa.FieldDmask, 1)
		for _, f := range [...]isa.Field{isa.FieldVaddr2, isa.FieldVaddr3, isa.FieldVaddr4} {
			in.SetField(f, scalarCode(in.Set, Null))
		}
	}
	if in.Enc.RayParts(false) != nil {
		e.presetRay()
	}
	if in.Enc.Traits().Any(isa.TraitLds) && in.HasField(isa.FieldLds) {
		in.SetField(isa.FieldLds, 1)
	}
}

// presetRay sets the constant fields of ray tracing, and a16 by the size of the
// address.
func (e *encoder) presetRay() {
	in := &e.in
	in.SetField(isa.FieldDmask, 15)
	in.SetField(isa.FieldR128, 1)
	a16 := false
	if in.Enc.Form() == isa.MIMG {
		in.SetField(isa.FieldUnorm, 1)
		a16 = e.f.OperandDwords(&e.uses[0]) == isa.ImageAddrSize(in.Enc, nil, true, false)
	} else if !in.Enc.MovesRay() {
		a16 = e.uses[4].Kind == KindNone
	}
	if a16 {
		in.SetField(isa.FieldA16, 1)
	}
}

// noSAddr returns the encoding of a missing scalar address.
func noSAddr(s isa.Set) uint32 {
	if !s.Has(isa.PropNull) {
		return 127
	}
	return scalarCode(s, Null)
}

// scalarCode returns the source encoding of a scalar register.
func scalarCode(s isa.Set, r Reg) uint32 {
	if s.Has(isa.PropM0125) {
		switch r {
		case M0:
			return 125
		case Null:
			return 124
		}
	}
	return uint32(r - SGPR0)
}

func (e *encoder) operand(s *Slot, o *Operand) {
	switch {
	case s.Field == isa.FieldDone:
		e.exportFlags(o.Imm)
	case s.Kind == SlotFixed, s.Tied, s.Kind == SlotTarget, o.Kind == KindNone && s.Field != isa.FieldVaddr && s.Field != isa.FieldSaddr:
	case s.Field == isa.FieldSoffset && e.in.Enc.Form() == isa.SMEM || s.Field == isa.FieldSoffset && e.in.Enc.Form() == isa.SMRD:
		e.scalarOffset(o)
	case s.Field == isa.FieldVaddr, s.Field == isa.FieldSaddr:
		e.address(s.Field, o)
	case s.takesM0() && o.Kind == KindReg:
		e.register(s.Field, o)
	case s.takesM0() && o.Imm < 64: // a barrier number as an inline constant
		e.in.SetField(s.Field, uint32(inlineBarrier(o.Imm)))
	case s.Kind == SlotImm:
		e.imm(s.Field, o.Imm)
	case o.Kind == KindReg:
		e.register(s.Field, o)
	default:
		e.constant(s, o)
	}
}

// exportFlags encodes the flags of an export.
func (e *encoder) exportFlags(flags int64) {
	for n, f := range [...]isa.Field{isa.FieldDone, isa.FieldVm, isa.FieldCompr, isa.FieldRowEn} {
		switch {
		case flags>>n&1 == 0:
		case e.in.HasField(f):
			e.in.SetField(f, 1)
		default:
			e.fail("%v has no %v", e.in.Set, f)
		}
	}
}

// inlineBarrier returns the source encoding of a barrier number, -16 to 63.
func inlineBarrier(n int64) int64 {
	if n < 0 {
		return 192 - n
	}
	return 128 + n
}

// address encodes a part of a FLAT or buffer address.
func (e *encoder) address(field isa.Field, o *Operand) {
	in := &e.in
	t := in.Enc.Traits()
	if o.Kind == KindReg {
		if field == isa.FieldVaddr && t.Any(isa.TraitScratch) {
			in.SetField(isa.FieldSve, 1)
		}
		e.register(field, o)
		return
	}
	if field == isa.FieldSaddr && t.Any(isa.TraitScratch) && in.Set.Gen() == isa.Gen10 && e.at(isa.FieldVaddr).Kind == KindNone {
		in.SetField(isa.FieldSaddr, 127)
	}
}

// scalarOffset encodes the offset register of a scalar address.
func (e *encoder) scalarOffset(o *Operand) {
	in := &e.in
	if o.Kind != KindReg {
		if o.Kind != KindNone {
			e.fail("a scalar offset must be a register")
		}
		return
	}
	code := scalarCode(in.Set, o.Reg())
	offset := e.at(isa.FieldOffset).Imm
	switch {
	case in.Set.Has(isa.PropNull):
		in.SetField(isa.FieldSoffset, code)
	case in.Set.Has(isa.PropSmemBoth) && offset != 0:
		in.SetField(isa.FieldSoffsetEn, 1)
		in.SetField(isa.FieldSoffset, code)
	case offset != 0:
		e.fail("a scalar address cannot have both a register and a constant offset")
	default:
		in.SetField(isa.FieldOffset, code)
	}
}

// imm encodes a constant that is not a source.
func (e *encoder) imm(field isa.Field, v int64) {
	in := &e.in
	switch form := in.Enc.Form(); {
	case field == isa.FieldSdata:
	case form == isa.SMEM, form == isa.SMRD:
		e.scalarImm(v)
		return
	case field == isa.FieldImm:
		if in.Field(isa.FieldSrc0) == srcLiteral && in.Literal() != uint64(uint32(v)) {
			e.fail("more than one literal")
		}
		in.SetLiteral(uint64(uint32(v)), 4)
		return
	case field == isa.FieldOffset0:
		in.SetField(isa.FieldOffset0, uint32(v)&0xff)
		in.SetField(isa.FieldOffset1, uint32(v)>>8)
		if v < 0 || v > 0xffff {
			e.fail("offsets %#x do not fit", v)
		}
		return
	}
	width := in.Place(field).Width
	if width == 0 && v == 0 {
		return
	}
	if v < -(1<<width>>1) || v >= 1<<width {
		e.fail("%#x does not fit %v, which has %d bits", v, field, width)
	}
	in.SetField(field, uint32(v))
}

// scalarImm encodes the constant offset of a scalar address, in bytes. gfx6 and
// gfx7 encode it in dwords.
func (e *encoder) scalarImm(v int64) {
	in := &e.in
	null := in.Set.Has(isa.PropNull)
	if e.soffset() != nil && !null && (v == 0 || !in.Set.Has(isa.PropSmemBoth)) {
		return // the offset is the register alone
	}
	if !null {
		in.SetField(isa.FieldImm, 1)
	}
	if !in.Set.Has(isa.PropByteOffset) {
		if v&3 != 0 {
			e.fail("offset %#x is not a multiple of 4", v)
		}
		v >>= 2
		if in.Set.Has(isa.PropSmrdLiteral) && v > 255 {
			in.SetField(isa.FieldImm, 0)
			in.SetField(isa.FieldOffset, 255)
			in.SetLiteral(uint64(uint32(v)), 4)
			return
		}
	}
	width := in.Place(isa.FieldOffset).Width
	if v < -(1<<width>>1) || v >= 1<<width {
		e.fail("offset %#x does not fit", v)
	}
	in.SetField(isa.FieldOffset, uint32(v))
}

// soffset returns the scalar offset of a scalar address, or nil if it has none.
func (e *encoder) soffset() *Operand {
	if o := e.at(isa.FieldSoffset); o != nil && o.Kind == KindReg {
		return o
	}
	return nil
}

// register encodes a register.
func (e *encoder) register(field isa.Field, o *Operand) {
	in := &e.in
	r := o.Reg()
	if r.IsVirtual() {
		e.fail("unexpected virtual register")
		return
	}
	width := in.Place(field).Width
	switch file := e.f.File(r); file {
	case FileV, FileA:
		n := uint32(r.Index())
		if n > 255 {
			if !in.SetBank(field, n>>8) {
				e.fail("%v does not reach VGPRs above v255", field)
			}
			n &= 255
		}
		if width == 9 {
			n |= 256
		}
		in.SetField(field, n)
		if file == FileA {
			e.accumulator(field)
		}
	default:
		e.scalar(field, width, scalarCode(in.Set, r))
	}
}

// scalar encodes a scalar register. Some tuple fields omit the low bits.
func (e *encoder) scalar(field isa.Field, width uint8, code uint32) {
	in := &e.in
	switch {
	case field == isa.FieldSrsrc && in.Place(isa.FieldRsrc).Width != 0:
		field = isa.FieldRsrc
	case (field == isa.FieldSrsrc || field == isa.FieldSsamp) && width == 5:
		code >>= 2
	case field == isa.FieldSbase:
		code >>= 1
	case in.Enc.Variant() == isa.SDWA && field == isa.FieldVdst && in.HasField(isa.FieldSd):
		if code != uint32(VCC-SGPR0) {
			in.SetField(isa.FieldSdst, code)
			in.SetField(isa.FieldSd, 1)
		}
		return
	}
	e.source(field, code)
}

// source encodes a source that is not a VGPR. SDWA marks it with a separate
// bit.
func (e *encoder) source(field isa.Field, code uint32) {
	in := &e.in
	in.SetField(field, code)
	if in.Enc.Variant() != isa.SDWA {
		return
	}
	switch field {
	case isa.FieldSrc0:
		in.SetField(isa.FieldSrc0S, 1)
	case isa.FieldSrc1:
		in.SetField(isa.FieldSrc1S, 1)
	}
}

// accumulator sets the bit that selects AGPRs for a field.
func (e *encoder) accumulator(field isa.Field) {
	in := &e.in
	switch {
	case field == isa.FieldSrc0 && in.HasField(isa.FieldAcc0):
		in.SetField(isa.FieldAcc0, 1)
	case field == isa.FieldSrc1 && in.HasField(isa.FieldAcc1):
		in.SetField(isa.FieldAcc1, 1)
	case in.HasField(isa.FieldAccCd):
		if g := in.Set.Gen(); field == isa.FieldVdst && g != isa.Gen9 && e.at(isa.FieldSrc1) != nil {
			in.SetField(isa.FieldAccCd, 1)
		}
	default:
		in.SetField(isa.FieldAcc, 1)
	}
}

// constant encodes a constant source as an inline constant or a literal.
func (e *encoder) constant(s *Slot, o *Operand) {
	in := &e.in
	if o.Kind != KindImm {
		in.SetField(s.Field, srcLiteral)
		e.literal(0)
		return
	}
	if enc, ok := inlineEnc(in.Set, s.Type, o.Imm); ok {
		e.source(s.Field, uint32(enc))
		return
	}
	v := uint64(uint32(o.Imm))
	switch t := s.Type.Base(); {
	case t.Packed():
	case t.Bits() == 16:
		v &= 0xffff
	case t.Bits() == 64:
		if v = uint64(o.Imm); t == isa.F64 {
			if uint32(v) != 0 {
				e.fail("no literal can encode the low bits of %#x", v)
			}
			v >>= 32
		} else if v>>32 != 0 {
			e.fail("no literal can encode the high bits of %#x", v)
		}
	}
	if s.Type.InlineOnly() {
		e.fail("%#x is not an inline constant", o.Imm)
	}
	in.SetField(s.Field, srcLiteral)
	e.literal(v)
}

// srcLiteral is the source encoding of the literal that follows the instruction
// words.
const srcLiteral = 255

func (e *encoder) literal(v uint64) {
	in := &e.in
	switch {
	case in.LiteralSize() != 0 && in.Literal() != v:
		e.fail("more than one literal")
	case in.Enc.Variant() != isa.Native || in.Enc.Form() >= isa.VOP3 && in.Enc.Form() <= isa.VOP3P && !in.Set.Has(isa.PropVop3Literal):
		e.fail("%v does not support literals", in.Enc.Form())
	}
	in.SetLiteral(v, 4)
}

// modifiers encodes the modifiers.
func (e *encoder) modifiers() {
	in := &e.in
	m := e.mods
	switch e.x.Unit {
	case UnitSMEM, UnitVMEM, UnitFlat, UnitDS, UnitOther:
		in.SetCPol(m.CPol())
		if in.Enc.HasFormat() {
			in.SetField(isa.FieldFormat, uint32(m&FormatBits>>FormatShift))
		}
		for _, f := range [...]struct {
			mod   Mods
			field isa.Field
		}{{Offen, isa.FieldOffen}, {Idxen, isa.FieldIdxen}, {Addr64, isa.FieldAddr64}, {GDS, isa.FieldGds}, {TFE, isa.FieldTfe}} {
			if m&f.mod != 0 {
				in.SetField(f.field, 1)
			}
		}
		return
	case UnitMatrix:
		if e.x.Traits.Any(isa.TraitMai) {
			cbsz, abid, blgp := m.Matrix()
			in.SetField(isa.FieldCbsz, cbsz)
			in.SetField(isa.FieldAbid, abid)
			in.SetField(isa.FieldBlgp, blgp)
			if in.Enc.Form() == isa.VOP3PX {
				a, b := m.Scale()
				in.SetField(isa.FieldOpSel, a&1|b&1<<1)
				in.SetField(isa.FieldOpSelHi, a>>1|b>>1<<1)
			}
			return
		}
		if in.Enc.Form() == isa.VOP3PX {
			e.waveMatrix()
			return
		}
	}
	if in.Enc.Form() == isa.VOP3P {
		in.SetField(isa.FieldNeg, uint32(m/Neg0&7))
		in.SetField(isa.FieldNegHi, uint32(m/Abs0&7))
		in.SetField(isa.FieldOpSel, uint32(m/OpSel0&7))
		in.SetOpSelHi(uint32(m / OpSelHi0 & 7))
		in.SetField(isa.FieldClamp, uint32(m/Clamp&1))
		return
	}
	e.sourceMods(m)
	if in.HasClamp() {
		in.SetField(isa.FieldClamp, uint32(m/Clamp&1))
	}
	in.SetField(isa.FieldOmod, uint32(m&OModMask/OMod2))
	if m&(15*OpSel0) != 0 {
		in.SetField(isa.FieldOpSel, uint32(m/OpSel0&15))
	}
}

// extraMods holds the fields of neg and abs in DPP and SDWA dwords.
var extraMods = [2][2]isa.Field{{isa.FieldSrc0Neg, isa.FieldSrc0Abs}, {isa.FieldSrc1Neg, isa.FieldSrc1Abs}}

// sourceMods encodes neg and abs.
func (e *encoder) sourceMods(m Mods) {
	in := &e.in
	if v := in.Enc.Variant(); v == isa.DPP || v == isa.SDWA {
		for n, f := range extraMods {
			in.SetField(f[0], uint32(m/Neg0>>n&1))
			in.SetField(f[1], uint32(m/Abs0>>n&1))
		}
		return
	}
	if m&(7*Neg0) != 0 {
		in.SetField(isa.FieldNeg, uint32(m/Neg0&7))
	}
	if m&(7*Abs0) != 0 {
		in.SetField(isa.FieldAbs, uint32(m/Abs0&7))
	}
}

// extra encodes the DPP or SDWA dword.
func (e *encoder) extra() {
	in := &e.in
	switch e.ext.Kind() {
	case ExtDPP:
		d := e.ext.DPP()
		in.SetField(isa.FieldDppCtrl, uint32(d.Ctrl))
		in.SetField(isa.FieldRowMask, uint32(d.RowMask))
		in.SetField(isa.FieldBankMask, uint32(d.BankMask))
		in.SetField(isa.FieldBoundCtrl, uint32(btoi(d.BoundCtrl)))
		in.SetFetchInactive(d.FetchIn)
	case ExtDPP8:
		lanes, fi := e.ext.DPP8()
		in.SetField(isa.FieldDpp8, lanes)
		in.SetFetchInactive(fi)
	case ExtSDWA:
		s := e.ext.SDWA()
		in.SetField(isa.FieldDstSel, uint32(s.DstSel))
		in.SetField(isa.FieldDstUnused, uint32(s.DstUnused))
		in.SetField(isa.FieldSrc0Sel, uint32(s.SrcSel[0]))
		in.SetField(isa.FieldSrc1Sel, uint32(s.SrcSel[1]))
		in.SetField(isa.FieldSrc0Sext, uint32(btoi(s.Sext[0])))
		in.SetField(isa.FieldSrc1Sext, uint32(btoi(s.Sext[1])))
	}
}
