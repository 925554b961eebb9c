package sim

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
)

// group is a running work-group. Its waves take turns on one worker.
type group struct {
	id       [3]uint32
	size     [3]uint32 // work-items; a partial group has fewer than the dispatch specifies
	waves    []*wave
	ldsMem   []uint64
	lds      []byte // ldsMem, limited to the requested size
	begun    int    // number of waves
	live     int    // waves that have not ended
	blocked  bool   // all waves wait, at least one of them for another group
	launch   *launch
	slot     int      // scratch memory slot
	grace    int      // turns since another group faulted
	cluster  *cluster // nil outside of clusters
	barriers [numBarriers]barrierState
	race     *groupRace
	init     *groupInit
}

// sliceLength is the number of instructions that a wave executes per turn.
// turns is the number of rounds that a group executes before the worker
// switches to another group.
const (
	sliceLength = 20000
	turns       = 64
	stopCheck   = 500 // instructions of a wave between checks of launch.stop
	graceTurns  = 64  // remaining turns after a later group has faulted
	maxResident = 64  // maximum number of groups in progress per worker
)

// launch is a dispatch in progress.
type launch struct {
	dev     *Device
	disp    *device.Dispatch
	kernel  *kernel
	counts  [3]uint64 // groups in each dimension
	cluster [3]uint64 // groups of a cluster in each dimension
	total   uint64
	next    atomic.Uint64 // number of the next cluster
	done    atomic.Uint64
	stop    atomic.Bool   // all groups must stop
	limit   atomic.Uint64 // groups from this number on must stop: it or an earlier one has faulted
	mu      sync.Mutex
	fault   *device.Fault
	faulted uint64 // group number of fault; noGroup if the fault has no group
	scratch *device.Region
	crew    int // number of workers
	// resident is the maximum number of groups in progress per worker.
	resident int
	classes  [numClasses]uint64
	waves    uint64
	gds      []byte
	gdsMu    sync.Mutex
	global   globalState
	check    *launchCheck
	export   exportState
	weak     *weakSched // nil unless memory is weak
}

// withNumber formats a message with a number.
func withNumber(what string, v uint64) string { return fmt.Sprintf("%s %#x", what, v) }

// runDispatch executes a dispatch.
func (d *Device) runDispatch(ctx context.Context, p *device.Dispatch) (s *device.Stats, err error) {
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

// watch ends the launch on timeout or when ctx is done.
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
			l.report(&device.Fault{Kind: device.FaultTimeout, Message: fmt.Sprintf("the dispatch ran longer than %v", l.dev.opts.Timeout), Lane: -1}, noGroup)
		case <-over:
		}
	})
	return func() { close(over); wg.Wait() }
}

// noGroup is the group number of faults that do not belong to a group.
const noGroup = ^uint64(0)

// report records a fault if it belongs to the lowest group so far, and stops
// this group and the following ones. Earlier groups continue for a while
// because they may also fault, so that the result does not depend on timing. A
// fault without a group stops all groups.
func (l *launch) report(f *device.Fault, group uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil || group < l.faulted && !(l.fault.Kind == device.FaultTimeout && l.fault.PC != 0) {
		l.fault, l.faulted = f, group
	}
	if group == noGroup {
		l.stop.Store(true)
	}
	l.endFrom(group)
}

// endFrom stops all groups from the given number on.
func (l *launch) endFrom(group uint64) {
	for old := l.limit.Load(); group < old && !l.limit.CompareAndSwap(old, group); old = l.limit.Load() {
	}
}

// over reports whether a group must stop.
func (l *launch) over(g *group) bool { return l.stop.Load() || g.number() >= l.limit.Load() }

// describe adds the symbol and the instruction text to a fault.
func (l *launch) describe(f *device.Fault) {
	r := l.dev.Memory.Find(f.PC)
	if r == nil {
		return
	}
	if r.Symbol != nil {
		f.Where = r.Symbol(f.PC)
	}
	if executable(r, f.PC) {
		f.Text = l.dev.instructionText(r, f.PC, l.kernel.lanes)
	}
}

