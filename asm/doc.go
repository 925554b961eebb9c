// Package asm is the assembler for AMD GPUs in LLVM's language: text to
// relocatable ELF objects, or to the bytes of single instructions.
//
// # Method
//
// Package asmcore reads statements, directives, expressions and macros; this
// package is its dialect for AMDGPU and knows the instructions, all from the
// table of package isa.
//
// For each instruction set a table is made of what the assembler needs, a
// mnemonic at a time when it is first met: candidates, one for each encoding
// and form of address, in the order in which LLVM tries them. A candidate has a
// spec for each operand (which registers or constants it takes and where its
// number goes in the words), the set of its modifiers, and the words to begin
// with. An instruction is read into small operand values without regard to the
// encoding; the first candidate that all operands and modifiers fit is taken,
// its words are filled in, and rules that look at the whole instruction are
// checked: the constant bus, literals, sizes of image data, and so on.
//
// Directives of AMDGPU's own (directive.go has them all) are a file per family:
// kernel descriptors, amd_kernel_code_t, metadata, versions. What they mean in
// bytes is in package codeobject.
//
// # Sources
//
// The language and the rules are those of LLVM 22 (AMDGPUAsmParser.cpp, the user
// guide's chapters on the syntax of operands and modifiers), as observed with
// llvm-mc. Modifiers may be written in any order, which LLVM does not allow.
package asm
