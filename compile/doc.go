// Package compile makes AMD GPU code objects of LLVM IR: the whole way as one call.
//
// A module is prepared by passes of package opt, its functions become machine code (package codegen), and global variables,
// kernel descriptors and metadata are laid out around them. What comes out is text for an assembler, a relocatable object,
// or a code object that an HSA loader takes.
//
// Functions are compiled in parallel. The result does not depend on it.
//
// Sources: User Guide for AMDGPU Backend, chapter Code Object; LLVM 22's llc, whose sections, symbols, descriptors and metadata
// these are, but for the numbers of registers and for what the hardware is asked to set up.
package compile
