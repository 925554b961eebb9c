package sim

// Bases of the apertures of flat addresses, 4 GiB each: their upper halves are
// what kernels find in src_shared_base and src_private_base, in the amd_queue_t and
// in hidden arguments. Source: User Guide for AMDGPU Backend, "Memory Spaces".
const (
	GroupAperture   uint64 = 0x0001_0000_0000_0000 // LDS
	PrivateAperture uint64 = 0x0002_0000_0000_0000 // scratch
)
