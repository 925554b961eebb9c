package hsa

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/sim"
)

// MemoryOrder is the order of an operation on a signal or a queue's index. This
// runtime carries every one out in the strongest order, sequentially consistent;
// programs name what they need.
type MemoryOrder uint8

const (
	Relaxed    MemoryOrder = iota
	Scacquire              // loads, waits, read-modify-write
	Screlease              // stores, read-modify-write
	ScacqScrel             // read-modify-write
)

// Layout of amd_signal_t. Source: AMDGPU HSA ABI 0.40, "Signal"; amd_hsa_signal.h.
const (
	SignalSize = 64 // bytes; the alignment as well

	signalKind     = 0
	signalValue    = 8 // or the address of the doorbell
	signalMailbox  = 16
	signalEventID  = 24
	signalStartTS  = 32
	signalEndTS    = 40
	signalQueuePtr = 48
)

// signalKinds are the values of amd_signal_t's kind.
const (
	kindInvalid        int64 = 0
	kindUser           int64 = 1
	kindDoorbell       int64 = -1
	kindLegacyDoorbell int64 = -2
)

// Signal is a signal, hsa_signal_t: an amd_signal_t in memory. That of a queue's doorbell
// takes stores only, which wake the packet processor; loads give the last value that the
// host stored.
type Signal struct {
	sys   *System
	addr  uint64
	value *int64
	queue *Queue // of a doorbell
}

// signalTable has the signals of a system and those who wait for them.
type signalTable struct {
	sys *System

	mu      sync.Mutex
	free    []uint64
	live    map[uint64]*Signal
	waiters map[*waiter]struct{}
	failed  map[uint64]error // by address: who waits for it waits in vain

	nwaiters atomic.Int32
	nfailed  atomic.Int32
}

func (t *signalTable) init(s *System) {
	t.sys, t.live, t.waiters, t.failed = s, map[uint64]*Signal{}, map[*waiter]struct{}{}, map[uint64]error{}
}

// NewSignal makes a signal with a value, hsa_signal_create. All agents may use it.
func (s *System) NewSignal(initial int64) (*Signal, error) {
	return s.signals.create(kindUser, initial)
}

// create makes a signal; second is its value, or the address of the doorbell.
func (t *signalTable) create(kind, second int64) (*Signal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sys.down.Load() {
		return nil, errShutDown()
	}
	if len(t.free) == 0 {
		r, err := t.sys.alloc(sim.PageSize, SignalSize, "signals")
		if err != nil {
			return nil, err
		}
		for a := r.Addr + sim.PageSize; a > r.Addr; a -= SignalSize {
			t.free = append(t.free, a-SignalSize)
		}
	}
	addr := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	sig := &Signal{sys: t.sys, addr: addr, value: t.sys.word(addr + signalValue)}
	for off := uint64(0); off < SignalSize; off += 8 {
		atomic.StoreInt64(t.sys.word(addr+off), 0)
	}
	atomic.StoreInt64(sig.value, second)
	atomic.StoreInt64(t.sys.word(addr+signalKind), kind)
	t.live[addr] = sig
	return sig, nil
}

// word gives an aligned 8-byte word of memory for sync/atomic, nil when it is not
// mapped.
func (s *System) word(addr uint64) *int64 { return (*int64)(s.mem.Pointer(addr, 8)) }

// Destroy destroys the signal, hsa_signal_destroy. Nobody may use it any longer, packets
// of queues included; who waits for it gets StatusErrorInvalidSignal.
func (s *Signal) Destroy() error {
	t := &s.sys.signals
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live[s.addr] != s {
		return errorf(StatusErrorInvalidSignal, "signal %#x is destroyed", s.addr)
	}
	delete(t.live, s.addr)
	t.unfail(s.addr)
	for w := range t.waiters {
		w.gone(s.addr)
	}
	atomic.StoreInt64(s.sys.word(s.addr+signalKind), kindInvalid)
	t.free = append(t.free, s.addr)
	return nil
}

// Signal gives the signal with a handle, nil when NewSignal made none or it is destroyed.
func (s *System) Signal(handle uint64) *Signal {
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	return s.signals.live[handle]
}

// Handle gives the handle: the address of the amd_signal_t.
func (s *Signal) Handle() uint64 { return s.addr }

// Load gives the value.
func (s *Signal) Load(MemoryOrder) int64 { return atomic.LoadInt64(s.value) }

