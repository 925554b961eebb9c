// Package inspect tells everything about AMDGPU objects, code objects and the
// files that hold them: target, headers, kernels with their registers, memory,
// arguments and occupancy, descriptors, notes, symbols and relocations. It says
// where metadata, kernel descriptor and code contradict each other (Finding).
//
// Object makes a Report of one object. Read takes any file: an object, a clang
// offload bundle, compressed or not, a program or host object with such bundles in
// its section .hip_fatbin, an archive; what it holds are Entries. Reports are
// plain structs, with the names that `gfx inspect --json` shows, and write
// themselves as text.
//
// Readers take hostile files: a header's size is compared with the bytes that
// are there before anything is allocated by it, and compressed bundles may grow to
// MaxRatio times their size at most.
//
// Sources: User Guide for AMDGPU Backend (LLVM 7 to LLVM 22), chapter Code
// Object; AMDGPU HSA ABI 0.40, AMD Kernel Code; Clang Offload Bundler, chapters
// Bundled Binary File Layout and Compressed Bundles; AMD's ISA documents for the
// granules of registers and LDS (package target has them).
package inspect
