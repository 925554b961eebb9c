package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/sem"
)

// The check "hazard": instructions that follow another too closely, where the hardware does not
// hold them up by itself.
//
// An instruction takes one wait state, s_nop N takes N+1; a matrix instruction waits until the
// one before has done its passes. Sources: AMD's ISA documents, "Manually inserted wait states";
// LLVM's GCNHazardRecognizer and Mesa's aco_insert_NOPs.

// hazardClass is what an instruction is to hazards, one bit each.
type hazardClass uint64

const (
	hzSALU hazardClass = 1 << iota
	hzVALU
	hzSMEM
	hzVMEM // buffer and image
	hzFlat
	hzSegment // global and scratch
	hzDS
	hzExport
	hzLDSDir
	hzBranch
	hzTrans
	hzMFMA // v_mfma and v_smfmac
	hzDGEMM
	hzXDL
	hzDot
	hzWMMA
	hzDPP
	hzAccRead
	hzAccWrite
	hzCmpx
	hzPermlane
	hzReadLane // v_readlane and v_readfirstlane
	hzWriteLane
	hzLaneSelect // v_readlane and v_writelane
	hzDivFmas
	hzFMA64
	hzNop      // v_nop
	hzBigStore // stores more than 64 bits of a lane
	hzPartial  // writes a part of a register and leaves the rest
	hzSetreg
	hzGetreg
	hzSetVSkip
	hzReadsZ // reads VCCZ or EXECZ as data
	hzM0     // GDS, messages, s_ttracedata
	hzM0GFX9 // add-TID instructions, LDS DMA, interpolation, s_movrel
	hzFPAtomic
	hzDenorm
	hzWait
	hzVector         // of the vector units
	numHazardClasses = iota
)

const (
	hzMemory  = hzVMEM | hzFlat | hzDS
	hzVMEMAll = hzVMEM | hzFlat
)

// hazardFacts is what the check knows of an instruction.
type hazardFacts struct {
	class    hazardClass
	states   uint8 // wait states that it takes
	passes   uint8 // of a matrix instruction, of four cycles
	hwreg    uint8 // of s_setreg and s_getreg
	depctr   uint16
	rows     []*hazardRow // the hazards that it may meet
	laneMask regUse       // the lane mask that it reads (n is 0 for none)
}

// hazardFactsOf makes them.
func hazardFactsOf(in *isa.Inst, uses []regUse) (f hazardFacts) {
	name := in.Enc.Name()
	f.class = hazardClassOf(in, name)
	f.states, f.depctr = 1, 0xffff
	switch {
	case name == "s_nop":
		f.states = uint8(in.Field(isa.FieldSimm16)&15) + 1
	case name == "s_waitcnt_depctr":
		f.depctr = uint16(in.Field(isa.FieldSimm16))
	case f.class&(hzSetreg|hzGetreg) != 0:
		f.hwreg = uint8(in.Field(isa.FieldSimm16) & 63)
		if f.class&hzSetreg != 0 && f.hwreg == hwMode {
			if _, off, size := isa.DecodeHwreg(in.Field(isa.FieldSimm16)); off <= 28 && off+size > 28 {
				f.class |= hzSetVSkip
			}
		}
	case f.class&hzMFMA != 0:
		f.passes = matrixPasses(in)
	}
	f.bindStore(in, uses)
	f.bindLaneMask(in, uses)
	for i := range hazardRows {
		if r := &hazardRows[i]; r.sets(in.Set) && f.class&r.cons != 0 {
			f.rows = append(f.rows, r)
		}
	}
	return f
}

// hazardForms gives the classes of a form's instructions.
var hazardForms = map[isa.Form]hazardClass{
	isa.SOP1: hzSALU, isa.SOP2: hzSALU, isa.SOPC: hzSALU, isa.SOPK: hzSALU, isa.SOPP: hzSALU, isa.SMEM: hzSMEM,
	isa.VOP1: hzVALU | hzVector, isa.VOP2: hzVALU | hzVector, isa.VOPC: hzVALU | hzVector, isa.VOP3: hzVALU | hzVector,
	isa.VOP3P: hzVALU | hzVector, isa.VOPD: hzVALU | hzVector, isa.MAI: hzVALU | hzVector, isa.VINTRP: hzVALU | hzVector | hzM0GFX9,
	isa.VINTERP: hzVALU | hzVector, isa.VOP3INTERP: hzVALU | hzVector | hzM0GFX9,
	isa.MUBUF: hzVMEM | hzVector, isa.MTBUF: hzVMEM | hzVector, isa.MIMG: hzVMEM | hzVector, isa.FLAT: hzFlat | hzVector,
	isa.DS: hzDS | hzVector, isa.EXP: hzExport | hzVector, isa.LDSDIR: hzLDSDir,
}