// Store sets the value.
func (s *Signal) Store(v int64, _ MemoryOrder) {
	atomic.StoreInt64(s.value, v)
	s.changed()
}

// SilentStore sets the value without waking anyone who waits, hsa_signal_silent_store.
func (s *Signal) SilentStore(v int64, _ MemoryOrder) { atomic.StoreInt64(s.value, v) }

// Exchange sets the value and gives the one before.
func (s *Signal) Exchange(v int64, _ MemoryOrder) int64 {
	defer s.changed()
	return atomic.SwapInt64(s.value, v)
}

// CompareAndSwap sets the value if it is expected, hsa_signal_cas, and gives the one
// before.
func (s *Signal) CompareAndSwap(expected, v int64, _ MemoryOrder) int64 {
	return s.update(func(old int64) int64 {
		if old == expected {
			return v
		}
		return old
	})
}

// Add adds to the value. Like the operations below it wraps around.
func (s *Signal) Add(v int64, _ MemoryOrder) {
	atomic.AddInt64(s.value, v)
	s.changed()
}

// Subtract subtracts from the value.
func (s *Signal) Subtract(v int64, o MemoryOrder) { s.Add(-v, o) }

// And makes the value the bitwise and with v.
func (s *Signal) And(v int64, _ MemoryOrder) {
	atomic.AndInt64(s.value, v)
	s.changed()
}

// Or makes the value the bitwise or with v.
func (s *Signal) Or(v int64, _ MemoryOrder) {
	atomic.OrInt64(s.value, v)
	s.changed()
}

// Xor makes the value the bitwise exclusive or with v.
func (s *Signal) Xor(v int64, _ MemoryOrder) { s.update(func(old int64) int64 { return old ^ v }) }

// update computes a new value from the old one, which it gives.
func (s *Signal) update(f func(int64) int64) int64 {
	defer s.changed()
	for {
		old := atomic.LoadInt64(s.value)
		if atomic.CompareAndSwapInt64(s.value, old, f(old)) {
			return old
		}
	}
}

// changed tells those who wait, and the packet processor of a doorbell.
func (s *Signal) changed() {
	if s.queue != nil {
		s.queue.ring(uint64(atomic.LoadInt64(s.value)))
		return
	}
	t := &s.sys.signals
	if t.nfailed.Load() > 0 {
		t.mu.Lock()
		t.unfail(s.addr)
		t.mu.Unlock()
	}
	s.sys.interrupt(s.addr)
}

// interrupt is what follows a change of a signal's value: a signal with a mailbox
// gets its event ID there, and those who wait look at it.
// Source: AMDGPU HSA ABI 0.40, "Signal", "Signal Store/Signal Atomic".
func (s *System) interrupt(addr uint64) {
	if p := s.word(addr + signalMailbox); p != nil {
		if box := s.word(uint64(atomic.LoadInt64(p))); box != nil {
			id, _ := s.mem.Bytes(addr+signalEventID, 4)
			atomic.StoreInt64(box, int64(binary.LittleEndian.Uint32(id)))
		}
	}
	s.signals.recheck()
}

// unfail forgets that waiting is in vain. The lock is held.
func (t *signalTable) unfail(addr uint64) {
	if _, ok := t.failed[addr]; ok {
		delete(t.failed, addr)
		t.nfailed.Add(-1)
	}
}

// fail lets those who wait for signals return with an error, now and until the host
// sets another value.
func (t *signalTable) fail(err error, addrs ...uint64) {
	t.mu.Lock()
	for _, a := range addrs {
		if _, ok := t.failed[a]; !ok {
			t.failed[a] = err
			t.nfailed.Add(1)
		}
	}
	t.mu.Unlock()
	t.recheck()
}

// DispatchTime gives when a packet whose completion signal this is began and ended, by
// the system's Timestamp, hsa_amd_profiling_get_dispatch_time. The queue must have had
// profiling on (Queue.SetProfiling); the error is StatusErrorInvalidSignal otherwise.
func (s *Signal) DispatchTime() (start, end uint64, err error) {
	start = uint64(atomic.LoadInt64(s.sys.word(s.addr + signalStartTS)))
	end = uint64(atomic.LoadInt64(s.sys.word(s.addr + signalEndTS)))
	if end == 0 {
		return 0, 0, errorf(StatusErrorInvalidSignal, "signal %#x has no timestamps", s.addr)
	}
	return start, end, nil
}
