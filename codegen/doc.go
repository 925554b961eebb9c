// Package codegen makes machine code of LLVM IR. A function becomes machine IR (package mir), which
// passes of this package bring to its final form; each pass lies in a file of its own.
package codegen
