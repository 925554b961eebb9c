package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
)

// instructionText returns the text of the instruction at an address of a
// region, or "" if there is none.
func (d *Device) instructionText(r *device.Region, pc uint64, lanes int) string {
	off := pc - r.Addr
	if off >= uint64(len(r.Pages())) || off&3 != 0 {
		return ""
	}
	in, _, err := isa.NewDecoder(d.set, lanes).Decode(r.Pages()[off:])
	if err != nil {
		return ""
	}
	return string(disasm.Inst(nil, &in))
}
