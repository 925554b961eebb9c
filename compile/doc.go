// Package compile compiles LLVM IR to AMD GPU code objects in one call.
//
// A compilation has five steps: it reads and links the inputs, prepares the module
// with passes on LLVM IR, compiles its functions to machine code, lays out global
// variables, kernel descriptors and metadata around them, and writes assembler
// text, a relocatable object, or a code object for an HSA loader.
//
// Functions are compiled in parallel. The result does not depend on the
// parallelism.
//
// Sources: User Guide for AMDGPU Backend, chapter Code Object; LLVM 22's llc,
// whose sections, symbols, descriptors and metadata the output has, except for
// the numbers of registers and the requested hardware setup.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The generated code, the names of passes and the
// texts of errors may change.
package compile
