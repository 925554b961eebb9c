package hazard

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Hazards of gfx10 to gfx12 that are resolved by other instructions instead of
// wait states. Sources: LLVM's GCNHazardRecognizer and Mesa's aco_insert_NOPs,
// which define the names.

// scalarIDs maps each scalar register to an instruction ID; 0 for none.
type scalarIDs struct {
	id  [128]uint64
	any bool
}

func (s *scalarIDs) clear() {
	if s.any {
		*s = scalarIDs{}
	}
}

// note sets the ID for the scalar registers of an operand.
func (s *scalarIDs) note(u *reguse.Use, id uint64) {
	if u.First < reguse.Scalar || u.First >= reguse.SCC {
		return
	}
	for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
		s.id[r-reguse.Scalar] = id
	}
	s.any = true
}

// merge adds the entries of o for registers without an ID.
func (s *scalarIDs) merge(o *scalarIDs) {
	if !o.any {
		return
	}
	for i, id := range o.id {
		if s.id[i] == 0 {
			s.id[i] = id
		}
	}
	s.any = true
}

// forget removes the registers of an operand.
func (s *scalarIDs) forget(u *reguse.Use) {
	if s.any {
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			s.id[r-reguse.Scalar] = 0
		}
	}
}

// findID returns the first register of an operand that has an ID, and the ID.
func (s *scalarIDs) findID(u *reguse.Use) (reguse.Reg, uint64) {
	if !s.any || u.First < reguse.Scalar || u.First >= reguse.SCC {
		return 0, 0
	}
	for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
		if id := s.id[r-reguse.Scalar]; id != 0 {
			return r, id
		}
	}
	return 0, 0
}

// State tracks conditions of gfx10 to gfx12 hazards with unlimited reach.
type State struct {
	set   isa.Set
	lanes int
	steps uint16 // the stateSteps of the instruction set and wave size, a bit each

	readByLoad, readByStore, readByDS scalarIDs // VMEMtoScalarWriteHazard
	readBySMEM                        scalarIDs // SMEMtoVectorWriteHazard
	execRead                          uint64    // VcmpxExecWARHazard: last reader of EXEC
	cmpx                              uint64    // VcmpxPermlaneHazard: v_cmpx without VALU since
	lds, vmem                         branchedMemory
	maskRead, maskBySALU, maskByVALU  scalarIDs // VALUMaskWriteHazard, VALUReadSGPRHazard
	vccBySALU, vccByVALU              uint64    // VALUReadSGPRHazard: the last write of VCC
	vectorUses                        vectorIDs // LdsDirectVMEMHazard
}

// vectorIDs is a set of vector registers that memory instructions use, and the
// ID of the last one.
type vectorIDs struct {
	set [4]uint64
	id  uint64
}

// note adds the vector registers of an operand.
func (v *vectorIDs) note(u *reguse.Use, id uint64) {
	for r := u.First; r < u.First+reguse.Reg(u.N) && r < 64*reguse.Reg(len(v.set)); r++ {
		v.set[r/64] |= 1 << (r % 64)
		v.id = id
	}
}

// uses reports whether the set has a register of an operand.
func (v *vectorIDs) uses(u *reguse.Use) bool {
	for r := u.First; r < u.First+reguse.Reg(u.N) && r < 64*reguse.Reg(len(v.set)); r++ {
		if v.set[r/64]>>(r%64)&1 != 0 {
			return true
		}
	}
	return false
}

// merge adds the registers of o.
func (v *vectorIDs) merge(o *vectorIDs) {
	for i, m := range o.set {
		v.set[i] |= m
	}
	if v.id == 0 {
		v.id = o.id
	}
}

// branchedMemory tracks an access followed by a branch, for
// LdsBranchVmemWARHazard.
type branchedMemory struct {
	ID       uint64
	branched bool
}

// stateSteps lists the hazards that require a State, with their instruction
// sets and wave sizes.
var stateSteps = []struct {
	where
	step func(x *State, c *Checker, r *Record)
}{
	{where{sets: onGFX101}, (*State).vmemToScalarWrite},
	{where{sets: onGFX101}, (*State).smemToVectorWrite},
	{where{sets: onGFX101}, (*State).vcmpxExecWAR},
	{where{sets: onGFX101}, (*State).ldsBranchVmemWAR},
	{where{sets: onGFX101 | onGFX11 | onGFX12 | fromGFX125}, (*State).vcmpxPermlane},
	{onGFX11W64, (*State).valuMaskWrite},
	{where{sets: onGFX12}, (*State).valuReadSGPR},
	{where{sets: onGFX11 | onGFX12}, (*State).ldsDirectMemory},
}

