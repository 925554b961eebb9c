package opt

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// undone is a value of an alloca to be restored.
type undone struct {
	alloca int32
	value  ir.Value
	loc    ir.Metadata
}

// renameWork is an edge that renaming has yet to follow.
type renameWork struct {
	block, pred ir.Block
	undo        int // length of the undo list to restore
}

// placePhis inserts phis for an alloca where several of its values meet and the
// value is live.
func (p *promoter) placePhis(i int) {
	f, a := p.f, p.allocas[i]
	p.numbers[a] = int32(i + 1)
	for len(p.debug) <= i {
		p.debug = append(p.debug, nil)
	}
	p.debug[i] = append(p.debug[i][:0], p.records...)
	p.markLive()
	p.joins = p.idf.Iterated(p.defs, p.isLive, p.joins[:0])
	slices.Sort(p.joins)
	name := f.NameOf(a)
	for n, b := range p.joins {
		phi := f.NewInstr(ir.OpPhi, f.AllocatedType(a))
		p.name = strconv.AppendInt(append(append(p.name[:0], name...), '.'), int64(n), 10)
		f.SetName(phi, p.name)
		f.Prepend(ir.Block(b), phi)
		p.phis = append(p.phis, phiOf{phi, int32(i)})
	}
}

// markLive marks the blocks at whose start the alloca's value is live.
func (p *promoter) markLive() {
	work := p.uses[:0]
	for _, b := range p.uses {
		if s := p.firstStore[b]; s.round != p.round || p.firstLoad[b].order < s.order {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if p.live[b] == p.round {
			continue
		}
		p.live[b] = p.round
		for _, pred := range p.c.graph.Preds(b) {
			if p.firstStore[pred].round != p.round {
				work = append(work, pred)
			}
		}
	}
	p.uses = work
}

// rename follows all paths and replaces loads by the last stored value.
func (p *promoter) rename() {
	f := p.f
	p.values, p.locs = p.values[:0], p.locs[:0]
	for _, a := range p.allocas {
		p.values = append(p.values, f.Module().Undef(f.AllocatedType(a)))
		p.locs = append(p.locs, 0)
	}
	p.undo = p.undo[:0]
	p.work = append(p.work[:0], renameWork{block: f.Entry()})
	for len(p.work) > 0 {
		w := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		for len(p.undo) > w.undo {
			u := p.undo[len(p.undo)-1]
			p.undo = p.undo[:len(p.undo)-1]
			p.values[u.alloca], p.locs[u.alloca] = u.value, u.loc
		}
		if w.pred != 0 {
			p.enter(w.block, w.pred)
		}
		if !p.visited[w.block] {
			p.visited[w.block] = true
			p.renameBlock(w.block)
			p.pushSuccessors(w.block)
		}
	}
}

// setAlloca sets the value of an alloca on the current path.
func (p *promoter) setAlloca(i int32, v ir.Value, loc ir.Metadata) {
	p.undo = append(p.undo, undone{i, p.values[i], p.locs[i]})
	p.values[i], p.locs[i] = v, loc
}

// phiAlloca returns the number of the alloca that a phi was inserted for, or -1
// for other values.
func (p *promoter) phiAlloca(v ir.Value) int32 {
	if v == ir.None || v < p.base || p.f.Op(v) != ir.OpPhi {
		return -1
	}
	// phis are in the order of their numbers, mixed with stores and records
	lo, hi := 0, len(p.phis)
	if n := int(v - p.base); n < hi && p.phis[n].phi == v {
		return p.phis[n].alloca
	}
	for lo < hi {
		if mid := (lo + hi) / 2; p.phis[mid].phi < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(p.phis) && p.phis[lo].phi == v {
		return p.phis[lo].alloca
	}
	return -1
}

// enter adds the incoming values of a block's phis for an edge.
func (p *promoter) enter(b, pred ir.Block) {
	f := p.f
	first := f.First(b)
	if p.phiAlloca(first) < 0 {
		return
	}
	edges := 0
	for _, s := range f.Successors(pred) {
		if s.Value == b.Value() {
			edges++
		}
	}
	for phi := first; phi != ir.None; phi = f.Next(phi) {
		i := p.phiAlloca(phi)
		if i < 0 {
			return
		}
		if f.NumOperands(phi) == 0 {
			f.Instr(phi).Loc = p.locs[i]
		} else {
			f.Instr(phi).Loc = MergeLocs(f.Module(), f.Instr(phi).Loc, p.locs[i])
		}
		for range edges {
			f.AddIncoming(phi, p.values[i], pred)
		}
		p.setAlloca(i, phi, p.locs[i])
		p.recordPhi(phi, p.debug[i])
	}
}

// number returns the number of the alloca that an address refers to plus one,
// or 0 for other addresses.
func (p *promoter) number(addr ir.Value) int32 {
	if addr.IsLocal() && int(addr) < len(p.numbers) {
		return p.numbers[addr]
	}
	return 0
}

func (p *promoter) renameBlock(b ir.Block) {
	f := p.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		switch f.Op(v) {
		case ir.OpLoad:
			if i := p.number(f.Operand(v, 0)); i > 0 {
				p.replaceLoad(v, p.values[i-1])
			}
		case ir.OpStore:
			if i := p.number(f.Operand(v, 1)); i > 0 {
				p.setAlloca(i-1, f.Operand(v, 0), f.Instr(v).Loc)
				p.recordStore(v, p.debug[i-1])
				f.Erase(v)
			}
		}
		v = next
	}
}

// pushSuccessors pushes the edges of a block so that the first one is followed
// first.
func (p *promoter) pushSuccessors(b ir.Block) {
	succs := p.f.Successors(b)
	for i := len(succs) - 1; i >= 0; i-- {
		s := succs[i].Value
		if !s.IsBlock() || slices.ContainsFunc(succs[i+1:], func(o ir.Operand) bool { return o.Value == s }) {
			continue
		}
		p.work = append(p.work, renameWork{s.Block(), b, len(p.undo)})
	}
}

// finish removes the allocas and simplifies the phis.
func (p *promoter) finish() {
	f := p.f
	for i, a := range p.allocas {
		if f.HasUses(a) { // in unreachable blocks
			f.ReplaceUses(a, f.Module().Poison(f.TypeOf(a)))
		}
		p.records = append(p.records[:0], p.debug[i]...)
		p.eraseRecords()
		f.Erase(a)
	}
	for again := true; again; {
		again = false
		kept := p.phis[:0]
		for _, x := range p.phis {
			v := p.simpler(x.phi)
			if v == ir.None {
				kept = append(kept, x)
				continue
			}
			if f.HasUses(x.phi) || f.FirstRecordUse(x.phi) != 0 {
				f.ReplaceUses(x.phi, v)
			}
			f.Erase(x.phi)
			again = true
		}
		p.phis = kept
	}
	for _, x := range p.phis {
		p.completePhi(x.phi)
	}
}

// simpler returns the replacement for a phi, or None.
func (p *promoter) simpler(phi ir.Value) ir.Value {
	return simplerPhi(p.f, phi, func(v ir.Value) bool {
		if f := p.f; v.IsLocal() && f.Op(v) != ir.OpArg {
			b, at := f.Parent(v), f.Parent(phi)
			return b != at && p.c.dom.Dominates(uint32(b), uint32(at))
		}
		return true
	})
}

// simplerPhi returns the replacement for a phi, or None. dominates reports
// whether a value is available at the start of the phi's block.
func simplerPhi(f *ir.Function, phi ir.Value, dominates func(ir.Value) bool) ir.Value {
	m := f.Module()
	common, undef, poison := ir.None, false, false
	for i, o := range f.Operands(phi) {
		v := o.Value
		switch {
		case i&1 == 1 || v == phi || v == common:
		case analysis.IsPoison(f, v):
			poison = true
		case analysis.IsUndef(f, v):
			undef = true
		case common != ir.None:
			return ir.None
		default:
			common = v
		}
	}
	t := f.TypeOf(phi)
	switch {
	case common == ir.None && undef:
		return m.Undef(t)
	case common == ir.None:
		return m.Poison(t)
	case undef && !analysis.NotPoison(f, common):
		return ir.None
	case (undef || poison) && !dominates(common):
		return ir.None
	}
	return common
}

// completePhi adds poison for the edges from unreachable blocks, which renaming
// does not follow.
func (p *promoter) completePhi(phi ir.Value) {
	f := p.f
	b := f.Parent(phi)
	preds := p.c.graph.Preds(uint32(b))
	if f.NumIncoming(phi) == len(preds) {
		return
	}
	poison := f.Module().Poison(f.TypeOf(phi))
	for i, pred := range preds {
		if i > 0 && preds[i-1] == pred || f.PhiIndex(phi, ir.Block(pred)) >= 0 {
			continue
		}
		for _, other := range preds[i:] {
			if other == pred {
				f.AddIncoming(phi, poison, ir.Block(pred))
			}
		}
	}
}
