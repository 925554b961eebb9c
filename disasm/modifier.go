package disasm

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/isa"
)

// flagText lists the texts of one-bit modifiers by field.
var flagText = [256]string{
	isa.FieldClamp: " clamp", isa.FieldTfe: " tfe", isa.FieldLwe: " lwe", isa.FieldUnorm: " unorm", isa.FieldDa: " da",
	isa.FieldA16: " a16", isa.FieldD16: " d16", isa.FieldHigh: " high", isa.FieldCompr: " compr", isa.FieldVm: " vm",
}

// The following functions append an operand. They are called from switches on
// field or class rather than through tables: a call through a table would move
// the printer and the instruction to the heap.

// modifier appends an operand that is a modifier. is reports whether it is one.
func (p *printer) modifier(dst []byte, o *isa.OperandInfo) (out []byte, is bool) {
	if text := flagText[o.Field]; text != "" {
		if p.in.Field(o.Field) != 0 && (o.Field != isa.FieldClamp || p.in.Clamps()) {
			dst = append(dst, text...) // before gfx8 the scalar result occupies clamp's place
		}
		return dst, true
	}
	switch o.Field {
	case isa.FieldDmask:
		return isa.AppendModifier(dst, isa.ModDMask, p.in.Field(o.Field)), true
	case isa.FieldOffset0:
		return isa.AppendModifier(dst, isa.ModOffset0, p.in.Field(o.Field)), true
	case isa.FieldOffset1:
		return isa.AppendModifier(dst, isa.ModOffset1, p.in.Field(o.Field)), true
	case isa.FieldRowMask:
		return isa.AppendModifier(dst, isa.ModRowMask, p.in.Field(o.Field)), true
	case isa.FieldBankMask:
		return isa.AppendModifier(dst, isa.ModBankMask, p.in.Field(o.Field)), true
	case isa.FieldBoundCtrl:
		return isa.AppendModifier(dst, isa.ModBoundCtrl, p.in.BoundCtrl()), true
	case isa.FieldCbsz:
		return isa.AppendModifier(dst, isa.ModCBSZ, p.in.Field(o.Field)), true
	case isa.FieldAbid:
		return isa.AppendModifier(dst, isa.ModABID, p.in.Field(o.Field)), true
	case isa.FieldByteSel:
		return byteSel(p, dst, o), true
	case isa.FieldScaleSel:
		return scaleSel(p, dst, o), true
	case isa.FieldOffset:
		return dsOffset(p, dst, o), true
	case isa.FieldGds:
		return gds(p, dst, o), true
	case isa.FieldOmod:
		return omod(p, dst, o), true
	case isa.FieldOpSel:
		return opSel(p, dst, o), true
	case isa.FieldOpSelHi:
		return opSelHi(p, dst, o), true
	case isa.FieldNegLo:
		return negLo(p, dst, o), true
	case isa.FieldNegHi:
		return negHi(p, dst, o), true
	case isa.FieldDppCtrl:
		return dppCtrl(p, dst, o), true
	case isa.FieldDpp8:
		return dpp8(p, dst, o), true
	case isa.FieldFi:
		return fi(p, dst, o), true
	case isa.FieldDstSel, isa.FieldSrc0Sel, isa.FieldSrc1Sel:
		return sdwaSel(p, dst, o), true
	case isa.FieldDstUnused:
		return dstUnused(p, dst, o), true
	case isa.FieldCpol:
		return cpol(p, dst, o), true
	case isa.FieldR128:
		return r128(p, dst, o), true
	case isa.FieldBlgp:
		return blgp(p, dst, o), true
	case isa.FieldWaitexp:
		return waitExp(p, dst, o), true
	case isa.FieldWaitvdst:
		return waitVDst(p, dst, o), true
	case isa.FieldWaitvsrc:
		return waitVSrc(p, dst, o), true
	case isa.FieldAttrchan, isa.FieldEn:
		return dst, true
	case isa.FieldBitop3:
		return bitop3(p, dst, o), true
	case isa.FieldIndexKey8bit, isa.FieldIndexKey16bit, isa.FieldIndexKey32bit:
		return indexKey(p, dst, o), true
	case isa.FieldMatrixAFmt, isa.FieldMatrixBFmt, isa.FieldMatrixAScale, isa.FieldMatrixBScale, isa.FieldMatrixAScaleFmt, isa.FieldMatrixBScaleFmt:
		return matrix(p, dst, o), true
	case isa.FieldMatrixAReuse, isa.FieldMatrixBReuse:
		return matrixReuse(p, dst, o), true
	case isa.FieldDim:
		return isa.AppendDim(dst, p.in.Field(o.Field)), true
	}
	return dst, false
}

