// Package mlir reads, checks, builds and prints MLIR.
//
// A module is a tree: an Operation has regions, a region has blocks, a block
// has operations. Types and attributes are unique within a Context, so that
// pointers to them can be compared. The operations that a context knows are
// rows of text tables (see Dialect), from which parser, printer and verifier
// follow; packages below this one hold a dialect each. Operations of other
// dialects can be read and printed in MLIR's generic form.
//
// Syntax and meaning are MLIR's (Language Reference, Builtin Dialect). The
// syntax of operations changed between versions of LLVM; see Edition.
package mlir
