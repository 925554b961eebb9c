package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Named barriers, events and counters that waves wait for.

// barrierIDMask selects the barrier number in an address, after removing the
// low 4 zero bits (LLVM, SIISelLowering.cpp, "s_barrier_init").
const (
	barrierIDShift   = 4
	barrierIDMask    = 63
	barrierCountBits = 16 // position of the number of waves in M0
)

// namedBarrierOps maps intrinsics to the instructions of named barriers.
var namedBarrierOps = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrAMDGCNSBarrierInit: mir.SBarrierInit, ir.IntrAMDGCNSBarrierJoin: mir.SBarrierJoin, ir.IntrAMDGCNSBarrierSignalVar: mir.SBarrierSignal,
		ir.IntrAMDGCNSGetNamedBarrierState: mir.SGetBarrierState, ir.IntrAMDGCNSWakeupBarrier: mir.SWakeupBarrier,
		ir.IntrAMDGCNSGetBarrierState: mir.SGetBarrierState,
	}
}}

// namedBarrier selects an intrinsic with a barrier's address or number as an
// argument. M0 holds the number, and the number of waves from bit 16 on.
func (s *Selector) namedBarrier(v ir.Value, r *intrinsicRow) {
	op := namedBarrierOps.Get()[r.id]
	id := s.barrierID(v, r)
	if args := s.f.Args(v); len(args) == 2 {
		id = s.withCount(id, s.scalar(args[1].Value))
	}
	var operands []mir.Operand
	defs := 0
	if s.out.M.Info(op).Defs > 0 {
		operands, defs = append(operands, mir.R(s.regOf(v))), 1
	}
	if r.id == ir.IntrAMDGCNSGetBarrierState && id.Kind == mir.KindImm && -16 <= id.Imm && id.Imm < 64 {
		operands = append(operands, id)
	} else {
		operands = append(operands, s.inM0(id))
	}
	if op == mir.SBarrierInit { // always uses M0
		operands = append(operands, mir.Phys(mir.M0, 1))
	}
	s.out.SetFlags(s.putInstr(op, defs, operands...), mir.NoReorder)
}

// barrierID returns the number of a barrier: an argument, or bits 4 to 9 of an
// address.
func (s *Selector) barrierID(v ir.Value, r *intrinsicRow) mir.Operand {
	x := s.arg(v, 0)
	if r.id == ir.IntrAMDGCNSGetBarrierState {
		if n, ok := s.intValue(x); ok {
			return mir.Imm(int64(int32(n)))
		}
		return s.sgpr(x)
	}
	a := s.address(x)
	at := s.sum32(s.base32(&a), a.terms, a.offset)
	if at.Kind == mir.KindImm {
		return mir.Imm(at.Imm >> barrierIDShift & barrierIDMask)
	}
	at = s.asReg(at, mir.FileS, 1)
	shifted, id := s.newS(1), s.newS(1)
	s.salu(mir.SLshrB32, shifted, at, mir.Imm(barrierIDShift))
	s.salu(mir.SAndB32, id, mir.R(shifted), mir.Imm(barrierIDMask))
	return mir.R(id)
}

// withCount combines a number of waves with a barrier number.
func (s *Selector) withCount(id, count mir.Operand) mir.Operand {
	if count.Kind == mir.KindImm {
		if count = mir.Imm(int64(int32(count.Imm << barrierCountBits))); id.Kind == mir.KindImm {
			return mir.Imm(id.Imm | count.Imm)
		}
	} else {
		high := s.newS(1)
		s.salu(mir.SLshlB32, high, s.asReg(count, mir.FileS, 1), mir.Imm(barrierCountBits))
		count = mir.R(high)
	}
	both := s.newS(1)
	if id.Kind == mir.KindImm {
		id, count = count, id
	}
	s.salu(mir.SOrB32, both, id, count)
	return mir.R(both)
}

// exportReady selects s.wait.event.export.ready. From gfx12 on, the event has a
// different number (LLVM, SOPInstructions.td).
func (s *Selector) exportReady(v ir.Value, r *intrinsicRow) {
	event := int64(0)
	if s.set.Has(isa.PropExportEvent2) {
		event = 2
	}
	s.out.SetFlags(s.putInstr(mir.SWaitEvent, 0, mir.Imm(event)), mir.NoReorder)
}

// orderedCount selects ds.ordered.add and ds.ordered.swap. The offset contains
// everything except the pointer and the value (LLVM, SIISelLowering.cpp,
// "ds_ordered_count"). The arguments for ordering, scope and volatile are
// ignored.
func (s *Selector) orderedCount(v ir.Value, r *intrinsicRow) {
	index := s.constArg(v, 5)
	release, done := s.flagArg(v, 6), s.flagArg(v, 7)
	counts := index >> 24 & 15
	offset := index&63<<2 | int64(release)<<8 | int64(done)<<9
	if r.id == ir.IntrAMDGCNDsOrderedSwap {
		offset |= 1 << 12
	}
	rest := index &^ 63
	if s.set.Has(isa.PropOrderedDwords) {
		rest &^= 15 << 24
		offset |= (counts - 1) << 14
	}
	switch {
	case s.err != nil:
	case rest != 0:
		s.unsupported(v, "%v with the index %d", r.id, index)
	case s.set.Has(isa.PropOrderedDwords) && (counts < 1 || counts > 4):
		s.unsupported(v, "%v of %d dwords", r.id, counts)
	case done != 0 && release == 0:
		s.unsupported(v, "%v with wave_done but without wave_release", r.id)
	default:
		value := s.vgpr(s.arg(v, 1))
		m0 := s.inM0(s.scalar(s.arg(v, 0)))
		i := s.putInstr(mir.DsOrderedCount, 1, mir.R(s.regOf(v)), value, mir.Imm(offset), m0)
		s.out.SetMods(i, mir.GDS)
		s.out.SetFlags(i, mir.NoReorder)
	}
}

// streamout selects ds.add.gs.reg.rtn and ds.sub.gs.reg.rtn. The 32-bit result
// is the first dword.
func (s *Selector) streamout(v ir.Value, r *intrinsicRow) {
	op := mir.DsAddGsRegRtn
	if r.id == ir.IntrAMDGCNDsSubGsRegRtn {
		op = mir.DsSubGsRegRtn
	}
	value, offset := s.vgpr(s.arg(v, 0)), mir.Imm(s.constArg(v, 1))
	d := mir.R(s.newV(2))
	i := s.putInstr(op, 1, d, offset, value, s.inM0(mir.Imm(0)))
	s.out.SetMods(i, mir.GDS)
	s.out.SetFlags(i, mir.NoReorder)
	dst := s.regOf(v)
	s.putInstr(mir.Copy, 1, mir.R(dst), s.part(d, 0, s.out.Dwords(dst)))
}
