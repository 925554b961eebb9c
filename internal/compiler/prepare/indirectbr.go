package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// expandIndirectBr numbers the blocks whose addresses are taken from 1 on, uses
// these numbers as their addresses, and converts indirectbr to switch (LLVM's
// indirectbr-expand).
func expandIndirectBr(ctx *opt.Context, m *ir.Module) bool {
	var mapper constMapper
	mapper.reset(m)
	type key struct {
		fn ir.Value
		b  ir.Block
	}
	number := map[key]uint64{}
	count := map[ir.Value]uint64{}
	var list []ir.Value
	m.BlockAddresses(0, func(fn ir.Value, b ir.Block) {
		count[fn]++
		number[key{fn, b}] = count[fn]
		v := m.NewBlockAddress(fn, b)
		mapper.new[v] = m.Cast(ir.OpIntToPtr, m.NewInt(ir.I64, count[fn]), m.TypeOfConst(v))
		list = append(list, v)
	})
	changed := len(list) > 0
	for _, g := range m.Globals() {
		switch {
		case g == nil:
		case g.Init != ir.None && changed:
			g.Init = mapper.mapped(g.Init)
		case g.Func != nil:
			changed = switchForIndirectBr(g.Func, func(b ir.Block) uint64 { return number[key{g.Value(), b}] }) || changed
			replaceConsts(g.Func, &mapper)
		}
	}
	for _, v := range list { // no address is taken any more
		m.ResolveAs(v, mapper.new[v])
	}
	if len(list) > 0 {
		opt.ForgetBlockAddresses(ctx)
	}
	return changed
}

// replaceConsts replaces constants in the instructions of a function.
func replaceConsts(f *ir.Function, mapper *constMapper) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for i := range f.NumOperands(v) {
				if o := f.Operand(v, i); o.IsConst() {
					if n := mapper.mapped(o); n != o {
						f.SetOperand(v, i, n)
					}
				}
			}
		}
	}
}

// switchForIndirectBr converts each indirectbr to a switch on block numbers. An
// indirectbr without destinations becomes unreachable.
func switchForIndirectBr(f *ir.Function, number func(ir.Block) uint64) bool {
	m := f.Module()
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		t := f.Terminator(b)
		if t == ir.None || f.Op(t) != ir.OpIndirectBr {
			continue
		}
		changed = true
		var to []ir.Block
		for _, s := range f.Successors(b) {
			n := s.Value.Block()
			if number(n) != 0 && !containsBlock(to, n) {
				to = append(to, n)
				continue
			}
			f.RemovePhiBlock(n, b) // listed twice, or its address is not taken
		}
		if len(to) == 0 {
			u := f.NewInstr(ir.OpUnreachable, ir.Void)
			f.Instr(u).Loc = f.Instr(t).Loc
			opt.SwapTerminator(f, t, u)
			continue
		}
		var e emitter
		e.F, e.M = f, m
		e.Before(t)
		addr := e.FoldCast(ir.OpPtrToInt, f.Operand(t, 0), ir.I64)
		sw := e.Switch(addr, to[0])
		for _, n := range to[1:] {
			f.AddOperands(sw, m.NewInt(ir.I64, number(n)), n.Value())
		}
		f.Erase(t)
	}
	return changed
}

func containsBlock(list []ir.Block, b ir.Block) bool {
	for _, o := range list {
		if o == b {
			return true
		}
	}
	return false
}
