// Package analysis computes facts about functions for passes and code
// generation: control flow graphs, dominators, loops, aliasing, uniformity
// across the lanes of a wave, and properties of single values.
//
// All results are slices indexed by the dense numbers of package ir. A Reset
// method recomputes the result of the matching New function in the same memory;
// it allocates only when the function is larger than all earlier ones. An
// analysis does not follow changes of the function unless its comment states
// so.
//
// # Overview
//
//	Graph                    successors, predecessors, reverse post order (CFG, NewGraph)
//	DomTree                  dominators, post-dominators; Dominates, DominatesUse
//	Frontiers                dominance frontiers, and iterated ones for phi placement
//	SSAUpdater               phis for a value with several definitions
//	Loops                    natural loops (NewLoops), and cycles with several entries (NewCycles)
//	Uniformity               divergent values and branches
//	Alias                    memory locations, effects of instructions on them, captures
//	KnownBits, SignBits      bits of integers and addresses
//	UnsignedRange, SignedRange
//	NonZero, NotEqual        further facts about integers and pointers
//	NotPoison, MakesPoison   sources of poison and undef
//	UnderlyingObject, ConstantOffset, PointerAlign
//
// # Algorithms
//
//   - Dominators: Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators
//     and Related Problems", 2005). Queries compare the numbers of a tree walk,
//     so they take O(1) time.
//   - Frontiers: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance
//     Algorithm", 2001; iterated: V. Sreedhar, G. Gao, "A Linear Time Algorithm for
//     Placing Phi-Nodes", 1995.
//   - Cycles: one depth-first search, and from each possible header, innermost
//     first, a search against the edges (P. Havlak, "Nesting of Reducible and
//     Irreducible Loops", 1997, as in LLVM's docs/CycleTerminology.rst).
//   - Uniformity: J. Rosemann, S. Moll, S. Hack, "An Abstract Interpretation for SPMD
//     Divergence on Reducible Control Flow Graphs", 2021, extended to irreducible
//     cycles as in LLVM.
//   - Aliasing: objects and linear offsets from them, as in LLVM's BasicAliasAnalysis;
//     AMDGPU's address spaces; metadata as defined by the Language Reference.
//
// # Preconditions
//
// The analyses require modules that package ir/verify accepts. Results for
// other modules are meaningless.
package analysis
