package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Insertion of waits.
//
// The results of memory instructions arrive later; counters hold the number of
// outstanding instructions. For each register, this pass tracks how many
// instructions of each counter were issued after the one that writes the
// register. That many may be outstanding when the register is read. It iterates
// over the blocks until the states at their starts converge: each is the union
// of the states at the ends of the linear predecessors.
//
// Sources: AMD's ISA documents, "Data dependency resolution"; user guide,
// "s_waitcnt"; LLVM, SIInsertWaitcnts.cpp, for out-of-order completion.

// waitCounters lists the counters that the pass follows. Programs wait for
// asynchronous transfers themselves.
var waitCounters = [...]waitcnt.Counter{waitcnt.Load, waitcnt.Store, waitcnt.LDS, waitcnt.Scalar, waitcnt.Export, waitcnt.Sample, waitcnt.BVH, waitcnt.Translation}

// eventKind is a set of streams of events, one bit each, and flatKind. Events of
// different streams complete out of order.
type eventKind uint32

// flatKind marks events that may not be counted: a FLAT instruction accesses
// vector memory or LDS.
const flatKind eventKind = 1 << waitcnt.NumStreams

// Kinds of translations by the counter of their instruction's completion: loads
// have neither.
const (
	storeKind eventKind = flatKind << 1 // counts in Store
	asyncKind eventKind = flatKind << 2 // counts in none of waitCounters
)

// outOfOrder reports whether the count does not reveal the completion of an
// event while events of the given kinds are outstanding.
func outOfOrder(kinds eventKind, inOrderFlat bool) bool {
	if inOrderFlat {
		kinds &^= flatKind
	}
	return kinds&(waitcnt.Unordered|1<<waitcnt.Message|flatKind) != 0 || kinds&(kinds-1) != 0
}

// waitInsertion inserts waits in functions.
type waitInsertion struct {
	f      *mir.Func
	limits [waitcnt.NumCounters]int // maximum count that an instruction can wait for, 0 for a counter that is not followed
	on     []waitcnt.Counter        // the others
	state  [waitcnt.NumCounters]counterState
	starts [][waitcnt.NumCounters]counterStart // by block
	seen   []bool
	again  []bool // by block: its start state has changed
	index  []uint32
	soft   waitcnt.Limits // soft waits that precede the next instruction
}

// insertWaits inserts the waits of a function whose operands are physical
// registers. A function other than a kernel begins by waiting for all
// operations that its caller has started, except stores, for which only fences
// wait.
func (p *waitInsertion) insertWaits(f *mir.Func, kernel bool) {
	p.f = f
	p.setLimits()
	for len(p.starts) < f.NumBlocks() {
		p.starts = append(p.starts, [waitcnt.NumCounters]counterStart{})
	}
	for n := range p.starts[:f.NumBlocks()] {
		for c := range p.starts[n] {
			p.starts[n][c] = counterStart{list: p.starts[n][c].list[:0]}
		}
	}
	if p.index == nil {
		p.index = make([]uint32, mir.NumPhys)
	}
	p.seen = zeroed(p.seen, f.NumBlocks())
	p.again = zeroed(p.again, f.NumBlocks())
	p.seen[f.Layout[0]], p.again[f.Layout[0]] = true, true
	if limit := p.limits[waitcnt.Store]; !kernel && limit != 0 {
		x := &p.starts[f.Layout[0]][waitcnt.Store]
		x.count, x.kinds = limit+1, 1<<waitcnt.Vector
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Layout {
			if p.again[b] {
				p.again[b] = false
				p.block(b, false)
				changed = true
			}
		}
	}
	for _, b := range f.Layout {
		p.block(b, true)
	}
	first := f.First(f.Layout[0])
	switch {
	case first == 0:
	case !kernel:
		w := p.allWaits()
		insertWaits(f, &w, first, 0)
	case p.limits[waitcnt.Translation] != 0:
		p.replayGroups(first)
	}
}