// historySteps lists the hazards that are determined from the last
// instructions.
var historySteps = []struct {
	where
	step func(c *Checker, r *Record)
}{
	{where{sets: onGFX1100}, (*Checker).valuTransUse},
	{onGFX11W64, (*Checker).valuPartialForwarding},
	{where{sets: onGFX11 | onGFX12}, (*Checker).wmmaHazard},
	{where{sets: onGFX11 | onGFX12}, (*Checker).ldsDirectVALU},
	{where{sets: fromGFX125}, (*Checker).matrixCoexecution},
	{where{sets: fromGFX125}, (*Checker).transCoexecution},
}

// onGFX11W64 is wave64 on gfx11.
var onGFX11W64 = where{sets: onGFX11, lanes: 64}

// historySets holds at least the sets of historySteps.
const historySets = onGFX11 | onGFX12 | fromGFX125

// where holds the instruction sets and the wave size that have a hazard.
type where struct {
	sets  isa.SetMask
	lanes int // 0 for any
}

func (w *where) on(s isa.Set, lanes int) bool {
	return s.Has(w.sets) && (w.lanes == 0 || w.lanes == lanes)
}

// HasState reports whether an instruction set has hazards that require a State.
func HasState(s isa.Set, lanes int) bool { return stepsOf(s, lanes) != 0 }

// Step reports the hazards of the next instruction to a Checker, whose history
// need not contain it, and updates the state. A reported hazard counts as
// resolved.
func (x *State) Step(c *Checker, id uint64, f *Facts, uses []reguse.Use) {
	c.step = Record{ID: id, facts: f, uses: uses, class: f.class} // a local variable would be allocated
	for left := x.steps; left != 0; left &= left - 1 {
		stateSteps[bits.TrailingZeros16(left)].step(x, c, &c.step)
	}
}

// Reset clears the state.
func (x *State) Reset(s isa.Set, lanes int) {
	*x = State{set: s, lanes: lanes, steps: stepsOf(s, lanes)}
}

// stepsOf returns the stateSteps of an instruction set and wave size, a bit
// each.
func stepsOf(s isa.Set, lanes int) (steps uint16) {
	for i := range stateSteps {
		if stateSteps[i].on(s, lanes) {
			steps |= 1 << i
		}
	}
	return steps
}

// Merge adds the state of another path and reports whether x has changed.
func (x *State) Merge(y *State) (changed bool) {
	old := *x
	for _, p := range [...][2]*scalarIDs{{&x.readByLoad, &y.readByLoad}, {&x.readByStore, &y.readByStore}, {&x.readByDS, &y.readByDS},
		{&x.readBySMEM, &y.readBySMEM}, {&x.maskRead, &y.maskRead}, {&x.maskBySALU, &y.maskBySALU}, {&x.maskByVALU, &y.maskByVALU}} {
		p[0].merge(p[1])
	}
	for _, p := range [...][2]*uint64{{&x.execRead, &y.execRead}, {&x.cmpx, &y.cmpx}, {&x.lds.ID, &y.lds.ID}, {&x.vmem.ID, &y.vmem.ID},
		{&x.vccBySALU, &y.vccBySALU}, {&x.vccByVALU, &y.vccByVALU}} {
		if *p[0] == 0 {
			*p[0] = *p[1]
		}
	}
	x.vectorUses.merge(&y.vectorUses)
	x.lds.branched = x.lds.branched || y.lds.branched
	x.vmem.branched = x.vmem.branched || y.vmem.branched
	return *x != old
}

// Fields of s_waitcnt_depctr that specify a wait.
func (f *Facts) waitsSaSdst() bool { return f.depctr&1 == 0 }
func (f *Facts) waitsVaSdst() bool { return f.waitsVaSdstOnly() || f.waitsVaVcc() }

func (f *Facts) waitsVaSdstOnly() bool { return f.depctr>>9&7 == 0 }

