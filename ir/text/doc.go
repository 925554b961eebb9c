// Package text reads and prints LLVM IR as text (.ll).
//
// Parse accepts the output of LLVM 6 to 22 (LLVM 22's Language Reference; older
// forms as in LLParser and AutoUpgrade). The resulting module is in LLVM 22's
// form: pointers are opaque, and old intrinsic functions, attributes, data
// layouts and metadata are upgraded as LLVM upgrades them (package upgrade).
//
// Print writes the same text as LLVM 22: order, numbers, attribute groups and
// spacing.
//
// # Method of the reader
//
// The reader makes one pass over the bytes without copying them. An entity that
// is used before its definition gets its number at the first use: a local value
// is an instruction that is not filled in yet, a block is not placed yet, a
// global is a constant without content. The definition completes the existing
// entity, so nothing is ever replaced.
//
// An error ends the current function or other top-level entity; the reader
// continues with the next one. The nesting depth is limited (maxDepth), and no
// number in the text determines the amount of memory that is allocated.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The printed text follows LLVM's and may change with
// it.
package text
