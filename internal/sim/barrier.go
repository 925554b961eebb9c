package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Split barriers (gfx12). A wave signals a barrier and waits for it later. The
// barrier completes when all its members have signaled. Barrier -1 has all
// waves of the work-group as members, barrier -2 is reserved for trap handlers,
// and waves join and leave the named barriers 1 to 16. Source: RDNA 4 ISA,
// S_BARRIER_SIGNAL, S_BARRIER_SIGNAL_ISFIRST, S_BARRIER_WAIT,
// S_GET_BARRIER_STATE; for named barriers, AMDGPU user guide.

// Numbers of barriers with a purpose of their own, and the number of states.
// The state of barrier n is at n mod numBarriers.
const (
	groupBarrier = -1
	trapBarrier  = -2
	// clusterBarrier has the work-groups of a cluster as members (gfx12.5). One
	// wave of each signals.
	clusterBarrier = -3
	noBarrier      = 0
	numBarriers    = 64
	maxNamed       = 16
)

// Fields of M0 for instructions that take the number of a barrier from it.
const (
	m0Barrier      = 31 // the number
	m0MembersShift = 16 // the number of members, of s_barrier_init and s_barrier_signal
	m0Members      = 127
)

// barrierState is the state of a barrier of a work-group.
type barrierState struct {
	members, signals uint32
	first            uint64 // address of the first signal since the barrier completed, for checks
	by               int    // wave that sent it
}

// barrierBit numbers what a wave can wait for.
type barrierBit uint8

const (
	bitNamed barrierBit = iota // the named barrier that the wave has joined
	bitGroup
	bitTrap
	bitCluster
	numBarrierBits
)

// waveBarrier is a wave's part in the split barriers.
type waveBarrier struct {
	complete [numBarrierBits]bool
	times    [numBarrierBits]uint32 // of completion, for check race
	waits    barrierBit             // valid while the wave is atSplitBarrier
	joined   int                    // named barrier, or noBarrier
	signaled bool                   // barrier -1 since it completed
}

// barrier returns the state of barrier n.
func (g *group) barrier(n int) *barrierState {
	if n == clusterBarrier && g.cluster != nil {
		return &g.cluster.barrier
	}
	return &g.barriers[n&(numBarriers-1)]
}

// startBarriers resets the barriers for a work-group of n waves.
func (g *group) startBarriers(n int) {
	g.barriers = [numBarriers]barrierState{}
	g.barrier(groupBarrier).members = uint32(n)
}

// barrierNumber returns the number of the barrier that an instruction names. M0
// does not hold negative numbers.
func (w *wave) barrierNumber(o *op) int {
	s := &o.src[0]
	if s.kind == inScalar {
		return int(uint32(w.scalar(s)) & m0Barrier)
	}
	return int(int32(w.scalar(s)))
}

// signals reports whether a signal has an effect: barrier 0 does not exist, user
// code may not signal barrier -2, and neither a wave alone nor a work-group
// outside of clusters needs a barrier.
func (w *wave) signals(n int) bool {
	if n == clusterBarrier {
		return w.group.cluster != nil
	}
	return w.group.begun > 1 && n != noBarrier && n != trapBarrier
}

// barrierOp returns a preparer of an instruction that names a barrier: by a
// constant, or by M0.
func barrierOp(c class, f func(w *wave, o *op)) preparer {
	return func(d *Device, o *op) bool {
		if !runs(c, f)(d, o) {
			return false
		}
		number := reguse.FindOperand(&o.in, isa.FieldSrc0)
		if number == nil {
			return false
		}
		var ok bool
		o.src[0], ok = o.read(number, sem.B32)
		return ok
	}
}

func runBarrierSignal(w *wave, o *op) {
	n := w.barrierNumber(o)
	if !w.signals(n) {
		return
	}
	if m := w.m0() >> m0MembersShift & m0Members; n > 0 && o.src[0].kind == inScalar && m != 0 {
		w.group.barrier(n).members = m
	}
	w.checkNamedSignal(n)
	w.signal(n)
}

// runBarrierIsFirst sets SCC to whether the signal is the barrier's first one.
// A signal without effect clears SCC on gfx12 and keeps it on gfx12.5, as LLVM's
// barrier of a cluster requires. Source: RDNA 4 ISA; LLVM, SIInstrInfo.
func runBarrierIsFirst(w *wave, o *op) {
	n := w.barrierNumber(o)
	switch {
	case w.signals(n):
		w.scc = w.group.barrier(n).signals == 0
		w.checkNamedSignal(n)
		w.signal(n)
	case !w.dev.set.Has(isa.PropClusters):
		w.scc = false
	}
}

// signal counts a wave's signal and completes the barrier if it was the last
// one.
func (w *wave) signal(n int) {
	g := w.group
	b := g.barrier(n)
	b.signals++
	switch n {
	case groupBarrier:
		w.split.signaled = true
		g.checkSignal(w, b)
	case clusterBarrier:
		g.cluster.signaled(w)
		return
	}
	g.completeBarrier(n)
}

