// Package addrspace numbers the address spaces of AMDGPU in LLVM IR (User Guide
// for AMDGPU Backend, "Address Spaces").
package addrspace

// Address spaces.
const (
	Flat       = 0 // any of Global, Local and Private
	Global     = 1
	Region     = 2 // GDS
	Local      = 3 // LDS
	Constant   = 4 // global memory that does not change
	Private    = 5 // scratch memory
	Constant32 = 6 // Constant with pointers of 32 bits
	Buffer     = 7 // fat pointers: a buffer resource and an offset
	Resource   = 8 // buffer resources
	Strided    = 9 // buffer resources with an index and an offset
)
