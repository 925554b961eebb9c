// Package target knows who the AMD GPU processors are: their names, products
// and generations, the features each supports and has by default, its limits
// and granules, and how all of that is written down in triples, target IDs and
// ELF headers.
//
// One row of the processor table (processors.go) is the only place that knows
// a processor, one row of the generation table (generation.go) the only place
// that knows what its members share, and one row of the feature table
// (features.go) the only place that knows a feature. Everything else asks
// them. The tables are constant data that the linker lays out: the package
// does no work when a program starts.
//
// Sources: "User Guide for AMDGPU Backend" (LLVM 7 to LLVM 22), chapters
// "Processors", "Target Features", "Target ID" and "Code Object"; the ELF
// header constants of LLVM 22; limits as LLVM 22 applies them (AMDGPU::IsaInfo),
// which tests compare with LLVM's tools.
package target
