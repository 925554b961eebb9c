package sim

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Check race reports unordered accesses to the same byte of LDS or global
// memory by different waves. At least one of the two is a store, and at least
// one is not atomic. Sources: HSA Platform System Architecture, "Memory
// consistency model"; AMDGPU user guide, "Memory Model", for the code that
// compilers generate.
//
// Time is a per-dispatch counter that advances with every operation that may
// order accesses. Each dword records its last store and its last loads with
// their times (raceCell). An access is ordered before a later one by any of:
//   - program order, if both are in one wave;
//   - a work-group barrier between them, for which the later wave has waited;
//   - a possible release by the first access's group after it, followed by a
//     possible acquire by the second access's group before it.
//
// Any store or atomic operation may be a release: immediately within a
// work-group, and for other groups once the wave has waited for its earlier
// stores. Within a work-group, an acquire is an atomic operation that returns a
// value, a load with a coherent cache policy, or a load that a loop repeats
// with the same address and no other memory access. For other groups, an
// acquire is the cache invalidation that follows one of these. This
// over-approximates the order, so some races are missed.

// raceLaunch holds the check's state for a dispatch.
type raceLaunch struct {
	dispatch *launch
	time     atomic.Uint32
	released []atomic.Pointer[releasePage] // time of the last release, by group
	listed   bool                          // the compiler has listed the atomic accesses of the kernel's code

	variables sharedVariables // clocks for waves of all groups
	mu        sync.RWMutex
	regions   map[*device.Region]*raceRegion
}

const releasePageSize = 4096

type releasePage [releasePageSize]atomic.Uint32

// maxRaceGroups is the number of groups with separate release times; further
// groups share them.
const maxRaceGroups = 1 << 28

// raceOf returns the dispatch's race state, creating it on first use.
func (l *launch) raceOf() *raceLaunch {
	l.check.raceOnce.Do(func() {
		n := min(l.total, maxRaceGroups)
		r := &raceLaunch{dispatch: l, listed: l.kernel.prog.region.Atomics != nil, regions: map[*device.Region]*raceRegion{}, released: make([]atomic.Pointer[releasePage], (n+releasePageSize-1)/releasePageSize)}
		r.time.Store(1)
		l.check.race = r
	})
	return l.check.race
}

// release records the time of a group's release.
func (r *raceLaunch) release(group uint32, time uint32) {
	p := &r.released[group/releasePageSize%uint32(len(r.released))]
	page := p.Load()
	for page == nil {
		p.CompareAndSwap(nil, new(releasePage))
		page = p.Load()
	}
	page[group%releasePageSize].Store(time)
}

func (r *raceLaunch) releasedAt(group uint32) uint32 {
	if page := r.released[group/releasePageSize%uint32(len(r.released))].Load(); page != nil {
		return page[group%releasePageSize].Load()
	}
	return 0
}

// groupRace holds the check's state for a work-group.
type groupRace struct {
	number   uint32 // the group's number
	left     uint32 // time at which the waves left the last barrier that is not split
	released uint32 // times of the last possible release and acquire within the group
	acquired uint32
	outside  uint32 // time of the last acquire from other groups
	near     uint32 // time of the last acquire from groups of the cluster
	pending  int    // waves with outstanding stores to global memory
	lds      []raceCell
	listed   bool // like raceLaunch.listed

	variables raceVariables // clocks for the group's waves
}

// leaveBarrier records that the waves of a group leave a barrier that is not split.
func (g *group) leaveBarrier() {
	g.race.left = g.launch.check.race.time.Add(1)
	if g.race.listed {
		g.shareClocks()
	}
}

// raceCheck observes the accesses of a wave.
type raceCheck struct {
	launch   *raceLaunch
	group    *groupRace
	last     *raceRegion
	left     uint32 // time at which the last split barrier completed that the wave has waited for
	stores   bool   // stores to global memory are outstanding
	acquires bool   // the current instruction may be an acquire
	coherent bool   // the current instruction has the cache policy of atomic loads and stores
	waits    bool   // a loop repeats the current instruction until its value changes, or it is a compare-and-swap
	same     sameAddresses
	sync     raceSync
}

func newRaceCheck(w *wave) waveChecker {
	w.race = &raceCheck{}
	return w.race
}

func (c *raceCheck) start(w *wave) {
	g := w.group
	c.launch = g.launch.raceOf()
	if g.race == nil {
		g.race = &groupRace{lds: make([]raceCell, (len(g.lds)+3)/4)}
	} else if w.index == 0 {
		lds := g.race.lds
		clear(lds)
		g.race = &groupRace{lds: lds}
	}
	g.race.listed = c.launch.listed
	g.race.number = uint32(g.number() % maxRaceGroups)
	c.group, c.last, c.stores, c.left = g.race, nil, false, 0
	c.sync.reset()
}

func (c *raceCheck) end(*wave) { c.setStores(false) }

// setStores records whether stores of the wave to global memory are outstanding.
func (c *raceCheck) setStores(on bool) {
	switch {
	case on && !c.stores:
		c.group.pending++
	case c.stores && !on:
		c.group.pending--
	}
	c.stores = on
}

