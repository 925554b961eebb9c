package isel

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// inputTable maps intrinsics to the function inputs that they return.
var inputTable = lazy.Value[map[ir.Intrinsic]abi.Input]{Make: func() map[ir.Intrinsic]abi.Input {
	return map[ir.Intrinsic]abi.Input{
		ir.IntrAMDGCNWorkitemIdX: abi.WorkItemIDX, ir.IntrAMDGCNWorkitemIdY: abi.WorkItemIDY, ir.IntrAMDGCNWorkitemIdZ: abi.WorkItemIDZ,
		ir.IntrAMDGCNWorkgroupIdX: abi.WorkGroupIDX, ir.IntrAMDGCNWorkgroupIdY: abi.WorkGroupIDY, ir.IntrAMDGCNWorkgroupIdZ: abi.WorkGroupIDZ,
		ir.IntrAMDGCNKernargSegmentPtr: abi.KernargSegmentPtr, ir.IntrAMDGCNDispatchPtr: abi.DispatchPtr, ir.IntrAMDGCNQueuePtr: abi.QueuePtr,
		ir.IntrAMDGCNDispatchId: abi.DispatchID, ir.IntrAMDGCNImplicitargPtr: abi.ImplicitArgPtr, ir.IntrAMDGCNLdsKernelId: abi.LDSKernelID,
	}
}}

// ignored lists intrinsics that carry information and generate no code.
var ignored = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{
		ir.IntrExperimentalNoaliasScopeDecl: true, ir.IntrLifetimeStart: true, ir.IntrLifetimeEnd: true, ir.IntrAssume: true,
		ir.IntrInvariantStart: true, ir.IntrInvariantEnd: true, ir.IntrSideeffect: true, ir.IntrDonothing: true, ir.IntrLocalescape: true, ir.IntrPseudoprobe: true,
	}
}}

// floatIntrinsics maps LLVM intrinsics to one instruction for each size, with
// modifiers on all sources.
var floatIntrinsics = lazy.Value[map[ir.Intrinsic]floatOps]{Make: func() map[ir.Intrinsic]floatOps {
	return map[ir.Intrinsic]floatOps{
		ir.IntrFma:       {mir.VFmaF16, mir.VFmaF32, mir.VFmaF64, mir.VPkFmaF16},
		ir.IntrMinnum:    {mir.VMinNumF16, mir.VMinNumF32, mir.VMinNumF64, mir.VPkMinNumF16},
		ir.IntrMaxnum:    {mir.VMaxNumF16, mir.VMaxNumF32, mir.VMaxNumF64, mir.VPkMaxNumF16},
		ir.IntrMinimum:   {mir.VMinimumF16, mir.VMinimumF32, mir.VMinimumF64, mir.VPkMinimumF16},
		ir.IntrMaximum:   {mir.VMaximumF16, mir.VMaximumF32, mir.VMaximumF64, mir.VPkMaximumF16},
		ir.IntrFloor:     {mir.VFloorF16, mir.VFloorF32, mir.VFloorF64},
		ir.IntrCeil:      {mir.VCeilF16, mir.VCeilF32, mir.VCeilF64},
		ir.IntrTrunc:     {mir.VTruncF16, mir.VTruncF32, mir.VTruncF64},
		ir.IntrRint:      {mir.VRndneF16, mir.VRndneF32, mir.VRndneF64},
		ir.IntrNearbyint: {mir.VRndneF16, mir.VRndneF32, mir.VRndneF64},
		ir.IntrRoundeven: {mir.VRndneF16, mir.VRndneF32, mir.VRndneF64},

		ir.IntrMinimumnum: {mir.VMinNumF16, mir.VMinNumF32, mir.VMinNumF64, mir.VPkMinNumF16},
		ir.IntrMaximumnum: {mir.VMaxNumF16, mir.VMaxNumF32, mir.VMaxNumF64, mir.VPkMaxNumF16},
	}
}}

type intOps struct{ s32, v32 mir.Op }

// intIntrinsics maps LLVM intrinsics on i32 to one instruction.
var intIntrinsics = lazy.Value[map[ir.Intrinsic]intOps]{Make: func() map[ir.Intrinsic]intOps {
	return map[ir.Intrinsic]intOps{
		ir.IntrUmin:       {mir.SMinU32, mir.VMinU32},
		ir.IntrUmax:       {mir.SMaxU32, mir.VMaxU32},
		ir.IntrSmin:       {mir.SMinI32, mir.VMinI32},
		ir.IntrSmax:       {mir.SMaxI32, mir.VMaxI32},
		ir.IntrBitreverse: {mir.SBrevB32, mir.VBfrevB32},
	}
}}

