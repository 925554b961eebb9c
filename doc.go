// Package gfx compiles, assembles, disassembles, links and inspects code for AMD
// GPUs, and runs kernels on simulated ones. It needs no LLVM, no ROCm, no cgo
// and no GPU.
//
// # From LLVM IR to a result
//
// Compile turns LLVM IR or assembler text into a code object. NewDevice makes a
// simulated GPU, Device.Load loads the code object, and Kernel.Run runs a kernel
// on buffers that the program and the kernel share:
//
//	code, err := gfx.Compile(ctx, gfx.Source{Name: "vecadd.ll"}, gfx.CompileOptions{Target: "gfx1100"})
//	device, err := gfx.NewDevice("gfx1100", gfx.DeviceOptions{Checks: gfx.CheckAll})
//	defer device.Close()
//	executable, err := device.Load(code)
//	kernel, err := executable.Kernel("vecadd")
//	a, err := gfx.NewBuffer(device, []float32{1, 2, 3, 4})
//	b, err := gfx.NewBuffer(device, []float32{10, 20, 30, 40})
//	c, err := gfx.NewBuffer(device, make([]float32, 4))
//	_, err = kernel.Run(ctx, gfx.Grid{Size: [3]uint32{4}}, a, b, c)
//	fmt.Println(c.Data())
//
// # Targets
//
// A target is a processor with settings, such as "gfx1100" or "gfx90a:xnack+", or
// a whole target ID, such as "amdgcn-amd-amdhsa--gfx90a:xnack+". Package target
// lists the processors.
//
// # Errors
//
// errors.As and errors.Is match:
//
//   - Diagnostics, all mistakes in a source, and *Diagnostic, one of them;
//   - *TargetError, a target that is unknown, missing or not suitable;
//   - *UnknownKernelError, a kernel that the code object does not have;
//   - *CheckError, all findings of the checks in a run, and *Finding, one of them;
//   - *Fault, the reason why the GPU ended a run, and its FaultKind;
//   - *hsa.Error, a request that the runtime refuses, such as wrong arguments;
//   - ErrFormat, ErrClosed, ErrOutOfMemory and ErrInternal;
//   - context.Canceled and context.DeadlineExceeded.
//
// A function that takes a context stops its work when the context ends, leaves
// nothing running, and returns the context's error.
//
// # Other packages
//
// The packages below this one have the whole of each tool: compile, asm, disasm,
// link and inspect, whose diagnostics are of package diag; codeobject, the
// contents of objects; the HSA runtime hsa with queues and signals, which runs
// kernels on simulated GPUs or on devices of the program's own (package device);
// the LLVM IR of package ir; and the instruction table of package isa.
//
// # Compatibility
//
// Exported names of this package and of the packages above keep their meaning
// within a major version of the module. Structs may gain fields, so programs
// name the fields in literals. The comment of each package lists further
// promises and exceptions.
package gfx

//go:generate go run ./internal/cmd/gfx-generate
