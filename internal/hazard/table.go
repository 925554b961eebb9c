package hazard

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// row is a hazard between two instructions.
type row struct {
	name   string // description of both instructions
	sets   isa.SetMask
	prod   class     // classes of the first instruction, any of
	not    class     // classes that the first instruction must not have
	cons   class     // classes of the second instruction, any of
	until  class     // instructions of these classes in between end the hazard
	wr, rd useFilter // registers of both instructions that must overlap; zero for any
	states int       // required wait states; with need, the maximum
	need   func(p, c *Record, pu, cu *reguse.Use) int
}

// useFilter selects registers of an instruction by use, file and role.
type useFilter struct {
	how   reguse.How
	files regFile
	roles uint16 // one bit per role; 0 for any
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

// fileOf returns the files that contain a register.
func fileOf(r reguse.Reg) regFile {
	switch {
	case r < reguse.AGPR:
		return fileV
	case r < reguse.Scalar:
		return fileA
	case r == reguse.VCC || r == reguse.VCC+1:
		return fileVCC | fileS
	case r == reguse.Exec || r == reguse.Exec+1:
		return fileExec
	case r == reguse.Scalar+124 || r == reguse.Scalar+125:
		return fileM0
	case r < reguse.Exec:
		return fileS
	}
	return 0
}

func (f *useFilter) takes(u *reguse.Use) bool {
	return u.How&f.how != 0 && fileOf(u.First)&f.files != 0 && (f.roles == 0 || f.roles>>u.Role&1 != 0)
}

// The instruction sets that have a hazard.
const (
	onGFX6       isa.SetMask = isa.SinceGFX600 &^ isa.SinceGFX700
	onGFX67                  = isa.SinceGFX600 &^ isa.SinceGFX803
	onGFX8And9               = isa.SinceGFX803 &^ isa.SinceGFX1010
	beforeGFX10              = isa.SinceGFX600 &^ isa.SinceGFX1010
	onGFX9                   = isa.SinceGFX900 &^ isa.SinceGFX1010
	onGFX908     isa.SetMask = 1 << isa.GFX908
	onGFX90A                 = isa.SinceGFX90A &^ isa.SinceGFX942
	fromGFX90A               = isa.SinceGFX90A
	gfx7ToGFX90A             = beforeGFX10 &^ onGFX6 &^ isa.SinceGFX942
	onGFX940                 = isa.SinceGFX942
	onGFX950                 = isa.SinceGFX950
	onGFX10                  = isa.SinceGFX1010 &^ isa.SinceGFX1100
	onGFX101                 = isa.SinceGFX1010 &^ isa.SinceGFX1030
	onGFX1100                = isa.SinceGFX1100 &^ isa.SinceGFX1150
	onGFX11                  = isa.SinceGFX1100 &^ isa.SinceGFX1200
	onGFX12                  = isa.SinceGFX1200 &^ isa.SinceGFX1250
	fromGFX125               = isa.SinceGFX1250
)

// Register filters shared by several rows.
var (
	writesS    = useFilter{how: reguse.Write, files: fileS}
	writesVCC  = useFilter{how: reguse.Write, files: fileVCC}
	writesExec = useFilter{how: reguse.Write, files: fileExec}
	writesM0   = useFilter{how: reguse.Write, files: fileM0}
	writesV    = useFilter{how: reguse.Write, files: fileV}
	writesVec  = useFilter{how: reguse.Write, files: fileVec}
	readsV     = useFilter{how: reguse.Read, files: fileV}
	readsVec   = useFilter{how: reguse.Read, files: fileVec}
	readsExec  = useFilter{how: reguse.Read, files: fileExec}
	readsM0    = useFilter{how: reguse.Read, files: fileM0}
)

// rows lists the hazards that wait states resolve.
var rows = lazy.Value[[]row]{Make: func() []row {
	return append([]row{
		{name: "VALU writes an SGPR, vector memory reads it", sets: onGFX8And9, prod: hzVALU, cons: hzVMEMAll, states: 5,
			wr: writesS, rd: useFilter{how: reguse.Read, files: fileS, roles: 1<<reguse.RoleSBase | 1<<reguse.RoleSOffset}},
		{name: "s_setreg, then s_getreg or s_setreg of the same register", sets: onGFX8And9, prod: hzSetreg, cons: hzSetreg | hzGetreg, states: 2,
			need: sameHwreg},
		{name: "s_setreg, then s_getreg of the same register", sets: onGFX67, prod: hzSetreg, cons: hzGetreg, states: 2, need: sameHwreg},
		{name: "s_setreg, then s_setreg of the same register", sets: onGFX67, prod: hzSetreg, cons: hzSetreg, states: 1, need: sameHwregOnce},
		{name: "VALU writes an SGPR that is the lane of v_readlane or v_writelane", sets: beforeGFX10, prod: hzVALU, cons: hzLaneSelect, states: 4,
			wr: writesS, rd: useFilter{how: reguse.Read, files: fileS, roles: 1 << reguse.RoleSrc1}},
		{name: "VALU writes VCC, v_div_fmas reads it", sets: beforeGFX10, prod: hzVALU, cons: hzDivFmas, states: 4,
			wr: writesVCC, rd: useFilter{how: reguse.Read, files: fileVCC, roles: 1 << reguse.RoleImplicit}},
		{name: "store of more than 64 bits, VALU writes its data", sets: gfx7ToGFX90A, prod: hzBigStore, cons: hzVALU, states: 1,
			wr: useFilter{how: reguse.Read, files: fileVec, roles: 1<<reguse.RoleData | 1<<reguse.RoleResult}, rd: writesVec},
		{name: "store of more than 64 bits, VALU writes its data", sets: onGFX940, prod: hzBigStore, cons: hzVALU, states: 2,
			wr: useFilter{how: reguse.Read, files: fileVec, roles: 1<<reguse.RoleData | 1<<reguse.RoleResult}, rd: writesVec},
		{name: "VALU writes a VGPR, DPP reads it from other lanes", sets: beforeGFX10, prod: hzVALU, cons: hzDPP, states: 2,
			wr: writesV, rd: useFilter{how: reguse.Read, files: fileV, roles: 1 << reguse.RoleSrc0}},
		{name: "VALU writes EXEC, then DPP", sets: beforeGFX10, prod: hzVALU, cons: hzDPP, states: 5, wr: writesExec, rd: readsExec},
		{name: "SALU writes M0, then GDS, a message or s_ttracedata", sets: onGFX8And9, prod: hzSALU, cons: hzM0, states: 1, wr: writesM0, rd: readsM0},
		{name: "SALU writes M0, an LDS instruction or s_movrel reads it", sets: onGFX9, prod: hzSALU, cons: hzM0GFX9, states: 1, wr: writesM0, rd: readsM0},
		{name: "VALU writes an SGPR, scalar memory reads it", sets: onGFX6, prod: hzVALU, cons: hzSMEM, states: 4,
			wr: writesS, rd: useFilter{how: reguse.Read, files: fileS}},
		{name: "SALU writes an SGPR, s_buffer_load reads it", sets: onGFX6, prod: hzSALU, cons: hzBufferLoad, states: 4,
			wr: writesS, rd: useFilter{how: reguse.Read, files: fileS}},
		{name: "VALU writes a VGPR, v_permlane16_swap or v_permlane32_swap reads it", sets: onGFX950, prod: hzVALU, cons: hzSwap, states: 2, wr: writesV, rd: readsV},
		{name: "VALU writes EXEC, then v_permlane16_swap or v_permlane32_swap", sets: onGFX950, prod: hzCmpx, cons: hzSwap, states: 4},
		{name: "VSKIP is set, then a vector instruction", sets: beforeGFX10, prod: hzSetVSkip, cons: hzVector, states: 2},
		{name: "VALU writes VCC or EXEC, VALU reads VCCZ or EXECZ", sets: beforeGFX10, prod: hzVALU, cons: hzReadsZ, states: 5,
			wr: useFilter{how: reguse.Write, files: fileVCC | fileExec}, rd: useFilter{how: reguse.Read, files: fileVCC | fileExec, roles: 1 << reguse.RoleImplicit}},
		{name: "transcendental result, VALU reads it", sets: onGFX940, prod: hzTrans, cons: hzVALU, states: 1,
			wr: writesV, rd: readsV, need: notTrans},
		{name: "part of a VGPR is written, VALU reads it", sets: onGFX940, prod: hzPartial, cons: hzVALU, states: 1, wr: writesV, rd: readsV},
		{name: "VALU writes an SGPR, VALU reads it", sets: onGFX940, prod: hzVALU, cons: hzVALU, states: 2,
			wr: writesS, rd: useFilter{how: reguse.Read, files: fileS}},
		{name: "VALU writes a VGPR, v_readlane or v_readfirstlane reads it", sets: onGFX940, prod: hzVALU, cons: hzReadLane, states: 1,
			wr: writesV, rd: useFilter{how: reguse.Read, files: fileV, roles: 1 << reguse.RoleSrc0}},
		{name: "VALU writes EXEC, then v_readlane, v_readfirstlane or v_writelane", sets: onGFX940, prod: hzCmpx, cons: hzReadLane | hzWriteLane, states: 4},
		{name: "atomic of floats, then s_denorm_mode", sets: onGFX10, prod: hzFPAtomic, cons: hzDenorm, until: hzVALU | hzWait, states: 3},
		{name: "image instruction with six or more separate address registers, buffer instruction with bit 1 or 2 of the offset", sets: onGFX101, prod: hzNSA, cons: hzNSAOffset, states: 1},
	}, matrixHazards()...)
}}

func sameHwreg(p, c *Record, _, _ *reguse.Use) int {
	if p.facts.hwreg == c.facts.hwreg {
		return 2
	}
	return 0
}

func sameHwregOnce(p, c *Record, pu, cu *reguse.Use) int { return sameHwreg(p, c, pu, cu) / 2 }

// notTrans requires no wait state between transcendental instructions, which
// execute in order.
func notTrans(_, c *Record, _, _ *reguse.Use) int {
	if c.class&hzTrans != 0 {
		return 0
	}
	return 1
}
