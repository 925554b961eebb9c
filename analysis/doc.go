// Package analysis finds out what passes and code generation need to know of a
// function: its control flow graph, dominators, loops, liveness, aliasing, which
// values are the same in all lanes of a wave, and what is known of single values.
//
// Everything is in slices indexed by the dense numbers of package ir. What is made
// by a New function can be made again in the same memory by a Reset method, which
// allocates only when the function is larger than those before. No analysis follows
// changes of the function unless its comment says so.
//
// # What there is
//
//	Graph                    successors, predecessors, reverse post order; of IR (CFG) or anything else (NewGraph)
//	DomTree                  dominators and post-dominators; Dominates and DominatesUse for instructions
//	Frontiers                dominance frontiers, iterated ones for phis
//	SSAUpdater               phis for a value that got several definitions
//	Loops                    natural loops (NewLoops), and cycles with several entries (NewCycles)
//	LiveSets, Liveness       live variables of any code, live values of IR
//	Uniformity               divergent values and branches
//	Alias                    memory locations, effects of instructions on them, captures
//	KnownBits, SignBits      bits of integers and addresses
//	UnsignedRange, SignedRange
//	NonZero, NotEqual        more that is known of integers and pointers
//	NotPoison, MakesPoison   where poison and undef can come from
//	UnderlyingObject, ConstantOffset, PointerAlign
//
// # Algorithms
//
//   - Dominators: Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators
//     and Related Problems", 2005). Queries compare numbers of a walk of the
//     tree, so they cost O(1).
//   - Frontiers: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance
//     Algorithm", 2001; iterated: V. Sreedhar, G. Gao, "A Linear Time Algorithm for
//     Placing Phi-Nodes", 1995.
//   - Cycles: one depth-first search, and from each possible header, innermost
//     first, a search against the edges (P. Havlak, "Nesting of Reducible and
//     Irreducible Loops", 1997, as LLVM's docs/CycleTerminology.rst has it).
//   - Liveness: the equations of live variables on bit sets, solved with a work list.
//   - Uniformity: J. Rosemann, S. Moll, S. Hack, "An Abstract Interpretation for SPMD
//     Divergence on Reducible Control Flow Graphs", 2021, extended to irreducible
//     cycles as in LLVM.
//   - Aliasing: objects and linear offsets from them, as LLVM's BasicAliasAnalysis;
//     AMDGPU's address spaces; metadata as the Language Reference says.
//
// # Trust
//
// The analyses expect what package ir/verify accepts. On other modules their answers
// mean nothing.
package analysis
