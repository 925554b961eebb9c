package weakmem

// NumCUs is the number of compute units of an agent. Two form a WGP, arrayCacheCUs
// a shader array or XCC. Agent number n has the CUs from n*NumCUs on.
const NumCUs = 8

// Sets of the caches. They are smaller than the hardware's, which makes
// no difference to what a program may rely on.
const (
	vectorSets = 32
	arraySets  = 64
	l2Sets     = 512
	scalarSets = 32
)

// Bounds of the time, in steps, that a request is queued, and that an unmodified
// line stays valid or a modified one is not written back.
const (
	maxQueued = 4096
	maxStale  = 20000
)

// eventful is the number of steps with many random events, maxHeld the maximum
// number of steps for which Step ignores some of the requests.
const (
	eventful = 4000
	maxHeld  = 200
)

// Of slowKinds possible values of System.slow, the first are kinds of requests that Step performs
// with a chance of only slowRate in 256 during the eventful steps.
const (
	slowKinds = 6
	slowRate  = 16
)

// hotLines is the number of recently accessed lines that random fetches choose
// from.
const hotLines = 16

// hotLine is a recently accessed line.
type hotLine struct {
	line   uint64
	memory *Line
	bypass Caches // that never hold the line
}

// System is the memory hierarchy of one or more agents. It is not safe for concurrent use.
type System struct {
	Random Random
	// Decider decides in a search. Only the caller's calls then perform requests and change caches.
	// It is nil if events are random. Reset does not change it.
	Decider Decider
	rules   *Rules
	now     uint64
	free    uint64 // the time before which Step performs no request, unless one becomes ready
	slow    Kind   // of requests; writes and above for none
	cus     int    // of all agents
	vector  []cache
	array   []cache
	l2      []cache
	scalar  []cache
	queues  []queues   // of CUs, then of scalar caches
	ready   []*Request // requests that can be performed
	oldest  *Request
	newest  *Request
	hot     [hotLines]hotLine
	hots    uint
}

// Reset empties the system, drops queued requests, and sets the rules, the number of
// agents, at least 1, and the seed.
func (s *System) Reset(rules *Rules, agents int, seed uint64) {
	s.rules, s.now, s.free, s.hots = rules, 0, 0, 0
	s.ready, s.oldest, s.newest = s.ready[:0], nil, nil
	s.Random = NewRandom(seed)
	s.slow = Kind(s.Random.Below(slowKinds))
	if n := agents * NumCUs; s.cus != n {
		s.cus = n
		s.vector, s.scalar, s.queues = make([]cache, n), make([]cache, n), make([]queues, 2*n)
		s.array, s.l2 = make([]cache, n/arrayCacheCUs), make([]cache, n/arrayCacheCUs)
	}
	clear(s.queues)
	for i := range s.vector {
		s.vector[i].reset(vectorSets)
		s.scalar[i].reset(scalarSets)
	}
	for i := range s.array {
		s.array[i].reset(arraySets)
		s.l2[i].reset(l2Sets)
	}
}

// Queued returns the number of requests that are queued and can be performed. It
// is 0 only if none are queued.
func (s *System) Queued() int { return len(s.ready) }

func (s *System) arrayOf(cu int) *cache {
	if !s.rules.HasArray {
		return nil
	}
	return &s.array[cu/arrayCacheCUs]
}

func (s *System) l2Of(cu int) *cache {
	if s.rules.L2s == 0 {
		return nil
	}
	return &s.l2[cu/NumCUs*(NumCUs/arrayCacheCUs)+cu%NumCUs/arrayCacheCUs%s.rules.L2s]
}

// scalarOf returns the number of the scalar cache of a CU.
func (s *System) scalarOf(cu int) int { return cu / s.rules.ScalarCUs }

// touch remembers a line for random fetches.
func (s *System) touch(r *Request) {
	if r.Constant {
		return
	}
	if last := &s.hot[(s.hots-1)%hotLines]; last.line != r.Line || s.hots == 0 {
		s.hot[s.hots%hotLines] = hotLine{r.Line, r.Memory, r.Policy.Never}
		s.hots++
	}
}

