package sim

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
)

// Order of accesses in code whose compiler has listed the atomic accesses and
// fences (device.Region.Atomics). Each wave has a clock: the accesses of other
// waves that happen before its next one. A release adds the wave's clock to the
// clock of the variable, an acquire adds the variable's clock to the wave's. The
// waves that leave a barrier share their clocks.
//
// A variable keeps the clocks of all its releases, because the value that a load
// reads does not show which release wrote it. So the order is exact except for
// stores that overwrite a release before the load, and for the order that a clock
// with too many entries loses.

// raceClock is a set of accesses. It is immutable, because waves and variables
// share it.
type raceClock struct {
	floor uint32       // all accesses before this time
	list  []clockEntry // by group and wave
}

// clockEntry is the accesses of a wave, or of all waves of a group, before a time.
type clockEntry struct {
	group uint32 // number of the work-group plus 1
	wave  uint8  // wholeGroup for all
	time  uint32
}

const wholeGroup = 0xff

// maxClock is the maximum number of entries of a clock. Instead of more, the floor
// rises.
const maxClock = 64

func (c *raceClock) has(s *raceStamp) bool {
	if c == nil {
		return false
	}
	if s.time < c.floor {
		return true
	}
	for i := range c.list {
		if e := &c.list[i]; e.group == s.group && (e.wave == s.wave || e.wave == wholeGroup) && s.time < e.time {
			return true
		}
	}
	return false
}

func compareEntries(a, b clockEntry) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.wave, b.wave))
}

// includes reports whether a clock includes an entry.
func (c *raceClock) includes(e clockEntry) bool {
	if e.time <= c.floor {
		return true
	}
	i, found := slices.BinarySearchFunc(c.list, e, compareEntries)
	return found && c.list[i].time >= e.time
}

// join returns the union of two clocks.
func (c *raceClock) join(d *raceClock) *raceClock {
	switch {
	case d == nil || c == d:
		return c
	case c == nil:
		return d
	}
	if d.floor <= c.floor && !slices.ContainsFunc(d.list, func(e clockEntry) bool { return !c.includes(e) }) {
		return c
	}
	return newClock(max(c.floor, d.floor), append(slices.Clone(c.list), d.list...))
}

// with returns a clock with another entry.
func (c *raceClock) with(e clockEntry) *raceClock {
	return c.join(newClock(0, []clockEntry{e}))
}

// newClock returns the clock with a floor and some entries, in any order.
func newClock(floor uint32, list []clockEntry) *raceClock {
	slices.SortFunc(list, func(a, b clockEntry) int { return cmp.Or(compareEntries(a, b), cmp.Compare(b.time, a.time)) })
	list = slices.CompactFunc(list, func(a, b clockEntry) bool { return compareEntries(a, b) == 0 })
	if len(list) > maxClock {
		times := make([]uint32, len(list))
		for i := range list {
			times[i] = list[i].time
		}
		slices.Sort(times)
		floor = max(floor, times[len(times)-maxClock/2])
	}
	list = slices.DeleteFunc(list, func(e clockEntry) bool { return e.time <= floor })
	return &raceClock{floor, list}
}

// syncLevels is a clock for each scope that synchronizes waves: the work-group and
// everything wider.
type syncLevels [2]*raceClock

const (
	levelGroup = iota
	levelWide
)

// levelOf returns the number of levels that a scope includes.
func levelOf(s device.SyncScope) int {
	switch s {
	case device.SyncWave:
		return 0
	case device.SyncGroup:
		return levelWide
	}
	return levelWide + 1
}

// raceVariables holds the clocks of variables, by address.
type raceVariables map[uint64]*raceClock

func (v *raceVariables) release(addr uint64, c *raceClock) {
	if *v == nil {
		*v = raceVariables{}
	}
	(*v)[addr] = (*v)[addr].join(c)
}

// sharedVariables holds the clocks of variables for waves of all groups.
type sharedVariables struct {
	mu     sync.Mutex
	clocks raceVariables
}

// readVariable is a variable that an atomic access has read.
type readVariable struct {
	addr   uint64
	levels uint8 // of the access
}

// maxRead is the maximum number of variables to remember for a later fence.
const maxRead = 256

