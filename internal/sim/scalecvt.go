package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// prepareScaleConvert prepares v_cvt_scalef32.
func prepareScaleConvert(o *op, x *sem.ScaleConvert) bool {
	o.row, o.dtype, o.scale = &untyped, sem.B32, x
	if !o.bindUntyped() {
		return false
	}
	o.opSel = uint8(o.in.NativeField(isa.FieldOpSel))
	n := 0
	ops := o.in.Enc.Operands()
	for i := range ops {
		switch p := &ops[i]; p.Field {
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2:
			m := o.in.SourceMods(p)
			if m.Neg {
				o.src[n].mods |= modNeg
			}
			if m.Abs {
				o.src[n].mods |= modAbs
			}
			n++
		}
	}
	o.run = runScaleConvert
	return true
}

// scaleData holds the operands of one lane.
type scaleData struct{ dst, a, b [maxTupleDwords]uint32 }

// runScaleConvert converts the numbers of each lane. The sources are the data,
// with Pair in two operands, the seed if there is one, and the scale.
func runScaleConvert(w *wave, o *op) {
	x := o.scale
	c := &w.ctx
	c.OpSel = o.opSel
	scale := &o.src[o.nsrc-1]
	var d scaleData
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		w.scaleSource(&d.a, &o.src[0], x, l)
		seed := uint32(0)
		if x.Pair {
			w.scaleSource(&d.b, &o.src[1], x, l)
		} else if x.Stochastic {
			seed = w.laneOf(&o.src[1], 0, l)
		}
		for i := range int(o.dst.dwords) {
			d.dst[i] = w.register(o.dst.off, i)[l]
		}
		e := signed32(w.laneOf(scale, 0, l), scale.mods)
		x.Run(c, d.dst[:], d.a[:], d.b[:], seed, e)
		for i := range int(o.dst.dwords) {
			w.register(o.dst.off, i)[l] = d.dst[i]
		}
	}
}

// scaleSource reads the data of a lane. neg and abs apply to all wide numbers.
func (w *wave) scaleSource(to *[maxTupleDwords]uint32, s *operand, x *sem.ScaleConvert, l int) {
	for i := range int(s.dwords) {
		v := w.laneOf(s, i, l)
		switch {
		case s.mods == 0 || x.Widen:
		case x.WideBits == 16:
			v = signed32(v, s.mods)&0xffff0000 | signed32(v<<16, s.mods)>>16
		default:
			v = signed32(v, s.mods)
		}
		to[i] = v
	}
}

// signed32 applies abs and neg to a number whose sign is in bit 31.
func signed32(v uint32, m srcMods) uint32 {
	if m&modAbs != 0 {
		v &^= 1 << 31
	}
	if m&modNeg != 0 {
		v ^= 1 << 31
	}
	return v
}

// laneOf returns register i of an operand in a lane.
func (w *wave) laneOf(s *operand, i, l int) uint32 {
	if s.kind == inVGPR {
		return w.register(s.off, i)[l]
	}
	return uint32(w.scalar(s) >> (32 * i))
}
