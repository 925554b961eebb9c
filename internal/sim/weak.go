package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Weak memory (device.MemoryWeak). A memory instruction computes its addresses
// and reads its data when it is issued. It then is an outstanding operation of
// its wave: it has requests to the memory hierarchy (package weakmem), which are
// performed later in any order, and results, which are written to registers when
// it completes. Operations complete in the order that their counters promise
// (package waitcnt), otherwise in any order. Waits stall the wave until enough
// operations have completed.
//
// LDS instructions are performed later as well, in the order of the wave, and so are FLAT
// instructions all of whose addresses are in LDS.
// Accesses to GDS and scratch memory happen at issue; only their results are
// late. The same holds for instructions that access LDS or global memory in an
// unusual way, such as image instructions; see weakFacts.direct.

// weakFacts holds the properties of an instruction that accesses memory or waits
// for it.
type weakFacts struct {
	run    func(w *wave, o *op) // execution of the instruction itself
	events [waitcnt.MaxEvents]waitcnt.Event
	n      uint8 // number of elements of events
	flat   bool  // the addresses determine which of two events there are
	wait   waitcnt.Wait
	policy [3]weakmem.Policy // by kind of request
	cache  weakmem.Op
	// direct is set if the instruction accesses memory without requests.
	direct bool
	// noLDS is set if the instruction does not access LDS, so that earlier LDS instructions need not
	// have been performed.
	noLDS bool
	// late is set if an LDS instruction is performed later; see weakLocal.
	late bool
	// flatLate is set if a FLAT instruction is performed later where all its addresses are in LDS.
	flatLate bool
	// issues is set if a wave that executes the instruction makes an operation outstanding.
	issues bool
	// polls is set if a loop may wait for the value that the instruction reads: of an atomic, and of
	// a load that does not hit in all caches.
	polls bool
	// sources are the VGPRs that an instruction reads which is performed later.
	sources []weakRange
	// results are the registers that are written at issue by the function run.
	results []weakRange
}

// weakRange is a range of registers.
type weakRange struct {
	at     int32 // index in wave.v or wave.s
	n      uint8
	scalar bool
}

// weaken prepares an instruction for weak memory.
func (o *op) weaken(d *Device) {
	in := &o.in
	f := waitFactsOf(in)
	if f.waits {
		o.weak = &weakFacts{run: o.run, wait: f.wait}
		o.run = runWeakWait
		return
	}
	x := &weakFacts{run: o.run, flat: f.flat}
	for _, e := range f.counts[:f.n] {
		if e.Counter != waitcnt.Export && e.Stream != waitcnt.Message {
			x.events[x.n] = e
			x.n++
		}
	}
	rules := weakmem.RulesOf(d.set.Gen(), d.agents)
	if in.Enc.Kinds().Any(isa.KindCache) {
		x.run, x.cache = runWeakCache, rules.OpOf(in.Enc.Name(), in.CPol())
	} else if x.n == 0 && in.Enc.Form() != isa.LDSDIR {
		return
	}
	for k := range x.policy {
		x.policy[k] = rules.PolicyOf(in.CPol(), weakmem.Kind(k))
	}
	x.issues = true
	access := in.Enc.Op().Memory().Access
	x.polls = access == isa.AccessAtomic || access == isa.AccessLoad && x.policy[weakmem.Load].Bypass != 0
	o.weak = x
	o.bindWeak()
	o.run = runWeak
}

// bindWeak selects how an instruction accesses memory.
func (o *op) bindWeak() {
	x, in := o.weak, &o.in
	t := in.Enc.Traits()
	switch in.Enc.Form() {
	case isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		x.direct = true
	case isa.SMEM, isa.SMRD:
		x.noLDS = true
		o.bindWeakScalar()
		return
	case isa.MUBUF, isa.MTBUF:
		x.noLDS = !t.Any(isa.TraitLds)
	case isa.DS:
		x.late = o.ds != nil && o.ds.plain && !o.ds.gds && (in.Set.Has(isa.PropLdsOffset) || o.ds.off == [2]uint32{})
	case isa.FLAT:
		if !x.flat && t.Any(isa.TraitGlobal) && !t.Any(isa.TraitLds) && !t.Any(isa.TraitAsync) && (o.mem == nil || o.mem.transposed == nil) {
			x.noLDS = true
			return // all results are late
		}
		x.flatLate = x.flat && o.mem != nil && !o.mem.lds && o.mem.transposed == nil
	}
	x.direct = x.direct || t.Any(isa.TraitTensor)
	o.findResults()
}