// raceSync is the state of a wave in code with listed accesses.
type raceSync struct {
	clock    *raceClock
	passed   *raceClock     // of the barriers that the wave may have passed
	acquired []readVariable // read by acquires whose values the next access may depend on
	relaxed  []readVariable // read by other atomic accesses, for an acquire fence
	read     syncLevels     // the clocks of variables that relaxed no longer holds
	released syncLevels     // at the last release fence
	now      device.Sync    // the current access
}

// reset prepares the state for another wave.
func (s *raceSync) reset() {
	*s = raceSync{acquired: s.acquired[:0], relaxed: s.relaxed[:0]}
}

// syncOfAccess returns the role of an instruction's access. Operations that read
// and write are atomic even if they are not listed, and nothing is known about the
// accesses of other code.
func syncOfAccess(w *wave, o *op) device.Sync {
	x := o.facts.atomic.Access
	if !x.Set && (sem.AtomicOf(o.in.Enc.Op()) != nil || w.prog.region.Atomics == nil) {
		return device.Sync{Set: true, Acquires: true, Releases: true, Scope: device.SyncAgent}
	}
	return x
}

// stamp completes the stamp of an access.
func (s *raceSync) stamp(a *memAccess, x *raceStamp) {
	if !s.now.Set {
		return
	}
	x.kind = stampWave + stampKind(s.now.Scope)
	switch {
	case a.kind == accessStore:
		x.bytes = stampStore // for its name
	case a.kind == accessAtomic:
		x.bytes = stampStore | stampLoads
		if !s.now.Acquires && !s.now.Releases {
			x.bytes |= stampRelaxed
		}
	}
}

// beforeListed handles an instruction in code with listed accesses before it
// executes.
func (c *raceCheck) beforeListed(w *wave, o *op) {
	memory := o.facts.sync == syncMemory || o.facts.sync == syncSwap
	if f := o.facts.atomic.Fence; f.Set {
		c.fence(w, f)
	}
	if memory {
		c.finishAcquires()
	}
}

// fence executes a fence. The waits before it have ended all earlier reads.
func (c *raceCheck) fence(w *wave, f device.Sync) {
	c.finishAcquires()
	s := &c.sync
	levels := levelOf(f.Scope)
	if f.Acquires {
		c.finishRelaxed()
		for _, clock := range s.read[:levels] {
			s.clock = s.clock.join(clock)
		}
	}
	if f.Releases {
		clock := c.snapshot(w)
		for i := range levels {
			s.released[i] = clock
		}
	}
}

// snapshot returns the accesses that happen before the wave's next one, its own
// included.
func (c *raceCheck) snapshot(w *wave) *raceClock {
	group := c.group.number + 1
	clock := c.sync.clock.with(clockEntry{group, uint8(w.index), c.launch.time.Add(1)})
	if left := max(c.group.left, c.left); left > 0 {
		clock = clock.with(clockEntry{group, wholeGroup, left})
	}
	return clock
}

// finishAcquires acquires from the variables that the last acquires have read.
// Later accesses wait for them, so that they have read their values by now.
func (c *raceCheck) finishAcquires() {
	s := &c.sync
	if len(s.acquired) == 0 {
		return
	}
	c.launch.variables.mu.Lock()
	defer c.launch.variables.mu.Unlock()
	var last syncLevels // lanes often read from one wave
	for _, x := range s.acquired {
		for i, clock := range c.clocksOf(x) {
			if clock != last[i] {
				s.clock, last[i] = s.clock.join(clock), clock
			}
		}
	}
	s.acquired = s.acquired[:0]
}

// finishRelaxed moves the clocks of variables that were read for a fence to read.
func (c *raceCheck) finishRelaxed() {
	s := &c.sync
	c.launch.variables.mu.Lock()
	defer c.launch.variables.mu.Unlock()
	for _, x := range s.relaxed {
		for i, clock := range c.clocksOf(x) {
			s.read[i] = s.read[i].join(clock)
		}
	}
	s.relaxed = s.relaxed[:0]
}

