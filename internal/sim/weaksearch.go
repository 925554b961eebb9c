package sim

import (
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// A search runs a dispatch step by step. A step issues a wave's memory instruction, performs a request or
// an LDS instruction, writes the results of an operation to registers, or changes a cache. In each state
// the device's Search decides between the possible steps, in the order of their ranks:
//
//   - Requests, LDS instructions and results are first, in the order in which they became possible, so
//     that the default schedule is sequential. The waves follow, in order, until they stop.
//   - If the search decides on another step than the first one, the steps before it move after all
//     others. A single deviation thus delays a store until the other waves have ended or wait.
//   - A wave that branches backwards or yields moves after all others, so that loops that wait for something end.
//
// Steps that commute with all others need no decision: instructions of a wave that neither access memory nor
// may use a register whose result is late, loads of the kernel's arguments, and the completion of
// operations without results or for which their wave waits anyway.

// weakSearch is the state of a search in a dispatch.
type weakSearch struct {
	decider   *device.Search
	steps     []weakStep         // that are possible
	ready     []*weakmem.Request // likewise
	caches    []weakmem.CacheStep
	cus       []int                  // of the waves
	first     uint64                 // next rank of a request or result
	registers map[*op][]registerSpan // of instructions
	last      uint64                 // next rank of a step after all others
}

// lastRank is the first rank of waves, and of steps that follow after all others.
const lastRank = 1 << 32

// weakTurn is a wave's part in a search.
type weakTurn struct {
	rank   uint64
	last   int32 // index of the instruction at which the wave stopped
	halted bool  // the wave has executed the instructions that concern no others
	held   bool  // the next instruction is one that accesses memory
}

// weakStep is a step of a wave, a request, an operation or the caches.
type weakStep struct {
	rank  *uint64 // nil for a change of the caches
	wave  *wave
	req   *weakmem.Request
	op    *weakOp
	cache *weakmem.CacheStep
}

// startSearch prepares the search of a dispatch, if there is one.
func (s *weakSched) startSearch() {
	d := s.launch.dev.opts.Search
	if s.mem.Decider, s.search = nil, nil; d == nil {
		return
	}
	x := &s.searches
	x.decider, x.first, x.last = d, 1, lastRank
	s.mem.Decider, s.search = d, x
	i := d.DecideStep(s.launch.placements())
	s.order, s.rotate = &weakOrders[min(i, 1)], max(i-1, 0)
	if s.launch.total == 3 && i > 1 {
		s.rotate++ // with one, the last one alone is elsewhere as with the first order
	}
}

// placements returns how many ways there are to place the work-groups on shader arrays.
func (l *launch) placements() int {
	if l.clusterGroups() > 1 {
		return 1
	}
	return [...]int{1, 1, 2, 4, 5}[min(l.total, 4)]
}

// stepSearch runs the wave instructions that concern no others, then a step.
func (s *weakSched) stepSearch() {
	x := s.search
	if err := x.decider.Err(); err != nil {
		s.fail(err.Error())
		return
	}
	for !s.over && s.settle() {
	}
	if s.over || len(s.groups) == 0 {
		return
	}
	s.findSteps()
	if len(x.steps) == 0 {
		s.fail("deadlock: all waves wait for one another")
		return
	}
	i := x.decider.DecideStep(len(x.steps))
	t := x.steps[i]
	if t.rank != nil {
		for _, before := range x.steps[:i] {
			*before.rank = x.lastRank()
		}
	}
	s.takeStep(&t)
}

func (x *weakSearch) lastRank() uint64 {
	x.last++
	return x.last
}

// rankOf returns the rank of a step, and sets it if it is new.
func (x *weakSearch) rankOf(rank *uint64) *uint64 {
	if *rank == 0 {
		*rank = x.first
		x.first++
	}
	return rank
}

// settle takes the steps that need no decision. It returns whether there was one.
func (s *weakSched) settle() (any bool) {
	x := s.search
	for _, w := range slices.Clone(s.waves) {
		if w.weak.completeForced(w) || s.runAhead(w) {
			any = true
		}
		if s.over {
			return any
		}
	}
	x.ready = s.mem.Ready(x.ready[:0])
	for _, r := range x.ready {
		if r.Constant {
			s.mem.Perform(r)
			any = true
		}
	}
	return any
}

// findSteps lists the possible steps by rank.
func (s *weakSched) findSteps() {
	x := s.search
	x.steps, x.cus = x.steps[:0], x.cus[:0]
	x.ready = s.mem.Ready(x.ready[:0])
	for _, r := range x.ready {
		x.steps = append(x.steps, weakStep{rank: x.rankOf(&r.Rank), req: r})
	}
	for _, w := range s.waves {
		k := w.weak
		if !slices.Contains(x.cus, k.cu) {
			x.cus = append(x.cus, k.cu)
		}
		if len(k.locals) > 0 {
			p := k.locals[0]
			x.steps = append(x.steps, weakStep{rank: x.rankOf(&p.rank), wave: w, op: p})
		}
		for _, p := range k.list {
			if p.Left == 0 && k.inOrder(p) && (w.stop == waiting || w.canRun() && s.concerns(w, p)) {
				x.steps = append(x.steps, weakStep{rank: x.rankOf(&p.rank), wave: w, op: p})
			}
		}
		if w.canRun() {
			if k.turn.rank == 0 {
				k.turn.rank = x.lastRank()
			}
			x.steps = append(x.steps, weakStep{rank: &k.turn.rank, wave: w})
		}
	}
	slices.SortFunc(x.steps, func(a, b weakStep) int {
		if *a.rank < *b.rank {
			return -1
		}
		return 1
	})
	x.caches = s.mem.CacheSteps(x.caches[:0], x.cus)
	for i := range x.caches {
		x.steps = append(x.steps, weakStep{cache: &x.caches[i]})
	}
}

// takeStep takes a step.
func (s *weakSched) takeStep(t *weakStep) {
	s.mem.Advance()
	switch {
	case t.cache != nil:
		s.mem.ChangeCaches(t.cache)
	case t.req != nil:
		s.mem.Perform(t.req)
	case t.op == nil:
		s.runTurn(t.wave)
	case t.op.Left == 0:
		t.wave.weak.completeOne(t.wave, t.op)
	default:
		t.op.rank = 0 // of its completion
		t.wave.weak.performLocal(t.wave)
		s.reportFault(t.wave)
	}
}

// runTurn runs a wave up to and including its next memory instruction.
func (s *weakSched) runTurn(w *wave) {
	t := &w.weak.turn
	t.halted, t.held = false, false
	s.runWave(w)
	t.held = w.stop == parked
	t.halted = t.held
	s.endTurn(w)
}

// endTurn moves a wave after the others if it has branched backwards, or yields without an operation.
func (s *weakSched) endTurn(w *wave) {
	t := &w.weak.turn
	if w.at <= t.last {
		t.rank = s.search.lastRank()
	}
	t.last = w.at
}

// runAhead runs a wave up to, but not including, its next memory instruction, if no late results may
// interfere. It returns whether the wave has executed an instruction.
func (s *weakSched) runAhead(w *wave) (any bool) {
	t := &w.weak.turn
	if !w.canRun() {
		t.halted = false
		return false
	}
	if t.halted || w.stop == parked || slices.ContainsFunc(w.weak.list, func(p *weakOp) bool { return s.concerns(w, p) }) {
		return false
	}
	s.worker.wave, t.held = w, false
	for range weakSlice {
		if w.atAccess() {
			t.held = true
			break
		}
		any = true
		if w.runInstructions(1); w.stop != preempted {
			break
		}
	}
	if t.held && w.isArgumentLoad() {
		s.runTurn(w)
		return true
	}
	if any {
		s.stopped(w)
	}
	t.halted = w.canRun()
	if !t.held && w.stop == yielded { // s_sleep, or a long computation
		t.rank = s.search.lastRank()
	}
	return any
}

// atAccess reports whether the next instruction of a wave accesses memory.
func (w *wave) atAccess() bool {
	o := w.prog.opAt(w.pc)
	return o != nil && o.weak != nil && o.weak.issues
}

// isArgumentLoad reports whether the next instruction loads arguments of the kernel to scalar registers.
func (w *wave) isArgumentLoad() bool {
	o := w.prog.opAt(w.pc)
	n := o.in.Enc.Op().Memory()
	return o.mem != nil && n.Access == isa.AccessLoad && n.Space != isa.SpaceScalarBuffer && isScalarMemory(o.in.Enc.Form()) &&
		w.isArgument(w.scalarAddress(o.mem), uint64(o.mem.bytes))
}

func isScalarMemory(f isa.Form) bool { return f == isa.SMEM || f == isa.SMRD }

// isArgument reports whether an access is to the kernel's arguments alone. No kernel writes them.
func (w *wave) isArgument(addr, size uint64) bool {
	l := w.group.launch
	return addr >= l.disp.Kernarg && addr+size <= l.disp.Kernarg+uint64(l.kernel.KernargSize)
}

// reportFault ends the dispatch if a wave has faulted.
func (s *weakSched) reportFault(w *wave) {
	if w.stop == faulted {
		s.launch.report(w.fault, w.group.number())
		s.over = true
	}
}

// hasResults reports whether the completion of an operation changes registers.
func (p *weakOp) hasResults() bool {
	if len(p.facts.results) > 0 {
		return true
	}
	return slices.ContainsFunc(p.parts, func(t *weakPart) bool { return t.rmw == nil || t.m.ret })
}

// concerns reports whether a wave that runs may access a result of an outstanding operation before it has
// to wait, up to and including its next memory instruction.
func (s *weakSched) concerns(w *wave, p *weakOp) bool {
	if !p.hasResults() {
		return false
	}
	if w.modeOdd() {
		return true
	}
	spans := p.written()
	for pc := w.pc; uint32(pc) < uint32(len(w.prog.ops)); {
		o := w.prog.opAt(pc)
		if o.class == classBranch || o.moved != nil || o.weak != nil && o.weak.wait.SGPR >= 0 && !o.weak.issues {
			return true
		}
		for _, a := range s.search.registersOf(o) {
			if slices.ContainsFunc(spans, a.overlaps) {
				return true
			}
		}
		if o.weak != nil && (o.weak.issues || !w.weak.satisfied(&o.weak.wait.Limits)) || o.next <= pc {
			return false
		}
		pc = o.next
	}
	return false
}

// registersOf returns the registers that an instruction reads or writes.
func (x *weakSearch) registersOf(o *op) []registerSpan {
	list, known := x.registers[o]
	if known {
		return list
	}
	for _, u := range reguse.Of(&o.in) {
		switch {
		case u.First < reguse.Scalar:
			r := o.vectorRange(&u)
			list = append(list, registerSpan{r.at, r.at + int32(u.N)*int32(o.in.Wave), false})
		case u.First < reguse.SCC:
			first := int32(u.First - reguse.Scalar)
			list = append(list, registerSpan{first, first + int32(u.N), true})
		}
	}
	if x.registers == nil {
		x.registers = map[*op][]registerSpan{}
	}
	x.registers[o] = list
	return list
}

// completeOne completes an operation of the wave.
func (x *weakWave) completeOne(w *wave, p *weakOp) {
	i := slices.Index(x.list, p)
	x.complete(w, p)
	x.list = append(x.list[:i], x.list[i+1:]...)
	x.resumeWave(w)
}

// completeForced completes an operation whose completion commutes with all other steps: it has no
// results, or the wave waits for it and no other operation writes the same registers. It returns whether
// there was one.
func (x *weakWave) completeForced(w *wave) bool {
	for _, p := range x.list {
		if p.Left == 0 && x.inOrder(p) && (!p.hasResults() || x.isAwaited(w, p) && !x.isContested(p)) {
			x.completeOne(w, p)
			return true
		}
	}
	return false
}

// isAwaited reports whether the wave cannot continue before an operation completes.
func (x *weakWave) isAwaited(w *wave, p *weakOp) bool {
	if w.stop != waiting || x.ending {
		return w.stop == waiting
	}
	for _, e := range p.events[:p.n] {
		switch limit := x.limits[e.Counter]; {
		case limit == waitcnt.None || x.count[e.Counter] <= limit:
		case limit == 0 || e.Stream.Ordered() && x.isUniform(e):
			return true
		}
	}
	return false
}

// isUniform reports whether all operations that an event's counter counts are of its stream.
func (x *weakWave) isUniform(e waitcnt.Event) bool {
	for _, p := range x.list {
		for _, other := range p.events[:p.n] {
			if other.Counter == e.Counter && other.Stream != e.Stream {
				return false
			}
		}
	}
	return true
}

// isContested reports whether another outstanding operation may write registers of p before or after it.
func (x *weakWave) isContested(p *weakOp) bool {
	for _, q := range x.list {
		if q == p || !q.hasResults() || q.follows(p) {
			continue
		}
		for _, a := range p.written() {
			for _, b := range q.written() {
				if a.overlaps(b) {
					return true
				}
			}
		}
	}
	return false
}

// follows reports whether q completes after p in any case.
func (q *weakOp) follows(p *weakOp) bool {
	for _, a := range p.events[:p.n] {
		for _, b := range q.events[:q.n] {
			if a.Counter == b.Counter && a.Stream == b.Stream && a.Stream.Ordered() {
				return true
			}
		}
	}
	return false
}

// registerSpan is a range of words in wave.s or wave.v.
type registerSpan struct {
	first, end int32
	scalar     bool
}

func (a registerSpan) overlaps(b registerSpan) bool {
	return a.scalar == b.scalar && a.first < b.end && b.first < a.end
}

// written lists the registers that an operation writes when it completes.
func (p *weakOp) written() (list []registerSpan) {
	for _, r := range p.facts.results {
		n := int32(r.n)
		if !r.scalar {
			n *= int32(p.wave.lanes)
		}
		list = append(list, registerSpan{r.at, r.at + n, r.scalar})
	}
	for _, t := range p.parts {
		switch {
		case t.words > 0:
			list = append(list, registerSpan{t.to, t.to + t.words, true})
		case t.rmw != nil: // the registers are not in the part
			list = append(list, registerSpan{0, math.MaxInt32, false})
		default:
			n := (int32(t.m.bytes) + 3) / 4 * int32(p.wave.lanes)
			if t.m.tfe {
				n += int32(p.wave.lanes)
			}
			list = append(list, registerSpan{t.to, t.to + n, false})
		}
	}
	return list
}
