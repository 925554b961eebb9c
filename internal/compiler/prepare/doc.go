// Package prepare lowers LLVM IR to the legal form, which instruction selection
// accepts: scalars of 1, 32 and 64 bits, memory accesses that are one
// instruction each, structured control flow, and signatures of whole registers.
// [LegalErrors] defines the form.
//
// The package uses the pass framework of package opt, whose passes run between
// the lowerings. Package pipeline lists both in execution order. A pass belongs
// in package opt if selection does not need it and it shares no code with a
// lowering.
package prepare
