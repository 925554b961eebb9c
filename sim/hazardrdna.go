package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// Hazards of gfx10 and gfx11, which other instructions end, and not wait states. Sources: LLVM's
// GCNHazardRecognizer and Mesa's aco_insert_NOPs, whose names they have.

// scalarPCs remembers for each scalar register the address of an instruction, 0 for none.
type scalarPCs struct {
	pc  [128]uint64
	any bool
}

func (s *scalarPCs) clear() {
	if s.any {
		*s = scalarPCs{}
	}
}

// note enters the scalar registers of an operand.
func (s *scalarPCs) note(u *regUse, pc uint64) {
	if u.first < regScalar || u.first >= regSCC {
		return
	}
	for r := u.first; r < u.first+reg(u.n); r++ {
		s.pc[r-regScalar] = pc
	}
	s.any = true
}

// forget takes the registers of an operand out.
func (s *scalarPCs) forget(u *regUse) {
	if s.any {
		for r := u.first; r < u.first+reg(u.n); r++ {
			s.pc[r-regScalar] = 0
		}
	}
}

// find gives the first register of an operand that is remembered.
func (s *scalarPCs) find(u *regUse) (reg, uint64) {
	if !s.any || u.first < regScalar || u.first >= regSCC {
		return 0, 0
	}
	for r := u.first; r < u.first+reg(u.n); r++ {
		if pc := s.pc[r-regScalar]; pc != 0 {
			return r, pc
		}
	}
	return 0, 0
}

// rdnaHazards is what these hazards keep of a wave.
type rdnaHazards struct {
	steps []func(x *rdnaHazards, w *wave, c *hazardCheck, r *hazardRecord)

	readByLoad, readByStore, readByDS scalarPCs // VMEMtoScalarWriteHazard
	readBySMEM                        scalarPCs // SMEMtoVectorWriteHazard
	execRead                          uint64    // VcmpxExecWARHazard: who read EXEC
	cmpx                              uint64    // VcmpxPermlaneHazard: v_cmpx, and no VALU since
	lds, vmem                         branchedMemory
	maskRead, maskBySALU, maskByVALU  scalarPCs // VALUMaskWriteHazard
	wmma                              *hazardRecord
	wmmaLast                          hazardRecord
}

// branchedMemory is for LdsBranchVmemWARHazard: an access, and a branch behind it.
type branchedMemory struct {
	pc       uint64
	branched bool
}

// rdnaSteps are the hazards, and which sets and wave sizes have them.
var rdnaSteps = []struct {
	on   func(s isa.Set, lanes int) bool
	step func(x *rdnaHazards, w *wave, c *hazardCheck, r *hazardRecord)
}{
	{onGFX101, (*rdnaHazards).vmemToScalarWrite},
	{onGFX101, (*rdnaHazards).smemToVectorWrite},
	{onGFX101, (*rdnaHazards).vcmpxExecWAR},
	{onGFX101, (*rdnaHazards).ldsBranchVmemWAR},
	{func(s isa.Set, lanes int) bool { return onGFX101(s, lanes) || onGFX11(s, lanes) }, (*rdnaHazards).vcmpxPermlane},
	{func(s isa.Set, lanes int) bool { return s == isa.GFX1100 }, (*rdnaHazards).valuTransUse},
	{onGFX11W64, (*rdnaHazards).valuPartialForwarding},
	{onGFX11W64, (*rdnaHazards).valuMaskWrite},
	{onGFX11, (*rdnaHazards).wmmaHazard},
	{onGFX11, (*rdnaHazards).ldsDirectVALU},
}

func onGFX101(s isa.Set, _ int) bool       { return s >= isa.GFX1010 && s < isa.GFX1030 }
func onGFX11(s isa.Set, _ int) bool        { return s.Gen() == isa.Gen11 }
func onGFX11W64(s isa.Set, lanes int) bool { return s.Gen() == isa.Gen11 && lanes == 64 }

func newRDNAHazards(w *wave) *rdnaHazards {
	x := &rdnaHazards{}
	for i := range rdnaSteps {
		if s := &rdnaSteps[i]; s.on(w.dev.set, w.lanes) {
			x.steps = append(x.steps, s.step)
		}
	}
	return x
}

func (x *rdnaHazards) reset() { *x = rdnaHazards{steps: x.steps} }

