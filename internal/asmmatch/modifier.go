package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// Modifier is a modifier of an instruction, which is written after its operands.
type Modifier uint8

const (
	ModOffset Modifier = iota
	ModOffset0
	ModOffset1
	ModCPol // any of glc, slc, th:…, scope:…
	ModOffen
	ModIdxen
	ModAddr64
	ModLDS
	ModTFE
	ModLWE
	ModD16
	ModDA
	ModUnorm
	ModR128
	ModA16
	ModGDS
	ModDMask
	ModDim
	ModFormat
	ModClamp
	ModOMod
	ModOpSel
	ModOpSelHi
	ModNegLo
	ModNegHi
	ModBLGP
	ModCBSZ
	ModABID
	ModDPPCtrl
	ModDPP8
	ModRowMask
	ModBankMask
	ModBoundCtrl
	ModFI
	ModDstSel
	ModDstUnused
	ModSrc0Sel
	ModSrc1Sel
	ModWaitVDst
	ModWaitVAVDst
	ModWaitVMVSrc
	ModWaitExp
	ModHigh
	ModByteSel
	ModScaleSel
	ModBitOp3
	ModIndexKey
	ModMatrixAFmt
	ModMatrixBFmt
	ModMatrixAScale
	ModMatrixBScale
	ModMatrixAScaleFmt
	ModMatrixBScaleFmt
	ModMatrixAReuse
	ModMatrixBReuse
	ModDone
	ModRowEn
	ModVM
	ModCompr

	NumModifiers
)

// ModifierSet is a set of modifiers.
type ModifierSet uint64

// Bit returns the set of one modifier.
func (m Modifier) Bit() ModifierSet { return 1 << m }

// Modifiers holds the modifiers read from an instruction.
type Modifiers struct {
	Seen ModifierSet
	On   ModifierSet // seen without the prefix "no"
	Val  [NumModifiers]int32
	Pos  [NumModifiers]int32 // offset in the text, for the dialect's messages

	CPol     isa.CPol
	CPolSeen isa.CPol // parts of CPol that the text specifies
	TH       isa.TH
	NegBLGP  bool // blgp was written as neg:[…]
}

// Has reports whether the set contains a modifier.
func (m ModifierSet) Has(id Modifier) bool { return m>>id&1 != 0 }
