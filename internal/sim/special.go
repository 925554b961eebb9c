package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// vectorSpecials lists the vector instructions that do not operate on each lane
// independently. Sources: AMD's ISA documents, VOP1 and VOP3.
var vectorSpecials lazy.Value[map[string]preparer]

func makeVectorSpecials() map[string]preparer {
	return map[string]preparer{
		"v_nop":                        runsVector(func(w *wave, o *op) {}),
		"v_pipeflush":                  runsVector(func(w *wave, o *op) {}),
		"v_illegal":                    runsVector(runNeverLegal),
		"v_clrexcp":                    runsVector(func(w *wave, o *op) { w.trapsts &^= 0x7f }),
		"v_readfirstlane_b32":          runsVector(runReadFirst),
		"v_readlane_b32":               runsVector(runReadLane),
		"v_writelane_b32":              runsVector(runWriteLane),
		"v_permlane16_b32":             runsVector(func(w *wave, o *op) { w.permlane(o, 0) }),
		"v_permlanex16_b32":            runsVector(func(w *wave, o *op) { w.permlane(o, 16) }),
		"v_permlane16_var_b32":         runsVector(func(w *wave, o *op) { w.permlaneVar(o, 0) }),
		"v_permlanex16_var_b32":        runsVector(func(w *wave, o *op) { w.permlaneVar(o, 16) }),
		"v_permlane_bcast_b32":         permutesGroups(broadcastLane),
		"v_permlane_up_b32":            permutesGroups(lowerLane),
		"v_permlane_down_b32":          permutesGroups(higherLane),
		"v_permlane_xor_b32":           permutesGroups(exclusiveLane),
		"v_permlane_idx_gen_b32":       runsVector(runIndexGen),
		"v_permlane64_b32":             runsVector(runPermlane64),
		"v_permlane16_swap_b32":        runsVector(func(w *wave, o *op) { w.swapRows(o, 16) }),
		"v_permlane32_swap_b32":        runsVector(func(w *wave, o *op) { w.swapRows(o, 32) }),
		"v_mfma_ld_scale_b32":          loadsScales(32, false),
		"v_wmma_ld_scale_paired_b32":   loadsScales(32, true),
		"v_wmma_ld_scale16_paired_b64": loadsScales(16, true),
		"v_swap_b32":                   runsVector(runSwap),
		"v_swap_b16":                   runsVector(runSwap16),
		"v_swaprel_b32":                indexes(&moveHalves, runsVector(runSwapRel)),
		"v_movreld_b32":                indexes(&moveResult, runsVector(func(w *wave, o *op) { w.moveRelative(o, w.m0(), 0) })),
		"v_movrels_b32":                indexes(&moveSource, runsVector(func(w *wave, o *op) { w.moveRelative(o, 0, w.m0()) })),
		"v_movrelsd_b32":               indexes(&moveBoth, runsVector(func(w *wave, o *op) { w.moveRelative(o, w.m0(), w.m0()) })),
		"v_movrelsd_2_b32":             indexes(&moveHalves, runsVector(func(w *wave, o *op) { w.moveRelative(o, w.m0()>>16&0x3ff, w.m0()&0x3ff) })),
		"v_mbcnt_lo_u32_b32":           runsVector(func(w *wave, o *op) { w.maskedCount(o, false) }),
		"v_mbcnt_hi_u32_b32":           runsVector(func(w *wave, o *op) { w.maskedCount(o, true) }),
		"v_mqsad_u32_u8":               runsVector(runMQSad),
		"v_accvgpr_read_b32":           runsVector(runMove),
		"v_accvgpr_write_b32":          runsVector(runMove),
		"v_accvgpr_read":               runsVector(runMove),
		"v_accvgpr_write":              runsVector(runMove),
		"v_accvgpr_mov_b32":            runsVector(runMove),
	}
}

// untyped is the row of operations that only move data.
var untyped = sem.Row{Sig: sem.Sig{Dst: sem.B32, Src: [3]sem.Type{sem.B32, sem.B32, sem.B32}}}

// runsVector returns a preparer that binds operands as untyped 32-bit values.
func runsVector(f func(w *wave, o *op)) preparer {
	return func(d *Device, o *op) bool {
		o.row, o.dtype = &untyped, sem.B32
		if !o.bindUntyped() {
			return false
		}
		o.clamp = o.in.Clamps()
		switch o.in.Enc.Variant() {
		case isa.SDWA:
			o.bindSDWA()
		case isa.DPP, isa.DPP8, isa.DPP64, isa.DPP864:
			o.bindDPP()
		}
		o.run = f
		return true
	}
}