// clusterSignal records the signal of a group at the barrier of its cluster, a
// release of the accesses before it once the group has waited for its stores.
func (g *groupRace) clusterSignal(r *raceLaunch) {
	if g.pending == 0 {
		r.release(g.number, r.time.Add(1))
	}
}

// syncKind classifies an instruction's effect on the order of accesses.
type syncKind uint8

const (
	syncNone       syncKind = iota
	syncMemory              // accesses memory
	syncSwap                // compare-and-swap
	syncWait                // waits for stores
	syncInvalidate          // makes other groups' stores visible to loads
	syncNear                // the same for groups of the cluster
)

// syncOf classifies an instruction. f are its facts about waits.
func syncOf(o *op, f *waitFacts) syncKind {
	k := o.in.Enc.Kinds()
	a := sem.AtomicOf(o.in.Enc.Op())
	switch {
	case k.Any(isa.KindInvGroup), k.Any(isa.KindInvScope) && o.in.CPol()&isa.CPolSCC != 0:
		return syncInvalidate
	case k.Any(isa.KindInvScope) && o.in.CPol()&isa.CPolScope != 0 && o.in.Set.Has(isa.PropClusters):
		return syncNear
	case f.waitsForStores(o.in.Set):
		return syncWait
	case !isMemory(o) || k.Any(isa.KindCache):
		return syncNone
	case a != nil && a.CompareSwap():
		return syncSwap
	}
	return syncMemory
}

func (c *raceCheck) before(w *wave, o *op, uses []reguse.Use) {
	if c.launch.listed {
		c.beforeListed(w, o)
		return
	}
	if o.facts.sync != syncMemory && o.facts.sync != syncSwap {
		return
	}
	c.acquires = false
	m, x := o.mem, o.ds
	store := m != nil && m.store || x != nil && x.kind == dsWrite
	c.waits = o.facts.sync == syncSwap || !store && w.repeats(o)
	c.coherent = m != nil && m.atomic == nil && coherent(&o.in)
}

// coherent reports whether an instruction has the cache policy of atomic loads
// and stores: a scope beyond the compute unit since gfx12, certain bits before.
func coherent(in *isa.Inst) bool {
	bits := isa.CPolGLC | isa.CPolSCC
	if in.Set.Has(isa.PropCpolTh) {
		bits = isa.CPolScope
	}
	return in.CPol()&bits != 0
}

func (c *raceCheck) after(w *wave, o *op, uses []reguse.Use) {
	if c.launch.listed {
		return
	}
	switch o.facts.sync {
	case syncMemory, syncSwap:
		if c.acquires {
			c.group.acquired = c.launch.time.Add(1)
			c.acquires = false
		}
	case syncWait:
		c.setStores(false)
	case syncInvalidate:
		c.group.outside = c.launch.time.Add(1)
	case syncNear:
		c.group.near = c.launch.time.Add(1)
	}
}

// access checks an access and records it.
func (c *raceCheck) access(w *wave, a *memAccess) {
	s := raceStamp{group: c.group.number + 1, pc: w.codeOffset(), wave: uint8(w.index), lane: scalarLane, kind: stampPlain}
	switch {
	case c.launch.listed:
		c.sync.now = syncOfAccess(w, w.prog.opAt(w.at)) // weak memory performs some instructions late
		c.sync.stamp(a, &s)
	case c.waits:
		s.kind = stampWaits
	case a.kind == accessAtomic:
		s.kind = stampAtomic
	case c.coherent:
		s.kind = stampCoherent
	}
	c.acquires = c.acquires || a.kind == accessAtomic && a.result >= 0 || a.kind == accessLoad && (c.coherent || c.waits)
	switch a.space {
	case spaceLDS:
		c.lds(w, a, &s)
	case spaceGlobal:
		c.global(w, a, &s)
	}
}

// lds checks an access to LDS. LDS accesses execute in program order.
func (c *raceCheck) lds(w *wave, a *memAccess, s *raceStamp) {
	if a.kind != accessLoad && !c.launch.listed {
		c.group.released = c.launch.time.Add(1)
	}
	s.time = c.launch.time.Load()
	c.listed(w, a)
	if a.kind == accessStore && a.data >= 0 {
		c.same.look(w, a)
	}
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		if addr := a.addr[l]; addr+uint64(a.bytes) <= uint64(len(c.group.lds))*4 {
			s.lane = uint8(l)
			c.bytes(w, a, s, addr, uint64(a.bytes), addr, c.group.lds)
		}
	}
}

