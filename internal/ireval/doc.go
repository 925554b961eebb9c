// Package ireval evaluates LLVM IR: plain functions, and AMDGPU kernels with
// their work-groups. It is the oracle of the tests of passes: what a function computes before
// a pass it must compute afterwards.
//
// It shares no code with what it judges: not with constant folding, simplification, nor the
// simulator. Every operation on integers is there twice, for 64 bits and on big.Int, and a test compares both.
//
// # Values
//
// A function is compiled once to a list of operations whose operands are places in a frame of
// 64-bit words: a scalar takes one word, a wider integer several, a vector or aggregate
// the words of its elements. Beside each word stands what is unsure about it: nothing, undef or
// poison. Undef is a fixed value (Options.Undef) that is marked, and the mark goes
// to everything computed from it, so it says more often undef than LLVM would. Poison
// follows the Language Reference.
//
// # Undefined behaviour
//
// It is an error of kind UB: access out of bounds, to dead or constant memory, or below the
// alignment that the access claims; division by zero, or of poison; branch on poison;
// unreachable; violated noundef; calls of functions with another type.
// Whether a mark undef would be undefined behaviour is not judged.
//
// # Memory
//
// There are three: global memory (all of a host's), the LDS of a work-group and the stack of a lane.
// A generic address has the LDS's or stack's aperture in its upper half. Each byte has a shadow: accessible,
// writable, undef, poison. Objects stand apart, at addresses that have no more alignment than they ask for.
//
// # Lanes
//
// A lane runs by itself until it comes to an operation that concerns other lanes, or to a barrier, or has
// made many steps. When no lane of a wave can go on, those that wait at the same call, reached through the same
// calls and on the same trips through the loops around it, do the operation together. If there are several
// such sets, the one on the earliest trip goes first, and else the first one in the order of the code, where the blocks
// of a loop stand together and before what follows the loop (a weak topological order): lanes that leave a loop
// early wait behind it. Waves of a group take turns until all
// are at a barrier; groups run one after the other.
package ireval
