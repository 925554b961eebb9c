package model

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/litmus"
)

// An execution is a candidate: events, and a source for each read.
type execution struct {
	c      *checker
	events []event // initial writes first, then the threads'
	reads  []int
	source []int // write from which each read reads

	po    relation    // program order, and initial writes before all others
	hb    [2]relation // happens-before of each address space
	hbAll relation    // of program order and the synchronizations of both spaces
	co    [][]coherence
}

// A coherence is an order of the writes of a location: their positions by event.
type coherence struct {
	position []int
	last     int
}

// sourcesOf returns the writes that a read can read from, as a set.
func (x *execution) sourcesOf(read int) (set uint64) {
	r := &x.events[read]
	for w := range x.events {
		e := &x.events[w]
		if e.write && w != read && e.location == r.location && e.wv == r.rv && (e.thread != r.thread || w < read) {
			set |= 1 << w
		}
	}
	return set
}

// chooseSource selects the source of a read and the ones after it.
func (x *execution) chooseSource(i int) {
	if x.c.done() {
		return
	}
	if i == len(x.reads) {
		x.decide()
		return
	}
	r := x.reads[i]
	for set := x.sourcesOf(r); set != 0; set &= set - 1 {
		w := bits.TrailingZeros64(set)
		if x.taken(i, w) {
			continue
		}
		x.source[r] = w
		x.chooseSource(i + 1)
	}
}

// taken reports whether the read with number i and an earlier one are both
// read-modify-write accesses with the same source, which atomicity excludes.
func (x *execution) taken(i, w int) bool {
	if !x.events[x.reads[i]].write {
		return false
	}
	for _, r := range x.reads[:i] {
		if x.events[r].write && x.source[r] == w {
			return true
		}
	}
	return false
}

// decide checks the axioms of a candidate and records its outcomes.
func (x *execution) decide() {
	x.c.result.Candidates++
	if !x.c.step() || !x.grounded() {
		return
	}
	x.happensBefore()
	if !x.hb[0].irreflexive() || !x.hb[1].irreflexive() || !x.readsPast() {
		return
	}
	x.co = x.co[:0]
	for l := range x.c.elements {
		orders := x.coherenceOrders(l)
		if len(orders) == 0 {
			return
		}
		x.co = append(x.co, orders)
	}
	if !x.recordOutcomes() {
		return
	}
	x.findRace()
}

// grounded reports whether dependencies and reads-from have no cycle.
func (x *execution) grounded() bool {
	r := newRelation(len(x.events))
	for i := range x.events {
		for d := x.events[i].deps; d != 0; d &= d - 1 {
			r.add(bits.TrailingZeros64(d), i)
		}
	}
	for _, i := range x.reads {
		r.add(x.source[i], i)
	}
	r.close()
	return r.irreflexive()
}

// spaces returns the address spaces that an event orders, one bit each.
func (e *event) spaces() uint8 {
	switch {
	case e.location < 0, e.thread >= 0 && !e.oneAS && (e.ordering.Acquires() || e.ordering.Releases()):
		return 3
	}
	return 1 << e.space
}

// includes reports whether the scope of an event includes the thread of another
// one.
func (x *execution) includes(a, b *event) bool {
	if a.thread == b.thread {
		return true
	}
	s, t := &x.c.test.Threads[a.thread], &x.c.test.Threads[b.thread]
	switch a.scope {
	case litmus.System:
		return true
	case litmus.Agent:
		return s.Agent == t.Agent
	case litmus.Workgroup:
		return s.Agent == t.Agent && s.Group == t.Group
	case litmus.Wavefront:
		return s.Agent == t.Agent && s.Group == t.Group && s.Wave == t.Wave
	}
	return false
}

// inclusive reports whether the scopes of two events include each other.
func (x *execution) inclusive(a, b *event) bool { return x.includes(a, b) && x.includes(b, a) }

// happensBefore computes program order and happens-before.
func (x *execution) happensBefore() {
	n := len(x.events)
	x.po = newRelation(n)
	x.hb = [2]relation{newRelation(n), newRelation(n)}
	for i := range x.events {
		for j := i + 1; j < n; j++ {
			a, b := &x.events[i], &x.events[j]
			if b.thread < 0 || a.thread >= 0 && a.thread != b.thread {
				continue
			}
			x.po.add(i, j)
			common := a.spaces() & b.spaces()
			for s := range x.hb {
				if common>>s&1 != 0 {
					x.hb[s].add(i, j)
				}
			}
		}
	}
	x.hbAll = newRelation(n)
	x.hbAll.union(x.po)
	for _, r := range x.reads {
		x.synchronizeReads(r)
	}
	x.synchronizeBarriers()
	for s := range x.hb {
		x.hb[s].close()
	}
	x.hbAll.close()
}

