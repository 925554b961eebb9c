package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// simplifycfgParams lists the supported parameters of LLVM's pass, with its
// defaults.
var simplifycfgParams = []Param{
	{Name: "bonus-inst-threshold", Default: 1, Number: true},
	{Name: "keep-loops", Default: 1},
	{Name: "hoist-common-insts"},
	{Name: "sink-common-insts"},
	{Name: "speculate-blocks", Default: 1},
	{Name: "simplify-cond-branch", Default: 1},
	{Name: "switch-range-to-icmp"},
}

// simplifycfg simplifies the control flow: it removes unreachable blocks,
// merges and bypasses blocks, folds branches and switches, and converts small
// ifs to selects (LLVM's SimplifyCFG, without lookup tables, merged stores and
// assumptions). Convergent calls remain under the same conditions: blocks that
// contain them are neither speculated nor duplicated.
func simplifycfg(ctx *Context, f *ir.Function) bool {
	s := Scratch[cfgSimplifier](ctx)
	s.reset(ctx, f)
	changed := EraseUnreachable(ctx, f)
	changed = s.mergeReturns() || changed
	for round := 0; round < maxRounds; round++ {
		s.findHeaders()
		if !s.allBlocks() {
			break
		}
		changed = true
		EraseUnreachable(ctx, f)
	}
	return changed
}

// maxRounds bounds the iterations over all blocks in case simplifications undo
// each other.
const maxRounds = 1000

// cfgSimplifier is the state of simplifycfg.
type cfgSimplifier struct {
	f     *ir.Function
	m     *ir.Module
	taken *addressed
	b     ir.Builder

	bonus                                              int
	keepLoops, hoist, sink, blocks, condBranch, range_ bool

	header  []bool // by block: target of a back edge
	state   []uint8
	stack   []dfsEdge
	preds   []ir.Block
	values  []ir.Value
	returns []ir.Block
	dead    deadWork
}

// dfsEdge is a block on the path of a depth-first search, and its next
// successor to visit.
type dfsEdge struct {
	b    ir.Block
	next int
}

func (s *cfgSimplifier) reset(ctx *Context, f *ir.Function) {
	s.f, s.m, s.taken = f, f.Module(), addressedOf(ctx, f.Module())
	s.b = ir.Builder{F: f}
	s.bonus = ctx.Param("bonus-inst-threshold")
	on := func(name string) bool { return ctx.Param(name) != 0 }
	s.keepLoops, s.hoist, s.sink = on("keep-loops"), on("hoist-common-insts"), on("sink-common-insts")
	s.blocks, s.condBranch, s.range_ = on("speculate-blocks"), on("simplify-cond-branch"), on("switch-range-to-icmp")
}

// findHeaders marks the targets of back edges.
func (s *cfgSimplifier) findHeaders() {
	const onPath, done = 1, 2
	f := s.f
	s.header, s.state = Sized(s.header, f.NumBlocks()), Sized(s.state, f.NumBlocks())
	s.stack = append(s.stack[:0], dfsEdge{b: f.Entry()})
	s.state[f.Entry()] = onPath
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		succs := f.Successors(top.b)
		if top.next == len(succs) {
			s.state[top.b] = done
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		o := succs[top.next].Value
		top.next++
		if !o.IsBlock() {
			continue
		}
		switch b := o.Block(); s.state[b] {
		case 0:
			s.state[b] = onPath
			s.stack = append(s.stack, dfsEdge{b: b})
		case onPath:
			s.header[b] = true
		}
	}
}

// isHeader reports whether a block was the target of a back edge; blocks
// created later are not.
func (s *cfgSimplifier) isHeader(b ir.Block) bool { return int(b) < len(s.header) && s.header[b] }

// allBlocks simplifies each block until it no longer changes.
func (s *cfgSimplifier) allBlocks() bool {
	f := s.f
	changed := false
	for b := f.Entry(); b != 0; {
		next := f.NextBlock(b)
		for n := 0; n < maxRounds && f.IsBlockAlive(b) && s.block(b); n++ {
			changed = true
			if f.IsBlockAlive(b) {
				next = f.NextBlock(b)
			}
		}
		if next != 0 && !f.IsBlockAlive(next) {
			// next was removed together with b: start over
			next = f.Entry()
		}
		b = next
	}
	return changed
}

// block applies one simplification to a block and reports whether it did.
func (s *cfgSimplifier) block(b ir.Block) bool {
	f := s.f
	if b != f.Entry() && f.FirstPred(b) == 0 && !s.taken.has(f, b) {
		return s.removeBlock(b)
	}
	for _, simplify := range [...]func(*cfgSimplifier, ir.Block) bool{
		(*cfgSimplifier).foldUndefined, (*cfgSimplifier).foldTerminator, (*cfgSimplifier).foldPhis,
		(*cfgSimplifier).mergeIntoPred, (*cfgSimplifier).sinkCommon, (*cfgSimplifier).passBy, (*cfgSimplifier).foldKnown,
		(*cfgSimplifier).passKnown, (*cfgSimplifier).foldToCommon, (*cfgSimplifier).hoistCommon, (*cfgSimplifier).convertIf,
		(*cfgSimplifier).foldUnreachable,
	} {
		if simplify(s, b) {
			return true
		}
	}
	return false
}

