package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// cfg is a function's control flow graph and dominator tree at the time of the
// cfgOf call.
type cfg struct {
	graph analysis.Graph
	dom   analysis.DomTree
}

// cfgOf computes the graph and dominator tree of a function. It reuses the
// memory of the previous call.
func cfgOf(ctx *Context, f *ir.Function) *cfg {
	c := Scratch[cfg](ctx)
	c.graph.ResetCFG(f)
	c.dom.Reset(&c.graph)
	return c
}
