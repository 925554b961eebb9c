// Package isel selects instructions: it lowers a function of LLVM IR to machine
// IR in SSA form (package mir).
//
// # Input
//
// Functions that package prepare has legalized: integers of 1, 32 and 64 bits;
// scalars; loads and stores that are one access; reducible control flow in
// LCSSA form with one exit.
//
// # Order
//
// Blocks are visited from the last to the first, and their instructions in
// reverse. An instruction is therefore selected only if its value is used. It
// can fold instructions that have yet to be visited (modifiers, parts of
// addresses, whole operations), which are then never selected.
//
// # Register banks
//
// A value is in scalar registers if it is uniform, a scalar instruction
// computes it and all its sources are in scalar registers; otherwise it is in
// vector registers ([Selector.bankOf]). An i1 is the scalar condition code if
// it is uniform, and a lane mask otherwise. A value that is part of another
// one, such as an element of a vector or a half of 64 bits, has no registers of
// its own ([Selector.root]).
//
// The high half of a register that holds an i16, i8 or half is undefined.
package isel
