package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// definitionsFirst calls do with all blocks: reachable blocks in reverse post
// order, so that definitions precede their uses except in phis, then the
// others.
func definitionsFirst(f *ir.Function, g *analysis.Graph, do func(ir.Block)) {
	for _, b := range g.RPO() {
		do(ir.Block(b))
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !g.Reachable(uint32(b)) {
			do(b)
		}
	}
}
