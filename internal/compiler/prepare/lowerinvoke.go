package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// lowerInvoke replaces invoke by call, because the GPU does not unwind (LLVM's
// lower-invoke). Blocks that become unreachable are removed.
func lowerInvoke(ctx *opt.Context, f *ir.Function) bool {
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		v := f.Terminator(b)
		if v == ir.None || f.Op(v) != ir.OpInvoke {
			continue
		}
		edges := f.CallSuccessors(v)
		normal, unwind := edges[0].Value, edges[1].Value
		f.RemovePhiBlock(unwind.Block(), b)
		f.RemoveOperands(v, f.NumOperands(v)-3, 2)
		f.SetOp(v, ir.OpCall)
		f.SetAttachment(v, ir.MDProf, 0)
		br := f.NewInstr(ir.OpBr, ir.Void, normal)
		f.Instr(br).Loc = f.Instr(v).Loc
		f.Append(b, br)
		changed = true
	}
	if changed {
		opt.EraseUnreachable(ctx, f)
		f.Personality = ir.None
	}
	return changed
}