// immediate appends an operand with special syntax. is reports whether it has
// one.
func (p *printer) immediate(dst []byte, o *isa.OperandInfo) (out []byte, is bool) {
	switch o.Field {
	case isa.FieldOff:
		return scalarOffset(p, dst, o), true
	case isa.FieldAttr:
		return attr(p, dst, o), true
	case isa.FieldVcc:
		return vcc(p, dst, o), true
	case isa.FieldImm:
		return mandatory(p, dst, o), true
	case isa.FieldSdata:
		return sdata(p, dst, o), true
	}
	switch o.Class {
	case isa.ClassU16:
		return u16(p, dst, o), true
	case isa.ClassImm16:
		return imm16(p, dst, o), true
	case isa.ClassVersion:
		return version(p, dst, o), true
	case isa.ClassBr:
		return branch(p, dst, o), true
	case isa.ClassWaitcnt:
		return waitcnt(p, dst, o), true
	case isa.ClassSendmsg:
		return sendmsg(p, dst, o), true
	case isa.ClassMsg:
		return msgRtn(p, dst, o), true
	case isa.ClassHwreg:
		return hwreg(p, dst, o), true
	case isa.ClassDepctr:
		return depctr(p, dst, o), true
	case isa.ClassDelay:
		return delay(p, dst, o), true
	case isa.ClassGpridx:
		return gprIdx(p, dst, o), true
	case isa.ClassEndpgm:
		return endpgm(p, dst, o), true
	case isa.ClassSlot:
		return slot(p, dst, o), true
	case isa.ClassM0:
		return m0(p, dst, o), true
	}
	return dst, false
}

func u16(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return appendHex(dst, uint64(p.in.Field(o.Field)))
}

func imm16(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return appendImm32(dst, uint32(p.in.Field(o.Field)))
}

func version(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendVersion(dst, p.in.Field(o.Field))
}

// appendImm appends a 32-bit number, as an inline constant if it is one.
func (p *printer) appendImm(dst []byte, v uint32) []byte {
	if enc, ok := isa.InlineF32Enc(p.in.Set, v); ok {
		return append(dst, inlineText[enc-240]...)
	}
	return appendImm32(dst, v)
}

// appendImm32 appends a number: small ones in decimal, others in hexadecimal.
func appendImm32(dst []byte, v uint32) []byte {
	if n := int32(v); n >= -16 && n <= 64 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	return appendHex(dst, uint64(v))
}

func branch(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return strconv.AppendUint(dst, uint64(p.in.Field(o.Field)), 10)
}

func waitcnt(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendWaitcnt(dst, p.in.Set, p.in.Field(o.Field))
}

func sendmsg(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendSendMsg(dst, p.in.Set, p.in.Field(o.Field))
}

func msgRtn(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendSendMsg(dst, p.in.Set, p.in.Field(o.Field))
}

func hwreg(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendHwreg(dst, p.in.Set, p.in.Field(o.Field))
}

func depctr(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendDepCtr(dst, p.in.Set, p.in.Field(o.Field))
}

func delay(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendDelayALU(dst, p.in.Field(o.Field))
}

func gprIdx(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendGprIdx(dst, p.in.Field(o.Field))
}