// synchronizeReads adds the synchronizations through a read.
func (x *execution) synchronizeReads(r int) {
	read := &x.events[r]
	if !read.atomic() {
		return
	}
	acquires := x.acquirePoints(r)
	heads := x.heads(x.source[r])
	for h := range x.events {
		if heads>>h&1 == 0 {
			continue
		}
		for a := acquires; a != 0; a &= a - 1 {
			for b := x.releasePoints(h); b != 0; b &= b - 1 {
				x.synchronize(bits.TrailingZeros64(b), bits.TrailingZeros64(a), read.space, true)
			}
		}
	}
}

// synchronize adds a synchronization of two events through a location in a space,
// or through a barrier.
func (x *execution) synchronize(release, acquire int, space litmus.Space, location bool) {
	a, b := &x.events[release], &x.events[acquire]
	if a.thread == b.thread || !x.inclusive(a, b) {
		return
	}
	one := a.oneAS || b.oneAS
	for s := range x.hb {
		if !one || !location || s == int(space) {
			x.hb[s].add(release, acquire)
		}
	}
	if !one {
		x.hbAll.add(release, acquire)
	}
}

// acquirePoints returns the events that acquire when a read synchronizes: itself
// and the fences after it.
func (x *execution) acquirePoints(r int) (set uint64) {
	if x.events[r].ordering.Acquires() {
		set = 1 << r
	}
	for f := r + 1; f < len(x.events) && x.events[f].thread == x.events[r].thread; f++ {
		if x.events[f].fence && x.events[f].ordering.Acquires() {
			set |= 1 << f
		}
	}
	return set
}

// releasePoints returns the events that release through a write: itself and the
// fences before it.
func (x *execution) releasePoints(w int) (set uint64) {
	if x.events[w].ordering.Releases() {
		set = 1 << w
	}
	for f := w - 1; f >= 0 && x.events[f].thread == x.events[w].thread; f-- {
		if x.events[f].fence && x.events[f].ordering.Releases() {
			set |= 1 << f
		}
	}
	return set
}

// heads returns the atomic writes whose release sequences contain a write.
func (x *execution) heads(w int) (set uint64) {
	for e := &x.events[w]; e.thread >= 0 && e.atomic(); e = &x.events[w] {
		set |= 1 << w
		for h := w - 1; h >= 0 && x.events[h].thread == e.thread; h-- {
			if o := &x.events[h]; o.write && o.atomic() && o.location == e.location {
				set |= 1 << h
			}
		}
		if !e.read {
			break
		}
		w = x.source[w]
	}
	return set
}

// synchronizeBarriers adds the synchronizations of fences around barriers.
func (x *execution) synchronizeBarriers() {
	for i := range x.events {
		for j := range x.events {
			a, b := &x.events[i], &x.events[j]
			if a.barrier == 0 || a.barrier != b.barrier || a.thread == b.thread || !x.sameGroup(a, b) {
				continue
			}
			for r := x.releasePoints(i); r != 0; r &= r - 1 {
				for s := x.acquirePoints(j); s != 0; s &= s - 1 {
					x.synchronize(bits.TrailingZeros64(r), bits.TrailingZeros64(s), 0, false)
				}
			}
		}
	}
}

func (x *execution) sameGroup(a, b *event) bool {
	s, t := &x.c.test.Threads[a.thread], &x.c.test.Threads[b.thread]
	return s.Agent == t.Agent && s.Group == t.Group
}

// readsPast reports whether no read reads from a write that happens after it.
func (x *execution) readsPast() bool {
	for _, r := range x.reads {
		if x.hb[x.events[r].space].has(r, x.source[r]) {
			return false
		}
	}
	return true
}

// findRace records a data race.
func (x *execution) findRace() {
	for j := range x.events {
		for i := range j {
			a, b := &x.events[i], &x.events[j]
			if a.thread < 0 || a.thread == b.thread || a.location < 0 || a.location != b.location || !a.write && !b.write {
				continue
			}
			hb := x.hb[a.space]
			if hb.has(i, j) || hb.has(j, i) || a.atomic() && b.atomic() && x.inclusive(a, b) {
				continue
			}
			x.c.result.Racy = fmt.Sprintf("accesses of %s and %s to %s", x.c.test.Threads[a.thread].Name, x.c.test.Threads[b.thread].Name,
				x.c.test.Variables[a.at.Variable].Name)
			return
		}
	}
}
