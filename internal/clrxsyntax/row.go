package clrxsyntax

import "github.com/gfx-toolchain/gfx/isa"

// Row is an instruction of an architecture.
type Row struct {
	Name  string   // CLRX's name in text that a disassembler prints
	Form  isa.Form // the short form of a vector instruction, otherwise the only one
	Imm   Imm      // immediate of a SOPP or SOPK instruction
	Code  uint16   // opcode in Form
	Code3 uint16   // opcode in VOP3, NoCode if there is no such form
	Flags Flags
	Dst   uint8    // dwords of the result, or of vector or scalar memory data; 0: no such operand
	Src   [3]uint8 // dwords of the sources, or of a DS or FLAT instruction's data; 0: no such operand
	Float [3]Float // how a source reads a floating-point number
	Addr  uint8    // fewest registers of an image's address, number of registers of a scalar memory address
	Most  uint8    // most registers of an image's address
}

// NoCode is the opcode of a form that an instruction does not have.
const NoCode = 0xffff

// Float is the format in which a source takes a floating-point number.
type Float uint8

// Formats of floating-point numbers.
const (
	Single Float = iota
	Half
	Double
)

// Imm is the kind of a 16-bit immediate.
type Imm uint8

// Kinds of immediates.
const (
	ImmNone     Imm = iota // no operand
	ImmNumber              // number
	ImmBranch              // branch target
	ImmHwreg               // hwreg(…)
	ImmMessage             // sendmsg(…)
	ImmWait                // vmcnt(…) & …
	ImmHwreg32             // hwreg(…) and a 32-bit literal
	ImmHwregSrc            // hwreg(…) before the register
)

// Flags are properties of an instruction.
type Flags uint32

// Properties.
const (
	ScalarDst  Flags = 1 << iota // the result of a vector instruction is in SGPRs
	MaskDst                      // the result is a lane mask: VCC in the short form
	CarryOut                     // second result, a lane mask: VCC in the short form
	CarryIn                      // last source, a lane mask: VCC in the short form
	MulConst                     // mandatory literal before the last source (madmk)
	AddConst                     // mandatory literal after the last source (madak)
	LaneSelect                   // source 1 of the short form is scalar
	HasAddr                      // DS: address operand
	TwoOffsets                   // DS: offset0 and offset1
	GDSOnly                      // DS: gds is mandatory
	Store                        // stores, or an atomic without result
	Atomic                       // atomic operation
	NoData                       // buffer instruction without vdata
	NoOperands                   // memory instruction without operands
	Gather4                      // image: four components whatever dmask is
	Sampler                      // image: sampler operand
	Global                       // FLAT: global segment
	Scratch                      // FLAT: scratch segment
	Packed                       // VOP3P with neg_lo, neg_hi and op_sel_hi
	Probe                        // scalar memory: the data operand is a number
	IndexMode                    // second operand is a mode of 8 bits
	NoSdwa                       // neither SDWA nor DPP
	Interp2                      // VOP3INTERP with a third operand
	ShowLong                     // the text has vop3, though there is no short form
	ParamSlot                    // VINTRP: the source is a parameter: p10, p20, p0
)

// Has reports whether any flag of x is set.
func (f Flags) Has(x Flags) bool { return f&x != 0 }
