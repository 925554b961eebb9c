// Package rewrite changes MLIR in memory: passes with options, pipelines of passes
// in MLIR's notation, and conversions between dialects and types.
//
// A Pass has MLIR's name and options. A Pipeline is read from text:
//
//	builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-rocdl{chipset=gfx942}))
//
// A Conversion replaces operations by rules, one for each name, and types by a
// TypeConverter. Where an operation that has been converted meets one that has
// not, builtin.unrealized_conversion_cast connects them; ReconcileCasts removes
// the casts that cancel out.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module; structs
// may gain fields.
package rewrite
