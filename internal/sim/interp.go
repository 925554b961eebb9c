package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// interpInfo describes a gfx11 interpolation: a multiply-add whose parameters
// are in the lanes of each quad. Source: RDNA 3 ISA, VINTERP.
type interpInfo struct {
	from  [3]int8 // source lane within the quad; -1 for the lane itself
	half  [3]bool // f16 sources
	rtz   bool
	fma   sem.Func
	round *sem.Row // conversion to f16; nil for none
}

// interpRow describes an operation: it multiplies the parameter P10 or P20, has
// f16 sources, and rounds toward zero.
type interpRow struct{ p10, half, rtz bool }

var interpRows = lazy.Value[map[string]*interpRow]{Make: func() map[string]*interpRow {
	return map[string]*interpRow{
		"v_interp_p10_f32":         {p10: true},
		"v_interp_p2_f32":          {},
		"v_interp_p10_f16_f32":     {p10: true, half: true},
		"v_interp_p2_f16_f32":      {half: true},
		"v_interp_p10_rtz_f16_f32": {p10: true, half: true, rtz: true},
		"v_interp_p2_rtz_f16_f32":  {half: true, rtz: true},
	}
}}

// prepareInterp prepares v_interp_p10_* and v_interp_p2_*.
func prepareInterp(d *Device, o *op) bool {
	o.class = classVALU
	o.row, o.dtype = &untyped, sem.F32
	row := interpRows.Get()[o.in.Enc.Name()]
	if !o.bindUntyped() || o.nsrc != 3 || row == nil {
		return false
	}
	x := &interpInfo{from: [3]int8{2, -1, -1}, rtz: row.rtz}
	x.fma = rowNamed("v_fma_f32").Fn
	if row.p10 {
		x.from = [3]int8{1, -1, 0}
	}
	sel := o.in.Field(isa.FieldOpSel)
	if row.half {
		x.half = [3]bool{true, false, row.p10}
		if !row.p10 {
			x.round, o.dtype = interpRound(), sem.F16
			o.flags |= flagKeepHalf
			o.dst.shift = uint8(sel >> 3 & 1 * 16)
		}
	}
	neg := o.in.Field(isa.FieldNeg)
	for i := range o.src {
		o.src[i].shift = 0
		if x.half[i] && sel>>i&1 != 0 {
			o.src[i].shift = 16
		}
		o.src[i].mix = neg>>i&1 != 0
	}
	o.clamp = o.in.Field(isa.FieldClamp) != 0
	o.interp, o.run = x, runInterp
	return true
}

// interpRound returns the conversion to f16.
func interpRound() *sem.Row { return rowNamed("v_cvt_f16_f32") }

// rowNamed returns the semantics of the named instruction.
func rowNamed(name string) *sem.Row {
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Name() == name {
			return sem.Of(e.Op())
		}
	}
	panic("BUG: no instruction " + name)
}

func runInterp(w *wave, o *op) {
	x := o.interp
	ctx := w.ctx
	if x.rtz {
		ctx.Mode |= sem.Mode(sem.RoundTowardZero) | sem.Mode(sem.RoundTowardZero)<<2
	}
	var src [3][64]uint32
	for i := range src {
		p := array(w.lanesOf(&o.src[i], &w.tmp[i]))
		for l := range w.lanes {
			f := l
			if x.from[i] >= 0 {
				f = l&^3 | int(x.from[i])
			}
			v := uint64(p[f])
			if x.half[i] {
				v = sem.MixF16(&ctx, v>>o.src[i].shift&0xffff)
			}
			if o.src[i].mix {
				v ^= 1 << 31
			}
			src[i][l] = uint32(v)
		}
	}
	exec := w.exec()
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		v := x.fma(&ctx, uint64(src[0][l]), uint64(src[1][l]), uint64(src[2][l]))
		if x.round != nil {
			v = x.round.Fn(&ctx, v, 0, 0)
		}
		w.out[l] = uint32(v)
	}
	w.finish(o, exec)
}