func (x *rdnaHazards) step(w *wave, c *hazardCheck, r *hazardRecord) {
	for _, s := range x.steps {
		s(x, w, c, r)
	}
}

// reportRDNA reports a hazard; what is missing between the instructions is fix.
func reportRDNA(w *wave, name, what, fix string, other uint64) {
	w.report(found{check: CheckHazard, kind: name, other: other, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s: %s: needs %s in between", name, what, fix), ""
	}})
}

// Fields of s_waitcnt_depctr that say to wait.
func (f *hazardFacts) waitsSaSdst() bool { return f.depctr&1 == 0 }
func (f *hazardFacts) waitsVaSdst() bool { return f.depctr>>9&7 == 0 || f.depctr>>1&1 == 0 }
func (f *hazardFacts) waitsVmVsrc() bool { return f.depctr>>2&7 == 0 }
func (f *hazardFacts) waitsVaVdst() bool { return f.depctr>>12 == 0 }

// waitsFor reports whether an instruction waits until a counter is 0.
func (r *hazardRecord) waitsFor(c counter) bool {
	f := &r.o.facts.wait
	return f.waits && f.limits[c] == 0 && f.sgpr < 0
}

// vmemToScalarWrite: SALU or SMEM writes a register that a memory instruction may not have read yet.
func (x *rdnaHazards) vmemToScalarWrite(w *wave, _ *hazardCheck, r *hazardRecord) {
	f := &r.o.facts.hazard
	switch {
	case r.class&hzMemory != 0:
		for i := range r.uses {
			u := &r.uses[i]
			if u.how&regRead == 0 {
				continue
			}
			if r.class&hzDS != 0 || r.class&(hzFlat|hzSegment) == hzFlat {
				x.readByDS.note(u, r.pc)
			}
			if r.class&hzVMEMAll != 0 {
				s := &x.readByLoad
				if !r.o.in.Enc.Traits().Any(isa.TraitLoad) {
					s = &x.readByStore
				}
				s.note(u, r.pc)
			}
		}
	case r.class&hzVALU != 0 || f.waitsVmVsrc() || r.waitsFor(cntVM) && r.waitsFor(cntLGKM) && r.waitsFor(cntExp):
		x.clearReads()
	case r.class&(hzSALU|hzSMEM) != 0:
		if f := &r.o.facts.wait; f.waits {
			x.waitReads(r)
			return
		}
		x.scalarWrites(w, r)
	}
}

// waitReads: who has waited for an instruction knows that its operands were read.
func (x *rdnaHazards) waitReads(r *hazardRecord) {
	for c, s := range [...]*scalarPCs{cntVM: &x.readByLoad, cntLGKM: &x.readByDS, cntVS: &x.readByStore} {
		if s != nil && r.waitsFor(counter(c)) {
			s.clear()
		}
	}
}

func (x *rdnaHazards) clearReads() {
	x.readByLoad.clear()
	x.readByStore.clear()
	x.readByDS.clear()
}

func (x *rdnaHazards) scalarWrites(w *wave, r *hazardRecord) {
	for i := range r.uses {
		u := &r.uses[i]
		if u.how&regWrite == 0 || u.role == roleImplicit { // EXEC by s_*_saveexec
			continue
		}
		for _, s := range [...]*scalarPCs{&x.readByLoad, &x.readByStore, &x.readByDS} {
			if at, pc := s.find(u); pc != 0 {
				reportRDNA(w, "VMEMtoScalarWriteHazard", at.String()+" is written, but a memory instruction may not have read it yet",
					"a VALU instruction, s_waitcnt_depctr depctr_vm_vsrc(0) or a wait for the counter to be 0", pc)
				x.clearReads()
				return
			}
		}
	}
}

// smemToVectorWrite: VALU writes a register that SMEM may not have read yet.
func (x *rdnaHazards) smemToVectorWrite(w *wave, _ *hazardCheck, r *hazardRecord) {
	switch {
	case r.class&hzSMEM != 0:
		for i := range r.uses {
			if u := &r.uses[i]; u.how&regRead != 0 {
				x.readBySMEM.note(u, r.pc)
			}
		}
	case r.class&hzVALU != 0:
		for i := range r.uses {
			u := &r.uses[i]
			if at, pc := x.readBySMEM.find(u); pc != 0 && u.how&regWrite != 0 && u.first != regExec {
				reportRDNA(w, "SMEMtoVectorWriteHazard", at.String()+" is written, but a scalar memory instruction may not have read it yet",
					"an SALU instruction that is not SOPP or a wait for lgkmcnt(0)", pc)
				x.readBySMEM.clear()
				return
			}
		}
	case r.waitsFor(cntLGKM), r.class&hzSALU != 0 && r.class&hzWait == 0 && r.o.in.Enc.Form() != isa.SOPP:
		x.readBySMEM.clear()
	}
}

