// Package linker links modules of LLVM IR into one, as llvm-link does, and
// links the device libraries of ROCm to kernels.
//
// A [Linker] owns the destination module. It links each source module in three
// steps:
//
//   - resolution (resolve.go): selects a definition for each symbol, by linkage,
//     COMDAT and the requirements of the destination;
//   - moving (move.go): copies the selected definitions and everything they refer
//     to. Types (types.go), constants (values.go), attributes and metadata
//     (metadata.go) are mapped to the destination. Local symbols with conflicting
//     names are renamed;
//   - completion: named metadata, module flags, module assembly and the order of
//     variables.
//
// If the source was opened without function bodies, the linker reads only the
// bodies that it links. A kernel that calls three functions of a device library
// therefore loads only these three and their callees.
//
// Names, order and numbers in the result are LLVM 22's, including the counters
// for new names of types and symbols, which run over the whole link. Only the
// comments that list predecessors of blocks may differ in order.
//
// Sources: LLVM 22's Language Reference ("Linkage Types", "Comdats", "Module
// Flags Metadata"); LLVM's lib/Linker for the order of moves; comparison with
// llvm-link for undocumented behaviour.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields.
package linker
