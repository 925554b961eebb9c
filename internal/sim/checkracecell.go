package sim

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
)

// Shadow memory of the race check: 68 bytes per dword, allocated for accessed
// pages only.

// raceStamp records an access.
type raceStamp struct {
	group uint32 // number of the work-group plus 1; 0 for none
	time  uint32
	pc    int32 // in dwords from the start of the kernel's code
	wave  uint8
	lane  uint8
	bytes uint8 // one bit per byte of the dword, and stampStore
	kind  stampKind
}

// Bits of raceStamp.bytes.
const (
	stampBytes   = 15
	stampRelaxed = 1 << 5 // reads, modifies and writes without acquire and release
	stampLoads   = 1 << 6 // of a listed atomic access that stores: it reads, modifies and writes
	stampStore   = 1 << 7
)

func (s *raceStamp) store() bool { return s.bytes&stampStore != 0 }

// listed reports whether the access is listed as atomic.
func (s *raceStamp) listed() bool { return s.kind >= stampWave }

// scalarLane is the lane number of a scalar access.
const scalarLane = 0xff

// stampKind classifies how an access was made.
type stampKind uint8

const (
	stampPlain    stampKind = iota
	stampCoherent           // cache policy of atomic loads and stores
	stampAtomic             // atomic operation
	stampWaits              // compare-and-swap, or a load that waits for a value

	stampWave // listed as atomic, with this scope, in the order of device.SyncScope
	stampGroup
	stampCluster
	stampAgent
)

func (s *raceStamp) name() string {
	switch {
	case s.listed() && s.bytes&stampLoads == 0:
		return "atomic " + accessNames[(s.bytes&stampStore)>>7]
	case s.listed(), s.kind == stampAtomic, s.kind == stampWaits && s.store():
		return accessNames[accessAtomic]
	case s.store():
		return accessNames[accessStore]
	}
	return accessNames[accessLoad]
}

// raceCell records the accesses to a dword: the last store, the last atomic
// operation or possibly atomic store, and the last loads by two waves.
type raceCell struct {
	stores  raceStamp
	atomics raceStamp
	loads   [2]raceStamp
	locks   uint32 // waves whose stores count as atomic
}

// known reports whether a load repeats the last one with no store since.
func (c *raceCell) known(s *raceStamp, bytes uint8) bool {
	o := &c.loads[0]
	return o.group == s.group && o.wave == s.wave && o.time == s.time && o.kind == s.kind && o.bytes&bytes == bytes &&
		c.stores.group == 0 && c.atomics.group == 0
}

// lock infers the dword's purpose from an access. Where atomic operations
// execute or a wave waits for a value, plain stores may be their counterpart,
// such as the release of a lock, and count as atomic. In LDS, where clearing a
// counter looks the same, only the stores of waves that executed an atomic
// operation returning the value count.
func (c *raceCell) lock(a *memAccess, s *raceStamp) {
	wave := uint32(1) << (s.wave & 31)
	switch {
	case s.kind == stampWaits || s.kind != stampPlain && a.space != spaceLDS:
		c.locks = ^uint32(0)
		if a.space == spaceLDS && c.stores.group != 0 {
			c.atomics, c.stores = c.stores, raceStamp{}
			c.atomics.kind = stampCoherent
		}
	case a.kind == accessAtomic && a.result >= 0:
		c.locks |= wave
	case a.kind == accessStore && c.locks&wave != 0:
		s.kind = stampCoherent
	}
}

// conflict returns an earlier access that races with this one, or nil.
func (c *raceCell) conflict(r *raceCheck, a *memAccess, s *raceStamp) *raceStamp {
	if old := &c.stores; r.conflicts(old, a, s) {
		return old
	}
	if old := &c.atomics; r.conflicts(old, a, s) {
		return old
	}
	if a.kind == accessLoad {
		return nil
	}
	for i := range c.loads {
		if old := &c.loads[i]; r.conflicts(old, a, s) {
			return old
		}
	}
	return nil
}

// conflicts reports whether two accesses to the same dword race.
func (r *raceCheck) conflicts(old *raceStamp, a *memAccess, s *raceStamp) bool {
	if old.group == 0 || old.bytes&s.bytes&stampBytes == 0 || old.group == s.group && old.wave == s.wave {
		return false
	}
	if r.launch.listed {
		return !r.inclusive(old, s) && !readsCounter(old, a, s) && !r.orderedListed(old, s)
	}
	if bothMayBeAtomic(old, a, s) {
		return false
	}
	return !r.ordered(old, s)
}

// bothMayBeAtomic reports whether two accesses are, or may be, atomic. On most
// processors, atomic stores compile to the same code as plain stores; within a
// work-group, so do atomic loads. In LDS only atomic operations and waiting
// loads are certain to be atomic; all others count as plain. Compilers also
// implement atomic operations as a plain load and a compare-and-swap loop.
func bothMayBeAtomic(old *raceStamp, a *memAccess, s *raceStamp) bool {
	switch {
	case old.kind == stampWaits || s.kind == stampWaits:
		return true
	case old.kind == stampPlain && s.kind == stampPlain:
		return false
	case old.kind != stampPlain && s.kind != stampPlain:
		return true
	case a.space == spaceLDS:
		return false
	}
	store := a.kind == accessStore
	if old.kind == stampPlain {
		store = old.store()
	}
	return store || old.group == s.group
}