func (f *Facts) waitsVaVcc() bool  { return f.depctr>>1&1 == 0 }
func (f *Facts) waitsVmVsrc() bool { return f.depctr>>2&7 == 0 }
func (f *Facts) waitsVaVdst() bool { return f.depctr>>12 == 0 }

// waitsFor reports whether an instruction waits until a counter is 0.
func (r *Record) waitsFor(c waitcnt.Counter) bool { return r.facts.waited>>c&1 != 0 }

// vmemToScalarWrite detects SALU or SMEM writes to a register that a memory
// instruction may not have read yet.
func (x *State) vmemToScalarWrite(c *Checker, r *Record) {
	f := r.facts
	switch {
	case r.class&hzMemory != 0:
		for i := range r.uses {
			u := &r.uses[i]
			if u.How&reguse.Read == 0 {
				continue
			}
			if r.class&hzDS != 0 || r.class&(hzFlat|hzSegment) == hzFlat {
				x.readByDS.note(u, r.ID)
			}
			if r.class&hzVMEMAll != 0 {
				s := &x.readByLoad
				if !r.facts.load {
					s = &x.readByStore
				}
				s.note(u, r.ID)
			}
		}
	case r.class&hzVALU != 0 || f.waitsVmVsrc() || r.waitsFor(waitcnt.Load) && r.waitsFor(waitcnt.LDS) && r.waitsFor(waitcnt.Export):
		x.clearReads()
	case r.class&(hzSALU|hzSMEM) != 0:
		if r.facts.waits {
			x.waitReads(r)
			return
		}
		x.scalarWrites(c, r)
	}
}

// waitReads clears the reads of completed instructions: they have read their
// operands.
func (x *State) waitReads(r *Record) {
	if r.waitsFor(waitcnt.Load) {
		x.readByLoad.clear()
	}
	if r.waitsFor(waitcnt.LDS) {
		x.readByDS.clear()
	}
	if r.waitsFor(waitcnt.Store) {
		x.readByStore.clear()
	}
}

func (x *State) clearReads() {
	x.readByLoad.clear()
	x.readByStore.clear()
	x.readByDS.clear()
}

func (x *State) scalarWrites(c *Checker, r *Record) {
	for i := range r.uses {
		u := &r.uses[i]
		if u.How&reguse.Write == 0 || u.Role == reguse.RoleImplicit { // EXEC in s_*_saveexec
			continue
		}
		for _, s := range [...]*scalarIDs{&x.readByLoad, &x.readByStore, &x.readByDS} {
			if at, id := s.findID(u); id != 0 {
				c.report("VMEMtoScalarWriteHazard", at, "%v is written, but a memory instruction may not have read it yet", CureVmVsrc,
					"a VALU instruction, s_waitcnt_depctr depctr_vm_vsrc(0) or a wait for the counter to be 0", id)
				x.clearReads()
				return
			}
		}
	}
}

// smemToVectorWrite detects VALU writes to a register that SMEM may not have
// read yet.
func (x *State) smemToVectorWrite(c *Checker, r *Record) {
	switch {
	case r.class&hzSMEM != 0:
		for i := range r.uses {
			if u := &r.uses[i]; u.How&reguse.Read != 0 {
				x.readBySMEM.note(u, r.ID)
			}
		}
	case r.class&hzVALU != 0:
		for i := range r.uses {
			u := &r.uses[i]
			if at, id := x.readBySMEM.findID(u); id != 0 && u.How&reguse.Write != 0 && u.First != reguse.Exec {
				c.report("SMEMtoVectorWriteHazard", at, "%v is written, but a scalar memory instruction may not have read it yet", CureSALU,
					"an SALU instruction that is not SOPP or a wait for lgkmcnt(0)", id)
				x.readBySMEM.clear()
				return
			}
		}
	case r.waitsFor(waitcnt.LDS), r.class&hzSALU != 0 && r.class&hzWait == 0 && !r.facts.sopp:
		x.readBySMEM.clear()
	}
}