// findResults lists the registers that an instruction writes.
func (o *op) findResults() {
	x := o.weak
	for _, u := range reguse.Of(&o.in) {
		if (x.late || x.flatLate) && u.How&reguse.Read != 0 && u.First < reguse.AGPR+numVGPRs {
			x.sources = append(x.sources, o.vectorRange(&u))
		}
		switch {
		case u.How&reguse.Write == 0:
		case u.First < reguse.Scalar:
			x.results = append(x.results, o.vectorRange(&u))
		case u.First < reguse.SCC:
			x.results = append(x.results, weakRange{int32(u.First - reguse.Scalar), u.N, true})
		}
	}
}

// vectorRange returns the range of VGPRs or AGPRs of a use.
func (o *op) vectorRange(u *reguse.Use) weakRange {
	r := int32(u.First)
	if u.First >= reguse.AGPR {
		r = numVGPRs + int32(u.First-reguse.AGPR)
	}
	return weakRange{r * int32(o.in.Wave), u.N, false}
}

// weakWave is a wave's part in weak memory.
type weakWave struct {
	sched   *weakSched
	wave    *wave
	cu      int
	able    int       // index in weakSched.able, or negative
	ripe    int       // index in weakSched.ripe, or negative
	list    []*weakOp // outstanding operations in the order of issue
	locals  []*weakOp // of list, those on LDS that have not been performed
	cur     *weakOp   // the instruction that is being issued
	count   [waitcnt.NumCounters]int16
	issued  [waitcnt.NumCounters][waitcnt.NumStreams]uint32
	retired [waitcnt.NumCounters][waitcnt.NumStreams]uint32 // in order, of ordered streams
	limits  waitcnt.Limits                                  // valid while the wave is waiting
	ending  bool                                            // the wave ends as soon as nothing is outstanding
	slots   [64]weakSlot
	access  uint32     // number of the access that uses slots
	polled  *weakFacts // the last instruction but cache operations, if it polls
	polls   int        // how often polled was the last one in succession
	turn    weakTurn
}

// weakSlot caches the request of a line during an access.
type weakSlot struct {
	line   uint64
	access uint32
	req    uint16
}

// weakOp is an outstanding operation.
type weakOp struct {
	weakmem.Operation
	wave   *wave
	facts  *weakFacts
	lanes  uint64 // EXEC at issue
	events [waitcnt.MaxEvents]waitcnt.Event
	n      uint8
	seq    [waitcnt.MaxEvents]uint32
	reqs   []*weakmem.Request
	parts  []*weakPart
	early  []earlyResult
	local  weakLocal
	late   bool   // local is valid
	rank   uint64 // of the next step, in a search
}

// earlyResult is a register whose result was known at issue.
type earlyResult struct {
	weakRange
	lanes uint64 // lanes to write
	v     [64]uint32
}

// start prepares a wave that begins.
func (x *weakWave) start(w *wave) {
	s := x.sched
	x.count, x.ending, x.cur = [waitcnt.NumCounters]int16{}, false, nil
	x.issued = [waitcnt.NumCounters][waitcnt.NumStreams]uint32{}
	x.retired = x.issued
	x.cu, x.able, x.ripe, x.turn = s.cuOf(w), -1, -1, weakTurn{last: -1}
	x.polled, x.polls = nil, 0
}

