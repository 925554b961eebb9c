// Package ireval evaluates LLVM IR: plain functions, and AMDGPU kernels with
// their work-groups. It is the test oracle for passes: a pass must not change
// the result of a function.
//
// It shares no code with the packages under test, such as constant folding,
// simplification and the simulator. Every integer operation has two
// implementations, for 64 bits and on big.Int, and a test compares them.
//
// # Values
//
// A function is compiled once to a list of operations. Operands are slots in a
// frame of 64-bit words: a scalar uses one word, a wider integer several words,
// a vector or aggregate the words of its elements. Each word has a mark: none,
// undef or poison. Undef is a fixed value (Options.Undef) with a mark, which
// propagates to all results computed from it. The evaluator therefore reports
// undef more often than LLVM would. Poison follows the Language Reference.
//
// # Undefined behaviour
//
// Undefined behaviour is an error of kind UB: an access that is out of bounds,
// to dead or constant memory, or less aligned than it claims; a division by
// zero or by poison; a branch on poison; unreachable; a violated noundef; a
// call of a function with another type. The evaluator does not treat undef as
// undefined behaviour.
//
// # Memory
//
// The three memories are global memory (a host's only one), the LDS of a
// work-group, and the stack of a lane. The upper half of a generic address
// holds the aperture of LDS or stack. Each byte has a shadow: accessible,
// writable, undef, poison. Objects are separated by red zones, and their
// addresses are not more aligned than requested.
//
// # Lanes
//
// A lane runs independently until it reaches an operation that involves other
// lanes or a barrier, or until its quantum of steps is used up. When no lane of
// a wave can continue, a set of waiting lanes executes its operation together.
// The lanes of a set wait at the same call, reached through the same calls and
// in the same iterations of the enclosing loops. If there are several sets, the
// set in the earliest iteration is first, then the first set in block order.
// The block order is a weak topological order: the blocks of a loop are
// contiguous and precede the blocks after the loop, so lanes that leave a loop
// early wait after it. Waves of a group take turns until all are at a barrier.
// Groups run one after another.
package ireval
