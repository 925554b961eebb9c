package compile

import (
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/ir"
)

// Functions are compiled after their callees, as far as these are known and not
// recursive: callers then know the registers that a callee clobbers. The result
// does not depend on the number of functions compiled in parallel.

// linkCalls records the callees that each function waits for.
func (c *compiled) linkCalls() {
	order := analysis.CallOrder(c.m)
	for _, fn := range c.fns {
		known, _ := c.needs.Callees(fn.f)
		fn.callees = map[string]*function{}
		for _, f := range known {
			if to := c.byFunction[f]; to != nil && isFinal(f.Global) && order[f] < order[fn.f] && fn.callees[f.Name()] == nil {
				fn.callees[f.Name()] = to
				to.callers = append(to.callers, fn)
				fn.waits.Add(1)
			}
		}
	}
}

// isFinal reports whether all calls of a function run this definition: no
// linker and no loader replaces it.
func isFinal(g *ir.Global) bool {
	return g.Linkage.IsLocal() || g.Linkage == ir.External && g.Vis != ir.DefaultVisibility
}

// runWorkers runs selection and the passes on machine IR for all functions, in
// parallel.
func (c *compiled) runWorkers() {
	c.linkCalls()
	ready := make(chan *function, len(c.fns)) // never blocks
	var left atomic.Int64
	left.Store(int64(len(c.fns)))
	for _, fn := range c.fns {
		if fn.waits.Load() == 0 {
			ready <- fn
		}
	}
	work := func() {
		w := c.newWorker()
		for fn := range ready {
			if c.ctx.Err() == nil {
				w.compileFunction(fn)
			}
			for _, x := range fn.callers {
				if x.waits.Add(-1) == 0 {
					ready <- x
				}
			}
			if left.Add(-1) == 0 {
				close(ready)
			}
		}
	}
	var group sync.WaitGroup
	for range min(c.o.Workers, len(c.fns)) - 1 {
		group.Go(work)
	}
	if len(c.fns) > 0 {
		work()
	}
	group.Wait()
}

// clobbersOf returns the registers that calls of a previously compiled function
// clobber, or nil for any other function.
func (fn *function) clobbersOf(name string) *codegen.RegSet {
	if to := fn.callees[name]; to != nil && to.err == nil {
		return to.clobbers
	}
	return nil
}
