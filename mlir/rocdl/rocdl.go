// Package rocdl has MLIR's dialect rocdl: intrinsics of LLVM for AMD GPUs.
// See https://mlir.llvm.org/docs/Dialects/ROCDLDialect/. The rows follow the
// definitions of LLVM 19 and 22.
package rocdl

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect rocdl.
var Dialect = mlir.Dialect{Name: "rocdl", Rows: &rows, Uses: []*mlir.Dialect{&llvm.Dialect}, Ops: ops, Forms: forms}

var ops = []mlir.OpHooks{
	{Name: "raw.buffer.atomic.fadd", Parse: parseStore, Print: printStore},
	{Name: "raw.buffer.atomic.fmax", Parse: parseStore, Print: printStore},
	{Name: "raw.buffer.atomic.smax", Parse: parseStore, Print: printStore},
	{Name: "raw.buffer.atomic.umin", Parse: parseStore, Print: printStore},
	{Name: "raw.buffer.load", Parse: parseLoad, Print: printLoad},
	{Name: "raw.buffer.store", Parse: parseStore, Print: printStore},
}

// forms are the attributes with parameters: the target of a GPU module, whose ABI
// version has another default in each edition.
var forms = []mlir.AttrForm{
	{Mnemonic: "target", Class: "ROCDL_TargetAttr", Keyed: true, Bare: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "O", Kind: mlir.IntForm, Class: "int", Optional: true, Number: 2},
		{Name: "triple", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "amdgcn-amd-amdhsa"},
		{Name: "chip", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "gfx900"},
		{Name: "features", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true},
		{Name: "abi", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "500"},
		{Name: "flags", Kind: mlir.ValueForm, Class: "DictionaryAttr", Optional: true},
		{Name: "link", Kind: mlir.ValueForm, Class: "ArrayAttr", Optional: true}}},
	{Mnemonic: "target", Class: "ROCDL_TargetAttr", Keyed: true, Bare: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "O", Kind: mlir.IntForm, Class: "int", Optional: true, Number: 2},
		{Name: "triple", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "amdgcn-amd-amdhsa"},
		{Name: "chip", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "gfx900"},
		{Name: "features", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true},
		{Name: "abi", Kind: mlir.StringForm, Class: "::llvm::StringRef", Optional: true, Default: "600"},
		{Name: "flags", Kind: mlir.ValueForm, Class: "DictionaryAttr", Optional: true},
		{Name: "link", Kind: mlir.ValueForm, Class: "ArrayAttr", Optional: true}}},
}