// bindUntyped binds sources and a destination in vector or scalar registers.
func (o *op) bindUntyped() bool {
	ops := o.in.Enc.Operands()
	for i := range ops {
		p := &ops[i]
		if p.Class.Info().Files == 0 {
			continue
		}
		r, ok := o.read(p, sem.None)
		switch p.Field {
		case isa.FieldVdst, isa.FieldSdst:
			if v := o.in.Operand(p); v.Kind == isa.ScalarReg {
				r, ok = o.scalarDst(p), true
			}
			o.dst = r
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2:
			if o.in.SourceMods(p).Sext {
				r.mods = modSext
			}
			o.src[o.nsrc] = r
			o.nsrc++
		}
		if !ok {
			return false
		}
	}
	return true
}

// source returns source 0 with DPP or SDWA applied, and the lanes to write.
func (w *wave) source(o *op) (*[128]uint32, uint64) {
	exec := w.exec()
	p := w.lanesOf(&o.src[0], &w.tmp[0])
	if o.dpp != nil {
		exec, p = w.permute(o, p, exec)
	}
	return array(w.modify(o, 0, p)), exec
}

func runMove(w *wave, o *op) {
	src, exec := w.source(o)
	if o.sdwa == nil {
		lanes.Merge(&w.v[o.dst.off], &src[0], exec, 0, 0, w.lanes)
		return
	}
	lanes.Merge(&w.out[0], &src[0], exec, 0, 0, w.lanes)
	w.finish(o, exec)
}

func runNeverLegal(w *wave, o *op) {
	w.pc = w.at
	w.fail(device.FaultIllegal, o.opcode.Name()+" is an illegal instruction by definition")
}

// runReadFirst reads the first active lane, or lane 0 if none is active.
func runReadFirst(w *wave, o *op) {
	l := bits.TrailingZeros64(w.exec() | 1<<63>>(64-w.lanes))
	if w.exec() == 0 {
		l = 0
	}
	w.setScalar(&o.dst, uint64(array(w.lanesOf(&o.src[0], &w.tmp[0]))[l&63]))
}

func runReadLane(w *wave, o *op) {
	l := int(w.scalar(&o.src[1])) & (w.lanes - 1)
	w.setScalar(&o.dst, uint64(array(w.lanesOf(&o.src[0], &w.tmp[0]))[l]))
}

func runWriteLane(w *wave, o *op) {
	l := int(w.scalar(&o.src[1])) & (w.lanes - 1)
	w.v[int(o.dst.off)+l] = uint32(w.scalar(&o.src[0]))
}

// permlane reads arbitrary lanes of the same row of 16, or of the adjacent row.
// Nibble i of the 64 bits in sources 1 and 2 is the source lane of lane i.
// op_sel bit 0 is fi, bit 1 is bound_ctrl.
func (w *wave) permlane(o *op, flip int) {
	sel := uint64(uint32(w.scalar(&o.src[1]))) | w.scalar(&o.src[2])<<32
	var from [64]uint32
	for l := range w.lanes {
		from[l] = uint32(l&^15|int(sel>>(4*(l&15))&15)) ^ uint32(flip)
	}
	w.takeLanes(o, &from)
}

// permlaneVar is permlane with the source lane in the low bits of each lane's
// source 1.
func (w *wave) permlaneVar(o *op, flip int) {
	sel := array(w.lanesOf(&o.src[1], &w.tmp[1]))
	var from [64]uint32
	for l := range w.lanes {
		from[l] = (uint32(l)&^15 | sel[l]&15) ^ uint32(flip)
	}
	w.takeLanes(o, &from)
}

// takeLanes copies source 0 from other lanes, according to fi and bound_ctrl.
func (w *wave) takeLanes(o *op, from *[64]uint32) {
	exec := w.exec()
	src := w.lanesOf(&o.src[0], &w.tmp[0])
	opSel := o.in.NativeField(isa.FieldOpSel)
	valid := exec
	for l := range w.lanes {
		if opSel&1 == 0 && exec>>from[l]&1 == 0 {
			valid &^= 1 << l
		}
	}
	lanes.Take(&w.moved[0], src, from, valid, w.lanes)
	if opSel&2 == 0 {
		exec = valid
	}
	lanes.Merge(&w.v[o.dst.off], &w.moved[0], exec, 0, 0, w.lanes)
}

// runPermlane64 exchanges the halves of a wave64. It has no effect in wave32.
func runPermlane64(w *wave, o *op) {
	if w.lanes == 32 {
		return
	}
	src := *array(w.lanesOf(&o.src[0], &w.tmp[0]))
	d := array(&w.v[o.dst.off])
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		d[l] = src[l^32]
	}
}