// packedIntrinsics maps LLVM intrinsics on two i16 to one instruction.
var packedIntrinsics = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrUmin: mir.VPkMinU16, ir.IntrUmax: mir.VPkMaxU16, ir.IntrSmin: mir.VPkMinI16, ir.IntrSmax: mir.VPkMaxI16,
	}
}}

// callBank chooses the bank of a call's result.
func (s *Selector) callBank(v ir.Value) bank {
	f := s.f
	id := f.CalledIntrinsic(v)
	switch id {
	case ir.NoIntrinsic:
		return bankV
	case ir.IntrReadRegister, ir.IntrReadVolatileRegister, ir.IntrStacksave, ir.IntrReadcyclecounter, ir.IntrReturnaddress:
		return bankS
	}
	if in, ok := inputTable.Get()[id]; ok {
		if in >= abi.WorkItemIDX && in <= abi.WorkItemIDZ && s.uniform.Divergent(v) {
			return bankV
		}
		return bankS // also for a work-item ID that is uniform in each wave
	}
	if rowsOf(id) != nil {
		return s.targetBank(v)
	}
	if s.uniform.Divergent(v) || !s.argsScalar(v) {
		return bankV
	}
	switch id {
	case ir.IntrUmin, ir.IntrUmax, ir.IntrSmin, ir.IntrSmax, ir.IntrBitreverse, ir.IntrBswap, ir.IntrAbs:
		if s.m.IntBits(f.TypeOf(v)) == 32 && (id != ir.IntrBswap) {
			return bankS
		}
	case ir.IntrFabs, ir.IntrCtpop, ir.IntrCtlz, ir.IntrCttz:
		if !s.m.IsVector(f.TypeOf(v)) {
			return bankS
		}
	}
	return bankV
}

// argsScalar reports whether no argument is in vector registers.
func (s *Selector) argsScalar(v ir.Value) bool {
	for _, a := range s.f.Args(v) {
		if a.Value.IsLocal() && s.vals[a.Value].bank == bankV {
			return false
		}
	}
	return true
}

// callHasEffects reports whether a call has side effects.
func (s *Selector) callHasEffects(v ir.Value) bool {
	id := s.f.CalledIntrinsic(v)
	if ignored.Get()[id] || id == ir.IntrStacksave {
		return false
	}
	if a := s.m.Asm(s.f.Callee(v)); a != nil && a.SideEffect {
		return true
	}
	switch prepare.AccessOf(s.f, v).Kind {
	case prepare.WholeWrite, prepare.ActiveWrite:
		return true
	}
	e := s.alias.CallEffects(v)
	return e.Writes() || s.f.TypeOf(v) == ir.Void
}

// call selects a call.
func (s *Selector) call(v ir.Value) {
	f := s.f
	id := f.CalledIntrinsic(v)
	if ignored.Get()[id] {
		return
	}
	if id == ir.IntrAMDGCNKill && s.f.CC == ir.CCAMDGPUPS {
		s.killAll(v)
		return
	}
	if in, ok := inputTable.Get()[id]; ok {
		if (in == abi.DispatchPtr || in == abi.QueuePtr) && !abi.HasDescriptors(s.env.Target) {
			s.impossible(v, "llvm.amdgcn.%s without an HSA runtime", strings.ReplaceAll(in.String(), "_", "."))
			return
		}
		o := mir.R(s.input(in))
		if s.vals[v].bank == bankS && s.isVGPR(&o) {
			o = s.firstLane(o)
		}
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), o)
		return
	}
	switch {
	case id == ir.NoIntrinsic:
		s.callFunction(v)
	case id == ir.IntrReadRegister, id == ir.IntrReadVolatileRegister:
		s.readRegister(v, id)
	case id == ir.IntrReadcyclecounter && s.out.M.Has(mir.SGetShaderCyclesU64):
		s.out.SetFlags(s.putInstr(mir.SGetShaderCyclesU64, 1, mir.R(s.regOf(v))), mir.NoReorder)
	case id == ir.IntrReturnaddress:
		s.returnAddressOf(v)
	case id == ir.IntrWriteRegister:
		s.writeRegister(v, id)
	case id == ir.IntrStacksave:
		s.putInstr(mir.SMovB32, 1, mir.R(s.regOf(v)), mir.FrameAddr(s.frameEnd(), 0))
	case s.floatIntrinsic(v, id), s.intIntrinsic(v, id), s.targetIntrinsic(v, id), s.trap(v, id):
	default:
		s.unsupported(v, "intrinsic @%s", f.CalledFunction(v).Name())
	}
}