// IssueVector issues a request of a CU's vector memory instruction. A load that
// hits in the vector cache is performed at once.
func (s *System) IssueVector(cu int, r *Request) {
	s.touch(r)
	if !s.rules.LateVector && s.enterVector(cu, r) {
		return
	}
	s.enqueue(cu, r)
}

// IssueScalar issues a request of a CU's scalar memory instruction.
func (s *System) IssueScalar(cu int, r *Request) {
	s.touch(r)
	s.enqueue(s.cus+s.scalarOf(cu), r)
}

// enterVector accesses the vector cache. It returns true if a load has hit.
func (s *System) enterVector(cu int, r *Request) bool {
	return s.enter(&s.vector[cu], r, r.Policy.Bypass&Vector != 0)
}

// enter accesses the first cache of a request. It returns true if a load has
// hit.
func (s *System) enter(c *cache, r *Request, bypass bool) bool {
	if r.Kind == Modify {
		c.drop(r.Line)
		return false
	}
	e := c.lookup(r.Line)
	switch {
	case r.Kind == Store:
		if e == nil && (s.Decider != nil || s.Random.Chance(128)) {
			e = c.obtain(r.Line, r.Memory, s.now, &s.Random)
		}
		if e != nil {
			e.write(&r.Data, r.Mask)
		}
	case e == nil:
	case bypass || s.now-e.born > maxStale:
		e.valid = 0
	case e.valid&r.Mask == r.Mask:
		if s.isEvicted(r) {
			e.valid = 0
			return false
		}
		r.Data = e.data
		return s.performed(r)
	}
	return false
}

// performed records that a request has been performed.
func (s *System) performed(r *Request) bool {
	r.Done = true
	if r.Op.Left--; r.Op.Left == 0 && r.Op.Owner != nil {
		r.Op.Owner.OperationDone()
	}
	return true
}

func (s *System) enqueue(queue int, r *Request) {
	r.queue, r.born, r.next, r.at, r.Done = int32(queue), s.now, nil, -1, false
	r.held = 0
	if s.Decider == nil && s.Random.Chance(s.rate()) {
		r.held = s.now + uint64(s.Random.Below(maxHeld))
	}
	if r.Kind == writes {
		r.prev = nil
	} else {
		s.queues[queue].push(r)
	}
	if r.prev == nil {
		s.makeReady(r)
	}
	r.older, r.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = r
	} else {
		s.oldest = r
	}
	s.newest = r
}

func (s *System) makeReady(r *Request) {
	r.at = int32(len(s.ready))
	s.ready = append(s.ready, r)
	s.free = min(s.free, r.held)
}

// dequeue removes a request that is ready.
func (s *System) dequeue(r *Request) {
	last := s.ready[len(s.ready)-1]
	s.ready[r.at], last.at = last, r.at
	s.ready = s.ready[:len(s.ready)-1]
	if r.older != nil {
		r.older.newer = r.newer
	} else {
		s.oldest = r.newer
	}
	if r.newer != nil {
		r.newer.older = r.older
	} else {
		s.newest = r.older
	}
	switch {
	case r.next != nil:
		r.next.prev = nil
		s.makeReady(r.next)
	case r.Kind != writes:
		s.queues[r.queue].unlink(r)
	}
}

// Step performs a random request, unless it picks one that is held for a while,
// and disturbs the caches at random.
func (s *System) Step() {
	s.Advance()
	if len(s.ready) == 0 {
		return
	}
	r := s.ready[s.Random.Below(len(s.ready))]
	if r.held > s.now {
		s.free = s.firstFree()
		return
	}
	isSlow := r.Kind == s.slow && r.Kind < writes && s.Eventful()
	if !isSlow || s.Random.Chance(slowRate) {
		s.perform(r)
	}
}

// firstFree returns the time until which all requests that are ready are held.
func (s *System) firstFree() uint64 {
	first := s.ready[0].held
	for _, r := range s.ready {
		if first = min(first, r.held); first <= s.now {
			return 0
		}
	}
	return first
}

// Held reports whether Step is known to perform no request now, since all are held.
func (s *System) Held() bool { return s.now < s.free }

// Eventful reports whether these are the first steps, which have many random events.
func (s *System) Eventful() bool { return s.now < eventful }

