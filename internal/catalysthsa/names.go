package catalysthsa

import "github.com/gfx-toolchain/gfx/internal/lazy"

// special describes an instruction after which the next one is not reached, or
// which cannot be in a converted kernel.
type special struct {
	name string
	why  string // reason of the refusal; "" for an instruction that is converted
}

// specials lists the instructions. The refused ones depend on their place in
// memory, or use scalar registers that their encoding does not name.
var specials = lazy.Value[map[string]special]{Make: func() map[string]special {
	rows := map[string]special{}
	for _, x := range [...]special{
		{name: "s_endpgm"}, {name: "s_endpgm_saved"}, {name: "s_branch"},
		{"s_getpc_b64", "reads the place of the code"}, {"s_setpc_b64", "jumps to an address"}, {"s_swappc_b64", "calls an address"},
		{"s_rfe_b64", "returns from a trap handler"}, {"s_cbranch_g_fork", "jumps to an address"},
		{"s_cbranch_i_fork", "saves the place of the code"}, {"s_cbranch_join", "jumps to an address"},
		{"s_trap", "calls a trap handler"},
		{"s_movrels_b32", "reads a register that M0 selects"}, {"s_movrels_b64", "reads registers that M0 selects"},
		{"s_movreld_b32", "writes a register that M0 selects"}, {"s_movreld_b64", "writes registers that M0 selects"},
	} {
		rows[x.name] = x
	}
	return rows
}}

// Names of the loads of a dword from an address, and from the buffer of a
// descriptor. A number follows for more dwords.
const (
	scalarLoad = "s_load_dword"
	bufferLoad = "s_buffer_load_dword"
)