// replayGroups sets a bit of MODE at the start of a kernel: the hardware repeats
// all instructions whose addresses it could not translate, not only the first,
// so that it does not wait between instructions. Source: LLVM, as observed.
func (p *waitInsertion) replayGroups(first mir.Instr) {
	const modeReplay = 1 | 25<<6 // bit 25 of MODE, one bit wide
	i := p.f.NewInstr(mir.SSetregImm32B32, 0, mir.Imm(modeReplay), mir.Imm(1))
	p.f.InsertBefore(i, first)
}

func (p *waitInsertion) setLimits() {
	p.limits, p.on = [waitcnt.NumCounters]int{}, p.on[:0]
	for _, c := range waitCounters {
		if p.limits[c] = waitcnt.Max(p.f.M.Set, c); p.limits[c] != 0 {
			p.on = append(p.on, c)
		}
	}
}

// allWaits returns waits for all operations that affect registers. Stores with
// their own counter are excluded.
func (p *waitInsertion) allWaits() waitcnt.Limits {
	w := waitcnt.NoLimits()
	for _, c := range p.on {
		if c != waitcnt.Store && c != waitcnt.Translation {
			w[c] = 0
		}
	}
	return w
}

// unknownStores records that an unknown number of stores may be outstanding.
func (p *waitInsertion) unknownStores() {
	if limit := p.limits[waitcnt.Store]; limit != 0 {
		p.state[waitcnt.Store].count, p.state[waitcnt.Store].kinds = limit+1, 1<<waitcnt.Vector
	}
}

// block processes a block, and merges its end state with the start states of
// its successors.
func (p *waitInsertion) block(b mir.Block, insert bool) {
	f := p.f
	for _, c := range p.on {
		p.state[c].load(&p.starts[b][c])
	}
	p.soft = waitcnt.NoLimits()
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		p.instr(i, insert)
		i = next
	}
	if insert {
		return
	}
	for _, s := range f.LinearSuccs(b) {
		for _, c := range p.on {
			if p.starts[s][c].merge(&p.state[c], p.limits[c], p.seen[s], p.index) {
				p.again[s] = true
			}
		}
		if !p.seen[s] {
			p.seen[s], p.again[s] = true, true
		}
	}
}

// instr waits for an instruction's dependencies, and records the operations
// that it starts. Soft waits are merged with the waits of the following
// instruction.
func (p *waitInsertion) instr(i mir.Instr, insert bool) {
	f := p.f
	if w, ok := waitsOf(f, i); ok {
		if f.Flags(i)&mir.Soft == 0 {
			p.wait(&w)
			return
		}
		p.soft.Add(&w)
		if insert {
			f.Erase(i)
		}
		return
	}
	w := p.needs(i)
	w.Add(&p.soft)
	p.soft = waitcnt.NoLimits()
	for _, c := range p.on {
		if int(w[c]) >= p.state[c].count { // fewer events are outstanding
			w[c] = waitcnt.None
		}
	}
	p.waitOnce(&w)
	if insert && w.Any() {
		waitInside(f, &w, i)
		insertWaits(f, &w, i, 0)
	}
	p.issue(i)
}

// needs returns the waits that an instruction requires.
func (p *waitInsertion) needs(i mir.Instr) waitcnt.Limits {
	f := p.f
	w := waitcnt.NoLimits()
	switch op := f.Op(i); {
	case op == mir.Return || op == mir.Exit || op == mir.SSetpcB64:
		w = p.allWaits()
		p.needsTranslations(&w)
	case op == mir.Call || op == mir.SSwappcB64:
		p.needsTranslations(&w)
	case op == mir.SBarrier && !f.M.Set.Has(isa.PropBackoffBarrier):
		w = p.allWaits()
	}
	for n, o := range f.Operands(i) {
		if r := o.Reg(); r.IsPhys() {
			for k := range max(int(o.N), 1) {
				p.needsReg(&w, r+mir.Reg(k), n >= len(f.Defs(i)))
			}
		}
	}
	if s := &p.state[waitcnt.Export]; s.kinds&exportKinds != 0 && s.count > 0 && writesExec(f, i) {
		w[waitcnt.Export] = 0 // EXEC is among the sources
	}
	if p.limits[waitcnt.Translation] != 0 {
		p.overwrites(&w, i)
	}
	if x := f.Info(i); (x.Unit == mir.UnitDS || x.Unit == mir.UnitFlat) && x.Flags&(mir.MayLoad|mir.MayStore) != 0 {
		p.needsReg(&w, ldsContents, false)
	}
	return w
}