// clocksOf returns the clocks of a variable. The shared variables must be locked.
func (c *raceCheck) clocksOf(x readVariable) (clocks syncLevels) {
	if x.levels > levelGroup {
		clocks[levelGroup] = c.group.variables[x.addr]
	}
	if x.levels > levelWide {
		clocks[levelWide] = c.launch.variables.clocks[x.addr]
	}
	return clocks
}

// listed records the synchronization of an access, which follows the time of its
// stamps.
func (c *raceCheck) listed(w *wave, a *memAccess) {
	s := &c.sync
	levels := levelOf(s.now.Scope)
	if !s.now.Set || levels == 0 {
		return
	}
	released := s.released
	if a.kind != accessLoad && s.now.Releases {
		clock := c.snapshot(w)
		released = syncLevels{clock, clock}
	}
	if a.kind != accessLoad {
		c.releaseTo(a, released, levels)
	}
	if a.kind != accessStore {
		for rest := a.lanes; rest != 0; rest &= rest - 1 {
			c.readFrom(readVariable{a.addr[bits.TrailingZeros64(rest)&63], uint8(levels)})
		}
	}
}

// releaseTo adds clocks to the variables that an access writes.
func (c *raceCheck) releaseTo(a *memAccess, clocks syncLevels, levels int) {
	group, wide := clocks[levelGroup], clocks[levelWide]
	if wide != nil && levels > levelWide {
		c.launch.variables.mu.Lock()
		defer c.launch.variables.mu.Unlock()
	} else {
		wide = nil
	}
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		addr := a.addr[bits.TrailingZeros64(rest)&63]
		if group != nil {
			c.group.variables.release(addr, group)
		}
		if wide != nil {
			c.launch.variables.clocks.release(addr, wide)
		}
	}
}

// readFrom remembers that the wave has read a variable.
func (c *raceCheck) readFrom(x readVariable) {
	s := &c.sync
	switch {
	case s.now.Acquires:
		s.acquired = append(s.acquired, x)
		return
	case len(s.relaxed) == maxRead:
		c.finishRelaxed()
	}
	s.relaxed = append(s.relaxed, x)
}

// joinClocks returns the union of the clocks of a group's waves.
func (g *group) joinClocks() (clock *raceClock) {
	for _, w := range g.waves[:g.begun] {
		if w.race != nil {
			w.race.finishAcquires()
			clock = clock.join(w.race.sync.clock)
		}
	}
	return clock
}

// shareClocks sets the clocks of waves that leave a barrier to their union.
func (g *group) shareClocks() {
	clock := g.joinClocks()
	for _, w := range g.waves[:g.begun] {
		if w.race != nil {
			w.race.sync.clock = clock
		}
	}
}

// joinClocks returns the accesses before the barrier of a cluster.
func (c *cluster) joinClocks() (clock *raceClock) {
	for _, g := range c.groups {
		if g.race != nil && g.race.listed {
			clock = clock.join(g.joinClocks()).with(clockEntry{g.race.number + 1, wholeGroup, c.launch.check.race.time.Add(1)})
		}
	}
	return clock
}

// orderedListed reports whether an earlier access happens before s.
func (c *raceCheck) orderedListed(old, s *raceStamp) bool {
	if old.group == s.group && old.time < max(c.group.left, c.left) {
		return true
	}
	return c.sync.clock.has(old)
}

// inclusive reports whether two accesses are atomic and the scope of each includes
// the other one's wave.
func (c *raceCheck) inclusive(old, s *raceStamp) bool {
	if !old.listed() || !s.listed() {
		return false
	}
	switch scope := min(old.kind, s.kind); {
	case old.group == s.group:
		return scope >= stampGroup
	case scope == stampCluster:
		return c.launch.dispatch.sameCluster(old.group-1, s.group-1)
	default:
		return scope == stampAgent
	}
}

// readsCounter reports whether a plain load meets an atomic operation that neither
// acquires nor releases. Languages without atomic loads, such as OpenCL C 1.2 and
// HIP's atomic functions, read counters in this way.
func readsCounter(old *raceStamp, a *memAccess, s *raceStamp) bool {
	if old.kind == stampPlain {
		return !old.store() && s.bytes&stampRelaxed != 0
	}
	return a.kind == accessLoad && s.kind == stampPlain && old.bytes&stampRelaxed != 0
}
