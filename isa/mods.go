package isa

import "strconv"

// SourceMods are the modifiers of a source operand.
type SourceMods struct {
	Neg, Abs, Sext bool // -x, |x|, sext(x)
}

// modField names the fields that hold a source's modifiers in the dword of a
// DPP or SDWA variant.
var modFields = [2]struct{ neg, abs, sext Field }{
	{FieldSrc0Neg, FieldSrc0Abs, FieldSrc0Sext},
	{FieldSrc1Neg, FieldSrc1Abs, FieldSrc1Sext},
}

// srcIndex returns which source a field is: 0, 1 or 2.
func srcIndex(f Field) int {
	switch f {
	case FieldSrc1:
		return 1
	case FieldSrc2:
		return 2
	}
	return 0
}

// ModPlaces are the places of a source operand's modifiers. The width of one that
// the operand does not have is 0.
type ModPlaces struct {
	Neg, Abs, Sext Place // see SourceMods
}

// ModPlaces returns the places of an operand's modifiers neg, abs and sext. VOP3P's
// neg_lo and neg_hi are modifiers of the whole instruction and are not among them.
func (in *Inst) ModPlaces(o *OperandInfo) (p ModPlaces) {
	i := srcIndex(o.Field)
	e := &encs[in.Enc]
	switch {
	case !o.Neg && !o.Sext || e.form == VOP3PX || e.form == MAI:
	case e.form == VOP3P: // mixed precision: neg_lo and neg_hi are neg and abs
		if !e.traits.Any(TraitNegLo) {
			p.Neg, p.Abs = in.NativePlace(FieldNeg).bit(i), in.NativePlace(FieldNegHi).bit(i)
		}
	case e.vari == DPP || e.vari == SDWA:
		f := &modFields[i&1]
		if o.Sext {
			p.Sext = in.Place(f.sext)
		} else {
			p.Neg, p.Abs = in.Place(f.neg), in.Place(f.abs)
		}
	default:
		p.Neg = in.NativePlace(FieldNeg).bit(i)
		if !e.traits.Any(TraitVop3b) { // a scalar result is in place of abs
			p.Abs = in.NativePlace(FieldAbs).bit(i)
		}
	}
	return p
}

// SourceMods reads an operand's modifiers; see ModPlaces.
func (in *Inst) SourceMods(o *OperandInfo) SourceMods {
	p := in.ModPlaces(o)
	return SourceMods{Neg: in.Bits(p.Neg) != 0, Abs: in.Bits(p.Abs) != 0, Sext: in.Bits(p.Sext) != 0}
}

// Takes reports whether an operand's class takes a register value.
func (in *Inst) Takes(o *OperandInfo, v Value) bool {
	c := &classInfos[o.Class]
	if c.Flags&Mask != 0 {
		return true
	}
	switch v.Kind {
	case VGPRValue, AGPRValue:
		f := FileV
		if v.Kind == AGPRValue {
			f = FileA
		}
		if c.Files&f == 0 {
			return v.Kind == AGPRValue && encs[in.Enc].traits.Any(TraitGws)
		}
		if form := encs[in.Enc].form; c.Files == FileA && (form == FLAT || form == DS) {
			return true
		}
		if v.Dwords > 1 && v.Num&1 != 0 && c.Flags&Odd == 0 && in.Set.Has(PropEvenTuples) {
			return false
		}
		return c.Flags&Lo128 == 0 || v.Num < 128
	case ScalarReg:
		isNull := (v.Num == encM0) == in.Set.Has(PropM0125)
		switch {
		case v.Num >= encFlatBase || c.Flags&Mask != 0 || c.Files == 0: // constants with a name, operands that have no class
			return true
		case isNull && (v.Num == encM0 || v.Num == encNull): // null, likewise
			return true
		case c.Files&FileS == 0:
			return false
		case v.Num == encM0 || v.Num == encNull:
			return isNull || c.Flags&NoM0 == 0
		case v.Num >= encExec:
			return c.Flags&NoExec == 0 && (c.Flags&NoExecHi == 0 || v.Num == encExec)
		}
	case LDSDirect:
		return c.Flags&(LDS|Mask) != 0 || c.Files&FileC != 0
	}
	return true
}

// ClassName returns LLVM's name of a register class, such as VReg_64_Align2.
func ClassName(s Set, wave uint8, class Class, dwords uint8) string {
	c := &classInfos[class]
	dw := max(c.Dwords, dwords) // tfe adds one
	if c.Flags&Mask != 0 {
		dw = wave / 32
	}
	name := ""
	switch f := c.Files; {
	case c.Flags&LDS != 0 && f == FileV:
		return "VRegOrLds_32"
	case c.Flags&LDS != 0:
		return "SRegOrLds_32"
	case f&FileC != 0:
		name = "VS_"
	case f == FileV|FileA:
		name = "AV_"
	case f == FileV && c.Flags&Half != 0:
		return "VGPR_16_Lo128"
	case f == FileV && dw == 1:
		name = "VGPR_"
	case f == FileV:
		name = "VReg_"
	case f == FileA && dw == 1:
		name = "AGPR_"
	case f == FileA:
		name = "AReg_"
	default:
		name = "SReg_"
	}
	name += strconv.Itoa(int(dw) * 32)
	if dw > 1 && c.Files&(FileV|FileA) != 0 && c.Flags&(Odd|Lo256) == 0 && s.Has(PropEvenTuples) {
		name += "_Align2"
	}
	for _, x := range []struct {
		f    ClassFlags
		text string
	}{{Lo128, "_Lo128"}, {Lo256, "_Lo256"}, {NoM0, "_XM0"}, {NoExec, "_XEXEC"}, {NoExecHi, "_XEXEC_HI"}, {NoNull, "_XNULL"}} {
		if c.Flags&x.f != 0 {
			name += x.text
		}
	}
	return name
}

// HasClamp reports whether an instruction has a clamp bit. Before gfx8, the
// scalar result of VOP3 instructions is in its place.
func (in *Inst) HasClamp() bool {
	return in.HasField(FieldClamp) && (!encs[in.Enc].traits.Any(TraitVop3b) || in.Set.Has(PropVop3bClamp))
}

// Clamps reports whether an instruction has its clamp bit set.
func (in *Inst) Clamps() bool { return in.HasClamp() && in.Field(FieldClamp) != 0 }
