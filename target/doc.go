// Package target describes the AMD GPU processors: their names, products and
// generations, their supported and default features, and their limits and
// allocation granules. It reads and writes triples, target IDs and the target
// fields of ELF headers.
//
// Each fact has one place. Per-processor facts are in the processor table
// (processors.go), facts common to a generation in the generation table
// (generation.go), and facts about a feature in the feature table
// (features.go). The tables are constant data laid out by the linker: the
// package does no work at program start.
//
// Sources: "User Guide for AMDGPU Backend" (LLVM 7 to LLVM 22), chapters
// "Processors", "Target Features", "Target ID" and "Code Object"; the ELF
// header constants of LLVM 22; limits as LLVM 22 applies them
// (AMDGPU::IsaInfo), which tests compare with LLVM's tools.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Numbers of features and generations may change, and
// programs must not store them.
package target
