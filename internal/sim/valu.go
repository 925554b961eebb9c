package sim

import (
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// prepareVALU prepares a VOP1, VOP2, VOPC or VOP3 instruction.
func prepareVALU(d *Device, o *op) bool {
	o.class = classVALU
	e := o.in.Enc
	if f := vectorSpecials.From(makeVectorSpecials)[e.Name()]; f != nil {
		return f(d, o)
	}
	if wide := sem.WideOf(e.Op()); wide != nil {
		return prepareWide(o, wide)
	}
	if packedOp(e) {
		return prepareVOP3P(d, o)
	}
	if x := sem.ScaleConvertOf(e.Op()); x != nil {
		return prepareScaleConvert(o, x)
	}
	row := sem.Of(e.Op())
	if row == nil {
		return false
	}
	o.setRow(row)
	if !o.bindVector(e) {
		return false
	}
	o.clamp = o.in.Clamps()
	o.omod = uint8(o.in.Field(isa.FieldOmod))
	if o.clamp && row.ClampFormat && o.in.Set.Has(isa.PropFp8E5m3) {
		o.dtype = unclamped(o.dtype) // clamp selects E5M3
	}
	if reguse.FindOperand(&o.in, isa.FieldBitop3) != nil {
		o.bitOp, o.omod = uint8(o.in.BitOp3()), 0
	}
	switch e.Variant() {
	case isa.SDWA:
		o.bindSDWA()
	case isa.DPP, isa.DPP8, isa.DPP64, isa.DPP864:
		o.bindDPP()
	}
	o.chooseRun()
	return true
}

// unclamped returns the type of a float result that clamp does not limit.
func unclamped(t sem.Type) sem.Type {
	switch t {
	case sem.F32:
		return sem.B32
	case sem.F16:
		return sem.B16
	}
	return t
}

func (o *op) setRow(row *sem.Row) {
	o.row, o.fn, o.flag, o.dtype = row, row.Fn, row.Flag, row.Sig.Dst
}

// srcType returns the type of source i.
func (o *op) srcType(i int) sem.Type {
	if i < len(o.row.Sig.Src) {
		return o.row.Sig.Src[i]
	}
	return sem.None
}

// bindVector binds the operands of a vector instruction.
func (o *op) bindVector(e isa.Enc) bool {
	in := &o.in
	ops := e.Operands()
	t := e.Traits()
	for i := range ops {
		p := &ops[i]
		c := p.Class.Info()
		switch {
		case p.Field == isa.FieldVcc:
			vcc := operand{kind: inScalar, off: sVCC, dwords: in.Wave / 32}
			if o.nsrc == 0 {
				o.mask = vcc
			} else {
				o.in0 = vcc
			}
		case p.Class == isa.ClassSdwam:
			o.mask = operand{kind: inScalar, off: sVCC, dwords: in.Wave / 32}
			if in.Field(isa.FieldSd) != 0 {
				o.mask.off = int32(in.Field(isa.FieldSdst))
				if int(o.mask.off) == reguse.NullCode(in.Set) {
					o.mask.off = sTrash
				}
			}
		case p.Field == isa.FieldImm:
			v := in.Literal()
			o.src[o.nsrc] = operand{kind: inConst, val: v, k: broadcast(v, int(in.Wave)), dwords: uint8(max(1, o.srcType(int(o.nsrc)).Bits()/32)), typ: o.srcType(int(o.nsrc))}
			o.nsrc++
		case c.Files == 0:
			// a modifier
		case c.Flags&isa.Mask != 0 && p.Field == isa.FieldSrc2:
			if o.in0 = o.maskOperand(p); o.in0.off == sTrash {
				o.in0 = operand{kind: inConst} // null
			}
		case c.Flags&isa.Mask != 0:
			o.mask = o.maskOperand(p)
		case p.Field == isa.FieldVdst:
			r, ok := o.read(p, o.dtype)
			if !ok {
				return false
			}
			if o.dst = r; in.Operand(p).Kind == isa.ScalarReg {
				o.dst = o.scalarDst(p)
			}
		case p.Field == isa.FieldSrc0 || p.Field == isa.FieldSrc1 || p.Field == isa.FieldSrc2:
			if !o.bindSource(p) {
				return false
			}
		}
	}
	if t.Any(isa.TraitUseVcc) && o.in0.kind == noOperand {
		o.in0 = operand{kind: inScalar, off: sVCC, dwords: in.Wave / 32}
	}
	if t.Any(isa.TraitDefExec) {
		o.flags |= flagExec
	}
	o.bindTied(t)
	o.bindHalves(e)
	return true
}

// bindTied adds the destination as the last source if the operation has one
// more source than the instruction.
func (o *op) bindTied(t isa.Traits) {
	if n := int(o.nsrc); n < 3 && o.row.Sig.Src[n] != sem.None && o.dst.kind == inVGPR {
		o.src[n] = o.dst
		o.src[n].typ = o.row.Sig.Src[n]
		o.nsrc++
		o.flags |= flagTied
	}
}

func (o *op) maskOperand(p *isa.OperandInfo) operand {
	v := o.in.Operand(p)
	r := operand{kind: inScalar, off: int32(v.Num), dwords: o.in.Wave / 32}
	switch {
	case v.Kind != isa.ScalarReg:
		t := sem.B64
		if o.in.Wave == 32 {
			t = sem.B32
		}
		r, _ = o.operandOf(&o.in, p, v, t)
	case int(v.Num) == reguse.NullCode(o.in.Set):
		r.off = sTrash
	case v.Num >= 128: // read-only
		r.kind = inSpecial
	}
	return r
}

// bindSource appends a source with its modifiers.
func (o *op) bindSource(p *isa.OperandInfo) bool {
	if int(o.nsrc) == len(o.src) {
		return false
	}
	t := o.srcType(int(o.nsrc))
	r, ok := o.read(p, t)
	if !ok {
		return false
	}
	m := o.in.SourceMods(p)
	if m.Neg {
		r.mods |= modNeg
	}
	if m.Abs {
		r.mods |= modAbs
	}
	if m.Sext {
		r.mods |= modSext
	}
	r.packed = p.Type.Packed()
	o.src[o.nsrc] = r
	o.nsrc++
	return true
}

// bindHalves selects the register halves of 16-bit sources and results. The
// other half of the destination is zeroed on gfx8, preserved since gfx10, and
// on gfx9 zeroed by the instructions inherited from gfx8. Source: LLVM,
// GCNSubtarget.cpp, zeroesHigh16BitsOfDest.
func (o *op) bindHalves(e isa.Enc) {
	sel := uint32(0)
	if e.Form() == isa.VOP3 && o.in.Set.Has(isa.PropVop3Opsel) {
		sel = o.in.NativeField(isa.FieldOpSel)
		o.opSel = uint8(sel)
	}
	if packedOp(e) {
		return
	}
	i := uint32(0)
	for k := range o.src[:o.nsrc] {
		s := &o.src[k]
		if s.typ.Bits() != 16 {
			i++
			continue
		}
		if s.kind != inConst {
			s.mods |= modHalf
			if sel>>i&1 != 0 && k < 3 {
				s.shift = 16
			}
		} else if s.val>>16 != 0 && e.Variant() != isa.SDWA {
			s.val &= 0xffff
			s.k = broadcast(s.val, int(o.in.Wave))
		}
		i++
	}
	if o.dtype.Bits() != 16 || o.dst.kind != inVGPR {
		return
	}
	if sel>>3&1 != 0 {
		o.dst.shift = 16
	}
	if o.flags&flagTied != 0 {
		o.src[o.nsrc-1].shift = o.dst.shift
	}
	if o.dst.shift != 0 || keepsHalf(e, o.in.Set) {
		o.flags |= flagKeepHalf
		return
	}
	fn := o.fn // returns arbitrary bits above its result
	o.fn = func(c *sem.Ctx, s0, s1, s2 uint64) uint64 { return fn(c, s0, s1, s2) & 0xffff }
}

// keepsHalf reports whether a 16-bit result preserves the high half of its
// register.
func keepsHalf(e isa.Enc, s isa.Set) bool {
	switch {
	case s.Has(isa.PropHalfKept):
		return true
	case s.Gen() == isa.Gen8:
		return false
	}
	return e.Kinds().Any(isa.KindKeephalf)
}

// chooseRun selects the fastest implementation of a vector operation.
func (o *op) chooseRun() {
	o.simd = lanes.Find(o.opcode, o.in.Set, o.flag != nil)
	o.direct = o.dst.kind == inVGPR && o.sdwa == nil && o.omod == 0 && o.flags&flagKeepHalf == 0 && (!o.clamp || !o.dtype.Float())
	plain := o.direct && o.dpp == nil
	for i := range o.src[:o.nsrc] {
		if o.src[i].mods != 0 {
			plain = false
		}
	}
	switch {
	case o.dst.kind == inScalar:
		o.run = runPseudoScalar
	case o.dtype == sem.Bool:
		o.run = runCompare
	case o.row.Flag != nil && plain && o.simd != nil && !o.clamp && o.nsrc == 2:
		o.chooseMasked()
	case o.row.Flag != nil:
		o.run = runVectorFlag
	case plain && o.simd != nil && !o.clamp && o.nsrc <= 2:
		o.run = runSIMD2
	case plain && o.simd != nil && !o.clamp:
		o.run = runSIMD3
	default:
		o.run = runVector
	}
}

// chooseMasked selects the implementation of an operation with a lane mask and
// two unmodified sources.
func (o *op) chooseMasked() {
	switch s := o.simd; {
	case s.Plain != nil && o.mask.kind != inScalar:
		o.simd, o.run = &lanes.Impl{Run: s.Plain}, runSIMD2
	case s.Mask != nil && (s.NoInput || o.in0.kind == inScalar):
		o.run = runMasked2
	default:
		o.run = runVectorFlag
	}
}

// runMasked2 executes an operation with a lane mask and two unmodified sources.
func runMasked2(w *wave, o *op) {
	s := o.simd
	in := uint64(0)
	if !s.NoInput {
		in = w.mask(o.in0.off)
	}
	a, b := w.lanesOf(&o.src[0], &w.tmp[0]), w.lanesOf(&o.src[1], &w.tmp[1])
	if s.Reversed {
		a, b = b, a
	}
	out := s.Mask(&w.v[o.dst.off], a, b, w.exec(), in, w.lanes)
	if o.mask.kind == inScalar {
		w.setMask(o.mask.off, out)
	}
}

// runSIMD2 executes an operation with one or two unmodified sources.
func runSIMD2(w *wave, o *op) {
	exec := w.exec()
	d := &w.v[o.dst.off]
	a := w.lanesOf(&o.src[0], &w.tmp[0])
	b := a
	if o.nsrc > 1 {
		b = w.lanesOf(&o.src[1], &w.tmp[1])
	}
	left := exec
	if n := o.simd.CountFor(w.lanes, &w.simdCounts); n != 0 {
		left = o.simd.Run(d, a, b, b, exec, n)
	}
	if left != 0 {
		w.perLane(o, array(d), array(a), array(b), array(b), left)
	}
}

// runSIMD3 executes an operation with three unmodified sources.
func runSIMD3(w *wave, o *op) {
	exec := w.exec()
	d := &w.v[o.dst.off]
	a := w.lanesOf(&o.src[0], &w.tmp[0])
	b := w.lanesOf(&o.src[1], &w.tmp[1])
	c := w.lanesOf(&o.src[2], &w.tmp[2])
	left := exec
	if n := o.simd.CountFor(w.lanes, &w.simdCounts); n != 0 {
		left = o.simd.Run(d, a, b, c, exec, n)
	}
	if left != 0 {
		w.perLane(o, array(d), array(a), array(b), array(c), left)
	}
}

// runVector executes an operation with any modifiers.
func runVector(w *wave, o *op) {
	p, exec := w.operands(o)
	if exec == 0 {
		return
	}
	d := &w.out[0]
	if o.direct {
		d = &w.v[o.dst.off]
	}
	w.runLanes(o, d, p, exec)
	if !o.direct {
		w.finish(o, exec)
	}
}

// runLanes executes an operation with its SIMD implementation if possible, and
// otherwise lane by lane. It does not apply the floating-point clamp.
func (w *wave) runLanes(o *op, d *uint32, p [3]*uint32, exec uint64) {
	left := exec
	if o.simd != nil && (!o.clamp || o.dtype.Float()) {
		if n := o.simd.CountFor(w.lanes, &w.simdCounts); n != 0 {
			left = o.simd.Run(d, p[0], p[1], p[2], exec, n)
		}
	}
	if left != 0 {
		w.perLane(o, array(d), array(p[0]), array(p[1]), array(p[2]), left)
	}
}

// perLane calls an operation's function for each lane in left.
func (w *wave) perLane(o *op, d, a, b, c *[128]uint32, left uint64) {
	ctx := &w.ctx
	ctx.Clamp, ctx.OpSel, ctx.BitOp = o.clamp, o.opSel, o.bitOp
	fn := o.fn
	if o.dst.dwords == 1 && o.src[0].dwords == 1 && o.src[1].dwords <= 1 && o.src[2].dwords <= 1 {
		for ; left != 0; left &= left - 1 {
			l := bits.TrailingZeros64(left) & 63
			d[l] = uint32(fn(ctx, uint64(a[l]), uint64(b[l]), uint64(c[l])))
		}
		w.trapExceptions()
		return
	}
	n := w.lanes
	for ; left != 0; left &= left - 1 {
		l := bits.TrailingZeros64(left) & 63
		r := fn(ctx, o.src[0].at(a, l, n), o.src[1].at(b, l, n), o.src[2].at(c, l, n))
		d[l] = uint32(r)
		if o.dst.dwords > 1 {
			d[l+n] = uint32(r >> 32)
		}
	}
	w.trapExceptions()
}

// at returns one lane of a source whose registers are at p.
func (s *operand) at(p *[128]uint32, l, lanes int) uint64 {
	v := uint64(p[l])
	if s.dwords > 1 {
		v |= uint64(p[l+lanes]) << 32
	}
	return v
}

// runVectorFlag executes an operation with a lane mask as input or output.
func runVectorFlag(w *wave, o *op) {
	p, exec := w.operands(o)
	var in uint64
	switch o.in0.kind {
	case inScalar:
		in = w.mask(o.in0.off)
	case inConst:
		in = o.in0.val
	case inSpecial:
		in = w.special(&o.in0)
	}
	d := &w.out[0]
	if o.direct {
		d = &w.v[o.dst.off]
	}
	out, left := w.runMasked(o, d, p, exec, in)
	ctx := &w.ctx
	ctx.Clamp = o.clamp
	n := w.lanes
	a, b, c, r := array(p[0]), array(p[1]), array(p[2]), array(d)
	for ; left != 0; left &= left - 1 {
		l := bits.TrailingZeros64(left) & 63
		v, f := o.flag(ctx, o.src[0].at(a, l, n), o.src[1].at(b, l, n), o.src[2].at(c, l, n), in>>l&1 != 0)
		r[l] = uint32(v)
		if o.dst.dwords > 1 {
			r[l+n] = uint32(v >> 32)
		}
		if f {
			out |= 1 << l
		}
	}
	if !o.direct {
		w.finish(o, exec)
	}
	if o.mask.kind == inScalar {
		w.setMask(o.mask.off, out)
	}
	w.trapExceptions()
}

// runMasked runs the SIMD implementation of an operation with a lane mask as
// input or output. It returns the resulting mask and the lanes that it did not
// compute.
func (w *wave) runMasked(o *op, d *uint32, p [3]*uint32, exec, in uint64) (out, left uint64) {
	s := o.simd
	if s == nil || o.clamp {
		return 0, exec
	}
	a, b := p[0], p[1]
	if s.NoInput {
		in = 0
	}
	if s.Reversed {
		a, b = b, a
	}
	switch {
	case s.Mask != nil:
		return s.Mask(d, a, b, exec, in, w.lanes), 0
	case s.Sum:
		return s.Run(d, a, b, p[2], exec, w.lanes), 0
	}
	n := s.CountFor(w.lanes, &w.simdCounts)
	if n == 0 {
		return 0, exec
	}
	return 0, exec&in | s.Run(d, a, b, p[2], exec&^in, n)
}

// runCompare executes a comparison. The result has one bit per lane, 0 for
// inactive lanes.
func runCompare(w *wave, o *op) {
	p, exec := w.operands(o)
	var out uint64
	left := exec
	if o.simd != nil {
		if n := o.simd.CountFor(w.lanes, &w.simdCounts); n != 0 {
			out, left = o.simd.Run(nil, p[0], p[1], nil, exec, n), 0
		}
	}
	ctx := &w.ctx
	ctx.Clamp = o.clamp
	n := w.lanes
	a, b := array(p[0]), array(p[1])
	for ; left != 0; left &= left - 1 {
		l := bits.TrailingZeros64(left) & 63
		out |= o.fn(ctx, o.src[0].at(a, l, n), o.src[1].at(b, l, n), 0) & 1 << l
	}
	if o.mask.kind == inScalar {
		w.setMask(o.mask.off, out)
	}
	if o.flags&flagExec != 0 {
		w.setMask(sExec, out)
	}
	w.trapExceptions()
}

// runPseudoScalar executes a transcendental operation on a scalar, regardless of
// EXEC. A 16-bit result is zero-extended.
func runPseudoScalar(w *wave, o *op) {
	s, t := &o.src[0], o.dtype
	mask := uint64(1)<<t.Bits() - 1
	v := w.scalar(s) & mask
	if s.mods&modAbs != 0 {
		v &= mask >> 1
	}
	if s.mods&modNeg != 0 {
		v = sem.Neg(t, v)
	}
	w.ctx.Clamp = o.clamp
	r := sem.OMod(&w.ctx, t, o.fn(&w.ctx, v, 0, 0)&mask, o.omod)
	if o.clamp {
		r = sem.ClampFloat(&w.ctx, t, r)
	}
	w.setScalar(&o.dst, r&mask)
	w.trapExceptions()
}

// trapExceptions ends the wave with a fault if an enabled exception was raised.
func (w *wave) trapExceptions() {
	if !w.ctx.Track || w.ctx.Excp == 0 {
		return
	}
	e := w.ctx.Excp
	w.ctx.Excp = 0
	w.trapsts |= uint32(e)
	if enabled := w.mode >> 12 & uint32(e); enabled != 0 {
		w.fail(device.FaultException, exceptionText(enabled))
	}
}

// exceptionText returns the names of exceptions.
func exceptionText(e uint32) string {
	names := [...]string{"invalid operation", "denormal source", "division by zero", "overflow", "underflow", "inexact result", "integer division by zero"}
	var list []string
	for i, n := range names {
		if e>>i&1 != 0 {
			list = append(list, n)
		}
	}
	return strings.Join(list, ", ")
}
