// Package hsa implements an HSA runtime on simulated GPUs: agents, memory,
// signals, AQL queues and code objects.
//
// A System consists of one memory, a host agent and any number of GPU agents.
// A device.Device runs an agent's dispatches: a simulated GPU or one of the program's own.
// Every object to which HSA assigns an address has one in that memory, in the
// layout of AMD's runtime, so that kernels can access it: a Signal is an
// amd_signal_t, and a Queue is an amd_queue_t with a ring of 64-byte packets.
//
// Each queue has a goroutine that acts as the packet processor. It processes
// packets in order, waits for the signals of barrier packets, runs dispatches
// and decrements completion signals. An invalid packet or a faulting kernel
// makes the queue inactive. The queue's error callback and all waits for
// signals of its packets then receive the error. The rest of the process is
// unaffected.
//
// An Executable contains code objects V2 to V6, loaded into memory and
// relocated. KernelArgs lays out a kernel's arguments, including hidden ones,
// according to the code object's metadata.
//
// Most programs need only NewSystem, System.NewGPU, Agent.Allocate, Slice,
// Agent.Load, Executable.Kernel, Agent.NewQueue and Queue.Dispatch.
//
// Sources: HSA Runtime Programmer's Reference Manual and HSA Platform System
// Architecture Specification (names, packets, signals, queue rules); AMDGPU HSA
// ABI 0.40, "HSA Queue Object" and "Signal" (layouts); User Guide for AMDGPU
// Backend, "Kernel Dispatch", "Code Object"; the header files hsa.h,
// hsa_ext_amd.h, amd_hsa_queue.h and amd_hsa_signal.h (numeric values).
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module, and
// constants have the values of the header files. Structs other than packets may
// gain fields.
package hsa
