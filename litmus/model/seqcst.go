package model

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/litmus"
)

// sequential returns the sequentially consistent events, or nil if there are fewer
// than two.
func (x *execution) sequential() []int {
	var list []int
	for i := range x.events {
		if x.events[i].ordering == litmus.SeqCst {
			list = append(list, i)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// sequentiallyConsistent reports whether the partial order of the sequentially
// consistent events is acyclic for the chosen order of each location, in each address
// space.
func (x *execution) sequentiallyConsistent(sc, chosen []int) bool {
	all := x.partialOrder(sc, chosen, 3, x.hbAll)
	for s := range x.hb {
		r := x.partialOrder(sc, chosen, 1<<s, x.hb[s])
		r.union(all)
		if r.close(); !r.irreflexive() {
			return false
		}
	}
	return true
}

// partialOrder returns RC11's psc over the events that order some of the spaces.
// If these are all spaces, one-as operations have no part in it.
func (x *execution) partialOrder(sc, chosen []int, spaces uint8, hb relation) relation {
	b := x.orderBase(chosen, spaces, hb)
	out := newRelation(len(x.events))
	for _, i := range sc {
		if !b.takesPart(i) {
			continue
		}
		for set := b.from(i); set != 0; set &= set - 1 {
			j := bits.TrailingZeros64(set)
			if j != i && x.events[j].ordering == litmus.SeqCst && b.takesPart(j) && x.inclusive(&x.events[i], &x.events[j]) {
				out.add(i, j)
			}
		}
		if b.from(i)>>i&1 != 0 {
			out.add(i, i)
		}
	}
	return out
}

// A scBase holds the relations of RC11's axiom, restricted to some spaces.
type scBase struct {
	x      *execution
	spaces uint8
	hb     relation
	eco    relation // extended coherence order
	scb    relation // RC11's scb
}

// takesPart reports whether an event is part of the order.
func (b *scBase) takesPart(i int) bool {
	e := &b.x.events[i]
	return e.spaces()&b.spaces != 0 && (b.spaces != 3 || !e.oneAS)
}

// orderBase computes the relations for the chosen orders of the locations.
func (x *execution) orderBase(chosen []int, spaces uint8, hb relation) *scBase {
	n := len(x.events)
	b := &scBase{x: x, spaces: spaces, hb: hb, eco: newRelation(n), scb: newRelation(n)}
	for i := range x.events {
		for j := range x.events {
			if i != j && x.events[i].spaces()&spaces != 0 && x.events[j].spaces()&spaces != 0 {
				b.addPair(chosen, i, j)
			}
		}
	}
	b.addNeighbours()
	b.eco.close()
	return b
}

// addPair adds a pair of events to the relations.
func (b *scBase) addPair(chosen []int, i, j int) {
	x := b.x
	p, q := &x.events[i], &x.events[j]
	same := p.location >= 0 && p.location == q.location
	if x.po.has(i, j) || same && b.hb.has(i, j) {
		b.scb.add(i, j)
	}
	if !same {
		return
	}
	position := x.co[p.location][chosen[p.location]].position
	switch {
	case p.write && q.write && position[i] < position[j]:
	case p.read && q.write && position[x.source[i]] < position[j]:
	case q.read && x.source[j] == i:
		b.eco.add(i, j)
		return
	default:
		return
	}
	b.eco.add(i, j)
	b.scb.add(i, j)
}

// addNeighbours adds program order to another location, happens-before, and
// program order to another location, one after the other.
func (b *scBase) addNeighbours() {
	n := len(b.x.events)
	other := newRelation(n)
	for i := range n {
		for j := range n {
			p, q := &b.x.events[i], &b.x.events[j]
			if b.x.po.has(i, j) && (p.location < 0 || p.location != q.location) && p.spaces()&b.spaces != 0 && q.spaces()&b.spaces != 0 {
				other.add(i, j)
			}
		}
	}
	for i := range n {
		b.scb[i] |= other.after(b.hb.after(other[i]))
	}
}

// from returns the events that an event precedes in the partial order, before
// the restriction to sequentially consistent ones.
func (b *scBase) from(i int) uint64 {
	start, fence := uint64(1)<<i, b.x.events[i].fence
	if fence {
		start |= b.hb[i]
	}
	reached := b.scb.after(start)
	out := reached
	// A fence at the end is reached through happens-before, too.
	ends := b.hb.after(reached)
	if fence {
		ends |= b.hb[i] | b.hb.after(b.eco.after(b.hb[i]))
	}
	for ; ends != 0; ends &= ends - 1 {
		if j := bits.TrailingZeros64(ends); b.x.events[j].fence {
			out |= 1 << j
		}
	}
	return out
}
