package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Check race: two accesses to the same byte of LDS or of global memory by different waves, at least one of
// them a store, not both atomic, that nothing orders. Sources: HSA Platform System Architecture, "Memory
// consistency model"; AMDGPU user guide, "Memory Model", for what compilers make of it.
//
// Time is a counter of the dispatch that goes on with every operation that may order accesses. Each dword
// remembers its last store and its last loads with the time (raceCell). What orders an access before
// another one:
//   - both are of one wave;
//   - a barrier of the work-group between them;
//   - an operation of the first one's group, later than it, that may be a release, and one of the second
//     one's group, later still, that may be an acquire.
//
// Any store or atomic operation may be a release: within a work-group at once, for other groups
// when the stores of its wave before it have been waited for. An acquire is an atomic operation
// that gives a value, a load with a cache policy that makes it coherent, or a load that a loop
// repeats with the same address and nothing else, within a work-group; for other groups it is the
// invalidation of the caches that comes after one. This calls more ordered than is: some races are not found.

// raceLaunch is what the check keeps of a dispatch.
type raceLaunch struct {
	time     atomic.Uint32
	released []atomic.Pointer[releasePage] // by group: time of the last release
	mu       sync.RWMutex
	regions  map[*Region]*raceRegion
}

const releasePageSize = 4096

type releasePage [releasePageSize]atomic.Uint32

// maxRaceGroups is for how many groups releases are kept apart; others share.
const maxRaceGroups = 1 << 28

// raceOf gives it, made when it is first asked for.
func (l *launch) raceOf() *raceLaunch {
	l.check.raceOnce.Do(func() {
		n := min(l.total, maxRaceGroups)
		r := &raceLaunch{regions: map[*Region]*raceRegion{}, released: make([]atomic.Pointer[releasePage], (n+releasePageSize-1)/releasePageSize)}
		r.time.Store(1)
		l.check.race = r
	})
	return l.check.race
}

// release notes the time of a group's release.
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

// groupRace is what the check keeps of a work-group.
type groupRace struct {
	number   uint32 // of the group
	left     uint32 // time when its waves left the last barrier
	released uint32 // times of the last operation that may be a release or an acquire within the group
	acquired uint32
	outside  uint32 // time of the last acquire from other groups
	lds      []raceCell
}

func (g *groupRace) barrier(c *launchCheck) { g.left = c.race.time.Add(1) }

// raceCheck follows the accesses of a wave.
type raceCheck struct {
	launch   *raceLaunch
	group    *groupRace
	last     *raceRegion
	stores   bool // stores to global memory are under way
	acquires bool // the instruction that runs may be an acquire
	coherent bool // it has the cache policy of atomic loads and stores
	waits    bool // a loop repeats it until it gives another value, or it compares and swaps
	same     sameAddresses
}

func newRaceCheck(*wave) waveChecker { return &raceCheck{} }

func (c *raceCheck) start(w *wave) {
	g := w.group
	c.launch = g.launch.raceOf()
	if g.race == nil {
		g.race = &groupRace{lds: make([]raceCell, (len(g.lds)+3)/4)}
	} else if w.index == 0 {
		lds := g.race.lds
		clear(lds)
		*g.race = groupRace{lds: lds}
	}
	g.race.number = uint32(g.number() % maxRaceGroups)
	c.group, c.last, c.stores = g.race, nil, false
}

func (c *raceCheck) end(*wave) {}

// syncKind is what an instruction does to the order of accesses.
type syncKind uint8

const (
	syncNone       syncKind = iota
	syncMemory              // moves data
	syncSwap                // compares and swaps
	syncWait                // may wait for stores
	syncInvalidate          // makes loads see what other groups have stored
)

// syncOf classifies an instruction.
func syncOf(o *op) syncKind {
	name := o.in.Enc.Name()
	switch name {
	case "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_gl1_inv":
		return syncInvalidate
	case "buffer_inv":
		if o.in.CPol()&isa.CPolSCC != 0 {
			return syncInvalidate
		}
	case "s_waitcnt":
		if o.in.Set.Gen() < isa.Gen10 {
			return syncWait
		}
	case "s_waitcnt_vscnt":
		return syncWait
	}
	switch {
	case !isMemory(o) || isCacheOp(name):
		return syncNone
	case strings.Contains(name, "cmpswap") || strings.Contains(name, "cmpst"):
		return syncSwap
	}
	return syncMemory
}

func (c *raceCheck) before(w *wave, o *op, uses []reguse.Use) {
	if o.facts.sync != syncMemory && o.facts.sync != syncSwap {
		return
	}
	c.acquires = false
	m, x := o.mem, o.ds
	store := m != nil && m.store || x != nil && x.kind == dsWrite
	c.waits = o.facts.sync == syncSwap || !store && w.repeats(o)
	c.coherent = m != nil && m.atomic == nil && o.in.CPol()&(isa.CPolGLC|isa.CPolSCC) != 0
}