// hazardNames gives further classes of instructions by their names.
var hazardNames = map[string]hazardClass{
	"s_setreg_b32": hzSetreg, "s_setreg_imm32_b32": hzSetreg, "s_getreg_b32": hzGetreg, "s_setvskip": hzSetVSkip,
	"s_sendmsg": hzM0, "s_sendmsghalt": hzM0, "s_ttracedata": hzM0, "s_denorm_mode": hzDenorm,
	"s_movrels_b32": hzM0GFX9, "s_movrels_b64": hzM0GFX9, "s_movreld_b32": hzM0GFX9, "s_movreld_b64": hzM0GFX9,
	"ds_read_addtid_b32": hzM0GFX9, "ds_write_addtid_b32": hzM0GFX9, "buffer_store_lds_dword": hzM0GFX9,
	"v_readlane_b32": hzReadLane | hzLaneSelect, "v_readfirstlane_b32": hzReadLane, "v_writelane_b32": hzWriteLane | hzLaneSelect,
	"v_div_fmas_f32": hzDivFmas, "v_div_fmas_f64": hzDivFmas, "v_fma_f64": hzFMA64, "v_fmac_f64": hzFMA64, "v_nop": hzNop,
	"v_permlane16_b32": hzPermlane, "v_permlanex16_b32": hzPermlane, "v_permlane64_b32": hzPermlane,
	"v_accvgpr_read_b32": hzAccRead, "v_accvgpr_write_b32": hzAccWrite, "v_accvgpr_read": hzAccRead, "v_accvgpr_write": hzAccWrite,
	"s_branch": hzBranch, "s_cbranch_scc0": hzBranch, "s_cbranch_scc1": hzBranch, "s_cbranch_vccz": hzBranch, "s_cbranch_vccnz": hzBranch,
	"s_cbranch_execz": hzBranch, "s_cbranch_execnz": hzBranch,
	"s_waitcnt": hzWait, "s_waitcnt_vmcnt": hzWait, "s_waitcnt_vscnt": hzWait, "s_waitcnt_expcnt": hzWait, "s_waitcnt_lgkmcnt": hzWait, "s_wait_idle": hzWait,
}

func hazardClassOf(in *isa.Inst, name string) hazardClass {
	t := in.Enc.Traits()
	c := hazardForms[in.Enc.Form()] | hazardNames[name]
	for _, x := range [...]struct {
		on    bool
		class hazardClass
	}{
		{t.Any(isa.TraitTrans), hzTrans},
		{t.Any(isa.TraitDot), hzDot},
		{t.Any(isa.TraitWmma), hzWMMA},
		{in.Enc.Variant().IsDPP(), hzDPP},
		{c&hzVALU != 0 && t.Any(isa.TraitDefExec), hzCmpx},
		{c&hzFlat != 0 && t.Any(isa.TraitGlobal|isa.TraitScratch), hzSegment},
		{c&hzDS != 0 && (t.Any(isa.TraitGdsonly) || in.HasField(isa.FieldGds) && in.Field(isa.FieldGds) != 0), hzM0},
		{c&hzVMEMAll != 0 && t.Any(isa.TraitLds), hzM0GFX9},
		{c&hzVMEMAll != 0 && t.Has(isa.TraitLoad|isa.TraitStore) && floatAtomic(name), hzFPAtomic},
		{writesPart(in, c), hzPartial},
		{c&hzVALU != 0 && readsZ(in), hzReadsZ},
	} {
		if x.on {
			c |= x.class
		}
	}
	if m := sem.MatrixOf(in.Enc.Op()); m != nil && !m.Wave {
		c |= hzMFMA
		switch {
		case m.D == sem.MatrixF64:
			c |= hzDGEMM
		case in.Set.Gen() != isa.Gen940 || m.A != sem.MatrixF32:
			c |= hzXDL
		}
	}
	return c
}

func floatAtomic(name string) bool {
	_, op, ok := strings.Cut(name, "_atomic_")
	return ok && (strings.HasPrefix(op, "f") || strings.Contains(op, "_f"))
}

