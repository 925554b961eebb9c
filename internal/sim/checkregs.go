package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// Part of check memory: VGPRs and AGPRs past the wave's allocation. The hardware
// reads v0 instead of them, and drops results. In the simulator they exist.

// registerCheck observes the registers of a wave's instructions. It has no
// state.
type registerCheck struct{}

func newRegisterCheck(*wave) waveChecker { return registerCheck{} }

func (registerCheck) start(*wave)                    {}
func (registerCheck) after(*wave, *op, []reguse.Use) {}
func (registerCheck) end(*wave)                      {}

func (registerCheck) before(w *wave, _ *op, uses []reguse.Use) {
	for i := range uses {
		u := &uses[i]
		if u.First >= reguse.Scalar {
			continue
		}
		agpr, first := u.First >= reguse.AGPR, u.First
		if agpr {
			first -= reguse.AGPR
		}
		if limit := w.registerLimit(agpr); int(first)+int(u.N) > limit {
			w.foundRegister(u, limit, agpr)
			return
		}
	}
}

// foundRegister reports the first register of a use that the wave does not have.
func (w *wave) foundRegister(u *reguse.Use, limit int, agpr bool) {
	file, r := "VGPRs", max(u.First, reguse.Reg(limit))
	if agpr {
		file, r = "AGPRs", max(u.First, reguse.AGPR+reguse.Reg(limit))
	}
	verb := "read"
	if u.How&reguse.Read == 0 {
		verb = "written"
	}
	why := "the kernel descriptor allocates"
	if w.group.launch.kernel.vgprBlock > 0 {
		why = "s_alloc_vgpr or the start of the wave allocated"
	}
	w.report(found{check: device.CheckMemory, kind: "register", lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s is %s, but %s %d %s", r, verb, why, limit, file), ""
	}})
}
