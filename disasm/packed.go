package disasm

import "github.com/gfx-toolchain/gfx/isa"

// The modifiers op_sel, op_sel_hi, neg_lo and neg_hi: a bit for each source,
// and for op_sel one for the result where the encoding has it.

// packed appends name:[0,1] unless all bits are def. A source without
// modifiers counts as 0, and its place in op_sel_hi is printed as 0.
func (p *printer) packed(dst []byte, name string, bits uint32, hi bool) []byte {
	n := 0
	all := p.traits.Any(isa.TraitWmma | isa.TraitSwmmac)
	var list [4]byte
	same := true
	def := byte(0)
	if hi && p.traits.Any(isa.TraitPacked) {
		def = 1
	}
	src := [3]bool{}
	for i := range p.ops {
		o := &p.ops[i]
		switch o.Field {
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2:
			k := 0
			if o.Field == isa.FieldSrc1 {
				k = 1
			} else if o.Field == isa.FieldSrc2 {
				k = 2
			}
			src[k] = true
			if o.Mods && !(p.traits.Any(isa.TraitDotsel) && k < 2) {
				list[k] = byte(bits >> k & 1)
			}
		}
	}
	if p.in.Enc.Form() == isa.VOP3INTERP { // the attribute is in second place
		list[1], list[2], src[2] = 0, byte(bits>>2&1), true
	}
	if p.traits.Any(isa.TraitSrcin) && name == " op_sel:[" {
		src[2], list[2] = true, byte(bits>>2&1) // the result that is read is in third place
	}
	switch {
	case all || src[2]:
		n = 3
	case src[1]:
		n = 2
	case src[0]:
		n = 1
	}
	if p.in.Enc.Form() == isa.VOP3 && !p.traits.Any(isa.TraitOpsel) { // lane permutation: omit trailing sources that select nothing
		for n > 0 && !p.selects(n-1) {
			n--
		}
	}
	if name == " op_sel:[" && !src[1] && p.operandIn(isa.FieldByteSel) != nil {
		list[0] = 0
	}
	for _, b := range list[:n] {
		same = same && b == def
	}
	if name == " op_sel:[" && n > 0 && p.traits.Any(isa.TraitOpsel) && p.operandIn(isa.FieldVdst) != nil {
		list[n] = byte(bits >> 3 & 1)
		if p.operandIn(isa.FieldByteSel) != nil { // byte_sel has the bits of the source or of the result
			list[n] &= 1 - b2i(src[1])
		}
		same = same && list[n] == 0
		n++
	}
	if same {
		return dst
	}
	dst = append(dst, name...)
	for i, b := range list[:n] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '0'+b)
	}
	return append(dst, ']')
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// selects reports whether source k has modifiers.
func (p *printer) selects(k int) bool {
	o := p.operandIn([...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2}[k])
	return o != nil && o.Mods
}

func opSel(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	if p.in.WholeRegs() {
		return dst
	}
	return p.packed(dst, " op_sel:[", p.in.NativeField(isa.FieldOpSel), false)
}

func opSelHi(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return p.packed(dst, " op_sel_hi:[", p.in.OpSelHi(), true)
}

func negLo(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return p.packed(dst, " neg_lo:[", p.in.NativeField(isa.FieldNeg)|p.in.NativeField(isa.FieldNeg2)<<2, false)
}

func negHi(p *printer, dst []byte, _ *isa.OperandInfo) []byte {
	return p.packed(dst, " neg_hi:[", p.in.NativeField(isa.FieldNegHi)|p.in.NativeField(isa.FieldNegHi2)<<2, false)
}