// swapRows exchanges the odd rows of the destination with the even rows of the
// source; a row has the given number of lanes. A lane whose partner is inactive
// keeps its value, or becomes 0 with bound_ctrl, unless fi is set.
func (w *wave) swapRows(o *op, row int) {
	exec := w.exec()
	all := o.in.Enc.Form() == isa.VOP3 && o.in.Field(isa.FieldFi) != 0
	zero := o.in.Enc.Form() == isa.VOP3 && o.in.Field(isa.FieldBoundCtrl) != 0
	x, y := array(&w.v[o.dst.off]), array(&w.v[o.src[0].off])
	for l := range w.lanes {
		if l&row != 0 {
			continue
		}
		odd, even := &x[l+row], &y[l]
		a, b := *odd, *even
		take := func(to *uint32, v uint32, here, there int) {
			switch {
			case exec>>here&1 == 0:
			case all || exec>>there&1 != 0:
				*to = v
			case zero:
				*to = 0
			}
		}
		take(even, a, l, l+row)
		take(odd, b, l+row, l)
	}
}

func (w *wave) swap(a, b int32) {
	x, y := array(&w.v[a]), array(&w.v[b])
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		x[l], y[l] = y[l], x[l]
	}
}

func runSwap(w *wave, o *op) { w.swap(o.dst.off, o.src[0].off) }

func runSwap16(w *wave, o *op) {
	x, y := array(&w.v[o.dst.off]), array(&w.v[o.src[0].off])
	sx, sy := o.dst.shift, o.src[0].shift
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		a, b := x[l]>>sx&0xffff, y[l]>>sy&0xffff
		x[l] = x[l]&^(0xffff<<sx) | b<<sx
		y[l] = y[l]&^(0xffff<<sy) | a<<sy
	}
}

// vgprAt returns the location of n VGPRs after adding by to their register
// number. If the result is out of range, ok is false: a read then uses the
// first VGPR and a write is dropped. Source: GCN3 ISA, "Out-of-range behavior".
func (w *wave) vgprAt(at int32, by uint32, n uint8) (to int32, ok bool) {
	at /= int32(w.lanes)
	size := int32(lastVGPR(w.dev.set) + 1)
	file := at / size * size // AGPRs are a separate file
	r := int64(at-file) + int64(int32(by))
	if r < 0 || r+int64(n) > int64(size) {
		return file * int32(w.lanes), false
	}
	return (int32(r) + file) * int32(w.lanes), true
}

func runSwapRel(w *wave, o *op) {
	m0 := w.m0()
	a, inA := w.vgprAt(o.dst.off, m0>>16&0x3ff, 1)
	b, inB := w.vgprAt(o.src[0].off, m0&0x3ff, 1)
	if inA && inB {
		w.swap(a, b)
	}
}

// moveRelative copies a register, after adding dst and src to the register
// numbers.
func (w *wave) moveRelative(o *op, dst, src uint32) {
	moved := *o
	var ok bool
	if moved.dst.off, ok = w.vgprAt(o.dst.off, dst, 1); !ok {
		return
	}
	if o.src[0].kind == inVGPR {
		moved.src[0].off, _ = w.vgprAt(o.src[0].off, src, 1)
	}
	runMove(w, &moved)
}

// maskedCount counts the bits of source 0 below each lane and adds source 1.
func (w *wave) maskedCount(o *op, high bool) {
	src, exec := w.source(o)
	add := w.lanesOf(&o.src[1], &w.tmp[1])
	d := &w.v[o.dst.off]
	if lanes.CountBelow(d, &src[0], add, exec, high, w.lanes) {
		return
	}
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		if high {
			*lane(d, l) = sem.MBCntHi(src[l], *lane(add, l), l)
		} else {
			*lane(d, l) = sem.MBCntLo(src[l], *lane(add, l), l)
		}
	}
}

func runMQSad(w *wave, o *op) {
	exec := w.exec()
	n := w.lanes
	a := *array(w.lanesOf(&o.src[0], &w.tmp[0]))
	b := *array(w.lanesOf(&o.src[1], &w.tmp[1]))
	acc := func(l, i int) uint32 {
		if s := &o.src[2]; s.kind == inVGPR {
			return w.v[int(s.off)+i*n+l]
		}
		return uint32(w.scalar(&o.src[2]))
	}
	w.ctx.Clamp = o.clamp
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		r := sem.MQSadU32(&w.ctx, uint64(a[l])|uint64(a[l+n])<<32, b[l], [4]uint32{acc(l, 0), acc(l, 1), acc(l, 2), acc(l, 3)})
		for i, v := range r {
			w.v[int(o.dst.off)+i*n+l] = v
		}
	}
}
