package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// spareAt is the index in wave.v of registers that no operand can name: after
// the AGPRs of 64 lanes, or 1,024 VGPRs of 32 lanes.
const spareAt = 2 * numVGPRs * 64

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
	first, end := x.dst.off, x.dst.off+int32(x.dst.dwords)*int32(o.in.Wave)
	for i := range y.src[:y.nsrc] {
		if s := &y.src[i]; s.kind == inVGPR && first <= s.off && s.off < end {
			s.off += spareAt - first
			o.copies = true
		}
	}
	return true
}

func runPair(w *wave, o *op) {
	if o.copies {
		n := int(o.dst.dwords) * w.lanes
		copy(w.v[spareAt:spareAt+n], w.v[o.dst.off:int(o.dst.off)+n])
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
		case isa.FieldBitop3:
			o.bitOp = uint8(in.BitOp3())
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldImm:
			if p.Class.Info().Flags&isa.Mask != 0 {
				o.in0 = operand{kind: inScalar, off: int32(in.DualOperand(p, y).Num), dwords: 1}
				continue
			}
			r, ok := o.operandOf(in, p, in.DualOperand(p, y), o.srcType(int(o.nsrc)))
			if !ok || int(o.nsrc) == len(o.src) {
				return false
			}
			if in.DualMods(p, y) {
				if !r.typ.Float() {
					return false
				}
				r.mods |= modNeg
			}
			o.src[o.nsrc] = r
			o.nsrc++
		}
	}
	if o.bitOp != 0 && o.nsrc == 2 { // v_dual_bitop2_b32: the third source is 0
		o.src[2] = operand{kind: inConst, k: broadcast(0, int(in.Wave)), dwords: 1, typ: o.srcType(2)}
		o.nsrc++
	}
	t := e.Traits()
	if t.Any(isa.TraitUseVcc) {
		o.in0 = operand{kind: inScalar, off: sVCC, dwords: 1}
	}
	o.bindTied(t)
	o.chooseRun()
	return true
}