func endpgm(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if v := p.in.Field(o.Field); v != 0 {
		return strconv.AppendUint(dst, uint64(v), 10)
	}
	return dst[:len(dst)-1] // the blank of an absent operand
}

func slot(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendInterpSlot(dst, p.in.Field(o.Field))
}

func m0(p *printer, dst []byte, _ *isa.OperandInfo) []byte { return append(dst, "m0"...) }

func dsOffset(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	v := p.in.Field(o.Field)
	if v == 0 {
		return dst
	}
	if p.traits.Any(isa.TraitSwizzle) {
		return isa.AppendSwizzle(dst, p.in.Set, v)
	}
	dst = append(dst, " offset:"...)
	return strconv.AppendUint(dst, uint64(v), 10)
}

func byteSel(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModByteSel, p.in.ByteSel())
}

func scaleSel(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModScaleSel, p.in.ScaleSel())
}

// gds appends the gds modifier. gfx90a and gfx940 have no GDS: the bit is not
// printed, except for the barriers that once belonged to it.
func gds(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	g := p.in.Set.Gen()
	if p.in.Field(isa.FieldGds) != 0 && (g != isa.Gen90A && g != isa.Gen940 || p.traits.Any(isa.TraitGws)) {
		dst = append(dst, " gds"...)
	}
	return dst
}

func omod(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendOMod(dst, p.in.Field(o.Field))
}

func dppCtrl(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	dst = append(dst, ' ')
	return isa.AppendDPPCtrl(dst, p.in.Set, p.in.Field(o.Field), p.in.IsDPALU())
}

func dpp8(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	dst = append(dst, ' ')
	return isa.AppendDPP8(dst, p.in.Field(o.Field))
}

func fi(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModFI, p.in.FetchInactive())
}

var selNames = [...]struct {
	f    isa.Field
	text string
}{{isa.FieldDstSel, " dst_sel:"}, {isa.FieldSrc0Sel, " src0_sel:"}, {isa.FieldSrc1Sel, " src1_sel:"}}

func sdwaSel(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	for i := range selNames {
		if selNames[i].f == o.Field {
			dst = append(dst, selNames[i].text...)
		}
	}
	dst, _ = isa.AppendSDWASel(dst, p.in.Field(o.Field))
	return dst
}

func dstUnused(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	dst = append(dst, " dst_unused:"...)
	dst, ok := isa.AppendSDWAUnused(dst, p.in.Field(o.Field))
	if !ok { // 3 is read as 0
		dst, _ = isa.AppendSDWAUnused(dst, 0)
	}
	return dst
}

func cpol(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return isa.AppendCPol(dst, p.in.Set, p.in.Enc.CPolKind(), p.in.CPol())
}

func r128(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if p.in.HasField(isa.FieldR128) {
		if p.in.Field(isa.FieldR128) != 0 {
			dst = append(dst, " r128"...)
		}
	} else if p.in.Field(isa.FieldA16) != 0 {
		dst = append(dst, " a16"...)
	}
	return dst
}

func blgp(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	v := p.in.Field(o.Field)
	if v != 0 && p.in.Enc.NegBLGP(p.in.Set) {
		dst = append(dst, " neg:["...)
		return append(dst, '0'+byte(v&1), ',', '0'+byte(v>>1&1), ',', '0'+byte(v>>2&1), ']')
	}
	return isa.AppendModifier(dst, isa.ModBLGP, v)
}

func waitExp(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	dst = append(dst, " wait_exp:"...)
	return appendSmall(dst, uint(p.in.Field(o.Field)))
}

// waitVDst appends the counter that an LDS read waits for, which gfx12 renamed.
func waitVDst(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if p.in.Set.Has(isa.PropRenamedVdst) {
		dst = append(dst, " wait_va_vdst:"...)
	} else {
		dst = append(dst, " wait_vdst:"...)
	}
	return appendSmall(dst, uint(p.in.Field(o.Field)))
}

