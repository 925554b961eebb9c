package isel

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// The Go functions of rows of kind go.

// scalarHandlers lists the functions whose result is in scalar registers.
var scalarHandlers = [...]bool{handleBallot: true, handleCompareIntrinsic: true, handleRelocConstant: true, handleWaveID: true, handleWaveSize: true, handleGroupSize: true,
	handleNamedBarrier: true, handleClusterID: true, handleClusterFlatID: true, handlePopsID: true}

// handlerBank chooses the bank of an intrinsic's value that a function selects.
func (s *Selector) handlerBank(v ir.Value, r *intrinsicRow) bank {
	switch r.handler {
	case handleBitField, handleMakeRsrc, handleWholeWave:
		if prepare.AccessOf(s.f, v).Kind != "" {
			return bankV
		}
		if s.uniform.Divergent(v) || !s.argsScalar(v) {
			return bankV
		}
		return bankS
	case handleUndefinedValue:
		return bankV
	}
	if int(r.handler) < len(scalarHandlers) && scalarHandlers[r.handler] {
		return bankS
	}
	return bankV
}

// handlerOps lists the operations that functions need.
var handlerOps = [...]mir.Op{
	handleOrderedCount: mir.DsOrderedCount, handleStreamout: mir.DsAddGsRegRtn, handleExportReady: mir.SWaitEvent,
	handleCvtF8: mir.VCvtF32Fp8, handleMfmaScale: mir.VMfmaScaleF3216x16x128F8f6f4, handleGlobalLoadLDS: mir.GlobalLoadLdsDword,
	handleBufferLoadLDS: mir.BufferLoadLdsB32, handlePrefetchData: mir.SPrefetchData, handleClusterID: mir.ClusterLoadB32,
	handleClusterFlatID: mir.ClusterLoadB32, handleCooperativeAccess: mir.ClusterLoadB32, handleTensorTransfer: mir.TensorLoadToLds,
	handleExport: mir.Export, handleExportCompressed: mir.Export, handleExportRow: mir.Export, handleInterpQuad: mir.VInterpP10F32, handleInterpMov: mir.VInterpMovF32, handleInterpP1: mir.VInterpP1F32,
	handleInterpP2: mir.VInterpP1F32, handleInterpP1Half: mir.VInterpP1llF16, handleInterpP2Half: mir.VInterpP1llF16,
	handleLdsParam: mir.DsParamLoad, handleLdsDirect: mir.DsDirectLoad,
	handleIntersectRay: mir.ImageBvhIntersectRay, handleIntersectWide: mir.ImageBvh8IntersectRay,
}

// handlerFits reports whether a function can select a call on this machine.
func (s *Selector) handlerFits(v ir.Value, r *intrinsicRow) bool {
	if int(r.handler) < len(handlerOps) && handlerOps[r.handler] != mir.OpNone && !s.out.M.Has(handlerOps[r.handler]) {
		return false
	}
	switch r.handler {
	case handleWaveID:
		return s.set.Has(isa.PropArchitectedWave)
	case handlePopsID:
		return s.set.Has(isa.SinceGFX900) && !s.set.Has(isa.SinceGFX1100)
	case handleInAperture, handleCastNonNull:
		return s.set.Has(isa.PropFlat)
	case handleNamedBarrier:
		return s.out.M.Has(namedBarrierOps.Get()[r.id])
	case handleAsyncLDS:
		return s.out.M.Has(asyncOps.Get()[r.id])
	case handleBvhStack:
		return s.out.M.Has(stackOps.Get()[r.id])
	case handleGws:
		return s.out.M.Has(gwsOps.Get()[r.id])
	case handleBufferLoadLDS:
		return s.set.Has(isa.PropBufferLds)
	case handleExportCompressed:
		return s.set.Has(isa.PropExportVm)
	case handleExportRow:
		return !s.set.Has(isa.PropExportVm)
	}
	return true
}

