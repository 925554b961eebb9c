// Package asm is the assembler for AMD GPUs in LLVM's language. It assembles
// text to relocatable ELF objects, or to the bytes of single instructions.
//
// # Method
//
// Package asmcore reads statements, directives, expressions and macros; this
// package is its dialect for AMDGPU. It reads an instruction into small operand
// values without regard to the encoding: registers, modifiers and operands with
// special syntax (special.go) as LLVM writes them. Package asmmatch chooses the
// encoding and fills in its words.
//
// AMDGPU-specific directives (directive.go lists them all) have a file per
// family: kernel descriptors, amd_kernel_code_t, metadata, versions. Package
// codeobject defines their encoding in bytes.
//
// # Sources
//
// The language and the rules are from LLVM 22 (AMDGPUAsmParser.cpp, the user
// guide's chapters on the syntax of operands and modifiers), as observed with
// llvm-mc. Unlike LLVM, this package accepts modifiers in any order.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Sources that assemble without errors continue to do
// so; the texts of diagnostics may change.
package asm
