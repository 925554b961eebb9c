package sim

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// group is a work-group that runs: its waves take turns on one worker.
type group struct {
	id      [3]uint32
	size    [3]uint32 // work-items; less than the dispatch's for a partial group
	waves   []*wave
	ldsMem  []uint64
	lds     []byte // what was asked for
	begun   int    // waves that it has
	live    int    // those that have not ended
	blocked bool   // all waves wait, for those of other groups
	launch  *launch
	slot    int // of the scratch memory
	grace   int // turns since another group faulted
	race    *groupRace
	init    *groupInit
}

// sliceLength is how many instructions a wave runs before others have their
// turn; turns is how many rounds a group has before the worker looks at another.
const (
	sliceLength = 20000
	turns       = 64
	stopCheck   = 500 //  instructions of a wave between looks at launch.stop
	graceTurns  = 64  // that groups have after a later group faulted
	maxResident = 64  // groups that one worker has begun
)

// launch is a dispatch in work.
type launch struct {
	dev     *Device
	disp    *Dispatch
	kernel  *kernel
	counts  [3]uint64 // groups in each dimension
	total   uint64
	next    atomic.Uint64
	done    atomic.Uint64
	stop    atomic.Bool   // all groups are to stop
	limit   atomic.Uint64 // groups from this number on are to stop: one of them or an earlier one faulted
	mu      sync.Mutex
	fault   *Fault
	faulted uint64 // number of the group of fault, noGroup for none
	scratch *Region
	crew    int // workers
	// resident is how many groups one worker begins before the first has ended.
	resident int
	classes  [numClasses]uint64
	waves    uint64
	gds      []byte
	gdsMu    sync.Mutex
	global   globalState
	check    *launchCheck
}

// withNumber formats a message about a number.
func withNumber(what string, v uint64) string { return fmt.Sprintf("%s %#x", what, v) }

// run carries out a dispatch.
func (d *Device) run(ctx context.Context, p *Dispatch) (s *Stats, err error) {
	begin := time.Now()
	defer func() {
		if r := recover(); r != nil {
			f := bugFault(r)
			f.Kernel = p.Name
			s, err = nil, f
		}
	}()
	l, err := d.newLaunch(p)
	if err != nil {
		return nil, err
	}
	defer l.close()
	stop := l.watch(ctx)
	var wg sync.WaitGroup
	for i := range l.crew {
		wg.Go(func() { l.work(i) })
	}
	wg.Wait()
	stop()
	l.endChecks()
	s = l.stats(time.Since(begin))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault != nil {
		l.fault.Kernel = p.Name
		l.describe(l.fault)
		return s, l.fault
	}
	return s, ctx.Err()
}

// watch ends the launch when its time or its context does.
func (l *launch) watch(ctx context.Context) (stop func()) {
	var expired <-chan time.Time
	if t := l.dev.opts.Timeout; t > 0 {
		timer := time.NewTimer(t)
		defer func() { stop0 := stop; stop = func() { timer.Stop(); stop0() } }()
		expired = timer.C
	}
	if expired == nil && ctx.Done() == nil {
		return func() {}
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-ctx.Done():
			l.stop.Store(true)
		case <-expired:
			l.report(&Fault{Kind: FaultTimeout, Message: fmt.Sprintf("the dispatch ran longer than %v", l.dev.opts.Timeout), Lane: -1}, noGroup)
		case <-over:
		}
	})
	return func() { close(over); wg.Wait() }
}

// noGroup stands for the number of a group in faults of no group.
const noGroup = ^uint64(0)

// report keeps a fault if it is that of the lowest group so far, and ends this group and
// those that follow. Groups before it go on for a while, since they may fault, too: so
// the fault does not depend on timing. A fault of no group ends all.
func (l *launch) report(f *Fault, group uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil || group < l.faulted && !(l.fault.Kind == FaultTimeout && l.fault.PC != 0) {
		l.fault, l.faulted = f, group
	}
	if group == noGroup {
		l.stop.Store(true)
	}
	l.endFrom(group)
}

// endFrom ends the groups from a number on.
func (l *launch) endFrom(group uint64) {
	for old := l.limit.Load(); group < old && !l.limit.CompareAndSwap(old, group); old = l.limit.Load() {
	}
}

// over reports whether a group is to stop.
func (l *launch) over(g *group) bool { return l.stop.Load() || g.number() >= l.limit.Load() }

// describe adds to a fault what can be said of its place.
func (l *launch) describe(f *Fault) {
	r := l.dev.Memory.Find(f.PC)
	if r == nil {
		return
	}
	if r.Symbol != nil {
		f.Where = r.Symbol(f.PC)
	}
	if r.executable(f.PC) {
		f.Text = l.dev.instructionText(r, f.PC, l.kernel.lanes)
	}
}

// work runs groups until none is left. A group that goes on and on, as one that
// waits for another group does, is put aside so that others begin.
func (l *launch) work(id int) {
	k := &worker{launch: l, id: id}
	defer k.finish()
	defer k.catch()
	var resident []*group
	for !l.stop.Load() {
		if len(resident) < l.resident {
			if g := k.begin(); g != nil {
				if !k.runGroup(g) {
					resident = append(resident, g)
				}
				if len(resident) == 0 {
					continue
				}
			}
		}
		if len(resident) == 0 {
			return
		}
		g := resident[0]
		resident = append(resident[:0], resident[1:]...)
		if !k.runGroup(g) {
			resident = append(resident, g)
		}
		k.watchStall(g, len(resident))
	}
	for _, g := range resident {
		l.interrupted(g)
	}
}

