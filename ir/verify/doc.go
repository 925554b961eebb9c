// Package verify checks that a module or function follows the rules of LLVM IR,
// like LLVM 22's verifier (Language Reference, and llvm/lib/IR/Verifier.cpp of
// LLVM 22 for rules that it does not mention).
//
// Violations use the verifier's messages, so that existing documentation
// applies, and add the values found. A violation identifies its function, block
// and value, or its global or metadata node. [Diagnostics] locates it in the
// text.
//
// Invalid debug information is marked as such. LLVM's readers do not reject a
// module for it, but drop all its debug information with a warning.
//
// Several goroutines check the functions of a large module in parallel. The
// order of violations is deterministic: functions in module order, then
// globals, named metadata and module flags, then metadata nodes.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The rules follow LLVM's and may change with them.
package verify
