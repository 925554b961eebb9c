// Package codegen generates machine code from LLVM IR. Its passes transform a
// function in machine IR (package mir) to final machine instructions. Each pass
// is in its own file.
package codegen
