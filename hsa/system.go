package hsa

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gfx-toolchain/gfx/sim"
	"github.com/gfx-toolchain/gfx/target"
)

// DefaultMemoryLimit is the memory of a System whose options name none, in bytes.
const DefaultMemoryLimit = 8 << 30

// TimestampFrequency is how often the system's timestamp counts in a second.
const TimestampFrequency = 1_000_000_000

// Options are settings of a System.
type Options struct {
	// MemoryLimit is how many bytes of memory may be allocated at a time, in
	// pages; 0 is DefaultMemoryLimit.
	MemoryLimit uint64
	// Simulator has the settings of the devices that NewGPU makes.
	Simulator sim.Options
}

// System is an HSA system: a memory, the host agent and GPU agents. It is safe
// for concurrent use, as is everything that belongs to it.
type System struct {
	mem   *sim.Memory
	opts  Options
	start time.Time
	host  *Agent

	signals signalTable
	kernels kernelTable

	mu      sync.Mutex
	closed  bool
	agents  []*Agent
	queues  map[*Queue]struct{}
	nextID  uint64 // of queues
	running int    // dispatches that devices run
	poll    chan struct{}
	polling sync.WaitGroup
	down    atomic.Bool // closed, to be read without the lock

	async         sync.WaitGroup // handlers and copies
	copyProfiling atomic.Bool
}

// NewSystem makes a system with a host agent and no GPU.
func NewSystem(o Options) *System {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = DefaultMemoryLimit
	}
	s := &System{mem: sim.NewMemory(o.MemoryLimit), opts: o, start: time.Now(), queues: map[*Queue]struct{}{}}
	s.signals.init(s)
	s.host = newHost(s)
	s.agents = []*Agent{s.host}
	return s
}

// Memory gives the memory that agents share, for devices that AddAgent takes.
func (s *System) Memory() *sim.Memory { return s.mem }

// Host gives the agent that is the CPU.
func (s *System) Host() *Agent { return s.host }

// Agents gives all agents, the host first.
func (s *System) Agents() []*Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Agent(nil), s.agents...)
}

// NewGPU adds an agent that is a simulated GPU. A setting of the target ID that is
// Any becomes On or Off: XNACK On for APUs, as the guides have it, SRAM ECC On. The error
// is StatusErrorInvalidISA for a processor that is not simulated.
func (s *System) NewGPU(t *target.Target) (*Agent, error) {
	t, err := settle(t)
	if err != nil {
		return nil, causedBy(StatusErrorInvalidISA, err, "target ID")
	}
	dev, err := sim.New(t, s.mem, s.opts.Simulator)
	if err != nil {
		return nil, causedBy(StatusErrorInvalidISA, err, "new agent")
	}
	return s.AddAgent(t, dev)
}

// AddAgent adds a GPU agent with a device of its own, which runs on the system's
// Memory.
func (s *System) AddAgent(t *target.Target, dev Device) (*Agent, error) {
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

// Timestamp gives the time since the system was made, in nanoseconds: what the
// timestamps of signals are compared with.
func (s *System) Timestamp() uint64 { return uint64(time.Since(s.start)) }

// Shutdown ends all queues, with the kernels that they run, and lets all who wait
// return with StatusErrorNotInitialized. It returns when no goroutine of the system is
// left. Memory that views refer to stays valid.
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
