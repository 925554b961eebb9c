// Package analysis finds out what passes and code generation need to know of a
// function: its control flow graph, dominators, loops, liveness, aliasing and
// which values are the same in all lanes of a wave.
//
// Everything is in slices indexed by the dense numbers of package ir. What is made
// by a New function can be made again in the same memory by a Reset method, which
// allocates only when the function is larger than those before. No analysis follows
// changes of the function unless its comment says so.
//
// # Algorithms
//
//   - Dominators: Semi-NCA (L. Georgiadis, "Linear-Time Algorithms for Dominators
//     and Related Problems", 2005). Queries compare numbers of a walk of the
//     tree, so they cost O(1).
package analysis
