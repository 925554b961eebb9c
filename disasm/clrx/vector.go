package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// in reads a field of an extra dword.
func in(w uint32, p isa.Place) uint32 { return w >> p.Shift & (1<<p.Width - 1) }

// src9 appends a source with a number of 9 bits.
func (p *Printer) src9(dst []byte, x *inst, num, n uint32) ([]byte, bool) {
	if num >= clrxsyntax.SrcVGPR {
		return p.vector(dst, num-clrxsyntax.SrcVGPR, n)
	}
	if num == clrxsyntax.SrcLiteral {
		return p.source(dst, x, num, n)
	}
	return p.vsreg(dst, num, n)
}

// vsreg appends a scalar operand of a vector instruction. A pair of SGPRs may
// begin at an odd number within a group of four.
func (p *Printer) vsreg(dst []byte, num, n uint32) ([]byte, bool) {
	if n == 2 && num&3 == 1 && num+1 < uint32(p.arch.NumSGPRs()) {
		return p.tuple(dst, "s", num, 2), true
	}
	return p.sreg(dst, num, n)
}

// shownShort returns the bits that the text of VOP1, VOP2 and VOPC shows.
func shownShort(_ *Printer, r *clrxsyntax.Row, at *places) (m uint64) {
	if r.Dst != 0 {
		m |= field(at.vdst)
	}
	if r.Src[0] != 0 {
		m |= field(at.src0)
	}
	if r.Src[1] != 0 {
		m |= field(at.src1)
	}
	return m
}

// short appends the operands of VOP1, VOP2 and VOPC.
func (p *Printer) short(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	if r.Dst == 0 && r.Src[0] == 0 {
		return dst, true
	}
	src0 := x.bits(at.src0)
	if p.arch >= clrxsyntax.GCN12 && !r.Flags.Has(clrxsyntax.NoSdwa) {
		switch src0 {
		case clrxsyntax.SrcSDWA:
			return p.sdwa(dst, x)
		case clrxsyntax.SrcDPP:
			return p.dppWord(dst, x)
		}
	}
	dst, ok := p.shortResult(dst, x)
	konst := r.Flags.Has(clrxsyntax.MulConst | clrxsyntax.AddConst)
	dst, ok0 := p.src9(dst, x, src0, uint32(r.Src[0]))
	ok = ok && ok0
	if r.Src[1] == 0 {
		return dst, ok
	}
	if r.Flags.Has(clrxsyntax.LaneSelect) && src0 < clrxsyntax.SrcVGPR {
		lane := x.bits(at.src1)
		ok = ok && oneScalar([]uint32{src0, lane}) && (src0 != clrxsyntax.SrcLiteral || lane >= countedScalars)
	}
	if r.Flags.Has(clrxsyntax.MulConst) {
		dst = appendHex(comma(dst), uint64(x.next))
	}
	dst, ok1 := p.src1(comma(dst), x)
	if r.Flags.Has(clrxsyntax.AddConst) {
		dst = appendHex(comma(dst), uint64(x.next))
	}
	if konst {
		x.more = true
		ok = ok && x.has
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		dst = append(dst, ", vcc"...)
	}
	return dst, ok && ok1
}

// src1 appends source 1 of a short form.
func (p *Printer) src1(dst []byte, x *inst) ([]byte, bool) {
	num := x.bits(x.at.src1)
	if x.row.Flags.Has(clrxsyntax.LaneSelect) {
		return p.sreg(dst, num, 1)
	}
	return p.vector(dst, num, uint32(x.row.Src[1]))
}

// shortResult appends the results of a short form and a comma.
func (p *Printer) shortResult(dst []byte, x *inst) ([]byte, bool) {
	r := x.row
	ok := true
	switch {
	case r.Form == isa.VOPC:
		dst = append(dst, "vcc"...)
	case r.Flags.Has(clrxsyntax.ScalarDst):
		num := x.bits(x.at.vdst)
		dst, ok = p.sreg(dst, num, uint32(r.Dst))
		ok = ok && num < clrxsyntax.SrcInt
	default:
		dst, ok = p.vector(dst, x.bits(x.at.vdst), uint32(r.Dst))
	}
	if r.Flags.Has(clrxsyntax.CarryOut) {
		dst = append(dst, ", vcc"...)
	}
	return comma(dst), ok
}

