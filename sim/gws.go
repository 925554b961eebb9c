package sim

import "github.com/gfx-toolchain/gfx/internal/lazy"

// Global wave sync: barriers and semaphores for the waves of all work-groups. Sources:
// AMD's ISA documents, "Global Wave Sync" and DS_GWS_*.

// numGWS is how many resources there are.
const numGWS = 64

// gwsResource is a barrier or semaphore.
type gwsResource struct {
	counter uint32 // 12 bits
	flag    bool   // tells the waves of one pass of a barrier from those of the next
	queue   uint32 // waves that wait at the semaphore
}

const gwsCounterMask = 1<<12 - 1

// gwsWait is what a wave knows while it waits at a resource.
type gwsWait struct {
	waits bool
	flag  bool // the resource's when it came
}

type gwsRow = func(w *wave, o *op, r *gwsResource, value uint32)

// gwsRows are the operations by name; value is what the first lane's register holds.
var gwsRows = lazy.Value[map[string]gwsRow]{Make: func() map[string]gwsRow {
	return map[string]gwsRow{
		"gws_init": func(w *wave, o *op, r *gwsResource, value uint32) {
			r.counter, r.flag = value&gwsCounterMask, false
		},
		"gws_sema_v":           func(w *wave, o *op, r *gwsResource, value uint32) { r.add(1) },
		"gws_sema_br":          func(w *wave, o *op, r *gwsResource, value uint32) { r.add(value) },
		"gws_sema_release_all": func(w *wave, o *op, r *gwsResource, value uint32) { r.add(r.queue) },
		"gws_sema_p":           gwsAcquire,
		"gws_barrier":          gwsBarrier,
	}
}}

func (r *gwsResource) add(n uint32) { r.counter = (r.counter + n) & gwsCounterMask }

// prepareGWS makes an instruction of a row.
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

// gwsAcquire waits until the semaphore's counter is above 0 and decrements it.
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

// gwsBarrier waits until as many waves have come as the counter said, and one more; the
// last one sets the counter for the next time.
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

// gone marks a worker without groups in globalState.idle.
const gone = ^uint64(0)

// stall is for how many turns a worker has met nothing but groups that wait for
// others, with globalState.version the same.
type stall struct {
	version uint64
	turns   int
}

// watchStall notes how a group's turn ended. It ends the dispatch when all groups
// that have begun wait for others and no other can begin: this would never end.
func (k *worker) watchStall(g *group, resident int) {
	l := k.launch
	s := &l.global
	v := s.version.Load()
	if !g.blocked || v != k.stall.version {
		k.stall = stall{version: v}
		return
	}
	k.stall.turns++
	if k.stall.turns <= resident+1 || resident < l.resident && l.next.Load() < l.total {
		return
	}
	s.idle[k.id].Store(v + 1)
	for i := range s.idle {
		if n := s.idle[i].Load(); n != v+1 && n != gone {
			return
		}
	}
	if s.version.Load() == v && !l.stop.Load() {
		l.report(&Fault{Kind: FaultTimeout, Message: "deadlock: all waves wait for one another", Lane: -1}, noGroup)
	}
}
