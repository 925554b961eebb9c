package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// Kind is the kind of an operand.
type Kind uint8

const (
	KindReg     Kind = iota // a register or tuple of registers
	KindInt                 // an integer, Val
	KindReal                // a floating-point number, Val is the bits of a double
	KindExpr                // an expression of yet unknown value
	KindOff                 // no address
	KindList                // a list of image addresses, Statement.Addresses[:Dwords]
	KindSpecial             // an operand with special syntax, Val
)

// OperandMods are the modifiers of an operand.
type OperandMods uint8

const (
	Neg   OperandMods = 1 << iota // -x, neg(x)
	Abs                           // |x|, abs(x)
	Sext                          // sext(x)
	Lit                           // lit(x)
	Lit64                         // lit64(x)

	NegAbs = Neg | Abs // the modifiers of floating-point operands
	AnyLit = Lit | Lit64
)

// Operand is a parsed operand.
type Operand struct {
	Kind   Kind
	File   isa.Files  // KindReg: one bit
	Dwords uint8      // KindReg: size of the tuple; KindList: number of addresses
	Half   uint8      // KindReg: 1 for the low, 2 for the high half of a VGPR
	Takes  isa.Widths // KindReg: other widths that a special register is accepted for
	Mods   OperandMods
	Reg    uint16 // KindReg: number in the file; for FileS the 8-bit operand code
	Pos    int32  // offset in the text, for the dialect's messages
	End    int32  // offset of the end
	Val    int64
}

// Address is a register of a list of image addresses.
type Address struct {
	Reg    uint16
	Dwords uint8
	File   isa.Files
}

// MaxOperands bounds the operands of an instruction; a VOPD3 pair has 11.
const MaxOperands = 16

// MaxAddresses bounds the list of image addresses.
const MaxAddresses = 16

// Statement is a parsed instruction.
//
// The dialect sets Mnemonic and Encoding, calls Reset and then fills in the
// rest.
type Statement struct {
	Ops       [MaxOperands]Operand
	NumOps    int                   // number of operands
	Addresses [MaxAddresses]Address // of an operand of KindList
	Mods      Modifiers
	Mnemonic  *Mnemonic
	Second    *Mnemonic // of the second half of a VOPD pair, nil without one
	NumFirst  int       // operands of the first half of a VOPD pair

	Encoding Encoding
	Wide     bool // an alias of the VOP3 encoding, whose last source is a VGPR
}

// Reset clears the operands and modifiers for a new instruction.
func (s *Statement) Reset() {
	s.NumOps, s.Second = 0, nil
	m := &s.Mods
	m.Seen, m.On, m.CPol, m.CPolSeen, m.TH, m.NegBLGP = 0, 0, 0, 0, isa.TH{}, false
}
