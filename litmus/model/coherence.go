package model

// coherenceOrders returns the orders of a location's writes that are coherent with
// happens-before and keep read-modify-write accesses atomic.
func (x *execution) coherenceOrders(location int) []coherence {
	o := orderer{x: x, before: newRelation(len(x.events)), position: make([]int, len(x.events))}
	var accesses []int
	for i := range x.events {
		if e := &x.events[i]; e.location == location {
			accesses = append(accesses, i)
			if e.write {
				o.writes = append(o.writes, i)
			}
		}
	}
	for _, a := range accesses {
		for _, b := range accesses {
			if a != b && x.hb[x.events[a].space].has(a, b) && !o.addOrder(a, b) {
				return nil
			}
		}
	}
	for _, w := range o.writes {
		if x.events[w].read {
			o.before.add(x.source[w], w)
		}
	}
	o.extend(0, 0)
	return o.found
}

// An orderer enumerates the orders of the writes of a location.
type orderer struct {
	x        *execution
	writes   []int
	before   relation // pairs that every order contains
	position []int
	found    []coherence
}

// addOrder adds the pairs that follow from access a happening before access b. It
// reports whether an order is still possible.
func (o *orderer) addOrder(a, b int) bool {
	for _, w := range o.writesOf(a) {
		for _, v := range o.writesOf(b) {
			if w == v {
				// The write that a reads is the one that b writes.
				if o.x.events[b].write && v == b {
					return false
				}
				continue
			}
			o.before.add(w, v)
		}
	}
	return true
}

// writesOf returns the writes that an access observes: its source and itself.
func (o *orderer) writesOf(i int) []int {
	e := &o.x.events[i]
	switch {
	case e.read && e.write:
		return []int{o.x.source[i], i}
	case e.read:
		return []int{o.x.source[i]}
	}
	return []int{i}
}

// extend places another write after n placed ones.
func (o *orderer) extend(n int, placed uint64) {
	if n == len(o.writes) {
		if !o.x.c.step() {
			return
		}
		position := make([]int, len(o.position))
		copy(position, o.position)
		o.found = append(o.found, coherence{position, o.lastWrite(n)})
		return
	}
	for _, w := range o.writes {
		if placed>>w&1 != 0 || o.x.c.err != nil || !o.mayFollow(w, n, placed) {
			continue
		}
		o.position[w] = n
		o.extend(n+1, placed|1<<w)
	}
}

// mayFollow reports whether a write can be number n of the order.
func (o *orderer) mayFollow(w, n int, placed uint64) bool {
	if e := &o.x.events[w]; e.read {
		if s := o.x.source[w]; placed>>s&1 == 0 || o.position[s] != n-1 {
			return false
		}
	}
	for _, v := range o.writes {
		if placed>>v&1 == 0 && o.before.has(v, w) {
			return false
		}
	}
	return true
}

// lastWrite returns the last one of n writes.
func (o *orderer) lastWrite(n int) int {
	for _, w := range o.writes {
		if o.position[w] == n-1 {
			return w
		}
	}
	return -1
}

// recordOutcomes records the outcomes of all consistent orders of the execution. It
// reports whether one exists.
func (x *execution) recordOutcomes() bool {
	sc := x.sequential()
	chosen, last := make([]int, len(x.co)), make([]int, len(x.co))
	any := false
	var choose func(l int)
	choose = func(l int) {
		if l < len(x.co) {
			for i := range x.co[l] {
				if x.c.err != nil {
					return
				}
				chosen[l], last[l] = i, x.co[l][i].last
				choose(l + 1)
				if len(sc) == 0 && !x.matters(l) {
					break
				}
			}
			return
		}
		if !x.c.step() || len(sc) > 0 && !x.sequentiallyConsistent(sc, chosen) {
			return
		}
		any = true
		x.record(last)
	}
	choose(0)
	return any
}

// matters reports whether the last write of a location is part of an outcome.
func (x *execution) matters(location int) bool {
	for _, t := range x.c.terms {
		if t.Thread < 0 && x.c.first[t.Variable]+t.Element == location {
			return true
		}
	}
	return false
}