// rsqClamp selects rsq.clamp on machines without the instruction by clamping
// the result to the largest finite numbers.
func (s *Selector) rsqClamp(v ir.Value, r *intrinsicRow) {
	kind := s.floatKind(s.f.TypeOf(v))
	rsq, lower, upper, n, limit := mir.VRsqF32, mir.VMinNumF32, mir.VMaxNumF32, 1, int64(0x7f7fffff)
	sign := int64(1) << 31
	if kind == f64 {
		rsq, lower, upper, n, limit = mir.VRsqF64, mir.VMinNumF64, mir.VMaxNumF64, 2, 0x7fefffffffffffff
		sign = -1 << 63
	}
	root, low := mir.R(s.newV(n)), mir.R(s.newV(n))
	s.floatOperation(rsq, kind, root, 0, s.arg(v, 0))
	s.valu(lower, low, root, s.asReg(mir.Imm(limit), mir.FileV, n))
	s.valu(upper, mir.R(s.regOf(v)), low, s.asReg(mir.Imm(limit|sign), mir.FileV, n))
}

// bitField selects ubfe and sbfe.
func (s *Selector) bitField(v ir.Value, r *intrinsicRow) {
	scalar, vector := mir.SBfeU32, mir.VBfeU32
	if r.id == ir.IntrAMDGCNSbfe {
		scalar, vector = mir.SBfeI32, mir.VBfeI32
	}
	x, offset, width := s.arg(v, 0), s.arg(v, 1), s.arg(v, 2)
	if s.vals[v].bank != bankS {
		s.valu(vector, mir.R(s.regOf(v)), s.use(x), s.use(offset), s.use(width))
		return
	}
	a, aok := s.intValue(offset)
	b, bok := s.intValue(width)
	var field mir.Operand
	switch {
	case aok && bok:
		field = mir.Imm(int64(a&31 | b&0x1f<<16))
	default:
		low, high, both := s.newS(1), s.newS(1), s.newS(1)
		s.salu(mir.SAndB32, low, s.scalar(offset), mir.Imm(31))
		s.salu(mir.SLshlB32, high, s.scalar(width), mir.Imm(16))
		masked := s.newS(1)
		s.salu(mir.SAndB32, masked, mir.R(high), mir.Imm(0x1f0000))
		s.salu(mir.SOrB32, both, mir.R(low), mir.R(masked))
		field = mir.R(both)
	}
	s.salu(scalar, s.regOf(v), s.scalar(x), field)
}

// mul24 selects 64-bit products of 24-bit numbers.
func (s *Selector) mul24(v ir.Value, r *intrinsicRow) {
	low, high := mir.VMulU32U24, mir.VMulHiU32U24
	if r.id == ir.IntrAMDGCNMulI24 {
		low, high = mir.VMulI32I24, mir.VMulHiI32I24
	}
	x, y := s.use(s.arg(v, 0)), s.use(s.arg(v, 1))
	lo, hi := mir.R(s.newV(1)), mir.R(s.newV(1))
	s.valu(low, lo, x, y)
	s.valu(high, hi, x, y)
	s.putInstr(mir.Vector, 1, mir.R(s.regOf(v)), lo, hi)
}

// divScale selects div.scale. Source 0 is the value to scale, the numerator or
// the denominator.
func (s *Selector) divScale(v ir.Value, r *intrinsicRow) {
	op, n := mir.VDivScaleF32, 1
	if r.types[0].bits == 64 {
		op, n = mir.VDivScaleF64, 2
	}
	num, den := s.use(s.arg(v, 0)), s.use(s.arg(v, 1))
	which := den
	if s.constArg(v, 2) != 0 {
		which = num
	}
	d, m := mir.R(s.newV(n)), mir.R(s.out.NewMask())
	uses := []mir.Operand{which, den, num}
	s.fit(op, 0, uses)
	for k := range uses { // the first source is the same register as another one
		if k > 0 && which.Kind == mir.KindReg && (k == 1) == (s.constArg(v, 2) == 0) {
			uses[0] = uses[k]
		}
	}
	s.putInstr(op, 2, d, m, uses[0], uses[1], uses[2])
	s.definePart(v, 0, d)
	s.definePart(v, 1, m)
}

