package hazard

import "github.com/gfx-toolchain/gfx/internal/reguse"

// Hazards of matrix instructions on gfx908 to gfx950. The wait states depend on
// the passes of the first instruction. Sources: LLVM, GCNHazardRecognizer,
// checkMAIHazards908, checkMAIHazards90A, checkMAIVALUHazards; CDNA 3 ISA,
// "Required user-inserted wait states".

// Register filters for matrix instructions.
var (
	writesD   = useFilter{how: reguse.Write, files: fileVec, roles: 1 << reguse.RoleDst}
	readsAB   = useFilter{how: reguse.Read, files: fileVec, roles: 1<<reguse.RoleSrc0 | 1<<reguse.RoleSrc1 | 1<<reguse.RoleIndex}
	readsC    = useFilter{how: reguse.Read, files: fileVec, roles: 1<<reguse.RoleSrc2 | 1<<reguse.RoleDst} // v_smfmac has C in the destination
	readsA    = useFilter{how: reguse.Read, files: fileA, roles: 1 << reguse.RoleSrc0}
	writesAcc = useFilter{how: reguse.Write, files: fileA}
)

const hzMemoryOrExport = hzMemory | hzExport

func matrixHazards() []row {
	return []row{
		// gfx908.
		{name: "VALU writes EXEC, then a matrix instruction", sets: onGFX908, prod: hzVALU, cons: hzMFMA | hzAccWrite, states: 4, wr: writesExec, rd: readsExec},
		{name: "VALU writes a VGPR, a matrix instruction reads it", sets: onGFX908, prod: hzVALU, cons: hzMFMA | hzAccWrite, states: 2, wr: writesV, rd: readsV},
		{name: "v_mfma writes AGPRs, v_mfma reads them as A or B", sets: onGFX908, prod: hzMFMA, cons: hzMFMA, states: 4, wr: writesAcc, rd: readsAB, need: otherTuple(4)},
		{name: "v_mfma writes AGPRs, v_mfma reads some of them as C", sets: onGFX908, prod: hzMFMA, cons: hzMFMA, states: 2, wr: writesAcc, rd: readsC, need: otherTuple(2)},
		{name: "v_mfma writes AGPRs, v_accvgpr_read reads them", sets: onGFX908, prod: hzMFMA, cons: hzAccRead, states: 18, wr: writesAcc, rd: readsA, need: byPasses(4, 10, 18)},
		{name: "v_mfma writes AGPRs, v_accvgpr_write writes them", sets: onGFX908, prod: hzMFMA, cons: hzAccWrite, states: 15, wr: writesAcc, rd: writesAcc, need: byPasses(1, 7, 15)},
		{name: "v_mfma reads C, v_accvgpr_write writes it", sets: onGFX908, prod: hzMFMA, cons: hzAccWrite, states: 13, wr: readsC, rd: writesAcc, need: byPasses(0, 5, 13)},
		{name: "v_accvgpr_write, v_mfma reads it as C", sets: onGFX908, prod: hzAccWrite, cons: hzMFMA, states: 1, wr: writesAcc, rd: readsC},
		{name: "v_accvgpr_write, v_mfma reads it as A or B", sets: onGFX908, prod: hzAccWrite, cons: hzMFMA, states: 3, wr: writesAcc, rd: readsAB},
		{name: "v_accvgpr_write, then v_accvgpr_read", sets: onGFX908, prod: hzAccWrite, cons: hzAccRead, states: 3, wr: writesAcc, rd: readsA},
		{name: "v_accvgpr_read, a memory instruction reads the VGPR", sets: onGFX908, prod: hzAccRead, cons: hzMemory, states: 2, wr: writesV, rd: readsV},
		// gfx90a, gfx942 and gfx950.
		{name: "VALU writes EXEC, then a matrix instruction", sets: fromGFX90A, prod: hzVALU, not: hzMFMA, cons: hzMFMA, states: 4, wr: writesExec, rd: readsExec},
		{name: "VALU writes a VGPR, a matrix instruction reads it", sets: fromGFX90A, prod: hzVALU, not: hzMFMA | hzDot, cons: hzMFMA, states: 2, wr: writesVec, rd: readsVec},
		{name: "matrix instruction writes registers, another reads them as C", sets: onGFX90A, prod: hzMFMA, cons: hzMFMA, states: 17, wr: writesD, rd: readsC, need: matrixC90A},
		{name: "matrix instruction writes registers, another reads them as C", sets: onGFX940, prod: hzMFMA, cons: hzMFMA, states: 18, wr: writesD, rd: readsC, need: matrixC940},
		{name: "matrix instruction writes registers, another reads them as A or B", sets: fromGFX90A, prod: hzMFMA, cons: hzMFMA, states: 20, wr: writesD, rd: readsAB, need: matrixAB},
		{name: "matrix instruction writes registers that are read", sets: fromGFX90A, prod: hzMFMA, cons: hzVALU | hzMemoryOrExport, states: 20, wr: writesD, rd: readsVec, need: matrixRead},
		{name: "matrix instruction writes registers that are written", sets: fromGFX90A, prod: hzMFMA, cons: hzVALU | hzMemoryOrExport, states: 20, wr: writesD, rd: writesVec, need: matrixWrite},
		{name: "matrix instruction reads C, VALU writes it", sets: fromGFX90A, prod: hzMFMA, cons: hzVALU | hzMemoryOrExport, states: 15, wr: readsC, rd: writesVec, need: matrixWAR},
		{name: "dot product, then another instruction reads it", sets: fromGFX90A, prod: hzDot, cons: hzVALU | hzMemoryOrExport, states: 3, wr: writesVec, rd: readsVec, need: dotRead},
		{name: "dot product, then another instruction writes its result", sets: fromGFX90A, prod: hzDot, cons: hzVALU | hzMemoryOrExport, states: 3, wr: writesVec, rd: writesVec, need: dotWrite},
		{name: "f64 matrix instruction, then v_fma_f64", sets: fromGFX90A, prod: hzDGEMM, cons: hzFMA64, states: 2},
	}
}