// ldsContents represents the LDS contents written by loads from memory to LDS.
const ldsContents = mir.SGPR0 + 200

// exportKinds are the events of exports and GDS instructions, which read
// registers late.
const exportKinds eventKind = 1<<waitcnt.Color | 1<<waitcnt.Position | 1<<waitcnt.Parameter | 1<<waitcnt.GlobalShare

// writesExec reports whether an instruction writes EXEC.
func writesExec(f *mir.Func, i mir.Instr) bool {
	if f.Info(i).Flags&mir.WritesExec != 0 {
		return true
	}
	for _, o := range f.Defs(i) {
		if o.Reg() == mir.Exec {
			return true
		}
	}
	return false
}

// needsReg adds the wait for an operand in register r. Exports do not conflict
// with instructions that only read it.
func (p *waitInsertion) needsReg(w *waitcnt.Limits, r mir.Reg, reads bool) {
	for _, c := range p.on {
		s := &p.state[c]
		n, pending := s.after(r)
		if !pending || c == waitcnt.Translation || c == waitcnt.Export && reads && s.kinds&^exportKinds == 0 {
			continue
		}
		n = min(n, p.limits[c]-1)
		if outOfOrder(s.kinds, waitcnt.FlatOrdered(p.f.M.Set)) {
			n = 0
		}
		if w[c] == waitcnt.None || n < int(w[c]) {
			w[c] = int16(n)
		}
	}
}

// needsTranslations adds a wait before unknown code, which may overwrite sources
// of instructions that execute again if an address cannot be translated.
func (p *waitInsertion) needsTranslations(w *waitcnt.Limits) {
	if p.limits[waitcnt.Translation] != 0 {
		w[waitcnt.Translation] = 0
	}
}

// overwrites adds the wait before an instruction that writes sources of such
// instructions. Results of vector memory instructions arrive after the
// translations of earlier ones.
func (p *waitInsertion) overwrites(w *waitcnt.Limits, i mir.Instr) {
	f := p.f
	s := &p.state[waitcnt.Translation]
	if s.count == 0 || s.kinds&(1<<waitcnt.ScalarMemory) == 0 && (f.Info(i).Unit == mir.UnitVMEM || f.Info(i).Unit == mir.UnitFlat) {
		return
	}
	for _, o := range f.Defs(i) {
		if !o.Reg().IsPhys() {
			continue
		}
		for k := range max(int(o.N), 1) {
			n, pending := s.after(o.Reg() + mir.Reg(k))
			if !pending {
				continue
			}
			if n = min(n, p.limits[waitcnt.Translation]-1); s.kinds&(1<<waitcnt.ScalarMemory) != 0 {
				n = 0
			}
			if at := &w[waitcnt.Translation]; *at == waitcnt.None || n < int(*at) {
				*at = int16(n)
			}
		}
	}
}

// translated records the translations that follow from waits: instructions that
// have completed, and other instructions of their stream before them.
func (p *waitInsertion) translated(w *waitcnt.Limits) {
	s := &p.state[waitcnt.Translation]
	switch load := int(w[waitcnt.Load]); {
	case s.count == 0 || s.kinds&asyncKind != 0:
	case p.state[waitcnt.Load].count == 0 && p.state[waitcnt.Store].count == 0 && p.state[waitcnt.Scalar].count == 0:
		s.wait(0)
	case s.kinds == 1<<waitcnt.ScalarMemory && p.state[waitcnt.Scalar].count == 0:
		s.wait(0)
	case s.kinds == 1<<waitcnt.Vector && load != waitcnt.None:
		s.wait(load)
	}
}

// waitOnce records waits, and removes the one for translations if the others
// include it.
func (p *waitInsertion) waitOnce(w *waitcnt.Limits) {
	t := w[waitcnt.Translation]
	w[waitcnt.Translation] = waitcnt.None
	p.wait(w)
	if s := &p.state[waitcnt.Translation]; t != waitcnt.None && s.count > int(t) {
		w[waitcnt.Translation] = t
		s.wait(int(t))
	}
}

