package target_test

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/target"
)

func ExampleLookup() {
	p := target.Lookup("fiji")
	fmt.Println(p, p.Gen, p.Version, p.Products[0])
	// Output: gfx803 gfx8 8.0.3 Radeon R9 Nano
}

func ExampleNew() {
	t, err := target.New("amdgcn-amd-amdhsa", "gfx1030", "+wavefrontsize64")
	if err != nil {
		fmt.Println(err)
		return
	}
	l := t.Limits()
	fmt.Println(t, t.WaveSize(), l.VGPRs, l.VGPRGranule)
	// Output: amdgcn-amd-amdhsa--gfx1030 64 512 8
}

func ExampleNew_error() {
	_, err := target.New("", "gfx600", "+xnack")
	fmt.Println(err)
	_, err = target.New("", "polaris01", "")
	fmt.Println(err)
	// Output:
	// <mattr>:1:1: error: processor gfx600 does not support xnack
	// <mcpu>:1:1: error: unknown processor "polaris01"; did you mean "polaris10"?
}

func ExampleParseTriple() {
	t, err := target.ParseTriple("amdgcn-amdhsa-opencl")
	fmt.Println(t, t.OS, t.Env, err)
	// Output: amdgcn-unknown-amdhsa-opencl amdhsa opencl <nil>
}

func ExampleParseID() {
	id, err := target.ParseID("amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+", 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(id)
	fmt.Println(id.Processor, "xnack", id.XNACK, "sramecc", id.SRAMECC)
	old, err := id.Format(3)
	fmt.Println(old, err)
	fmt.Printf("%#x\n", id.EFlags(6))
	// Output:
	// amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
	// gfx90a xnack off sramecc on
	// amdgcn-amd-amdhsa--gfx90a+sram-ecc <nil>
	// 0xe3f
}

func ExampleISAName_ID() {
	name, _ := target.ParseISAName("AMD:AMDGPU:9:0:3")
	id, err := name.ID()
	fmt.Println(id, err)
	// Output: amdgcn-amd-amdhsa--gfx902:xnack+ <nil>
}

func ExampleDecodeHeader() {
	h, err := target.DecodeHeader(true, target.ELFOSABIHSA, 4, 0xe3f)
	fmt.Println(h.ID, h.COV, err)
	// Output: amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack- 6 <nil>
}

func ExampleGeneration_Is() {
	p := target.Lookup("gfx942")
	fmt.Println(p.Gen.Is(target.GFX90A), p.Gen.Is(target.GFX10_1))
	// Output: true false
}
