package prepare

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// EntryLanes is the attribute of functions that activate more lanes at their
// start. llvm.amdgcn.ps.live then returns the lanes of the caller.
const EntryLanes = "gfx-entry-lanes"

// Values of EntryLanes.
const (
	EntryQuads = "quads" // all lanes of quads with an active lane
	EntryAll   = "all"   // all lanes
	EntryMask  = "mask " // the lanes of a mask, a decimal number that follows
	EntryInput = "input" // the lanes of llvm.amdgcn.init.exec.from.input, which the function calls at its start
)

// quadLowering lowers whole quad mode in a function. Helper lanes, the other
// lanes of quads with an active lane, run along until the last computation that
// needs them. Everything with effects is guarded by a branch on the live lanes.
//
// LLVM's si-wqm instead switches EXEC between instructions. Selection, register
// allocation and scheduling know no such switches.
type quadLowering struct {
	emitter
	f       *ir.Function
	calls   map[ir.Intrinsic][]ir.Value
	samples []ir.Value // calls whose results depend on the operands of other lanes
	live    ir.Value   // llvm.amdgcn.ps.live, or None without helper lanes
	changed ir.Value   // memory with the live lanes in functions that demote lanes, or None
	dead    ir.Block   // returns; lanes that end branch to it
	reach   []bool     // by block: a computation that needs helper lanes follows
	slice   map[ir.Value]bool
	uniform *analysis.Uniformity
	wave    int  // lanes of a wave
	gfx11   bool // the processor is of gfx11 or later
}

// lowerWholeQuad lowers the intrinsics of whole quad mode.
func lowerWholeQuad(ctx *opt.Context, f *ir.Function) bool {
	q := &quadLowering{f: f, calls: map[ir.Intrinsic][]ir.Value{}, slice: map[ir.Value]bool{}}
	if ctx.Target == nil || !q.collect() {
		return false
	}
	q.F, q.M = f, f.Module()
	q.setTarget(ctx.Target)
	switch whole, masks, inputs := q.calls[ir.IntrAMDGCNInitWholeWave], q.calls[ir.IntrAMDGCNInitExec], q.calls[ir.IntrAMDGCNInitExecFromInput]; {
	case f.CC == ir.CCAMDGPUGfxWholeWave:
		q.setEntry(EntryAll)
		f.ReplaceUses(f.Arg(0), q.live)
	case len(whole) > 0:
		q.setEntry(EntryAll)
	case len(masks) > 0:
		mask, _ := q.M.IntValue(f.Args(masks[0])[0].Value)
		q.setEntry(EntryMask + strconv.FormatUint(mask, 10))
	case len(inputs) > 0:
		q.setEntry(EntryInput)
		for _, v := range inputs[1:] {
			f.Erase(v)
		}
		f.Unlink(inputs[0])
		f.InsertBefore(inputs[0], f.First(f.Entry()))
	}
	if q.needsHelpers() {
		q.setEntry(EntryQuads)
		q.findReach()
		q.findSlice()
		q.uniform = uniformityOf(ctx, f)
		q.guard()
	}
	q.replaceCalls()
	if f.CC == ir.CCAMDGPUPS && q.dead != 0 {
		q.endPixels()
	}
	return true
}

// collect finds the calls to lower.
func (q *quadLowering) collect() bool {
	f := q.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) != ir.OpCall { // selection refuses callbr
				continue
			}
			if isSample(f, v) {
				q.samples = append(q.samples, v)
			}
			switch id := f.CalledIntrinsic(v); id {
			case ir.IntrAMDGCNWqm, ir.IntrAMDGCNSoftwqm, ir.IntrAMDGCNWqmDemote, ir.IntrAMDGCNKill, ir.IntrAMDGCNPsLive, ir.IntrAMDGCNLiveMask,
				ir.IntrAMDGCNInitWholeWave, ir.IntrAMDGCNInitExec, ir.IntrAMDGCNInitExecFromInput:
				q.calls[id] = append(q.calls[id], v)
			}
		}
	}
	return len(q.calls)+len(q.samples) > 0 || f.CC == ir.CCAMDGPUGfxWholeWave
}

