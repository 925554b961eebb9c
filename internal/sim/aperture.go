package sim

// Base addresses of the flat apertures, 4 GiB each. Kernels read the upper
// halves from src_shared_base and src_private_base, from the amd_queue_t and
// from hidden arguments. Source: User Guide for AMDGPU Backend, "Memory
// Spaces".
const (
	GroupAperture   uint64 = 0x0001_0000_0000_0000 // LDS
	PrivateAperture uint64 = 0x0002_0000_0000_0000 // scratch
)
