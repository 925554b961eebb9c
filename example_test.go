package gfx_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/gfx-toolchain/gfx"
)

// double is a kernel that doubles the elements of a buffer.
const double = `
define amdgpu_kernel void @double(ptr addrspace(1) %data) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %data, i32 %i
  %x = load i32, ptr addrspace(1) %p
  %y = shl i32 %x, 1
  store i32 %y, ptr addrspace(1) %p
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
`

// must returns v unless there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Compile a kernel and run it on a simulated GPU.
func Example() {
	ctx := context.Background()
	code := must(gfx.Compile(ctx, gfx.Source{Name: "double.ll", Data: []byte(double)}, gfx.CompileOptions{Target: "gfx1100"}))
	device := must(gfx.NewDevice("gfx1100", gfx.DeviceOptions{}))
	defer device.Close()
	kernel := must(must(device.Load(code)).Kernel("double"))
	data := must(gfx.NewBuffer(device, []int32{1, 2, 3, 4}))
	stats := must(kernel.Run(ctx, gfx.Grid{Size: [3]uint32{4}}, data))
	fmt.Println(data.Data(), "by", stats.Waves, "wave")
	// Output: [2 4 6 8] by 1 wave
}

// Assemble a text, and disassemble the object.
func ExampleAssemble() {
	ctx := context.Background()
	text := "start:\n  s_mov_b32 s0, 42\n  s_endpgm\n"
	object := must(gfx.Assemble(ctx, gfx.Source{Name: "start.s", Data: []byte(text)}, gfx.AssembleOptions{Target: "gfx900"}))
	listing := must(gfx.Disassemble(ctx, object, gfx.DisassembleOptions{}))
	for line := range strings.Lines(string(listing)) {
		instruction, _, _ := strings.Cut(line, "//")
		fmt.Println(strings.TrimSpace(instruction))
	}
	// Output:
	// .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	// .amdhsa_code_object_version 6
	// .text
	// start:
	// s_mov_b32 s0, 42
	// s_endpgm
}

// Mistakes in a source have places.
func ExampleDiagnostic() {
	text := "s_mov_b32 s0, 1\ns_mov_b32 s0, v0\n"
	_, err := gfx.Assemble(context.Background(), gfx.Source{Name: "bad.s", Data: []byte(text)}, gfx.AssembleOptions{Target: "gfx900"})
	var mistake *gfx.Diagnostic
	if errors.As(err, &mistake) {
		fmt.Printf("%s, line %d, column %d:\n%s", mistake.Source, mistake.Line, mistake.Column, mistake.Excerpt)
	}
	// Output:
	// bad.s, line 2, column 15:
	// s_mov_b32 s0, v0
	//               ^~
}

// Link two objects into one code object.
func ExampleLink() {
	ctx := context.Background()
	caller := "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  call void @store(ptr addrspace(1) %p)\n  ret void\n}\ndeclare void @store(ptr addrspace(1))\n"
	callee := "define void @store(ptr addrspace(1) %p) {\n  store i32 42, ptr addrspace(1) %p\n  ret void\n}\n"
	var objects []gfx.Source
	for _, text := range []string{caller, callee} {
		object := must(gfx.Compile(ctx, gfx.Source{Data: []byte(text)}, gfx.CompileOptions{Target: "gfx90a", Format: gfx.FormatObject}))
		objects = append(objects, gfx.Source{Name: "part.o", Data: object})
	}
	code := must(gfx.Link(ctx, objects, gfx.LinkOptions{}))

	device := must(gfx.NewDevice("gfx90a", gfx.DeviceOptions{}))
	defer device.Close()
	result := must(gfx.NewBuffer(device, make([]int32, 1)))
	kernel := must(must(device.Load(code)).Kernel("k"))
	must(kernel.Run(ctx, gfx.Grid{Size: [3]uint32{1}}, result))
	fmt.Println(result.Data())
	// Output: [42]
}

// Inspect shows what a kernel needs.
func ExampleInspect() {
	ctx := context.Background()
	code := must(gfx.Compile(ctx, gfx.Source{Data: []byte(double)}, gfx.CompileOptions{Target: "gfx90a"}))
	report := must(gfx.Inspect(ctx, code))
	fmt.Println(report.Target.ID)
	for _, k := range report.Kernels {
		fmt.Printf("%s: %d bytes of arguments, %d waves per execution unit\n", k.Name, k.KernargSize, k.Occupancy.WavesPerEU)
	}
	// Output:
	// amdgcn-amd-amdhsa--gfx90a
	// double: 264 bytes of arguments, 8 waves per execution unit
}

// A run with checks finds a store past the end of a buffer.
func ExampleCheckError() {
	ctx := context.Background()
	code := must(gfx.Compile(ctx, gfx.Source{Data: []byte(double)}, gfx.CompileOptions{Target: "gfx900"}))
	device := must(gfx.NewDevice("gfx900", gfx.DeviceOptions{Checks: gfx.CheckAll}))
	defer device.Close()
	kernel := must(must(device.Load(code)).Kernel("double"))
	data := must(gfx.NewBuffer(device, make([]int32, 50)))

	_, err := kernel.Run(ctx, gfx.Grid{Size: [3]uint32{64}}, data) // 14 work-items too many

	var found *gfx.CheckError
	if errors.As(err, &found) {
		for _, f := range found.Findings {
			mnemonic, _, _ := strings.Cut(f.Location.Instruction, " ")
			fmt.Printf("%s check, lane %d: %s\n", f.Check, f.Lane, mnemonic)
		}
	}
	// Output:
	// memory check, lane 50: global_load_dword
	// memory check, lane 50: global_store_dword
}