// vcmpxExecWAR detects VALU writes to EXEC that a non-VALU instruction may not
// have read yet.
func (x *State) vcmpxExecWAR(c *Checker, r *Record) {
	if r.class&hzVALU == 0 {
		switch {
		case r.facts.waitsSaSdst():
			x.execRead = 0
		case r.uses != nil && r.reads(reguse.Exec):
			x.execRead = r.ID
		}
		return
	}
	if x.execRead == 0 {
		return
	}
	if r.class&hzCmpx != 0 {
		c.report("VcmpxExecWARHazard", 0, "EXEC is written, but an instruction that is not VALU may not have read it yet", CureSaSdst,
			"s_waitcnt_depctr depctr_sa_sdst(0) or a VALU instruction that writes an SGPR", x.execRead)
	} else if !r.writesScalar() {
		return
	}
	x.execRead = 0
}

func (r *Record) reads(what reguse.Reg) bool {
	for i := range r.uses {
		if u := &r.uses[i]; u.How&reguse.Read != 0 && u.First <= what && what < u.First+reguse.Reg(u.N) {
			return true
		}
	}
	return false
}

func (r *Record) writesScalar() bool {
	for i := range r.uses {
		if u := &r.uses[i]; u.How&reguse.Write != 0 && u.First >= reguse.Scalar && u.First < reguse.SCC {
			return true
		}
	}
	return false
}

// ldsBranchVmemWAR detects LDS and vector memory accesses separated by a
// branch.
func (x *State) ldsBranchVmemWAR(c *Checker, r *Record) {
	const fix = "s_waitcnt_vscnt null, 0"
	switch {
	case r.class&(hzVMEM|hzSegment) != 0:
		if x.lds.branched {
			c.report("LdsBranchVmemWARHazard", 0, "vector memory access after LDS access and branch", CureVscnt, fix, x.lds.ID)
		}
		x.lds, x.vmem = branchedMemory{}, branchedMemory{ID: r.ID}
	case r.class&hzDS != 0:
		if x.vmem.branched {
			c.report("LdsBranchVmemWARHazard", 0, "LDS access after vector memory access and branch", CureVscnt, fix, x.vmem.ID)
		}
		x.vmem, x.lds = branchedMemory{}, branchedMemory{ID: r.ID}
	case r.class&hzBranch != 0:
		x.lds.branched, x.vmem.branched = x.lds.ID != 0, x.vmem.ID != 0
	case r.waitsFor(waitcnt.Store):
		x.lds, x.vmem = branchedMemory{}, branchedMemory{}
	}
}

// vcmpxPermlane detects v_permlane directly after v_cmpx.
func (x *State) vcmpxPermlane(c *Checker, r *Record) {
	if r.class&hzVALU == 0 {
		return
	}
	if x.cmpx != 0 && r.class&hzPermlane != 0 {
		c.report("VcmpxPermlaneHazard", 0, "v_permlane after v_cmpx", CureVALU, "another VALU instruction (v_nop suffices on gfx11 only)", x.cmpx)
	}
	switch {
	case r.class&hzCmpx != 0:
		x.cmpx = r.ID
	case r.class&hzNop == 0 || x.set.Has(isa.SinceGFX1100):
		x.cmpx = 0
	}
}

// clearsVdst reports whether an instruction waits until all VALU results have
// been written.
func (r *Record) clearsVdst() bool {
	return r.class&(hzMemory|hzExport) != 0 || r.facts.waitsVaVdst()
}

// valuTransUse detects VALU reads of a transcendental result with fewer than 6
// VALU and fewer than 2 transcendental instructions in between.
func (c *Checker) valuTransUse(r *Record) {
	if r.class&hzVALU == 0 || c.last[bits.TrailingZeros64(uint64(hzTrans))] == 0 {
		return
	}
	for i := range r.uses {
		if u := &r.uses[i]; u.First < reguse.AGPR && u.How&reguse.Read != 0 {
			transUse(c, u)
		}
	}
}

func transUse(c *Checker, u *reguse.Use) {
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
				c.report("VALUTransUseHazard", at, "%v is the result of a transcendental instruction", CureVaVdst,
					"s_waitcnt_depctr depctr_va_vdst(0), 6 VALU or 2 transcendental instructions", p.ID)
			}
			return
		}
		valus++
		if p.class&hzTrans != 0 {
			trans++
		}
	}
}

