package isa

// Values that are put together from more than one field, or from a field that
// another purpose shares.

// FetchInactive returns the fi modifier: a bit of a DPP16 dword, or the choice
// of source that announces a DPP8 dword.
func (in *Inst) FetchInactive() uint32 {
	if encs[in.Enc].form == VOP3 && encs[in.Enc].vari == Native {
		return in.NativeField(FieldOpSel) & 1
	}
	if v := encs[in.Enc].vari; v == DPP8 || v == DPP864 {
		if in.NativeField(FieldSrc0) == srcDPP8FI {
			return 1
		}
		return 0
	}
	return in.Field(FieldFi)
}

// SetFetchInactive writes the fi modifier.
func (in *Inst) SetFetchInactive(on bool) {
	if v := encs[in.Enc].vari; v == DPP8 || v == DPP864 {
		in.SetNativeField(FieldSrc0, srcDPP8)
		if on {
			in.SetNativeField(FieldSrc0, srcDPP8FI)
		}
		return
	}
	if on {
		in.SetField(FieldFi, 1)
	} else {
		in.SetField(FieldFi, 0)
	}
}

// BoundCtrl returns the bound_ctrl modifier: a bit of a DPP16 dword, or of op_sel
// in VOP3's lane exchanges, where fi is another.
func (in *Inst) BoundCtrl() uint32 {
	if encs[in.Enc].form == VOP3 && encs[in.Enc].vari == Native {
		return in.NativeField(FieldOpSel) >> 1 & 1
	}
	return in.Field(FieldBoundCtrl)
}

// BitOp3 returns the truth table of a bitop3 instruction. It occupies the
// fields for abs, omod and neg of VOP3, and the field of the third source of
// VOPD3.
func (in *Inst) BitOp3() uint32 {
	if encs[in.Enc].form == VOPD3 {
		return in.Field(FieldSrc2Y)
	}
	return in.NativeField(FieldNeg) | in.NativeField(FieldOmod)<<6 | in.NativeField(FieldAbs)<<3
}

// SetBitOp3 writes the truth table of a VOP3 bitop3 instruction.
func (in *Inst) SetBitOp3(v uint32) {
	in.SetNativeField(FieldNeg, v)
	in.SetNativeField(FieldAbs, v>>3)
	in.SetNativeField(FieldOmod, v>>6)
}

// OpSelHi returns the op_sel_hi bits of a VOP3P instruction, source 0 in bit 0.
func (in *Inst) OpSelHi() uint32 {
	return in.NativeField(FieldOpSelHi) | in.NativeField(FieldOpSelHi2)<<2
}

// SetOpSelHi writes the op_sel_hi bits of a VOP3P instruction.
func (in *Inst) SetOpSelHi(v uint32) {
	in.SetNativeField(FieldOpSelHi, v)
	in.SetNativeField(FieldOpSelHi2, v>>2)
}

// IndexKey returns a sparse matrix instruction's index key, encoded in op_sel.
func (in *Inst) IndexKey(f Field) uint32 {
	v := in.NativeField(FieldOpSel)
	if f == FieldIndexKey8bit {
		return v & 3
	}
	return v & 1
}

// ByteSel returns the byte_sel modifier: op_sel bits of the source, the high one
// first, or of the result.
func (in *Inst) ByteSel() uint32 {
	v := in.NativeField(FieldOpSel)
	if in.Enc.hasOperand(FieldSrc1) {
		return v >> 2
	}
	return v&1<<1 | v>>1&1
}

// SetByteSel writes the byte_sel modifier.
func (in *Inst) SetByteSel(v uint32) {
	s := in.NativeField(FieldOpSel)
	if in.Enc.hasOperand(FieldSrc1) {
		s = s&3 | v<<2
	} else {
		s = s&^3 | v&1<<1 | v>>1&1
	}
	in.SetNativeField(FieldOpSel, s)
}

// ScaleSel returns the scale_sel modifier, encoded in op_sel.
func (in *Inst) ScaleSel() uint32 { return in.NativeField(FieldOpSel) }

// SetScaleSel writes the scale_sel modifier.
func (in *Inst) SetScaleSel(v uint32) { in.SetNativeField(FieldOpSel, v) }

// Matrix returns a matrix format, scale or reuse modifier of gfx12.5: in its
// own field after a scale word, else in the fields of op_sel and op_sel_hi.
func (in *Inst) Matrix(f Field) uint32 {
	if encs[in.Enc].form == VOP3PX {
		if f == FieldMatrixBFmt {
			return in.Field(FieldMatrixBFmt) | in.Field(FieldMatrixBFmtHi)<<2
		}
		return in.Field(f)
	}
	switch f {
	case FieldMatrixAScale:
		return in.NativeField(FieldOpSel) & 3
	case FieldMatrixBScale:
		return in.NativeField(FieldOpSelHi)
	case FieldMatrixAScaleFmt:
		return in.NativeField(FieldNeg) & 3
	case FieldMatrixBScaleFmt:
		return in.NativeField(FieldNegHi) & 3
	case FieldMatrixAFmt:
		return in.NativeField(FieldOpSel)
	case FieldMatrixBFmt:
		return in.OpSelHi()
	case FieldMatrixAReuse:
		return in.NativeField(FieldOpSel) >> 2 & 1
	case FieldMatrixBReuse:
		return in.NativeField(FieldOpSelHi2)
	}
	return 0
}

