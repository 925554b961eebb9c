// Package pipeline is the compiler's pipeline: one array of all passes in
// execution order, from LLVM IR to machine code, and the driver that runs them.
//
// Packages opt and prepare have the passes on LLVM IR, package isel has
// selection, and package codegen has the passes on machine IR. This package
// alone determines their order. [Prepare] runs the passes on LLVM IR, adjacent
// passes of functions one function after another. A [Runner] then runs selection
// and the passes on machine IR on one function at a time.
package pipeline
