package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// exitUnifier unifies the exits of a function.
type exitUnifier struct {
	f     *ir.Function
	m     *ir.Module
	ends  []ir.Block // blocks that end in ret or unreachable
	exit  ir.Block
	value ir.Value // phi of the exit, None for a void function
	graph analysis.Graph
	tree  analysis.DomTree
}

// unifyExits makes a function end in a single ret that every block reaches.
// Other rets and unreachable become branches to it, and endless loops get an
// edge to it that is never taken (LLVM's amdgpu-unify-divergent-exit-nodes does
// less). It should run after all passes that would fold the condition of that
// edge.
func unifyExits(ctx *opt.Context, f *ir.Function) bool {
	u := opt.Scratch[exitUnifier](ctx)
	u.f, u.m, u.exit, u.value = f, f.Module(), 0, ir.None
	changed := opt.EraseUnreachable(ctx, f)
	changed = markTailCalls(f) || changed
	u.ends = u.ends[:0]
	rets := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		switch t := f.Terminator(b); f.Op(t) {
		case ir.OpRet:
			rets++
			u.ends = append(u.ends, b)
		case ir.OpUnreachable:
			if v := f.Prev(t); v == ir.None || f.CalledIntrinsic(v) != ir.IntrAMDGCNCsChain { // the call is an end of its own
				u.ends = append(u.ends, b)
			}
		}
	}
	endless := u.findEndless()
	if len(u.ends) == rets && rets <= 1 && len(endless) == 0 {
		return changed
	}
	u.makeExit()
	for _, b := range u.ends {
		u.lead(b)
	}
	for _, b := range endless {
		u.leave(ir.Block(b))
	}
	if u.value != ir.None && f.NumIncoming(u.value) == 1 {
		v, _ := f.Incoming(u.value, 0)
		f.ReplaceUses(u.value, v)
		f.Erase(u.value)
	}
	return true
}

// tailCall is the attribute of calls whose result the function returns
// immediately, so that the callee can return in its place.
const tailCall = "gfx-tail-call"

// markTailCalls marks calls that will become jumps. Other passes then treat
// them like ordinary calls; the ret moves away from them.
func markTailCalls(f *ir.Function) (changed bool) {
	m := f.Module()
	for b := f.Entry(); b != 0 && !f.CC.IsEntry(); b = f.NextBlock(b) {
		t := f.Terminator(b)
		v := f.Prev(t)
		if v == ir.None || f.Op(v) != ir.OpCall || f.Op(t) != ir.OpRet || f.CalledIntrinsic(v) != ir.NoIntrinsic || m.Asm(f.Callee(v)) != nil {
			continue
		}
		if k := f.TailKind(v); k != ir.MustTail && k != ir.Tail || f.NumOperands(t) > 0 && f.Operand(t, 0) != v {
			continue
		}
		l := f.CallAttrs(v)
		f.SetCallAttrs(v, m.WithAttrsAt(l, ir.AttrFunction, m.AddAttr(m.AttrsAt(l, ir.AttrFunction), m.NewStringAttr(tailCall, ""))))
		f.SetTailKind(v, ir.NoTail)
		changed = true
	}
	return changed
}

// IsTailCall reports whether a call is marked as convertible to a jump.
func IsTailCall(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	_, ok := m.StringAttr(m.AttrsAt(f.CallAttrs(v), ir.AttrFunction), tailCall)
	return ok
}

// findEndless returns one block of each region from which no exit is reachable.
func (u *exitUnifier) findEndless() []uint32 {
	u.graph.ResetCFG(u.f)
	u.tree.ResetPost(&u.graph)
	var list []uint32
	for _, r := range u.tree.Roots() {
		if len(u.graph.Succs(r)) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// makeExit creates the block with the ret.
func (u *exitUnifier) makeExit() {
	f := u.f
	u.exit = f.NewBlock()
	f.SetName(u.exit.Value(), []byte("UnifiedReturnBlock"))
	b := ir.NewBuilder(f, u.exit)
	if t := f.ReturnType(); t != ir.Void {
		u.value = b.Phi(t)
		f.SetName(u.value, []byte("UnifiedRetVal"))
	}
	b.Loc = 0
	for i, e := range u.ends {
		if loc := f.Instr(f.Terminator(e)).Loc; i == 0 {
			b.Loc = loc
		} else {
			b.Loc = opt.MergeLocs(u.m, b.Loc, loc)
		}
	}
	b.Ret(u.value)
}

// lead redirects a block that ends in ret or unreachable to the exit.
func (u *exitUnifier) lead(b ir.Block) {
	f := u.f
	t := f.Terminator(b)
	v := ir.None
	if f.Op(t) == ir.OpRet && f.NumOperands(t) > 0 {
		v = f.Operand(t, 0)
	}
	br := f.NewInstr(ir.OpBr, ir.Void, u.exit.Value())
	f.Instr(br).Loc = f.Instr(t).Loc
	opt.SwapTerminator(f, t, br)
	u.incoming(v, b)
}

// incoming sets the returned value for the edge from a block to the exit; None
// means an arbitrary value.
func (u *exitUnifier) incoming(v ir.Value, b ir.Block) {
	if u.value == ir.None {
		return
	}
	if v == ir.None {
		v = u.m.Poison(u.f.TypeOf(u.value))
	}
	u.f.AddIncoming(u.value, v, b)
}

// leave adds an exit edge, which is never taken, to the first edge of a block.
func (u *exitUnifier) leave(b ir.Block) {
	f := u.f
	t := f.Terminator(b)
	at := 0
	for !f.Operand(t, at).IsBlock() {
		at++
	}
	to := f.Operand(t, at).Block()
	on := f.NewBlockAfter(b)
	bd := ir.NewBuilder(f, on)
	bd.Loc = f.Instr(t).Loc
	bd.CondBr(u.m.NewBool(true), to, u.exit)
	f.SetOperand(t, at, on.Value())
	for phi := f.First(to); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		i := f.PhiIndex(phi, b)
		v, _ := f.Incoming(phi, i)
		f.RemoveOperands(phi, 2*i, 2)
		f.AddIncoming(phi, v, on)
	}
	u.incoming(ir.None, on)
}
