// Package asmmatch chooses and fills in the encodings of parsed instructions,
// for assemblers of any syntax.
//
// The assembler's dialect reads an instruction into a Statement: a mnemonic,
// operands of few kinds, and modifiers by number. Only the dialect knows the
// text: the spelling of registers, modifiers and operands with special syntax
// (Syntax). A Matcher turns the statement into a Code. It reports problems
// through the dialect's Reporter, by operand or modifier; the dialect knows
// their places in the text.
//
// # Method
//
// For each instruction set the package builds a Table lazily, one mnemonic at a
// time, from the tables of package isa. A mnemonic's entry lists its
// candidates, one for each encoding and addressing form, in the order in which
// LLVM tries them. A candidate has a spec for each operand (the registers or
// constants that it accepts and its place in the words), the set of its
// modifiers, and its initial words. The first candidate that fits all operands
// and modifiers is chosen and its words are filled in. Then the rules about the
// whole instruction are checked: the constant bus, literals, sizes of image
// data, and so on.
//
// # Sources
//
// The order of candidates and the rules are from LLVM 22
// (AMDGPUAsmParser.cpp), as observed with llvm-mc.
package asmmatch
