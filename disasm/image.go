package disasm

import "github.com/gfx-toolchain/gfx/isa"

// image appends the operands of image instructions.
func (p *printer) image(dst []byte) []byte {
	in := p.in
	if p.traits.Any(isa.TraitTensor) {
		return p.operands(dst)
	}
	if in.Enc.Form() == isa.MIMG && in.Field(isa.FieldNsa) != 0 && p.operandIn(isa.FieldSsamp) != nil {
		dst = append(dst, ' ') // LLVM prints two blanks
	}
	free := p.rec != nil && in.FreeImageTuples()
	if o := p.operandIn(isa.FieldVdata); o != nil {
		dst = p.sep(dst)
		v := in.Operand(o)
		if v.Dwords == 0 {
			v.Dwords = uint8(in.ImageData())
		}
		start := len(dst)
		dst = p.value(dst, o, v)
		if free {
			p.markTuple(dst, start, v.Dwords, in.Place(o.Field))
		}
	}
	a := in.ImageAddress()
	dst = p.sep(dst)
	if a.NSA {
		dst = append(dst, '[')
	}
	for i := range a.N {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		start := len(dst)
		dst = appendVector(dst, 'v', isa.Value{Num: a.Regs[i], Dwords: a.Dwords[i]})
		if free {
			p.markTuple(dst, start, a.Dwords[i], in.ImagePlace(i))
		}
	}
	if a.NSA {
		dst = append(dst, ']')
	}
	for _, f := range [...]isa.Field{isa.FieldSrsrc, isa.FieldRsrc, isa.FieldSsamp, isa.FieldSamp} {
		dst = p.operandOf(dst, f)
	}
	return p.rest(dst)
}
