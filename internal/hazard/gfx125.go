package hazard

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Hazards of gfx12.5, whose units for matrix and transcendental instructions
// execute beside the vector ALU. An instruction of the vector ALU may not use
// the registers of such an instruction until enough vector instructions were
// issued in between. Source: LLVM's GCNHazardRecognizer,
// fixWMMACoexecutionHazards and fixVALUTransCoexecutionHazards.

// coexecution describes how a matrix instruction executes beside others.
type coexecution struct {
	beside bool // executes in the matrix unit
	slow   bool // takes 16 cycles instead of 8
}

// coexecutionOf returns the properties of a matrix instruction. Matrices of f32,
// whose elements have no high half to negate, are multiplied by the vector ALU.
// Integers and 8-bit floats with selected formats take the longer time.
func coexecutionOf(in *isa.Inst) (x coexecution) {
	t := in.Enc.Traits()
	x.beside = !t.Any(isa.TraitNoneghi)
	x.slow = t.Any(isa.TraitIntclamp) ||
		t.Any(isa.TraitF8f6f4) && (isFloat8(in.Matrix(isa.FieldMatrixAFmt)) || isFloat8(in.Matrix(isa.FieldMatrixBFmt)))
	return x
}

// isFloat8 reports whether a format of v_wmma_f32_16x16x128_f8f6f4 is FP8 or
// BF8.
func isFloat8(format uint32) bool { return format < 2 }

// matrixDistance returns the number of vector instructions required between an
// instruction and another one that uses its registers: 0 unless it executes in
// the matrix unit, and one more before another matrix instruction.
func (r *Record) matrixDistance(matrix bool) (n int) {
	f := r.facts
	if r.class&hzWMMA == 0 || !f.matrix.beside {
		return 0
	}
	n = 4
	if f.sparse {
		n = 2
	}
	if f.matrix.slow {
		n *= 2
	}
	if matrix {
		n++
	}
	return n
}

// maxMatrixDistance is the maximum of matrixDistance.
const maxMatrixDistance = 9

// matrixCoexecution (WMMACoexecutionHazard) detects instructions too soon after
// a matrix instruction: matrix instructions that read its result as A, B or
// index, and others that use its result or write its sources. Transcendental
// instructions need not wait, and no instruction for C.
func (c *Checker) matrixCoexecution(r *Record) {
	matrix := r.class&hzWMMA != 0 && r.facts.matrix.beside
	if r.class&hzVALU == 0 || !matrix && r.class&(hzTrans|hzWMMA) != 0 {
		return
	}
	var missing, distance int
	var at reguse.Reg
	var other uint64
	for i := uint64(0); distance < maxMatrixDistance; i++ {
		p := c.back(i)
		if p == nil {
			break
		}
		if p.class&hzVALU == 0 {
			continue
		}
		if need := p.matrixDistance(matrix) - distance; need > missing {
			if reg, ok := p.coexecutes(r, matrix); ok {
				missing, at, other = need, reg, p.ID
			}
		}
		distance++
	}
	if missing > 0 {
		c.reportNops("WMMACoexecutionHazard", at, "%v is in use by a matrix instruction", missing, other)
	}
}

// coexecutes returns a register of the matrix instruction p that r may use too
// early.
func (r *Record) coexecutes(by *Record, matrix bool) (reguse.Reg, bool) {
	for i := range by.uses {
		u := &by.uses[i]
		if u.First >= reguse.AGPR {
			continue
		}
		for k := range r.uses {
			if at, ok := r.uses[k].Overlaps(u.First, int(u.N)); ok && conflicts(&r.uses[k], u, r, by, matrix) {
				return at, true
			}
		}
	}
	return 0, false
}

// conflicts reports whether an operand u of r, which follows p, may not overlap
// an operand pu of the matrix instruction p.
func conflicts(pu, u *reguse.Use, p, r *Record, matrix bool) bool {
	switch {
	case matrix:
		return pu.How&reguse.Write != 0 && r.isFactor(u)
	case pu.How&reguse.Write != 0:
		return true
	}
	return u.How&reguse.Write != 0 && p.isFactor(pu)
}

// isFactor reports whether an operand of a matrix instruction is A, B or an
// index.
func (r *Record) isFactor(u *reguse.Use) bool {
	switch {
	case u.How&reguse.Read == 0:
		return false
	case u.Role == reguse.RoleSrc0 || u.Role == reguse.RoleSrc1:
		return true
	}
	return r.facts.sparse && (u.Role == reguse.RoleSrc2 || u.Role == reguse.RoleIndex)
}

