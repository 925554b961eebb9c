package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// refusedSync is the bit of TRAPSTS that the hardware sets if it has not accepted
// an instruction for global wave sync, as an operand of s_getreg and s_setreg.
// From gfx9 on, it repeats such instructions itself. Source: LLVM,
// AMDGPUSubtarget.h, hasGWSAutoReplay.
const refusedSync = 3 | 8<<6

// isGlobalSync reports whether a call is one of global wave sync.
func isGlobalSync(f *ir.Function, v ir.Value) bool {
	switch f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNDsGwsInit, ir.IntrAMDGCNDsGwsBarrier, ir.IntrAMDGCNDsGwsSemaBr, ir.IntrAMDGCNDsGwsSemaP, ir.IntrAMDGCNDsGwsSemaV,
		ir.IntrAMDGCNDsGwsSemaReleaseAll:
		return true
	}
	return false
}

// repeatGlobalSync wraps the calls of global wave sync in loops before gfx9, and
// reports whether there are any:
//
//	round: clear the bit; call; br bit, round, after
func repeatGlobalSync(ctx *opt.Context, f *ir.Function) bool {
	if isGPU(ctx, target.GFX9) {
		return false
	}
	var calls []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && isGlobalSync(f, v) {
				calls = append(calls, v)
			}
		}
	}
	m := f.Module()
	zero, bit := m.NewInt(ir.I32, 0), m.NewInt(ir.I32, refusedSync)
	for _, v := range calls {
		round := f.SplitBlock(v)
		after := f.SplitBlock(f.Next(v))
		b := ir.NewBuilder(f, round)
		b.Loc = f.Instr(v).Loc
		b.Before(v)
		b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNSSetreg), bit, zero)
		b.Before(f.Terminator(round))
		refused := b.Compare(ir.ICmpNE, b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNSGetreg), bit), zero)
		f.Erase(f.Terminator(round))
		b.AtEnd(round)
		b.CondBr(refused, round, after)
	}
	return len(calls) > 0
}