// modified appends a source with modifiers.
func modified(dst []byte, neg, abs, sext bool) []byte {
	if neg {
		dst = append(dst, '-')
	}
	if sext {
		dst = append(dst, "sext("...)
	}
	if abs {
		dst = append(dst, "abs("...)
	}
	return dst
}

// modifiedEnd appends the end of a source with modifiers.
func modifiedEnd(dst []byte, abs, sext bool) []byte {
	if abs {
		dst = append(dst, ')')
	}
	if sext {
		dst = append(dst, ')')
	}
	return dst
}

// narrow reports whether an instruction has 32-bit operands only, which SDWA
// and DPP need.
func narrow(r *clrxsyntax.Row) bool { return r.Dst < 2 && r.Src[0] < 2 && r.Src[1] < 2 }

// dppWord appends the operands of an instruction with a DPP dword.
func (p *Printer) dppWord(dst []byte, x *inst) ([]byte, bool) {
	r, w, at := x.row, x.next, p.dpp
	x.more = true
	ok := x.has && narrow(r) && r.Src[0] != 0 && w&^uint32(field(at.src0)|field(at.dppCtrl)|field(at.boundCtrl)|field(at.bankMask)|
		field(at.rowMask)|field(at.src0Neg)|field(at.src0Abs)|field(at.src1Neg)|field(at.src1Abs)) == 0
	dst, okDst := p.shortResult(dst, x)
	neg, abs := in(w, at.src0Neg) != 0, in(w, at.src0Abs) != 0
	dst, _ = p.vector(modified(dst, neg, abs, false), in(w, at.src0), 1)
	dst = modifiedEnd(dst, abs, false)
	neg, abs = in(w, at.src1Neg) != 0, in(w, at.src1Abs) != 0
	if r.Src[1] != 0 {
		dst, _ = p.vector(modified(comma(dst), neg, abs, false), x.bits(x.at.src1), 1)
		dst = modifiedEnd(dst, abs, false)
	} else if neg || abs {
		ok = false
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		dst = append(dst, ", vcc"...)
	}
	lanes := p.lanes[in(w, at.dppCtrl)]
	dst = append(dst, lanes...)
	if in(w, at.boundCtrl) != 0 {
		dst = append(dst, " bound_ctrl"...)
	}
	dst = p.number(append(dst, " bank_mask:"...), in(w, at.bankMask))
	dst = p.number(append(dst, " row_mask:"...), in(w, at.rowMask))
	return dst, ok && okDst && lanes != ""
}

// sdwa appends the operands of an instruction with an SDWA dword.
func (p *Printer) sdwa(dst []byte, x *inst) ([]byte, bool) {
	r, w, at := x.row, x.next, p.sext
	x.more = true
	compare14 := r.Form == isa.VOPC && p.arch == clrxsyntax.GCN14
	ok := x.has && narrow(r) && r.Src[0] != 0 && w&^p.sdwaBits(r, compare14) == 0
	var okDst bool
	if compare14 && in(w, at.sd) != 0 {
		num := in(w, at.sdst)
		dst, okDst = p.vsreg(dst, num, 2)
		dst = comma(dst)
		okDst = okDst && num != clrxsyntax.SrcVCC // which needs no field
	} else {
		dst, okDst = p.shortResult(dst, x)
		okDst = okDst && (!compare14 || in(w, at.sdst) == 0)
	}
	ok = ok && okDst
	dst, okDst = p.sdwaSources(dst, x)
	ok = ok && okDst
	if r.Flags.Has(clrxsyntax.CarryIn) {
		dst = append(dst, ", vcc"...)
	}
	if !compare14 {
		dst = multiplied(dst, in(w, at.omod))
		if in(w, at.clamp) != 0 {
			dst = append(dst, " clamp"...)
		}
	}
	dst, okDst = p.selections(dst, r, w, compare14)
	return dst, ok && okDst
}

