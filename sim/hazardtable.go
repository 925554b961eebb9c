package sim

import "github.com/gfx-toolchain/gfx/isa"

// hazardRow is a hazard between two instructions.
type hazardRow struct {
	name   string // what the first one does and the second one
	sets   func(s isa.Set) bool
	prod   hazardClass // the first one is of one of these classes
	not    hazardClass // and of none of these
	cons   hazardClass // the second one is of one of these
	until  hazardClass // instructions of these classes in between end the hazard
	wr, rd useFilter   // registers of the first and of the second one that must overlap; none: whatever they are
	states int         // wait states that are needed between them, or the most of them
	need   func(p, c *hazardRecord, pu, cu *regUse) int
}

// useFilter takes some of the registers of an instruction.
type useFilter struct {
	how   regHow
	files regFile
	roles uint16 // one bit for each role; 0: any
}

// regFile is a set of register files and registers.
type regFile uint8

const (
	fileV regFile = 1 << iota
	fileA
	fileS // SGPRs and VCC
	fileVCC
	fileExec
	fileM0
	fileVec = fileV | fileA
)

// file gives the files that a register is of.
func (r reg) file() regFile {
	switch {
	case r < regAGPR:
		return fileV
	case r < regScalar:
		return fileA
	case r == regVCC || r == regVCC+1:
		return fileVCC | fileS
	case r == regExec || r == regExec+1:
		return fileExec
	case r == regScalar+124 || r == regScalar+125:
		return fileM0
	case r < regExec:
		return fileS
	}
	return 0
}

func (f *useFilter) takes(u *regUse) bool {
	return u.how&f.how != 0 && u.first.file()&f.files != 0 && (f.roles == 0 || f.roles>>u.role&1 != 0)
}

// Sets that hazards are of.
func beforeGFX10(s isa.Set) bool { return s.Gen() < isa.Gen10 }
func onGFX9(s isa.Set) bool      { return s.Gen() >= isa.Gen9 && s.Gen() < isa.Gen10 }
func onGFX940(s isa.Set) bool    { return s.Gen() == isa.Gen940 }
func beforeGFX940(s isa.Set) bool {
	return s.Gen() < isa.Gen940
}
func onGFX10(s isa.Set) bool  { return s.Gen() == isa.Gen10 }
func onGFX908(s isa.Set) bool { return s == isa.GFX908 }
func onGFX90A(s isa.Set) bool { return s.Gen() == isa.Gen90A }
func fromGFX90A(s isa.Set) bool {
	return s.Gen() == isa.Gen90A || s.Gen() == isa.Gen940
}

// Register filters that many rows share.
var (
	writesS    = useFilter{how: regWrite, files: fileS}
	writesVCC  = useFilter{how: regWrite, files: fileVCC}
	writesExec = useFilter{how: regWrite, files: fileExec}
	writesM0   = useFilter{how: regWrite, files: fileM0}
	writesV    = useFilter{how: regWrite, files: fileV}
	writesVec  = useFilter{how: regWrite, files: fileVec}
	readsV     = useFilter{how: regRead, files: fileV}
	readsVec   = useFilter{how: regRead, files: fileVec}
	readsExec  = useFilter{how: regRead, files: fileExec}
	readsM0    = useFilter{how: regRead, files: fileM0}
)

func roles(list ...regRole) (m uint16) {
	for _, r := range list {
		m |= 1 << r
	}
	return m
}

