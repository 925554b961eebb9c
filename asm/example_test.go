package asm_test

import (
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

func ExampleInst() {
	t, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		log.Fatal(err)
	}
	code, err := asm.Inst(nil, "v_add_u32 v2, s4, v0", t)
	fmt.Printf("%x %v\n", code, err)
	_, err = asm.Inst(nil, "v_add_u32 v2, s4, s0", t)
	fmt.Println(err != nil)
	// Output:
	// 04000468 <nil>
	// true
}

func ExampleAssemble() {
	t, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		log.Fatal(err)
	}
	src := &diag.Source{Name: "kernel.s", Text: []byte(".globl kernel\nkernel:\n  s_endpgm\n")}
	result, found := asm.Assemble(src, asm.Options{Target: t})
	if found.HasErrors() {
		log.Fatal(found)
	}
	object, err := codeobject.Read(result.Object)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range object.Symbols {
		if s.Name != "" {
			fmt.Println(s.Name)
		}
	}
	// Output: kernel
}