// fdivFast selects fdiv.fast. It scales down denominators so large that their
// reciprocal would be denormal (LLVM, "fdiv.fast": 2.5 ulp, no denormals).
func (s *Selector) fdivFast(v ir.Value, r *intrinsicRow) {
	num, den := s.use(s.arg(v, 0)), s.use(s.arg(v, 1))
	large, scale := mir.R(s.out.NewMask()), mir.R(s.newV(1))
	limit := s.asReg(mir.Imm(0x6f800000), mir.FileS, 1)
	uses := []mir.Operand{den, limit}
	s.fit(mir.VCmpGtF32, mir.Abs0, uses)
	s.out.SetMods(s.putInstr(mir.VCmpGtF32, 1, large, uses[0], uses[1]), mir.Abs0)
	s.valu(mir.VCndmaskB32, scale, mir.Imm(0x3f800000), s.asReg(mir.Imm(0x2f800000), mir.FileV, 1), large)
	scaled, inverse, product := mir.R(s.newV(1)), mir.R(s.newV(1)), mir.R(s.newV(1))
	s.valu(mir.VMulF32, scaled, den, scale)
	s.valu(mir.VRcpF32, inverse, scaled)
	s.valu(mir.VMulF32, product, num, inverse)
	s.valu(mir.VMulF32, mir.R(s.regOf(v)), scale, product)
}

// cvtF8 selects conversions from a byte or word of 8-bit floats. gfx940 selects
// the byte with SDWA, gfx12 and later with op_sel.
func (s *Selector) cvtF8(v ir.Value, r *intrinsicRow) {
	ops := map[ir.Intrinsic]mir.Op{ir.IntrAMDGCNCvtF32Fp8: mir.VCvtF32Fp8, ir.IntrAMDGCNCvtF32Bf8: mir.VCvtF32Bf8,
		ir.IntrAMDGCNCvtPkF32Fp8: mir.VCvtPkF32Fp8, ir.IntrAMDGCNCvtPkF32Bf8: mir.VCvtPkF32Bf8}
	op := ops[r.id]
	words := op == mir.VCvtPkF32Fp8 || op == mir.VCvtPkF32Bf8
	n := uint8(s.constArg(v, 1) & 3)
	x := s.use(s.arg(v, 0))
	dst := mir.R(s.regOf(v))
	switch {
	case n == 0:
		s.valu(op, dst, x)
	case s.out.M.Info(op).SDWA != isa.NoEnc:
		sel := n
		if words {
			sel = 4 + n&1
		}
		i := s.putInstr(op, 1, dst, s.asReg(x, mir.FileV, 1))
		s.out.SetExt(i, mir.SDWA{DstSel: 6, SrcSel: [2]uint8{sel, 0}}.Ext())
	case words:
		s.valuMods(op, mir.OpSel0, dst, x)
	default:
		s.valuMods(op, byteSel(uint32(n)), dst, x)
	}
}

// ballot selects ballot: the active lanes for which a condition holds.
func (s *Selector) ballot(v ir.Value, r *intrinsicRow) {
	if bits := s.m.IntBits(s.typeOf(v)); bits < 32 {
		s.unsupported(v, "%v of %d bits", r.id, bits)
		return
	}
	m := s.out.M.MaskDwords()
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	all := mir.R(s.newS(m))
	c := s.arg(v, 0)
	switch on, ok := s.boolConst(c); {
	case ok && on:
		s.putInstr(mir.Copy, 1, all, s.exec())
	case ok:
		all = mir.Imm(0)
	default:
		s.putInstr(s.byWave(mir.SAndB32, mir.SAndB64), 2, all, mir.R(s.newSCC()), s.maskReg(c), s.exec())
	}
	s.resize(dst, n, all, m)
}

// resize copies a mask of m dwords to n dwords.
func (s *Selector) resize(dst mir.Reg, n int, from mir.Operand, m int) {
	switch {
	case n == m:
		s.putInstr(mir.Copy, 1, mir.R(dst), from)
	case n < m:
		s.putInstr(mir.Copy, 1, mir.R(dst), s.half(from, 0))
	default:
		s.putInstr(mir.Vector, 1, mir.R(dst), from, mir.Imm(0))
	}
}

// inverseBallot selects inverse.ballot: the bits of a uniform number as a mask.
func (s *Selector) inverseBallot(v ir.Value, r *intrinsicRow) {
	m := s.out.M.MaskDwords()
	x := s.sgpr(s.arg(v, 0))
	if n := s.out.OperandDwords(&x); n < m {
		s.unsupported(v, "%v of %d bits with waves of %d", r.id, 32*n, s.out.M.Wave)
		return
	}
	s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.part(x, 0, m))
}

