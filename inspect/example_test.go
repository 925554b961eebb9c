package inspect_test

import (
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/inspect"
	"github.com/gfx-toolchain/gfx/target"
)

// The kernel uses v9, but its descriptor grants v0 to v3.
const source = `
	.globl kernel
	.p2align 8
	.type kernel,@function
kernel:
	v_mov_b32 v9, 0
	s_endpgm
	.size kernel, .-kernel
	.rodata
	.amdhsa_kernel kernel
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
`

func ExampleObject() {
	t, err := target.New("", "gfx900", "")
	if err != nil {
		log.Fatal(err)
	}
	out, found := asm.Assemble(&diag.Source{Name: "kernel.s", Text: []byte(source)}, asm.Options{Target: t})
	if found.HasErrors() {
		log.Fatal(found)
	}
	r, err := inspect.Object(out.Object)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range r.Kernels {
		fmt.Printf("%s for %s: %d VGPRs, %d waves on an execution unit\n", k.Name, r.Target.ID, *k.VGPRs.Granted, k.Occupancy.WavesPerEU)
	}
	for _, f := range r.Findings {
		fmt.Println(f.Code, f.Message)
	}
	// Output:
	// kernel for amdgcn-amd-amdhsa--gfx900: 4 VGPRs, 8 waves on an execution unit
	// vgpr-code the code uses v9, the descriptor grants v0 to v3
}