// work runs groups until none remain. A long-running group, such as one that
// waits for another group, is suspended so that other groups can start.
func (l *launch) work(id int) {
	k := &worker{launch: l, id: id}
	defer k.finish()
	defer k.catch()
	if l.weak != nil {
		l.weak.runGroups(k)
		return
	}
	var resident []*group
	for !l.stop.Load() {
		if len(k.cohort) > 0 || len(resident) < l.resident {
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

// worker holds the state of one goroutine of a launch.
type worker struct {
	launch *launch
	id     int
	spare  []*group
	cohort []*group // groups of the last cluster that have not run
	made   int
	counts tally
	waves  uint64
	stall  stall
	wave   *wave // current or last wave
}

// catch ends the launch after a panic of the simulator.
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

// finish adds the worker's counters to the launch's.
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

// runGroup runs the waves of a group in turns. It returns true if all waves
// have ended or the group must stop.
func (k *worker) runGroup(g *group) bool {
	g.blocked = false
	for turn := range turns {
		waiting, others := 0, 0 // waves at the barrier; waves waiting for other groups
		for _, w := range g.waves {
			switch w.stop {
			case ended:
				continue
			case atBarrier, atSplitBarrier:
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
				g.leaveBarriers(w)
			case atBarrier, atSplitBarrier:
				waiting++
			case parked:
				others++
			}
		}
		if g.live == 0 {
			g.leaveCluster()
			k.launch.done.Add(1)
			k.launch.progress()
			k.spare = append(k.spare, g)
			return true
		}
		away := false // all waves wait, at least one of them for the cluster
		if waiting == g.live {
			if k.stuck(g) {
				return true
			}
			away = g.waitsForCluster()
			g.release()
		}
		if k.mustStop(g) {
			return true
		}
		if away {
			g.blocked = turn == 0 // otherwise it has made progress
			return false
		}
		if others > 0 && waiting+others == g.live {
			g.blocked = true
			runtime.Gosched()
			return false
		}
	}
	return false
}

// mustStop reports whether a group must stop because the launch is over or a
// lower group has faulted.
func (k *worker) mustStop(g *group) bool {
	if k.launch.over(g) {
		k.launch.interrupted(g)
		return true
	}
	if k.launch.limit.Load() == k.launch.total {
		return false
	}
	g.grace++
	return g.grace > graceTurns // g may be waiting for a faulted group
}

// slice runs a wave for sliceLength instructions, until it yields or until its
// group must stop.
func (k *worker) slice(w *wave) {
	k.wave = w
	for i := 0; i < sliceLength && !k.launch.over(w.group); i += stopCheck {
		w.runInstructions(stopCheck)
		if w.stop != preempted {
			return
		}
		w.stop = yielded
	}
}

// release releases the waves waiting at the barrier that is not split.
func (g *group) release() {
	if !slices.ContainsFunc(g.waves, func(w *wave) bool { return w.stop == atBarrier }) {
		return
	}
	g.checkBarrier()
	for _, w := range g.waves {
		if w.stop == atBarrier {
			w.resume()
		}
	}
}

// resume lets a wave run that has waited.
func (w *wave) resume() {
	w.stop = yielded
	if w.weak != nil {
		w.weak.sched.addAble(w)
	}
}

// interrupted records the position of one of the group's waves in a timeout
// fault.
func (l *launch) interrupted(g *group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault == nil || l.fault.Kind != device.FaultTimeout || l.fault.PC != 0 {
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

// stats returns the statistics of a launch.
func (l *launch) stats(d time.Duration) *device.Stats {
	k := l.kernel
	s := &device.Stats{Groups: l.done.Load(), Waves: l.waves, Duration: d, Classes: map[string]uint64{},
		SGPRs: k.sgprs, VGPRs: k.vgprs, AGPRs: k.agprs, LDS: l.disp.LDSSize, Scratch: k.private, WaveSize: k.lanes}
	for c, n := range l.classes {
		s.Classes[classNames[c]] += n
		s.Instructions += n
	}
	return s
}

// begin returns the next group with its waves ready to run, or nil if none
// remain.
func (k *worker) begin() *group {
	if len(k.cohort) == 0 {
		k.beginCluster()
	}
	if len(k.cohort) == 0 {
		return nil
	}
	g := k.cohort[0]
	k.cohort = append(k.cohort[:0], k.cohort[1:]...) // keeps the storage
	return g
}

// beginGroup returns the group with the given ID with its waves ready to run.
func (k *worker) beginGroup(id [3]uint32, c *cluster) *group {
	l := k.launch
	var g *group
	if last := len(k.spare) - 1; last >= 0 {
		g, k.spare = k.spare[last], k.spare[:last]
	} else {
		g = &group{launch: l, ldsMem: make([]uint64, (l.disp.LDSSize+7)/8+1), slot: k.id*scratchSlots(l) + k.made}
		g.lds = unsafe.Slice((*byte)(unsafe.Pointer(&g.ldsMem[0])), l.disp.LDSSize)
		k.made++
	}
	g.id, g.cluster, g.grace = id, c, 0
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
	g.startBarriers(g.live)
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