// compareIntrinsic selects icmp and fcmp: a comparison whose result is a number
// with 0 for inactive lanes.
func (s *Selector) compareIntrinsic(v ir.Value, r *intrinsicRow) {
	x := s.arg(v, 0)
	t := s.typeOf(x)
	op := mir.OpNone
	p := ir.Pred(s.constArg(v, 2))
	var mods mir.Mods
	var uses []mir.Operand
	if r.id == ir.IntrAMDGCNFcmp {
		kind := s.floatKind(t)
		if kind <= f64 {
			op = fcmpOps[kind][p&15]
			a, ma := s.floatSource(x, kind)
			b, mb := s.floatSource(s.arg(v, 1), kind)
			uses = []mir.Operand{a, b}
			mods = ma | mb&mir.Neg0<<1 | mb&mir.Abs0<<1
		}
	} else {
		op = s.icmpOp(p, s.m.IntBits(t))
		uses = []mir.Operand{s.use(x), s.use(s.arg(v, 1))}
	}
	if op == mir.OpNone || !s.out.M.Has(op) {
		s.unsupported(v, "%v of this type on %v", r.id, s.out.M.Set)
		return
	}
	m := s.out.M.MaskDwords()
	dst := s.regOf(v)
	d := dst
	if s.out.Dwords(dst) != m {
		d = s.newS(m)
	}
	s.valuMods(op, mods, mir.R(d), uses...)
	if d != dst {
		s.resize(dst, s.out.Dwords(dst), mir.R(d), m)
	}
}

// icmpOp returns the integer comparison for a predicate.
func (s *Selector) icmpOp(p ir.Pred, bits int) mir.Op {
	k := map[int]int{16: 0, 32: 1, 64: 2}
	n, ok := k[bits]
	if !ok {
		return mir.OpNone
	}
	return icmpOps[n][p]
}

var icmpOps = [3][ir.NumPreds]mir.Op{
	{ir.ICmpEQ: mir.VCmpEqU16, ir.ICmpNE: mir.VCmpNeU16, ir.ICmpUGT: mir.VCmpGtU16, ir.ICmpUGE: mir.VCmpGeU16, ir.ICmpULT: mir.VCmpLtU16,
		ir.ICmpULE: mir.VCmpLeU16, ir.ICmpSGT: mir.VCmpGtI16, ir.ICmpSGE: mir.VCmpGeI16, ir.ICmpSLT: mir.VCmpLtI16, ir.ICmpSLE: mir.VCmpLeI16},
	{ir.ICmpEQ: mir.VCmpEqU32, ir.ICmpNE: mir.VCmpNeU32, ir.ICmpUGT: mir.VCmpGtU32, ir.ICmpUGE: mir.VCmpGeU32, ir.ICmpULT: mir.VCmpLtU32,
		ir.ICmpULE: mir.VCmpLeU32, ir.ICmpSGT: mir.VCmpGtI32, ir.ICmpSGE: mir.VCmpGeI32, ir.ICmpSLT: mir.VCmpLtI32, ir.ICmpSLE: mir.VCmpLeI32},
	{ir.ICmpEQ: mir.VCmpEqU64, ir.ICmpNE: mir.VCmpNeU64, ir.ICmpUGT: mir.VCmpGtU64, ir.ICmpUGE: mir.VCmpGeU64, ir.ICmpULT: mir.VCmpLtU64,
		ir.ICmpULE: mir.VCmpLeU64, ir.ICmpSGT: mir.VCmpGtI64, ir.ICmpSGE: mir.VCmpGeI64, ir.ICmpSLT: mir.VCmpLtI64, ir.ICmpSLE: mir.VCmpLeI64},
}

// fcmpOps holds the floating-point comparisons by kind and predicate.
var fcmpOps = [3][16]mir.Op{
	{1: mir.VCmpEqF16, 2: mir.VCmpGtF16, 3: mir.VCmpGeF16, 4: mir.VCmpLtF16, 5: mir.VCmpLeF16, 6: mir.VCmpLgF16, 7: mir.VCmpOF16, 8: mir.VCmpUF16,
		9: mir.VCmpNlgF16, 10: mir.VCmpNleF16, 11: mir.VCmpNltF16, 12: mir.VCmpNgeF16, 13: mir.VCmpNgtF16, 14: mir.VCmpNeqF16},
	{1: mir.VCmpEqF32, 2: mir.VCmpGtF32, 3: mir.VCmpGeF32, 4: mir.VCmpLtF32, 5: mir.VCmpLeF32, 6: mir.VCmpLgF32, 7: mir.VCmpOF32, 8: mir.VCmpUF32,
		9: mir.VCmpNlgF32, 10: mir.VCmpNleF32, 11: mir.VCmpNltF32, 12: mir.VCmpNgeF32, 13: mir.VCmpNgtF32, 14: mir.VCmpNeqF32},
	{1: mir.VCmpEqF64, 2: mir.VCmpGtF64, 3: mir.VCmpGeF64, 4: mir.VCmpLtF64, 5: mir.VCmpLeF64, 6: mir.VCmpLgF64, 7: mir.VCmpOF64, 8: mir.VCmpUF64,
		9: mir.VCmpNlgF64, 10: mir.VCmpNleF64, 11: mir.VCmpNltF64, 12: mir.VCmpNgeF64, 13: mir.VCmpNgtF64, 14: mir.VCmpNeqF64},
}

