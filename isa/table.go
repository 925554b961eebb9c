// Package isa is the AMDGPU instruction set: one table of instructions for
// every amdgcn processor, and the decoder and encoder derived from it.
//
// The source of the table is the folder isa/table; its README explains every
// file, column and trait. Rows define instructions in one encoding; traits of a
// row derive the related VOP3, DPP and SDWA encodings. internal/cmd/isagen turns the
// files into the compact arrays of table_gen.go; nothing is parsed when a
// program starts.
//
// The facts are from LLVM 22.1 and AMD's instruction set documents.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Numbers of generated constants change when a table
// gains rows, and programs must not store them.
package isa

import "sort"

//go:generate go run ../internal/cmd/isagen -dir table -out table_gen.go
//go:generate go test . -run ^TestIgnoredFieldsTable$ -update

// Form is an encoding form: a layout of fields in an instruction word, such
// as VOP3.
type Form uint8

// String returns the form's name, such as "VOP3".
func (f Form) String() string { return formNames[f] }

// Field is a field of an instruction word, such as src0 or offset.
type Field uint8

// String returns the field's name in isa/table/forms.tsv.
func (f Field) String() string { return fieldNames[f] }

// Variant is a variant of an encoding form: the form alone, or with an extra
// dword that moves or selects data.
type Variant uint8

const (
	Native Variant = iota // the form as it is: e32 of VOP1, VOP2 and VOPC, e64 of VOP3
	DPP                   // with a DPP16 dword in place of src0
	DPP8                  // with a DPP8 dword in place of src0
	SDWA                  // with an SDWA dword in place of src0
	DPP64                 // VOP3 or VOP3P with a DPP16 dword
	DPP864                // VOP3 or VOP3P with a DPP8 dword
	DualX                 // first half of a VOPD pair
	DualY                 // second half of a VOPD pair
)

// IsDPP reports whether the variant has a DPP16 or DPP8 dword.
func (v Variant) IsDPP() bool { return v == DPP || v == DPP8 || v == DPP64 || v == DPP864 }

// Enc names an encoding: an instruction in one form and variant with one
// opcode number, for some instruction sets. It is an index of the table.
type Enc uint16

// NoEnc is no encoding.
const NoEnc = ^Enc(0)

// encRow is one encoding of the table. Rows are sorted by name, then in the
// order in which LLVM's assembler tries them.
type encRow struct {
	op     Op
	form   Form
	vari   Variant
	code   uint16
	opers  operList
	image  imageIndex
	sets   SetMask
	traits Traits
}

// operList is an index of operLists, imageIndex one of imageInfos.
type (
	operList   uint16
	imageIndex uint16
)

// Op is an instruction's name: all encodings with one name share it.
type Op uint16

// Name returns the instruction's name without an encoding suffix.
func (o Op) Name() string { return opNames[o] }

// Traits are the properties of an encoding, one bit each.
type Traits uint64

// Has reports whether all traits of t are set.
func (t Traits) Has(x Traits) bool { return t&x == x }

// Any reports whether any trait of x is set.
func (t Traits) Any(x Traits) bool { return t&x != 0 }

// OperandInfo describes one operand of an encoding.
type OperandInfo struct {
	Field Field // its field; see the form's layout
	Class Class // its kind
	Type  Type  // how constants are read
	Mods  bool  // has source modifiers: op_sel where the form has it, and those below
	Neg   bool  // takes neg and abs
	Sext  bool  // takes sext (SDWA)
	Plain bool  // the bits of neg and abs must be 0
}

// Op returns the encoding's instruction.
func (e Enc) Op() Op { return encs[e].op }

// Name returns the instruction's name without an encoding suffix.
func (e Enc) Name() string { return encs[e].op.Name() }

// Form returns the encoding's form.
func (e Enc) Form() Form { return encs[e].form }

// Variant returns the encoding's variant.
func (e Enc) Variant() Variant { return encs[e].vari }

// Code returns the encoding's opcode number.
func (e Enc) Code() int { return int(encs[e].code) }

// Sets returns the instruction sets that have the encoding.
func (e Enc) Sets() SetMask { return encs[e].sets }

// Traits returns the encoding's traits.
func (e Enc) Traits() Traits { return encs[e].traits }

// Operands returns the encoding's operands in the order of the assembler's
// text, optional modifiers included. The caller must not modify the slice.
func (e Enc) Operands() []OperandInfo {
	return operLists[encs[e].opers]
}

// EncsNamed returns the encodings of the instruction with a name, from first to
// before end; the table has them in the order of names. There is none when both
// are the same.
func EncsNamed(name string) (first, end Enc) {
	at := sort.Search(len(encs), func(i int) bool { return Enc(i).Name() >= name })
	n := sort.Search(len(encs)-at, func(i int) bool { return Enc(at+i).Name() > name })
	return Enc(at), Enc(at + n)
}

// NumEncs is the number of encodings in the table.
func NumEncs() int { return len(encs) }