func (c *raceCheck) after(w *wave, o *op, uses []reguse.Use) {
	switch o.facts.sync {
	case syncMemory, syncSwap:
		if c.acquires {
			c.group.acquired = c.launch.time.Add(1)
			c.acquires = false
		}
	case syncWait:
		if waitsForStores(&o.in) {
			c.stores = false
		}
	case syncInvalidate:
		c.group.outside = c.launch.time.Add(1)
	}
}

// waitsForStores reports whether a wait is for stores; one that allows some to be under way counts
// as if they were the ones that do not matter.
func waitsForStores(in *isa.Inst) bool {
	v := in.Field(isa.FieldSimm16)
	if in.Enc.Name() == "s_waitcnt" {
		return isa.DecodeWaitcnt(in.Set, v, isa.VMCnt) < isa.WaitcntMax(in.Set, isa.VMCnt)
	}
	return v < 63
}

// access looks at an access and remembers it.
func (c *raceCheck) access(w *wave, a *memAccess) {
	s := raceStamp{group: c.group.number + 1, pc: w.codeOffset(), wave: uint8(w.index), lane: scalarLane, kind: stampPlain}
	switch {
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

// lds looks at an access to LDS, which is done in the order of the wave's instructions.
func (c *raceCheck) lds(w *wave, a *memAccess, s *raceStamp) {
	if a.kind != accessLoad {
		c.group.released = c.launch.time.Add(1)
	}
	s.time = c.launch.time.Load()
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

// global looks at an access to global memory.
func (c *raceCheck) global(w *wave, a *memAccess, s *raceStamp) {
	if r := w.group.launch.scratch; r != nil && r.holds(a.addr[bits.TrailingZeros64(a.lanes)&63]) {
		return // of the work-item alone
	}
	if a.kind != accessLoad {
		now := c.launch.time.Add(1)
		c.group.released = now
		if !c.stores {
			c.launch.release(c.group.number, now)
		}
		c.stores = c.stores || !a.scalar && a.result < 0
	}
	s.time = c.launch.time.Load()
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
			part := min(size-n, racePageBytes-(addr+n)&(racePageBytes-1)) // of one page
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

// scalarNeeds gives how many bytes of a scalar load the program surely asked for: compilers load a dword
// for a byte, and more dwords than they need up to a power of two.
func scalarNeeds(size uint64) uint64 {
	switch {
	case size <= 4:
		return 1
	case size >= 16:
		return size / 2
	}
	return size
}

// codeOffset gives where the instruction that runs is, in dwords from the start of the kernel's code.
func (w *wave) codeOffset() int32 {
	return int32((w.address(w.at) - w.group.launch.kernel.prog.region.Addr) / 4)
}

// bytes looks at the dwords of a part of a lane's access; at is where it is in what the cells are for.
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
		x.bytes = bytes
		cell.lock(a, &x)
		if old := cell.conflict(c, a, &x); old != nil {
			c.found(w, a, &x, old, addr)
		}
		cell.remember(a.kind, &x)
		addr, at = addr+n, at+n
	}
}

// found reports a race between the access that runs and an earlier one, unless both store the same.
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
	w.report(found{check: CheckRace, kind: kind, other: pc, lane: lane, addr: addr, text: func() (string, string) {
		where := "global memory"
		if a.space == spaceLDS {
			where = "LDS"
		}
		return fmt.Sprintf("%s of %d bytes at %#x of %s races with a %s: nothing orders them", accessNames[a.kind], a.bytes, addr, where, kind),
			earlier.who(l)
	}})
}

// storesSame reports whether memory holds already what a lane stores at an address.
func (c *raceCheck) storesSame(w *wave, a *memAccess, s *raceStamp, addr uint64) bool {
	l := int(s.lane) & 63
	if a.data < 0 || a.scalar {
		return false
	}
	first := a.addr[l]
	for i := range uint64(bits.OnesCount8(s.bytes & stampBytes)) {
		n := addr + i - first // byte of the element
		v := byte(w.v[int(a.data)+int(n/4)*w.lanes+l] >> (n&3*8 + uint64(a.shift)))
		var now byte
		if a.space == spaceLDS {
			now = w.group.lds[min(addr+i, uint64(len(w.group.lds)-1))]
		} else {
			r := w.region(addr+i, 1)
			if r == nil {
				return false
			}
			now = byte(load32(r.at((addr+i)&^3)) >> ((addr + i) & 3 * 8))
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
	id := [3]uint64{n % l.counts[0], n / l.counts[0] % l.counts[1], n / (l.counts[0] * l.counts[1])}
	text := fmt.Sprintf("%s by group %d,%d,%d wave %d", s.name(), id[0], id[1], id[2], s.wave)
	if s.lane != scalarLane {
		text += fmt.Sprintf(" lane %d", s.lane)
	}
	return text
}
