package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// preparer prepares an op for execution. It returns false if the instruction is
// not simulated.
type preparer func(d *Device, o *op) bool

// specials lists the scalar instructions with effects beyond their operands: on
// the program counter, EXEC, hardware registers or other waves. Sources: AMD's
// ISA documents, "Program flow control", "Scalar ALU operations".
var specials lazy.Value[map[string]preparer]

// runs returns a preparer that assigns the class c and the function f.
func runs(c class, f func(w *wave, o *op)) preparer {
	return func(d *Device, o *op) bool {
		o.class, o.run = c, f
		if c == classBranch {
			o.flow = flowUnknown
		}
		o.imm = int32(int16(o.in.Field(isa.FieldSimm16)))
		return o.bindPlain()
	}
}

// bindPlain binds scalar operands without operand types.
func (o *op) bindPlain() bool {
	ops := o.in.Enc.Operands()
	for i := range ops {
		p := &ops[i]
		switch {
		case p.Field == isa.FieldSdst && p.Class.Info().Files != 0:
			o.dst = o.scalarDst(p)
			o.src[2], _ = o.read(p, 0)
		case (p.Field == isa.FieldSrc0 || p.Field == isa.FieldSrc1) && p.Class.Info().Files != 0:
			r, ok := o.read(p, 0)
			if !ok {
				return false
			}
			o.src[o.nsrc] = r
			o.nsrc++
		}
	}
	return true
}

func nothing(w *wave, o *op) {}

// branchIf returns the preparer of a branch that is taken if cond holds.
func branchIf(cond func(w *wave) bool) preparer {
	return continues(flowBranch, runs(classBranch, func(w *wave, o *op) {
		if cond(w) {
			w.pc += o.imm
		}
	}))
}

// continues returns a preparer that also sets where execution continues.
func continues(k flowKind, p preparer) preparer {
	return func(d *Device, o *op) bool {
		ok := p(d, o)
		o.flow = k
		return ok
	}
}

// indexes returns a preparer that also sets the operands indexed by M0.
func indexes(m *movedOperands, p preparer) preparer {
	return func(d *Device, o *op) bool {
		o.moved = m
		return p(d, o)
	}
}