// rate returns how often, in 256 cases, requests are held and caches disturbed:
// often at first, so that short programs have all outcomes, then rarely.
func (s *System) rate() int {
	if s.Eventful() {
		return 64
	}
	return 8
}

// Advance lets time pass. It performs a request that has been queued for too
// long, and disturbs the caches at random.
func (s *System) Advance() {
	s.now++
	if r := s.oldest; r != nil && s.now-r.born > maxQueued {
		s.perform(r)
	}
	if s.now%maxStale == 0 {
		for i := range s.l2 {
			s.l2[i].writeBack()
		}
	}
	if s.Decider != nil || !s.Random.Chance(s.rate()) {
		return
	}
	v := s.Random.Next()
	cu := int(v % uint64(s.cus))
	switch v >> 8 % 8 {
	case 0:
		s.vector[cu].evictRandom(&s.Random)
	case 1:
		s.scalar[cu].evictRandom(&s.Random)
	case 2:
		s.l2[cu/arrayCacheCUs].evictRandom(&s.Random)
		s.array[cu/arrayCacheCUs].evictRandom(&s.Random)
	case 3:
		s.prefetch(&s.scalar[s.scalarOf(cu)], s.cus+s.scalarOf(cu), cu)
	default:
		s.prefetch(&s.vector[cu], cu, cu)
	}
}

// prefetch fetches a recently accessed line into a first cache, as a load of
// another wave does. Lines that queued requests will write are not fetched.
func (s *System) prefetch(c *cache, queue, cu int) {
	n := min(s.hots, hotLines)
	if n == 0 {
		return
	}
	h := &s.hot[s.Random.Below(int(n))]
	if c.lookup(h.line) == nil && !s.queues[queue].written(h.line) {
		s.prefetchLine(c, cu, h)
	}
}

// prefetchLine fetches a line into a first cache.
func (s *System) prefetchLine(c *cache, cu int, h *hotLine) {
	e := c.obtain(h.line, h.memory, s.now, &s.Random)
	s.fetch(cu, h.line, h.memory, h.bypass, &e.data)
	e.valid = allBytes
}

// fetch reads a line that the first cache lacks.
func (s *System) fetch(cu int, line uint64, memory *Line, bypass Caches, to *Line) {
	if c := s.arrayOf(cu); c != nil {
		e := c.lookup(line)
		switch {
		case e == nil:
		case bypass&Array != 0 || s.now-e.born > maxStale:
			e.valid = 0
		case e.valid == allBytes && !s.isRefreshed(e):
			*to = e.data
			return
		}
		s.fetchL2(cu, line, memory, bypass, to)
		if bypass&Array == 0 {
			e := c.obtain(line, memory, s.now, &s.Random)
			e.data, e.valid = *to, allBytes
		}
		return
	}
	s.fetchL2(cu, line, memory, bypass, to)
}

// fetchL2 reads a line from L2 or memory.
func (s *System) fetchL2(cu int, line uint64, memory *Line, bypass Caches, to *Line) {
	c := s.l2Of(cu)
	if c == nil {
		loadLine(to, memory)
		return
	}
	e := c.lookup(line)
	if e != nil && (bypass&L2 != 0 || s.now-e.born > maxStale) {
		e.clean()
		e.valid = 0
		e = nil
	}
	if e != nil && e.valid == allBytes && !s.isRefreshed(e) {
		*to = e.data
		return
	}
	loadLine(to, memory)
	if e != nil {
		mergeLine(to, &e.data, e.valid)
	} else if bypass&L2 != 0 {
		return
	} else {
		e = c.obtain(line, memory, s.now, &s.Random)
	}
	e.data, e.valid = *to, allBytes
}

