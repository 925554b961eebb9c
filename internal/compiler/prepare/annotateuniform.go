package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// clobberFinder finds loads whose memory is not written before them.
type clobberFinder struct {
	f      *ir.Function
	alias  *analysis.Alias
	graph  analysis.Graph
	tree   analysis.DomTree
	cycles analysis.Loops
	uni    *analysis.Uniformity

	writes []ir.Value // instructions that may write memory
	synced bool       // the kernel has fences, barriers or calls, which make other waves' writes visible
	before []bool     // by block: it can reach the current load
	work   []uint32
}

// maxClobberQueries bounds the pairs of a load and a write that are compared.
const maxClobberQueries = 1 << 14

// annotateUniform marks the loads of a kernel that scalar loads can implement:
// uniform loads from global memory that has not been written since the kernel
// started (metadata amdgpu.noclobber, as in LLVM's amdgpu-annotate-uniform). If
// waves synchronize, a write anywhere in the kernel counts, because another
// wave may have executed it.
func annotateUniform(ctx *opt.Context, f *ir.Function) bool {
	if !f.CC.IsKernel() {
		return false
	}
	c := opt.Scratch[clobberFinder](ctx)
	c.f = f
	noClobber := f.Module().MDKind(mdNoClobber)
	var loads []ir.Value
	c.writes, c.synced = c.writes[:0], false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch {
			case f.Op(v) == ir.OpLoad && f.IsSimple(v):
				if f.Module().AddrSpace(f.TypeOf(f.Operand(v, 0))) == addrspace.Global && f.Attachment(v, ir.MDInvariantLoad)|f.Attachment(v, noClobber) == 0 {
					loads = append(loads, v)
				}
			case analysis.MayWrite(f, v):
				c.writes = append(c.writes, v)
				c.synced = c.synced || f.Op(v) != ir.OpStore || f.IsAtomic(v)
			}
		}
	}
	if len(loads) == 0 || len(loads)*len(c.writes) > maxClobberQueries {
		return false
	}
	c.prepare(ctx)
	changed := false
	for _, v := range loads {
		if !c.uni.Divergent(f.Operand(v, 0)) && !c.clobbered(v) {
			f.SetAttachment(v, noClobber, f.Module().NewTuple())
			changed = true
		}
	}
	return changed
}

func (c *clobberFinder) prepare(ctx *opt.Context) {
	wave := 64
	if ctx.Target != nil {
		wave = ctx.Target.WaveSize()
	}
	c.graph.ResetCFG(c.f)
	c.tree.Reset(&c.graph)
	c.cycles.ResetCycles(&c.graph)
	if c.uni == nil {
		c.uni, c.alias = analysis.NewUniformity(c.f, &c.tree, &c.cycles, wave), analysis.NewAlias(c.f)
		return
	}
	c.uni.Reset(c.f, &c.tree, &c.cycles, wave)
	c.alias.Reset(c.f)
}

// clobbered reports whether the loaded memory may have been written.
func (c *clobberFinder) clobbered(load ir.Value) bool {
	f := c.f
	at, _ := c.alias.LocationOf(load)
	found := false
	for _, w := range c.writes {
		if f.Op(w) == ir.OpFence || isBarrier(f, w) || c.alias.ModRef(w, at)&analysis.Mod == 0 {
			continue // the writes that it makes visible are checked themselves
		}
		if c.synced {
			return true
		}
		if !found {
			c.findBefore(f.Parent(load))
			found = true
		}
		if b := f.Parent(w); c.before[b] || b == f.Parent(load) && c.tree.Before(f, w, load) {
			return true
		}
	}
	return false
}

// isBarrier reports whether a call is an intrinsic that only synchronizes waves
// or only affects scheduling.
func isBarrier(f *ir.Function, v ir.Value) bool {
	switch f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNSBarrier, ir.IntrAMDGCNSBarrierSignal, ir.IntrAMDGCNSBarrierWait, ir.IntrAMDGCNSBarrierInit,
		ir.IntrAMDGCNSBarrierJoin, ir.IntrAMDGCNSBarrierSignalVar, ir.IntrAMDGCNSGetBarrierState, ir.IntrAMDGCNSGetNamedBarrierState, ir.IntrAMDGCNWaveBarrier, ir.IntrAMDGCNSchedBarrier,
		ir.IntrAMDGCNSchedGroupBarrier, ir.IntrAMDGCNIglpOpt, ir.IntrAMDGCNSSleep, ir.IntrAMDGCNSWaitcnt, ir.IntrAMDGCNSSetprio:
		return true
	}
	return false
}

// findBefore marks the blocks that can reach a block.
func (c *clobberFinder) findBefore(b ir.Block) {
	c.before = opt.Sized(c.before, c.graph.N()+1)
	c.work = append(c.work[:0], uint32(b))
	for len(c.work) > 0 {
		n := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		for _, p := range c.graph.Preds(n) {
			if !c.before[p] {
				c.before[p] = true
				c.work = append(c.work, p)
			}
		}
	}
}
