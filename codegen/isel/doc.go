// Package isel selects instructions: it makes machine IR in SSA form (package mir) of a function of LLVM IR.
//
// # What comes in
//
// Functions that package opt has brought to legal form: integers of 1, 32 and 64 bits, scalars, loads and stores
// that are one access, reducible control flow in LCSSA form with one exit.
//
// # Order
//
// Blocks are walked from the last to the first, and their instructions backwards. So an instruction is only made when
// something asks for its value, and it can take what it folds (modifiers, parts of addresses, whole operations)
// from instructions that are still to come, which are then never made.
//
// # Where values are
//
// A value is in scalar registers when it is the same in all lanes, a scalar instruction gives it, and all its
// sources are in scalar registers as well; else in vector registers ([Selector.bankOf]). An i1 is the scalar condition code
// when it is uniform, and a mask of lanes when it is not. Values that are a part of others, the
// elements of a vector or the halves of 64 bits, have no registers of their own ([Selector.root]).
//
// The high half of the register of an i16, i8 or half holds anything.
package isel
