package sim

import (
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// packedInfo describes which halves of its sources a packed operation uses.
type packedInfo struct {
	half [2][3]uint8 // per result element and source: 1 for the high half
	neg  [2][3]bool
	wide bool // the halves are dwords of a register pair
	move bool // the high element is an element of the second source (v_pk_mov_b32)
}

// prepareVOP3P prepares packed operations, dot products and mixed-precision
// operations.
func prepareVOP3P(d *Device, o *op) bool {
	e := o.in.Enc
	if f := vectorSpecials.From(makeVectorSpecials)[e.Name()]; f != nil {
		o.class = classVALU
		return f(d, o)
	}
	if m := sem.MatrixOf(e.Op()); m != nil {
		return prepareMatrix(o, m)
	}
	switch {
	case e.Kinds().Any(isa.KindMix):
		return prepareMix(d, o)
	case !o.bindPacked():
		return false
	}
	o.simd, o.run = lanes.Find(o.opcode, o.in.Set, o.flag != nil).Signed(o.negLo), runDot
	if packedOp(e) {
		o.run = runPacked
	}
	return true
}

// packedOp reports whether an instruction applies an operation to two elements.
func packedOp(e isa.Enc) bool { return e.Kinds().Any(isa.KindPk) }

// bindPacked binds a packed operation's operands and halves.
func (o *op) bindPacked() bool {
	o.class = classVALU
	e := o.in.Enc
	row := sem.Of(e.Op())
	if row == nil || row.Fn == nil {
		return false
	}
	o.setRow(row)
	o.flags |= flagPacked
	if !o.bindVector(e) {
		return false
	}
	in := &o.in
	p := &packedInfo{}
	o.packed = p
	lo, hi, negLo, negHi := uint32(0), uint32(7), uint32(0), uint32(0)
	if e.Form() == isa.VOP3P {
		lo, hi = in.Field(isa.FieldOpSel), in.OpSelHi()
		negLo, negHi = in.Field(isa.FieldNeg), in.Field(isa.FieldNegHi)
	}
	o.negLo = uint8(negLo)
	for i := range o.src[:o.nsrc] {
		s := &o.src[i]
		if o.flags&flagTied != 0 && i == int(o.nsrc)-1 {
			p.half[1][i] = 1
			continue
		}
		p.half[0][i], p.half[1][i] = uint8(lo>>i&1), uint8(hi>>i&1)
		if s.typ.Float() || !packedOp(e) {
			p.neg[0][i], p.neg[1][i] = negLo>>i&1 != 0, negHi>>i&1 != 0
		}
		s.mods, s.shift = 0, 0
		o.packConstant(s)
		o.pairs[i] = s.packed || i < 2 && e.Kinds().Any(isa.KindDot2)
		o.negSum = o.negSum || i == 2 && s.typ.Float() && p.neg[0][i]
	}
	p.wide = o.dst.dwords == 2
	if p.move = e.Kinds().Any(isa.KindCopy); p.move {
		p.half[1] = p.half[0]
	}
	o.clamp = in.Field(isa.FieldClamp) != 0
	if v := e.Variant(); v.IsDPP() {
		o.bindDPP()
	}
	o.flags &^= flagKeepHalf
	return true
}

// packConstant expands a constant of an operand of two dwords. An integer is
// extended to 64 bits, a float is in the low dword.
func (o *op) packConstant(s *operand) {
	if s.kind == inConst && o.dst.dwords == 2 && s.typ.Bits() == 32 {
		if n := int32(s.val); n < 0 && n >= -16 {
			s.val = uint64(int64(n))
		}
		s.k = broadcast(s.val, int(o.in.Wave))
		s.dwords = 2
	}
}

// runPacked executes an operation for both elements.
func runPacked(w *wave, o *op) {
	exec := w.exec()
	n := w.lanes
	var p [3]*[128]uint32
	for i := range p {
		p[i] = array(w.lanesOf(&o.src[i], &w.tmp[i]))
		if i >= int(o.nsrc) {
			p[i] = &w.tmp[3]
		}
	}
	if o.dpp != nil {
		var moved *uint32
		exec, moved = w.permute(o, &p[0][0], exec)
		p[0] = array(moved)
	}
	k := o.packed
	if k.move {
		o.moveHalves(w, p, exec)
		return
	}
	if o.simd != nil && o.packPair(w, p, exec) {
		return
	}
	ctx := &w.ctx
	ctx.Clamp = o.clamp
	floatClamp := o.clamp && o.dtype.Float()
	d := array(&w.v[o.dst.off])
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		var r [2]uint64
		for e := range r {
			var s [3]uint64
			for i := range o.src[:o.nsrc] {
				s[i] = k.element(p[i], e, i, l, n, o.src[i].typ)
			}
			r[e] = o.fn(ctx, s[0], s[1], s[2])
			if floatClamp {
				r[e] = sem.ClampFloat(ctx, o.dtype, r[e])
			}
		}
		if k.wide {
			d[l], d[l+n] = uint32(r[0]), uint32(r[1])
		} else {
			d[l] = uint32(r[0]&0xffff | r[1]<<16)
		}
	}
	w.trapExceptions()
}

