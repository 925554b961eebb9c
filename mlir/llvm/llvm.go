// Package llvm has MLIR's dialect llvm: instructions and intrinsics of LLVM IR.
// See https://mlir.llvm.org/docs/Dialects/LLVM/. The rows follow the
// definitions of LLVM 19 and 22.
package llvm

import (
	_ "embed" // of the rows

	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed ops.txt
var rows string

// Dialect is the dialect llvm.
var Dialect = mlir.Dialect{Name: "llvm", Rows: &rows, Ops: ops, Directives: directives, Forms: forms,
	ParseType: parseType, WriteType: writeType}

var ops = []mlir.OpHooks{
	{Name: "alloca", Parse: parseAlloca, Print: printAlloca},
	{Name: "atomicrmw", Verify: verifyReadModifyWrite},
	{Name: "call", Parse: parseCall, Print: printCall, Verify: verifyCall},
	{Name: "call_intrinsic", Parse: parseIntrinsic, Print: printIntrinsic},
	{Name: "cmpxchg", Verify: verifyCompareExchange},
	{Name: "extractvalue", Verify: verifyExtract},
	{Name: "fcmp", Parse: parseFCmp, Print: printFCmp},
	{Name: "fence", Verify: verifyFence},
	{Name: "func", Parse: parseFunc, Print: printFunc, Verify: verifyFunc},
	{Name: "getelementptr", Verify: verifyPointerArithmetic},
	{Name: "icmp", Parse: parseICmp, Print: printICmp},
	{Name: "insertvalue", Verify: verifyInsert},
	{Name: "load", Verify: verifyLoad},
	{Name: "mlir.addressof", Verify: verifyAddress},
	{Name: "mlir.alias", Parse: parseAlias, Print: printAlias},
	{Name: "mlir.constant", Verify: verifyConstant},
	{Name: "mlir.global", Parse: parseGlobal, Print: printGlobal, Verify: verifyGlobal},
	{Name: "module_flags", Verify: verifyModuleFlags},
	{Name: "return", Verify: verifyReturn},
	{Name: "shufflevector", Verify: verifyShuffle},
	{Name: "store", Verify: verifyStore},
	{Name: "switch", Verify: verifySwitch},
}

var directives = []mlir.Directive{
	{Name: "GEPIndices", Parse: parseIndices, Print: printIndices},
	{Name: "IndirectBrOpSucessors", Parse: parseTargets, Print: printTargets},
	{Name: "InsertExtractValueElementType", Parse: parseMemberType, Print: printNothing},
	{Name: "LLVMLinkage", Parse: parseLinkage, Print: printLinkage},
	{Name: "LLVMOpAttrs", Parse: parseAttrs, Print: printAttrs},
	{Name: "OpBundles", Parse: parseOpBundles, Print: printOpBundles, Present: func(f *mlir.FormatState) bool { return f.AtLiteral("[") }},
	{Name: "OverflowFlags", Parse: parseOverflow, Print: printOverflow},
	{Name: "ShuffleType", Parse: parseShuffleType, Print: printNothing},
	{Name: "SwitchOpCases", Parse: parseSwitchCases, Print: printSwitchCases},
}
