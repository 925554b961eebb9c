package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// The memory model: effects of an access's or fence's ordering on caches, and
// the waits that it requires.
//
// Orderings of LLVM IR become bits of the cache policy. A release writes back
// dirty lines and waits for earlier accesses before it. An acquire waits for
// the access, then invalidates lines that other waves may have written. The
// scope determines the set of waves, and so the caches involved
// (memorytables.go). The waits are soft (mir.Soft): the insertion of waits
// removes waits for counters without outstanding operations.

// memoryModes holds the target settings that determine the waves sharing a
// cache.
type memoryModes struct {
	CU      bool // from gfx10 on: the waves of a work-group share a CU (cumode)
	TgSplit bool // gfx90a and gfx940: they may be on different CUs (tgsplit)
}

// rulesOf returns the table of a set in a mode.
func rulesOf(s isa.Set, modes memoryModes) *memoryRules {
	t := &memoryTables[s.Gen()]
	if s.Has(isa.PropTgsplit) && modes.TgSplit || s.Has(isa.PropWgp) && !modes.CU {
		return t.several
	}
	return t.one
}

// memoryModel implements the memory model in functions.
type memoryModel struct {
	f       *mir.Func
	rules   *memoryRules
	set     isa.Set
	loadLDS bool // the function loads from memory to LDS
	cells   *MemoryCells
	at      MemoryCell // the row, while cells is not nil
}

// orderAccesses sets the cache policies of a function's accesses, inserts
// instructions that order them, and removes fences.
func (p *memoryModel) orderAccesses(f *mir.Func, modes memoryModes) {
	p.f, p.set = f, f.M.Set
	p.rules = rulesOf(p.set, modes)
	p.loadLDS = p.findLoadLDS()
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			m := f.Mem(i)
			switch u := f.Info(i).Unit; {
			case f.Op(i) == mir.Fence:
				p.fence(i, m)
				noteFence(f, i, m)
				f.Erase(i)
			case isFence(f, i):
				f.SetFlags(i, f.Flags(i)|fullFence)
			case m != nil && u >= mir.UnitVMEM && f.Info(i).Flags&(mir.MayLoad|mir.MayStore) != 0:
				p.access(i, *m)
			}
			i = next
		}
	}
}

func (p *memoryModel) findLoadLDS() bool {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if x := f.Info(i); x.Unit == mir.UnitVMEM && x.Traits.Any(isa.TraitLds) {
				return true
			}
		}
	}
	return false
}

// order holds the requirements of an access or fence.
type order struct {
	ordering ir.Ordering
	scope    memoryScope
	cross    bool   // also orders memories other than its own
	ordered  spaces // the memories whose accesses are ordered
}

// orderOf returns the requirements of an access to some memories. Scratch
// memory is private to the lane, and LDS is shared only within the work-group.
func (p *memoryModel) orderOf(m *mir.Mem, own spaces) order {
	o := order{ordering: m.Ordering, scope: scopeSystem, cross: true, ordered: inAll}
	if int(m.Scope) < len(scopes) {
		o.scope, o.cross = scopes[m.Scope].scope, scopes[m.Scope].cross
	}
	if !o.cross {
		o.ordered = own
	}
	if o.scope == scopeCluster && !p.rules.clusters {
		o.scope = scopeAgent
	}
	switch {
	case own&^inScratch == 0:
		o.scope = min(o.scope, scopeThread)
	case own&^(inScratch|inLDS) == 0:
		o.scope = min(o.scope, scopeGroup)
	case own&^(inScratch|inLDS|inGDS) == 0:
		o.scope = min(o.scope, scopeAgent)
	}
	return o
}

func (o *order) acquires() bool {
	return o.ordering == ir.Acquire || o.ordering == ir.AcqRel || o.ordering == ir.SeqCst
}

func (o *order) releases() bool {
	return o.ordering == ir.Release || o.ordering == ir.AcqRel || o.ordering == ir.SeqCst
}

// accessKind is the kind of an access.
type accessKind uint8

const (
	loads accessKind = 1 << iota
	stores
)

