package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/ir"
)

// checkMemory returns errors for kernels whose stack, including their callees',
// exceeds a wave's maximum, and for kernels whose LDS exceeds a work-group's
// maximum.
func (c *compiled) checkMemory() {
	lds := uint64(c.t.Limits().LDS)
	for _, fn := range c.fns {
		if fn.err != nil || fn.program() == nil || c.o.StopAfter != "" {
			continue
		}
		res := c.total(fn)
		if fn.err = codegen.CheckFrame(c.t, fn.f.Name(), res.ScratchBytes); fn.err == nil && res.LDSBytes > lds {
			fn.err = fmt.Errorf("function @%s: LDS of %d bytes exceeds limit (%d)", fn.f.Name(), res.LDSBytes, lds)
		}
	}
}

// total returns the resources of a function and all functions that it may call.
// An unknown function counts as the maximum over the module's functions.
func (c *compiled) total(fn *function) codegen.Resources {
	sum := callSum{c: c, seen: map[*ir.Function]*codegen.Resources{}}
	r := sum.sumCalls(fn)
	set := attributes{c.m, c.m.AttrsAt(fn.f.Attributes, ir.AttrFunction)}
	r.LDSBytes = max(r.LDSBytes, set.number("amdgpu-lds-size", 0))
	return r
}

// callSum sums up the resources along calls.
type callSum struct {
	c    *compiled
	seen map[*ir.Function]*codegen.Resources // the sums, nil while a function is on the path of calls
}

// LLVM's estimates of a stack of unknown size, in bytes per lane, before code
// object V5 leaves the size to the runtime: for dynamic allocas, and for calls
// of unknown functions and recursion.
const (
	assumedObjects = 4 << 10
	assumedStack   = 16 << 10
)

func (s *callSum) sumCalls(fn *function) codegen.Resources {
	r := fn.res
	s.seen[fn.f] = nil
	known, others := s.c.needs.Callees(fn.f)
	stack := r.CallArgBytes // a callee without uses of its arguments has no room for them in its frame
	add := func(x *function) {
		y, known := s.seen[x.f]
		switch {
		case known && y == nil:
			r.HasRecursion = true
			return
		case !known:
			sum := s.sumCalls(x)
			y = &sum
		}
		stack = max(stack, y.ScratchBytes)
		r.SGPRs, r.VGPRs, r.AGPRs = max(r.SGPRs, y.SGPRs), max(r.VGPRs, y.VGPRs), max(r.AGPRs, y.AGPRs)
		r.UsesVCC = r.UsesVCC || y.UsesVCC
		r.UsesFlatScratch = r.UsesFlatScratch || y.UsesFlatScratch
		r.DynamicStack = r.DynamicStack || y.DynamicStack
		r.HasRecursion = r.HasRecursion || y.HasRecursion
		r.HasCalls = r.HasCalls || y.HasCalls
	}
	for _, f := range known {
		if x := s.c.byFunction[f]; x != nil {
			add(x)
		}
	}
	if others {
		r.HasCalls = true
		for _, x := range s.c.fns {
			if _, known := s.seen[x.f]; !x.f.CC.IsKernel() && !x.f.CC.IsShader() && !known {
				add(x)
			}
		}
	}
	if s.c.t.COV < 5 {
		if fn.res.DynamicStack {
			r.ScratchBytes = codegen.AddSizes(r.ScratchBytes, assumedObjects)
		}
		if others || r.HasRecursion {
			stack = max(stack, assumedStack)
		}
	}
	r.ScratchBytes = codegen.AddSizes(r.ScratchBytes, stack)
	s.seen[fn.f] = &r
	return r
}