// writesPart reports whether a vector instruction writes a part of its destination that is not the
// low one.
func writesPart(in *isa.Inst, c hazardClass) bool {
	switch {
	case c&hzVALU == 0:
		return false
	case in.Enc.Variant() == isa.SDWA:
		return in.HasField(isa.FieldDstSel) && in.Field(isa.FieldDstSel) != 6
	}
	return in.Enc.Traits().Any(isa.TraitOpsel) && in.HasField(isa.FieldOpSel) && in.NativeField(isa.FieldOpSel)&8 != 0
}

// readsZ reports whether an operand is VCCZ or EXECZ.
func readsZ(in *isa.Inst) bool {
	if in.Enc.Form() == isa.VOPD {
		return false
	}
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Class.Info().Files&isa.FileS == 0 {
			continue
		}
		if v := in.Operand(&ops[i]); v.Kind == isa.ScalarReg && (v.Num == encVCCZ || v.Num == encExecZ) {
			return true
		}
	}
	return false
}

// matrixPasses gives how many passes of four cycles a matrix instruction takes. Source: LLVM,
// SISchedule.td; CDNA 3 ISA, "Dependency resolution".
func matrixPasses(in *isa.Inst) uint8 {
	m := sem.MatrixOf(in.Enc.Op())
	new := in.Set.Gen() == isa.Gen940
	switch {
	case m.D == sem.MatrixF64 && m.M == 4:
		return 4
	case m.D == sem.MatrixF64:
		return 16
	case m.M == 4:
		return 2
	case m.M == 16 && (m.Sparse || new && m.K >= 8):
		return 4
	case m.M == 16:
		return 8
	case m.Sparse || new && (m.K >= 8 || m.A == sem.MatrixXF32):
		return 8
	}
	return 16
}

// bindStore finds stores whose data are read so late that the next instruction may write them:
// those of more than 64 bits, buffer ones only without an SGPR for the offset.
func (f *hazardFacts) bindStore(in *isa.Inst, uses []regUse) {
	if f.class&hzVMEMAll == 0 || !in.Enc.Traits().Any(isa.TraitStore) {
		return
	}
	for i := range uses {
		if u := &uses[i]; u.role == roleSOffset {
			return
		}
	}
	for i := range uses {
		u := &uses[i]
		if u.first < regScalar && u.how&regRead != 0 && (u.role == roleData || u.role == roleResult) && u.n > 2 && in.Enc.Form() != isa.MIMG {
			f.class |= hzBigStore
		}
	}
}

// bindLaneMask finds the lane mask that a vector instruction selects or adds by.
func (f *hazardFacts) bindLaneMask(in *isa.Inst, uses []regUse) {
	if f.class&hzVALU == 0 {
		return
	}
	mask := uint8(in.Wave / 32)
	vcc := in.Enc.Traits().Any(isa.TraitUseVcc)
	for i := range uses {
		u := &uses[i]
		if u.how&regRead == 0 {
			continue
		}
		if vcc && u.role == roleImplicit && u.first == regVCC || u.role == roleSrc2 && u.n == mask && u.first >= regScalar && takesMask(in) {
			f.laneMask = *u
		}
	}
}

// takesMask reports whether source 2 is a lane mask.
func takesMask(in *isa.Inst) bool {
	o := findOperand(in, isa.FieldSrc2)
	return o != nil && o.Class.Info().Flags&isa.Mask != 0
}

// hazardRecord is an instruction that ran.
type hazardRecord struct {
	at    uint64 // wait states before it
	pc    uint64
	o     *op
	uses  []regUse
	class hazardClass
}

const hazardWindow = 64 // instructions that are remembered

// hazardCheck follows the instructions of one wave.
type hazardCheck struct {
	ring   [hazardWindow]hazardRecord
	n      uint64 // instructions so far
	now    uint64 // wait states so far
	matrix uint64 // when the last matrix instruction has done its passes
	last   [numHazardClasses]uint64
	rdna   *rdnaHazards // gfx10 and gfx11
}

func newHazardCheck(w *wave) waveChecker {
	c := &hazardCheck{}
	if w.dev.set.Gen() >= isa.Gen10 {
		c.rdna = newRDNAHazards(w)
	}
	return c
}

// farBack is further than any hazard reaches.
const farBack = 1000

func (c *hazardCheck) start(w *wave) {
	c.n, c.now, c.matrix = 0, farBack, 0
	c.last = [numHazardClasses]uint64{}
	if c.rdna != nil {
		c.rdna.reset()
	}
}

func (c *hazardCheck) end(w *wave) {}

