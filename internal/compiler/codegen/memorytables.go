package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// The tables of the memory model: one for each generation and mode, one row for
// each scope. Sources: AMDGPU user guide, "Memory Model", gfx6 to gfx10; LLVM,
// SIMemoryLegalizer.cpp, for later processors and for stricter rules introduced
// since. docs/memorymodel.md lists the cells that differ from either.

// memoryScope is the scope of a synchronization.
type memoryScope uint8

const (
	scopeThread memoryScope = iota
	scopeWave
	scopeGroup
	scopeCluster
	scopeAgent
	scopeSystem
	numScopes
)

var scopeNames = [numScopes]string{"singlethread", "wavefront", "workgroup", "cluster", "agent", "system"}

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
	inVector = inGlobal | inScratch // accessed by vector memory instructions
	inAll    = inVector | inLDS | inGDS
)

// addressSpaces maps address spaces of LLVM IR to memories; unlisted ones are
// global.
var addressSpaces = [...]spaces{0: inVector | inLDS, 1: inGlobal, 2: inGDS, 3: inLDS, 4: inGlobal, 5: inScratch, 6: inGlobal}

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

// scopeRules is a row of a table: the code of atomic operations and fences of a
// scope, in the order of its columns.
//
// A release consists of writeback, a wait for earlier accesses to the memories
// in release, and the operation. A sequentially consistent load waits likewise. An acquire consists of the
// operation, a wait for it if its memory is in acquire, and invalidate. An
// operation that acquires and releases also waits for the memories in both.
type scopeRules struct {
	load, store, rmw isa.CPol // cache policies of atomic accesses
	writeback        []cacheOp
	release          spaces
	acquire          spaces
	both             spaces
	invalidate       []cacheOp
}

// memoryRules is the table of a generation and mode.
type memoryRules struct {
	name                        string
	scopes                      [numScopes]scopeRules
	volatileLoad, volatileStore isa.CPol
	streamLoad, streamStore     isa.CPol // for nontemporal accesses
	lastUse                     isa.CPol // for loads of data that are not used again
	withVolatile                bool     // the policies of volatile and nontemporal accesses combine
	clusters                    bool     // work-groups form clusters, which share a cache
	replays                     bool     // an instruction may execute again until its addresses are translated
	systemStores                bool     // a store of system scope may overtake earlier accesses
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
	thLU     isa.CPol = 3 // for loads
)

// memoryTables lists the tables by generation: for work-groups on one compute
// unit, and for work-groups whose waves are on several of them (tgsplit, WGP
// mode).
var memoryTables = [isa.NumGens]struct{ one, several *memoryRules }{
	isa.Gen6: {&rules6, &rules6}, isa.Gen7: {&rules7, &rules7}, isa.Gen8: {&rules7, &rules7}, isa.Gen9: {&rules7, &rules7},
	isa.Gen90A: {&rules90A, &rules90ASplit}, isa.Gen940: {&rules940, &rules940Split},
	isa.Gen10: {&rules10CU, &rules10WGP}, isa.Gen11: {&rules11CU, &rules11WGP}, isa.Gen12: {&rules12CU, &rules12WGP},
	isa.Gen1250: {&rules125CU, &rules125WGP},
}

// The waves of a work-group share a first-level cache on gfx6 to gfx9 and in CU
// mode. It keeps their accesses in order, but waves elsewhere
// learn of them through another wave's wider release. So a release of the
// work-group waits for vector memory, and its acquire does not.

