package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// interpInfo describes an interpolation: a multiply-add. Its parameters are in
// the lanes of each quad (VINTERP, from gfx11 on), or in LDS (before gfx11).
// Source: RDNA 3 ISA, VINTERP; Vega ISA, VINTRP.
type interpInfo struct {
	from  [3]int8 // source lane within the quad; -1 for the lane itself, -2 for a parameter in LDS
	half  [3]bool // f16 sources
	slot  [3]paramSlot
	rtz   bool // rounds toward zero
	small bool // rounds in the mode of f16 and f64
	fma   sem.Func
	round *sem.Row // conversion to f16; nil for none
}

// interpRow describes an operation of VINTERP: it multiplies the parameter P10
// or P20, has f16 sources, and rounds toward zero.
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

// Lanes of interpInfo.from that are no lane of the quad.
const (
	fromLane  = -1 // the lane itself
	fromParam = -2 // a parameter in LDS
)

// paramRow describes an operation of VINTRP: multiplied by the first parameter,
// source 0 is added to the second one, to source 1 or to the old result.
type paramRow struct {
	factor, addend paramSlot
	half           bool // the parameters are f16
	result16       bool // the result is f16
}

var paramRows = lazy.Value[map[string]*paramRow]{Make: func() map[string]*paramRow {
	return map[string]*paramRow{
		"v_interp_p1_f32":        {factor: slotP10, addend: slotP0},
		"v_interp_p2_f32":        {factor: slotP20, addend: slotNone},
		"v_interp_p1ll_f16":      {factor: slotP10, addend: slotP0, half: true},
		"v_interp_p1lv_f16":      {factor: slotP10, addend: slotNone, half: true},
		"v_interp_p2_f16":        {factor: slotP20, addend: slotNone, half: true, result16: true},
		"v_interp_p2_legacy_f16": {factor: slotP20, addend: slotNone, half: true, result16: true},
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
	x := &interpInfo{from: [3]int8{2, fromLane, fromLane}, rtz: row.rtz}
	x.fma = rowNamed("v_fma_f32").Fn
	if row.p10 {
		x.from = [3]int8{1, fromLane, 0}
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

// prepareParam prepares the operations of VINTRP and their VOP3 forms.
func prepareParam(d *Device, o *op) bool {
	o.class = classVALU
	o.row, o.dtype = &untyped, sem.F32
	if !o.bindUntyped() || o.dst.kind != inVGPR {
		return false
	}
	o.clamp, o.omod = o.in.Clamps(), uint8(o.in.Field(isa.FieldOmod))
	o.param = &paramInfo{attr: o.in.Field(isa.FieldAttr), channel: o.in.Field(isa.FieldAttrchan), pairs: true}
	row := paramRows.Get()[o.in.Enc.Name()]
	if row == nil {
		return prepareParamMove(o)
	}
	x := &interpInfo{from: [3]int8{fromParam, fromLane, fromParam}, slot: [3]paramSlot{row.factor, slotNone, row.addend}, small: row.half}
	x.fma = mulAdd(o.in.Set)
	high := row.half && o.in.Field(isa.FieldHigh) != 0
	x.half = [3]bool{row.half, false, row.half && !row.result16}
	sources := o.src
	o.src = [3]operand{1: sources[0]}
	switch {
	case row.addend != slotNone:
	case o.nsrc > 1:
		x.from[2], o.src[2] = fromLane, sources[1]
	default:
		x.from[2], o.src[2] = fromLane, o.dst
	}
	o.nsrc = 3
	o.bindParamSigns(x)
	if high {
		o.src[0].shift, o.src[2].shift = 16, 16
	}
	if row.result16 {
		x.round, o.dtype = interpRound(), sem.F16
		o.bindParamHalf()
	}
	o.interp, o.run = x, runInterp
	return true
}

// bindParamSigns applies neg and abs of the VOP3 forms to the sources.
func (o *op) bindParamSigns(x *interpInfo) {
	ops := o.in.Enc.Operands()
	for i := range ops {
		to := 1
		switch ops[i].Field {
		case isa.FieldSrc0:
		case isa.FieldSrc1:
			to = 2
		default:
			continue
		}
		m := o.in.SourceMods(&ops[i])
		o.src[to].mix = m.Neg
		if m.Abs {
			o.src[to].mods |= modAbs
		}
	}
}

// bindParamHalf selects the half of the destination. The other half is zeroed or
// preserved as by other 16-bit results.
func (o *op) bindParamHalf() {
	if o.in.Set.Has(isa.PropVop3Opsel) && o.in.NativeField(isa.FieldOpSel)>>3&1 != 0 {
		o.dst.shift = 16
	}
	if o.dst.shift != 0 || keepsHalf(o.in.Enc, o.in.Set) {
		o.flags |= flagKeepHalf
	}
}

// mulAdd returns the multiply-add of interpolations: unfused on sets with
// v_mad_f32.
func mulAdd(s isa.Set) sem.Func {
	for e, end := isa.EncsNamed("v_mad_f32"); e < end; e++ {
		if e.Sets().Has(s) {
			return rowNamed("v_mad_f32").Fn
		}
	}
	return rowNamed("v_fma_f32").Fn
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
	switch {
	case x.rtz:
		ctx.Mode |= sem.Mode(sem.RoundTowardZero) | sem.Mode(sem.RoundTowardZero)<<2
	case x.small:
		ctx.Mode = ctx.Mode&^3 | ctx.Mode>>2&3
	}
	exec := w.exec()
	if o.param != nil && !w.paramAddresses(o.param, exec) {
		return
	}
	var src [3][64]uint32
	for i := range src {
		if x.from[i] == fromParam {
			w.readParam(o.param, x.slot[i], exec, &src[i])
			w.interpSource(&ctx, o, i, &src[i])
			continue
		}
		p := array(w.lanesOf(&o.src[i], &w.tmp[i]))
		for l := range w.lanes {
			f := l
			if x.from[i] >= 0 {
				f = l&^3 | int(x.from[i])
			}
			src[i][l] = p[f]
		}
		w.interpSource(&ctx, o, i, &src[i])
	}
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

// interpSource widens source i to f32 and applies its modifiers.
func (w *wave) interpSource(ctx *sem.Ctx, o *op, i int, src *[64]uint32) {
	s := &o.src[i]
	half := o.interp.half[i]
	if !half && !s.mix && s.mods&modAbs == 0 {
		return
	}
	for l := range src[:w.lanes] {
		v := uint64(src[l])
		if half {
			v = sem.MixF16(ctx, v>>s.shift&0xffff)
		}
		if s.mods&modAbs != 0 {
			v &^= 1 << 31
		}
		if s.mix {
			v ^= 1 << 31
		}
		src[l] = uint32(v)
	}
}
