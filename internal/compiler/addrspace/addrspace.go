// Package addrspace numbers the address spaces of AMDGPU in LLVM IR (User Guide
// for AMDGPU Backend, "Address Spaces").
package addrspace

// Address spaces.
const (
	Flat     = 0
	Global   = 1
	Region   = 2
	Local    = 3
	Constant = 4
	Private  = 5
)