// global checks an access to global memory.
func (c *raceCheck) global(w *wave, a *memAccess, s *raceStamp) {
	if r := w.group.launch.scratch; r != nil && holds(r, a.addr[bits.TrailingZeros64(a.lanes)&63]) {
		return // private to the work-item
	}
	if a.kind != accessLoad && !c.launch.listed {
		now := c.launch.time.Add(1)
		c.group.released = now
		if !c.stores {
			c.launch.release(c.group.number, now)
		}
		c.setStores(c.stores || !a.scalar && a.result < 0)
	}
	s.time = c.launch.time.Load()
	c.listed(w, a)
	if a.kind == accessStore && a.data >= 0 && !a.scalar {
		c.same.look(w, a)
	}
	size := uint64(a.bytes)
	if a.scalar && a.kind == accessLoad {
		size = scalarNeeds(size)
	}
	var page *racePage
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		if !a.scalar {
			s.lane = uint8(l)
		}
		addr := a.addr[l]
		for n := uint64(0); n < size; {
			part := min(size-n, racePageBytes-(addr+n)&(racePageBytes-1)) // within one page
			p := c.page(w, addr+n)
			if p != page {
				if page != nil {
					page.mu.Unlock()
				}
				if page = p; p != nil {
					p.mu.Lock()
				}
			}
			if p != nil {
				c.bytes(w, a, s, addr+n, part, (addr+n)&(racePageBytes-1), p.cells[:])
			}
			n += part
		}
	}
	if page != nil {
		page.mu.Unlock()
	}
}

// scalarNeeds returns the number of bytes of a scalar load that the program
// certainly requested. Compilers load a dword for a byte, and round the number
// of dwords up to a power of two.
func scalarNeeds(size uint64) uint64 {
	switch {
	case size <= 4:
		return 1
	case size >= 16:
		return size / 2
	}
	return size
}

// codeOffset returns the offset of the current instruction from the start of
// the kernel's code, in dwords.
func (w *wave) codeOffset() int32 {
	return int32((w.address(w.at) - w.group.launch.kernel.prog.region.Addr) / 4)
}

// bytes checks the dwords of part of a lane's access. at is its offset in the
// memory that cells describes.
func (c *raceCheck) bytes(w *wave, a *memAccess, s *raceStamp, addr, size, at uint64, cells []raceCell) {
	for end := at + size; at < end; {
		cell := &cells[at/4]
		n := min(end, at&^3+4) - at
		bytes := uint8(1<<n-1) << (at & 3)
		if a.kind == accessLoad && cell.known(s, bytes) {
			addr, at = addr+n, at+n
			continue
		}
		x := *s
		x.bytes |= bytes
		if !c.launch.listed {
			cell.lock(a, &x)
		}
		if old := cell.conflict(c, a, &x); old != nil {
			c.found(w, a, &x, old, addr)
		}
		cell.remember(a.kind, &x)
		addr, at = addr+n, at+n
	}
}

// found reports a race between the current access and an earlier one, unless
// both store the same value.
func (c *raceCheck) found(w *wave, a *memAccess, s, old *raceStamp, addr uint64) {
	if a.kind == accessStore && old.store() && c.storesSame(w, a, s, addr) {
		return
	}
	l := w.group.launch
	earlier := *old
	lane := int(s.lane)
	if s.lane == scalarLane {
		lane = -1
	}
	kind := earlier.name()
	pc := l.kernel.prog.region.Addr + uint64(int64(earlier.pc)*4)
	w.report(found{check: device.CheckRace, kind: kind, other: pc, lane: lane, addr: addr, text: func() (string, string) {
		where := "global memory"
		if a.space == spaceLDS {
			where = "LDS"
		}
		name, why := accessNames[a.kind], "no synchronization orders them"
		if s.listed() {
			name = s.name()
		}
		if s.listed() && earlier.listed() {
			why = "the scopes do not include both waves, and " + why
		}
		return fmt.Sprintf("%d-byte %s at %#x in %s races with an earlier %s: %s", a.bytes, name, addr, where, kind, why), earlier.who(l)
	}})
}

// storesSame reports whether memory already holds the value that a lane stores
// at an address.
func (c *raceCheck) storesSame(w *wave, a *memAccess, s *raceStamp, addr uint64) bool {
	l := int(s.lane) & 63
	if a.data < 0 || a.scalar {
		return false
	}
	first := a.addr[l]
	for i := range uint64(bits.OnesCount8(s.bytes & stampBytes)) {
		n := addr + i - first // byte index in the element
		v := byte(w.v[int(a.data)+int(n/4)*w.lanes+l] >> (n&3*8 + uint64(a.shift)))
		var now byte
		if a.space == spaceLDS {
			now = w.group.lds[min(addr+i, uint64(len(w.group.lds)-1))]
		} else {
			r := w.region(addr+i, 1)
			if r == nil {
				return false
			}
			now = byte(load32(hostAt(r, (addr+i)&^3)) >> ((addr + i) & 3 * 8))
		}
		if now != v {
			return false
		}
	}
	return true
}

// who describes the wave and lane of an earlier access.
func (s *raceStamp) who(l *launch) string {
	n := uint64(s.group - 1)
	id := l.groupID(n)
	text := fmt.Sprintf("%s by group %d,%d,%d wave %d", s.name(), id[0], id[1], id[2], s.wave)
	if s.lane != scalarLane {
		text += fmt.Sprintf(" lane %d", s.lane)
	}
	return text
}
