// Package asm is the assembler for AMD GPUs in LLVM's language. It assembles
// text to relocatable ELF objects, or to the bytes of single instructions.
//
// # Method
//
// Package asmcore reads statements, directives, expressions and macros; this
// package is its dialect for AMDGPU and supplies the instructions, all from the
// tables of package isa.
//
// For each instruction set the assembler builds a table lazily, one mnemonic at
// a time. A mnemonic's entry lists its candidates, one for each encoding and
// addressing form, in the order in which LLVM tries them. A candidate has a
// spec for each operand (the registers or constants that it accepts and its
// place in the words), the set of its modifiers, and its initial words. The
// parser reads an instruction into small operand values without regard to the
// encoding. The first candidate that fits all operands and modifiers is chosen
// and its words are filled in. Then the rules about the whole instruction are
// checked: the constant bus, literals, sizes of image data, and so on.
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
package asm
