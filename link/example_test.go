package link_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// The example assembles two texts and links the objects to one code object.
func ExampleLink() {
	kernel := `
	.globl kernel
	.protected kernel
	.type kernel,@function
kernel:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, helper@rel32@lo+4
	s_addc_u32 s1, s1, helper@rel32@hi+12
	s_setpc_b64 s[0:1]
`
	helper := `
	.globl helper
	.hidden helper
helper:
	s_endpgm
`
	t, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		log.Fatal(err)
	}
	var inputs []link.Input
	for i, text := range []string{kernel, helper} {
		name := fmt.Sprintf("%d.s", i)
		out, found := asm.Assemble(&diag.Source{Name: name, Text: []byte(text)}, asm.Options{Target: t})
		if found.HasErrors() {
			log.Fatal(found)
		}
		inputs = append(inputs, link.Input{Name: name, Data: out.Object})
	}
	object, err := link.Link(inputs, link.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		log.Fatal(err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range symbols {
		fmt.Printf("%s at %#x\n", s.Name, s.Value)
	}

	_, err = link.Link(inputs[:1], link.Options{})
	fmt.Println(err)
	// Output:
	// kernel at 0x1238
	// undefined symbol: helper referenced by 0.s:(.text+0x8) (R_AMDGPU_REL32_LO)
}
