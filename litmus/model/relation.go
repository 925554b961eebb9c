package model

import "math/bits"

// A relation holds pairs of events: bit j of row i for the pair (i, j).
type relation []uint64

func newRelation(n int) relation { return make(relation, n) }

func (r relation) has(i, j int) bool { return r[i]>>j&1 != 0 }
func (r relation) add(i, j int)      { r[i] |= 1 << j }

// union adds the pairs of another relation.
func (r relation) union(s relation) {
	for i := range s {
		r[i] |= s[i]
	}
}

// close adds the pairs of the transitive closure.
func (r relation) close() {
	for k := range r {
		row := r[k]
		for i := range r {
			if r[i]>>k&1 != 0 {
				r[i] |= row
			}
		}
	}
}

// irreflexive reports whether no event is related to itself.
func (r relation) irreflexive() bool {
	for i := range r {
		if r.has(i, i) {
			return false
		}
	}
	return true
}

// after returns the events to which one of a set is related.
func (r relation) after(set uint64) (out uint64) {
	for ; set != 0; set &= set - 1 {
		out |= r[bits.TrailingZeros64(set)]
	}
	return out
}