// vcmpxExecWAR: VALU writes EXEC, which an instruction that is none may not have read yet.
func (x *rdnaHazards) vcmpxExecWAR(w *wave, _ *hazardCheck, r *hazardRecord) {
	if r.class&hzVALU == 0 {
		switch {
		case r.o.facts.hazard.waitsSaSdst():
			x.execRead = 0
		case r.uses != nil && r.reads(regExec):
			x.execRead = r.pc
		}
		return
	}
	if x.execRead == 0 {
		return
	}
	if r.class&hzCmpx != 0 {
		reportRDNA(w, "VcmpxExecWARHazard", "EXEC is written, but an instruction that is not VALU may not have read it yet",
			"s_waitcnt_depctr depctr_sa_sdst(0) or a VALU instruction that writes an SGPR", x.execRead)
	} else if !r.writesScalar() {
		return
	}
	x.execRead = 0
}

func (r *hazardRecord) reads(what reg) bool {
	for i := range r.uses {
		if u := &r.uses[i]; u.how&regRead != 0 && u.first <= what && what < u.first+reg(u.n) {
			return true
		}
	}
	return false
}

func (r *hazardRecord) writesScalar() bool {
	for i := range r.uses {
		if u := &r.uses[i]; u.how&regWrite != 0 && u.first >= regScalar && u.first < regSCC {
			return true
		}
	}
	return false
}

// ldsBranchVmemWAR: LDS and vector memory with a branch between them.
func (x *rdnaHazards) ldsBranchVmemWAR(w *wave, _ *hazardCheck, r *hazardRecord) {
	const fix = "s_waitcnt_vscnt null, 0"
	switch {
	case r.class&(hzVMEM|hzSegment) != 0:
		if x.lds.branched {
			reportRDNA(w, "LdsBranchVmemWARHazard", "vector memory behind LDS and a branch", fix, x.lds.pc)
		}
		x.lds, x.vmem = branchedMemory{}, branchedMemory{pc: r.pc}
	case r.class&hzDS != 0:
		if x.vmem.branched {
			reportRDNA(w, "LdsBranchVmemWARHazard", "LDS behind vector memory and a branch", fix, x.vmem.pc)
		}
		x.vmem, x.lds = branchedMemory{}, branchedMemory{pc: r.pc}
	case r.class&hzBranch != 0:
		x.lds.branched, x.vmem.branched = x.lds.pc != 0, x.vmem.pc != 0
	case r.waitsFor(cntVS):
		x.lds, x.vmem = branchedMemory{}, branchedMemory{}
	}
}

// vcmpxPermlane: v_permlane right behind v_cmpx.
func (x *rdnaHazards) vcmpxPermlane(w *wave, _ *hazardCheck, r *hazardRecord) {
	if r.class&hzVALU == 0 {
		return
	}
	if x.cmpx != 0 && r.class&hzPermlane != 0 {
		reportRDNA(w, "VcmpxPermlaneHazard", "v_permlane behind v_cmpx", "another VALU instruction (v_nop does on gfx11 only)", x.cmpx)
	}
	switch {
	case r.class&hzCmpx != 0:
		x.cmpx = r.pc
	case r.class&hzNop == 0 || w.dev.set.Gen() >= isa.Gen11:
		x.cmpx = 0
	}
}

// clearsVdst reports whether an instruction waits until all VALU instructions have written.
func (r *hazardRecord) clearsVdst() bool {
	return r.class&(hzMemory|hzExport) != 0 || r.o.facts.hazard.waitsVaVdst()
}

// valuTransUse: VALU reads what a transcendental instruction has made, with less than 6 VALU and less
// than 2 transcendental instructions between them.
func (x *rdnaHazards) valuTransUse(w *wave, c *hazardCheck, r *hazardRecord) {
	if r.class&hzVALU == 0 || c.last[bits.TrailingZeros64(uint64(hzTrans))] == 0 {
		return
	}
	for i := range r.uses {
		if u := &r.uses[i]; u.first < regAGPR && u.how&regRead != 0 {
			transUse(w, c, u)
		}
	}
}