// returnAddressOf selects returnaddress. It is null for the callers' functions and in
// kernels, which have no caller.
func (s *Selector) returnAddressOf(v ir.Value) {
	from := mir.Imm(0)
	if s.constArg(v, 0) == 0 && s.sig != nil {
		from = mir.R(s.input(returnAddress))
	}
	s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.asReg(from, mir.FileS, 2))
}

func (s *Selector) args(v ir.Value) []ir.Value {
	list := s.f.Args(v)
	out := make([]ir.Value, len(list))
	for n := range list {
		out[n] = list[n].Value
	}
	return out
}

// floatIntrinsic selects LLVM's floating-point intrinsics.
func (s *Selector) floatIntrinsic(v ir.Value, id ir.Intrinsic) bool {
	f := s.f
	kind := s.floatKind(f.TypeOf(v))
	args := s.args(v)
	if ops, ok := floatIntrinsics.Get()[id]; ok && kind != notFloat && s.out.M.Has(ops[kind]) && ops[kind] != mir.OpNone {
		s.floatOperation(ops[kind], kind, mir.R(s.regOf(v)), 0, args...)
		return true
	}
	switch id {
	case ir.IntrFabs:
		if kind == v2f16 {
			s.logicConst(v, args[0], 0x7fff7fff)
			return true
		}
		s.signBit(v, args[0], kind, ir.OpAnd)
		return true
	case ir.IntrCopysign:
		return s.copySign(v, args[0], args[1], kind)
	case ir.IntrCanonicalize:
		ops := map[floatKind]mir.Op{f16: mir.VMaxNumF16, f32: mir.VMaxNumF32, f64: mir.VMaxNumF64, v2f16: mir.VPkMaxNumF16}
		if op, ok := ops[kind]; ok {
			s.floatOperation(op, kind, mir.R(s.regOf(v)), 0, args[0], args[0])
			return true
		}
	case ir.IntrLdexp:
		ops := map[floatKind]mir.Op{f16: mir.VLdexpF16, f32: mir.VLdexpF32, f64: mir.VLdexpF64}
		if op, ok := ops[kind]; ok {
			o, mods := s.floatSource(args[0], kind)
			s.valuMods(op, mods, mir.R(s.regOf(v)), o, s.use(args[1]))
			return true
		}
	case ir.IntrFptruncRound:
		return s.truncRounded(v)
	case ir.IntrFptosiSat, ir.IntrFptouiSat:
		return s.toIntSat(v, args[0], id == ir.IntrFptosiSat)
	}
	return false
}

// toIntSat selects saturating conversions to i32, which the machine implements;
// NaN becomes 0.
func (s *Selector) toIntSat(v, x ir.Value, signed bool) bool {
	kind := s.floatKind(s.typeOf(x))
	if s.typeOf(v) != ir.I32 || kind != f32 && kind != f64 {
		return false
	}
	op := map[floatKind]mir.Op{f32: mir.VCvtU32F32, f64: mir.VCvtU32F64}[kind]
	if signed {
		op = map[floatKind]mir.Op{f32: mir.VCvtI32F32, f64: mir.VCvtI32F64}[kind]
	}
	o, mods := s.floatSource(x, kind)
	s.valuMods(op, mods, mir.R(s.regOf(v)), o)
	return true
}

// logicConst selects and with a constant.
func (s *Selector) logicConst(v, x ir.Value, mask int64) {
	if s.vals[v].bank == bankS {
		s.salu(mir.SAndB32, s.regOf(v), s.scalar(x), mir.Imm(mask))
		return
	}
	s.valu(mir.VAndB32, mir.R(s.regOf(v)), mir.Imm(mask), s.use(x))
}

