package hsa

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
)

// MemoryOrder is the memory order of an operation on a signal or a queue index.
// This runtime executes every operation with sequentially consistent order, the
// strongest. Programs specify the order that they require.
type MemoryOrder uint8

const (
	Relaxed    MemoryOrder = iota // no ordering
	Scacquire                     // loads, waits, read-modify-write
	Screlease                     // stores, read-modify-write
	ScacqScrel                    // read-modify-write
)

// Layout of amd_signal_t. Source: AMDGPU HSA ABI 0.40, "Signal"; amd_hsa_signal.h.
const (
	SignalSize = 64 // bytes; also the alignment

	signalKind     = 0
	signalValue    = 8 // or the address of the doorbell
	signalMailbox  = 16
	signalEventID  = 24
	signalStartTS  = 32
	signalEndTS    = 40
	signalQueuePtr = 48
)

// Values of the kind field of amd_signal_t.
const (
	kindInvalid        int64 = 0
	kindUser           int64 = 1
	kindDoorbell       int64 = -1
	kindLegacyDoorbell int64 = -2
)

// Signal is a signal, hsa_signal_t: an amd_signal_t in memory. A doorbell
// signal supports only stores, which wake the packet processor; loads return
// the last value that the host stored.
type Signal struct {
	sys   *System
	addr  uint64
	value *int64
	queue *Queue // queue of a doorbell
}

// signalTable holds the signals of a system and their waiters.
type signalTable struct {
	sys *System

	mu      sync.Mutex
	free    []uint64
	live    map[uint64]*Signal
	waiters map[*waiter]struct{}
	failed  map[uint64]error // errors by signal address; waits for these signals cannot succeed

	nwaiters atomic.Int32
	nfailed  atomic.Int32
}

func (t *signalTable) init(s *System) {
	t.sys, t.live, t.waiters, t.failed = s, map[uint64]*Signal{}, map[*waiter]struct{}{}, map[uint64]error{}
}

// NewSignal creates a signal with an initial value, hsa_signal_create. All
// agents may use it.
func (s *System) NewSignal(initial int64) (*Signal, error) {
	return s.signals.create(kindUser, initial)
}

// create creates a signal. second is its value, or the address of the doorbell.
func (t *signalTable) create(kind, second int64) (*Signal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sys.down.Load() {
		return nil, errShutDown()
	}
	if len(t.free) == 0 {
		r, err := t.sys.alloc(device.PageSize, SignalSize, "signals")
		if err != nil {
			return nil, err
		}
		for a := r.Addr + device.PageSize; a > r.Addr; a -= SignalSize {
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

// word returns an aligned 8-byte word of memory for sync/atomic, or nil if it
// is unmapped.
func (s *System) word(addr uint64) *int64 { return (*int64)(s.mem.Pointer(addr, 8)) }

// Destroy destroys the signal, hsa_signal_destroy. The signal must not be used
// afterwards, including by packets. Active waits return
// StatusErrorInvalidSignal.
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

// Signal returns the signal with a handle, or nil if NewSignal did not create
// it or it is destroyed.
func (s *System) Signal(handle uint64) *Signal {
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	return s.signals.live[handle]
}

// Handle returns the handle: the address of the amd_signal_t.
func (s *Signal) Handle() uint64 { return s.addr }

// Load returns the value.
func (s *Signal) Load(MemoryOrder) int64 { return atomic.LoadInt64(s.value) }

// Store sets the value.
func (s *Signal) Store(v int64, _ MemoryOrder) {
	atomic.StoreInt64(s.value, v)
	s.changed()
}

// SilentStore sets the value without waking waiters, hsa_signal_silent_store.
func (s *Signal) SilentStore(v int64, _ MemoryOrder) { atomic.StoreInt64(s.value, v) }

// Exchange sets the value and returns its previous value.
func (s *Signal) Exchange(v int64, _ MemoryOrder) int64 {
	defer s.changed()
	return atomic.SwapInt64(s.value, v)
}

// CompareAndSwap sets the value if it equals expected, hsa_signal_cas. It
// returns the previous value.
func (s *Signal) CompareAndSwap(expected, v int64, _ MemoryOrder) int64 {
	return s.update(func(old int64) int64 {
		if old == expected {
			return v
		}
		return old
	})
}

// Add adds to the value. Like the following operations, it wraps around.
func (s *Signal) Add(v int64, _ MemoryOrder) {
	atomic.AddInt64(s.value, v)
	s.changed()
}

// Subtract subtracts from the value.
func (s *Signal) Subtract(v int64, o MemoryOrder) { s.Add(-v, o) }

// And replaces the value by its bitwise AND with v.
func (s *Signal) And(v int64, _ MemoryOrder) {
	atomic.AndInt64(s.value, v)
	s.changed()
}

// Or replaces the value by its bitwise OR with v.
func (s *Signal) Or(v int64, _ MemoryOrder) {
	atomic.OrInt64(s.value, v)
	s.changed()
}

// Xor replaces the value by its bitwise XOR with v.
func (s *Signal) Xor(v int64, _ MemoryOrder) { s.update(func(old int64) int64 { return old ^ v }) }

// update replaces the value by f of it and returns the previous value.
func (s *Signal) update(f func(int64) int64) int64 {
	defer s.changed()
	for {
		old := atomic.LoadInt64(s.value)
		if atomic.CompareAndSwapInt64(s.value, old, f(old)) {
			return old
		}
	}
}

// changed wakes the waiters and a doorbell's packet processor.
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

// interrupt performs the actions that follow a change of a signal's value: it
// stores the event ID in the signal's mailbox, if any, and wakes the waiters.
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

// unfail removes a signal's recorded error. The lock must be held.
func (t *signalTable) unfail(addr uint64) {
	if _, ok := t.failed[addr]; ok {
		delete(t.failed, addr)
		t.nfailed.Add(-1)
	}
}

// fail makes waits for signals return an error until the host sets another
// value.
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

// DispatchTime returns the start and end of the packet completed by this
// signal, in units of the system's Timestamp,
// hsa_amd_profiling_get_dispatch_time. Profiling must be enabled for the queue
// (Queue.SetProfiling); otherwise the error is StatusErrorInvalidSignal.
func (s *Signal) DispatchTime() (start, end uint64, err error) {
	start = uint64(atomic.LoadInt64(s.sys.word(s.addr + signalStartTS)))
	end = uint64(atomic.LoadInt64(s.sys.word(s.addr + signalEndTS)))
	if end == 0 {
		return 0, 0, errorf(StatusErrorInvalidSignal, "signal %#x has no timestamps", s.addr)
	}
	return start, end, nil
}
