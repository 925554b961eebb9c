package compile

import (
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/codegen"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/opt"
)

// Functions are compiled behind those that they call, as far as these are known and do not call them: what a function changes of registers
// is then known where it is called. What comes of it does not depend on how many functions are compiled at a time.

// linkCalls fills in which functions wait for which.
func (s *session) linkCalls() {
	order := opt.CallOrder(s.m)
	by := make(map[*ir.Function]*function, len(s.fns))
	s.byFunction = by
	for _, fn := range s.fns {
		by[fn.f] = fn
	}
	for _, fn := range s.fns {
		known, _ := s.needs.Callees(fn.f)
		fn.callees = map[string]*function{}
		for _, f := range known {
			if to := by[f]; to != nil && isFinal(f.Global) && order[f] < order[fn.f] && fn.callees[f.Name()] == nil {
				fn.callees[f.Name()] = to
				to.callers = append(to.callers, fn)
				fn.waits.Add(1)
			}
		}
	}
}

// isFinal reports whether the code of a definition is what runs wherever the function is called: no linker and no loader takes another one.
func isFinal(g *ir.Global) bool {
	return g.Linkage.IsLocal() || g.Linkage == ir.External && g.Vis != ir.DefaultVisibility
}

// compileAll takes all functions through selection and the passes on machine IR, several at a time.
func (s *session) compileAll() {
	s.linkCalls()
	ready := make(chan *function, len(s.fns)) // never blocks
	var left atomic.Int64
	left.Store(int64(len(s.fns)))
	for _, fn := range s.fns {
		if fn.waits.Load() == 0 {
			ready <- fn
		}
	}
	work := func() {
		w := s.newWorker()
		for fn := range ready {
			if s.ctx.Err() == nil {
				w.compile(fn)
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
	for range min(s.o.Workers, len(s.fns)) - 1 {
		group.Go(work)
	}
	if len(s.fns) > 0 {
		work()
	}
	group.Wait()
}

// clobbersOf gives what calls of a function change that was compiled before, nil for any other.
func (fn *function) clobbersOf(name string) *codegen.RegSet {
	if to := fn.callees[name]; to != nil && to.err == nil {
		return to.clobbers
	}
	return nil
}
