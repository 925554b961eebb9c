// Package tollvm holds what all conversions to the LLVM dialect share: the types,
// the descriptors of memrefs, the creation of LLVM operations, and the chipset.
//
// A conversion is a list of rows, one for each operation, whose functions get a
// Lowering. A pass combines lists.
package tollvm