// barrier selects s.barrier. A single wave has nothing to wait for.
func (s *Selector) barrier(v ir.Value, r *intrinsicRow) {
	if analysis.OneWave(s.f, s.out.M.Wave) {
		s.schedBarrier(v, r)
		return
	}
	if s.out.M.Has(mir.SBarrier) {
		s.putInstr(mir.SBarrier, 0)
		return
	}
	s.putInstr(mir.SBarrierSignal, 0, mir.Imm(-1))
	s.putInstr(mir.SBarrierWait, 0, mir.Imm(-1))
}

// schedBarrier selects scheduling barriers, which only keep other instructions
// from moving. It emits a fence with single-thread scope, which produces no
// code.
func (s *Selector) schedBarrier(v ir.Value, r *intrinsicRow) {
	i := s.putInstr(mir.Fence, 0)
	s.out.SetFlags(i, mir.NoReorder)
	s.out.SetMem(i, mir.Mem{Ordering: ir.AcqRel, Scope: ir.SingleThread, Instr: v})
}

// ignore selects no instruction for a mere hint.
func (s *Selector) ignore(v ir.Value, r *intrinsicRow) {}

// setreg selects s.setreg.
func (s *Selector) setreg(v ir.Value, r *intrinsicRow) {
	reg := mir.Imm(s.constArg(v, 0))
	op := mir.SSetregB32
	o := s.scalar(s.arg(v, 1))
	if o.Kind == mir.KindImm {
		op, o = mir.SSetregImm32B32, mir.Imm(int64(uint32(o.Imm)))
	}
	s.out.SetFlags(s.putInstr(op, 0, reg, o), mir.NoReorder)
}

// endProgram selects endpgm. In the IR, the block continues after it.
func (s *Selector) endProgram(v ir.Value, r *intrinsicRow) {
	s.putInstr(mir.SEndpgm, 0, mir.Imm(0))
}

// liveMask selects ps.live: the lanes that were active when the function
// started if it activates more, otherwise all active lanes.
func (s *Selector) liveMask(v ir.Value, _ *intrinsicRow) {
	from := s.exec()
	if s.entryLanes() != "" {
		from = mir.R(s.entryMask())
	}
	s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), from)
}

// quadVote selects wqm.vote: the lanes of quads in which the condition is true
// in an active lane.
func (s *Selector) quadVote(v ir.Value, _ *intrinsicRow) {
	on := mir.R(s.newS(s.out.M.MaskDwords()))
	s.putInstr(s.byWave(mir.SAndB32, mir.SAndB64), 2, on, mir.R(s.newSCC()), s.maskReg(s.arg(v, 0)), s.exec())
	s.putInstr(s.byWave(mir.SWqmB32, mir.SWqmB64), 2, mir.R(s.regOf(v)), mir.R(s.newSCC()), on)
}

// undefinedValue selects dead: an arbitrary value.
func (s *Selector) undefinedValue(v ir.Value, r *intrinsicRow) {
	s.putInstr(mir.Undefined, 1, mir.R(s.regOf(v)))
}

// waveID selects wave.id. Bits 25 to 29 of ttmp8 hold the wave's number in its
// work-group (AMDGPU user guide, "SGPR Register Set Up").
func (s *Selector) waveID(v ir.Value, r *intrinsicRow) {
	s.salu(mir.SBfeU32, s.regOf(v), mir.Phys(mir.SGPR(116), 1), mir.Imm(25|5<<16))
}