// needsHelpers reports whether an image sample, or a value computed in whole
// quad mode, depends on other lanes.
func (q *quadLowering) needsHelpers() bool {
	for _, v := range q.calls[ir.IntrAMDGCNWqm] {
		if analysis.CrossesLanes(q.f, q.f.Operand(v, 0)) {
			return true
		}
	}
	return len(q.samples) > 0
}

// setEntry activates lanes at the function's start.
func (q *quadLowering) setEntry(lanes string) {
	f, m := q.f, q.M
	if q.live != ir.None {
		return
	}
	set := m.AddAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), m.NewStringAttr(EntryLanes, lanes))
	f.Attributes = m.WithAttrsAt(f.Attributes, ir.AttrFunction, set)
	top := f.First(f.Entry())
	for v := top; v != ir.None; { // a branch may end the block before other allocas
		next := f.Next(v)
		switch {
		case f.Op(v) != ir.OpAlloca || f.Operand(v, 0).IsLocal():
		case v == top:
			top = next
		default:
			f.Unlink(v)
			f.InsertBefore(v, top)
		}
		v = next
	}
	q.Before(top)
	q.live = q.Call(q.M.DeclareIntrinsic(ir.IntrAMDGCNPsLive))
	if len(q.calls[ir.IntrAMDGCNWqmDemote]) > 0 {
		q.changed = q.Alloca(ir.I32, 4)
		q.Store(q.FoldCast(ir.OpZExt, q.live, ir.I32), q.changed, 4)
	}
}

// isLive returns the condition that a lane is live at the insertion point.
func (q *quadLowering) isLive() ir.Value {
	switch {
	case q.live == ir.None:
		return q.M.NewBool(true)
	case q.changed == ir.None:
		return q.live
	}
	return q.Compare(ir.ICmpNE, q.Load(ir.I32, q.changed, 4), q.M.Zero(ir.I32))
}

// findReach finds the blocks that a computation in whole quad mode follows.
func (q *quadLowering) findReach() {
	f := q.f
	q.reach = make([]bool, f.NumBlocks()+1)
	g := analysis.CFG(f)
	var work []ir.Block
	mark := func(b ir.Block) {
		if !q.reach[b] {
			q.reach[b] = true
			work = append(work, b)
		}
	}
	for _, v := range slices.Concat(q.calls[ir.IntrAMDGCNWqm], q.samples) {
		mark(f.Parent(v))
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range g.Preds(uint32(b)) {
			mark(ir.Block(p))
		}
	}
}

// findSlice finds the values that helper lanes must compute: the operands of
// wqm and softwqm, values stored in private memory, and conditions of
// branches.
func (q *quadLowering) findSlice() {
	f := q.f
	for _, id := range [...]ir.Intrinsic{ir.IntrAMDGCNWqm, ir.IntrAMDGCNSoftwqm} {
		for _, v := range q.calls[id] {
			q.addToSlice(v)
		}
	}
	for _, v := range q.samples {
		q.addToSlice(v)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !q.reach[b] {
			continue
		}
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v).IsTerminator() && f.Op(v) != ir.OpRet || f.Op(v) == ir.OpStore && q.isPrivate(f.Operand(v, 1)) {
				for _, o := range f.Operands(v) {
					q.addToSlice(o.Value)
				}
			}
		}
	}
}

func (q *quadLowering) addToSlice(v ir.Value) {
	if !v.IsLocal() || q.slice[v] || q.f.Parent(v) == 0 {
		return
	}
	q.slice[v] = true
	for _, o := range q.f.Operands(v) {
		q.addToSlice(o.Value)
	}
}

