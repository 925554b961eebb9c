package analysis

import "github.com/gfx-toolchain/gfx/ir"

// CallOrder numbers the functions of a module so that a function has a higher
// number than the functions that it calls directly. Mutually recursive
// functions (a strongly connected component of the call graph) have the same
// number.
func CallOrder(m *ir.Module) map[*ir.Function]int {
	var g CallGraph
	g.Reset(m)
	g.SortSCCs()
	order := make(map[*ir.Function]int, len(g.Funcs))
	for id, f := range g.Funcs {
		order[f] = int(g.scc[id])
	}
	return order
}
