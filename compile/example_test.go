package compile_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/gfx-toolchain/gfx/compile"
)

// square is a kernel that squares a number.
const square = `
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @square(ptr addrspace(1) %out, i32 %x) {
  %y = mul i32 %x, %x
  store i32 %y, ptr addrspace(1) %out
  ret void
}
`

// Compile a module to assembler text, and show the kernel's resources.
func ExampleCompile() {
	inputs := []compile.Input{{Name: "square.ll", Data: []byte(square)}}
	r, err := compile.Compile(context.Background(), inputs, compile.Options{CPU: "gfx1100", Level: 2, Format: compile.Assembly})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Report.Functions {
		fmt.Printf("%s: kernel %v, %d bytes of scratch memory, %d bytes of LDS\n", f.Name, f.Kernel, f.ScratchBytes, f.LDSBytes)
	}
	for line := range strings.Lines(string(r.Data)) {
		if strings.Contains(line, "s_mul_i32") || strings.HasPrefix(line, "\t.amdgcn_target") {
			fmt.Println(strings.Fields(line)[0])
		}
	}
	// Output:
	// square: kernel true, 0 bytes of scratch memory, 0 bytes of LDS
	// .amdgcn_target
	// s_mul_i32
}

// Each function that cannot be compiled has an error of its own.
func ExampleErrors() {
	text := `
define void @first(ptr addrspace(1) %p) {
  %x = load volatile ppc_fp128, ptr addrspace(1) %p
  %y = fadd ppc_fp128 %x, %x
  store volatile ppc_fp128 %y, ptr addrspace(1) %p
  ret void
}
define void @second(ptr addrspace(1) %p) {
  %x = load volatile ppc_fp128, ptr addrspace(1) %p
  %y = fadd ppc_fp128 %x, %x
  store volatile ppc_fp128 %y, ptr addrspace(1) %p
  ret void
}
`
	_, err := compile.Compile(context.Background(), []compile.Input{{Name: "ppc.ll", Data: []byte(text)}}, compile.Options{CPU: "gfx900"})
	var list compile.Errors
	if errors.As(err, &list) {
		for _, e := range list {
			fmt.Println("not compiled:", e.Function)
		}
	}
	// Output:
	// not compiled: first
	// not compiled: second
}