// runWeak issues an instruction.
func runWeak(w *wave, o *op) {
	x, f := w.weak, o.weak
	p := x.sched.newOp(w, f)
	x.cur = p
	x.countPolls(f)
	inLDS, noLDS := uint64(0), f.noLDS || f.cache != (weakmem.Op{})
	if f.flatLate {
		inLDS = w.lanesInLDS(o.mem)
		noLDS = inLDS == 0
	}
	switch {
	case f.late, inLDS != 0 && inLDS == w.exec():
		x.issueLocal(p, o)
		return
	case f.direct:
		x.sched.mem.Flush()
	}
	if !noLDS {
		if x.performLocals(w); w.stop == faulted {
			return
		}
	}
	p.saveResults(w)
	f.run(w, o)
	x.cur = nil
	if w.stop == faulted || w.stop == parked {
		x.sched.freeOp(p)
		return
	}
	p.takeResults(w)
	x.begin(p)
}

// countPolls counts how often the wave has polled in succession.
func (x *weakWave) countPolls(f *weakFacts) {
	switch {
	case f == x.polled:
		x.polls++
	case f.cache != (weakmem.Op{}):
	case f.polls:
		x.polled, x.polls = f, 0
	default:
		x.polled, x.polls = nil, 0
	}
}

// saveResults saves the registers that the instruction will write.
func (p *weakOp) saveResults(w *wave) {
	p.early = p.early[:0]
	for _, r := range p.facts.results {
		for i := range int32(r.n) {
			p.early = append(p.early, earlyResult{})
			e := &p.early[len(p.early)-1]
			if e.weakRange = (weakRange{r.at + i, 1, r.scalar}); r.scalar {
				e.v[0] = w.s[e.at]
				continue
			}
			e.at = r.at + i*int32(w.lanes)
			copy(e.v[:w.lanes], w.v[e.at:])
		}
	}
}

// takeResults moves the results from the registers to the operation and restores
// the registers.
func (p *weakOp) takeResults(w *wave) {
	if len(p.early) == 0 {
		return
	}
	if p.allRequested(w) {
		p.early = p.early[:0]
		return
	}
	for i := range p.early {
		e := &p.early[i]
		if e.scalar {
			e.v[0], w.s[e.at] = w.s[e.at], e.v[0]
			continue
		}
		e.lanes = w.exec()
		reg := w.v[e.at:][:w.lanes]
		for l, v := range reg {
			if v != e.v[l] && !p.late {
				e.lanes |= 1 << l
			}
			reg[l], e.v[l] = e.v[l], v
		}
	}
}

// allRequested reports whether requests of memory yield all results.
func (p *weakOp) allRequested(w *wave) bool {
	return len(p.parts) == 1 && p.parts[0].lanes == w.exec() && !p.parts[0].m.tfe
}

// begin makes an operation outstanding.
func (x *weakWave) begin(p *weakOp) {
	f := p.facts
	if p.wave.stop == running {
		p.wave.stop = yielded
	}
	p.n = f.n
	p.events = f.events
	if f.flat {
		p.flatEvents()
	}
	for i := range p.n {
		e := &p.events[i]
		e.Stream = e.Stream.Queue()
		x.count[e.Counter]++
		x.issued[e.Counter][e.Stream]++
		p.seq[i] = x.issued[e.Counter][e.Stream]
	}
	if p.n == 0 { // nothing waits for it
		x.sched.loose(p)
		return
	}
	x.list = append(x.list, p)
	x.sched.outstanding++
	if p.Left == 0 {
		x.OperationDone()
	}
	x.limitCounts(p.wave)
}

// OperationDone notes that the requests of an operation of the wave have been
// performed.
func (x *weakWave) OperationDone() { x.sched.addRipe(x.wave) }

// flatEvents selects the events of a FLAT instruction according to its addresses.
func (p *weakOp) flatEvents() {
	w := p.wave
	var s flatSegments
	for m, l := p.lanes, 0; m != 0; m, l = m>>1, l+1 {
		if m&1 == 0 {
			continue
		}
		if w.mem.addr[l]>>32 == device.GroupAperture>>32 {
			s.lds = true
		} else {
			s.other = true
		}
	}
	switch {
	case !s.lds:
		p.n = 1
	case !s.other:
		p.events[0], p.n = p.events[1], 1
	case !waitcnt.FlatOrdered(w.dev.set):
		p.events[0].Stream, p.events[1].Stream = waitcnt.AnyOrder, waitcnt.AnyOrder
	}
}

