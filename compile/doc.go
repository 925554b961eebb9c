// Package compile compiles LLVM IR to AMD GPU code objects in one call.
//
// Passes of packages opt and prepare lower a module, package codegen compiles its
// functions to machine code, and this package lays out global variables, kernel
// descriptors and metadata around them. The output is assembler text, a
// relocatable object, or a code object for an HSA loader.
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