func makeSpecials() map[string]preparer {
	return map[string]preparer{
		"s_branch":         continues(flowJump, runs(classBranch, func(w *wave, o *op) { w.pc += o.imm })),
		"s_cbranch_scc0":   branchIf(func(w *wave) bool { return !w.scc }),
		"s_cbranch_scc1":   branchIf(func(w *wave) bool { return w.scc }),
		"s_cbranch_vccz":   branchIf(func(w *wave) bool { return w.mask(sVCC) == 0 }),
		"s_cbranch_vccnz":  branchIf(func(w *wave) bool { return w.mask(sVCC) != 0 }),
		"s_cbranch_execz":  branchIf(func(w *wave) bool { return w.exec() == 0 }),
		"s_cbranch_execnz": branchIf(func(w *wave) bool { return w.exec() != 0 }),
		// The debugger condition bits are never set.
		"s_cbranch_cdbgsys":            branchIf(never),
		"s_cbranch_cdbguser":           branchIf(never),
		"s_cbranch_cdbgsys_or_user":    branchIf(never),
		"s_cbranch_cdbgsys_and_user":   branchIf(never),
		"s_cbranch_g_fork":             runs(classBranch, runForkG),
		"s_cbranch_i_fork":             continues(flowBranch, runs(classBranch, runForkI)),
		"s_cbranch_join":               runs(classBranch, runJoin),
		"s_setpc_b64":                  runs(classBranch, func(w *wave, o *op) { w.jump(w.scalar(&o.src[0])) }),
		"s_swappc_b64":                 runs(classBranch, runSwapPC),
		"s_call_b64":                   runs(classBranch, runCall),
		"s_getpc_b64":                  runs(classSALU, func(w *wave, o *op) { w.setScalar(&o.dst, w.address(w.pc)) }),
		"s_set_pc_i64":                 runs(classBranch, func(w *wave, o *op) { w.jump(w.scalar(&o.src[0])) }),
		"s_swap_pc_i64":                runs(classBranch, runSwapPC),
		"s_call_i64":                   runs(classBranch, runCall),
		"s_get_pc_i64":                 runs(classSALU, func(w *wave, o *op) { w.setScalar(&o.dst, w.address(w.pc)) }),
		"s_add_pc_i64":                 runs(classBranch, func(w *wave, o *op) { w.jump(w.address(w.pc) + w.scalar(&o.src[0])) }),
		"s_rfe_i64":                    runs(classBranch, runReturnTrap),
		"s_set_vgpr_msb":               runs(classSALU, runSetMSB),
		"s_get_shader_cycles_u64":      runs(classSALU, func(w *wave, o *op) { w.setScalar(&o.dst, cycles()) }),
		"s_monitor_sleep":              runs(classOther, func(w *wave, o *op) { w.stop = yielded }),
		"s_setprio_inc_wg":             runs(classOther, nothing),
		"s_wakeup_barrier":             runs(classOther, nothing),
		"s_wait_asynccnt":              prepareWait,
		"s_wait_tensorcnt":             prepareWait,
		"s_wait_xcnt":                  prepareWait,
		"s_subvector_loop_begin":       runs(classBranch, runSubvectorBegin),
		"s_subvector_loop_end":         runs(classBranch, runSubvectorEnd),
		"s_rfe_b64":                    runs(classBranch, runReturnTrap),
		"s_rfe_restore_b64":            runs(classBranch, runReturnTrap),
		"s_endpgm":                     runs(classBranch, runEnd),
		"s_endpgm_saved":               runs(classBranch, runEnd),
		"s_endpgm_ordered_ps_done":     runs(classBranch, runEnd),
		"s_barrier":                    continues(flowUnknown, runs(classOther, func(w *wave, o *op) { w.arrive() })),
		"s_barrier_signal":             barrierOp(classOther, runBarrierSignal),
		"s_barrier_signal_isfirst":     barrierOp(classOther, runBarrierIsFirst),
		"s_barrier_wait":               continues(flowUnknown, runs(classOther, runBarrierWait)),
		"s_get_barrier_state":          barrierOp(classOther, runBarrierState),
		"s_barrier_init":               barrierOp(classOther, runBarrierInit),
		"s_barrier_join":               barrierOp(classOther, runBarrierJoin),
		"s_barrier_leave":              runs(classOther, runBarrierLeave),
		"s_alloc_vgpr":                 runs(classSALU, runAllocVGPR),
		"s_sleep_var":                  runs(classOther, func(w *wave, o *op) { w.stop = yielded }),
		"s_sleep":                      runs(classOther, func(w *wave, o *op) { w.stop = yielded }),
		"s_sethalt":                    runs(classOther, runHalt),
		"s_trap":                       runs(classOther, runTrap),
		"s_getreg_b32":                 runs(classSALU, runGetreg),
		"s_setreg_b32":                 runs(classSALU, func(w *wave, o *op) { w.setreg(o, uint32(w.scalar(&o.src[2]))) }),
		"s_setreg_imm32_b32":           runs(classSALU, runSetregImm),
		"s_round_mode":                 runs(classSALU, func(w *wave, o *op) { w.setMode(w.mode&^0xf | uint32(o.imm)&0xf) }),
		"s_denorm_mode":                runs(classSALU, func(w *wave, o *op) { w.setMode(w.mode&^0xf0 | uint32(o.imm)&0xf<<4) }),
		"s_sendmsg":                    runs(classOther, runSendmsg),
		"s_sendmsghalt":                runs(classOther, runSendmsgHalt),
		"s_sendmsg_rtn_b32":            runs(classOther, runSendmsgReturn),
		"s_sendmsg_rtn_b64":            runs(classOther, runSendmsgReturn),
		"s_movrels_b32":                indexes(&moveSource, runs(classSALU, runMovrels)),
		"s_movrels_b64":                indexes(&moveSource, runs(classSALU, runMovrels)),
		"s_movreld_b32":                indexes(&moveResult, runs(classSALU, runMovreld)),
		"s_movreld_b64":                indexes(&moveResult, runs(classSALU, runMovreld)),
		"s_movrelsd_2_b32":             indexes(&moveHalves, runs(classSALU, runMovrelsd2)),
		"s_set_gpr_idx_on":             runs(classSALU, runIdxOn),
		"s_set_gpr_idx_off":            runs(classSALU, func(w *wave, o *op) { w.setMode(w.mode &^ gprIdxEnable) }),
		"s_set_gpr_idx_idx":            runs(classSALU, runIdxIdx),
		"s_set_gpr_idx_mode":           runs(classSALU, runIdxMode),
		"s_setvskip":                   runs(classSALU, runVSkip),
		"s_ttracedata":                 runs(classOther, nothing),
		"s_ttracedata_imm":             runs(classOther, nothing),
		"s_setkill":                    runs(classOther, runSetKill),
		"s_waitcnt":                    prepareWait,
		"s_waitcnt_vscnt":              prepareWait,
		"s_waitcnt_vmcnt":              prepareWait,
		"s_waitcnt_expcnt":             prepareWait,
		"s_waitcnt_lgkmcnt":            prepareWait,
		"s_wait_idle":                  prepareWait,
		"s_wait_loadcnt":               prepareWait,
		"s_wait_storecnt":              prepareWait,
		"s_wait_samplecnt":             prepareWait,
		"s_wait_bvhcnt":                prepareWait,
		"s_wait_expcnt":                prepareWait,
		"s_wait_dscnt":                 prepareWait,
		"s_wait_kmcnt":                 prepareWait,
		"s_wait_loadcnt_dscnt":         prepareWait,
		"s_wait_storecnt_dscnt":        prepareWait,
		"s_wait_alu":                   runs(classOther, nothing),
		"s_wait_event":                 runs(classOther, nothing),
		"s_waitcnt_depctr":             runs(classOther, nothing),
		"s_nop":                        runs(classOther, nothing),
		"s_clause":                     runs(classOther, nothing),
		"s_delay_alu":                  runs(classOther, nothing),
		"s_inst_prefetch":              runs(classOther, nothing),
		"s_set_inst_prefetch_distance": runs(classOther, nothing),
		"s_setprio":                    runs(classOther, nothing),
		"s_icache_inv":                 runs(classOther, nothing),
		"s_incperflevel":               runs(classOther, nothing),
		"s_decperflevel":               runs(classOther, nothing),
		"s_wakeup":                     runs(classOther, nothing),
		"s_version":                    runs(classOther, nothing),
		"s_code_end":                   runs(classOther, runCodeEnd),
	}
}