// wait records that at most the given numbers of events are outstanding.
func (p *waitInsertion) wait(w *waitcnt.Limits) {
	for _, c := range p.on {
		if w[c] != waitcnt.None {
			p.state[c].wait(int(w[c]))
		}
	}
	if p.limits[waitcnt.Translation] != 0 {
		p.translated(w)
	}
}

// event is an instruction's effect on a counter.
type event struct {
	c    waitcnt.Counter
	kind eventKind
}

// events returns an instruction's effects on the counters. Cache invalidations
// have none here: they are counted, but need no waits, because later loads
// follow them in order.
func (p *waitInsertion) events(i mir.Instr) (list [waitcnt.MaxEvents]event, n int) {
	f := p.f
	x := f.Info(i)
	if x.Unit < mir.UnitSALU || x.Unit == mir.UnitVALU || x.Unit == mir.UnitMatrix || len(x.Encs) == 0 {
		return list, 0
	}
	k := x.Encs[0].Kinds()
	if k.Any(isa.KindCacheInv) {
		return list, 0
	}
	o := waitcnt.Op{Form: x.Form, Traits: x.Traits, Kinds: k, Result: len(f.Defs(i)) > 0, GDS: x.Form == isa.DS && f.Mods(i)&mir.GDS != 0}
	switch {
	case x.Form == isa.EXP:
		o.Target = uint32(f.Use(i, 0).Imm)
	case x.IsImage():
		o.Sampler = f.Use(i, mir.ImageSampler).Kind == mir.KindReg
	}
	flat := eventKind(0)
	if o.Flat() {
		flat = flatKind
	}
	all, count := o.Events(f.M.Set)
	for _, e := range all[:count] {
		if p.limits[e.Counter] == 0 {
			continue
		}
		if e.Counter == waitcnt.Load {
			e.Stream = e.Stream.Queue()
		}
		list[n] = event{e.Counter, 1<<e.Stream | flat}
		if e.Counter == waitcnt.Translation {
			list[n].kind = 1<<e.Stream | translationKind(all[:count])
		}
		n++
	}
	return list, n
}

// translationKind returns the kind of an instruction's translation.
func translationKind(all []waitcnt.Event) eventKind {
	for _, e := range all {
		switch e.Counter {
		case waitcnt.Store:
			return storeKind
		case waitcnt.Async:
			return asyncKind
		}
	}
	return 0
}

// issue records an instruction as outstanding, with the registers that it
// writes. These include the sources of exports and GDS instructions and, on gfx6,
// of stores, which are read late.
func (p *waitInsertion) issue(i mir.Instr) {
	f := p.f
	if op := f.Op(i); op == mir.Call || op == mir.SSwappcB64 { // the callee has waited for everything except its stores
		for _, c := range p.on {
			p.state[c].clear()
		}
		p.unknownStores()
		return
	}
	list, n := p.events(i)
	for _, e := range list[:n] {
		s := &p.state[e.c]
		if streams := s.kinds & (1<<waitcnt.Vector | 1<<waitcnt.ScalarMemory); e.c == waitcnt.Translation && streams != 0 && streams&e.kind == 0 {
			s.wait(0) // the hardware translates no addresses of both streams at once; after a join, either may be outstanding
		}
		pos := s.event(e.kind, p.limits[e.c])
		if x := f.Info(i); x.Unit == mir.UnitVMEM && x.Traits.Any(isa.TraitLds) && x.Flags&mir.MayLoad != 0 {
			s.setPosition(ldsContents, pos)
		}
		operands := f.Defs(i)
		if e.c == waitcnt.Export && e.kind != 1<<waitcnt.Direct || e.c == waitcnt.Translation {
			operands = f.Uses(i)
		}
		for _, o := range operands {
			if r := o.Reg(); r.IsPhys() && (e.c != waitcnt.Export || f.File(r) == mir.FileV) {
				for k := range max(int(o.N), 1) {
					s.setPosition(r+mir.Reg(k), pos)
				}
			}
		}
	}
}