// hazardRows are the hazards that wait states resolve.
var hazardRows = []hazardRow{
	{name: "VALU writes an SGPR, vector memory reads it", sets: beforeGFX10, prod: hzVALU, cons: hzVMEMAll, states: 5,
		wr: writesS, rd: useFilter{how: regRead, files: fileS, roles: roles(roleSBase, roleSOffset)}},
	{name: "s_setreg, then s_getreg or s_setreg of the same register", sets: beforeGFX10, prod: hzSetreg, cons: hzSetreg | hzGetreg, states: 2,
		need: sameHwreg},
	{name: "VALU writes an SGPR that is the lane of v_readlane or v_writelane", sets: beforeGFX10, prod: hzVALU, cons: hzLaneSelect, states: 4,
		wr: writesS, rd: useFilter{how: regRead, files: fileS, roles: roles(roleSrc1)}},
	{name: "VALU writes VCC, v_div_fmas reads it", sets: beforeGFX10, prod: hzVALU, cons: hzDivFmas, states: 4,
		wr: writesVCC, rd: useFilter{how: regRead, files: fileVCC, roles: roles(roleImplicit)}},
	{name: "store of more than 64 bits, VALU writes its data", sets: beforeGFX940, prod: hzBigStore, cons: hzVALU, states: 1,
		wr: useFilter{how: regRead, files: fileVec, roles: roles(roleData, roleResult)}, rd: writesVec},
	{name: "store of more than 64 bits, VALU writes its data", sets: onGFX940, prod: hzBigStore, cons: hzVALU, states: 2,
		wr: useFilter{how: regRead, files: fileVec, roles: roles(roleData, roleResult)}, rd: writesVec},
	{name: "VALU writes a VGPR, DPP reads it from other lanes", sets: beforeGFX10, prod: hzVALU, cons: hzDPP, states: 2,
		wr: writesV, rd: useFilter{how: regRead, files: fileV, roles: roles(roleSrc0)}},
	{name: "VALU writes EXEC, then DPP", sets: beforeGFX10, prod: hzVALU, cons: hzDPP, states: 5, wr: writesExec, rd: readsExec},
	{name: "SALU writes M0, then GDS, a message or s_ttracedata", sets: beforeGFX10, prod: hzSALU, cons: hzM0, states: 1, wr: writesM0, rd: readsM0},
	{name: "SALU writes M0, an LDS instruction or s_movrel reads it", sets: onGFX9, prod: hzSALU, cons: hzM0GFX9, states: 1, wr: writesM0, rd: readsM0},
	{name: "VSKIP is set, then a vector instruction", sets: beforeGFX10, prod: hzSetVSkip, cons: hzVector, states: 2},
	{name: "VALU writes VCC or EXEC, VALU reads VCCZ or EXECZ", sets: beforeGFX10, prod: hzVALU, cons: hzReadsZ, states: 5,
		wr: useFilter{how: regWrite, files: fileVCC | fileExec}, rd: useFilter{how: regRead, files: fileVCC | fileExec, roles: roles(roleImplicit)}},
	{name: "transcendental result, VALU reads it", sets: onGFX940, prod: hzTrans, cons: hzVALU, states: 1,
		wr: writesV, rd: readsV, need: notTrans},
	{name: "part of a VGPR is written, VALU reads it", sets: onGFX940, prod: hzPartial, cons: hzVALU, states: 1, wr: writesV, rd: readsV},
	{name: "VALU writes an SGPR, VALU reads it", sets: onGFX940, prod: hzVALU, cons: hzVALU, states: 2,
		wr: writesS, rd: useFilter{how: regRead, files: fileS}},
	{name: "VALU writes a VGPR, v_readlane or v_readfirstlane reads it", sets: onGFX940, prod: hzVALU, cons: hzReadLane, states: 1,
		wr: writesV, rd: useFilter{how: regRead, files: fileV, roles: roles(roleSrc0)}},
	{name: "VALU writes EXEC, then v_readlane, v_readfirstlane or v_writelane", sets: onGFX940, prod: hzCmpx, cons: hzReadLane | hzWriteLane, states: 4},
	{name: "atomic of floats, then s_denorm_mode", sets: onGFX10, prod: hzFPAtomic, cons: hzDenorm, until: hzVALU | hzWait, states: 3},
}

func init() { hazardRows = append(hazardRows, matrixHazards...) }

func sameHwreg(p, c *hazardRecord, _, _ *regUse) int {
	if p.o.facts.hazard.hwreg == c.o.facts.hazard.hwreg {
		return 2
	}
	return 0
}

// notTrans: transcendental instructions follow each other in order.
func notTrans(_, c *hazardRecord, _, _ *regUse) int {
	if c.class&hzTrans != 0 {
		return 0
	}
	return 1
}
