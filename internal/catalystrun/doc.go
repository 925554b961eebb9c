// Package catalystrun runs kernels of AMD Catalyst binaries on the runtime.
//
// Such a kernel starts with user data in scalar registers: descriptors of
// constant buffers, and addresses of tables of descriptors. Load makes a code
// object whose kernel copies these registers from its kernarg segment, moves the
// ids of the work-group to the registers after them and continues with the kernel's own code.
// Dispatch writes the constant buffers and tables for the arguments.
//
// Images, samplers, printf and scratch memory are not supported: errors name
// them.
//
// Sources: CLRX documentation, AmdAbi (registers, constant buffers and tables);
// AMD's ISA documents of GCN 1.0 to 1.2, "Buffer resource descriptor".
package catalystrun
