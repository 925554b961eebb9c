package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// The memory model: what an access or a fence with an ordering does to the caches, and what it waits for.
//
// What LLVM IR says of an access becomes bits of its cache policy; before one that releases, dirty lines are written
// back and earlier accesses are waited for; behind one that acquires, the access is waited for and lines that
// others may have written since are dropped. How far that must go depends on the scope: which waves have
// which caches in common. The waits are soft ones (mir.Soft): insertion of waits drops those that
// find nothing under way.
//
// Sources: AMDGPU user guide, "Memory Model", gfx6 to gfx10; LLVM, SIMemoryLegalizer.cpp, for later ones and where
// it has become stricter since (gfx10 with CU mode).

// memoryModes are the settings of a target that say which waves share a cache.
type memoryModes struct {
	CU      bool // gfx10 on: the waves of a work-group share a CU (cumode)
	TgSplit bool // gfx90a and gfx940: they need not (tgsplit)
}

// memoryScope is how far a synchronization goes.
type memoryScope uint8

const (
	scopeThread memoryScope = iota
	scopeWave
	scopeGroup
	scopeGroupSplit // a work-group whose waves have no first-level cache in common
	scopeAgent
	scopeSystem
	numScopes
)

// scopes gives the scope of what LLVM IR calls it, and whether other address spaces are ordered as well. Processors
// without clusters have those of one work-group.
var scopes = [...]struct {
	scope memoryScope
	cross bool
}{
	ir.SingleThread: {scopeThread, true}, ir.Wavefront: {scopeWave, true}, ir.Workgroup: {scopeGroup, true}, ir.Cluster: {scopeAgent, true},
	ir.Agent: {scopeAgent, true}, ir.System: {scopeSystem, true},
	ir.SingleThreadOneAS: {scopeThread, false}, ir.WavefrontOneAS: {scopeWave, false}, ir.WorkgroupOneAS: {scopeGroup, false},
	ir.ClusterOneAS: {scopeAgent, false}, ir.AgentOneAS: {scopeAgent, false}, ir.SystemOneAS: {scopeSystem, false},
}

// spaces is a set of memories.
type spaces uint8

const (
	inGlobal spaces = 1 << iota
	inLDS
	inScratch
	inGDS
	inAll = inGlobal | inLDS | inScratch | inGDS
)

// addressSpaces gives the memories of an address space of LLVM IR; those that are not listed are global.
var addressSpaces = [...]spaces{0: inGlobal | inLDS | inScratch, 1: inGlobal, 2: inGDS, 3: inLDS, 4: inGlobal, 5: inScratch, 6: inGlobal}

func spacesOf(addrSpace int) spaces {
	if addrSpace < len(addressSpaces) {
		return addressSpaces[addrSpace]
	}
	return inGlobal
}

// cacheOp is an instruction that writes caches back or drops what they hold.
type cacheOp struct {
	op   mir.Op
	cpol isa.CPol
}

// scopeRules is what a scope asks for.
type scopeRules struct {
	load, store, rmw isa.CPol  // of atomic accesses
	release, acquire []cacheOp // of global memory
}

// memoryRules are the rules of a generation.
type memoryRules struct {
	scopes                      [numScopes]scopeRules
	volatileLoad, volatileStore isa.CPol
	streamLoad, streamStore     isa.CPol // of nontemporal accesses
}

const (
	glc = isa.CPolGLC
	slc = isa.CPolSLC
	dlc = isa.CPolDLC
	sc0 = isa.CPolGLC
	sc1 = isa.CPolSCC
	nt  = isa.CPolSLC

	scopeSE  isa.CPol = 1 << isa.CPolScopeShift
	scopeDev isa.CPol = 2 << isa.CPolScopeShift
	scopeSys isa.CPol = 3 << isa.CPolScopeShift
	thNT     isa.CPol = 1 // of loads and stores
)

var memoryRulesOf = [isa.NumGens]*memoryRules{
	isa.Gen6: &rules6, isa.Gen7: &rules7, isa.Gen8: &rules7, isa.Gen9: &rules7, isa.Gen90A: &rules90A, isa.Gen940: &rules940,
	isa.Gen10: &rules10, isa.Gen11: &rules11, isa.Gen12: &rules12, isa.Gen1250: &rules12,
}

