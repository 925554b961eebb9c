package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Whole wave mode. Selection assigned the vector registers of its regions to a
// pool (package isel, wholewave.go). The frame reserves registers for the pool,
// after all others, and functions save all their lanes.

// eachPool calls a function with the pool operands.
func eachPool(f *mir.Func, do func(o *mir.Operand)) {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Flags(i)&mir.WholeWave == 0 {
				continue
			}
			list := f.Operands(i)
			for n := range list {
				if o := &list[n]; o.Kind == mir.KindReg && o.Reg().IsPhys() && o.Reg() >= mir.WholeWavePool && f.File(o.Reg()) == mir.FileV {
					do(o)
				}
			}
		}
	}
}

// wholeWavePool returns the number of registers in the pool, plus one so that
// it can start at an even number, or 0 without a pool.
func wholeWavePool(f *mir.Func) int {
	n := 0
	eachPool(f, func(o *mir.Operand) { n = max(n, int(o.Reg()-mir.WholeWavePool)+max(int(o.N), 1)) })
	if n == 0 {
		return 0
	}
	return n + 1
}

// planPool chooses the pool's registers, following those up to a number and the
// function's inputs.
func (x *frame) planPool(at int) {
	n := wholeWavePool(x.f)
	if n == 0 {
		return
	}
	if x.entry.Kernel && !x.isChain() {
		at = max(at, x.entry.InputVGPRs())
	}
	at = (at + 1) &^ 1
	x.pool = mir.VGPR(at)
	for k := range n - 1 {
		x.lanes = append(x.lanes, x.pool+mir.Reg(k))
	}
}

// placePool assigns the final numbers to the pool's registers.
func (p *Passes) placePool(n int) error {
	if n == 0 {
		return nil
	}
	from := p.frame.pool
	if end := from.Index() + n - 1; end > p.hard[mir.FileV] {
		return fmt.Errorf("function %s: not supported by code generation yet: whole wave mode with %d vector registers where %d are available", p.f.Name, n-1,
			max(p.hard[mir.FileV]-from.Index(), 0))
	}
	if end := from.Index() + n - 1; p.frame.isChain() && end > firstChainVGPR {
		return fmt.Errorf("function %s: not supported by code generation yet: whole wave mode with more than %d vector registers in a chain function", p.f.Name, firstChainVGPR)
	}
	eachPool(p.f, func(o *mir.Operand) {
		flags := o.Flags
		*o = mir.Phys(from+(o.Reg()-mir.WholeWavePool), max(int(o.N), 1))
		o.Flags = flags
	})
	return nil
}
