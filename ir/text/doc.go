// Package text reads and prints LLVM IR as text (.ll).
//
// Parse reads what LLVM 6 to 22 print (LLVM 22's Language Reference; older forms as its LLParser and AutoUpgrade know
// them). The module that it gives is in LLVM 22's form: pointers are opaque, old intrinsic
// functions, attributes, data layouts and metadata are brought up to date as LLVM does (package ir/upgrade).
//
// Print writes what LLVM 22 writes of the same module: order, numbers, groups of attributes and spaces.
//
// # How it reads
//
// One pass over the bytes, without copying them. What is used before it is defined gets its number at once: a
// local value is an instruction that is not filled in yet, a block is not placed yet, a global is a constant that
// stands for nothing yet. A definition fills in what is there, so nothing is ever replaced.
//
// An error ends the function or the other entity of the top level that it is in; the reader goes on with the
// next one. Nesting is limited (maxDepth), and no number in the text decides how much memory is taken.
package text
