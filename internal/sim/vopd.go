package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// spareReg is the number of a register after the AGPRs that no operand can
// name.
const spareReg = 2 * numVGPRs

// prepareVOPD prepares a pair of operations. Both read their sources before
// either writes. If the second operation reads the first one's destination, it
// reads a copy.
func prepareVOPD(d *Device, o *op) bool {
	o.class = classVALU
	x, y := *o, &op{in: o.in, class: classVALU}
	if !x.prepareHalf(o.in.Enc, false) || !y.prepareHalf(o.in.DualY(), true) {
		return false
	}
	next := o.next
	*o = x
	o.next = next
	o.pair = y
	o.first = x.run
	o.run = runPair
	for i := range y.src[:y.nsrc] {
		if s := &y.src[i]; s.kind == inVGPR && s.off == x.dst.off {
			s.off = spareReg * int32(o.in.Wave)
			o.copies = true
		}
	}
	return true
}

func runPair(w *wave, o *op) {
	if o.copies {
		at := spareReg * w.lanes
		copy(w.v[at:at+w.lanes], w.v[o.dst.off:int(o.dst.off)+w.lanes])
	}
	o.first(w, o)
	o.pair.run(w, o.pair)
}

// prepareHalf prepares one half of a pair.
func (o *op) prepareHalf(e isa.Enc, y bool) bool {
	if e == isa.NoEnc {
		return false
	}
	row := sem.Of(e.Op())
	if row == nil {
		return false
	}
	o.setRow(row)
	o.opcode = e.Op()
	in := &o.in
	ops := e.Operands()
	for i := range ops {
		p := &ops[i]
		switch p.Field {
		case isa.FieldVdst:
			r, ok := o.operandOf(in, p, in.DualOperand(p, y), o.dtype)
			if !ok {
				return false
			}
			o.dst = r
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldImm:
			r, ok := o.operandOf(in, p, in.DualOperand(p, y), o.srcType(int(o.nsrc)))
			if !ok || int(o.nsrc) == len(o.src) {
				return false
			}
			o.src[o.nsrc] = r
			o.nsrc++
		}
	}
	t := e.Traits()
	if t.Any(isa.TraitUseVcc) {
		o.in0 = operand{kind: inScalar, off: sVCC, dwords: 1}
	}
	o.bindTied(t)
	o.chooseRun()
	return true
}
