package sim

import (
	"math"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// The scheduler of weak memory runs all work-groups of a dispatch on one
// goroutine. In each step it runs a random wave up to its next memory
// instruction, or lets a random request or operation proceed.

const (
	// weakResident is the number of work-groups that run together. More start if
	// they make no progress for weakPatience steps.
	weakResident = 2 * weakmem.NumCUs
	weakPatience = 20000
	// weakSlice is the number of instructions that a wave executes without
	// accessing memory before another one takes its turn.
	weakSlice = 500
)

// weakSched is the scheduler of a dispatch and its memory.
type weakSched struct {
	mem         weakmem.System
	rules       *weakmem.Rules
	launch      *launch
	worker      *worker
	waves       []*wave // of the groups in progress, without those that have ended
	groups      []*group
	able        []*wave // of waves, those that can run
	ripe        []*wave // with operations that may complete
	locals      []*wave // with LDS instructions that have not been performed
	limit       int     // number of groups that may run together
	idle        int     // steps since a group has begun or ended
	parked      int     // turns since a wave has made progress
	begun       bool    // no more groups are to begin
	over        bool
	outstanding int // operations of all waves
	memoryRate  int // in 256 steps, those that concern memory
	localRate   int // in 256 of those, LDS has precedence
	slow        int // the waves of groups with this number modulo 2 have slow LDS instructions
	split       bool
	rotate      int
	order       *[weakmem.NumCUs]uint8
	maxima      [waitcnt.NumCounters]int16 // largest values of the counters
	requests    []*weakmem.Request         // free
	ops         []*weakOp                  // free
	parts       []*weakPart                // free
	modifies    []*weakModify              // free
	made        []*wave                    // of the dispatch
	spare       []*wave                    // of earlier dispatches
	search      *weakSearch                // nil for random events
	searches    weakSearch                 // what search refers to
}

// weakRates holds the possible values of weakSched.memoryRate.
var weakRates = [...]int{24, 64, 128, 200}

// weakLocalRates holds the possible values of weakSched.localRate. With the lowest, LDS is slower than
// global memory.
var weakLocalRates = [...]int{4, 32, 96, 96}

const (
	// weakSlow is the number of possible values of weakSched.slow; two of them slow waves down.
	weakSlow = 4
	// weakSlowRate is how often, in 256 times, a slow LDS instruction is performed nevertheless.
	weakSlowRate = 8
)

// A wave that has polled weakPolls times in succession, or weakFirstPolls during the eventful steps, polls
// again in only weakPollRate of 256 turns, as long as operations are outstanding.
const (
	weakPolls      = 2
	weakFirstPolls = 3
	weakPollRate   = 16
)

// weakOrders holds the possible orders in which work-groups use the CUs.
// Neighbors are in different shader arrays or in the same.
var weakOrders = [...][weakmem.NumCUs]uint8{{0, 4, 2, 6, 1, 5, 3, 7}, {0, 2, 1, 3, 4, 6, 5, 7}}

// startWeak prepares weak memory for a dispatch.
func (l *launch) startWeak() {
	d := l.dev
	s, _ := d.weaks.Get().(*weakSched)
	if s == nil {
		s = &weakSched{}
		for c := range s.maxima {
			s.maxima[c] = math.MaxInt16 // no limit
			if n := waitcnt.Max(d.set, waitcnt.Counter(c)); n > 0 && n < math.MaxInt16 {
				s.maxima[c] = int16(n)
			}
		}
	}
	l.weak = s
	r := weakmem.NewRandom(d.seed.Load())
	if r = weakmem.NewRandom(r.Next() + d.runs.Add(1)); d.opts.Search != nil {
		r = 0
	}
	s.rules = weakmem.RulesOf(d.set.Gen(), d.agents)
	s.mem.Reset(s.rules, d.agents, r.Next())
	s.launch, s.limit, s.idle, s.parked, s.begun, s.over, s.outstanding = l, min(weakResident, l.resident), 0, 0, false, false, 0
	s.waves, s.able, s.groups, s.ripe, s.locals = s.waves[:0], s.able[:0], s.groups[:0], s.ripe[:0], s.locals[:0]
	s.memoryRate = weakRates[r.Below(len(weakRates))]
	s.localRate = weakLocalRates[r.Below(len(weakLocalRates))]
	s.slow = r.Below(weakSlow)
	s.order, s.rotate = &weakOrders[r.Below(len(weakOrders))], r.Below(weakmem.NumCUs)
	s.split = l.kernel.splitsGroups(d)
	s.startSearch()
}

// splitsGroups reports whether the waves of a group run on more than one CU: in
// WGP mode, and with tgsplit.
func (k *kernel) splitsGroups(d *Device) bool {
	switch {
	case d.set.Has(isa.PropTgsplit):
		return k.ComputePgmRsrc3>>16&1 != 0
	case d.set.Has(isa.PropClusters):
		return false
	case d.set.Has(isa.PropWgp):
		return k.ComputePgmRsrc1>>29&1 != 0
	}
	return false
}

// endWeak returns the scheduler to the device.
func (l *launch) endWeak() {
	if s := l.weak; s != nil {
		s.spareWaves()
		l.weak, s.launch, s.worker = nil, nil, nil
		l.dev.weaks.Put(s)
	}
}

// agentOf returns the agent of a work-group or cluster by its number in dispatch order.
func (d *Device) agentOf(number uint64) int {
	if list := d.opts.Agents; len(list) > 0 {
		return list[number%uint64(len(list))]
	}
	return 0
}

// cuOf returns the CU of a wave. Work-groups with neighboring numbers have
// different CUs, the groups of a cluster have CUs of one XCC.
func (s *weakSched) cuOf(w *wave) int {
	g := w.group
	if c := g.cluster; c != nil {
		half := weakmem.NumCUs / 2
		return w.dev.agentOf(c.index)*weakmem.NumCUs + int(c.number)%2*half + int(g.flatPlace())%half
	}
	cu := int(s.order[(g.number()+uint64(s.rotate))%weakmem.NumCUs]) + w.dev.agentOf(g.number())*weakmem.NumCUs
	switch {
	case !s.split:
		return cu
	case w.dev.set.Has(isa.PropTgsplit):
		return cu&^3 | (cu+w.index)&3
	}
	return cu&^1 | w.index&1
}

// runGroups runs the work-groups of the dispatch.
func (s *weakSched) runGroups(k *worker) {
	s.worker = k
	for !s.launch.stop.Load() && !s.over {
		s.admit()
		if len(s.groups) == 0 {
			break
		}
		if s.search != nil {
			s.stepSearch()
		} else {
			s.step()
		}
	}
	for _, g := range s.groups {
		s.launch.interrupted(g)
	}
	s.mem.Flush()
}

// admit starts work-groups.
func (s *weakSched) admit() {
	if s.begun {
		return
	}
	if s.idle++; s.idle > weakPatience {
		s.limit, s.idle = min(s.limit+s.launch.clusterGroups(), s.launch.resident), 0
	}
	for len(s.worker.cohort) > 0 || len(s.groups) < s.limit {
		g := s.worker.begin()
		if g == nil {
			s.begun = true
			return
		}
		s.groups = append(s.groups, g)
		for _, w := range g.waves[:g.live] {
			s.waves = append(s.waves, w)
			s.addAble(w)
		}
		s.idle = 0
	}
}

// step lets a wave or memory proceed.
func (s *weakSched) step() {
	if s.held() {
		s.stepHeld()
		return
	}
	switch w := s.choose(); {
	case w != nil:
		s.mem.Advance()
		s.runWave(w)
	case s.outstanding > 0:
		s.stepMemory()
	default:
		s.fail("deadlock: all waves wait for one another")
	}
}

// choose returns a wave that is to run, or nil if memory is to proceed or no wave can run. All
// waves that can run and do not poll are equally likely.
func (s *weakSched) choose() *wave {
	r := s.mem.Random.Next()
	n := uint64(len(s.able))
	if n == 0 || s.outstanding > 0 && int(r>>56) < s.memoryRate {
		return nil
	}
	w := s.able[r&(1<<32-1)*n>>32]
	if s.outstanding > 0 && w.weak.polls >= s.patience() && int(r>>48&255) >= weakPollRate {
		return nil
	}
	return w
}

// held reports whether memory cannot proceed now although there are outstanding operations.
func (s *weakSched) held() bool {
	return s.mem.Held() && s.outstanding > 0 && len(s.ripe) == 0 && len(s.locals) == 0
}

// stepHeld does what step does until a wave has run or memory can proceed.
func (s *weakSched) stepHeld() {
	for s.held() {
		s.idle++
		s.mem.Advance()
		if w := s.choose(); w != nil {
			s.runWave(w)
			return
		}
	}
}

// patience returns the number of polls in succession after which a wave polls rarely.
func (s *weakSched) patience() int {
	if s.mem.Eventful() {
		return weakFirstPolls
	}
	return weakPolls
}

// addAble adds a wave to those that can run.
func (s *weakSched) addAble(w *wave) {
	if x := w.weak; x.able < 0 {
		x.able = len(s.able)
		s.able = append(s.able, w)
	}
}

// removeAble is the inverse of addAble.
func (s *weakSched) removeAble(x *weakWave) {
	if x.able < 0 {
		return
	}
	last := s.able[len(s.able)-1]
	s.able[x.able], last.weak.able = last, x.able
	s.able = s.able[:len(s.able)-1]
	x.able = -1
}

func (w *wave) canRun() bool { return w.stop == yielded || w.stop == parked }

// stepMemory lets a request, an LDS instruction or the operations of a wave
// proceed.
func (s *weakSched) stepMemory() {
	if w := s.chooseLocal(); w != nil {
		s.mem.Advance()
		w.weak.performLocal(w)
		if w.stop == faulted {
			s.launch.report(w.fault, w.group.number())
			s.over = true
		}
		return
	}
	if s.mem.Queued() > 0 && s.mem.Random.Chance(160) {
		s.mem.Step()
		return
	}
	s.mem.Advance()
	if n := len(s.ripe); n > 0 {
		w := s.ripe[s.mem.Random.Below(n)]
		w.weak.retire(w)
	}
}

// chooseLocal returns a random wave whose next LDS instruction is to be performed, or nil.
func (s *weakSched) chooseLocal() *wave {
	n := len(s.locals)
	if n == 0 {
		return nil
	}
	w := s.locals[s.mem.Random.Below(n)]
	switch {
	case s.mem.Queued() == 0 && len(s.ripe) == 0:
		return w
	case w.index&1 == s.slow && !s.mem.Random.Chance(weakSlowRate), !s.mem.Random.Chance(s.localRate):
		return nil
	}
	return w
}

// addRipe adds a wave to those with operations that may complete.
func (s *weakSched) addRipe(w *wave) {
	if x := w.weak; x.ripe < 0 && s.search == nil {
		x.ripe = len(s.ripe)
		s.ripe = append(s.ripe, w)
	}
}

// removeRipe is the inverse of addRipe.
func (s *weakSched) removeRipe(x *weakWave) {
	last := s.ripe[len(s.ripe)-1]
	s.ripe[x.ripe], last.weak.ripe = last, x.ripe
	s.ripe = s.ripe[:len(s.ripe)-1]
	x.ripe = -1
}

// runWave runs a wave up to its next memory instruction.
func (s *weakSched) runWave(w *wave) {
	s.worker.wave = w
	w.runInstructions(weakSlice)
	s.stopped(w)
}

// stopped deals with a wave that has stopped.
func (s *weakSched) stopped(w *wave) {
	if w.stop == preempted {
		w.stop = yielded
	}
	if !w.canRun() {
		s.removeAble(w.weak)
	}
	switch w.stop {
	case faulted:
		s.launch.report(w.fault, w.group.number())
		s.over = true
	case ended:
		if w.weak.ending = len(w.weak.list) > 0; w.weak.ending {
			w.stop = waiting
			return
		}
		s.end(w)
	case atBarrier, atSplitBarrier:
		s.meet(w.group)
	case parked:
		s.park()
		return
	}
	s.parked = 0
}

// park counts turns of waves that wait for others. If there are many, more
// work-groups start.
func (s *weakSched) park() {
	l := s.launch
	switch s.parked++; {
	case s.parked <= 1000*len(s.waves):
	case s.limit < l.resident && l.next.Load() < l.clusters():
		s.limit, s.parked = l.resident, 0
	default:
		s.fail("deadlock: all waves wait for one another")
	}
}

// fail ends the dispatch because of a deadlock.
func (s *weakSched) fail(what string) {
	s.launch.report(&device.Fault{Kind: device.FaultTimeout, Message: what, Lane: -1}, noGroup)
	s.over = true
}

// meet releases the waves of a group if all are at barriers.
func (s *weakSched) meet(g *group) {
	for _, w := range g.waves[:g.begun] {
		if w.stop != ended && w.stop != atBarrier && w.stop != atSplitBarrier {
			return
		}
	}
	if s.worker.stuck(g) {
		s.over = true
		return
	}
	g.release()
}

// end ends a wave.
func (s *weakSched) end(w *wave) {
	g := w.group
	w.stop, w.weak.ending = ended, false
	for i, x := range s.waves {
		if x == w {
			s.waves = append(s.waves[:i], s.waves[i+1:]...)
			break
		}
	}
	g.live--
	w.checkEnd()
	g.leaveBarriers(w)
	if g.live > 0 {
		s.meet(g)
		return
	}
	for i, x := range s.groups {
		if x == g {
			s.groups = append(s.groups[:i], s.groups[i+1:]...)
			break
		}
	}
	g.leaveCluster()
	s.launch.done.Add(1)
	s.launch.progress()
	s.worker.spare = append(s.worker.spare, g)
	s.idle = 0
}

// newWave returns a wave without a group whose registers hold zeros.
func (s *weakSched) newWave() *wave {
	w := &wave{}
	if n := len(s.spare) - 1; n >= 0 {
		w, s.spare = s.spare[n], s.spare[:n]
		w.renew()
	} else {
		w.v, w.weak = new(registerFile), &weakWave{}
	}
	w.weak.sched, w.weak.wave = s, w
	s.made = append(s.made, w)
	return w
}

// renew clears a wave of an earlier dispatch, with the registers of its kernel.
func (w *wave) renew() {
	k, v, x := w.group.launch.kernel, w.v, w.weak
	clear(v[:k.vgprs*k.lanes])
	clear(v[numVGPRs*k.lanes:][:k.agprs*k.lanes])
	*w = wave{v: v, weak: x}
	*x = weakWave{list: x.list[:0], locals: x.locals[:0]}
}

// spareWaves keeps the waves of a dispatch that ends, up to a limit, for the next ones. Their registers
// are large, so that a dispatch of a few groups would otherwise spend most of its time on them.
func (s *weakSched) spareWaves() {
	n := min(len(s.made), maxSpareWaves-len(s.spare))
	s.spare = append(s.spare, s.made[:n]...)
	clear(s.made)
	s.made = s.made[:0]
}

// maxSpareWaves is the number of waves that spareWaves keeps, of 150 kB each.
const maxSpareWaves = 256

// newOp returns an operation of a wave without requests.
func (s *weakSched) newOp(w *wave, f *weakFacts) *weakOp {
	var p *weakOp
	if n := len(s.ops) - 1; n >= 0 {
		p, s.ops = s.ops[n], s.ops[:n]
	} else {
		p = &weakOp{}
	}
	p.wave, p.facts, p.lanes, p.late, p.rank, p.Left, p.Owner = w, f, w.exec(), false, 0, 0, w.weak
	return p
}

// freeOp frees an operation with all its parts and requests, which must not be
// queued unless the dispatch ends.
func (s *weakSched) freeOp(p *weakOp) {
	if p.Left > 0 {
		return // the dispatch ends
	}
	s.requests = append(s.requests, p.reqs...)
	for _, t := range p.parts {
		s.freePart(t)
	}
	p.reqs, p.parts, p.early, p.wave = p.reqs[:0], p.parts[:0], p.early[:0], nil
	s.ops = append(s.ops, p)
}

// loose completes an operation that no counter covers.
func (s *weakSched) loose(p *weakOp) {
	p.write(p.wave)
	s.freeOp(p)
}

func (s *weakSched) newRequest() *weakmem.Request {
	if n := len(s.requests) - 1; n >= 0 {
		r := s.requests[n]
		s.requests = s.requests[:n]
		r.Mask, r.Lanes, r.Modify, r.Done, r.Constant, r.Rank = 0, 0, nil, false, false, 0
		return r
	}
	return &weakmem.Request{}
}

func (s *weakSched) newPart() *weakPart {
	if n := len(s.parts) - 1; n >= 0 {
		t := s.parts[n]
		s.parts = s.parts[:n]
		return t
	}
	return &weakPart{}
}

func (s *weakSched) freePart(t *weakPart) {
	if t.rmw != nil {
		s.modifies = append(s.modifies, t.rmw)
		t.rmw = nil
	}
	s.parts = append(s.parts, t)
}

func (s *weakSched) newModify() *weakModify {
	if n := len(s.modifies) - 1; n >= 0 {
		a := s.modifies[n]
		s.modifies = s.modifies[:n]
		return a
	}
	return &weakModify{}
}
