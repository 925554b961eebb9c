// Package catalystrun runs kernels of AMD Catalyst binaries on the runtime.
//
// Such a kernel starts with user data in scalar registers: descriptors, and
// addresses of tables of descriptors. Load makes a code object whose kernel
// copies these registers from its kernarg segment, moves the ids of the
// work-group to the registers after them and continues with the kernel's own
// code. Dispatch writes the constant buffers and tables for the arguments.
//
// # Images, samplers and counters
//
// A readable image is an entry of the resource table, a writeable one an entry
// of the UAV table. The sampler table has the samplers of the arguments first,
// then the program's. Counters are words of the global data share (GDS),
// which the caller's buffers initialize, and which are copied back after the
// dispatch. The memory for OpenCL's region address space follows them in GDS.
//
// # Scratch memory
//
// The device writes the descriptor of its scratch memory to entry 1 of the
// internal global table. The wave's offset in it follows the ids of the
// work-group.
//
// # Addresses
//
// The run-time interface defines the value of a pointer argument as an offset in
// its UAV. Instructions of form FLAT have no UAV: AMD's ISA documents of GCN 1.1
// and 1.2 define their addresses as virtual ones. A pointer of a 64-bit binary
// whose kernel has no user data to reach the pointer's UAV is therefore passed as
// an address.
//
// # Printf
//
// The UAV of printf is zeroed memory of PrintfSize bytes. No document describes
// what kernels write there, so Printf returns it as it is.
//
// Sources: CLRX documentation, AmdAbi (registers, constant buffers and tables);
// Multi2Sim, OpenCL driver for Southern Islands (constant buffer 0);
// AMD's ISA documents of GCN 1.0 to 1.2, "Buffer resource descriptor", "Image
// resource definition", "Image sampler definition", "GDS" (range in M0); Multi2Sim,
// arch/southern-islands/asm/bin-file.h (classes of user data); the OpenCL header (image formats).
package catalystrun
