// Package abi defines the calling conventions of kernels and functions: the
// registers of their inputs, arguments and results, the fields of a kernel
// descriptor that request inputs, and the registers that a call preserves.
//
// Sources: user guide, "Initial Kernel Execution State", "Kernel Descriptor",
// "Non-Kernel Functions"; AMD's ISA documents.
package abi

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Input is a value that a kernel can request from the hardware, or that a
// function can expect from its caller.
type Input uint8

// The inputs of kernels, in register order.
const (
	PrivateSegmentBuffer Input = iota // s4: scratch buffer resource
	DispatchPtr                       // s2
	QueuePtr                          // s2
	KernargSegmentPtr                 // s2
	DispatchID                        // s2
	FlatScratchInit                   // s2
	PrivateSegmentSize                // s1
	KernargPreload                    // the first dwords of the kernarg segment, see [Entry.WithPreload]
	WorkGroupIDX                      // s1, likewise Y and Z
	WorkGroupIDY
	WorkGroupIDZ
	PrivateSegmentWaveOffset
	WorkItemIDX // in VGPRs
	WorkItemIDY
	WorkItemIDZ
	ImplicitArgPtr // s2, functions only: kernels add an offset to KernargSegmentPtr
	LDSKernelID    // s1, functions only

	NumInputs
)

var inputText = [NumInputs]string{PrivateSegmentBuffer: "private_segment_buffer", DispatchPtr: "dispatch_ptr", QueuePtr: "queue_ptr",
	KernargSegmentPtr: "kernarg_segment_ptr", DispatchID: "dispatch_id", FlatScratchInit: "flat_scratch_init",
	PrivateSegmentSize: "private_segment_size", KernargPreload: "kernarg_preload", WorkGroupIDX: "workgroup_id_x", WorkGroupIDY: "workgroup_id_y", WorkGroupIDZ: "workgroup_id_z",
	PrivateSegmentWaveOffset: "private_segment_wave_offset", WorkItemIDX: "workitem_id_x", WorkItemIDY: "workitem_id_y",
	WorkItemIDZ: "workitem_id_z", ImplicitArgPtr: "implicitarg_ptr", LDSKernelID: "lds_kernel_id"}

// String returns the textual name of the input, such as kernarg_segment_ptr.
func (i Input) String() string { return inputText[i] }

// InputByName returns the input with a textual name.
func InputByName(name string) (in Input, ok bool) {
	n := slices.Index(inputText[:], name)
	return Input(max(n, 0)), n >= 0
}

// Inputs is a set of inputs with one bit for each.
type Inputs uint32

// Has reports whether s contains i.
func (s Inputs) Has(i Input) bool { return s>>i&1 != 0 }

// Place is the location of an input: Bits bits at bit Shift of the first dword
// of Reg. A packed work-item ID has 10 bits at bit 0, 10 or 20. Reg is NoReg if
// the function does not have the input.
type Place struct {
	Reg    mir.Reg
	Dwords uint8
	Shift  uint8
	Bits   uint8 // 0 for whole dwords
}