// limitCounts stalls a wave whose counters have reached their largest values.
func (x *weakWave) limitCounts(w *wave) {
	if w.stop != yielded || !x.isFull() {
		return
	}
	l := waitcnt.NoLimits()
	for c, n := range x.count {
		if largest := x.sched.maxima[c]; n >= largest {
			l[c] = largest - 1
		}
	}
	x.limits, w.stop = l, waiting
}

// isFull reports whether a counter has reached its largest value.
func (x *weakWave) isFull() bool {
	for c, n := range x.count {
		if n >= x.sched.maxima[c] {
			return true
		}
	}
	return false
}

// satisfied reports whether no more operations than the limits permit are
// outstanding.
func (x *weakWave) satisfied(l *waitcnt.Limits) bool {
	for c, n := range l {
		if n != waitcnt.None && x.count[c] > n {
			return false
		}
	}
	return true
}

// runWeakWait stalls the wave until the counters are low enough.
func runWeakWait(w *wave, o *op) {
	x, f := w.weak, o.weak
	f.run(w, o)
	l := f.wait.Limits
	if r := f.wait.SGPR; r >= 0 {
		for c := range l {
			if l[c] != waitcnt.None {
				l[c] += int16(min(w.s[r], 1<<14))
			}
		}
	}
	if w.stop == running && !x.satisfied(&l) {
		x.limits, w.stop = l, waiting
	}
}

// runWeakCache executes a cache operation. The stores of the wave reach the L2
// cache before it is written back.
func runWeakCache(w *wave, o *op) {
	x := w.weak
	s, c := x.sched, o.weak.cache
	if c.WriteBack&weakmem.L2 != 0 {
		for _, p := range x.list {
			for _, r := range p.reqs {
				if r.Kind != weakmem.Load {
					s.mem.Finish(r)
				}
			}
		}
		r := s.newRequest()
		r.Op = &x.cur.Operation
		x.cur.Left++
		x.cur.reqs = append(x.cur.reqs, r)
		s.mem.IssueWriteBack(x.cu, r)
	}
	s.mem.Invalidate(x.cu, c.Invalidate)
}

// inOrder reports whether the operations that must complete before p have.
func (x *weakWave) inOrder(p *weakOp) bool {
	for i := range p.n {
		if e := &p.events[i]; e.Stream.Ordered() && x.retired[e.Counter][e.Stream]+1 != p.seq[i] {
			return false
		}
	}
	return true
}

// retire completes operations that are ready: a random number of them.
func (x *weakWave) retire(w *wave) {
	s := x.sched
	more := false
	for i := 0; i < len(x.list); {
		p := x.list[i]
		if p.Left > 0 || !x.inOrder(p) {
			i++
			continue
		}
		x.complete(w, p)
		x.list = append(x.list[:i], x.list[i+1:]...)
		if s.mem.Random.Chance(96) {
			more = len(x.list) > 0
			break
		}
	}
	if !more {
		s.removeRipe(x)
	}
	x.resumeWave(w)
}

// resumeWave ends the wait of a wave if enough operations have completed.
func (x *weakWave) resumeWave(w *wave) {
	s := x.sched
	if w.stop != waiting {
		return
	}
	if x.ending {
		if len(x.list) == 0 {
			s.end(w)
		}
	} else if x.satisfied(&x.limits) {
		w.resume()
	}
}

// complete writes the results of an operation and decrements its counters.
func (x *weakWave) complete(w *wave, p *weakOp) {
	p.write(w)
	for i := range p.n {
		e := &p.events[i]
		x.count[e.Counter]--
		if e.Stream.Ordered() {
			x.retired[e.Counter][e.Stream] = p.seq[i]
		}
	}
	x.sched.outstanding--
	x.sched.freeOp(p)
}

// write writes the results to registers.
func (p *weakOp) write(w *wave) {
	for i := range p.early {
		e := &p.early[i]
		if e.scalar {
			w.s[e.at] = e.v[0]
			continue
		}
		reg := w.v[e.at:][:w.lanes]
		for l := range reg {
			if e.lanes>>l&1 != 0 {
				reg[l] = e.v[l]
			}
		}
	}
	for _, t := range p.parts {
		t.write(w, p)
	}
}
