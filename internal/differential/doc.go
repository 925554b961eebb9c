// Package differential compares the simulated GPU with LLVM's execution on the host: a
// generator writes random programs in LLVM IR whose results are fully defined, LLVM compiles
// them for several processors and optimisation levels, and what the simulator computes must be
// equal, bit for bit, to what lli computes from the same functions.
//
// The package has tests only. Nothing imports it.
package differential
