package prepare

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// illegalControl describes how the control flow of a function violates the
// requirements of code generation, or returns "". They are: one ret that every
// block reaches, no terminators other than branches, and loops with one entry,
// a preheader and one latch whose live-outs are phis.
func illegalControl(f *ir.Function) string {
	rets := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		switch op := f.Op(f.Terminator(b)); op {
		case ir.OpRet:
			rets++
		case ir.OpBr:
		default:
			return fmt.Sprintf("terminator %v", op)
		}
	}
	g := analysis.CFG(f)
	if roots := analysis.NewPostDomTree(g).Roots(); rets != 1 || len(roots) != 1 {
		return fmt.Sprintf("%d rets, %d ends", rets, len(roots))
	}
	if len(g.RPO()) != len(g.Order()) {
		return "unreachable blocks"
	}
	cycles := analysis.NewCycles(g)
	for c := uint32(1); c <= uint32(cycles.N()); c++ {
		if !cycles.Reducible(c) {
			return "irreducible"
		}
	}
	loops := analysis.NewLoops(analysis.NewDomTree(g))
	for l := uint32(1); l <= uint32(loops.N()); l++ {
		before := loops.Predecessor(l)
		if loops.Latch(l) == 0 || before == 0 || len(g.Succs(before)) != 1 {
			return "loop without preheader or single latch"
		}
	}
	return illegalLCSSA(f, loops)
}

// illegalLCSSA reports a value of a loop that is used outside by an instruction
// other than a phi of an exit.
func illegalLCSSA(f *ir.Function, loops *analysis.Loops) string {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
				at := f.Parent(f.User(u))
				if f.Op(f.User(u)) == ir.OpPhi {
					at = f.Operand(f.User(u), f.UseIndex(u)+1).Block()
				}
				if l := loops.Of(uint32(b)); l != 0 && !loops.Contains(l, uint32(at)) {
					return "value leaves a loop without a phi"
				}
			}
		}
	}
	return ""
}
