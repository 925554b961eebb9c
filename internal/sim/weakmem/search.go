package weakmem

// Decider decides in a search: it returns the number of an alternative, 0 to n-1.
type Decider interface{ DecideStep(n int) int }

// isEvicted decides whether another line has replaced the one that a load hits in its first cache.
//
// A line that leaves a cache makes no difference before the next load that would hit. Thus a search
// decides then, and not in each step as the random walk does.
func (s *System) isEvicted(r *Request) bool {
	return s.Decider != nil && !r.Constant && s.Decider.DecideStep(2) == 1
}

// isRefreshed decides whether a line that a load hits in a cache after the first one has left it before
// and is fetched again at once. This makes a difference only if memory has other bytes.
func (s *System) isRefreshed(e *entry) bool {
	if s.Decider == nil {
		return false
	}
	var now Line
	loadLine(&now, e.memory)
	mergeLine(&now, &e.data, e.dirty)
	if now == e.data || s.Decider.DecideStep(2) == 0 {
		return false
	}
	e.clean()
	e.data = now // the caller fetches the other bytes again
	return true
}

// Ready appends the requests that can be performed, in the order of issue.
func (s *System) Ready(list []*Request) []*Request {
	for r := s.oldest; r != nil; r = r.newer {
		if r.at >= 0 {
			list = append(list, r)
		}
	}
	return list
}

// Perform performs a request that is ready.
func (s *System) Perform(r *Request) { s.perform(r) }

// CacheStep is a change of the caches that no instruction causes: CU fetches a line, or an L2 cache writes
// a line back.
type CacheStep struct {
	cu    int
	fetch hotLine
	write *entry // nil for a fetch
}

// CacheSteps appends the changes of the caches that can make a difference in the present state. Fetches
// are by the given CUs.
//
// It makes no difference to what a program can observe when a line is fetched or written back as long as
// nothing else accesses the same line. Thus a CU fetches a line only when a request is ready to write it,
// and an L2 cache writes a line back only when another L2 cache or its CUs are about to access it.
func (s *System) CacheSteps(list []CacheStep, cus []int) []CacheStep {
	for i := range min(s.hots, hotLines) {
		h := &s.hot[i]
		if !s.isChanging(h.line) || s.isRepeated(i) {
			continue
		}
		for _, cu := range cus {
			if s.vector[cu].lookup(h.line) == nil && !s.queues[cu].written(h.line) {
				list = append(list, CacheStep{cu: cu, fetch: *h})
			}
		}
	}
	if s.rules.L2s*s.cus/NumCUs < 2 {
		return list
	}
	for i := range s.l2 {
		for _, k := range s.l2[i].dirty {
			if e := &s.l2[i].entries[k]; e.dirty != 0 && s.isShared(i, e) {
				list = append(list, CacheStep{write: e})
			}
		}
	}
	return list
}

// isRepeated reports whether a recently accessed line is in the list before.
func (s *System) isRepeated(i uint) bool {
	for k := range i {
		if s.hot[k].line == s.hot[i].line {
			return true
		}
	}
	return false
}

// isChanging reports whether a request is ready that writes a line, or memory from a modified copy.
func (s *System) isChanging(line uint64) bool {
	for _, r := range s.ready {
		switch r.Kind {
		case Store, Modify:
			if r.Line == line {
				return true
			}
		case writes:
			if e := s.l2Of(s.cuOf(r)).lookup(line); e != nil && e.dirty != 0 {
				return true
			}
		}
	}
	return false
}

// isShared reports whether a modified line of an L2 cache is about to be accessed by another one or
// past it, or modified there as well.
func (s *System) isShared(l2 int, e *entry) bool {
	for _, r := range s.ready {
		if c := s.l2Of(s.cuOf(r)); r.Line == e.line && c != &s.l2[l2] {
			return true
		}
	}
	for i := range s.l2 {
		if x := s.l2[i].lookup(e.line); i != l2 && x != nil && x.dirty&e.dirty != 0 {
			return true
		}
	}
	return false
}

// cuOf returns the CU of a request, or the first one of its scalar cache.
func (s *System) cuOf(r *Request) int {
	if cu := int(r.queue); cu < s.cus {
		return cu
	}
	return (int(r.queue) - s.cus) * s.rules.ScalarCUs
}

// ChangeCaches performs a step of CacheSteps.
func (s *System) ChangeCaches(x *CacheStep) {
	if x.write != nil {
		x.write.clean()
		return
	}
	s.prefetchLine(&s.vector[x.cu], x.cu, &x.fetch)
}
