package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Global wave sync: barriers and semaphores across the waves of all
// work-groups. Sources: AMD's ISA documents, "Global Wave Sync" and DS_GWS_*.

// numGWS is the number of GWS resources.
const numGWS = 64

// gwsResource is a barrier or semaphore.
type gwsResource struct {
	counter uint32 // 12 bits
	flag    bool   // distinguishes consecutive uses of a barrier
	queue   uint32 // waves waiting at the semaphore
}

const gwsCounterMask = 1<<12 - 1

// gwsWait is the state of a wave that waits at a resource.
type gwsWait struct {
	waits bool
	flag  bool // the resource's flag on arrival
}

type gwsRow = func(w *wave, o *op, r *gwsResource, value uint32)

// gwsRows lists the operations by name. value is the first active lane's
// operand.
var gwsRows = lazy.Value[map[string]gwsRow]{Make: func() map[string]gwsRow {
	return map[string]gwsRow{
		"ds_gws_init": func(w *wave, o *op, r *gwsResource, value uint32) {
			r.counter, r.flag = value&gwsCounterMask, false
		},
		"ds_gws_sema_v":           func(w *wave, o *op, r *gwsResource, value uint32) { r.addCount(1) },
		"ds_gws_sema_br":          func(w *wave, o *op, r *gwsResource, value uint32) { r.addCount(value) },
		"ds_gws_sema_release_all": func(w *wave, o *op, r *gwsResource, value uint32) { r.addCount(r.queue) },
		"ds_gws_sema_p":           gwsAcquire,
		"ds_gws_barrier":          gwsBarrier,
	}
}}

func (r *gwsResource) addCount(n uint32) { r.counter = (r.counter + n) & gwsCounterMask }

// prepareGWS returns the preparer of an operation.
func prepareGWS(f func(w *wave, o *op, r *gwsResource, value uint32)) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.gws = f
		x.run = runGWS
		return true
	}
}

func runGWS(w *wave, o *op) {
	value := uint32(0)
	if o.src[0].kind != noOperand {
		value = w.register(o.src[0].off, 0)[w.firstLane()]
	}
	id := (w.m0()>>16 + o.ds.off[0]) % numGWS
	o.ds.gws(w, o, &w.group.launch.global.sync[id], value)
}

// gwsAcquire waits until the semaphore's counter is positive and decrements it.
func gwsAcquire(w *wave, o *op, r *gwsResource, value uint32) {
	if r.counter == 0 {
		if !w.sync.waits {
			w.sync.waits = true
			r.queue++
		}
		w.repeat(o)
		return
	}
	r.counter--
	if w.sync.waits {
		w.sync.waits = false
		r.queue--
	}
}

// gwsBarrier waits until one more wave than the initial counter value has
// arrived. The last wave reinitializes the counter.
func gwsBarrier(w *wave, o *op, r *gwsResource, value uint32) {
	switch {
	case w.sync.waits:
		if w.sync.flag == r.flag {
			w.repeat(o)
			return
		}
		w.sync.waits = false
	case r.counter == 0:
		r.flag = !r.flag
		r.counter = value & gwsCounterMask
	default:
		r.counter--
		w.sync = gwsWait{waits: true, flag: r.flag}
		w.repeat(o)
	}
}

// gone marks a finished worker in globalState.idle.
const gone = ^uint64(0)

// stall counts a worker's consecutive turns in which every group waited for
// others while globalState.version was unchanged.
type stall struct {
	version uint64
	turns   int
}

// watchStall records the result of a group's turn. It ends the dispatch if all
// started groups wait for others and no further group can start, since this is
// a deadlock.
func (k *worker) watchStall(g *group, resident int) {
	l := k.launch
	s := &l.global
	v := s.version.Load()
	if !g.blocked || v != k.stall.version {
		k.stall = stall{version: v}
		return
	}
	k.stall.turns++
	if k.stall.turns <= resident+1 || resident < l.resident && l.next.Load() < l.clusters() {
		return
	}
	s.idle[k.id].Store(v + 1)
	for i := range s.idle {
		if n := s.idle[i].Load(); n != v+1 && n != gone {
			return
		}
	}
	if s.version.Load() == v && !l.stop.Load() {
		l.report(&device.Fault{Kind: device.FaultTimeout, Message: "deadlock: all waves wait for one another", Lane: -1}, noGroup)
	}
}