// transCoexecution (VALUTransCoexecutionHazard) detects instructions of the
// vector ALU that directly follow a transcendental instruction among the vector
// instructions, and use its result or write its sources.
func (c *Checker) transCoexecution(r *Record) {
	if r.class&hzVALU == 0 || r.class&hzTrans != 0 {
		return
	}
	for i := uint64(0); ; i++ {
		p := c.back(i)
		if p == nil {
			return
		}
		if p.class&hzVALU == 0 {
			continue
		}
		if at, ok := p.coexecutes(r, false); p.class&hzTrans != 0 && ok {
			c.reportNops("VALUTransCoexecutionHazard", at, "%v is in use by a transcendental instruction", 1, p.ID)
		}
		return
	}
}

// reportNops reports a hazard that n more vector instructions in between
// resolve.
func (c *Checker) reportNops(name string, at reguse.Reg, what string, n int, other uint64) {
	fix := "v_nop or another VALU instruction"
	if n > 1 {
		fix = fmt.Sprintf("%d v_nop or other VALU instructions", n)
	}
	c.found = Found{Name: name, Other: other, Cure: CureNop, Missing: n, reg: at, some: strings.Contains(what, "%v"), what: what, fix: fix}
	c.Report(&c.found)
}

// leaveBeside reports the vector instructions that unknown code needs before it
// uses registers of matrix and transcendental instructions.
func (c *Checker) leaveBeside() {
	var missing, distance int
	var other uint64
	for i := uint64(0); distance < maxMatrixDistance; i++ {
		p := c.back(i)
		if p == nil {
			break
		}
		if p.class&hzVALU == 0 {
			continue
		}
		need := p.matrixDistance(true) - distance
		if distance == 0 && p.class&hzTrans != 0 {
			need = 1
		}
		if need > missing {
			missing, other = need, p.ID
		}
		distance++
	}
	if missing > 0 {
		c.reportNops("WMMACoexecutionHazard", 0, "unknown code follows", missing, other)
	}
}

// needsPipeline detects instructions that need a wait for parts of the pipeline.
// Source: LLVM's GCNHazardRecognizer, fixGetRegWaitIdle,
// fixDsAtomicAsyncBarrierArriveB64 and fixScratchBaseForwardingHazard.
func (c *Checker) needsPipeline(r *Record) {
	p := c.back(0)
	if r.class&hzGetreg != 0 && stateRegisters>>r.facts.hwreg&1 != 0 && (p == nil || p.facts.depctr != 0) {
		var other uint64
		if p != nil {
			other = p.ID
		}
		c.report("GetRegWaitIdle", 0, "the state of the wave is read while instructions are executed", CureIdle, "s_wait_alu 0", other)
	}
	before, after := r.class&hzAsyncArrive != 0, p != nil && p.class&hzAsyncArrive != 0
	if before && (p == nil || !p.facts.waitsVmVsrc()) || after && !r.facts.waitsVmVsrc() {
		c.report("AsyncBarrierArriveHazard", 0, "ds_atomic_async_barrier_arrive_b64 is adjacent to another instruction", CureVmVsrc,
			"s_wait_alu depctr_vm_vsrc(0)", r.ID)
	}
	if r.class&hzReadsBase != 0 {
		c.scratchBase(r)
	}
}

// stateRegisters holds the hardware registers whose values depend on instructions
// in execution, one bit each: STATUS, STATE_PRIV, EXCP_FLAG_PRIV and
// EXCP_FLAG_USER.
const stateRegisters = 1<<2 | 1<<4 | 1<<17 | 1<<18

// scratchBaseStates is the number of wait states after which scratchBase detects
// nothing.
const scratchBaseStates = 10

// scratchBase (ScratchBaseForwardingHazard) detects reads of
// src_flat_scratch_base soon after a write of s102 or s103,
// from which the hardware forwards the value in error.
func (c *Checker) scratchBase(r *Record) {
	for i := uint64(0); ; i++ {
		p := c.back(i)
		if p == nil || r.at-p.at > scratchBaseStates || p.facts.waitsSaSdst() && p.facts.waitsVaSdstOnly() {
			return
		}
		if at, ok := p.writes(&reguse.Use{First: reguse.Scalar + 102, N: 2}); ok && p.class&(hzSALU|hzVALU) != 0 {
			const fix = "s_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0)"
			c.report("ScratchBaseForwardingHazard", at, "%v is written before src_flat_scratch_base is read", CureSaSdst, fix, p.ID)
			c.report("ScratchBaseForwardingHazard", at, "%v is written before src_flat_scratch_base is read", CureVaSdst, fix, p.ID)
			return
		}
	}
}
