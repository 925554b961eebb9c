// Package abi says in which registers kernels and functions find what they are given, what a kernel
// asks for in its descriptor, and what a call preserves.
//
// Sources: user guide, "Initial Kernel Execution State", "Kernel Descriptor", "Non-Kernel Functions"; AMD's ISA documents.
package abi

import "github.com/gfx-toolchain/gfx/codegen/mir"

// Input is something that a kernel can ask the hardware for, or that a function can expect from its caller.
type Input uint8

// The inputs of kernels, in the order of their registers.
const (
	PrivateSegmentBuffer Input = iota // s4: resource of scratch memory
	DispatchPtr                       // s2
	QueuePtr                          // s2
	KernargSegmentPtr                 // s2
	DispatchID                        // s2
	FlatScratchInit                   // s2
	PrivateSegmentSize                // s1
	WorkGroupIDX                      // s1, and so on
	WorkGroupIDY
	WorkGroupIDZ
	PrivateSegmentWaveOffset
	WorkItemIDX // in vector registers
	WorkItemIDY
	WorkItemIDZ
	ImplicitArgPtr // s2, of functions only: kernels add an offset to KernargSegmentPtr
	LDSKernelID    // s1, of functions only

	NumInputs
)

// Inputs is a set of inputs, a bit for each.
type Inputs uint32

// Has reports whether an input is in the set.
func (s Inputs) Has(i Input) bool { return s>>i&1 != 0 }

// Place is where an input is: Bits bits from bit Shift on of a register (of its first dword; of a packed work-item ID 10
// bits at 0, 10 or 20), Reg is NoReg when the function does not have it.
type Place struct {
	Reg    mir.Reg
	Dwords uint8
	Shift  uint8
	Bits   uint8 // 0 for whole dwords
}