// relocConstant selects reloc.constant: the address of a symbol, inserted by
// the linker.
func (s *Selector) relocConstant(v ir.Value, r *intrinsicRow) {
	name, ok := s.metadataName(s.arg(v, 0))
	if !ok {
		s.unsupported(v, "%v without the name of a symbol", r.id)
		return
	}
	s.putInstr(mir.SMovB32, 1, mir.R(s.regOf(v)), mir.SymbolAddr(s.out.Symbol(name), mir.SymbolAbs32Lo, 0))
}

// popsID selects pops.exiting.wave.id.
func (s *Selector) popsID(v ir.Value, r *intrinsicRow) {
	s.putInstr(mir.SMovB32, 1, mir.R(s.regOf(v)), mir.Phys(mir.PopsExitingWaveID, 1))
}

// inAperture selects is.shared and is.private by comparing the high half of a
// flat address with the aperture.
func (s *Selector) inAperture(v ir.Value, r *intrinsicRow) {
	space := uint32(addrspace.Local)
	if r.id == ir.IntrAMDGCNIsPrivate {
		space = addrspace.Private
	}
	hi := s.half(s.use(s.arg(v, 0)), 1)
	base := s.aperture(v, space)
	s.valu(mir.VCmpEqU32, mir.R(s.regOf(v)), base, s.asReg(hi, mir.FileV, 1))
}

// makeRsrc selects make.buffer.rsrc: base, stride, number of records and flags
// as the words of a resource (AMD's ISA documents, "Buffer Resource
// Descriptor").
func (s *Selector) makeRsrc(v ir.Value, r *intrinsicRow) {
	dst := s.regOf(v)
	if s.out.Dwords(dst) != 4 {
		s.unsupported(v, "%v on %v", r.id, s.out.M.Set)
		return
	}
	base, stride, records, flags := s.use(s.arg(v, 0)), s.use(s.arg(v, 1)), s.use(s.arg(v, 2)), s.use(s.arg(v, 3))
	var words [4]mir.Operand
	if s.set.Has(isa.PropRsrcLarge) { // 57 bits of base, 45 bits of records, 6 unused, 16 of stride, 4 of flags
		rest := s.rsrcRest(v, records)
		words = [4]mir.Operand{s.half(base, 0), s.rsrcOr(v, s.half(base, 1), s.rsrcField(v, s.half(records, 0), 32, 25)), s.half(rest, 0),
			s.rsrcOr(v, s.rsrcOr(v, s.half(rest, 1), s.rsrcField(v, stride, 16, 12)), s.rsrcField(v, flags, 32, 28))}
	} else {
		words = [4]mir.Operand{s.half(base, 0), s.rsrcOr(v, s.narrow(v, s.half(base, 1), 16), s.rsrcField(v, stride, 32, 16)), s.half(records, 0), s.half(flags, 0)}
	}
	for i, o := range words {
		if o.Kind == mir.KindReg {
			words[i] = s.asReg(o, s.vals[v].bank.file(), 1)
		}
	}
	s.putInstr(mir.Vector, 1, append([]mir.Operand{mir.R(dst)}, words[:]...)...)
}

// rsrcField returns the low bits of an operand of a resource v, at a position in
// a word.
func (s *Selector) rsrcField(v ir.Value, o mir.Operand, bits, at int) mir.Operand {
	if o.Kind != mir.KindReg {
		return mir.Imm(int64(int32(uint32(o.Imm) & uint32(1<<bits-1) << at)))
	}
	if bits+at < 32 {
		o = s.narrow(v, o, bits)
	}
	return s.shiftedUp(v, o, at)
}

// rsrcOr combines parts of a word of a resource v.
func (s *Selector) rsrcOr(v ir.Value, x, y mir.Operand) mir.Operand {
	switch {
	case y.Kind != mir.KindReg && y.Imm == 0:
		return x
	case x.Kind != mir.KindReg && x.Imm == 0:
		return y
	case x.Kind != mir.KindReg && y.Kind != mir.KindReg:
		return mir.Imm(x.Imm | y.Imm)
	case x.Kind == mir.KindReg:
		x, y = y, x // constants first
	}
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	if s.vals[v].bank == bankS {
		s.salu(mir.SOrB32, d.Reg(), x, y)
	} else {
		s.valu(mir.VOrB32, d, x, y)
	}
	return d
}