// writes returns the first register of u that an instruction writes.
func (r *Record) writes(u *reguse.Use) (reguse.Reg, bool) {
	for i := range r.uses {
		if x := &r.uses[i]; x.How&reguse.Write != 0 {
			if at, ok := x.Overlaps(u.First, int(u.N)); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// valuPartialForwarding detects VALU reads of two VGPR operands, one written
// before and one after a SALU write of EXEC, with at most 2 VALU instructions
// between those writes and at most 4 after them.
func (c *Checker) valuPartialForwarding(r *Record) {
	if r.class&hzVALU == 0 {
		return
	}
	var read [4]*reguse.Use
	n := 0
	for i := range r.uses {
		u := &r.uses[i]
		same := func(o *reguse.Use) bool { return o != nil && sameTuple(o, u) }
		if u.How&reguse.Read != 0 && u.First < reguse.AGPR && n < len(read) && !slices.ContainsFunc(read[:n], same) {
			read[n] = u
			n++
		}
	}
	if n > 1 {
		partialForwarding(c, read[:n])
	}
}

func partialForwarding(c *Checker, read []*reguse.Use) {
	valus, post, exec := 0, -1, -1 // number of VALU instructions since; positions of the later write and the EXEC write
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
					c.report("VALUPartialForwardingHazard", v, "VGPRs written before (%v) and after a write of EXEC are read", CureVaVdst,
						"s_waitcnt_depctr depctr_va_vdst(0)", p.ID)
					return
				default:
					return
				}
			}
			valus++
		case p.class&hzSALU != 0 && post >= 0 && exec < 0 && p.writesReg(reguse.Exec):
			exec = valus
		}
	}
}

