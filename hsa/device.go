package hsa

import (
	"context"
	"time"

	"github.com/gfx-toolchain/gfx/sim"
)

// Device runs the dispatches of a GPU agent. *sim.Device is one.
type Device interface {
	// Run runs a dispatch to its end, on the system's memory. It may be called from
	// several goroutines at once. The error is a *sim.Fault when the kernel went
	// wrong, or the context's error: it returns soon after the context ends.
	Run(ctx context.Context, d *sim.Dispatch) (*sim.Stats, error)
}

// Intervals in which the system looks whether a kernel changed a signal in memory.
const (
	pollFirst = 20 * time.Microsecond
	pollLast  = time.Millisecond
)

// dispatchBegins notes that a device runs a dispatch. Kernels change signals by
// atomics on memory, of which the host hears nothing: as long as one runs, a
// goroutine looks at the signals that someone waits for.
func (s *System) dispatchBegins() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running++; s.running > 1 {
		return
	}
	s.poll = make(chan struct{})
	s.polling.Add(1)
	go s.pollSignals(s.poll)
}

func (s *System) dispatchEnds() {
	s.mu.Lock()
	if s.running--; s.running == 0 {
		close(s.poll)
	}
	s.mu.Unlock()
	s.signals.recheck()
	s.ringAll()
}

func (s *System) pollSignals(stop <-chan struct{}) {
	defer s.polling.Done()
	t := time.NewTimer(pollFirst)
	defer t.Stop()
	for every := pollFirst; ; every = min(2*every, pollLast) {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		s.signals.recheck()
		s.ringAll()
		t.Reset(every)
	}
}

// ringAll lets queues look at doorbells that a kernel may have rung.
func (s *System) ringAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.queues {
		q.checkDoorbell()
	}
}
