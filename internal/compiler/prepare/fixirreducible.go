package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// reducer converts cycles with several entries to loops.
type reducer struct {
	f      *ir.Function
	m      *ir.Module
	graph  analysis.Graph
	cycles analysis.Loops

	entries []ir.Block
	edges   []entryEdge
	phis    []ir.Value
}

// entryEdge is a path to an entry of a cycle, from a block that is redirected
// to the hub.
type entryEdge struct {
	from  ir.Block // block redirected to the hub
	pred  ir.Block // original predecessor of the entry
	entry int
}

// fixIrreducible makes the control flow reducible (LLVM's fix-irreducible). All
// edges into the entries of a cycle, from outside and from inside, lead to a
// new header that branches to the intended entry.
func fixIrreducible(ctx *opt.Context, f *ir.Function) bool {
	r := opt.Scratch[reducer](ctx)
	r.f, r.m = f, f.Module()
	for changed := false; ; changed = true {
		r.graph.ResetCFG(f)
		r.cycles.ResetCycles(&r.graph)
		cycle := r.irreducible()
		if cycle == 0 {
			return changed
		}
		r.fix(cycle)
	}
}

// irreducible returns the first cycle with several entries, or 0.
func (r *reducer) irreducible() uint32 {
	for c := uint32(1); c <= uint32(r.cycles.N()); c++ {
		if !r.cycles.Reducible(c) {
			return c
		}
	}
	return 0
}

func (r *reducer) fix(cycle uint32) {
	f := r.f
	r.entries = r.entries[:0]
	for _, e := range r.cycles.Entries(cycle) {
		r.entries = append(r.entries, ir.Block(e))
	}
	hub := f.NewBlockAfter(f.PrevBlock(r.entries[0]))
	f.SetName(hub.Value(), []byte("irr.guard"))
	r.edges = r.edges[:0]
	for i := range r.entries {
		r.lead(i, hub)
	}
	r.movePhis(hub)
	r.choose(hub)
}

// lead redirects the predecessors of an entry to the hub. If a predecessor has
// several such edges, each gets a block of its own.
func (r *reducer) lead(i int, hub ir.Block) {
	f, entry := r.f, r.entries[i]
	for u := f.FirstPred(entry); u != 0; u = f.FirstPred(entry) {
		pred := f.PredOf(u)
		t := f.User(u)
		if op := f.Op(t); op != ir.OpBr && op != ir.OpSwitch {
			opt.Refuse(f, t, op.String()+" into an irreducible loop")
		}
		from := pred
		if r.edgesInto(pred) > 1 {
			from = f.NewBlockAfter(pred)
			br := f.NewInstr(ir.OpBr, ir.Void, hub.Value())
			f.Instr(br).Loc = f.Instr(t).Loc
			f.Append(from, br)
		}
		to := hub
		if from != pred {
			to = from
		}
		f.SetUse(u, to.Value())
		r.edges = append(r.edges, entryEdge{from: from, pred: pred, entry: i})
	}
}

// edgesInto counts the edges from a block to entries and, if one was already
// redirected, the hub.
func (r *reducer) edgesInto(b ir.Block) int {
	n := 0
	for _, s := range r.f.Successors(b) {
		for _, e := range r.entries {
			if s.Value == e.Value() {
				n++
			}
		}
	}
	for _, e := range r.edges {
		if e.from == b {
			n++
		}
	}
	return n
}

// movePhis moves the phis of the entries to the hub. They are poison along
// edges that lead to another entry.
func (r *reducer) movePhis(hub ir.Block) {
	f := r.f
	for i, entry := range r.entries {
		r.phis = r.phis[:0]
		for phi := f.First(entry); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
			r.phis = append(r.phis, phi)
		}
		for _, phi := range r.phis {
			n := f.NewInstr(ir.OpPhi, f.TypeOf(phi))
			f.Instr(n).Flags, f.Instr(n).Loc = f.Instr(phi).Flags, f.Instr(phi).Loc
			f.SetName(n, f.NameOf(phi))
			f.Append(hub, n)
			for _, e := range r.edges {
				v := r.m.Poison(f.TypeOf(phi))
				if e.entry == i {
					v = f.PhiValue(phi, e.pred)
				}
				f.AddIncoming(n, v, e.from)
			}
			f.ReplaceUses(phi, n)
			f.Erase(phi)
		}
	}
}

// choose ends the hub with branches to the entries.
func (r *reducer) choose(hub ir.Block) {
	f, m := r.f, r.m
	last := len(r.entries) - 1
	at := hub
	b := ir.NewBuilder(f, at)
	for i, entry := range r.entries[:last] {
		which := f.NewInstr(ir.OpPhi, ir.I1)
		f.Prepend(hub, which)
		for _, e := range r.edges {
			f.AddIncoming(which, m.NewBool(e.entry == i), e.from)
		}
		f.SetName(which, []byte("Guard."+string(f.NameOf(entry.Value()))))
		if i == last-1 {
			b.CondBr(which, entry, r.entries[last])
			return
		}
		next := f.NewBlockAfter(at)
		f.SetName(next.Value(), []byte("irr.guard"))
		b.CondBr(which, entry, next)
		at = next
		b.AtEnd(at)
	}
}