// copySign selects copysign: all bits but the sign of one number, and the sign
// of another.
func (s *Selector) copySign(v, x, sign ir.Value, kind floatKind) bool {
	if s.floatKind(s.typeOf(sign)) != kind || kind > f64 {
		return false
	}
	dst := mir.R(s.regOf(v))
	a, b := s.use(x), s.use(sign)
	if kind != f64 {
		mask := int64(0x7fffffff)
		if kind == f16 {
			mask = 0x7fff
		}
		s.valu(mir.VBfiB32, dst, mir.Imm(mask), a, b)
		return true
	}
	hi := mir.R(s.newV(1))
	s.valu(mir.VBfiB32, hi, mir.Imm(0x7fffffff), s.half(a, 1), s.half(b, 1))
	s.putInstr(mir.Vector, 1, dst, s.asReg(s.half(a, 0), mir.FileV, 1), hi)
	return true
}

// intIntrinsic selects LLVM's integer intrinsics.
func (s *Selector) intIntrinsic(v ir.Value, id ir.Intrinsic) bool {
	f := s.f
	args := s.args(v)
	bits := s.m.IntBits(f.TypeOf(v))
	scalar := s.vals[v].bank == bankS
	if ops, ok := intIntrinsics.Get()[id]; ok && bits == 32 {
		uses := make([]mir.Operand, len(args))
		for n, a := range args {
			uses[n] = s.use(a)
		}
		if scalar {
			s.salu(ops.s32, s.regOf(v), uses...)
		} else {
			s.valu(ops.v32, mir.R(s.regOf(v)), uses...)
		}
		return true
	}
	if op, ok := packedIntrinsics.Get()[id]; ok && s.m.IsVector(f.TypeOf(v)) && s.out.Dwords(s.regOf(v)) == 1 && s.out.M.Has(op) {
		s.valuMods(op, 3*mir.OpSelHi0, mir.R(s.regOf(v)), s.use(args[0]), s.use(args[1]))
		return true
	}
	switch id {
	case ir.IntrCtpop:
		return s.countBits(v, args[0], scalar)
	case ir.IntrCtlz, ir.IntrCttz:
		return s.countZeros(v, id, args, scalar)
	case ir.IntrBswap:
		return s.swapBytes(v, args[0])
	case ir.IntrFshr:
		if bits == 32 {
			s.valu(mir.VAlignbitB32, mir.R(s.regOf(v)), s.use(args[0]), s.use(args[1]), s.use(args[2]))
			return true
		}
	case ir.IntrAbs:
		if bits != 32 {
			return false
		}
		if scalar {
			s.salu(mir.SAbsI32, s.regOf(v), s.scalar(args[0]))
			return true
		}
		d := mir.R(s.newV(1))
		s.valu(s.without(mir.VSubNcU32, mir.VSubCoU32), d, mir.Imm(0), s.use(args[0]))
		s.valu(mir.VMaxI32, mir.R(s.regOf(v)), s.use(args[0]), d)
		return true
	case ir.IntrUaddSat, ir.IntrUsubSat:
		if bits != 32 || !s.out.M.Has(mir.VAddNcU32) {
			return false
		}
		op := mir.VAddNcU32
		if id == ir.IntrUsubSat {
			op = mir.VSubNcU32
		}
		s.valuMods(op, mir.Clamp, mir.R(s.regOf(v)), s.use(args[0]), s.use(args[1]))
		return true
	}
	return false
}

// countBits selects ctpop of 32 and 64 bits.
func (s *Selector) countBits(v, x ir.Value, scalar bool) bool {
	bits := s.m.IntBits(s.f.TypeOf(v))
	if bits != 32 && bits != 64 {
		return false
	}
	dst := mir.R(s.regOf(v))
	if scalar {
		op := mir.SBcnt1I32B32
		n := dst
		if bits == 64 {
			op, n = mir.SBcnt1I32B64, mir.R(s.newS(1))
		}
		s.salu(op, n.Reg(), s.asReg(s.scalar(x), mir.FileS, bits/32))
		if bits == 64 {
			s.putInstr(mir.Vector, 1, dst, n, mir.Imm(0))
		}
		return true
	}
	o := s.use(x)
	n := mir.R(s.newV(1))
	s.valu(mir.VBcntU32B32, n, s.half(o, 0), mir.Imm(0))
	if bits == 64 {
		m := mir.R(s.newV(1))
		s.valu(mir.VBcntU32B32, m, s.half(o, 1), n)
		s.putInstr(mir.Vector, 1, dst, m, mir.Imm(0))
		return true
	}
	s.putInstr(mir.Copy, 1, dst, n)
	return true
}