// access handles one load, store or atomic operation.
func (p *memoryModel) access(i mir.Instr, m mir.Mem) {
	f := p.f
	flags := f.Info(i).Flags
	var kind accessKind
	if flags&mir.MayLoad != 0 {
		kind |= loads
	}
	if flags&mir.MayStore != 0 {
		kind |= stores
	}
	if kind == loads|stores && f.Info(i).Unit != mir.UnitDS && len(f.Defs(i)) > 0 {
		f.SetMods(i, f.Mods(i)|mir.Mods(isa.CPolGLC)) // returns the old value
	}
	if m.Ordering < ir.Monotonic && kind != loads|stores {
		p.plain(i, &m, kind)
		return
	}
	own := spacesOf(int(m.AddrSpace))
	if own == inScratch && p.set.Has(isa.PropScratchGlobal) { // other lanes may have its flat address
		own = spacesOf(addrspace.Flat)
	}
	o := p.orderOf(&m, own)
	rules := &p.rules.scopes[o.scope]
	switch kind {
	case loads:
		p.row(opLoad, o.scope)
		p.policy(i, rules.load)
	case stores:
		p.row(opStore, o.scope)
		p.policy(i, rules.store)
	default:
		p.row(opRMW, o.scope)
		p.policy(i, rules.rmw)
	}
	switch {
	case kind == loads && o.ordering == ir.SeqCst:
		p.waits(i, &o, o.ordered&rules.release, loads|stores, cellBefore)
	case kind&stores != 0 && o.releases():
		p.release(i, &o)
	}
	if kind&stores != 0 {
		p.onlyOnce(i)
	}
	if kind&loads == 0 || !o.acquires() {
		return
	}
	done := loads
	if len(f.Defs(i)) == 0 {
		done = stores // an atomic operation without a result
	}
	of := rules.acquire
	if o.releases() {
		of |= rules.both
	}
	marker := p.after(i)
	p.waits(marker, &o, own&of, done, cellAfter)
	p.acquire(marker, &o)
	f.Erase(marker)
}

// after inserts an instruction after another one. It marks the position and
// must be erased.
func (p *memoryModel) after(i mir.Instr) mir.Instr {
	mark := p.f.NewInstr(mir.Undefined, 0)
	p.f.InsertAfter(mark, i)
	return mark
}

// fence replaces a fence by the instructions that implement it.
func (p *memoryModel) fence(i mir.Instr, m *mir.Mem) {
	own := spaces(0)
	for n := range 64 {
		if m.Size>>n&1 != 0 {
			own |= spacesOf(n)
		}
	}
	if own == 0 {
		own = inAll
	}
	o := p.orderOf(m, own)
	o.ordered = own
	p.row(opFence, o.scope)
	if o.releases() {
		o.cross = true // a barrier may follow, which is not ordered with LDS
		p.release(i, &o)
	} else {
		p.waits(i, &o, o.ordered&p.rules.scopes[o.scope].acquire, loads|stores, cellBefore)
	}
	if o.acquires() {
		p.acquire(i, &o)
	}
}

// plain handles an access that is not atomic. A volatile access completes
// before anything else begins.
func (p *memoryModel) plain(i mir.Instr, m *mir.Mem, kind accessKind) {
	if p.f.Info(i).Unit == mir.UnitDS {
		return
	}
	volatile := m.Flags&mir.MemVolatile != 0
	load, store := isa.CPol(0), isa.CPol(0)
	switch hint := !volatile || p.rules.withVolatile; {
	case m.Flags&mir.MemLastUse != 0 && p.rules.lastUse != 0:
		load = p.rules.lastUse
	case m.Flags&mir.MemNonTemporal != 0 && hint:
		load, store = p.rules.streamLoad, p.rules.streamStore
	}
	if volatile {
		load, store = load|p.rules.volatileLoad, store|p.rules.volatileStore
	}
	if kind == loads {
		p.row(opLoad, scopeThread)
		p.policy(i, load)
	} else {
		p.row(opStore, scopeThread)
		p.policy(i, store)
	}
	if !volatile {
		if kind == stores && m.Ordering == ir.Unordered {
			p.onlyOnce(i)
		}
		return
	}
	if kind == stores && p.rules.systemStores {
		w := waitcnt.NoLimits()
		w[waitcnt.Load], w[waitcnt.Store], w[waitcnt.Scalar] = 0, 0, 0
		p.insert(&w, i, cellBefore)
	}
	p.onlyOnce(i)
	w := waitcnt.NoLimits()
	p.waitVector(&w, kind)
	marker := p.after(i)
	p.insert(&w, marker, cellAfter)
	p.f.Erase(marker)
}

