package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
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

// counter is one of a generation's counters.
type counter uint8

const (
	cntLoad   counter = iota // vmcnt, loadcnt: vector memory; before gfx10 its stores as well
	cntStore                 // vscnt, storecnt: stores from gfx10 on
	cntLDS                   // lgkmcnt, dscnt: LDS; before gfx12 scalar memory and messages as well
	cntScalar                // kmcnt: scalar memory and messages from gfx12 on
	cntExport                // expcnt; on gfx6 also the data of stores
	numCounters
)

// eventKind is a set of kinds of events. Events of different kinds complete out
// of order.
type eventKind uint8

const (
	kindVector eventKind = 1 << iota
	kindLDS
	kindScalar // complete out of order among themselves
	kindMessage
	kindExport
	kindFlat // vector memory or LDS
)

// outOfOrder reports whether the count does not reveal the completion of an
// event while events of the given kinds are outstanding.
func outOfOrder(kinds eventKind, inOrderFlat bool) bool {
	if inOrderFlat {
		kinds &^= kindFlat
	}
	return kinds&(kindScalar|kindFlat) != 0 || kinds&(kinds-1) != 0
}

// waitInsertion inserts waits in functions.
type waitInsertion struct {
	f      *mir.Func
	limits [numCounters]int // maximum count that an instruction can wait for, 0 for a missing counter
	state  [numCounters]counterState
	starts [][numCounters]counterStart // by block
	seen   []bool
	again  []bool // by block: its start state has changed
	index  []uint32
	soft   waits // soft waits that precede the next instruction
}

