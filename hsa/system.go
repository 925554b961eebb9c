package hsa

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/target"
)

// DefaultMemoryLimit is the default memory size of a System in bytes.
const DefaultMemoryLimit = 8 << 30

// TimestampFrequency is the frequency of the system's timestamp in ticks per
// second.
const TimestampFrequency = 1_000_000_000

// Options configures a System.
type Options struct {
	// MemoryLimit is the maximum memory in bytes that may be allocated at a
	// time, counted in whole pages. 0 means DefaultMemoryLimit.
	MemoryLimit uint64
	// Simulator configures the devices that NewGPU creates.
	Simulator device.Options
}

// System is an HSA system: a memory, the host agent and GPU agents. It is safe
// for concurrent use, as are all objects that belong to it.
type System struct {
	mem   *device.Memory
	opts  Options
	start time.Time
	host  *Agent

	signals signalTable
	kernels kernelTable

	mu      sync.Mutex
	closed  bool
	agents  []*Agent
	queues  map[*Queue]struct{}
	nextID  uint64 // next queue ID
	running int    // number of running dispatches
	poll    chan struct{}
	polling sync.WaitGroup
	down    atomic.Bool // closed, readable without the lock

	async         sync.WaitGroup // handlers and copies
	copyProfiling atomic.Bool
}

// NewSystem creates a system with a host agent and no GPU.
func NewSystem(o Options) *System {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = DefaultMemoryLimit
	}
	s := &System{mem: device.NewMemory(o.MemoryLimit), opts: o, start: time.Now(), queues: map[*Queue]struct{}{}}
	s.signals.init(s)
	s.host = newHost(s)
	s.agents = []*Agent{s.host}
	return s
}

// Memory returns the memory that all agents share, for devices passed to
// AddAgent.
func (s *System) Memory() *device.Memory { return s.mem }

// Host returns the CPU's agent.
func (s *System) Host() *Agent { return s.host }

// Agents returns all agents, the host first.
func (s *System) Agents() []*Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Agent(nil), s.agents...)
}

// NewGPU adds a simulated GPU. Settings of the target ID that are Any become On
// or Off: XNACK is On for APUs, as documented, and SRAM ECC is On. The error is
// StatusErrorInvalidISA if the processor is not simulated, StatusErrorInvalidArgument for
// options of the simulator that are out of range.
func (s *System) NewGPU(t *target.Target) (*Agent, error) {
	t, err := settle(t)
	if err != nil {
		return nil, causedBy(StatusErrorInvalidISA, err, "target ID")
	}
	if _, err := s.opts.Simulator.AgentCount(); err != nil {
		return nil, causedBy(StatusErrorInvalidArgument, err, "new agent")
	}
	dev, err := sim.New(t, s.mem, s.opts.Simulator)
	if err != nil {
		return nil, causedBy(StatusErrorInvalidISA, err, "new agent")
	}
	return s.AddAgent(t, dev)
}

// AddAgent adds a GPU agent with a given device, which runs on the system's
// Memory.
func (s *System) AddAgent(t *target.Target, dev device.Device) (*Agent, error) {
	t, err := settle(t)
	if err != nil {
		return nil, causedBy(StatusErrorInvalidISA, err, "target ID")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errShutDown()
	}
	a := newGPU(s, t, dev, len(s.agents))
	s.agents = append(s.agents, a)
	return a, nil
}

func errShutDown() *Error {
	return errorf(StatusErrorNotInitialized, "the system is shut down")
}

// Timestamp returns the time since the creation of the system in nanoseconds.
// The timestamps of signals use the same clock.
func (s *System) Timestamp() uint64 { return uint64(time.Since(s.start)) }

// Shutdown ends all queues and their running kernels. All waits return
// StatusErrorNotInitialized. Shutdown returns after all goroutines of the
// system have ended. Existing views of memory remain valid.
func (s *System) Shutdown() {
	s.mu.Lock()
	s.closed = true
	s.down.Store(true)
	queues := make([]*Queue, 0, len(s.queues))
	for q := range s.queues {
		queues = append(queues, q)
	}
	s.mu.Unlock()
	for _, q := range queues {
		q.cancel()
	}
	for _, q := range queues {
		q.Destroy()
	}
	s.signals.wakeAll()
	s.polling.Wait()
	s.async.Wait()
}