// ordered reports whether an earlier access is ordered before s.
func (r *raceCheck) ordered(old, s *raceStamp) bool {
	g := r.group
	if old.group == s.group {
		return old.time < max(g.left, r.left) || g.released > old.time && g.acquired > old.time
	}
	if r.launch.releasedAt(old.group-1) <= old.time {
		return false
	}
	if g.near > old.time && r.launch.dispatch.sameCluster(old.group-1, g.number) {
		return true
	}
	return g.outside > old.time || s.kind != stampPlain && g.acquired > old.time
}

// remember records an access.
func (c *raceCell) remember(kind accessKind, s *raceStamp) {
	if kind != accessLoad {
		n := *s
		n.bytes |= stampStore
		if s.kind != stampPlain {
			c.atomics = n
			return
		}
		if o := &c.stores; o.group == s.group && o.wave == s.wave && o.time == s.time && o.pc == s.pc {
			n.bytes |= o.bytes
		}
		c.stores = n
		if n.bytes&stampBytes == stampBytes {
			c.loads, c.atomics = [2]raceStamp{}, raceStamp{}
		}
		return
	}
	o := &c.loads[0]
	if o.group != 0 && (o.group != s.group || o.wave != s.wave) {
		if p := &c.loads[1]; p.group == s.group && p.wave == s.wave {
			o = p
		} else {
			c.loads[1] = *o
		}
	}
	n := *s
	if o.group == s.group && o.wave == s.wave && o.time == s.time {
		n.bytes |= o.bytes
	}
	*o = n
}

// racePage holds the cells of a page of memory.
type racePage struct {
	mu    sync.Mutex
	cells [racePageBytes / 4]raceCell
}

const racePageBytes = 4096

// raceRegion holds the accessed pages of a region. It is nil if the region is
// not tracked.
type raceRegion struct {
	region *device.Region
	skip   bool
	pages  []atomic.Pointer[racePage]
}

// page returns the page of an address, or nil if the address is not tracked:
// read-only code, the kernarg segment, unmapped memory.
func (c *raceCheck) page(w *wave, addr uint64) *racePage {
	r := c.last
	if r == nil || !holds(r.region, addr) {
		if r = c.region(w, addr); r == nil {
			return nil
		}
		c.last = r
	}
	if r.skip {
		return nil
	}
	p := &r.pages[(addr-r.region.Addr)/racePageBytes]
	page := p.Load()
	for page == nil {
		p.CompareAndSwap(nil, new(racePage))
		page = p.Load()
	}
	return page
}

// region returns the race state of the region that contains an address.
func (c *raceCheck) region(w *wave, addr uint64) *raceRegion {
	at := w.dev.Memory.Find(addr)
	if at == nil {
		return nil
	}
	l := c.launch
	l.mu.RLock()
	r := l.regions[at]
	l.mu.RUnlock()
	if r != nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r = l.regions[at]; r == nil {
		r = &raceRegion{region: at, skip: at.Code && at.Writable == nil || holds(at, w.group.launch.disp.Kernarg)}
		if !r.skip {
			r.pages = make([]atomic.Pointer[racePage], (len(at.Pages())+racePageBytes-1)/racePageBytes)
		}
		l.regions[at] = r
	}
	return r
}

// sameAddresses detects lanes of one instruction that store different values to
// the same address.
type sameAddresses struct {
	slots [128]uint8 // lane plus 1
}

// look checks the lanes of a store.
func (t *sameAddresses) look(w *wave, a *memAccess) {
	if ascending(a) {
		return
	}
	t.slots = [128]uint8{}
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		at := a.addr[l]
		h := int(at*0x9e3779b97f4a7c15>>57) & 127
		for t.slots[h] != 0 && a.addr[t.slots[h]-1] != at {
			h = (h + 1) & 127
		}
		if other := int(t.slots[h]) - 1; other < 0 {
			t.slots[h] = uint8(l + 1)
		} else if a.value(w, l) != a.value(w, other) {
			w.report(found{check: device.CheckRace, kind: "lanes", lane: l, addr: at, text: func() (string, string) {
				return fmt.Sprintf("lanes %d and %d store different values to %#x", other, l, at), ""
			}})
			return
		}
	}
}

// ascending reports whether the lanes' addresses are strictly ascending.
func ascending(a *memAccess) bool {
	next := uint64(0)
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		at := a.addr[bits.TrailingZeros64(rest)&63]
		if at < next {
			return false
		}
		next = at + uint64(a.bytes)
	}
	return true
}

// value returns the data that a lane stores.
func (a *memAccess) value(w *wave, l int) (v [4]uint32) {
	if a.bytes < 4 {
		v[0] = w.v[int(a.data)+l] >> a.shift & (1<<(8*a.bytes) - 1)
		return v
	}
	for i := range min(int(a.bytes)/4, len(v)) {
		v[i] = w.v[int(a.data)+i*w.lanes+l]
	}
	return v
}