func waitVSrc(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModWaitVMVSrc, p.in.Field(o.Field))
}

func bitop3(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModBitOp3, p.in.BitOp3())
}

func indexKey(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	return isa.AppendModifier(dst, isa.ModIndexKey, p.in.IndexKey(o.Field))
}

var matrixModifiers = [...]struct {
	f isa.Field
	m isa.MatrixModifier
}{
	{isa.FieldMatrixAFmt, isa.MatrixAFmt}, {isa.FieldMatrixBFmt, isa.MatrixBFmt},
	{isa.FieldMatrixAScale, isa.MatrixAScale}, {isa.FieldMatrixBScale, isa.MatrixBScale},
	{isa.FieldMatrixAScaleFmt, isa.MatrixAScaleFmt}, {isa.FieldMatrixBScaleFmt, isa.MatrixBScaleFmt},
}

func matrix(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	for _, m := range matrixModifiers {
		if m.f == o.Field {
			return isa.AppendMatrix(dst, m.m, p.in.Matrix(o.Field))
		}
	}
	return dst
}

func matrixReuse(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if p.in.Matrix(o.Field) == 0 {
		return dst
	}
	if o.Field == isa.FieldMatrixAReuse {
		return append(dst, " matrix_a_reuse"...)
	}
	return append(dst, " matrix_b_reuse"...)
}

func vcc(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	if p.in.Wave == 64 {
		return append(dst, "vcc"...)
	}
	return append(dst, "vcc_lo"...)
}

func attr(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return isa.AppendInterpAttr(dst, p.in.Field(isa.FieldAttr), p.in.Field(isa.FieldAttrchan))
}

// mandatory appends the mandatory literal of v_madmk_f32 and similar
// instructions.
func mandatory(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if p.in.Enc.Form() == isa.SOPK {
		return p.appendImm(dst, uint32(p.in.Literal()))
	}
	if v := p.in.Literal(); o.Type == isa.K64 && uint32(v) == 0 {
		return appendHex(dst, v>>32)
	}
	return appendHex(dst, p.in.Literal())
}

// sdata appends the data of a scalar store, or the number that replaces them in
// s_atc_probe and s_prefetch_data.
func sdata(p *printer, dst []byte, o *isa.OperandInfo) []byte {
	if o.Class == isa.ClassNone {
		return appendImm32(dst, p.in.Field(o.Field))
	}
	return p.source(dst, o)
}

// scalarOffset appends the offset of a scalar memory instruction: a register,
// a number or both.
func scalarOffset(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	s := p.in.ScalarOffset()
	if p.traits.Any(isa.TraitPrefetch) { // number and register are separate operands
		dst = append(appendSignedHex(dst, int64(s.Offset)), ", "...)
		dst, _ = isa.AppendSReg(dst, p.in.Set, s.SReg, 1)
		return dst
	}
	start := len(dst)
	if s.Reg {
		dst, _ = isa.AppendSReg(dst, p.in.Set, s.SReg, 1)
		p.markScalarOffset(dst, start, isa.FieldSoffset, s.Place, s.Imm)
		if s.Imm {
			dst = append(dst, " offset:"...)
			start = len(dst)
			dst = appendSignedHex(dst, int64(s.Offset))
			p.markScalarOffset(dst, start, isa.FieldOffset, p.in.Place(isa.FieldOffset), true)
		}
		return dst
	}
	if s.Literal {
		return appendHex(dst, p.in.Literal())
	}
	dst = appendSignedHex(dst, int64(s.Offset))
	p.markScalarOffset(dst, start, isa.FieldOffset, p.in.Place(isa.FieldOffset), false)
	return dst
}

// appendSignedHex appends 0x1f or -0x1f.
func appendSignedHex(dst []byte, v int64) []byte {
	if v < 0 {
		return appendHex(append(dst, '-'), uint64(-v))
	}
	return appendHex(dst, uint64(v))
}