// writesOneOf returns a VGPR in read that an instruction writes, and removes
// its operand from read.
func (r *Record) writesOneOf(read []*reguse.Use) (v reguse.Reg, ok bool) {
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

func (r *Record) writesReg(what reguse.Reg) bool {
	_, ok := r.writes(&reguse.Use{First: what, N: 1})
	return ok
}

// valuMaskWrite detects an SGPR that VALU reads as a lane mask, that is then
// written, and then read too early.
func (x *State) valuMaskWrite(c *Checker, r *Record) {
	f := r.facts
	if f.waitsSaSdst() {
		x.maskBySALU.clear()
	}
	if f.waitsVaSdst() {
		x.maskByVALU.clear()
	}
	if r.class&(hzSALU|hzVALU) == 0 {
		return
	}
	other := r.facts.literal // VALU reads another SGPR or a literal
	for i := range r.uses {
		u := &r.uses[i]
		if u.How&reguse.Read == 0 || u.First < reguse.Scalar || u.First >= reguse.Exec {
			continue
		}
		x.readMask(c, r, u)
		other = other || *u != f.laneMask
	}
	x.noteMask(r, f, other)
}

func (x *State) readMask(c *Checker, r *Record, u *reguse.Use) {
	const name, what = "VALUMaskWriteHazard", ", which VALU has read as a lane mask, is read after a write"
	if at, id := x.maskBySALU.findID(u); id != 0 {
		c.report(name, at, "%v"+what+" by SALU", CureSaSdst, "s_waitcnt_depctr depctr_sa_sdst(0)", id)
		x.maskBySALU.clear()
	}
	if at, id := x.maskByVALU.findID(u); id != 0 && r.class&hzVALU != 0 {
		c.report(name, at, "%v"+what+" by VALU", CureVaSdst, "s_waitcnt_depctr depctr_va_sdst(0), for VCC depctr_va_vcc(0)", id)
		x.maskByVALU.clear()
	}
}

// noteMask records lane mask reads and the first write of each mask after its
// read.
func (x *State) noteMask(r *Record, f *Facts, other bool) {
	to := &x.maskBySALU
	if r.class&hzVALU != 0 {
		to = &x.maskByVALU
		if other {
			x.maskRead.clear()
		}
	}
	for i := range r.uses {
		u := &r.uses[i]
		if u.How&reguse.Write == 0 || u.First < reguse.Scalar || u.First >= reguse.Exec {
			continue
		}
		to.forget(u)
		if _, id := x.maskRead.findID(u); id != 0 {
			to.note(u, r.ID)
			x.maskRead.forget(u)
		}
	}
	if r.class&hzVALU != 0 && f.laneMask.N > 0 && f.laneMask.First < reguse.Exec {
		x.maskRead.note(&f.laneMask, r.ID)
	}
}

// valuReadSGPR (VALUReadSGPRHazard) detects an SGPR that VALU has ever read,
// that is then written, and then read too early. SALU waits for results of
// VALU, so that only results of SALU matter to it. Reads count for pairs of
// SGPRs, writes for single ones. maskRead holds the SGPRs that VALU has read.
// Memory instructions wait for all results, and a jump takes longer than a
// result. Source: LLVM, AMDGPUWaitSGPRHazards.
func (x *State) valuReadSGPR(c *Checker, r *Record) {
	f := r.facts
	if f.waitsSaSdst() {
		x.maskBySALU.clear()
		x.vccBySALU = 0
	}
	if f.waitsVaSdstOnly() {
		x.maskByVALU.clear()
	}
	if f.waitsVaVcc() {
		x.vccByVALU = 0
	}
	switch {
	case r.class&(hzVMEMAll|hzSMEM) != 0:
		x.settleSGPRs()
		return
	case r.class&(hzSALU|hzVALU) == 0, r.class&hzJump != 0:
		return
	}
	for i := range r.uses {
		if u := &r.uses[i]; u.How&reguse.Read != 0 && countsAsSGPR(u) {
			x.readSGPR(c, r, u)
		}
	}
	for i := range r.uses {
		if u := &r.uses[i]; u.How&reguse.Write != 0 && countsAsSGPR(u) {
			x.writeSGPR(r, u)
		}
	}
}

// settleSGPRs notes that all results are in their SGPRs.
func (x *State) settleSGPRs() {
	x.maskBySALU.clear()
	x.maskByVALU.clear()
	x.vccBySALU, x.vccByVALU = 0, 0
}

// countsAsSGPR reports whether valuReadSGPR considers an operand: SGPRs without
// M0, EXEC and null; VCC only among the implicit ones.
func countsAsSGPR(u *reguse.Use) bool {
	return u.First >= reguse.Scalar && u.First < reguse.Scalar+124 && (u.Role != reguse.RoleImplicit || isVCC(u))
}

func isVCC(u *reguse.Use) bool { return u.First == reguse.VCC || u.First == reguse.VCC+1 }

// pairs extends a range of SGPRs to whole pairs.
func pairs(u *reguse.Use) reguse.Use {
	w := *u
	end := (w.First + reguse.Reg(w.N) + 1) &^ 1
	w.First &^= 1
	w.N = uint8(end - w.First)
	return w
}

// readSGPR checks an operand that an instruction reads.
func (x *State) readSGPR(c *Checker, r *Record, u *reguse.Use) {
	const name, what = "VALUReadSGPRHazard", "%v, which VALU has read, is read after a write"
	valu := r.class&hzVALU != 0
	p := pairs(u)
	if _, tracked := x.maskRead.findID(&p); tracked == 0 {
		switch {
		case valu:
			x.maskRead.note(&p, r.ID)
		case !isVCC(u) && !c.AsLLVM:
			x.maskByVALU.clear()
		}
		return
	}
	switch {
	case valu:
		x.maskRead.note(&p, r.ID)
	case isVCC(u):
		x.vccByVALU = 0
	default:
		x.maskByVALU.clear()
	}
	if at, id := x.maskBySALU.findID(u); id != 0 {
		c.report(name, at, what+" by SALU", CureSaSdst, "s_wait_alu depctr_sa_sdst(0)", id)
		x.maskBySALU.clear()
	}
	if at, id := x.maskByVALU.findID(u); id != 0 && valu {
		c.report(name, at, what+" by VALU", CureVaSdst, "s_wait_alu depctr_va_sdst(0)", id)
		x.maskByVALU.clear()
	}
	if !isVCC(u) {
		return
	}
	if x.vccBySALU != 0 {
		c.report(name, u.First, what+" by SALU", CureSaSdst, "s_wait_alu depctr_sa_sdst(0)", x.vccBySALU)
		x.vccBySALU = 0
	}
	if x.vccByVALU != 0 {
		c.report(name, u.First, what+" by VALU", CureVaVcc, "s_wait_alu depctr_va_vcc(0)", x.vccByVALU)
		x.vccByVALU = 0
	}
}

// writeSGPR notes an operand that an instruction writes.
func (x *State) writeSGPR(r *Record, u *reguse.Use) {
	p := pairs(u)
	_, tracked := x.maskRead.findID(&p)
	salu := r.class&hzSALU != 0
	switch {
	case tracked == 0:
	case isVCC(u) && salu:
		x.vccBySALU, x.vccByVALU = r.ID, 0
	case isVCC(u):
		x.vccBySALU, x.vccByVALU = 0, r.ID
	case salu:
		x.maskBySALU.note(u, r.ID)
	default:
		x.maskByVALU.note(u, r.ID)
	}
}

// Leave reports the results that unknown code may read too early, because it
// does not know that they are in flight (valuReadSGPR).
func (x *State) Leave(c *Checker) {
	if !x.set.Has(onGFX12) {
		return
	}
	const name, what = "VALUReadSGPRHazard", "unknown code follows"
	if x.maskBySALU.any || x.vccBySALU != 0 {
		c.report(name, 0, what, CureSaSdst, "s_wait_alu depctr_sa_sdst(0)", x.vccBySALU)
	}
	if x.maskByVALU.any {
		c.report(name, 0, what, CureVaSdst, "s_wait_alu depctr_va_sdst(0)", 0)
	}
	if x.vccByVALU != 0 {
		c.report(name, 0, what, CureVaVcc, "s_wait_alu depctr_va_vcc(0)", x.vccByVALU)
	}
	x.settleSGPRs()
}

// TrackAll sets the state after unknown code: memory and vector instructions
// may have read any scalar register, which may have been written since (on
// gfx12, unknown code waits for this before it returns); v_cmpx may be the last
// vector instruction; and a branch may follow accesses to LDS and to memory.
// Reads by scalar memory instructions are irrelevant, because calls and returns
// are SALU instructions.
func (x *State) TrackAll() {
	const id = 1
	all := reguse.Use{First: reguse.Scalar, N: uint8(reguse.SCC - reguse.Scalar)}
	sgprs := reguse.Use{First: reguse.Scalar, N: 124}
	if x.set.Has(onGFX101) {
		x.readByLoad.note(&all, id)
		x.readByStore.note(&all, id)
		x.readByDS.note(&all, id)
	}
	if onGFX11W64.on(x.set, x.lanes) || x.set.Has(onGFX12) {
		x.maskRead.note(&sgprs, id)
	}
	if onGFX11W64.on(x.set, x.lanes) {
		x.maskBySALU.note(&sgprs, id)
		x.maskByVALU.note(&sgprs, id)
	}
	x.execRead, x.cmpx = id, id
	x.lds, x.vmem = branchedMemory{ID: id, branched: true}, branchedMemory{ID: id, branched: true}
}

// TrackWrites extends TrackAll after inline assembly. On gfx12, it need not wait
// for the scalar registers that its instructions write.
func (x *State) TrackWrites() {
	if !x.set.Has(onGFX12) {
		return
	}
	const id = 1
	sgprs := reguse.Use{First: reguse.Scalar, N: 124}
	x.maskBySALU.note(&sgprs, id)
	x.maskByVALU.note(&sgprs, id)
	x.vccBySALU, x.vccByVALU = id, id
}

// Leave reports the possible hazards of unknown code with instructions in the
// history: valuTransUse, valuPartialForwarding and wmmaHazard.
func (c *Checker) Leave() {
	switch {
	case c.set.Has(fromGFX125):
		c.leaveBeside()
		return
	case !c.set.Has(historySets):
		return
	}
	const what, fix = "unknown code follows", "s_waitcnt_depctr depctr_va_vdst(0)"
	valus, trans, settled := 0, 0, false
	for i := uint64(0); valus <= 8; i++ {
		p := c.back(i)
		if p == nil {
			return
		}
		settled = settled || p.clearsVdst()
		if p.class&hzVALU == 0 {
			continue
		}
		if valus == 0 && p.class&hzWMMA != 0 {
			c.reportNops("WMMAHazard", 0, what, 1, p.ID)
		}
		if settled {
			return
		}
		if onGFX11W64.on(c.set, c.lanes) {
			c.report("VALUPartialForwardingHazard", 0, what, CureVaVdst, fix, p.ID)
			return
		}
		if p.class&hzTrans != 0 {
			if c.set.Has(onGFX1100) && valus <= 5 && trans <= 1 {
				c.report("VALUTransUseHazard", 0, what, CureVaVdst, fix, p.ID)
				return
			}
			trans++
		}
		valus++
	}
}

// wmmaHazard detects a matrix instruction that reads the result of the previous
// VALU instruction if that is also a matrix instruction. Since gfx12, the
// hardware waits if the result is the matrix that it adds to.
func (c *Checker) wmmaHazard(r *Record) {
	if r.class&hzWMMA == 0 {
		return
	}
	p := c.back(0)
	for i := uint64(1); p != nil && p.class&hzVALU == 0; i++ {
		p = c.back(i)
	}
	if p == nil || p.class&hzWMMA == 0 {
		return
	}
	for i := range r.uses {
		u := &r.uses[i]
		at, ok := p.writes(u)
		if !ok || u.How&reguse.Read == 0 || c.adds(p, r, u) {
			continue
		}
		c.reportNops("WMMAHazard", at, "%v is the result of the preceding matrix instruction", 1, p.ID)
		return
	}
}

// adds reports whether an operand of r is the matrix that it adds to and the
// result of p, for which r need not wait explicitly.
func (c *Checker) adds(p, r *Record, u *reguse.Use) bool {
	switch {
	case !c.set.Has(onGFX12):
		return u.Role == reguse.RoleSrc2 && sameWMMA(p, r)
	case r.facts.sparse:
		return u.Role == reguse.RoleDst
	}
	return u.Role == reguse.RoleSrc2
}

// sameWMMA reports whether a v_wmma can accumulate to another's result
// immediately: both have the same opcode, without negation of C.
func sameWMMA(p, r *Record) bool {
	return p.facts.op == r.facts.op && !r.facts.negC
}

// ldsDirectVALU detects LDS-direct writes to a VGPR that VALU instructions may
// still access: wait_vdst must be at most the number of later VALU
// instructions.
func (c *Checker) ldsDirectVALU(r *Record) {
	if r.class&hzLDSDir == 0 {
		return
	}
	limit := int(r.facts.waitVdst)
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
			if u.How&reguse.Write != 0 && p.touches(u) {
				if trans {
					n = 0
				}
				c.reportWait("LdsDirectVALUHazard", u.First, "%v is written, but a VALU instruction may still access it", n, p.ID)
				return
			}
		}
		n++
	}
}

