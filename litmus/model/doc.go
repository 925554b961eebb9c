// Package model decides which final states of a litmus test the memory model of
// LLVM's AMDGPU backend allows.
//
// The model is axiomatic: Check enumerates candidate executions (for each load the
// store that it reads from, for each location an order of its stores) and keeps the
// consistent ones. Its sources are the memory model of LLVM's AMDGPU User Guide, the
// HSA memory model, and for the axioms RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer:
// Repairing sequential consistency in C/C++11, PLDI 2017) and Batty, Donaldson,
// Wickerson: Overhauling SC atomics in C11 and OpenCL, POPL 2016.
//
//   - Scopes are inclusive, as in HSA: two operations synchronize if each one's scope
//     includes the other one's thread.
//   - There is a happens-before relation for each address space. Program order belongs to
//     the relation of a space if both operations order that space: accesses of the space,
//     fences, and atomic accesses with an ordering of acquire, release or stronger and a
//     scope that is not one-as. A synchronization belongs to both relations, unless a side
//     is one-as: then only to the relation of the location through which they synchronize.
//   - A barrier orders nothing by itself. A release fence before it and an acquire fence
//     after it, in another thread of the work-group, synchronize.
//   - Sequentially consistent operations obey RC11's axiom, where an edge between two
//     operations needs inclusive scopes, and one-as operations order one address space.
//   - Load buffering is allowed, unlike in RC11: LLVM and the hardware reorder relaxed
//     loads with later stores. Values out of thin air are excluded: dependencies and
//     reads-from together have no cycle. A dependency is one that no compiler can remove
//     by looking at one expression or one conditional statement.
//   - A plain load that reads from a store that does not happen before it has a race with
//     that store. OpenCL's axioms exclude such executions, and can miss the race.
//   - Two conflicting accesses that are not ordered are a race, unless both are atomic
//     with inclusive scopes. A test with a race allows all outcomes.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module; structs may
// gain fields. Verdicts change only to correct the model.
package model
