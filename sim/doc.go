// Package sim is a simulated AMD GPU: it runs the machine code of code objects as
// the hardware of a processor does, functionally and exactly, and checks on request
// what hardware would not tell.
//
// # Model
//
// A Device runs dispatches on a Memory that host code shares. A dispatch's work-groups are
// spread over the host's cores; the waves of one group take turns on one of them, each for a
// slice of instructions or until it waits. A group that goes on for long, since it waits for
// another group, is put aside so that others begin.
//
// A wave has its VGPRs as arrays of one dword for each lane, and its scalar registers in one array
// by the encodings of scalar operands. Machine code is decoded once for each address into an op:
// where the operands are and which function runs it. What an operation computes is stated
// in package isa/sem, for one lane; here it is run for the lanes of EXEC. Frequent operations
// also have a version in assembly (AVX2) that computes eight lanes at a time and leaves the
// lanes it is not exact for, such as those with a NaN, to the operation's function: both give the same
// bits, which a test compares for all of them.
//
// Memory operations are carried out at once and in program order. A host processor shows a store to other
// cores later, as the GPU does, so an s_waitcnt that waits for stores is a fence on the host. Other waits and
// caches have no effect on results. What a kernel must do because hardware is not like that is the business of the
// checks: see Checks.
//
// A wrong access, instruction or packet ends the dispatch with a Fault that says what and where.
// Nothing that code, registers or packets hold makes the process crash.
//
// # Limits
//
// gfx801 to gfx810, gfx900 to gfx90c, gfx90a, gfx942, gfx1010 to gfx1036 and gfx1100 to gfx1103 are
// simulated. Images, exports, parameter interpolation before gfx11, and ray tracing end the dispatch with a
// fault that names them. There is no time: s_memtime and its like count the host's. VGPRs that a kernel
// did not allocate are there all the same. Code that overwrites itself is not decoded anew.
//
// Sources: AMD's instruction set documents for GCN3, Vega, CDNA 1 to 3 and RDNA 1 to 3; User Guide for
// AMDGPU Backend; AMDGPU HSA ABI 0.40.
package sim