// perform performs a request that is ready.
func (s *System) perform(r *Request) {
	cu, vector := int(r.queue), int(r.queue) < s.cus
	var first *cache
	if vector {
		first = &s.vector[cu]
	} else {
		first = &s.scalar[cu-s.cus]
		cu = (cu - s.cus) * s.rules.ScalarCUs
	}
	s.dequeue(r)
	if r.Kind == writes {
		s.l2Of(cu).writeBack()
		s.performed(r)
		return
	}
	bypass := r.Policy.Bypass&Vector != 0
	if (!vector || s.rules.LateVector) && s.enter(first, r, bypass) {
		return
	}
	switch r.Kind {
	case Load:
		s.fetch(cu, r.Line, r.Memory, r.Policy.Bypass, &r.Data)
		if !bypass && !s.queues[r.queue].written(r.Line) {
			e := first.obtain(r.Line, r.Memory, s.now, &s.Random)
			e.data, e.valid = r.Data, allBytes
		}
	case Store:
		s.storeBytes(cu, r)
	default:
		s.modify(cu, r)
	}
	s.performed(r)
}

// storeBytes performs a store in the caches after the first, and in memory.
func (s *System) storeBytes(cu int, r *Request) {
	if c := s.arrayOf(cu); c != nil {
		if e := c.lookup(r.Line); e != nil {
			e.write(&r.Data, r.Mask)
		}
	}
	c := s.l2Of(cu)
	if c == nil {
		storeLine(r.Memory, &r.Data, r.Mask)
		return
	}
	e := c.lookup(r.Line)
	switch {
	case r.Policy.Memory && e != nil:
		e.write(&r.Data, r.Mask)
		e.dirty |= r.Mask
		e.clean()
	case r.Policy.Memory:
		storeLine(r.Memory, &r.Data, r.Mask)
	default:
		if e == nil {
			e = c.obtain(r.Line, r.Memory, s.now, &s.Random)
		}
		e.write(&r.Data, r.Mask)
		c.soil(e, r.Mask)
	}
}

// modify performs an atomic, which leaves no copy in caches before its place.
func (s *System) modify(cu int, r *Request) {
	if c := s.arrayOf(cu); c != nil {
		c.drop(r.Line)
	}
	c := s.l2Of(cu)
	if c == nil || r.Policy.Memory {
		if c != nil {
			c.drop(r.Line)
		}
		r.Modify.ModifyLine(r, r.Memory, true)
		return
	}
	e := c.lookup(r.Line)
	if e == nil || e.valid != allBytes || s.isRefreshed(e) {
		var data Line
		s.fetchL2(cu, r.Line, r.Memory, 0, &data)
		e = c.lookup(r.Line)
	}
	c.soil(e, r.Modify.ModifyLine(r, &e.data, false))
}

// Finish performs a request at once, after the earlier ones of its line, unless
// it has been performed.
func (s *System) Finish(r *Request) {
	if r.Done {
		return
	}
	for r.prev != nil {
		first := r.prev
		for first.prev != nil {
			first = first.prev
		}
		s.perform(first)
	}
	s.perform(r)
}

// FinishAll performs all requests, in random order.
func (s *System) FinishAll() {
	for len(s.ready) > 0 {
		s.perform(s.ready[s.Random.Below(len(s.ready))])
	}
}

// Invalidate invalidates caches of a CU.
func (s *System) Invalidate(cu int, which Caches) {
	if which&Vector != 0 {
		s.vector[cu].invalidate()
	}
	if c := s.arrayOf(cu); c != nil && which&Array != 0 {
		c.invalidate()
	}
	if c := s.l2Of(cu); c != nil && which&L2 != 0 {
		c.invalidate()
	}
	if which&Scalar != 0 {
		s.scalar[s.scalarOf(cu)].invalidate()
	}
}

// IssueWriteBack issues a request to write the modified lines of a CU's L2 cache
// to memory. It includes the stores that have been performed when the request
// is. Without such a cache the request is performed at once.
func (s *System) IssueWriteBack(cu int, r *Request) {
	if s.l2Of(cu) == nil {
		s.performed(r)
		return
	}
	r.Kind, r.Line = writes, 0
	s.enqueue(cu, r)
}

// Flush performs all requests, writes all modified lines to memory and empties
// the caches.
func (s *System) Flush() {
	s.FinishAll()
	for i := range s.l2 {
		s.l2[i].writeBack()
		s.l2[i].nextEpoch()
		s.array[i].nextEpoch()
	}
	for i := range s.vector {
		s.vector[i].nextEpoch()
		s.scalar[i].nextEpoch()
	}
}
