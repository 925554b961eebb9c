package device

import (
	"context"
	"time"
)

// Device runs the dispatches of a GPU agent.
type Device interface {
	// Run executes a dispatch to completion on the memory of the system to which
	// the device belongs. It must be safe for concurrent use, and must not modify
	// the dispatch. The error is a *Fault if the kernel fails, an error that
	// wraps ErrOutOfMemory if memory for the dispatch cannot be allocated, or the
	// context's error. When the context ends, Run returns within 100 ms.
	Run(ctx context.Context, d *Dispatch) (*Stats, error)
}

// Seeder is a Device whose dispatches depend on a seed, as with MemoryWeak.
type Seeder interface {
	Device
	// SetSeed sets the seed of the dispatches that follow. The seed and the number
	// of the dispatch since the call determine the order of its events.
	SetSeed(seed uint64)
}

// Dispatch describes a kernel dispatch: the fields that the packet processor
// reads from an AQL packet and its queue. Source: HSA Platform System
// Architecture 1.2, "Kernel dispatch packet"; User Guide for AMDGPU Backend,
// "Kernel Dispatch".
type Dispatch struct {
	// GroupSize is the number of work-items per work-group in each dimension,
	// at least 1.
	GroupSize [3]uint16
	// GridSize is the number of work-items of the grid in each dimension, at
	// least 1. The last work-group of a dimension may be partial.
	GridSize [3]uint32

	// ClusterSize is the number of work-groups per cluster in each dimension. 0 is
	// like 1. Clusters of more than one work-group exist since gfx12.5.
	ClusterSize [3]uint8

	KernelObject uint64 // address of the kernel descriptor or amd_kernel_code_t, a multiple of 64
	Kernarg      uint64 // address of the kernarg segment
	PrivateSize  uint32 // bytes of scratch memory per work-item
	LDSSize      uint32 // bytes of LDS per work-group, static and dynamic
	Packet       uint64 // address of the packet
	Queue        uint64 // address of the amd_queue_t
	ID           uint64 // dispatch ID: the index of the packet in its queue
	Name         string // kernel name for reports; may be empty

	// GDS is the contents of the global data share from its start on, up to 64
	// KiB; further bytes are 0. The device replaces it by the contents at the end of
	// the dispatch. An AQL packet has no such field.
	GDS []byte
	// ScratchResource is the address of 16 bytes to which the device writes the
	// buffer resource of the scratch memory before the first wave starts, or 0. An
	// AQL packet has no such field.
	ScratchResource uint64
}

// Stats holds the statistics of a dispatch.
type Stats struct {
	Groups       uint64            // work-groups executed
	Waves        uint64            // waves executed
	Instructions uint64            // instructions executed by all waves
	Classes      map[string]uint64 // instructions by class: "valu", "salu", "smem", "vmem", "lds", "branch", "matrix", "other"
	Duration     time.Duration     // time on the host
	SGPRs        int               // SGPRs per wave, allocated by the kernel descriptor
	VGPRs        int               // VGPRs per wave, allocated by the kernel descriptor
	AGPRs        int               // accumulation VGPRs per wave; 0 without such registers
	LDS          uint32            // bytes of LDS per work-group
	Scratch      uint32            // bytes of scratch memory per work-item
	WaveSize     int               // lanes per wave: 32 or 64
}