// reportWait reports a hazard that a field of the instruction resolves.
func (c *Checker) reportWait(name string, at reguse.Reg, what string, n int, other uint64) {
	c.found = Found{Name: name, Other: other, Cure: CureWaitVdst, Missing: n, reg: at, some: true, what: what, fix: fmt.Sprintf("wait_vdst:%d or lower", n)}
	c.Report(&c.found)
}

// ldsDirectMemory detects LDS-direct writes to a VGPR that a memory instruction
// may not have read yet.
func (x *State) ldsDirectMemory(c *Checker, r *Record) {
	f := r.facts
	switch {
	case r.class&hzMemory != 0:
		for i := range r.uses {
			x.vectorUses.note(&r.uses[i], r.ID)
		}
	case x.vectorUses.id == 0:
	case r.class&(hzVALU|hzExport) != 0, f.waitsVmVsrc(), f.waitVsrc,
		r.waitsFor(waitcnt.Load) && r.waitsFor(waitcnt.LDS) && r.waitsFor(waitcnt.Export):
		x.vectorUses = vectorIDs{}
	case r.class&hzLDSDir != 0:
		for i := range r.uses {
			if u := &r.uses[i]; u.How&reguse.Write != 0 && x.vectorUses.uses(u) {
				c.report("LdsDirectVMEMHazard", u.First, "%v is written, but a memory instruction may not have read it yet", CureVmVsrc,
					"a VALU instruction or s_waitcnt_depctr depctr_vm_vsrc(0)", x.vectorUses.id)
				x.vectorUses = vectorIDs{}
				return
			}
		}
	}
}

func (r *Record) touches(u *reguse.Use) bool {
	for i := range r.uses {
		if _, ok := r.uses[i].Overlaps(u.First, int(u.N)); ok {
			return true
		}
	}
	return false
}
