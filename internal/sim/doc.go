// Package sim simulates an AMD GPU. It executes the machine code of code
// objects with exactly the results of the hardware, and optionally checks for
// errors that hardware does not report.
//
// # Model
//
// A Device runs dispatches on a Memory that it shares with host code.
// Work-groups are distributed over the host's cores. The waves of a group take
// turns on one core, each for a slice of instructions or until it waits. A
// group that runs for long because it waits for another group is suspended so
// that other groups can start.
//
// A wave stores each VGPR as an array with one dword per lane, and its scalar
// registers in one array indexed by scalar operand encoding. Machine code is
// decoded once per address into an op, which holds the operands' locations and
// the function that executes it. Package sem defines the result of an
// operation for one lane; this package applies it to the lanes of EXEC.
// Frequent operations also have an assembly implementation (AVX2), which
// computes eight lanes at a time. It leaves lanes that it cannot compute
// exactly, such as lanes with a NaN, to the function of package sem. Both
// implementations compute the same bits; a test compares them for all
// operations.
//
// With strong memory, memory operations execute immediately and in program order. A host processor,
// like the GPU, delays the visibility of a store to other cores, so an
// s_waitcnt that waits for stores is a host memory fence. Other waits and
// caches do not affect results. The checks cover the waits and cache operations
// that hardware requires: see Checks.
//
// With weak memory (device.MemoryWeak), global memory is accessed through
// incoherent caches (package weakmem), and operations complete late and in any
// order that the counters permit. A scheduler on one goroutine runs all
// work-groups, in an order that depends on a seed alone.
//
// An invalid access, instruction or packet ends the dispatch with a Fault that
// describes it. No code, register value or packet can crash the process.
//
// # Limits
//
// The simulated processors are gfx600 to gfx810, gfx900 to gfx90c, gfx90a,
// gfx942, gfx950, gfx1010 to gfx1036, gfx1100 to gfx1153, gfx1200, gfx1201,
// gfx1250 and gfx1251.
// Images end the dispatch with a fault that names the instruction. Exports are
// passed to the device's options. Time is not simulated:
// s_memtime and similar instructions return host time. VGPRs that a kernel did
// not allocate exist nevertheless. Self-modifying code is not decoded again.
//
// Sources: AMD's instruction set documents for GCN3, Vega, CDNA 1 to 4 and RDNA
// 1 to 4; CLRX's for gfx6 and gfx7; User Guide for AMDGPU Backend; AMDGPU HSA ABI 0.40.
package sim