// completeBarrier completes a barrier if all its members have signaled.
func (g *group) completeBarrier(n int) {
	b := g.barrier(n)
	if b.signals == 0 || b.signals < b.members {
		return
	}
	b.signals, b.first = 0, 0
	bit := bitNamed
	if n == groupBarrier {
		bit = bitGroup
		g.checkEnded()
	}
	clock := g.joinClocks()
	for _, w := range g.waves[:g.begun] {
		if w.stop == ended || bit == bitNamed && w.split.joined != n {
			continue
		}
		w.passBarrier(bit, clock)
		if n == groupBarrier {
			w.split.signaled = false
		}
	}
}

// passBarrier lets a wave pass a barrier that has completed: now, or at its next
// wait. clock holds accesses that happen before it.
func (w *wave) passBarrier(bit barrierBit, clock *raceClock) {
	s := &w.split
	if w.race != nil {
		s.times[bit] = w.race.launch.time.Add(1)
		w.race.sync.passed = w.race.sync.passed.join(clock)
	}
	if w.stop == atSplitBarrier && s.waits == bit {
		w.resume()
		w.leftBarrier(bit)
	} else {
		s.complete[bit] = true
	}
}

// leftBarrier notifies check race that the wave has passed a barrier.
func (w *wave) leftBarrier(bit barrierBit) {
	if w.race == nil {
		return
	}
	w.race.sync.clock = w.race.sync.clock.join(w.race.sync.passed)
	if bit != bitCluster {
		w.race.left = w.split.times[bit]
	}
}

// leaveBarriers removes a wave that has ended from the members of its barriers.
func (g *group) leaveBarriers(w *wave) {
	b := g.barrier(groupBarrier)
	if b.members--; w.split.signaled {
		b.signals--
	}
	g.completeBarrier(groupBarrier)
	if n := w.split.joined; n != noBarrier {
		g.leaveNamed(w, n)
	}
}

// leaveNamed removes a wave from the members of a named barrier.
func (g *group) leaveNamed(w *wave, n int) {
	w.split.joined = noBarrier
	if b := g.barrier(n); b.members > 0 {
		b.members--
		g.completeBarrier(n)
	}
}

func runBarrierWait(w *wave, o *op) {
	bit := bitNamed
	switch n := o.imm; {
	case n == groupBarrier:
		bit = bitGroup
	case n == clusterBarrier:
		bit = bitCluster
	case n < 0:
		bit = bitTrap
	}
	s := &w.split
	if bit == bitNamed {
		w.checkNamedWait()
	}
	switch {
	case bit == bitTrap || bit == bitCluster && w.group.cluster == nil:
	case bit != bitCluster && w.group.begun == 1 || bit == bitNamed && s.joined == noBarrier:
	case s.complete[bit]:
		s.complete[bit] = false
		w.leftBarrier(bit)
	default:
		s.waits = bit
		w.stop = atSplitBarrier
	}
}

// runBarrierState reads the numbers of signals and members of a barrier, and
// whether it exists.
func runBarrierState(w *wave, o *op) {
	b := w.group.barrier(w.barrierNumber(o))
	v := b.signals&m0Members<<16 | b.members&m0Members<<4
	if b.members > 0 {
		v |= 1
	}
	w.setScalar(&o.dst, uint64(v))
}

// runBarrierInit sets the number of members of a named barrier, which M0
// contains.
func runBarrierInit(w *wave, o *op) {
	if n := w.barrierNumber(o); n > 0 && n <= maxNamed {
		*w.group.barrier(n) = barrierState{members: w.m0() >> m0MembersShift & m0Members}
	}
}

func runBarrierJoin(w *wave, o *op) {
	w.split.joined = noBarrier
	if n := w.barrierNumber(o); n > 0 && n <= maxNamed {
		w.split.joined = n
	}
	w.split.complete[bitNamed] = false
}

// runBarrierLeave leaves the named barrier that the wave has joined. SCC is 1
// if there was one.
func runBarrierLeave(w *wave, o *op) {
	n := w.split.joined
	if w.scc = n != noBarrier; w.scc {
		w.group.leaveNamed(w, n)
	}
}

// stuck reports a deadlock if all waves of a group wait at split barriers: none
// is left to signal them.
func (k *worker) stuck(g *group) bool {
	if g.waitsForCluster() {
		return k.stuckCluster(g.cluster)
	}
	first := g.allWaiting()
	if first == nil {
		return false
	}
	first.failAt(device.FaultTimeout, "deadlock: all waves of the work-group wait at barriers that no wave is left to signal", -1, 0)
	k.launch.report(first.fault, g.number())
	return true
}

// allWaiting returns the first wave of a group that has not ended, if all such
// waves wait at split barriers, and nil otherwise.
func (g *group) allWaiting() (first *wave) {
	for _, w := range g.waves {
		switch {
		case w.stop == ended:
		case w.stop != atSplitBarrier:
			return nil
		case first == nil:
			first = w
		}
	}
	return first
}