func transUse(w *wave, c *hazardCheck, u *regUse) {
	valus, trans := 0, 0
	for i := uint64(0); valus <= 5 && trans <= 1; i++ {
		p := c.back(i)
		if p == nil || p.clearsVdst() {
			return
		}
		if p.class&hzVALU == 0 {
			continue
		}
		if at, ok := p.writes(u); ok {
			if p.class&hzTrans != 0 {
				reportRDNA(w, "VALUTransUseHazard", at.String()+" comes from a transcendental instruction",
					"s_waitcnt_depctr depctr_va_vdst(0), 6 VALU or 2 transcendental instructions", p.pc)
			}
			return
		}
		valus++
		if p.class&hzTrans != 0 {
			trans++
		}
	}
}

// writes gives the first register of an operand that an instruction writes.
func (r *hazardRecord) writes(u *regUse) (reg, bool) {
	for i := range r.uses {
		if x := &r.uses[i]; x.how&regWrite != 0 {
			if at, ok := x.overlaps(u.first, int(u.n)); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// valuPartialForwarding: VALU reads two VGPR operands, of which one was written before SALU wrote EXEC
// and one after, with at most 2 VALU instructions between those writes and 4 behind them.
func (x *rdnaHazards) valuPartialForwarding(w *wave, c *hazardCheck, r *hazardRecord) {
	if r.class&hzVALU == 0 {
		return
	}
	var read [4]*regUse
	n := 0
	for i := range r.uses {
		u := &r.uses[i]
		same := func(o *regUse) bool { return o != nil && sameTuple(o, u) }
		if u.how&regRead != 0 && u.first < regAGPR && n < len(read) && !slices.ContainsFunc(read[:n], same) {
			read[n] = u
			n++
		}
	}
	if n > 1 {
		partialForwarding(w, c, read[:n])
	}
}

func partialForwarding(w *wave, c *hazardCheck, read []*regUse) {
	valus, post, exec := 0, -1, -1 // VALU instructions since; where the later write and the write of EXEC were
	for i := uint64(0); valus <= 8; i++ {
		p := c.back(i)
		if p == nil || p.clearsVdst() || post < 0 && valus > 4 {
			return
		}
		switch {
		case p.class&hzVALU != 0:
			if v, ok := p.writesOneOf(read); ok {
				switch {
				case exec < 0:
					if post < 0 {
						post = valus
					}
				case valus-post-1 <= 2 && post <= 4:
					reportRDNA(w, "VALUPartialForwardingHazard", "VGPRs are read that were written before ("+v.String()+") and after a write of EXEC",
						"s_waitcnt_depctr depctr_va_vdst(0)", p.pc)
					return
				default:
					return
				}
			}
			valus++
		case p.class&hzSALU != 0 && post >= 0 && exec < 0 && p.writesReg(regExec):
			exec = valus
		}
	}
}

// writesOneOf gives a VGPR that an instruction writes and takes its operand from those that are
// looked for.
func (r *hazardRecord) writesOneOf(read []*regUse) (v reg, ok bool) {
	for i, u := range read {
		if u == nil {
			continue
		}
		if at, found := r.writes(u); found {
			v, ok, read[i] = at, true, nil
		}
	}
	return v, ok
}

func (r *hazardRecord) writesReg(what reg) bool {
	_, ok := r.writes(&regUse{first: what, n: 1})
	return ok
}

// valuMaskWrite: an SGPR that VALU reads as a lane mask is written, and then read too early.
func (x *rdnaHazards) valuMaskWrite(w *wave, _ *hazardCheck, r *hazardRecord) {
	f := &r.o.facts.hazard
	if f.waitsSaSdst() {
		x.maskBySALU.clear()
	}
	if f.waitsVaSdst() {
		x.maskByVALU.clear()
	}
	if r.class&(hzSALU|hzVALU) == 0 {
		return
	}
	other := r.o.in.LiteralSize() > 0 // VALU reads another SGPR or a literal
	for i := range r.uses {
		u := &r.uses[i]
		if u.how&regRead == 0 || u.first < regScalar || u.first >= regExec {
			continue
		}
		x.readMask(w, r, u)
		other = other || *u != f.laneMask
	}
	x.noteMask(r, f, other)
}

func (x *rdnaHazards) readMask(w *wave, r *hazardRecord, u *regUse) {
	const name, what = "VALUMaskWriteHazard", ", which VALU has read as a lane mask, is read behind a write"
	if at, pc := x.maskBySALU.find(u); pc != 0 {
		reportRDNA(w, name, at.String()+what+" by SALU", "s_waitcnt_depctr depctr_sa_sdst(0)", pc)
		x.maskBySALU.clear()
	}
	if at, pc := x.maskByVALU.find(u); pc != 0 && r.class&hzVALU != 0 {
		reportRDNA(w, name, at.String()+what+" by VALU", "s_waitcnt_depctr depctr_va_sdst(0), for VCC depctr_va_vcc(0)", pc)
		x.maskByVALU.clear()
	}
}

// noteMask notes lane masks that are read, and the first write of each behind it.
func (x *rdnaHazards) noteMask(r *hazardRecord, f *hazardFacts, other bool) {
	to := &x.maskBySALU
	if r.class&hzVALU != 0 {
		to = &x.maskByVALU
		if other {
			x.maskRead.clear()
		}
	}
	for i := range r.uses {
		u := &r.uses[i]
		if u.how&regWrite == 0 || u.first < regScalar || u.first >= regExec {
			continue
		}
		to.forget(u)
		if _, pc := x.maskRead.find(u); pc != 0 {
			to.note(u, r.pc)
			x.maskRead.forget(u)
		}
	}
	if r.class&hzVALU != 0 && f.laneMask.n > 0 && f.laneMask.first < regExec {
		x.maskRead.note(&f.laneMask, r.pc)
	}
}

// wmmaHazard: v_wmma right behind one whose result it reads.
func (x *rdnaHazards) wmmaHazard(w *wave, _ *hazardCheck, r *hazardRecord) {
	if r.class&hzVALU == 0 {
		return
	}
	if p := x.wmma; p != nil && r.class&hzWMMA != 0 {
		for i := range r.uses {
			u := &r.uses[i]
			at, ok := p.writes(u)
			if !ok || u.how&regRead == 0 || u.role == roleSrc2 && sameWMMA(p, r) {
				continue
			}
			reportRDNA(w, "WMMAHazard", at.String()+" comes from the v_wmma before", "v_nop or another VALU instruction", p.pc)
			break
		}
	}
	if x.wmma = nil; r.class&hzWMMA != 0 {
		x.wmmaLast = *r
		x.wmma = &x.wmmaLast
	}
}

// sameWMMA reports whether a v_wmma may add at once to what another has made: of the same kind,
// without negating C.
func sameWMMA(p, r *hazardRecord) bool {
	return p.o.in.Enc.Op() == r.o.in.Enc.Op() && r.o.in.Field(isa.FieldNeg)&4 == 0 && r.o.in.Field(isa.FieldNegHi)&4 == 0
}

// ldsDirectVALU: an LDS-direct instruction writes a VGPR that VALU instructions may not have done
// with: its wait_vdst is at most the number of those since.
func (x *rdnaHazards) ldsDirectVALU(w *wave, c *hazardCheck, r *hazardRecord) {
	if r.class&hzLDSDir == 0 {
		return
	}
	limit := int(r.o.in.Field(isa.FieldWaitvdst))
	n, trans := 0, false
	for i := uint64(0); n < limit; i++ {
		p := c.back(i)
		if p == nil || p.clearsVdst() {
			return
		}
		if p.class&hzVALU == 0 {
			continue
		}
		trans = trans || p.class&hzTrans != 0
		for k := range r.uses {
			u := &r.uses[k]
			if u.how&regWrite != 0 && p.touches(u) {
				if trans {
					n = 0
				}
				reportRDNA(w, "LdsDirectVALUHazard", u.first.String()+" is written, but a VALU instruction may not have done with it", fmt.Sprintf("wait_vdst:%d or lower", n), p.pc)
				return
			}
		}
		n++
	}
}

func (r *hazardRecord) touches(u *regUse) bool {
	for i := range r.uses {
		if _, ok := r.uses[i].overlaps(u.first, int(u.n)); ok {
			return true
		}
	}
	return false
}
