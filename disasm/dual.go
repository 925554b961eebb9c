package disasm

import "github.com/gfx-toolchain/gfx/isa"

// dual appends the two halves of a VOPD pair, "X :: Y".
func (p *printer) dual(dst []byte) []byte {
	y := p.in.DualY()
	dst = append(dst, p.in.Enc.Name()...)
	dst = p.dualHalf(dst, p.ops, false)
	dst = append(dst, " :: "...)
	dst = append(dst, y.Name()...)
	p.more = false
	return p.dualHalf(dst, y.Operands(), true)
}

func (p *printer) dualHalf(dst []byte, ops []isa.OperandInfo, y bool) []byte {
	for i := range ops {
		o := &ops[i]
		if o.Field == isa.FieldBitop3 {
			dst = isa.AppendModifier(dst, isa.ModBitOp3, p.in.BitOp3())
			continue
		}
		dst = p.sep(dst)
		if o.Field == isa.FieldImm {
			dst = appendHex(dst, p.in.Literal())
			continue
		}
		v := p.in.DualOperand(o, y)
		m := p.in.DualMods(o, y)
		if m {
			if v.Kind == isa.InlineInt || v.Kind == isa.InlineFP || v.Kind == isa.Literal32 {
				dst = append(p.value(append(dst, "neg("...), o, v), ')')
				continue
			}
			dst = append(dst, '-')
		}
		dst = p.value(dst, o, v)
	}
	return dst
}