// isPrivate reports whether a pointer points to private memory, which each lane
// has for itself.
func (q *quadLowering) isPrivate(p ir.Value) bool {
	f := q.f
	if q.M.AddrSpace(f.TypeOf(p)) == addrspace.Private {
		return true
	}
	o := analysis.UnderlyingObject(f, p)
	return o.IsLocal() && f.Op(o) == ir.OpAlloca
}

// isGuarded reports whether only live lanes may execute an instruction.
func (q *quadLowering) isGuarded(v ir.Value) bool {
	f := q.f
	switch f.Op(v) {
	case ir.OpStore:
		return !q.isPrivate(f.Operand(v, 1))
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		return !q.isPrivate(f.Operand(v, 0))
	case ir.OpLoad:
		p := f.Operand(v, 0)
		return !q.slice[v] && !q.isPrivate(p) && p.IsLocal() && q.uniform.Divergent(p)
	case ir.OpCall:
		return q.isCallGuarded(v)
	}
	return false
}

func (q *quadLowering) isCallGuarded(v ir.Value) bool {
	f, id := q.f, q.f.CalledIntrinsic(v)
	if _, ok := q.calls[id]; ok && id != ir.NoIntrinsic {
		return false
	}
	writes := analysis.MayWrite(f, v)
	if id == ir.NoIntrinsic {
		return writes || !q.slice[v]
	}
	local, private := false, false
	for _, a := range f.Args(v) {
		local = local || a.Value.IsLocal()
		private = private || a.Value.IsLocal() && q.M.TypeInfo(f.TypeOf(a.Value)).Kind == ir.KindPtr && q.isPrivate(a.Value)
	}
	if private || !local && f.TypeOf(v) == ir.Void { // barriers and waits are operations of the wave
		return false
	}
	callee := f.CalledFunction(v)
	convergent := q.M.HasAttr(q.M.AttrsAt(callee.Attributes, ir.AttrFunction), ir.AttrConvergent)
	return writes || !q.slice[v] && (convergent || analysis.MayRead(f, v))
}

// guard guards the instructions in blocks that helper lanes execute, and ends
// helper lanes where none of the computations that need them follows.
func (q *quadLowering) guard() {
	f := q.f
	var blocks []ir.Block
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if q.reach[b] {
			blocks = append(blocks, b)
		}
	}
	for _, b := range blocks {
		q.endHelpers(b)
		q.guardBlock(b)
	}
}

// endHelpers ends helper lanes on edges from a block to blocks that need none.
func (q *quadLowering) endHelpers(b ir.Block) {
	f := q.f
	t := f.Terminator(b)
	done := map[ir.Block]ir.Block{}
	for n, o := range f.Operands(t) {
		if !o.Value.IsBlock() {
			continue
		}
		to := o.Value.Block()
		if int(to) < len(q.reach) && q.reach[to] {
			continue
		}
		e := done[to]
		if e == 0 {
			e = f.NewBlockAfter(b)
			done[to] = e
			f.ReplacePhiBlock(to, b, e)
			q.AtEnd(e)
			q.Loc = f.Instr(t).Loc
			q.CondBr(q.isLive(), to, q.end())
		}
		f.SetOperand(t, n, e.Value())
	}
}

// end returns the block to which lanes that end branch.
func (q *quadLowering) end() ir.Block {
	if q.dead == 0 {
		q.dead = q.f.NewBlock()
		b := ir.NewBuilder(q.f, q.dead)
		if t := q.f.ReturnType(); t != ir.Void {
			b.Ret(q.M.Poison(t))
		} else {
			b.Ret(ir.None)
		}
	}
	return q.dead
}

// guardBlock guards the instructions of a block.
func (q *quadLowering) guardBlock(b ir.Block) {
	f := q.f
	for v := f.First(b); v != ir.None && !f.Op(v).IsTerminator(); {
		if f.Op(v) == ir.OpPhi || v == q.live || !q.isGuarded(v) {
			v = f.Next(v)
			continue
		}
		last := v
		for n := f.Next(v); !f.Op(n).IsTerminator() && q.isGuarded(n); n = f.Next(n) {
			last = n
		}
		v = q.guardRun(v, f.Next(last))
	}
}