// rsrcRest returns the number of records of a resource v without the 7 bits
// beside the base.
func (s *Selector) rsrcRest(v ir.Value, records mir.Operand) mir.Operand {
	const bits = 7
	if records.Kind != mir.KindReg {
		return mir.Imm(int64(uint64(records.Imm) >> bits))
	}
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 2))
	if s.vals[v].bank == bankS {
		s.salu(mir.SLshrB64, d.Reg(), records, mir.Imm(bits))
	} else {
		s.valu(mir.VLshrrevB64, d, mir.Imm(bits), records)
	}
	return d
}

// mfmaScale selects the matrix operations on 8, 6 and 4 bits. It uses the
// operations without scales if both scales are the constant 0.
func (s *Selector) mfmaScale(v ir.Value, r *intrinsicRow) {
	plain, scaled := mir.VMfmaF3216x16x128F8f6f4, mir.VMfmaScaleF3216x16x128F8f6f4
	if r.id == ir.IntrAMDGCNMfmaScaleF3232x32x64F8f6f4 {
		plain, scaled = mir.VMfmaF3232x32x64F8f6f4, mir.VMfmaScaleF3232x32x64F8f6f4
	}
	a, b := s.eightDwords(s.arg(v, 0)), s.eightDwords(s.arg(v, 1))
	mods := mir.Matrix(uint32(s.constArg(v, 3)), 0, uint32(s.constArg(v, 4)))
	dst := mir.R(s.regOf(v))
	uses := []mir.Operand{a, b, s.use(s.arg(v, 2))}
	scaleA, scaleB := s.use(s.arg(v, 6)), s.use(s.arg(v, 8))
	if scaleA.IsImm(0) && scaleB.IsImm(0) {
		s.valuMods(plain, mods, dst, uses...)
		return
	}
	mods |= mir.Scale(uint32(s.constArg(v, 5)&3), uint32(s.constArg(v, 7)&3))
	s.valuMods(scaled, mods, dst, append(uses, s.asReg(scaleA, mir.FileV, 1), s.asReg(scaleB, mir.FileV, 1))...)
}

// eightDwords returns a matrix of 4, 6 or 8 bits in eight registers. Smaller
// matrices fill the first four or six.
func (s *Selector) eightDwords(x ir.Value) mir.Operand {
	o := s.vgpr(x)
	n := s.dwords(s.typeOf(x))
	if n == 8 {
		return o
	}
	rest := mir.R(s.newV(8 - n))
	s.putInstr(mir.Undefined, 1, rest)
	all := mir.R(s.newV(8))
	s.putInstr(mir.Vector, 1, all, o, rest)
	return all
}

// waveSize selects wavefrontsize.
func (s *Selector) waveSize(v ir.Value, r *intrinsicRow) {
	s.putInstr(mir.SMovB32, 1, mir.R(s.regOf(v)), mir.Imm(int64(s.out.M.Wave)))
}

// groupSize selects groupstaticsize. An attribute holds the size of the LDS
// variables that the function uses.
func (s *Selector) groupSize(v ir.Value, r *intrinsicRow) {
	text, _ := s.m.StringAttr(s.m.AttrsAt(s.f.Attributes, ir.AttrFunction), "amdgpu-lds-size")
	text, _, _ = strings.Cut(text, ",")
	n, _ := abi.Number(text) // checked earlier
	s.putInstr(mir.SMovB32, 1, mir.R(s.regOf(v)), mir.Imm(int64(int32(n))))
}

// castNonNull selects addrspacecast.nonnull.
func (s *Selector) castNonNull(v ir.Value, r *intrinsicRow) {
	x := s.arg(v, 0)
	if n := s.dwords(s.f.TypeOf(v)); n == s.dwords(s.typeOf(x)) {
		s.copyOf(v, x)
		return
	}
	from, to := s.m.AddrSpace(s.typeOf(x)), s.m.AddrSpace(s.f.TypeOf(v))
	switch {
	case to == addrspace.Flat && (from == addrspace.Local || from == addrspace.Private):
		high := s.aperture(v, from)
		s.putInstr(mir.Vector, 1, mir.R(s.regOf(v)), s.vgpr(x), s.asReg(high, mir.FileV, 1))
	case from == addrspace.Flat && (to == addrspace.Local || to == addrspace.Private):
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.asReg(s.half(s.use(x), 0), mir.FileV, 1))
	default:
		s.unsupported(v, "%v from %d to %d", r.id, from, to)
	}
}