// run inserts the waits of a function whose operands are physical registers. A
// function other than a kernel begins by waiting for all operations that its
// caller has started, except stores, for which only fences wait.
func (p *waitInsertion) run(f *mir.Func, kernel bool) {
	p.f = f
	p.setLimits()
	for len(p.starts) < f.NumBlocks() {
		p.starts = append(p.starts, [numCounters]counterStart{})
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
	if limit := p.limits[cntStore]; !kernel && limit != 0 {
		x := &p.starts[f.Layout[0]][cntStore]
		x.count, x.kinds = limit+1, kindVector
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
	if first := f.First(f.Layout[0]); !kernel && first != 0 {
		w := p.allWaits()
		insertWaits(f, &w, first, 0)
	}
}

func (p *waitInsertion) setLimits() {
	s := p.f.M.Set
	p.limits = [numCounters]int{}
	if s.Gen() >= isa.Gen12 {
		p.limits = [numCounters]int{cntLoad: 63, cntStore: 63, cntLDS: 63, cntScalar: 31, cntExport: 7}
		return
	}
	p.limits[cntLoad] = int(isa.WaitcntMax(s, isa.VMCnt))
	p.limits[cntLDS] = int(isa.WaitcntMax(s, isa.LGKMCnt))
	p.limits[cntExport] = int(isa.WaitcntMax(s, isa.ExpCnt))
	if s.Gen() >= isa.Gen10 {
		p.limits[cntStore] = 63
	}
}

// allWaits returns waits for all operations that affect registers. Stores with
// their own counter are excluded.
func (p *waitInsertion) allWaits() waits {
	w := noWaits()
	for c := range w {
		if counter(c) != cntStore && p.limits[c] != 0 {
			w[c] = 0
		}
	}
	return w
}

// unknownStores records that an unknown number of stores may be outstanding.
func (p *waitInsertion) unknownStores() {
	if limit := p.limits[cntStore]; limit != 0 {
		p.state[cntStore].count, p.state[cntStore].kinds = limit+1, kindVector
	}
}

// block processes a block, and merges its end state with the start states of
// its successors.
func (p *waitInsertion) block(b mir.Block, insert bool) {
	f := p.f
	for c := range p.state {
		p.state[c].load(&p.starts[b][c])
	}
	p.soft = noWaits()
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		p.instr(i, insert)
		i = next
	}
	if insert {
		return
	}
	for _, s := range f.LinearSuccs(b) {
		for c := range p.state {
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
		p.soft.add(&w)
		if insert {
			f.Erase(i)
		}
		return
	}
	w := p.needs(i)
	w.add(&p.soft)
	p.soft = noWaits()
	for c, n := range w {
		if int(n) >= p.state[c].count { // fewer events are outstanding
			w[c] = noWait
		}
	}
	p.wait(&w)
	if insert && w.any() {
		insertWaits(f, &w, i, 0)
	}
	p.issue(i)
}

// needs returns the waits that an instruction requires.
func (p *waitInsertion) needs(i mir.Instr) waits {
	f := p.f
	w := noWaits()
	switch op := f.Op(i); {
	case op == mir.Return || op == mir.SSetpcB64:
		w = p.allWaits()
	case op == mir.SBarrier && f.M.Set.Gen() < isa.Gen90A:
		w = p.allWaits()
	}
	for _, o := range f.Operands(i) {
		if r := o.Reg(); r.IsPhys() {
			for k := range max(int(o.N), 1) {
				p.needsReg(&w, r+mir.Reg(k))
			}
		}
	}
	if x := f.Info(i); (x.Unit == mir.UnitDS || x.Unit == mir.UnitFlat) && x.Flags&(mir.MayLoad|mir.MayStore) != 0 {
		p.needsReg(&w, ldsContents)
	}
	return w
}

// ldsContents represents the LDS contents written by loads from memory to LDS.
const ldsContents = mir.SGPR0 + 200

func (p *waitInsertion) needsReg(w *waits, r mir.Reg) {
	for c := range p.state {
		s := &p.state[c]
		n, pending := s.after(r)
		if !pending {
			continue
		}
		n = min(n, p.limits[c]-1)
		if outOfOrder(s.kinds, p.f.M.Set.Gen() >= isa.Gen10) {
			n = 0
		}
		if w[c] == noWait || n < int(w[c]) {
			w[c] = int16(n)
		}
	}
}

// wait records that at most the given numbers of events are outstanding.
func (p *waitInsertion) wait(w *waits) {
	for c, n := range w {
		if n != noWait {
			p.state[c].wait(int(n))
		}
	}
}

// event is an instruction's effect on a counter.
type event struct {
	c    counter
	kind eventKind
}

// messages lists the instructions that count as messages.
var messages = []mir.Op{mir.SSendmsg, mir.SSendmsghalt, mir.SSendmsgRtnB32, mir.SSendmsgRtnB64, mir.SGetBarrierState,
	mir.SBarrierSignalIsfirst, mir.SBarrierLeave}

// writeBacks lists the cache write-back instructions, which count as stores.
var writeBacks = []mir.Op{mir.BufferWbl2, mir.GlobalWb, mir.GlobalWbinv}

// invalidations lists the cache invalidation instructions. They count as loads,
// but need no waits, because later loads follow them in order.
var invalidations = []mir.Op{mir.BufferInv, mir.BufferInvl2, mir.BufferWbinvl1, mir.BufferWbinvl1Sc, mir.BufferWbinvl1Vol, mir.BufferGl0Inv, mir.BufferGl1Inv, mir.GlobalInv}

// events returns an instruction's effects on the counters.
func (p *waitInsertion) events(i mir.Instr) (list [3]event, n int) {
	f := p.f
	x := f.Info(i)
	g := f.M.Set.Gen()
	add := func(c counter, k eventKind) {
		list[n] = event{c, k}
		n++
	}
	flat := x.Unit == mir.UnitFlat
	op := f.Op(i)
	if x.Unit == mir.UnitVMEM && slices.Contains(invalidations, op) {
		return list, 0
	}
	if store := x.Unit == mir.UnitVMEM && slices.Contains(writeBacks, op); store || x.Traits.Any(isa.TraitVm) {
		c := cntLoad
		if g >= isa.Gen10 && (store || x.Flags&mir.MayStore != 0 && len(f.Defs(i)) == 0 && !x.Traits.Any(isa.TraitLds)) {
			c = cntStore
		}
		k := kindVector
		if flat {
			k |= kindFlat
		}
		add(c, k)
	}
	switch {
	case x.Unit == mir.UnitSALU && slices.Contains(messages, op):
		add(p.scalarCounter(), kindMessage)
	case x.Unit == mir.UnitSMEM && (x.Flags&mir.MayLoad != 0 || x.Traits.Any(isa.TraitLgkm)):
		add(p.scalarCounter(), kindScalar)
	case flat && x.Traits.Any(isa.TraitLgkm):
		add(cntLDS, kindLDS|kindFlat)
	case x.Unit == mir.UnitDS && x.Traits.Any(isa.TraitLgkm):
		add(cntLDS, kindLDS)
	}
	if x.Traits.Any(isa.TraitExp) && g == isa.Gen6 && x.Flags&mir.MayStore != 0 {
		add(cntExport, kindVector)
	}
	return list, n
}

func (p *waitInsertion) scalarCounter() counter {
	if p.f.M.Set.Gen() >= isa.Gen12 {
		return cntScalar
	}
	return cntLDS
}

// issue records an instruction as outstanding, with the registers that it
// writes. On gfx6, these include the registers of a store, which reads them
// late.
func (p *waitInsertion) issue(i mir.Instr) {
	f := p.f
	if op := f.Op(i); op == mir.Call || op == mir.SSwappcB64 { // the callee has waited for everything except its stores
		for c := range p.state {
			p.state[c].clear()
		}
		p.unknownStores()
		return
	}
	list, n := p.events(i)
	for _, e := range list[:n] {
		s := &p.state[e.c]
		pos := s.event(e.kind, p.limits[e.c])
		if x := f.Info(i); x.Unit == mir.UnitVMEM && x.Traits.Any(isa.TraitLds) && x.Flags&mir.MayLoad != 0 {
			s.set(ldsContents, pos)
		}
		operands := f.Defs(i)
		if e.c == cntExport {
			operands = f.Uses(i)
		}
		for _, o := range operands {
			if r := o.Reg(); r.IsPhys() && (e.c != cntExport || f.File(r) == mir.FileV) {
				for k := range max(int(o.N), 1) {
					s.set(r+mir.Reg(k), pos)
				}
			}
		}
	}
}