// guardRun makes the instructions from first to the one before next conditional,
// and returns next.
func (q *quadLowering) guardRun(first, next ir.Value) ir.Value {
	f := q.f
	b := f.Parent(first)
	q.Before(first)
	q.Loc = f.Instr(first).Loc
	live := q.isLive()
	on := f.SplitBlock(first)
	rest := f.SplitBlock(next)
	f.Erase(f.Terminator(b))
	q.AtEnd(b)
	q.CondBr(live, on, rest)
	for v := f.First(on); !f.Op(v).IsTerminator(); v = f.Next(v) {
		q.joinValue(v, b, rest)
	}
	return next
}

// joinValue replaces the uses of a guarded value after its block by a phi.
func (q *quadLowering) joinValue(v ir.Value, before, rest ir.Block) {
	f := q.f
	var uses []ir.Use
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if f.Parent(f.User(u)) != f.Parent(v) || f.Op(f.User(u)) == ir.OpPhi {
			uses = append(uses, u)
		}
	}
	if len(uses) == 0 {
		return
	}
	q.Before(f.First(rest))
	phi := q.Phi(f.TypeOf(v))
	for _, u := range uses {
		f.SetUse(u, phi)
	}
	f.AddIncoming(phi, v, f.Parent(v))
	f.AddIncoming(phi, q.M.Poison(f.TypeOf(v)), before)
}

// replaceCalls replaces the intrinsics themselves.
func (q *quadLowering) replaceCalls() {
	f := q.f
	for _, id := range [...]ir.Intrinsic{ir.IntrAMDGCNWqm, ir.IntrAMDGCNSoftwqm} {
		for _, v := range q.calls[id] {
			f.ReplaceUses(v, f.Operand(v, 0))
			f.Erase(v)
		}
	}
	for _, id := range [...]ir.Intrinsic{ir.IntrAMDGCNPsLive, ir.IntrAMDGCNLiveMask} {
		for _, v := range q.calls[id] {
			q.Before(v)
			f.ReplaceUses(v, q.isLive())
			f.Erase(v)
		}
	}
	for _, v := range q.calls[ir.IntrAMDGCNInitWholeWave] {
		f.ReplaceUses(v, q.live)
		f.Erase(v)
	}
	for _, v := range q.calls[ir.IntrAMDGCNInitExec] {
		f.Erase(v)
	}
	for _, v := range q.calls[ir.IntrAMDGCNKill] {
		q.endUnless(v, f.Operand(v, 0))
	}
	for _, v := range q.calls[ir.IntrAMDGCNWqmDemote] {
		q.demote(v)
	}
}

// demote makes the lanes with a false condition helper lanes. Lanes of quads
// without a live lane end, and all that are not live where no helper lanes are
// needed.
func (q *quadLowering) demote(v ir.Value) {
	f := q.f
	q.Before(v)
	q.Loc = f.Instr(v).Loc
	stay := f.Operand(v, 0)
	if q.changed != ir.None {
		stay = q.And(q.isLive(), stay)
		q.Store(q.FoldCast(ir.OpZExt, stay, ir.I32), q.changed, 4)
		if b := int(f.Parent(v)); b >= len(q.reach) || q.reach[b] {
			stay = q.Call(q.M.DeclareIntrinsic(ir.IntrAMDGCNWqmVote), stay)
		}
	}
	q.endUnless(v, stay)
}

// endUnless ends the lanes in which a condition is false, in place of a call.
func (q *quadLowering) endUnless(v, stay ir.Value) {
	f := q.f
	next := f.Next(v)
	b := f.Parent(v)
	q.Loc = f.Instr(v).Loc
	f.Erase(v)
	rest := f.SplitBlock(next)
	f.Erase(f.Terminator(b))
	q.AtEnd(b)
	q.CondBr(stay, rest, q.end())
}
