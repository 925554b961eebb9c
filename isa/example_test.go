package isa_test

import (
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Decode an instruction, change its destination, and encode it again.
func Example() {
	set, ok := isa.SetOf(target.Lookup("gfx900"))
	if !ok {
		log.Fatal("gfx900 has no instruction set")
	}
	in, size, err := isa.NewDecoder(set, 64).Decode([]byte{0x01, 0x05, 0x06, 0x02})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(in.Enc.Name(), size, "bytes")
	in.SetField(isa.FieldVdst, 7)
	fmt.Printf("% x\n", isa.Encode(nil, &in))
	// Output:
	// v_add_f32 4 bytes
	// 01 05 0e 02
}

// Traits describe the effects of an instruction for programs that analyse code.
func ExampleEnc_Traits() {
	for _, name := range []string{"global_store_dword", "global_load_dwordx2", "s_load_dword"} {
		e, _ := isa.EncsNamed(name)
		t := e.Traits()
		fmt.Printf("%s: load %t, store %t, vmcnt %t\n", name, t.Has(isa.TraitLoad), t.Has(isa.TraitStore), t.Has(isa.TraitVm))
	}
	// Output:
	// global_store_dword: load false, store true, vmcnt true
	// global_load_dwordx2: load true, store false, vmcnt true
	// s_load_dword: load true, store false, vmcnt false
}