func (c *hazardCheck) before(w *wave, o *op, uses []regUse) {
	f := &o.facts.hazard
	r := &c.ring[c.n%hazardWindow] // its place, though back does not count it yet
	r.at, r.pc, r.o, r.uses, r.class = c.now, w.address(w.at), o, uses, f.class
	if f.class&hzMFMA != 0 {
		r.at = max(r.at, c.matrix)
	}
	for _, row := range f.rows {
		if c.near(row, r.at) {
			c.check(w, row, r)
		}
	}
	if c.rdna != nil {
		c.rdna.step(w, c, r)
	}
	c.enter(r, f)
}

func (c *hazardCheck) after(w *wave, o *op, uses []regUse) {}

// enter counts an instruction.
func (c *hazardCheck) enter(r *hazardRecord, f *hazardFacts) {
	c.n++
	c.now = r.at + uint64(f.states)
	if f.class&hzMFMA != 0 {
		c.matrix = r.at + uint64(f.passes)
	}
	for k := f.class; k != 0; k &= k - 1 {
		c.last[bits.TrailingZeros64(uint64(k))] = r.at
	}
}

// near reports whether an instruction that can cause a hazard is near enough.
func (c *hazardCheck) near(row *hazardRow, at uint64) bool {
	for k := row.prod; k != 0; k &= k - 1 {
		if l := c.last[bits.TrailingZeros64(uint64(k))]; l != 0 && at-l <= uint64(row.states) {
			return true
		}
	}
	return false
}

// back gives the instruction i before the one that runs, 0 for the one just before; nil when there
// is none so far back.
func (c *hazardCheck) back(i uint64) *hazardRecord {
	if i >= c.n || i >= hazardWindow-1 {
		return nil
	}
	return &c.ring[(c.n-1-i)%hazardWindow]
}

// check looks for a hazard of a row between the instruction that runs and those before it.
func (c *hazardCheck) check(w *wave, row *hazardRow, r *hazardRecord) {
	if row.rd.how == 0 {
		c.look(w, row, r, nil)
		return
	}
	for i := range r.uses {
		if u := &r.uses[i]; row.rd.takes(u) {
			c.look(w, row, r, u)
		}
	}
}

// look goes back to the last instruction that can cause a hazard with a register, and reports it
// when it is too near.
func (c *hazardCheck) look(w *wave, row *hazardRow, r *hazardRecord, u *regUse) {
	for i := uint64(0); ; i++ {
		p := c.back(i)
		if p == nil || r.at-p.at > uint64(row.states) {
			return
		}
		if p.class&row.prod != 0 && p.class&row.not == 0 {
			if pu, ok := row.meets(p, u); ok {
				c.judge(w, row, r, p, u, pu)
				return
			}
		}
		if p.class&row.until != 0 || u != nil && row.wr.how == regWrite && p.overwrites(u) {
			return
		}
	}
}

// overwrites reports whether an instruction writes all of the registers of another one's operand.
func (r *hazardRecord) overwrites(u *regUse) bool {
	for i := range r.uses {
		if x := &r.uses[i]; x.how&regWrite != 0 && x.first <= u.first && x.first+reg(x.n) >= u.first+reg(u.n) {
			return true
		}
	}
	return false
}

// meets finds the registers of an instruction that a row is about.
func (row *hazardRow) meets(p *hazardRecord, u *regUse) (*regUse, bool) {
	if u == nil {
		return nil, true
	}
	for i := range p.uses {
		if pu := &p.uses[i]; row.wr.takes(pu) {
			if _, ok := pu.overlaps(u.first, int(u.n)); ok {
				return pu, true
			}
		}
	}
	return nil, false
}

// judge reports a hazard when there are too few wait states.
func (c *hazardCheck) judge(w *wave, row *hazardRow, r, p *hazardRecord, u, pu *regUse) {
	need := uint64(row.states)
	if row.need != nil {
		need = uint64(row.need(p, r, pu, u))
	}
	between := r.at - p.at - 1
	if between >= need {
		return
	}
	w.report(found{check: CheckHazard, kind: row.name, other: p.pc, lane: -1, text: func() (string, string) {
		s := row.name
		if u != nil {
			first, _ := pu.overlaps(u.first, int(u.n))
			s += " (" + first.String() + ")"
		}
		return fmt.Sprintf("%s: needs %d wait states between them, there are %d: s_nop %d is missing", s, need, between, need-between-1), ""
	}})
}
