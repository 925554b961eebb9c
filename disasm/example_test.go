package disasm_test

import (
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

func ExampleInst() {
	set, ok := isa.SetOf(target.Lookup("gfx900"))
	if !ok {
		log.Fatal("no instruction set")
	}
	d := isa.NewDecoder(set, 64)
	in, n, err := d.Decode([]byte{0x04, 0x00, 0x04, 0x68})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes: %s\n", n, disasm.Inst(nil, &in))
	// Output: 4 bytes: v_add_u32_e32 v2, s4, v0
}