// otherTuple returns a function that requires wait states unless the operand is
// the whole result.
func otherTuple(states int) func(p, c *Record, pu, cu *reguse.Use) int {
	return func(_, _ *Record, pu, cu *reguse.Use) int {
		if sameTuple(pu, cu) {
			return 0
		}
		return states
	}
}

func sameTuple(a, b *reguse.Use) bool { return a.First == b.First && a.N == b.N }

// byPasses returns a function that selects wait states for 2, 8 and 16 passes.
func byPasses(two, eight, sixteen int) func(p, c *Record, pu, cu *reguse.Use) int {
	return func(p, _ *Record, _, _ *reguse.Use) int {
		switch p.facts.passes {
		case 2:
			return two
		case 8:
			return eight
		}
		return sixteen
	}
}

// matrixC90A returns the wait states for operand C of a matrix instruction
// after another on gfx90a.
func matrixC90A(p, c *Record, pu, cu *reguse.Use) int {
	passes, from, to := int(p.facts.passes), p.class&hzDGEMM != 0, c.class&hzDGEMM != 0
	switch {
	case from && !to:
		return 0
	case sameTuple(pu, cu):
		return sameC4x4(p, c)
	case from && passes == 16:
		return 9
	case from:
		return 4
	case to:
		return passes + 1
	}
	return passes
}

// sameC4x4 returns the wait states for a v_mfma_f64_4x4x4 that accumulates to
// the result of another.
func sameC4x4(p, c *Record) int {
	if p.class&c.class&hzDGEMM != 0 && p.facts.passes == 4 && c.facts.passes == 4 {
		return 4
	}
	return 0
}

// matrixC940 is matrixC90A for gfx942.
func matrixC940(p, c *Record, pu, cu *reguse.Use) int {
	passes := int(p.facts.passes)
	fromXDL, toXDL := p.class&hzXDL != 0, c.class&hzXDL != 0
	switch {
	case sameTuple(pu, cu):
		if passes == 2 {
			return 2
		}
		return sameC4x4(p, c)
	case p.class&hzDGEMM != 0:
		switch {
		case toXDL:
			return 0
		case passes == 16 && p.facts.set.Has(onGFX950):
			return 17
		case passes == 16:
			return 9
		}
		return 4
	case toXDL && !fromXDL:
		return 0
	case fromXDL:
		return passes + 1 + later(p)
	}
	return passes
}

// matrixAB returns the wait states for operands A and B of a matrix instruction
// after another.
func matrixAB(p, _ *Record, _, _ *reguse.Use) int { return matrixResult(p, 6, 11) }

// matrixRead returns the wait states until another kind of instruction may read
// a matrix result.
func matrixRead(p, c *Record, _, _ *reguse.Use) int {
	switch {
	case c.class&hzMFMA != 0:
		return 0
	case c.class&hzMemoryOrExport != 0:
		return matrixResult(p, 9, 18)
	}
	return matrixResult(p, 6, 11)
}

// matrixWrite returns the wait states until another kind of instruction may
// overwrite a matrix result.
func matrixWrite(p, c *Record, _, _ *reguse.Use) int {
	if c.class&hzMFMA != 0 {
		return 0
	}
	return matrixResult(p, 6, 11)
}

// matrixResult returns the wait states until a matrix result is available.
// small and large apply to v_mfma_f64_4x4x4 and v_mfma_f64_16x16x4.
func matrixResult(p *Record, small, large int) int {
	passes := int(p.facts.passes)
	switch {
	case p.class&hzDGEMM != 0 && passes == 4:
		return small
	case p.class&hzDGEMM != 0 && large == 11 && p.facts.set.Has(onGFX950):
		return 19
	case p.class&hzDGEMM != 0:
		return large
	case p.facts.set.Has(onGFX940) && p.class&hzXDL == 0:
		return passes + 2
	}
	return passes + 3 + later(p)
}

// later returns the additional wait state of gfx950, where results of
// instructions with more than 2 passes are available later.
func later(p *Record) int {
	if p.facts.set.Has(onGFX950) && p.facts.passes != 2 {
		return 1
	}
	return 0
}

// matrixWAR returns the wait states until operand C of a matrix instruction may
// be overwritten.
func matrixWAR(p, c *Record, _, _ *reguse.Use) int {
	switch {
	case c.class&hzMFMA != 0, p.class&hzDGEMM != 0, p.class&hzXDL == 0:
		return 0
	}
	return int(p.facts.passes) - 1
}

// dotRead returns the wait states until the result of a dot product may be
// read. The same operation can accumulate to it immediately.
func dotRead(p, c *Record, _, cu *reguse.Use) int {
	if c.class&hzMFMA != 0 || p.facts.op == c.facts.op && (cu.Role == reguse.RoleSrc2 || cu.Role == reguse.RoleDst) {
		return 0
	}
	return 3
}

func dotWrite(p, c *Record, _, _ *reguse.Use) int {
	if c.class&hzMFMA != 0 || p.facts.op == c.facts.op {
		return 0
	}
	return 3
}
