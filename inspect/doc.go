// Package inspect reports on AMDGPU objects, code objects and the files that
// contain them: target, headers, kernels with their registers, memory,
// arguments and occupancy, descriptors, notes, symbols and relocations. It
// reports contradictions between metadata, kernel descriptor and code
// (Finding).
//
// Object builds a Report of one object. Read accepts any file: an object, a
// clang offload bundle, compressed or not, a program or host object with such
// bundles in its section .hip_fatbin, or an archive. Its contents are Entries.
// Reports are plain structs, with the names that `gfx inspect --json` shows,
// and write themselves as text.
//
// Readers accept hostile files: they compare a size in a header with the
// available bytes before they allocate memory, and compressed bundles may grow
// to at most MaxRatio times their size.
//
// Sources: User Guide for AMDGPU Backend (LLVM 7 to LLVM 22), chapter Code
// Object; AMDGPU HSA ABI 0.40, AMD Kernel Code; Clang Offload Bundler, chapters
// Bundled Binary File Layout and Compressed Bundles; AMD's ISA documents for
// the granules of registers and LDS (package target has them).
//
// # Compatibility
//
// Exported names and keys of the JSON keep their meaning within a major version
// of the module; structs may gain fields. The text for people may change.
package inspect
