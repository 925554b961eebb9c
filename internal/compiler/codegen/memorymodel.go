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
// scope determines the set of waves, and so the caches involved. The waits are
// soft (mir.Soft): the insertion of waits removes waits for counters without
// outstanding operations.
//
// Sources: AMDGPU user guide, "Memory Model", gfx6 to gfx10; LLVM,
// SIMemoryLegalizer.cpp, for later processors and stricter rules introduced
// since (gfx10 with CU mode).

// memoryModes holds the target settings that determine the waves sharing a
// cache.
type memoryModes struct {
	CU      bool // from gfx10 on: the waves of a work-group share a CU (cumode)
	TgSplit bool // gfx90a and gfx940: they may be on different CUs (tgsplit)
}

// memoryScope is the scope of a synchronization.
type memoryScope uint8

const (
	scopeThread memoryScope = iota
	scopeWave
	scopeGroup
	scopeGroupSplit // a work-group whose waves do not share a first-level cache
	scopeCluster
	scopeAgent
	scopeSystem
	numScopes
)

// scopes maps the scope names of LLVM IR to scopes, and to whether other
// address spaces are ordered as well. Processors without clusters treat a cluster as
// an agent.
var scopes = [...]struct {
	scope memoryScope
	cross bool
}{
	ir.SingleThread: {scopeThread, true}, ir.Wavefront: {scopeWave, true}, ir.Workgroup: {scopeGroup, true}, ir.Cluster: {scopeCluster, true},
	ir.Agent: {scopeAgent, true}, ir.System: {scopeSystem, true},
	ir.SingleThreadOneAS: {scopeThread, false}, ir.WavefrontOneAS: {scopeWave, false}, ir.WorkgroupOneAS: {scopeGroup, false},
	ir.ClusterOneAS: {scopeCluster, false}, ir.AgentOneAS: {scopeAgent, false}, ir.SystemOneAS: {scopeSystem, false},
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

// addressSpaces maps address spaces of LLVM IR to memories; unlisted ones are
// global.
var addressSpaces = [...]spaces{0: inGlobal | inLDS | inScratch, 1: inGlobal, 2: inGDS, 3: inLDS, 4: inGlobal, 5: inScratch, 6: inGlobal}

func spacesOf(addrSpace int) spaces {
	if addrSpace < len(addressSpaces) {
		return addressSpaces[addrSpace]
	}
	return inGlobal
}

// cacheOp is an instruction that writes back or invalidates caches.
type cacheOp struct {
	op   mir.Op
	cpol isa.CPol
}

// scopeRules holds the rules of a scope.
type scopeRules struct {
	load, store, rmw isa.CPol  // cache policies of atomic accesses
	release, acquire []cacheOp // for global memory
}

// memoryRules holds the rules of a generation.
type memoryRules struct {
	scopes                      [numScopes]scopeRules
	volatileLoad, volatileStore isa.CPol
	streamLoad, streamStore     isa.CPol // for nontemporal accesses
	clusters                    bool     // work-groups form clusters, which share a cache
	replays                     bool     // an instruction may execute again until its addresses are translated
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
	thNT     isa.CPol = 1 // for loads and stores
)

var memoryRulesOf = [isa.NumGens]*memoryRules{
	isa.Gen6: &rules6, isa.Gen7: &rules7, isa.Gen8: &rules7, isa.Gen9: &rules7, isa.Gen90A: &rules90A, isa.Gen940: &rules940,
	isa.Gen10: &rules10, isa.Gen11: &rules11, isa.Gen12: &rules12, isa.Gen1250: &rules125,
}

// rules6 and rules7 apply to write-through first-level caches of a CU. Loads of
// memory that waves on other CUs write bypass the cache.
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

// rules90A applies if the second-level cache may hold memory of other agents.
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

// dropL0 and dropL1 are the acquire operations from gfx10 on. The waves of a
// WGP have two first-level caches (L0) in front of their shader array's cache
// (L1).
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

// rules125 applies if dirty lines of other shader engines may be in the cache of
// a device.
var rules125 = memoryRules{
	scopes: [numScopes]scopeRules{
		scopeGroupSplit: {load: scopeSE, store: scopeSE, rmw: scopeSE, acquire: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeCluster:    {load: scopeSE, store: scopeSE, rmw: scopeSE, acquire: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeAgent: {load: scopeDev, store: scopeDev, rmw: scopeDev,
			release: []cacheOp{{mir.GlobalWb, scopeDev}}, acquire: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys,
			release: []cacheOp{{mir.GlobalWb, scopeSys}}, acquire: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT,
	clusters: true, replays: true,
}

// memoryModel implements the memory model in functions.
type memoryModel struct {
	f       *mir.Func
	modes   memoryModes
	rules   *memoryRules
	set     isa.Set
	loadLDS bool // the function loads from memory to LDS
}

// orderAccesses sets the cache policies of a function's accesses, inserts
// instructions that order them, and removes fences.
func (p *memoryModel) orderAccesses(f *mir.Func, modes memoryModes) {
	p.f, p.modes, p.set = f, modes, f.M.Set
	p.rules = memoryRulesOf[p.set.Gen()]
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
	if o.scope == scopeGroup && (p.modes.TgSplit && p.splits() || p.set.Has(isa.PropWgp) && !p.modes.CU) {
		o.scope = scopeGroupSplit
	}
	return o
}

// splits reports whether the generation has tgsplit.
func (p *memoryModel) splits() bool { return p.set.Has(isa.PropTgsplit) }

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
		p.policy(i, isa.CPolGLC) // returns the old value
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
	marker := p.after(i)
	p.waits(marker, &o, own, done, true)
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
	if o.releases() {
		p.release(i, &o)
	} else {
		p.waits(i, &o, o.ordered, loads|stores, false)
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
	load, store := isa.CPol(0), isa.CPol(0)
	if m.Flags&mir.MemNonTemporal != 0 && (m.Flags&mir.MemVolatile == 0 || p.set.Has(isa.PropCpolTh)) {
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
	w := waitcnt.NoLimits()
	if kind == stores && p.set.Gen() == isa.Gen12 { // system-scope stores must stay in order
		w[waitcnt.Load], w[waitcnt.Store], w[waitcnt.Scalar] = 0, 0, 0
		p.insert(w, i)
	}
	p.onlyOnce(i)
	w = waitcnt.NoLimits()
	p.waitVector(&w, kind)
	marker := p.after(i)
	p.insert(w, marker)
	p.f.Erase(marker)
}

// onlyOnce waits for the translations of earlier instructions before an access
// that others observe, so that it is not repeated with them.
func (p *memoryModel) onlyOnce(i mir.Instr) {
	if p.rules.replays && p.f.Info(i).Unit != mir.UnitDS {
		w := waitcnt.NoLimits()
		w[waitcnt.Translation] = 0
		p.insert(w, i)
	}
}

func (p *memoryModel) policy(i mir.Instr, c isa.CPol) {
	if p.f.Info(i).Unit != mir.UnitDS {
		p.f.SetMods(i, p.f.Mods(i)|mir.Mods(c))
	}
}

// release inserts instructions before at that make earlier accesses visible to
// others.
func (p *memoryModel) release(at mir.Instr, o *order) {
	if o.ordered&inGlobal != 0 {
		p.caches(at, p.rules.scopes[o.scope].release)
	}
	p.waits(at, o, o.ordered, loads|stores, false)
}

// acquire inserts instructions before at that make other waves' accesses visible.
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

// waits inserts waits for accesses to memories before an instruction. The
// accesses of a work-group's waves to one first-level cache complete in order.
// From gfx10 on, stores and loads may nevertheless overtake each other for
// waves of other scopes, on gfx12.5 for all. LDS and GDS complete accesses in
// order, so waits for them are only needed for other memories.
func (p *memoryModel) waits(at mir.Instr, o *order, of spaces, kind accessKind, after bool) {
	w := waitcnt.NoLimits()
	tgsplit := p.modes.TgSplit && p.splits()
	if tgsplit {
		of &^= inLDS // a split work-group has no LDS
	}
	vector := o.scope >= scopeGroupSplit || o.scope == scopeGroup && p.set.Has(isa.PropWgp) && (o.ordering != ir.Acquire || p.rules.clusters)
	if of&(inGlobal|inScratch) != 0 && vector {
		p.waitVector(&w, kind)
	}
	if of&inLDS != 0 && o.scope >= scopeGroup {
		if o.cross {
			w[waitcnt.LDS] = 0
		}
		if p.loadLDS && !after {
			w[waitcnt.Load] = 0
		}
	}
	if of&inGDS != 0 && o.cross && (o.scope >= scopeAgent || o.scope == scopeGroupSplit && tgsplit) {
		w[waitcnt.LDS] = 0
	}
	p.insert(w, at)
}

func (p *memoryModel) waitVector(w *waitcnt.Limits, kind accessKind) {
	if kind&loads != 0 || !p.set.Has(isa.PropVscnt) {
		w[waitcnt.Load] = 0
	}
	if kind&stores != 0 && p.set.Has(isa.PropVscnt) {
		w[waitcnt.Store] = 0
	}
}

func (p *memoryModel) insert(w waitcnt.Limits, at mir.Instr) {
	insertWaits(p.f, &w, at, mir.Soft)
}
