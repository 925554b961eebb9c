package opt

import (
	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// cfg is a function's control flow graph and dominator tree as they were when cfgOf was called.
type cfg struct {
	graph analysis.Graph
	dom   analysis.DomTree
}

// cfgOf makes graph and dominator tree of a function, in the memory of those that were made before.
func cfgOf(ctx *Context, f *ir.Function) *cfg {
	c := scratchOf[cfg](ctx)
	c.graph.ResetCFG(f)
	c.dom.Reset(&c.graph)
	return c
}
