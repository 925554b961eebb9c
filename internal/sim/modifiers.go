package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
)

// operands returns the vector sources, permuted by DPP and with modifiers
// applied, and the lanes to write.
func (w *wave) operands(o *op) (p [3]*uint32, exec uint64) {
	exec = w.exec()
	for i := range p {
		if i >= int(o.nsrc) {
			p[i] = &w.tmp[3][0]
			continue
		}
		p[i] = w.lanesOf(&o.src[i], &w.tmp[i])
		if i == 0 && o.dpp != nil {
			exec, p[0] = w.permute(o, p[0], exec)
		}
		p[i] = w.modify(o, i, p[i])
	}
	return p, exec
}

// modify applies the modifiers of source i to the registers at p.
func (w *wave) modify(o *op, i int, p *uint32) *uint32 {
	s := &o.src[i]
	if s.mods == 0 && o.sdwa == nil {
		return p
	}
	t, n := &w.tmp[i][0], w.lanes
	if o.sdwa != nil && i < 2 {
		p = o.sdwa.selectSource(i, t, p, n)
	}
	var and, xor uint32
	if s.mods&modAbs != 0 {
		and = 1 << 31
	}
	if s.mods&modNeg != 0 {
		xor = 1 << 31
	}
	switch {
	case s.typ.Bits() == 16:
		lanes.Bits(t, p, s.shift, 0xffff&^(and>>16), xor>>16, n)
	case and|xor == 0:
		return p
	case s.typ.Bits() == 64:
		lanes.Bits(t, p, 0, ^uint32(0), 0, n)
		lanes.Bits(lane(t, n), lane(p, n), 0, ^and, xor, n)
	default:
		lanes.Bits(t, p, 0, ^and, xor, n)
	}
	return t
}

// finish applies the output modifiers to the results in w.out and writes them
// to the destination.
func (w *wave) finish(o *op, exec uint64) {
	n := w.lanes
	if o.omod != 0 || o.clamp && o.dtype.Float() {
		w.modifyResult(o, exec)
	}
	d, out := &w.v[o.dst.off], &w.out[0]
	switch {
	case o.sdwa != nil:
		o.sdwa.writeResult(d, out, exec, n)
		if o.dst.dwords > 1 {
			lanes.Merge(lane(d, n), lane(out, n), exec, 0, 0, n)
		}
	case o.flags&flagKeepHalf != 0:
		lanes.Merge(d, out, exec, o.dst.shift, uint32(0xffff0000)>>o.dst.shift, n)
	default:
		lanes.Merge(d, out, exec, 0, 0, n)
		if o.dst.dwords > 1 {
			lanes.Merge(lane(d, n), lane(out, n), exec, 0, 0, n)
		}
	}
}

// modifyResult applies omod and the floating-point clamp to w.out.
func (w *wave) modifyResult(o *op, exec uint64) {
	out, t := &w.out[0], o.dtype
	clamp := o.clamp && t.Float()
	if o.omod != 0 && t.Float() && w.ctx.AppliesOMod(t) {
		left := exec
		if t == sem.F32 {
			left = lanes.OMod(out, o.omod, exec, w.simdCounts.Float)
		}
		w.eachResult(o, left, func(v uint64) uint64 { return sem.OMod(&w.ctx, t, v, o.omod) })
	}
	if clamp {
		left := exec
		if t == sem.F32 {
			left = lanes.Clamp(out, exec, w.ctx.Mode.DX10Clamp(), w.lanes)
		}
		w.eachResult(o, left, func(v uint64) uint64 { return sem.ClampFloat(&w.ctx, t, v) })
	}
}

// eachResult replaces the results of the given lanes by f of their values.
func (w *wave) eachResult(o *op, lanes uint64, f func(v uint64) uint64) {
	n := w.lanes
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		v := uint64(w.out[l])
		if o.dst.dwords > 1 {
			v |= uint64(w.out[l+n]) << 32
		}
		v = f(v)
		w.out[l] = uint32(v)
		if o.dst.dwords > 1 {
			w.out[l+n] = uint32(v >> 32)
		}
	}
}
