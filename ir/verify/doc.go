// Package verify checks that a module or function follows the rules of LLVM IR, as LLVM 22's verifier does (Language
// Reference; the rules that it leaves out are those of llvm/lib/IR/Verifier.cpp of LLVM 22).
//
// A violation is told in the verifier's words, so that what is known about them helps, and with what was found. It names
// the function, block and value, or the global or metadata node, where it is; see [Diagnostics] for a place
// in the text.
//
// Wrong debug information is marked as such: LLVM's readers do not refuse a module for it, but drop all debug information
// of the module with a warning.
//
// Functions of a large module are checked at the same time by several goroutines; the order of the
// violations does not depend on that: functions in the order of the module, then globals, named metadata and
// module flags, then metadata nodes.
package verify