// onlyOnce waits for the translations of earlier instructions before an access
// that others observe, so that it is not repeated with them.
func (p *memoryModel) onlyOnce(i mir.Instr) {
	if p.rules.replays && p.f.Info(i).Unit != mir.UnitDS {
		w := waitcnt.NoLimits()
		w[waitcnt.Translation] = 0
		p.insert(&w, i, cellBefore)
	}
}

func (p *memoryModel) policy(i mir.Instr, c isa.CPol) {
	if p.f.Info(i).Unit != mir.UnitDS {
		if p.cells != nil {
			c = p.cells.policy(p.at, p.set, c)
		}
		p.f.SetMods(i, p.f.Mods(i)|mir.Mods(c))
	}
}

// release inserts instructions before at that make earlier accesses visible to
// others.
func (p *memoryModel) release(at mir.Instr, o *order) {
	rules := &p.rules.scopes[o.scope]
	if o.ordered&inGlobal != 0 {
		p.caches(at, rules.writeback, cellBefore)
	}
	p.waits(at, o, o.ordered&rules.release, loads|stores, cellBefore)
}

// acquire inserts instructions before at that make other waves' accesses visible.
func (p *memoryModel) acquire(at mir.Instr, o *order) {
	if o.ordered&inGlobal != 0 {
		p.caches(at, p.rules.scopes[o.scope].invalidate, cellAfter)
	}
}

func (p *memoryModel) caches(at mir.Instr, list []cacheOp, place cellPlace) {
	for _, c := range list {
		if p.cells != nil && !p.cells.has(p.at.with(place, c.name())) {
			continue
		}
		i := p.f.NewInstr(c.op, 0)
		p.f.SetMods(i, mir.Mods(c.cpol))
		p.f.SetLoc(i, p.f.Loc(at))
		p.f.InsertBefore(i, at)
	}
}

// waits inserts waits for accesses to memories before an instruction. From gfx10
// on, loads and stores have counters of their own. LDS and GDS complete
// accesses in order, so waits for them are only needed for other memories, and
// for loads from memory to LDS.
func (p *memoryModel) waits(at mir.Instr, o *order, of spaces, kind accessKind, place cellPlace) {
	w := waitcnt.NoLimits()
	if of&inVector != 0 {
		p.waitVector(&w, kind)
	}
	if of&(inLDS|inGDS) != 0 && o.cross {
		w[waitcnt.LDS] = 0
	}
	if of&inLDS != 0 && p.loadLDS && place == cellBefore {
		w[waitcnt.Load] = 0
	}
	p.insert(&w, at, place)
}

func (p *memoryModel) waitVector(w *waitcnt.Limits, kind accessKind) {
	if kind&loads != 0 || !p.set.Has(isa.PropVscnt) {
		w[waitcnt.Load] = 0
	}
	if kind&stores != 0 && p.set.Has(isa.PropVscnt) {
		w[waitcnt.Store] = 0
	}
}

func (p *memoryModel) insert(w *waitcnt.Limits, at mir.Instr, place cellPlace) {
	if p.cells != nil {
		p.cells.waits(p.at, p.set, w, place)
	}
	insertWaits(p.f, w, at, mir.Soft)
}

// row sets the row of the table that applies, for cells.
func (p *memoryModel) row(op cellOp, scope memoryScope) {
	if p.cells != nil {
		p.at = MemoryCell{Table: p.rules.name, Op: op.String(), Scope: scopeNames[scope]}
	}
}