// selections appends the selections of an SDWA dword, sdwa if there is none.
func (p *Printer) selections(dst []byte, r *clrxsyntax.Row, w uint32, compare14 bool) ([]byte, bool) {
	at := p.sext
	n := len(dst)
	ok := true
	sel := func(name string, v uint32) {
		if v == clrxsyntax.SelectDword {
			return
		}
		s := clrxsyntax.Selections.Name(p.arch, int(v))
		dst = append(append(dst, name...), s...)
		ok = ok && s != ""
	}
	if !compare14 {
		sel(" dst_sel:", in(w, at.dstSel))
		if v := in(w, at.dstUnused); v != 0 {
			s := clrxsyntax.Unused.Name(p.arch, int(v))
			dst = append(append(dst, " dst_unused:"...), s...)
			ok = ok && s != ""
		}
	}
	sel(" src0_sel:", in(w, at.src0Sel))
	if r.Src[1] != 0 {
		sel(" src1_sel:", in(w, at.src1Sel))
	}
	if len(dst) == n && in(w, at.src0Sext)|in(w, at.src1Sext) == 0 {
		dst = append(dst, " sdwa"...)
	}
	return dst, ok
}

// sdwaBits returns the bits of an SDWA dword that the text shows.
func (p *Printer) sdwaBits(r *clrxsyntax.Row, compare14 bool) uint32 {
	at := p.sext
	m := field(at.src0) | field(at.src0Sel) | field(at.src0Sext) | field(at.src0Neg) | field(at.src0Abs) | field(at.src0S)
	if compare14 {
		m |= field(at.sdst) | field(at.sd)
	} else {
		m |= field(at.clamp) | field(at.dstSel) | field(at.dstUnused) | field(at.omod)
	}
	if r.Src[1] != 0 {
		m |= field(at.src1Sel) | field(at.src1Sext) | field(at.src1Neg) | field(at.src1Abs) | field(at.src1S)
	}
	return uint32(m)
}

// sdwaSources appends the sources of an SDWA instruction: VGPRs, or scalar
// operands.
func (p *Printer) sdwaSources(dst []byte, x *inst) ([]byte, bool) {
	w, at := x.next, p.sext
	src := [2]uint32{in(w, at.src0), x.bits(x.at.src1)}
	scalar := [2]bool{in(w, at.src0S) != 0, in(w, at.src1S) != 0}
	neg := in(w, at.src0Neg) | in(w, at.src1Neg)<<1
	abs := in(w, at.src0Abs) | in(w, at.src1Abs)<<1
	sext := in(w, at.src0Sext) | in(w, at.src1Sext)<<1
	n := 1
	if x.row.Src[1] != 0 {
		n = 2
	}
	for i := range src {
		if !scalar[i] {
			src[i] = src[i]&255 | clrxsyntax.SrcVGPR
		}
	}
	if !oneScalar(src[:n]) || onConstants(src[:n], neg|abs|sext) {
		return dst, false
	}
	ok := true
	for i, num := range src[:n] {
		if i > 0 {
			dst = comma(dst)
		}
		a, s := abs>>i&1 != 0, sext>>i&1 != 0
		dst = modified(dst, neg>>i&1 != 0, a, s)
		var okSrc bool
		dst, okSrc = p.longSource(dst, num, 1)
		ok = ok && okSrc
		dst = modifiedEnd(dst, a, s)
	}
	return dst, ok
}

// multiplied appends mul:2, mul:4 or div:2.
func multiplied(dst []byte, omod uint32) []byte {
	return append(dst, [...]string{"", " mul:2", " mul:4", " div:2"}[omod]...)
}

// shownLong returns the bits that the text of VOP3 shows.
func shownLong(p *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := fields(at.clamp, at.omod, at.neg)
	switch {
	case !r.Flags.Has(clrxsyntax.CarryOut):
		m |= field(at.abs)
		if p.arch == clrxsyntax.GCN14 {
			m |= field(at.opSel)
		}
	case p.arch < clrxsyntax.GCN12: // clamp is a bit of sdst
		m = fields(at.omod, at.neg, at.sdst)
	default:
		m |= field(at.sdst)
	}
	if r.Dst != 0 || r.Form == isa.VOPC {
		m |= field(at.vdst)
	}
	for i, f := range [...]isa.Place{at.src0, at.src1, at.src2} {
		if r.Src[i] != 0 {
			m |= field(f)
		}
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		m |= field(at.src2)
	}
	return m
}