// rules6 and rules7 apply to write-through first-level caches of a CU. Loads of
// memory that waves on other CUs write bypass the cache.
var rules6 = memoryRules{
	name: "gfx6",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {release: inVector | inLDS, acquire: inLDS},
		scopeAgent:  {load: glc, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.BufferWbinvl1, 0}}},
		scopeSystem: {load: glc, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.BufferWbinvl1, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

var rules7 = memoryRules{
	name: "gfx7-9",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {release: inVector | inLDS, acquire: inLDS},
		scopeAgent:  {load: glc, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeSystem: {load: glc, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

// rules90A applies if the second-level cache may hold memory of other agents.
var rules90A = memoryRules{
	name: "gfx90a",
	scopes: [numScopes]scopeRules{
		scopeGroup: {release: inVector | inLDS, acquire: inLDS},
		scopeAgent: {load: glc, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeSystem: {load: glc, writeback: []cacheOp{{mir.BufferWbl2, 0}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.BufferInvl2, 0}, {mir.BufferWbinvl1Vol, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

// A split work-group has no LDS.
const inSplit = inVector | inGDS

var rules90ASplit = memoryRules{
	name: "gfx90a tgsplit",
	scopes: [numScopes]scopeRules{
		scopeGroup: {load: glc, release: inSplit, acquire: inSplit, invalidate: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeAgent: {load: glc, release: inSplit, acquire: inSplit, invalidate: []cacheOp{{mir.BufferWbinvl1Vol, 0}}},
		scopeSystem: {load: glc, writeback: []cacheOp{{mir.BufferWbl2, 0}}, release: inSplit, acquire: inSplit,
			invalidate: []cacheOp{{mir.BufferInvl2, 0}, {mir.BufferWbinvl1Vol, 0}}},
	},
	volatileLoad: glc, streamLoad: glc | slc, streamStore: glc | slc,
}

// rules940 has bits for the scope: none for a wave, sc0 for a work-group, sc1
// for an agent, both for the system.
var rules940 = memoryRules{
	name: "gfx942",
	scopes: [numScopes]scopeRules{
		scopeGroup: {load: sc0, store: sc0, release: inVector | inLDS, acquire: inLDS},
		scopeAgent: {load: sc1, store: sc1, writeback: []cacheOp{{mir.BufferWbl2, sc1}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.BufferInv, sc1}}},
		scopeSystem: {load: sc0 | sc1, store: sc0 | sc1, rmw: sc1, writeback: []cacheOp{{mir.BufferWbl2, sc0 | sc1}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.BufferInv, sc0 | sc1}}},
	},
	volatileLoad: sc0 | sc1, volatileStore: sc0 | sc1, streamLoad: nt, streamStore: nt,
}

var rules940Split = memoryRules{
	name: "gfx942 tgsplit",
	scopes: [numScopes]scopeRules{
		scopeGroup: {load: sc0, store: sc0, release: inSplit, acquire: inSplit, invalidate: []cacheOp{{mir.BufferInv, sc0}}},
		scopeAgent: {load: sc1, store: sc1, writeback: []cacheOp{{mir.BufferWbl2, sc1}}, release: inSplit, acquire: inSplit,
			invalidate: []cacheOp{{mir.BufferInv, sc1}}},
		scopeSystem: {load: sc0 | sc1, store: sc0 | sc1, rmw: sc1, writeback: []cacheOp{{mir.BufferWbl2, sc0 | sc1}}, release: inSplit, acquire: inSplit,
			invalidate: []cacheOp{{mir.BufferInv, sc0 | sc1}}},
	},
	volatileLoad: sc0 | sc1, volatileStore: sc0 | sc1, streamLoad: nt, streamStore: nt,
}

// dropL0 and dropL1 are the invalidations of acquires on gfx10 and gfx11. The
// waves of a WGP have two first-level caches (L0) in front of their shader
// array's cache (L1).
var (
	dropL0 = []cacheOp{{mir.BufferGl0Inv, 0}}
	dropL1 = []cacheOp{{mir.BufferGl1Inv, 0}, {mir.BufferGl0Inv, 0}}
)

var rules10CU = memoryRules{
	name: "gfx10 CU",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {release: inVector | inLDS, acquire: inLDS, both: inVector},
		scopeAgent:  {load: glc | dlc, release: inAll, acquire: inAll, invalidate: dropL1},
		scopeSystem: {load: glc | dlc, release: inAll, acquire: inAll, invalidate: dropL1},
	},
	volatileLoad: glc | dlc, streamLoad: slc, streamStore: glc | slc,
}

var rules10WGP = memoryRules{
	name: "gfx10 WGP",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {load: glc, release: inVector | inLDS, acquire: inVector | inLDS, invalidate: dropL0},
		scopeAgent:  {load: glc | dlc, release: inAll, acquire: inAll, invalidate: dropL1},
		scopeSystem: {load: glc | dlc, release: inAll, acquire: inAll, invalidate: dropL1},
	},
	volatileLoad: glc | dlc, streamLoad: slc, streamStore: glc | slc,
}

var rules11CU = memoryRules{
	name: "gfx11 CU",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {release: inVector | inLDS, acquire: inLDS, both: inVector},
		scopeAgent:  {load: glc, release: inAll, acquire: inAll, invalidate: dropL1},
		scopeSystem: {load: glc, release: inAll, acquire: inAll, invalidate: dropL1},
	},
	volatileLoad: glc | dlc, volatileStore: dlc, streamLoad: slc | dlc, streamStore: glc | slc | dlc,
}

var rules11WGP = memoryRules{
	name: "gfx11 WGP",
	scopes: [numScopes]scopeRules{
		scopeGroup:  {load: glc, release: inVector | inLDS, acquire: inVector | inLDS, invalidate: dropL0},
		scopeAgent:  {load: glc, release: inAll, acquire: inAll, invalidate: dropL1},
		scopeSystem: {load: glc, release: inAll, acquire: inAll, invalidate: dropL1},
	},
	volatileLoad: glc | dlc, volatileStore: dlc, streamLoad: slc | dlc, streamStore: glc | slc | dlc,
}

// rules12CU and the following tables have the scope in the cache policy: none
// for a CU, SE for a shader engine, DEV for a device, SYS for the system.
var rules12CU = memoryRules{
	name: "gfx12 CU",
	scopes: [numScopes]scopeRules{
		scopeGroup: {release: inVector | inLDS, acquire: inLDS, both: inVector},
		scopeAgent: {load: scopeDev, store: scopeDev, rmw: scopeDev, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys, writeback: []cacheOp{{mir.GlobalWb, scopeSys}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT, lastUse: thLU, withVolatile: true, systemStores: true,
}

var rules12WGP = memoryRules{
	name: "gfx12 WGP",
	scopes: [numScopes]scopeRules{
		scopeGroup: {load: scopeSE, store: scopeSE, rmw: scopeSE, release: inVector | inLDS, acquire: inVector | inLDS,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeAgent: {load: scopeDev, store: scopeDev, rmw: scopeDev, release: inAll, acquire: inAll, invalidate: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys, writeback: []cacheOp{{mir.GlobalWb, scopeSys}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT, lastUse: thLU, withVolatile: true, systemStores: true,
}

// rules125CU applies if dirty lines of other shader engines may be in the cache of
// a device.
var rules125CU = memoryRules{
	name: "gfx12.5",
	scopes: [numScopes]scopeRules{
		scopeGroup: {release: inVector | inLDS, acquire: inVector | inLDS},
		scopeCluster: {load: scopeSE, store: scopeSE, rmw: scopeSE, release: inVector | inLDS, acquire: inVector | inLDS,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeAgent: {load: scopeDev, store: scopeDev, rmw: scopeDev, writeback: []cacheOp{{mir.GlobalWb, scopeDev}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys, writeback: []cacheOp{{mir.GlobalWb, scopeSys}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT, lastUse: thLU, withVolatile: true,
	clusters: true, replays: true,
}

var rules125WGP = memoryRules{
	name: "gfx12.5 WGP",
	scopes: [numScopes]scopeRules{
		scopeGroup: {load: scopeSE, store: scopeSE, rmw: scopeSE, release: inVector | inLDS, acquire: inVector | inLDS,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeCluster: {load: scopeSE, store: scopeSE, rmw: scopeSE, release: inVector | inLDS, acquire: inVector | inLDS,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSE}}},
		scopeAgent: {load: scopeDev, store: scopeDev, rmw: scopeDev, writeback: []cacheOp{{mir.GlobalWb, scopeDev}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeDev}}},
		scopeSystem: {load: scopeSys, store: scopeSys, rmw: scopeSys, writeback: []cacheOp{{mir.GlobalWb, scopeSys}}, release: inAll, acquire: inAll,
			invalidate: []cacheOp{{mir.GlobalInv, scopeSys}}},
	},
	volatileLoad: scopeSys, volatileStore: scopeSys, streamLoad: thNT, streamStore: thNT, lastUse: thLU, withVolatile: true,
	clusters: true, replays: true,
}