// countZeros selects ctlz and cttz. The machine returns -1 for 0, which as an
// unsigned number exceeds any count.
func (s *Selector) countZeros(v ir.Value, id ir.Intrinsic, args []ir.Value, scalar bool) bool {
	bits := s.m.IntBits(s.f.TypeOf(v))
	if bits != 32 && bits != 64 {
		return false
	}
	zeroPoison, _ := s.boolConst(args[1])
	dst := mir.R(s.regOf(v))
	if scalar {
		n := s.countScalar(id, s.asReg(s.scalar(args[0]), mir.FileS, bits/32), bits)
		if !zeroPoison {
			d := s.newS(1)
			s.salu(mir.SMinU32, d, n, mir.Imm(int64(bits)))
			n = mir.R(d)
		}
		s.countResult(dst, n, bits)
		return true
	}
	o := s.use(args[0])
	op := mir.VClzI32U32
	first, second := 1, 0
	if id == ir.IntrCttz {
		op = mir.VCtzI32B32
		first, second = 0, 1
	}
	n := mir.R(s.newV(1))
	if bits == 32 {
		s.valu(op, n, s.half(o, 0))
	} else {
		near, far, sum := mir.R(s.newV(1)), mir.R(s.newV(1)), mir.R(s.newV(1))
		s.valu(op, near, s.half(o, first))
		s.valu(op, far, s.half(o, second))
		s.addSaturated(sum, far, 32)
		s.valu(mir.VMinU32, n, near, sum)
	}
	if !zeroPoison {
		d := mir.R(s.newV(1))
		s.valu(mir.VMinU32, d, mir.Imm(int64(bits)), n)
		n = d
	}
	s.countResult(dst, n, bits)
	return true
}

// addSaturated adds a constant to a count. A count of -1 remains the largest
// unsigned number.
func (s *Selector) addSaturated(dst, x mir.Operand, n int64) {
	if s.out.M.Has(mir.VAddNcU32) {
		s.valuMods(mir.VAddNcU32, mir.Clamp, dst, x, mir.Imm(n))
		return
	}
	s.valu(mir.VOrB32, dst, mir.Imm(n), x) // counts are below 32
}

func (s *Selector) countScalar(id ir.Intrinsic, o mir.Operand, bits int) mir.Operand {
	op := mir.SClzI32U32
	switch {
	case id == ir.IntrCtlz && bits == 64:
		op = mir.SClzI32U64
	case id == ir.IntrCttz && bits == 32:
		op = mir.SCtzI32B32
	case id == ir.IntrCttz:
		op = mir.SCtzI32B64
	}
	d := s.newS(1)
	s.salu(op, d, o)
	return mir.R(d)
}

func (s *Selector) countResult(dst, n mir.Operand, bits int) {
	if bits == 64 {
		s.putInstr(mir.Vector, 1, dst, n, mir.Imm(0))
		return
	}
	s.putInstr(mir.Copy, 1, dst, n)
}

// swapBytes selects bswap: a byte permutation from gfx8 on, rotations before.
func (s *Selector) swapBytes(v, x ir.Value) bool {
	bits := s.m.IntBits(s.f.TypeOf(v))
	if bits != 32 && bits != 64 {
		return false
	}
	dst := mir.R(s.regOf(v))
	o := s.use(x)
	one := func(d, o mir.Operand) {
		if s.out.M.Has(mir.VPermB32) {
			s.valu(mir.VPermB32, d, mir.Imm(0), o, mir.Imm(0x00010203))
			return
		}
		a, b := mir.R(s.newV(1)), mir.R(s.newV(1))
		s.valu(mir.VAlignbitB32, a, o, o, mir.Imm(8))
		s.valu(mir.VAlignbitB32, b, o, o, mir.Imm(24))
		s.valu(mir.VBfiB32, d, mir.Imm(0x00ff00ff), b, a)
	}
	if bits == 32 {
		one(dst, o)
		return true
	}
	lo, hi := mir.R(s.newV(1)), mir.R(s.newV(1))
	one(lo, s.half(o, 1))
	one(hi, s.half(o, 0))
	s.putInstr(mir.Vector, 1, dst, lo, hi)
	return true
}