// worker is what one goroutine of a launch keeps.
type worker struct {
	launch *launch
	id     int
	spare  []*group
	made   int
	counts tally
	waves  uint64
	stall  stall
	wave   *wave // that ran last
}

// catch ends the launch when the simulator panics.
func (k *worker) catch() {
	r := recover()
	if r == nil {
		return
	}
	f, group := bugFault(r), uint64(noGroup)
	if w := k.wave; w != nil {
		f.PC, f.Group, f.Wave, group = w.address(w.at), w.group.id, w.index, w.group.number()
	}
	k.launch.report(f, group)
}

// finish adds a worker's counts to the launch's.
func (k *worker) finish() {
	l := k.launch
	l.global.idle[k.id].Store(gone)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, n := range k.counts.classes {
		l.classes[i] += n
	}
	l.waves += k.waves
}

// runGroup lets the waves of a group take turns; it gives true when all have
// ended, or the launch is to stop.
func (k *worker) runGroup(g *group) bool {
	g.blocked = false
	for range turns {
		waiting, others := 0, 0 // waves at the barrier, and those that wait for other groups
		for _, w := range g.waves {
			switch w.stop {
			case ended:
				continue
			case atBarrier:
				waiting++
				continue
			}
			k.slice(w)
			switch w.stop {
			case faulted:
				k.launch.report(w.fault, g.number())
				return true
			case ended:
				g.live--
				w.checkEnd()
			case atBarrier:
				waiting++
			case parked:
				others++
			}
		}
		if g.live == 0 {
			k.launch.done.Add(1)
			k.launch.progress()
			k.spare = append(k.spare, g)
			return true
		}
		if waiting == g.live {
			g.release()
		}
		if k.launch.over(g) {
			k.launch.interrupted(g)
			return true
		}
		if k.launch.limit.Load() < k.launch.total {
			if g.grace++; g.grace > graceTurns { // it may wait for a group that has faulted
				return true
			}
		}
		if others > 0 && waiting+others == g.live {
			g.blocked = true
			runtime.Gosched()
			return false
		}
	}
	return false
}

// slice runs a wave for sliceLength instructions, until it gives way or its group is to
// stop.
func (k *worker) slice(w *wave) {
	k.wave = w
	for i := 0; i < sliceLength && !k.launch.over(w.group); i += stopCheck {
		w.run(stopCheck)
		if w.stop != preempted {
			return
		}
		w.stop = yielded
	}
}

// release lets the waves go on that wait at the barrier.
func (g *group) release() {
	g.checkBarrier()
	for _, w := range g.waves {
		if w.stop == atBarrier {
			w.stop = yielded
		}
	}
}

// interrupted notes where a wave of a group was when the time was over.
func (l *launch) interrupted(g *group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil || l.fault.Kind != FaultTimeout || l.fault.PC != 0 {
		return
	}
	for _, w := range g.waves {
		if w.stop != ended {
			l.fault.PC, l.fault.Group, l.fault.Wave = w.address(w.pc), g.id, w.index
			return
		}
	}
}

func (l *launch) progress() {
	if f := l.dev.opts.Progress; f != nil {
		f(l.done.Load(), l.total)
	}
}

// stats sums up a launch.
func (l *launch) stats(d time.Duration) *Stats {
	k := l.kernel
	s := &Stats{Groups: l.done.Load(), Waves: l.waves, Duration: d, Classes: map[string]uint64{},
		SGPRs: k.sgprs, VGPRs: k.vgprs, AGPRs: k.agprs, LDS: l.disp.LDSSize, Scratch: k.private, WaveSize: k.lanes}
	for c, n := range l.classes {
		s.Classes[classNames[c]] += n
		s.Instructions += n
	}
	return s
}

// begin gives the next group, its waves ready to run; nil when there is none.
func (k *worker) begin() *group {
	l := k.launch
	n := l.next.Add(1) - 1
	if n >= min(l.total, l.limit.Load()) {
		return nil
	}
	var g *group
	if last := len(k.spare) - 1; last >= 0 {
		g, k.spare = k.spare[last], k.spare[:last]
	} else {
		g = &group{launch: l, ldsMem: make([]uint64, (l.disp.LDSSize+7)/8+1), slot: k.id*scratchSlots(l) + k.made}
		g.lds = unsafe.Slice((*byte)(unsafe.Pointer(&g.ldsMem[0])), l.disp.LDSSize)
		k.made++
	}
	g.id = [3]uint32{uint32(n % l.counts[0]), uint32(n / l.counts[0] % l.counts[1]), uint32(n / (l.counts[0] * l.counts[1]))}
	g.grace = 0
	clear(g.ldsMem)
	items := 1
	for d := range g.size {
		size := uint64(l.disp.GroupSize[d])
		g.size[d] = uint32(min(size, uint64(l.disp.GridSize[d])-uint64(g.id[d])*size))
		items *= int(g.size[d])
	}
	lanes := l.kernel.lanes
	g.live = (items + lanes - 1) / lanes
	g.begun = g.live
	for len(g.waves) < g.live {
		g.waves = append(g.waves, newWave(g, len(g.waves), k))
	}
	for i, w := range g.waves {
		if i < g.live {
			w.start(items - i*lanes)
			k.waves++
		} else {
			w.stop = ended
		}
	}
	return g
}
