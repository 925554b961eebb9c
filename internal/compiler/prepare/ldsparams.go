package prepare

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// maxParamGroup is the number of loads of parameters that are moved together. The
// counter of outstanding loads can hold 7.
const maxParamGroup = 7

// paramLoads prepares the calls of llvm.amdgcn.lds.param.load in a function:
// their results reach inactive lanes only within a block.
type paramLoads struct {
	f      *ir.Function
	loads  []ir.Value
	copies map[paramCopy]ir.Value // the load in a block
}

type paramCopy struct {
	load ir.Value
	in   ir.Block
}

// gatherParams moves loads of parameters to the first instructions that read
// other lanes of their results, one load for each block with such an
// instruction, and then the loads of a block together, so that few changes of
// EXEC are needed.
func gatherParams(f *ir.Function) (changed bool) {
	p := paramLoads{f: f, copies: map[paramCopy]ir.Value{}}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.CalledIntrinsic(v) == ir.IntrAMDGCNLdsParamLoad {
				p.loads = append(p.loads, v)
			}
		}
	}
	for _, v := range p.loads {
		p.sink(v)
	}
	for b := f.Entry(); len(p.loads) > 0 && b != 0; b = f.NextBlock(b) {
		p.group(b)
	}
	return len(p.loads) > 0
}

// readsOtherLanes reports whether a call reads lanes of the quad, active or not.
func readsOtherLanes(f *ir.Function, v ir.Value) bool {
	switch f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNInterpInregP10, ir.IntrAMDGCNInterpInregP2, ir.IntrAMDGCNInterpInregP10F16, ir.IntrAMDGCNInterpInregP2F16,
		ir.IntrAMDGCNInterpP10RtzF16, ir.IntrAMDGCNInterpP2RtzF16, ir.IntrAMDGCNReadlane:
		return true
	}
	return false
}

// sink copies a load to the instructions that read other lanes, once for each
// block. Other users keep the original, and those in its block share it.
func (p *paramLoads) sink(load ir.Value) {
	f := p.f
	var uses []ir.Use
	readers := map[ir.Value]bool{}
	blocks := map[ir.Block]bool{}
	var order []ir.Block
	for u := f.FirstUse(load); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if !readsOtherLanes(f, user) {
			continue
		}
		uses = append(uses, u)
		readers[user] = true
		if b := f.Parent(user); !blocks[b] {
			blocks[b] = true
			order = append(order, b)
		}
	}
	for _, b := range order {
		if b == f.Parent(load) && f.HasUsesAtLeast(load, len(uses)+1) {
			p.copies[paramCopy{load, b}] = load
			continue
		}
		first := f.First(b)
		for !readers[first] {
			first = f.Next(first)
		}
		n := f.CopyInstr(f, load, ir.NewMapper(f))
		f.InsertBefore(n, first)
		p.copies[paramCopy{load, b}] = n
	}
	for _, u := range uses {
		f.SetUse(u, p.copies[paramCopy{load, f.Parent(f.User(u))}])
	}
	if !f.HasUses(load) {
		f.Erase(load)
	}
}

// group moves the loads of a block with the same location of parameters together.
func (p *paramLoads) group(b ir.Block) {
	f := p.f
	last, n := ir.None, 0
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		switch {
		case f.CalledIntrinsic(v) != ir.IntrAMDGCNLdsParamLoad:
		case last != ir.None && n < maxParamGroup && f.Operand(v, 2) == f.Operand(last, 2):
			f.Unlink(v)
			f.InsertBefore(v, f.Next(last))
			last, n = v, n+1
		default:
			last, n = v, 1
		}
		v = next
	}
}