// long appends the operands of VOP3.
func (p *Printer) long(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	carry := r.Flags.Has(clrxsyntax.CarryOut)
	ok, forced := true, r.Code3 == clrxsyntax.NoCode && !r.Flags.Has(clrxsyntax.ShowLong)
	first := true
	switch vdst := x.bits(at.vdst); {
	case r.Form == isa.VOPC || r.Flags.Has(clrxsyntax.MaskDst):
		dst, ok = p.vsreg(dst, vdst, 2)
		forced = forced || vdst != clrxsyntax.SrcVCC
		ok = ok && vdst < clrxsyntax.SrcInt
		first = false
	case r.Flags.Has(clrxsyntax.ScalarDst):
		dst, ok = p.sreg(dst, vdst, uint32(r.Dst))
		ok = ok && vdst < clrxsyntax.SrcInt
		first = false
	case r.Dst != 0:
		dst, ok = p.vector(dst, vdst, uint32(r.Dst))
		first = false
	default: // without operands there are no modifiers
		return append(dst, " vop3"...), x.w&^x.mask == 0
	}
	var abs, neg uint32
	neg = x.bits(at.neg)
	if carry {
		num := x.bits(at.sdst)
		var okCarry bool
		dst, okCarry = p.vsreg(comma(dst), num, 2)
		ok = ok && okCarry
		forced = forced || num != clrxsyntax.SrcVCC
	} else {
		abs = x.bits(at.abs)
	}
	var src [3]uint32
	n := p.longSources(x, &src)
	masks := onConstants(src[:n], neg|abs)
	for i, num := range src[:n] {
		if !first {
			dst = comma(dst)
		}
		first = false
		a := abs>>i&1 != 0 && !masks
		dst = modified(dst, neg>>i&1 != 0 && !masks, a, false)
		var okSrc bool
		dst, okSrc = p.longSource(dst, num, uint32(r.Src[i]))
		ok = ok && okSrc
		dst = modifiedEnd(dst, a, false)
		forced = forced || i > 0 && (num < clrxsyntax.SrcVGPR) != r.Flags.Has(clrxsyntax.LaneSelect)
	}
	if (neg|abs)>>n != 0 || !oneScalar(src[:n]) {
		return dst, false
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		num := x.bits(at.src2)
		var okCarry bool
		dst, okCarry = p.longSource(comma(dst), num, 2)
		ok = ok && okCarry && num < clrxsyntax.SrcInt
		forced = forced || num != clrxsyntax.SrcVCC
	}
	if masks {
		dst = p.maskModifiers(dst, neg, abs)
	}
	dst, okMods := p.longModifiers(dst, x, n, forced || neg|abs != 0)
	return dst, ok && okMods
}

// longSources reads the numbers of the sources of VOP3 and returns their count.
func (p *Printer) longSources(x *inst, src *[3]uint32) (n int) {
	for i, f := range [...]isa.Place{x.at.src0, x.at.src1, x.at.src2} {
		if x.row.Src[i] == 0 {
			break
		}
		src[i] = x.bits(f)
		n++
	}
	return n
}

// onConstants reports whether modifiers, a bit for each source, apply to a
// constant. A minus sign before one would be part of the number.
func onConstants(src []uint32, mods uint32) bool {
	for i, num := range src {
		if mods>>i&1 != 0 && isNumber(num) {
			return true
		}
	}
	return false
}

// isNumber reports whether an operand is an inline number.
func isNumber(num uint32) bool {
	return num >= clrxsyntax.SrcInt && num < clrxsyntax.SrcIntEnd || num >= clrxsyntax.SrcFloat && num < clrxsyntax.SrcFloatEnd
}

// countedScalars is the number of scalar registers of which an instruction can
// read one: SGPRs, up to VCC.
const countedScalars = 108

// oneScalar reports whether sources read one such register at most.
func oneScalar(src []uint32) bool {
	last := ^uint32(0)
	for _, num := range src {
		if num >= countedScalars {
			continue
		}
		if last != ^uint32(0) && num != last {
			return false
		}
		last = num
	}
	return true
}