// removeBlock removes a block without predecessors.
func (s *cfgSimplifier) removeBlock(b ir.Block) bool {
	f := s.f
	for _, o := range f.Successors(b) {
		if o.Value.IsBlock() {
			f.RemovePhiBlock(o.Value.Block(), b)
		}
	}
	f.ClearBlock(b)
	f.EraseBlock(b)
	return true
}

// eraseDead removes an unused value and the values that become dead.
func (s *cfgSimplifier) eraseDead(v ir.Value) {
	if f := s.f; v.IsLocal() && f.Op(v) != ir.OpNone && f.Op(v) != ir.OpArg && analysis.IsDead(f, v) {
		s.dead.erase(f, v)
	}
}

// foldPhis replaces phis that have a single value or equal another phi.
func (s *cfgSimplifier) foldPhis(b ir.Block) bool {
	f := s.f
	changed := false
	for phi := f.First(b); phi != ir.None && f.Op(phi) == ir.OpPhi; {
		next := f.Next(phi)
		v := simplerPhi(f, phi, func(v ir.Value) bool {
			return !v.IsLocal() || f.Op(v) == ir.OpArg || f.Parent(v) == f.Entry() && b != f.Entry()
		})
		for other := f.First(b); v == ir.None && other != phi; other = f.Next(other) {
			if s.samePhi(phi, other) {
				v = other
			}
		}
		if v != ir.None {
			if f.HasUses(phi) || f.FirstRecordUse(phi) != 0 {
				f.ReplaceUses(phi, v)
			}
			f.Erase(phi)
			changed = true
		}
		phi = next
	}
	return changed
}

// samePhi reports whether two phis of a block have the same values.
func (s *cfgSimplifier) samePhi(a, b ir.Value) bool {
	f := s.f
	if f.TypeOf(a) != f.TypeOf(b) || f.NumIncoming(a) != f.NumIncoming(b) || f.Instr(a).Flags != f.Instr(b).Flags {
		return false
	}
	for i := range f.NumIncoming(a) {
		v, pred := f.Incoming(a, i)
		w, other := f.Incoming(b, i)
		if pred != other {
			w = f.PhiValue(b, pred)
		}
		if v != w {
			return false
		}
	}
	return true
}

// mergeIntoPred merges a block into its only predecessor if it is that block's
// only successor.
func (s *cfgSimplifier) mergeIntoPred(b ir.Block) bool {
	f := s.f
	p := f.SinglePred(b)
	if p == 0 || p == b || b == f.Entry() || onlySuccessor(f, p) != b || s.taken.has(f, b) || f.Op(f.First(b)).IsPad() {
		return false
	}
	for phi := f.First(b); f.Op(phi) == ir.OpPhi; phi = f.First(b) {
		v := f.Operand(phi, 0)
		if v == phi {
			v = s.m.Poison(f.TypeOf(phi))
		}
		if f.HasUses(phi) || f.FirstRecordUse(phi) != 0 {
			f.ReplaceUses(phi, v)
		}
		f.Erase(phi)
	}
	br := f.Terminator(p)
	f.MoveRecords(br, f.First(b))
	f.Erase(br)
	f.MoveInstrs(b, p)
	for _, o := range f.Successors(p) {
		if o.Value.IsBlock() {
			f.ReplacePhiBlock(o.Value.Block(), b, p)
		}
	}
	if name := f.NameOf(b.Value()); name != nil && !f.HasName(p.Value()) {
		f.SetName(p.Value(), name)
	}
	if s.isHeader(b) && int(p) < len(s.header) {
		s.header[p] = true
	}
	f.EraseBlock(b)
	return true
}

// mergeReturns redirects all returning blocks to a single one.
func (s *cfgSimplifier) mergeReturns() bool {
	f := s.f
	s.returns = s.returns[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if t := f.Terminator(b); t != ir.None && f.Op(t) == ir.OpRet && !s.mustReturn(t) {
			s.returns = append(s.returns, b)
		}
	}
	if len(s.returns) < 2 {
		return false
	}
	common := f.NewBlock()
	f.SetName(common.Value(), []byte("common.ret"))
	s.b.AtEnd(common)
	value := ir.None
	if t := f.ReturnType(); t != ir.Void {
		value = s.b.Phi(t)
		f.SetName(value, []byte("common.ret.op"))
	}
	ret := s.b.Ret(value)
	for i, b := range s.returns {
		t := f.Terminator(b)
		loc := f.Instr(t).Loc
		if value != ir.None {
			f.AddIncoming(value, f.Operand(t, 0), b)
		}
		if i == 0 {
			f.Instr(ret).Loc = loc
		} else {
			f.Instr(ret).Loc = MergeLocs(s.m, f.Instr(ret).Loc, loc)
		}
		br := f.NewInstr(ir.OpBr, ir.Void, common.Value())
		f.Instr(br).Loc = loc
		SwapTerminator(f, t, br)
	}
	return true
}

// mustReturn reports whether a ret must directly follow a musttail call.
func (s *cfgSimplifier) mustReturn(ret ir.Value) bool {
	f := s.f
	v := f.Prev(ret)
	if v != ir.None && f.Op(v) == ir.OpBitCast {
		v = f.Prev(v)
	}
	if v == ir.None || f.Op(v) != ir.OpCall {
		return false
	}
	return f.TailKind(v) == ir.MustTail || f.CalledIntrinsic(v) == ir.IntrExperimentalDeoptimize
}