// moveHalves executes v_pk_mov_b32, which takes each result dword from a
// different source.
func (o *op) moveHalves(w *wave, p [3]*[128]uint32, exec uint64) {
	n := w.lanes
	for e := range 2 {
		lanes.Bits(lane(&w.out[0], e*n), lane(&p[e][0], int(o.packed.half[0][e])*n), 0, ^uint32(0), 0, n)
	}
	lanes.Merge(&w.v[o.dst.off], &w.out[0], exec, 0, 0, n)
	lanes.Merge(&w.v[int(o.dst.off)+n], &w.out[n], exec, 0, 0, n)
}

// packPair executes an operation on pairs of dwords with its SIMD
// implementation. It returns false if it is not supported.
func (o *op) packPair(w *wave, p [3]*[128]uint32, exec uint64) bool {
	n := o.simd.CountFor(w.lanes, &w.simdCounts)
	k := o.packed
	if n == 0 || o.clamp || k.wide == o.simd.Pair {
		return false
	}
	if o.simd.Pair {
		o.runPairs(w, p, exec, n)
		return true
	}
	for e := range 2 {
		var s [3]*uint32
		for i := range s {
			s[i] = lane(&p[i][0], int(k.half[e][i])*w.lanes)
			if k.neg[e][i] {
				lanes.Bits(&w.neg[i][0], s[i], 0, ^uint32(0), 1<<31, w.lanes)
				s[i] = &w.neg[i][0]
			}
		}
		d := lane(&w.out[0], e*w.lanes)
		if left := o.simd.Run(d, s[0], s[1], s[2], exec, n); left != 0 {
			a := array(d)
			for ; left != 0; left &= left - 1 {
				l := bits.TrailingZeros64(left) & 63
				a[l] = uint32(o.fn(&w.ctx, uint64(*lane(s[0], l)), uint64(*lane(s[1], l)), uint64(*lane(s[2], l))))
			}
		}
	}
	out := &w.out[0]
	lanes.MovePairs(&w.v[o.dst.off], out, exec, w.lanes)
	return true
}

// runPairs executes an operation on pairs of halves with its SIMD
// implementation.
func (o *op) runPairs(w *wave, p [3]*[128]uint32, exec uint64, n int) {
	var s [3]*uint32
	for i := range s {
		s[i] = &p[i][0]
		if i < int(o.nsrc) {
			s[i] = o.packed.arrange(&w.tmp[i][0], s[i], i, w.lanes)
		}
	}
	d := &w.v[o.dst.off]
	left := o.simd.Run(d, s[0], s[1], s[2], exec, n)
	ctx := &w.ctx
	ctx.Clamp = o.clamp
	for ; left != 0; left &= left - 1 {
		l := bits.TrailingZeros64(left) & 63
		a, b, c := uint64(*lane(s[0], l)), uint64(*lane(s[1], l)), uint64(*lane(s[2], l))
		lo, hi := o.fn(ctx, a&0xffff, b&0xffff, c&0xffff), o.fn(ctx, a>>16, b>>16, c>>16)
		*lane(d, l) = uint32(lo&0xffff | hi<<16)
	}
}

// element returns source i of element e in lane l.
func (k *packedInfo) element(p *[128]uint32, e, i, l, n int, t sem.Type) uint64 {
	var v uint64
	if k.wide {
		v = uint64(p[l+int(k.half[e][i])*n])
	} else {
		v = uint64(p[l] >> (16 * k.half[e][i]) & 0xffff)
	}
	if k.neg[e][i] && t.Float() {
		v = sem.Neg(t, v)
	}
	return v
}

// runDot executes a dot product, whose sources are registers of several
// elements.
func runDot(w *wave, o *op) {
	exec := w.exec()
	var p [3]*uint32
	for i := range p {
		p[i] = w.lanesOf(&o.src[i], &w.tmp[i])
		if i >= int(o.nsrc) {
			p[i] = &w.tmp[3][0]
		}
	}
	if o.dpp != nil {
		exec, p[0] = w.permute(o, p[0], exec)
	}
	for i := range o.pairs {
		if o.pairs[i] {
			p[i] = o.packed.arrange(&w.tmp[i][0], p[i], i, w.lanes)
		}
	}
	if o.negSum {
		lanes.Bits(&w.tmp[2][0], p[2], 0, ^uint32(0), 1<<31, w.lanes)
		p[2] = &w.tmp[2][0]
	}
	w.ctx.NegLo = o.negLo
	d := &w.v[o.dst.off]
	w.runLanes(o, d, p, exec)
	if o.clamp && o.dtype.Float() {
		a := array(d)
		for m := exec; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m) & 63
			a[l] = uint32(sem.ClampFloat(&w.ctx, o.dtype, uint64(a[l])))
		}
	}
}