// maskModifiers appends neg and abs as masks of the sources.
func (p *Printer) maskModifiers(dst []byte, neg, abs uint32) []byte {
	if neg != 0 {
		dst = p.number(append(dst, " neg:"...), neg)
	}
	if abs != 0 {
		dst = p.number(append(dst, " abs:"...), abs)
	}
	return dst
}

// longSource appends a source of VOP3, which is no literal.
func (p *Printer) longSource(dst []byte, num, n uint32) ([]byte, bool) {
	if num >= clrxsyntax.SrcVGPR {
		return p.vector(dst, num-clrxsyntax.SrcVGPR, n)
	}
	return p.vsreg(dst, num, n)
}

// longModifiers appends the modifiers of VOP3 after n sources. forced reports
// whether the operands need VOP3. It returns false for an op_sel of a source
// that the instruction does not have.
func (p *Printer) longModifiers(dst []byte, x *inst, n int, forced bool) ([]byte, bool) {
	at := x.at
	ok := true
	if p.arch == clrxsyntax.GCN14 && !x.row.Flags.Has(clrxsyntax.CarryOut) {
		if sel := x.bits(at.opSel); sel != 0 {
			forced = true
			ok = sel&7>>n == 0
			dst = appendSel(append(dst, " op_sel:["...), sel&(1<<n-1)|sel>>3<<n, n+1)
		}
	}
	omod := x.bits(at.omod)
	dst = multiplied(dst, omod)
	clamp := at.clamp.Width != 0 && x.bits(at.clamp) != 0 && !(x.row.Flags.Has(clrxsyntax.CarryOut) && p.arch < clrxsyntax.GCN12)
	if clamp {
		dst = append(dst, " clamp"...)
	}
	if !forced && omod == 0 && !clamp {
		dst = append(dst, " vop3"...)
	}
	return dst, ok
}

// appendSel appends the lowest n bits of v as a list, and its end.
func appendSel(dst []byte, v uint32, n int) []byte {
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '0'+byte(v>>i&1))
	}
	return append(dst, ']')
}

// shownPacked returns the bits that the text of VOP3P shows.
func shownPacked(_ *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := field(at.vdst) | field(at.clamp) | field(at.src0) | field(at.src1) |
		field(at.opSel) | field(at.opSelHi) | field(at.opSelHi2) | field(at.neg) | field(at.negHi)
	if r.Src[2] != 0 {
		m |= field(at.src2)
	}
	return m
}

// packed appends the operands of VOP3P.
func (p *Printer) packed(dst []byte, x *inst) ([]byte, bool) {
	r, at := x.row, x.at
	n := 2
	if r.Src[2] != 0 {
		n = 3
	}
	dst, ok := p.vector(dst, x.bits(at.vdst), uint32(r.Dst))
	for i, f := range [...]isa.Place{at.src0, at.src1, at.src2} {
		if i == n {
			break
		}
		var okSrc bool
		dst, okSrc = p.longSource(comma(dst), x.bits(f), uint32(r.Src[i]))
		ok = ok && okSrc
	}
	var src [3]uint32
	ok = ok && oneScalar(src[:p.longSources(x, &src)])
	all := uint32(1)<<n - 1 // in a row that has no op_sel_hi the third bit is set, too
	hi := x.bits(at.opSelHi) | x.bits(at.opSelHi2)<<2
	if n == 2 && hi == 7 {
		hi = all
	} else if n == 2 {
		all = 7
	}
	list := func(name string, v, absent uint32) {
		if v != absent {
			dst = appendSel(append(dst, name...), v, n)
		}
		ok = ok && v>>n == 0
	}
	list(" op_sel:[", x.bits(at.opSel), 0)
	list(" op_sel_hi:[", hi, all)
	list(" neg_lo:[", x.bits(at.neg), 0)
	list(" neg_hi:[", x.bits(at.negHi), 0)
	if x.bits(at.clamp) != 0 {
		dst = append(dst, " clamp"...)
	}
	return dst, ok
}

// shownInterp returns the bits that the text of VINTRP shows.
func shownInterp(_ *Printer, _ *clrxsyntax.Row, at *places) uint64 {
	return field(at.vdst) | field(at.src0) | field(at.attr) | field(at.attrchan)
}

