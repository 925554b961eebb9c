package opt

import "github.com/gfx-toolchain/gfx/ir"

// CallOrder numbers the functions of a module so that a function has a higher
// number than the functions that it calls directly. Mutually recursive
// functions (a strongly connected component of the call graph) have the same
// number.
func CallOrder(m *ir.Module) map[*ir.Function]int {
	var g callGraph
	g.build(m)
	g.sortSCCs()
	order := make(map[*ir.Function]int, len(g.funcs))
	for id, f := range g.funcs {
		order[f] = int(g.scc[id])
	}
	return order
}
