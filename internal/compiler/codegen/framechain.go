package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Chain functions. They end by a jump, after which other lanes may be active.
// Functions that preserve VGPRs save those that they write, except for the
// registers of their arguments.

// firstChainVGPR is the number of the first VGPR with an argument.
const firstChainVGPR = 8

// isChain reports whether the function is a chain function.
func (x *frame) isChain() bool { return x.entry.Shader != nil && x.entry.Shader.IsChain() }

// findChainSaves determines the VGPRs that a chain function saves.
func (x *frame) findChainSaves() {
	x.saves.vgprs = x.saves.vgprs[:0]
	if x.entry.Convention != abi.ChainPreserve {
		return
	}
	var defined RegSet
	for _, b := range x.f.Layout {
		for i := x.f.First(b); i != 0; i = x.f.Next(i) {
			defined.addOperands(x.f.Defs(i))
		}
	}
	for r := mir.VGPR(max(x.entry.InputVGPRs(), firstChainVGPR)); r < mir.VGPR(256); r++ {
		if x.preserves(r) && defined.Has(r) {
			x.saves.vgprs = append(x.saves.vgprs, r)
		}
	}
	x.scratch = x.scratch || len(x.saves.vgprs) > 0
}

// saveChain stores or loads the preserved VGPRs before an instruction.
func (x *frame) saveChain(store bool, before mir.Instr) {
	x.at = before
	for n, r := range x.saves.vgprs {
		x.memory(store, r, 1, x.base, x.saves.at+int64(4*n))
	}
}

// chainEpilogue restores the preserved VGPRs while the function's lanes are
// active, and replaces the end of a function by a jump.
func (x *frame) chainEpilogue(i mir.Instr) {
	f := x.f
	x.scc, x.flags = false, mir.FrameDestroy
	x.saveChain(false, x.setsExec(i))
	f.SetOp(i, mir.SSetpcB64)
	f.SetOperands(i, 0, *f.Use(i, 0))
	x.flags = 0
}

// setsExec returns the instruction before a jump that sets EXEC.
func (x *frame) setsExec(i mir.Instr) mir.Instr {
	f := x.f
	for at := f.Prev(i); at != 0; at = f.Prev(at) {
		if slices.ContainsFunc(f.Defs(at), func(o mir.Operand) bool { return o.Reg() == mir.Exec }) {
			return at
		}
	}
	panic("BUG: codegen: a jump to a chain function in " + f.Name + " does not set EXEC")
}
