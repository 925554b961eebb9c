package opt

import (
	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// clobberFinder finds loads whose memory nobody writes before them.
type clobberFinder struct {
	f      *ir.Function
	alias  *analysis.Alias
	graph  analysis.Graph
	tree   analysis.DomTree
	cycles analysis.Loops
	uni    *analysis.Uniformity

	writes []ir.Value // what may write memory
	synced bool       // there are fences, barriers or calls: other waves' writes may be seen
	before []bool     // by block: it leads to the load at hand
	work   []uint32
}

// maxClobberQuestions bounds how many pairs of a load and a write are looked at.
const maxClobberQuestions = 1 << 14

// annotateUniform marks loads of a kernel from global memory, of one address for all lanes, that nothing can have written since the kernel
// began (LLVM's amdgpu-annotate-uniform does that by amdgpu.noclobber): scalar loads can do them. Where waves wait for each other, a
// write anywhere in the kernel counts, since another wave may have done it.
func annotateUniform(ctx *Context, f *ir.Function) bool {
	if !f.CC.IsKernel() {
		return false
	}
	c := scratchOf[clobberFinder](ctx)
	c.f = f
	noClobber := f.Module().MDKind(mdNoClobber)
	var loads []ir.Value
	c.writes, c.synced = c.writes[:0], false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch {
			case f.Op(v) == ir.OpLoad && f.IsSimple(v):
				if f.Module().AddrSpace(f.TypeOf(f.Operand(v, 0))) == spaceGlobal && f.Attachment(v, ir.MDInvariantLoad)|f.Attachment(v, noClobber) == 0 {
					loads = append(loads, v)
				}
			case mayWrite(f, v):
				c.writes = append(c.writes, v)
				c.synced = c.synced || f.Op(v) != ir.OpStore || f.IsAtomic(v)
			}
		}
	}
	if len(loads) == 0 || len(loads)*len(c.writes) > maxClobberQuestions {
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

func (c *clobberFinder) prepare(ctx *Context) {
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

// clobbered reports whether the memory of a load may have been written.
func (c *clobberFinder) clobbered(load ir.Value) bool {
	f := c.f
	at, _ := c.alias.LocationOf(load)
	found := false
	for _, w := range c.writes {
		if f.Op(w) == ir.OpFence || isBarrier(f, w) || c.alias.ModRef(w, at)&analysis.Mod == 0 {
			continue // what it lets others see is looked at where they write it
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

// isBarrier reports whether a call is an intrinsic that only makes waves wait, or is there for the scheduler.
func isBarrier(f *ir.Function, v ir.Value) bool {
	switch f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNSBarrier, ir.IntrAMDGCNSBarrierSignal, ir.IntrAMDGCNSBarrierWait, ir.IntrAMDGCNSBarrierInit,
		ir.IntrAMDGCNSBarrierJoin, ir.IntrAMDGCNSBarrierSignalVar, ir.IntrAMDGCNSGetBarrierState, ir.IntrAMDGCNSGetNamedBarrierState, ir.IntrAMDGCNWaveBarrier, ir.IntrAMDGCNSchedBarrier,
		ir.IntrAMDGCNSchedGroupBarrier, ir.IntrAMDGCNIglpOpt, ir.IntrAMDGCNSSleep, ir.IntrAMDGCNSWaitcnt, ir.IntrAMDGCNSSetprio:
		return true
	}
	return false
}

// findBefore marks the blocks from which an edge leads on to a block, at last.
func (c *clobberFinder) findBefore(b ir.Block) {
	c.before = sized(c.before, c.graph.N()+1)
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
