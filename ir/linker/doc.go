// Package linker links modules of LLVM IR into one, as llvm-link does, and links
// the device libraries of ROCm to kernels.
//
// A [Linker] has the module that the others go into. Each module that is linked
// goes through three steps:
//
//   - resolution (resolve.go): which definition of a symbol is taken, by linkage,
//     COMDAT, and what the module so far needs;
//   - moving (move.go): what is taken is copied, together with all that it
//     refers to. Types (types.go), constants (values.go), attributes and metadata
//     (metadata.go) become those of the other module; local symbols whose names are taken
//     get others;
//   - named metadata, module flags, module assembly, the order of variables.
//
// A source may have been opened without the bodies of its functions: then only the
// bodies that are linked are read. So a kernel that calls three functions of a device
// library costs these three.
//
// Names, order and numbers of what comes out are those of LLVM 22, which gives types
// and symbols new names by counters that run over the whole link. Comments on
// predecessors of blocks may list them in another order.
//
// Sources: LLVM 22's Language Reference ("Linkage Types", "Comdats", "Module Flags
// Metadata"); behaviour that no document tells was found by comparing with llvm-link;
// LLVM's lib/Linker says in which order things are moved.
package linker