// arrange writes the halves of source i selected by op_sel and op_sel_hi, with
// their signs, to t. It returns a pointer to the result, which is src if no
// change is needed.
func (k *packedInfo) arrange(t, src *uint32, i, n int) *uint32 {
	lo, hi := 16*k.half[0][i], 16*k.half[1][i]
	var sign uint32
	if k.neg[0][i] {
		sign |= 1 << 15
	}
	if k.neg[1][i] {
		sign |= 1 << 31
	}
	if lo == 0 && hi == 16 && sign == 0 {
		return src
	}
	lanes.Pairs(t, src, lo, hi, sign, n)
	return t
}

// prepareMix prepares v_fma_mix and v_mad_mix. A source is f32, or f16 or bf16 if
// selected by op_sel_hi, in the half selected by op_sel.
func prepareMix(d *Device, o *op) bool {
	o.class = classVALU
	e := o.in.Enc
	row := sem.Of(e.Op())
	if row == nil {
		return false
	}
	o.setRow(row)
	if !o.bindVector(e) {
		return false
	}
	in := &o.in
	half, sel, brain := in.OpSelHi(), in.Field(isa.FieldOpSel), mixesBF16(e)
	for i := range o.src[:o.nsrc] {
		s := &o.src[i]
		s.mix, s.bf16 = half>>i&1 != 0, brain
		s.shift = 0
		if s.mix && sel>>i&1 != 0 && s.kind != inConst {
			s.shift = 16
		}
		if s.kind == inConst && !s.mix {
			o.mixConstant(i)
		}
		if o.dtype.Bits() == 16 { // v_fma_mixlo and v_fma_mixhi
			o.flags |= flagKeepHalf
		}
	}
	o.dst.shift = 0
	if e.Kinds().Any(isa.KindMixHi) {
		o.dst.shift = 16
	}
	o.clamp = in.Field(isa.FieldClamp) != 0
	if e.Variant().IsDPP() {
		o.bindDPP()
	}
	o.simd = lanes.Find(o.opcode, o.in.Set, o.flag != nil)
	o.run = runMix
	return true
}

// mixesBF16 reports whether the 16-bit sources of a mixed operation are bf16.
func mixesBF16(e isa.Enc) bool {
	return slices.ContainsFunc(e.Operands(), func(p isa.OperandInfo) bool { return p.Type.Base() == isa.BF16 })
}

// mixConstant evaluates an inline float for an f32 source.
func (o *op) mixConstant(i int) {
	ops := o.in.Enc.Operands()
	fields := [3]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2}
	for k := range ops {
		if ops[k].Field != fields[i] {
			continue
		}
		if v := o.in.Operand(&ops[k]); v.Kind == isa.InlineFP {
			s := &o.src[i]
			s.val = isa.InlineFloat(int(v.Num), isa.F32)
			s.k = broadcast(s.val, int(o.in.Wave))
		}
	}
}

func runMix(w *wave, o *op) {
	exec := w.exec()
	var p [3]*uint32
	for i := range p {
		s := &o.src[i]
		p[i] = w.lanesOf(s, &w.tmp[i])
		if i == 0 && o.dpp != nil {
			exec, p[0] = w.permute(o, p[0], exec)
		}
		if s.mix || s.mods != 0 {
			p[i] = w.mixSource(s, &w.tmp[i][0], p[i], exec)
		}
	}
	if exec == 0 {
		return
	}
	w.runLanes(o, &w.out[0], p, exec)
	w.finish(o, exec)
}

// mixSource widens a source to t and applies its modifiers. It returns a
// pointer to the result.
func (w *wave) mixSource(s *operand, t, src *uint32, exec uint64) *uint32 {
	var and, xor uint32
	if s.mods&modAbs != 0 {
		and = 1 << 31
	}
	if s.mods&modNeg != 0 {
		xor = 1 << 31
	}
	if !s.mix {
		lanes.Bits(t, src, 0, ^and, xor, w.lanes)
		return t
	}
	lanes.Bits(t, src, s.shift, 0xffff&^(and>>16), xor>>16, w.lanes)
	if s.bf16 {
		for m := exec; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m) & 63
			*lane(t, l) = uint32(sem.MixBF16(&w.ctx, uint64(*lane(t, l))))
		}
		return t
	}
	for m := lanes.WidenHalves(t, exec, w.simdCounts.Half); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		*lane(t, l) = uint32(sem.MixF16(&w.ctx, uint64(*lane(t, l))))
	}
	return t
}