// rules6 and rules7: the first-level cache of a CU writes through, and loads of what others than its own waves write go past it.
var rules6 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeAgent:  {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1, 0}}},
		scopeSystem: {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

var rules7 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeAgent:  {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeSystem: {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

// rules90A: memory of other agents may be in the second-level cache.
var rules90A = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroupSplit: {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeAgent:      {load: glc, acquire: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeSystem: {load: glc, release: []cacheOp{{mir.BufferWbl2, 0}},
			acquire: []cacheOp{{mir.BufferInvl2, 0}, {mir.BufferWbinvl1Vol, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

var rules940 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroup:      {load: sc0, store: sc0},
		scopeGroupSplit: {load: sc0, store: sc0, acquire: []cacheOp{{mir.BufferInv, sc0}}},
		scopeAgent:      {load: sc1, store: sc1, release: []cacheOp{{mir.BufferWbl2, sc1}}, acquire: []cacheOp{{mir.BufferInv, sc1}}},
		scopeSystem: {load: sc0 | sc1, store: sc0 | sc1, rmw: sc1,
			release: []cacheOp{{mir.BufferWbl2, sc0 | sc1}}, acquire: []cacheOp{{mir.BufferInv, sc0 | sc1}}},
	},
	volatileLoad: sc0 | sc1, volatileStore: sc0 | sc1, streamLoad: nt, streamStore: nt,
}

// dropL0 and dropL1 are what acquires do from gfx10 on: waves of a WGP have two first-level caches (L0) before
// that of their shader array (L1).
var (
	dropL0 = []cacheOp{{mir.BufferGl0Inv, 0}}
	dropL1 = []cacheOp{{mir.BufferGl1Inv, 0}, {mir.BufferGl0Inv, 0}}
)

var rules10 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroupSplit: {load: glc, acquire: dropL0},
		scopeAgent:      {load: glc | dlc, acquire: dropL1},
		scopeSystem:     {load: glc | dlc, acquire: dropL1},
	},
	volatileLoad: glc | dlc, streamLoad: slc, streamStore: glc | slc,
}

var rules11 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroupSplit: {load: glc, acquire: dropL0},
		scopeAgent:      {load: glc, acquire: dropL1},
		scopeSystem:     {load: glc, acquire: dropL1},
	},
	volatileLoad: glc | dlc, volatileStore: dlc, streamLoad: slc | dlc, streamStore: glc | slc | dlc,
}

var rules12 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroupSplit: {load: scopeSE, store: scopeSE, rmw: scopeSE, acquire: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeAgent:      {load: scopeDev, store: scopeDev, rmw: scopeDev, acquire: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys,
			release: []cacheOp{{mir.GlobalWb, scopeSys}}, acquire: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT,
}

// memoryModel carries the memory model out in one function after the other.
type memoryModel struct {
	f       *mir.Func
	modes   memoryModes
	rules   *memoryRules
	gen     isa.Gen
	loadLDS bool // there are loads from memory into LDS
}

// run gives the accesses of a function their cache policies, inserts what orders them and removes its fences.
func (p *memoryModel) run(f *mir.Func, modes memoryModes) {
	p.f, p.modes, p.gen = f, modes, f.M.Set.Gen()
	p.rules = memoryRulesOf[p.gen]
	p.loadLDS = p.findLoadLDS()
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			m := f.Mem(i)
			switch u := f.Info(i).Unit; {
			case f.Op(i) == mir.Fence:
				p.fence(i, m)
				f.Erase(i)
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

// order is what an access or a fence asks for.
type order struct {
	ordering ir.Ordering
	scope    memoryScope
	cross    bool   // other memories than its own are ordered, too
	ordered  spaces // whose accesses are ordered
}

// orderOf finds out what an access to some memories asks for. Nobody else sees scratch memory, and only the
// work-group sees LDS.
func (p *memoryModel) orderOf(m *mir.Mem, own spaces) order {
	o := order{ordering: m.Ordering, scope: scopeSystem, cross: true, ordered: inAll}
	if int(m.Scope) < len(scopes) {
		o.scope, o.cross = scopes[m.Scope].scope, scopes[m.Scope].cross
	}
	if !o.cross {
		o.ordered = own
	}
	switch {
	case own&^inScratch == 0:
		o.scope = min(o.scope, scopeThread)
	case own&^(inScratch|inLDS) == 0:
		o.scope = min(o.scope, scopeGroup)
	case own&^(inScratch|inLDS|inGDS) == 0:
		o.scope = min(o.scope, scopeAgent)
	}
	if o.scope == scopeGroup && (p.modes.TgSplit && p.splits() || p.gen >= isa.Gen10 && !p.modes.CU) {
		o.scope = scopeGroupSplit
	}
	return o
}

// splits reports whether the generation has tgsplit.
func (p *memoryModel) splits() bool { return p.gen == isa.Gen90A || p.gen == isa.Gen940 }

func (o *order) acquires() bool {
	return o.ordering == ir.Acquire || o.ordering == ir.AcqRel || o.ordering == ir.SeqCst
}

func (o *order) releases() bool {
	return o.ordering == ir.Release || o.ordering == ir.AcqRel || o.ordering == ir.SeqCst
}

// accessKind is what an access does.
type accessKind uint8

const (
	loads accessKind = 1 << iota
	stores
)

// access sees to one load, store or atomic operation.
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
		p.policy(i, isa.CPolGLC) // gives the old value
	}
	if m.Ordering < ir.Monotonic && kind != loads|stores {
		p.plain(i, &m, kind)
		return
	}
	own := spacesOf(int(m.AddrSpace))
	o := p.orderOf(&m, own)
	rules := &p.rules.scopes[o.scope]
	switch kind {
	case loads:
		p.policy(i, rules.load)
	case stores:
		p.policy(i, rules.store)
	default:
		p.policy(i, rules.rmw)
	}
	switch {
	case kind == loads && o.ordering == ir.SeqCst:
		p.waits(i, &o, o.ordered, loads|stores, false)
	case kind&stores != 0 && o.releases():
		p.release(i, &o)
	}
	if kind&loads == 0 || !o.acquires() {
		return
	}
	done := loads
	if len(f.Defs(i)) == 0 {
		done = stores // of an atomic operation that gives nothing back
	}
	behind := p.behind(i)
	p.waits(behind, &o, own, done, true)
	p.acquire(behind, &o)
	f.Erase(behind)
}

// behind puts an instruction behind another one, which marks the place and is to be erased.
func (p *memoryModel) behind(i mir.Instr) mir.Instr {
	mark := p.f.NewInstr(mir.Undefined, 0)
	p.f.InsertAfter(mark, i)
	return mark
}

// fence does what a fence asks for in its place.
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
	if o.releases() {
		p.release(i, &o)
	} else {
		p.waits(i, &o, o.ordered, loads|stores, false)
	}
	if o.acquires() {
		p.acquire(i, &o)
	}
}

// plain sees to an access that is not atomic. What is volatile is done before anything else is begun.
func (p *memoryModel) plain(i mir.Instr, m *mir.Mem, kind accessKind) {
	if p.f.Info(i).Unit == mir.UnitDS {
		return
	}
	load, store := isa.CPol(0), isa.CPol(0)
	if m.Flags&mir.MemNonTemporal != 0 && (m.Flags&mir.MemVolatile == 0 || p.gen >= isa.Gen12) {
		load, store = p.rules.streamLoad, p.rules.streamStore
	}
	if m.Flags&mir.MemVolatile != 0 {
		load, store = load|p.rules.volatileLoad, store|p.rules.volatileStore
	}
	if kind == loads {
		p.policy(i, load)
	} else {
		p.policy(i, store)
	}
	if m.Flags&mir.MemVolatile == 0 {
		return
	}
	w := noWaits()
	if kind == stores && p.gen == isa.Gen12 { // what is stored for all of the system must not overtake
		w[cntLoad], w[cntStore], w[cntScalar] = 0, 0, 0
		p.insert(w, i)
	}
	w = noWaits()
	p.waitVector(&w, kind)
	behind := p.behind(i)
	p.insert(w, behind)
	p.f.Erase(behind)
}

func (p *memoryModel) policy(i mir.Instr, c isa.CPol) {
	if p.f.Info(i).Unit != mir.UnitDS {
		p.f.SetMods(i, p.f.Mods(i)|mir.Mods(c))
	}
}

// release puts before an instruction what makes earlier accesses seen by others.
func (p *memoryModel) release(at mir.Instr, o *order) {
	if o.ordered&inGlobal != 0 {
		p.caches(at, p.rules.scopes[o.scope].release)
	}
	p.waits(at, o, o.ordered, loads|stores, false)
}

// acquire puts before an instruction what makes accesses of others seen.
func (p *memoryModel) acquire(at mir.Instr, o *order) {
	if o.ordered&inGlobal != 0 {
		p.caches(at, p.rules.scopes[o.scope].acquire)
	}
}

func (p *memoryModel) caches(at mir.Instr, list []cacheOp) {
	for _, c := range list {
		i := p.f.NewInstr(c.op, 0)
		p.f.SetMods(i, mir.Mods(c.cpol))
		p.f.SetLoc(i, p.f.Loc(at))
		p.f.InsertBefore(i, at)
	}
}

// waits puts waits for accesses to memories before an instruction. The accesses of a work-group's waves to one first-level cache are
// done in their order, but from gfx10 on a store and a load may overtake each other for waves of other scopes
// that read the flag. LDS and GDS do all in order, so that they are waited for only for the sake of others.
func (p *memoryModel) waits(at mir.Instr, o *order, of spaces, kind accessKind, after bool) {
	w := noWaits()
	tgsplit := p.modes.TgSplit && p.splits()
	if tgsplit {
		of &^= inLDS // a work-group that is split has none
	}
	vector := o.scope >= scopeGroupSplit || o.scope == scopeGroup && p.gen >= isa.Gen10 && o.ordering != ir.Acquire
	if of&(inGlobal|inScratch) != 0 && vector {
		p.waitVector(&w, kind)
	}
	if of&inLDS != 0 && o.scope >= scopeGroup {
		if o.cross {
			w[cntLDS] = 0
		}
		if p.loadLDS && !after {
			w[cntLoad] = 0
		}
	}
	if of&inGDS != 0 && o.cross && (o.scope >= scopeAgent || o.scope == scopeGroupSplit && tgsplit) {
		w[cntLDS] = 0
	}
	p.insert(w, at)
}

func (p *memoryModel) waitVector(w *waits, kind accessKind) {
	if kind&loads != 0 || p.gen < isa.Gen10 {
		w[cntLoad] = 0
	}
	if kind&stores != 0 && p.gen >= isa.Gen10 {
		w[cntStore] = 0
	}
}

func (p *memoryModel) insert(w waits, at mir.Instr) {
	insertWaits(p.f, &w, at, mir.Soft)
}