// SetMatrix writes a matrix format, scale or reuse modifier of gfx12.5: into
// its own field after a scale word, else into the fields of op_sel and
// op_sel_hi.
func (in *Inst) SetMatrix(f Field, v uint32) {
	if encs[in.Enc].form == VOP3PX {
		in.SetField(f, v)
		if f == FieldMatrixBFmt {
			in.SetField(FieldMatrixBFmtHi, v>>2)
		}
		return
	}
	switch f {
	case FieldMatrixAFmt:
		in.SetNativeField(FieldOpSel, v)
	case FieldMatrixBFmt:
		in.SetOpSelHi(v)
	case FieldMatrixAReuse:
		in.SetNativeField(FieldOpSel, in.NativeField(FieldOpSel)&^4|v<<2)
	case FieldMatrixBReuse:
		in.SetNativeField(FieldOpSelHi2, v)
	case FieldMatrixAScale:
		in.SetNativeField(FieldOpSel, in.NativeField(FieldOpSel)&^3|v&3)
	case FieldMatrixBScale:
		in.SetNativeField(FieldOpSelHi, v)
	case FieldMatrixAScaleFmt:
		in.SetNativeField(FieldNeg, v)
	case FieldMatrixBScaleFmt:
		in.SetNativeField(FieldNegHi, v)
	}
}

// cpolFields are the fields before gfx12 that hold a cache policy's bits.
var cpolFields = [...]struct {
	f   Field
	bit CPol
}{{FieldGlc, CPolGLC}, {FieldSlc, CPolSLC}, {FieldDlc, CPolDLC}, {FieldScc, CPolSCC}}

// CPol reads a memory instruction's cache policy.
func (in *Inst) CPol() (c CPol) {
	if !in.Set.Has(PropCpolTh) {
		for _, x := range cpolFields {
			if in.Field(x.f) != 0 {
				c |= x.bit
			}
		}
		if c&CPolSLC != 0 && encs[in.Enc].form == MUBUF && !in.Enc.hasOperand(FieldAddr) {
			c &^= CPolSLC // fences ignore it
		}
		return c
	}
	c = CPol(in.Field(FieldTh)) | CPol(in.Field(FieldScope))<<CPolScopeShift
	if in.Field(FieldNv) != 0 {
		c |= CPolNV
	}
	if in.Field(FieldScale) != 0 {
		c |= CPolScale
	}
	return c
}

// SetCPol writes a memory instruction's cache policy.
func (in *Inst) SetCPol(c CPol) {
	for _, x := range cpolFields {
		if c&x.bit != 0 && !in.Set.Has(PropCpolTh) {
			in.SetField(x.f, 1)
		}
	}
	if !in.Set.Has(PropCpolTh) {
		return
	}
	in.SetField(FieldTh, uint32(c&CPolTH))
	in.SetField(FieldScope, uint32(c&CPolScope)>>CPolScopeShift)
	if c&CPolNV != 0 {
		in.SetField(FieldNv, 1)
	}
	if c&CPolScale != 0 {
		in.SetField(FieldScale, 1)
	}
}

// CPolKind returns the kind of a memory encoding, which decides the names of
// its cache policy.
func (e Enc) CPolKind() CPolKind {
	t := encs[e].traits
	switch f := encs[e].form; {
	case f == SMEM || f == SMRD:
		return CPolScalar
	case t.Any(TraitRet | TraitNoret):
		return CPolAtomic
	case t.Any(TraitThstore) || t.Any(TraitStore) && !t.Any(TraitLoad):
		return CPolStore
	}
	return CPolLoad
}

// NegBLGP reports whether the blgp field of a matrix encoding is written
// neg:[…], as for doubles from gfx940 on.
func (e Enc) NegBLGP(s Set) bool {
	return sets[s].gen == Gen940 && encs[e].traits.Any(TraitMai) && e.dstType() == F64
}

func (e Enc) dstType() Type {
	for _, o := range e.Operands() {
		if o.Field == FieldSrc2 {
			return o.Type.Base()
		}
	}
	return NoType
}

// IsDPALU reports whether an instruction runs on the double-precision unit,
// whose DPP controls are few: a 64-bit operand with DPP.
func (in *Inst) IsDPALU() bool {
	if !in.Set.Has(PropDpp64) {
		return false
	}
	for i := range in.Enc.Operands() {
		o := &in.Enc.Operands()[i]
		if (o.Field == FieldVdst || o.Field == FieldSrc0) && classInfos[o.Class].Dwords == 2 {
			return true
		}
	}
	return false
}