func never(*wave) bool { return false }

// prepareSpecial prepares a SOPP instruction.
func prepareSpecial(d *Device, o *op) bool {
	f := specials.From(makeSpecials)[o.in.Enc.Name()]
	return f != nil && f(d, o)
}

// runSetMSB executes s_set_vgpr_msb, which selects VGPRs past v255 for the
// operands of the following instructions. Bits 15:8 hold the old value for
// debuggers.
func runSetMSB(w *wave, o *op) { w.prog = w.prog.withBanks(isa.VGPRBanks(o.imm)) }

func runEnd(w *wave, o *op) { w.stop = ended }

func runCodeEnd(w *wave, o *op) {
	w.fail(device.FaultIllegal, "s_code_end: execution ran past the end of the program")
}

// arrive waits at the work-group barrier.
func (w *wave) arrive() {
	w.stop = atBarrier
}

func runSwapPC(w *wave, o *op) {
	to := w.scalar(&o.src[0])
	w.setScalar(&o.dst, w.address(w.pc))
	w.jump(to)
}

func runCall(w *wave, o *op) {
	w.setScalar(&o.dst, w.address(w.pc))
	w.pc += o.imm
}

// The fork stack is in SGPRs, four per entry: lane mask, then program counter.
// Its depth is MODE.CSP. Sources: GCN3 ISA, "S_CBRANCH_G_FORK"; CDNA 3 ISA, the
// same.
const cspShift = 29

func (w *wave) csp() uint32 { return w.mode >> cspShift }

func (w *wave) setCSP(n uint32) { w.setMode(w.mode&(1<<cspShift-1) | n<<cspShift) }

// fork continues with the lanes of mask at target or with the other lanes at
// the next instruction, whichever are fewer, and pushes the rest.
func (w *wave) fork(mask uint64, target uint64) {
	exec := w.exec()
	pass, fail := mask&exec, ^mask&exec
	push := func(lanes, pc uint64) {
		at := int32(w.csp() * 4)
		w.setMask(at, lanes)
		w.s[at+2], w.s[at+3] = uint32(pc), uint32(pc>>32)
		w.setCSP(w.csp() + 1)
	}
	switch {
	case pass == exec:
		w.jump(target)
	case fail == exec:
	case popcount(fail) < popcount(pass):
		push(pass, target)
		w.setMask(sExec, fail)
	default:
		push(fail, w.address(w.pc))
		w.setMask(sExec, pass)
		w.jump(target)
	}
}

func runForkG(w *wave, o *op) { w.fork(w.scalar(&o.src[0]), w.scalar(&o.src[1])) }

func runForkI(w *wave, o *op) { w.fork(w.scalar(&o.src[2]), w.address(w.pc+o.imm)) }

// runJoin pops the last pushed lanes and continues with them, unless the stack
// depth equals the source operand.
func runJoin(w *wave, o *op) {
	if w.csp() == uint32(w.scalar(&o.src[0])) {
		return
	}
	w.setCSP(w.csp() - 1)
	at := int32(w.csp() * 4)
	pc := uint64(w.s[at+2]) | uint64(w.s[at+3])<<32
	w.setMask(sExec, w.mask(at))
	w.jump(pc)
}

// runSubvectorBegin starts a loop that executes code separately for the low and
// the high half of a wave64. Source: RDNA ISA, "Subvector execution".
func runSubvectorBegin(w *wave, o *op) {
	lo, hi := w.s[sExec], w.s[sExec+1]
	d := &w.s[o.dst.off]
	switch {
	case lo == 0 && hi == 0:
		w.pc += o.imm
	case lo == 0: // only the high half
		*d = lo
	default:
		*d, w.s[sExec+1] = hi, 0
	}
}

func runSubvectorEnd(w *wave, o *op) {
	d := &w.s[o.dst.off]
	lo, hi := w.s[sExec], w.s[sExec+1]
	switch {
	case hi != 0:
		w.s[sExec] = *d
	case *d == 0:
	default:
		w.s[sExec+1], *d, w.s[sExec] = *d, lo, 0
		w.pc += o.imm
	}
}

// runSetKill ends the wave immediately if bit 0 is set.
func runSetKill(w *wave, o *op) {
	if o.imm&1 != 0 {
		w.stop = ended
	}
}

// runHalt halts the wave permanently if bit 0 is set: no debugger can resume
// it.
func runHalt(w *wave, o *op) {
	if o.imm&1 != 0 {
		w.halt(o)
	}
}

func (w *wave) halt(o *op) {
	w.fail(device.FaultTrap, o.opcode.Name()+" halts the wave, and no debugger can resume it")
}