// interp appends the operands of VINTRP.
func (p *Printer) interp(dst []byte, x *inst) ([]byte, bool) {
	at := x.at
	dst, _ = p.vector(dst, x.bits(at.vdst), 1)
	dst, ok := p.interpSource(comma(dst), x, x.bits(at.src0))
	return p.attribute(comma(dst), x.bits(at.attr), x.bits(at.attrchan)), ok
}

// interpSource appends the source of an interpolation: a VGPR or p10, p20, p0.
func (p *Printer) interpSource(dst []byte, x *inst, num uint32) ([]byte, bool) {
	if !x.row.Flags.Has(clrxsyntax.ParamSlot) {
		return p.vector(dst, num, 1)
	}
	if num >= uint32(len(clrxsyntax.Params)) {
		return dst, false
	}
	return append(dst, clrxsyntax.Params[num]...), true
}

// attribute appends attr3.y.
func (p *Printer) attribute(dst []byte, attr, channel uint32) []byte {
	dst = p.number(append(dst, "attr"...), attr)
	return append(dst, '.', "xyzw"[channel])
}

// shownLongInterp returns the bits that the text of an interpolation in VOP3
// shows.
func shownLongInterp(p *Printer, r *clrxsyntax.Row, at *places) uint64 {
	m := field(at.vdst) | field(at.clamp) | field(at.omod) | field(at.attr) | field(at.attrchan) | field(at.high) |
		field(at.src0) | field(at.abs) | field(at.neg)
	if p.arch == clrxsyntax.GCN14 {
		m |= field(at.opSel)
	}
	if r.Flags.Has(clrxsyntax.Interp2) {
		m |= field(at.src1)
	}
	return m
}

// longInterp appends the operands of an interpolation in VOP3.
func (p *Printer) longInterp(dst []byte, x *inst) ([]byte, bool) {
	at := x.at
	neg, abs := x.bits(at.neg), x.bits(at.abs)
	dst, _ = p.vector(dst, x.bits(at.vdst), 1)
	num := x.bits(at.src0)
	ok := true
	dst = modified(comma(dst), neg&1 != 0, abs&1 != 0, false)
	switch {
	case num >= clrxsyntax.SrcVGPR:
		dst, ok = p.interpSource(dst, x, num-clrxsyntax.SrcVGPR)
		ok = ok && !x.row.Flags.Has(clrxsyntax.ParamSlot)
	default:
		dst, ok = p.interpSource(dst, x, num)
		ok = ok && x.row.Flags.Has(clrxsyntax.ParamSlot)
	}
	dst = modifiedEnd(dst, abs&1 != 0, false)
	dst = p.attribute(comma(dst), x.bits(at.attr), x.bits(at.attrchan))
	if x.row.Flags.Has(clrxsyntax.Interp2) {
		num := x.bits(at.src1)
		dst = modified(comma(dst), neg&2 != 0, abs&2 != 0, false)
		var okSrc bool
		dst, okSrc = p.longSource(dst, num, 1)
		dst = modifiedEnd(dst, abs&2 != 0, false)
		ok = ok && okSrc
	} else {
		ok = ok && (neg|abs)&2 == 0
	}
	if x.bits(at.high) != 0 {
		dst = append(dst, " high"...)
	}
	sel := uint32(0)
	if p.arch == clrxsyntax.GCN14 {
		if sel = x.bits(at.opSel); sel != 0 {
			n := 2
			if x.row.Flags.Has(clrxsyntax.Interp2) {
				n = 3
			}
			ok = ok && (n == 3 || sel&4 == 0)
			dst = appendSel(append(dst, " op_sel:["...), sel&(1<<n-1)|sel>>3<<n, n+1)
		}
	}
	omod, clamp := x.bits(at.omod), x.bits(at.clamp) != 0
	dst = multiplied(dst, omod)
	if clamp {
		dst = append(dst, " clamp"...)
	}
	if x.row.Code3 != clrxsyntax.NoCode && omod == 0 && !clamp && neg|abs|sel == 0 && x.bits(at.high) == 0 {
		dst = append(dst, " vop3"...)
	}
	return dst, ok
}
