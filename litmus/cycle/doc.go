// Package cycle generates litmus tests from cycles of relations, like the tool diy
// (Alglave, Maranget, Sarkar, Sewell: Fences in weak memory models, CAV 2010).
//
// A cycle leads from thread to thread over accesses to one variable (Rfe: a load reads
// from the store, Coe: a store follows the store, Fre: a store follows the load), and
// within a thread to an access of another variable (Pod: program order, with or without
// a fence or a dependency). A sequentially consistent machine does not execute it. The
// condition of the test is that the cycle has occurred.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module. The tests
// for a seed may change.
package cycle
