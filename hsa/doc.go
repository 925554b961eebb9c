// Package hsa is an HSA runtime: agents, memory, signals, AQL queues and code
// objects, in HSA's own terms, on simulated GPUs.
//
// A System has one memory, a host agent and any number of GPU agents. An agent's
// Device runs dispatches; that of package sim is a simulated GPU. Everything that
// HSA gives an address has one in that memory, in the layout of AMD's runtime,
// so that kernels can read it: a Signal is an amd_signal_t, a Queue an amd_queue_t
// with a ring of 64-byte packets.
//
// Each queue has a goroutine that does the packet processor's work: it takes the
// packets in their order, waits for what barriers ask for, runs dispatches and
// tells by completion signals. A packet that is wrong or a kernel that faults makes
// the queue inactive, tells its error callback and all who wait for signals of
// its packets, and leaves the rest of the process alone.
//
// An Executable holds code objects of V2 to V6, laid out in memory and relocated.
// From their metadata KernelArgs lays out a kernel's arguments, the hidden ones
// included.
//
// Most programs need few names: NewSystem, System.NewGPU, Agent.Allocate, Slice,
// Agent.Load, Executable.Kernel, Agent.NewQueue, Queue.Dispatch.
//
// Sources: HSA Runtime Programmer's Reference Manual and HSA Platform System
// Architecture Specification (names, packets, signals, rules of queues); AMDGPU
// HSA ABI 0.40, "HSA Queue Object" and "Signal" (layouts); User Guide for AMDGPU
// Backend, "Kernel Dispatch", "Code Object"; the header files hsa.h,
// hsa_ext_amd.h, amd_hsa_queue.h and amd_hsa_signal.h (numbers).
package hsa
